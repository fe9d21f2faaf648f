"""What a session has run so far: which operations, and how the graph grew from run to run.

Only new plans are looked at, so running the same again costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from tfbench.engine.operation import Operation
    from tfbench.engine.tensor import Tensor

#: growths that are remembered, the latest
_MOST = 64


class RunHistory:
    """Of one session."""

    __slots__ = ("fed", "fetched", "growths", "ran", "runs", "size")

    def __init__(self) -> None:
        #: plans made so far
        self.runs = 0
        #: operations in the graph when the latest plan was made
        self.size = 0
        #: what was added between two plans: the numbers of the first operation, and of the first after it
        self.growths: list[tuple[int, int]] = []
        #: names of the tensors that were fed, and of those that were fetched
        self.fed: set[str] = set()
        self.fetched: set[str] = set()
        #: the operations that were run, as far as there still are
        self.ran: WeakSet[Operation] = WeakSet()

    def add(self, operations: Iterable[Operation], fed: Iterable[Tensor], fetched: Iterable[Tensor], size: int) -> None:
        """A plan of `operations` was made, with `size` operations in the graph."""
        if self.runs and size > self.size:
            self.growths.append((self.size, size))
            del self.growths[:-_MOST]
        elif size < self.size:
            self.growths.clear()  # the graph was rolled back: the numbers mean something else now
        self.runs += 1
        self.size = size
        self.fed.update(tensor.name for tensor in fed)
        self.fetched.update(tensor.name for tensor in fetched)
        self.ran.update(operations)
