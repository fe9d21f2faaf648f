"""Taking elements by index vectors: GatherNd, of tensors and of resource variables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels import device_rows
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_broadcast import meshgrid
from tfbench.engine.ops.array_common import as_array
from tfbench.engine.ops.array_fill import ones
from tfbench.engine.ops.array_join import concat, stack, unstack
from tfbench.engine.ops.array_order import transpose
from tfbench.engine.ops.array_pad import tile
from tfbench.engine.ops.reductions import reduce_prod
from tfbench.engine.ops.resource_state import variable_shape
from tfbench.engine.ops.shape_ops import rank, reshape, shape
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.resources import VariableBuffer
from tfbench.engine.shape_math import debug_string, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["gather_nd"]


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


@_gather_nd.kernel(CPU, GPU)
def _gather_nd_kernel(xp: Any, params: Any, indices: Any, *, bad_indices_policy: str) -> Any:
    if indices.ndim < 1:
        raise invalid("indices must be at least a vector")
    depth = indices.shape[-1]
    if depth > params.ndim:
        raise invalid(f"index innermost dimension length must be <= params rank; saw: {depth} vs. {params.ndim}")
    sizes = params.shape[:depth]
    if xp is not np:
        places, there = device_rows.row_numbers(xp, indices, sizes)
        whole = params.reshape((math.prod(sizes), *params.shape[depth:]))
        return device_rows.take(xp, whole, xp.where(there, places, -1), 0)
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


@resource_gather_nd.kernel(CPU, GPU)
def _resource_gather_nd_kernel(xp: Any, resource: VariableBuffer, indices: Any) -> Any:
    return _gather_nd_kernel(xp, resource.read(), indices, bad_indices_policy="")


def gather_nd(
    params: Any, indices: Any, name: str | None = None, batch_dims: int = 0, bad_indices_policy: str = ""
) -> Tensor:
    """The elements (or slices) of `params` at the index vectors in the last dimension of `indices`."""
    static = get_static_value(batch_dims)
    if static is None or int(static) != 0:
        return _batch_gather_nd(params, indices, int(batch_dims), name)
    if hasattr(params, "handle"):
        return params.gather_nd(indices, name=name)
    return _gather_nd(params, indices, name=name, bad_indices_policy=bad_indices_policy)


def _batch_gather_nd(params: Any, indices: Any, batch_dims: int, name: str | None) -> Tensor:
    """Gathers with index vectors that are lengthened by the position of their batch."""
    with name_scope(name, "BatchGatherND", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if batch_dims < 0:
            raise ValueError(
                f"tf.gather_nd: batch_dims must be 0 or more, negative batch_dims are not allowed; got {batch_dims}"
            )
        for word, tensor in (("indices", indices), ("params", params)):
            if tensor._shape is not None and batch_dims >= len(tensor._shape):
                raise ValueError(
                    f"Argument `batch_dims` = {batch_dims} must be less than rank(`{word}`) = {len(tensor._shape)}"
                )
        params_shape = shape(params)
        indices_shape = shape(indices)
        batch_shape = params_shape[:batch_dims]
        batch_size = reduce_prod(batch_shape, [0])
        index_dims = rank(indices) - batch_dims - 1
        inner_shape = indices_shape[batch_dims:-1]
        cast, steps = lookup("Cast"), lookup("Range")
        ranges = [
            cast(steps(0, cast(size, DstT=dtypes.int32), 1), DstT=indices.dtype.base_dtype)
            for size in unstack(batch_shape)
        ]
        mesh = meshgrid(*ranges, indexing="ij")
        positions = transpose(stack([reshape(part, [-1]) for part in mesh]))
        rows = shape(positions)
        positions = reshape(positions, concat([rows[:1], ones(index_dims, dtypes.int32), rows[1:]], 0))
        positions = tile(positions, concat([[1], inner_shape, [1]], 0))
        flat_indices = reshape(indices, concat([[batch_size], indices_shape[batch_dims:]], 0))
        found = gather_nd(params, concat([positions, flat_indices], -1))
        return reshape(found, concat([batch_shape, shape(found)[1:]], 0))
