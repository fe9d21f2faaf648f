"""`explain.timing`: how long a run takes, measured so that the answer can be believed.

The first runs are made to warm up (the first goes step by step, the second compiles) and do not count. Then each run is
timed by itself: the median, and the range of the middle half, since a mean would be that of the worst interruptions.
Where the time goes is asked of a few more runs that note each step; these are slower, so only their shares count.
"""

from __future__ import annotations

import html
import statistics
import time
from typing import Any, NamedTuple

from tfbench.explain.defaults import session_that_runs
from tfbench.explain.rows import Rows, plain
from tfbench.explain.text import count
from tfbench.explain.trace import Trace

#: runs to warm up, and runs whose steps are noted
WARM_UP, TRACED = 3, 5
#: runs that are timed where nobody says how many, and the seconds after which there are no more
RUNS, LONGEST = 100, 10.0
#: operations of the text form
_TOP = 8


class DeviceTime(NamedTuple):
    """What one device computes in a run. `share` is of all steps' time, from 0 to 1."""

    device: str
    seconds: float
    share: float
    simulated: bool


class OpTime(NamedTuple):
    """What one operation takes in a run, all its executions in a loop together."""

    op: str
    type: str
    device: str
    seconds: float
    share: float


class DeviceTimes(Rows[DeviceTime]):
    """Time per device, in the order of their names."""

    __slots__ = ()
    noun = "device"
    header = ("device", "time (share)")

    def key(self, row: DeviceTime) -> str:
        return row.device

    def cells(self, row: DeviceTime) -> tuple[str, ...]:
        return (f"{row.device} (simulated)" if row.simulated else row.device, _spent(row.seconds, row.share))


class OpTimes(Rows[OpTime]):
    """Time per operation, the longest first."""

    __slots__ = ()
    noun = "operation"
    header = ("op", "type", "device", "time (share)")

    def key(self, row: OpTime) -> str:
        return row.op

    def cells(self, row: OpTime) -> tuple[str, ...]:
        return (row.op, row.type, row.device, _spent(row.seconds, row.share))


class Timing:
    """How long a run takes, in seconds: `.median`, `.quartiles`, `.fastest`, `.samples`; `.devices` and `.ops`."""

    __slots__ = ("devices", "fastest", "median", "ops", "quartiles", "samples", "traced", "warm_up")

    samples: tuple[float, ...]
    median: float
    quartiles: tuple[float, float]
    fastest: float
    #: runs before the first that counts
    warm_up: int
    #: median of the runs whose steps were noted
    traced: float
    devices: DeviceTimes
    ops: OpTimes

    def __init__(self, samples: list[float], traced: list[float], traces: list[Trace]) -> None:
        low, _, high = statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else samples * 3
        found: dict[str, Any] = {
            "samples": tuple(samples),
            "median": statistics.median(samples),
            "quartiles": (low, high),
            "fastest": min(samples),
            "warm_up": WARM_UP,
            "traced": statistics.median(traced),
        }
        found["devices"], found["ops"] = _where(traces)
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("Timing is frozen")

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON takes."""
        numbers = {name: plain(getattr(self, name)) for name in self.__slots__ if name not in ("devices", "ops")}
        return {**numbers, **self.devices.to_dict(), **self.ops.to_dict()}

    @property
    def _first(self) -> str:
        low, high = self.quartiles
        return (
            f"{count(len(self.samples), 'run')} after {self.warm_up} to warm up: median {seconds_text(self.median)}, "
            f"half of them between {seconds_text(low)} and {seconds_text(high)}, fastest {seconds_text(self.fastest)}"
        )

    @property
    def _second(self) -> str:
        return f"where the time goes, in runs whose steps are timed one by one (they take {seconds_text(self.traced)}):"

    @property
    def _top(self) -> OpTimes:
        return OpTimes(self.ops[:_TOP])

    def __str__(self) -> str:
        tables = [str(table).rpartition("\n")[0] for table in (self.devices, self._top) if len(table)]
        more = len(self.ops) - _TOP
        last = [f"and {count(more, 'operation')} more"] if more > 0 else []
        return "\n".join([self._first, self._second, *tables, *last])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        words = [f"<div>{html.escape(line)}</div>" for line in (self._first, self._second)]
        return "".join([*words, self.devices._repr_html_(), "<br>", self._top._repr_html_()])


def timing(fetches: Any, feed_dict: Any = None, session: Any = None, runs: int | None = None) -> Timing:
    """Times a run. Variables and other state have their values again afterwards.

    Args:
      fetches, feed_dict: as `Session.run` takes them.
      session: default: the default session or the bench's, if it runs this graph.
      runs: how many are timed. Default: 100, or as many as ten seconds have.

    Raises:
      ValueError: if there is no session that runs this graph, or `runs` is less than 1. What `Session.run` raises.
    """
    if runs is not None and runs < 1:
        raise ValueError(f"runs must be at least 1, but is {runs}")
    session = session_that_runs(fetches, session, "time")
    before = session.resources.snapshot()
    try:
        return _timed(session, fetches, feed_dict, runs)
    finally:
        made = {key for key, _ in session.resources.items()} - set(before)
        session.resources.restore(before)
        if made:
            session.drop_plans()


def _timed(session: Any, fetches: Any, feed_dict: Any, runs: int | None) -> Timing:
    clock = time.perf_counter
    for _ in range(WARM_UP):
        session.run(fetches, feed_dict)
    samples: list[float] = []
    began = clock()
    while len(samples) < (runs or RUNS):
        start = clock()
        session.run(fetches, feed_dict)
        end = clock()
        samples.append(end - start)
        if runs is None and end - began > LONGEST:
            break
    traced, traces = [], []
    for _ in range(1 if samples[-1] > 1 else TRACED):
        start = clock()
        found = session.trace(fetches, feed_dict)
        traced.append(clock() - start)
        traces.append(Trace(*found))
    return Timing(samples, traced, traces)


def _where(traces: list[Trace]) -> tuple[DeviceTimes, OpTimes]:
    """The medians over some traced runs, by device and by operation."""
    per_op: dict[tuple[str, str, str], list[float]] = {}
    simulated: dict[str, bool] = {}
    for number, traced in enumerate(traces):
        for row in traced.steps:
            spent = per_op.setdefault((row.op, row.type, row.device), [0.0] * len(traces))
            spent[number] += row.duration_us / 1e6
            simulated[row.device] = row.simulated
    medians = {key: statistics.median(spent) for key, spent in per_op.items()}
    total = sum(medians.values()) or 1.0
    devices: dict[str, float] = {}
    for (_, _, device), seconds in medians.items():
        devices[device] = devices.get(device, 0.0) + seconds
    ops = sorted(medians.items(), key=lambda item: -item[1])
    rows = [DeviceTime(name, spent, spent / total, simulated[name]) for name, spent in sorted(devices.items())]
    return DeviceTimes(rows), OpTimes([OpTime(*key, spent, spent / total) for key, spent in ops])


def _spent(seconds: float, share: float) -> str:
    return f"{seconds_text(seconds)} ({share:.0%})".replace("%", " %")


def seconds_text(seconds: float) -> str:
    """A time with three digits: '1.23 ms'."""
    units = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
    unit, size = next((found for found in units if seconds >= 0.9995 * found[1]), units[-1])
    value = seconds / size
    return f"{value:.2f} {unit}" if value < 9.995 else f"{value:.1f} {unit}" if value < 99.95 else f"{value:.0f} {unit}"
