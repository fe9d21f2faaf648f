"""Heads of tf.contrib.estimator on canned models: their losses, metrics, predictions; metrics that are added."""

import tempfile

import numpy as np

from tests.oracle import attempt, program

AT = np.arange(18)
X = {"x": np.sin(AT * 1.7).astype(np.float32), "w": (0.5 + AT % 3).astype(np.float32)}
SCORE = X["x"] + 0.3 * np.cos(AT)


def seen(tf, estimator, labels, steps=4):
    """What an estimator says after some steps, and before."""

    def give(epochs):
        return tf.estimator.inputs.numpy_input_fn(X, labels, batch_size=9, num_epochs=epochs, shuffle=False)

    found = [estimator.evaluate(give(1))]
    estimator.train(give(None), steps=steps)
    found.append(estimator.evaluate(give(1)))
    predictions = [sorted(each.items()) for each in estimator.predict(give(1))][:2]
    return [sorted(each.items()) for each in found], predictions, estimator.get_variable_names()


def linear(tf, head, **options):
    columns = [tf.feature_column.numeric_column("x")]
    return tf.estimator.LinearEstimator(head, columns, model_dir=tempfile.mkdtemp(), **options)


BINARY = {
    "plain": {},
    "thresholds": {"thresholds": [0.25, 0.5]},
    "named": {"name": "mine", "weight_column": "w"},
    "sum": {"loss_reduction": "weighted_sum"},
}


@program(oracle="1.15", graph=False, tol=1e-4, cases=BINARY)
def binary(tf, case):
    head = tf.contrib.estimator.binary_classification_head(**case)
    return seen(tf, linear(tf, head), (SCORE > 0).astype(np.int64)), head.name, head.logits_dimension


@program(oracle="1.15", graph=False, tol=1e-4)
def multi_class(tf):
    head = tf.contrib.estimator.multi_class_head(3, label_vocabulary=["a", "b", "c"], name="abc")
    labels = np.array(["a", "b", "c"])[np.digitize(SCORE, [-0.4, 0.4])]
    return seen(tf, linear(tf, head, optimizer="SGD"), labels)


@program(oracle="1.15", graph=False, tol=1e-4)
def regression_with_a_loss(tf):
    """A loss and a link of one's own."""

    def loss(labels, logits, features):
        return tf.abs(labels - tf.exp(logits)) * tf.expand_dims(features["w"], -1)

    head = tf.contrib.estimator.regression_head(loss_fn=loss, inverse_link_fn=tf.exp, name="mine")
    return seen(tf, linear(tf, head), np.exp(SCORE).astype(np.float32))


@program(oracle="1.15", graph=False, tol=1e-4)
def logistic_regression(tf):
    head = tf.contrib.estimator.logistic_regression_head(weight_column="w")
    return seen(tf, linear(tf, head), (1 / (1 + np.exp(-SCORE))).astype(np.float32))


LABELLED = {
    "plain": {},
    "options": {"thresholds": [0.4], "classes_for_class_based_metrics": [2, 0], "weight_column": "w", "name": "mine"},
    "words": {"label_vocabulary": ["a", "b", "c"], "classes_for_class_based_metrics": ["b"]},
}


@program(oracle="1.15", graph=False, tol=1e-4, cases=LABELLED)
def multi_label(tf, case):
    """Indicators of labels."""
    head = tf.contrib.estimator.multi_label_head(3, **case)
    return seen(tf, linear(tf, head), np.stack([SCORE > 0, SCORE > 0.5, SCORE < 0.2], 1).astype(np.int64))


@program(oracle="1.15", graph=False, tol=1e-4, cases=["numbers", "words"])
def multi_label_sparse(tf, case):
    """Labels are sparse: an example has two, one, or none."""
    words = ["a", "b", "c"] if case == "words" else None
    head = tf.contrib.estimator.multi_label_head(3, label_vocabulary=words)
    estimator = linear(tf, head)

    def give():
        values = tf.constant(["a", "c", "b"] if words else [0, 2, 1])
        labels = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], values, [3, 2])
        return {"x": tf.constant([[1.0], [2.0], [-1.0]])}, labels

    estimator.train(give, steps=5)
    return sorted(estimator.evaluate(give, steps=1).items()), estimator.get_variable_value(
        "linear/linear_model/x/weights"
    )


@program(oracle="1.15", graph=False, messages=[])
def multi_label_that_cannot_be(tf):
    head = tf.contrib.estimator.multi_label_head
    tries = [
        (head, 1), (head, None), (head, 3, None, [1.5]), (head, 3, None, None, "abc"), (head, 3, None, None, ["a"]),
        (lambda: head(3, classes_for_class_based_metrics=[3])), (lambda: head(3, loss_reduction="none")),
        (lambda: head(3, classes_for_class_based_metrics=["a"])),
        (lambda: seen(tf, linear(tf, head(3)), np.full([18, 3], 2))),
        (lambda: seen(tf, linear(tf, head(3)), np.zeros([18, 2], np.int64))),
        (lambda: seen(tf, linear(tf, head(3)), None)),
    ]  # fmt: skip
    return [attempt(each) if callable(each) else attempt(*each) for each in tries]


@program(oracle="1.15", graph=False, tol=1e-4, cases=[True, False])
def poisson_regression(tf, case):
    head = tf.contrib.estimator.poisson_regression_head(compute_full_loss=case)
    return seen(tf, linear(tf, head), np.floor(4 + 3 * SCORE).clip(0).astype(np.int64))


@program(oracle="1.15", graph=False, tol=1e-4)
def baseline(tf):
    head = tf.contrib.estimator.binary_classification_head()
    estimator = tf.estimator.BaselineEstimator(head, tempfile.mkdtemp(), optimizer="Adam")
    return seen(tf, estimator, (SCORE > 0).astype(np.int64))


@program(oracle="1.15", graph=False, cases=["deep", "both"])
def networks(tf, case):
    """Names and shapes; the first weights are random."""
    head = tf.contrib.estimator.regression_head(label_dimension=2)
    columns = [tf.feature_column.numeric_column("x")]
    if case == "deep":
        estimator = tf.estimator.DNNEstimator(head, [4, 3], columns, tempfile.mkdtemp(), dropout=0.2)
    else:
        estimator = tf.estimator.DNNLinearCombinedEstimator(
            head, tempfile.mkdtemp(), columns, dnn_feature_columns=columns, dnn_hidden_units=[3]
        )
    give = tf.estimator.inputs.numpy_input_fn(
        X, np.stack([SCORE, SCORE], 1).astype(np.float32), 9, num_epochs=1, shuffle=False
    )
    estimator.train(give)
    return tf.train.list_variables(estimator.model_dir), sorted(estimator.evaluate(give))


@program(oracle="1.15", graph=False, tol=1e-4)
def added_metrics(tf):
    def metrics(labels, predictions, features):
        return {
            "mine": tf.metrics.mean(tf.expand_dims(features["w"], -1) * predictions["logistic"]),
            "auc": tf.metrics.mean(labels),
        }

    head = tf.contrib.estimator.binary_classification_head()
    estimator = tf.estimator.add_metrics(linear(tf, head), metrics)
    return seen(tf, estimator, (SCORE > 0).astype(np.int64))


@program(oracle="1.15", graph=False, tol=1e-4)
def a_model_of_ones_own(tf):
    """A model function that ends in a head."""
    head = tf.contrib.estimator.binary_classification_head()

    def model_fn(features, labels, mode):
        w = tf.get_variable("w", initializer=[[0.5]])
        penalty = tf.nn.l2_loss(w)
        return head.create_estimator_spec(
            features,
            mode,
            tf.matmul(tf.expand_dims(features["x"], -1), w),
            labels=labels,
            train_op_fn=lambda loss: tf.train.GradientDescentOptimizer(0.5).minimize(
                loss, global_step=tf.train.get_global_step()
            ),
            regularization_losses=[penalty],
        )

    return seen(tf, tf.estimator.Estimator(model_fn, tempfile.mkdtemp()), (SCORE > 0).astype(np.int64))


@program(oracle="1.15", graph=False, messages=[])
def what_cannot_be(tf):
    heads = tf.contrib.estimator
    flat = heads.regression_head(loss_fn=lambda labels, logits: tf.reduce_sum(logits, 1))
    labels = np.array([0.5] * 17 + [1.5], np.float32)
    tries = [
        (lambda: heads.binary_classification_head(thresholds=[0.0])),
        (lambda: heads.binary_classification_head(thresholds=[0.5, 1.0])),
        (lambda: heads.binary_classification_head(loss_fn=lambda labels: 0)),
        (lambda: heads.regression_head(loss_fn=lambda labels, logits, extra: 0)),
        (lambda: heads.multi_class_head(2)), (lambda: heads.regression_head(label_dimension=0)),
        (lambda: heads.poisson_regression_head(loss_reduction="none")),
        (lambda: tf.estimator.add_metrics(linear(tf, heads.regression_head()), lambda labels, more: {})),
        (lambda: seen(tf, linear(tf, flat), SCORE.astype(np.float32))),
        (lambda: seen(tf, linear(tf, heads.logistic_regression_head()), labels)),
    ]  # fmt: skip
    return [attempt(each) for each in tries]
