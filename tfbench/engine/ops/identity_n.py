"""IdentityN: several tensors of any types through one node, so that one gradient function can stand for all."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.tensor import Tensor

__all__ = ["identity_n"]

identity_n_op = op("IdentityN", "input: T", "output: T", "T: list(type) >= 1", aliases=True)


@identity_n_op.shape
def _identity_n_shape(node: Operation, *inputs: Any) -> Any:
    return list(inputs)


@identity_n_op.kernel(CPU, GPU)
def _identity_n_kernel(xp: Any, *inputs: Any) -> Any:
    return inputs


@identity_n_op.gradient
def _identity_n_gradient(node: Operation, *grads: Any) -> Any:
    return list(grads)


def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """Tensors with the values of those in the list `input`, made by one node."""
    return identity_n_op(input, name=name)
