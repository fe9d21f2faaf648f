"""Dropout in both spellings, its random stream, and the largest entries: top_k, in_top_k, nth element."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def numbers(*shape):
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 0.7) * 2).astype(np.float32).reshape(shape)


X = numbers(4, 5)

DROPOUT = {
    "keep_prob": dict(keep_prob=0.5, seed=1),
    "positional": None,
    "rate": dict(rate=0.3, seed=2),
    "named": dict(keep_prob=0.8, seed=3, name="mine"),
    "noise_shape": dict(rate=0.5, noise_shape=[4, 1], seed=4),
    "noise tuple": dict(rate=0.5, noise_shape=(1, 5), seed=4),
    "noise tensor shape": dict(rate=0.5, noise_shape=np.array([4, 1]), seed=4),
    "noise with unknown": dict(rate=0.5, noise_shape=[None, 1], seed=4),
    "nothing dropped": dict(rate=0.0),
    "all kept": dict(keep_prob=1.0),
    "integer rate": dict(rate=0),
    "numpy rate": dict(rate=np.float32(0.25), seed=5),
    "third": dict(keep_prob=1.0 / 3.0, seed=6),
}


@program(cases=sorted(DROPOUT))
def dropout(tf, case):
    x = tf.constant(X, name="x")
    y = tf.nn.dropout(x, 0.75, [4, 5], 7, "positional") if case == "positional" else tf.nn.dropout(x, **DROPOUT[case])
    with tf.Session() as sess:
        return y, sess.run([y, y]), sess.run(y)


@program()
def dropout_with_a_graph_seed(tf):
    tf.set_random_seed(42)
    x = tf.constant(X)
    ys = [tf.nn.dropout(x, 0.5), tf.nn.dropout(x, rate=0.5), tf.nn.dropout(x, rate=0.5, seed=8)]
    with tf.Session() as sess:
        first = sess.run(ys)
        second = sess.run(ys)
    with tf.Session() as sess:
        return first, second, sess.run(ys)


@program(random=True)
def dropout_without_seeds(tf):
    y = tf.nn.dropout(tf.constant(X), 0.5)
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def dropout_of_tensor_rates(tf):
    x = tf.constant(X, name="x")
    keep, rate = tf.placeholder(tf.float32, name="keep"), tf.placeholder(tf.float32, [], name="rate")
    ys = [
        tf.nn.dropout(x, keep_prob=keep, seed=1),
        tf.nn.dropout(x, rate=rate, seed=1, name="mine"),
        tf.nn.dropout(x, tf.constant(0.5), seed=1),
        tf.nn.dropout(x, keep_prob=tf.placeholder_with_default(1.0, []), seed=1),
        tf.nn.dropout(x, rate=tf.constant(0.0), seed=1),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys, {keep: 0.5, rate: 0.25})


@program()
def dropout_shapes_and_types(tf):
    unknown = tf.placeholder(tf.float32)
    partly = tf.placeholder(tf.float32, [None, 5])
    ys = [
        tf.nn.dropout(unknown, 0.5, seed=1),
        tf.nn.dropout(partly, 0.5, seed=2),
        tf.nn.dropout(partly, 0.5, noise_shape=[4, 1], seed=3),
        tf.nn.dropout(tf.constant(X, tf.float64), 0.5, seed=4),
        tf.nn.dropout(tf.constant(X, tf.float16), 0.5, seed=5),
        tf.nn.dropout([1.0, 2.0, 3.0], rate=0.5, seed=6),
        tf.nn.dropout(tf.zeros([0, 3]), rate=0.5, seed=7),
        tf.nn.dropout(partly, 0.5, noise_shape=tf.shape(partly), seed=8),
        tf.nn.dropout(unknown, 0.5, noise_shape=tf.placeholder_with_default([4, 1], [2]), seed=9),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys, {unknown: X, partly: X})


@program(graph=False)
def dropout_mistakes(tf):
    x, f = tf.placeholder(tf.float32, [4, 5]), tf.nn.dropout
    return [
        attempt(f, x),
        attempt(f, x, 0.5, rate=0.5),
        attempt(f, x, 0.0),
        attempt(f, x, 1.5),
        attempt(f, x, -0.1),
        attempt(f, x, rate=1.0),
        attempt(f, x, rate=1),
        attempt(f, x, rate=-0.1),
        attempt(f, x, rate=7.5),
        attempt(f, x, rate="a"),
        attempt(f, x, keep_prob="a"),
        attempt(f, tf.constant([1, 2]), 0.5),
        attempt(f, [1, 2], rate=0.5),
        attempt(f, x, rate=tf.constant(0.5, tf.float64)),
        attempt(f, x, rate=tf.constant([0.5, 0.5])),
        attempt(f, x, rate=0.5, noise_shape=[4, 2]),
        attempt(f, x, rate=0.5, noise_shape=[2]),
        attempt(f, tf.placeholder(tf.float32, [None, 5]), rate=0.5, noise_shape=[None, 1]),
        attempt(f, x, rate=0.5, seed="a"),
        attempt(f, "text", rate=0.5),
        attempt(f, x, rate=float("nan")),
    ]


# ---- the largest

TOP = np.array([[3.0, 1.0, 3.0, 2.0, -1.0], [0.0, 0.0, 5.0, 0.0, 5.0]], dtype=np.float32)


@program()
def top_k(tf):
    x = tf.constant(TOP, name="x")
    ys = [
        tf.nn.top_k(x),
        tf.nn.top_k(x, 2),
        tf.nn.top_k(x, k=3, name="mine"),
        tf.nn.top_k(x, 5),
        tf.nn.top_k(x, 0),
        tf.nn.top_k(x, tf.constant(2)),
        tf.nn.top_k([1.0, 7.0, 3.0], 2),
        tf.nn.top_k(tf.constant(TOP.reshape(1, 2, 5)), 4),
        tf.nn.top_k(x, tf.constant(2, tf.int64)),
        tf.nn.top_k(x, 2, index_type=tf.int64),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(cases=["float16", "float64", "int32", "int64", "uint8", "int8", "int16"])
def top_k_types(tf, case):
    y = tf.nn.top_k(tf.constant(np.abs(TOP).astype(case)), 3)
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def top_k_unsorted(tf):
    y = tf.nn.top_k(tf.constant(TOP), 3, sorted=False)
    with tf.Session() as sess:
        values, indices = sess.run(y)
    return y, np.sort(values), np.sort(indices)


@program(graph=False)
def top_k_shapes_and_mistakes(tf):
    x, f = tf.placeholder(tf.float32, [2, 5]), tf.nn.top_k
    k = tf.placeholder(tf.int32, [])
    return [
        f(x, k),
        f(tf.placeholder(tf.float32), 3),
        f(tf.placeholder(tf.float32, [None, None]), 3),
        f(tf.placeholder(tf.float32, [None, 4, 7]), k),
        attempt(f, x, 6),
        attempt(f, x, -1),
        attempt(f, 1.0, 1),
        attempt(f, x, [1, 2]),
        attempt(f, x, 2.5),
        attempt(f, tf.placeholder(tf.complex64, [3]), 1),
        attempt(f, tf.placeholder(tf.string, [3]), 1),
        attempt(f, x, 1, index_type=tf.float32),
    ]


@program(cases=[6, -1], messages=["k"])
def top_k_at_run_time(tf, case):
    k = tf.placeholder(tf.int32)
    y = tf.nn.top_k(tf.constant(TOP), k)
    with tf.Session() as sess:
        return sess.run(y, {k: case})


@program()
def top_k_first_version(tf):
    y = tf.raw_ops.InTopK(predictions=TOP, targets=[2, 3], k=2)
    z = tf.raw_ops.InTopKV2(predictions=TOP, targets=[2, 3], k=2)
    with tf.Session() as sess:
        return y, z, sess.run([y, z])


@program()
def in_top_k(tf):
    p = tf.constant(TOP, name="p")
    odd = np.array([[1.0, np.inf, 2.0], [np.nan, 1.0, 2.0], [1.0, 2.0, 3.0], [1.0, -np.inf, 0.0]], np.float32)
    ys = [
        tf.nn.in_top_k(p, [0, 1], 1),
        tf.nn.in_top_k(p, [3, 4], 2),
        tf.nn.in_top_k(p, tf.constant([3, 4], tf.int64), 3, name="mine"),
        tf.nn.in_top_k(p, [5, -1], 5),
        tf.nn.in_top_k(odd, [0, 1, 2, 1], 2),
        tf.nn.in_top_k(predictions=p, targets=[0, 2], k=tf.constant(1)),
        tf.nn.in_top_k(p, [0, 2], 0),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(graph=False)
def in_top_k_shapes_and_mistakes(tf):
    p, f = tf.placeholder(tf.float32, [4, 5]), tf.nn.in_top_k
    return [
        f(tf.placeholder(tf.float32), tf.placeholder(tf.int32), 2),
        f(tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.int32, [7]), 2),
        f(p, tf.placeholder(tf.int64), 2),
        attempt(f, p, tf.placeholder(tf.int32, [3]), 2),
        attempt(f, tf.placeholder(tf.float32, [4]), tf.placeholder(tf.int32, [4]), 2),
        attempt(f, p, tf.placeholder(tf.int32, [4, 1]), 2),
        attempt(f, p, tf.placeholder(tf.float32, [4]), 2),
        attempt(f, tf.placeholder(tf.float64, [4, 5]), tf.placeholder(tf.int32, [4]), 2),
        attempt(f, p, tf.placeholder(tf.int32, [4]), [1, 2]),
    ]


@program()
def nth_element(tf):
    f = tf.raw_ops.NthElement
    x = np.array([[3.0, 1.0, 2.0, 5.0], [0.0, -1.0, 7.0, 7.0]], np.float32)
    ys = [f(input=x, n=0), f(input=x, n=2), f(input=x, n=1, reverse=True), f(input=x.astype(np.int32), n=3)]
    unknown = f(input=tf.placeholder(tf.float32, [None, 4]), n=1)
    with tf.Session() as sess:
        return ys, unknown, sess.run(ys)


@program(graph=False)
def nth_element_mistakes(tf):
    f, x = tf.raw_ops.NthElement, tf.placeholder(tf.float32, [2, 4])
    return [
        attempt(f, input=x, n=4),
        attempt(f, input=x, n=-1),
        attempt(f, input=1.0, n=0),
        attempt(f, input=x, n=[1, 2]),
        f(input=tf.placeholder(tf.float32), n=1).shape,
    ]
