"""Samples of Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]

_WAVES = np.exp(1j * np.arange(48.0)).reshape(2, 2, 3, 4)
_INPUTS = [_WAVES, _WAVES.astype(np.complex64), _WAVES[0], np.zeros((2, 0, 3), np.complex64)]

SAMPLES: dict[str, list[Sample]] = {
    type: [([array], {}) for array in _INPUTS] for type in ("FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D")
}
