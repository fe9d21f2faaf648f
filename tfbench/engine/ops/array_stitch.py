"""Rows sorted into groups and put back: DynamicPartition and DynamicStitch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.shape_math import merge
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["dynamic_partition", "dynamic_stitch", "parallel_dynamic_stitch"]


def _behind(prefix: Shape, whole: Shape) -> Shape:
    """The sizes of `whole` behind `prefix`, with which it must begin; None if they are not known."""
    if prefix is None or whole is None:
        return None
    if len(whole) < len(prefix):
        raise ValueError(f"Shape must be at least rank {len(prefix)} but is rank {len(whole)}")
    for size, own in zip(prefix, whole):
        if size is not None and own is not None and size != own:
            raise ValueError(f"Dimensions must be equal, but are {own} and {size}")
    return whole[len(prefix) :]


_partition = op(
    "DynamicPartition",
    "data: T, partitions: int32",
    "outputs: num_partitions * T",
    "num_partitions: int >= 1; T: type",
    fresh=True,
)


@_partition.shape
def _partition_shape(node: Operation, data: Shape, partitions: Shape) -> list[Shape]:
    rest = _behind(partitions, data)
    return [None if rest is None else (None, *rest)] * node.attrs["num_partitions"]


@_partition.kernel(CPU, GPU)
def _partition_kernel(xp: Any, data: Any, partitions: Any, *, num_partitions: int) -> Any:
    if data.shape[: partitions.ndim] != partitions.shape:
        raise invalid(
            "data.shape must start with partitions.shape, got data.shape = "
            f"{brackets(data.shape)}, partitions.shape = {brackets(partitions.shape)}"
        )
    # On a GPU, rows of groups that there are not are dropped, as TensorFlow's GPUs do.
    bad = (partitions < 0) | (partitions >= num_partitions) if xp is np else np.zeros(0, np.bool_)
    if bad.any():
        where = [int(axis[0]) for axis in np.nonzero(bad)] if partitions.ndim else []
        raise invalid(
            f"partitions{brackets(where) if where else ''} = {int(partitions[tuple(where)])} is not in "
            f"[0, {num_partitions})"
        )
    rows = data.reshape((partitions.size, *data.shape[partitions.ndim :]))
    groups = partitions.reshape(-1)
    return [rows[groups == i] for i in range(num_partitions)]


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Tensor]:
    """The rows of `data` in `num_partitions` groups: row i goes to group `partitions[i]`, in order."""
    return _partition(data, partitions, num_partitions=num_partitions, name=name)


def _stitch(type: str) -> OpDef:
    opdef = op(type, "indices: N * int32, data: N * T", "merged: T", "N: int >= 1; T: type", fresh=True)

    @opdef.shape
    def stitch_shape(node: Operation, *inputs: Shape) -> list[Shape]:
        count = node.attrs["N"]
        rest: Shape = None
        largest: int | None = -1
        for index, data, tensor in zip(inputs[:count], inputs[count:], node._inputs):
            value = constant_value(tensor)
            if value is None:
                largest = None
            elif largest is not None and value.size:
                largest = max(largest, int(value.max()))
            rest = merge(rest, _behind(index, data))
        return [None if rest is None else (None if largest is None else largest + 1, *rest)]

    @opdef.kernel(CPU, GPU)
    def stitch_kernel(xp: Any, *inputs: Any) -> Any:
        count = len(inputs) // 2
        indices, data = inputs[:count], inputs[count:]
        widths = [values.shape[index.ndim :] for index, values in zip(indices, data)]
        for i, (index, values) in enumerate(zip(indices, data)):
            if values.shape[: index.ndim] != index.shape:
                raise invalid(
                    f"data[{i}].shape = {brackets(values.shape)} does not start with indices[{i}].shape = "
                    f"{brackets(index.shape)}"
                )
            if widths[i] != widths[0]:
                raise invalid(
                    f"Need data[0].shape[{indices[0].ndim}:] = data[{i}].shape[{index.ndim}:], got data[0].shape = "
                    f"{brackets(data[0].shape)}, data[{i}].shape = {brackets(values.shape)}, indices[0].shape = "
                    f"{brackets(indices[0].shape)}, indices[{i}].shape = {brackets(index.shape)}"
                )
        if xp is not np:
            return _stitched_there(xp, indices, data, widths[0])
        largest = max((int(index.max()) for index in indices if index.size), default=-1)
        if data[0].dtype == object:
            result = np.full((largest + 1, *widths[0]), b"", object)
        else:
            result = np.zeros((largest + 1, *widths[0]), data[0].dtype)
        for index, values in zip(indices, data):
            flat = index.reshape(-1)
            if flat.size and int(flat.min()) < 0:
                raise invalid(f"indices[{int(np.argmax(flat < 0))}] is out of range")
            result[flat] = values.reshape((flat.size, *widths[0]))
        return result

    return opdef


def _stitched_there(xp: Any, indices: Any, data: Any, width: tuple[int, ...]) -> Any:
    """The same where the rows are on a device and their numbers are not: each row is copied at most once."""
    numbers = np.concatenate([index.reshape(-1) for index in indices])
    if numbers.size and int(numbers.min()) < 0:
        raise invalid(f"indices[{int(np.argmax(numbers < 0))}] is out of range")
    rows = xp.concatenate([values.reshape((index.size, *width)) for index, values in zip(indices, data)])
    # Of several rows for one place the last one counts: the first, seen from the end.
    places, last = np.unique(numbers[::-1], return_index=True)
    result = xp.zeros((int(numbers.max(initial=-1)) + 1, *width), rows.dtype)
    result[xp.asarray(places)] = rows[xp.asarray(numbers.size - 1 - last)]
    return result


_dynamic_stitch = _stitch("DynamicStitch")
_parallel_dynamic_stitch = _stitch("ParallelDynamicStitch")


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """One tensor of the rows of several: `data[k][i]` becomes row `indices[k][i]`; later ones win."""
    return _dynamic_stitch(indices, data, name=name)


def parallel_dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """`dynamic_stitch` for indices that do not repeat."""
    return _parallel_dynamic_stitch(indices, data, name=name)
