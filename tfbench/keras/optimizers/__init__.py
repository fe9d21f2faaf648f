"""`tf.keras.optimizers`."""

from __future__ import annotations

from typing import Any

from tfbench.keras.backend.state import track_optimizer
from tfbench.keras.optimizers import schedules
from tfbench.keras.optimizers.adaptive import Adam, Adamax, Nadam
from tfbench.keras.optimizers.base import Optimizer
from tfbench.keras.optimizers.plain import SGD, Adadelta, Adagrad, Ftrl, RMSprop
from tfbench.keras.optimizers.tf_optimizer import TFOptimizer
from tfbench.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object
from tfbench.train.optimizer import Optimizer as _TensorFlows

_CLASSES = {kind.__name__.lower(): kind for kind in (Adadelta, Adagrad, Adam, Adamax, Ftrl, Nadam, RMSprop, SGD)}


def serialize(optimizer: Any) -> Any:
    """An optimizer as plain data."""
    return serialize_keras_object(optimizer)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """An optimizer from what `serialize` gave; the case of the class's name does not count."""
    if config["class_name"].lower() in _CLASSES:
        config = {**config, "class_name": config["class_name"].lower()}
    return deserialize_keras_object(config, _CLASSES, custom_objects, "optimizer")


def get(identifier: Any) -> Any:
    """An optimizer from itself, one of `tf.train`'s, a name or plain data.

    Raises:
      ValueError: for anything else, or a name that there is not.
    """
    if isinstance(identifier, (Optimizer, TFOptimizer)):
        return identifier
    if isinstance(identifier, _TensorFlows):
        wrapped = TFOptimizer(identifier)
        track_optimizer(wrapped)
        return wrapped
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    raise ValueError("Could not interpret optimizer identifier:", identifier)


def __dir__() -> list[str]:
    names = [kind.__name__ for kind in _CLASSES.values()]
    return [*names, "Optimizer", "deserialize", "get", "schedules", "serialize"]
