"""`tf.keras.regularizers`: penalties on the size of weights."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.keras.backend.config import cast_to_floatx
from tfbench.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object

__all__ = ["L1L2", "Regularizer", "deserialize", "get", "l1", "l1_l2", "l2", "serialize"]


class Regularizer:
    """The base of regularizers: a function of a variable that gives a penalty."""

    def __call__(self, x: Any) -> Any:
        return 0.0

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """One with the arguments that `get_config` gave."""
        return cls(**config)


class L1L2(Regularizer):
    """l1 sum |x| + l2 sum x**2."""

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1 = cast_to_floatx(l1)
        self.l2 = cast_to_floatx(l2)

    def __call__(self, x: Any) -> Any:
        if not self.l1 and not self.l2:
            return ops.constant(0.0)
        penalty: Any = 0.0
        if self.l1:
            penalty = penalty + self.l1 * ops.reduce_sum(ops.abs(x))
        if self.l2:
            penalty = penalty + self.l2 * ops.reduce_sum(ops.square(x))
        return penalty

    def get_config(self) -> dict[str, Any]:
        return {"l1": float(self.l1), "l2": float(self.l2)}


def l1(l: float = 0.01) -> L1L2:  # noqa: E741 - TensorFlow's name
    """l sum |x|."""
    return L1L2(l1=l)


def l2(l: float = 0.01) -> L1L2:  # noqa: E741 - TensorFlow's name
    """l sum x**2."""
    return L1L2(l2=l)


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """l1 sum |x| + l2 sum x**2."""
    return L1L2(l1=l1, l2=l2)


def serialize(regularizer: Any) -> Any:
    """A regularizer as plain data."""
    return serialize_keras_object(regularizer)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """A regularizer from what `serialize` gave."""
    if isinstance(config, str) and config in ("l1", "l2", "l1_l2"):
        return globals()[config]()
    known = {"L1L2": L1L2, "Regularizer": Regularizer, "l1": l1, "l2": l2, "l1_l2": l1_l2}
    return deserialize_keras_object(config, known, custom_objects, "regularizer")


def get(identifier: Any) -> Any:
    """A regularizer from itself, its name or its plain data; None stays None.

    Raises:
      ValueError: for anything else, or a name that there is not.
    """
    if identifier is None or (callable(identifier) and not isinstance(identifier, (str, dict))):
        return identifier
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    raise ValueError("Could not interpret regularizer identifier:", identifier)
