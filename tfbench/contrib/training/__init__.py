"""`tf.contrib.training`: hyperparameters, training and evaluation, strategies for `tf.train.replica_device_setter`."""

from __future__ import annotations

from tfbench.contrib.slim.learning import (
    add_gradients_summaries,
    clip_gradient_norms,
    create_train_op,
    multiply_gradients,
)
from tfbench.contrib.training.bucketing import bucket, bucket_by_sequence_length
from tfbench.contrib.training.hparam import HParams, parse_values
from tfbench.contrib.training.loop import train
from tfbench.contrib.training.sampling import rejection_sample, resample_at_rate, stratified_sample, weighted_resample
from tfbench.train.checkpoint_state import checkpoints_iterator, wait_for_new_checkpoint
from tfbench.train.device_setter import GreedyLoadBalancingStrategy, RandomStrategy, byte_size_load_fn
from tfbench.train.evaluation import (
    StopAfterNEvalsHook,
    SummaryAtEndHook,
    evaluate_once,
    evaluate_repeatedly,
    get_or_create_eval_step,
)

__all__ = [
    "GreedyLoadBalancingStrategy", "HParams", "RandomStrategy", "StopAfterNEvalsHook", "SummaryAtEndHook",
    "add_gradients_summaries", "bucket", "bucket_by_sequence_length", "byte_size_load_fn", "checkpoints_iterator",
    "clip_gradient_norms", "create_train_op", "evaluate_once", "evaluate_repeatedly", "get_or_create_eval_step",
    "multiply_gradients", "parse_values", "rejection_sample", "resample_at_rate", "stratified_sample", "train",
    "wait_for_new_checkpoint", "weighted_resample",
]  # fmt: skip
