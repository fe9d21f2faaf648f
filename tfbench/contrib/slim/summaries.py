"""`slim.summaries`: summaries named after their tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfbench import summary
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import add_to_collection
from tfbench.engine.ops.printing import Print
from tfbench.engine.tensor import Tensor
from tfbench.nn.linear import zero_fraction

__all__ = [
    "add_histogram_summaries", "add_histogram_summary", "add_image_summaries", "add_image_summary",
    "add_scalar_summaries", "add_scalar_summary", "add_zero_fraction_summaries", "add_zero_fraction_summary",
]  # fmt: skip


def _name(tensor: Any, name: str | None, prefix: str | None, suffix: str | None = None) -> str:
    parts = [prefix, name or tensor.op.name, suffix]
    return "/".join(part for part in parts if part)


def add_scalar_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Tensor:
    """A scalar's value; with `print_summary` it is also printed when the summary is made."""
    full = _name(tensor, name, prefix)
    made = summary.scalar(full, tensor, collections=[] if print_summary else None)
    return _printed(made, tensor, full) if print_summary else made


def _printed(made: Tensor, tensor: Any, name: str) -> Tensor:
    made = Print(made, [tensor], name)
    add_to_collection(GraphKeys.SUMMARIES, made)
    return made


def add_histogram_summary(tensor: Any, name: str | None = None, prefix: str | None = None) -> Tensor:
    """The histogram of a tensor's elements."""
    return summary.histogram(_name(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Tensor:
    """The images of a tensor."""
    full = _name(tensor, name, prefix)
    made = summary.image(name=full, tensor=tensor)
    return _printed(made, tensor, full) if print_summary else made


def add_zero_fraction_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Tensor:
    """What part of a tensor is zero."""
    full = _name(tensor, name, prefix, "Fraction_of_Zero_Values")
    return add_scalar_summary(zero_fraction(tensor), full, print_summary=print_summary)


def add_histogram_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Tensor]:
    """`add_histogram_summary` of each."""
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Tensor]:
    """`add_image_summary` of each."""
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(
    tensors: Iterable[Any], prefix: str | None = None, print_summary: bool = False
) -> list[Tensor]:
    """`add_scalar_summary` of each."""
    return [add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors]


def add_zero_fraction_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Tensor]:
    """`add_zero_fraction_summary` of each."""
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
