"""Going through data: batches, epochs, what is reported, who is called.

`fit`, `evaluate` and `predict` are one loop in three modes. Metrics keep what they report in variables, so a batch's
result is that of all batches so far; only the loss is averaged here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.tensor import Tensor
from tfbench.keras import logging_of_keras as log
from tfbench.keras.backend.state import learning_phase
from tfbench.keras.callbacks.listing import CallbackList, configured
from tfbench.keras.callbacks.progress import ProgbarLogger

TRAIN, TEST, PREDICT = "train", "test", "predict"


class Data:
    """What the loop goes through: arrays in batches, or batches that something gives one by one.

    Args:
      arrays: all examples; None with `next_batch`.
      next_batch: what gives the next batch, and raises OutOfRangeError or StopIteration at the end.
      restart: has `next_batch` begin again.
      steps: how many batches an epoch has; None for all there are.
      weighted: whether there are weights of examples.
      sized: whether the loss is averaged over examples, and not over batches, for those who watch.
    """

    def __init__(
        self, arrays: list[Any] | None = None, next_batch: Callable[[], list[Any]] | None = None,
        restart: Callable[[], None] | None = None, batch_size: int | None = None, steps: int | None = None,
        steps_name: str = "steps", sized: bool = False, weighted: bool = False,
    ) -> None:  # fmt: skip
        self.arrays = arrays
        self.next_batch = next_batch
        self.restart = restart
        self.batch_size = batch_size
        self.steps = steps
        self.steps_name = steps_name
        self.sized = sized
        self.weighted = weighted

    @property
    def by_steps(self) -> bool:
        return self.next_batch is not None or self.steps is not None

    @property
    def count(self) -> Any:
        """How many examples, or steps, an epoch has."""
        if self.by_steps:
            return self.steps
        assert self.arrays is not None
        return next((one.shape[0] for one in self.arrays if hasattr(one, "shape")), None)


def picked(arrays: list[Any], rows: Any) -> list[Any]:
    """The rows of each array; a number (a flag) as it is."""
    return [one if one is None or isinstance(one, (bool, int)) else one[rows] for one in arrays]


class _Results:
    """What an epoch gives: the loss averaged, the metrics as they are; of predictions, all of them."""

    def __init__(self, mode: str, by_steps: bool) -> None:
        self.mode = mode
        self.by_steps = by_steps
        self.values: list[Any] = []
        self.seen = 0

    def add(self, outputs: list[Any], size: int) -> None:
        if self.mode == PREDICT:
            self.values = self.values or [[] for _ in outputs]
            for kept, one in zip(self.values, outputs, strict=True):
                kept.append(one)
            return
        weight = 1 if self.by_steps else size
        total = (self.values[0] if self.values else 0.0) + np.float64(outputs[0]) * weight
        self.values = [total, *outputs[1:]]
        self.seen += weight

    def finished(self) -> list[Any]:
        if not self.values:
            raise ValueError("Empty training data.")
        if self.mode == PREDICT:
            return [kept[0] if len(kept) == 1 else np.concatenate(kept, axis=0) for kept in self.values]
        return [self.values[0] / self.seen, *self.values[1:]]


def logs_of(model: Any, logs: dict[str, Any], outputs: list[Any], mode: str, prefix: str = "") -> dict[str, Any]:
    """The results by name."""
    if mode == PREDICT:
        logs["outputs"] = outputs
    else:
        logs.update({prefix + name: one for name, one in zip(model.metrics_names, outputs, strict=False)})
    return logs


def should_validate(frequency: Any, epoch: int) -> bool:
    """Whether it is time to: every so many epochs, or in those that are listed (from 1 on)."""
    if isinstance(frequency, int):
        if frequency < 1:
            raise ValueError("`validation_freq` can not be less than 1.")
        return (epoch + 1) % frequency == 0
    if not hasattr(frequency, "__contains__"):
        raise ValueError("`validation_freq` must be an Integer or `collections_abc.Container` (e.g. list, tuple, etc.)")
    return epoch + 1 in frequency


class Loop:
    """One run of `fit`, `evaluate` or `predict`."""

    def __init__(self, model: Any, data: Data, mode: str, shuffle: Any = True) -> None:
        self.model = model
        self.data = data
        self.mode = mode
        self.shuffle = shuffle
        if mode != PREDICT:
            model._update_weight_modes([data] if data.weighted else [])
        make = {TRAIN: model._make_train_function, TEST: model._make_test_function}
        self.function = make.get(mode, model._make_predict_function)()
        self.callbacks: CallbackList
        self.progress: ProgbarLogger | None = None

    def run(
        self, epochs: int = 1, initial_epoch: int = 0, callbacks: Any = None, verbose: int = 1,
        validation: Data | None = None, validation_freq: Any = 1, inside: bool = False,
    ) -> Any:  # fmt: skip
        """Goes through the data; gives the history, or the results.

        Args:
          inside: whether it is the validation of a `fit`, whose callbacks it has.
        """
        model, data, mode = self.model, self.data, self.mode
        if mode == TRAIN and verbose:
            _say_how_many(data, validation)
        self.callbacks = callbacks if inside else configured(
            callbacks, model, mode, do_validation=validation is not None, batch_size=data.batch_size, epochs=epochs,
            steps=data.steps, samples=data.count, verbose=verbose,
        )  # fmt: skip
        if verbose:
            self.progress = ProgbarLogger("steps" if data.by_steps else "samples", model.metrics_names[1:])
            self.progress.set_params({**self.callbacks.params, "verbose": verbose})
            self.progress.on_train_begin()
        if not inside:
            model.stop_training = False
        self.callbacks.call(f"on_{mode}_begin")
        results: list[Any] = []
        for epoch in range(initial_epoch, epochs):
            if model.stop_training:
                break
            results = self._epoch(epoch, epochs, validation, validation_freq)
        self.callbacks.call(f"on_{mode}_end")
        return model.history if mode == TRAIN else results

    def _epoch(self, epoch: int, epochs: int, validation: Data | None, validation_freq: Any) -> list[Any]:
        model, mode = self.model, self.mode
        logs: dict[str, Any] = {}
        model.reset_metrics()
        if mode == TRAIN:
            self.callbacks.on_epoch("begin", epoch, logs)
        if self.progress:
            self.progress.on_epoch_begin(epoch, logs)
        found = _Results(mode, self.data.by_steps)
        if self.data.by_steps:
            self._steps(found, epochs)
        else:
            self._batches(found)
        results = found.finished()
        logs = logs_of(model, logs, results, mode)
        if validation is not None and should_validate(validation_freq, epoch) and not model.stop_training:
            inner = Loop(model, validation, TEST)
            logs_of(model, logs, inner.run(callbacks=self.callbacks, verbose=0, inside=True), TRAIN, "val_")
            if validation.restart and epoch < epochs - 1:
                validation.restart()
        if mode == TRAIN:
            self.callbacks.on_epoch("end", epoch, logs)
        if self.progress:
            self.progress.on_epoch_end(epoch, logs)
        if self.data.restart and epoch < epochs - 1:
            self.data.restart()
        return results

    def _one(self, at: int, size: int, batch: list[Any], found: _Results, weight: int) -> None:
        """One batch, with those who want to know."""
        logs: dict[str, Any] = {"batch": at, "size": size}
        self.callbacks.on_batch(self.mode, "begin", at, logs)
        if self.progress:
            self.progress.on_batch_begin(at, logs)
        outputs = self.function(batch)
        outputs = outputs if isinstance(outputs, list) else [outputs]
        found.add(outputs, weight)
        logs = logs_of(self.model, logs, outputs, self.mode)
        self.callbacks.on_batch(self.mode, "end", at, logs)
        if self.progress:
            self.progress.on_batch_end(at, logs)

    def _batches(self, found: _Results) -> None:
        arrays, count = self.data.arrays, self.data.count
        assert arrays is not None
        size = self.data.batch_size or count
        order = np.arange(count)
        if self.mode != PREDICT and self.shuffle == "batch":
            order = _shuffled_batches(order, size)
        elif self.mode != PREDICT and self.shuffle:
            np.random.shuffle(order)
        starts = list(range(0, count, size))
        for at, start in enumerate(starts):
            rows = order[start : start + size]
            batch = arrays if len(starts) == 1 else picked(arrays, rows)
            self._one(at, len(rows), batch, found, len(rows))
            if self.model.stop_training:
                break

    def _steps(self, found: _Results, epochs: int) -> None:
        data, step = self.data, 0
        while data.steps is None or step < data.steps:
            try:
                batch = data.next_batch() if data.next_batch else data.arrays or []
                self._one(step, batch[0].shape[0] if data.sized else 1, batch, found, 1)
            except (errors.OutOfRangeError, StopIteration):
                if data.steps is None and step:
                    data.steps = step
                    if self.progress:
                        self.progress.set_target(step)
                else:
                    self.model.stop_training = True
                    log.warning(
                        "Your dataset ran out of data; interrupting training. Make sure that your dataset can generate "
                        "at least `%s * epochs` batches (in this case, %s batches). You may need to use the repeat() "
                        "function when building your dataset.",
                        data.steps_name,
                        (data.steps or 1) * epochs,
                    )
                break
            step += 1
            if self.model.stop_training:
                break


def _shuffled_batches(order: Any, size: int) -> Any:
    """Whole batches in another order; what is left over stays at the end."""
    whole = len(order) // size * size
    batches = order[:whole].reshape((-1, size))
    np.random.shuffle(batches)
    return np.append(batches.flatten(), order[whole:])


def _say_how_many(data: Data, validation: Data | None) -> None:
    unit = "steps" if data.next_batch else "samples"
    text = f"Train on {data.count} {unit}"
    if validation is not None and validation.count:
        text += f", validate on {validation.count} {unit}"
    print(text)


def with_phase(arrays: list[Any]) -> list[Any]:
    """What the train function is fed: the arrays, and that it is training, unless that is fixed."""
    return [*arrays, True] if isinstance(learning_phase(), Tensor) else arrays
