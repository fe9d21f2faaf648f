"""`tf.estimator`: a function that builds a model, and what trains, evaluates and uses it, one graph for each.

Here are the estimators whose model the user writes. The canned ones (`DNNClassifier`, …) and feature columns are not.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tfbench.train.basic_hooks import (
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    StopAtStepHook,
)
from tfbench.train.hook_timers import SecondOrStepTimer
from tfbench.train.saving_hooks import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    ProfilerHook,
    StepCounterHook,
    SummarySaverHook,
)
from tfbench.train.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues

_LAZY = {
    "Estimator": "estimator",
    "EstimatorSpec": "spec",
    "EvalSpec": "training",
    "ModeKeys": "spec",
    "RunConfig": "run_config",
    "TrainSpec": "training",
    "WarmStartSettings": "warm_start",
    "train_and_evaluate": "training",
    "Exporter": "exporters",
    "FinalExporter": "exporters",
    "LatestExporter": "exporters",
}

__all__ = [
    "CheckpointSaverHook", "CheckpointSaverListener", "Estimator", "EstimatorSpec", "EvalSpec", "Exporter",
    "FeedFnHook", "FinalExporter", "FinalOpsHook", "GlobalStepWaiterHook", "LatestExporter",
    "LoggingTensorHook", "ModeKeys", "NanLossDuringTrainingError", "NanTensorHook", "ProfilerHook", "RunConfig",
    "SecondOrStepTimer", "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues",
    "StepCounterHook", "StopAtStepHook", "SummarySaverHook", "TrainSpec", "WarmStartSettings", "export",
    "inputs", "train_and_evaluate",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in ("export", "inputs"):
        return import_module(f"tfbench.estimator.{name}")
    if name in _LAZY:
        return getattr(import_module(f"tfbench.estimator.{_LAZY[name]}"), name)
    if name.startswith(("Baseline", "BoostedTrees", "DNN", "Linear")):
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}: tfbench has no canned estimators (yet). "
            "tf.estimator.Estimator takes a function of yours that builds the model"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
