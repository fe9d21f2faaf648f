"""Differences that random programs found in the families of ops, one a kind."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


@program()
def divide_takes_variables_as_they_are(tf):
    v, w, x = tf.Variable([1.0]), tf.Variable([1]), tf.constant([2])
    pairs = [(v, w), (w, v), (x, v), (v, x), (v, 2), (1, v), ([1], v), (3.5, v), (1, 2), (w, w), (2, x)]
    return [attempt(tf.divide, a, b) for a, b in pairs]


@program()
def sparse_tensors_where_an_operator_is_not_theirs(tf):
    x, sparse = tf.constant([[2]]), tf.SparseTensor([[0, 0]], [1], [1, 1])
    with tf.Session() as sess:
        return attempt(lambda: x % sparse), sess.run(x * sparse), sess.run(sparse * x)


@program()
def a_failed_operator_uses_up_one_name(tf):
    x, v = tf.constant([1]), tf.Variable([1.0])
    return attempt(lambda: x % v), x % 1, attempt(lambda: x + v), x + 1, attempt(lambda: x * v), x * 1


@program()
def unique_of_more_than_a_vector(tf):
    x = tf.constant([[1, 2], [1, 2]])
    with tf.Session() as sess:
        return attempt(tf.unique, x), attempt(sess.run, tf.unique_with_counts(x))


@program()
def shapes_that_one_known_size_decides(tf):
    x = tf.placeholder(tf.float32, [None, None])
    unknown = tf.placeholder(tf.float32)
    return tf.tile(x, [0, 2]).shape, attempt(tf.cross, tf.zeros([2, 5]), unknown), tf.cross(x, unknown).shape


@program()
def the_real_part_of_booleans(tf):
    return attempt(tf.real, tf.constant([True])), attempt(tf.real, "a"), tf.real([1])


@program(tol=1e-4)
def zeta_where_its_sum_is_long(tf):
    """Huge exponents and starts far below zero end, and fast."""
    x = tf.constant([1e30, 1e30, np.inf, np.inf, 2.0, 3.0, 90.0, 3.0], tf.float64)
    q = tf.constant([0.5, 2.0, 1.0, 2.0, -1e30, -5.5, 3.0, np.inf], tf.float64)
    with tf.Session() as sess:
        return sess.run(tf.zeta(x, q))
