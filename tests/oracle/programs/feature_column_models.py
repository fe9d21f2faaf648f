"""tf.feature_column: the graphs of input_layer and linear_model, what they compute and learn, and what they refuse."""

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


# -- models ------------------------------------------------------------------------------------------------------------


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
def input_layer_of_all_kinds(tf):
    columns, features = all_kinds(tf)
    fc = tf.feature_column
    dense = [columns["number"], columns["bucket"]]
    dense += [fc.indicator_column(columns[key]) for key in ("words", "crossed")]
    dense += [fc.embedding_column(columns[key], 2) for key in ("hashed", "weighted", "bucket", "ids")]
    to_vars, to_tensors = {}, {}
    layer = fc.input_layer(
        features, dense, cols_to_vars=to_vars, cols_to_output_tensors=to_tensors, weight_collections=["mine"]
    )
    return (
        filled(tf, layer),
        sorted((c.name, [v.name for v in vs]) for c, vs in to_vars.items()),
        sorted((c.name, t.name) for c, t in to_tensors.items()),
        [[v.name for v in tf.get_collection(key)] for key in ("mine", "model_variables", "variables")],
    )


@program(cases={"one": {}, "three": {"units": 3}, "mean": {"sparse_combiner": "mean"}, "fixed": {"trainable": False}})
def linear_model_of_all_kinds(tf, case):
    columns, features = all_kinds(tf)
    found = {}
    y = tf.feature_column.linear_model(features, list(columns.values()), cols_to_vars=found, **case)
    names = sorted((getattr(c, "name", c), [v.name for v in vs]) for c, vs in found.items())
    collections = [[v.name for v in tf.get_collection(key)] for key in ("model_variables", "trainable_variables")]
    return filled(tf, y), y.shape, names, collections


@program()
def models_twice(tf):
    """A second model has variables and names of its own; a scope that reuses has not."""
    columns, features = all_kinds(tf)
    few = [columns["number"], columns["ids"]]
    dense = [columns["number"], tf.feature_column.embedding_column(columns["ids"], 2)]
    results = [tf.feature_column.linear_model(features, few), tf.feature_column.linear_model(features, few[:1])]
    results += [tf.feature_column.input_layer(features, dense) for _ in range(2)]
    with tf.variable_scope("outer"):
        results.append(tf.feature_column.linear_model(features, few, weight_collections=["mine"]))
        results.append(tf.feature_column.input_layer(features, dense))
    return filled(tf, results), [v.name for v in tf.global_variables()], len(tf.get_collection("mine"))


@program()
def linear_model_of_values(tf):
    """Features that are arrays, lists, and the value of a sparse tensor."""
    fc = tf.feature_column
    features = {
        "x": np.array([[1.0], [2.0]], np.float32),
        "l": [[3.0], [4.0]],
        "s": tf.SparseTensorValue(np.array([[0, 0], [1, 0]]), np.array([1, 2]), np.array([2, 1])),
    }
    columns = [fc.numeric_column("x"), fc.numeric_column("l"), fc.categorical_column_with_identity("s", 3)]
    return filled(tf, tf.feature_column.linear_model(features, columns))


@program()
def input_layer_of_values(tf):
    fc = tf.feature_column
    features = {"x": np.array([[1.0], [2.0]], np.float32), "l": [[3.0], [4.0]]}
    return run(tf, fc.input_layer(features, [fc.numeric_column("x"), fc.numeric_column("l")]))


@program()
def models_reused(tf):
    columns, features = all_kinds(tf)
    dense = [columns["number"], tf.feature_column.embedding_column(columns["ids"], 2)]
    for reuse in (False, True):
        with tf.variable_scope("model", reuse=reuse):
            tf.feature_column.input_layer(features, dense)
    return [v.name for v in tf.global_variables()]


@program()
def models_in_a_template(tf):
    columns, features = all_kinds(tf)
    dense = [columns["number"], tf.feature_column.embedding_column(columns["ids"], 2)]
    layer = tf.make_template("net", tf.feature_column.input_layer, feature_columns=dense)
    return [layer(features).name for _ in range(2)], [v.name for v in tf.global_variables()]


@program(tol=1e-5)
def linear_model_trains(tf):
    columns, features = all_kinds(tf)
    y = tf.feature_column.linear_model(features, list(columns.values()))
    loss = tf.losses.mean_squared_error([[1.0], [2.0], [-1.0]], y)
    train = tf.train.FtrlOptimizer(0.2).minimize(loss)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        losses = [sess.run([loss, train])[0] for _ in range(5)]
        return losses, sess.run(tf.trainable_variables())


@program()
def partitioned_weights(tf):
    """A partitioner of the scope cuts the tables."""
    ids = tf.feature_column.categorical_column_with_identity("i", 6)
    features = {"i": tf.constant([[0, 1], [5, 3]])}
    with tf.variable_scope("cut", partitioner=tf.fixed_size_partitioner(2)):
        found = {}
        y = tf.feature_column.linear_model(features, [ids], cols_to_vars=found)
        x = tf.feature_column.input_layer(features, [tf.feature_column.embedding_column(ids, 3)])
    return filled(tf, [x, y]), [v.name for v in tf.get_collection("model_variables")], len(found["bias"])


# -- parsing -----------------------------------------------------------------------------------------------------------


@program()
def parse_spec(tf):
    columns, _ = all_kinds(tf)
    fc = tf.feature_column
    more = [
        fc.indicator_column(columns["words"]),
        fc.embedding_column(columns["hashed"], 2),
        fc.numeric_column("z", shape=(2, 1), default_value=[[1.0], [2.0]], dtype=tf.float64),
        fc.numeric_column("y", shape=3, default_value=7, dtype=tf.int64),
    ]
    more += fc.shared_embedding_columns([columns["ids"]], 2)
    spec = fc.make_parse_example_spec(list(columns.values()) + more)
    return sorted((key, type(value).__name__, tuple(value)) for key, value in spec.items())


@program()
def parsed_examples(tf):
    """Examples to predictions, with defaults for what is missing."""
    fc = tf.feature_column
    words = fc.categorical_column_with_vocabulary_list("s", ["a", "b"])
    columns = [fc.numeric_column("n", default_value=4.0), fc.indicator_column(words), fc.embedding_column(words, 2)]

    def example(**features):
        return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

    a = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"q"]))
    n = tf.train.Feature(float_list=tf.train.FloatList(value=[2.5]))
    examples = tf.placeholder(tf.string, [None])
    features = tf.parse_example(examples, fc.make_parse_example_spec(columns))
    return filled(tf, fc.input_layer(features, columns), {examples: [example(s=a, n=n), example()]})


@program(messages=[], graph=False)
def models_that_cannot_be(tf):
    fc = tf.feature_column
    n, i = fc.numeric_column("n"), fc.categorical_column_with_identity("i", 3)
    features = {"n": tf.constant([[1.0], [2.0]]), "i": tf.constant([[1], [2]]), "b": tf.constant([[1.0]])}
    sparse = tf.SparseTensor([[0, 0]], [1.0], [1, 1])
    sequence = fc.sequence_categorical_column_with_identity("i", 3)
    weighted = fc.weighted_categorical_column(i, "n")
    tries = [
        (fc.input_layer, features, []), (fc.input_layer, features, [i]), (fc.input_layer, features, [n, n]),
        (fc.input_layer, features, {"n": n}), (fc.input_layer, features, ["n"]),
        (fc.input_layer, features, [fc.numeric_column("missing")]), (fc.input_layer, {"n": sparse}, [n]),
        (fc.input_layer, {"n": tf.constant(1.0)}, [n]), (fc.input_layer, features, [n, fc.numeric_column("b")]),
        (fc.input_layer, features, [fc.indicator_column(sequence)]),
        (fc.input_layer, features, [fc.embedding_column(sequence, 2)]),
        (fc.input_layer, {"i": tf.constant([[1.5]])}, [fc.indicator_column(i)]),
        (fc.input_layer, {"i": tf.constant([["x"]])}, [fc.indicator_column(i)]),
        (fc.input_layer, features, [fc.indicator_column(fc.categorical_column_with_hash_bucket("i", 3))]),
        (fc.input_layer, features, [fc.indicator_column(fc.categorical_column_with_vocabulary_list("n", ["a"]))]),
        (fc.input_layer, features, [fc.indicator_column(fc.categorical_column_with_vocabulary_list("i", ["a"]))]),
        (fc.input_layer, {"i": features["i"], "n": features["i"]}, [fc.embedding_column(weighted, 2)]),
        (fc.linear_model, features, []), (fc.linear_model, features, [n, n]), (fc.linear_model, features, ["n"]),
        (fc.linear_model, features, [fc.numeric_column("missing")]),
        (fc.linear_model, features, [fc.sequence_numeric_column("n")]),
        (fc.linear_model, features, [fc.crossed_column([weighted, "i"], 5)]),
        (fc.make_parse_example_spec, ["n"]),
        (fc.make_parse_example_spec, [n, fc.numeric_column("n", shape=2)]),
        (fc.make_parse_example_spec, [fc.weighted_categorical_column(i, "i")]),
    ]  # fmt: skip
    return [attempt(*each) for each in tries]


@program(messages=["missing"])
def missing_feature(tf):
    tf.feature_column.input_layer({"x": tf.constant([[1.0]])}, [tf.feature_column.numeric_column("missing")])


@program(messages=["missing"])
def missing_weights(tf):
    ids = tf.feature_column.categorical_column_with_identity("i", 3)
    weighted = tf.feature_column.weighted_categorical_column(ids, "missing")
    tf.feature_column.linear_model({"i": tf.constant([[1]])}, [weighted])
