"""Evaluating what checkpoints hold: once, or each new checkpoint of a folder (`contrib.training`).

`eval_ops` run again and again, and with them a counter, the *eval step*, that hooks look at: one of them says when it
is enough. What `final_ops` give at the end is the result.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tfbench import logging, summary
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import control_dependencies, get_collection
from tfbench.engine.dtypes import int64
from tfbench.engine.ops.base import identity
from tfbench.initializers import zeros_initializer
from tfbench.train.basic_hooks import FinalOpsHook
from tfbench.train.checkpoint_state import checkpoints_iterator
from tfbench.train.monitored_session import ChiefSessionCreator, MonitoredSession
from tfbench.train.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from tfbench.train.training_step import get_or_create_global_step
from tfbench.variable_scope import get_variable
from tfbench.variables import assign_add

#: means: all summaries of the graph
MERGE_ALL = 0


def get_or_create_eval_step() -> Any:
    """The variable that counts evaluations; made where there is none.

    Raises:
      ValueError: if there are several.
    """
    found = get_collection(GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if found:
        return found[0]
    return get_variable(
        "eval_step",
        shape=[],
        dtype=int64,
        initializer=zeros_initializer(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


class StopAfterNEvalsHook(SessionRunHook):
    """Stops after `num_evals` evaluations; None: never."""

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._log_progress = log_progress
        self._completed: Any = None

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        self._completed = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs({"evals_completed": self._completed})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        completed = run_values.results["evals_completed"]
        if self._log_progress:
            if self._num_evals is None:
                logging.info("Evaluation [%d]", completed)
            else:
                logging.info("Evaluation [%d/%d]", completed, self._num_evals)
        if self._num_evals is not None and completed >= self._num_evals:
            run_context.request_stop()


class SummaryAtEndHook(SessionRunHook):
    """Writes summaries when the session ends: by a writer, or else into a folder."""

    def __init__(
        self, log_dir: Any = None, summary_writer: Any = None, summary_op: Any = None, feed_dict: Any = None
    ) -> None:
        self._summary_op = summary_op
        self._merges = summary_op is None
        self._feed_dict = feed_dict
        self._writer = summary_writer
        self._log_dir = log_dir
        self._global_step: Any = None

    def begin(self) -> None:
        if self._merges:
            self._summary_op = summary.merge_all()
        self._global_step = get_or_create_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._writer is None and self._log_dir:
            self._writer = summary.FileWriterCache.get(self._log_dir)

    def end(self, session: Any) -> None:
        if self._summary_op is None:
            return
        step = session.run(self._global_step)
        text = session.run(self._summary_op, self._feed_dict)
        if self._writer:
            self._writer.add_summary(text, step)
            self._writer.flush()


def _with(eval_ops: Any, update: Any) -> Any:
    """`eval_ops` and the update of the eval step."""
    if isinstance(eval_ops, dict):
        eval_ops["update_eval_step"] = update
        return eval_ops
    return [*eval_ops, update] if isinstance(eval_ops, (list, tuple)) else [eval_ops, update]


def _latest(eval_ops: Any) -> Any:
    """The eval step, read after all of them."""
    ops = list(eval_ops.values()) if isinstance(eval_ops, dict) else eval_ops
    with control_dependencies(ops):
        return identity(get_or_create_eval_step().read_value())


def _run(creator: Any, hooks: list[Any], eval_ops: Any, feed_dict: Any) -> None:
    logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    with MonitoredSession(session_creator=creator, hooks=hooks) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    # Behind the block: it is what takes the end of the input for what it is.
    logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))


def evaluate_once(
    checkpoint_path: Any,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    hooks: Any = None,
    config: Any = None,
) -> Any:
    """Restores a checkpoint (None: only initializes), runs `eval_ops` until a hook stops it, and gives `final_ops`'
    values.

    Without a hook that stops, `eval_ops` run until the input is at its end; None runs nothing.
    """
    eval_step = get_or_create_eval_step()
    all_hooks = list(hooks or ())
    if eval_ops is not None:
        eval_ops = _with(eval_ops, assign_add(eval_step, 1, use_locking=True))
        step = _latest(eval_ops)
        for hook in all_hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(step)
    creator = ChiefSessionCreator(
        scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path, master=master, config=config
    )
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    all_hooks.append(final)
    _run(creator, all_hooks, eval_ops, feed_dict)
    return final.final_ops_values


def evaluate_repeatedly(
    checkpoint_dir: Any,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    eval_interval_secs: float = 60,
    hooks: Any = None,
    config: Any = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:
    """Evaluates each new checkpoint of a folder; gives what `final_ops` were for the last one.

    Args:
      eval_interval_secs: at least so long from one evaluation to the next.
      max_number_of_evaluations: how many; None: until no checkpoint comes for `timeout` seconds.
      timeout_fn: asked after a timeout; it goes on unless this says True.
    """
    eval_step = get_or_create_eval_step()
    all_hooks = list(hooks or ())
    if eval_ops is not None:
        update = assign_add(eval_step, 1)
        for hook in all_hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(update)
        eval_ops = _with(eval_ops, update)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    all_hooks.append(final)
    paths = checkpoints_iterator(
        checkpoint_dir, min_interval_secs=eval_interval_secs, timeout=timeout, timeout_fn=timeout_fn
    )
    for done, path in enumerate(paths, 1):
        creator = ChiefSessionCreator(
            scaffold=scaffold, checkpoint_filename_with_path=path, master=master, config=config
        )
        _run(creator, all_hooks, eval_ops, feed_dict)
        if max_number_of_evaluations is not None and done >= max_number_of_evaluations:
            break
    return final.final_ops_values
