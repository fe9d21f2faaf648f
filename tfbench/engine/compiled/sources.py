"""What a maker of a compiled kernel returns: loops in Python for Numba, or LLVM IR.

Arguments are described by strings: `"f4[3]"` is a C-contiguous array of float32 with three axes, `"i8"` and `"f4"` are
numbers. Numbers come after arrays where both are wanted only by custom; any order works.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Loops:
    """A function in the part of Python that Numba compiles.

    It gets the arrays and numbers that `arguments` describes and writes its results into arrays. It may call functions
    made with `numba.njit`, and must not raise, allocate arrays or call back into Python: what is compiled is a C
    function. Variables of an enclosing function are constants to the compiler. `fastmath` as in `numba.njit`.
    """

    __slots__ = ("arguments", "fastmath", "function")

    def __init__(
        self, function: Callable[..., Any], arguments: Sequence[str], fastmath: bool | Sequence[str] = False
    ) -> None:
        self.function = function
        self.arguments = tuple(arguments)
        self.fastmath = fastmath


class Assembly:
    """LLVM IR as text, with the C function `name` in it.

    That function gets, for each array, the address and then the size of each axis (int64), and numbers as they are.
    """

    __slots__ = ("arguments", "ir", "name")

    def __init__(self, name: str, ir: str, arguments: Sequence[str]) -> None:
        self.name = name
        self.ir = ir
        self.arguments = tuple(arguments)


Source = Loops | Assembly


def parse(argument: str) -> tuple[str, int]:
    """`"f4[3]"` is `("f4", 3)`; a number has -1 axes."""
    kind, bracket, rest = argument.partition("[")
    return kind, int(rest[:-1]) if bracket else -1
