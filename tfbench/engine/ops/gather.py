"""Taking slices by index: Gather, and GatherV2 along any axis and with batches of indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.device_rows import take, take_each
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_common import as_array, known_scalar
from tfbench.engine.ops.array_fill import ones, zeros
from tfbench.engine.ops.array_join import concat, stack
from tfbench.engine.ops.reductions import reduce_prod
from tfbench.engine.ops.shape_ops import reshape, shape
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.shape_math import concatenate, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["batch_gather", "gather"]


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
    if xp is not np:
        return take(xp, params, indices, 0)
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
    if xp is np:
        check_indices(indices, params.shape[position])
    elif batch_dims == 0:
        return take(xp, params, indices, position)
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
    taken = rows[xp.arange(len(rows))[:, None], picks] if xp is np else take_each(xp, rows, picks)
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
            return params.sparse_read(indices, name=name)
        batch_dims = 0
    return _gather_v2(params, indices, axis, batch_dims=batch_dims, name=name)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Each row of `indices` picks from its own row of `params`: all dimensions of indices but the last are batch.

    Raises:
      ValueError: if the rank of `indices` is unknown.
    """
    with name_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if indices._shape is None:
            raise ValueError("batch_gather: indices with unknown shape are not allowed; set_shape() gives them one.")
        if not indices._shape:
            raise ValueError("Argument `batch_dims` = -1 must be less than rank(`indices`) = 0")
        return _flat_batch_gather(params, indices, len(indices._shape) - 1)


def _flat_batch_gather(params: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
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
        picked = picked + reshape(
            offsets, stack([1] * (dimension - 1) + [size] + [1] * (len(indices._shape or ()) - dimension))
        )
    flat_indices = reshape(picked, [-1])
    outer = params_shape[batch_dims + 1 :]
    merged = reduce_prod(params_shape[: batch_dims + 1], [0])
    flat = gather(reshape(params, concat([[merged], outer], 0)), flat_indices)
    result = reshape(flat, concat([indices_shape, outer], 0))
    known = indices._shape
    rest = None if params._shape is None else params._shape[batch_dims + 1 :]
    result.set_shape(concatenate(known, rest))
    return result
