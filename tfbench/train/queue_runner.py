"""`tf.train.QueueRunner`: threads that keep a queue filled, by running its enqueue operations again and again."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from tfbench import errors, logging
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_default_graph, get_default_session
from tfbench.engine.session import BaseSession
from tfbench.train.coordinator import Coordinator

__all__ = ["QueueRunner", "add_queue_runner", "start_queue_runners"]


class QueueRunner:
    """Runs each of `enqueue_ops` in a thread of its own, until the input ends or a coordinator stops.

    Args:
      queue: the queue. `close_op` runs when all threads are at the end of their input, `cancel_op` when the coordinator
        stops; by default they close the queue, and cancel what waits to be put in.
      queue_closed_exception_types: what an enqueue operation raises at the end of its input.
      queue_runner_def: a QueueRunnerDef message instead of all others.

    Raises:
      ValueError, TypeError: if that does not go together.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if queue_runner_def is not None:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._take(queue_runner_def, f"{import_scope}/" if import_scope else "")
        else:
            if not queue or not enqueue_ops:
                raise ValueError("Must provide queue and enqueue_ops.")
            self._queue = queue
            self._enqueue_ops = list(enqueue_ops)
            self._close_op = close_op
            self._cancel_op = cancel_op
            ends = queue_closed_exception_types
            if ends is None:
                ends = (errors.OutOfRangeError,)
            elif not (
                isinstance(ends, tuple)
                and ends
                and all(isinstance(end, type) and issubclass(end, errors.OpError) for end in ends)
            ):
                raise TypeError(
                    "queue_closed_exception_types, when provided, must be a tuple of tf.errors types, but is "
                    f"{queue_closed_exception_types!r}"
                )
            self._queue_closed_exception_types: tuple[type[errors.OpError], ...] = ends
            if self._close_op is None:
                self._close_op = queue.close()
            if self._cancel_op is None:
                self._cancel_op = queue.close(cancel_pending_enqueues=True)
        self._lock = threading.Lock()
        #: how many threads run in a session
        self._running: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[Exception] = []

    def _take(self, message: Any, prefix: str) -> None:
        find = get_default_graph().as_graph_element
        self._queue = find(prefix + message.queue_name)
        self._enqueue_ops = [find(prefix + name) for name in message.enqueue_op_name]
        self._close_op = find(prefix + message.close_op_name)
        self._cancel_op = find(prefix + message.cancel_op_name)
        codes = list(message.queue_closed_exception_types) or [errors.OUT_OF_RANGE]
        self._queue_closed_exception_types = tuple(errors.exception_type_from_error_code(code) for code in codes)

    @property
    def queue(self) -> Any:
        return self._queue

    @property
    def enqueue_ops(self) -> list[Any]:
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[errors.OpError], ...]:
        return self._queue_closed_exception_types

    @property
    def exceptions_raised(self) -> list[Exception]:
        """What threads raised that have no coordinator to report to."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The name of the queue."""
        return str(self._queue.name)

    # -- threads -----------------------------------------------------------------------------------------------------

    def create_threads(
        self, sess: Any, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """A thread for each enqueue operation; with a coordinator also one that closes the queue when it stops.

        None, if there are running ones for this session.
        """
        with self._lock:
            if self._running.get(sess, 0) > 0:
                return []
            self._running[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        prefix = f"QueueRunnerThread-{self.name}-"
        made = [
            threading.Thread(target=self._run, args=(sess, op, coord), name=prefix + op.name)
            for op in self._enqueue_ops
        ]
        if coord is not None:
            arguments = (sess, self._cancel_op, coord)
            made.append(threading.Thread(target=self._close_on_stop, args=arguments, name=prefix + "close_on_stop"))
        for thread in made:
            if coord is not None:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return made

    def _enqueuer(self, sess: Any, enqueue_op: Any) -> Callable[[], Any]:
        """What a thread calls again and again."""
        enqueue: Callable[[], Any] = sess.make_callable(enqueue_op)
        return enqueue

    def _run(self, sess: Any, enqueue_op: Any, coord: Coordinator | None) -> None:
        counted = False
        try:
            enqueue = self._enqueuer(sess, enqueue_op)
            while coord is None or not coord.should_stop():
                try:
                    enqueue()
                except self._queue_closed_exception_types:
                    counted = True
                    with self._lock:
                        self._running[sess] -= 1
                        last = not self._running[sess]
                    if last:
                        self._run_quietly(sess, self._close_op)
                    return
        except Exception as error:
            if coord is not None:
                if not (coord.joined and isinstance(error, (errors.CancelledError, RuntimeError))):
                    coord.request_stop(error)
                return  # a session that was closed after all were asked to stop is no error
            logging.error("Exception in QueueRunner: %s", error)
            with self._lock:
                self._exceptions_raised.append(error)
            raise
        finally:
            if not counted:
                with self._lock:
                    self._running[sess] -= 1

    def _close_on_stop(self, sess: Any, cancel_op: Any, coord: Coordinator) -> None:
        coord.wait_for_stop()
        self._run_quietly(sess, cancel_op)

    def _run_quietly(self, sess: Any, op: Any) -> None:
        """Runs an operation that may come too late: the queue or the session may be closed."""
        try:
            sess.run(op)
        except Exception as error:
            logging.vlog(1, "Ignored exception: %s", error)

    # -- messages ----------------------------------------------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A QueueRunnerDef message, with names relative to `export_scope`; None outside of it."""
        from tfbench.formats import protos

        if export_scope is not None and not self.name.startswith(export_scope):
            return None

        def short(name: str) -> str:
            return name.removeprefix(f"{export_scope}/") if export_scope else name

        message = protos.QueueRunnerDef()
        message.queue_name = short(self.name)
        message.enqueue_op_name.extend(short(op.name) for op in self._enqueue_ops)
        message.close_op_name = short(self._close_op.name)
        message.cancel_op_name = short(self._cancel_op.name)
        message.queue_closed_exception_types.extend(
            errors.error_code_from_exception_type(kind) for kind in self._queue_closed_exception_types
        )
        return message

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """The QueueRunner whose nodes a QueueRunnerDef names; they were imported into `import_scope`."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a QueueRunner to those that `start_queue_runners` starts."""
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Makes (and starts) the threads of all QueueRunners of the default graph.

    Raises:
      ValueError: without a session. TypeError: if it is none.
    """
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
                "explicit session to tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, BaseSession):
        if type(sess).__name__ in ("MonitoredSession", "SingularMonitoredSession"):
            return []  # it has started them
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    runners = get_default_graph().get_collection(collection)
    if not runners:
        logging.warning(
            "`tf.train.start_queue_runners()` was called when no queue runners were defined. You can safely remove the "
            "call to this deprecated function."
        )
    with sess.graph.as_default():
        found: list[threading.Thread] = []
        for runner in runners:
            found.extend(runner.create_threads(sess, coord=coord, daemon=daemon, start=start))
    return found
