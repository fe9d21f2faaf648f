"""Loops over several arrays at once as LLVM IR: the pieces that a fused region (`fused`) is cut into.

A piece is a *nest* (any number of elementwise ops, computed for one element after another), a *reduction* (one array to
a smaller one), or a *check* of class numbers. What a later piece reads is kept in memory; within a nest a value stays
in a register. A *view* is an array in memory as it is looked at: an offset and a stride for each axis, in elements,
so broadcasting is a stride of zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from tfbench.engine.compiled.fused_math import FLOATS, TYPES, Emitter, Number, literal
from tfbench.engine.compiled.ir import Function, Value

#: kind -> bytes of a number in memory, and its type there
SIZES = {"f4": 4, "f8": 8, "i4": 4, "i8": 8, "b1": 1}
_STORED = {**TYPES, "b1": "i8"}

#: so many numbers are added up in single precision before they count as one
_LONGEST_SUM = 4_096

Shape = tuple[int, ...]


class Memory:
    """An array of a region: an input, an output, or scratch. `pointer` is known when code is written."""

    __slots__ = ("kind", "pointer", "size")

    def __init__(self, kind: str, size: int, pointer: str = "") -> None:
        self.kind = kind
        self.size = size
        self.pointer = pointer


class View:
    """An array in memory as it is looked at."""

    __slots__ = ("memory", "offset", "shape", "strides")

    def __init__(self, memory: Memory, shape: Shape, strides: Shape | None = None, offset: int = 0) -> None:
        self.memory = memory
        self.shape = shape
        self.strides = contiguous(shape) if strides is None else strides
        self.offset = offset

    @property
    def kind(self) -> str:
        """The kind of its numbers."""
        return self.memory.kind

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its memory, in order."""
        return self.offset == 0 and self.strides == contiguous(self.shape) and self.memory.size == size(self.shape)

    def over(self, shape: Shape) -> Shape:
        """The strides with which it is read by loops over `shape`, to which it broadcasts."""
        strides = [stride if length != 1 else 0 for stride, length in zip(self.strides, self.shape, strict=True)]
        return (0,) * (len(shape) - len(strides)) + tuple(strides)


class Steps:
    """The number of an element along one axis: 0, 1, 2, …"""

    __slots__ = ("axis",)

    kind = "i8"

    def __init__(self, axis: int) -> None:
        self.axis = axis


def size(shape: Shape) -> int:
    """How many numbers there are."""
    return math.prod(shape)


def contiguous(shape: Shape) -> Shape:
    """The strides of an array whose numbers lie in order; those of an axis of one element do not matter."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step if length != 1 else 0)
        step *= length
    return tuple(reversed(strides))


class _Axes:
    """Loops over a shape with as few axes as the strides of all that is read and written allow."""

    def __init__(self, shape: Shape, strides: Sequence[Shape]) -> None:
        kept = [axis for axis, length in enumerate(shape) if length != 1]
        self.lengths: list[int] = []
        self.strides: list[list[int]] = [[] for _ in strides]
        for axis in kept:
            steps = [one[axis] for one in strides]
            if self.lengths and all(
                mine[-1] == step * shape[axis] for mine, step in zip(self.strides, steps, strict=True)
            ):
                self.lengths[-1] *= shape[axis]
                for mine, step in zip(self.strides, steps, strict=True):
                    mine[-1] = step
            else:
                self.lengths.append(shape[axis])
                for mine, step in zip(self.strides, steps, strict=True):
                    mine.append(step)

    def index(self, f: Function, number: int, offset: int, counters: Sequence[Value]) -> Value:
        """Where the element of the view `number` is, in elements."""
        total: Value = offset
        for counter, step in zip(counters, self.strides[number], strict=True):
            total = f.add(total, f.multiply(counter, step))
        return total


def load(f: Function, memory: Memory, index: Value) -> Number:
    """The number at an index."""
    kind = memory.kind
    at = f.new(f"getelementptr inbounds {_STORED[kind]}, ptr {memory.pointer}, i64 {index}")
    value = f.new(f"load {_STORED[kind]}, ptr {at}, align {SIZES[kind]}")
    return Number(f.new(f"trunc i8 {value} to i1") if kind == "b1" else value, kind)


def store(f: Function, memory: Memory, index: Value, value: Number) -> None:
    """Puts a number at an index."""
    kind = memory.kind
    at = f.new(f"getelementptr inbounds {_STORED[kind]}, ptr {memory.pointer}, i64 {index}")
    text = f.new(f"zext i1 {value.text} to i8") if kind == "b1" else value.text
    f.do(f"store {_STORED[kind]} {text}, ptr {at}, align {SIZES[kind]}")


#: what an op of a nest reads: memory, the element's number, a register of the nest, or a number that is known before
Operand = View | Steps | int | Number
Write = Callable[[Emitter, Sequence[Number]], Number]


class Nest:
    """Elementwise ops over one shape. Registers are numbered in the order of the ops."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.ops: list[tuple[Write, list[Operand]]] = []
        #: register -> the memory that keeps it
        self.kept: dict[int, Memory] = {}

    def add(self, write: Write, operands: list[Operand]) -> int:
        """One more op; its register."""
        self.ops.append((write, operands))
        return len(self.ops) - 1

    def makes(self) -> list[Memory]:
        """The memories that it fills."""
        return list(self.kept.values())

    def write(self, f: Function, part: tuple[Value, Value] | None = None) -> None:
        """The loops; with `part` = (number, how many) only a part of the outermost."""
        views: list[View | Steps] = []
        strides: list[Shape] = []
        for _, operands in self.ops:
            for operand in operands:
                if isinstance(operand, (View, Steps)) and operand not in views:
                    views.append(operand)
                    strides.append(self._strides(operand))
        strides += [contiguous(self.shape)] * len(self.kept)
        axes = _Axes(self.shape, strides)
        emit = Emitter(f)
        with ExitStack() as stack:
            counters: list[Value] = []
            for depth, length in enumerate(axes.lengths):
                first, last = _share(f, length, part) if part is not None and depth == 0 else (0, length)
                counters.append(stack.enter_context(f.loop(first, last)))
            registers: list[Number] = []
            loaded: dict[int, Number] = {}

            def value(operand: Operand) -> Number:
                if isinstance(operand, Number):
                    return operand
                if isinstance(operand, int):
                    return registers[operand]
                number = views.index(operand)
                if number not in loaded:
                    if isinstance(operand, View):
                        loaded[number] = load(f, operand.memory, axes.index(f, number, operand.offset, counters))
                    else:
                        loaded[number] = Number(str(axes.index(f, number, 0, counters)), "i8")
                return loaded[number]

            for write, operands in self.ops:
                registers.append(write(emit, [value(operand) for operand in operands]))
            for number, (register, memory) in enumerate(self.kept.items(), len(views)):
                store(f, memory, axes.index(f, number, 0, counters), registers[register])

    def _strides(self, operand: View | Steps) -> Shape:
        if isinstance(operand, View):
            return operand.over(self.shape)
        return tuple(int(axis == operand.axis) for axis in range(len(self.shape)))


def _share(f: Function, length: int, part: tuple[Value, Value]) -> tuple[Value, Value]:
    number, count = part
    first, last = (
        f.new(f"sdiv i64 {f.new(f'mul i64 {which}, {length}')}, {count}")
        for which in (number, f.new(f"add i64 {number}, 1"))
    )
    return first, last


class Reduction:
    """The sum, the largest or the smallest over some axes; `result` is whole and has the other axes."""

    def __init__(self, kind: str, view: View, axes: Sequence[int], result: Memory) -> None:
        self._kind = kind
        self._view = view
        self.result = result
        kept = [axis for axis in range(len(view.shape)) if axis not in axes]
        steps = contiguous(tuple(view.shape[axis] for axis in kept))
        self._steps = [0] * len(view.shape)
        for axis, step in zip(kept, steps, strict=True):
            self._steps[axis] = step

    def makes(self) -> list[Memory]:
        """The memory that it fills."""
        return [self.result]

    def write(self, f: Function) -> None:
        """The loops."""
        view, result = self._view, self.result
        axes = _Axes(view.shape, [view.over(view.shape), tuple(self._steps)])
        *outer, inner = axes.lengths or [1]
        steps = axes.strides[1] or [0]
        in_register = steps[-1] == 0
        at_once = in_register and not any(step == 0 for step in steps[:-1])
        if not at_once:
            with f.loop(0, result.size) as index:
                store(f, result, index, self._identity(result.kind))
        with ExitStack() as stack:
            counters = [stack.enter_context(f.loop(0, length)) for length in outer]
            if in_register:
                self._sum_up(f, axes, counters, inner, at_once)
            else:
                counters.append(stack.enter_context(f.loop(0, inner)))
                element = load(f, view.memory, axes.index(f, 0, view.offset, counters))
                target = axes.index(f, 1, 0, counters)
                store(f, result, target, self._combine(Emitter(f), load(f, result, target), element))

    def _sum_up(self, f: Function, axes: _Axes, counters: list[Value], length: int, at_once: bool) -> None:
        view, result = self._view, self.result
        long = self._kind == "sum" and result.kind == "f4" and length > _LONGEST_SUM
        kind = "f8" if long else result.kind
        total = f.variable(TYPES[kind])
        f.do(f"store {TYPES[kind]} {self._identity(kind).text}, ptr {total}")
        emit = Emitter(f, "reassoc" if self._kind == "sum" else "")
        with ExitStack() as stack:
            if axes.lengths:
                counters = [*counters, stack.enter_context(f.loop(0, length))]
            element = load(f, view.memory, axes.index(f, 0, view.offset, counters))
            before = Number(f.new(f"load {TYPES[kind]}, ptr {total}"), kind)
            after = self._combine(emit, before, emit.cast(element, kind))
            f.do(f"store {TYPES[kind]} {after.text}, ptr {total}")
        found = emit.cast(Number(f.new(f"load {TYPES[kind]}, ptr {total}"), kind), result.kind)
        target: Value = 0
        for counter, step in zip(counters, axes.strides[1], strict=False):
            target = f.add(target, f.multiply(counter, step))
        if not at_once:
            found = self._combine(Emitter(f), load(f, result, target), found)
        store(f, result, target, found)

    def _identity(self, kind: str) -> Number:
        if self._kind == "sum":
            return literal(0, kind)
        sign = -1 if self._kind == "max" else 1
        if kind in FLOATS:
            return literal(sign * float("inf"), kind)
        limit = 2 ** (8 * SIZES[kind] - 1)
        return literal(-limit if sign < 0 else limit - 1, kind)

    def _combine(self, emit: Emitter, before: Number, element: Number) -> Number:
        if self._kind == "sum":
            return emit.add(before, element)
        return emit.maximum(before, element) if self._kind == "max" else emit.minimum(before, element)


class Check:
    """Leaves the function with -1 if a class number is none of `classes`."""

    def __init__(self, view: View, classes: int) -> None:
        self._view = view
        self._classes = classes

    def makes(self) -> list[Memory]:
        """None."""
        return []

    def write(self, f: Function) -> None:
        """The loop."""
        view = self._view
        wrong = f.variable("i64")
        f.do(f"store i64 0, ptr {wrong}")
        emit = Emitter(f)
        axes = _Axes(view.shape, [view.over(view.shape)])
        with ExitStack() as stack:
            counters: list[Value] = [stack.enter_context(f.loop(0, length)) for length in axes.lengths]
            label = emit.cast(load(f, view.memory, axes.index(f, 0, view.offset, counters)), "i8")
            outside = f.new(f"icmp uge i64 {label.text}, {self._classes}")
            before = f.new(f"load i64, ptr {wrong}")
            f.do(f"store i64 {f.new(f'or i64 {before}, ' + f.new(f'zext i1 {outside} to i64'))}, ptr {wrong}")
        found = f.new(f"load i64, ptr {wrong}")
        f.leave(f.new(f"icmp ne i64 {found}, 0"), -1)


Piece = Nest | Reduction | Check
