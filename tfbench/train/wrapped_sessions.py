"""What a monitored session is made of: sessions around sessions.

Innermost is a plain session; around it one that asks the hooks, one that stops threads with it, and one that
makes all of that anew when a run was aborted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbench import errors, logging
from tfbench.train.coordinator import Coordinator
from tfbench.train.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues

#: errors after which a new session may do better
PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)


class WrappedSession:
    """A session that hands everything on to another one."""

    def __init__(self, sess: Any) -> None:
        self._sess = sess

    @property
    def graph(self) -> Any:
        return self._sess.graph

    @property
    def sess_str(self) -> Any:
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Whether to stop running: because this session says so, or one inside."""
        if self._check_stop():
            return True
        if self._sess is None:
            return True
        return isinstance(self._sess, WrappedSession) and self._sess.should_stop()

    def _check_stop(self) -> bool:
        return False

    def close(self) -> None:
        if self._sess is not None:
            try:
                self._sess.close()
            except PREEMPTION_ERRORS as error:
                logging.error("An error occurred when attempting to close the session: %s", error)
            finally:
                self._sess = None

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def run_step_fn(self, step_fn: Any, raw_session: Any, run_with_hooks: Any) -> Any:
        """Calls a step function; what it raises goes through the sessions as a run's errors do."""
        return self._sess.run_step_fn(step_fn, raw_session, run_with_hooks)


class HookedSession(WrappedSession):
    """A session whose runs hooks add to and look at."""

    def __init__(self, sess: Any, hooks: Sequence[SessionRunHook]) -> None:
        super().__init__(sess)
        self._hooks = hooks
        self._should_stop = False

    def _check_stop(self) -> bool:
        return self._should_stop

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """The fetches' values. What hooks ask for is run along.

        Raises:
          RuntimeError: if a stop was asked for, or one tensor is fed twice.
        """
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        from tfbench.formats.protos import RunMetadata, RunOptions

        wanted: dict[Any, Any] = {"caller": fetches}
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        options = RunOptions() if options is None else options
        feeds = self._ask_hooks(context, wanted, feed_dict, options)
        run_metadata = RunMetadata() if run_metadata is None else run_metadata
        outputs = super().run(wanted, feed_dict=feeds, options=options, run_metadata=run_metadata)
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(outputs.get(hook), options, run_metadata))
        self._should_stop = self._should_stop or context.stop_requested
        return outputs["caller"]

    def run_step_fn(self, step_fn: Any, raw_session: Any, run_with_hooks: Any) -> Any:
        return step_fn(StepContext(raw_session, run_with_hooks or self.run))

    def _ask_hooks(self, context: SessionRunContext, wanted: dict[Any, Any], user_feeds: Any, options: Any) -> Any:
        """Collects what hooks ask for in `wanted` and `options`; returns all feeds."""
        feeds: dict[Any, Any] = {}
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                wanted[hook] = request.fetches
            if request.feed_dict:
                _refuse_common(feeds, request.feed_dict, "Same tensor is fed by two hooks.")
                feeds.update(request.feed_dict)
            if request.options:
                _merge_options(options, request.options)
        if not feeds:
            return user_feeds
        if user_feeds:
            _refuse_common(user_feeds, feeds, "Same tensor is fed by a SessionRunHook and user.")
            feeds.update(user_feeds)
        return feeds


def _refuse_common(first: Any, second: Any, message: str) -> None:
    if any(key in first for key in second):
        raise RuntimeError(message)


def _merge_options(options: Any, added: Any) -> None:
    """Makes `options` do what either asks for."""
    options.trace_level = max(options.trace_level, added.trace_level)
    options.timeout_in_ms = max(options.timeout_in_ms, added.timeout_in_ms)
    options.inter_op_thread_pool = max(options.inter_op_thread_pool, added.inter_op_thread_pool)
    options.output_partition_graphs = max(options.output_partition_graphs, added.output_partition_graphs)
    options.debug_options.debug_tensor_watch_opts.extend(added.debug_options.debug_tensor_watch_opts)


class CoordinatedSession(WrappedSession):
    """A session whose coordinator's threads stop with it, and whose errors are raised by it."""

    def __init__(self, sess: Any, coord: Coordinator, stop_grace_period_secs: float = 120) -> None:
        super().__init__(sess)
        self._coord = coord
        self._grace = stop_grace_period_secs

    def _check_stop(self) -> bool:
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        self._coord.request_stop()
        try:
            self._coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
        finally:
            try:
                super().close()
            except Exception as error:  # what `join` raises says more
                logging.vlog(1, "Ignored exception: %s", error)

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        try:
            return super().run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)
        except PREEMPTION_ERRORS:
            raise
        except Exception as error:
            # A thread that was aborted may be the reason: then the session is to be made anew.
            try:
                self._coord.raise_requested_exception()
            except PREEMPTION_ERRORS:
                raise
            except Exception:
                raise error from None
            raise


class RecoverableSession(WrappedSession):
    """A session that is made anew when a run was aborted."""

    def __init__(self, create: Callable[[], Any]) -> None:
        self._create = create
        super().__init__(self._created())

    def _created(self) -> Any:
        while True:
            try:
                return self._create()
            except PREEMPTION_ERRORS as error:
                logging.info("An error was raised while a session was being created: %s. It is tried again.", error)

    def _check_stop(self) -> bool:
        try:
            return self._sess is None or self._sess._check_stop()
        except PREEMPTION_ERRORS as error:
            self._drop(error)
            return False
        except Exception:  # the next run raises it
            return False

    def should_stop(self) -> bool:
        if self._check_stop():
            return True
        if self._sess is None:
            return False  # it will be made anew
        try:
            return self._sess.should_stop()
        except PREEMPTION_ERRORS as error:
            self._drop(error)
            return False

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        while True:
            try:
                if self._sess is None:
                    self._sess = self._created()
                return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)
            except PREEMPTION_ERRORS as error:
                self._drop(error)

    def run_step_fn(self, step_fn: Any, raw_session: Any, run_with_hooks: Any) -> Any:
        while True:
            try:
                if self._sess is None:
                    self._sess = self._created()
                return self._sess.run_step_fn(step_fn, raw_session(), run_with_hooks)
            except PREEMPTION_ERRORS as error:
                self._drop(error)

    def _drop(self, error: Exception) -> None:
        logging.info("A run was aborted: %s. A new session is made.", error)
        self.close()
        self._sess = None


class StepContext:
    """What a step function gets: the plain session, and runs with hooks."""

    __slots__ = ("_run_with_hooks", "_session")

    def __init__(self, session: Any, run_with_hooks: Callable[..., Any]) -> None:
        self._session = session
        self._run_with_hooks = run_with_hooks

    @property
    def session(self) -> Any:
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """As `run` of the monitored session."""
        return self._run_with_hooks(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the step function and the training."""
        raise StopIteration("step_fn has requested the iterations to stop.")
