"""`slim.evaluation`: `contrib.training`'s evaluation for so many batches, with summaries at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench import summary
from tfbench.train import evaluation
from tfbench.train.checkpoint_state import checkpoints_iterator, wait_for_new_checkpoint
from tfbench.train.evaluation import MERGE_ALL, StopAfterNEvalsHook, SummaryAtEndHook
from tfbench.train.saver import Saver
from tfbench.train.scaffold import Scaffold

__all__ = ["checkpoints_iterator", "evaluate_once", "evaluation_loop", "wait_for_new_checkpoint"]


def _hooks(num_evals: int, logdir: Any, summary_op: Any, feed_dict: Any, hooks: Any) -> list[Any]:
    if isinstance(summary_op, int) and summary_op == MERGE_ALL:
        summary_op = summary.merge_all()
    found: list[Any] = [StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        found.append(SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=feed_dict))
    return [*found, *(hooks or ())]


def evaluate_once(
    master: str,
    checkpoint_path: Any,
    logdir: Any,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = MERGE_ALL,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    session_config: Any = None,
    hooks: Any = None,
) -> Any:
    """Restores a checkpoint, runs `eval_op` `num_evals` times, writes summaries into `logdir`, and gives `final_op`'s
    value.

    Args:
      initial_op: what initializes, before the checkpoint is restored.
      summary_op: written at the end; default: all summaries; None: nothing.
      variables_to_restore: default: all that a Saver saves.
    """
    all_hooks = _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks)
    saver = None if variables_to_restore is None else Saver(variables_to_restore)
    return evaluation.evaluate_once(
        checkpoint_path,
        master=master,
        scaffold=Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=all_hooks,
        config=session_config,
    )


def evaluation_loop(
    master: str,
    checkpoint_dir: Any,
    logdir: Any,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    init_fn: Callable[..., Any] | None = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = MERGE_ALL,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: Any = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
    hooks: Any = None,
) -> Any:
    """`evaluate_once` for each new checkpoint of a folder; gives the last value of `final_op`.

    Args:
      eval_interval_secs: at least so long from one evaluation to the next.
      max_number_of_evaluations: how many; None: until no checkpoint comes for `timeout` seconds.
    """
    all_hooks = _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks)
    saver = None if variables_to_restore is None else Saver(variables_to_restore)
    return evaluation.evaluate_repeatedly(
        checkpoint_dir,
        master=master,
        scaffold=Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, init_fn=init_fn, saver=saver),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        hooks=all_hooks,
        config=session_config,
        max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout,
        timeout_fn=timeout_fn,
    )
