"""`Callback`, and those that only look: logging, history, functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Logs = dict[str, Any]


class Callback:
    """What `fit`, `evaluate` and `predict` call on their way. `model` and `params` are set before.

    A training batch calls `on_batch_begin` and `on_batch_end`, unless `on_train_batch_…` is replaced.
    """

    model: Any
    params: Logs

    def __init__(self) -> None:
        self.validation_data: Any = None
        self.model = None

    def set_params(self, params: Logs) -> None:
        self.params = params

    def set_model(self, model: Any) -> None:
        self.model = model

    def on_batch_begin(self, batch: int, logs: Any = None) -> None: ...

    def on_batch_end(self, batch: int, logs: Any = None) -> None: ...

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None: ...

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None: ...

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None: ...

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None: ...

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None: ...

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None: ...

    def on_train_begin(self, logs: Any = None) -> None: ...

    def on_train_end(self, logs: Any = None) -> None: ...

    def on_test_begin(self, logs: Any = None) -> None: ...

    def on_test_end(self, logs: Any = None) -> None: ...

    def on_predict_begin(self, logs: Any = None) -> None: ...

    def on_predict_end(self, logs: Any = None) -> None: ...


class BaseLogger(Callback):
    """Averages over an epoch what is not in `stateful_metrics`, which are averages already. `fit` always has one."""

    def __init__(self, stateful_metrics: Any = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or [])
        self.seen = 0
        self.totals: Logs = {}

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.seen, self.totals = 0, {}

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        logs = logs or {}
        size = logs.get("size", 0)
        self.seen += size * logs.get("num_steps", 1)
        for name, value in logs.items():
            if name in self.stateful_metrics:
                self.totals[name] = value
            else:
                self.totals[name] = self.totals.get(name, 0) + np.float64(value) * size

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        for name in self.params["metrics"] if logs is not None else ():
            if name in self.totals:
                value = self.totals[name]
                logs[name] = value if name in self.stateful_metrics else value / self.seen


class History(Callback):
    """What each epoch gave: `epoch`, and `history` by name. `fit` always has one, and returns it."""

    def __init__(self) -> None:
        super().__init__()
        self.epoch: list[int] = []
        self.history: dict[str, list[Any]] = {}

    def on_train_begin(self, logs: Any = None) -> None:
        self.epoch, self.history = [], {}

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class TerminateOnNaN(Callback):
    """Stops the training when a loss is no number."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class LambdaCallback(Callback):
    """Functions instead of methods: `LambdaCallback(on_epoch_end=lambda epoch, logs: …)`."""

    def __init__(
        self, on_epoch_begin: Callable[..., Any] | None = None, on_epoch_end: Callable[..., Any] | None = None,
        on_batch_begin: Callable[..., Any] | None = None, on_batch_end: Callable[..., Any] | None = None,
        on_train_begin: Callable[..., Any] | None = None, on_train_end: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        given = {
            "on_epoch_begin": on_epoch_begin, "on_epoch_end": on_epoch_end, "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end, "on_train_begin": on_train_begin, "on_train_end": on_train_end,
        }  # fmt: skip
        vars(self).update({name: one for name, one in {**given, **kwargs}.items() if one is not None})
