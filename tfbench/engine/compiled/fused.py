"""Several ops as one C function: chains of small steps without an interpreter between them (`engine.regions`).

A *region* is described by a text (JSON), for arrays of given shapes: its inputs, its ops in order, and which of their
results are wanted. `Lowered` cuts it into pieces (`fused_nests`); it needs no compiler, so who asks for a region
learns from it what there is to allocate. `region` writes the code.

The function gets a table of types (`native.bind`), the inputs (arrays, numbers where the shape is ()), an array for
each output and one for scratch, and which part of how many it is to do; only a region of one nest has parts. It
returns 0, or another number if it has done nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tfbench.engine.compiled import objects
from tfbench.engine.compiled.fused_math import (
    DECLARATIONS,
    TYPES,
    Emitter,
    Number,
    functions,
    literal,
)
from tfbench.engine.compiled.fused_nests import (
    SIZES,
    Check,
    Memory,
    Nest,
    Operand,
    Piece,
    Reduction,
    Shape,
    Steps,
    View,
    contiguous,
    size,
)
from tfbench.engine.compiled.fused_ops import ELEMENTWISE, expression
from tfbench.engine.compiled.fused_types import REDUCTIONS, SOFTMAX
from tfbench.engine.compiled.ir import Function, module
from tfbench.engine.compiled.sources import Assembly

#: bytes between the beginnings of two arrays in scratch memory are a multiple of this
_LINE = 64


class _Value:
    """What an op makes, while a region is lowered: a register of a nest, a view of memory, or both; or a number."""

    __slots__ = ("kind", "nest", "number", "position", "register", "shape", "view")

    def __init__(self, kind: str, shape: Shape) -> None:
        self.kind = kind
        self.shape = shape
        self.number: Number | None = None
        self.view: View | None = None
        self.nest: Nest | None = None
        self.register = 0
        #: the piece after which its memory is there; -1 is the beginning
        self.position = -1


class Refused(Exception):
    """The region cannot be compiled as it is described."""


class Lowered:
    """A region as pieces.

    `outputs` are the memories of the wanted results, `scratch` the bytes of scratch memory that is needed; `parts` says
    that the work can be shared out.
    """

    def __init__(self, text: str) -> None:
        described = json.loads(text)
        self.inputs: list[tuple[str, Shape]] = [(kind, tuple(shape)) for kind, shape in described["inputs"]]
        self.pieces: list[Piece] = []
        #: what each input is: memory, or a number
        self.given: list[_Value] = []
        for index, (kind, shape) in enumerate(self.inputs):
            value = _Value(kind, shape)
            if shape == ():
                value.number = Number(f"%x{index}", kind)
            else:
                value.view = View(Memory(kind, size(shape), f"%x{index}"), shape)
            self.given.append(value)
        self._made: list[list[_Value]] = []
        for type, attrs, operands, results in described["members"]:
            given = [self._operand(one) for one in operands]
            wanted = [(kind, tuple(shape)) for kind, shape in results]
            self._made.append(self._lower(type, attrs, given, wanted))
        self.outputs = self._outputs([self._made[member][number] for member, number in described["outputs"]])
        self.scratch = self._place()
        self.parts = len(self.pieces) == 1 and isinstance(self.pieces[0], Nest) and self.scratch == 0

    # -- values ------------------------------------------------------------------------------------------------------

    def _operand(self, described: Any) -> _Value:
        what, *rest = described
        if what == "x":
            return self.given[rest[0]]
        if what == "t":
            member, number = rest
            return self._made[member][number]
        kind, number = rest
        return _known(literal(number, kind))

    def _nest(self, shape: Shape, first: int) -> tuple[int, Nest]:
        """The first nest over `shape` that is not before the piece `first`; a new one if there is none."""
        for position in range(max(first, 0), len(self.pieces)):
            piece = self.pieces[position]
            if isinstance(piece, Nest) and piece.shape == shape:
                return position, piece
        nest = Nest(shape)
        self.pieces.append(nest)
        return len(self.pieces) - 1, nest

    def _elementwise(
        self,
        write: Callable[[Emitter, Sequence[Number]], Number],
        operands: Sequence[_Value | Steps],
        kind: str,
        shape: Shape,
    ) -> _Value:
        first = 0
        for operand in operands:
            if isinstance(operand, _Value) and operand.number is None:
                stays = operand.nest is not None and operand.shape == shape
                first = max(first, operand.position + (0 if stays else 1))
        position, nest = self._nest(shape, first)
        taken: list[Operand] = []
        for operand in operands:
            if isinstance(operand, Steps):
                taken.append(operand)
            elif operand.number is not None:
                taken.append(operand.number)
            elif operand.nest is nest:
                taken.append(operand.register)
            else:
                taken.append(self._view(operand))
        value = _Value(kind, shape)
        value.nest, value.register, value.position = nest, nest.add(write, taken), position
        return value

    def _view(self, value: _Value) -> View:
        """The value in memory: from now on it is kept."""
        if value.view is None:
            if value.number is not None:
                number = value.number
                kept = self._elementwise(lambda emit, _: number, [], value.kind, value.shape)
                value.nest, value.register, value.position = kept.nest, kept.register, kept.position
            assert value.nest is not None
            memory = Memory(value.kind, size(value.shape))
            value.nest.kept[value.register] = memory
            value.view = View(memory, value.shape)
        return value.view

    def _looked_at(self, value: _Value, shape: Shape, strides: Shape, offset: int = 0) -> _Value:
        """The value's memory, looked at in another way."""
        view = self._view(value)
        made = _Value(value.kind, shape)
        made.view, made.position = View(view.memory, shape, strides, view.offset + offset), value.position
        return made

    def _reduce(self, kind: str, value: _Value, axes: Sequence[int], shape: Shape) -> _Value:
        made = _Value(value.kind, shape)
        memory = Memory(value.kind, size(shape))
        made.view = View(memory, shape)
        self.pieces.append(Reduction(kind, self._view(value), axes, memory))
        made.position = len(self.pieces) - 1
        return made

    # -- ops ---------------------------------------------------------------------------------------------------------

    def _lower(
        self, type: str, attrs: dict[str, Any], given: list[_Value], wanted: list[tuple[str, Shape]]
    ) -> list[_Value]:
        kind, shape = wanted[0]
        if type in ELEMENTWISE:
            if type == "Pow":
                given = given[:1]
            return [self._elementwise(_writing(type, kind, attrs), given, kind, shape)]
        if type in REDUCTIONS:
            return [self._lower_reduction(type, attrs, given[0], shape)]
        if type in ("Reshape", "ExpandDims", "Squeeze", "Identity"):
            return [self._reshaped(given[0], shape)]
        if type in ("Fill", "BroadcastTo", "Tile"):
            return [self._broadcast(given[0], shape)]
        if type in SOFTMAX:
            return self._lower_softmax(type, given, wanted)
        raise Refused(f"Nothing is known of {type}.")

    def _reshaped(self, value: _Value, shape: Shape) -> _Value:
        if value.shape == shape:
            return value
        if value.number is not None:
            return self._broadcast(value, shape)
        view = self._view(value)
        if view.strides != contiguous(view.shape):
            raise Refused("What is reshaped does not lie in order.")
        return self._looked_at(value, shape, contiguous(shape))

    def _broadcast(self, value: _Value, shape: Shape) -> _Value:
        """The value, of one element along every axis that is longer in `shape`."""
        if value.shape == shape:
            return value
        if value.number is not None:
            made = _Value(value.kind, shape)
            made.number = value.number
            return made
        view = self._view(value)
        return self._looked_at(value, shape, view.over(shape))

    def _lower_reduction(self, type: str, attrs: dict[str, Any], value: _Value, shape: Shape) -> _Value:
        axes = attrs["axes"]
        count = size(tuple(value.shape[axis] for axis in axes))
        if type == "L2Loss":
            value = self._elementwise(_writing("Square", value.kind, {}), [value], value.kind, value.shape)
        made = self._reduce(REDUCTIONS[type], value, axes, shape)
        if type == "Mean":
            divisor = _known(literal(count, made.kind))
            made = self._elementwise(_writing("RealDiv", made.kind, {}), [made, divisor], made.kind, shape)
        elif type == "L2Loss":
            half = _known(literal(0.5, made.kind))
            made = self._elementwise(_writing("Mul", made.kind, {}), [made, half], made.kind, shape)
        return made

    def _lower_softmax(self, type: str, given: list[_Value], wanted: list[tuple[str, Shape]]) -> list[_Value]:
        logits = given[0]
        shape, kind = logits.shape, logits.kind
        last = len(shape) - 1
        rows = (*shape[:-1], 1)

        def each(name: str, *operands: _Value) -> _Value:
            longest = max((operand.shape for operand in operands), key=size)
            return self._elementwise(_writing(name, kind, {}), operands, kind, longest)

        sparse = type == "SparseSoftmaxCrossEntropyWithLogits"
        if sparse:
            self.pieces.append(Check(self._view(given[1]), shape[-1]))
        below = each("Sub", logits, self._reduce("max", logits, [last], rows))
        raised = each("Exp", below)
        total = self._reduce("sum", raised, [last], rows)
        if type == "Softmax":
            return [each("Mul", raised, each("Reciprocal", total))]
        logarithm = each("Log", total)
        if type == "LogSoftmax":
            return [each("Sub", below, logarithm)]
        probabilities = each("Mul", raised, each("Reciprocal", total))
        if sparse:
            labels = self._looked_at(given[1], rows, contiguous(rows))
            chosen = self._elementwise(_is_label, [labels, Steps(last)], "b1", shape)
            zero = _known(literal(0, kind))
            mine = self._elementwise(_writing("Select", kind, {}), [chosen, below, zero], kind, shape)
            target = self._elementwise(_writing("Cast", kind, {}), [chosen], kind, shape)
            loss = each("Sub", self._reshaped(logarithm, wanted[0][1]), self._reduce("sum", mine, [last], wanted[0][1]))
        else:
            target = given[1]
            apart = each("Mul", each("Sub", logarithm, below), target)
            loss = self._reduce("sum", apart, [last], wanted[0][1])
        return [loss, each("Sub", probabilities, target)]

    # -- memory ------------------------------------------------------------------------------------------------------

    def _outputs(self, wanted: list[_Value]) -> list[Memory]:
        """The memory of each wanted value: a copy where it has none of its own."""
        outputs: list[Memory] = []
        mine = [value.view.memory for value in self.given if value.view is not None]
        for value in wanted:
            view = self._view(value)
            if not view.is_whole or view.memory in outputs or view.memory in mine:
                view = self._view(self._elementwise(lambda emit, given: given[0], [value], value.kind, value.shape))
            outputs.append(view.memory)
        return outputs

    def _place(self) -> int:
        """Gives each memory its pointer; the bytes of scratch memory."""
        for index, memory in enumerate(self.outputs):
            memory.pointer = f"%y{index}"
        used = 0
        for piece in self.pieces:
            for memory in piece.makes():
                if not memory.pointer:
                    memory.pointer = f"%s{used}"
                    used += -(-memory.size * SIZES[memory.kind] // _LINE) * _LINE
        return used


_PARTS = "i64 %part, i64 %parts"


def _known(number: Number) -> _Value:
    value = _Value(number.kind, ())
    value.number = number
    return value


def _writing(type: str, kind: str, attrs: dict[str, Any]) -> Callable[[Emitter, Sequence[Number]], Number]:
    return lambda emit, operands: expression(emit, type, operands, kind, attrs)


def _is_label(emit: Emitter, operands: Sequence[Number]) -> Number:
    label, number = operands
    return emit.compare("eq", emit.cast(label, "i8"), number)


def region(text: str) -> Assembly:
    """The code of a region."""
    lowered = Lowered(text)
    described = [
        *((f"x{index}", kind, len(shape)) for index, (kind, shape) in enumerate(lowered.inputs)),
        *((f"y{index}", memory.kind, 1) for index, memory in enumerate(lowered.outputs)),
        ("scratch", "i1", 1),
    ]
    entry = Function(
        "tfbench_region",
        ", ".join([
            "ptr %table",
            *(f"{TYPES[kind] if rank == 0 else 'ptr'} %{name}" for name, kind, rank in described),
            _PARTS,
        ]),
        exported=True,
        returns="i64",
    )  # fmt: skip
    given, taken, arguments = [], [], []
    for position, (name, kind, rank) in enumerate(described, 1):
        if rank == 0:
            arguments.append(kind)
            given.append(f"{TYPES[kind]} %{name}")
            taken.append(given[-1])
            continue
        arguments.append(f"{kind}[{rank}]")
        sizes = lowered.inputs[position - 1][1] if position <= len(lowered.inputs) else None
        data = objects.data(entry, f"%{name}", position, sizes)
        given.append(f"ptr {data}")
        taken.append(f"ptr noalias %{name}")
    body = Function("tfbench_body", ", ".join([*taken, _PARTS]), returns="i64")
    body.give(0)
    _write_body(body, lowered)
    entry.give(entry.new(f"call i64 @tfbench_body({', '.join([*given, _PARTS])})"))
    return Assembly("tfbench_region", module([*functions(), body, entry], DECLARATIONS), [*arguments, "i8", "i8"])


def _write_body(body: Function, lowered: Lowered) -> None:
    for piece in lowered.pieces:
        for memory in piece.makes():
            if memory.pointer.startswith("%s"):
                body.do(f"{memory.pointer} = getelementptr i8, ptr %scratch, i64 {memory.pointer[2:]}")
    for piece in lowered.pieces:
        if isinstance(piece, Nest):
            piece.write(body, ("%part", "%parts") if lowered.parts else None)
        else:
            piece.write(body)
