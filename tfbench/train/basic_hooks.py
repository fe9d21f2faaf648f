"""Hooks that watch values and decide when training ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench import errors, logging
from tfbench.engine.default_graph import get_default_graph
from tfbench.train.hook_timers import NeverTriggerTimer, SecondOrStepTimer
from tfbench.train.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from tfbench.train.training_step import global_step_read

__all__ = [
    "FeedFnHook", "FinalOpsHook", "GlobalStepWaiterHook", "LoggingTensorHook", "NanLossDuringTrainingError",
    "NanTensorHook", "StopAtStepHook",
]  # fmt: skip


def step_tensor(hook: SessionRunHook) -> Any:
    """The value of the global step. RuntimeError, naming the hook's class, if the graph has none."""
    found = global_step_read()
    if found is None:
        raise RuntimeError(f"Global step should be created to use {type(hook).__name__}.")
    return found


def graph_element(value: Any) -> Any:
    """A tensor of the default graph, given as it is or by name (an operation's name is its only output)."""
    graph = get_default_graph()
    if not isinstance(value, str):
        if getattr(value, "graph", None) is not graph:
            raise ValueError(f"Passed {value} should have graph attribute that is equal to current graph {graph}.")
        return value
    if ":" in value:
        return graph.as_graph_element(value)
    element = graph.as_graph_element(f"{value}:0")
    if len(element.op.outputs) > 1:
        raise ValueError(f"Name {value} is ambiguous, as this `Operation` has multiple outputs (at least 2).")
    return element


class LoggingTensorHook(SessionRunHook):
    """Logs values every so many runs or seconds, or (`at_end`) once at the end.

    Args:
      tensors: tensors or names, or a dictionary label -> tensor.
      formatter: makes the message from the dictionary of values.

    Raises:
      ValueError: unless it is clear when to log.
    """

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[Any, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if isinstance(tensors, dict):
            self._tensors = dict(tensors)
            self._order = sorted(tensors)
        else:
            self._order = list(tensors)
            self._tensors = {item: item for item in self._order}
        self._formatter = formatter
        self._timer = (
            NeverTriggerTimer() if only_at_end else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        )
        self._at_end = at_end
        self._count = 0
        self._triggered = False
        self._current: dict[Any, Any] = {}

    def begin(self) -> None:
        self._timer.reset()
        self._count = 0
        self._current = {tag: graph_element(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._triggered = self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._current) if self._triggered else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._triggered:
            self._log(run_values.results)
        self._count += 1

    def end(self, session: Any) -> None:
        if self._at_end:
            self._log(session.run(self._current))

    def _log(self, values: dict[Any, Any]) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._count)
        with np.printoptions(suppress=True):
            if self._formatter is not None:
                logging.info(self._formatter(values))
                return
            text = ", ".join(f"{tag} = {values[tag]!s}" for tag in self._order)
            logging.info("%s", text if seconds is None else f"{text} ({seconds:.3f} sec)")


class StopAtStepHook(SessionRunHook):
    """Ends training at a global step: `last_step`, or `num_steps` after the one it begins with.

    Raises:
      ValueError: unless exactly one of both is given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step
        self._step: Any = None

    def begin(self) -> None:
        self._step = step_tensor(self)

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            self._last_step = session.run(self._step) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        # What the run has read may be the step before or after it was counted up: only where it may matter, look.
        last = self._last_step or 0
        if run_values.results + 1 >= last and run_context.session.run(self._step) >= last:
            run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """The loss is NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Looks at the loss of each run: if it is NaN, raises NanLossDuringTrainingError, or only stops."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss = loss_tensor
        self._fails = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not np.isnan(run_values.results):
            return
        message = "Model diverged with loss = NaN."
        if self._fails:
            logging.error(message)
            raise NanLossDuringTrainingError
        logging.warning(message)
        run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Lets the first run wait until the global step, which others count up, is at `wait_until_step`."""

    #: seconds between two looks
    _PAUSE = 0.5

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until = wait_until_step
        self._over = False
        self._step: Any = None

    def begin(self) -> None:
        self._over = False
        self._step = step_tensor(self)

    def before_run(self, run_context: SessionRunContext) -> None:
        if self._over:
            return
        self._over = True
        if self._wait_until <= 0:
            return
        logging.info("Waiting for global step %d before starting training.", self._wait_until)
        while run_context.session.run(self._step) < self._wait_until:
            time.sleep(self._PAUSE)


class FinalOpsHook(SessionRunHook):
    """Runs something at the end and keeps its values."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops = final_ops
        self._feeds = final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values, once the session is closed."""
        return self._values

    def end(self, session: Any) -> None:
        if self._final_ops is None:
            return
        try:
            self._values = session.run(self._final_ops, feed_dict=self._feeds)
        except (errors.OutOfRangeError, StopIteration):
            logging.warning(
                "What FinalOpsHook runs needs input, and the input is at its end. Run something that needs none, such "
                "as the value of a metric's variable."
            )
            raise


class FeedFnHook(SessionRunHook):
    """Feeds what a function returns to each run."""

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
