"""`tf.train.Supervisor`: what looked after training before MonitoredSession, for one process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tfbench import errors, logging
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.ops.grouping import group
from tfbench.summary import FileWriter, merge_all
from tfbench.train.coordinator import Coordinator, LooperThread
from tfbench.train.meta_graphs import write_graph
from tfbench.train.saver import Saver
from tfbench.train.session_manager import SessionManager
from tfbench.train.supervisor_threads import SVStepCounterThread, SVSummaryThread, SVTimerCheckpointThread
from tfbench.train.training_step import global_step as value_of_step
from tfbench.variables.functions import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)

__all__ = ["Supervisor", "basic_train_loop"]


class Supervisor:
    """Initialises or restores a model, saves it and its summaries now and then, and stops its threads together.

    What is `USE_DEFAULT` is taken from the graph's collections, or made; None switches it off. The graph is closed to
    changes then. `save_model_secs` and `save_summaries_secs` are intervals in seconds, 0 for never; without a `logdir`
    nothing is saved.
    """

    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float | None = 120,
        save_model_secs: float | None = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Callable[[Any], Any] | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        self._graph = graph = get_default_graph() if graph is None else graph
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._init_fn = init_fn
        self._init_feed_dict = init_feed_dict
        self._stop_grace_secs = stop_grace_secs
        with graph.as_default():
            self._ready_op = self._part(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self._ready_for_local_init_op = self._part(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._init_op = self._part(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._local_init_op = self._part(
                local_init_op,
                GraphKeys.LOCAL_INIT_OP,
                lambda: group(local_variables_initializer(), tables_initializer()),
            )
            self._saver = self._part(saver, GraphKeys.SAVERS, lambda: Saver() if global_variables() else None)
            self._summary_op = self._part(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = self._part(global_step, GraphKeys.GLOBAL_STEP, self._step_by_name)
        self._logdir = os.fsdecode(logdir) if logdir and is_chief else None
        self._save_summaries_secs = save_summaries_secs if is_chief else None
        self._save_model_secs = save_model_secs if is_chief else None
        self._save_path = os.path.join(self._logdir, checkpoint_basename) if self._logdir else None
        self._summary_writer: Any = None
        self._graph_added = False
        if self._logdir and is_chief:
            default = isinstance(summary_writer, int) and summary_writer == Supervisor.USE_DEFAULT
            self._summary_writer = FileWriter(self._logdir) if default else summary_writer
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        graph.finalize()

    def _part(self, given: Any, collection: str, make: Callable[[], Any]) -> Any:
        """What was given, or the first in the collection, or what is made and added to it."""
        if not (isinstance(given, int) and given == Supervisor.USE_DEFAULT):
            return given
        found = self._graph.get_collection(collection)
        if found:
            return found[0]
        made = make()
        if made is not None:
            self._graph.add_to_collection(collection, made)
        return made

    def _step_by_name(self) -> Any:
        try:
            step = self._graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
        if step.dtype.base_dtype.is_integer:
            return step
        logging.warning("Found 'global_step' is not an int type: %s", step.dtype)
        return None

    # -- what it has -------------------------------------------------------------------------------------------------

    @property
    def is_chief(self) -> bool:
        return self._is_chief

    @property
    def session_manager(self) -> SessionManager:
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        return self._coord

    @property
    def init_op(self) -> Any:
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        return self._summary_writer

    @property
    def summary_op(self) -> Any:
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float | None:
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        return self._global_step

    @property
    def saver(self) -> Any:
        return self._saver

    @property
    def save_model_secs(self) -> float | None:
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        return self._save_path

    # -- sessions ----------------------------------------------------------------------------------------------------

    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> AbstractContextManager[Any]:
        """A session for a `with`: ready, with its services; at the end all is stopped and closed.

        What the block or a thread raises is raised, but for OutOfRangeError, the end of the input.
        """
        return self._managed(master, config, start_standard_services, close_summary_writer)

    @contextmanager
    def _managed(self, master: str, config: Any, services: bool, close_writer: bool) -> Iterator[Any]:
        sess: Any = None
        try:
            sess = self.prepare_or_wait_for_session(master, config, start_standard_services=services)
            yield sess
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_writer)
            finally:
                if sess is not None:
                    sess.close()

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:
        """A session that is ready: restored from the newest checkpoint, or initialised; its services are started."""
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                logging.info("Starting standard services.")
                self.start_standard_services(sess)
        else:
            sess = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)  # type: ignore[assignment]
        if start_standard_services:
            logging.info("Starting queue runners.")
            self.start_queue_runners(sess)
        return sess

    def _write_graph(self) -> None:
        if not self._logdir:
            return
        write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._graph_added:
            self._summary_writer.add_graph(self._graph)
            self._graph_added = True

    def start_standard_services(self, sess: Any) -> list[LooperThread] | None:
        """Starts the threads that save checkpoints and summaries and count the steps a second.

        Raises:
          RuntimeError: if this is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError("Only chief supervisor can start standard services.")
        if not self._logdir:
            logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self._global_step is not None and self._summary_writer:
            from tfbench.formats.protos import SessionLog

            self._summary_writer.add_session_log(
                SessionLog(status=SessionLog.START), value_of_step(sess, self._global_step)
            )
        threads: list[LooperThread] = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def start_queue_runners(self, sess: Any, queue_runners: Sequence[Any] | None = None) -> list[Any]:
        """Starts these QueueRunners, by default all of the graph."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        threads: list[Any] = []
        for runner in queue_runners:
            threads.extend(runner.create_threads(sess, coord=self._coord, daemon=True, start=True))
        return threads

    # -- threads -----------------------------------------------------------------------------------------------------

    def loop(
        self, timer_interval_secs: float | None, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> LooperThread:
        """A thread that calls `target` every so many seconds, until the supervisor stops."""
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def stop(self, threads: Any = None, close_summary_writer: bool = True, ignore_live_threads: bool = False) -> None:
        """Stops the threads and waits for them. Raises what one of them has raised."""
        self._coord.request_stop()
        try:
            self._coord.join(
                threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads
            )
        finally:
            if close_summary_writer and self._summary_writer:
                from tfbench.formats.protos import SessionLog

                self._summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._summary_writer.close()
                self._graph_added = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks the threads to stop; see Coordinator."""
        self._coord.request_stop(ex=ex)

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> AbstractContextManager[None]:
        """In the block, what is raised asks for a stop."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until a stop is asked for."""
        self._coord.wait_for_stop()

    def summary_computed(self, sess: Any, summary: Any, global_step: int | None = None) -> None:
        """Writes a summary. RuntimeError if there is no writer."""
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = value_of_step(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    # the names of before 0.8
    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def basic_train_loop(
    supervisor: Supervisor, train_step_fn: Callable[..., Any], args: Any = None, kwargs: Any = None, master: str = ""
) -> None:
    """Calls `train_step_fn(session, …)` until the supervisor is to stop; again in a new session after AbortedError."""
    again = True
    while again:
        again = False
        try:
            with supervisor.managed_session(master) as sess:
                while not supervisor.should_stop():
                    train_step_fn(sess, *(args or ()), **(kwargs or {}))
        except errors.AbortedError:
            again = True
