"""`tf.train.MonitoredSession`: a session that initialises or restores, asks hooks, and ends well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbench import errors
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_collection, get_default_graph
from tfbench.train.coordinator import Coordinator
from tfbench.train.queue_runner import start_queue_runners
from tfbench.train.saving_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from tfbench.train.scaffold import Scaffold
from tfbench.train.session_manager import SessionManager
from tfbench.train.session_run_hook import SessionRunHook
from tfbench.train.wrapped_sessions import CoordinatedSession, HookedSession, RecoverableSession, StepContext

__all__ = [
    "ChiefSessionCreator", "MonitoredSession", "MonitoredTrainingSession", "SessionCreator", "SingularMonitoredSession",
    "WorkerSessionCreator",
]  # fmt: skip

#: the program has not said: another value than None, which switches off
USE_DEFAULT = object()


class SessionCreator:
    """Makes the session of a monitored session."""

    def create_session(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.create_session: return a session that is ready.")


class ChiefSessionCreator(SessionCreator):
    """Makes sessions that are restored from the newest checkpoint, or initialised where there is none."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_path = checkpoint_filename_with_path
        self._scaffold = scaffold or Scaffold()
        self._master = master
        self._config = config
        self._manager: SessionManager | None = None

    def create_session(self) -> Any:
        scaffold = self._scaffold
        scaffold.finalize()
        if self._manager is None:
            self._manager = _manager(scaffold)
        return self._manager.prepare_session(
            self._master,
            saver=scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_path,
            config=self._config,
            init_op=scaffold.init_op,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


class WorkerSessionCreator(SessionCreator):
    """Makes sessions that wait until a chief has initialised the variables."""

    def __init__(
        self, scaffold: Scaffold | None = None, master: str = "", config: Any = None, max_wait_secs: float = 30 * 60
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._manager: SessionManager | None = None
        self._master = master
        self._config = config
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Any:
        self._scaffold.finalize()
        if self._manager is None:
            self._manager = _manager(self._scaffold)
        return self._manager.wait_for_session(self._master, config=self._config, max_wait_secs=self._max_wait_secs)


def _manager(scaffold: Scaffold) -> SessionManager:
    return SessionManager(
        local_init_op=scaffold.local_init_op,
        local_init_feed_dict=scaffold.local_init_feed_dict,
        ready_op=scaffold.ready_op,
        ready_for_local_init_op=scaffold.ready_for_local_init_op,
        graph=get_default_graph(),
    )


class _Monitored:
    """What the two kinds of monitored sessions share."""

    StepContext = StepContext

    def __init__(
        self,
        session_creator: Any,
        hooks: Sequence[SessionRunHook] | None,
        should_recover: bool,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._graph_was_finalized = get_default_graph().finalized
        self._hooks = list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._grace = stop_grace_period_secs
        #: the plain session and its coordinator
        self._plain: Any = None
        self._coord: Coordinator | None = None
        self._sess: Any = RecoverableSession(self._create) if should_recover else self._create()

    def _create(self) -> CoordinatedSession:
        plain = self._plain = self._creator.create_session()
        # An end of input that a thread reports is to be raised, too.
        coord = self._coord = Coordinator(clean_stop_exception_types=[])
        if get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=plain, coord=coord)
        for hook in self._hooks:
            hook.after_create_session(plain, coord)
        return CoordinatedSession(HookedSession(plain, self._hooks), coord, self._grace)

    @property
    def graph(self) -> Any:
        """The graph, or None after `close`."""
        return None if self._plain is None else self._plain.graph

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """As `Session.run`, with hooks.

        Raises:
          RuntimeError: if the session is closed, or a hook has asked for a stop.
        """
        self._check_open()
        return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls `step_fn(step_context)`, which may run several things, with hooks (`run_with_hooks`) and without.

        Raises:
          ValueError: if it takes other arguments.
        """
        code = getattr(getattr(step_fn, "__func__", step_fn), "__code__", None)
        names = code.co_varnames[: code.co_argcount] if code is not None else ("step_context",)
        if names[-1:] != ("step_context",) or len(names) > 2 or (len(names) == 2 and names[0] != "self"):
            raise ValueError(
                "step_fn may have either one argument (step_context), or two (self, step_context); found "
                f"({', '.join(names)})"
            )
        self._check_open()
        if isinstance(self._sess, RecoverableSession):
            return self._sess.run_step_fn(step_fn, lambda: self._plain, None)
        return self._sess.run_step_fn(step_fn, self._plain, None)

    def should_stop(self) -> bool:
        """Whether training is to end: a hook has asked for it, or the session is closed."""
        return self._sess is None or bool(self._sess.should_stop())

    def close(self) -> None:
        """Ends the hooks, stops the threads and closes the session."""
        self._close(None)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, exception_type: Any, error: Any, traceback: Any) -> bool:
        if exception_type is not None and issubclass(exception_type, (errors.OutOfRangeError, StopIteration)):
            exception_type = None
        self._close(exception_type)
        return exception_type is None

    def _check_open(self) -> None:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")

    def _close(self, exception_type: Any) -> None:
        self._check_open()
        try:
            if exception_type is None:
                for hook in self._hooks:
                    hook.end(self._plain)
        finally:
            try:
                self._sess.close()
            finally:
                self._sess = self._plain = self._coord = None
                if not self._graph_was_finalized:
                    get_default_graph()._unsafe_unfinalize()

    def _is_closed(self) -> bool:
        return self._plain is None


class MonitoredSession(_Monitored):
    """A session for training: it initialises or restores the variables, starts queue runners, and asks hooks.

    Used by `with`. In it, `run` until `should_stop`. The end of the input (OutOfRangeError) ends the block quietly; any
    other error is raised. A run that is aborted (AbortedError, UnavailableError) is tried again in a new session.
    """

    def __init__(
        self,
        session_creator: Any = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_Monitored):
    """As MonitoredSession, for one session that is not made anew; `raw_session` gives it."""

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The plain session."""
        return self._plain


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A MonitoredSession with the hooks that most training needs.

    With a `checkpoint_dir` it saves checkpoints there (default: every 600 seconds) and summaries (default: every 100
    steps), and counts the steps a second. Intervals of 0 or None switch a hook off.
    """
    save_summaries_steps, save_summaries_secs = _intervals(save_summaries_steps, save_summaries_secs, (100, None))
    save_checkpoint_steps, save_checkpoint_secs = _intervals(save_checkpoint_steps, save_checkpoint_secs, (None, 600))
    scaffold = scaffold or Scaffold()
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, hooks, stop_grace_period_secs)
    used: list[SessionRunHook] = list(chief_only_hooks or ())
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            used.append(StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if (save_summaries_steps or 0) > 0 or (save_summaries_secs or 0) > 0:
            used.append(
                SummarySaverHook(
                    scaffold=scaffold,
                    save_steps=save_summaries_steps,
                    save_secs=save_summaries_secs,
                    output_dir=summary_dir,
                )
            )
    if checkpoint_dir and ((save_checkpoint_secs or 0) > 0 or (save_checkpoint_steps or 0) > 0):
        used.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_steps=save_checkpoint_steps,
                save_secs=save_checkpoint_secs,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    used.extend(hooks or ())
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, used, stop_grace_period_secs)


def _intervals(steps: Any, seconds: Any, default: tuple[Any, Any]) -> tuple[Any, Any]:
    if steps is USE_DEFAULT and seconds is USE_DEFAULT:
        return default
    return None if steps is USE_DEFAULT else steps, None if seconds is USE_DEFAULT else seconds
