"""Kernels for the tests of the tier; the compiling process imports this."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from tfbench.engine.compiled.sources import Assembly, Loops


def scale(kind: str, factor: int) -> Loops:
    """out = factor * x for the rows from `first` on."""

    def loops(x: Any, out: Any, first: int, last: int) -> None:
        for i in range(first, last):
            for j in range(x.shape[1]):
                out[i, j] = x[i, j] * factor

    return Loops(loops, [f"{kind}[2]", f"{kind}[2]", "i8", "i8"])


def add(number: float) -> Loops:
    """x += number * y"""

    def loops(x: Any, y: float) -> None:
        for i in range(x.shape[0]):
            x[i] += number * y

    return Loops(loops, ["f8[1]", "f8"])


def raises() -> Loops:
    """What cannot be compiled: it raises."""

    def loops(x: Any) -> None:
        if x[0] > 0:
            raise ValueError("positive")

    return Loops(loops, ["f4[1]"])


def nonsense() -> Assembly:
    """What LLVM does not take."""
    return Assembly("f", "define void @f( {", [])


def unknown() -> Assembly:
    """Calls what no library has."""
    return Assembly("f", "declare void @not_there()\ndefine void @f() {\n call void @not_there()\n ret void\n}", [])


def dies_once(marker: str) -> Loops:
    """The first process that is asked for it ends at once."""
    if not Path(marker).exists():
        Path(marker).touch()
        os._exit(3)
    return add(1.0)


def dies() -> Loops:
    """Each process that is asked for it ends."""
    os._exit(3)


def slow() -> Loops:
    """Takes a minute."""
    time.sleep(60)
    return add(1.0)


def shift() -> Loops:
    """x += by y, for arrays with any axes and a number as NumPy has it."""

    def loops(x: Any, by: float, y: Any) -> None:
        for i in range(x.shape[0]):
            x[i] += by * y[i]

    return Loops(loops, ["f4[*]", "f4[0]", "f4[*]"])
