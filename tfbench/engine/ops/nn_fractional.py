"""Fractional pooling: windows of two sizes in random order, the same in every run for the same seeds."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, OpDef, op
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.ops.shape_ops import shape_from_input
from tfbench.engine.shape_math import with_rank

__all__ = ["fractional_avg_pool", "fractional_max_pool"]

_ATTRS = (
    "pooling_ratio: list(float) >= 4; pseudo_random: bool = false; overlapping: bool = false; "
    "deterministic: bool = false; seed: int = 0; seed2: int = 0; T: {float, double, int32, int64}"
)
_SEQUENCES = "row_pooling_sequence: int64, col_pooling_sequence: int64"
_GRAD = "overlapping: bool = false; T: {float, double, int32, int64}"


def _forward(type: str) -> OpDef:
    return op(type, "value: T", f"output: T, {_SEQUENCES}", _ATTRS, fresh=True)


fractional_max_pool_op = _forward("FractionalMaxPool")
fractional_avg_pool_op = _forward("FractionalAvgPool")
fractional_max_pool_grad_op = op(
    "FractionalMaxPoolGrad",
    f"orig_input: T, orig_output: T, out_backprop: T, {_SEQUENCES}",
    "output: T",
    _GRAD,
    fresh=True,
)
fractional_avg_pool_grad_op = op(
    "FractionalAvgPoolGrad",
    f"orig_input_tensor_shape: int64, out_backprop: T, {_SEQUENCES}",
    "output: T",
    _GRAD,
    fresh=True,
)
for _declared in (fractional_max_pool_grad_op, fractional_avg_pool_grad_op):
    _declared.no_gradient("TensorFlow has none, though it is differentiable in out_backprop")


def _forward_shape(node: Operation, value: Any) -> Any:
    ratios = node.attrs["pooling_ratio"]
    if len(ratios) != 4:
        raise ValueError("pooling_ratio field must specify 4 dimensions")
    for ratio in ratios:
        if ratio < 1:
            raise ValueError(f"pooling_ratio should be larger than 1, got {ratio}")
    sizes = [
        None if size is None else int(size / ratio) for size, ratio in zip(with_rank(value, 4), ratios, strict=True)
    ]
    return [tuple(sizes), (sizes[1],), (sizes[2],)]


def _bind(reduce: str) -> Callable[[Any], Any]:
    def bind(context: Any) -> Any:
        kernels = importlib.import_module("tfbench.engine.kernels.fractional_pool")
        stream_of = importlib.import_module("tfbench.engine.kernels.philox").PhiloxStream
        attrs = context.attrs
        seeds = attrs["seed"], attrs["seed2"]
        # Every run starts the stream anew; without seeds it is another one, unless it shall be the same in all runs.
        fixed = stream_of(*seeds) if attrs["deterministic"] else None
        stream = fixed.clone if fixed is not None else lambda: stream_of(*seeds)
        return kernels.bind(
            stream, getattr(kernels, reduce), attrs["pooling_ratio"], attrs["pseudo_random"], attrs["overlapping"]
        )

    return bind


def _bind_gradient(function: str) -> Callable[[Any], Any]:
    def bind(context: Any) -> Any:
        kernel = getattr(importlib.import_module("tfbench.engine.kernels.fractional_pool"), function)
        overlapping = context.attrs["overlapping"]
        return lambda *arrays: kernel(context.xp, *arrays, overlapping=overlapping)

    return bind


for _declared, _reduce in ((fractional_max_pool_op, "maximum"), (fractional_avg_pool_op, "average")):
    _declared.shape(_forward_shape)
    _declared.bind(CPU)(_bind(_reduce))
fractional_max_pool_grad_op.bind(CPU)(_bind_gradient("max_pool_grad"))
fractional_avg_pool_grad_op.bind(CPU)(_bind_gradient("avg_pool_grad"))


@fractional_max_pool_grad_op.shape
def _max_grad_shape(node: Operation, input: Any, *others: Any) -> Any:
    return [with_rank(input, 4)]


@fractional_avg_pool_grad_op.shape
def _avg_grad_shape(node: Operation, *inputs: Any) -> Any:
    return [with_rank(shape_from_input(node, 0), 4)]


def _public(opdef: OpDef, doc: str) -> Callable[..., Any]:
    def pool(
        value: Any,
        pooling_ratio: Any,
        pseudo_random: bool = False,
        overlapping: bool = False,
        deterministic: bool = False,
        seed: int = 0,
        seed2: int = 0,
        name: str | None = None,
    ) -> Any:
        outputs = opdef(
            value,
            pooling_ratio=pooling_ratio,
            pseudo_random=pseudo_random,
            overlapping=overlapping,
            deterministic=deterministic,
            seed=seed,
            seed2=seed2,
            name=name,
        )
        return named_outputs(opdef, outputs)

    pool.__doc__ = doc
    return pool


_DOC = """Returns (output, row_pooling_sequence, col_pooling_sequence); the sequences say where the axes were cut.

    `pooling_ratio` is [1, rows, columns, 1], each between 1 and 2. Windows have two sizes in random order
    (`pseudo_random`: as regular as can be), and share their last row and column with the next if `overlapping`.
    """
fractional_max_pool = _public(fractional_max_pool_op, f"The largest value of randomly sized windows. {_DOC}")
fractional_avg_pool = _public(fractional_avg_pool_op, f"The mean of randomly sized windows. {_DOC}")
