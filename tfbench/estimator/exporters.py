"""What `train_and_evaluate` exports after an evaluation: each time, or at the end."""

from __future__ import annotations

import os
import shutil
from typing import Any

__all__ = ["Exporter", "FinalExporter", "LatestExporter"]


class Exporter:
    """Exports a model when it is told to."""

    @property
    def name(self) -> str:
        """The folder, under `export`, that its models go into."""
        raise NotImplementedError(f"{type(self).__name__}.name")

    def export(
        self, estimator: Any, export_path: str, checkpoint_path: Any, eval_result: Any, is_the_final_export: bool
    ) -> Any:
        """Gives the path of what it wrote, or None if it wrote nothing."""
        raise NotImplementedError(f"{type(self).__name__}.export")


class _SavedModelExporter(Exporter):
    def __init__(
        self, name: str, serving_input_receiver_fn: Any, assets_extra: Any = None, as_text: bool = False
    ) -> None:
        if not name:
            raise ValueError("Exporter: a name must be given.")
        self._name = name
        self._receiver = serving_input_receiver_fn
        self._assets_extra = assets_extra
        self._as_text = as_text

    @property
    def name(self) -> str:
        return self._name

    def export(
        self, estimator: Any, export_path: str, checkpoint_path: Any, eval_result: Any, is_the_final_export: bool
    ) -> Any:
        return estimator.export_saved_model(
            export_path, self._receiver, self._assets_extra, self._as_text, checkpoint_path
        )


class FinalExporter(_SavedModelExporter):
    """Exports once, when training is over."""

    def export(
        self, estimator: Any, export_path: str, checkpoint_path: Any, eval_result: Any, is_the_final_export: bool
    ) -> Any:
        if not is_the_final_export:
            return None
        return super().export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)


class LatestExporter(_SavedModelExporter):
    """Exports after each evaluation and keeps the newest `exports_to_keep` (None: all)."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Any,
        assets_extra: Any = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError(f"`exports_to_keep`, if provided, must be positive number, got {exports_to_keep}")
        self._keep = exports_to_keep

    def export(
        self, estimator: Any, export_path: str, checkpoint_path: Any, eval_result: Any, is_the_final_export: bool
    ) -> Any:
        path = super().export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)
        if self._keep is not None:
            stamps = sorted((name for name in os.listdir(export_path) if name.isdigit()), key=int)
            for name in stamps[: -self._keep]:
                shutil.rmtree(os.path.join(export_path, name), ignore_errors=True)
        return path
