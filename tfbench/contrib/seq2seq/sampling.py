"""Draws as TensorFlow's distributions make them, node by node: ids from logits, and yes or no from a probability."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.random import random_uniform
from tfbench.engine.ops.random_samples import multinomial
from tfbench.engine.tensor import Tensor


def _expanded(given: Tensor) -> tuple[Tensor, Tensor]:
    """A shape that may be a scalar as a vector, and the product of its sizes."""
    scalar = ops.cast(ops.equal(ops.rank(given), 0), dtypes.int32)
    ones = ops.pad(ops.shape(given), paddings=[[scalar, 0]], constant_values=1)
    vector = ops.reshape(given, ones)
    return vector, ops.reduce_prod(vector)


def categorical(logits: Tensor, seed: Any = None) -> Tensor:
    """One id for each row of logits."""
    ops.shape(logits)[-1]  # the number of ids, which the distribution keeps
    batch = ops.shape(logits)[:-1]
    with name_scope("call_sampler"):
        shape, count = _expanded(ops.constant([], dtype=dtypes.int32, name="sample_shape"))
        flat = logits if logits.get_shape().ndims == 2 else ops.reshape(logits, [-1, ops.shape(logits)[-1]])
        draws = multinomial(flat, count, seed=seed, output_dtype=dtypes.int32)
        draws = ops.reshape(ops.transpose(draws), ops.concat([[count], batch], 0))
        found: Tensor = ops.reshape(draws, ops.concat([shape, ops.shape(draws)[1:]], 0))
        return found


def bernoulli(probability: Tensor, count: Tensor, seed: Any = None, dtype: Any = dtypes.bool) -> Tensor:
    """`count` times yes or no, with a probability for all or one for each."""
    batch = ops.shape(probability)
    with name_scope("call_sampler"):
        shape, total = _expanded(count)
        drawn = random_uniform(ops.concat([[total], batch], 0), seed=seed, dtype=probability.dtype)
        found: Tensor = ops.cast(ops.less(drawn, probability), dtype)
        return ops.reshape(found, ops.concat([shape, ops.shape(found)[1:]], 0))
