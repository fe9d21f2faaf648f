"""`add_metric`: a tensor whose mean over an epoch is reported."""

from __future__ import annotations

from typing import Any

from tfbench.engine.tensor import Tensor


def add_metric(layer: Any, value: Any, aggregation: str | None, name: str | None) -> None:
    """Adds a metric to a layer.

    Raises:
      ValueError: for what is no tensor, has no name, or is neither to be averaged nor the result of a Metric.
    """
    from tfbench.keras.metrics.base import Mean

    if aggregation not in (None, "mean"):
        raise ValueError(
            "`add_metric` can only average: expected `mean` (or None) as sample-wise metric aggregation, found "
            f"aggregation=`{aggregation}`"
        )
    given = getattr(value, "_metric_obj", None)
    if not isinstance(value, Tensor):
        raise ValueError(f"`add_metric` expected a symbolic Tensor as value, received: {value}")
    if given is not None:
        name = given.name
    elif name is None:
        raise ValueError(
            "`add_metric` got a tensor without a name: provide a name for your metric, e.g. "
            "`self.add_metric(value, name='activity', aggregation='mean')`"
        )
    known = next((one for one in layer._metrics if one.name == name), None)
    if aggregation is None:
        if known is None and given is None:
            raise ValueError(
                "`add_metric` without `aggregation` takes an aggregated metric result tensor, which only a "
                "`tf.keras.metrics.Metric` makes; this tensor comes from none. Pass the result of a Metric, or set "
                "`aggregation` to `mean`."
            )
        if known is None:
            layer._metrics.append(given)
        return
    metric = known
    if metric is None:
        metric = Mean(name=name)
        layer._metrics.append(metric)
    metric(value)
