"""What a hook of a monitored session may do: look at each run, add fetches and feeds to it, and ask for a stop."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues"]


class SessionRunArgs(NamedTuple):
    """What is to be run: what a hook adds to a run, or what the program has asked for."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What came of a run: the values of the hook's fetches, and the RunOptions and RunMetadata messages of the run."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """One run of a monitored session, as hooks see it."""

    __slots__ = ("_original_args", "_session", "_stop_requested")

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the program asked for."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session, without hooks: what it runs, they do not see."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        return self._stop_requested

    def request_stop(self) -> None:
        """Makes `should_stop` of the monitored session true."""
        self._stop_requested = True


class SessionRunHook:
    """Something that is told what a monitored session does. Each method does nothing until it is overridden."""

    def begin(self) -> None:
        """Called once, before the session is made: nodes may still be added to the graph."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when a session was made (again, after it was recovered). The graph is final."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each run; may return what else to run, feed and ask for."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each run that did not fail."""

    def end(self, session: Any) -> None:
        """Called at the end, unless an error ended it (OutOfRangeError and StopIteration are no errors)."""
