"""Special functions on GPUs: CuPy's own, which are SciPy's by name.

They come from `cupyx`, which belongs to CuPy and is looked up when a kernel first runs. float16 is computed as float32.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

#: function of `kernels/special_*.py` -> CuPy's
NAMES = {
    "lgamma": "gammaln",
    "digamma": "digamma",
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "ndtri": "ndtri",
    "i0": "i0",
    "i0e": "i0e",
    "i1": "i1",
    "i1e": "i1e",
    "igamma": "gammainc",
    "igammac": "gammaincc",
    "zeta": "zeta",
    "polygamma": "polygamma",
    "betainc": "betainc",
}


def compute(function: str, *arrays: Any) -> Any:
    """`function`, by its name here, of arrays of a GPU that broadcast."""
    found = getattr(import_module("cupyx.scipy.special"), NAMES[function])
    dtype = arrays[0].dtype
    wide = np.float32 if dtype.itemsize == 2 else dtype
    return found(*[array.astype(wide, copy=False) for array in arrays]).astype(dtype, copy=False)
