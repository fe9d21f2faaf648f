"""A graph as frozen plain data: all that a view may see."""

from __future__ import annotations

from tfbench.explain.text import shorten
from tfbench.snapshot.data import (
    EMPTY,
    Edge,
    OpInfo,
    Output,
    Scope,
    Shape,
    Snapshot,
    Source,
    VariableInfo,
)
from tfbench.snapshot.scopes import scope_tree
from tfbench.snapshot.take import stamp, take, without_gc
from tfbench.snapshot.text import attr_text
from tfbench.snapshot.variables import is_writer

__all__ = [
    "EMPTY",
    "Edge",
    "OpInfo",
    "Output",
    "Scope",
    "Shape",
    "Snapshot",
    "Source",
    "VariableInfo",
    "attr_text",
    "is_writer",
    "scope_tree",
    "shorten",
    "stamp",
    "take",
    "without_gc",
]
