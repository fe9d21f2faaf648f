"""tf.contrib.slim, losses, metrics and framework, as TensorFlow 1.15 has them: arguments, variables, training."""

import contextlib
import io

import numpy as np

from tests.oracle import attempt, program

KEYS = ["variables", "trainable_variables", "model_variables", "regularization_losses", "losses", "update_ops"]


def images(tf, size=8, channels=3):
    return tf.placeholder(tf.float32, [None, size, size, channels], name="x")


def collections(tf):
    return [[getattr(item, "name", item) for item in tf.get_collection(key)] for key in KEYS]


# -- arg_scope -----------------------------------------------------------------------------------------------------


@program(oracle="1.15")
def network(tf):
    """A network as slim's users write it."""
    slim = tf.contrib.slim
    with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(0.5)):
        with slim.arg_scope([slim.conv2d], stride=1, padding="SAME", normalizer_fn=slim.batch_norm):
            with slim.arg_scope([slim.batch_norm], is_training=True, decay=0.9):
                net = slim.repeat(images(tf), 2, slim.conv2d, 4, [3, 3], scope="conv1")
                net = slim.max_pool2d(net, [2, 2], scope="pool1")
                net = slim.conv2d(net, 2, 1, normalizer_fn=None, activation_fn=None)
        net = slim.flatten(net)
        net = slim.fully_connected(net, 3, scope="fc")
        net = slim.dropout(net, 0.5, is_training=False)
        net = slim.stack(net, slim.fully_connected, [3, 2], scope="top")
    return net, collections(tf)


@program(oracle="1.15", graph=False)
def scopes(tf):
    slim = tf.contrib.slim

    @slim.add_arg_scope
    def shown(*args, **kwargs):
        return args, sorted(kwargs.items())

    @slim.add_arg_scope
    def other(a, b=1, c=2):
        return a, b, c

    seen = [shown(1)]
    with slim.arg_scope([shown], a=1, b=2):
        seen.append(shown(0, b=3))
        with slim.arg_scope([shown, other], b=5, c=6) as kept:
            seen += [shown(), other(0), other(0, c=1)]
        with slim.arg_scope([other], c=7):
            seen += [shown(), other(1)]
    with slim.arg_scope(kept):
        seen += [shown(), other(2)]
    with slim.arg_scope([]):
        seen.append(shown())
    seen += [slim.has_arg_scope(shown), slim.has_arg_scope(len), slim.arg_scoped_arguments(other)]

    def enter(*args, **kwargs):
        with slim.arg_scope(*args, **kwargs):
            pass

    errors = [
        attempt(enter, [len], a=1),
        attempt(enter, kept, a=1),
        attempt(enter, shown, a=1),
    ]
    with slim.arg_scope([other], b=1):
        errors.append(attempt(other, 1, 2))
    return seen, errors


@program(oracle="1.15", graph=False)
def a_scope_that_fails_is_closed(tf):
    slim = tf.contrib.slim

    @slim.add_arg_scope
    def shown(a=0):
        return a

    def fail():
        with slim.arg_scope([shown], a=1):
            raise KeyError("inside")

    return attempt(fail), shown()


# -- variables -----------------------------------------------------------------------------------------------------


@program(oracle="1.15", graph=False)
def variables(tf):
    slim = tf.contrib.slim
    with tf.variable_scope("a"):
        slim.model_variable("w", [2], regularizer=slim.l2_regularizer(0.5))
        slim.variable("v", [1], device="/cpu:0", collections=["mine"])
        slim.model_variable("ww", [1], trainable=False, collections=["x"], initializer=tf.zeros_initializer())
    slim.variable("w", [1])
    slim.local_variable(1.0, name="here")
    slim.global_variable([2.0], name="there")
    with slim.arg_scope([slim.variable], device="/cpu:1"):
        placed = slim.model_variable("placed", [1])
    slim.add_model_variable(placed)
    names = [
        slim.get_variables(), slim.get_variables("a"), slim.get_variables("a", "w"), slim.get_variables(suffix="w"),
        slim.get_model_variables(), slim.get_model_variables("a"), slim.get_local_variables(),
        slim.get_trainable_variables("a"), slim.get_variables_by_name("w"), slim.get_variables_by_name("w", "a"),
        slim.get_variables_by_suffix("w"), slim.get_variables_to_restore(), slim.get_variables_to_restore(["a"]),
        slim.get_variables_to_restore(None, ["a/w"]), slim.get_variables_to_restore(["a"], ["a/ww"]),
        slim.filter_variables(tf.global_variables(), ["w"], ["ww"]),
        slim.filter_variables(tf.global_variables(), ["w"], reg_search=False), tf.get_collection("mine"),
        [slim.get_unique_variable("a/w")],
    ]  # fmt: skip
    errors = [
        attempt(slim.get_unique_variable, "a"),
        attempt(slim.get_unique_variable, "nope"),
        attempt(slim.get_variables_to_restore, "a"),
        attempt(slim.get_variables_to_restore, None, "a"),
    ]
    return [[one.name for one in found] for found in names], placed.device, errors, collections(tf)


@program(oracle="1.15", graph=False)
def assigning(tf):
    slim = tf.contrib.slim
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable(3.0, name="ab")
    operation, feeds = slim.assign_from_values({"a": np.array([[5.0], [6.0]]), "ab": np.array(7.0)})
    later = slim.assign_from_values_fn({"ab": np.array(9.0)})
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(operation, feeds)
        seen = [sess.run([a, b])]
        later(sess)
        seen.append(sess.run([a, b]))
    return seen, sorted(one.name for one in feeds), attempt(slim.assign_from_values, {"c": np.array(1.0)})


@program(oracle="1.15", graph=False)
def assigning_from_a_checkpoint(tf):
    import tempfile

    slim = tf.contrib.slim
    path = tempfile.mkdtemp() + "/model"
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable(3.0, name="b")
    saver = tf.train.Saver([a, b])
    c, d = tf.Variable(4.0, name="c"), tf.Variable([1.0], name="d")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saver.save(sess, path)
        operation, feeds = slim.assign_from_checkpoint(path, {"b": [c]})
        sess.run(operation, feeds)
        seen = [sess.run([a, b, c])]
        sess.run([a.assign([0.0, 0.0]), b.assign(0.0)])
        slim.assign_from_checkpoint_fn(path, [a, c], ignore_missing_vars=True)(sess)
        seen.append(sess.run([a, b, c]))
    missing = attempt(slim.assign_from_checkpoint, path, [c])
    return seen, missing, slim.assign_from_checkpoint_fn(path, [c], ignore_missing_vars=True)


# -- losses --------------------------------------------------------------------------------------------------------

LABELS = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]], np.float32)
PREDICTIONS = np.array([[0.5, 0.25, -1.0], [2.0, 0.1, 0.9]], np.float32)
LOSSES = {
    "absolute_difference": (PREDICTIONS, LABELS),
    "mean_squared_error": (PREDICTIONS, LABELS),
    "log_loss": (np.abs(PREDICTIONS) / 2, LABELS),
    "mean_pairwise_squared_error": (PREDICTIONS, LABELS),
    "cosine_distance": (PREDICTIONS, LABELS),
    "sigmoid_cross_entropy": (PREDICTIONS, LABELS),
}
#: with nodes that have changed since 1.15
CHANGED = {
    "softmax_cross_entropy": (PREDICTIONS, LABELS),
    "sparse_softmax_cross_entropy": (PREDICTIONS, np.array([2, 0], np.int32)),
    "hinge_loss": (PREDICTIONS, LABELS),
}


def loss_values(tf, case, pair, **options):
    if case == "cosine_distance":
        options["axis"] = 1
    tensors = [tf.constant(one) for one in pair]
    loss = getattr(tf.contrib.losses, case)(*tensors, **options)
    with tf.Session() as sess:
        return loss, sess.run([loss, tf.get_collection(tf.GraphKeys.LOSSES)])


def main_nodes(tf):
    """What is left without the axes of sums, which have other nodes since 1.15."""
    nodes = tf.get_default_graph().get_operations()
    return [node.name for node in nodes if node.type not in ("Const", "Range", "Rank")]


@program(cases=sorted(LOSSES), oracle="1.15", tol=1e-5, graph=False)
def losses(tf, case):
    return loss_values(tf, case, LOSSES[case]), main_nodes(tf)


@program(cases=sorted(LOSSES), oracle="1.15", tol=1e-5, graph=False)
def weighted_losses(tf, case):
    found = loss_values(tf, case, LOSSES[case], weights=tf.constant([0.5, 0.0]), scope="mine")
    return found, main_nodes(tf)


@program(cases=sorted(CHANGED), oracle="1.15", tol=1e-5, graph=False)
def losses_of_changed_nodes(tf, case):
    options = {"label_smoothing": 0.1} if case == "softmax_cross_entropy" else {}
    return loss_values(tf, case, CHANGED[case], **options)


@program(oracle="1.15", tol=1e-5, graph=False)
def more_losses(tf):
    slim = tf.contrib.slim
    weights = [
        0.0, 2.0, np.float32([[0.5], [1.0]]), np.float32([[1.0, 0.0, 2.0], [0.0, 0.0, 1.0]]),
    ]  # fmt: skip
    found = [slim.losses.compute_weighted_loss(tf.constant(PREDICTIONS), w) for w in weights]
    found.append(slim.losses.sigmoid_cross_entropy(tf.constant(PREDICTIONS), tf.constant(LABELS), label_smoothing=0.2))
    slim.losses.add_loss(tf.constant(5.0), "others")
    with slim.arg_scope([slim.losses.add_loss], loss_collection="mine"):
        found.append(slim.losses.absolute_difference(tf.constant(PREDICTIONS), tf.constant(LABELS)))
    total = slim.losses.get_total_loss()
    kept = [slim.losses.get_losses(), slim.losses.get_losses(loss_collection="mine")]
    errors = [
        attempt(slim.losses.compute_weighted_loss, tf.constant([1.0]), tf.placeholder(tf.float32)),
        attempt(slim.losses.compute_weighted_loss, tf.placeholder(tf.float32), 1.0),
        attempt(slim.losses.cosine_distance, tf.constant([1.0]), tf.constant([1.0])),
        attempt(slim.losses.mean_squared_error, tf.constant([1.0]), tf.constant([1.0, 2.0])),
    ]
    with tf.Session() as sess:
        return sess.run([found, total]), kept, errors


# -- metrics -------------------------------------------------------------------------------------------------------

STREAMING = [
    "accuracy", "false_negatives", "false_positives", "mean_absolute_error", "mean_squared_error", "precision",
    "recall", "root_mean_squared_error", "true_negatives", "true_positives", "auc",
]  # fmt: skip


@program(cases=STREAMING, oracle="1.15", tol=1e-4, graph=False)
def streaming(tf, case):
    predictions, labels = tf.constant([1.0, 0.0, 1.0, 1.0]), tf.constant([1.0, 0.0, 0.0, 1.0])
    metric = getattr(tf.contrib.metrics, "streaming_" + case)
    value, update = metric(predictions, labels, tf.constant([1.0, 2.0, 1.0, 0.5]))
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        return sess.run(update), sess.run(value), value, update, [v.name for v in tf.local_variables()]


@program(oracle="1.15", tol=1e-5, graph=False)
def more_metrics(tf):
    metrics = tf.contrib.slim.metrics
    scores = tf.constant([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]])
    labels = tf.constant([1, 2])
    values, updates = metrics.aggregate_metric_map(
        {
            "mean": metrics.streaming_mean(tf.constant([1.0, 2.0])),
            "tensor": metrics.streaming_mean_tensor(tf.constant([1.0, 2.0])),
            "less": metrics.streaming_percentage_less(tf.constant([1.0, 3.0]), 2.0),
            "iou": metrics.streaming_mean_iou(tf.constant([0, 1]), tf.constant([0, 0]), 2),
            "recall_at_2": metrics.streaming_recall_at_k(scores, labels, 2),
            "sparse": metrics.streaming_sparse_precision_at_k(scores, tf.constant([[1], [2]], tf.int64), 2),
            "count": metrics.count(tf.constant([1.0, 2.0]), tf.constant([0.5, 0.25])),
            "f1": metrics.f1_score(tf.constant([True, False]), tf.constant([0.7, 0.2]), num_thresholds=5),
            "at": metrics.streaming_recall_at_thresholds(tf.constant([0.7, 0.2]), tf.constant([1, 1]), [0.5]),
        }
    )
    lists = metrics.aggregate_metrics((values["mean"], updates["mean"]), (values["f1"], updates["f1"]))
    now = [metrics.accuracy(labels, labels), metrics.accuracy(labels, tf.constant([1, 0]), tf.constant([1.0, 3.0]))]
    errors = [
        attempt(metrics.accuracy, tf.constant([1.0]), tf.constant([1.0])),
        attempt(metrics.accuracy, tf.constant([1], tf.int64), tf.constant([1])),
        attempt(metrics.aggregate_metrics),
    ]
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        sess.run(updates)
        return sess.run(values), sorted(one.name for one in values.values()), lists, sess.run(now), errors


# -- training steps and summaries ----------------------------------------------------------------------------------


def trained(tf, **options):
    v, w = tf.get_variable("v", initializer=[3.0, 4.0]), tf.get_variable("w", initializer=[1.0, 2.0])
    # All gradients need the error, so no variable is updated before the loss has been computed.
    loss = tf.reduce_sum(tf.square(v * w - 0.5), name="loss")
    learning = tf.contrib.slim.learning
    step = learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1), **options)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values = [sess.run(step) for _ in range(2)] + sess.run([v, w])
    nodes = [(op.name, op.type) for op in tf.get_default_graph().get_operations() if "gradients/" not in op.name]
    nodes = [node for node in nodes if "clip_by" not in node[0]]
    kept = [[one.name for one in tf.get_collection(key)] for key in ("variables", "train_op", "summaries")]
    return step, values, nodes, kept


TRAINING = {
    "plain": lambda tf: {},
    "no_step": lambda tf: {"global_step": None, "check_numerics": False},
    "clipped": lambda tf: {"clip_gradient_norm": 0.5, "gradient_multipliers": {"v": 2.0}},
    "updates": lambda tf: {"update_ops": [tf.no_op("an_update")]},
    "summaries": lambda tf: {"summarize_gradients": True},
}


@program(cases=sorted(TRAINING), oracle="1.15", graph=False, tol=1e-5)
def create_train_op(tf, case):
    return trained(tf, **TRAINING[case](tf))


@program(oracle="1.15", graph=False, messages=["LossTensor is inf or nan"])
def a_loss_that_is_not_finite(tf):
    v = tf.get_variable("v", initializer=[0.0])
    step = tf.contrib.slim.learning.create_train_op(tf.reduce_sum(tf.log(v)), tf.train.GradientDescentOptimizer(0.1))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(step)


@program(oracle="1.15", graph=False, messages=[])
def training_failures(tf):
    learning = tf.contrib.slim.learning
    v, w = tf.get_variable("v", initializer=[3.0]), tf.get_variable("w", initializer=[1.0], trainable=False)
    return [
        attempt(learning.multiply_gradients, [(None, v)], {"v": 2.0}),
        attempt(learning.multiply_gradients, [(None, v)], {}),
        attempt(learning.multiply_gradients, [(None, v)], [1.0]),
    ]


@program(oracle="1.15", graph=False)
def summaries(tf):
    slim, layers = tf.contrib.slim, tf.contrib.layers
    v = slim.model_variable("v", [2], initializer=tf.ones_initializer())
    tf.add_to_collection(tf.GraphKeys.WEIGHTS, v)
    x = tf.constant([[-1.0, 7.0], [3.0, 2.0]], name="x")
    y = slim.fully_connected(x, 2, weights_initializer=tf.ones_initializer(), outputs_collections="activations")
    made = [
        layers.summarize_activation(y), layers.summarize_activation(tf.nn.relu6(x, name="six")),
        layers.summarize_activation(tf.tanh(x, name="t")), layers.summarize_tensor(tf.constant(1.0, name="one")),
        layers.summarize_tensor(x, "tag"), layers.summarize_activations(), layers.summarize_collection("weights"),
        layers.summarize_collection("variables", "^nothing"),
        slim.summaries.add_scalar_summary(tf.constant(1.0), "n", "p"),
        slim.summaries.add_histogram_summary(x, prefix="q"), slim.summaries.add_zero_fraction_summary(x, "z"),
        slim.summaries.add_histogram_summaries([x, v], "several"),
    ]  # fmt: skip
    return (
        made,
        tf.get_collection(tf.GraphKeys.SUMMARIES),
        y.aliases,
        slim.utils.convert_collection_to_dict("activations"),
    )


@program(oracle="1.15", graph=False)
def sizes(tf):
    slim = tf.contrib.slim
    v = slim.model_variable("v", [2, 3], initializer=tf.zeros_initializer())
    slim.variable("w", [4], initializer=tf.ones_initializer())
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        found = slim.model_analyzer.analyze_vars(slim.get_variables(), print_info=True)
        total = slim.model_analyzer.analyze_ops(tf.get_default_graph(), print_info=True)
    return found, total, out.getvalue(), slim.model_analyzer.tensor_description(v)


@program(oracle="1.15", graph=False, messages=[])
def utilities(tf):
    utils = tf.contrib.slim.utils
    x = tf.constant([[1.0, 2.0]], name="x")
    flag = tf.placeholder(tf.bool, [], name="flag")
    utils.collect_named_outputs("o", "one/", x)
    utils.append_tensor_alias(x, "two")
    y = utils.collect_named_outputs("o", "y", tf.identity(x))
    return [
        utils.get_tensor_aliases(x), utils.get_tensor_aliases(flag), utils.gather_tensors_aliases([x, y]),
        utils.convert_collection_to_dict("o"), utils.convert_collection_to_dict("o", clear_collection=True),
        tf.get_collection("o"), utils.get_variable_collections({"a": ["b"]}, "a"),
        utils.get_variable_collections({"a": ["b"]}, "c"), utils.get_variable_collections(["d"], "a"),
        utils.smart_cond(True, lambda: x, lambda: y), utils.smart_cond(flag, lambda: x, lambda: x + 1),
        utils.static_cond(False, lambda: 1, lambda: 2), utils.last_dimension(tf.TensorShape([2, 3])),
        attempt(utils.last_dimension, tf.TensorShape([2, None])), attempt(utils.last_dimension, tf.TensorShape(None)),
        attempt(utils.last_dimension, tf.TensorShape([3]), 2), utils.two_element_tuple(3),
        utils.two_element_tuple([1, 2]), [int(size) for size in utils.two_element_tuple(tf.TensorShape([4, 5]))],
        attempt(utils.two_element_tuple, [1]), attempt(utils.two_element_tuple, "ab"),
    ]  # fmt: skip


@program(oracle="1.15", graph=False)
def names_of_slim(tf):
    slim, layers, framework = tf.contrib.slim, tf.contrib.layers, tf.contrib.framework
    same = [
        slim.conv2d is layers.conv2d, slim.convolution2d is slim.conv2d, slim.l2_regularizer is layers.l2_regularizer,
        slim.arg_scope is framework.arg_scope, slim.model_variable is framework.model_variable,
        slim.losses is tf.contrib.losses, slim.metrics is tf.contrib.metrics,
        slim.initializers.xavier_initializer is slim.xavier_initializer,
        slim.separable_conv2d is slim.separable_convolution2d,
    ]  # fmt: skip
    step = slim.get_or_create_global_step()
    return same, step.name, slim.get_global_step().name, attempt(slim.create_global_step)
