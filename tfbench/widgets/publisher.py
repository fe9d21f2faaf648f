"""Sends a graph, and what its variables hold, to the pages that listen; costs nothing while nobody does.

Two ways in. `graph_changed` is called where the graph is built, between cells: it takes a snapshot there and
sends what is different. `look` is called by the session's Follower, from its own thread, after runs: it sends the
values that have changed since they were last sent.

`sequence` numbers what is sent. A page that misses a number, and every new page, gets a whole snapshot.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from tfbench.engine.hooks import unhook, weakly
from tfbench.engine.session import BaseSession
from tfbench.explain.follower import Follower, Mark, follower_of
from tfbench.snapshot import Snapshot, stamp, take, without_gc
from tfbench.value_stats import ValueStats
from tfbench.widgets.answers import QUESTIONS, answer
from tfbench.widgets.feature_maps import Fed
from tfbench.widgets.protocol import VERSION, Packet, graph_packet, stats_packet, status_packet
from tfbench.widgets.stepping import RunControls

#: the newest snapshot of each graph, with what it depends on
_taken: WeakKeyDictionary[Any, tuple[Any, Snapshot]] = WeakKeyDictionary()


class Send(Protocol):
    """How a message leaves: the widget's `send`."""

    def __call__(self, content: dict[str, Any], buffers: list[bytes]) -> None: ...


class Publisher:
    """Follows one graph, and one session if there is one. `close` ends it."""

    def __init__(self, graph: Any, session: Any, send: Send, *, name: str = "") -> None:
        self.graph = graph
        self.session = session
        self.name = name
        self.follower: Follower | None = None if session is None else follower_of(session)
        if self.follower is not None:
            self.follower.members.add(self)
        self.closed = False
        self._send = send
        self._lock = threading.RLock()
        self._sequence = 0
        self._sent: Snapshot | None = None
        self._stamp: tuple[int, int] | None = None
        self._marks: dict[str, Mark] = {}
        self.listening = False
        self._state = "idle"
        self._trouble = False
        #: what the user gave to be fed for feature maps
        self.fed: Fed | None = None
        #: makes a file of a form, "svg" or "html"; a panel says how
        self.export: Callable[[str], str] | None = None
        #: pause, step and stop of what runs the session
        self.controls: RunControls | None = RunControls(self) if isinstance(session, BaseSession) else None
        self._observer = weakly(self.graph_changed)
        graph.observers.append(self._observer)

    @property
    def places(self) -> dict[str, int]:
        """The index of each operation in the graph that the page has."""
        return {} if self._sent is None else {info.name: i for i, info in enumerate(self._sent.ops)}

    @property
    def runs(self) -> int:
        """How often the session has run since the first panel on it."""
        return 0 if self.follower is None else self.follower.runs

    # -- what happens in the kernel ---------------------------------------------------------------------------

    def graph_changed(self, _: Any = None) -> None:
        """The graph may have changed: send the difference. Call it from where the graph is built.

        Never raises: what watches a program must not break it. A failure is said in the status bar.
        """
        try:
            if self.listening and not self.closed and stamp(self.graph) != self._stamp:
                self._send_graph(whole=False)
        except Exception as error:
            self._failed(error)

    def look(self) -> None:
        """The session has run: send the values that have changed. Never raises."""
        try:
            with self._lock:
                if not self.listening or self.closed:
                    return
                if self._state != "live":
                    self._state = "live"
                    self.post(status_packet("live", self.runs))
                self._send_values(everything=False)
        except Exception as error:
            self._failed(error)

    def quiet(self) -> None:
        """The session has not run for a while."""
        if self._state == "live":
            self._state = "idle"
            self.post(status_packet("idle", self.runs))

    def feed(self, fed: Fed | None) -> None:
        """Feature maps are those of this feed from now on; pages that show some ask again."""
        self.fed = fed
        if self.listening:
            self.post(Packet({"kind": "fed"}, []))

    def rename(self, name: str) -> None:
        """Changes what the panel calls the graph."""
        self.name = name
        if self.listening and not self.closed:
            self._send_graph(whole=False)

    def close(self) -> None:
        """Says that there will be no more, and stops."""
        with self._lock:
            if self.closed:
                return
            if self.listening:
                self.post(status_packet("closed", self.runs))
            self.closed = True
        unhook((self.graph.observers, self._observer))
        if self.controls is not None:
            self.controls.leave()
        if self.follower is not None:
            self.follower.leave(self)

    # -- what the page says -------------------------------------------------------------------------------------

    def receive(self, content: Any) -> None:
        """A message from the page. What is not understood is dropped: an old page may talk to a new kernel."""
        if not isinstance(content, dict) or content.get("v") != VERSION or self.closed:
            return
        if content.get("kind") == "ask":
            self._answer(content)
            return
        if content.get("kind") == "command" and self.controls is not None:
            self.controls.receive(content)
            return
        if content.get("kind") == "bye":
            self._left()
            return
        if content.get("kind") == "here" and self._sent is not None:
            self.listening = True
            self.graph_changed()
            return
        if content.get("kind") not in ("hello", "resync"):
            return
        self.listening = True
        if self.follower is not None:
            self.follower.start()
        try:
            self._send_graph(whole=True)
        except Exception as error:
            # A cell may be building at this very moment: when it ends, `graph_changed` brings the rest.
            self._failed(error)
        if self.controls is not None:
            self.controls.greet()

    def _left(self) -> None:
        """A window has closed its last view; another one may have some, and says so."""
        self.post(Packet({"kind": "anybody"}, []))
        self.listening = False

    def _answer(self, content: dict[str, Any]) -> None:
        """A question about the graph that the page has."""
        what, fetch = content.get("what"), content.get("fetch", "")
        snapshot = self._sent
        if what not in QUESTIONS or not isinstance(fetch, str) or snapshot is None:
            return
        image = content.get("image")
        image = image if isinstance(image, int) else 0
        if what == "order" and self.controls is not None and self.controls.is_order(fetch):
            self.post(self.controls.order(fetch))
            return
        live = self._state == "live"
        more: dict[str, Any] = {"image": image, "fed": self.fed, "live": live, "export": self.export}
        self.post(answer(what, fetch, self.graph, self.session, snapshot, **more))

    # -- sending --------------------------------------------------------------------------------------------------

    def post(self, packet: Packet) -> None:
        """Sends a message with the next number."""
        with self._lock:
            if self.closed:
                return
            self._sequence += 1
            self._send({"v": VERSION, "seq": self._sequence, **packet.content}, packet.buffers)

    def _failed(self, error: Exception) -> None:
        self._trouble = True
        self.post(status_packet("idle", self.runs, f"not up to date: {type(error).__name__}: {error}"))

    def _send_graph(self, *, whole: bool) -> None:
        with self._lock:
            # The stamp is read before the walk: what is added meanwhile shows as a change next time.
            mark = stamp(self.graph)
            snapshot = self._take(mark)._replace(name=self.name)
            with without_gc():
                packet = graph_packet(snapshot, None if whole else self._sent, self.session is not None)
            self._sent, self._stamp = snapshot, mark
            if self._trouble:
                self._trouble = False
                self.post(status_packet(self._state, self.runs))
            if packet is not None:
                self.post(packet)
                self._send_values(everything=True)

    def snapshot(self) -> Snapshot:
        """The graph as it is now, without values; what the page is sent next is the same one."""
        with self._lock:
            _taken.pop(self.graph, None)
            return self._take(stamp(self.graph))._replace(name=self.name)

    def _take(self, mark: tuple[int, int]) -> Snapshot:
        """A snapshot; the panels on one graph share what the first of them took.

        Which variables have a value may have changed since: the statistics that follow say so.
        """
        key = (mark, id(self.session), self.runs)
        known = _taken.get(self.graph)
        if known is not None and known[0] == key:
            return known[1]
        snapshot = take(self.graph, self.session, stats=False)
        _taken[self.graph] = (key, snapshot)
        return snapshot

    def _send_values(self, *, everything: bool) -> None:
        """The values that changed since they were last sent; with `everything`, all of them and their history."""
        snapshot, follower = self._sent, self.follower
        if snapshot is None or follower is None:
            return
        found: dict[int, ValueStats | None] = {}
        for index, info in enumerate(snapshot.variables):
            try:
                op = self.graph.get_operation_by_name(info.name)
            except KeyError:
                continue  # removed while a cell was replayed; the next snapshot says so
            mark, stats = follower.value(info.name, op, now=everything)
            if everything or self._marks.get(info.name) != mark:
                self._marks[info.name] = mark
                found[index] = stats
        if not found and not everything:
            return
        history = None
        if everything:
            names = [info.name for info in snapshot.variables]
            # The page appends the newest mean itself.
            history = {i: list(follower.history[n])[:-1] for i, n in enumerate(names) if n in follower.history}
        self.post(stats_packet(found, self.runs, history))
