"""Parts of a matrix of float32 laid out side by side, as it is or turned round.

What is turned goes through squares as wide as a vector, which are transposed in registers.
"""

from __future__ import annotations

from tfbench.engine.compiled.ir import Function
from tfbench.engine.compiled.tiles import Vectors


class Panels:
    """The functions that lay parts of a matrix out, each made once."""

    def __init__(self, on: Vectors) -> None:
        self._on = on
        self._names: dict[tuple[int, int, int, bool], str] = {}
        self.functions: list[Function] = []

    def call(self, made: Function, source: str, target: str, wide: int, terms: int, line: int, *, turned: bool) -> None:
        """Lays out `terms` rows of `wide` numbers, each in whole vectors.

        Rows of the source are `line` bytes apart. Those that are `turned` are its columns: what a vector then has more
        than `wide` is zero, like everything that is behind a row otherwise.
        """
        key = wide, terms, line, turned
        if key not in self._names:
            self._names[key] = f"panel{len(self._names)}"
            write = _turn if turned else _copy
            self.functions.append(write(self._names[key], self._on, *key[:3]))
        made.do(f"call void @{self._names[key]}(ptr {source}, ptr {target})")


def _copy(name: str, on: Vectors, wide: int, terms: int, line: int) -> Function:
    made = Function(name, "ptr %source, ptr %target")
    vectors = -(-wide // on.width)
    with made.loop(0, terms) as index:
        source = made.at("%source", made.multiply(index, line))
        target = made.at("%target", made.multiply(index, 4 * on.width * vectors))
        for start in range(0, wide, on.width):
            value = on.load(made, made.at(source, 4 * start), wide - start)
            made.do(f"store {on.type} {value}, ptr {made.at(target, 4 * start)}, align 4")
    return made


def _turn(name: str, on: Vectors, rows: int, columns: int, line: int) -> Function:
    made = Function(name, "ptr %source, ptr %target")
    width = on.width
    vectors = -(-rows // width)
    whole, rest = divmod(columns, width)

    def squares(source: str, target: str, count: int) -> None:
        for vector in range(vectors):
            found = [
                on.load(made, made.at(source, (vector * width + row) * line), count)
                if vector * width + row < rows
                else "zeroinitializer"
                for row in range(width)
            ]
            for place, value in enumerate(_transposed(made, on, found)[:count]):
                there = made.at(target, 4 * width * (place * vectors + vector))
                made.do(f"store {on.type} {value}, ptr {there}, align 4")

    if whole:
        with made.loop(0, whole) as index:
            source = made.at("%source", made.multiply(index, 4 * width))
            squares(source, made.at("%target", made.multiply(index, 4 * width * width * vectors)), width)
    if rest:
        squares(made.at("%source", 4 * width * whole), made.at("%target", 4 * width * width * vectors * whole), rest)
    return made


def _transposed(made: Function, on: Vectors, rows: list[str]) -> list[str]:
    """A square, given by its rows, transposed: two by two blocks change places, then four by four, …"""
    distance = 1
    while distance < on.width:
        for above in range(on.width):
            if above & distance:
                continue
            pair = f"{on.type} {rows[above]}, {on.type} {rows[above + distance]}"
            first = [lane if not lane & distance else on.width + lane - distance for lane in range(on.width)]
            second = [lane + distance if not lane & distance else on.width + lane for lane in range(on.width)]
            rows[above], rows[above + distance] = (
                made.new(f"shufflevector {pair}, <{on.width} x i32> <{', '.join(f'i32 {lane}' for lane in lanes)}>")
                for lanes in (first, second)
            )
        distance *= 2
    return rows
