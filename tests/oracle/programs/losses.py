"""tf.losses and tf.sets: nodes, values, collections, errors."""

import numpy as np

from tests.oracle import attempt, program

LABELS = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]], np.float32)
PREDICTIONS = np.array([[0.5, 0.25, -1.0], [2.0, 0.1, 0.9]], np.float32)
CLASSES = np.array([2, 0], np.int32)

#: loss -> (labels, predictions)
LOSSES = {
    "absolute_difference": (LABELS, PREDICTIONS),
    "mean_squared_error": (LABELS, PREDICTIONS),
    "huber_loss": (LABELS, PREDICTIONS),
    "hinge_loss": (LABELS, PREDICTIONS),
    "log_loss": (LABELS, np.abs(PREDICTIONS) / 2),
    "sigmoid_cross_entropy": (LABELS, PREDICTIONS),
    "softmax_cross_entropy": (LABELS, PREDICTIONS),
    "sparse_softmax_cross_entropy": (CLASSES, PREDICTIONS),
    "mean_pairwise_squared_error": (LABELS, PREDICTIONS),
    "cosine_distance": (LABELS, PREDICTIONS),
}


def extra(name):
    return {"axis": 1} if name == "cosine_distance" else {}


def evaluated(tf, loss, feed=None):
    with tf.Session() as sess:
        values = sess.run([loss, tf.get_collection(tf.GraphKeys.LOSSES)], feed)
    return loss, values


@program(cases=sorted(LOSSES), tol=1e-5)
def plain(tf, case):
    labels, predictions = LOSSES[case]
    return evaluated(tf, getattr(tf.losses, case)(tf.constant(labels), tf.constant(predictions), **extra(case)))


@program(cases=sorted(LOSSES), tol=1e-5)
def scalar_weight_and_scope(tf, case):
    labels, predictions = LOSSES[case]
    loss = getattr(tf.losses, case)(labels, predictions, weights=0.5, scope="mine", **extra(case))
    return evaluated(tf, loss)


def rows_of_weights(case):
    return [2.0, 0.0] if "softmax" in case else [[2.0], [0.0]]


@program(cases=sorted(LOSSES), tol=1e-5)
def weight_a_row(tf, case):
    labels, predictions = LOSSES[case]
    loss = getattr(tf.losses, case)(labels, predictions, weights=rows_of_weights(case), **extra(case))
    return evaluated(tf, loss)


@program(cases=["cosine_distance", "mean_pairwise_squared_error", "sparse_softmax_cross_entropy"], tol=1e-5)
def unknown_batch(tf, case):
    """Sizes that only a run knows: the weights are checked in a branch."""
    labels, predictions = LOSSES[case]
    y = tf.placeholder(labels.dtype, [None, *labels.shape[1:]])
    p = tf.placeholder(tf.float32, [None, 3])
    weights = np.array(rows_of_weights(case), np.float32)
    w = tf.placeholder(tf.float32, [None, *weights.shape[1:]])
    loss = getattr(tf.losses, case)(y, p, weights=w, **extra(case))
    return evaluated(tf, loss, {y: labels, p: predictions, w: weights})


@program(cases=["huber_loss", "sparse_softmax_cross_entropy"], tol=1e-5)
def unknown_ranks(tf, case):
    labels, predictions = LOSSES[case]
    y, p, w = tf.placeholder(labels.dtype), tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    loss = getattr(tf.losses, case)(y, p, weights=w)
    return evaluated(tf, loss, {y: labels, p: predictions, w: rows_of_weights(case)})


REDUCTIONS = [
    "none", "weighted_sum", "weighted_mean", "weighted_sum_over_batch_size", "weighted_sum_by_nonzero_weights",
]  # fmt: skip


@program(cases=REDUCTIONS)
def reductions(tf, case):
    loss = tf.losses.absolute_difference(LABELS, PREDICTIONS, [[2.0], [0.0]], reduction=case)
    return evaluated(tf, loss)


@program(cases=REDUCTIONS)
def reductions_of_unknown_batches(tf, case):
    y, w = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [])
    return evaluated(tf, tf.losses.mean_squared_error(y, PREDICTIONS, w, reduction=case), {y: LABELS, w: 3.0})


@program(cases=REDUCTIONS)
def reductions_of_nothing(tf, case):
    """Weights that are all 0 give 0, and so does an empty batch."""
    loss = tf.losses.absolute_difference(LABELS, PREDICTIONS, 0.0, reduction=case)
    empty = tf.losses.mean_squared_error(LABELS[:0], PREDICTIONS[:0], reduction=case)
    return evaluated(tf, [loss, empty])


@program(cases=REDUCTIONS)
def weighted_loss_of_other_types(tf, case):
    losses = tf.constant([[1, 2], [3, 4]])
    double = tf.constant([[1.0, 2.0]], tf.float64)
    return evaluated(
        tf,
        [
            tf.losses.compute_weighted_loss(losses, 2, reduction=case),
            tf.losses.compute_weighted_loss(double, [[0.5]], reduction=case, scope="double", loss_collection="mine"),
        ],
    )


@program(cases=["float16", "float64", "int32"], tol=1e-3)
def label_types(tf, case):
    labels = tf.constant(LABELS, case) if case != "int32" else tf.constant(LABELS.astype(np.int32))
    logits = tf.constant(PREDICTIONS, "float16" if case == "float16" else "float32")
    return evaluated(
        tf,
        [
            tf.losses.hinge_loss(labels, logits),
            tf.losses.sigmoid_cross_entropy(labels, logits),
            tf.losses.softmax_cross_entropy(labels, logits),
            tf.losses.mean_squared_error(labels, logits),
        ],
    )


@program(tol=1e-5)
def options(tf):
    return evaluated(
        tf,
        [
            tf.losses.huber_loss(LABELS, PREDICTIONS, delta=0.3),
            tf.losses.log_loss(LABELS, np.abs(PREDICTIONS) / 2, epsilon=1e-2),
            tf.losses.sigmoid_cross_entropy(LABELS, PREDICTIONS, label_smoothing=0.2),
            tf.losses.softmax_cross_entropy(LABELS, PREDICTIONS, label_smoothing=0.2),
            tf.losses.cosine_distance(LABELS, PREDICTIONS, dim=-1),
            tf.losses.mean_squared_error(LABELS, PREDICTIONS, loss_collection=None),
        ],
    )


@program(tol=1e-5)
def sparse_labels_with_a_last_axis(tf):
    return evaluated(
        tf,
        [
            tf.losses.sparse_softmax_cross_entropy(CLASSES[:, None], PREDICTIONS),
            tf.losses.sparse_softmax_cross_entropy(CLASSES, PREDICTIONS, weights=tf.constant([[1.0], [3.0]])),
            tf.losses.sparse_softmax_cross_entropy(CLASSES.astype(np.int64), PREDICTIONS, weights=[[1.0], [3.0]]),
        ],
    )


@program(tol=1e-5)
def gradients(tf):
    p = tf.constant(PREDICTIONS)
    losses = [
        tf.losses.huber_loss(LABELS, p),
        tf.losses.mean_squared_error(LABELS, p, [[1.0], [0.0]]),
        tf.losses.sparse_softmax_cross_entropy(CLASSES, p),
        tf.losses.mean_pairwise_squared_error(LABELS, p),
    ]
    with tf.Session() as sess:
        return sess.run(tf.gradients(tf.losses.get_total_loss(), p))


@program(tol=1e-5, graph=False)
def gradients_of_unknown_batches(tf):
    """Through the branches that check the weights."""
    found = []
    for case in sorted(LOSSES):
        labels, predictions = LOSSES[case]
        y, p, w = tf.placeholder(labels.dtype), tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32)
        loss = getattr(tf.losses, case)(y, p, weights=w, **extra(case))
        weights = rows_of_weights(case)
        with tf.Session() as sess:
            found.append(sess.run(tf.gradients(loss, [p, w]), {y: labels, p: predictions, w: weights}))
    return found


@program()
def totals(tf):
    nothing = tf.losses.get_regularization_loss()
    with tf.name_scope("a"):
        tf.losses.add_loss(tf.constant(1.0))
    with tf.name_scope("b"):
        tf.losses.add_loss(tf.constant(2.0))
        tf.losses.add_loss(tf.constant(3.0), None)
        tf.losses.add_loss(tf.constant(4.0), "other")
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.5, name="a/penalty"))
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.25, name="c"))
    found = [
        tf.losses.get_total_loss(),
        tf.losses.get_total_loss(False),
        tf.losses.get_total_loss(name="of_a", scope="a"),
        tf.losses.get_regularization_loss("a"),
        tf.losses.get_regularization_loss(name="penalties"),
    ]
    kept = [tf.losses.get_losses("a"), tf.losses.get_losses(loss_collection="other"),
            tf.losses.get_regularization_losses("a")]  # fmt: skip
    with tf.Session() as sess:
        return sess.run([nothing, found]), found, kept


@program(messages=[])
def no_losses(tf):
    return attempt(tf.losses.get_total_loss)


@program()
def reduction_names(tf):
    kind = tf.losses.Reduction
    return kind.all(), kind.MEAN, kind.SUM_OVER_NONZERO_WEIGHTS, attempt(kind.validate, "mean")


@program(cases=sorted(LOSSES))
def missing(tf, case):
    labels, predictions = LOSSES[case]
    function = getattr(tf.losses, case)
    return [
        attempt(lambda: function(None, predictions, **extra(case))),
        attempt(lambda: function(labels, None, **extra(case))),
    ]


@program(cases=sorted(set(LOSSES) - {"sparse_softmax_cross_entropy"}))
def shapes_differ(tf, case):
    labels, predictions = LOSSES[case]
    return attempt(lambda: getattr(tf.losses, case)(labels[:, :2], predictions, **extra(case)))


@program()
def weights_that_do_not_fit(tf):
    mse = tf.losses.mean_squared_error
    return [
        attempt(lambda: mse(LABELS, PREDICTIONS, [1.0, 2.0])),
        attempt(lambda: mse(LABELS, PREDICTIONS, [[1.0], [2.0], [3.0]])),
        attempt(lambda: mse(LABELS, PREDICTIONS, [[1.0, 2.0]])),
    ]


@program(cases={"rank": [1.0, 2.0, 3.0], "size": [[1.0, 2.0]]}, messages=["weights can not be broadcast to values"])
def weights_that_do_not_fit_in_a_run(tf, case):
    w = tf.placeholder(tf.float32)
    loss = tf.losses.mean_squared_error(LABELS, PREDICTIONS, w)
    with tf.Session() as sess:
        return sess.run(loss, {w: case})


@program()
def bad_options(tf):
    return [
        attempt(lambda: tf.losses.mean_squared_error(LABELS, PREDICTIONS, reduction="mean")),
        attempt(lambda: tf.losses.cosine_distance(LABELS, PREDICTIONS)),
        attempt(lambda: tf.losses.cosine_distance(LABELS, PREDICTIONS, axis=1, dim=1)),
    ]


# -- tf.sets -------------------------------------------------------------------------------------------------------

OPERATIONS = ["difference", "intersection", "union"]


def sets(tf):
    dense = tf.constant([[1, 2, 2], [3, 4, 5]])
    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 9, 3]), [2, 3])
    return dense, sparse


@program(cases=OPERATIONS)
def set_operations(tf, case):
    dense, sparse = sets(tf)
    function = getattr(tf.sets, case)
    results = [
        function(dense, tf.constant([[2, 9], [9, 9]])),
        function(dense, sparse),
        function(sparse, dense),
        function(sparse, sparse),
    ]
    if case == "difference":
        results += [function(dense, sparse, aminusb=False), function(sparse, dense, aminusb=False)]
    with tf.Session() as sess:
        return results, sess.run(results)


@program()
def set_sizes(tf):
    _, sparse = sets(tf)
    words = tf.SparseTensor([[0, 0, 1], [0, 0, 2], [1, 1, 0]], tf.constant(["a", "a", "b"]), [2, 2, 3])
    with tf.Session() as sess:
        return sess.run([tf.sets.size(sparse), tf.sets.set_size(words), tf.sets.union(words, words)])


@program()
def set_static_shapes(tf):
    dense, sparse = sets(tf)
    any_rank = tf.placeholder(tf.int32)
    loose = tf.sparse_placeholder(tf.int32)
    pairs = [(any_rank, any_rank), (any_rank, dense), (any_rank, sparse), (any_rank, loose), (sparse, loose)]
    results = [tf.sets.intersection(a, b) for a, b in pairs]
    return [[part.shape for part in (one.indices, one.values, one.dense_shape)] for one in results]


@program(messages=[])
def set_errors(tf):
    dense, sparse = sets(tf)
    any_set = tf.placeholder(tf.int32)
    wide = tf.SparseTensor([[0, 0]], tf.constant([1]), [3, 3])
    turned = tf.SparseTensor([[1, 0], [0, 1]], tf.constant([1, 7]), [2, 2])
    with tf.Session() as sess:
        return [
            attempt(lambda: tf.sets.union(dense, tf.constant([[1.0]]))),
            attempt(lambda: tf.sets.union(dense, tf.constant([[1]], tf.int64))),
            attempt(lambda: tf.sets.size(dense)),
            attempt(lambda: tf.sets.union(tf.constant([1]), tf.constant([1]))),
            attempt(lambda: tf.sets.union(dense, tf.constant([[1]]))),
            attempt(lambda: sess.run(tf.sets.union(dense, wide))),
            attempt(lambda: sess.run(tf.sets.union(turned, sparse))),
            attempt(lambda: sess.run(tf.sets.union(any_set, any_set).values, {any_set: [1, 2]})),
            attempt(lambda: sess.run(tf.sets.union(any_set, dense).values, {any_set: [[1, 2]]})),
        ]
