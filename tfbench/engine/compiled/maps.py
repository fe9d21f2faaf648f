"""Elementwise functions of `(rows, channels)` with one number of each vector per channel, as machine code.

They are as fast as memory is, and that depends on how it is asked. Results begin where a cache line does and are
written in whole lines, in order. With `streaming`, lines go to memory past the caches: they are not read first, and
what is in the caches stays there. That is for results that are too large to be found in the caches afterwards. The
vectors have to begin where lines do, too: a load that crosses a line takes several times longer while stores wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfbench.engine.compiled.ir import Function, module
from tfbench.engine.compiled.sources import Assembly

#: bytes of a cache line: rows are whole lines
LINE = 64

_ELEMENTS = {"f4": ("float", 4), "f8": ("double", 8)}
#: lines in the innermost loop's body
_UNROLLED = 4
#: bytes that are fetched ahead where there are several arrays: the processor follows two badly
_AHEAD = 4_096


class _Line:
    """Arithmetic on the numbers of one line."""

    def __init__(self, made: Function, type: str) -> None:
        self._made = made
        self._type = type

    def add(self, a: str, b: str) -> str:
        return self._made.new(f"fadd contract {self._type} {a}, {b}")

    def subtract(self, a: str, b: str) -> str:
        return self._made.new(f"fsub contract {self._type} {a}, {b}")

    def multiply(self, a: str, b: str) -> str:
        return self._made.new(f"fmul contract {self._type} {a}, {b}")


def _scale_and_shift(on: _Line, arrays: Sequence[str], vectors: Sequence[str]) -> str:
    (x,), (centre, scale, shift) = arrays, vectors
    return on.add(on.multiply(on.subtract(x, centre), scale), shift)


def _grad_combined(on: _Line, arrays: Sequence[str], vectors: Sequence[str]) -> str:
    (x, dy), (centre, slope, average, factor) = arrays, vectors
    along = on.multiply(on.subtract(x, centre), slope)
    return on.multiply(on.subtract(on.subtract(dy, along), average), factor)


def _add(on: _Line, arrays: Sequence[str], vectors: Sequence[str]) -> str:
    return on.add(arrays[0], vectors[0])


#: name -> how many arrays, how many vectors, what is computed of them
FUNCTIONS: dict[str, tuple[int, int, Callable[[_Line, Sequence[str], Sequence[str]], str]]] = {
    "add": (1, 1, _add),
    "scale_and_shift": (1, 3, _scale_and_shift),
    "grad_combined": (2, 4, _grad_combined),
}


def row_map(what: str, kind: str, streaming: bool) -> Assembly:
    """Addresses of the arrays, of the vectors (one behind the other) and of the result; rows, and lines in a row."""
    element, size = _ELEMENTS[kind]
    type = f"<{LINE // size} x {element}>"
    arrays, vectors, function = FUNCTIONS[what]
    names = [f"%x{index}" for index in range(arrays)]
    made = Function(
        "tfbench_rows",
        ", ".join(f"i64 {name}" for name in [*names, "%vectors", "%out", "%rows", "%lines"]),
        exported=True,
    )
    sources = [made.new(f"inttoptr i64 {name} to ptr") for name in names]
    target, first = (made.new(f"inttoptr i64 {name} to ptr") for name in ("%out", "%vectors"))
    row = made.multiply("%lines", LINE)
    each = [first, *(made.at(first, made.multiply(row, index)) for index in range(1, vectors))]
    how = ", !nontemporal !0" if streaming else ""

    def line(starts: Sequence[str], out: str, place: str) -> None:
        for start in starts if len(starts) > 1 else ():
            ahead = made.at(made.at(start, place), _AHEAD)
            made.do(f"call void @llvm.prefetch.p0(ptr {ahead}, i32 0, i32 3, i32 1)")
        given = [made.new(f"load {type}, ptr {made.at(start, place)}, align {size}") for start in starts]
        known = [made.new(f"load {type}, ptr {made.at(vector, place)}, align {LINE}") for vector in each]
        value = function(_Line(made, type), given, known)
        made.do(f"store {type} {value}, ptr {made.at(out, place)}, align {LINE}{how}")

    whole, rest = made.divide("%lines", _UNROLLED)
    behind = made.subtract("%lines", rest)
    with made.loop(0, "%rows") as number:
        offset = made.multiply(number, row)
        starts, out = [made.at(source, offset) for source in sources], made.at(target, offset)
        with made.loop(0, whole) as several:
            begin = made.multiply(several, _UNROLLED * LINE)
            for one in range(_UNROLLED):
                line(starts, out, str(made.add(begin, one * LINE)))
        with made.loop(behind, "%lines") as last:
            line(starts, out, str(made.multiply(last, LINE)))
    declarations = ["declare void @llvm.prefetch.p0(ptr, i32, i32, i32)", "!0 = !{i32 1}"]
    if streaming and _is_x86():  # elsewhere such stores are in order like all others
        made.do("call void @llvm.x86.sse.sfence()")
        declarations.append("declare void @llvm.x86.sse.sfence()")
    return Assembly("tfbench_rows", "\n".join([module([made]), *declarations]), ["i8"] * (arrays + 4))


def _is_x86() -> bool:
    import llvmlite.binding as llvm

    return str(llvm.get_process_triple()).startswith(("x86_64", "i386", "i686", "amd64"))
