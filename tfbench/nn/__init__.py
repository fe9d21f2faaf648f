"""`tf.nn`: activations, convolutions, pooling, normalization, losses, embeddings, sampling."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tfbench.engine.ops.array_blocks import depth_to_space, space_to_batch, space_to_depth
from tfbench.engine.ops.ctc import (
    ctc_beam_search_decoder,
    ctc_beam_search_decoder_v2,
    ctc_greedy_decoder,
    ctc_loss,
)
from tfbench.engine.ops.math_unary import sigmoid, tanh
from tfbench.engine.ops.nn_activations import elu, relu, selu, softplus, softsign
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.ops.nn_conv3d import conv3d_backprop_filter
from tfbench.engine.ops.nn_conv3d import conv3d_backprop_filter as conv3d_backprop_filter_v2
from tfbench.engine.ops.nn_fractional import fractional_avg_pool, fractional_max_pool
from tfbench.engine.ops.nn_loss import l2_loss
from tfbench.engine.ops.nn_sampling import (
    all_candidate_sampler,
    compute_accidental_hits,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from tfbench.engine.ops.nn_softmax import log_softmax, softmax
from tfbench.engine.ops.nn_top import in_top_k, top_k
from tfbench.namespace import made_here
from tfbench.nn.activations import crelu, leaky_relu, relu6, silu, swish
from tfbench.nn.convolution import conv1d, conv2d, conv2d_backprop_filter, conv2d_backprop_input, conv3d
from tfbench.nn.cross_entropy import (
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from tfbench.nn.dilated import atrous_conv2d, atrous_conv2d_transpose, convolution, with_space_to_batch
from tfbench.nn.dropout import dropout
from tfbench.nn.embedding import embedding_lookup, embedding_lookup_sparse
from tfbench.nn.linear import relu_layer, xw_plus_b, zero_fraction
from tfbench.nn.normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    fused_batch_norm,
    l2_normalize,
    local_response_normalization,
    lrn,
    moments,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from tfbench.nn.pooling import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    avg_pool_v2,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_v2,
    max_pool_with_argmax,
    pool,
)
from tfbench.nn.recurrent import (
    bidirectional_dynamic_rnn,
    dynamic_rnn,
    raw_rnn,
    static_bidirectional_rnn,
    static_rnn,
    static_state_saving_rnn,
)
from tfbench.nn.safe_embedding import safe_embedding_lookup_sparse
from tfbench.nn.sampled import nce_loss, sampled_softmax_loss
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
from tfbench.nn.transposed import conv1d_transpose, conv2d_transpose, conv3d_transpose, conv_transpose, deconv2d


def __getattr__(name: str) -> Any:
    if name == "rnn_cell":
        # It stands on the layers, and they on this module.
        return import_module("tfbench.nn.rnn_cell")
    if name == "seq2seq":  # until TensorFlow 1.0 it was here
        return import_module("tfbench.contrib.legacy_seq2seq")
    raise AttributeError(f"module 'tfbench.nn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(made_here(globals()) | {"rnn_cell"})
