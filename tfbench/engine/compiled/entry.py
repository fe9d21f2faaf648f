"""The C function around loops: it finds out whether what it got is what they were made for, and calls them.

It is written here as text, in the part of Python that Numba compiles. Arguments come as addresses of Python's objects:
an array's type, dtype, axes and flags are read where NumPy's binary interface has them. The text uses these names:
`word` and `half` (the int64 and the int32 at an address), `p_f4` (an address as a pointer to float32), `r_f4` (the
float32 at an address), `carray`, and `inner`, the loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfbench.engine.compiled.sources import ANY, NUMBER, parse

#: where an object's own data begin; before them is its type
_HEAD = object.__basicsize__


def text(name: str, arguments: Sequence[str]) -> str:
    """The function `name`. It returns 0, or the number of the first argument that is not as declared.

    Then it has done nothing. It gets the address of a table (the array type, each argument's dtype, each argument's
    type of scalars), and the arguments.
    """
    names = [f"a{number}" for number in range(len(arguments))]
    lines, values = [f"def {name}({', '.join(['table', *names])}):"], []
    shaped = False
    for number, argument in enumerate(arguments):
        kind, rank = parse(argument)
        if rank == NUMBER:
            values.append(names[number])
            continue
        one = _Argument(number, len(arguments))
        if rank == 0:
            lines += one.scalar_or("", f"{one.axes} != 0")
            values.append(f"r_{kind}(d{number})")
        elif rank != ANY:
            lines += one.array(f"{one.axes} != {rank}")
            sizes = "".join(f"word({one.sizes} + {8 * axis}), " for axis in range(rank))
            values.append(f"carray(p_{kind}(d{number}), ({sizes}))")
        else:
            if not shaped:
                lines += [*one.array(), f"    rank = {one.axes}", f"    sizes = {one.sizes}", "    size = 1"]
                lines += ["    for axis in range(rank):", "        size *= word(sizes + 8 * axis)"]
            else:
                lines += one.scalar_or("rank != 0 or ", f"{one.axes} != rank")
                lines += [
                    "        for axis in range(rank):",
                    f"            if word({one.sizes} + 8 * axis) != word(sizes + 8 * axis):",
                    f"                return {number + 1}",
                ]
            shaped = True
            values.append(f"carray(p_{kind}(d{number}), (size,))")
    return "\n".join([*lines, f"    inner({', '.join(values)})", "    return 0"])


class _Argument:
    """The lines that look at one argument that is an object; its data are then at `d0`, `d1`, …"""

    def __init__(self, number: int, count: int) -> None:
        self._name, self._number, self._count = f"a{number}", number, count
        self.axes = f"half({self._name} + {_HEAD + 8})"
        self.sizes = f"word({self._name} + {_HEAD + 16})"

    def _is(self, place: int) -> str:
        return f"word({self._name} + {_HEAD - 8}) == word(table + {8 * place})"

    def array(self, *wrong: str, indent: str = "    ") -> list[str]:
        """An array of the type, contiguous, of which none of `wrong` is true."""
        conditions = [
            f"not {self._is(0)}",
            f"word({self._name} + {_HEAD + 40}) != word(table + {8 * (1 + self._number)})",
            f"half({self._name} + {_HEAD + 48}) & 1 == 0",
            *wrong,
        ]
        return [
            f"{indent}if {' or '.join(conditions)}:",
            f"{indent}    return {self._number + 1}",
            f"{indent}d{self._number} = word({self._name} + {_HEAD})",
        ]

    def scalar_or(self, unless: str, *wrong: str) -> list[str]:
        """The same, or a scalar; what follows, further in, is done for an array."""
        return [
            f"    d{self._number} = {self._name} + {_HEAD}",
            f"    if {unless}not {self._is(1 + self._count + self._number)}:",
            *self.array(*wrong, indent="        "),
        ]
