"""`explain.order`: what a run does, step by step."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbench.engine.graph import Operation
from tfbench.engine.session import Session
from tfbench.explain.defaults import graph_for, graph_of_fetches, session_for
from tfbench.explain.places import short_device
from tfbench.explain.rows import Rows


class StepRow(NamedTuple):
    """One operation of a run: which device it runs on, and what it waited for."""

    op: str
    type: str
    device: str
    #: the tensors it takes
    data_inputs: tuple[str, ...]
    #: the operations that had to run before it for another reason
    control_inputs: tuple[str, ...]


class Order(Rows[StepRow]):
    """The steps of a run, in the order in which they run."""

    __slots__ = ()
    noun = "step"
    header = ("step", "op", "type", "after (data)", "after (control)", "device")

    def key(self, row: StepRow) -> str:
        return row.op

    def cells(self, row: StepRow) -> tuple[str, ...]:
        return (
            str(self._rows.index(row) + 1),
            row.op,
            row.type,
            ", ".join(row.data_inputs) or "-",
            ", ".join(row.control_inputs) or "-",
            row.device,
        )

    def footer(self) -> str:
        devices = dict.fromkeys(row.device for row in self)
        return super().footer() + (f" on {', '.join(devices)}" if devices else "")


def order(fetches: Any, session: Any = None, feeds: Any = ()) -> Order:
    """The operations that `session.run(fetches)` runs, pruned and in run order. Nothing is run.

    The order is one fixed order: what an operation waits for comes first, and among those that could run the one
    that was made first.

    Args:
      fetches: as `Session.run` takes them.
      session: default: the default session or the bench's, if it runs this graph.
      feeds: tensors (or their names) that will be fed: what only they need does not run.
    """
    graph = graph_of_fetches(fetches) or graph_for(None, session)
    session = session or session_for(graph) or Session(graph=graph)
    plan = session.plan(fetches, list(feeds))
    device = short_device(session.list_devices()[0].name)
    return Order([_step(op, device) for op in plan.order])


def _step(op: Operation, device: str) -> StepRow:
    return StepRow(
        op.name,
        op.type,
        device,
        tuple(tensor.name for tensor in op.inputs),
        tuple(control.name for control in op.control_inputs),
    )
