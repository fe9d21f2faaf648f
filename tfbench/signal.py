"""`tf.signal`: Fourier transforms of complex and of real numbers."""

from __future__ import annotations

from tfbench.engine.ops.spectral import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from tfbench.engine.ops.spectral_real import irfft, irfft2d, irfft3d, rfft, rfft2d, rfft3d

__all__ = [
    "fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d", "irfft", "irfft2d", "irfft3d", "rfft", "rfft2d", "rfft3d",
]  # fmt: skip
