"""Numbers of distributions that inputs describe: categories, gamma, Poisson, bounded normal; on the CPU only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.array_broadcast import broadcast_dynamic_shape, broadcast_to
from tfbench.engine.ops.math_binary import maximum
from tfbench.engine.ops.random_common import (
    FLOATS,
    INDEX,
    RATES,
    SEEDS,
    drawing,
    seed_attrs,
    shape_tensor,
    shape_with_parameters,
    shaped,
    sizes_of,
    stream_of,
)
from tfbench.engine.ops.shape_ops import shape as shape_of
from tfbench.engine.shape_math import debug_string, with_rank, with_rank_at_most
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["multinomial", "random_gamma", "random_poisson"]

_multinomial = op(
    "Multinomial",
    "logits: T, num_samples: int32",
    "output: output_dtype",
    f"{SEEDS}T: realnumbertype; output_dtype: {INDEX} = int64",
    stateful=True,
    fresh=True,
    doc="Category numbers drawn from each row of unnormalised log probabilities.",
)
_multinomial.no_gradient("category numbers have no gradient")


@_multinomial.shape
def multinomial_shape(node: Operation, logits: Shape, samples: Shape, *others: Shape) -> list[Shape]:
    """Shape function: (rows of the logits, number of samples)."""
    rows = with_rank(logits, 2)[0]
    with_rank(samples, 0)
    count = constant_value(node._inputs[1])
    if count is not None and count < 0:
        raise ValueError(f"Dimension size, given by scalar input 1, must be non-negative but is {int(count)}")
    return [(rows, None if count is None else int(count))]


def check_multinomial(logits: Any, samples: Any) -> int:
    """The number of samples. InvalidArgumentError for what is no matrix of logits, or no number."""
    message = ""
    if logits.ndim != 2:
        message = f"logits should be a matrix, got shape {debug_string(logits.shape)}"
    elif samples.ndim:
        message = f"num_samples should be a scalar, got shape {debug_string(samples.shape)}"
    elif samples < 0:
        message = f"num_samples should be non-negative, got {int(samples)}"
    elif logits.shape[1] == 0:
        message = "num_classes should be positive, got 0"
    if message:
        raise invalid(message)
    return int(samples)


def check_logits_type(context: Any) -> None:
    """InvalidArgumentError for logits that are integers: the op may be made with them, but nothing computes it."""
    kind = context.attrs["T"]
    if not kind.is_floating:
        raise invalid(
            f"No OpKernel was registered to support Op '{context.op.type}' with T={kind.name}: logits are float16, "
            "bfloat16, float32 or float64. Use tf.cast(logits, tf.float32)."
        )


@_multinomial.bind(CPU)
def _multinomial_bind(context: Any) -> Callable[..., Any]:
    check_logits_type(context)
    draw = drawing("random_discrete", "multinomial")
    stream, dtype = stream_of(context), context.attrs["output_dtype"].as_numpy_dtype
    return lambda logits, samples: draw(stream, logits, check_multinomial(logits, samples), dtype)


_random_gamma = op(
    "RandomGamma",
    "shape: S, alpha: T",
    "output: T",
    f"{SEEDS}S: {INDEX}; T: {{half, float, double}}",
    stateful=True,
    fresh=True,
    doc="`shape` numbers of each of the gamma distributions `alpha`.",
)


_random_gamma.shape(shape_with_parameters)


@_random_gamma.bind(CPU)
def _random_gamma_bind(context: Any) -> Callable[..., Any]:
    draw = drawing("random_rejection", "gamma")
    stream = stream_of(context)
    return lambda shape, alpha: draw(stream, sizes_of(shape), alpha)


_random_poisson = op(
    "RandomPoissonV2",
    "shape: S, rate: R",
    "output: dtype",
    f"{SEEDS}S: {INDEX}; R: {RATES} = double; dtype: {RATES} = int64",
    stateful=True,
    fresh=True,
    doc="`shape` numbers of each of the Poisson distributions `rate`.",
)
_random_poisson.shape(shape_with_parameters)
_random_poisson.no_gradient("counts have no gradient")


@_random_poisson.bind(CPU)
def _random_poisson_bind(context: Any) -> Callable[..., Any]:
    draw = drawing("random_rejection", "poisson")
    stream, dtype = stream_of(context), context.attrs["dtype"].as_numpy_dtype
    return lambda shape, rate: draw(stream, sizes_of(shape), rate, dtype)


_parameterized_truncated_normal = op(
    "ParameterizedTruncatedNormal",
    "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype",
    "output: dtype",
    f"{SEEDS}dtype: {FLOATS}; T: {INDEX}",
    stateful=True,
    fresh=True,
    doc="Normal numbers between bounds; each row of the output may have parameters of its own.",
)
_parameterized_truncated_normal.no_gradient("TensorFlow has none")


@_parameterized_truncated_normal.shape
def _parameterized_shape(node: Operation, shape: Shape, *parameters: Shape) -> list[Shape]:
    for parameter in parameters:
        with_rank_at_most(parameter, 1)
    return shaped(node, shape)


@_parameterized_truncated_normal.bind(CPU)
def _parameterized_bind(context: Any) -> Callable[..., Any]:
    draw = drawing("random_bounded", "bounded_normal")
    stream = stream_of(context)

    def kernel(shape: Any, *parameters: Any) -> Any:
        if shape.ndim != 1:
            message = f"Input shape should be a vector, got shape: {debug_string(shape.shape)}"
            raise invalid(message)
        if shape.size == 0:
            raise invalid("Shape tensor must not be empty, got []")
        return draw(stream, sizes_of(shape), *parameters)

    return kernel


# -- public functions ------------------------------------------------------------------------------------------------


def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: str | None = None, output_dtype: Any = None
) -> Tensor:
    """(rows, num_samples) category numbers, drawn for each row of `logits`: unnormalised log probabilities.

    `output_dtype` is int32 or int64 (default).
    """
    with name_scope(name, "multinomial", [logits]):
        return _draw_categories(logits, num_samples, output_dtype, seed)


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """`tf.random.categorical`: what `tf.multinomial` does, under its newer name."""
    with name_scope(name, "categorical", [logits]):
        return _draw_categories(logits, num_samples, dtype, seed)


def category_type(dtype: Any) -> Any:
    """The type of category numbers. ValueError unless it is int32, int64 or None (int64)."""
    dtype = as_dtype(dtype) if dtype else dtypes.int64
    accepted = (dtypes.int32, dtypes.int64)
    if dtype not in accepted:
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {accepted}.")
    return dtype


def _draw_categories(logits: Any, num_samples: Any, dtype: Any, seed: Any) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    dtype = category_type(dtype)
    return _multinomial(logits, num_samples, output_dtype=dtype, **seed_attrs(seed))


def random_gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """`shape` numbers of each gamma distribution with shape parameter `alpha` and inverse scale `beta` (default 1).

    The result has the shape `shape` + that of `alpha + beta`; it is never zero.
    """
    with name_scope(name, "random_gamma", [shape, alpha, beta]):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        alpha = convert_to_tensor(alpha, name="alpha", dtype=dtype)
        beta = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        alpha = broadcast_parameters(alpha, beta)
        return above_zero(_random_gamma(shape, alpha, **seed_attrs(seed)) / beta)


def broadcast_parameters(alpha: Tensor, beta: Tensor) -> Tensor:
    """`alpha` in the shape of `alpha + beta`."""
    return broadcast_to(alpha, broadcast_dynamic_shape(shape_of(alpha), shape_of(beta)))


def above_zero(numbers: Tensor) -> Tensor:
    """The numbers, those that underflowed replaced by the smallest normal number of their type."""
    return maximum(np.finfo(numbers.dtype.as_numpy_dtype).tiny, numbers)


def random_poisson(
    lam: Any, shape: Any, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """`shape` numbers of each Poisson distribution with the rate `lam`, in the shape `shape` + that of `lam`."""
    with name_scope(name, "random_poisson", [lam, shape]):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        return _random_poisson(shape, lam, dtype=dtype, **seed_attrs(seed))


def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Normal numbers between `minvals` and `maxvals`; parameters are numbers, or one number for each row.

    TensorFlow has it in `tensorflow.python.ops.random_ops` only, so it has no name under `tf` here either.
    """
    with name_scope(name, "parameterized_truncated_normal", [shape, means, stddevs, minvals, maxvals]):
        shape = shape_tensor(shape)
        named = {"means": means, "stddevs": stddevs, "minvals": minvals, "maxvals": maxvals}
        parameters = [convert_to_tensor(value, dtype=dtype, name=key) for key, value in named.items()]
        return _parameterized_truncated_normal(shape, *parameters, **seed_attrs(seed))
