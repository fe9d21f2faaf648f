"""Sends a graph, and what its variables hold, to the pages that listen; costs nothing while nobody does.

Two ways in. `graph_changed` is called where the graph is built, between cells: it takes a snapshot there and
sends what is different. `ran` is called after every `Session.run` and only raises a flag; a daemon thread looks
at the variables at most ten times a second, so a loop of fast runs never pays a message per run, and only the
newest values are sent. The thread rests twenty times as long as looking took: following costs a loop less than
5 %. The last look always happens: a flag raised while the thread rests is seen when it wakes.

`sequence` numbers what is sent. A page that misses a number, and every new page, gets a whole snapshot.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol
from weakref import ref

from tfbench.snapshot import Snapshot, stamp, take, variable_buffer
from tfbench.value_stats import ValueStats, value_stats
from tfbench.widgets.protocol import (
    HISTORY,
    VERSION,
    Packet,
    graph_packet,
    stats_packet,
    status_packet,
)

#: seconds between two looks at the variables
PERIOD = 0.1
#: rest for so many times what a look took
REST = 20.0
#: after so many seconds without a run the status goes back from "live"
QUIET = 1.0


class Send(Protocol):
    """How a message leaves: the widget's `send`."""

    def __call__(self, content: dict[str, Any], buffers: list[bytes]) -> None: ...


class Publisher:
    """Follows one graph, and one session if there is one. `close` ends it."""

    def __init__(
        self, graph: Any, session: Any, send: Send, *, name: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.graph = graph
        self.session = session
        self.name = name
        self.runs = 0
        self._send = send
        self._clock = clock
        self._lock = threading.RLock()
        self._sequence = 0
        self._sent: Snapshot | None = None
        self._stamp: tuple[int, int] | None = None
        self._listening = False
        self._closed = False
        self._state = "idle"
        self._trouble = False
        self._looks: dict[str, tuple[tuple[int, int, int], ValueStats | None]] = {}
        self._history: dict[str, deque[float]] = {}
        self._ran = threading.Event()
        self._thread: threading.Thread | None = None
        self._hooks: list[tuple[list[Any], Any]] = []
        self._observe(graph.observers, "graph_changed")
        if session is not None:
            self._observe(session.observers, "ran")

    def _observe(self, observers: list[Any], method: str) -> None:
        """Hooks in without keeping this publisher, and the widget behind it, alive."""
        weak = ref(self)

        def observer(_: Any) -> None:
            publisher = weak()
            if publisher is not None:
                getattr(publisher, method)()

        observers.append(observer)
        self._hooks.append((observers, observer))

    # -- what happens in the kernel ---------------------------------------------------------------------------

    def graph_changed(self) -> None:
        """The graph may have changed: send the difference. Call it from where the graph is built.

        Never raises: what watches a program must not break it. A failure is said in the status bar.
        """
        try:
            if self._listening and not self._closed and stamp(self.graph) != self._stamp:
                self._send_graph(whole=False)
        except Exception as error:
            self._failed(error)

    def ran(self) -> None:
        """The session has run once more. Cheap: the values are looked at by the thread."""
        self.runs += 1
        if self._listening and not self._ran.is_set():
            self._ran.set()

    def rename(self, name: str) -> None:
        """Changes what the panel calls the graph."""
        self.name = name
        if self._listening and not self._closed:
            self._send_graph(whole=False)

    # -- what the page says -------------------------------------------------------------------------------------

    def receive(self, content: Any) -> None:
        """A message from the page. What is not understood is dropped: an old page may talk to a new kernel."""
        if not isinstance(content, dict) or content.get("v") != VERSION or self._closed:
            return
        if content.get("kind") in ("hello", "resync"):
            self._listening = True
            try:
                self._send_graph(whole=True)
            except Exception as error:
                # A cell may be building at this very moment: when it ends, `graph_changed` brings the rest.
                self._failed(error)
            self._start()

    def close(self) -> None:
        """Says that there will be no more, and stops."""
        with self._lock:
            if self._closed:
                return
            if self._listening:
                self._post(status_packet("closed", self.runs))
            self._closed = True
        for observers, observer in self._hooks:
            if observer in observers:
                observers.remove(observer)
        self._ran.set()

    def _failed(self, error: Exception) -> None:
        self._trouble = True
        self._post(status_packet("idle", self.runs, f"not up to date: {type(error).__name__}: {error}"))

    # -- sending --------------------------------------------------------------------------------------------------

    def _post(self, packet: Packet) -> None:
        with self._lock:
            if self._closed:
                return
            self._sequence += 1
            self._send({"v": VERSION, "seq": self._sequence, **packet.content}, packet.buffers)

    def _send_graph(self, *, whole: bool) -> None:
        with self._lock:
            # The stamp is read before the walk: what is added meanwhile shows as a change next time.
            mark = stamp(self.graph)
            snapshot = take(self.graph, self.session, name=self.name, stats=False)
            packet = graph_packet(snapshot, None if whole else self._sent, self.session is not None)
            self._sent, self._stamp = snapshot, mark
            if self._trouble:
                self._trouble = False
                self._post(status_packet(self._state, self.runs))
            if packet is None:
                return
            self._post(packet)
            self._look(everything=True)

    def _look(self, *, everything: bool = False) -> None:
        """Sends the values that changed since they were last looked at; with `everything`, all of them."""
        snapshot, session = self._sent, self.session
        if snapshot is None or session is None:
            return
        found: dict[int, ValueStats | None] = {}
        for index, info in enumerate(snapshot.variables):
            try:
                buffer = variable_buffer(session, self.graph.get_operation_by_name(info.name))
            except KeyError:
                continue  # removed while a cell was replayed; the next snapshot says so
            array = None if buffer is None else buffer.array
            now = (id(buffer), buffer.updates if buffer is not None else -1, id(array))
            known = self._looks.get(info.name)
            if known is not None and known[0] == now:
                stats = known[1]
                if not everything:
                    continue
            else:
                # The loop may write while this reads. A torn value shows for a tenth of a second.
                stats = None if array is None else value_stats(array) or _NO_NUMBERS
                self._looks[info.name] = (now, stats)
                if stats is not None and stats.mean is not None:
                    self._history.setdefault(info.name, deque(maxlen=HISTORY)).append(stats.mean)
            found[index] = stats
        if not found and not everything:
            return
        history = None
        if everything:
            names = [info.name for info in snapshot.variables]
            # The page appends the newest mean itself.
            history = {i: list(self._history[n])[:-1] for i, n in enumerate(names) if n in self._history}
        self._post(stats_packet(found, self.runs, history))

    # -- the thread -----------------------------------------------------------------------------------------------

    def _start(self) -> None:
        if self.session is None or self._thread is not None:
            return
        ran = self._ran
        weak = ref(self, lambda _: ran.set())
        self._thread = threading.Thread(target=_follow, args=(weak, self._ran), name="tfbench-inspector", daemon=True)
        self._thread.start()

    def tick(self) -> float:
        """One turn of the thread: looks, sends, and says how long to rest."""
        started = self._clock()
        try:
            if self._state != "live":
                self._state = "live"
                self._post(status_packet("live", self.runs))
            with self._lock:
                self._look()
        except Exception as error:
            self._failed(error)
        return max(PERIOD, REST * (self._clock() - started))

    def quiet(self) -> None:
        """There was no run for a while."""
        if self._state == "live":
            self._state = "idle"
            self._post(status_packet("idle", self.runs))

    @property
    def live(self) -> bool:
        return self._state == "live"

    @property
    def closed(self) -> bool:
        return self._closed


_NO_NUMBERS = ValueStats(0, None, None, None, None, 0, 0, (), False)


def _follow(weak: ref[Publisher], ran: threading.Event) -> None:
    """The thread. It holds no strong reference while it waits, so a dropped panel ends it."""
    live = False
    while True:
        happened = ran.wait(QUIET if live else None)
        publisher = weak()
        if publisher is None or publisher.closed:
            return
        rest = 0.0
        if happened:
            ran.clear()
            rest = publisher.tick()
        else:
            publisher.quiet()
        live = publisher.live
        del publisher
        if rest:
            time.sleep(rest)
