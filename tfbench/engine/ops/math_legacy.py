"""Names that TensorFlow dropped before 1.0 and old programs still use, with the meaning and the node names of then."""

from __future__ import annotations

from typing import Any

from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor

__all__ = ["batch_matmul", "complex_abs", "inv", "mul", "neg", "sub"]


def mul(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * y: today's `tf.multiply`."""
    return lookup("Mul")(x, y, name=name)


def sub(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x - y: today's `tf.subtract`."""
    return lookup("Sub")(x, y, name=name)


def neg(x: Any, name: str | None = None) -> Tensor:
    """-x: today's `tf.negative`."""
    return lookup("Neg")(x, name=name)


def inv(x: Any, name: str | None = None) -> Tensor:
    """1 / x: today's `tf.reciprocal`."""
    return lookup("Inv")(x, name=name)


def complex_abs(x: Any, name: str | None = None) -> Tensor:
    """The distance of complex numbers from 0: today's `tf.abs`."""
    return lookup("ComplexAbs")(x, name=name)


def batch_matmul(
    x: Any, y: Any, adj_x: bool | None = None, adj_y: bool | None = None, name: str | None = None
) -> Tensor:
    """The products of the matrices of two batches, each maybe adjoint first: today's `tf.matmul`."""
    return lookup("BatchMatMul")(x, y, adj_x=adj_x, adj_y=adj_y, name=name)
