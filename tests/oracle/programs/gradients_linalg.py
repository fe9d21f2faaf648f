"""Gradients of decompositions, of systems of equations and of matrix products."""

import numpy as np

from tests.oracle import attempt, program

SQUARE = np.array([[4.0, 1.0, -2.0], [1.0, 3.0, 0.5], [-2.0, 0.5, 5.0]])
GENERAL = np.array([[2.0, 1.0, -0.5], [0.25, 3.0, 1.0], [-1.0, 0.5, 4.0]])
TALL = np.array([[1.0, 2.0], [3.0, -4.0], [0.5, 6.0]])
RHS = np.array([[1.0, 0.0], [2.0, -1.0], [3.0, 0.5]])
COMPLEX = np.array([[3.0, 1 - 1j], [1 + 1j, 4.0]])


def run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        return sess.run(fetches, feeds)


def differentiate(tf, function, value, shape, again=False):
    """The gradient of the squared result, or that gradient's own."""
    value = np.asarray(value)
    x = tf.placeholder(value.dtype, shape, name="x")
    ys = function(tf, x)
    ys = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    grads = tf.gradients(ys, x, grad_ys=ys)
    if again:
        grads = tf.gradients(grads, x, grad_ys=[tf.cos(x)], name="again")
    return run(tf, grads, {x: value})


def batch(value):
    return np.stack([value, value + np.eye(len(value))])


def squared(values):
    """Vectors that are determined but for their signs, without signs."""
    return [values[0]] + [v * v for v in values[1:]]


CASES = {
    "cholesky": (lambda tf, x: tf.cholesky(x), SQUARE, [3, 3]),
    "cholesky_batch": (lambda tf, x: tf.cholesky(x), batch(SQUARE), [None, 3, 3]),
    "cholesky_unknown": (lambda tf, x: tf.cholesky(x), SQUARE, None),
    "eigenvalues": (lambda tf, x: tf.self_adjoint_eigvals(x), SQUARE, [3, 3]),
    "eigenvalues_batch": (lambda tf, x: tf.self_adjoint_eigvals(x), batch(SQUARE), [None, 3, 3]),
    "eigenvectors": (lambda tf, x: squared(tf.self_adjoint_eig(x)), SQUARE, [3, 3]),
    "eigenvectors_unknown": (lambda tf, x: squared(tf.self_adjoint_eig(x)), batch(SQUARE), None),
    "qr": (lambda tf, x: tf.qr(x), GENERAL, [3, 3]),
    "qr_batch": (lambda tf, x: tf.qr(x), batch(GENERAL), [None, 3, 3]),
    "qr_tall": (lambda tf, x: tf.qr(x), TALL, [3, 2]),
    "qr_wide": (lambda tf, x: tf.qr(x), TALL.T, [2, 3]),
    "qr_full": (lambda tf, x: tf.qr(x, full_matrices=True), TALL.T, [2, 3]),
    "svd": (lambda tf, x: squared(tf.svd(x)), GENERAL, [3, 3]),
    "svd_batch": (lambda tf, x: squared(tf.svd(x)), batch(GENERAL), [None, 3, 3]),
    "svd_tall": (lambda tf, x: squared(tf.svd(x)), TALL, [3, 2]),
    "svd_wide": (lambda tf, x: squared(tf.svd(x)), TALL.T, [2, 3]),
    "svd_full_tall": (lambda tf, x: squared(tf.svd(x, full_matrices=True)), TALL, [3, 2]),
    "svd_full_wide": (lambda tf, x: squared(tf.svd(x, full_matrices=True)), TALL.T, [2, 3]),
    "singular_values": (lambda tf, x: tf.svd(x, compute_uv=False), GENERAL, [3, 3]),
    "singular_values_unknown": (lambda tf, x: tf.svd(x, compute_uv=False), TALL, [None, None]),
    "square_root": (lambda tf, x: tf.linalg.sqrtm(x), SQUARE, [3, 3]),
    "square_root_batch": (lambda tf, x: tf.linalg.sqrtm(x), batch(SQUARE), [None, 3, 3]),
    "inverse": (lambda tf, x: tf.matrix_inverse(x), GENERAL, [3, 3]),
    "inverse_adjoint": (lambda tf, x: tf.matrix_inverse(x, adjoint=True), batch(GENERAL), None),
    "determinant": (lambda tf, x: tf.matrix_determinant(x), batch(GENERAL), [None, 3, 3]),
    "log_determinant": (lambda tf, x: tf.linalg.slogdet(x), batch(GENERAL), [2, 3, 3]),
    "trace": (lambda tf, x: tf.trace(x), batch(GENERAL), [None, 3, 3]),
    "norm": (lambda tf, x: tf.norm(x, axis=1), GENERAL, [3, None]),
    "global_norm": (lambda tf, x: tf.global_norm([x, 2 * x]), GENERAL, [3, 3]),
    "band_part": (lambda tf, x: tf.matrix_band_part(x, 1, 0), batch(GENERAL), None),
    "diag": (lambda tf, x: tf.matrix_diag(x), GENERAL, [3, 3]),
    "diag_part": (lambda tf, x: tf.matrix_diag_part(x), GENERAL, [3, 3]),
    "diag_part_band": (lambda tf, x: tf.matrix_diag_part(x, k=(-1, 1), padding_value=7.0), GENERAL, [3, 3]),
    "diag_of_part": (lambda tf, x: tf.diag(tf.diag_part(x)), GENERAL, [3, 3]),
    "set_diag": (lambda tf, x: tf.matrix_set_diag(x, x[0]), GENERAL, [3, 3]),
    "set_diag_unknown": (lambda tf, x: tf.matrix_set_diag(x, x[0]), GENERAL, None),
    "set_diag_band": (lambda tf, x: tf.matrix_set_diag(x, x[:2], k=(0, 1)), GENERAL, [3, 3]),
}


@program(cases=CASES, tol=1e-8)
def one(tf, case):
    return differentiate(tf, *case)


@program(cases={name: case for name, case in CASES.items() if case[1].dtype == np.float64}, tol=1e-7, graph=False)
def one_again(tf, case):
    """Second gradients: their values."""
    return differentiate(tf, *case, again=True)


@program(tol=1e-5)
def cholesky_of_single_precision(tf):
    return differentiate(tf, lambda tf, x: tf.cholesky(x), SQUARE.astype(np.float32), [3, 3])


@program(cases={"cholesky": "cholesky", "qr": "qr"}, tol=1e-8)
def complex_factors(tf, case):
    x = tf.placeholder(tf.complex128, [2, 2])
    ys = getattr(tf, case)(x)
    ys = list(ys) if isinstance(ys, tuple) else [ys]
    return run(tf, tf.gradients(ys, x, grad_ys=[(1.5 - 0.5j) * tf.ones_like(y) for y in ys]), {x: COMPLEX})


@program(tol=1e-8)
def complex_singular_values(tf):
    x = tf.placeholder(tf.complex128, [2, 2])
    s, u, v = tf.svd(x)
    return run(tf, tf.gradients([s, u * tf.conj(u)], x, grad_ys=[tf.cos(s), tf.ones_like(u)]), {x: COMPLEX})


@program(cases={"values": False, "vectors": True}, tol=1e-8)
def general_eigenvalues(tf, case):
    x = tf.placeholder(tf.float64, [3, 3])
    e, v = tf.raw_ops.Eig(input=x, compute_v=case, Tout=tf.complex128)
    ys = [e * tf.conj(e)] + ([v * tf.conj(v)] if case else [])
    grads = tf.gradients(ys, x, grad_ys=[tf.ones_like(y) for y in ys])
    return run(tf, tf.shape(grads[0])), grads


@program()
def what_qr_and_svd_refuse(tf):
    unknown = tf.placeholder(tf.float32, [None, None])
    tall = tf.placeholder(tf.float32, [5, 3])
    return [
        attempt(lambda: tf.gradients(tf.qr(unknown)[0], unknown)),
        attempt(lambda: tf.gradients(tf.qr(tall, full_matrices=True)[0], tall)),
        attempt(lambda: tf.gradients(tf.svd(unknown)[1], unknown)),
        attempt(lambda: tf.gradients(tf.svd(tall, full_matrices=True)[1], tall)),
    ]


SYSTEMS = {
    "triangular": (lambda tf, a, b: tf.matrix_triangular_solve(a, b), GENERAL, [3, 3], RHS, [3, 2]),
    "triangular_adjoint": (
        lambda tf, a, b: tf.matrix_triangular_solve(a, b, lower=False, adjoint=True), GENERAL, [3, 3], RHS, [3, 2]
    ),
    "triangular_batch": (
        lambda tf, a, b: tf.matrix_triangular_solve(a, b), batch(GENERAL), [2, 3, 3], RHS, [3, 2]
    ),
    "triangular_unknown": (lambda tf, a, b: tf.matrix_triangular_solve(a, b), GENERAL, None, RHS, None),
    "solve": (lambda tf, a, b: tf.matrix_solve(a, b), GENERAL, [3, 3], RHS, [3, 2]),
    "solve_adjoint": (
        lambda tf, a, b: tf.matrix_solve(a, b, adjoint=True), batch(GENERAL), [None, 3, 3], np.stack([RHS, RHS]), None
    ),
    "cholesky_solve": (lambda tf, a, b: tf.cholesky_solve(a, b), GENERAL, [3, 3], RHS, [3, 2]),
    "least_squares_tall": (lambda tf, a, b: tf.matrix_solve_ls(a, b, 0.5), TALL, [3, 2], RHS, [3, 2]),
    "least_squares_wide": (lambda tf, a, b: tf.matrix_solve_ls(a, b, 0.5), TALL.T, [2, 3], RHS[:2], [2, 2]),
    "batch_matmul": (lambda tf, a, b: tf.raw_ops.BatchMatMul(x=a, y=b), GENERAL, [3, 3], RHS, [3, 2]),
    "batch_matmul_10": (lambda tf, a, b: tf.raw_ops.BatchMatMul(x=a, y=b, adj_x=True), GENERAL, [3, 3], RHS, [3, 2]),
    "batch_matmul_01": (
        lambda tf, a, b: tf.raw_ops.BatchMatMul(x=a, y=b, adj_y=True), GENERAL, [3, 3], RHS.T, [2, 3]
    ),
    "batch_matmul_11": (
        lambda tf, a, b: tf.raw_ops.BatchMatMul(x=a, y=b, adj_x=True, adj_y=True), GENERAL, [3, 3], RHS.T, [2, 3]
    ),
}  # fmt: skip


@program(cases=SYSTEMS, tol=1e-8)
def two(tf, case):
    function, first, first_shape, second, second_shape = case
    a = tf.placeholder(tf.float64, first_shape, name="a")
    b = tf.placeholder(tf.float64, second_shape, name="b")
    y = function(tf, a, b)
    return run(tf, tf.gradients(y, [a, b], grad_ys=y), {a: first, b: second})


@program(cases=SYSTEMS, tol=1e-7, graph=False)
def two_again(tf, case):
    function, first, first_shape, second, second_shape = case
    a, b = tf.placeholder(tf.float64, first_shape), tf.placeholder(tf.float64, second_shape)
    y = function(tf, a, b)
    grads = tf.gradients(tf.gradients(y, [a, b], grad_ys=y), [a, b], grad_ys=[tf.cos(a), tf.cos(b)])
    return run(tf, grads, {a: first, b: second})


@program(
    cases={f"{a}{b}{c}{d}": (a, b, c, d) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1) if c or d},
    tol=1e-5,
)
def sparse_matmul(tf, case):
    transpose_a, transpose_b, sparse_a, sparse_b = map(bool, case)
    a = tf.placeholder(tf.float32, [3, 4] if transpose_a else [4, 3], name="a")
    b = tf.placeholder(tf.float32, [2, 3] if transpose_b else [3, 2], name="b")
    y = tf.matmul(
        a, tf.nn.relu(b), transpose_a=transpose_a, transpose_b=transpose_b, a_is_sparse=sparse_a, b_is_sparse=sparse_b
    )
    first, second = np.cos(np.arange(12.0)).reshape(a.shape), np.sin(np.arange(6.0)).reshape(b.shape)
    return run(tf, tf.gradients(y * y, [a, b]), {a: first, b: second})


@program(cases=["tall", "wide", "slow"], tol=1e-8)
def raw_least_squares(tf, case):
    value = TALL.T if case == "wide" else TALL
    a = tf.placeholder(tf.float64, value.shape)
    b = tf.placeholder(tf.float64, [len(value), 1])
    y = tf.raw_ops.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=tf.constant(0.5, tf.float64), fast=case != "slow")
    return run(tf, tf.gradients(y, [a, b], grad_ys=y), {a: value, b: RHS[: len(value), :1]})


EINSUMS = {
    "matmul": ("ij,jk->ik", [2, 3], [3, 2]),
    "transposed": ("ij,kj->ki", [2, 3], [2, 3]),
    "outer": ("i,j->ij", [2], [3]),
    "inner": ("ij,ij->", [2, 3], [2, 3]),
    "sum": ("ij,jk->i", [2, 3], [3, 2]),
    "batch": ("bij,bjk->bik", [2, 2, 3], [2, 3, 2]),
    "broadcast": ("...ij,jk->...ik", [2, 2, 3], [3, 2]),
    "broadcast_both": ("...ij,...jk->...ik", [2, 1, 2, 3], [2, 3, 2]),
    "diagonal": ("ii,ij->i", [3, 3], [3, 2]),
    "repeated_out": ("ij,jk->ikk", [2, 3], [3, 2]),
    "unused": ("ijk,jk->j", [2, 3, 2], [3, 2]),
    "unary_free": ("ijl,kl->jk", [2, 3, 2], [2, 2]),
}


@program(cases={f"{n}-{s}": (c, s) for n, c in EINSUMS.items() for s in ("known", "ranks", "unknown")}, tol=1e-8)
def einsum(tf, case):
    (equation, first, second), kind = case
    shapes = [first, second]
    if kind == "ranks":
        shapes = [[None] * len(shape) for shape in shapes]
    if kind == "unknown" and "..." not in equation:
        shapes = [None, None]
    a, b = (tf.placeholder(tf.float64, shape, name="ab"[i]) for i, shape in enumerate(shapes))
    y = tf.einsum(equation, a, b)
    grads = tf.gradients(y, [a, b], grad_ys=tf.cos(y))
    values = [np.cos(np.arange(np.prod(shape)) + i).reshape(shape) for i, shape in enumerate([first, second])]
    return run(tf, grads, dict(zip([a, b], values)))


def einsum_gradient(tf, equation):
    labels = equation.split("->")[0]
    shape = [2 if c == "j" and "jj" not in labels else 3 for c in labels.replace("...", "e")]
    x = tf.placeholder(tf.float64, shape, name="x")
    y = tf.einsum(equation, x)
    return run(tf, tf.gradients(y, x, grad_ys=tf.cos(y)), {x: np.cos(np.arange(np.prod(shape))).reshape(shape)})


@program(cases=["ij->ji", "ii->", "ij->j", "i...->...", "ii->i", "ijj->ji", "iij->j"], tol=1e-8)
def einsum_of_one(tf, case):
    return einsum_gradient(tf, case)


@program(cases=["ij->", "ijk->k", "...ij->..."], tol=1e-8, graph=False)
def einsum_that_sums_two_axes(tf, case):
    """TensorFlow takes them in the order of a set, another one in each process."""
    return einsum_gradient(tf, case)


@program(tol=1e-5)
def einsum_complex(tf):
    a = tf.constant([[1 + 2j, 0.5], [-1j, 2.0]])
    b = tf.constant([[2 - 1j, 1.5], [1j, -1.0]])
    y = tf.einsum("ij,jk->ki", a, b)
    return run(tf, tf.gradients(y, [a, b], grad_ys=tf.ones_like(y)))
