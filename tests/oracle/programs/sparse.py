"""Sparse tensors: sums, reductions, slices, splits, softmax, other forms; forward and backward."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def matrix(tf, values=(1.0, 2.0, 3.0), dtype=None):
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]], tf.constant(values, dtype or tf.float32), [2, 3])


def other(tf, values=(5.0, -2.0, 7.0)):
    return tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant(values), [2, 3])


def unknown(tf, rank=2):
    return tf.sparse_placeholder(tf.float32, [None] * rank)


def run(tf, fetches):
    with tf.Session() as sess:
        return sess.run(fetches)


def slopes(tf, y, *sparse):
    return tf.gradients(y * tf.constant(np.arange(1.0, 1 + int(y.shape[0])), tf.float32), [x.values for x in sparse])


@program(cases=[None, 0.5, 4.0])
def sum_of_two(tf, threshold):
    a, b = matrix(tf), other(tf)
    total = tf.sparse.add(a, b) if threshold is None else tf.sparse_add(a, b, threshold)
    loss = total.values * tf.cast(tf.range(tf.size(total.values)), tf.float32)
    return run(tf, [total, tf.gradients(loss, [a.values, b.values])]), total.get_shape()


@program()
def sum_with_dense(tf):
    a, dense = matrix(tf), tf.ones([2, 3])
    first, second = tf.sparse.add(a, dense), tf.sparse_add(dense * 2.0, a)
    return run(tf, [first, second, tf.gradients(first, [a.values, dense])])


@program()
def sums_of_unknown_shapes(tf):
    total = tf.sparse.add(unknown(tf), matrix(tf))
    both = tf.sparse.add(unknown(tf), unknown(tf))
    whole = tf.sparse.add(matrix(tf, (1, 2, 3), tf.int64), matrix(tf, (-1, 2, 3), tf.int64))
    return total.get_shape(), both.get_shape(), run(tf, whole)


@program(graph=False)
def wrong_sums(tf):
    longer = tf.SparseTensor([[0, 1]], [1.0], [2, 4])
    deep = tf.SparseTensor([[0, 1, 0]], [1.0], [2, 3, 1])
    return (
        attempt(tf.sparse_add, tf.ones([2]), tf.ones([2])),
        attempt(tf.sparse_add, matrix(tf), matrix(tf), 0.0, thresh=0.0),
        attempt(tf.sparse_add, matrix(tf), longer),
        attempt(tf.sparse_add, matrix(tf), deep),
    )


@program()
def larger_and_smaller(tf):
    a, b = matrix(tf), other(tf)
    high, low = tf.sparse.maximum(a, b), tf.sparse_minimum(a, b, name="low")
    return run(tf, [high, low])


REDUCED = {
    "rows": {"axis": 1}, "columns": {"axis": [0]}, "all": {}, "both": {"axis": [0, 1]}, "last": {"axis": -1},
    "kept": {"axis": 1, "keepdims": True}, "older names": {"reduction_axes": 0, "keep_dims": True},
}  # fmt: skip


@program(cases=REDUCED)
def reductions(tf, options):
    x = matrix(tf)
    total, largest = tf.sparse_reduce_sum(x, **options), tf.sparse.reduce_max(x, **options)
    return (
        run(tf, [total, largest, tf.sparse.reduce_sum_sparse(x, **options), tf.sparse_reduce_max_sparse(x, **options)]),
        run(tf, tf.gradients(total, x.values)), total.shape, largest.shape,
    )  # fmt: skip


@program()
def reductions_of_unknown_shapes(tf):
    x = unknown(tf)
    total = tf.sparse.reduce_sum(x, 1)
    wrong = attempt(run, tf, tf.sparse.reduce_sum(matrix(tf), 2))
    return total.shape, tf.sparse.reduce_sum(x).shape, wrong, attempt(tf.sparse_reduce_sum, x, 0, reduction_axes=0)


SLICES = {
    "a part": ([0, 1], [2, 2]),
    "beyond the end": ([1, 1], [5, 5]),
    "nothing": ([0, 2], [1, 1]),
    "all": ([0, 0], [2, 3]),
}


@program(cases=SLICES)
def slices(tf, case):
    x = matrix(tf)
    part = tf.sparse.slice(x, *case)
    loss = part.values * tf.cast(tf.range(tf.size(part.values)) + 1, tf.float32)
    return run(tf, [part, tf.gradients(loss, x.values)]), part.get_shape()


@program()
def splits(tf):
    x = matrix(tf)
    parts = tf.sparse.split(sp_input=x, num_split=2, axis=1)
    rows = tf.sparse_split(sp_input=x, num_split=2, axis=0, name="rows")
    return run(tf, [parts, rows, tf.sparse.split(sp_input=x, num_split=1, axis=-1)]), [p.get_shape() for p in parts]


@program(graph=False)
def wrong_splits(tf):
    x = matrix(tf)
    return (
        attempt(tf.sparse_split, x, 2, 1), attempt(tf.sparse_split, num_split=2, axis=1),
        attempt(tf.sparse_split, sp_input=x, axis=1), attempt(tf.sparse_split, sp_input=x, num_split=2),
        attempt(run, tf, tf.sparse_split(sp_input=x, num_split=4, axis=1)),
        attempt(run, tf, tf.sparse_split(sp_input=x, num_split=1, axis=2)),
    )  # fmt: skip


@program()
def softmax(tf):
    x = matrix(tf)
    y = tf.sparse.softmax(x)
    return run(tf, [y, slopes(tf, y.values, x)])


@program()
def empty_rows(tf):
    x = tf.SparseTensor([[0, 1], [3, 0], [3, 2]], tf.constant([1.0, 2.0, 3.0]), [5, 3])
    default = tf.constant(-1.0)
    filled, empty = tf.sparse.fill_empty_rows(x, default)
    loss = filled.values * tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    words, _ = tf.sparse_fill_empty_rows(tf.SparseTensor([[1, 0]], ["a"], [3, 1]), "none")
    return run(tf, [filled, empty, tf.gradients(loss, [x.values, default]), words]), filled.values.shape, empty.shape


@program(cases=[None, 0, 1, 2, -1, -3])
def expanded(tf, axis):
    x = tf.sparse.expand_dims(matrix(tf), axis)
    return run(tf, x), x.get_shape()


@program()
def made_of_others(tf):
    dense = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    of_tensor = tf.sparse.from_dense(tf.placeholder_with_default(np.eye(3, dtype=np.int32), [None, 3]))
    square, wide = tf.sparse.eye(3), tf.sparse.eye(tf.constant(3), 2, dtype=tf.int32, name="wide")
    return run(tf, [dense, of_tensor, square, wide]), square.get_shape(), of_tensor.get_shape()


@program()
def other_shapes(tf):
    x = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [4, 5])
    least, same = tf.sparse.reset_shape(x), tf.sparse_reset_shape(x, [4, 7])
    asked = tf.sparse_reset_shape(tf.sparse_placeholder(tf.float32), tf.constant([4, 7]))
    return (
        run(tf, [least, same]), same.get_shape(), asked.get_shape(), attempt(tf.sparse_reset_shape, x, [4, 4]),
        attempt(tf.sparse_reset_shape, x, [4, 5, 6]),
    )  # fmt: skip


@program()
def transposed(tf):
    x = matrix(tf)
    y, z = tf.sparse.transpose(x), tf.sparse_transpose(tf.sparse.expand_dims(x, 0), [2, 0, 1])
    dynamic = tf.sparse_transpose(unknown(tf))
    return run(tf, [y, z]), y.get_shape(), dynamic.get_shape()


@program()
def indicators(tf):
    ids = tf.SparseTensor([[0, 0], [1, 1]], tf.constant([1, 2], tf.int64), [2, 3])
    return run(tf, [tf.sparse.to_indicator(ids, 4), tf.sparse_to_indicator(ids, tf.constant(3), name="mine")])


@program()
def as_strings(tf):
    x = matrix(tf)
    one, rows = tf.io.serialize_sparse(x), tf.serialize_many_sparse(x)
    back = tf.deserialize_many_sparse(rows, tf.float32, rank=1)
    words = tf.SparseTensor([[0, 0], [2, 1]], ["a", "bc"], [3, 2])
    again = tf.deserialize_many_sparse(tf.serialize_many_sparse(words), tf.string)
    wrong = attempt(run, tf, tf.deserialize_many_sparse(rows, tf.int32))
    return run(tf, [one, rows, back, again]), back.get_shape(), wrong
