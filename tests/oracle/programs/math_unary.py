"""Elementwise functions of one operand: every type, special values, names, static shapes, complex numbers."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

inf, nan = float("inf"), float("nan")
REALS = [-2.5, -1.5, -1.0, -0.5, -1e-3, -0.0, 0.0, 1e-3, 0.5, 1.0, 1.5, 2.5, 88.0, inf, -inf, nan]
INTS = [-7, -2, -1, 0, 1, 2, 7]
COMPLEX = [1 + 2j, -0.5 + 0.25j, 0.5 - 2j, -3 - 0.5j, 0.75j, 2 + 0j]

UNARY = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "expm1", "floor", "log",
        "log1p", "negative",
    "reciprocal", "rint", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
        "is_nan", "is_inf", "is_finite",
]  # fmt: skip


def run(tf, tensors):
    """The values, one run each, so that one failure hides no other."""
    with tf.Session() as sess:
        return [attempt(sess.run, tensor) if isinstance(tensor, tf.Tensor) else None for tensor in tensors]


@program(cases=UNARY)
def real_types(tf, case):
    function = getattr(tf, case)
    made = [attempt(function, tf.constant(REALS, dtype)) for dtype in ("float32", "float64")]
    return made, run(tf, made)


@program(cases=UNARY)
def half(tf, case):
    made = attempt(getattr(tf, case), tf.constant([-2.5, -0.5, 0.0, 0.25, 1.0, 3.0], tf.float16))
    return made, run(tf, [made])


@program(cases=UNARY, graph=False)
def which_types(tf, case):
    function = getattr(tf, case)
    return [
        attempt(lambda d=d: function(tf.placeholder(d)).dtype)
        for d in (
            "float16",
            "bfloat16",
            "int8",
            "uint8",
            "int16",
            "uint16",
            "int32",
            "uint32",
            "int64",
            "uint64",
            "bool",
            "complex64",
            "complex128",
            "string",
        )
    ]


@program(cases=["abs", "negative", "sign", "square", "round"])
def integers(tf, case):
    made = [attempt(getattr(tf, case), tf.constant(INTS, dtype)) for dtype in ("int8", "int16", "int32", "int64")]
    return made, run(tf, made)


@program(
    cases=[
        "abs",
        "negative",
        "sign",
        "square",
        "sqrt",
        "exp",
        "log",
        "sin",
        "cos",
        "tan",
        "sinh",
        "cosh",
        "tanh",
        "reciprocal",
        "rsqrt",
        "sigmoid",
        "expm1",
        "log1p",
        "asinh",
        "acosh",
        "atanh",
        "round",
    ]
)
def complex_numbers(tf, case):
    made = [attempt(getattr(tf, case), tf.constant(COMPLEX, dtype)) for dtype in ("complex64", "complex128")]
    return made, run(tf, made)


@program(cases=UNARY)
def python_values_and_names(tf, case):
    function = getattr(tf, case)
    with tf.name_scope("outer"):
        made = [
            attempt(function, 0.5),
            attempt(function, [0.5, 0.25], name="given"),
            attempt(function, np.float64(0.5)),
            attempt(function, None),
            attempt(function, "a"),
        ]
    return made, run(tf, made)


@program(cases=UNARY)
def shapes(tf, case):
    function = getattr(tf, case)
    return [function(tf.placeholder(tf.float32, shape)) for shape in (None, [], [2, None], [0, 3])]


@program(cases=UNARY)
def empty(tf, case):
    made = getattr(tf, case)(tf.zeros([0, 3]))
    return made, run(tf, [made])


@program(cases={"overflow": [-128, 127], "zero": [0, 1]})
def small_integers_wrap(tf, case):
    x = tf.constant(case, tf.int8)
    made = [abs(x), -x, x + x, x - tf.constant([1, 2], tf.int8), x * x, tf.square(x)]
    return made, run(tf, made)


@program()
def log_sigmoid(tf):
    made = [
        tf.log_sigmoid(tf.constant([-1000.0, -1.0, 0.0, 2.0])),
        tf.log_sigmoid([0.5], name="given"),
        tf.log_sigmoid(tf.placeholder(tf.float32, [None, 2])),
    ]
    return made, run(tf, made[:2])


# ---- complex parts

PARTS = ["real", "imag", "conj", "angle", "abs"]


@program(cases=PARTS)
def parts(tf, case):
    function = getattr(tf, case)
    made = [
        attempt(function, tf.constant(COMPLEX, "complex64")),
        attempt(function, tf.constant(COMPLEX)),
        attempt(function, tf.constant([1.5, -2.0])),
        attempt(function, [1j]),
        attempt(function, [1.0, -1.0]),
        attempt(function, tf.constant([1, 2])),
        attempt(function, tf.constant("a")),
        attempt(function, tf.placeholder(tf.complex64, [None]), name="given"),
    ]
    return made, run(tf, made[:5])


@program()
def make_complex(tf):
    f, d = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0], tf.float64)
    made = [
        tf.complex(f, f),
        tf.complex(d, d, name="c"),
        tf.complex(1.0, 2.0),
        tf.complex(f, 3.0),
        tf.complex(f, [[1.0], [2.0]]),
    ]
    errors = [
        attempt(tf.complex, f, d),
        attempt(tf.complex, tf.constant([1]), tf.constant([1])),
        attempt(tf.complex, f, [1.0, 2.0, 3.0]),
    ]
    return made, errors, run(tf, made)


# ---- special functions

SPECIAL = {
    "lgamma": REALS + [-2.0, -3.5, 10.0, 100.0, 1e10],
    "digamma": REALS + [-2.0, -3.5, 10.0, 100.0, 1e10, 1.4616321449683623],
    "erf": REALS[:-4] + [5.0, -5.0, 0.1, 3.5, nan],
    "erfc": REALS[:-4] + [5.0, -5.0, 0.1, 3.5, 9.0, nan],
}


@program(cases=SPECIAL)
def special(tf, case):
    function = next(getattr(tf, name) for name, values in SPECIAL.items() if values is case)
    made = [function(tf.constant(case, dtype)) for dtype in ("float32", "float64")]
    return made, run(tf, made)


@program(cases=list(SPECIAL))
def special_half_and_names(tf, case):
    function = getattr(tf, case)
    made = [
        function(tf.constant([0.25, 1.5, 3.0], tf.float16)),
        function(0.75),
        function([0.5], name="given"),
        attempt(function, tf.constant(1)),
        function(tf.placeholder(tf.float32, [None, 2])),
    ]
    return made, run(tf, made[:3])


TF_MATH = {
    "erfinv": [-1.0, -0.999, -0.5, -1e-6, 0.0, 1e-6, 0.1, 0.5, 0.9, 0.99999, 1.0, 1.5, nan],
        "ndtri": [0.0, 1e-30, 1e-10, 0.1, 0.25, 0.5, 0.9, 0.99999, 1.0, -1.0, 1.5, nan],
    "erfcinv": [1e-20, 0.1, 0.5, 1.0, 1.5, 1.999], "bessel_i0": [0.0, 0.5, -1.0, 5.0, 8.0, 20.0, nan],
        "bessel_i0e": [0.0, 0.5, -1.0, 5.0, 8.0, 20.0, 700.0], "bessel_i1": [0.0, 0.5, -1.0, 5.0, 8.0, 20.0],
            "bessel_i1e": [0.0, 0.5, -1.0, 5.0, 8.0, 20.0, 700.0],
}  # fmt: skip


@program(cases=list(TF_MATH), tol=(2e-5, 1e-6))
def special_of_tf_math(tf, case):
    function = getattr(tf.math, case)
    made = [function(tf.constant(TF_MATH[case], dtype)) for dtype in ("float32", "float64")] + [
        function([0.5], name="given")
    ]
    return made, run(tf, made)


PAIRS = {
    "igamma": (
        [1.0, 1.0, 0.0, 0.0, -1.0, 2.0, 0.5, 10.0, 100.0, 100.0, 1.0, 2.0, nan, 3.0],
        [0.0, 1.0, 1.0, 0.0, 1.0, -1.0, 0.25, 20.0, 90.0, 110.0, inf, 1e-10, 1.0, 50.0],
    ),
    "igammac": (
        [1.0, 1.0, -1.0, 2.0, 0.5, 10.0, 100.0, 100.0, 1.0, 2.0, nan, 3.0],
        [0.0, 1.0, 1.0, -1.0, 0.25, 20.0, 90.0, 110.0, inf, 1e-10, 1.0, 50.0],
    ),
    "zeta": (
        [1.0, 2.0, 2.0, 0.5, 3.0, 1.5, 2.0, 2.0, 3.0, 2.0, 2.5, 50.0, nan, 2.0],
        [1.0, 1.0, 0.0, 1.0, -1.0, 2.0, -0.5, -1.5, -1.5, 1e10, -1.5, 3.0, 1.0, nan],
    ),
    "polygamma": (
        [0.0, 1.0, 2.0, 3.0, 0.5, -1.0, 1.0, 2.0, 1.0, 1.0, 10.0, nan],
        [1.0, 1.0, 2.5, 0.1, 1.0, 1.0, 0.0, -1.0, -0.5, 1e10, 3.0, 1.0],
    ),
}


@program(cases=list(PAIRS), tol=(2e-5, 1e-7))
def special_pairs(tf, case):
    function = getattr(tf, case)
    first, second = PAIRS[case]
    made = [function(tf.constant(first, dtype), tf.constant(second, dtype)) for dtype in ("float32", "float64")]
    made += [
        function(tf.constant([[2.0], [3.0]]), tf.constant([1.5, 2.5])),
        function(2.0, [1.5], name="given"),
        function(tf.placeholder(tf.float32, [2, 1]), tf.placeholder(tf.float32, [None])),
    ]
    errors = [
        attempt(function, tf.constant(1), tf.constant(1)),
        attempt(function, tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])),
    ]
    return made, errors, run(tf, made[:4])


@program(tol=(2e-5, 1e-7))
def betainc(tf):
    a = [1.0, 2.0, 0.5, 0.0, -1.0, 1.0, 1.0, 30.0, 5.0, nan, 1.0, 1.0, 1e-3, 10.0, 30.0]
    b = [1.0, 3.0, 0.5, 1.0, 1.0, 0.0, 1.0, 20.0, 2.0, 1.0, 1.0, 1.0, 2.0, 0.1, 40.0]
    x = [0.3, 0.5, 0.1, 0.5, 0.5, 0.5, -0.1, 0.5, 1.0, 0.5, 1.5, 0.0, 0.3, 0.99, 0.3]
    made = [tf.betainc(*[tf.constant(part, dtype) for part in (a, b, x)]) for dtype in ("float32", "float64")]
    made += [
        tf.betainc(tf.constant([1.0, 2.0]), 2.0, 0.5),
        tf.betainc(tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None])),
        tf.betainc(tf.placeholder(tf.float32, []), tf.placeholder(tf.float32), tf.placeholder(tf.float32, [])),
        tf.betainc(tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [])),
    ]
    return (
        made,
        attempt(tf.betainc, tf.placeholder(tf.float32, [1]), tf.placeholder(tf.float32, [3]), 0.5),
        run(tf, made[:3]),
    )


@program()
def lbeta(tf):
    made = [
        tf.lbeta(tf.constant([[1.0, 2.0, 3.0], [0.5, 0.5, 1.0]])),
        tf.lbeta([1.0, 2.0], name="given"),
        tf.lbeta(tf.placeholder(tf.float32)),
    ]
    return made, run(tf, made[:2])
