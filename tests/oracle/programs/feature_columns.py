"""tf.feature_column: what columns make of features, each in an input layer; their names, and what is refused."""

import os
import tempfile

import numpy as np

from tests.oracle import attempt, program


def run(tf, tensors, feed=None):
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return sess.run(tensors, feed)


def fill(tf):
    """Every variable gets numbers of its own, so that values show which of them are used."""
    return tf.group(
        *[
            tf.assign(v, np.linspace(-1 - i, 2, int(np.prod(v.shape.as_list()))).reshape(v.shape.as_list()))
            for i, v in enumerate(tf.global_variables())
        ]
    )


def filled(tf, tensor, feed=None):
    assign = fill(tf)
    with tf.Session() as sess:
        sess.run(tf.tables_initializer())
        sess.run(assign)
        return sess.run(tensor, feed)


def text(tf, dense=True):
    """A feature of strings; sparse, with a row that has none, or dense."""
    if dense:
        return tf.constant([["a", "b"], ["c", ""], ["zz", "a"]])
    return tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["b", "zz", "a"], [3, 2])


# -- columns, each in an input layer -----------------------------------------------------------------------------------


NUMERIC = {
    "plain": {},
    "shape": {"shape": (2, 2)},
    "one": {"shape": 4},
    "normalizer": {"shape": [4], "normalizer_fn": lambda x: (x - 3.0) / 2.0},
}


@program(cases=NUMERIC)
def numeric(tf, case):
    column = tf.feature_column.numeric_column("x", **case)
    count = int(np.prod(case.get("shape", 1)))
    x = np.arange(3 * count).reshape((3,) + np.empty(case.get("shape", 1)).shape)
    return run(tf, tf.feature_column.input_layer({"x": tf.constant(x, tf.int32)}, [column]))


@program()
def numeric_of_a_vector(tf):
    """A feature without a second axis gets one."""
    column = tf.feature_column.numeric_column("x", dtype=tf.float64)
    return run(tf, tf.feature_column.input_layer({"x": tf.constant([1.5, 2.5])}, column))


@program()
def numeric_of_unknown_rank(tf):
    x = tf.placeholder(tf.float32)
    y = tf.feature_column.input_layer({"x": x}, [tf.feature_column.numeric_column("x")])
    return run(tf, y, {x: [[1.0], [2.0]]}), run(tf, y, {x: [3.0]}), y.shape


@program()
def bucketized(tf):
    x = tf.feature_column.numeric_column("x", shape=(2,))
    column = tf.feature_column.bucketized_column(x, [0, 1.5, 10])
    return run(tf, tf.feature_column.input_layer({"x": tf.constant([[-1.0, 0.0], [1.5, 11.0]])}, [column, x]))


@program(cases=[True, False])
def identity(tf, case):
    column = tf.feature_column.categorical_column_with_identity("i", 4, default_value=1 if case else None)
    indicator = tf.feature_column.indicator_column(column)
    return run(tf, tf.feature_column.input_layer({"i": tf.constant([[0, 3], [2, -1]])}, [indicator]))


@program()
def identity_of_what_is_outside(tf):
    column = tf.feature_column.categorical_column_with_identity("i", 3, default_value=2)
    ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([-5, 77, 0], tf.int64), [2, 2])
    return run(tf, tf.feature_column.input_layer({"i": ids}, [tf.feature_column.indicator_column(column)]))


VOCABULARIES = {
    "plain": {},
    "default": {"default_value": 1},
    "oov": {"num_oov_buckets": 3},
    "sparse": {"dense": False},
}


@program(cases=VOCABULARIES)
def vocabulary_list(tf, case):
    options = dict(case)
    feature = text(tf, options.pop("dense", True))
    column = tf.feature_column.categorical_column_with_vocabulary_list("s", ["a", "b", "c"], **options)
    return run(tf, tf.feature_column.input_layer({"s": feature}, [tf.feature_column.indicator_column(column)]))


@program()
def vocabulary_of_numbers(tf):
    column = tf.feature_column.categorical_column_with_vocabulary_list("n", [10, 20, 30], dtype=tf.int32)
    feature = tf.constant([[20, 5], [-1, 30]], tf.int32)
    return run(tf, tf.feature_column.input_layer({"n": feature}, [tf.feature_column.indicator_column(column)]))


@program(cases=[{}, {"vocabulary_size": 2}, {"num_oov_buckets": 2}, {"default_value": 0}], graph=False)
def vocabulary_file(tf, case):
    path = os.path.join(tempfile.mkdtemp(), "words.txt")
    with open(path, "w") as file:
        file.write("a\nb\nc\n")
    column = tf.feature_column.categorical_column_with_vocabulary_file("s", path, **case)
    layer = tf.feature_column.input_layer({"s": text(tf)}, [tf.feature_column.indicator_column(column)])
    return run(tf, layer), layer.shape, [(op.type, op.name) for op in tf.get_default_graph().get_operations()]


@program(cases=["string", "int64"])
def hash_bucket(tf, case):
    column = tf.feature_column.categorical_column_with_hash_bucket("h", 7, dtype=tf.as_dtype(case))
    feature = text(tf) if case == "string" else tf.constant([[1, 2], [-1, 1000]], tf.int64)
    return run(tf, tf.feature_column.input_layer({"h": feature}, [tf.feature_column.indicator_column(column)]))


@program()
def indicator_of_weights(tf):
    ids = tf.feature_column.categorical_column_with_vocabulary_list("s", ["a", "b", "c", "zz"])
    column = tf.feature_column.indicator_column(tf.feature_column.weighted_categorical_column(ids, "w"))
    weights = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [0.5, -2.0, 3.0], [3, 2])
    return run(tf, tf.feature_column.input_layer({"s": text(tf, False), "w": weights}, column))


@program(cases=["mean", "sqrtn", "sum"])
def embedding(tf, case):
    ids = tf.feature_column.categorical_column_with_vocabulary_list("s", ["a", "b", "c"])
    column = tf.feature_column.embedding_column(ids, 2, combiner=case)
    return filled(tf, tf.feature_column.input_layer({"s": text(tf, False)}, [column]))


@program(random=True)
def embedding_initial(tf):
    """What it starts from: a truncated normal."""
    ids = tf.feature_column.categorical_column_with_hash_bucket("s", 20)
    layer = tf.feature_column.input_layer({"s": text(tf)}, [tf.feature_column.embedding_column(ids, 5)])
    return run(tf, [layer, tf.trainable_variables()[0]])


@program()
def embedding_options(tf):
    ids = tf.feature_column.categorical_column_with_identity("i", 4)
    column = tf.feature_column.embedding_column(
        ids, 3, initializer=tf.constant_initializer(2.0), max_norm=1.5, trainable=False
    )
    layer = tf.feature_column.input_layer({"i": tf.constant([[0, 3], [2, -1]])}, [column])
    return run(tf, layer), tf.trainable_variables(), [v.name for v in tf.global_variables()]


@program()
def embedding_of_weights(tf):
    ids = tf.feature_column.categorical_column_with_identity("i", 4)
    weighted = tf.feature_column.weighted_categorical_column(ids, "w", dtype=tf.int64)
    column = tf.feature_column.embedding_column(weighted, 2)
    features = {"i": tf.constant([[0, 3], [2, -1]]), "w": tf.constant([[2, 1], [3, 0]], tf.int64)}
    return filled(tf, tf.feature_column.input_layer(features, [column]))


@program(graph=False)
def embedding_from_a_checkpoint(tf):
    path = os.path.join(tempfile.mkdtemp(), "model")
    with tf.Graph().as_default():
        v = tf.get_variable("table", initializer=np.arange(8, dtype=np.float32).reshape(4, 2))
        with tf.Session() as sess:
            sess.run(v.initializer)
            tf.train.Saver().save(sess, path)
    ids = tf.feature_column.categorical_column_with_identity("i", 4)
    column = tf.feature_column.embedding_column(ids, 2, ckpt_to_load_from=path, tensor_name_in_ckpt="table")
    layer = tf.feature_column.input_layer({"i": tf.constant([[0], [3]])}, [column])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(layer)


@program()
def shared_embeddings(tf):
    a = tf.feature_column.categorical_column_with_identity("a", 4)
    b = tf.feature_column.categorical_column_with_identity("b", 4)
    columns = tf.feature_column.shared_embedding_columns([b, a], dimension=2)
    features = {"a": tf.constant([[0], [3]]), "b": tf.constant([[1, 2], [3, -1]])}
    layer = tf.feature_column.input_layer(features, columns)
    names = [column.name for column in columns]
    return filled(tf, layer), names, [v.name for v in tf.global_variables()]


@program()
def shared_embeddings_named(tf):
    a = tf.feature_column.categorical_column_with_identity("a", 4)
    b = tf.feature_column.weighted_categorical_column(tf.feature_column.categorical_column_with_identity("b", 4), "w")
    columns = tf.feature_column.shared_embedding_columns(
        [a, b], 3, combiner="sum", initializer=tf.ones_initializer(), shared_embedding_collection_name="both"
    )
    features = {"a": tf.constant([[0], [3]]), "b": tf.constant([[1], [3]]), "w": tf.constant([[0.5], [2.0]])}
    with tf.variable_scope("model"):
        layer = tf.feature_column.input_layer(features, columns)
    return run(tf, layer), [v.name for v in tf.get_collection("both")]


@program()
def crossed(tf):
    column = tf.feature_column.crossed_column(["s", "t"], 50)
    features = {"s": text(tf), "t": tf.constant([["x"], ["y"], ["z"]])}
    return run(tf, tf.feature_column.input_layer(features, [tf.feature_column.indicator_column(column)]))


@program()
def crossed_of_columns(tf):
    """Strings, categories, buckets, and another cross, which is crossed at once."""
    number = tf.feature_column.numeric_column("n")
    bucket = tf.feature_column.bucketized_column(number, [0.0, 5.0])
    ids = tf.feature_column.categorical_column_with_identity("i", 4)
    inner = tf.feature_column.crossed_column([bucket, "s"], 30)
    column = tf.feature_column.crossed_column([inner, ids], 20, hash_key=7)
    features = {"n": tf.constant([[1.0], [7.0], [-1.0]]), "i": tf.constant([[0], [1], [2]]), "s": text(tf, False)}
    layer = tf.feature_column.input_layer(features, [tf.feature_column.indicator_column(column)])
    return run(tf, layer), column.name


# -- what columns are --------------------------------------------------------------------------------------------------


def all_kinds(tf):
    fc = tf.feature_column
    number = fc.numeric_column("n", shape=(2,))
    words = fc.categorical_column_with_vocabulary_list("s", ["a", "b", "c"], num_oov_buckets=1)
    ids = fc.categorical_column_with_identity("i", 4)
    columns = {
        "number": number,
        "bucket": fc.bucketized_column(number, [0.0, 3.0]),
        "words": words,
        "ids": ids,
        "hashed": fc.categorical_column_with_hash_bucket("h", 5),
        "weighted": fc.weighted_categorical_column(ids, "w"),
        "crossed": fc.crossed_column([words, "h"], 9),
    }
    features = {
        "n": tf.constant([[1.0, 7.0], [-1.0, 3.0], [0.5, 0.0]]),
        "s": text(tf, False),
        "i": tf.constant([[0, 1], [2, 3], [-1, 0]]),
        "h": text(tf),
        "w": tf.constant([[0.5, 1.5], [2.0, -3.0], [0.0, 4.0]]),
    }
    return columns, features


@program()
def names_and_fields(tf):
    columns, _ = all_kinds(tf)
    fc = tf.feature_column
    named = list(columns.values()) + [
        fc.indicator_column(columns["words"]),
        fc.embedding_column(columns["hashed"], 2),
        fc.sequence_categorical_column_with_identity("q", 3),
        fc.sequence_numeric_column("u", shape=2),
    ]
    columns = [type(column).__name__ for column in named], [column.name for column in named]
    return columns, [column._fields[:8] for column in named], str(fc.numeric_column("n")), named[3][1:]


@program()
def equality(tf):
    fc = tf.feature_column
    a, b = fc.numeric_column("n"), fc.numeric_column("n")
    c = fc.numeric_column("n", shape=2)
    return a == b, a == c, hash(a) == hash(b), len({a, b, c}), a < c, sorted([c, a]) == [a, c]


# -- what is refused ---------------------------------------------------------------------------------------------------


@program(messages=[])
def columns_that_cannot_be(tf):
    fc = tf.feature_column
    n, i = fc.numeric_column("n"), fc.categorical_column_with_identity("i", 3)
    h = fc.categorical_column_with_hash_bucket("h", 3)
    tries = [
        (fc.numeric_column, "n", 0), (fc.numeric_column, "n", 1.5), (fc.numeric_column, 3),
        (fc.numeric_column, "n", 1, None, tf.string), (fc.numeric_column, "n", 2, [1.0]),
        (fc.numeric_column, "n", 1, "x"), (fc.numeric_column, "n", 1, 1.5, tf.int32),
        (fc.numeric_column, "n", 1, None, tf.float32, 3),
        (fc.bucketized_column, i, [1]), (fc.bucketized_column, fc.numeric_column("n", (2, 2)), [1]),
        (fc.bucketized_column, n, []), (fc.bucketized_column, n, [2, 1]), (fc.bucketized_column, n, [1, 1]),
        (fc.bucketized_column, n, 5),
        (fc.categorical_column_with_identity, "i", 0), (fc.categorical_column_with_identity, "i", 3, 3),
        (fc.categorical_column_with_identity, "i", 3, -1), (fc.categorical_column_with_identity, ("i",), 3),
        (fc.categorical_column_with_hash_bucket, "h", None), (fc.categorical_column_with_hash_bucket, "h", 0),
        (fc.categorical_column_with_hash_bucket, "h", 3, tf.float32), (fc.categorical_column_with_hash_bucket, 1, 3),
        (fc.categorical_column_with_vocabulary_list, "s", []), (fc.categorical_column_with_vocabulary_list, "s", None),
        (fc.categorical_column_with_vocabulary_list, "s", ["a", "a"]),
        (fc.categorical_column_with_vocabulary_list, "s", ["a"], tf.int32),
        (fc.categorical_column_with_vocabulary_list, "s", [1.5]),
        (fc.categorical_column_with_vocabulary_list, "s", ["a"], None, 0, 1),
        (fc.categorical_column_with_vocabulary_list, "s", ["a"], None, -1, -1),
        (fc.categorical_column_with_vocabulary_file, "s", ""),
        (fc.categorical_column_with_vocabulary_file, "s", "/no/such/file"),
        (fc.categorical_column_with_vocabulary_file, "s", "file", 0),
        (fc.categorical_column_with_vocabulary_file, "s", "file", 1, 1, 1),
        (fc.categorical_column_with_vocabulary_file, "s", "file", 1, -1),
        (fc.categorical_column_with_vocabulary_file, "s", "file", 1, 0, None, tf.float32),
        (fc.embedding_column, i, None), (fc.embedding_column, i, 0), (fc.embedding_column, i, 2, "mean", 3),
        (fc.embedding_column, i, 2, "mean", None, "path"),
        (fc.shared_embedding_columns, [i, h], 2), (fc.shared_embedding_columns, [i], 0),
        (fc.shared_embedding_columns, [i, fc.categorical_column_with_identity("j", 4)], 2),
        (fc.weighted_categorical_column, i, "w", tf.string), (fc.weighted_categorical_column, i, "w", None),
        (fc.crossed_column, ["a", "b"], 0), (fc.crossed_column, ["a"], 5), (fc.crossed_column, ["a", n], 5),
        (fc.crossed_column, ["a", h], 5), (fc.crossed_column, None, 5),
        (fc.sequence_numeric_column, "n", 0), (fc.sequence_numeric_column, "n", 1, 0.0, tf.string),
        (fc.sequence_numeric_column, "n", 1, 0.0, tf.float32, 1),
    ]  # fmt: skip
    return [attempt(*each) for each in tries]
