"""Columns of features with an axis of time, and tf.contrib.feature_column.sequence_input_layer."""

import numpy as np

from tests.oracle import attempt, program


def filled(tf, tensors):
    assign = tf.group(
        *[
            tf.assign(v, np.linspace(-1 - i, 2, int(np.prod(v.shape.as_list()))).reshape(v.shape.as_list()))
            for i, v in enumerate(tf.global_variables())
        ]
    )
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        sess.run(assign)
        return sess.run(tensors)


def words(tf):
    """Two sequences: of two steps and of one."""
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "zz"], [3, 2])


@program(oracle="1.15", graph=False)
def embedding(tf):
    fc, sequence = tf.feature_column, tf.contrib.feature_column
    column = sequence.sequence_categorical_column_with_vocabulary_list("s", ["a", "b"])
    layer = sequence.sequence_input_layer({"s": words(tf)}, [fc.embedding_column(column, 3)])
    names = [v.name for v in tf.global_variables()]
    return filled(tf, layer), [x.name for x in layer], [x.shape for x in layer], names


@program(oracle="1.15", graph=False)
def indicator(tf):
    fc, sequence = tf.feature_column, tf.contrib.feature_column
    column = sequence.sequence_categorical_column_with_hash_bucket("s", 4)
    layer = sequence.sequence_input_layer({"s": words(tf)}, fc.indicator_column(column))
    return filled(tf, layer), [x.name for x in layer]


@program(oracle="1.15", graph=False, cases={"one": 1, "pair": 2, "grid": (2, 1)})
def numbers(tf, case):
    column = tf.contrib.feature_column.sequence_numeric_column("x", shape=case, default_value=-1.0)
    x = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 4])
    return filled(tf, tf.contrib.feature_column.sequence_input_layer({"x": x}, [column]))


@program(oracle="1.15", graph=False)
def numbers_with_a_function(tf):
    def halved(x):
        return tf.SparseTensor(x.indices, tf.to_float(x.values) / 2.0, x.dense_shape)

    sequence = tf.contrib.feature_column
    column = sequence.sequence_numeric_column("x", dtype=tf.int64, normalizer_fn=halved)
    x = tf.SparseTensor([[0, 0, 0], [0, 1, 0], [1, 0, 0]], np.array([3, 4, 5]), [2, 2, 1])
    return filled(tf, sequence.sequence_input_layer({"x": x}, [column]))


@program(oracle="1.15", graph=False)
def several(tf):
    """Columns side by side, in the order of their names; several values a step."""
    fc, sequence = tf.feature_column, tf.contrib.feature_column
    ids = sequence.sequence_categorical_column_with_identity("i", 5, default_value=0)
    i = tf.SparseTensor([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]], np.array([1, 2, 4, 9]), [2, 2, 2])
    x = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    columns = [sequence.sequence_numeric_column("x"), fc.embedding_column(ids, 2, combiner="sum")]
    columns += fc.shared_embedding_columns([sequence.sequence_categorical_column_with_identity("k", 5)], 2)
    return filled(tf, sequence.sequence_input_layer({"i": i, "x": x, "k": i}, columns))


@program(oracle="1.15", graph=False, messages=[])
def what_cannot_be(tf):
    fc, sequence = tf.feature_column, tf.contrib.feature_column
    layer, features = sequence.sequence_input_layer, {"s": words(tf), "i": tf.constant([[1, 2]])}
    plain = fc.categorical_column_with_identity("i", 3)
    text = sequence.sequence_categorical_column_with_hash_bucket("s", 4)
    tries = [
        (layer, features, []), (layer, features, [fc.numeric_column("i")]), (layer, features, [text]),
        (layer, features, [fc.indicator_column(plain)]), (layer, features, [fc.embedding_column(plain, 2)]),
        (layer, features, fc.shared_embedding_columns([plain], 2)),
        (layer, features, [sequence.sequence_numeric_column("missing")]),
        (sequence.sequence_numeric_column, "x", 0), (sequence.sequence_numeric_column, "x", 1, 0.0, tf.string),
    ]  # fmt: skip
    return [attempt(*each) for each in tries]


@program(oracle="1.15", graph=False, messages=[])
def lengths_differ(tf):
    sequence = tf.contrib.feature_column
    a = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    b = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [1.0, 2.0, 3.0], [2, 2])
    columns = [sequence.sequence_numeric_column(key) for key in "ab"]
    with tf.Session() as sess:
        return attempt(sess.run, sequence.sequence_input_layer({"a": a, "b": b}, columns))
