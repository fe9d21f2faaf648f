"""The canned estimators: losses step by step from the same first weights, metrics, predictions, checkpoints' names."""

import os
import tempfile

import numpy as np

from tests.oracle import program

ROWS = 24


def data():
    """Features of all kinds, and labels that depend on them, without chance."""
    at = np.arange(ROWS)
    x = np.sin(at * 1.7).astype(np.float32)
    n = np.stack([np.cos(at * 0.9), np.sin(at * 0.3) * 2], 1).astype(np.float32)
    s = np.array(["red", "green", "blue", "violet", ""])[at * 7 % 5]
    i = (at * 5 % 4).astype(np.int64)
    w = (0.5 + at % 3).astype(np.float32)
    score = x + n[:, 0] - (s == "red") + 0.3 * i
    return {"x": x, "n": n, "s": s, "i": i, "w": w}, score


def columns(tf):
    fc = tf.feature_column
    x, n = fc.numeric_column("x"), fc.numeric_column("n", shape=(2,))
    s = fc.categorical_column_with_vocabulary_list("s", ["red", "green", "blue"])
    i = fc.categorical_column_with_identity("i", 4)
    bucket = fc.bucketized_column(x, [-0.5, 0.0, 0.5])
    wide = [x, s, i, bucket, fc.crossed_column(["s", bucket], 8)]
    deep = [x, n, fc.indicator_column(s), fc.embedding_column(i, 2)]
    return wide, deep


def batches(tf, features, labels=None, size=8, epochs=None):
    return tf.estimator.inputs.numpy_input_fn(features, labels, batch_size=size, num_epochs=epochs, shuffle=False)


def first_weights(tf, shapes):
    """A checkpoint of variables with these names, whose values are a wave."""
    path = os.path.join(tempfile.mkdtemp(), "first")
    with tf.Graph().as_default():
        for number, (name, shape) in enumerate(sorted(shapes.items())):
            count = int(np.prod(shape))
            value = np.sin(np.arange(count) * 1.3 + number).reshape(shape).astype(np.float32)
            tf.get_variable(name, initializer=value)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return tf.train.Saver().save(sess, path)


def network(inputs, hidden, outputs, **more):
    """Shapes of a network's variables by name."""
    shapes, width = {}, inputs
    for number, units in enumerate(hidden):
        shapes[f"dnn/hiddenlayer_{number}/kernel"] = (width, units)
        shapes[f"dnn/hiddenlayer_{number}/bias"] = (units,)
        width = units
    shapes["dnn/logits/kernel"] = (width, outputs)
    shapes["dnn/logits/bias"] = (outputs,)
    shapes.update(more)
    return shapes


DEEP = {"dnn/input_from_feature_columns/input_layer/i_embedding/embedding_weights": (4, 2)}


def seen(tf, estimator, features, labels, steps=6):
    """What an estimator learns from the data, and what it then says of it."""
    losses = []

    class Losses(tf.train.SessionRunHook):
        def before_run(self, context):
            return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

        def after_run(self, context, values):
            losses.append(values.results)

    estimator.train(batches(tf, features, labels), steps=steps, hooks=[Losses()])
    metrics = estimator.evaluate(batches(tf, features, labels, epochs=1))
    predictions = list(estimator.predict(batches(tf, {k: v[:3] for k, v in features.items()}, epochs=1)))
    names = sorted(estimator.get_variable_names())
    values = [estimator.get_variable_value(name) for name in names]
    return losses, sorted(metrics.items()), [sorted(p.items()) for p in predictions], names, values


@program(oracle="1.15", graph=False, tol=1e-4)
def linear_classifier(tf):
    features, score = data()
    wide, _ = columns(tf)
    estimator = tf.estimator.LinearClassifier(wide, model_dir=tempfile.mkdtemp())
    return seen(tf, estimator, features, (score > 0).astype(np.int64))


@program(oracle="1.15", graph=False, tol=1e-4)
def linear_classifier_of_words(tf):
    """Labels are strings, three classes, examples have weights, another reduction and another optimizer."""
    features, score = data()
    wide, _ = columns(tf)
    estimator = tf.estimator.LinearClassifier(
        wide,
        model_dir=tempfile.mkdtemp(),
        n_classes=3,
        weight_column="w",
        label_vocabulary=["low", "middle", "high"],
        optimizer=lambda: tf.train.GradientDescentOptimizer(0.3),
        loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
        sparse_combiner="mean",
    )
    return seen(tf, estimator, features, np.array(["low", "middle", "high"])[np.digitize(score, [-0.5, 0.7])])


@program(oracle="1.15", graph=False, tol=1e-4, cases={"one": 1, "two": 2})
def linear_regressor(tf, case):
    features, score = data()
    wide, _ = columns(tf)
    estimator = tf.estimator.LinearRegressor(wide, model_dir=tempfile.mkdtemp(), label_dimension=case)
    labels = score.astype(np.float32) if case == 1 else np.stack([score, -2 * score], 1).astype(np.float32)
    return seen(tf, estimator, features, labels)


@program(oracle="1.15", graph=False, tol=1e-4)
def linear_regressor_of_weights(tf):
    features, score = data()
    wide, _ = columns(tf)
    estimator = tf.estimator.LinearRegressor(
        wide,
        model_dir=tempfile.mkdtemp(),
        weight_column=tf.feature_column.numeric_column("w", normalizer_fn=lambda x: x * 2),
        optimizer="Adam",
        loss_reduction=tf.losses.Reduction.MEAN,
    )
    return seen(tf, estimator, features, score.astype(np.float32)[:, np.newaxis])


NETWORKS = {
    "plain": {},
    "weights": {"weight_column": "w"},
    "sgd": {"optimizer": "SGD"},
    "rmsprop": {"optimizer": "RMSProp"},
    "tanh": {"activation_fn": "tanh"},
    "words": {"label_vocabulary": ["no", "yes"]},
    "nonzero": {"loss_reduction": "weighted_sum_by_nonzero_weights", "weight_column": "w"},
}


@program(oracle="1.15", graph=False, tol=1e-4, cases=NETWORKS)
def dnn_classifier(tf, case):
    features, score = data()
    _, deep = columns(tf)
    options = dict(case)
    if "activation_fn" in options:
        options["activation_fn"] = tf.nn.tanh
    labels = (score > 0).astype(np.int64)
    if "label_vocabulary" in options:
        labels = np.array(["no", "yes"])[labels]
    estimator = tf.estimator.DNNClassifier(
        [5, 3],
        deep,
        model_dir=tempfile.mkdtemp(),
        warm_start_from=first_weights(tf, network(8, [5, 3], 1, **DEEP)),
        **options,
    )
    return seen(tf, estimator, features, labels)


@program(oracle="1.15", graph=False, tol=1e-4)
def dnn_classifier_of_four(tf):
    features, score = data()
    _, deep = columns(tf)
    estimator = tf.estimator.DNNClassifier(
        [6],
        deep,
        model_dir=tempfile.mkdtemp(),
        n_classes=4,
        warm_start_from=first_weights(tf, network(8, [6], 4, **DEEP)),
    )
    return seen(tf, estimator, features, np.digitize(score, [-1, 0, 1]).astype(np.int32)[:, np.newaxis])


@program(oracle="1.15", graph=False, tol=2e-4)
def dnn_regressor_normalized(tf):
    """Batch normalization: its averages are updated by the training step."""
    features, score = data()
    _, deep = columns(tf)
    more = {"dnn/hiddenlayer_0/batchnorm_0/" + name: (4,) for name in ("beta", "gamma")}
    more.update(DEEP)
    estimator = tf.estimator.DNNRegressor(
        [4],
        deep,
        model_dir=tempfile.mkdtemp(),
        label_dimension=2,
        batch_norm=True,
        warm_start_from=first_weights(tf, network(8, [4], 2, **more)),
    )
    return seen(tf, estimator, features, np.stack([score, -2 * score], 1).astype(np.float32))


@program(oracle="1.15", graph=False, tol=1e-4)
def dnn_with_shared_embeddings(tf):
    features, score = data()
    fc = tf.feature_column
    features["j"] = features["i"][::-1].copy()
    i, j = fc.categorical_column_with_identity("i", 4), fc.categorical_column_with_identity("j", 4)
    deep = [fc.numeric_column("x")] + fc.shared_embedding_columns([i, j], 2)
    table = {"dnn/input_from_feature_columns/input_layer/i_j_shared_embedding/embedding_weights": (4, 2)}
    estimator = tf.estimator.DNNRegressor(
        [3], deep, model_dir=tempfile.mkdtemp(), warm_start_from=first_weights(tf, network(5, [3], 1, **table))
    )
    return seen(tf, estimator, features, score.astype(np.float32))


@program(oracle="1.15", graph=False, tol=1e-4, cases=["classifier", "regressor"])
def wide_and_deep(tf, case):
    features, score = data()
    wide, deep = columns(tf)
    options = {
        "model_dir": tempfile.mkdtemp(),
        "linear_feature_columns": wide,
        "dnn_feature_columns": deep,
        "dnn_hidden_units": [5, 3],
        "warm_start_from": tf.estimator.WarmStartSettings(
            first_weights(tf, network(8, [5, 3], 1, **DEEP)), vars_to_warm_start="dnn.*"
        ),
    }
    if case == "classifier":
        estimator = tf.estimator.DNNLinearCombinedClassifier(dnn_optimizer=tf.train.AdagradOptimizer(0.1), **options)
        return seen(tf, estimator, features, (score > 0).astype(np.int64))
    estimator = tf.estimator.DNNLinearCombinedRegressor(linear_optimizer="SGD", dnn_activation_fn=tf.nn.elu, **options)
    return seen(tf, estimator, features, score.astype(np.float32))


@program(oracle="1.15", graph=False, tol=1e-4, cases=["wide", "deep"])
def combined_of_one(tf, case):
    """Wide and deep with only one of them."""
    features, score = data()
    wide, deep = columns(tf)
    if case == "wide":
        estimator = tf.estimator.DNNLinearCombinedRegressor(tempfile.mkdtemp(), linear_feature_columns=wide)
    else:
        estimator = tf.estimator.DNNLinearCombinedRegressor(
            tempfile.mkdtemp(),
            dnn_feature_columns=deep,
            dnn_hidden_units=[4],
            warm_start_from=first_weights(tf, network(8, [4], 1, **DEEP)),
        )
    return seen(tf, estimator, features, score.astype(np.float32))


@program(oracle="1.15", graph=False, tol=1e-4, cases=[2, 3])
def baseline_classifier(tf, case):
    features, score = data()
    estimator = tf.estimator.BaselineClassifier(tempfile.mkdtemp(), n_classes=case, weight_column="w")
    return seen(tf, estimator, features, np.digitize(score, [0, 1][: case - 1]).astype(np.int64))


@program(oracle="1.15", graph=False, tol=1e-4)
def baseline_regressor(tf):
    features, score = data()
    estimator = tf.estimator.BaselineRegressor(tempfile.mkdtemp(), optimizer=lambda: tf.train.AdamOptimizer(0.1))
    return seen(tf, estimator, features, score.astype(np.float32))
