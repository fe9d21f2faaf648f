"""Machine code loaded into this process with llvmlite, and called through ctypes, which lets the GIL go.

Numba is not needed here. A symbol that cannot be found is an exception, not the end of the process (as it would be with
LLVM's older engine).
"""

from __future__ import annotations

import ctypes
import importlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.compiled.cache import Compiled
from tfbench.engine.compiled.sources import parse

_NUMBERS: dict[str, Any] = {
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
    "i4": ctypes.c_int32,
    "i8": ctypes.c_int64,
}


class Engine:
    """LLVM's just-in-time linker in this process."""

    def __init__(self) -> None:
        self.llvm: Any = importlib.import_module("llvmlite.binding")
        self.llvm.initialize_native_target()
        self.llvm.initialize_native_asmprinter()
        self._jit = self.llvm.create_lljit_compiler()
        self._libraries: list[Any] = []  # code lives as long as these
        self._numbers = itertools.count()

    def processor(self) -> str:
        """Name and features of the processor: what machine code depends on."""
        return f"{self.llvm.get_process_triple()} {self.llvm.get_host_cpu_name()} {features(self.llvm)}"

    def load(self, compiled: Compiled) -> Callable[..., None]:
        """The function; called with arrays and numbers as `compiled.arguments` describes them."""
        builder = self.llvm.JITLibraryBuilder()
        builder.add_object_img(compiled.image).add_current_process().export_symbol(compiled.name)
        library = builder.link(self._jit, f"tfbench-{next(self._numbers)}")
        self._libraries.append(library)
        return bind(library[compiled.name], compiled.arguments)


def features(llvm: Any) -> str:
    """The processor's features as LLVM spells them."""
    return str(llvm.get_host_cpu_features().flatten())


def bind(address: int, arguments: tuple[str, ...]) -> Callable[..., None]:
    """The C function at `address` as a function of arrays and numbers."""
    kinds: list[Any] = []
    wanted: list[tuple[np.dtype[Any] | None, int]] = []
    for argument in arguments:
        kind, rank = parse(argument)
        if rank < 0:
            kinds.append(_NUMBERS[kind])
            wanted.append((None, rank))
        else:
            kinds += [ctypes.c_void_p] + [ctypes.c_int64] * rank
            wanted.append((np.dtype(kind), rank))
    function = ctypes.CFUNCTYPE(None, *kinds)(address)

    def call(*values: Any) -> None:
        given: list[Any] = []
        for value, (dtype, rank) in zip(values, wanted, strict=True):
            if dtype is None:
                given.append(value)
            elif value.dtype != dtype or value.ndim != rank or not value.flags.c_contiguous:
                raise TypeError(
                    f"A compiled kernel wants {', '.join(arguments)}; got {value.dtype}{list(value.shape)}"
                    f"{'' if value.flags.c_contiguous else ', not contiguous'}."
                )
            else:
                given.append(value.ctypes.data)
                given += value.shape
        function(*given)

    return call
