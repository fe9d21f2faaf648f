"""LLVM IR written line by line: what a kernel that is not for Numba is made of.

Addresses are `ptr`, offsets count bytes, numbers are `i64`; values are names (`%v7`) or numerals, as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

Value = str | int


class Function:
    """One function under construction: `name(ptr %a, i64 %n)`, returning nothing unless `returns` says a type."""

    def __init__(
        self, name: str, parameters: str, *, exported: bool = False, returns: str = "void", attributes: str = ""
    ) -> None:
        self._head = f"define {'' if exported else 'internal '}{returns} @{name}({parameters}) nounwind {attributes}"
        self._returns = returns
        self._last = "ret void"
        self._first: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._block = "entry"

    def text(self) -> str:
        """The function's IR."""
        return "\n".join([f"{self._head} {{", "entry:", *self._first, *self._lines, f"  {self._last}", "}", ""])

    def give(self, value: Value) -> None:
        """What the function returns at its end."""
        self._last = f"ret {self._returns} {value}"

    def leave(self, condition: str, value: Value) -> None:
        """Returns `value` at once where the `i1` holds."""
        self._count += 1
        name = f"leave{self._count}"
        self.do(f"br i1 {condition}, label %{name}, label %{name}e")
        self._label(name)
        self.do(f"ret {self._returns} {value}")
        self._label(f"{name}e")

    def do(self, instruction: str) -> None:
        """An instruction without a result."""
        self._lines.append(f"  {instruction}")

    def new(self, instruction: str) -> str:
        """An instruction's result."""
        self._count += 1
        self.do(f"%v{self._count} = {instruction}")
        return f"%v{self._count}"

    def variable(self, type: str) -> str:
        """Memory for a value; the optimiser makes it a register."""
        self._count += 1
        self._first.append(f"  %v{self._count} = alloca {type}")
        return f"%v{self._count}"

    def add(self, a: Value, b: Value) -> Value:
        """a + b."""
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        return a if b == 0 else b if a == 0 else self.new(f"add nsw i64 {a}, {b}")

    def subtract(self, a: Value, b: Value) -> Value:
        """a - b."""
        return a if b == 0 else self.new(f"sub nsw i64 {a}, {b}")

    def multiply(self, a: Value, b: Value) -> Value:
        """a * b."""
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        return 0 if 0 in (a, b) else a if b == 1 else b if a == 1 else self.new(f"mul nsw i64 {a}, {b}")

    def divide(self, a: Value, b: int) -> tuple[Value, Value]:
        """Quotient and remainder of what is not negative."""
        if b == 1:
            return a, 0
        return self.new(f"udiv i64 {a}, {b}"), self.new(f"urem i64 {a}, {b}")

    def smaller(self, a: Value, b: Value) -> str:
        """min(a, b)."""
        return self.new(f"call i64 @llvm.smin.i64(i64 {a}, i64 {b})")

    def larger(self, a: Value, b: Value) -> str:
        """max(a, b)."""
        return self.new(f"call i64 @llvm.smax.i64(i64 {a}, i64 {b})")

    def at(self, pointer: str, offset: Value) -> str:
        """The address `offset` bytes further."""
        return pointer if offset == 0 else self.new(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def copy(self, target: str, source: str, size: Value) -> None:
        """memcpy."""
        if size != 0:
            self.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)")

    def clear(self, target: str, size: Value) -> None:
        """Zeros."""
        if size != 0:
            self.do(f"call void @llvm.memset.p0.i64(ptr {target}, i8 0, i64 {size}, i1 false)")

    def _label(self, name: str) -> None:
        self._lines.append(f"{name}:")
        self._block = name

    @contextmanager
    def loop(self, start: Value, stop: Value) -> Iterator[Value]:
        """The body for `start … stop-1`, which must not be empty if both are numerals. Gives the index."""
        if isinstance(start, int) and isinstance(stop, int) and stop == start + 1:
            yield start
            return
        self._count += 1
        name, index = f"loop{self._count}", f"%i{self._count}"
        if isinstance(start, int) and isinstance(stop, int):
            self.do(f"br label %{name}")
        else:
            self.do(f"br i1 {self.new(f'icmp slt i64 {start}, {stop}')}, label %{name}, label %{name}e")
        before = self._block
        self._label(name)
        self.do(f"{index} = phi i64 [{start}, %{before}], [{index}n, %{name}l]")
        yield index
        self.do(f"br label %{name}l")
        self._label(f"{name}l")
        self.do(f"{index}n = add nuw nsw i64 {index}, 1")
        again = self.new(f"icmp slt i64 {index}n, {stop}")
        self.do(f"br i1 {again}, label %{name}, label %{name}e")
        self._label(f"{name}e")

    @contextmanager
    def repeat(self) -> Iterator[list[str]]:
        """The body, again and again while the `i1` holds that it appends to the list it is given."""
        self._count += 1
        name, conditions = f"again{self._count}", list[str]()
        self.do(f"br label %{name}")
        self._label(name)
        yield conditions
        (condition,) = conditions
        self.do(f"br i1 {condition}, label %{name}, label %{name}e")
        self._label(f"{name}e")

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """The body where the `i1` holds."""
        self._count += 1
        name = f"if{self._count}"
        self.do(f"br i1 {condition}, label %{name}, label %{name}e")
        self._label(name)
        yield
        self.do(f"br label %{name}e")
        self._label(f"{name}e")


_INTRINSICS = """\
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
"""


def module(functions: Iterable[Function], declarations: str = "") -> str:
    """A module of these functions."""
    return "\n".join([_INTRINSICS, declarations, *(function.text() for function in functions)])
