"""Evenly spaced numbers: the op, and the composition of ops that TensorFlow 2 builds for `tf.linspace`."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_broadcast import broadcast_dynamic_shape, broadcast_to
from tfbench.engine.ops.array_fill import zeros_like
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_range import range as _range
from tfbench.engine.ops.shape_ops import expand_dims, reshape
from tfbench.engine.ops.shape_queries import shape as shape_of
from tfbench.engine.ops.slicing import slice
from tfbench.engine.tensor import Tensor

__all__ = ["lin_space", "linspace"]

_lin_space = op(
    "LinSpace",
    "start: T, stop: T, num: Tidx",
    "output: T",
    "T: floattype; Tidx: indextype = int32",
    fresh=True,
    doc="num numbers from start to stop, both included",
)
_lin_space.no_gradient("as TensorFlow")


@_lin_space.shape
def _lin_space_shape(node: Operation, start: Any, stop: Any, num: Any) -> Any:
    for shape in (start, stop, num):
        if shape:
            raise ValueError(f"Shape must be rank 0 but is rank {len(shape)}")
    count = constant_value(node._inputs[2])
    if count is None:
        return [(None,)]
    if count <= 0:
        raise ValueError(f"Requires num > 0: {count}")
    return [(int(count),)]


@_lin_space.kernel(CPU, GPU)
def _lin_space_kernel(xp: Any, start: Any, stop: Any, num: Any) -> Any:
    count = int(num)
    if count <= 0:
        raise invalid(f"Requires num > 0: {count}")
    if count == 1:
        return xp.full((1,), start, start.dtype)
    step = (stop - start) / (count - 1)
    result = (start + step * xp.arange(count)).astype(start.dtype)
    result[-1] = stop
    return result


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included, along a new axis.

    Integers become float64. Fewer than two numbers are allowed: 1 gives start alone, 0 none.
    """
    select = lookup("SelectV2")
    with name_scope(name, "linspace", [start, stop]):
        start = convert_to_tensor(start, name="start")
        stop = convert_to_tensor(stop, name="stop", dtype=start._dtype.base_dtype)
        count = _whole(num)
        cast(count, start._dtype)  # TensorFlow's graphs have this node, though nothing uses it
        sizes = broadcast_dynamic_shape(shape_of(start), shape_of(stop))
        start = broadcast_to(start, sizes)
        stop = broadcast_to(stop, sizes)
        start, stop = expand_dims(start, axis), expand_dims(stop, axis)
        sizes = shape_of(start)
        rank: Any = shape_of(sizes)[0]
        at = select(axis >= 0, axis, rank + axis)
        # The numbers between the ends; the slice at the end is right for 0 and 1 numbers as well.
        between = lookup("Maximum")(count - 2, 0)
        steps = lookup("Maximum")(count - 1, 1)
        step: Any = (stop - start) / cast(steps, stop._dtype)
        start, stop = cast(start, step._dtype), cast(stop, step._dtype)
        last = select(count >= 0, steps, -1)
        numbers = cast(_range(1, last, dtype=dtypes.int64), step._dtype)
        form = select(lookup("Equal")(at, _range(0, rank)), between, 1)
        inner = start + step * reshape(numbers, form)
        everything = concat([start, inner, stop], axis=at)
        begin = zeros_like(sizes)
        size = concat([sizes[0:at], reshape(count, [1]), sizes[at + 1 :]], axis=0)
        return slice(everything, begin, size)


def _whole(num: Any) -> Any:
    """A number of things as an int32 tensor, through a Cast node even if it is one already."""
    tensor = convert_to_tensor(num, name="num", dtype_hint=dtypes.int32)
    if not tensor._dtype.is_integer:
        raise TypeError(
            f"Argument `tensor` (name: num) must be of type integer. Received `tensor` = {tensor} of dtype: "
            f"{tensor._dtype}"
        )
    return lookup("Cast")(tensor, DstT=dtypes.int32)


lin_space = linspace
