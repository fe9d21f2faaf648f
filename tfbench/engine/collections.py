"""Graph collections: lists of anything under a name, and the names that everybody agrees on."""

from __future__ import annotations

import re
from typing import Any


class GraphKeys:
    """Names of the collections that the library itself uses."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    #: the old name of GLOBAL_VARIABLES
    VARIABLES = "variables"
    _SUMMARY_COLLECTION = "_SUMMARY_V2"
    _STREAMING_MODEL_PORTS = "streaming_model_ports"
    _VARIABLE_COLLECTIONS = (
        "variables",
        "local_variables",
        "metric_variables",
        "model_variables",
        "trainable_variables",
        "moving_average_variables",
        "concatenated_variables",
        "trainable_resource_variables",
    )


class GraphCollections:
    """The collections of one graph."""

    __slots__ = ("_lists",)

    def __init__(self) -> None:
        self._lists: dict[Any, list[Any]] = {}

    def add(self, name: Any, value: Any) -> None:
        self._lists.setdefault(name, []).append(value)

    def ref(self, name: Any) -> list[Any]:
        return self._lists.setdefault(name, [])

    def get(self, name: Any, scope: str | None = None) -> list[Any]:
        items = self._lists.get(name, [])
        if scope is None:
            return list(items)
        pattern = re.compile(scope)
        return [item for item in items if hasattr(item, "name") and pattern.match(item.name)]

    def keys(self) -> list[Any]:
        return [key for key in self._lists if isinstance(key, str)]

    def clear(self, name: Any) -> None:
        self._lists.pop(name, None)

    def copy(self) -> GraphCollections:
        new = GraphCollections()
        new._lists = {key: list(items) for key, items in self._lists.items()}
        return new
