"""`explain.order`: what a run does, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tfbench.engine.frames import Loop, Unit
from tfbench.engine.graph import Operation
from tfbench.engine.placement import Placement
from tfbench.engine.program import Program
from tfbench.engine.session import Session
from tfbench.explain.defaults import graph_for, graph_of_fetches, session_for
from tfbench.explain.places import short_device
from tfbench.explain.rows import Rows


class StepRow(NamedTuple):
    """One operation of a run: which device it runs on, what it waited for, and which loop it is in."""

    op: str
    type: str
    device: str
    #: the tensors it takes
    data_inputs: tuple[str, ...]
    #: the operations that had to run before it for another reason
    control_inputs: tuple[str, ...]
    #: the innermost loop's name, and when the op runs in it: once ("enter", "exit"), in each iteration ("body"), or
    #: once more ("test")
    loop: str = ""
    part: str = ""


class Order(Rows[StepRow]):
    """The steps of a run, in the order in which they run."""

    __slots__ = ()
    noun = "step"
    header: tuple[str, ...] = ("step", "op", "type", "after (data)", "after (control)", "device")

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


class LoopOrder(Order):
    """An order with loops in it: where each operation stands, once, and how often it runs."""

    __slots__ = ()
    header = ("step", "op", "type", "loop", "runs", "after (data)", "after (control)", "device")

    def cells(self, row: StepRow) -> tuple[str, ...]:
        step, op, kind, *rest = super().cells(row)
        return (step, op, kind, row.loop or "-", _RUNS[row.part], *rest)


#: how often an op runs for each time that the loop does
_RUNS = {"": "once", "enter": "once, to enter", "test": "N + 1 times", "body": "N times", "exit": "once, to leave"}


def order(fetches: Any, session: Any = None, feeds: Any = ()) -> Order:
    """The operations that `session.run(fetches)` runs, pruned and in run order. Nothing is run.

    The order is one fixed order: what an operation waits for comes first, and among those that could run the one
    that was made first; only a Shape comes right behind what it asks about. An operation in a loop is listed once; its
    row says how often it runs.

    Args:
      fetches: as `Session.run` takes them.
      session: default: the default session or the bench's, if it runs this graph.
      feeds: tensors (or their names) that will be fed: what only they need does not run.
    """
    graph = graph_of_fetches(fetches) or graph_for(None, session)
    session = session or session_for(graph) or Session(graph=graph)
    plan = session.plan(fetches, list(feeds))
    return order_of(plan.program, session.look_at_placement(plan.fetches, plan.order, plan.feeds))


def order_of(program: Program, on: Placement) -> Order:
    """The steps of a program, where they are placed so."""
    rows = [_step(op, short_device(on.device_of(op).name), loop, part) for op, loop, part in _placed(program.units)]
    return (LoopOrder if any(row.loop for row in rows) else Order)(rows)


def _placed(units: Iterable[Unit]) -> Iterator[tuple[Operation, str, str]]:
    """Each operation with the loop that it is in, and its part of it."""
    for unit in units:
        if not isinstance(unit, Loop):
            yield unit, "", ""
            continue
        for part, member in unit.parts():
            if isinstance(member, Loop):
                yield from _placed([member])
            else:
                yield member, unit.name, part


def _step(op: Operation, device: str, loop: str, part: str) -> StepRow:
    return StepRow(
        op.name,
        op.type,
        device,
        tuple(tensor.name for tensor in op.inputs),
        tuple(control.name for control in op.control_inputs),
        loop,
        part,
    )
