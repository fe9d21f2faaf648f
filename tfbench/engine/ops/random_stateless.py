"""Random numbers from a seed tensor: the same seed, the same numbers, in every run.

There are two generations of these ops. The older ones take the seed itself; the newer ones take the key and the counter
that StatelessRandomGetKeyCounter makes of it. Both draw the same numbers, by the same kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.math_binary import add
from tfbench.engine.ops.random_common import (
    FLOATS,
    INDEX,
    RATES,
    drawing,
    scalar_of,
    shape_tensor,
    shaped,
    shaped_with_bounds,
    sizes_of,
)
from tfbench.engine.ops.random_samples import (
    above_zero,
    broadcast_parameters,
    category_type,
    check_logits_type,
    check_multinomial,
    multinomial_shape,
)
from tfbench.engine.shape_math import debug_string, with_dim, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

if TYPE_CHECKING:
    from tfbench.engine.kernels.philox import PhiloxStream

__all__: list[str] = []  # their names are in `tf.random` only

_WHOLE = "{int32, int64, uint32, uint64}"
_SEED = f"Tseed: {INDEX} = int64"
_REASON = "random numbers do not depend on the seed smoothly"


def _seeded(seed: Any) -> PhiloxStream:
    """The stream of a seed input. InvalidArgumentError unless it has two elements."""
    if seed.shape != (2,):
        raise invalid(f"seed must have shape [2], not {debug_string(seed.shape)}")
    stream: PhiloxStream = drawing("philox", "scrambled")(*seed.tolist())
    return stream


def _placed(key: Any, counter: Any, algorithm: Any) -> PhiloxStream:
    """The stream of a key and a counter. InvalidArgumentError for another generator than Philox."""
    if int(algorithm) not in (1, 3):
        raise invalid(
            f"Unsupported algorithm id: {int(algorithm)}. Philox is 1; 3 lets the device choose, which is Philox."
        )
    low, high = counter.tolist()[:2]
    stream: PhiloxStream = drawing("philox", "PhiloxStream").at(int(key[0]), low | high << 64)  # type: ignore[attr-defined]
    return stream


# -- the ops ---------------------------------------------------------------------------------------------------------

_get_key_counter = op(
    "StatelessRandomGetKeyCounter",
    "seed: Tseed",
    "key: uint64, counter: uint64",
    _SEED,
    fresh=True,
    doc="Where the stream of a seed begins.",
)
_get_key_counter.no_gradient(_REASON)


@_get_key_counter.shape
def _get_key_counter_shape(node: Operation, seed: Shape) -> list[Shape]:
    with_dim(with_rank(seed, 1)[0], 2)
    return [(1,), (2,)]


@_get_key_counter.kernel(CPU, GPU)
def _get_key_counter_kernel(xp: Any, seed: Any) -> tuple[Any, Any]:
    key, counter = _seeded(seed).snapshot()
    low, high = counter & (2**64 - 1), counter >> 64
    return np.array([key], np.uint64), np.array([low, high], np.uint64)


def _both(
    name: str, dtype: str, module: str, function: str, old: str = "", bounds: bool = False, seed: str = _SEED
) -> OpDef:
    """Declares an op and its newer form (`…V2`), which it returns; `old` is the default of the older index type.

    The older form of an op with bounds has fewer types.
    """
    more = ", minval: dtype, maxval: dtype" if bounds else ""
    newer = op(
        name + "V2",
        "shape: Tshape, key: uint64, counter: uint64, alg: int32" + more,
        "output: dtype",
        f"dtype: {dtype}; Tshape: {INDEX} = int32",
        fresh=True,
    )
    older = op(
        name,
        "shape: T, seed: Tseed" + more,
        "output: dtype",
        f"dtype: {INDEX if bounds else dtype}; T: {INDEX}{old}; {seed}",
        fresh=True,
    )
    _compute(newer, _placed, 3, module, function, bounds)
    _compute(older, _seeded, 1, module, function, bounds)
    return newer


def _compute(
    definition: OpDef, begin: Callable[..., Any], takes: int, module: str, function: str, bounds: bool
) -> None:
    """Shape function and kernel of an op whose inputs are the shape, `takes` inputs for `begin`, and the bounds."""
    definition.shape(shaped_with_bounds if bounds else shaped)
    definition.no_gradient(_REASON)

    @definition.bind(CPU, GPU)
    def _(context: Any) -> Callable[..., Any]:
        draw = drawing(module, function)
        xp, dtype = context.xp, context.attrs["dtype"].as_numpy_dtype

        def kernel(shape: Any, *inputs: Any) -> Any:
            low_high = [scalar_of(value, name) for value, name in zip(inputs[takes:], ("minval", "maxval"))]
            return draw(begin(*inputs[:takes]), sizes_of(shape), *low_high, dtype, xp)

        return kernel


_uniform = _both("StatelessRandomUniform", FLOATS + " = float", "random_fill", "uniform", " = int32")
_normal = _both("StatelessRandomNormal", FLOATS + " = float", "random_fill", "standard_normal", " = int32")
_truncated = _both("StatelessTruncatedNormal", FLOATS + " = float", "random_truncated", "truncated_normal", " = int32")
_uniform_int = _both("StatelessRandomUniformInt", _WHOLE, "random_fill", "uniform_int", bounds=True)
_full_int = _both(
    "StatelessRandomUniformFullInt",
    _WHOLE + " = uint64",
    "random_fill",
    "uniform_full_int",
    " = int32",
    seed=f"Tseed: {_WHOLE} = int64",
)

_multinomial = op(
    "StatelessMultinomial",
    "logits: T, num_samples: int32, seed: Tseed",
    "output: output_dtype",
    f"T: realnumbertype; {_SEED}; output_dtype: {INDEX} = int64",
    fresh=True,
)
_multinomial.shape(multinomial_shape)
_multinomial.no_gradient("category numbers have no gradient")


@_multinomial.bind(CPU)
def _multinomial_bind(context: Any) -> Callable[..., Any]:
    check_logits_type(context)
    draw = drawing("random_discrete", "multinomial")
    dtype = context.attrs["output_dtype"].as_numpy_dtype

    def kernel(logits: Any, samples: Any, seed: Any) -> Any:
        return draw(_seeded(seed), logits, check_multinomial(logits, samples), dtype)

    return kernel


_gamma = op(
    "StatelessRandomGammaV3",
    "shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype",
    "output: dtype",
    f"dtype: {{half, float, double}}; shape_dtype: {INDEX} = int32",
    fresh=True,
)
_gamma.shape(shaped)

_poisson = op(
    "StatelessRandomPoisson",
    "shape: T, seed: Tseed, lam: Rtype",
    "output: dtype",
    f"Rtype: {RATES}; dtype: {RATES}; T: {INDEX}; {_SEED}",
    fresh=True,
)
_poisson.shape(shaped)
_poisson.no_gradient("counts have no gradient")


def _leading(shape: Any, parameters: Any) -> tuple[int, ...]:
    """The sizes before the parameters' own. InvalidArgumentError if `shape` does not end with those."""
    sizes = sizes_of(shape)
    split = len(sizes) - parameters.ndim
    if split < 0 or sizes[split:] != parameters.shape:
        raise invalid(
            f"Shape passed in must end with broadcasted shape. {debug_string(sizes)} does not end with "
            f"{debug_string(parameters.shape)}, the shape of the distributions' parameters."
        )
    return sizes[:split]


@_gamma.bind(CPU)
def _gamma_bind(context: Any) -> Callable[..., Any]:
    draw = drawing("random_rejection", "gamma")

    def kernel(shape: Any, key: Any, counter: Any, algorithm: Any, alpha: Any) -> Any:
        return draw(_placed(key, counter, algorithm), _leading(shape, alpha), alpha)

    return kernel


@_poisson.bind(CPU)
def _poisson_bind(context: Any) -> Callable[..., Any]:
    draw = drawing("random_rejection", "poisson")
    dtype = context.attrs["dtype"].as_numpy_dtype
    return lambda shape, seed, rate: draw(_seeded(seed), _leading(shape, rate), rate, dtype)


# -- public functions ------------------------------------------------------------------------------------------------


def _algorithm(alg: Any) -> Any:
    """The number of a generator's name. ValueError for one that is not Philox."""
    if isinstance(alg, Tensor):
        return alg
    number = getattr(alg, "value", alg)  # a member of an enumeration
    if isinstance(number, str):
        number = {"philox": 1, "autoselect": 3}.get(number.strip().lower().replace("-", "").replace("_", ""), number)
    if number not in (1, 3):
        raise ValueError(f"Argument `alg` got unsupported value {alg!r}. Supported are 'philox' and 'auto_select'.")
    return number


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Random numbers from `minval` on and below `maxval`, always the same for the same `seed` (two integers).

    For integers both bounds may be None: then the whole range of the type is used.

    Raises:
      ValueError: for a type without such numbers, or only one bound for integers.
    """
    dtype = as_dtype(dtype)
    accepted = (
        dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32,
        dtypes.uint64,
    )  # fmt: skip
    if dtype not in accepted:
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {accepted}.")
    if dtype.is_integer:
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both None or not None. "
                f"Got `minval`={minval} and `maxval`={maxval}."
            )
        if minval is not None and dtype in (dtypes.uint32, dtypes.uint64):
            raise ValueError(
                f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. Please don't use "
                "unsigned integers in this case."
            )
    elif maxval is None:
        maxval = 1
    with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        shape = shape_tensor(shape)
        if dtype.is_integer and minval is None:
            return _with_stream(_full_int, shape, seed, alg, dtype=dtype, name=scope)
        minval = convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        if dtype.is_integer:
            return _with_stream(_uniform_int, shape, seed, alg, minval, maxval, name=scope)
        unit = _with_stream(_uniform, shape, seed, alg, dtype=dtype)
        return add(unit * (maxval - minval), minval, name=scope)


def _with_stream(definition: OpDef, shape: Any, seed: Any, alg: Any, *more: Any, **attrs: Any) -> Tensor:
    """A node of the newer form, with the nodes that make its key and counter in front."""
    number = _algorithm("auto_select" if alg is None else alg)
    key, counter = _get_key_counter(seed)
    return definition(shape, key, counter, number, *more, **attrs)


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normally distributed random numbers, always the same for the same `seed` (two integers)."""
    return _bell(_normal, "stateless_random_normal", shape, seed, mean, stddev, dtype, name, alg)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """As `stateless_normal`, without numbers that are two deviations or more from the mean."""
    return _bell(_truncated, "stateless_truncated_normal", shape, seed, mean, stddev, dtype, name, alg)


def _bell(
    definition: OpDef, default: str, shape: Any, seed: Any, mean: Any, stddev: Any, dtype: Any, name: Any, alg: Any
) -> Tensor:
    with name_scope(name, default, [shape, seed, mean, stddev]) as scope:
        shape = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        unit = _with_stream(definition, shape, seed, alg, dtype=dtype)
        return add(unit * stddev, mean, name=scope)


def stateless_multinomial(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """(rows, num_samples) category numbers for unnormalised log probabilities, the same for the same `seed`."""
    with name_scope(name, "stateless_multinomial", [logits, seed]):
        return _categories(logits, num_samples, output_dtype, seed)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """`stateless_multinomial` under its newer name."""
    with name_scope(name, "stateless_categorical", [logits, seed]):
        return _categories(logits, num_samples, dtype, seed)


def _categories(logits: Any, num_samples: Any, dtype: Any, seed: Any) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    return _multinomial(logits, num_samples, seed, output_dtype=category_type(dtype))


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Numbers of gamma distributions, the same for the same `seed`; `shape` ends with the shape of `alpha + beta`."""
    with name_scope(name, "stateless_random_gamma", [shape, seed, alpha, beta]):
        shape = shape_tensor(shape)
        alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
        beta = convert_to_tensor(1 if beta is None else beta, dtype=dtype, name="beta")
        alpha = broadcast_parameters(alpha, beta)
        return above_zero(_with_stream(_gamma, shape, seed, "auto_select", alpha) / beta)


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """Numbers of Poisson distributions, the same for the same `seed`; `shape` ends with the shape of `lam`."""
    with name_scope(name, "stateless_random_poisson", [shape, seed, lam]):
        shape = shape_tensor(shape)
        return _poisson(shape, seed, lam, dtype=dtype)
