"""`tf.keras.backend`: the functions that Keras itself is written in."""

from __future__ import annotations

from tfbench.keras.backend.arrays import *
from tfbench.keras.backend.config import (
    cast_to_floatx,
    epsilon,
    floatx,
    image_data_format,
    set_epsilon,
    set_floatx,
    set_image_data_format,
)
from tfbench.keras.backend.control import (
    foldl,
    foldr,
    function,
    gradients,
    in_test_phase,
    in_train_phase,
    map_fn,
    print_tensor,
    switch,
)
from tfbench.keras.backend.convolution import (
    bias_add,
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    local_conv1d,
    local_conv2d,
    pool2d,
    pool3d,
    separable_conv2d,
)
from tfbench.keras.backend.elementwise import (
    abs,
    all,
    any,
    argmax,
    argmin,
    batch_dot,
    cast,
    clip,
    cos,
    cumprod,
    cumsum,
    dot,
    equal,
    exp,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    max,
    maximum,
    mean,
    min,
    minimum,
    not_equal,
    pow,
    prod,
    round,
    sign,
    sin,
    sqrt,
    square,
    std,
    sum,
    var,
)
from tfbench.keras.backend.neural import (
    batch_normalization,
    binary_crossentropy,
    categorical_crossentropy,
    dropout,
    elu,
    hard_sigmoid,
    in_top_k,
    l2_normalize,
    normalize_batch_in_training,
    random_binomial,
    random_normal,
    random_uniform,
    relu,
    sigmoid,
    softmax,
    softplus,
    softsign,
    sparse_categorical_crossentropy,
    tanh,
    truncated_normal,
)
from tfbench.keras.backend.recurrent import rnn
from tfbench.keras.backend.state import (
    clear_session,
    get_session,
    get_uid,
    learning_phase,
    learning_phase_scope,
    manual_variable_initialization,
    reset_uids,
    set_learning_phase,
    set_session,
)
from tfbench.keras.backend.values import batch_get_value, batch_set_value, count_params, eval, get_value, set_value


def backend() -> str:
    """What Keras computes with: 'tensorflow'."""
    return "tensorflow"
