"""`tf.py_function`: Python functions that work on tensors with values."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def run(tf, fetches):
    with tf.Session() as sess:
        return sess.run(fetches)


@program()
def calls_and_gradients(tf):
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)

    def chosen(a, b):
        if a[0] > 0:
            return tf.square(a) * b
        return a

    found = tf.py_function(chosen, [x, y], tf.float32)
    other = tf.py_function(chosen, [-x, y], tf.float32, name="other")
    return run(
        tf, [found, other, tf.gradients(found, [x, y]), tf.gradients(tf.reduce_sum(other * 2.0), x)]
    ), found.shape


@program()
def several_outputs(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    pair = tf.py_function(lambda a: (a.numpy() + 1, tf.shape(a)), [x], [tf.float32, tf.int32], name="pair")
    nothing = tf.py_function(lambda: None, [], [])
    one = tf.py_function(lambda a: [tf.reduce_sum(a)], [x], [tf.float32])
    words = tf.py_function(lambda a: f"sum {float(tf.reduce_sum(a)):.1f}", [x], tf.string)
    return run(tf, [pair, one, words]), run(tf, nothing)


@program(graph=False)
def values_are_known(tf):
    x = tf.constant([3.0, 1.0, 2.0])

    def loop(a):
        total = 0.0
        for value in a:
            total += float(value)
        while total > 1:
            total /= 2
        return np.array(a)[:2] * total + len(a)

    return run(tf, [tf.py_function(loop, [x], tf.float32), tf.py_function(lambda a: int(a[0]) * 5, [x], tf.int64)])


@program(graph=False)
def results_of_other_kinds(tf):
    x = tf.constant([1.0, 2.0])
    return (
        attempt(run, tf, tf.py_function(lambda a: a.numpy(), [x], tf.int32)),
        attempt(run, tf, tf.py_function(lambda a: 5, [x], tf.float32)),
        attempt(run, tf, tf.py_function(lambda a: None, [x], tf.float32)),
        attempt(run, tf, tf.py_function(lambda a: type(a).__name__, [x], tf.string)),
        attempt(tf.py_function, 3, [x], tf.float32),
        attempt(run, tf, tf.gradients(tf.py_function(lambda a: a.numpy() * 2, [x], tf.float32), x)),
    )


@program(graph=False, messages=["ZeroDivisionError"])
def an_error_within(tf):
    run(tf, tf.py_function(lambda a: 1 / 0, [tf.constant(1.0)], tf.float32))


@program(graph=False, messages=["not that"])
def an_error_of_a_kind(tf):
    def refuse(a):
        raise ValueError("not that")

    run(tf, tf.py_function(refuse, [tf.constant(1.0)], tf.float32))
