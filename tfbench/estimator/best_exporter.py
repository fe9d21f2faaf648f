"""`tf.estimator.BestExporter`: exports a model when its evaluation is the best so far."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Mapping
from typing import Any

from tfbench import logging
from tfbench.estimator.exporters import LatestExporter
from tfbench.estimator.model import arguments_of

__all__ = ["BestExporter"]


def _loss_smaller(best_eval_result: Mapping[str, Any], current_eval_result: Mapping[str, Any]) -> bool:
    for result, name in ((best_eval_result, "best_eval_result"), (current_eval_result, "current_eval_result")):
        if not result or "loss" not in result:
            raise ValueError(f"{name} cannot be empty or no loss is found in it: {result}")
    return bool(best_eval_result["loss"] > current_eval_result["loss"])


class BestExporter(LatestExporter):
    """Exports after an evaluation that is better than all before, and keeps the newest `exports_to_keep` (None: all).

    Args:
      event_file_pattern: where in the model's folder earlier evaluations are, which count when the first export is
        asked for; None: they do not.
      compare_fn: a function of `best_eval_result` and `current_eval_result`, metrics by name, that says whether the
        current one is better; default: whether its loss is smaller.

    Raises:
      ValueError: if `compare_fn` takes something else, or none is to be kept.
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Any = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., Any] = _loss_smaller,
        assets_extra: Any = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        taken = set(arguments_of(compare_fn))
        wanted = {"best_eval_result", "current_eval_result"}
        if taken != wanted:
            raise ValueError(
                f"compare_fn ({compare_fn}) must include {sorted(wanted)} and nothing else; it has {taken}"
            )
        self._better = compare_fn
        self._pattern = event_file_pattern
        self._folder: str | None = None
        self._best: Any = None

    def export(
        self, estimator: Any, export_path: str, checkpoint_path: Any, eval_result: Any, is_the_final_export: bool
    ) -> Any:
        if self._folder != estimator.model_dir and self._pattern:
            self._folder = estimator.model_dir
            self._best = self._best_of(os.path.join(estimator.model_dir, self._pattern))
        if self._best is not None and not self._better(best_eval_result=self._best, current_eval_result=eval_result):
            return None
        logging.info("Performing best model export.")
        self._best = eval_result
        return super().export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)

    def _best_of(self, pattern: str) -> Any:
        """The best of the evaluations in these event files."""
        from tfbench.train import summary_iterator

        best: Any = None
        for path in sorted(glob.glob(pattern)):
            for event in summary_iterator(path):
                values = event.summary.value if event.HasField("summary") else ()
                found = {value.tag: value.simple_value for value in values if value.HasField("simple_value")}
                if found and (best is None or self._better(best_eval_result=best, current_eval_result=found)):
                    best = found
        return best
