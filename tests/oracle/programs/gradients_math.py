"""Gradients of special functions, complex numbers and what else is neither a matrix nor a network, to second order."""

import numpy as np

from tests.oracle import attempt, program

SHAPES = {"known": [2, 3], "rows": [None, 3], "unknown": None}
X = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]])
POSITIVE = np.array([[0.5, 1.25, 2.0], [1.5, 0.75, 0.25]])
ROW = np.array([1.5, 0.75, 2.5])
C = np.array([[1.0 + 2.0j, -0.5 + 0.25j, 2.0 - 1.0j], [0.75j, -1.5, 0.5 - 2.0j]])


def run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        return sess.run(fetches, feeds)


def placed(tf, values, shapes, dtype):
    """Placeholders for the values, and what to feed."""
    xs = [tf.placeholder(dtype, shape, name=f"x{i}") for i, shape in enumerate(shapes)]
    return xs, dict(zip(xs, values))


def seconds(tf, y, xs):
    """First gradients of y, and those of their weighted sum."""
    first = [g for g in tf.gradients(y, xs) if g is not None]
    return first, tf.gradients([g * float(i + 1) for i, g in enumerate(first)], xs)


UNARY = {
    "bessel_i0": X,
    "bessel_i0e": X,
    "bessel_i1": X,
    "bessel_i1e": X,
    "digamma": POSITIVE,
    "lgamma": POSITIVE,
    "erfinv": X / 4,
    "ndtri": POSITIVE / 4,
    "erfcinv": POSITIVE / 2,
    "reciprocal_no_nan": X,
}


@program(cases={f"{n}-{s}": (n, shape) for n in UNARY for s, shape in SHAPES.items()}, tol=1e-5)
def unary(tf, case):
    name, shape = case
    xs, feeds = placed(tf, [UNARY[name]], [shape], tf.float32)
    return run(tf, tf.gradients(getattr(tf.math, name)(*xs), xs), feeds)


@program(cases=list(UNARY), tol=1e-10)
def unary_twice(tf, case):
    xs, feeds = placed(tf, [UNARY[case]], [[2, 3]], tf.float64)
    return run(tf, seconds(tf, getattr(tf.math, case)(*xs), xs), feeds)


@program(cases=["bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"], tol=1e-6)
def bessel_at_zero(tf, case):
    x = tf.constant([0.0, -0.0])
    return run(tf, tf.gradients(getattr(tf.math, case)(x), x))


PAIRS = {"same": ([2, 3], [2, 3]), "row": ([2, 3], [3]), "unknown": (None, None), "rows": ([None, 3], [2, 3])}
BINARY = {
    "Atan2": (X, ROW),
    "Xlogy": (np.array([[0.0, -1.0, 2.0], [0.0, 0.5, 1.0]]), ROW),
    "Xdivy": (np.array([[0.0, -1.0, 2.0], [0.0, 0.5, 1.0]]), ROW),
    "Xlog1py": (np.array([[0.0, -1.0, 2.0], [0.0, 0.5, 1.0]]), ROW),
    "Igamma": (POSITIVE * 2, ROW),
    "Igammac": (POSITIVE * 2, ROW),
    "Zeta": (POSITIVE + 1.25, ROW),
    "Polygamma": (np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 4.0]]), ROW),
    "NextAfter": (X, ROW),
    "TruncateDiv": (X, ROW),
    "FloorDiv": (X, ROW),
    "FloorMod": (X, ROW),
}
FIRST = {"NextAfter": "x1", "Igamma": "a", "Igammac": "a", "Polygamma": "a", "Atan2": "y"}
SECOND = {"NextAfter": "x2", "Igamma": "x", "Igammac": "x", "Polygamma": "x", "Atan2": "x", "Zeta": "q"}


def pair(tf, name, xs):
    return getattr(tf.raw_ops, name)(**{FIRST.get(name, "x"): xs[0], SECOND.get(name, "y"): xs[1]})


@program(cases={f"{n}-{s}": (n, s) for n in BINARY for s in PAIRS}, tol=1e-5)
def binary(tf, case):
    name, form = case
    first, second = BINARY[name]
    if form != "row":
        second = np.stack([second, second + 0.5])
    xs, feeds = placed(tf, [first, second], PAIRS[form], tf.float32)
    return run(tf, [g for g in tf.gradients(pair(tf, name, xs), xs) if g is not None], feeds)


@program(cases=["Atan2", "Xlogy", "Xdivy", "Xlog1py", "Zeta", "Polygamma", "NextAfter", "FloorMod"], tol=1e-10)
def binary_twice(tf, case):
    xs, feeds = placed(tf, BINARY[case], [[2, 3], [3]], tf.float64)
    first, second = seconds(tf, pair(tf, case, xs), xs)
    return run(tf, [first, [g for g in second if g is not None]], feeds)


@program(cases=["Igamma", "Igammac"], tol=1e-10)
def incomplete_gamma_in_x_twice(tf, case):
    xs, feeds = placed(tf, BINARY[case], [[2, 3], [3]], tf.float64)
    dx = tf.gradients(pair(tf, case, xs), xs[1])[0]
    return run(tf, tf.gradients(dx, xs[1]), feeds)


@program(cases=["IgammaGradA", "RandomGammaGrad"], tol=1e-9)
def slopes_in_the_parameter(tf, case):
    a = np.array([1e-3, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0, 0.0, -1.0, 1.0, 1.0, 1.0, np.inf, np.nan])
    x = np.array([1.0, 0.5, 0.5, 2.0, 1.0, 8.0, 21.0, 90.0, 1.0, 1.0, 0.0, -1.0, np.inf, 1.0, 1.0])
    names = ("a", "x") if case == "IgammaGradA" else ("alpha", "sample")
    return run(tf, getattr(tf.raw_ops, case)(**dict(zip(names, (a, x)))))


@program(cases={"same": ([2], [2], [2]), "scalar": ([2], [], [2]), "unknown": (None, None, None)}, tol=1e-5)
def betainc(tf, case):
    values = [np.array([0.5, 2.0]), np.array([1.5, 3.0]) if case[1] != [] else 1.5, np.array([0.25, 0.75])]
    xs, feeds = placed(tf, values, case, tf.float32)
    return run(tf, tf.gradients(tf.betainc(*xs), xs[2]), feeds)


@program(tol=1e-10)
def betainc_twice(tf):
    xs, feeds = placed(tf, [[0.5, 2.0], [1.5, 3.0], [0.25, 0.75]], [[2]] * 3, tf.float64)
    first, second = seconds(tf, tf.betainc(*xs), xs)
    return run(tf, [first, second], feeds)


NONE_AGAIN = {
    "igamma": lambda tf, x: tf.gradients(tf.gradients(tf.igamma(x, 1.0), x), x),
    "mod": lambda tf, x: tf.gradients(tf.raw_ops.Mod(x=x, y=x), x),
    "truncate_mod": lambda tf, x: tf.gradients(tf.truncatemod(x, x), x),
    "bincount": lambda tf, x: tf.gradients(tf.raw_ops.Bincount(arr=[0, 1], size=2, weights=x), x),
    "is_nan": lambda tf, x: tf.gradients(tf.cast(tf.is_nan(x), tf.float32), x),
    "argmax": lambda tf, x: tf.gradients(tf.cast(tf.argmax(x), tf.float32), x),
    "floor": lambda tf, x: tf.gradients([tf.floor(x), tf.ceil(x), tf.round(x), tf.rint(x)], x),
    "greater": lambda tf, x: tf.gradients(tf.cast(x > 0.0, tf.float32), x),
    "bucketize": lambda tf, x: tf.gradients(tf.cast(tf.raw_ops.Bucketize(input=x, boundaries=[0.0]), tf.float32), x),
    "histogram": lambda tf, x: tf.gradients(tf.cast(tf.histogram_fixed_width(x, [0.0, 1.0]), tf.float32), x),
}


@program(cases=list(NONE_AGAIN))
def nothing_or_refused(tf, case):
    x = tf.placeholder(tf.float32, [2])
    return attempt(NONE_AGAIN[case], tf, x)


# -- complex numbers ----------------------------------------------------------------------------------------------

COMPLEX = {
    "real": lambda tf, z: tf.real(z),
    "imag": lambda tf, z: tf.imag(z),
    "conj": lambda tf, z: tf.real(tf.conj(z)) + tf.imag(tf.conj(z)),
    "angle": lambda tf, z: tf.angle(z),
    "abs": lambda tf, z: tf.abs(z),
    "square": lambda tf, z: tf.abs(z * z),
    "exp": lambda tf, z: tf.real(tf.exp(z)),
    "divide": lambda tf, z: tf.imag(z / tf.conj(z)),
    "cast": lambda tf, z: tf.real(tf.cast(tf.cast(z, tf.complex128), tf.complex64)),
    "norm": lambda tf, z: tf.real(tf.math.reduce_euclidean_norm(z, 1)),
}


@program(cases={f"{n}-{s}": (n, SHAPES[s]) for n in COMPLEX for s in ("known", "unknown")}, tol=1e-5)
def complex_numbers(tf, case):
    xs, feeds = placed(tf, [C], [case[1]], tf.complex64)
    return run(tf, tf.gradients(COMPLEX[case[0]](tf, *xs), xs), feeds)


@program(cases=["angle", "abs", "square", "exp", "divide"], tol=1e-9)
def complex_twice(tf, case):
    z = tf.placeholder(tf.complex128, [2, 3])
    (first,) = tf.gradients(COMPLEX[case](tf, z), z)
    second = tf.gradients(tf.real(first) + 2.0 * tf.imag(first), z)
    return run(tf, [first, second], {z: C})


@program(cases=["sqrt", "rsqrt", "reciprocal", "tanh", "sigmoid", "divide_no_nan", "prod", "cumprod"], tol=1e-9)
def complex_functions_twice(tf, case):
    """Gradients that start from what the function gives."""
    z = tf.placeholder(tf.complex128, [None, 3])
    functions = {
        "divide_no_nan": lambda z: tf.math.divide_no_nan(z, z + 1.0),
        "prod": lambda z: tf.reduce_prod(z, 1),
        "cumprod": lambda z: tf.cumprod(z, 1),
    }
    y = functions[case](z) if case in functions else getattr(tf, case)(z)
    first = tf.gradients(y, z, grad_ys=y)
    return run(tf, [first, tf.gradients(first, z, grad_ys=first)], {z: C})


@program(tol=1e-6)
def complex_at_zero(tf):
    z = tf.constant([0.0 + 0.0j, 1.0 + 0.0j], tf.complex64)
    return run(tf, tf.gradients(tf.abs(z), z))


@program(cases={"same": ([2, 3], [2, 3]), "row": ([2, 3], [3]), "unknown": (None, None)}, tol=1e-5)
def from_parts(tf, case):
    xs, feeds = placed(tf, [X, ROW if case[1] == [3] else POSITIVE], case, tf.float32)
    z = tf.complex(*xs)
    return run(tf, tf.gradients(tf.abs(z * z), xs), feeds)


@program(tol=1e-5)
def cast_to_real(tf):
    z = tf.placeholder(tf.complex64, [2, 3])
    x = tf.placeholder(tf.float32, [2, 3])
    up = tf.gradients(tf.abs(tf.cast(x, tf.complex64) * z), [x, z])
    return run(tf, up, {z: C, x: X})


# -- bounds, products, reductions -----------------------------------------------------------------------------------

CLIPS = {"scalars": ([2, 3], [], []), "same": ([2, 3], [2, 3], [2, 3]), "unknown": (None, None, None)}


@program(cases=list(CLIPS), tol=1e-6)
def clip_by_value(tf, case):
    bounds = [np.array(-0.75), np.array(1.0)]
    if case == "same":
        bounds = [np.full((2, 3), bound) for bound in bounds]
    xs, feeds = placed(tf, [X, bounds[0], bounds[1]], CLIPS[case], tf.float32)
    y = tf.raw_ops.ClipByValue(t=xs[0], clip_value_min=xs[1], clip_value_max=xs[2])
    first = tf.gradients(y * y, xs)
    return run(tf, [first, tf.gradients(first[0], xs[0])], feeds)


@program(cases=[[2, 3], [None, 3], None], tol=1e-6)
def cross(tf, case):
    xs, feeds = placed(tf, [X, POSITIVE], [case, case], tf.float32)
    return run(tf, seconds(tf, tf.square(tf.cross(*xs)), xs), feeds)


NORMS = {"last": (1, False), "kept": (1, True), "first": ([0], False), "all": (None, False), "both": ([0, 1], True)}


@program(cases={f"{n}-{s}": (n, SHAPES[s]) for n in NORMS for s in SHAPES}, tol=1e-5)
def euclidean_norm(tf, case):
    axis, keep = NORMS[case[0]]
    xs, feeds = placed(tf, [X], [case[1]], tf.float32)
    y = tf.math.reduce_euclidean_norm(xs[0], axis, keepdims=keep)
    return run(tf, seconds(tf, y, xs), feeds)


@program(cases=[(e, r) for e in (False, True) for r in (False, True)], tol=1e-5)
def cumulative_logsumexp(tf, case):
    exclusive, reverse = case
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.math.cumulative_logsumexp(x, 1, exclusive=exclusive, reverse=reverse)
    weights = tf.constant([[1.0, -2.0, 0.0], [0.5, 3.0, -1.0]])
    return run(tf, tf.gradients(y, x, grad_ys=weights), {x: X})


@program(tol=1e-9)
def cumulative_logsumexp_twice(tf):
    x = tf.placeholder(tf.float64, [2, 3])
    y = tf.square(tf.math.cumulative_logsumexp(x, 1))
    return run(tf, seconds(tf, y, [x]), {x: X})


@program(cases=[(e, r) for e in (False, True) for r in (False, True)], tol=1e-9)
def cumprod_twice(tf, case):
    x = tf.placeholder(tf.float64, [2, 3])
    y = tf.cumprod(x, 1, exclusive=case[0], reverse=case[1])
    return run(tf, seconds(tf, y, [x]), {x: X})


# -- samples ----------------------------------------------------------------------------------------------------------


@program(cases={"known": ([3], [3]), "scalar": ([], [3]), "unknown": (None, None)}, random=True)
def gamma_samples(tf, case):
    xs, feeds = placed(tf, [ROW if case[0] != [] else 1.5, ROW], case, tf.float32)
    y = tf.random.gamma([2], xs[0], xs[1], seed=3)
    return run(tf, tf.gradients(y, xs), feeds)


@program(cases={"known": ([3], [3]), "unknown": (None, None)}, tol=1e-5)
def stateless_gamma_samples(tf, case):
    xs, feeds = placed(tf, [ROW, ROW + 0.5], case, tf.float32)
    y = tf.random.stateless_gamma([2, 3], [1, 2], xs[0], xs[1])
    return run(tf, tf.gradients(y, xs), feeds)


@program(random=True)
def beta_and_dirichlet_by_gamma(tf):
    """As programs write them: samples of both are quotients of gamma samples."""
    a = tf.placeholder(tf.float32, [3])
    parts = tf.random.gamma([4], a, seed=1)
    return run(tf, tf.gradients(parts / tf.reduce_sum(parts, 1, keepdims=True), a), {a: ROW})


@program(tol=1e-6)
def references(tf):
    v = tf.Variable([1.0, 2.0], use_resource=False)
    y = tf.raw_ops.RefIdentity(input=v._ref())
    grad = tf.gradients(y * y, v)
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(grad)


@program(cases=["float16", "float64"], tol=2e-2)
def types(tf, case):
    x = tf.placeholder(case, [2])
    first = tf.gradients([tf.math.xlogy(x, x), tf.lgamma(x), tf.math.atan2(x, x)], x)
    # of the cast, lest the precision of a half be compared
    return run(tf, [tf.cast(first[0], tf.float32)], {x: [0.5, 2.0]})
