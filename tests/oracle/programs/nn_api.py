"""`tf.nn`: the functions' parameters, in order, with their defaults; and a small network, as people write it."""

from __future__ import annotations

import inspect

import numpy as np

from tests.oracle import program

FUNCTIONS = [
    "all_candidate_sampler", "atrous_conv2d", "atrous_conv2d_transpose", "avg_pool", "avg_pool1d", "avg_pool2d",
    "avg_pool3d", "avg_pool_v2", "batch_norm_with_global_normalization", "batch_normalization", "bias_add",
    "compute_accidental_hits", "conv1d", "conv1d_transpose", "conv2d", "conv2d_backprop_filter",
    "conv2d_backprop_input", "conv2d_transpose", "conv3d", "conv3d_backprop_filter", "conv3d_backprop_filter_v2",
    "conv3d_transpose", "conv_transpose", "convolution", "crelu", "depth_to_space", "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input", "depthwise_conv2d_native",
    "depthwise_conv2d_native_backprop_filter", "depthwise_conv2d_native_backprop_input", "dilation2d", "dropout", "elu",
    "embedding_lookup", "embedding_lookup_sparse", "erosion2d", "fixed_unigram_candidate_sampler",
    "fractional_avg_pool", "fractional_max_pool", "fused_batch_norm", "in_top_k", "l2_loss", "l2_normalize",
    "leaky_relu", "learned_unigram_candidate_sampler", "local_response_normalization", "log_poisson_loss",
    "log_softmax", "log_uniform_candidate_sampler", "lrn", "max_pool", "max_pool1d", "max_pool2d", "max_pool3d",
    "max_pool_v2", "max_pool_with_argmax", "moments", "nce_loss", "normalize_moments", "pool", "relu", "relu6",
    "relu_layer", "sampled_softmax_loss", "selu", "separable_conv2d", "sigmoid",
    "sigmoid_cross_entropy_with_logits", "silu", "softmax", "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2", "softplus", "softsign", "space_to_batch", "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits", "sufficient_statistics", "swish", "tanh", "top_k",
    "uniform_candidate_sampler", "weighted_cross_entropy_with_logits", "weighted_moments", "with_space_to_batch",
    "xw_plus_b", "zero_fraction",
]  # fmt: skip


def plain(default):
    """A default in a form that lists and tuples, and types by whatever name, share."""
    if default is inspect.Parameter.empty:
        return "required"
    if isinstance(default, (list, tuple)):
        return [plain(item) for item in default]
    if default is None or isinstance(default, (bool, int, float, str)):
        return default
    return "type"


@program(cases=FUNCTIONS, graph=False)
def parameters(tf, case):
    function = inspect.unwrap(getattr(tf.nn, case))
    return [[name, plain(p.default)] for name, p in inspect.signature(function).parameters.items()]


def numbers(*shape):
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 0.7) * 0.5).astype(np.float32).reshape(shape)


@program()
def small_network(tf):
    images = tf.placeholder(tf.float32, [None, 8, 8, 3], name="images")
    labels = tf.placeholder(tf.int64, [None], name="labels")

    def conv(x, shape, name):
        with tf.variable_scope(name):
            weights = tf.get_variable("weights", initializer=numbers(*shape))
            biases = tf.get_variable("biases", shape[-1:], initializer=tf.constant_initializer(0.1))
            layer = tf.nn.conv2d(x, weights, [1, 1, 1, 1], padding="SAME")
            return tf.nn.relu(tf.nn.bias_add(layer, biases), name="relu")

    conv1 = conv(images, [5, 5, 3, 8], "conv1")
    pool1 = tf.nn.max_pool(conv1, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool1")
    norm1 = tf.nn.lrn(pool1, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm1")
    conv2 = conv(norm1, [5, 5, 8, 4], "conv2")
    pool2 = tf.nn.avg_pool(conv2, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID", name="pool2")
    flat = tf.reshape(pool2, [-1, 16])
    logits = tf.nn.xw_plus_b(tf.nn.dropout(flat, keep_prob=0.5, seed=1), numbers(16, 10), numbers(10), name="logits")
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    top = tf.nn.in_top_k(logits, labels, 3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feeds = {images: numbers(2, 8, 8, 3) * 2, labels: [3, 7]}
        return norm1, logits, losses, sess.run([logits, losses, top, tf.nn.softmax(logits)], feeds)
