"""`add_metrics`: an estimator that measures more than another, whose model and folder it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.estimator.estimator import Estimator
from tfbench.estimator.model import arguments_of
from tfbench.estimator.spec import ModeKeys

__all__ = ["add_metrics"]


def add_metrics(estimator: Estimator, metric_fn: Callable[..., dict[str, Any]]) -> Estimator:
    """An Estimator like `estimator`, whose evaluations give what `metric_fn` adds, too.

    Args:
      metric_fn: a function of `features`, `labels`, `predictions` and `config`, as far as it names them, that gives
        pairs of a metric's value and its update by name.

    Raises:
      ValueError: if it takes something else.
    """
    taken = set(arguments_of(metric_fn))
    unknown = sorted(taken - {"features", "labels", "predictions", "config"})
    if unknown:
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {unknown}")

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        known = {"features": features, "labels": labels, "predictions": spec.predictions, "config": config}
        more = metric_fn(**{name: value for name, value in known.items() if name in taken})
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **more})

    return Estimator(
        model_fn, model_dir=estimator.model_dir, config=estimator.config, warm_start_from=estimator._warm_start
    )
