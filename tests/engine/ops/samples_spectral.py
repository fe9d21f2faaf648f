"""Samples of Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]

_WAVES = np.exp(1j * np.arange(48.0)).reshape(2, 2, 3, 4)
_INPUTS = [_WAVES, _WAVES.astype(np.complex64), _WAVES[0], np.zeros((2, 0, 3), np.complex64)]

REALS = np.sin(np.arange(36.0)).reshape(3, 3, 4)
HALVES = np.exp(1j * np.arange(27.0)).reshape(3, 3, 3)


def real(axes: int, back: bool, cut: bool = True) -> list[Any]:
    """Of even and of odd length, and cut (of which TensorFlow's gradient has the wrong shape)."""
    x = HALVES if back else REALS
    double, single = {"Treal": "float64", "Tcomplex": "complex128"}, {"Treal": "float32", "Tcomplex": "complex64"}
    odd = x if back else x[..., :3]

    def sized(*sizes: int) -> Any:
        return np.array(sizes[-axes:], np.int32)

    return [
        ([x, sized(3, 3, 4)], double),
        ([odd, sized(3, 3, 5 if back else 3)], double),
        ([x.astype(np.complex64 if back else np.float32), sized(3, 3, 4)], single),
        *([([x, sized(2, 2, 2)], double)] if cut else []),
    ]


_KINDS = ("", "2D", "3D")

SAMPLES: dict[str, list[Sample]] = {
    **{f"{kind}{axes}": [([array], {}) for array in _INPUTS] for kind in ("FFT", "IFFT") for axes in _KINDS},
    **{f"RFFT{axes}": real(i + 1, False) for i, axes in enumerate(_KINDS)},
    **{f"IRFFT{axes}": real(i + 1, True) for i, axes in enumerate(_KINDS)},
}

DIFFERENTIATED = {
    f"{kind}RFFT{axes}": real(i + 1, kind == "I", cut=False) for kind in ("", "I") for i, axes in enumerate(_KINDS[:2])
}
