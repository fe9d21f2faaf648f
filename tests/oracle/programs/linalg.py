"""Linear algebra: decompositions, systems, determinants, norms; shapes, batches, singular and empty matrices."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

inf, nan = float("inf"), float("nan")
SQUARE = [[4.0, 1.0, -2.0], [1.0, 3.0, 0.5], [-2.0, 0.5, 5.0]]
GENERAL = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]
TALL = [[1.0, 2.0], [3.0, -4.0], [0.5, 6.0]]
BATCH = [[[2.0, 1.0], [1.0, 3.0]], [[1.0, -1.0], [2.0, 5.0]]]
SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
HERMITIAN = [[2.0, 1 - 1j], [1 + 1j, 3.0]]
NUMBERS = ("float32", "float64")


def run(tf, tensors):
    """The values, one run each, so that one failure hides no other."""
    with tf.Session() as sess:
        return [attempt(sess.run, tensor) if not isinstance(tensor, dict) else None for tensor in tensors]


def unknown(tf, value, dtype="float64"):
    """A tensor whose static shape is not known."""
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


def holder(tf, *shape):
    return tf.placeholder(tf.float64, shape)


# ---- eye


@program(cases=[(3,), (3, 2), (2, 3, [2]), (0,), (2, None, (2, 1))])
def eye(tf, case):
    made = [tf.eye(*case), tf.eye(*case, dtype=tf.int32, name="given"), tf.linalg.eye(*case, dtype=tf.bool)]
    return made, run(tf, made)


@program()
def eye_of_tensors(tf):
    n = tf.placeholder_with_default(2, [])
    batch = tf.constant([2])
    made = [
        tf.eye(n),
        tf.eye(n, 3),
        tf.eye(n, n, dtype=tf.float64),
        tf.eye(3, batch_shape=batch),
        tf.eye(3, n, batch_shape=batch, name="given"),
        tf.eye(2, batch_shape=tf.TensorShape([1, 2])),
        tf.eye(np.int64(2)),
    ]
    return made, run(tf, made)


@program(cases=[(2.5,), (3, 2.5), ("a",), ([3],), (-1,), (3, 3, 3)], messages=[])
def eye_refuses(tf, case):
    return attempt(tf.eye, *case)


# ---- decompositions: signs of vectors are free, so products and absolute values are compared


@program(cases={"square": SQUARE, "tall": TALL, "wide": np.transpose(TALL).tolist(), "batch": BATCH}, tol=2e-5)
def qr(tf, case):
    made = []
    for dtype in NUMBERS:
        for full in (False, True):
            q, r = tf.qr(tf.constant(case, dtype), full_matrices=full)
            made += [tf.abs(q) if not full else tf.matmul(q, q, transpose_a=True), tf.abs(r), tf.matmul(q, r)]
    return made, run(tf, made)


@program(cases={"square": SQUARE, "tall": TALL, "wide": np.transpose(TALL).tolist(), "batch": BATCH}, tol=2e-5)
def svd(tf, case):
    made = []
    for dtype in NUMBERS:
        x = tf.constant(case, dtype)
        s, u, v = tf.svd(x)
        made += [s, tf.abs(u), tf.abs(v), tf.matmul(u * tf.expand_dims(s, -2), v, adjoint_b=True)]
        s, u, v = tf.linalg.svd(x, full_matrices=True, name="full")
        made += [
            s,
            tf.matmul(u, u, adjoint_a=True),
            tf.matmul(v, v, adjoint_a=True),
            tf.svd(x, compute_uv=False, name="values"),
        ]
    return made, run(tf, made)


@program(tol=2e-5)
def complex_decompositions(tf):
    x = tf.constant(HERMITIAN, tf.complex64)
    q, r = tf.qr(x)
    s, u, v = tf.svd(x)
    e, w = tf.self_adjoint_eig(x)
    made = [
        tf.matmul(q, r),
        tf.abs(q),
        s,
        tf.matmul(u, u, adjoint_a=True),
        tf.matmul(v, v, adjoint_a=True),
        e,
        tf.abs(w),
        tf.cholesky(x),
        tf.matrix_inverse(x),
        tf.matrix_determinant(x),
        tf.linalg.slogdet(x),
        tf.linalg.lu(x),
        tf.matrix_solve(x, [[1j], [2.0]], adjoint=True),
        tf.matrix_triangular_solve(x, [[1j], [2.0]], adjoint=True),
        tf.norm(x),
        tf.linalg.adjoint(x),
    ]
    return made, run(tf, made)


@program(cases={"one": SQUARE, "batch": BATCH, "only lower counts": [[1.0, 100.0], [5.0, 1.0]]}, tol=2e-5)
def self_adjoint(tf, case):
    made = []
    for dtype in NUMBERS:
        e, v = tf.self_adjoint_eig(tf.constant(case, dtype))
        made += [
            e,
            tf.abs(v),
            tf.self_adjoint_eigvals(tf.constant(case, dtype), name="values"),
            tf.linalg.eigh(tf.constant(case, dtype), name="given")[0],
            tf.linalg.eigvalsh(tf.constant(case, dtype)),
        ]
    return made, run(tf, made)


@program(tol=2e-5)
def cholesky(tf):
    made = [tf.cholesky(tf.constant(SQUARE, dtype)) for dtype in NUMBERS]
    made += [
        tf.cholesky(SQUARE, name="given"),
        tf.linalg.cholesky([BATCH[0]] * 2),
        tf.cholesky_solve(tf.cholesky(SQUARE), [[1.0], [2.0], [3.0]]),
        tf.linalg.cholesky_solve(tf.cholesky(SQUARE), tf.ones([3, 2]), name="given_solve"),
    ]
    return made, run(tf, made)


@program()
def cholesky_of_indefinite(tf):
    """Not an error: NaN, in the lower triangle; matrices beside it keep their factors."""
    x = tf.constant([[[1.0, 2.0], [2.0, 1.0]], [[4.0, 0.0], [0.0, 9.0]]])
    made = [
        tf.matrix_diag_part(tf.cholesky(x)),
        tf.cholesky(x)[1],
        tf.matrix_diag_part(tf.cholesky(tf.constant([[nan, 1.0], [1.0, 2.0]]))),
    ]
    return made, run(tf, made)


@program(tol=2e-5)
def lu(tf):
    made = [tf.linalg.lu(tf.constant(GENERAL, dtype)) for dtype in NUMBERS]
    made += [
        tf.linalg.lu(BATCH, output_idx_type=tf.int64, name="given"),
        tf.linalg.lu(np.random.RandomState(0).rand(30, 30)),
    ]
    return made, run(tf, made)


@program(tol=2e-5)
def eig_of_any_matrix(tf):
    e = tf.raw_ops.Eig(input=[[5.0, 2.0], [-5.0, 2.0]], Tout=tf.complex64)
    only = tf.raw_ops.Eig(input=tf.constant([[3.0, 0.0], [1.0, 2.0]], tf.float64), Tout=tf.complex128, compute_v=False)
    with tf.Session() as sess:
        return e, only, sess.run([tf.abs(e[0]), tf.abs(e[1])]), np.sort(sess.run(only[0]).real)


# ---- inverses and determinants


@program(cases={"one": GENERAL, "batch": BATCH, "scalar": [[0.25]]}, tol=(1e-4, 1e-5))
def inverse_and_determinant(tf, case):
    made = []
    for dtype in NUMBERS:
        x = tf.constant(case, dtype)
        made += [
            tf.matrix_inverse(x),
            tf.matrix_inverse(x, adjoint=True, name="adjoint"),
            tf.matrix_determinant(x),
            tf.linalg.det(x, name="det"),
            tf.linalg.slogdet(x),
            tf.linalg.inv(x),
        ]
    return made, run(tf, made)


@program(messages=["not invertible"])
def singular_inverse(tf):
    with tf.Session() as sess:
        return sess.run(tf.matrix_inverse(SINGULAR))


@program(messages=["not invertible"])
def singular_solve(tf):
    with tf.Session() as sess:
        return sess.run(tf.matrix_solve(SINGULAR, [[1.0], [2.0]]))


@program(messages=["not invertible"])
def singular_lu(tf):
    with tf.Session() as sess:
        return sess.run(tf.linalg.lu(SINGULAR))


@program()
def special_values(tf):
    x = tf.constant([[inf, 1.0], [1.0, 2.0]])
    bad = tf.constant([[nan, 1.0], [1.0, 2.0]])
    made = [
        tf.matrix_inverse(x),
        tf.matrix_determinant(x),
        tf.matrix_determinant(bad),
        tf.linalg.slogdet(x),
        tf.linalg.slogdet(bad),
        tf.matrix_determinant(SINGULAR),
        tf.linalg.slogdet(SINGULAR),
        tf.matrix_inverse(bad),
        tf.matrix_solve(bad, [[1.0], [1.0]]),
        tf.matrix_solve([[1.0, 1.0], [1.0, 2.0]], [[nan], [1.0]]),
        tf.self_adjoint_eig([[nan, 1.0], [1.0, 1.0]]),
        tf.linalg.lu(bad),
        tf.svd(bad),
    ]
    return made, run(tf, made)


@program()
def half_precision(tf):
    x = tf.constant([[4.0, 1.0], [2.0, 3.0]], tf.float16)
    made = [tf.matrix_inverse(x), tf.abs(tf.qr(x)[0])]
    return made, run(tf, made)


@program(
    cases=["matrix_inverse", "matrix_determinant", "cholesky", "self_adjoint_eig", "svd", "qr", "matrix_square_root"],
    graph=False,
)
def which_types(tf, case):
    function = getattr(tf, case)
    return [
        attempt(function, tf.placeholder(d, [2, 2]))
        for d in ("float16", "bfloat16", "float32", "complex128", "int32", "bool", "string")
    ]


# ---- systems


@program(tol=2e-5)
def solve(tf):
    made = []
    for dtype in NUMBERS:
        a, b = tf.constant(GENERAL, dtype), tf.constant([[1.0, 0.0], [2.0, -1.0], [3.0, 0.5]], dtype)
        made += [
            tf.matrix_solve(a, b),
            tf.matrix_solve(a, b, adjoint=True, name="adjoint"),
            tf.linalg.solve(tf.stack([a, a + 1]), tf.stack([b, b])),
        ]
        made += [
            tf.matrix_triangular_solve(a, b),
            tf.matrix_triangular_solve(a, b, lower=False, name="upper"),
            tf.linalg.triangular_solve(a, b, adjoint=True),
            tf.matrix_triangular_solve(a, b, False, True),
            tf.matrix_triangular_solve(tf.stack([a, a + 1]), b),
        ]
    made += [
        tf.matrix_triangular_solve([[1.0, 0.0], [2.0, 0.0]], [[1.0], [2.0]]),
        tf.matrix_triangular_solve(np.tril(np.random.RandomState(1).rand(40, 40)) + np.eye(40), np.ones((40, 2))),
    ]
    return made, run(tf, made)


@program(
    cases={
        "fast": {},
        "slow": {"fast": False},
        "regularized": {"l2_regularizer": 0.5},
        "slow regularized": {"l2_regularizer": 0.5, "fast": False, "name": "given"},
    },
    tol=2e-4,
)
def least_squares(tf, case):
    made = []
    for dtype in NUMBERS:
        tall, b = tf.constant(TALL, dtype), tf.constant([[1.0], [2.0], [3.0]], dtype)
        made += [
            tf.matrix_solve_ls(tall, b, **case),
            tf.linalg.lstsq(tf.transpose(tall), b[:2], **case),
            tf.matrix_solve_ls(tf.stack([tall, tall]), tf.stack([b, b * 2]), **case),
        ]
    return made, run(tf, made)


@program(tol=2e-4)
def least_squares_of_unknown_shape(tf):
    made = [
        tf.matrix_solve_ls(unknown(tf, TALL, "float32"), [[1.0], [2.0], [3.0]], l2_regularizer=0.5),
        tf.matrix_solve_ls(unknown(tf, np.transpose(TALL), "float32"), [[1.0], [2.0]], name="wide"),
        tf.matrix_solve_ls(TALL, [[1.0], [2.0], [3.0]], tf.constant(0.25)),
        tf.matrix_solve_ls(tf.placeholder_with_default([TALL], [None, 3, 2]), [[[1.0], [2.0], [3.0]]]),
    ]
    return made, run(tf, made)


@program()
def least_squares_by_one_node(tf):
    """Without full rank; and the kernel that solves the normal equations."""
    same = [[5.0, 2.0]] * 3
    made = [
        tf.matrix_solve_ls(same, [[1.0], [2.0], [3.0]], fast=False),
        tf.raw_ops.MatrixSolveLs(matrix=TALL, rhs=[[1.0], [2.0], [3.0]], l2_regularizer=0.5, fast=True),
        tf.matrix_solve_ls(tf.zeros([3, 0]), tf.ones([3, 2]), fast=False),
        tf.matrix_solve_ls(tf.zeros([70000, 2, 1]), tf.ones([70000, 2, 1]))[0],
    ]
    refused = attempt(
        tf.matrix_solve_ls, tf.constant(TALL, tf.complex128), tf.constant([[1.0]] * 3, tf.complex128), 0.5
    )
    return made[:-1], refused, run(tf, made[:-1])


# ---- shapes


@program()
def static_shapes(tf):
    p = lambda *shape: holder(tf, *shape)
    some, none = p(2, None, 4), tf.placeholder(tf.float64)
    made = [
        tf.matrix_inverse(some),
        tf.matrix_inverse(none),
        tf.matrix_determinant(some),
        tf.linalg.slogdet(some),
        tf.cholesky(some),
        tf.cholesky(none),
        tf.self_adjoint_eig(some),
        tf.self_adjoint_eig(none),
        tf.self_adjoint_eigvals(some),
        tf.linalg.lu(some),
        tf.linalg.lu(none),
        tf.matrix_square_root(some),
        tf.linalg.logm(tf.cast(some, tf.complex64)),
    ]
    made += [
        tf.qr(some),
        tf.qr(some, full_matrices=True),
        tf.qr(none),
        tf.svd(some),
        tf.svd(some, full_matrices=True),
        tf.svd(some, compute_uv=False),
        tf.svd(none),
        tf.svd(none, compute_uv=False),
        tf.svd(p(2, None, 0)),
        tf.raw_ops.Svd(input=some, compute_uv=False),
    ]
    made += [
        tf.matrix_solve(p(2, None, None), p(None, 3, 1)),
        tf.matrix_solve(p(2, None, None), none),
        tf.matrix_solve(none, p(3, 1)),
        tf.matrix_solve(none, none),
        tf.matrix_solve_ls(p(2, None, 4), p(2, 3, 1), fast=False),
        tf.matrix_triangular_solve(p(None, 3, None), p(2, None, 1)),
        tf.matrix_triangular_solve(p(None, None), p(2, None, 1)),
        tf.matrix_triangular_solve(p(None, None), none),
        tf.cholesky_solve(some, p(None, 4, 1)),
    ]
    return made


@program(
    cases={
        "inverse": lambda tf, p: tf.matrix_inverse(p(2, 3)),
        "inverse rank": lambda tf, p: tf.matrix_inverse(p(2)),
        "determinant": lambda tf, p: tf.matrix_determinant(p(2, 3)),
        "cholesky": lambda tf, p: tf.cholesky(p(4, 2, 3)),
        "eigh": lambda tf, p: tf.self_adjoint_eig(p(2, 3)),
        "qr": lambda tf, p: tf.qr(p(2)),
        "svd": lambda tf, p: tf.svd(p()),
        "lu": lambda tf, p: tf.linalg.lu(p(2, 3)),
        "slogdet": lambda tf, p: tf.linalg.slogdet(p(2)),
        "sqrt": lambda tf, p: tf.matrix_square_root(p(3, 2)),
        "solve": lambda tf, p: tf.matrix_solve(p(2, 2), p(3, 1)),
        "solve square": lambda tf, p: tf.matrix_solve(p(2, 3), p(2, 1)),
        "solve batch": lambda tf, p: tf.matrix_solve(p(2, 3, 3), p(4, 3, 1)),
        "solve rank": lambda tf, p: tf.matrix_solve(p(2, 3, 3), p(3, 1)),
        "solve vector": lambda tf, p: tf.matrix_solve(p(3, 3), p(3)),
        "triangular": lambda tf, p: tf.matrix_triangular_solve(p(3, 3), p(2, 1)),
        "triangular square": lambda tf, p: tf.matrix_triangular_solve(p(2, 3), p(2, 1)),
        "triangular batch": lambda tf, p: tf.matrix_triangular_solve(p(5, 3, 3), p(2, 3, 1)),
        "triangular rank": lambda tf, p: tf.matrix_triangular_solve(p(3), p(3, 1)),
        "ls": lambda tf, p: tf.matrix_solve_ls(p(4, 3), p(3, 1), fast=False),
        "ls scalar": lambda tf, p: tf.matrix_solve_ls(p(4, 3), p(4, 1), p(2), fast=False),
    }
)
def static_errors(tf, case):
    return attempt(case, tf, lambda *shape: holder(tf, *shape))


@program(
    cases={
        "inverse": lambda tf, u: tf.matrix_inverse(u(TALL)),
        "inverse rank": lambda tf, u: tf.matrix_inverse(u([1.0])),
        "determinant": lambda tf, u: tf.matrix_determinant(u(TALL)),
        "cholesky": lambda tf, u: tf.cholesky(u(TALL)),
        "cholesky rank": lambda tf, u: tf.cholesky(u([1.0])),
        "eigh": lambda tf, u: tf.self_adjoint_eigvals(u(TALL)),
        "qr": lambda tf, u: tf.qr(u([1.0]))[0],
        "svd": lambda tf, u: tf.svd(u([1.0]))[0],
        "lu": lambda tf, u: tf.linalg.lu(u(TALL))[0],
        "lu rank": lambda tf, u: tf.linalg.lu(u([1.0]))[0],
        "slogdet": lambda tf, u: tf.linalg.slogdet(u([1.0]))[0],
        "solve": lambda tf, u: tf.matrix_solve(u(SQUARE), u(SINGULAR)),
        "solve square": lambda tf, u: tf.matrix_solve(u(TALL), u(TALL)),
        "solve rank": lambda tf, u: tf.matrix_solve(u([SQUARE]), u(SQUARE)),
        "solve batch": lambda tf, u: tf.matrix_solve(u([SQUARE] * 2), u([SQUARE] * 3)),
        "triangular": lambda tf, u: tf.matrix_triangular_solve(u(SQUARE), u(SINGULAR)),
        "triangular square": lambda tf, u: tf.matrix_triangular_solve(u(TALL), u(TALL)),
        "triangular rank": lambda tf, u: tf.matrix_triangular_solve(u(SQUARE), u([1.0, 2.0, 3.0])),
        "triangular batch": lambda tf, u: tf.matrix_triangular_solve(u([SQUARE] * 2), u([SQUARE] * 3)),
        "ls": lambda tf, u: tf.matrix_solve_ls(u(TALL), u(SINGULAR), fast=False),
    }
)
def runtime_errors(tf, case):
    with tf.Session() as sess:
        return sess.run(case(tf, lambda value: unknown(tf, value)))


@program()
def empty(tf):
    z = lambda *shape: tf.zeros(shape, tf.float64)
    made = [
        tf.matrix_inverse(z(2, 0, 0)),
        tf.matrix_inverse(z(0, 2, 2)),
        tf.matrix_determinant(z(2, 0, 0)),
        tf.matrix_determinant(z(0, 2, 2)),
        tf.linalg.slogdet(z(2, 0, 0)),
        tf.cholesky(z(2, 0, 0)),
        tf.cholesky(z(0, 2, 2)),
        tf.qr(z(2, 0, 3)),
        tf.qr(z(2, 3, 0)),
        tf.qr(z(2, 3, 0), full_matrices=True),
        tf.svd(z(2, 0, 3)),
        tf.svd(z(2, 0, 3), full_matrices=True),
        tf.svd(z(2, 3, 0), compute_uv=False),
        tf.self_adjoint_eig(z(2, 0, 0)),
        tf.linalg.lu(z(2, 0, 0)),
        tf.matrix_solve(z(0, 0), z(0, 3)),
        tf.matrix_solve(z(2, 2), z(2, 0)),
        tf.matrix_triangular_solve(z(0, 0), z(0, 3)),
        tf.matrix_square_root(z(2, 0, 0)),
    ]
    return made, run(tf, made)


# ---- norms and what else is composed

NORMS = {
    "all": {},
    "axis": {"axis": 1},
    "negative axis": {"axis": -2, "keepdims": True},
    "one": {"ord": 1},
    "one axis": {"ord": 1, "axis": 0},
    "two": {"ord": 2, "axis": 0},
    "infinity": {"ord": inf},
    "infinity axis": {"ord": inf, "axis": 1, "keepdims": True},
    "three": {"ord": 3, "axis": 1},
    "half": {"ord": 0.5},
    "fro": {"ord": "fro", "axis": [0, 1]},
    "matrix one": {"ord": 1, "axis": (0, 1)},
    "matrix infinity": {"ord": inf, "axis": [-2, -1], "keep_dims": True},
    "euclidean matrix": {"axis": (1, 0), "name": "given"},
    "keep_dims": {"keep_dims": True},
}


@program(cases=NORMS, tol=2e-5)
def norm(tf, case):
    made = [tf.norm(tf.constant(TALL, dtype), **case) for dtype in (*NUMBERS, "complex64")] + [
        tf.linalg.norm(TALL, **case)
    ]
    return made, run(tf, made)


@program(
    cases=[
        {"ord": -1},
        {"ord": 0},
        {"ord": "fro"},
        {"ord": "nuc"},
        {"axis": (0, 0)},
        {"axis": (0, 1), "ord": 3},
        {"axis": (0, 1, 2)},
        {"axis": 1.5},
        {"axis": (0, "a")},
        {"keepdims": True, "keep_dims": True},
    ]
)
def norm_refuses(tf, case):
    return attempt(tf.norm, TALL, **case)


@program(tol=2e-4)
def composed(tf):
    x = tf.placeholder_with_default(TALL, [None, 2])
    made = [
        tf.linalg.pinv(TALL),
        tf.linalg.pinv(x, name="given"),
        tf.linalg.pinv(tf.constant(SINGULAR, tf.float64)),
        tf.linalg.pinv(SINGULAR, rcond=1e-3),
        tf.linalg.matrix_rank(TALL),
        tf.linalg.matrix_rank(SINGULAR, name="rank"),
        tf.linalg.matrix_rank(x),
        tf.linalg.matrix_rank([SINGULAR, BATCH[0]], tol=0.1),
        tf.linalg.logdet(SQUARE),
        tf.linalg.logdet([SQUARE, SQUARE], name="log"),
        tf.linalg.adjoint(TALL),
        tf.linalg.normalize(TALL),
        tf.linalg.normalize(TALL, axis=1, ord=1, name="n"),
        tf.linalg.normalize(tf.constant(TALL, tf.complex64)),
    ]
    return made, run(tf, made)


@program(
    cases={
        "pinv ints": lambda tf: tf.linalg.pinv([[1, 2], [3, 4]]),
        "pinv vector": lambda tf: tf.linalg.pinv([1.0, 2.0]),
        "rank vector": lambda tf: tf.linalg.matrix_rank([1.0]),
        "adjoint vector": lambda tf: tf.linalg.adjoint([1.0]),
    }
)
def composed_refuse(tf, case):
    return attempt(case, tf)


@program(
    cases={
        "one": SQUARE,
        "few eigenvectors": [[1.0, 1.0], [0.0, 1.0]],
        "rotation": [[0.0, 1.0], [-1.0, 0.0]],
        "singular": SINGULAR,
        "no real root": [[-1.0, 0.0], [0.0, -1.0]],
        "general": GENERAL,
        "batch": BATCH,
    },
    tol=2e-4,
)
def square_root(tf, case):
    made = [tf.matrix_square_root(tf.constant(case, dtype)) for dtype in ("float64", "complex64", "complex128")] + [
        tf.linalg.sqrtm(case, name="given")
    ]
    return made, run(tf, made)


@program(
    cases={
        "one": SQUARE,
        "few eigenvectors": [[1.0, 1.0], [0.0, 1.0]],
        "rotation": [[0.0, 1.0], [-1.0, 0.0]],
        "general": GENERAL,
        "batch": BATCH,
    },
    tol=2e-4,
)
def logarithm(tf, case):
    made = [tf.linalg.logm(tf.constant(case, dtype)) for dtype in ("complex64", "complex128")] + [
        tf.linalg.logm(np.array(case, np.complex64), name="given")
    ]
    return made, run(tf, made)


@program()
def names_of_the_namespace(tf):
    names = [
        "adjoint",
        "band_part",
        "cholesky",
        "cholesky_solve",
        "cross",
        "det",
        "diag",
        "diag_part",
        "eigh",
        "eigvalsh",
        "einsum",
        "eye",
        "global_norm",
        "inv",
        "logdet",
        "logm",
        "lstsq",
        "lu",
        "matmul",
        "matrix_rank",
        "matrix_transpose",
        "matvec",
        "norm",
        "normalize",
        "pinv",
        "qr",
        "set_diag",
        "slogdet",
        "solve",
        "sqrtm",
        "svd",
        "tensor_diag",
        "tensor_diag_part",
        "tensordot",
        "trace",
        "transpose",
        "triangular_solve",
    ]
    return (
        [name for name in names if not callable(getattr(tf.linalg, name))],
        tf.linalg.band_part([[1.0, 2.0], [3.0, 4.0]], 0, -1),
        tf.linalg.diag([1.0]),
        tf.linalg.set_diag([[1.0]], [2.0]),
        tf.linalg.transpose([[1.0, 2.0]]),
        tf.linalg.trace([[1.0]]),
    )
