"""`slim.learning.train`: the loop that takes steps until it is told to stop, under a `tf.train.Supervisor`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from tfbench import errors, logging, summary
from tfbench.engine import ops
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.grouping import group
from tfbench.train.saver import Saver
from tfbench.train.supervisor import Supervisor
from tfbench.train.sync_replicas import SyncReplicasOptimizer
from tfbench.train.training_step import get_or_create_global_step
from tfbench.variables.functions import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)

#: means: what usually serves
DEFAULT = 0


def _is_default(given: Any) -> bool:
    return isinstance(given, int) and given is DEFAULT


def train_step(sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Takes a step; gives the loss, and whether that was the last.

    Args:
      train_step_kwargs: 'should_stop', 'should_log', 'should_trace': tensors that say whether to; 'logdir': where a
        trace goes; 'summary_writer'.

    Raises:
      ValueError: for a trace without a folder.
    """
    start = time.time()
    options = metadata = None
    if "should_trace" in train_step_kwargs:
        if "logdir" not in train_step_kwargs:
            raise ValueError("logdir must be present in train_step_kwargs when should_trace is present")
        if sess.run(train_step_kwargs["should_trace"]):
            from tfbench.formats import protos

            options = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE)
            metadata = protos.RunMetadata()
    total_loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    seconds = time.time() - start
    if metadata is not None:
        _write_trace(metadata, step, train_step_kwargs)
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, total_loss, seconds)
    # Asked after the step, as it depends on the number of steps.
    should_stop = sess.run(train_step_kwargs["should_stop"]) if "should_stop" in train_step_kwargs else False
    return total_loss, should_stop


def _write_trace(metadata: Any, step: Any, train_step_kwargs: dict[str, Any]) -> None:
    from tfbench.formats.timeline import Timeline

    path = os.path.join(train_step_kwargs["logdir"], f"tf_trace-{int(step)}.json")
    logging.info("Writing trace to %s", path)
    os.makedirs(train_step_kwargs["logdir"], exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(Timeline(metadata.step_stats).generate_chrome_trace_format())
    writer = train_step_kwargs.get("summary_writer")
    if writer is not None:
        writer.add_run_metadata(metadata, f"run_metadata-{int(step)}")


def train(
    train_op: Any,
    logdir: Any,
    train_step_fn: Callable[..., tuple[Any, Any]] = train_step,
    train_step_kwargs: Any = DEFAULT,
    log_every_n_steps: int = 1,
    graph: Any = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = DEFAULT,
    init_fn: Callable[[Any], Any] | None = None,
    ready_op: Any = DEFAULT,
    summary_op: Any = DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Callable[[Any], Any] | None = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Runs `train_op` until `number_of_steps`, or until the input is at its end; gives the last loss.

    Variables are initialized, or restored from the last checkpoint of `logdir`; checkpoints and summaries are written
    there every so often, and a checkpoint at the end.

    Args:
      logdir: None: nothing is kept.
      train_step_fn: called with (session, train_op, global_step, train_step_kwargs); gives the loss and whether to
      stop.
      init_op, local_init_op, ready_op, summary_op: default: what a Supervisor takes. None: nothing.
      init_fn: called with the session after `init_op`.
      sync_optimizer: SyncReplicasOptimizers whose queues are to be filled.
      session_wrapper: makes the session that is used out of the one there is, e.g. a debugger's.
      trace_every_n_steps: write a timeline so often.

    Raises:
      ValueError: if there is no `train_op`, or what needs a `logdir` has none, or the number of steps is not positive.
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None:
        for name, given in (
            ("summary_op", not _is_default(summary_op)), ("saver", saver is not None),
            ("trace_every_n_steps", trace_every_n_steps is not None),
        ):  # fmt: skip
            if given:
                raise ValueError(f"Cannot provide {name} because logdir=None")
    optimizers = [sync_optimizer] if isinstance(sync_optimizer, SyncReplicasOptimizer) else sync_optimizer
    if optimizers is not None and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    graph = graph or get_default_graph()
    chief_runners: list[Any] = []
    cleanup_op = None
    with graph.as_default():
        if global_step is None:
            global_step = get_or_create_global_step()
        saver = saver or Saver()
        ready_for_local_init_op = None
        if optimizers is not None:
            for one in optimizers:
                if not isinstance(one, SyncReplicasOptimizer):
                    raise ValueError(
                        "`sync_optimizer` must be a tf.train.SyncReplicasOptimizer, or a list of them, found "
                        f"{type(one).__name__}."
                    )
        with name_scope("init_ops"):
            if _is_default(init_op):
                init_op = global_variables_initializer()
            if _is_default(ready_op):
                ready_op = report_uninitialized_variables()
            if _is_default(local_init_op):
                local_init_op = group(local_variables_initializer(), tables_initializer())
            if optimizers is not None:
                chief = [one.chief_init_op if is_chief else one.local_step_init_op for one in optimizers]
                local_init_op = group(local_init_op, *chief)
                ready_for_local_init_op = optimizers[0].ready_for_local_init_op
        if _is_default(summary_op):
            summary_op = summary.merge_all()
        if _is_default(summary_writer):
            summary_writer = Supervisor.USE_DEFAULT
        if is_chief and optimizers is not None:
            chief_runners = [one.get_chief_queue_runner() for one in optimizers]
            cleanup_op = [one.get_init_tokens_op() for one in optimizers]
        if _is_default(train_step_kwargs):
            train_step_kwargs = _questions(
                global_step, number_of_steps, log_every_n_steps, trace_every_n_steps if is_chief else None, logdir
            )
    supervisor = Supervisor(
        graph=graph,
        is_chief=is_chief,
        logdir=logdir,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        ready_for_local_init_op=ready_for_local_init_op,
        ready_op=ready_op,
        summary_op=summary_op,
        summary_writer=summary_writer,
        global_step=global_step,
        saver=saver,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = supervisor.summary_writer
    total_loss = None
    while True:
        try:
            with supervisor.managed_session(master, start_standard_services=False, config=session_config) as sess:
                logging.info("Starting Session.")
                if session_wrapper is not None:
                    sess = session_wrapper(sess)
                if is_chief:
                    if logdir:
                        supervisor.start_standard_services(sess)
                elif startup_delay_steps > 0:
                    _wait_for_step(sess, global_step, min(startup_delay_steps, number_of_steps or startup_delay_steps))
                threads = supervisor.start_queue_runners(sess)
                logging.info("Starting Queues.")
                if chief_runners:
                    supervisor.start_queue_runners(sess, chief_runners)
                    sess.run(cleanup_op)
                try:
                    while not supervisor.should_stop():
                        total_loss, should_stop = train_step_fn(sess, train_op, global_step, train_step_kwargs)
                        if should_stop:
                            logging.info("Stopping Training.")
                            supervisor.request_stop()
                            break
                except errors.OutOfRangeError as error:
                    logging.info("Caught OutOfRangeError. Stopping Training. %s", error)
                if logdir and supervisor.is_chief:
                    logging.info("Finished training! Saving model to disk.")
                    try:
                        # First, so that this checkpoint is the last: a thread may be about to write an earlier one. The
                        # summary writer is closed behind the session.
                        supervisor.stop(threads, close_summary_writer=False, ignore_live_threads=ignore_live_threads)
                    finally:
                        supervisor.saver.save(sess, supervisor.save_path, global_step=supervisor.global_step)
        except errors.AbortedError:
            # A server was restarted.
            logging.info("Retrying training!")
            continue
        return total_loss


def _questions(
    global_step: Any, number_of_steps: int | None, log_every: int, trace_every: int | None, logdir: Any
) -> dict[str, Any]:
    """The tensors that say whether to stop, to log and to trace."""
    with name_scope("train_step"):
        asked: dict[str, Any] = {}
        if number_of_steps:
            asked["should_stop"] = ops.greater_equal(global_step, number_of_steps)
        else:
            asked["should_stop"] = ops.constant(False)
        if log_every > 0:
            asked["should_log"] = ops.equal(ops.mod(global_step, log_every), 0)
        if trace_every is not None:
            asked["should_trace"] = ops.equal(ops.mod(global_step, trace_every), 0)
            asked["logdir"] = logdir
        return asked


def _wait_for_step(sess: Any, global_step: Any, step: int) -> None:
    while True:
        now = sess.run(global_step)
        if now >= step:
            return
        logging.info("Waiting for step %d before starting training. Current step: %d", step, now)
        time.sleep(1)
