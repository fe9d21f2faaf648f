"""Hooks that write things down: checkpoints, summaries, how fast it goes, what a step's time is spent on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tfbench import logging
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_default_graph
from tfbench.summary import FileWriterCache
from tfbench.train.basic_hooks import step_tensor
from tfbench.train.hook_timers import SecondOrStepTimer
from tfbench.train.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from tfbench.train.training_step import get_global_step

__all__ = ["CheckpointSaverHook", "CheckpointSaverListener", "ProfilerHook", "StepCounterHook", "SummarySaverHook"]


class CheckpointSaverListener:
    """Something that is told when a CheckpointSaverHook saves."""

    def begin(self) -> None:
        """Called before the session is made."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before each checkpoint."""

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Called after each checkpoint; what is true asks for the end of training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called at the end, after the last checkpoint."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint at the first step, every so many steps or seconds, and at the end.

    Args:
      saver, scaffold: whose Saver to use, not both; without them, that of the graph's collection.
      listeners: CheckpointSaverListeners.
      save_graph_def: also write the graph: as text, into each checkpoint, and for TensorBoard.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        logging.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._scaffold = scaffold
        self._folder = os.fsdecode(checkpoint_dir)
        self._save_path = os.path.join(self._folder, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = list(listeners or ())
        self._save_graph_def = save_graph_def
        self._writer: Any = None
        self._step: Any = None

    def begin(self) -> None:
        self._writer = FileWriterCache.get(self._folder)
        self._step = step_tensor(self)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = session.run(self._step)
        if self._save_graph_def:
            from tfbench.formats.meta_graph import export_meta_graph
            from tfbench.train.meta_graphs import write_graph

            graph = get_default_graph()
            message = graph.as_graph_def(add_shapes=True)
            write_graph(message, self._folder, "graph.pbtxt")
            saver = self._get_saver()
            self._writer.add_graph(graph)
            definition = None if saver is None else saver.saver_def
            self._writer.add_meta_graph(
                export_meta_graph(graph_def=message, saver_def=definition, collection_list=[], graph=graph)
            )
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        # The run may have read the step before it was counted up.
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._step)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        step = session.run(self._step)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Saves; whether a listener asks for the end."""
        logging.info("Calling checkpoint listeners before saving checkpoint %d...", step)
        for listener in self._listeners:
            listener.before_save(session, step)
        logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._get_saver().save(session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def)
        from tfbench.formats.protos import SessionLog

        log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._writer.add_session_log(log, step)
        logging.info("Calling checkpoint listeners after saving checkpoint %d...", step)
        stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                logging.info("A CheckpointSaverListener requested that training be stopped. listener: %s", listener)
                stop = True
        return stop

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_default_graph().get_collection(GraphKeys.SAVERS)
        if not savers:
            raise RuntimeError(
                f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection or provide a saver "
                "or scaffold."
            )
        if len(savers) > 1:
            raise RuntimeError(
                f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by passing it "
                "to the constructor."
            )
        self._saver = savers[0]
        return self._saver


class StepCounterHook(SessionRunHook):
    """Logs how many steps a second there are, every so many steps or seconds, and writes it for TensorBoard."""

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._writer = summary_writer
        self._output_dir = output_dir
        self._last_step: int | None = None
        self._step: Any = None
        self._tag = ""

    def begin(self) -> None:
        if self._writer is None and self._output_dir:
            self._writer = FileWriterCache.get(self._output_dir)
        self._step = step_tensor(self)
        self._tag = f"{get_global_step().op.name}/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        stale = run_values.results
        if self._timer.should_trigger_for_step(stale + 1):
            step = run_context.session.run(self._step)
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds and steps is not None:
                    self._log_and_record(steps, seconds, step)
        if stale == self._last_step:
            logging.log_first_n(
                logging.WARN,
                "It seems that global step (tf.train.get_global_step) has not been increased. Current value (could be "
                "stable): %s vs previous value: %s. You could increase the global step by passing "
                "tf.train.get_global_step() to Optimizer.apply_gradients or Optimizer.minimize.",
                5,
                stale,
                self._last_step,
            )
        self._last_step = stale

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        rate = elapsed_steps / elapsed_time
        if self._writer is not None:
            from tfbench.formats.protos import Summary

            value = Summary.Value(tag=self._tag, simple_value=rate)
            self._writer.add_summary(Summary(value=[value]), global_step)
        logging.info("%s: %g", self._tag, rate)


class SummarySaverHook(SessionRunHook):
    """Writes summaries at the first step and every so many steps or seconds: `summary_op`, or that of a Scaffold."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op = summary_op
        self._writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._next: int | None = None
        self._requested = False
        self._step: Any = None

    def begin(self) -> None:
        if self._writer is None and self._output_dir:
            self._writer = FileWriterCache.get(self._output_dir)
        self._next = None
        self._step = step_tensor(self)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._requested = self._next is None or self._timer.should_trigger_for_step(self._next)
        wanted = {"global_step": self._step}
        summaries = self._summaries() if self._requested else None
        if summaries is not None:
            wanted["summary"] = summaries
        return SessionRunArgs(wanted)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._writer is None:
            return
        step = run_values.results["global_step"] + 1
        if self._requested:
            step = run_context.session.run(self._step)
        if self._next is None:
            from tfbench.formats.protos import SessionLog

            self._writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._requested:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session: Any) -> None:
        if self._writer is not None:
            self._writer.flush()

    def _summaries(self) -> list[Any] | None:
        found = self._summary_op
        if found is None and self._scaffold is not None:
            found = self._scaffold.summary_op
        if found is None:
            return None
        return found if isinstance(found, list) else [found]


class ProfilerHook(SessionRunHook):
    """Writes what a step's time is spent on into `timeline-STEP.json` (Chrome's format), now and then."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._path = os.path.join(output_dir, "timeline-{}.json")
        self._writer = FileWriterCache.get(output_dir) if output_dir else None
        self._dataflow = show_dataflow
        self._memory = show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._next: int | None = None
        self._requested = False
        self._step: Any = None

    def begin(self) -> None:
        self._next = None
        self._step = step_tensor(self)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._requested = self._next is not None and self._timer.should_trigger_for_step(self._next)
        options = None
        if self._requested:
            from tfbench.formats.protos import RunOptions

            options = RunOptions(trace_level=RunOptions.FULL_TRACE)
        return SessionRunArgs({"global_step": self._step}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        stale = run_values.results["global_step"]
        if self._next is None:
            self._timer.update_last_triggered_step(stale)
        step = stale + 1
        if self._requested:
            step = run_context.session.run(self._step)
            self._timer.update_last_triggered_step(step)
            self._save(step, run_values.run_metadata.step_stats)
            if self._writer is not None:
                self._writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next = step + 1

    def _save(self, step: int, step_stats: Any) -> None:
        from tfbench.formats.timeline import Timeline

        path = self._path.format(step)
        logging.info("Saving timeline for %d into '%s'.", step, path)
        trace = Timeline(step_stats).generate_chrome_trace_format(self._dataflow, self._memory)
        with open(path, "w", encoding="utf-8") as file:
            file.write(trace)
