"""Machine code loaded into this process with llvmlite, and called through ctypes, which lets the GIL go.

Numba is not needed here. A symbol that cannot be found is an exception, not the end of the process (as it would be with
LLVM's older engine).

A kernel of loops is called with the arrays themselves: it finds address and sizes in NumPy's array objects, whose
layout is part of NumPy's binary interface (checked here), and looks itself whether they are what it was made for. In
Python that would cost more than many a kernel does. Who has something else to do where they are not calls `attempt`.
"""

from __future__ import annotations

import ctypes
import importlib
import itertools
import os
import threading
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from tfbench.engine.compiled.cache import Compiled
from tfbench.engine.compiled.gently import Gently
from tfbench.engine.compiled.sources import NUMBER, parse

_NUMBERS: dict[str, Any] = {
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
    "i4": ctypes.c_int32,
    "i8": ctypes.c_int64,
}


class Engine:
    """LLVM's just-in-time linker in this process."""

    def __init__(self, gently: Gently | None = None) -> None:
        gently = gently or Gently(lambda: True, threading.Event())
        gently.do(check_layout)
        library = gently.do(_library)
        if library is not None:
            gently.load_library(library)
        gently.package("llvmlite.ir")
        self.llvm: Any = gently.package("llvmlite.binding")
        gently.do(self.llvm.initialize_native_target)
        gently.do(self.llvm.initialize_native_asmprinter)
        self._jit = gently.do(self.llvm.create_lljit_compiler)
        self._numbers = itertools.count()

    def processor(self) -> str:
        """Name and features of the processor: what machine code depends on."""
        return f"{self.llvm.get_process_triple()} {self.llvm.get_host_cpu_name()} {features(self.llvm)}"

    def load(self, compiled: Compiled) -> Callable[..., None]:
        """The function; called with arrays and numbers as `compiled.arguments` describes them."""
        builder = self.llvm.JITLibraryBuilder()
        builder.add_object_img(compiled.image).add_current_process().export_symbol(compiled.name)
        library = builder.link(self._jit, f"tfbench-{next(self._numbers)}")
        run = bind(library[compiled.name], compiled.arguments)
        # The code lives as long as these do: a function that outlives the engine (in a child process) needs it.
        run.code = (self._jit, library)  # type: ignore[attr-defined]
        attempt: Any = getattr(run, "attempt", None)
        if attempt is not None:
            attempt.code = run.code  # type: ignore[attr-defined]
        return run


def _library() -> str | None:
    """Where llvmlite's shared library is."""
    spec = find_spec("llvmlite")
    if spec is None or spec.origin is None:
        return None
    name: str = importlib.import_module("llvmlite.utils").get_library_name()
    return os.path.join(os.path.dirname(spec.origin), "binding", name)


def features(llvm: Any) -> str:
    """The processor's features as LLVM spells them."""
    return str(llvm.get_host_cpu_features().flatten())


def bind(address: int, arguments: tuple[str, ...]) -> Callable[..., None]:
    """The C function at `address` as a function of arrays and numbers.

    Its `attempt` takes the same, and gives the number of the first argument that is not what was declared, or 0; it
    raises TypeError only for a number that is none.
    """
    parsed = [parse(argument) for argument in arguments]
    if all(rank == NUMBER for _, rank in parsed):
        return ctypes.CFUNCTYPE(None, *(_NUMBERS[kind] for kind, _ in parsed))(address)
    kinds = [_NUMBERS[kind] if rank == NUMBER else ctypes.py_object for kind, rank in parsed]
    types = [None if rank == NUMBER else np.dtype(kind) for kind, rank in parsed]
    scalars = [id(dtype.type) if dtype is not None else 0 for dtype in types]
    # Kept by `call`, as are the types.
    table = np.array([id(np.ndarray), *(id(dtype) for dtype in types), *scalars], np.int64)
    table_at = table.ctypes.data
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *kinds)(address)

    def call(*values: Any) -> None:
        if not function(table_at, *values):
            return
        # Not the very type object, or a subclass of arrays: then it may still be the same memory.
        same = [
            value.view(np.ndarray).view(dtype) if isinstance(value, np.ndarray) and value.dtype == dtype else value
            for value, dtype in zip(values, types, strict=True)
        ]
        refused = function(table_at, *same)
        if refused:
            raise TypeError(
                f"A compiled kernel wants C-contiguous arrays and numbers ({', '.join(arguments)}); "
                f"argument {refused} is {_described(values[refused - 1])}."
            )

    attempt: Any = partial(function, table_at)
    # Each is used without the other, and may outlive it.
    attempt.table = (table, types)
    call.table = table  # type: ignore[attr-defined]
    call.attempt = attempt  # type: ignore[attr-defined]
    return call


def _described(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    return f"{value.dtype}{list(value.shape)}{'' if value.flags.c_contiguous else ', not contiguous'}"


def check_layout() -> None:
    """RuntimeError if NumPy's array objects are not laid out as kernels expect."""
    sample, single, double = np.zeros((3, 2), np.float32), np.float32(1.5), np.float64(2.5)
    at = id(sample)

    def word(offset: int, kind: Any = ctypes.c_int64) -> Any:
        return kind.from_address(offset).value

    head = object.__basicsize__
    found = (
        word(at + head - 8),
        word(at + head),
        word(at + head + 8, ctypes.c_int32),
        word(word(at + head + 16)),
        word(word(at + head + 16) + 8),
        word(at + head + 40),
        word(at + head + 48, ctypes.c_int32) & 1,
        word(id(single) + head, ctypes.c_float),
        word(id(double) + head, ctypes.c_double),
    )
    if found != (id(np.ndarray), sample.ctypes.data, 2, 3, 2, id(sample.dtype), 1, 1.5, 2.5):
        raise RuntimeError("NumPy's array objects are laid out in another way than compiled kernels expect.")
