"""A line that says how far a run is."""

from __future__ import annotations

from typing import Any

from tfbench.keras.callbacks.base import Callback
from tfbench.keras.utils.progbar import Progbar


class ProgbarLogger(Callback):
    """Prints progress and results.

    Args:
      count_mode: whether 'samples' or 'steps' are counted.
      stateful_metrics: names of those that are averages already.

    Raises:
      ValueError: for another mode.
    """

    def __init__(self, count_mode: str = "samples", stateful_metrics: Any = None) -> None:
        super().__init__()
        if count_mode not in ("samples", "steps"):
            raise ValueError(f"Unknown `count_mode`: {count_mode}")
        self.use_steps = count_mode == "steps"
        self.stateful_metrics = set(stateful_metrics or [])
        self.seen = 0
        self.log_values: list[tuple[str, Any]] = []

    def on_train_begin(self, logs: Any = None) -> None:
        self.verbose = self.params["verbose"]
        self.epochs = self.params["epochs"]

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.seen = 0
        self.target = self.params["steps" if self.use_steps else "samples"]
        if self.verbose and self.epochs > 1:
            print(f"Epoch {epoch + 1}/{self.epochs}")
        unit = "step" if self.use_steps else "sample"
        self.progbar = Progbar(
            self.target, verbose=self.verbose, stateful_metrics=self.stateful_metrics, unit_name=unit
        )

    def set_target(self, target: int) -> None:
        """Says how many steps an epoch turned out to have."""
        self.params["steps"] = self.progbar.target = self.target = target

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.log_values = []

    def _note(self, logs: Any) -> None:
        self.log_values += [(name, logs[name]) for name in self.params["metrics"] if name in logs]

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        logs = logs or {}
        steps = logs.get("num_steps", 1)
        self.seen += steps if self.use_steps else logs.get("size", 0) * steps
        self._note(logs)
        if self.verbose and (self.target is None or self.seen < self.target):
            self.progbar.update(self.seen, self.log_values)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._note(logs or {})
        if self.verbose:
            self.progbar.update(self.seen, self.log_values)
