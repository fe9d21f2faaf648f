"""`tf.train.SessionManager`: a session whose variables have values: from a checkpoint, or from an initialiser."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench import errors, logging
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.session import Session
from tfbench.train.checkpoint_state import get_checkpoint_state

__all__ = ["SessionManager"]


class SessionManager:
    """Makes sessions of a graph that are ready to train.

    Args:
      local_init_op: run in every new session, also after a restore, once `ready_for_local_init_op` reports nothing.
      ready_op: gives the names of what is not initialised; none if the model is ready.
      graph: default: the default graph.
      recovery_wait_secs: seconds between two attempts where somebody else initialises.

    Raises:
      ValueError: for a `ready_for_local_init_op` without a `local_init_op`.
    """

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Any = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , ready_for_local_init_op "
                f"[{ready_for_local_init_op}]"
            )
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = graph if graph is not None else get_default_graph()
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Any], Any] | None = None,
    ) -> Session:
        """A session with the values of the checkpoint, or without one those that `init_op` and `init_fn` give.

        Raises:
          RuntimeError: if it is not ready then.
        """
        sess, restored = self._restore_checkpoint(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        if not restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
            if init_op is not None:
                sess.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(sess)
        done, reason = self._try_run_local_init_op(sess)
        what = f"Init op: {_name(init_op)}, init fn: {init_fn}"
        if not done:
            raise RuntimeError(f"Init operations did not make model ready for local_init.  {what}, error: {reason}")
        ready, reason = self._ready(self._ready_op, sess)
        if not ready:
            raise RuntimeError(
                f"Init operations did not make model ready.  {what}, local_init_op: {_name(self._local_init_op)}, "
                f"error: {reason}"
            )
        return sess

    def recover_session(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Session, bool]:
        """A session, and whether it was restored from a checkpoint and is ready."""
        sess, restored = self._restore_checkpoint(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        done, reason = self._try_run_local_init_op(sess)
        if not restored:
            return sess, False
        path = checkpoint_dir or checkpoint_filename_with_path
        if not done:
            logging.info("Restoring model from %s did not make model ready for local init: %s", path, reason)
            return sess, False
        ready, reason = self._ready(self._ready_op, sess)
        if not ready:
            logging.info("Restoring model from %s did not make model ready: %s", path, reason)
            return sess, False
        logging.info("Restored model from %s", path)
        return sess, True

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float | None = float("inf")
    ) -> Session | None:
        """A session of a model that somebody else initialises.

        Raises:
          DeadlineExceededError: if it is not ready in time. Sessions of one process have variables of their own.
        """
        limit = float("inf") if max_wait_secs is None else max_wait_secs
        began = time.monotonic()
        while True:
            sess = Session(master, graph=self._graph, config=config)
            done, local_reason = self._try_run_local_init_op(sess)
            reason: str | None = None
            if done:
                ready, reason = self._ready(self._ready_op, sess)
                if ready:
                    return sess
            sess.close()
            if limit - (time.monotonic() - began) < self._recovery_wait_secs:
                raise errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {limit:.0f} secs: {reason or local_reason}"
                )
            logging.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s", local_reason, reason
            )
            time.sleep(self._recovery_wait_secs)

    # -- inside ------------------------------------------------------------------------------------------------------

    def _restore_checkpoint(
        self,
        master: str,
        saver: Any,
        checkpoint_dir: str | None,
        path: str | None,
        wait: bool,
        max_wait_secs: float,
        config: Any,
    ) -> tuple[Session, bool]:
        sess = Session(master, graph=self._graph, config=config)
        if checkpoint_dir and path:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        if saver and path:
            saver.restore(sess, path)
            return sess, True
        if not saver or not checkpoint_dir:
            return sess, False
        began = time.monotonic()
        state = get_checkpoint_state(checkpoint_dir)
        while state is None or not state.model_checkpoint_path:
            if not wait or time.monotonic() - began >= max_wait_secs:
                return sess, False
            logging.info("Waiting for checkpoint to be available.")
            time.sleep(min(self._recovery_wait_secs, max_wait_secs))
            state = get_checkpoint_state(checkpoint_dir)
        saver.restore(sess, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return sess, True

    def _try_run_local_init_op(self, sess: Session) -> tuple[bool, str | None]:
        if self._local_init_op is None:
            return True, None
        ready, reason = self._ready(self._ready_for_local_init_op, sess)
        if not ready:
            return False, reason
        logging.info("Running local_init_op.")
        sess.run(self._local_init_op, feed_dict=self._local_init_feed_dict, options=self._local_init_run_options)
        logging.info("Done running local_init_op.")
        return True, None

    def _ready(self, op: Any, sess: Session) -> tuple[bool, str | None]:
        """Whether `op` reports nothing; what it reports."""
        if op is None:
            return True, None
        try:
            found = sess.run(op)
        except errors.FailedPreconditionError as error:
            if "uninitialized" not in str(error):
                raise
            logging.warning("%s : error [%s]", "Model not ready", error)
            return False, str(error)
        if found is None or np.asarray(found).dtype == np.int32 or np.size(found) == 0:
            return True, None  # an operation, or one that raises when it is not ready
        return False, f"Variables not initialized: {', '.join(name.decode() for name in np.ravel(found).tolist())}"


def _name(value: Any) -> Any:
    """The name, if it has one."""
    return value if isinstance(value, str) else getattr(value, "name", value)
