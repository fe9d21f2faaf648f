"""A run in a thread of its own, step by step: the half of `explain.step` that the thread and its owner share.

The thread knows nothing of the Stepper that a person holds, so a Stepper that is dropped ends it. What else ends it:
the session is closed, an operation of the run is taken out of the graph, the interpreter ends.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

from tfbench.engine import waiting
from tfbench.engine.hooks import SessionHook, WeakHook, unhook, weakly
from tfbench.engine.program import Program
from tfbench.engine.stepping import Stepping, Stopped

#: seconds; a lock that is waited for without end cannot be interrupted everywhere
_PATIENCE = 1.0


class SteppedRun(SessionHook):
    """One run, from before its first step on."""

    def __init__(self, session: Any, fetches: Any, feed_dict: Any, breakpoints: Any) -> None:
        program, feeds, run = session.prepare(fetches, feed_dict)
        self.program: Program = program
        self.feeds = dict(zip(program.feeds, feeds))
        self.stepping = Stepping(True, breakpoints)
        #: "running", "waiting", "done", "failed" or "stopped"
        self.state = "running"
        self.result: Any = None
        self.error: BaseException | None = None
        #: why it was stopped
        self.why = ""
        #: called when the run begins to wait, goes on, or is over; from its thread
        self.listeners: list[Callable[[], None]] = []
        self._session = session
        self._graph = session.graph
        self._version = self._graph.changes_version
        self._limits = waiting.Limits(None)
        self._moved = threading.Condition()
        self.stepping.listeners.append(self._halted)
        self._hooks = ((session.hooks, WeakHook(self)), (self._graph.observers, weakly(self._on_change)))
        for hooks, hook in self._hooks:
            hooks.append(hook)
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(self._work, run), name="tfbench-step", daemon=True)
        self.thread = thread
        thread.start()
        self._wait_until(lambda: self.state != "running")

    # -- in the thread -----------------------------------------------------------------------------------------

    def _work(self, run: Callable[[Any], Any]) -> None:
        waiting.in_part(self._limits)
        try:
            self.result = run(self.stepping)
            state = "done"
        except (Stopped, waiting.Abandoned) as stop:
            self.why = str(stop) or self.why or "stopped"
            state = "stopped"
        except BaseException as error:
            self.error = error
            state = "failed"
        unhook(*self._hooks)
        self._now(state)

    def _halted(self) -> None:
        self._now("running" if self.stepping.at is None else "waiting")

    def _now(self, state: str) -> None:
        with self._moved:
            self.state = state
            self._moved.notify_all()
        for listener in list(self.listeners):
            listener()

    # -- for its owner ------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.state in ("done", "failed", "stopped")

    def tell(self, command: Callable[[], None]) -> None:
        """Goes on as `command` says, and returns when the run waits again, or is over. Ctrl-C stops the run."""
        halts = self.stepping.halts
        command()
        try:
            self._wait_until(lambda: self.over or (self.stepping.halts > halts and self.state == "waiting"))
        except KeyboardInterrupt:
            self.end("interrupted")
            raise

    def end(self, why: str) -> None:
        """Stops the run: between two steps, or while a step waits for a queue."""
        if not self.over:
            self.why = why
            self.stepping.stop(why)
            self._limits.abandon()

    def join(self) -> None:
        """Returns when the run is over."""
        self._wait_until(lambda: self.over)

    def _wait_until(self, true: Callable[[], bool]) -> None:
        with self._moved:
            while not true():
                self._moved.wait(_PATIENCE)

    # -- what ends it -------------------------------------------------------------------------------------------

    def closed(self) -> None:
        self.end("the session was closed")

    def _on_change(self, *_: Any) -> None:
        graph = self._graph
        if graph.changes_version != self._version:
            self._version = graph.changes_version
            if not all(graph.owns(op) for op in self.program.operations):
                self.end("the graph was changed: operations of this run are no longer part of it")
