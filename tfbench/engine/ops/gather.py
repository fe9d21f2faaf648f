"""Taking elements by index: Gather, GatherV2 (any axis, batches of indices), GatherNd (index vectors)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_common import as_array, brackets, invalid, known_scalar
from tfbench.engine.ops.array_fill import ones, zeros
from tfbench.engine.ops.array_join import concat, stack, unstack
from tfbench.engine.ops.array_order import transpose
from tfbench.engine.ops.array_pad import tile
from tfbench.engine.ops.resource_state import variable_shape
from tfbench.engine.ops.shape_ops import rank, reshape, shape, squeeze
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.resources import VariableBuffer
from tfbench.engine.shape_math import concatenate, debug_string, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["batch_gather", "gather", "gather_nd"]


_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def check_indices(indices: Any, size: int, what: str = "indices") -> None:
    """InvalidArgumentError naming the first index that is not in [0, size)."""
    # As unsigned numbers, negative ones are too large as well: one pass finds both.
    if indices.size and int(indices.view(_UNSIGNED[indices.itemsize]).max()) >= size:
        bad = (indices < 0) | (indices >= size)
        where = [int(axis[0]) for axis in bad.reshape(indices.shape).nonzero()] if indices.ndim else []
        value = int(indices[tuple(where)])
        place = "[" + ",".join(str(i) for i in where) + "]" if where else ""
        raise invalid(f"{what}{place} = {value} is not in [0, {size})")


_gather = op(
    "Gather",
    "params: Tparams, indices: Tindices",
    "output: Tparams",
    "validate_indices: bool = true; Tparams: type; Tindices: {int32, int64}",
    fresh=True,
)


@_gather.shape
def _gather_shape(node: Operation, params: Shape, indices: Shape) -> list[Shape]:
    params = with_rank_at_least(params, 1)
    return [concatenate(indices, None if params is None else params[1:])]


@_gather.kernel(CPU, GPU)
def _gather_kernel(xp: Any, params: Any, indices: Any) -> Any:
    if params.ndim < 1:
        raise invalid("params must be at least 1 dimensional")
    check_indices(indices, params.shape[0])
    return as_array(xp.take(params, indices, 0))


_gather_v2 = op(
    "GatherV2",
    "params: Tparams, indices: Tindices, axis: Taxis",
    "output: Tparams",
    "batch_dims: int = 0; Tparams: type; Tindices: {int16, int32, int64}; Taxis: {int32, int64}",
    fresh=True,
)


@_gather_v2.shape
def _gather_v2_shape(node: Operation, params: Shape, indices: Shape, axis_shape: Shape) -> list[Shape]:
    params = with_rank_at_least(params, 1)
    axis = known_scalar(node._inputs[2])
    batch = node.attrs["batch_dims"]
    if axis is None:
        if params is None or indices is None:
            return [None]
        return [(None,) * (len(params) + len(indices) - 1 - batch)]
    with_rank_at_least(params, axis + 1 if axis >= 0 else -axis)
    if indices is not None:
        with_rank_at_least(indices, abs(batch))
        if batch < 0:
            batch += len(indices)
    if params is None or indices is None:
        return [None]
    axis %= len(params)
    # The sizes of the batch are the tensor's; whether the indices agree, the kernel says.
    outer = (*params[:batch], *params[batch:axis])
    return [(*outer, *indices[batch:], *params[axis + 1 :])]


@_gather_v2.kernel(CPU, GPU)
def _gather_v2_kernel(xp: Any, params: Any, indices: Any, axis: Any, *, batch_dims: int) -> Any:
    if params.ndim < 1:
        raise invalid("params must be at least 1 dimensional")
    position = int(axis)
    if not -params.ndim <= position < params.ndim:
        raise invalid(f"Expected axis in the range [{-params.ndim}, {params.ndim}), but got {position}")
    position %= params.ndim
    check_indices(indices, params.shape[position])
    if batch_dims == 0:
        return as_array(xp.take(params, indices, position))
    batch = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    if batch > position or batch > indices.ndim:
        raise invalid(f"batch_dims ({batch}) must be less than or equal to axis ({position})")
    for i, (size, rows_of) in enumerate(zip(params.shape[:batch], indices.shape[:batch])):
        if size != rows_of:
            raise invalid(f"params.shape[{i}]: {size} should be equal to indices.shape[{i}]: {rows_of}")
    # The gathered axis is put right behind the batch; batches become rows; afterwards what stood between goes back.
    moved = xp.moveaxis(params, position, batch)
    rows = moved.reshape((-1, *moved.shape[batch:]))
    picks = indices.reshape((len(rows), -1))
    taken = rows[xp.arange(len(rows))[:, None], picks]
    inner = indices.shape[batch:]
    result = taken.reshape((*indices.shape, *moved.shape[batch + 1 :]))
    between = position - batch
    if between:
        order = [
            *range(batch),
            *range(batch + len(inner), batch + len(inner) + between),
            *range(batch, batch + len(inner)),
            *range(batch + len(inner) + between, result.ndim),
        ]
        result = result.transpose(order)
    return result


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """The slices of `params` along `axis` (default: the first after the batch) at `indices`.

    With `batch_dims`, so many leading dimensions of both are one batch: each row of indices picks from its own row.
    """
    if axis is None:
        axis = batch_dims
    if get_static_value(axis) == 0:
        if hasattr(params, "handle"):
            # A resource variable reads the rows without the rest.
            return params.sparse_read(indices, name=name)  # type: ignore[no-any-return]
        batch_dims = 0
    return _gather_v2(params, indices, axis, batch_dims=batch_dims, name=name)  # type: ignore[no-any-return]


@_gather_v2.gradient
def _gather_v2_gradient(node: Operation, dy: Any) -> Any:
    return [*_slices_of_gather(node, dy, get_static_value(node.inputs[2])), None]


@_gather.gradient
def _gather_gradient(node: Operation, dy: Any) -> Any:
    return _slices_of_gather(node, dy, 0)


def _slices_of_gather(node: Operation, dy: Any, axis: Any) -> list[Any]:
    """The gradient of a gather: rows for the first axis (IndexedSlices), a dense tensor for another.

    Raises:
      NotImplementedError: for batches of indices.
    """
    from tfbench.engine import ops
    from tfbench.engine.composite import IndexedSlices

    params, indices = node.inputs[:2]
    if node.attrs.get("batch_dims"):
        raise NotImplementedError("The gradient of tf.gather with batch_dims is not there yet")
    params_shape = shape(params, out_type=dtypes.int64)
    count = reshape(ops.size(indices), [1])
    if axis is not None and int(axis) == 0:
        rows = reshape(dy, concat([count, ops.cast(params_shape[1:], dtypes.int32)], 0))
        return [IndexedSlices(rows, reshape(indices, count), params_shape), None]
    position: Any = node.inputs[2]
    if axis is not None and int(axis) < 0:
        position = rank(params) + int(axis)  # type: ignore[operator]
    # The gathered axis is put first, the rows summed by index, and the axis put back.
    before = ops.range(0, position)
    behind = ops.range(position + 1, rank(params))
    moved = concat([[position], before, behind], 0)
    inner = ops.range(position, position + rank(indices))
    rest = ops.range(position + rank(indices), rank(dy))
    front = transpose(dy, concat([inner, before, rest], 0))
    sizes = ops.gather(shape(params), concat([before, behind], 0))
    rows = reshape(front, concat([count, sizes], 0))
    summed = ops.unsorted_segment_sum(rows, reshape(indices, [-1]), shape(params)[position])
    return [transpose(summed, ops.invert_permutation(moved)), None]


# -- GatherNd ----------------------------------------------------------------------------------------------------

_gather_nd = op(
    "GatherNd",
    "params: Tparams, indices: Tindices",
    "output: Tparams",
    "Tparams: type; Tindices: {int16, int32, int64}; bad_indices_policy: string = ''",
    fresh=True,
)


@_gather_nd.shape
def _gather_nd_shape(node: Operation, params: Shape, indices: Shape) -> list[Shape]:
    indices = with_rank_at_least(indices, 1)
    depth = None if indices is None else indices[-1]
    if params is None or indices is None or depth is None:
        return [None]
    if depth > len(params):
        raise ValueError(
            "indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"{debug_string(indices)} and params shape: {debug_string(params)}"
        )
    return [(*indices[:-1], *params[depth:])]


def bad_row(indices: Any, sizes: tuple[int, ...]) -> tuple[str, str] | None:
    """Which index vector does not lie within `sizes`, as (place, vector) in words; None if all do."""
    depth = indices.shape[-1]
    if not indices.size:
        return None
    bad = ((indices < 0) | (indices >= np.array(sizes[:depth], np.int64))).any(-1)
    if not bad.any():
        return None
    where = [int(axis[0]) for axis in bad.nonzero()] if bad.ndim else []
    place = "[" + ",".join(str(i) for i in where) + "]" if where else ""
    return place, "[" + ", ".join(str(int(i)) for i in indices[tuple(where)]) + "]"


def row_numbers(indices: Any, sizes: tuple[int, ...]) -> Any:
    """Which row of an array of `sizes`, its indexed dimensions flattened, each index vector names.

    None if a vector lies outside.
    """
    depth = indices.shape[-1]
    if depth == 0:
        return np.zeros(indices.shape[:-1], np.intp)
    try:
        return np.ravel_multi_index(tuple(indices[..., i] for i in range(depth)), sizes[:depth])
    except ValueError:
        return None


@_gather_nd.kernel(CPU)
def _gather_nd_kernel(xp: Any, params: Any, indices: Any, *, bad_indices_policy: str) -> Any:
    if indices.ndim < 1:
        raise invalid("indices must be at least a vector")
    depth = indices.shape[-1]
    if depth > params.ndim:
        raise invalid(f"index innermost dimension length must be <= params rank; saw: {depth} vs. {params.ndim}")
    sizes = params.shape[:depth]
    rows = row_numbers(indices, sizes)
    if rows is None:
        if bad_indices_policy != "IGNORE":
            place, vector = bad_row(indices, sizes) or ("", "")
            raise invalid(f"indices{place} = {vector} does not index into param shape {brackets(params.shape)}")
        good = ((indices >= 0) & (indices < np.array(sizes, np.int64))).all(-1)
        result = np.zeros((*indices.shape[:-1], *params.shape[depth:]), params.dtype)
        result[good] = params[tuple(np.moveaxis(indices[good], -1, 0))]
        return result
    return as_array(params.reshape((math.prod(sizes), *params.shape[depth:])).take(rows, 0))


resource_gather_nd = op(
    "ResourceGatherNd",
    "resource: resource, indices: Tindices",
    "output: dtype",
    "dtype: type; Tindices: {int32, int64}",
    stateful=True,
    fresh=True,
)


@resource_gather_nd.shape
def _resource_gather_nd_shape(node: Operation, resource: Shape, indices: Shape) -> list[Shape]:
    return list(_gather_nd_shape(node, variable_shape(node.inputs[0]), indices))


@resource_gather_nd.kernel(CPU)
def _resource_gather_nd_kernel(xp: Any, resource: VariableBuffer, indices: Any) -> Any:
    return _gather_nd_kernel(xp, resource.read(), indices, bad_indices_policy="")


@resource_gather_nd.gradient
def _resource_gather_nd_gradient(node: Operation, dy: Any) -> Any:
    from tfbench.engine import ops
    from tfbench.engine.ops.resource_state import shape_of

    indices = node.inputs[1]
    return [ops.scatter_nd(indices, dy, shape_of(node.inputs[0], out_type=indices.dtype)), None]


@_gather_nd.gradient
def _gather_nd_gradient(node: Operation, dy: Any) -> Any:
    from tfbench.engine import ops
    from tfbench.engine.composite import IndexedSlices

    params, indices = node.inputs
    sizes = shape(params, out_type=indices.dtype)
    if indices._shape is not None and len(indices._shape) == 2 and indices._shape[-1] == 1:
        return [IndexedSlices(dy, squeeze(indices, axis=-1), sizes), None]
    return [ops.scatter_nd(indices, dy, sizes), None]


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0, bad_indices_policy: str = ""
) -> Tensor:
    """The elements (or slices) of `params` at the index vectors in the last dimension of `indices`."""
    static = get_static_value(batch_dims)
    if static is None or int(static) != 0:
        return _batch_gather_nd(params, indices, int(batch_dims), name)
    if hasattr(params, "handle"):
        return params.gather_nd(indices, name=name)  # type: ignore[no-any-return]
    return _gather_nd(  # type: ignore[no-any-return]
        params, indices, name=name, bad_indices_policy=bad_indices_policy
    )


def _batch_gather_nd(params: Any, indices: Any, batch_dims: int, name: str | None) -> Tensor:
    """Gathers with index vectors that are lengthened by the position of their batch."""
    from tfbench.engine import ops

    with name_scope(name, "BatchGatherND", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if batch_dims < 0:
            raise ValueError("tf.gather_nd does not allow negative batch_dims.")
        for word, tensor in (("indices", indices), ("params", params)):
            if tensor._shape is not None and batch_dims >= len(tensor._shape):
                raise ValueError(
                    f"Argument `batch_dims` = {batch_dims} must be less than rank(`{word}`) = {len(tensor._shape)}"
                )
        params_shape = shape(params)
        indices_shape = shape(indices)
        batch_shape = params_shape[:batch_dims]
        batch_size = ops.reduce_prod(batch_shape, [0])
        index_dims = rank(indices) - batch_dims - 1  # type: ignore[operator]
        inner_shape = indices_shape[batch_dims:-1]
        cast, steps = lookup("Cast"), lookup("Range")
        ranges = [
            cast(steps(0, cast(size, DstT=dtypes.int32), 1), DstT=indices.dtype.base_dtype)
            for size in unstack(batch_shape)
        ]
        mesh = ops.meshgrid(*ranges, indexing="ij")
        positions = transpose(stack([reshape(part, [-1]) for part in mesh]))
        rows = shape(positions)
        positions = reshape(positions, concat([rows[:1], ones(index_dims, dtypes.int32), rows[1:]], 0))
        positions = tile(positions, concat([[1], inner_shape, [1]], 0))
        flat_indices = reshape(indices, concat([[batch_size], indices_shape[batch_dims:]], 0))
        found = gather_nd(params, concat([positions, flat_indices], -1))
        return reshape(found, concat([batch_shape, shape(found)[1:]], 0))


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Each row of `indices` picks from its own row of `params`: all dimensions of indices but the last are batch.

    Raises:
      ValueError: if the rank of `indices` is unknown.
    """
    from tfbench.engine import ops

    with name_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if indices._shape is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        return _flat_batch_gather(ops, params, indices, len(indices._shape) - 1)


def _flat_batch_gather(ops: Any, params: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """Gathers from the batch laid out as one row, with an offset for each place in the batch."""
    indices_shape = shape(indices)
    params_shape = shape(params)
    kind = indices.dtype.base_dtype
    step = ones((), kind)
    sizes = lookup("Cast")(params_shape, DstT=kind)
    picked = indices
    for dimension in range(batch_dims, 0, -1):
        size = sizes[dimension - 1]
        step = step * sizes[dimension]
        offsets = lookup("Range")(zeros((), kind), size, ones((), kind)) * step
        picked = picked + reshape(  # type: ignore[operator]
            offsets, stack([1] * (dimension - 1) + [size] + [1] * (len(indices._shape or ()) - dimension))
        )
    flat_indices = reshape(picked, [-1])
    outer = params_shape[batch_dims + 1 :]
    merged = ops.reduce_prod(params_shape[: batch_dims + 1], [0])
    flat = gather(reshape(params, concat([[merged], outer], 0)), flat_indices)
    result = reshape(flat, concat([indices_shape, outer], 0))
    known = indices._shape
    rest = None if params._shape is None else params._shape[batch_dims + 1 :]
    result.set_shape(concatenate(known, rest))
    return result
