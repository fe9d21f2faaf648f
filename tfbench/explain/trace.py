"""`tfbench.trace`: a run, and what each operation took: time, bytes, device."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from tfbench.engine.ops.matmul import trace as matrix_trace
from tfbench.engine.trace import Executed, Recorder
from tfbench.explain.chrome import chrome_trace
from tfbench.explain.defaults import graph_of_fetches, session_for, session_that_runs
from tfbench.explain.places import short_device
from tfbench.explain.rows import Rows, plain


class TracedStep(NamedTuple):
    """One execution of an operation; in a loop there is one for each iteration. Times are microseconds of the run."""

    op: str
    type: str
    device: str
    start_us: float
    duration_us: float
    #: of its outputs
    bytes: int
    simulated: bool


class TracedSteps(Rows[TracedStep]):
    """What a run did, in the order in which it ended."""

    __slots__ = ()
    noun = "step"
    header = ("op", "type", "device", "start µs", "took µs", "bytes")

    def key(self, row: TracedStep) -> str:
        return row.op

    def cells(self, row: TracedStep) -> tuple[str, ...]:
        device = f"{row.device} (simulated)" if row.simulated else row.device
        return (row.op, row.type, device, f"{row.start_us:.1f}", f"{row.duration_us:.1f}", f"{row.bytes:,}")

    def footer(self) -> str:
        if not len(self):
            return super().footer()
        busy: dict[str, float] = {}
        for row in self:
            busy[row.device] = busy.get(row.device, 0.0) + row.duration_us
        parts = [f"{spent:.1f} µs on {device}" for device, spent in sorted(busy.items())]
        return f"{super().footer()}: {', '.join(parts)}"


class TracedTransfer(NamedTuple):
    """One copy from a device to another; `^op` and 0 bytes where an operation only waited."""

    tensor: str
    source: str
    destination: str
    bytes: int
    start_us: float
    duration_us: float
    #: whether one of the two devices is
    simulated: bool = False


class TracedTransfers(Rows[TracedTransfer]):
    """What crossed devices, in the order in which it was sent."""

    __slots__ = ()
    noun = "transfer"
    header = ("tensor", "from", "to", "bytes", "start µs", "took µs")

    def key(self, row: TracedTransfer) -> str:
        return row.tensor

    def cells(self, row: TracedTransfer) -> tuple[str, ...]:
        times = (f"{row.start_us:.1f}", f"{row.duration_us:.1f}")
        return (row.tensor, row.source, row.destination, f"{row.bytes:,}", *times)

    def footer(self) -> str:
        if not len(self):
            return "nothing crossed"
        mark = " (simulated devices)" if any(row.simulated for row in self) else ""
        return f"{super().footer()}, {sum(row.bytes for row in self):,} bytes{mark}"


class Trace:
    """A run: its `.values`, its `.steps` and `.transfers`."""

    __slots__ = ("_chrome", "steps", "transfers", "values")

    values: Any
    steps: TracedSteps
    transfers: TracedTransfers
    _chrome: dict[str, Any]

    def __init__(self, values: Any, recorder: Recorder) -> None:
        done = [entry for entry in recorder.executed if entry.transfer is None]
        sent = [entry for entry in recorder.executed if entry.transfer is not None]
        sent.sort(key=lambda entry: entry.transfer.number)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "steps", TracedSteps([_step(entry, recorder) for entry in done]))
        object.__setattr__(self, "transfers", TracedTransfers([_transfer(entry, recorder) for entry in sent]))
        object.__setattr__(self, "_chrome", chrome_trace(recorder))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("Trace is frozen")

    def to_chrome(self, path: str | os.PathLike[str]) -> None:
        """Writes the run as a Chrome-trace file (chrome://tracing, Perfetto)."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self._chrome, file, indent=1)

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON takes; without the values."""
        return {"steps": [plain(row) for row in self.steps], "transfers": [plain(row) for row in self.transfers]}

    def __str__(self) -> str:
        slowest = sorted(self.steps, key=lambda row: -row.duration_us)
        shown = TracedSteps(slowest[:_MOST])
        lines = str(shown).rpartition("\n")[0] if len(shown) else ""
        cut = f" (the {_MOST} that took longest are shown)" if len(self.steps) > _MOST else ""
        return "\n".join(filter(None, [lines, self.steps.footer() + cut, "", str(self.transfers)]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        slowest = TracedSteps(sorted(self.steps, key=lambda row: -row.duration_us)[:_MOST])
        return f"{slowest._repr_html_()}<br>{self.transfers._repr_html_()}"


#: rows of the text form
_MOST = 20


def trace(
    fetches: Any = None, feed_dict: Any = None, session: Any = None, *, x: Any = None, name: str | None = None
) -> Any:
    """Runs `fetches` and returns their values with what each operation took, as a `Trace`.

    TensorFlow 1 has `tf.trace(x, name=None)`, the sum of a matrix' diagonal (`tf.linalg.trace`). That is meant where
    `x` or `name` is given, or one array, or one tensor that may be a matrix while no session runs its graph.

    Args:
      fetches, feed_dict: as `Session.run` takes them.
      session: default: the default session or the bench's, if it runs this graph.

    Raises:
      ValueError: if there is no session that runs this graph.
    """
    if isinstance(feed_dict, str):
        feed_dict, name = None, feed_dict
    if x is not None or name is not None or (feed_dict is None and session is None and _is_matrix(fetches)):
        return matrix_trace(fetches if x is None else x, name)
    session = session_that_runs(fetches, session, "trace")
    return Trace(*session.trace(fetches, feed_dict))


def _is_matrix(value: Any) -> bool:
    """Whether a value, given alone, is something to take the diagonal of."""
    graph = graph_of_fetches(value)
    if graph is None:
        return not isinstance(value, (str, dict)) and value is not None and not _has_names(value)
    if isinstance(value, (list, tuple, dict)) or not hasattr(value, "dtype"):
        return False
    rank = value.get_shape().ndims
    return (rank is None or rank >= 2) and session_for(graph) is None


def _has_names(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(item, str) or _has_names(item) for item in value)


def _step(entry: Executed, recorder: Recorder) -> TracedStep:
    device = recorder.devices[entry.device]
    return TracedStep(
        entry.op.name,
        entry.op.type,
        short_device(device.name),
        round(entry.start / 1000, 3),
        round((entry.end - entry.start) / 1000, 3),
        entry.bytes,
        device.simulated,
    )


def _transfer(entry: Executed, recorder: Recorder) -> TracedTransfer:
    transfer = entry.transfer
    source, destination = recorder.devices[transfer.source], recorder.devices[transfer.destination]
    return TracedTransfer(
        transfer.name,
        short_device(source.name),
        short_device(destination.name),
        entry.bytes,
        round(entry.start / 1000, 3),
        round((entry.end - entry.start) / 1000, 3),
        source.simulated or destination.simulated,
    )
