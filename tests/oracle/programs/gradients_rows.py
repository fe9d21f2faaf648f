"""Gradients that are rows (IndexedSlices): what keeps them so, what makes a dense tensor of them, how they add up."""

import warnings

import numpy as np

from tests.oracle import attempt, program

X = np.cos(np.arange(10.0)).reshape(5, 2)


def run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


def parts(grad):
    """The tensors of an IndexedSlices."""
    if hasattr(grad, "indices"):
        found = [grad.values, grad.indices]
        return found + ([] if grad.dense_shape is None else [grad.dense_shape])
    return [grad]


THROUGH = {
    "identity": lambda tf, x: tf.identity(x),
    "print": lambda tf, x: tf.Print(x, [x]),
    "check_numerics": lambda tf, x: tf.check_numerics(x, "bad"),
    "placeholder_with_default": lambda tf, x: tf.placeholder_with_default(x, [5, 2]),
    "ensure_shape": lambda tf, x: tf.ensure_shape(x, [5, 2]),
    "identity_n": lambda tf, x: tf.identity_n([x, x])[0],
    "stop_gradient_beside": lambda tf, x: x + tf.stop_gradient(x),
    "add_n": lambda tf, x: tf.add_n([x, x]),
    "add": lambda tf, x: x + x,
    "add_row": lambda tf, x: x + [1.0, 2.0],
    "neg": lambda tf, x: -x,
    "times_number": lambda tf, x: x * 2.0,
    "over_number": lambda tf, x: x / 2.0,
    "square": lambda tf, x: tf.square(x),
    "relu": lambda tf, x: tf.nn.relu(x),
    "sqrt": lambda tf, x: tf.sqrt(x * x),
    "tanh": lambda tf, x: tf.tanh(x),
    "cast": lambda tf, x: tf.cast(x, tf.float64),
    "matmul": lambda tf, x: tf.matmul(x, tf.ones([2, 2])),
    "bias_add": lambda tf, x: tf.nn.bias_add(x, [1.0, 2.0]),
    "reshape": lambda tf, x: tf.reshape(x, [10, 1]),
    "squeeze": lambda tf, x: tf.squeeze(x),
    "expand_dims": lambda tf, x: tf.expand_dims(x, 2),
    "transpose": lambda tf, x: tf.transpose(x),
    "slice": lambda tf, x: x[1:],
    "pad": lambda tf, x: tf.pad(x, [[1, 0], [0, 0]]),
    "tile": lambda tf, x: tf.tile(x, [2, 1]),
    "stack": lambda tf, x: tf.stack([x, x]),
    "unstack": lambda tf, x: tf.unstack(x)[3] + [1.0, 1.0],
    "concat": lambda tf, x: tf.concat([x, x * 2.0], 0),
    "concat_columns": lambda tf, x: tf.concat([x, x * 2.0, x], 1),
    "concat_from_the_end": lambda tf, x: tf.concat([x, x * 2.0], -2),
    "concat_of_unknown": lambda tf, x: tf.concat([tf.placeholder_with_default(x, None), x], 0),
    "concat_of_one": lambda tf, x: tf.raw_ops.ConcatV2(values=[x], axis=0),
    "reduce_sum": lambda tf, x: tf.reduce_sum(x, 1),
    "reduce_mean": lambda tf, x: tf.reduce_mean(x, 1),
    "where": lambda tf, x: tf.where(x > 0, x, x),
    "unsorted_segment_sum": lambda tf, x: tf.unsorted_segment_sum(x, [1, 0, 1, 1, 2], 4),
    "segment_sum": lambda tf, x: tf.segment_sum(x, [0, 1, 1, 1, 2]),
    "gather": lambda tf, x: tf.gather(x, [3, 1, 0]),
    "broadcast_to": lambda tf, x: tf.broadcast_to(x, [5, 2]),
    "dynamic_stitch": lambda tf, x: tf.dynamic_stitch([[0, 1], [2, 3, 4]], [x[:2], x[2:]]),
    "softmax": lambda tf, x: tf.nn.softmax(x),
}


@program(cases=THROUGH, tol=1e-5)
def through(tf, case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = tf.placeholder(tf.float32, [5, 2], name="x")
        y = tf.gather(case(tf, x), [1, 0, 1])
        return run(tf, parts(tf.gradients(y, x)[0]), {x: X})


@program(tol=1e-5)
def added_up(tf):
    """Rows and rows are rows; with a dense gradient the sum is dense."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = tf.placeholder(tf.float32, [5, 2], name="x")
        rows = tf.reduce_sum(tf.gather(x, [1, 1])) + tf.reduce_sum(tf.gather(x, [0]) * 3.0)
        found = [parts(tf.gradients(rows, x)[0])]
        found.append(parts(tf.gradients(rows, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE)[0]))
        found.append(parts(tf.gradients(rows + tf.reduce_sum(x), x)[0]))
        return run(tf, found, {x: X})


@program(tol=1e-5)
def of_variables(tf):
    """Of reference and resource variables."""
    found = []
    for resource in (False, True):
        v = tf.get_variable(f"v{resource}", initializer=X.astype(np.float32), use_resource=resource)
        y = tf.nn.embedding_lookup(v, [[3, 1], [1, 0]]) * 2.0
        found.append(parts(tf.gradients(y, v)[0]))
    return run(tf, found)


@program(tol=1e-5)
def given(tf):
    """Starting from rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = tf.placeholder(tf.float32, [5, 2], name="x")
        start = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([3]), tf.constant([5, 2]))
        found = [parts(tf.gradients(y, x, grad_ys=start)[0]) for y in (tf.identity(x), tf.concat([x, x], 0)[5:], -x)]
        return run(tf, found, {x: X})


@program(tol=1e-5)
def clipped(tf):
    x = tf.placeholder(tf.float32, [5, 2], name="x")
    grad = tf.gradients(tf.gather(x, [1, 0, 1]), x)[0]
    by_norm = tf.clip_by_norm(grad, 1.0)
    by_global, norm = tf.clip_by_global_norm([grad, grad], 1.0)
    return run(tf, [parts(by_norm), parts(by_global[1]), norm], {x: X})


@program()
def what_rows_cannot(tf):
    x = tf.placeholder(tf.float32, None)
    axis = tf.placeholder(tf.int32, [])
    return [
        attempt(lambda: tf.gradients(tf.gather(tf.concat([x, x], axis), [0]), x)),
        attempt(lambda: tf.gradients(tf.gather(tf.concat([x, x], -1), [0]), x)),
    ]
