"""Batch normalisation by cuDNN: training, given statistics, and the gradients. Built and kept as in `cudnn_graphs`.

cuDNN gives the running variance that TensorFlow does - with Bessel's correction, all the batch's where the momentum is
one - so the biased variance is made of it, and not of the inverse deviation, which would cost digits. It keeps the
inverse deviation for the gradient, where TensorFlow's ops hand on a variance: that is turned over here. Arrays are
channels last, vectors float32. Everything here may say None; `norm` computes instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.kernels import cudnn_graphs
from tfbench.engine.kernels.cudnn_graphs import TYPES, Plan, channels_second

Array = Any

#: makes a tensor of this name
_Named = Callable[[str], Any]

#: the momentum with which running statistics are the batch's
_ALL = 1.0


def training(xp: Any, x: Array, scale: Array, offset: Array, epsilon: float) -> tuple[Array, Array, Array] | None:
    """`x` normalised with its own statistics, their mean, and the unbiased variance."""
    if math.prod(x.shape[:-1]) < 2:
        return None  # there is no unbiased variance of one value

    def build(graph: Any, image: _Named, vector: _Named, number: Callable[[str, float], Any]) -> Any:
        return graph.batchnorm(
            input=image("input"),
            scale=vector("scale"),
            bias=vector("bias"),
            in_running_mean=vector("in_running_mean"),
            in_running_var=vector("in_running_var"),
            epsilon=number("epsilon", epsilon),
            momentum=number("momentum", _ALL),
        )

    found = _plan(xp, "batchnorm", x, scale, build, epsilon)
    if found is None:
        return None
    y, (mean, inverse, all_mean, unbiased) = xp.empty(x.shape, x.dtype), _vectors(xp, scale, 4)
    nothing = xp.zeros(scale.shape, scale.dtype)  # what runs so far has no weight, but 0 * NaN would
    found.run(xp, (x, scale, offset, nothing, nothing, y, mean, inverse, all_mean, unbiased))
    return y, mean, unbiased


def inference(
    xp: Any, x: Array, scale: Array, offset: Array, mean: Array, variance: Array, epsilon: float
) -> Array | None:
    """`x` normalised with given statistics."""

    def build(graph: Any, image: _Named, vector: _Named, number: Callable[[str, float], Any]) -> Any:
        return [
            graph.batchnorm_inference(
                input=image("input"),
                mean=vector("mean"),
                inv_variance=vector("inv_variance"),
                scale=vector("scale"),
                bias=vector("bias"),
            )
        ]

    found = _plan(xp, "batchnorm_inference", x, scale, build)
    if found is None:
        return None
    y = xp.empty(x.shape, x.dtype)
    found.run(xp, (x, mean, _inverse(xp, variance, epsilon), scale, offset, y))
    return y


def gradients(
    xp: Any, dy: Array, x: Array, scale: Array, mean: Array, variance: Array, epsilon: float
) -> tuple[Array, Array, Array] | None:
    """The gradients of `x`, scale and offset where the statistics are the batch's; `variance` is the biased one."""

    def build(graph: Any, image: _Named, vector: _Named, number: Callable[[str, float], Any]) -> Any:
        return graph.batchnorm_backward(
            grad=image("grad"),
            input=image("input"),
            scale=vector("scale"),
            mean=vector("mean"),
            inv_variance=vector("inv_variance"),
        )

    found = _plan(xp, "batchnorm_backward", x, scale, build)
    if found is None:
        return None
    dx, (d_scale, d_offset) = xp.empty(x.shape, x.dtype), _vectors(xp, scale, 2)
    found.run(xp, (dy, x, scale, mean, _inverse(xp, variance, epsilon), dx, d_scale, d_offset))
    return dx, d_scale, d_offset


def _vectors(xp: Any, like: Array, count: int) -> list[Array]:
    return [xp.empty(like.shape, like.dtype) for _ in range(count)]


def _inverse(xp: Any, variance: Array, epsilon: float) -> Array:
    return (1 / xp.sqrt(variance.astype(np.float64) + epsilon)).astype(variance.dtype)


def _plan(xp: Any, node: str, x: Array, scale: Array, build: Callable[..., Any], *numbers: float) -> Plan | None:
    """The plan of a node whose outputs are an array like `x` and then vectors."""
    if x.ndim < 4 or not cudnn_graphs.usable(xp, x.dtype, [x.shape]) or scale.dtype != np.float32:
        return None

    def made() -> Plan:
        types = cudnn_graphs.library.module.data_type
        kind = getattr(types, TYPES[x.dtype.char])
        graph = cudnn_graphs.empty_graph(xp, kind)
        of_image = channels_second(x.shape)
        of_vector = channels_second((*(1,) * (x.ndim - 1), x.shape[-1]))
        inputs: list[Any] = []
        given: list[tuple[Any, Array]] = []

        def tensor(name: str, layout: tuple[list[int], list[int]], type: Any) -> Any:
            inputs.append(graph.tensor(name=name, dim=layout[0], stride=layout[1], data_type=type))
            return inputs[-1]

        def number(name: str, value: float) -> Any:
            ones = [1] * x.ndim
            found = graph.tensor(name=name, dim=ones, stride=ones, data_type=types.FLOAT, is_pass_by_value=True)
            given.append((found, np.array([value], np.float32)))
            return found

        outputs: Sequence[Any] = build(
            graph,
            lambda name: tensor(name, of_image, kind),
            lambda name: tensor(name, of_vector, types.FLOAT),
            number,
        )
        for position, output in enumerate(outputs):
            (dims, strides), type = (of_image, kind) if position == 0 else (of_vector, types.FLOAT)
            output.set_output(True).set_dim(dims).set_stride(strides).set_data_type(type)
        return Plan(graph, [*inputs, *outputs], given)

    return cudnn_graphs.plan(xp, (node, x.dtype.char, x.shape, *numbers), made)
