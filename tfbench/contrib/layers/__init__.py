"""`tf.contrib.layers`: layers as functions with normalizer, activation and collections, as TensorFlow 1.15 has them."""

from tfbench.contrib.layers.batch_norm import batch_norm
from tfbench.contrib.layers.connected import bias_add, elu, fully_connected, linear, relu, relu6
from tfbench.contrib.layers.convolutions import (
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    convolution,
    convolution1d,
    convolution2d,
    convolution2d_transpose,
    convolution3d,
    convolution3d_transpose,
)
from tfbench.contrib.layers.embedding import embed_sequence, embedding_lookup_unique
from tfbench.contrib.layers.group_norm import group_norm, instance_norm
from tfbench.contrib.layers.initializers import (
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)
from tfbench.contrib.layers.layer_norm import layer_norm
from tfbench.contrib.layers.optimize_loss import OPTIMIZER_CLS_NAMES, OPTIMIZER_SUMMARIES, optimize_loss
from tfbench.contrib.layers.pools import avg_pool2d, avg_pool3d, max_pool2d, max_pool3d
from tfbench.contrib.layers.regularizers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
)
from tfbench.contrib.layers.separable import (
    conv2d_in_plane,
    convolution2d_in_plane,
    separable_conv2d,
    separable_convolution2d,
)
from tfbench.contrib.layers.shaping import (
    dropout,
    flatten,
    maxout,
    one_hot_encoding,
    repeat,
    softmax,
    stack,
    unit_norm,
)
from tfbench.contrib.layers.summaries import (
    summarize_activation,
    summarize_activations,
    summarize_biases,
    summarize_collection,
    summarize_tensor,
    summarize_tensors,
    summarize_variables,
    summarize_weights,
)
from tfbench.recompute import recompute_grad

__all__ = [
    "OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "apply_regularization", "avg_pool2d", "avg_pool3d", "batch_norm",
    "bias_add", "conv1d", "conv2d", "conv2d_in_plane", "conv2d_transpose", "conv3d", "conv3d_transpose",
    "convolution", "convolution1d", "convolution2d", "convolution2d_in_plane", "convolution2d_transpose",
    "convolution3d", "convolution3d_transpose", "dropout", "elu", "embed_sequence", "embedding_lookup_unique",
    "flatten", "fully_connected", "group_norm", "instance_norm", "l1_l2_regularizer", "l1_regularizer",
    "l2_regularizer", "layer_norm", "linear", "max_pool2d", "max_pool3d", "maxout", "one_hot_encoding",
    "optimize_loss", "recompute_grad", "relu", "relu6", "repeat", "separable_conv2d", "separable_convolution2d",
    "softmax", "stack", "sum_regularizer", "summarize_activation", "summarize_activations", "summarize_biases",
    "summarize_collection", "summarize_tensor", "summarize_tensors", "summarize_variables", "summarize_weights",
    "unit_norm", "variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d",
]  # fmt: skip
