"""Activations that are composed of several nodes."""

from __future__ import annotations

from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import float32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.identity_n import identity_n
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_unary import negative, sigmoid
from tfbench.engine.ops.nn_activations import leaky_relu_op, relu, relu6_op
from tfbench.engine.tensor import Tensor


def relu6(features: Any, name: str | None = None) -> Tensor:
    """min(max(features, 0), 6), elementwise."""
    with name_scope(name, "Relu6", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        return relu6_op(features, name=scope)


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """features where positive, alpha * features elsewhere; integers become float32."""
    with name_scope(name, "LeakyRelu", [features, alpha]) as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = cast(features, float32)
        if hasattr(alpha, "item"):
            alpha = alpha.item()
        return leaky_relu_op(features, alpha=alpha, name=scope)


def crelu(features: Any, name: str | None = None, axis: Any = -1) -> Tensor:
    """relu of features and relu of -features, side by side along `axis`: that axis doubles."""
    with name_scope(name, "CRelu", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        return relu(concat([features, negative(features)], axis, name=scope))


def swish(features: Any, beta: Any = 1.0) -> Tensor:
    """features * sigmoid(beta * features); also called SiLU.

    The gradient keeps only `features`, not the sigmoid: the result comes through one IdentityN that has a gradient of
    its own.
    """
    features = convert_to_tensor(features, name="features")
    beta = convert_to_tensor(beta, name="beta")
    beta = cast(beta, features.dtype)
    result = features * sigmoid(beta * features)
    identity(result)
    with result.graph.gradient_override_map({"IdentityN": "CustomGradient-swish"}):
        return identity_n([result, features, beta])[0]


silu = swish
