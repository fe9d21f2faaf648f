"""Complex numbers: their parts, sizes, angles and conjugates."""

from __future__ import annotations

import math
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.array_fill import ones_like, zeros_like
from tfbench.engine.ops.array_select import where
from tfbench.engine.ops.math_common import broadcast_shape, same_shape
from tfbench.engine.tensor import Tensor

__all__ = ["angle", "complex", "conj", "imag", "real"]

_PARTS = "T: {complex64, complex128} = complex64; Tout: {float, double} = float"


def _part(type: str, inputs: str, outputs: str, kernel: Any, doc: str, *, fresh: bool) -> OpDef:
    opdef = op(type, inputs, outputs, _PARTS, fresh=fresh, views=not fresh, doc=doc)
    opdef.shape(same_shape)
    opdef.kernel(CPU, GPU)(kernel)
    return opdef


_real = _part("Real", "input: T", "output: Tout", lambda xp, x: x.real, "the real part", fresh=False)
_imag = _part("Imag", "input: T", "output: Tout", lambda xp, x: x.imag, "the imaginary part", fresh=False)
_angle = _part("Angle", "input: T", "output: Tout", lambda xp, x: xp.angle(x), "the angle in radians", fresh=True)
_abs = _part("ComplexAbs", "x: T", "y: Tout", lambda xp, x: xp.absolute(x), "the distance from 0", fresh=True)

_conj = op("Conj", "input: T", "output: T", "T: {complex64, complex128, variant} = complex64", fresh=True)
_conj.shape(same_shape)
_conj.kernel(CPU, GPU)(lambda xp, x: xp.conj(x))

_complex = op(
    "Complex",
    "real: T, imag: T",
    "out: Tout",
    "T: {float, double} = float; Tout: {complex64, complex128} = complex64",
    fresh=True,
    doc="real + i imag",
)
_complex.shape(broadcast_shape)


@_complex.kernel(CPU, GPU)
def _complex_kernel(xp: Any, real: Any, imag: Any, *, Tout: Any) -> Any:
    result = xp.empty(xp.broadcast_shapes(real.shape, imag.shape), Tout.as_numpy_dtype)
    result.real = real
    result.imag = imag
    return result


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """The complex numbers of these parts, both float32 or both float64.

    Raises:
      TypeError: if the parts have other types, or different ones.
    """
    real = convert_to_tensor(real, name="real")
    imag = convert_to_tensor(imag, name="imag")
    with name_scope(name, "Complex", [real, imag]) as scope:
        kinds = (real._dtype.base_dtype, imag._dtype.base_dtype)
        if kinds == (dtypes.float64, dtypes.float64):
            wanted = dtypes.complex128
        elif kinds == (dtypes.float32, dtypes.float32):
            wanted = dtypes.complex64
        else:
            raise TypeError(
                f"The `real` and `imag` components have incorrect types: {kinds[0].name} {kinds[1].name}. They must be "
                f"consistent, and one of {[dtypes.float32, dtypes.float64]}"
            )
        return _complex(real, imag, Tout=wanted, name=scope)


def real(input: Any, name: str | None = None) -> Tensor:
    """The real part; a real tensor comes back as it is.

    Raises:
      TypeError: if there are no numbers in it.
    """
    with name_scope(name, "Real", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        kind = input._dtype.base_dtype
        if kind.is_complex:
            return _real(input, Tout=kind.real_dtype, name=scope)
        if kind.is_floating or kind.is_integer or kind.is_quantized:
            return input
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {input._dtype!r}")


def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part; zeros for a real tensor."""
    with name_scope(name, "Imag", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        kind = input._dtype.base_dtype
        if kind.is_complex:
            return _imag(input, Tout=kind.real_dtype, name=scope)

        return zeros_like(input)


def angle(input: Any, name: str | None = None) -> Tensor:
    """The angle in radians; 0 or pi for real numbers."""
    with name_scope(name, "Angle", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        kind = input._dtype.base_dtype
        if kind.is_complex:
            return _angle(input, Tout=kind.real_dtype, name=scope)

        negative = input < 0
        whole: Any = ones_like(input)
        return where(negative, math.pi * whole, zeros_like(input))


def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate; a real tensor comes back as it is.

    Raises:
      TypeError: if there are no numbers in it.
    """
    if isinstance(x, Tensor) and (x._dtype.is_floating or x._dtype.is_integer):
        return x
    with name_scope(name, "Conj", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        kind = x._dtype.base_dtype
        if kind.is_complex or kind is dtypes.variant:
            return _conj(x, name=scope)
        if kind.is_floating or kind.is_integer:
            return x
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x._dtype!r}.")
