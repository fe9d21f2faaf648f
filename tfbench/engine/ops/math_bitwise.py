"""Operations on the bits of integers."""

from __future__ import annotations

from typing import Any

from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.math_common import binary, same_shape, unary
from tfbench.engine.tensor import Tensor

__all__: list[str] = []  # tf.bitwise has these names

INTEGERS = "int8, uint8, int16, uint16, int32, uint32, int64, uint64"

_invert = unary("Invert", INTEGERS, lambda xp, x: xp.invert(x), operator="~", doc="each bit turned")
_and = binary("BitwiseAnd", INTEGERS, lambda xp, x, y: xp.bitwise_and(x, y), operator=" & ")
_or = binary("BitwiseOr", INTEGERS, lambda xp, x, y: xp.bitwise_or(x, y), operator=" | ")
_xor = binary("BitwiseXor", INTEGERS, lambda xp, x, y: xp.bitwise_xor(x, y), operator=" ^ ")


def _clamped(xp: Any, x: Any, y: Any) -> Any:
    """Shifts outside the width of the type are undefined in C; they are cut to what it has."""
    return xp.clip(y, 0, 8 * x.dtype.itemsize - 1).astype(x.dtype, copy=False)


_left = binary("LeftShift", INTEGERS, lambda xp, x, y: xp.left_shift(x, _clamped(xp, x, y)))
_right = binary("RightShift", INTEGERS, lambda xp, x, y: xp.right_shift(x, _clamped(xp, x, y)))

_population = op("PopulationCount", "x: T", "y: uint8", "T: integertype", fresh=True, doc="how many bits are set")
_population.shape(same_shape)
_population.kernel(CPU, GPU)(lambda xp, x: xp.bitwise_count(x.view(f"u{x.dtype.itemsize}")))

for _declared in (_invert, _and, _or, _xor, _left, _right, _population):
    _declared.no_gradient("integers have no gradient")


def invert(x: Any, name: str | None = None) -> Tensor:
    """Each bit turned, elementwise."""
    return _invert(x, name=name)


def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that are set in both x and y, elementwise."""
    return _and(x, y, name=name)


def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that are set in x or y, elementwise."""
    return _or(x, y, name=name)


def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that differ in x and y, elementwise."""
    return _xor(x, y, name=name)


def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits of x moved y places up, elementwise."""
    return _left(x, y, name=name)


def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits of x moved y places down, elementwise; the sign stays."""
    return _right(x, y, name=name)
