"""`tf.estimator`: a function that builds a model, and what trains, evaluates and uses it, one graph for each.

`Estimator` has a model that the user writes; the canned ones (`DNNClassifier`, …) have theirs, on feature columns.
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
    "BaselineClassifier": "canned.estimators",
    "BaselineEstimator": "canned.with_heads",
    "BaselineRegressor": "canned.estimators",
    "BestExporter": "best_exporter",
    "DNNClassifier": "canned.estimators",
    "DNNEstimator": "canned.with_heads",
    "DNNLinearCombinedClassifier": "canned.estimators",
    "DNNLinearCombinedEstimator": "canned.with_heads",
    "DNNLinearCombinedRegressor": "canned.estimators",
    "DNNRegressor": "canned.estimators",
    "Estimator": "estimator",
    "EstimatorSpec": "spec",
    "EvalSpec": "training",
    "LinearClassifier": "canned.estimators",
    "LinearEstimator": "canned.with_heads",
    "LinearRegressor": "canned.estimators",
    "ModeKeys": "spec",
    "RunConfig": "run_config",
    "TrainSpec": "training",
    "WarmStartSettings": "warm_start",
    "add_metrics": "canned.more_metrics",
    "classifier_parse_example_spec": "canned.parsing",
    "regressor_parse_example_spec": "canned.parsing",
    "train_and_evaluate": "training",
    "Exporter": "exporters",
    "FinalExporter": "exporters",
    "LatestExporter": "exporters",
}

__all__ = [
    "BaselineClassifier", "BaselineEstimator", "BaselineRegressor", "BestExporter", "CheckpointSaverHook",
    "CheckpointSaverListener", "DNNClassifier", "DNNEstimator", "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator", "DNNLinearCombinedRegressor", "DNNRegressor", "Estimator", "EstimatorSpec",
    "EvalSpec", "Exporter", "FeedFnHook", "FinalExporter", "FinalOpsHook", "GlobalStepWaiterHook", "LatestExporter",
    "LinearClassifier", "LinearEstimator", "LinearRegressor", "LoggingTensorHook", "ModeKeys",
    "NanLossDuringTrainingError", "NanTensorHook", "ProfilerHook", "RunConfig", "SecondOrStepTimer", "SessionRunArgs",
    "SessionRunContext", "SessionRunHook", "SessionRunValues", "StepCounterHook", "StopAtStepHook", "SummarySaverHook",
    "TrainSpec", "WarmStartSettings", "add_metrics", "classifier_parse_example_spec", "export", "inputs",
    "regressor_parse_example_spec", "train_and_evaluate",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in ("export", "inputs"):
        return import_module(f"tfbench.estimator.{name}")
    if name in _LAZY:
        return getattr(import_module(f"tfbench.estimator.{_LAZY[name]}"), name)
    if name.startswith("BoostedTrees"):
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}: tfbench has no boosted trees (yet). "
            "tf.estimator.Estimator takes a function of yours that builds the model"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
