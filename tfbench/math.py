"""`tf.math`: arithmetic, special functions, reductions, segments; each is defined with its op in `engine/ops`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tfbench.engine.ops.comparison import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
)
from tfbench.engine.ops.cumulative import (
    cumprod,
    cumsum,
    cumulative_logsumexp,
)
from tfbench.engine.ops.math_arg import (
    argmax,
    argmin,
)
from tfbench.engine.ops.math_binary import (
    add,
    atan2,
    divide,
    floordiv,
    floormod,
    maximum,
    minimum,
    mod,
    multiply,
    pow,
    squared_difference,
    subtract,
    truediv,
)
from tfbench.engine.ops.math_binary import div_no_nan as divide_no_nan
from tfbench.engine.ops.math_complex import (
    angle,
    conj,
    imag,
    real,
)
from tfbench.engine.ops.math_histogram import (
    bincount,
)
from tfbench.engine.ops.math_no_nan import (
    multiply_no_nan,
    nextafter,
    polyval,
    reciprocal_no_nan,
    xdivy,
    xlog1py,
    xlogy,
)
from tfbench.engine.ops.math_reductions import (
    count_nonzero,
    reduce_logsumexp,
    reduce_std,
    reduce_variance,
)
from tfbench.engine.ops.math_special import (
    bessel_i0,
    bessel_i0e,
    bessel_i1,
    bessel_i1e,
    betainc,
    digamma,
    erf,
    erfc,
    erfcinv,
    erfinv,
    igamma,
    igammac,
    lbeta,
    lgamma,
    ndtri,
    polygamma,
    zeta,
)
from tfbench.engine.ops.math_sums import (
    accumulate_n,
    add_n,
    scalar_mul,
)
from tfbench.engine.ops.math_unary import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    cos,
    cosh,
    exp,
    expm1,
    floor,
    is_finite,
    is_inf,
    is_nan,
    log,
    log1p,
    log_sigmoid,
    negative,
    reciprocal,
    rint,
    round,
    rsqrt,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
)
from tfbench.engine.ops.reductions import (
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from tfbench.engine.ops.segments import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin", "asin", "asinh", "atan",
    "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "betainc", "bincount", "ceil", "conj",
    "cos", "cosh", "count_nonzero", "cumprod", "cumsum", "cumulative_logsumexp", "digamma", "divide",
    "divide_no_nan", "equal", "erf", "erfc", "erfcinv", "erfinv", "exp", "expm1", "floor", "floordiv", "floormod",
    "greater", "greater_equal", "igamma", "igammac", "imag", "is_finite", "is_inf", "is_nan", "lbeta", "less",
    "less_equal", "lgamma", "log", "log1p", "log_sigmoid", "logical_and", "logical_not", "logical_or",
    "logical_xor", "maximum", "minimum", "mod", "multiply", "multiply_no_nan", "ndtri", "negative", "nextafter",
    "not_equal", "polygamma", "polyval", "pow", "real", "reciprocal", "reciprocal_no_nan", "reduce_all",
    "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min",
    "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "rint", "round", "rsqrt", "scalar_mul",
    "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum", "sigmoid", "sign", "sin", "sinh",
    "sqrt", "square", "squared_difference", "subtract", "tan", "tanh", "truediv", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy", "zeta",
]  # fmt: skip

#: names that live in other namespaces too, found there when they are used
_ELSEWHERE = {
    "confusion_matrix": "tfbench", "in_top_k": "tfbench.nn", "invert_permutation": "tfbench", "is_non_decreasing":
    "tfbench", "is_strictly_increasing": "tfbench", "l2_normalize": "tfbench.nn", "log_softmax": "tfbench.nn",
    "softmax": "tfbench.nn", "softplus": "tfbench.nn", "softsign": "tfbench.nn", "top_k": "tfbench.nn",
    "zero_fraction": "tfbench.nn",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name]), name)
    raise AttributeError(f"module 'tfbench.math' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_ELSEWHERE})
