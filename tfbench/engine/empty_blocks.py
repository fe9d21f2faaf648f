"""The `control_dependencies` blocks of a graph in which no op was made, so that nothing waits for what they name.

Only blocks that a program opened itself are kept; they go when the graph is rolled back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tfbench.engine.source import Trace

if TYPE_CHECKING:
    from tfbench.engine.operation import Operation


class EmptyBlock(NamedTuple):
    """What should have been waited for, and where the block is."""

    inputs: tuple[Operation, ...]
    trace: Trace


class EmptyBlocks:
    """Those of one graph, in order."""

    def __init__(self) -> None:
        self.found: list[EmptyBlock] = []

    def snapshot(self) -> tuple[EmptyBlock, ...]:
        return tuple(self.found)

    def restore(self, state: tuple[EmptyBlock, ...]) -> None:
        self.found = list(state)
