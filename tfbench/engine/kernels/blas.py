"""What NumPy does not offer of its own BLAS: one thread for a while, and a product that adds to its result.

The wheels of NumPy bring OpenBLAS. Its symbols are looked up through NumPy's extension module, so this is always
the very library that `np.matmul` calls; where it is another one (Accelerate, MKL, none), `one_thread` does nothing
and `Gemm` is None, and callers do with `np.matmul` alone.

`one_thread` is counted: the first to enter notes how many threads BLAS has and the last to leave gives them back,
so that overlapping runs in several Python threads, and the user's own NumPy code afterwards, find what they left.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

#: (transpose, m, n, k, a, lda, b, ldb, beta, c, ldc): C = A @ B + beta * C, or A.T @ B + beta * C. Matrices are
#: row-major, given by address and row length; m, n and k are the sizes of the product.
Gemm = Callable[[bool, int, int, int, int, int, int, int, float, int, int], None]

#: what OpenBLAS' own functions are called
_NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")

_ROW_MAJOR, _PLAIN, _TRANSPOSED = 101, 111, 112


def _library() -> ctypes.CDLL | None:
    """NumPy's extension module; on ELF and Mach-O a symbol lookup in it also searches the BLAS it is linked to."""
    try:
        return ctypes.CDLL(importlib.import_module("numpy._core._multiarray_umath").__file__)
    except (ImportError, OSError):
        return None


def _symbol(library: ctypes.CDLL | None, *names: str) -> Any:
    for name in names:
        try:
            return getattr(library, name)
        except AttributeError:
            continue
    return None


class _OneThread:
    """Context in which BLAS computes each call on the thread that calls it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0
        self._found = False
        self._get: Any = None
        self._set: Any = None
        self._saved = 1

    def _find(self) -> None:
        library = _library()
        self._get = _symbol(library, *(prefix.format("get_num_threads") for prefix in _NAMES))
        self._set = _symbol(library, *(prefix.format("set_num_threads") for prefix in _NAMES))
        if self._get is None or self._set is None:
            self._get = self._set = None
        else:
            self._get.restype = ctypes.c_int
            self._set.argtypes = [ctypes.c_int]
            self._set.restype = None
        self._found = True

    @property
    def works(self) -> bool:
        """Whether NumPy's BLAS can be told."""
        if not self._found:
            self._find()
        return self._set is not None

    def threads(self) -> int | None:
        """How many threads BLAS uses now, if it says."""
        return int(self._get()) if self.works else None

    def __enter__(self) -> None:
        with self.lock:
            if self.depth == 0:
                if not self._found:
                    self._find()
                if self._get is not None:
                    self._saved = self._get()
                    if self._saved != 1:
                        self._set(1)
            self.depth += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.depth -= 1
            if self.depth == 0 and self._set is not None and self._saved != 1:
                self._set(self._saved)

    def after_fork(self) -> None:
        """In a child: the threads that were inside are gone, and so may be the lock's owner."""
        self.lock = threading.Lock()
        if self.depth and self._set is not None and self._saved != 1:
            self._set(self._saved)
        self.depth = 0


one_thread = _OneThread()

#: OpenBLAS' kernels for x86 with vectors of 512 bits
_WIDE = frozenset({b"SkylakeX", b"Cooperlake", b"SapphireRapids"})


@cache
def is_narrow() -> bool:
    """Whether NumPy's BLAS is an OpenBLAS whose kernels do without vectors of 512 bits, as on processors new to it."""
    ask = _symbol(_library(), *(prefix.format("get_corename") for prefix in _NAMES))
    if ask is None:
        return False
    ask.restype = ctypes.c_char_p
    return ask() not in _WIDE


_gemms: dict[np.dtype[Any], Gemm | None] = {}


def gemm(dtype: np.dtype[Any]) -> Gemm | None:
    """The accumulating product for `dtype`, or None if there is none that passes its own check."""
    if dtype not in _gemms:
        _gemms[dtype] = _find_gemm(dtype) if dtype.char in "fd" and dtype.isnative else None
    return _gemms[dtype]


def _find_gemm(dtype: np.dtype[Any]) -> Gemm | None:
    letter = "s" if dtype.char == "f" else "d"
    # Only the names that promise 64-bit integers: a plain `cblas_sgemm` may have either kind.
    function = _symbol(_library(), f"scipy_cblas_{letter}gemm64_", f"cblas_{letter}gemm64_")
    if function is None:
        return None
    size, address = ctypes.c_int64, ctypes.c_void_p
    real = ctypes.c_float if letter == "s" else ctypes.c_double
    function.argtypes = [
        *(ctypes.c_int, ctypes.c_int, ctypes.c_int, size, size, size),
        *(real, address, size, address, size, real, address, size),
    ]
    function.restype = None

    def call(
        transpose: bool, m: int, n: int, k: int, a: int, lda: int, b: int, ldb: int, beta: float, c: int, ldc: int
    ) -> None:
        order = _TRANSPOSED if transpose else _PLAIN
        function(_ROW_MAJOR, order, _PLAIN, m, n, k, 1.0, a, lda, b, ldb, beta, c, ldc)

    return call if _agrees(call, dtype) else None


def _agrees(call: Gemm, dtype: np.dtype[Any]) -> bool:
    """Whether `call` does on a small example what `np.matmul` and an addition do."""
    a = np.arange(15, dtype=dtype).reshape(3, 5)
    b = np.arange(8, dtype=dtype).reshape(4, 2)
    c = np.ones((3, 3), dtype)
    wanted = c.copy()
    wanted[:, :2] = a[:, :4] @ b + 2 * c[:, :2]
    call(False, 3, 2, 4, a.ctypes.data, 5, b.ctypes.data, 2, 2.0, c.ctypes.data, 3)
    plain = bool(np.array_equal(c, wanted))
    wanted[:, :2] = a[:, :3].T @ a[:, 3:] + c[:, :2]
    call(True, 3, 2, 3, a.ctypes.data, 5, a[:, 3:].ctypes.data, 5, 1.0, c.ctypes.data, 3)
    return plain and bool(np.array_equal(c, wanted))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=one_thread.after_fork)
