"""Callbacks that act on what an epoch gave: stop, save, learn slower."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.keras import logging_of_keras as log
from tfbench.keras.backend.values import get_value, set_value
from tfbench.keras.callbacks.base import Callback


def grows(mode: str, monitor: str, names: tuple[str, ...] = ("acc",)) -> bool:
    """Whether larger is better; in mode 'auto', for accuracies."""
    if mode == "auto":
        return any(name in monitor for name in names)
    return mode == "max"


def known_mode(mode: str, who: str) -> str:
    """'auto', 'min' or 'max'; with a warning 'auto' for anything else."""
    if mode not in ("auto", "min", "max"):
        log.warning("%s mode %s is unknown, fallback to auto mode.", who, mode)
        return "auto"
    return mode


class EarlyStopping(Callback):
    """Stops when what is monitored has not got better by `min_delta` for `patience` epochs."""

    def __init__(
        self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0, verbose: int = 0, mode: str = "auto",
        baseline: float | None = None, restore_best_weights: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.monitor = monitor
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        larger = grows(known_mode(mode, "EarlyStopping"), monitor)
        self.monitor_op: Any = np.greater if larger else np.less
        self.min_delta = abs(min_delta) if larger else -abs(min_delta)
        self.wait = self.stopped_epoch = 0
        self.best: Any = None
        self.best_weights: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        self.wait = self.stopped_epoch = 0
        worst = np.inf if self.monitor_op is np.less else -np.inf
        self.best = worst if self.baseline is None else self.baseline

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        current = self.get_monitor_value(logs)
        if current is None:
            return
        if self.monitor_op(current - self.min_delta, self.best):
            self.best = current
            self.wait = 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self.restore_best_weights and self.best_weights is not None:
                if self.verbose > 0:
                    print("Restoring model weights from the end of the best epoch.")
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs: Any = None) -> None:
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")

    def get_monitor_value(self, logs: Any) -> Any:
        """What is monitored; with a warning None where it is not there."""
        logs = logs or {}
        if self.monitor not in logs:
            log.warning(
                "Early stopping conditioned on metric `%s` which is not available. Available metrics are: %s",
                self.monitor,
                ",".join(logs),
            )
        return logs.get(self.monitor)


class ModelCheckpoint(Callback):
    """Saves the weights after each epoch, or each so many examples, in TensorFlow's format.

    Whole models are saved in HDF5 or as functions, and are not: give `save_weights_only=True`.

    Args:
      filepath: may hold `{epoch}` and names of results: `w.{epoch:02d}-{val_loss:.2f}`.
      save_best_only: only when what is monitored is the best so far.
      save_freq: 'epoch', or a number of examples.
      period: the number of epochs between two.

    Raises:
      ValueError: for another `save_freq`, or keyword.
    """

    def __init__(
        self, filepath: str, monitor: str = "val_loss", verbose: int = 0, save_best_only: bool = False,
        save_weights_only: bool = False, mode: str = "auto", save_freq: Any = "epoch", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.filepath = filepath
        self.monitor = monitor
        self.verbose = verbose
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"Unrecognized save_freq: {save_freq}")
        self.save_freq = save_freq
        self.period = kwargs.pop("period", 1)
        self.load_weights_on_restart = kwargs.pop("load_weights_on_restart", False)
        for unknown in kwargs:
            raise ValueError(f"ModelCheckpoint has no argument {unknown!r}")
        self.epochs_since_last_save = 0
        self._samples = self._epoch = 0
        larger = grows(known_mode(mode, "ModelCheckpoint"), monitor, ("acc", "fmeasure"))
        self.monitor_op: Any = np.greater if larger else np.less
        self.best: Any = -np.inf if larger else np.inf

    def set_model(self, model: Any) -> None:
        self.model = model
        if not model._is_graph_network and type(model).__name__ != "Sequential":
            self.save_weights_only = True  # a class with a `call` has nothing else to save

    def on_train_begin(self, logs: Any = None) -> None:
        if self.load_weights_on_restart:
            latest = self._latest()
            if latest is not None:
                self.model.load_weights(latest)

    def _latest(self) -> str | None:
        """The newest file that the pattern could have named."""
        pattern = re.sub(r"\{[^}]*\}", "*", self.filepath)
        found = sorted(glob.glob(f"{pattern}.index"), key=os.path.getmtime)
        return found[-1].removesuffix(".index") if found else None

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        if isinstance(self.save_freq, int):
            self._samples += (logs or {}).get("size", 1)
            if self._samples >= self.save_freq:
                self._save(self._epoch, logs)
                self._samples = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._epoch = epoch

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epochs_since_last_save += 1
        if self.save_freq == "epoch":
            self._save(epoch, logs)

    def _save(self, epoch: int, logs: Any) -> None:
        logs = logs or {}
        if not isinstance(self.save_freq, int) and self.epochs_since_last_save < self.period:
            return
        self.epochs_since_last_save = 0
        path = self.filepath.format(epoch=epoch + 1, **logs)
        if self.save_best_only:
            current = logs.get(self.monitor)
            if current is None:
                log.warning("Can save best model only with %s available, skipping.", self.monitor)
                return
            better = self.monitor_op(current, self.best)
            if self.verbose > 0:
                text = f"\nEpoch {epoch + 1:05d}: {self.monitor} "
                print(
                    f"{text}improved from {self.best:0.5f} to {current:0.5f}, saving model to {path}"
                    if better
                    else f"{text}did not improve from {self.best:0.5f}"
                )
            if not better:
                return
            self.best = current
        elif self.verbose > 0:
            print(f"\nEpoch {epoch + 1:05d}: saving model to {path}")
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)


class LearningRateScheduler(Callback):
    """Sets the learning rate of each epoch by a function of the epoch (from 0) and the rate.

    Raises (when called):
      ValueError: if the function gives no float, or the optimizer has no `lr`.
    """

    def __init__(self, schedule: Callable[..., Any], verbose: int = 0) -> None:
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        optimizer = self.model.optimizer
        if not hasattr(optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        try:
            rate = self.schedule(epoch, float(get_value(optimizer.lr)))
        except TypeError:  # a function of the epoch alone
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.float32, np.float64)):
            raise ValueError('The output of the "schedule" function should be float.')
        set_value(optimizer.lr, rate)
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1:05d}: LearningRateScheduler reducing learning rate to {rate}.")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if logs is not None:
            logs["lr"] = get_value(self.model.optimizer.lr)


class ReduceLROnPlateau(Callback):
    """Multiplies the learning rate by `factor` when what is monitored has not got better for `patience` epochs.

    Raises:
      ValueError: for a factor of 1 or more.
    """

    def __init__(
        self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10, verbose: int = 0, mode: str = "auto",
        min_delta: float = 0.0001, cooldown: int = 0, min_lr: float = 0, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        if factor >= 1.0:
            raise ValueError("ReduceLROnPlateau does not support a factor >= 1.0.")
        self.monitor = monitor
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.min_delta = kwargs.pop("epsilon", min_delta)
        self.cooldown = cooldown
        self.min_lr = min_lr
        self._larger = grows(known_mode(mode, "Learning Rate Plateau Reducing"), monitor)
        self._reset()

    def _reset(self) -> None:
        self.best: Any = -np.inf if self._larger else np.inf
        self.cooldown_counter = self.wait = 0

    def on_train_begin(self, logs: Any = None) -> None:
        self._reset()

    def monitor_op(self, a: Any, b: Any) -> bool:
        """Whether `a` is better than `b`, and not just a little."""
        return bool(a > b + self.min_delta if self._larger else a < b - self.min_delta)

    def in_cooldown(self) -> bool:
        """Whether it is too soon after the last time."""
        return self.cooldown_counter > 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs = {} if logs is None else logs
        rate = self.model.optimizer.lr
        logs["lr"] = get_value(rate)
        current = logs.get(self.monitor)
        if current is None:
            log.warning(
                "Reduce LR on plateau conditioned on metric `%s` which is not available. Available metrics are: %s",
                self.monitor,
                ",".join(logs),
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.monitor_op(current, self.best):
            self.best = current
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            old = float(get_value(rate))
            if self.wait >= self.patience and old > self.min_lr:
                new = max(old * self.factor, self.min_lr)
                set_value(rate, new)
                if self.verbose > 0:
                    print(f"\nEpoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate to {new}.")
                self.cooldown_counter = self.cooldown
                self.wait = 0
