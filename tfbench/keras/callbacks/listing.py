"""The callbacks of one run: those that were given, and those that are always there."""

from __future__ import annotations

from typing import Any

from tfbench.keras.callbacks.base import BaseLogger, Callback, History, Logs


class CallbackList:
    """Callbacks, called one after the other."""

    def __init__(self, callbacks: Any) -> None:
        self.callbacks: list[Callback] = list(callbacks)
        self.params: Logs = {}

    def set_model(self, model: Any) -> None:
        for callback in self.callbacks:
            callback.set_model(model)

    def set_params(self, params: Logs) -> None:
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def call(self, hook: str) -> None:
        """Calls a hook that has no arguments but logs."""
        for callback in self.callbacks:
            getattr(callback, hook)(None)

    def on_epoch(self, which: str, epoch: int, logs: Logs) -> None:
        """Calls `on_epoch_begin` or `on_epoch_end`."""
        for callback in self.callbacks:
            getattr(callback, f"on_epoch_{which}")(epoch, logs)

    def on_batch(self, mode: str, which: str, batch: int, logs: Logs) -> None:
        """Calls the hook for a batch in that mode."""
        for callback in self.callbacks:
            getattr(callback, f"on_{mode}_batch_{which}")(batch, logs)


def configured(
    callbacks: Any, model: Any, mode: str, do_validation: bool, batch_size: int | None, epochs: int,
    steps: int | None, samples: Any, verbose: int,
) -> CallbackList:  # fmt: skip
    """The list for one run, with the model and the parameters set."""
    given = [] if callbacks is None else callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
    if mode == "train":
        model.history = History()
        given = [BaseLogger(), *given, model.history]
    made = CallbackList(given)
    made.set_model(model)
    names = model.metrics_names if mode != "predict" else []
    for callback in made.callbacks:
        if hasattr(callback, "stateful_metrics"):
            callback.stateful_metrics = set(names[1:])
    made.set_params(
        {
            "batch_size": batch_size, "epochs": epochs, "steps": steps, "samples": samples, "verbose": 0,
            "do_validation": do_validation, "metrics": [*names, *(f"val_{name}" for name in names if do_validation)],
        }
    )  # fmt: skip
    return made
