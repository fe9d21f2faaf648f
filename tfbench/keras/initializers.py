"""`tf.keras.initializers`: TensorFlow's initializers under Keras's names; three have other defaults here.

A layer may be given one by name: `kernel_initializer="he_normal"`.
"""

from __future__ import annotations

from typing import Any

from tfbench import initializers as tf_initializers
from tfbench.engine.dtypes import float32
from tfbench.initializers import Initializer
from tfbench.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object


class RandomUniform(tf_initializers.random_uniform_initializer):
    """Uniform in [minval, maxval), unless given narrow around 0."""

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(minval, maxval, seed, dtype)


class RandomNormal(tf_initializers.random_normal_initializer):
    """Normal with this mean and, unless given, a small standard deviation."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(mean, stddev, seed, dtype)


class TruncatedNormal(tf_initializers.truncated_normal_initializer):
    """Normal with, unless given, a small standard deviation, drawn again beyond two of them."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(mean, stddev, seed, dtype)


Zeros = zero = zeros = tf_initializers.zeros_initializer
Ones = one = ones = tf_initializers.ones_initializer
Constant = constant = tf_initializers.constant_initializer
Identity = identity = tf_initializers.identity_initializer
Orthogonal = orthogonal = tf_initializers.orthogonal_initializer
VarianceScaling = tf_initializers.variance_scaling_initializer
GlorotNormal = glorot_normal = tf_initializers.glorot_normal_initializer
GlorotUniform = glorot_uniform = tf_initializers.glorot_uniform_initializer
uniform = random_uniform = RandomUniform
normal = random_normal = RandomNormal
truncated_normal = TruncatedNormal
he_normal, he_uniform = tf_initializers.he_normal, tf_initializers.he_uniform
lecun_normal, lecun_uniform = tf_initializers.lecun_normal, tf_initializers.lecun_uniform

#: what TensorFlow calls the classes
_CLASS_NAMES = {
    Zeros: "Zeros", Ones: "Ones", Constant: "Constant", Identity: "Identity", Orthogonal: "Orthogonal",
    VarianceScaling: "VarianceScaling", GlorotNormal: "GlorotNormal", GlorotUniform: "GlorotUniform",
    tf_initializers.random_uniform_initializer: "RandomUniform",
    tf_initializers.random_normal_initializer: "RandomNormal",
    tf_initializers.truncated_normal_initializer: "TruncatedNormal",
}  # fmt: skip

_NAMES = (
    "Constant", "GlorotNormal", "GlorotUniform", "Identity", "Initializer", "Ones", "Orthogonal", "RandomNormal",
    "RandomUniform", "TruncatedNormal", "VarianceScaling", "Zeros", "constant", "glorot_normal", "glorot_uniform",
    "he_normal", "he_uniform", "identity", "lecun_normal", "lecun_uniform", "normal", "one", "ones", "orthogonal",
    "random_normal", "random_uniform", "truncated_normal", "uniform", "zero", "zeros",
)  # fmt: skip


def serialize(initializer: Any) -> Any:
    """An initializer as plain data."""
    if isinstance(initializer, Initializer) and type(initializer) in _CLASS_NAMES:
        return {"class_name": _CLASS_NAMES[type(initializer)], "config": initializer.get_config()}
    return serialize_keras_object(initializer)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """An initializer from what `serialize` gave."""
    if isinstance(config, str) and config in ("he_normal", "he_uniform", "lecun_normal", "lecun_uniform"):
        return globals()[config]()
    return deserialize_keras_object(config, {name: globals()[name] for name in _NAMES}, custom_objects, "initializer")


def get(identifier: Any) -> Any:
    """An initializer from itself, its name or its plain data; None stays None.

    Raises:
      ValueError: for anything else, or a name that there is not.
    """
    if identifier is None or (callable(identifier) and not isinstance(identifier, (str, dict))):
        return identifier
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    raise ValueError(f"Could not interpret initializer identifier: {identifier}")


__all__ = [*_NAMES, "deserialize", "get", "serialize"]
