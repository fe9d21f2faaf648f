"""`tf.nn`: activations, convolutions, pooling, normalization, losses, embeddings, sampling."""

from __future__ import annotations

from tfbench.engine.ops.math_unary import sigmoid, tanh
from tfbench.engine.ops.nn_activations import elu, relu, selu, softplus, softsign
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.ops.nn_conv3d import conv3d_backprop_filter
from tfbench.engine.ops.nn_conv3d import conv3d_backprop_filter as conv3d_backprop_filter_v2
from tfbench.engine.ops.nn_softmax import log_softmax, softmax
from tfbench.nn.activations import crelu, leaky_relu, relu6, silu, swish
from tfbench.nn.convolution import conv1d, conv2d, conv2d_backprop_filter, conv2d_backprop_input, conv3d
from tfbench.nn.dilated import atrous_conv2d, atrous_conv2d_transpose, convolution, with_space_to_batch
from tfbench.nn.pooling import avg_pool, max_pool
from tfbench.nn.separable import (
    depthwise_conv2d,
    depthwise_conv2d_native,
    depthwise_conv2d_native_backprop_filter,
    depthwise_conv2d_native_backprop_input,
    dilation2d,
    erosion2d,
    separable_conv2d,
)
from tfbench.nn.separable import depthwise_conv2d_native_backprop_filter as depthwise_conv2d_backprop_filter
from tfbench.nn.separable import depthwise_conv2d_native_backprop_input as depthwise_conv2d_backprop_input
from tfbench.nn.transposed import conv1d_transpose, conv2d_transpose, conv3d_transpose, conv_transpose
