"""The product at the heart of convolutions: a tile of the result that stays in registers.

A tile is `rows x vectors`: for each step of the sum, `vectors` vectors of B are loaded, and for each row one number of
A is spread over a vector and multiplied with them. A's numbers are found at constant distances from one address
that moves on, so they may lie anywhere: under the taps of a filter, overlapping, without being gathered first.
How large a tile may be follows from the registers of the processor (`Vectors`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfbench.engine.compiled.ir import Function, Value

#: steps in a loop's body; with more, LLVM moves loads so far ahead that the registers do not suffice
_UNROLLED = (4, 3, 5, 2)


class Vectors:
    """A processor's vectors of float32: numbers in one, and how many registers there are."""

    __slots__ = ("registers", "width")

    def __init__(self, width: int, registers: int) -> None:
        self.width = width
        self.registers = registers

    @property
    def type(self) -> str:
        """The IR type."""
        return f"<{self.width} x float>"

    def rows(self, vectors: int) -> int:
        """The most rows that a tile of so many vectors may have: a register is left for A's number."""
        return (self.registers - 1 - vectors) // vectors

    def load(self, made: Function, place: str, count: int) -> str:
        """The first `count` numbers of a vector at this address; what is behind them is not touched."""
        if count >= self.width:
            return made.new(f"load {self.type}, ptr {place}, align 4")
        lanes = ", ".join(f"i1 {int(lane < count)}" for lane in range(self.width))
        mask = f"<{self.width} x i1> <{lanes}>"
        return made.new(f"call {self.type} {self._masked}(ptr {place}, i32 4, {mask}, {self.type} zeroinitializer)")

    @property
    def _masked(self) -> str:
        return f"@llvm.masked.load.v{self.width}f32.p0"

    @property
    def declarations(self) -> str:
        """What IR that uses `load` has to declare."""
        return f"declare {self.type} {self._masked}(ptr, i32, <{self.width} x i1>, {self.type})\n"

    def cost(self, rows: int, vectors: int) -> float:
        """Cycles for one step of the sum: two products or two loads each, and sums depend on the last step's."""
        return max(rows * vectors / 2, (rows + vectors) / 2, 4.0)


def host() -> Vectors:
    """Those of this processor."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return Vectors(16, 32)
    if features.get("avx"):
        return Vectors(8, 16)
    return Vectors(4, 32 if features.get("neon") else 16)


def cut(total: int, most: int) -> list[int]:
    """`total` as a sum of as few numbers up to `most` as possible, nearly equal, the larger ones first."""
    parts = -(-total // most)
    return [(total + part) // parts for part in range(parts)][::-1]


class Sum:
    """One loop of a tile's sum: how often, and how many bytes A and B move on. A name as `count` is a parameter."""

    __slots__ = ("a", "b", "count")

    def __init__(self, count: Value, a: int, b: int) -> None:
        self.count = count
        self.a = a
        self.b = b


def tile(
    name: str,
    on: Vectors,
    loops: Sequence[Sum],
    a: Sequence[int],
    c: Sequence[int],
    columns: int,
    *,
    adds: bool,
    exact: bool = False,
) -> Function:
    """C = A B, or C += A B with `adds`: the function `name(ptr %a, ptr %b, ptr %c, …names of counts)`.

    Row `i` of A and C is `a[i]` and `c[i]` bytes from their addresses. C has `columns` columns, side by side; rows of B
    are whole vectors, unless they are `exact`ly as long. The outermost of `loops` comes first.
    """
    counts = dict.fromkeys(loop.count for loop in loops if isinstance(loop.count, str))
    made = Function(name, ", ".join(["ptr %a", "ptr %b", "ptr %c", *(f"i64 {count}" for count in counts)]))
    vectors = -(-columns // on.width)
    sums = [[made.variable(on.type) for _ in range(vectors)] for _ in a]
    for one in (one for row in sums for one in row):
        made.do(f"store {on.type} zeroinitializer, ptr {one}")

    def step(a_at: str, b_at: str) -> None:
        parts = [
            on.load(made, made.at(b_at, 4 * on.width * i), columns - on.width * i if exact else on.width)
            for i in range(vectors)
        ]
        for offset, row in zip(a, sums):
            number = made.new(f"load float, ptr {made.at(a_at, offset)}, align 4")
            first = made.new(f"insertelement {on.type} poison, float {number}, i64 0")
            spread = made.new(f"shufflevector {on.type} {first}, {on.type} poison, <{on.width} x i32> zeroinitializer")
            for one, part in zip(row, parts):
                product = made.new(f"fmul contract {on.type} {spread}, {part}")
                before = made.new(f"load {on.type}, ptr {one}")
                made.do(f"store {on.type} {made.new(f'fadd contract {on.type} {before}, {product}')}, ptr {one}")

    nest(made, "%a", "%b", loops, step)
    for offset, row in zip(c, sums):
        for vector, one in enumerate(row):
            value = made.new(f"load {on.type}, ptr {one}")
            place = made.at("%c", offset + 4 * on.width * vector)
            for start, size in pieces(min(on.width, columns - vector * on.width)):
                part, type, target = value, f"<{size} x float>", made.at(place, 4 * start)
                if size < on.width:
                    lanes = ", ".join(f"i32 {lane}" for lane in range(start, start + size))
                    part = made.new(f"shufflevector {on.type} {value}, {on.type} poison, <{size} x i32> <{lanes}>")
                if adds:
                    part = made.new(f"fadd {type} {part}, {made.new(f'load {type}, ptr {target}, align 4')}")
                made.do(f"store {type} {part}, ptr {target}, align 4")
    return made


def pieces(count: int) -> list[tuple[int, int]]:
    """The first `count` lanes of a vector as (first, size) with sizes that are powers of two."""
    found = []
    start = 0
    while start < count:
        size = 1 << ((count - start).bit_length() - 1)
        found.append((start, size))
        start += size
    return found


def nest(made: Function, a: str, b: str, loops: Sequence[Sum], step: Callable[[str, str], None]) -> None:
    """The steps of nested loops; the innermost has several in its body."""
    outer, inner = loops[0], loops[1:]
    count = outer.count
    if inner or not isinstance(count, int):
        with made.loop(0, count) as index:
            a_at, b_at = made.at(a, made.multiply(index, outer.a)), made.at(b, made.multiply(index, outer.b))
            if inner:
                nest(made, a_at, b_at, inner, step)
            else:
                step(a_at, b_at)
        return
    unrolled = next((size for size in _UNROLLED if count % size == 0), min(count, _UNROLLED[0]))
    whole = count // unrolled
    with made.loop(0, whole) as index:
        a_at = made.at(a, made.multiply(index, outer.a * unrolled))
        b_at = made.at(b, made.multiply(index, outer.b * unrolled))
        for part in range(unrolled):
            step(made.at(a_at, part * outer.a), made.at(b_at, part * outer.b))
    for part in range(whole * unrolled, count):
        step(made.at(a, part * outer.a), made.at(b, part * outer.b))
