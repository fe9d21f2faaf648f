"""What the walk of gradients asks where loops lie between the ys and the xs.

The walk itself knows no loops. Whoever does gives `provider` a function that makes a `LoopGradients` for one walk; it
is called for every walk in a graph in which an op was ever given another input (no loop can be built without), and
returns None where no loop's exit lies between.

In order: `start` once, before the first op; then for each op `enter(op, True)`, its outputs' gradients are added up,
`exit(op, True)`, `enter(op, False)`, its inputs' gradients are built (`zeros` for outputs that nobody differentiated),
`exit(op, False)`, and `used` for the op of each input; `finish` at the end. All of them may look at the walk, put ops
into `walk.queue`, and `walk.add` gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tfbench.engine.gradients.zeros import zeros_for
from tfbench.engine.graph import Operation

if TYPE_CHECKING:
    from tfbench.engine.gradients.walk import Walk
    from tfbench.engine.tensor import Tensor


class LoopGradients:
    """The loops of one walk. This one knows none: it is what overriding methods go back to."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def start(self) -> None:
        """Loops that no y uses all results of: their unused exits get zeros, and are put into the queue."""

    def enter(self, op: Operation, before: bool) -> None:
        """Enters the context in which the gradient of `op` is built; `before`: the one outside, for an exit."""

    def exit(self, op: Operation, before: bool) -> None:
        """Leaves it."""

    def zeros(self, op: Operation, index: int) -> Tensor | None:
        """The gradient of an output that nobody differentiated; None if there is to be none."""
        return zeros_for(op, index)

    def used(self, op: Operation, left: int) -> None:
        """One more use of `op` is done, `left` are not: an op that can be built now goes into the queue."""
        if left == 0:
            self.walk.queue.append(op)

    def finish(self) -> None:
        """What is to be added when the walk is over."""


#: makes the loops' part of a walk, from the walk and the ops between
provider: list[Callable[[Walk, list[Operation]], LoopGradients | None]] = []


def needed(walk: Walk, between: list[Operation]) -> LoopGradients | None:
    """The loops' part of a walk, if any loop lies between."""
    return provider[-1](walk, between) if provider else None
