"""Looks at what a session's variables hold while a loop runs; one thread a session, however many panels.

After every run the session calls `ran`, which only raises a flag. The thread sees it, at most ten times a second,
and lets each panel's publisher take what it has not sent yet. It then rests forty times as long as that took:
following costs a loop less than 5 %. A flag raised while it rests is seen when it wakes, so the last look always
happens.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from weakref import WeakSet, WeakValueDictionary, finalize, ref

from tfbench.engine.hooks import SessionHook, WeakHook, unhook
from tfbench.explain.known_variables import variable_buffer
from tfbench.value_stats import ValueStats, value_stats

#: means that are remembered of a variable
HISTORY = 120
#: seconds between two looks at the variables
PERIOD = 0.1
#: rest for so many times what a look took
REST = 40.0
#: after so many seconds without a run a session counts as quiet
QUIET = 1.0

#: stands for a value that has no statistics (strings)
_NO_NUMBERS = ValueStats(0, None, None, None, None, 0, 0, (), False)

#: identity of a value: (buffer, writes so far, array)
Mark = tuple[int, int, int]


class Member(Protocol):
    """What a follower calls: a panel's publisher. It knows itself whether a page listens."""

    def look(self) -> None:
        """The session has run: send what is new."""

    def quiet(self) -> None:
        """The session has not run for a while."""


class Follower(SessionHook):
    """Follows one session. Made by `follower_of`; ends when no panel holds it any more."""

    def __init__(self, session: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self.session = session
        self.runs = 0
        self.members: WeakSet[Member] = WeakSet()
        self.history: dict[str, deque[float]] = {}
        self._clock = clock
        self._values: dict[str, tuple[Mark, ValueStats | None]] = {}
        self._lock = threading.RLock()
        self._round = 0
        self._seen: dict[str, int] = {}
        self._ran = threading.Event()
        self._thread: threading.Thread | None = None
        self.live = False
        #: the tensors that were fed last, and their values: feature maps are of those
        self.last_fed: tuple[list[Any], Sequence[Any]] | None = None
        self._hook = WeakHook(self)
        session.hooks.append(self._hook)
        finalize(self, unhook, (session.hooks, self._hook))

    def ran(self, plan: Any, fed: Sequence[Any], results: Sequence[Any]) -> None:
        """The session has run once more."""
        self.runs += 1
        if fed:
            self.last_fed = (plan.feeds, fed)
        if self._thread is not None and not self._ran.is_set():
            self._ran.set()

    def touch(self) -> None:
        """Values may have changed in the middle of a run."""
        if self._thread is not None:
            self._ran.set()

    def value(self, name: str, op: Any, *, now: bool = False) -> tuple[Mark, ValueStats | None]:
        """What the variable `name` holds: a mark that changes with it, and statistics (None: not initialized).

        Within one turn of the thread the answer stays the same, so that a second panel costs no second look; with
        `now` it is always the present value's.
        """
        with self._lock:
            buffer = variable_buffer(self.session, op)
            array = None if buffer is None else buffer.array
            mark = (id(buffer), -1 if buffer is None else buffer.updates, id(array))
            known = self._values.get(name)
            if known is not None and (known[0] == mark or (not now and self._seen.get(name) == self._round)):
                return known
            # The loop may write while this reads. A torn value shows for a tenth of a second.
            stats = None if buffer is None or array is None else value_stats(buffer.host()) or _NO_NUMBERS
            found = self._values[name] = (mark, stats)
            self._seen[name] = self._round
            if stats is not None and stats.mean is not None:
                self.history.setdefault(name, deque(maxlen=HISTORY)).append(stats.mean)
            return found

    def tick(self) -> float:
        """One turn of the thread: lets the panels look, and says how long to rest."""
        started = self._clock()
        self._round += 1
        self.live = True
        for member in list(self.members):
            member.look()
        return max(PERIOD, REST * (self._clock() - started))

    def calm(self) -> None:
        """There was no run for a while."""
        self.live = False
        for member in list(self.members):
            member.quiet()

    def start(self) -> None:
        """Starts the thread, once."""
        with self._lock:
            if self._thread is not None:
                return
            ran = self._ran
            weak = ref(self, lambda _: ran.set())
            self._thread = threading.Thread(target=_follow, args=(weak, ran), name="tfbench-follower", daemon=True)
            self._thread.start()

    def leave(self, member: Member) -> None:
        """Forgets a panel; the last one ends the thread."""
        self.members.discard(member)
        if self.members:
            return
        if _followers.get(id(self.session)) is self:
            del _followers[id(self.session)]
        unhook((self.session.hooks, self._hook))
        self.last_fed = None
        self._ran.set()


#: by id of the session, which the follower keeps alive
_followers: WeakValueDictionary[int, Follower] = WeakValueDictionary()


def follower_of(session: Any) -> Follower:
    """The follower of `session`: one for all its panels."""
    found = _followers.get(id(session))
    if found is None:
        found = _followers[id(session)] = Follower(session)
    return found


def last_fed(session: Any) -> tuple[list[Any], Sequence[Any]] | None:
    """What a followed session was fed last: tensors and values."""
    found = _followers.get(id(session))
    return None if found is None else found.last_fed


def _follow(weak: ref[Follower], ran: threading.Event) -> None:
    """The thread. It holds no strong reference while it waits, so dropped panels end it."""
    live = False
    while True:
        happened = ran.wait(QUIET if live else None)
        follower = weak()
        if follower is None or not follower.members:
            return
        rest = 0.0
        if happened:
            ran.clear()
            rest = follower.tick()
        else:
            follower.calm()
        live = follower.live
        del follower
        if rest:
            time.sleep(rest)
