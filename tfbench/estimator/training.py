"""`tf.estimator.train_and_evaluate`: training that is evaluated at each checkpoint, in one process."""

from __future__ import annotations

import os
import time
from typing import Any, NamedTuple

from tfbench import logging
from tfbench.estimator.estimator import Estimator
from tfbench.estimator.exporters import Exporter
from tfbench.train.saving_hooks import CheckpointSaverListener
from tfbench.train.session_run_hook import SessionRunHook

__all__ = ["EvalSpec", "TrainSpec", "train_and_evaluate"]


class _TrainFields(NamedTuple):
    input_fn: Any
    max_steps: Any
    hooks: Any


class TrainSpec(_TrainFields):
    """How to train: the input, until which global step, with which hooks.

    Raises:
      ValueError, TypeError: for values that cannot be.
    """

    __slots__ = ()

    def __new__(cls, input_fn: Any, max_steps: Any = None, hooks: Any = None) -> TrainSpec:
        _check_input(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        return super().__new__(cls, input_fn, max_steps, _hooks(hooks))


class _EvalFields(NamedTuple):
    input_fn: Any
    steps: Any
    name: Any
    hooks: Any
    exporters: Any
    start_delay_secs: Any
    throttle_secs: Any


class EvalSpec(_EvalFields):
    """How to evaluate: the input, how many batches (None: all), what to export, at most how often.

    Raises:
      ValueError, TypeError: for values that cannot be.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Any,
        steps: Any = 100,
        name: Any = None,
        hooks: Any = None,
        exporters: Any = None,
        start_delay_secs: Any = 120,
        throttle_secs: Any = 600,
    ) -> EvalSpec:
        _check_input(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        exporters = _exporters(exporters)
        for what, seconds in (("start_delay_secs", start_delay_secs), ("throttle_secs", throttle_secs)):
            if seconds < 0:
                raise ValueError(f"Must specify {what} >= 0, given: {seconds}")
        return super().__new__(cls, input_fn, steps, name, _hooks(hooks), exporters, start_delay_secs, throttle_secs)


def _check_input(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")


def _hooks(hooks: Any) -> tuple[Any, ...]:
    for hook in hooks or ():
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be `SessionRunHook` instances, given: {hook}")
    return tuple(hooks or ())


def _exporters(given: Any) -> tuple[Any, ...]:
    found = (given,) if isinstance(given, Exporter) else tuple(given or ())
    names = set()
    for exporter in found:
        if not isinstance(exporter, Exporter):
            raise TypeError(f"`exporters` must be an Exporter or an iterable of Exporters, given: {exporter}")
        if exporter.name in names:
            raise ValueError(f"`exporters` must have unique names. Such a name cannot be used twice: {exporter.name}")
        names.add(exporter.name)
    return found


class _Evaluator(CheckpointSaverListener):
    """Evaluates what was saved, at most every `throttle_secs`, and always at the end."""

    def __init__(self, estimator: Estimator, spec: EvalSpec, max_steps: int | None) -> None:
        self._estimator = estimator
        self._spec = spec
        self._max_steps = max_steps
        self._next = 0.0
        self._evaluated: str | None = None
        self.metrics: Any = None
        self.exported: list[Any] = []

    def begin(self) -> None:
        self._next = time.monotonic() + self._spec.throttle_secs

    def after_save(self, session: Any, global_step_value: int) -> None:
        if time.monotonic() >= self._next:
            self.evaluate(global_step_value)

    def end(self, session: Any, global_step_value: int) -> None:
        self.evaluate(global_step_value, last=True)

    def evaluate(self, step: int, last: bool = False) -> None:
        path = self._estimator.latest_checkpoint()
        if path is None or path == self._evaluated:
            return
        self._next = time.monotonic() + self._spec.throttle_secs
        spec = self._spec
        self.metrics = self._estimator.evaluate(
            spec.input_fn, steps=spec.steps, hooks=spec.hooks, checkpoint_path=path, name=spec.name
        )
        self._evaluated = path
        final = last or (self._max_steps is not None and step >= self._max_steps)
        self.exported = [
            exporter.export(
                self._estimator,
                os.path.join(self._estimator.model_dir, "export", exporter.name),
                path,
                self.metrics,
                final,
            )
            for exporter in spec.exporters
        ]


def train_and_evaluate(estimator: Any, train_spec: Any, eval_spec: Any) -> tuple[Any, list[Any]]:
    """Trains and evaluates at checkpoints; gives the last evaluation's result and what was exported then.

    Raises:
      TypeError: if an argument is of another type.
      ValueError: if nothing would be saved, and so nothing evaluated.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must have type `tf.estimator.Estimator`, given {type(estimator)}")
    if not isinstance(train_spec, TrainSpec):
        raise TypeError(f"`train_spec` must have type `tf.estimator.TrainSpec`. Got: {type(train_spec)}")
    if not isinstance(eval_spec, EvalSpec):
        raise TypeError(f"`eval_spec` must have type `tf.estimator.EvalSpec`. Got: {type(eval_spec)}")
    config = estimator.config
    if not (config.save_checkpoints_secs or config.save_checkpoints_steps):
        raise ValueError(
            "train_and_evaluate evaluates checkpoints, and none are saved: set RunConfig.save_checkpoints_steps or "
            "RunConfig.save_checkpoints_secs."
        )
    logging.info("Running training and evaluation locally (non-distributed).")
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    estimator.train(
        train_spec.input_fn,
        max_steps=train_spec.max_steps,
        hooks=list(train_spec.hooks),
        saving_listeners=[evaluator],
    )
    return evaluator.metrics, evaluator.exported
