"""What metrics share: their variables, and the collections that their results go into."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import add_to_collections
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor
from tfbench.variables.base import Variable, VariableAggregation, VariableSynchronization


def metric_variable(shape: list[int], dtype: Any, name: str) -> Any:
    """A local variable of zeros."""
    return Variable(
        lambda: ops.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=True,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
        name=name,
    )


def kept(value: Any, update: Any, metrics_collections: Any, updates_collections: Any) -> tuple[Any, Any]:
    """Both, each also in the collections given for it."""
    if metrics_collections:
        add_to_collections(metrics_collections, value)
    if updates_collections:
        add_to_collections(updates_collections, update)
    return value, update


def quotient(total: Any, count: Any, name: str) -> Tensor:
    """total / count, 0 where nothing has been counted."""
    return lookup("DivNoNan")(total, ops.maximum(count, 0), name=name)
