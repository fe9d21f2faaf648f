"""`tf.nn`: activations, convolutions, pooling, normalization, losses, embeddings, sampling."""

from __future__ import annotations

from tfbench.engine.ops.math_unary import sigmoid, tanh
from tfbench.engine.ops.nn_activations import elu, relu, selu, softplus, softsign
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.ops.nn_conv import conv2d
from tfbench.engine.ops.nn_pool import avg_pool, max_pool
from tfbench.engine.ops.nn_softmax import log_softmax, softmax
from tfbench.nn.activations import crelu, leaky_relu, relu6, silu, swish

__all__ = [
    "avg_pool", "bias_add", "conv2d", "elu", "log_softmax", "max_pool", "relu", "selu", "sigmoid", "softmax",
    "softplus", "softsign", "tanh",
]  # fmt: skip
