"""Activations and initializers that a layer is given by name: `activation="relu"`, `kernel_initializer="zeros"`.

The names are Keras's, of which the layers of TensorFlow 1.15 are: "normal" has a standard deviation of 0.05 here, where
`tf.random_normal_initializer` has 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench import initializers
from tfbench.engine import ops
from tfbench.engine.convert import constant
from tfbench.engine.ops.math_clip import clip_by_value
from tfbench.engine.ops.nn_activations import elu, relu, softplus, softsign
from tfbench.engine.ops.nn_softmax import softmax

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


def _hard_sigmoid(x: Any) -> Any:
    """0 below -2.5, 1 above 2.5, a straight line between."""
    dtype = x.dtype.base_dtype
    slope, middle = constant(0.2, dtype), constant(0.5, dtype)
    return clip_by_value(ops.add(ops.multiply(x, slope), middle), 0.0, 1.0)


def _selu(x: Any) -> Any:
    bent = elu(x)
    return _SELU_SCALE * ops.where(x > 0, bent, _SELU_ALPHA * bent)


def _softmax(x: Any) -> Any:
    rank = x.shape.ndims
    if rank == 2:
        return softmax(x)
    if rank is None or rank < 2:
        raise ValueError(f"Cannot apply softmax to a tensor that is 1D: {x.name!r} has shape {x.shape}")
    powers = ops.exp(x - ops.reduce_max(x, -1, keepdims=True))
    return powers / ops.reduce_sum(powers, -1, keepdims=True)


def _linear(x: Any) -> Any:
    return x


_ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "elu": elu,
    "exponential": ops.exp,
    "hard_sigmoid": _hard_sigmoid,
    "linear": _linear,
    "relu": relu,
    "selu": _selu,
    "sigmoid": ops.sigmoid,
    "softmax": _softmax,
    "softplus": softplus,
    "softsign": softsign,
    "tanh": ops.tanh,
}


def activation(given: Any) -> Any:
    """What a layer calls on its outputs, from a function or from a name; None stays None.

    Raises:
      ValueError: for a name that no activation has.
      TypeError: for anything else that cannot be called.
    """
    if given is None or callable(given):
        return given
    if not isinstance(given, str):
        raise TypeError(
            f"Could not interpret activation function identifier: {given!r}. It must be a function such as tf.nn.relu, "
            f"or one of the names {', '.join(_ACTIVATIONS)}"
        )
    if given not in _ACTIVATIONS:
        raise ValueError(
            f"Unknown activation function:{given}. The names are {', '.join(_ACTIVATIONS)}; any function can be given "
            "itself, such as tf.nn.leaky_relu"
        )
    return _ACTIVATIONS[given]


def _narrow_uniform() -> Any:
    return initializers.random_uniform_initializer(-0.05, 0.05)


def _narrow_normal() -> Any:
    return initializers.random_normal_initializer(stddev=0.05)


def _narrow_truncated() -> Any:
    return initializers.truncated_normal_initializer(stddev=0.05)


_INITIALIZERS: dict[str, Callable[[], Any]] = {
    "zeros": initializers.zeros_initializer,
    "ones": initializers.ones_initializer,
    "constant": initializers.constant_initializer,
    "uniform": _narrow_uniform,
    "random_uniform": _narrow_uniform,
    "normal": _narrow_normal,
    "random_normal": _narrow_normal,
    "truncated_normal": _narrow_truncated,
    "glorot_uniform": initializers.glorot_uniform_initializer,
    "glorot_normal": initializers.glorot_normal_initializer,
    "he_normal": initializers.he_normal,
    "he_uniform": initializers.he_uniform,
    "lecun_normal": initializers.lecun_normal,
    "lecun_uniform": initializers.lecun_uniform,
    "orthogonal": initializers.orthogonal_initializer,
    "identity": initializers.identity_initializer,
}
#: the names of the classes
_INITIALIZERS |= {
    "Zeros": _INITIALIZERS["zeros"],
    "Ones": _INITIALIZERS["ones"],
    "Constant": _INITIALIZERS["constant"],
    "RandomUniform": _narrow_uniform,
    "RandomNormal": _narrow_normal,
    "TruncatedNormal": _narrow_truncated,
    "GlorotUniform": _INITIALIZERS["glorot_uniform"],
    "GlorotNormal": _INITIALIZERS["glorot_normal"],
    "Orthogonal": _INITIALIZERS["orthogonal"],
    "Identity": _INITIALIZERS["identity"],
    "VarianceScaling": initializers.variance_scaling_initializer,
}


def initializer(given: Any) -> Any:
    """An initializer, from itself or from its name; None stays None.

    Raises:
      ValueError: for a name that no initializer has.
    """
    if not isinstance(given, str):
        return given
    if given not in _INITIALIZERS:
        names = ", ".join(name for name in _INITIALIZERS if name.islower())
        raise ValueError(f"Unknown initializer:{given}. The names are {names}")
    return _INITIALIZERS[given]()
