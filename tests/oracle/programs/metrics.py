"""tf.metrics: nodes, local variables, values over several updates, weights, errors."""

import numpy as np

from tests.oracle import attempt, program

ANSWERS = [
    (np.array([1, 0, 1, 1]), np.array([1, 1, 1, 0])),
    (np.array([0, 0, 1, 0]), np.array([1, 0, 1, 0])),
]
NUMBERS = [
    (np.array([1.0, 2.0, -3.0, 4.0], np.float32), np.array([1.5, 2.0, -1.0, 0.0], np.float32)),
    (np.array([0.5, 0.0, 1.0, 2.0], np.float32), np.array([0.0, 0.25, 1.0, 4.0], np.float32)),
]
PROBABILITIES = [
    (np.array([1, 0, 1, 0]), np.array([0.9, 0.4, 0.35, 0.1], np.float32)),
    (np.array([1, 1, 0, 0]), np.array([0.6, 0.2, 0.7, 0.0], np.float32)),
]
SCORES = [
    np.array([[0.1, 0.6, 0.2, 0.1], [0.3, 0.2, 0.1, 0.4], [0.0, 0.5, 0.3, 0.2]], np.float32),
    np.array([[0.7, 0.1, 0.2, 0.0], [0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]], np.float32),
]
CLASSES = [np.array([[1], [2], [2]]), np.array([[0], [2], [3]])]
SETS = [np.array([[1, 2], [0, 3], [3, -1]]), np.array([[2, 3], [0, 1], [0, 1]])]
WEIGHTS = np.array([1.0, 0.5, 0.0, 2.0], np.float32)


def placeholders(tf, batches):
    return [tf.placeholder(value.dtype, value.shape) for value in batches[0]]


def followed(tf, metric, feeds):
    """The value and the update's result, before and after each batch; and what there is to be seen from outside."""
    value, update = metric
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        seen = [sess.run(value)]
        for feed in feeds:
            seen.append((sess.run(update, feed), sess.run(value)))
    variables = [tf.get_collection(key) for key in (tf.GraphKeys.METRIC_VARIABLES, tf.GraphKeys.LOCAL_VARIABLES)]
    others = [tf.global_variables(), tf.trainable_variables()]
    return seen, value, update, variables, others


def run(tf, build, batches):
    tensors = placeholders(tf, batches)
    return followed(tf, build(*tensors), [dict(zip(tensors, batch)) for batch in batches])


def optional(tf, value):
    return None if value is None else tf.constant(value)


ON_ANSWERS = [
    "accuracy", "true_positives", "true_negatives", "false_positives", "false_negatives", "precision", "recall",
]  # fmt: skip
ON_NUMBERS = ["mean_absolute_error", "mean_squared_error", "root_mean_squared_error"]
ON_PROBABILITIES = ["auc", "sensitivity_at_specificity", "specificity_at_sensitivity"]
AT_THRESHOLDS = [
    name + "_at_thresholds"
    for name in ("true_positives", "true_negatives", "false_positives", "false_negatives", "precision", "recall")
]


@program(cases=ON_ANSWERS)
def answers(tf, case):
    return run(tf, getattr(tf.metrics, case), ANSWERS)


@program(cases=["accuracy", "true_positives", "precision"])
def weighted_answers(tf, case):
    def build(labels, predictions):
        return getattr(tf.metrics, case)(labels, predictions, WEIGHTS)

    return run(tf, build, ANSWERS)


@program(cases=["accuracy", "true_negatives", "recall"])
def answers_collections(tf, case):
    def build(labels, predictions):
        return getattr(tf.metrics, case)(labels, predictions, tf.constant(2.0), ["values"], ["updates"], "mine")

    return run(tf, build, ANSWERS), tf.get_collection("values"), tf.get_collection("updates")


@program(cases=["accuracy", "false_positives", "mean_squared_error"])
def unknown_shapes(tf, case):
    y, p, w = tf.placeholder(tf.int32), tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    if case == "mean_squared_error":
        y = tf.placeholder(tf.float32)
    metric = getattr(tf.metrics, case)(y, p, w)
    return followed(
        tf,
        metric,
        [
            {y: [1, 0, 1], p: [1.0, 1.0, 0.0], w: 2.0},
            {y: [[1], [0], [1]], p: [1.0, 0.0, 0.0], w: [[1.0], [2.0], [3.0]]},
            {y: [1, 0], p: [[1.0], [0.0]], w: [1.0, 0.0]},
        ],
    )


@program(cases=ON_NUMBERS, tol=1e-5)
def errors(tf, case):
    return run(tf, getattr(tf.metrics, case), NUMBERS)


@program(cases=ON_NUMBERS, tol=1e-5)
def weighted_errors(tf, case):
    return run(tf, lambda y, p: getattr(tf.metrics, case)(y, p, WEIGHTS, "values", "updates", "e"), NUMBERS)


@program(tol=1e-5)
def relative_error(tf):
    normalizer = tf.constant([2.0, 0.0, -1.0, 4.0])
    return run(tf, lambda y, p: tf.metrics.mean_relative_error(y, p, normalizer, [[1.0], [2.0], [3.0], [4.0]]), NUMBERS)


@program(tol=1e-5)
def cosine_distance(tf):
    batches = [(a.reshape(2, 2), b.reshape(2, 2)) for a, b in NUMBERS]
    return run(tf, lambda y, p: tf.metrics.mean_cosine_distance(y, p, 1, [[1.0], [0.5]]), batches)


@program(cases={"plain": None, "scalar": 2.0, "rows": [[1.0], [0.0]], "each": [[1.0, 2.0], [3.0, 4.0]]})
def mean(tf, case):
    batches = [(a.reshape(2, 2),) for a, _ in NUMBERS]
    return run(tf, lambda x: tf.metrics.mean(x, case), batches)


@program(cases={"plain": None, "scalar": 2.0, "rows": [[1.0], [0.0]]})
def mean_tensor(tf, case):
    batches = [(a.reshape(2, 2),) for a, _ in NUMBERS]
    return run(tf, lambda x: tf.metrics.mean_tensor(x, case, "values", "updates"), batches)


@program(cases=["int32", "float64", "bool"])
def mean_of_types(tf, case):
    batches = [(a.astype(case),) for a, _ in NUMBERS]
    return run(tf, tf.metrics.mean, batches)


@program()
def percentage_below(tf):
    batches = [(a,) for a, _ in NUMBERS]
    return run(tf, lambda x: tf.metrics.percentage_below(x, 1.0, WEIGHTS, name="below"), batches)


@program(cases=AT_THRESHOLDS, tol=1e-5)
def thresholds(tf, case):
    return run(tf, lambda y, p: getattr(tf.metrics, case)(y, p, [0.15, 0.5, 0.8]), PROBABILITIES)


@program(cases=["false_negatives_at_thresholds", "precision_at_thresholds"], tol=1e-5)
def weighted_thresholds(tf, case):
    y, p = tf.placeholder(tf.bool, [None]), tf.placeholder(tf.float32, [None])
    metric = getattr(tf.metrics, case)(y, p, [0.15, 0.5], WEIGHTS, "values", "updates", "mine")
    return followed(tf, metric, [{y: a, p: b} for a, b in PROBABILITIES])


@program(cases=ON_PROBABILITIES, tol=1e-4)
def curves(tf, case):
    def build(labels, predictions):
        function = getattr(tf.metrics, case)
        if case == "auc":
            return function(labels, predictions, num_thresholds=5)
        return function(labels, predictions, 0.5, num_thresholds=5)

    return run(tf, build, PROBABILITIES)


@program(cases=["auc", "specificity_at_sensitivity"], tol=1e-4)
def weighted_curves(tf, case):
    def build(labels, predictions):
        function = getattr(tf.metrics, case)
        if case == "auc":
            return function(labels, predictions, WEIGHTS, 4, "values", "updates")
        return function(labels, predictions, 0.7, WEIGHTS, 4, "values", "updates")

    return run(tf, build, PROBABILITIES)


@program(
    cases=[
        "ROC careful_interpolation",
        "ROC majoring",
        "PR minoring",
        "PR careful_interpolation",
        "PR trapezoidal",
    ],
    tol=1e-4,
)
def auc_methods(tf, case):
    curve, method = case.split()
    tensors = placeholders(tf, PROBABILITIES)
    metric = tf.metrics.auc(*tensors, curve=curve, summation_method=method, thresholds=[0.6, 0.3, 0.15], name="area")
    return followed(tf, metric, [dict(zip(tensors, batch)) for batch in PROBABILITIES])


@program(tol=1e-5, graph=False)
def auc_of_200_thresholds(tf):
    random = np.random.RandomState(3)
    batches = [(random.rand(50) < 0.4, random.rand(50).astype(np.float32)) for _ in range(3)]
    tensors = placeholders(tf, batches)
    with tf.Session() as sess:
        found = []
        for options in ({}, {"curve": "PR", "summation_method": "careful_interpolation"}):
            value, update = tf.metrics.auc(*tensors, **options)
            sess.run(tf.local_variables_initializer())
            found.append([sess.run(update, dict(zip(tensors, batch))) for batch in batches])
        return found


@program(cases={"plain": None, "weighted": [1.0, 0.5, 2.0]}, tol=1e-5)
def mean_iou(tf, case):
    batches = [(a[:, 0], np.argmax(s, 1)) for a, s in zip(CLASSES, SCORES)]
    return run(tf, lambda y, p: tf.metrics.mean_iou(y, p, 5, optional(tf, case)), batches)


@program(tol=1e-5)
def mean_iou_of_matrices(tf):
    batches = [(np.array([[0, 1], [1, 2]]), np.array([[0, 1], [2, 2]]))]
    return run(tf, lambda y, p: tf.metrics.mean_iou(y, p, 3, tf.constant([[1.0, 2.0], [3.0, 4.0]]), name="m"), batches)


@program(cases={"plain": None, "weighted": [1.0, 0.5, 2.0]}, tol=1e-5)
def mean_per_class_accuracy(tf, case):
    batches = [(a[:, 0].astype(np.int32), np.argmax(s, 1)) for a, s in zip(CLASSES, SCORES)]

    def build(labels, predictions):
        weights = optional(tf, case)
        return tf.metrics.mean_per_class_accuracy(labels, predictions, 4, weights, "values", "updates")

    return run(tf, build, batches)


@program(tol=1e-5)
def mean_per_class_accuracy_of_matrices(tf):
    batches = [(np.array([[0, 1], [1, 2]]), np.array([[0, 1], [2, 2]]))]
    return run(
        tf, lambda y, p: tf.metrics.mean_per_class_accuracy(y, p, 3, tf.constant([[1.0, 2.0], [3.0, 4.0]])), batches
    )


# -- the k best ----------------------------------------------------------------------------------------------------


@program(cases=["precision_at_k", "recall_at_k", "average_precision_at_k"], tol=1e-6)
def at_k(tf, case):
    return run(tf, lambda y, s: getattr(tf.metrics, case)(y, s, 2), list(zip(CLASSES, SCORES)))


@program(cases=["precision_at_k", "recall_at_k", "average_precision_at_k"], tol=1e-6)
def at_k_of_several_labels(tf, case):
    def build(labels, scores):
        return getattr(tf.metrics, case)(labels, scores, 3, weights=[1.0, 0.5, 2.0], name="mine")

    return run(tf, build, list(zip(SETS, SCORES)))


@program(cases=["precision_at_k", "recall_at_k"])
def at_k_of_one_class(tf, case):
    return run(tf, lambda y, s: getattr(tf.metrics, case)(y, s, 2, class_id=2), list(zip(CLASSES, SCORES)))


@program(cases=["recall_at_top_k"])
def at_top_k(tf, case):
    """Labels without an axis of their own, and predictions that are classes already."""
    batches = [(a[:, 0], np.argsort(-s, 1)[:, :2]) for a, s in zip(CLASSES, SCORES)]

    def build(labels, best):
        return getattr(tf.metrics, case)(labels, best, None, 2, [0.5, 1.0, 2.0], "values", "updates")

    return run(tf, build, batches)


@program(cases=["precision_at_k"], tol=1e-6)
def at_k_of_sparse_labels(tf, case):
    labels = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 2, 3], tf.int64), [3, 2])
    scores = tf.constant(SCORES[0])
    every, one = [
        getattr(tf.metrics, case)(labels, scores, 2), getattr(tf.metrics, case)(labels, scores, 2, class_id=1)
    ]  # fmt: skip
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        return every, sess.run([every[1], one[1]]), sess.run([every[0], one[0]])


@program(cases=[1, 2], tol=1e-6)
def average_precision_of_sparse_labels(tf, case):
    labels = tf.sparse_placeholder(tf.int64, [3, 3])
    metric = tf.metrics.average_precision_at_k(labels, tf.constant(SCORES[0]), case, weights=[1.0, 2.0, 0.5])
    value = tf.SparseTensorValue([[0, 0], [0, 2], [1, 0], [2, 1]], np.array([1, 2, 7, 2]), [3, 3])
    return followed(tf, metric, [{labels: value}])


@program(tol=1e-6, graph=False)
def average_precision_without_an_axis_of_labels(tf):
    metric = tf.metrics.average_precision_at_k(tf.constant(CLASSES[0][:, 0]), tf.constant(SCORES[0]), 2)
    return followed(tf, metric, [{}])


@program(tol=1e-6)
def at_k_of_unknown_shapes(tf):
    labels, scores = tf.placeholder(tf.int64), tf.placeholder(tf.float32, [None, 4])
    metric = tf.metrics.recall_at_k(labels, scores, 2)
    return followed(
        tf, metric, [{labels: CLASSES[0], scores: SCORES[0]}, {labels: CLASSES[1][:, 0], scores: SCORES[1]}]
    )


@program(tol=1e-6, graph=False)
def old_names(tf):
    labels, scores = tf.constant(SETS[0]), tf.constant(SCORES[0])
    found = [
        tf.metrics.sparse_precision_at_k(labels, scores, 2),
        tf.metrics.sparse_average_precision_at_k(labels, scores, 2),
    ]
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        return sess.run([update for _, update in found]), found


# -- scopes and errors ---------------------------------------------------------------------------------------------


@program()
def scopes_and_names(tf):
    with tf.variable_scope("eval"):
        first = tf.metrics.mean(tf.constant([1.0]), name="loss")
        second = tf.metrics.mean(tf.constant([2.0]), name="loss")
    with tf.name_scope("n"):
        third = tf.metrics.accuracy(tf.constant([1]), tf.constant([1]))
    return first, second, third, [v.name for v in tf.local_variables("eval")]


@program(cases=["mean", "true_positives", "auc", "mean_iou", "mean_per_class_accuracy", "recall_at_k"], graph=False)
def resource_variables(tf, case):
    y, p = tf.constant([1, 0, 1]), tf.constant([1, 1, 1])
    with tf.variable_scope("eval", use_resource=True):
        value, update = {
            "mean": lambda: tf.metrics.mean(p),
            "true_positives": lambda: tf.metrics.true_positives(y, p),
            "auc": lambda: tf.metrics.auc(y, tf.cast(p, tf.float32), num_thresholds=3),
            "mean_iou": lambda: tf.metrics.mean_iou(y, p, 2),
            "mean_per_class_accuracy": lambda: tf.metrics.mean_per_class_accuracy(y, p, 2),
            "recall_at_k": lambda: tf.metrics.recall_at_k(tf.constant([[1]], tf.int64), tf.constant([[0.1, 0.9]]), 1),
        }[case]()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        seen = [sess.run(update), sess.run(update), sess.run(value)]
    return seen, [type(v).__name__ for v in tf.local_variables()]


@program()
def reset(tf):
    x = tf.placeholder(tf.float32, [])
    value, update = tf.metrics.mean(x)
    start = tf.variables_initializer(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES))
    with tf.Session() as sess:
        seen = []
        for _ in range(2):
            sess.run(start)
            seen += [sess.run(update, {x: 1.0}), sess.run(update, {x: 2.0}), sess.run(value)]
        return seen


@program(messages=["predictions must be in [0, 1]"])
def probability_out_of_range(tf):
    p = tf.placeholder(tf.float32, [2])
    _, update = tf.metrics.auc(tf.constant([1, 0]), p, num_thresholds=3)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        return sess.run(update, {p: [0.5, 1.5]})


@program(messages=["labels"])
def class_out_of_range(tf):
    y = tf.placeholder(tf.int64, [2])
    _, update = tf.metrics.mean_iou(y, tf.constant([0, 1]), 2)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        return sess.run(update, {y: [0, 2]})


@program(graph=False)
def bad_arguments(tf):
    y, p = tf.constant([1, 0]), tf.constant([0.5, 0.25])
    m = tf.metrics
    return [
        attempt(lambda: m.accuracy(y, tf.constant([1, 0, 1]))),
        attempt(lambda: m.mean(p, [1.0, 2.0, 3.0])),
        attempt(lambda: m.auc(y, p, curve="ROX")),
        attempt(lambda: m.auc(y, p, summation_method="none")),
        attempt(lambda: m.auc(y, p, curve="ROC", summation_method="careful_interpolation")),
        attempt(lambda: m.sensitivity_at_specificity(y, p, 1.5)),
        attempt(lambda: m.specificity_at_sensitivity(y, p, -0.1)),
        attempt(lambda: m.mean_iou(y, tf.constant([1, 0, 1]), 2)),
        attempt(lambda: m.recall_at_top_k(tf.constant([[[1]]]), tf.constant([[1, 2]]))),
    ]


@program(cases={"unknown": [-1, 2], "known": [3, 2], "one": [6]})
def sparse_reshape(tf, case):
    x = tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [2, 3])
    loose = tf.sparse_placeholder(tf.int32)
    results = [tf.sparse_reshape(x, case), tf.sparse.reshape(loose, case, name="r")]
    value = tf.SparseTensorValue([[0, 0], [1, 2]], [1, 2], [2, 3])
    with tf.Session() as sess:
        return results, sess.run(results, {loose: value})


@program(cases={"two": [2, -1, -1], "total": [5], "multiple": [-1, 4], "zero": [0, -1]})
def sparse_reshape_errors(tf, case):
    x = tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [2, 3])
    loose = tf.sparse_placeholder(tf.int32)
    value = tf.SparseTensorValue([[0, 0], [1, 2]], [1, 2], [2, 3])
    with tf.Session() as sess:
        return [
            attempt(lambda: sess.run(tf.sparse_reshape(loose, case), {loose: value})),
            None if case[0] == 0 else attempt(lambda: tf.sparse_reshape(x, case)),
        ]


@program(cases=["rows", "columns", "last", "expanded", "expanded_last", "loose", "one"])
def sparse_concat(tf, case):
    a = tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [2, 3])
    b = tf.SparseTensor([[0, 1], [2, 0]], [3, 4], [3, 3])
    c = tf.SparseTensor([[0, 1], [1, 0]], [3, 4], [2, 5])
    loose = tf.sparse_placeholder(tf.int32)
    result = {
        "rows": lambda: tf.sparse_concat(0, [a, b, a]),
        "columns": lambda: tf.sparse_concat(1, [a, c], name="mine"),
        "last": lambda: tf.sparse.concat(-1, [c, a]),
        "expanded": lambda: tf.sparse_concat(0, [a, c], expand_nonconcat_dim=True),
        "expanded_last": lambda: tf.sparse_concat(
            axis=None, concat_dim=-1, sp_inputs=[a, b], expand_nonconcat_dim=True
        ),
        "loose": lambda: tf.sparse_concat(0, [a, loose]),
        "one": lambda: tf.sparse_concat(0, [a]),
    }[case]()
    value = tf.SparseTensorValue([[0, 1]], [7], [2, 3])
    with tf.Session() as sess:
        return result, result.shape, sess.run(result, {loose: value})


@program(graph=False)
def sparse_concat_errors(tf):
    a = tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [2, 3])
    b = tf.SparseTensor([[0, 1], [2, 0]], [3, 4], [3, 4])
    with tf.Session() as sess:
        return [
            attempt(lambda: sess.run(tf.sparse_concat(0, [a, b]))),
            attempt(lambda: sess.run(tf.sparse_concat(1, [a, b]))),
            attempt(lambda: tf.sparse_concat(0, [a, b], expand_nonconcat_dim=True, expand_nonconcat_dims=True)),
            attempt(lambda: tf.sparse_concat(0, [a, 3])),
        ]
