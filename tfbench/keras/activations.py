"""`tf.keras.activations`: what layers apply to their outputs, also by name (`activation="relu"`)."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.keras.backend import neural, nn
from tfbench.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object

_NAMES = (
    "elu", "exponential", "hard_sigmoid", "linear", "relu", "selu", "sigmoid", "softmax", "softplus", "softsign",
    "tanh",
)  # fmt: skip
__all__ = [
    "deserialize", "elu", "exponential", "get", "hard_sigmoid", "linear", "relu", "selu", "serialize", "sigmoid",
    "softmax", "softplus", "softsign", "tanh",
]  # fmt: skip


def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x), divided by its sum along the axis.

    Raises:
      ValueError: for fewer than two axes.
    """
    rank = x.shape.ndims
    if rank == 2:
        return nn.softmax(x)
    if rank is None or rank < 2:
        raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")
    powers = ops.exp(x - ops.reduce_max(x, axis=axis, keepdims=True))
    total = ops.reduce_sum(powers, axis=axis, keepdims=True)
    return powers / total


def elu(x: Any, alpha: float = 1.0) -> Any:
    """`x` above 0, alpha (exp(x) - 1) below."""
    return neural.elu(x, alpha)


def selu(x: Any) -> Any:
    """An elu whose outputs keep mean 0 and variance 1 (Klambauer et al., 2017)."""
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return scale * neural.elu(x, alpha)


def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return nn.softplus(x)


def softsign(x: Any) -> Any:
    """x / (1 + |x|)."""
    return nn.softsign(x)


def relu(x: Any, alpha: Any = 0.0, max_value: Any = None, threshold: Any = 0) -> Any:
    """0 below the threshold (or `alpha` times the distance to it), `x` above, `max_value` at most."""
    return neural.relu(x, alpha=alpha, max_value=max_value, threshold=threshold)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return ops.tanh(x)


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return ops.sigmoid(x)


def exponential(x: Any) -> Any:
    """exp(x)."""
    return ops.exp(x)


def hard_sigmoid(x: Any) -> Any:
    """0 below -2.5, 1 above 2.5, a straight line between."""
    return neural.hard_sigmoid(x)


def linear(x: Any) -> Any:
    """`x` itself."""
    return x


def serialize(activation: Any) -> Any:
    """The name of an activation."""
    return serialize_keras_object(activation)


def deserialize(name: Any, custom_objects: Any = None) -> Any:
    """The activation of that name."""
    known = {one: globals()[one] for one in _NAMES}
    return deserialize_keras_object(name, known, custom_objects, "activation function")


def get(identifier: Any) -> Any:
    """An activation from itself or its name; None is `linear`.

    Raises:
      ValueError: for a name that there is not.
      TypeError: for anything else.
    """
    if identifier is None:
        return linear
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise TypeError(f"Could not interpret activation function identifier: {identifier!r}")
