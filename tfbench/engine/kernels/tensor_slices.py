"""Parts of tensors: how ops write them (`6 2 0,2:-`), how checkpoints name them, and which part overlaps which.

A slice has an extent per dimension, `start,length` or `-` for all of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.errors import InternalError

#: the length that stands for all of a dimension
ALL = -1

Shape = tuple[int, ...]


class TensorSlice:
    """Extents `(start, length)`; `(0, ALL)` for a whole dimension."""

    __slots__ = ("extents",)

    def __init__(self, extents: Sequence[tuple[int, int]]) -> None:
        self.extents = tuple(extents)

    @staticmethod
    def whole(rank: int) -> TensorSlice:
        return TensorSlice([(0, ALL)] * rank)

    @staticmethod
    def parse(text: str) -> TensorSlice:
        """The slice that `0,2:-` says.

        Raises:
          InvalidArgumentError: if it is written otherwise.
        """
        extents = []
        for part in text.split(":") if text else ():
            if part == "-":
                extents.append((0, ALL))
                continue
            start, comma, length = part.partition(",")
            if not (comma and start.isdecimal() and length.isdecimal() and int(length)):
                raise invalid(f"Expected a pair of numbers or '-' but got '{part}': string = {text}")
            extents.append((int(start), int(length)))
        return TensorSlice(extents)

    @staticmethod
    def from_proto(message: Any) -> TensorSlice:
        extents = message.extent
        return TensorSlice(
            [(e.start, e.length if e.WhichOneof("has_length_hack") == "length" else ALL) for e in extents]
        )

    def add_to_proto(self, message: Any) -> None:
        """Writes this into a TensorSliceProto."""
        message.SetInParent()
        for start, length in self.extents:
            extent = message.extent.add()
            if length != ALL:
                extent.start = start
                extent.length = length

    def __str__(self) -> str:
        return ":".join("-" if length == ALL else f"{start},{length}" for start, length in self.extents)

    @property
    def is_whole(self) -> bool:
        return all(length == ALL for _, length in self.extents)

    def bounds(self, shape: Shape) -> list[tuple[int, int]]:
        """First and last + 1 per dimension.

        Raises:
          InternalError: if the slice is not one of a tensor of `shape`.
        """
        if len(shape) != len(self.extents):
            raise InternalError(None, None, f"Mismatching ranks: shape = {brackets(shape)}, slice = {self}")
        result = []
        for axis, ((start, length), size) in enumerate(zip(self.extents, shape)):
            end = size if length == ALL else start + length
            if end > size:
                raise InternalError(
                    None,
                    None,
                    f"Extent in dimension {axis} out of bounds: shape = {brackets(shape)}, slice = {self}",
                )
            result.append((start, end))
        return result

    def shape_of(self, shape: Shape) -> Shape:
        """The shape of this part of a tensor of `shape`."""
        return tuple(end - start for start, end in self.bounds(shape))

    def key(self, name: bytes) -> bytes:
        """The key of this part of the tensor `name` in a checkpoint; keys sort by name, then by place."""
        # So that no name is the beginning of another: a name ends with 0 1, and a 0 in it is written 0 255.
        escaped = re.sub(rb"[\0\xff]", lambda found: found[0] + (b"\xff" if found[0] == b"\0" else b"\0"), name)
        numbers = b"".join(_signed(start) + _signed(length) for start, length in self.extents)
        return _unsigned(0) + escaped + b"\0\1" + _unsigned(len(self.extents)) + numbers


def overlap(a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]]) -> list[tuple[int, int]] | None:
    """The bounds of what two parts have in common, or None."""
    both = [(max(x[0], y[0]), min(x[1], y[1])) for x, y in zip(a, b)]
    return both if all(start < end for start, end in both) else None


def parse_spec(spec: str) -> tuple[Shape, TensorSlice]:
    """The shape of the whole tensor and the part that `6 2 0,2:-` says.

    Raises:
      InvalidArgumentError: if it is written otherwise. InternalError: if the part is not within the whole.
    """
    *sizes, part = spec.split(" ")
    if not sizes:
        raise invalid(f"Need least two elements in shape_and_slice specification: {spec}")
    if not all(size.isdecimal() for size in sizes if size):
        raise invalid(f"Non numerical dimension in shape_and_slice: {spec}")
    shape, result = tuple([int(size) for size in sizes if size]), TensorSlice.parse(part)
    result.bounds(shape)
    return shape, result


def _unsigned(number: int) -> bytes:
    """A number such that longer ones sort after shorter ones: how many bytes, then they, highest first."""
    size = (number.bit_length() + 7) // 8
    return bytes([size]) + number.to_bytes(size, "big")


def _signed(number: int) -> bytes:
    """A number of either sign such that bytes sort as numbers do: leading ones count the bytes, as in UTF-8."""
    size = (number if number >= 0 else ~number).bit_length() // 7 + 1
    header = ((1 << size) - 1) << 7 * size
    return (number & (1 << 8 * size) - 1 ^ header).to_bytes(size, "big")
