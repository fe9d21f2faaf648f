"""`explain.placement`: where every operation runs, why there, and what is copied between devices."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbench.engine.fetches import FetchList
from tfbench.engine.frames import arrange, flattened
from tfbench.engine.graph import Operation
from tfbench.engine.partition import Transfer, transfers
from tfbench.engine.placement import Placement
from tfbench.engine.prune import needed_operations
from tfbench.engine.session import Session
from tfbench.explain.defaults import graph_for, graph_of_fetches, session_for
from tfbench.explain.places import short_device
from tfbench.explain.rows import Rows, plain
from tfbench.explain.text import count


class PlacedRow(NamedTuple):
    """One operation: the device that it asked for, '' for none, and the one it got."""

    op: str
    requested: str
    assigned: str
    #: "asked", "colocated", "soft: no kernel", "soft: no device" or "default"
    reason: str
    #: what that means here: colocated with which operation, which kernel is missing
    detail: str
    simulated: bool


class PlacedOps(Rows[PlacedRow]):
    """Where operations run."""

    __slots__ = ()
    noun = "operation"
    header = ("op", "asked for", "assigned", "why")

    def key(self, row: PlacedRow) -> str:
        return row.op

    def cells(self, row: PlacedRow) -> tuple[str, ...]:
        why = f"{row.reason}: {row.detail}" if row.detail else row.reason
        return (row.op, row.requested or "-", _marked(row.assigned, row.simulated), why)

    def footer(self) -> str:
        devices: dict[str, int] = {}
        for row in self:
            name = _marked(row.assigned, row.simulated)
            devices[name] = devices.get(name, 0) + 1
        parts = [f"{number} on {name}" for name, number in sorted(devices.items())]
        return super().footer() + (f": {', '.join(parts)}" if parts else "")


class TransferRow(NamedTuple):
    """What crosses: a tensor, or `^op` for a control edge. `bytes` is None while it is not known."""

    tensor: str
    source: str
    destination: str
    bytes: int | None
    #: whether one of the two devices is
    simulated: bool = False


class Transfers(Rows[TransferRow]):
    """What crosses devices in one run, once for each tensor and destination, in the order of sending."""

    __slots__ = ()
    noun = "transfer"
    header = ("tensor", "from", "to", "bytes")

    def key(self, row: TransferRow) -> str:
        return row.tensor

    def cells(self, row: TransferRow) -> tuple[str, ...]:
        return (row.tensor, row.source, row.destination, "?" if row.bytes is None else f"{row.bytes:,}")

    def footer(self) -> str:
        if not len(self):
            return "nothing crosses devices"
        mark = " (simulated devices)" if any(row.simulated for row in self) else ""
        return f"{super().footer()}, {_total(self)}{mark}"


class PlacementAnswer:
    """Where operations run (`.ops`) and what crosses (`.transfers`)."""

    __slots__ = ("ops", "transfers")

    ops: PlacedOps
    transfers: Transfers

    def __init__(self, ops: PlacedOps, transfers: Transfers) -> None:
        object.__setattr__(self, "ops", ops)
        object.__setattr__(self, "transfers", transfers)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("PlacementAnswer is frozen")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlacementAnswer) and (self.ops, self.transfers) == (other.ops, other.transfers)

    def __hash__(self) -> int:
        return hash((self.ops, self.transfers))

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON takes."""
        return {"ops": [plain(row) for row in self.ops], "transfers": [plain(row) for row in self.transfers]}

    def __str__(self) -> str:
        return f"{self.ops}\n\n{self.transfers}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"{self.ops._repr_html_()}<br>{self.transfers._repr_html_()}"


def placement(fetches: Any = None, graph: Any = None, session: Any = None, feeds: Any = ()) -> PlacementAnswer:
    """Where operations run, and why; and what is copied between devices. Nothing is run.

    A transfer inside a loop is one row, and happens in each iteration. What is fed is on its tensor's device, and what
    is fetched is taken from there: neither is a transfer.

    Args:
      fetches: as `Session.run` takes them: only what they need, in run order. Default: the whole graph.
      graph: a Graph or the name of one of the bench's; default: that of the fetches or the session, else the default.
      session: whose devices and options count; default: the default session or the bench's, if it runs this graph.
      feeds: tensors (or their names) that will be fed: what only they need does not run.

    Raises:
      tf.errors.InvalidArgumentError: if TensorFlow would refuse to place the graph.
    """
    wanted = graph_for(graph, session) if graph is not None else graph_of_fetches(fetches) or graph_for(None, session)
    session = session or session_for(wanted) or Session(graph=wanted)
    if fetches is None:
        order, fed = wanted.get_operations(), []
        placed = session.look_at_placement([], [], [])
    else:
        nest = FetchList(wanted, fetches)
        fed = [wanted.as_graph_element(feed, allow_operation=False) for feed in feeds]
        order = flattened(arrange(needed_operations(nest.tensors, nest.operations, set(fed)), set(fed)))
        placed = session.look_at_placement(nest.tensors, nest.operations, fed)
    rows = [_row(op, placed) for op in order]
    crossing = [_transfer(transfer, placed) for transfer in transfers(order, placed, fed)]
    return PlacementAnswer(PlacedOps(rows), Transfers(crossing))


def _row(op: Operation, placed: Placement) -> PlacedRow:
    device, reason = placed.device_of(op), placed.reason(op)
    return PlacedRow(op.name, op.device, short_device(device.name), reason.word, reason.detail, device.simulated)


def _transfer(transfer: Transfer, placed: Placement) -> TransferRow:
    source, destination = placed.devices[transfer.source], placed.devices[transfer.destination]
    simulated = source.simulated or destination.simulated
    names = short_device(source.name), short_device(destination.name)
    return TransferRow(transfer.name, *names, transfer.bytes, simulated)


def _marked(device: str, simulated: bool) -> str:
    return f"{device} (simulated)" if simulated else device


def _total(rows: Transfers) -> str:
    known = sum(row.bytes or 0 for row in rows)
    unknown = sum(row.bytes is None for row in rows)
    return f"{known:,} bytes" + (f" and {count(unknown, 'transfer')} of unknown size" if unknown else "")
