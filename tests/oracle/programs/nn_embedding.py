"""Embedding lookups in one table and in several, by both strategies, sparse ones, and the ops under them."""

from __future__ import annotations

import warnings

import numpy as np

from tests.oracle import attempt, program

TABLE = np.arange(30, dtype=np.float32).reshape(10, 3) / 4
IDS = [[1, 9], [0, 4]]


@program()
def one_table(tf):
    table = tf.constant(TABLE, name="table")
    ys = [
        tf.nn.embedding_lookup(table, tf.constant(IDS)),
        tf.nn.embedding_lookup(table, [2, 3], name="mine"),
        tf.nn.embedding_lookup([table], 5),
        tf.nn.embedding_lookup(table, tf.constant([1, 2], tf.int64), "div"),
        tf.nn.embedding_lookup(TABLE, [1]),
        tf.nn.embedding_lookup(table, np.zeros([0, 2], np.int32), validate_indices=False),
        tf.nn.embedding_lookup([TABLE], [1, 1]),
    ]
    nothing = attempt(tf.nn.embedding_lookup, table, [], name="nothing")
    tables = attempt(tf.nn.embedding_lookup, (table,), [1, 1])
    with tf.Session() as sess:
        return ys, nothing, tables, sess.run(ys)


@program(cases=[True, False])
def one_variable(tf, case):
    table = tf.get_variable("table", initializer=TABLE, use_resource=case)
    y = tf.nn.embedding_lookup(table, tf.constant(IDS))
    clipped = tf.nn.embedding_lookup(table, [1, 9], max_norm=2.0)
    with tf.Session() as sess:
        sess.run(table.initializer)
        return y, clipped, sess.run([y, clipped])


@program()
def devices_and_scopes(tf):
    with tf.device("/cpu:0"):
        table = tf.get_variable("table", initializer=TABLE)
    with tf.name_scope("layer"), tf.device("/cpu:1"):
        y = tf.nn.embedding_lookup(table, [1, 2])
    return y, y.op.inputs[0].op.colocation_groups()


@program()
def max_norm(tf):
    table = tf.constant(TABLE, name="table")
    ids = tf.placeholder(tf.int32)
    ys = [
        tf.nn.embedding_lookup(table, [1, 9], max_norm=1.0),
        tf.nn.embedding_lookup(table, tf.constant(IDS), max_norm=3, name="mine"),
        tf.nn.embedding_lookup(table, ids, max_norm=1.0),
        tf.nn.embedding_lookup(table, 3, max_norm=tf.constant(1.0)),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys, {ids: [1, 2]})


@program(cases=["mod", "div"])
def several_tables(tf, case):
    ways = [TABLE[0::3], TABLE[1::3], TABLE[2::3]] if case == "mod" else [TABLE[:4], TABLE[4:7], TABLE[7:]]
    tables = [tf.constant(part, name="part") for part in ways]
    ids = tf.placeholder(tf.int64, [None, 2])
    ys = [
        tf.nn.embedding_lookup(tables, tf.constant(IDS), partition_strategy=case),
        tf.nn.embedding_lookup(tables, [0, 1, 2, 9], case, name="mine"),
        tf.nn.embedding_lookup(tables, ids, partition_strategy=case),
        tf.nn.embedding_lookup(tables, tf.constant(IDS), partition_strategy=case, max_norm=2.0),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys, {ids: IDS})


@program(cases=["mod", "div"])
def several_tables_of_unknown_size(tf, case):
    ways = [TABLE[0::2], TABLE[1::2]] if case == "mod" else [TABLE[:5], TABLE[5:]]
    tables = [tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, None])]
    deep = [tf.placeholder(tf.float32), tf.placeholder(tf.float32)]
    y = tf.nn.embedding_lookup(tables, tf.constant(IDS), partition_strategy=case)
    z = attempt(tf.nn.embedding_lookup, deep, tf.placeholder(tf.int32), partition_strategy=case)
    with tf.Session() as sess:
        return y, z, sess.run(y, dict(zip(tables, ways)))


@program()
def variables_and_a_partitioned_one(tf):
    a = [tf.get_variable("v" + str(i), initializer=TABLE[i::2]) for i in range(2)]
    whole = tf.get_variable("whole", initializer=tf.constant(TABLE), partitioner=tf.fixed_size_partitioner(3))
    ys = [
        tf.nn.embedding_lookup(a, [0, 3, 9]),
        tf.nn.embedding_lookup(whole, [0, 3, 9], partition_strategy="div"),
    ]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return ys, sess.run(ys)


@program(graph=False)
def lookup_mistakes(tf):
    table, f = tf.constant(TABLE), tf.nn.embedding_lookup
    return [
        attempt(f, None, [1]),
        attempt(f, [], [1]),
        attempt(f, table, None),
        attempt(f, table, [1.5]),
        attempt(f, table, ["a"]),
        attempt(f, [table, table], [1], partition_strategy="rows"),
        attempt(f, [table, tf.zeros([10, 4])], [1]),
        attempt(f, [table, tf.zeros([10, 3], tf.float64)], [1]),
        attempt(f, tf.constant(1.0), [1]),
        f(tf.placeholder(tf.float32, [None, 7]), tf.placeholder(tf.int32, [None, 3])).shape,
        f(tf.placeholder(tf.float32), tf.placeholder(tf.int32, [3])).shape,
    ]


@program(cases=[10, -1], messages=["[0, 10)"])
def id_out_of_range(tf, case):
    ids = tf.placeholder(tf.int32)
    y = tf.nn.embedding_lookup(tf.constant(TABLE), ids)
    with tf.Session() as sess:
        return sess.run(y, {ids: [0, case]})


def sparse(tf, weights=False):
    indices, shape = [[0, 0], [0, 1], [2, 0], [3, 0], [3, 2]], [4, 3]
    ids = tf.SparseTensor(indices, tf.constant([1, 3, 0, 9, 9], tf.int64), shape)
    if not weights:
        return ids, None
    return ids, tf.SparseTensor(indices, tf.constant([2.0, 0.5, 1.0, -1.0, 4.0]), shape)


@program(cases=["sum", "mean", "sqrtn", "default"])
def sparse_lookup(tf, case):
    table = tf.constant(TABLE, name="table")
    combiner = {} if case == "default" else {"combiner": case}
    f = tf.nn.embedding_lookup_sparse
    ys = [
        f(table, *sparse(tf), **combiner),
        f(table, *sparse(tf, True), name="mine", **combiner),
        f([tf.constant(TABLE[0::2]), tf.constant(TABLE[1::2])], *sparse(tf), **combiner),
        f([tf.constant(TABLE[0::2]), tf.constant(TABLE[1::2])], *sparse(tf, True), **combiner),
        f(table, *sparse(tf), max_norm=2.0, **combiner),
        f(table, *sparse(tf, True), max_norm=2.0, **combiner),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(graph=False)
def sparse_lookup_mistakes(tf):
    table, f = tf.constant(TABLE), tf.nn.embedding_lookup_sparse
    ids, weights = sparse(tf, True)
    return [
        attempt(f, table, ids, None, combiner="max"),
        attempt(f, table, [1, 2], None),
        attempt(f, table, ids, [1.0]),
        attempt(f, [], ids, None),
        attempt(f, None, ids, None),
        attempt(f, table, ids, tf.SparseTensor([[0, 0]], [1.0], [4, 3])),
    ]


def gappy(tf, weights=False, rank=2):
    """Ids with an empty row, an id below zero, and weights of which some are not above zero."""
    if rank == 2:
        indices, shape = [[0, 0], [0, 1], [1, 0], [3, 0], [3, 2]], [5, 3]
    else:
        indices, shape = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 1, 2]], [2, 2, 3]
    ids = tf.SparseTensor(indices, tf.constant([1, 3, -1, 9, 8], tf.int64), shape)
    if not weights:
        return ids, None
    return ids, tf.SparseTensor(indices, tf.constant([2.0, 0.5, 1.0, -1.0, 4.0]), shape)


@program(cases=["sum", "mean", "sqrtn"])
def safe_lookup(tf, case):
    table, f = tf.constant(TABLE, name="table"), tf.nn.safe_embedding_lookup_sparse
    halves = [tf.constant(TABLE[:5]), tf.constant(TABLE[5:])]
    ys = [
        f(table, *gappy(tf), combiner=case),
        f(table, *gappy(tf, True), combiner=case, name="mine"),
        f([table], *gappy(tf, True), combiner=case, default_id=2, name="other"),
        f(halves, *gappy(tf, rank=3), combiner=case),
        f(halves, *gappy(tf, True, rank=3), combiner=case, default_id=9, max_norm=2.0),
        f([tf.constant(TABLE[0::2]), tf.constant(TABLE[1::2])], *gappy(tf), case, partition_strategy="mod"),
    ]
    slopes = tf.gradients(ys[1], table)
    with tf.Session() as sess:
        return ys, slopes, sess.run(ys)


@program(cases=["resource", "reference", "parts"])
def safe_lookup_variables(tf, case):
    parts = tf.fixed_size_partitioner(2) if case == "parts" else None
    table = tf.get_variable(
        "table", [10, 3], initializer=tf.ones_initializer(), use_resource=case == "resource", partitioner=parts
    )
    ids = tf.sparse_placeholder(tf.int64, name="ids")
    y, z = tf.nn.safe_embedding_lookup_sparse(table, ids), tf.nn.safe_embedding_lookup_sparse(table, *gappy(tf, True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows made dense, of unknown size: 2.21 no longer warns
        step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(z))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        fed = {ids: ([[0, 0], [2, 1]], [3, -4], [3, 2])}
        return y, z, sess.run([y, z], fed), sess.run(step), sess.run([y, z], fed)


@program(graph=False)
def safe_lookup_mistakes(tf):
    table, f = tf.constant(TABLE), tf.nn.safe_embedding_lookup_sparse
    ids, weights = gappy(tf, True)
    return [
        attempt(f, None, ids),
        attempt(f, [], ids),
        attempt(f, table, ids, combiner="max"),
        attempt(f, table, ids, tf.SparseTensor([[0, 0]], [1.0], [4, 3])),
        attempt(f, table, tf.SparseTensor([[0, 0]], [1.0], [4, 3])),
        attempt(f, table, ids, tf.SparseTensor(weights.indices, tf.constant([1, 1, 1, 1, 1]), [5, 3])),
    ]


# ---- partition and stitch


@program()
def dynamic_partition(tf):
    data = tf.constant(np.arange(12, dtype=np.float32).reshape(6, 2), name="data")
    ys = [
        tf.dynamic_partition(data, [0, 2, 0, 1, 2, 2], 3),
        tf.dynamic_partition([10, 20, 30], [1, 1, 1], num_partitions=2, name="mine"),
        tf.dynamic_partition(tf.constant([[1, 2], [3, 4]]), [[0, 1], [1, 0]], 2),
        tf.dynamic_partition(tf.constant(["a", "b"]), [1, 0], 2),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(cases=["dynamic_stitch", "parallel"])
def dynamic_stitch(tf, case):
    f = tf.dynamic_stitch if case == "dynamic_stitch" else None
    if f is None:

        def f(indices, data, name=None):
            return tf.raw_ops.ParallelDynamicStitch(indices=indices, data=data, name=name)

    ys = [
        f([[0, 2], [1, 4]], [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]),
        f([6, [4, 1], [[5, 2], [0, 3]]], [[61, 62], [[41, 42], [11, 12]], [[[51, 52], [21, 22]], [[1, 2], [31, 32]]]]),
        f([[0, 1], [1, 2]], [[1, 2], [3, 4]], name="later_wins"),
        f([tf.placeholder(tf.int32)], [tf.placeholder(tf.float32)]),
        f([tf.placeholder(tf.int32, [3])], [tf.placeholder(tf.float32, [3, None, 5])]),
        f([tf.placeholder(tf.int32, [3]), [7]], [tf.placeholder(tf.float32, [3, 5]), tf.placeholder(tf.float32)]),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys[:3])


@program(graph=False)
def partition_and_stitch_mistakes(tf):
    f, g = tf.dynamic_partition, tf.dynamic_stitch
    data = tf.placeholder(tf.float32, [4, 2])
    return [
        [part.shape for part in f(tf.placeholder(tf.float32), tf.placeholder(tf.int32), 2)],
        [part.shape for part in f(data, tf.placeholder(tf.int32), 2)],
        [part.shape for part in f(tf.placeholder(tf.float32, [None, 3, 2]), tf.placeholder(tf.int32, [None, 3]), 2)],
        attempt(f, data, [0, 1], 2),
        attempt(f, data, [0, 1, 0, 1], 0),
        attempt(f, data, [0.0, 1.0], 2),
        attempt(f, data, tf.placeholder(tf.int32, [4, 3]), 2),
        attempt(g, [[0, 1]], [[1.0]]),
        attempt(g, [[0, 1], [2]], [[1.0, 2.0]]),
        attempt(g, [], []),
        attempt(g, [[0], [1]], [[[1.0, 2.0]], [[1.0]]]),
        attempt(g, [0], [[[1.0]], [2.0]]),
    ]


@program(cases=[3, -1], messages=["partitions"])
def partition_out_of_range(tf, case):
    p = tf.placeholder(tf.int32)
    y = tf.dynamic_partition([1.0, 2.0], p, 3)
    with tf.Session() as sess:
        return sess.run(y, {p: [0, case]})


@program(messages=[])
def stitch_index_below_zero(tf):
    p = tf.placeholder(tf.int32)
    y = tf.dynamic_stitch([p], [tf.placeholder_with_default([1.0, 2.0], [2])])
    with tf.Session() as sess:
        return sess.run(y, {p: [0, -1]})


@program(messages=[])
def partition_of_other_sizes(tf):
    p = tf.placeholder(tf.int32)
    y = tf.dynamic_partition([1.0, 2.0], p, 3)
    with tf.Session() as sess:
        return sess.run(y, {p: [0, 1, 2]})
