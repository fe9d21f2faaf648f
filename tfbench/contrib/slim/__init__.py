"""`tf.contrib.slim`: the layers of `tf.contrib.layers` with shared arguments (`arg_scope`), and what goes with them."""

from tfbench.contrib import losses, metrics
from tfbench.contrib.framework.arg_scope import *
from tfbench.contrib.framework.assigning import *
from tfbench.contrib.framework.variables import *
from tfbench.contrib.layers import *
from tfbench.contrib.layers import initializers, regularizers, utils
from tfbench.contrib.layers.pools import pool
from tfbench.contrib.slim import evaluation, learning, model_analyzer, summaries
from tfbench.contrib.slim.data import (
    data_decoder,
    data_provider,
    dataset,
    dataset_data_provider,
    parallel_reader,
    prefetch_queue,
    tfexample_decoder,
)
from tfbench.train.training_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)

__all__ = [name for name in dir() if not name.startswith("_")]
