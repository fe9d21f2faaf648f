"""The update ops that only Keras's optimizers use; for resource variables alone."""

from __future__ import annotations

from typing import Any

from tfbench.engine.kernels.updates import Update
from tfbench.engine.ops.training import _op

__all__: list[str] = []

Array = Any


def keras_momentum(
    do: Update, var: Array, accum: Array, *, grad: Array, lr: Any, momentum: Any, use_nesterov: bool = False
) -> None:
    """accum = momentum accum - lr grad; var += accum (Nesterov: momentum accum - lr grad)"""
    xp, step = do.xp, do.scratch(var)
    do(xp.multiply, grad, lr, step)
    do(xp.multiply, accum, momentum, accum)
    do(xp.subtract, accum, step, accum)
    if not use_nesterov:
        do(xp.add, var, accum, var)
        return
    do(xp.subtract, var, step, var)
    do(xp.add, var, do(xp.multiply, accum, momentum, step), var)


def adam_with_amsgrad(
    do: Update, var: Array, m: Array, v: Array, vhat: Array, *, grad: Array, beta1_power: Any, beta2_power: Any,
    lr: Any, beta1: Any, beta2: Any, epsilon: Any,
) -> None:  # fmt: skip
    """Adam, divided by the root of the largest v so far"""
    xp, step, root = do.xp, do.scratch(var), do.scratch(var)
    one = var.dtype.type(1)
    rate = lr * xp.sqrt(one - beta2_power) / (one - beta1_power)
    do(xp.multiply, do(xp.subtract, grad, m, step), one - beta1, step)
    do(xp.add, m, step, m)
    do(xp.subtract, do(xp.square, grad, step), v, step)
    do(xp.multiply, step, one - beta2, step)
    do(xp.add, v, step, v)
    do(xp.maximum, vhat, v, vhat)
    do(xp.add, do(xp.sqrt, vhat, root), epsilon, root)
    do(xp.multiply, m, rate, step)
    do(xp.subtract, var, do(xp.divide, step, root, step), var)


_NUMBERS = ["lr", "grad", "momentum"]
keras_momentum_op = _op(
    "KerasMomentum", True, False, ["var", "accum"], _NUMBERS, keras_momentum, "use_nesterov: bool = false"
)
sparse_keras_momentum_op = _op(
    "KerasMomentum", True, True, ["var", "accum"], _NUMBERS, keras_momentum, "use_nesterov: bool = false"
)
adam_with_amsgrad_op = _op(
    "AdamWithAmsgrad",
    True,
    False,
    ["var", "m", "v", "vhat"],
    ["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"],
    adam_with_amsgrad,
    "",
)
