"""The functions of `tf.nn` that Keras is written in, from where each of them is."""

from __future__ import annotations

from tfbench.engine.ops.nn_activations import elu, relu, softplus, softsign
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.ops.nn_softmax import softmax
from tfbench.engine.ops.nn_top import in_top_k
from tfbench.nn.activations import leaky_relu, relu6
from tfbench.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from tfbench.nn.dilated import atrous_conv2d_transpose, convolution
from tfbench.nn.dropout import dropout
from tfbench.nn.embedding import embedding_lookup
from tfbench.nn.normalization import batch_normalization, fused_batch_norm, l2_normalize, moments
from tfbench.nn.pooling import avg_pool, avg_pool3d, max_pool, max_pool3d
from tfbench.nn.separable import depthwise_conv2d, separable_conv2d
from tfbench.nn.transposed import conv2d_transpose

__all__ = [
    "atrous_conv2d_transpose", "avg_pool", "avg_pool3d", "batch_normalization", "bias_add", "conv2d_transpose",
    "convolution", "depthwise_conv2d", "dropout", "elu", "embedding_lookup", "fused_batch_norm", "in_top_k",
    "l2_normalize", "leaky_relu", "max_pool", "max_pool3d", "moments", "relu", "relu6", "separable_conv2d",
    "sigmoid_cross_entropy_with_logits", "softmax", "softmax_cross_entropy_with_logits_v2", "softplus", "softsign",
    "sparse_softmax_cross_entropy_with_logits",
]  # fmt: skip
