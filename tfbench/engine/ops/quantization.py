"""Fake quantisation: numbers rounded to the few that so many bits can say, as floats.

The range is moved a little so that 0 is one of these numbers (the *nudged* range).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.shape_math import dim_merge, merge, with_rank, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "fake_quant_with_min_max_args", "fake_quant_with_min_max_args_gradient", "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient", "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient",
]  # fmt: skip

Array = Any

_BITS = "num_bits: int = 8; narrow_range: bool = false"
_RANGE = f"min: float = -6.0; max: float = 6.0; {_BITS}"
_BACK = "backprops_wrt_input: float, backprop_wrt_min: float, backprop_wrt_max: float"

_args = op("FakeQuantWithMinMaxArgs", "inputs: float", "outputs: float", _RANGE, fresh=True)
_args_gradient = op(
    "FakeQuantWithMinMaxArgsGradient", "gradients: float, inputs: float", "backprops: float", _RANGE, fresh=True
)
_vars = op("FakeQuantWithMinMaxVars", "inputs: float, min: float, max: float", "outputs: float", _BITS, fresh=True)
_vars_gradient = op(
    "FakeQuantWithMinMaxVarsGradient", "gradients: float, inputs: float, min: float, max: float", _BACK, _BITS,
    fresh=True,
)  # fmt: skip
_channels = op(
    "FakeQuantWithMinMaxVarsPerChannel", "inputs: float, min: float, max: float", "outputs: float", _BITS, fresh=True
)
_channels_gradient = op(
    "FakeQuantWithMinMaxVarsPerChannelGradient", "gradients: float, inputs: float, min: float, max: float", _BACK,
    _BITS, fresh=True,
)  # fmt: skip
for _declared in (_args_gradient, _vars_gradient, _channels_gradient):
    _declared.no_gradient("TensorFlow has none for the slopes of fake quantisation")


# -- shapes ---------------------------------------------------------------------------------------------------------


@_args.shape
def _args_shape(node: Operation, inputs: Shape) -> list[Shape]:
    return [inputs]


@_args_gradient.shape
def _args_gradient_shape(node: Operation, gradients: Shape, inputs: Shape) -> list[Shape]:
    return [merge(gradients, inputs)]


@_vars.shape
def _vars_shape(node: Operation, inputs: Shape, low: Shape, high: Shape) -> list[Shape]:
    with_rank(low, 0)
    with_rank(high, 0)
    return [inputs]


@_vars_gradient.shape
def _vars_gradient_shape(node: Operation, gradients: Shape, inputs: Shape, low: Shape, high: Shape) -> list[Shape]:
    return [merge(gradients, inputs), merge(with_rank(low, 0), with_rank(high, 0)), ()]


def _channel(inputs: Shape, low: Shape, high: Shape) -> tuple[Shape, int | None]:
    """The shape of the inputs, and the number of channels."""
    inputs = with_rank_at_least(inputs, 1)
    count = dim_merge(with_rank(low, 1)[0], with_rank(high, 1)[0])
    if inputs is None:
        return None, count
    return inputs, dim_merge(inputs[-1], count)


@_channels.shape
def _channels_shape(node: Operation, inputs: Shape, low: Shape, high: Shape) -> list[Shape]:
    return [_channel(inputs, low, high)[0]]


@_channels_gradient.shape
def _channels_gradient_shape(node: Operation, gradients: Shape, inputs: Shape, low: Shape, high: Shape) -> list[Shape]:
    shape, count = _channel(merge(gradients, inputs), low, high)
    return [shape, (count,), (count,)]


# -- kernels --------------------------------------------------------------------------------------------------------


def _limits(num_bits: int, narrow_range: bool) -> tuple[np.float32, np.float32]:
    if not 2 <= num_bits <= 16:
        raise invalid(f"num_bits must be between 2 and 16, inclusive, but is {num_bits}")
    return np.float32(1 if narrow_range else 0), np.float32((1 << num_bits) - 1)


def _nudged(low: Array, high: Array, num_bits: int, narrow_range: bool) -> tuple[Array, Array, Array]:
    """The range in which 0 is one of the numbers, and the step between two of them; all in single precision."""
    first, last = _limits(num_bits, narrow_range)
    with np.errstate(all="ignore"):
        scale = (high - low) / (last - first)
        zero = first - low / scale
        # Halves away from zero, as in C.
        whole = np.where(zero < 0, np.ceil(zero - np.float32(0.5)), np.floor(zero + np.float32(0.5)))
        place = np.where(zero < first, first, np.where(zero > last, last, whole)).astype(np.float32)
        return (first - place) * scale, (last - place) * scale, scale


def _quantized(inputs: Array, low: Array, high: Array, num_bits: int, narrow_range: bool) -> Array:
    low, high, scale = _nudged(low, high, num_bits, narrow_range)
    half = np.float32(0.5)
    with np.errstate(all="ignore"):
        inverse = np.float32(1) / scale
        zero = np.floor(-low * inverse + half)
        shifted = np.maximum(np.minimum(inputs, high), low) - low
        result: Array = np.floor(shifted * inverse - zero + half) * scale
    return result.astype(np.float32, copy=False)


def _check_range(low: float, high: float) -> None:
    if low >= high:
        raise invalid(f"min has to be smaller than max, was: {low:g} >= {high:g}")


@_args.kernel(CPU)
def _args_kernel(xp: Any, inputs: Array, *, min: float, max: float, num_bits: int, narrow_range: bool) -> Array:
    _check_range(min, max)
    return _quantized(inputs, np.float32(min), np.float32(max), num_bits, narrow_range)


@_args_gradient.kernel(CPU)
def _args_gradient_kernel(
    xp: Any, gradients: Array, inputs: Array, *, min: float, max: float, num_bits: int, narrow_range: bool
) -> Array:
    _check_range(min, max)
    _check_same(gradients, inputs)
    low, high, _ = _nudged(np.float32(min), np.float32(max), num_bits, narrow_range)
    with np.errstate(invalid="ignore"):  # what is infinite makes NaN, as in TensorFlow
        return gradients * ((inputs >= low) & (inputs <= high))


def _check_same(gradients: Array, inputs: Array) -> None:
    if gradients.shape != inputs.shape:
        raise invalid(
            f"gradient and input must be the same size: {brackets(gradients.shape)} and {brackets(inputs.shape)}"
        )


def _check_channels(inputs: Array, low: Array, high: Array) -> None:
    count = inputs.shape[-1] if inputs.ndim else 0
    for what, array in (("min", low), ("max", high)):
        if array.shape != (count,):
            raise invalid(f"{what} has incorrect size, expected {count} was {array.size}")


def _with_zero(low: Array, high: Array, found: Array) -> Array:
    """Zeros where the range is nothing but 0."""
    return np.where((low == 0) & (high == 0), np.float32(0), found)


@_vars.kernel(CPU)
def _vars_kernel(xp: Any, inputs: Array, low: Array, high: Array, *, num_bits: int, narrow_range: bool) -> Array:
    return _with_zero(low, high, _quantized(inputs, low, high, num_bits, narrow_range))


@_channels.kernel(CPU)
def _channels_kernel(xp: Any, inputs: Array, low: Array, high: Array, *, num_bits: int, narrow_range: bool) -> Array:
    _check_channels(inputs, low, high)
    return _with_zero(low, high, _quantized(inputs, low, high, num_bits, narrow_range))


def _slopes(
    gradients: Array, inputs: Array, low: Array, high: Array, num_bits: int, narrow_range: bool, axes: Any
) -> list[Array]:
    _check_same(gradients, inputs)
    least, most, _ = _nudged(low, high, num_bits, narrow_range)
    empty = (low == 0) & (high == 0)
    below, above = (inputs < least) & ~empty, (inputs > most) & ~empty
    with np.errstate(invalid="ignore"):
        return [
            gradients * ~(below | above),
            np.asarray((gradients * below).sum(axis=axes), np.float32),
            np.asarray((gradients * above).sum(axis=axes), np.float32),
        ]


@_vars_gradient.kernel(CPU)
def _vars_gradient_kernel(
    xp: Any, gradients: Array, inputs: Array, low: Array, high: Array, *, num_bits: int, narrow_range: bool
) -> list[Array]:
    return _slopes(gradients, inputs, low, high, num_bits, narrow_range, None)


@_channels_gradient.kernel(CPU)
def _channels_gradient_kernel(
    xp: Any, gradients: Array, inputs: Array, low: Array, high: Array, *, num_bits: int, narrow_range: bool
) -> list[Array]:
    _check_channels(inputs, low, high)
    return _slopes(gradients, inputs, low, high, num_bits, narrow_range, tuple(range(inputs.ndim - 1)))


# -- gradients ------------------------------------------------------------------------------------------------------


@_args.gradient
def _args_slope(node: Operation, dy: Any) -> Any:
    return [_args_gradient(dy, node.inputs[0], **_options(node, "min", "max", "num_bits", "narrow_range"))]


def _options(node: Operation, *names: str) -> dict[str, Any]:
    return {name: node.attrs[name] for name in names}


def _with_range(backward: Callable[..., Any]) -> Callable[..., Any]:
    def build(node: Operation, dy: Any) -> Any:
        return list(backward(dy, *node.inputs, **_options(node, "num_bits", "narrow_range")))

    return build


_vars.gradient(_with_range(_vars_gradient))
_channels.gradient(_with_range(_channels_gradient))


# -- public ---------------------------------------------------------------------------------------------------------


def fake_quant_with_min_max_args(
    inputs: Any, min: float = -6, max: float = 6, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """float32 numbers rounded to those that `num_bits` can say from `min` to `max`.

    Args:
      narrow_range: leave the lowest of them out.

    Raises:
      InvalidArgumentError, in a run: for other than 2 to 16 bits, or if `min` is not below `max`.
    """
    found: Tensor = _args(inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name)
    return found


def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of `fake_quant_with_min_max_args`: what comes in where `inputs` are in the range, else 0."""
    found: Tensor = _args_gradient(
        gradients, inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )
    return found


def fake_quant_with_min_max_vars(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """As `fake_quant_with_min_max_args`; the range is given by two scalars, which have gradients."""
    found: Tensor = _vars(inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)
    return found


def fake_quant_with_min_max_vars_gradient(
    gradients: Any, inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The gradient of `fake_quant_with_min_max_vars` with respect to inputs, `min` and `max`."""
    outputs = _vars_gradient(gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)
    return named_outputs(_vars_gradient, outputs)


def fake_quant_with_min_max_vars_per_channel(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """As `fake_quant_with_min_max_vars`, with a range of its own for each place along the last axis."""
    found: Tensor = _channels(inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)
    return found


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any, inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The gradient of `fake_quant_with_min_max_vars_per_channel` with respect to inputs, `min` and `max`."""
    outputs = _channels_gradient(gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)
    return named_outputs(_channels_gradient, outputs)
