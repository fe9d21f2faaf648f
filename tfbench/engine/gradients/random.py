"""Gradients of random numbers that are made from parameters: samples move with the parameter that shapes them."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor


def _moved(alpha: Tensor, samples: Tensor, leading: Any, dy: Any) -> Tensor:
    """The gradient of `alpha`: that of its samples, which have `leading` axes more, times how each moves with it."""
    ones = ops.ones([leading], dtype=dtypes.int32)
    aligned = ops.reshape(alpha, ops.concat([ones, ops.shape(alpha)], axis=0))
    moves = lookup("RandomGammaGrad")(aligned, samples)
    return ops.reduce_sum(dy * moves, axis=ops.range(leading))


@gradient("RandomGamma")
def _random_gamma(node: Operation, dy: Any) -> Any:
    sizes, alpha = node.inputs
    with control_dependencies([dy]):
        leading = ops.shape(sizes)[0]
        return None, _moved(alpha, node.outputs_list[0], leading, dy)


@gradient("StatelessRandomGammaV3")
def _stateless_random_gamma(node: Operation, dy: Any) -> Any:
    """Here the sizes include those of alpha."""
    sizes, alpha = node.inputs[0], node.inputs[4]
    with control_dependencies([dy]):
        leading = ops.shape(sizes)[0] - ops.rank(alpha)
        return None, None, None, None, _moved(alpha, node.outputs_list[0], leading, dy)
