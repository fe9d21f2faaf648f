"""Gradients of fused batch normalisation, to second order.

The op `FusedBatchNormGrad` is differentiated by writing down what it computes in simple ops, and these backwards.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.gradients.tape import backward
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor


def _forward(type: str, slope: str) -> None:
    """In training the op's own statistics are differentiated through; given ones count as constants."""

    @gradient(type)
    def build(node: Operation, dy: Any, *others: Any) -> Any:
        x, scale, _, mean, variance = node.inputs
        statistics = list(node.outputs_list[3:])
        attrs = {name: node.attrs[name] for name in ("epsilon", "data_format", "is_training")}
        rank = len(attrs["data_format"])
        moved = not attrs["is_training"] and attrs["data_format"].startswith("NC")
        if not attrs["is_training"]:
            statistics[:2] = [mean, variance]
            if moved:
                # With given statistics TensorFlow has this gradient for channels at the end only.
                last = [0, *range(2, rank), 1]
                x, dy = ops.transpose(x, last), ops.transpose(dy, last)
                attrs["data_format"] = "NHWC" if rank == 4 else "NDHWC"
        dx, dscale, doffset, _, _ = lookup(slope)(dy, x, scale, *statistics, **attrs)
        if moved:
            dx = ops.transpose(dx, [0, rank - 1, *range(1, rank - 1)])
        return dx, dscale, doffset, None, None


_forward("FusedBatchNorm", "FusedBatchNormGrad")
_forward("FusedBatchNormV2", "FusedBatchNormGradV2")
_forward("FusedBatchNormV3", "FusedBatchNormGradV3")


class _Layout:
    """Which axes are not the channels, and vectors in a shape that broadcasts."""

    def __init__(self, data_format: str) -> None:
        self.channels_first = data_format.startswith("NC")
        self.axes = [i for i, letter in enumerate(data_format) if letter != "C"]
        self.rank = len(data_format)

    def vectors(self, *vectors: Tensor) -> list[Tensor]:
        if not self.channels_first:
            return list(vectors)
        size = ops.size(vectors[0])
        return [ops.reshape(vector, [1, size, *[1] * (self.rank - 2)]) for vector in vectors]

    def sum(self, x: Any) -> Any:
        return ops.reduce_sum(x, self.axes, keepdims=self.channels_first)

    def mean(self, x: Any) -> Any:
        return ops.reduce_mean(x, self.axes, keepdims=self.channels_first)

    def flat(self, x: Any) -> Any:
        return ops.squeeze(x) if self.channels_first else x


def _trained(layout: _Layout, dy: Any, x: Any, scale: Any, epsilon: float) -> tuple[Any, Any, Any]:
    """What the op computes from the images' own mean and variance: for x, the scale and the offset."""
    (scale,) = layout.vectors(scale)
    mean_dy, mean = layout.mean(dy), layout.mean(x)
    variance = layout.mean(ops.squared_difference(x, ops.stop_gradient(mean)))
    dy_apart, apart = dy - mean_dy, x - mean
    both = layout.mean(dy * apart)
    dx = scale * ops.rsqrt(variance + epsilon)
    dx *= dy_apart - ops.reciprocal(variance + epsilon) * both * apart
    dscale = ops.rsqrt(variance + epsilon) * layout.sum(dy * apart)
    return dx, layout.flat(dscale), ops.reduce_sum(dy, axis=layout.axes)


def _given(
    layout: _Layout, dy: Any, x: Any, scale: Any, epsilon: float, mean: Any, variance: Any
) -> tuple[Any, Any, Any]:
    """The same from statistics that count as constants."""
    mean, variance, scale = layout.vectors(mean, variance, scale)
    doffset = ops.reduce_sum(dy, axis=layout.axes)
    root = ops.rsqrt(variance + epsilon)
    dscale = ops.reduce_sum(dy * (x - mean) * root, axis=layout.axes)
    return dy * scale * root, dscale, doffset


def _order(training: bool, half: bool, channels_first: bool) -> tuple[int, int, int]:
    """Which of the three results is differentiated first: as it comes out of a hash table in TensorFlow."""
    if not training:
        return 2, 1, 0
    return (1, 2, 0) if half and channels_first else (0, 1, 2)


@gradient("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _backward(node: Operation, *dzs: Any) -> Any:
    dy, x, scale, mean, variance = node.inputs[:5]
    attrs = node.attrs
    layout = _Layout(attrs["data_format"])
    half = x.dtype is not dtypes.float32
    wide_x, wide_dy = (ops.cast(x, dtypes.float32), ops.cast(dy, dtypes.float32)) if half else (x, dy)
    if attrs["is_training"]:
        results = _trained(layout, wide_dy, wide_x, scale, attrs["epsilon"])
    else:
        results = _given(layout, wide_dy, wide_x, scale, attrs["epsilon"], mean, variance)
    results = (ops.cast(results[0], dy.dtype), *results[1:])
    order = _order(attrs["is_training"], half, layout.channels_first)
    found = backward(results, [dy, x, scale], dzs[:3], order)
    return [*found, *[None] * (len(node.inputs) - 3)]
