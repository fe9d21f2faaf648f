"""The metrics that `compile` is given: which are meant by a name, what they are called, what they are called with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfbench.keras import losses, metrics
from tfbench.keras.engine.endpoints import check_keys
from tfbench.keras.metrics.base import MeanMetricWrapper, Metric

_SHORT = {"accuracy": "acc", "acc": "acc", "crossentropy": "ce", "ce": "ce"}


def metric_name(metric: Any, weighted: bool) -> str:
    """What the metric is reported as: 'acc' for accuracies, else its own name."""
    prefix = "weighted_" if weighted else ""
    if isinstance(metric, str) and metric in _SHORT:
        return prefix + _SHORT[metric]
    found = metrics.get(metric)
    return prefix + str(found.name if hasattr(found, "name") else found.__name__)


def metric_function(metric: Any, output_shape: Any, loss_fn: Any) -> Any:
    """The metric; 'accuracy' and 'crossentropy' mean the one that fits the loss and the number of outputs."""
    if not (isinstance(metric, str) and metric in _SHORT):
        return metrics.get(metric)
    function = getattr(loss_fn, "fn", None)
    kind = "categorical"
    if output_shape[-1] == 1 or function is losses.binary_crossentropy:
        kind = "binary"
    elif function is losses.sparse_categorical_crossentropy:
        kind = "sparse_categorical"
    return metrics.get(f"{kind}_{'accuracy' if _SHORT[metric] == 'acc' else 'crossentropy'}")


def per_output(
    given: Any, names: list[str], shapes: list[Any], loss_fns: list[Any], weighted: bool = False
) -> list[dict[str, Metric]]:
    """The metrics of each output, by name.

    Raises:
      ValueError: for a list of lists of another length, or a dictionary with other keys.
      TypeError: for anything but lists and dictionaries.
    """
    if not given:
        return [{} for _ in names]
    lists: list[Any]
    if isinstance(given, list):
        if any(isinstance(one, list) for one in given):
            if len(given) != len(names):
                raise ValueError(
                    "When passing a list of lists as `metrics`, it should have one entry per model output. The model "
                    f"has {len(names)} outputs, but you passed metrics={given}"
                )
            lists = [one if isinstance(one, list) else [one] for one in given]
        elif len(names) > 1:
            lists = [[metrics.clone_metric(one) for one in given] for _ in names]
        else:
            lists = [given]
    elif isinstance(given, Mapping):
        check_keys("metrics", given, names)
        lists = [given.get(name, []) for name in names]
        lists = [one if isinstance(one, (list, tuple)) else [one] for one in lists]
    else:
        raise TypeError(f"Type of `metrics` argument not understood. Expected a list or dictionary, found: {given}")
    found = []
    for one, shape, loss_fn in zip(lists, shapes, loss_fns, strict=True):
        own: dict[str, Metric] = {}
        for metric in one:
            name, function = metric_name(metric, weighted), metric_function(metric, shape, loss_fn)
            own[name] = function if isinstance(function, Metric) else MeanMetricWrapper(function, name=name)
        found.append(own)
    return found
