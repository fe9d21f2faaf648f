"""`tf.math`: arithmetic, special functions, reductions, segments; each is defined with its op in `engine/ops`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tfbench.engine.ops.comparison import (
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    not_equal as not_equal,
)
from tfbench.engine.ops.cumulative import (
    cumprod as cumprod,
    cumsum as cumsum,
    cumulative_logsumexp as cumulative_logsumexp,
)
from tfbench.engine.ops.math_arg import argmax as argmax, argmin as argmin
from tfbench.engine.ops.math_binary import (
    add as add,
    atan2 as atan2,
    div_no_nan as divide_no_nan,
    divide as divide,
    floordiv as floordiv,
    floormod as floormod,
    maximum as maximum,
    minimum as minimum,
    mod as mod,
    multiply as multiply,
    pow as pow,
    squared_difference as squared_difference,
    subtract as subtract,
    truediv as truediv,
)
from tfbench.engine.ops.math_complex import angle as angle, conj as conj, imag as imag, real as real
from tfbench.engine.ops.math_histogram import bincount as bincount
from tfbench.engine.ops.math_no_nan import (
    multiply_no_nan as multiply_no_nan,
    nextafter as nextafter,
    polyval as polyval,
    reciprocal_no_nan as reciprocal_no_nan,
    xdivy as xdivy,
    xlog1py as xlog1py,
    xlogy as xlogy,
)
from tfbench.engine.ops.math_reductions import (
    count_nonzero as count_nonzero,
    reduce_logsumexp as reduce_logsumexp,
    reduce_std as reduce_std,
    reduce_variance as reduce_variance,
)
from tfbench.engine.ops.math_special import (
    bessel_i0 as bessel_i0,
    bessel_i0e as bessel_i0e,
    bessel_i1 as bessel_i1,
    bessel_i1e as bessel_i1e,
    betainc as betainc,
    digamma as digamma,
    erf as erf,
    erfc as erfc,
    erfcinv as erfcinv,
    erfinv as erfinv,
    igamma as igamma,
    igammac as igammac,
    lbeta as lbeta,
    lgamma as lgamma,
    ndtri as ndtri,
    polygamma as polygamma,
    zeta as zeta,
)
from tfbench.engine.ops.math_sums import accumulate_n as accumulate_n, add_n as add_n, scalar_mul as scalar_mul
from tfbench.engine.ops.math_unary import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atanh as atanh,
    ceil as ceil,
    cos as cos,
    cosh as cosh,
    exp as exp,
    expm1 as expm1,
    floor as floor,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    log as log,
    log1p as log1p,
    log_sigmoid as log_sigmoid,
    negative as negative,
    reciprocal as reciprocal,
    rint as rint,
    round as round,
    rsqrt as rsqrt,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    tan as tan,
    tanh as tanh,
)
from tfbench.engine.ops.reductions import (
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_euclidean_norm as reduce_euclidean_norm,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from tfbench.engine.ops.segments import (
    segment_max as segment_max,
    segment_mean as segment_mean,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
    unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum,
)

#: names that live in other namespaces too, found there when they are used
_ELSEWHERE = {
    "confusion_matrix": "tfbench", "in_top_k": "tfbench.nn", "invert_permutation": "tfbench",
    "l2_normalize": "tfbench.nn", "log_softmax": "tfbench.nn", "softmax": "tfbench.nn", "softplus": "tfbench.nn",
    "softsign": "tfbench.nn", "top_k": "tfbench.nn", "zero_fraction": "tfbench.nn",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name]), name)
    raise AttributeError(f"module 'tfbench.math' has no attribute {name!r}")
