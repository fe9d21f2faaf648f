"""tf.sparse.cross and tf.sparse.cross_hashed: combinations of features, as text and as 64-bit hashes."""

import numpy as np

from tests.oracle import attempt, program


def sparse(tf, rows, dtype):
    """A sparse tensor [len(rows), longest] with these rows."""
    places = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = [value for row in rows for value in row]
    longest = max(len(row) for row in rows)
    return tf.SparseTensor(np.array(places, np.int64).reshape(-1, 2), tf.constant(values, dtype), [len(rows), longest])


def run(tf, *tensors):
    with tf.Session() as sess:
        return [sess.run([x.indices, x.values, x.dense_shape]) for x in tensors]


@program()
def text_of_dense_strings(tf):
    a = tf.constant([["a"], ["b"]])
    b = tf.constant([["x", "y"], ["z", ""]])
    return run(tf, tf.sparse.cross([a, b]))


@program()
def text_of_numbers(tf):
    a = tf.constant([[1, -2], [3, 4]])
    b = tf.constant([["x"], ["z"]])
    return run(tf, tf.sparse.cross([a, b], name="crossed"), tf.sparse.cross([b, a, b]))


@program()
def text_of_sparse_and_dense(tf):
    """Sparse inputs come first; a row that lacks one has no combination."""
    a = sparse(tf, [["a", "b"], [], ["c"]], tf.string)
    b = tf.constant([["x"], ["y"], ["z"]])
    c = sparse(tf, [[1], [2], [3, 4]], tf.int64)
    return run(tf, tf.sparse.cross([b, a, c]))


@program()
def hashed_strings(tf):
    a = tf.constant(
        [["batch1-FC1-F1", ""], ["batch2-FC1-F1", "a longer text, of more than thirty-two bytes, as it is"]]
    )
    b = tf.constant([["batch1-FC2-F1"], ["b" * 70]])
    return run(
        tf,
        tf.sparse.cross_hashed([a, b]),
        tf.sparse.cross_hashed([a, b], num_buckets=100),
        tf.sparse.cross_hashed([a, b], num_buckets=1000, hash_key=123, name="own"),
    )


@program()
def hashed_numbers(tf):
    """Numbers are their own fingerprints."""
    a = tf.constant([[1, -7], [2**31 - 1, 0]], tf.int32)
    b = sparse(tf, [[2**62, -1], [5]], tf.int64)
    c = tf.constant([["x"], ["y"]])
    return run(
        tf,
        tf.sparse.cross_hashed([a, b]),
        tf.sparse.cross_hashed([a, b, c], num_buckets=17),
        tf.sparse.cross_hashed([c, b], num_buckets=1),
    )


@program()
def of_nothing(tf):
    a = tf.constant(np.zeros([0, 2], np.int64))
    b = sparse(tf, [[], []], tf.string)
    c = tf.constant([["x"], ["y"]])
    return run(tf, tf.sparse.cross_hashed([a, a], num_buckets=5), tf.sparse.cross([b, c]))


@program()
def static_shapes(tf):
    a, b = tf.placeholder(tf.string, [None, 3]), tf.sparse_placeholder(tf.int64)
    x = tf.sparse.cross_hashed([a, b], num_buckets=5)
    return [x.indices.shape, x.values.shape, x.dense_shape.shape, x.get_shape(), x.values.dtype]


@program(messages=[])
def what_cannot_be(tf):
    a = tf.constant([["a"], ["b"]])
    return [
        attempt(tf.sparse.cross, a),
        attempt(tf.sparse.cross, "abc"),
        attempt(tf.sparse.cross_hashed, {"a": a}),
        attempt(tf.sparse.cross_hashed, [a], num_buckets=-1),
    ]


@program(cases={"rows": [2, 3], "rank": [2, None]}, messages=[])
def runs_fail(tf, case):
    first, second = tf.placeholder(tf.string), tf.placeholder(tf.string)
    crossed = tf.sparse.cross([first, second]).values
    other = np.array(["x"]) if case[1] is None else np.full([case[1], 1], "x")
    with tf.Session() as sess:
        return attempt(sess.run, crossed, {first: np.full([case[0], 1], "a"), second: other})


@program(messages=[])
def sparse_shape_of_one_axis(tf):
    """A sparse input has to be a matrix."""
    x = tf.SparseTensor([[0], [1]], ["a", "b"], [2])
    with tf.Session() as sess:
        return attempt(sess.run, tf.sparse.cross([x, tf.constant([["c"], ["d"]])]).values)
