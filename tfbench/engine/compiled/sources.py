"""What a maker of a compiled kernel returns: loops in Python for Numba, or LLVM IR.

Arguments are described by strings: `"f4[3]"` is a C-contiguous array of float32 with three axes, `"i8"` and `"f4"` are
numbers. Numbers come after arrays where both are wanted only by custom; any order works. Loops may want two more:
`"f4[*]"` is a C-contiguous array with any axes, which they get flattened (all such arrays of a call have one shape;
from the second on, a scalar of NumPy's may stand for one without axes), and `"f4[0]"` a number given as NumPy gives it,
as a scalar or as an array without axes.
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


#: axes of a number, and of an array that may have any
NUMBER, ANY = -1, -2


def parse(argument: str) -> tuple[str, int]:
    """`"f4[3]"` is `("f4", 3)`."""
    kind, bracket, rest = argument.partition("[")
    return kind, NUMBER if not bracket else ANY if rest == "*]" else int(rest[:-1])
