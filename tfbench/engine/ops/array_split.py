"""Split and SplitV: a tensor cut into pieces along one axis; and ParallelConcat, stacking by pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dimension import Dimension
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.array_common import known_axis, known_list, replaced
from tfbench.engine.ops.array_join import concat, concat_arrays, stack, unstack
from tfbench.engine.ops.shape_ops import expand_dims
from tfbench.engine.shape_math import dim_div, is_fully_defined, merge, with_rank_at_least
from tfbench.engine.shapes import Shape, TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["concat_v2", "pack", "parallel_stack", "split", "split_v", "unpack"]

_split = op("Split", "split_dim: int32, value: T", "output: num_split * T", "num_split: int >= 1; T: type", views=True)


@_split.shape
def _split_shape(node: Operation, axis: Shape, x: Shape) -> list[Shape]:
    count = node.attrs["num_split"]
    position = known_axis(node._inputs[0], None if x is None else len(x))
    if position is None:
        return [None if x is None else (None,) * len(x)] * count
    x = with_rank_at_least(x, position + 1)
    if x is None:
        return [None] * count
    try:
        size = dim_div(x[position], count, evenly=True)
    except ValueError as error:
        raise ValueError(f"{error}\n\tNumber of ways to split should evenly divide the split dimension") from None
    return [replaced(x, position, size)] * count


def _axis(axis: Any, rank: int) -> int:
    position = int(axis)
    if not -rank <= position < rank:
        raise invalid(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {position}")
    return position % rank


@_split.kernel(CPU, GPU)
def _split_kernel(xp: Any, axis: Any, x: Any, *, num_split: int) -> Any:
    position = _axis(axis, x.ndim)
    size, rest = divmod(x.shape[position], num_split)
    if rest:
        raise invalid(
            "Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{position} (size = {x.shape[position]}) and num_split {num_split}"
        )
    before = (slice(None),) * position
    return [x[(*before, slice(i * size, (i + 1) * size))] for i in range(num_split)]


@_split.gradient
def _split_gradient(node: Operation, *grads: Any) -> Any:
    return [None, concat(list(grads), node.inputs[0])]


_split_v = op(
    "SplitV",
    "value: T, size_splits: Tlen, split_dim: int32",
    "output: num_split * T",
    "num_split: int >= 1; T: type; Tlen: {int8, int32, int64} = int64",
    views=True,
)


@_split_v.shape
def _split_v_shape(node: Operation, x: Shape, sizes: Shape, axis: Shape) -> list[Shape]:
    count = node.attrs["num_split"]
    position = known_axis(node._inputs[2], None if x is None else len(x))
    if x is None:
        return [None] * count
    if not x:
        raise ValueError("Can't split scalars")
    wanted = known_list(node._inputs[1])
    if position is None:
        return [(None,) * len(x)] * count
    if wanted is None:
        return [replaced(x, position, None)] * count
    if len(wanted) != count:
        raise ValueError("Length of size_splits should be equal to num_outputs")
    if wanted.count(-1) > 1:
        raise ValueError("size_splits can only have one -1")
    have = x[position]
    total = sum(size for size in wanted if size != -1)
    result: list[Shape] = []
    for i, size in enumerate(wanted):
        given: int | None = size
        if size == -1:
            given = None if have is None else have - total
        if given is not None and given < 0:
            raise ValueError(f"Split size at index {i} must be >= 0. Got: {given}")
        result.append(replaced(x, position, given))
    if have is not None and (total > have if -1 in wanted else total != have):
        raise ValueError(f"can't split axis of size {have} into pieces of size {brackets(wanted)}")
    return result


@_split_v.kernel(CPU, GPU)
def _split_v_kernel(xp: Any, x: Any, sizes: Any, axis: Any, *, num_split: int) -> Any:
    position = _axis(axis, x.ndim)
    wanted = [int(size) for size in sizes]
    have = x.shape[position]
    if len(wanted) != num_split:
        raise invalid(f"size_splits has {len(wanted)} elements, but there are {num_split} outputs")
    total = sum(size for size in wanted if size != -1)
    if wanted.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    if total > have if -1 in wanted else total != have:
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully specified, or be less "
            f"than the size of the input along split_dim if not fully specified.  Got: {total}"
        )
    if any(size < -1 for size in wanted):
        raise invalid(f"Split size at index {next(i for i, s in enumerate(wanted) if s < -1)} must be >= 0.")
    before = (slice(None),) * position
    pieces = []
    start = 0
    for size in wanted:
        stop = start + (have - total if size == -1 else size)
        pieces.append(x[(*before, slice(start, stop))])
        start = stop
    return pieces


@_split_v.gradient
def _split_v_gradient(node: Operation, *grads: Any) -> Any:
    return [concat(list(grads), node.inputs[2]), None, None]


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split") -> Any:
    """`value` in pieces along `axis`: so many equal ones, or of the sizes in a list or vector (one may be -1).

    Raises:
      ValueError: if the sizes do not add up, or their number (`num`) is neither given nor known.
    """
    if isinstance(num_or_size_splits, (int, np.integer, Dimension)):
        try:
            return _split(axis, value, num_split=int(num_or_size_splits), name=name)
        except TypeError as error:
            if isinstance(axis, Tensor) and not isinstance(value, Tensor):
                error.add_note("tf.split(value, num_or_size_splits, axis): the value comes first since TensorFlow 1.0")
            raise
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes._shape == ():
        raise ValueError(
            "num_or_size_splits of split() is a Python int or a vector of sizes: Rank-0 tensors are not supported, "
            f"got {num_or_size_splits}"
        )
    if num is None:
        if sizes._shape:
            num = sizes._shape[0]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
    return _split_v(value, sizes, axis, num_split=num, name=name)


def split_v(value: Any, size_splits: Any, split_dim: Any = 0, num: int | None = None, name: str = "split") -> Any:
    """`split`, as it was called in TensorFlow 0.12."""
    return split(value, size_splits, split_dim, num, name)


# -- parallel_stack --------------------------------------------------------------------------------------------

_parallel_concat = op("ParallelConcat", "values: N * T", "output: T", "N: int >= 1; T: type; shape: shape", fresh=True)
_parallel_concat.no_gradient(
    "TensorFlow registers no gradient for parts that are joined in any order; tf.stack has one"
)


@_parallel_concat.shape
def _parallel_concat_shape(node: Operation, *inputs: Shape) -> list[Shape]:
    shape = node.attrs["shape"]
    if not shape.is_fully_defined():
        raise ValueError("shape attr must be fully defined.")
    common: Shape = None
    for value in reversed(inputs):
        if not is_fully_defined(value):
            raise ValueError("All input shapes must be fully defined.")
        common = merge(common, value)
    return [shape._dims]


@_parallel_concat.kernel(CPU, GPU)
def _parallel_concat_kernel(xp: Any, *values: Any) -> Any:
    return concat_arrays(xp, values, 0)


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """`stack` along the first axis for tensors of known shape that may become ready at different times."""
    with name_scope(name):
        first = convert_to_tensor(values[0])
        shape = TensorShape([len(values)]).concatenate(first.shape)
        return _parallel_concat([expand_dims(value, 0) for value in values], shape=shape)


# -- as they were called before 1.0 ------------------------------------------------------------------------------


def pack(values: Any, axis: int = 0, name: str = "pack") -> Tensor:
    """`stack`, as it was called before TensorFlow 1.0."""
    return stack(values, axis, name)


def unpack(value: Any, num: int | None = None, axis: int = 0, name: str = "unpack") -> list[Tensor]:
    """`unstack`, as it was called before TensorFlow 1.0."""
    return unstack(value, num, axis, name)


def concat_v2(values: Any, axis: Any, name: str = "concat_v2") -> Tensor:
    """`concat`, as it was called in TensorFlow 0.12."""
    return concat(values, axis, name)
