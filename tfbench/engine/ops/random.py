"""Uniform and normal numbers, shuffles and crops: TensorFlow's numbers to the last bit (see `kernels/philox.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.ops.math_binary import add, multiply
from tfbench.engine.ops.random_common import (
    FLOATS,
    INDEX,
    SEEDS,
    drawing,
    scalar_of,
    seed_attrs,
    shape_tensor,
    shaped,
    shaped_with_bounds,
    sizes_of,
    stream_of,
)
from tfbench.engine.ops.reductions import reduce_all
from tfbench.engine.ops.shape_ops import shape as shape_of
from tfbench.engine.ops.slicing import slice as slice_of
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["random_crop", "random_normal", "random_shuffle", "random_uniform", "truncated_normal"]


def _filling(type: str, module: str, function: str, doc: str) -> OpDef:
    """An op that fills its output with numbers of one distribution."""
    definition = op(
        type, "shape: T", "output: dtype", f"{SEEDS}dtype: {FLOATS}; T: {INDEX}", stateful=True, fresh=True, doc=doc
    )
    definition.shape(shaped)
    definition.no_gradient("random numbers do not depend on the shape's value")

    @definition.bind(CPU, GPU)
    def _(context: Any) -> Callable[[Any], Any]:
        draw = drawing(module, function)
        stream, xp, dtype = stream_of(context), context.xp, context.attrs["dtype"].as_numpy_dtype
        return lambda shape: draw(stream, sizes_of(shape), dtype, xp)

    return definition


_random_uniform = _filling("RandomUniform", "random_fill", "uniform", "Numbers in [0, 1).")
_random_standard_normal = _filling(
    "RandomStandardNormal", "random_fill", "standard_normal", "Normal numbers of mean 0 and deviation 1."
)
_truncated_normal = _filling(
    "TruncatedNormal", "random_truncated", "truncated_normal", "Normal numbers nearer to 0 than 2."
)

_random_uniform_int = op(
    "RandomUniformInt",
    "shape: T, minval: Tout, maxval: Tout",
    "output: Tout",
    f"{SEEDS}Tout: {INDEX}; T: {INDEX}",
    stateful=True,
    fresh=True,
    doc="Integers from minval on and below maxval.",
)
_random_uniform_int.shape(shaped_with_bounds)
_random_uniform_int.no_gradient("integers have no gradient")


@_random_uniform_int.bind(CPU, GPU)
def _random_uniform_int_bind(context: Any) -> Callable[..., Any]:
    draw = drawing("random_fill", "uniform_int")
    stream, xp, dtype = stream_of(context), context.xp, context.attrs["Tout"].as_numpy_dtype

    def kernel(shape: Any, minval: Any, maxval: Any) -> Any:
        low, high = scalar_of(minval, "minval"), scalar_of(maxval, "maxval")
        return draw(stream, sizes_of(shape), low, high, dtype, xp)

    return kernel


_random_shuffle = op(
    "RandomShuffle",
    "value: T",
    "output: T",
    f"{SEEDS}T: type",
    stateful=True,
    fresh=True,
    doc="The rows (entries of dimension 0) in another order.",
)
_random_shuffle.no_gradient("TensorFlow has none, though the rows only change places")


@_random_shuffle.shape
def _random_shuffle_shape(node: Operation, value: Shape) -> list[Shape]:
    return [value]


@_random_shuffle.bind(CPU)
def _random_shuffle_bind(context: Any) -> Callable[[Any], Any]:
    order = drawing("random_discrete", "shuffled_order")
    stream = stream_of(context)

    def kernel(value: Any) -> Any:
        if value.size <= 1 or value.shape[0] <= 1:  # nothing to draw: the stream stays where it is
            return value.copy()
        return value[order(stream, value.shape[0])]

    return kernel


# -- public functions ------------------------------------------------------------------------------------------------


def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers from `minval` on and below `maxval` (default 1), all equally likely.

    Integer types need a `maxval`; their numbers are random bits modulo the range.

    Raises:
      ValueError: for other types than float16, bfloat16, float32, float64, int32 and int64.
    """
    dtype = as_dtype(dtype)
    accepted = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
    if dtype not in accepted:
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {accepted}.")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        shape = shape_tensor(shape)
        from_zero = isinstance(minval, int) and minval == 0
        to_one = isinstance(maxval, int) and maxval == 1
        if not from_zero or not to_one or dtype.is_integer:
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        seeds = seed_attrs(seed)
        if dtype.is_integer:
            return _random_uniform_int(shape, minval, maxval, name=scope, **seeds)
        unit: Tensor = _random_uniform(shape, dtype=dtype, **seeds)
        return between(unit, minval, maxval, from_zero, to_one, scope)


def between(unit: Tensor, minval: Any, maxval: Any, from_zero: bool, to_one: bool, scope: str) -> Tensor:
    """Numbers in [0, 1) stretched to a range; where the bounds say so, nothing is added or multiplied."""
    if from_zero:
        return unit if to_one else multiply(unit, maxval)
    return add(unit * (maxval - minval), minval, name=scope)


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed random numbers; `mean` and `stddev` broadcast against `shape`."""
    return _normal(_random_standard_normal, "random_normal", shape, mean, stddev, dtype, seed, name)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed random numbers; those two deviations or more from the mean are drawn again."""
    return _normal(_truncated_normal, "truncated_normal", shape, mean, stddev, dtype, seed, name)


def _normal(
    definition: OpDef, default: str, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any, name: str | None
) -> Tensor:
    with name_scope(name, default, [shape, mean, stddev]) as scope:
        shape = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        unit = definition(shape, dtype=dtype, **seed_attrs(seed))
        return add(unit * stddev, mean, name=scope)


def random_shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """`value` with its rows (entries of dimension 0) in random order."""
    return _random_shuffle(value, name=name, **seed_attrs(seed))


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of `value` with the shape `size`, at a random place.

    Running it raises InvalidArgumentError if `size` is larger than the value in some dimension.
    """
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtype=dtypes.int32, name="size")
        shape = shape_of(value)
        check = Assert(reduce_all(shape >= size), ["Need value.shape >= size, got ", shape, size], summarize=1000)
        shape = with_dependencies([check], shape)
        limit = shape - size + 1
        offset = random_uniform(shape_of(shape), dtype=size.dtype, maxval=size.dtype.max, seed=seed) % limit
        return slice_of(value, offset, size, name=scope)
