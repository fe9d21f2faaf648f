"""`tfbench.watch`: what tensors and variables hold while a loop runs, as numbers and as a curve.

The loop only hands values over (`engine.watching`); statistics are computed by the session's follower, at most ten
times a second. Of a number every value that is seen becomes a point of the curve, of an array its mean. A curve is
thinned as it grows, so it always shows all of the loop and takes no more room.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np

from tfbench.engine.hooks import unhook, weakly
from tfbench.engine.operation import Operation
from tfbench.engine.resources import VARIABLE_TYPES, variable_key
from tfbench.engine.value_text import array_of, value_text
from tfbench.engine.watching import Tap
from tfbench.explain.defaults import session_that_runs
from tfbench.explain.follower import follower_of
from tfbench.explain.rows import Rows
from tfbench.value_stats import ValueStats, value_stats

#: points of a curve
POINTS = 240
_BARS = "▁▂▃▄▅▆▇█"
#: bars of the text form
_WIDTH = 24


class Curve:
    """Points in order; every second one is left out whenever there are too many. The newest is always there."""

    __slots__ = ("_every", "_newest", "_points", "count")

    def __init__(self) -> None:
        self._points: list[float] = []
        self._every = 1
        self._newest: float | None = None
        #: values so far
        self.count = 0

    def add(self, value: float) -> None:
        """The next value."""
        self._newest = value
        if self.count % self._every == 0:
            self._points.append(value)
            self._newest = None
            if len(self._points) >= POINTS:
                del self._points[1::2]
                self._every *= 2
        self.count += 1

    def points(self) -> list[float]:
        """The values to show."""
        newest = self._newest
        return self._points[:] if newest is None else [*self._points, newest]


class WatchRow(NamedTuple):
    """What is known of one tensor."""

    name: str
    #: the newest value in a few words; "not seen" before the first
    now: str
    #: how many values were seen
    seen: int
    curve: tuple[float, ...]
    stats: ValueStats | None


class Watched(Rows[WatchRow]):
    """The watched tensors, in the order in which they were given."""

    __slots__ = ()
    noun = "tensor"
    header = ("name", "now", "seen", "curve")

    def cells(self, row: WatchRow) -> tuple[str, ...]:
        return (row.name, row.now, str(row.seen), bars(row.curve) or "-")


class Watch:
    """Watches until `stop` is called, the session is closed, or nobody holds it any more."""

    #: set by the notebook's extension: how a front end shows a Watch
    present: Callable[[Watch], Any] | None = None

    def __init__(self, session: Any, tensors: list[Any], every: float = 0.1) -> None:
        self.session = session
        #: called when there is something new, at most ten times a second
        self.listeners: list[Callable[[], None]] = []
        self._names = [_name(element) for element in tensors]
        self._variables = [(i, _variable(element)) for i, element in enumerate(tensors) if _variable(element)]
        others = [(i, element) for i, element in enumerate(tensors) if not _variable(element)]
        self._places: dict[Any, list[int]] = {}
        for i, tensor in others:
            self._places.setdefault(tensor, []).append(i)
        self._curves = [Curve() for _ in tensors]
        self._values: list[Any] = [None] * len(tensors)
        self._stats: list[ValueStats | None] = [None] * len(tensors)
        self._marks: list[Any] = [None] * len(tensors)
        self._lock = threading.RLock()
        #: whether it is over
        self.stopped = False
        self.tap = Tap(self._places, weakly(self._take), weakly(self.stop), every)
        self.follower = follower_of(session)
        self.follower.members.add(self)
        session.hooks.append(self.tap)
        finalize(self, unhook, (session.hooks, self.tap))
        self.follower.start()

    # -- called by the loop's thread --------------------------------------------------------------------------

    def _take(self, tensor: Any, value: Any) -> None:
        for i in self._places[tensor]:
            self._values[i] = value
            if isinstance(value, np.generic) and value.dtype.kind in "fiub":
                self._curves[i].add(float(value))

    # -- called by the follower's -------------------------------------------------------------------------------

    def look(self) -> None:
        """The session has run: works out what is new."""
        try:
            if not self.stopped:
                self._look(False)
        except Exception:
            return  # what watches a loop must not break it; the next look may go well
        for listener in list(self.listeners):
            listener()

    def quiet(self) -> None:
        """The session has not run for a while."""

    def _look(self, now: bool) -> None:
        with self._lock:
            for i, op in self._variables:
                mark, stats = self.follower.value(op.name, op, now=now)
                if mark != self._marks[i]:
                    self._marks[i] = mark
                    self._stats[i] = stats
                    self._values[i] = self.session.resources.find(*variable_key(op))
                    if stats is not None and stats.mean is not None:
                        self._curves[i].add(stats.mean)
            for places in self._places.values():
                for i in places:
                    value = self._values[i]
                    array = array_of(value)
                    if array is None or value is self._marks[i]:
                        continue
                    self._marks[i] = value
                    self._stats[i] = stats = value_stats(array)
                    if stats is not None and stats.mean is not None and not isinstance(value, np.generic):
                        self._curves[i].add(stats.mean)

    # -- for those who look ---------------------------------------------------------------------------------------

    @property
    def rows(self) -> Watched:
        """What is known now."""
        if not self.stopped:
            self._look(True)
        return self.known

    @property
    def known(self) -> Watched:
        """What was known after the last look."""
        with self._lock:
            found = []
            for name, value, curve, stats in zip(self._names, self._values, self._curves, self._stats):
                seen = array_of(value) is not None
                now = value_text(value) if seen else self._missing
                found.append(WatchRow(name, now, curve.count, tuple(curve.points()), stats))
            return Watched(found)

    @property
    def _missing(self) -> str:
        runs = self.tap.runs
        return f"not computed by the {runs} runs so far" if runs else "nothing has run yet"

    def stop(self) -> None:
        """Takes a last look, and watches no longer. What was seen stays."""
        if self.stopped:
            return
        if not self.session._closed:
            self._look(True)
        self._values = [_kept(value) for value in self._values]
        self.stopped = True
        unhook((self.session.hooks, self.tap))
        self.follower.leave(self)
        for listener in list(self.listeners):
            listener()

    def __str__(self) -> str:
        return str(self.rows)

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        present = Watch.present
        if present is not None:
            return present(self)
        rows = self.rows
        return {"text/plain": str(rows), "text/html": rows._repr_html_()}


def watch(*tensors: Any, every: float = 0.1, session: Any = None) -> Watch:
    """Watches tensors and variables while a loop runs, here or in another thread.

    A tensor is seen in the runs that compute it, whether they fetch it or not; nothing is run for the sake of looking.

    Args:
      tensors: tensors, variables, operations with an output, or names.
      every: seconds between two looks into runs that do not fetch what is watched.
      session: default: the default session or the bench's, if it runs this graph.

    Raises:
      ValueError: if nothing is given, there is no session that runs this graph, or `every` is not positive.
      KeyError: for a name that is not in the graph.
    """
    if not tensors:
        raise ValueError("watch() takes tensors, variables, or their names")
    if every <= 0:
        raise ValueError(f"every must be more than 0 seconds, but is {every}")
    session = session_that_runs(list(tensors), session, "watch")
    return Watch(session, [_element(session.graph, each) for each in tensors], every)


def bars(values: tuple[float, ...]) -> str:
    """A curve as characters."""
    finite = [value for value in values if np.isfinite(value)]
    if not finite:
        return ""
    if len(values) > _WIDTH:
        values = tuple(values[round(i * (len(values) - 1) / (_WIDTH - 1))] for i in range(_WIDTH))
    low, span = min(finite), max(finite) - min(finite)
    heights = [
        int((value - low) / span * (len(_BARS) - 1) + 0.5) if span else 3 for value in values if np.isfinite(value)
    ]
    marks = iter(heights)
    return "".join(_BARS[next(marks)] if np.isfinite(value) else "×" for value in values)


def _element(graph: Any, given: Any) -> Any:
    element = graph.as_graph_element(given)
    if isinstance(element, Operation):
        if not element.outputs:
            raise ValueError(f"{element.name} ({element.type}) gives no value that could be watched")
        element = element.outputs[0]
    return element


def _name(tensor: Any) -> str:
    return tensor.op.name if tensor.name.endswith(":0") else tensor.name


def _variable(tensor: Any) -> Any:
    """The op of the variable that a tensor is, or is read from as it stands."""
    op = tensor.op
    if op.type == "Identity" and op.inputs[0].op.type in VARIABLE_TYPES and op.name == f"{op.inputs[0].op.name}/read":
        op = op.inputs[0].op
    return op if op.type in VARIABLE_TYPES else None


def _kept(value: Any) -> Any:
    """A value that later runs do not change."""
    array = array_of(value)
    return None if array is None else array[()] if array.ndim == 0 else array.copy()
