"""Matrix products, tensordot, einsum and their relatives."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
B = np.array([[1.0, -1.0], [0.5, 2.0], [3.0, 0.0]], np.float32)


def run(tf, tensors):
    with tf.Session() as sess:
        return [attempt(sess.run, tensor) if isinstance(tensor, tf.Tensor) else None for tensor in tensors]


def batch(*shape):
    return (np.arange(np.prod(shape)) % 7 - 3).reshape(shape).astype(np.float32)


@program()
def matrices(tf):
    a, b = tf.constant(A, name="a"), tf.constant(B, name="b")
    made = [
        tf.matmul(a, b),
        tf.matmul(a, a, transpose_b=True),
        tf.matmul(a, a, transpose_a=True),
        tf.matmul(b, a, True, True, name="given"),
        tf.matmul(a, a, adjoint_b=True),
        tf.matmul(b, b, adjoint_a=True),
        tf.matmul(A, b),
        tf.matmul(a, B.tolist()),
        tf.matmul([[1.0]], [[2.0]]),
        a @ b,
        A @ b,
        a @ B.tolist(),
    ]
    return made, run(tf, made)


@program(cases=["float16", "float64", "int32", "int64", "complex64", "complex128", "uint8", "int8", "bool"])
def types(tf, case):
    a, b = (
        tf.constant((A * 2).astype(case)),
        tf.constant((B * 2).astype("int8" if case == "uint8" else case).astype(case)),
    )
    made = [attempt(tf.matmul, a, b), attempt(tf.matmul, a, a, transpose_b=True)]
    return made, run(tf, made)


@program()
def complex_adjoints(tf):
    a, b = (
        tf.constant([[1 + 2j, 3j], [2.0, 1 - 1j]], tf.complex64),
        tf.constant([[1j, 2.0], [1 - 2j, 0.5]], tf.complex64),
    )
    made = [
        tf.matmul(a, b),
        tf.matmul(a, b, adjoint_a=True),
        tf.matmul(a, b, adjoint_b=True),
        tf.matmul(a, b, transpose_a=True),
        tf.matmul(tf.stack([a, b]), tf.stack([b, a]), adjoint_a=True),
        tf.matmul(tf.stack([a, b]), tf.stack([b, a]), transpose_b=True),
    ]
    return made, run(tf, made)


@program()
def batches(tf):
    x, y, m = tf.constant(batch(4, 2, 3)), tf.constant(batch(4, 3, 5)), tf.constant(batch(3, 5))
    made = [
        tf.matmul(x, y),
        tf.matmul(x, m),
        tf.matmul(tf.constant(batch(2, 3)), y),
        tf.matmul(x, tf.constant(batch(4, 5, 3)), transpose_b=True),
        tf.matmul(tf.constant(batch(4, 3, 2)), y, transpose_a=True, name="given"),
        tf.matmul(tf.constant(batch(1, 2, 3)), y),
        tf.matmul(tf.constant(batch(2, 1, 2, 3)), tf.constant(batch(4, 3, 2))),
        x @ y,
        tf.matmul(tf.zeros([0, 2, 3]), tf.zeros([0, 3, 4])),
    ]
    return made, run(tf, made)


@program()
def shapes(tf):
    def P(*shape):
        return tf.placeholder(tf.float32, None if shape == (None,) else shape)

    made = [
        tf.matmul(P(2, 3), P(3, None)),
        tf.matmul(tf.placeholder(tf.float32, [None, None]), P(3, 4)),
        tf.matmul(P(2, 3), tf.placeholder(tf.float32)),
        tf.matmul(tf.placeholder(tf.float32), tf.placeholder(tf.float32)),
        tf.matmul(tf.placeholder(tf.float32, [None, 2, 3]), P(3, 4)),
        tf.matmul(tf.placeholder(tf.float32, [None, 2, 3]), tf.placeholder(tf.float32, [5, None, None])),
        tf.matmul(P(0, 3), P(3, 2)),
        tf.matmul(P(2, 0), P(0, 2)),
    ]
    bad = [
        attempt(tf.matmul, P(2, 3), P(2, 3)),
        attempt(tf.matmul, P(2, 3), P(4, 3), transpose_a=True),
        attempt(tf.matmul, P(3), P(3, 4)),
        attempt(tf.matmul, P(2, 3), P(3)),
        attempt(tf.matmul, P(), P(3, 4)),
        attempt(tf.matmul, P(3, 2, 3), P(7, 3, 4)),
        attempt(tf.matmul, P(5, 2, 3), P(5, 2, 4)),
        attempt(tf.matmul, P(3), P(7, 3, 4)),
        attempt(tf.matmul, P(2, 3), P(3, 2), transpose_a=True, adjoint_a=True),
        attempt(tf.matmul, P(2, 3), P(3, 2), transpose_b=True, adjoint_b=True),
        attempt(tf.matmul, P(2, 3), tf.placeholder(tf.int32, [3, 2])),
        attempt(tf.matmul, P(2, 3), None),
        attempt(tf.matmul, tf.constant([["a"]]), tf.constant([["b"]])),
    ]
    return made, bad


@program()
def empty(tf):
    made = [
        tf.matmul(tf.zeros([2, 0]), tf.zeros([0, 3])),
        tf.matmul(tf.zeros([0, 2]), tf.zeros([2, 3])),
        tf.matmul(tf.zeros([2, 2, 0]), tf.zeros([2, 0, 1])),
    ]
    return made, run(tf, made)


@program()
def clashes_in_a_run(tf):
    x, y = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None, None])
    z = tf.matmul(x, y)
    u, v = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    w = tf.matmul(u, v)
    with tf.Session() as sess:
        return [
            attempt(sess.run, z, {x: A, y: A}),
            attempt(sess.run, w, {u: A, v: A}),
            attempt(sess.run, w, {u: A[0], v: A}),
            attempt(sess.run, w, {u: batch(3, 2, 3), v: batch(2, 3, 2)}),
        ]


@program()
def sparse_and_typed(tf):
    a, b = tf.constant(A), tf.constant(B)
    made = [
        tf.matmul(a, b, a_is_sparse=True),
        tf.matmul(a, a, transpose_b=True, b_is_sparse=True, name="given"),
        tf.sparse_matmul(a, b),
        tf.matmul(tf.constant(A, tf.float64), tf.constant(B, tf.float64), a_is_sparse=True),
        tf.matmul(tf.constant(A.astype(np.int8)), tf.constant(B.astype(np.int8)), output_type=tf.int32),
    ]
    return made, [attempt(tf.matmul, tf.zeros([2, 2, 3]), tf.zeros([2, 3, 2]), a_is_sparse=True)], run(tf, made)


@program()
def matrix_times_vector(tf):
    a = tf.constant(A)
    made = [
        tf.linalg.matvec(a, tf.constant([1.0, 2.0, 3.0])),
        tf.linalg.matvec(a, [1.0, 2.0], transpose_a=True, name="given"),
        tf.linalg.matvec(tf.constant(batch(2, 2, 3)), tf.constant(batch(2, 3))),
        tf.linalg.matvec([[1.0]], [2.0]),
        tf.linalg.matvec(tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None, 3]), adjoint_a=True),
    ]
    return (
        made,
        [attempt(tf.linalg.matvec, a, tf.constant([1.0, 2.0])), attempt(tf.linalg.matvec, a, tf.constant(1.0))],
        run(tf, made[:-1]),
    )


@program()
def traces(tf):
    made = [
        tf.trace(tf.constant([[1.0, 2.0], [3.0, 4.0]])),
        tf.trace(tf.constant(batch(2, 3, 3)), name="given"),
        tf.linalg.trace([[1, 2, 3], [4, 5, 6]]),
        tf.trace(tf.placeholder(tf.float32)),
    ]
    return made, run(tf, made[:-1])


@program()
def cross(tf):
    a, b = tf.constant([1.0, 2.0, 3.0]), tf.constant([[4.0, 5.0, 6.0], [0.0, 1.0, 0.0]])
    made = [
        tf.cross(a, b[0]),
        tf.linalg.cross(b, b[::-1], name="given"),
        tf.cross([1, 0, 0], [0, 1, 0]),
        tf.cross(tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [2, None])),
    ]
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = tf.cross(x, y)
    with tf.Session() as sess:
        late = [
            attempt(sess.run, z, {x: [1.0, 2.0], y: [1.0, 2.0]}),
            attempt(sess.run, z, {x: [1.0, 2.0, 3.0], y: [[1.0, 2.0, 3.0]]}),
        ]
    return (
        made,
        z,
        [attempt(tf.cross, [1.0, 2.0], [3.0, 4.0]), attempt(tf.cross, a, b), attempt(tf.cross, 1.0, 2.0)],
        late,
        run(tf, made[:-1]),
    )


# ---- tensordot

AXES = {
    "1": 1,
    "0": 0,
    "2": 2,
    "pairs": [[1], [0]],
    "two pairs": [[0, 1], [2, 0]],
    "negative": ([-1], [-2]),
    "numbers": (1, 0),
    "array": np.array([[1], [0]]),
}
OPERANDS = {
    "1": ((2, 3), (3, 4)),
    "0": ((2, 3), (2,)),
    "2": ((2, 3, 4), (3, 4, 5)),
    "pairs": ((2, 3), (3, 4)),
    "two pairs": ((2, 3, 5), (3, 4, 2)),
    "negative": ((2, 3), (3, 4)),
    "numbers": ((2, 3, 2), (3, 4)),
    "array": ((2, 3), (3, 4)),
}


@program(cases=list(AXES))
def tensordot(tf, case):
    a, b = (tf.constant(batch(*shape)) for shape in OPERANDS[case])
    made = [tf.tensordot(a, b, AXES[case]), tf.tensordot(a, b, AXES[case], name="given")]
    return made, run(tf, made)


@program()
def tensordot_of_unknown_shapes(tf):
    P = tf.placeholder
    made = [
        tf.tensordot(P(tf.float32, [None, 3]), P(tf.float32, [3, 4]), 1),
        tf.tensordot(P(tf.float32, [None, 3, 2]), P(tf.float32, [3, None]), [[1], [0]], name="given"),
        tf.tensordot(P(tf.float32), P(tf.float32, [3, 4]), 1),
        tf.tensordot(P(tf.float32), P(tf.float32), [[0], [1]]),
        tf.tensordot(P(tf.float32, [2, 3]), P(tf.float32, [3, 4]), P(tf.int32, [2, 1])),
        tf.tensordot([[1.0]], [[2.0]], 1),
        tf.tensordot(P(tf.float32, [None]), P(tf.float32, [None]), 1),
    ]
    x, y = P(tf.float32), P(tf.float32)
    z = tf.tensordot(x, y, 2)
    with tf.Session() as sess:
        return made, z, sess.run(z, {x: batch(2, 3, 4), y: batch(3, 4, 5)})


@program()
def tensordot_errors(tf):
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[1.0], [2.0]])
    return [attempt(tf.tensordot, a, b, axes) for axes in (-1, 3, [[0, 1], [0]], [1], "ab", 1.5, [[0], [0]])] + [
        attempt(tf.tensordot, a, tf.constant([[1], [2]]), 1)
    ]


# ---- einsum

EQUATIONS = {
    "ij,jk->ik": ((2, 3), (3, 4)), "ij,jk": ((2, 3), (3, 4)), "ij,jk->ki": ((2, 3), (3, 4)), "i,i->": ((3,), (3,)),
        "i,j->ij": ((3,), (2,)), "ij->ji": ((2, 3),), "ij->j": ((2, 3),), "ij->": ((2, 3),), "ii->i": ((3, 3),),
            "ii->": ((3, 3),), "ii": ((3, 3),), "ij,ij->ij": ((2, 3), (2, 3)),
    "bij,bjk->bik": ((2, 3, 4), (2, 4, 5)), "...ij,...jk->...ik": ((2, 3, 4), (4, 5)),
        "...ij,jk->...ik": ((5, 2, 3), (3, 4)), "i...->...i": ((2, 3, 4),), "...i,...i->...": ((2, 3), (1, 3)),
            "ij->i...": ((2, 3),), "ab,ab": ((2, 3), (2, 3)), " i j , j k -> i k ": ((2, 3), (3, 4)), "ba": ((2, 3),),
                "abc,bc->a": ((2, 3, 4), (3, 4)), "aab,b->a": ((2, 2, 3), (3,)), "...->...": ((2, 3),),
                    "ij,j->": ((2, 3), (3,)),
}  # fmt: skip


@program(cases=list(EQUATIONS))
def einsum(tf, case):
    inputs = [tf.constant(batch(*shape)) for shape in EQUATIONS[case]]
    made = [
        tf.einsum(case, *inputs),
        tf.einsum(case, *inputs, name="given"),
        tf.einsum(case, *[tf.placeholder(tf.float32, [None] * len(shape)) for shape in EQUATIONS[case]]),
    ]
    return made, run(tf, made[:2])


LONG = {
    "ij,jk,kl->il": ((2, 3), (3, 4), (4, 5)), "ab,bc,cd,de->ae": ((2, 3), (3, 4), (4, 5), (5, 6)),
        "i,j,k->": ((2,), (3,), (4,)), "i,j,k->ijk": ((2,), (3,), (4,)), "ij,ij,ij->i": ((2, 3),) * 3,
            "ab,b,bc->ac": ((9, 2), (2,), (2, 7)), "abc,cd,def,fa->be": ((2, 3, 4), (4, 5), (5, 6, 7), (7, 2)),
                "...a,ab,b->...": ((4, 2, 3), (3, 5), (5,)), "a,ab,b,bc,c->": ((2,), (2, 3), (3,), (3, 4), (4,)),
                    "ijk,jil,il->kl": ((2, 3, 4), (3, 2, 5), (2, 5)),
    "ea,fb,abcd,gc,hd->efgh": ((3, 3), (4, 3), (3, 3, 3, 3), (2, 3), (5, 3)),
        "ab,cd,ef,ac,de->bf": ((2, 3), (4, 5), (6, 7), (2, 4), (5, 6)),
}  # fmt: skip


@program(cases=list(LONG))
def einsum_of_many(tf, case):
    inputs = [tf.constant(batch(*shape)) for shape in LONG[case]]
    made = [tf.einsum(case, *inputs)]
    return made, run(tf, made)


@program()
def einsum_types_and_unknown_ranks(tf):
    made = [
        tf.einsum("ij,jk->ik", tf.constant([[1, 2]]), tf.constant([[3], [4]])),
        tf.einsum("ij,jk->ik", tf.constant([[1j]]), tf.constant([[2j]])),
        tf.einsum("ij,jk->ik", np.array([[1.0]]), tf.constant([[2.0]], tf.float64)),
        tf.einsum("ij,jk->ik", tf.placeholder(tf.float32), tf.placeholder(tf.float32, [3, None])),
        tf.einsum("...i,...i->...", tf.placeholder(tf.float32), tf.placeholder(tf.float32, [2, 3])),
        tf.einsum("ij,jk->ik", tf.zeros([0, 3]), tf.zeros([3, 2])),
        tf.einsum(
            "ij,jk,kl->il",
            tf.placeholder(tf.float32),
            tf.placeholder(tf.float32, [None, 3]),
            tf.placeholder(tf.float32, [3, 2]),
        ),
    ]
    return made, run(tf, made[:3] + made[5:6])


@program()
def einsum_errors(tf):
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[1.0], [2.0]])
    return [
        attempt(tf.einsum, *args)
        for args in (
            ("ij,jk->ik", a, a),
            ("ij,jk->iz", a, b),
            ("ij", a, b),
            ("ij->i",),
            ("ii->i", a),
            ("i$->i", a),
            ("ijk->i", a),
            ("ij->ii", a),
            ("...ij,...->...i...", a, b),
            ("ij,jk->ik", a, tf.constant([[1], [2]])),
            ("0i->i", a),
            ("ij,jk,kl->il", a, b, tf.constant([1.0])),
        )
    ] + [attempt(tf.einsum, "ij->i", a, foo=1)]


@program()
def einsum_clashes_in_a_run(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = tf.einsum("ij,jk->ik", x, y)
    with tf.Session() as sess:
        return [
            attempt(sess.run, z, {x: A, y: A}),
            attempt(sess.run, z, {x: A, y: A[:1]}),
            attempt(sess.run, z, {x: A, y: B}),
            attempt(sess.run, z, {x: A[0], y: B}),
        ]
