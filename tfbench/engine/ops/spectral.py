"""Fourier transforms of complex numbers over the last one, two or three axes."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.shape_math import with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d"]


def _transform(type: str, axes: int, transform: str) -> OpDef:
    """An op that NumPy has as `fft.<transform>` over the last `axes` axes."""
    opdef = op(
        type, "input: Tcomplex", "output: Tcomplex", "Tcomplex: {complex64, complex128} = DT_COMPLEX64", fresh=True
    )

    @opdef.shape
    def shape(node: Operation, x: Shape) -> list[Shape]:
        return [with_rank_at_least(x, axes)]

    @opdef.kernel(CPU, GPU)
    def kernel(xp: Any, x: Any) -> Any:
        if x.ndim < axes:
            raise invalid(f"Input must have rank of at least {axes} but got: {brackets(x.shape)}")
        if not x.size:  # which NumPy refuses
            return xp.zeros_like(x)
        return getattr(xp.fft, transform)(x, axes=tuple(range(-axes, 0))).astype(x.dtype, copy=False)

    return opdef


_fft, _ifft = _transform("FFT", 1, "fftn"), _transform("IFFT", 1, "ifftn")
_fft2d, _ifft2d = _transform("FFT2D", 2, "fftn"), _transform("IFFT2D", 2, "ifftn")
_fft3d, _ifft3d = _transform("FFT3D", 3, "fftn"), _transform("IFFT3D", 3, "ifftn")


def fft(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform along the last axis of a complex tensor."""
    return _fft(input, name=name)


def ifft(input: Any, name: str | None = None) -> Tensor:
    """What `fft` undoes: the transform back, divided by the number of elements."""
    return _ifft(input, name=name)


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform over the last two axes of a complex tensor."""
    return _fft2d(input, name=name)


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """What `fft2d` undoes."""
    return _ifft2d(input, name=name)


def fft3d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform over the last three axes of a complex tensor."""
    return _fft3d(input, name=name)


def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """What `fft3d` undoes."""
    return _ifft3d(input, name=name)
