"""`tf.raw_ops`: arguments that its functions name otherwise than the ops' declarations do."""

import numpy as np

from tests.oracle import attempt, program

X = np.arange(6.0).reshape(2, 3)


def run(tf, fetches):
    with tf.Session() as sess:
        return sess.run(fetches)


@program(cases=["Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm"])
def reductions(tf, case):
    op = getattr(tf.raw_ops, case)
    return run(tf, [op(input=X, axis=1), op(input=X, axis=[0, 1], keep_dims=True)]), attempt(op, input=X)


@program()
def logical_reductions(tf):
    return run(tf, [op(input=[[True, False]], axis=[1]) for op in (tf.raw_ops.All, tf.raw_ops.Any)])


@program()
def axes(tf):
    raw = tf.raw_ops
    found = [raw.ExpandDims(input=X, axis=1), raw.Squeeze(input=X[:1], axis=[0]), raw.Squeeze(input=X[:1])]
    found += list(raw.Split(axis=0, value=X, num_split=2))
    found += list(raw.SplitV(value=X, size_splits=[1, 2], axis=1, num_split=2))
    found += [raw.Select(condition=X > 2, x=X, y=-X), raw.Where(condition=X > 2)]
    return run(tf, found)


@program()
def names_that_are_not_taken(tf):
    return [
        attempt(lambda: tf.raw_ops.ExpandDims(input=X, dim=1)),
        attempt(lambda: tf.raw_ops.Sum(input=X, reduction_indices=1)),
        attempt(lambda: tf.raw_ops.Squeeze(input=X, squeeze_dims=[0])),
    ]
