"""Monotonic attention: weights of the step where a search that only goes forward stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.random import random_normal
from tfbench.engine.tensor import Tensor


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Cumulative products through sums of logarithms, which do not underflow; arguments as for `tf.cumprod`."""
    with name_scope(None, "SafeCumprod", [x]):
        x = convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return ops.exp(ops.cumsum(ops.log(ops.clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Tensor:
    """The weights of the steps where a search stops that goes on from where it was.

    Args:
      p_choose_i: the probability to stop at a step, [batch, steps].
      previous_attention: where the search was, as weights.
      mode: 'recursive' computes step by step; 'parallel' at once, which is inexact for long sequences; 'hard' takes
        probabilities that are 0 or 1.

    Raises:
      ValueError: for another mode.
    """
    p_choose_i = convert_to_tensor(p_choose_i, name="p_choose_i")
    previous_attention = convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        batch = p_choose_i.shape.as_list()[0] or ops.shape(p_choose_i)[0]
        shifted = ops.concat([ops.ones((batch, 1)), 1 - p_choose_i[:, :-1]], 1)
        steps = ops.scan(
            lambda x, yz: ops.reshape(yz[0] * x + yz[1], (batch,)),
            [ops.transpose(shifted), ops.transpose(previous_attention)],
            ops.zeros((batch,)),
        )
        return p_choose_i * ops.transpose(steps)
    if mode == "parallel":
        going_on = safe_cumprod(1 - p_choose_i, axis=1, exclusive=True)
        return p_choose_i * going_on * ops.cumsum(previous_attention / ops.clip_by_value(going_on, 1e-10, 1.0), axis=1)
    if mode == "hard":
        p_choose_i = p_choose_i * ops.cumsum(previous_attention, axis=1)
        return p_choose_i * ops.cumprod(1 - p_choose_i, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def monotonic_probabilities(noise: float, mode: str, seed: Any) -> Callable[..., Tensor]:
    """The function that makes weights of scores."""

    def weights(score: Tensor, previous: Tensor) -> Tensor:
        if noise > 0:
            drawn = random_normal(ops.shape(score), dtype=score.dtype, seed=seed)
            score = score + noise * drawn
        if mode == "hard":
            chosen = ops.cast(ops.greater(score, 0), score.dtype)
        else:
            chosen = ops.sigmoid(score)
        return monotonic_attention(chosen, previous, mode)

    return weights


def hardmax(logits: Any, name: str | None = None) -> Tensor:
    """One at the largest of each row of logits, zero elsewhere."""
    with name_scope(name, "Hardmax", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        depth = logits.get_shape().as_list()[-1]
        if depth is None:
            depth = ops.shape(logits)[-1]
        return ops.one_hot(ops.argmax(logits, -1), depth, dtype=logits.dtype)
