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
            f"We currently support only `mean` sample-wise metric aggregation. You provided aggregation=`{aggregation}`"
        )
    given = getattr(value, "_metric_obj", None)
    if not isinstance(value, Tensor):
        raise ValueError(f"Expected a symbolic Tensor for the metric value, received: {value}")
    if given is not None:
        name = given.name
    elif name is None:
        raise ValueError(
            "Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs), "
            "name='mean_activation', aggregation='mean')`"
        )
    known = next((one for one in layer._metrics if one.name == name), None)
    if aggregation is None:
        if known is None and given is None:
            raise ValueError(
                "We do not support adding an aggregated metric result tensor that is not the output of a "
                "`tf.keras.metrics.Metric` metric instance. You can create a Metric and pass its result here, or pass "
                "an un-aggregated result with `aggregation` parameter set as `mean`."
            )
        if known is None:
            layer._metrics.append(given)
        return
    metric = known
    if metric is None:
        metric = Mean(name=name)
        layer._metrics.append(metric)
    metric(value)
