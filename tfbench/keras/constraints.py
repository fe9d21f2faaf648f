"""`tf.keras.constraints`: where weights are put back to after each update."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.keras.backend.config import epsilon, floatx
from tfbench.keras.backend.elementwise import clip, sqrt
from tfbench.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object


class Constraint:
    """The base of constraints: a function of the weights that gives those to have instead."""

    def __call__(self, w: Any) -> Any:
        return w

    def get_config(self) -> dict[str, Any]:
        return {}


def _norms(w: Any, axis: Any) -> Any:
    return sqrt(ops.reduce_sum(ops.square(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """The weights of a unit (along `axis`) have a norm of at most `max_value`."""

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        norms = _norms(w, self.axis)
        return w * (clip(norms, 0, self.max_value) / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        return {"max_value": self.max_value, "axis": self.axis}


class NonNeg(Constraint):
    """Weights are not negative."""

    def __call__(self, w: Any) -> Any:
        return w * ops.cast(ops.greater_equal(w, 0.0), floatx())


class UnitNorm(Constraint):
    """The weights of a unit (along `axis`) have norm 1."""

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        return w / (epsilon() + _norms(w, self.axis))

    def get_config(self) -> dict[str, Any]:
        return {"axis": self.axis}


class MinMaxNorm(Constraint):
    """The norm of a unit's weights goes `rate` of the way into [min_value, max_value]."""

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0) -> None:
        self.min_value = min_value
        self.max_value = max_value
        self.rate = rate
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        norms = _norms(w, self.axis)
        bounded = clip(norms, self.min_value, self.max_value)
        return w * ((self.rate * bounded + (1 - self.rate) * norms) / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        return {"min_value": self.min_value, "max_value": self.max_value, "rate": self.rate, "axis": self.axis}


max_norm = maxnorm = MaxNorm
non_neg = nonneg = NonNeg
unit_norm = unitnorm = UnitNorm
min_max_norm = MinMaxNorm

_NAMES = (
    "Constraint", "MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm", "max_norm", "maxnorm", "min_max_norm", "non_neg",
    "nonneg", "unit_norm", "unitnorm",
)  # fmt: skip


def serialize(constraint: Any) -> Any:
    """A constraint as plain data."""
    return serialize_keras_object(constraint)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """A constraint from what `serialize` gave."""
    return deserialize_keras_object(config, {name: globals()[name] for name in _NAMES}, custom_objects, "constraint")


def get(identifier: Any) -> Any:
    """A constraint from itself, its name or its plain data; None stays None.

    Raises:
      ValueError: for anything else, or a name that there is not.
    """
    if identifier is None or (callable(identifier) and not isinstance(identifier, (str, dict))):
        return identifier
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    raise ValueError(f"Could not interpret constraint identifier: {identifier}")


__all__ = [
    "Constraint", "MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm", "deserialize", "get", "max_norm", "min_max_norm",
    "non_neg", "serialize", "unit_norm",
]  # fmt: skip
