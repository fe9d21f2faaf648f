"""Activations, losses of predictions, normalisation and random numbers, under the names of `tf.keras.backend`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.ops.math_clip import clip_by_value
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend import nn
from tfbench.keras.backend.config import epsilon, floatx

sigmoid = ops.sigmoid
tanh = ops.tanh


# -- activations ---------------------------------------------------------------------------------------------------


def relu(x: Any, alpha: Any = 0.0, max_value: Any = None, threshold: Any = 0) -> Any:
    """0 below the threshold (or `alpha` times the distance to it), `x` above, `max_value` at most."""
    if alpha != 0.0:
        if max_value is None and threshold == 0:
            return nn.leaky_relu(x, alpha=alpha)
        below = nn.relu(-x + threshold) if threshold != 0 else nn.relu(-x)
    bounded = max_value is not None
    if threshold != 0:
        x = x * ops.cast(ops.greater(x, threshold), floatx())
    elif max_value == 6:
        x = nn.relu6(x)
        bounded = False
    else:
        x = nn.relu(x)
    dtype = x.dtype.base_dtype
    if bounded:
        most = ops.constant(max_value, dtype)
        x = clip_by_value(x, ops.constant(0.0, dtype), most)
    if alpha != 0.0:
        x = x - convert_to_tensor(alpha, dtype) * below
    return x


def elu(x: Any, alpha: Any = 1.0) -> Any:
    """`x` above 0, alpha (exp(x) - 1) below."""
    bent = nn.elu(x)
    return bent if alpha == 1 else ops.where(x > 0, bent, alpha * bent)


def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x), divided by its sum along the axis."""
    return nn.softmax(x, axis=axis)


def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return nn.softplus(x)


def softsign(x: Any) -> Any:
    """x / (1 + |x|)."""
    return nn.softsign(x)


def hard_sigmoid(x: Any) -> Any:
    """0 below -2.5, 1 above 2.5, a straight line between."""
    dtype = x.dtype.base_dtype
    slope, middle = ops.constant(0.2, dtype), ops.constant(0.5, dtype)
    return clip_by_value(ops.add(ops.multiply(x, slope), middle), 0.0, 1.0)


def l2_normalize(x: Any, axis: Any = None) -> Any:
    """`x` divided by its norm along the axis."""
    return nn.l2_normalize(x, axis=axis)


def in_top_k(predictions: Any, targets: Any, k: int) -> Any:
    """Whether the target is among the k largest predictions."""
    return nn.in_top_k(predictions, targets, k)


# -- losses --------------------------------------------------------------------------------------------------------


def _before(output: Any, kind: str) -> Any:
    """What an activation was computed from, where `output` is directly one of that type; else None."""
    return output.op.inputs[0] if isinstance(output, Tensor) and output.op.type == kind else None


def _within(output: Any) -> Any:
    """Probabilities, kept away from 0 and 1."""
    dtype = output.dtype.base_dtype
    fuzz = ops.constant(epsilon(), dtype)
    return clip_by_value(output, fuzz, 1.0 - fuzz)


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """-sum target log(output) along the axis; of a softmax, computed from what went into it."""
    if not from_logits:
        logits = _before(output, "Softmax")
        if logits is None:
            output = _within(output / ops.reduce_sum(output, axis, True))
            return -ops.reduce_sum(target * ops.log(output), axis)
        output = logits
    return nn.softmax_cross_entropy_with_logits_v2(labels=target, logits=output, axis=axis)


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """-log(output[target]), with classes along the axis; of a softmax, computed from what went into it.

    Raises:
      ValueError: if the axis is not the last one of an output of unknown rank.
    """
    if not from_logits:
        logits = _before(output, "Softmax")
        output = ops.log(_within_int(output)) if logits is None else logits
    rank = output.shape.ndims
    if rank is not None:
        axis %= rank
        if axis != rank - 1:
            output = ops.transpose(output, perm=[*range(axis), *range(axis + 1, rank), axis])
    elif axis != -1:
        raise ValueError(
            f"Cannot compute sparse categorical crossentropy with `axis={axis}` on an output tensor with unknown rank"
        )
    target = ops.cast(target, "int64")
    shape = ops.shape(output)
    flat = target.shape.ndims is not None and rank is not None and target.shape.ndims != rank - 1
    if flat:
        target = ops.reshape(target, [-1])
        output = ops.reshape(output, [-1, shape[-1]])
    losses = nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=output)
    return ops.reshape(losses, shape[:-1]) if flat and rank >= 3 else losses


def _within_int(output: Any) -> Any:
    fuzz = ops.constant(epsilon(), output.dtype.base_dtype)
    return clip_by_value(output, fuzz, 1 - fuzz)


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """-target log(output) - (1 - target) log(1 - output); of a sigmoid, computed from what went into it."""
    if not from_logits:
        logits = _before(output, "Sigmoid")
        if logits is None:
            output = _within(output)
            loss = target * ops.log(output + epsilon())
            loss = loss + (1 - target) * ops.log(1 - output + epsilon())
            return -loss
        output = logits
    return nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)


# -- random --------------------------------------------------------------------------------------------------------


def _seed(seed: Any) -> Any:
    """A seed from NumPy's generator, unless one is given."""
    return np.random.randint(10**7) if seed is None else seed


def dropout(x: Any, level: Any, noise_shape: Any = None, seed: Any = None) -> Any:
    """Sets elements to 0 with probability `level` and scales the others."""
    return nn.dropout(x, rate=level, noise_shape=noise_shape, seed=_seed(seed))


def random_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Normal numbers."""
    return ops.random_normal(shape, mean=mean, stddev=stddev, dtype=dtype or floatx(), seed=_seed(seed))


def random_uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Uniform numbers in [minval, maxval)."""
    return ops.random_uniform(shape, minval=minval, maxval=maxval, dtype=dtype or floatx(), seed=_seed(seed))


def random_binomial(shape: Any, p: Any = 0.0, dtype: Any = None, seed: Any = None) -> Any:
    """1 with probability `p`, else 0."""
    kind = dtype or floatx()
    return ops.where(
        ops.random_uniform(shape, dtype=kind, seed=_seed(seed)) <= p,
        ops.ones(shape, dtype=kind),
        ops.zeros(shape, kind),
    )


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Normal numbers, drawn again beyond two standard deviations."""
    return ops.truncated_normal(shape, mean, stddev, dtype=dtype or floatx(), seed=_seed(seed))


# -- normalisation -------------------------------------------------------------------------------------------------


def batch_normalization(
    x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: int = -1, epsilon: float = 1e-3
) -> Any:
    """gamma (x - mean) / sqrt(var + epsilon) + beta; of images, by the fused op."""
    if x.shape.ndims != 4 or axis not in (3, -1):
        return nn.batch_normalization(x, mean, var, beta, gamma, epsilon)

    def vector(value: Any, otherwise: Any) -> Any:
        if value is None:
            return otherwise(mean)
        return ops.reshape(value, [-1]) if value.shape.ndims > 1 else value

    mean, var = vector(mean, None), vector(var, None)
    beta, gamma = vector(beta, ops.zeros_like), vector(gamma, ops.ones_like)
    return nn.fused_batch_norm(x, gamma, beta, epsilon=epsilon, mean=mean, variance=var, is_training=False)[0]


def normalize_batch_in_training(
    x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 1e-3
) -> tuple[Any, Any, Any]:
    """The normalised batch, its mean and its variance."""
    axes, rank = list(reduction_axes), x.shape.ndims
    if rank == 4 and axes == [0, 1, 2]:
        channels = x.shape.as_list()[3]
        gamma = ops.constant(1.0, dtype=x.dtype, shape=[channels]) if gamma is None else gamma
        beta = ops.constant(0.0, dtype=x.dtype, shape=[channels]) if beta is None else beta
        output, mean, variance = nn.fused_batch_norm(x, gamma, beta, epsilon=epsilon)
        return output, mean, variance
    mean, variance = nn.moments(x, axes, keep_dims=False)
    if sorted(axes) == list(range(rank))[:-1]:
        return nn.batch_normalization(x, mean, variance, beta, gamma, epsilon), mean, variance
    sizes = ops.stack([1 if axis in axes else ops.shape(x)[axis] for axis in range(rank)])
    wide: list[Any] = [None if one is None else ops.reshape(one, sizes) for one in (mean, variance, beta, gamma)]
    return nn.batch_normalization(x, wide[0], wide[1], wide[2], wide[3], epsilon), mean, variance
