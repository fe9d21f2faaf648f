"""Cross entropies and other losses, linear layers, and what counts zeros."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

LOGITS = np.array([[2.0, -1.0, 0.5], [0.0, 3.0, -2.0]], dtype=np.float32)
LABELS = np.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]], dtype=np.float32)
DEEP = np.linspace(-2, 3, 24, dtype=np.float32).reshape(2, 3, 4)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return (e / e.sum(axis=axis, keepdims=True)).astype(np.float32)


XENTS = ["softmax_cross_entropy_with_logits", "softmax_cross_entropy_with_logits_v2"]


@program(cases=XENTS)
def softmax_cross_entropy(tf, case):
    f = getattr(tf.nn, case)
    logits, labels = tf.constant(LOGITS, name="logits"), tf.constant(LABELS, name="labels")
    ys = [f(labels=labels, logits=logits), f(labels=labels, logits=logits, name="mine")]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(cases=XENTS)
def softmax_cross_entropy_of_lists(tf, case):
    y = getattr(tf.nn, case)(labels=[[0.0, 1.0]], logits=[[2.0, 1.0]])
    with tf.Session() as sess:
        return y, sess.run(y)


@program(cases=[0, 1, 2, -1, -2, -3])
def softmax_cross_entropy_axis(tf, case):
    logits, labels = tf.constant(DEEP, name="logits"), tf.constant(softmax(DEEP * 0.5, case), name="labels")
    ys = [
        tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=case),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=case),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, dim=case, name="n"),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(cases=XENTS)
def softmax_cross_entropy_ranks(tf, case):
    f = getattr(tf.nn, case)
    vector = f(labels=tf.constant(LABELS[0]), logits=tf.constant(LOGITS[0]))
    deep = f(labels=tf.constant(softmax(DEEP, -1)), logits=tf.constant(DEEP))
    unknown = tf.placeholder(tf.float32)
    free = f(labels=unknown, logits=unknown)
    partly = f(labels=tf.placeholder(tf.float32, [None, 4]), logits=tf.placeholder(tf.float32, [2, None]))
    empty = f(labels=tf.zeros([0, 3]), logits=tf.zeros([0, 3]))
    with tf.Session() as sess:
        return vector, deep, free, partly, empty, sess.run([vector, deep, empty]), sess.run(free, {unknown: DEEP})


@program(cases=["float16", "float64", "int32"])
def softmax_cross_entropy_types(tf, case):
    logits, labels = tf.constant(LOGITS.astype(case)), tf.constant(LABELS)
    out = [
        attempt(tf.nn.softmax_cross_entropy_with_logits_v2, labels=labels, logits=logits),
        attempt(tf.nn.softmax_cross_entropy_with_logits_v2, labels=tf.constant([[0, 0, 1], [1, 0, 0]]), logits=logits),
        attempt(tf.nn.softmax_cross_entropy_with_logits, labels=labels, logits=logits, name="n"),
    ]
    with tf.Session() as sess:
        return out, [sess.run(y) for y in out if hasattr(y, "op")]


@program()
def softmax_cross_entropy_broadcasts_in_the_op(tf):
    loss, backprop = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=LOGITS, labels=[[0.1, 0.2, 0.7]])
    other = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=LOGITS, labels=LABELS, name="n")
    with tf.Session() as sess:
        return loss, backprop, other, sess.run([loss, backprop]), sess.run(other)


@program(graph=False)
def softmax_cross_entropy_mistakes(tf):
    logits, labels = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 3])
    f, g = tf.nn.softmax_cross_entropy_with_logits, tf.nn.softmax_cross_entropy_with_logits_v2
    return [
        attempt(f, logits, labels),
        attempt(f, logits=logits),
        attempt(f, labels=labels),
        attempt(f),
        attempt(g, labels=labels, logits=tf.placeholder(tf.float32, [2, 4])),
        attempt(g, labels=labels, logits=tf.placeholder(tf.float32, [5, 3])),
        attempt(g, labels=labels, logits=tf.placeholder(tf.float32, [6])),
        attempt(g, labels=labels, logits=1.0),
        attempt(g, labels=labels, logits=logits, axis=0, dim=0),
        attempt(f, labels=labels, logits=logits, axis=0),
        attempt(f, labels=labels, logits=logits, axis=0, dim=0),
        attempt(g, labels=labels, logits=logits, axis=2),
        attempt(g, labels=labels, logits=logits, axis=-3),
        attempt(g, labels="a", logits=logits),
        attempt(g, labels=None, logits=logits),
    ]


@program(messages=["logits", "labels"])
def softmax_cross_entropy_sizes_at_run_time(tf):
    logits, labels = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    with tf.Session() as sess:
        return sess.run(y, {logits: np.ones([2, 3]), labels: np.ones([2, 4])})


@program(cases=["int32", "int64"])
def sparse_softmax_cross_entropy(tf, case):
    f = tf.nn.sparse_softmax_cross_entropy_with_logits
    logits, labels = tf.constant(LOGITS, name="logits"), tf.constant([2, 1], case, name="labels")
    ys = [
        f(labels=labels, logits=logits),
        f(labels=labels, logits=logits, name="mine"),
        f(labels=tf.constant([[0, 1, 2], [3, 0, 1]], case), logits=tf.constant(DEEP)),
        f(labels=tf.constant([[0, 1, 2], [3, 0, 1]], case), logits=tf.constant(DEEP), name="deep"),
        f(labels=tf.constant(1, case), logits=tf.constant(LOGITS[0])),
        f(labels=[0, 1], logits=[[1.0, 2.0], [3.0, 1.0]]),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def sparse_softmax_cross_entropy_unknown(tf):
    f = tf.nn.sparse_softmax_cross_entropy_with_logits
    labels, logits = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
    ys = [
        f(labels=labels, logits=logits),
        f(labels=tf.placeholder(tf.int32, [None]), logits=tf.placeholder(tf.float32, [None, 3])),
        f(labels=tf.placeholder(tf.int32, [None, 3]), logits=tf.placeholder(tf.float32, [2, None, 4])),
        f(labels=tf.placeholder(tf.int32, [2, 3]), logits=tf.placeholder(tf.float32, [2, 3, None])),
        f(labels=labels, logits=tf.placeholder(tf.float32, [None, 4])),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys[0], {labels: [[0, 1, 2], [3, 0, 1]], logits: DEEP})


@program(cases=["float16", "float64", "int32"])
def sparse_softmax_cross_entropy_types(tf, case):
    y = attempt(
        tf.nn.sparse_softmax_cross_entropy_with_logits,
        labels=tf.constant([2, 1]),
        logits=tf.constant(LOGITS.astype(case)),
    )
    with tf.Session() as sess:
        return y, sess.run(y) if hasattr(y, "op") else None


@program(graph=False)
def sparse_softmax_cross_entropy_mistakes(tf):
    logits, labels = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.int32, [2])
    f = tf.nn.sparse_softmax_cross_entropy_with_logits
    return [
        attempt(f, logits, labels),
        attempt(f, logits=logits),
        attempt(f, labels=labels),
        attempt(f, labels=tf.placeholder(tf.int32, [3]), logits=logits),
        attempt(f, labels=tf.placeholder(tf.int32, [2, 3]), logits=logits),
        attempt(f, labels=labels, logits=tf.placeholder(tf.float32, [])),
        attempt(f, labels=tf.placeholder(tf.float32, [2]), logits=logits),
        attempt(f, labels=tf.placeholder(tf.uint8, [2]), logits=logits),
        attempt(f, labels=tf.placeholder(tf.int32, [5, 2]), logits=tf.placeholder(tf.float32, [5, 3, 4])),
        attempt(f, labels=tf.placeholder(tf.int32, [None, 2]), logits=logits),
    ]


@program(messages=["label value of 7", "[0, 3)"])
def sparse_label_out_of_range(tf):
    y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 7], logits=LOGITS)
    with tf.Session() as sess:
        return sess.run(y)


@program(messages=["x == y did not hold"])
def sparse_sizes_at_run_time(tf):
    labels, logits = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
    y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    with tf.Session() as sess:
        return sess.run(y, {labels: [1, 2, 0], logits: LOGITS})


LOGISTIC = np.array([[-3.0, 0.0, 2.0], [100.0, -100.0, 0.5]], dtype=np.float32)
TARGETS = np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.25]], dtype=np.float32)


@program()
def sigmoid_cross_entropy(tf):
    f = tf.nn.sigmoid_cross_entropy_with_logits
    logits, labels = tf.constant(LOGISTIC, name="logits"), tf.constant(TARGETS, name="labels")
    unknown = tf.placeholder(tf.float32)
    ys = [
        f(labels=labels, logits=logits),
        f(labels=labels, logits=logits, name="mine"),
        f(labels=[1.0, 0.0], logits=[2.0, 3.0]),
        f(labels=unknown, logits=logits),
        f(labels=labels, logits=unknown),
        f(labels=tf.placeholder(tf.float32, [None, 3]), logits=tf.placeholder(tf.float32, [2, None])),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys[:5], {unknown: LOGISTIC})


@program(graph=False)
def sigmoid_cross_entropy_mistakes(tf):
    f = tf.nn.sigmoid_cross_entropy_with_logits
    a, b = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 4])
    return [
        attempt(f, a, a),
        attempt(f, labels=a),
        attempt(f, logits=a),
        attempt(f, labels=a, logits=b),
        attempt(f, labels=tf.placeholder(tf.float64, [2, 3]), logits=a),
        attempt(f, labels=tf.placeholder(tf.int32, [2, 3]), logits=tf.placeholder(tf.int32, [2, 3])),
        attempt(f, labels="x", logits=a),
    ]


@program()
def weighted_cross_entropy(tf):
    f = tf.nn.weighted_cross_entropy_with_logits
    logits, labels = tf.constant(LOGISTIC, name="logits"), tf.constant(TARGETS, name="labels")
    ys = [
        f(labels, logits, 2.0),
        f(labels=labels, logits=logits, pos_weight=0.5, name="mine"),
        f(targets=labels, logits=logits, pos_weight=tf.constant(3.0)),
        f(labels=labels, logits=logits, pos_weight=tf.constant([1.0, 2.0, 3.0])),
        f(labels=[1.0], logits=[2.0], pos_weight=1),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(graph=False)
def weighted_cross_entropy_mistakes(tf):
    f = tf.nn.weighted_cross_entropy_with_logits
    a, b = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 4])
    return [
        attempt(f, a, b, 1.0),
        attempt(f, a, a),
        attempt(f, labels=a, logits=a, pos_weight=1.0, targets=a),
        attempt(f, logits=a, pos_weight=1.0),
    ]


@program()
def log_poisson_loss(tf):
    f = tf.nn.log_poisson_loss
    targets = tf.constant([[0.0, 1.0, 0.5], [3.0, 2.0, 7.0]], name="targets")
    logs = tf.constant(LOGITS, name="logs")
    ys = [
        f(targets, logs),
        f(targets, logs, compute_full_loss=True),
        f(targets, logs, True, name="mine"),
        f([1.0, 2.0], [0.5, 0.1], False),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(graph=False)
def log_poisson_loss_mistakes(tf):
    a, b = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 4])
    return [
        attempt(tf.nn.log_poisson_loss, a, b),
        attempt(tf.nn.log_poisson_loss, a, tf.placeholder(tf.float64, [2, 3])),
    ]


@program()
def l2_loss(tf):
    ys = [
        tf.nn.l2_loss(tf.constant(LOGITS)),
        tf.nn.l2_loss([1.0, 2.0], name="mine"),
        tf.nn.l2_loss(tf.zeros([0])),
        tf.nn.l2_loss(3.0),
        tf.nn.l2_loss(tf.constant(LOGITS, tf.float64)),
        tf.nn.l2_loss(tf.constant(LOGITS, tf.float16)),
        tf.nn.l2_loss(tf.placeholder(tf.float32)),
    ]
    v = tf.Variable([1.0, 3.0])
    of_variable = tf.nn.l2_loss(v)
    with tf.Session() as sess:
        sess.run(v.initializer)
        return ys, attempt(tf.nn.l2_loss, [1, 2]), sess.run(ys[:6]), sess.run(of_variable)


@program()
def linear_layers(tf):
    x, w = tf.constant(LOGITS, name="x"), tf.constant(DEEP[0], name="w")
    b = tf.constant([1.0, -2.0, 0.5, -4.0], name="b")
    ys = [
        tf.nn.xw_plus_b(x, w, b),
        tf.nn.xw_plus_b(x, w, [1.0, 2.0, 3.0, 4.0], name="mine"),
        tf.nn.relu_layer(x, w, b),
        tf.nn.relu_layer([[1.0]], [[2.0, -3.0]], [1.0, 1.0], name="layer"),
        tf.nn.bias_add(x, [1.0, 2.0, 3.0]),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(graph=False)
def linear_layer_mistakes(tf):
    x, w = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [3, 4])
    return [
        attempt(tf.nn.xw_plus_b, x, w, [1.0]),
        attempt(tf.nn.xw_plus_b, w, w, [1.0, 2.0, 3.0, 4.0]),
        attempt(tf.nn.xw_plus_b, x, w, 1.0),
        attempt(tf.nn.relu_layer, x, w, [[1.0]]),
        attempt(tf.nn.relu_layer, [1.0, 2.0], w, [1.0]),
        attempt(tf.nn.xw_plus_b, x, w, "text"),
    ]


BIAS = {
    "NHWC": ([2, 3, 4, 5], [5], "NHWC"),
    "NCHW": ([2, 3, 4, 5], [3], "NCHW"),
    "none": ([2, 5], [5], None),
    "N...C": ([2, 3, 5], [5], "N...C"),
    "NC...": ([2, 3, 5], [3], "NC..."),
    "NCDHW": ([1, 2, 2, 1, 3], [2], "NCDHW"),
    "NDHWC": ([1, 2, 2, 1, 3], [3], "NDHWC"),
    "NCW": ([2, 3, 5], [3], "NCW"),
}


@program(cases=sorted(BIAS))
def bias_add(tf, case):
    shape, bias, data_format = BIAS[case]
    x = tf.constant(np.arange(np.prod(shape), dtype=np.float32).reshape(shape), name="x")
    y = tf.nn.bias_add(x, np.arange(bias[0], dtype=np.float32) * 100, data_format=data_format)
    z = tf.nn.bias_add(x, tf.range(bias[0]) if False else tf.ones(bias), data_format, name="mine")
    with tf.Session() as sess:
        return y, z, sess.run([y, z])


@program(graph=False)
def bias_add_shapes_and_mistakes(tf):
    f = tf.nn.bias_add

    def x(*shape):
        return tf.placeholder(tf.float32, list(shape))

    anything = tf.placeholder(tf.float32)
    return [
        f(x(None, None), [1.0, 2.0]).shape,
        f(x(None, None, None), [1.0, 2.0], "NCHW").shape,
        f(anything, [1.0, 2.0]).shape,
        f(anything, anything, "NCHW").shape,
        f(x(2, 3), anything).shape,
        attempt(f, x(2, 3), [1.0, 2.0]),
        attempt(f, x(2, 3, 4), [1.0, 2.0], "NCHW"),
        attempt(f, x(3), [1.0, 2.0]),
        attempt(f, x(2, 3), 1.0),
        attempt(f, x(2, 3), [[1.0]]),
        attempt(f, x(2, 3), [1.0, 2.0, 3.0], "HWC"),
        attempt(f, x(2, 3), [1.0, 2.0, 3.0], "XY"),
        attempt(f, x(2, 3), ["a"]),
        attempt(f, x(2, 3), tf.constant([1, 2, 3])),
        attempt(f, None, [1.0]),
        attempt(f, [["a"]], ["b"]),
    ]


@program()
def bias_add_types(tf):
    ys = [tf.nn.bias_add(tf.constant([[1, 2]], t), tf.constant([3, 4], t)) for t in (tf.int32, tf.int64, tf.uint8)]
    ys += [tf.nn.bias_add(tf.constant([[1, 2]], t), tf.constant([3, 4], t)) for t in (tf.float64, tf.complex64)]
    with tf.Session() as sess:
        return sess.run(ys)


@program(messages=["bias"])
def bias_add_sizes_at_run_time(tf):
    x, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.bias_add(x, b)
    with tf.Session() as sess:
        return sess.run(y, {x: np.ones([2, 3]), b: [1.0, 2.0]})


@program()
def bias_add_grad(tf):
    dy = tf.constant(np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4), name="dy")
    ys = [
        tf.raw_ops.BiasAddGrad(out_backprop=dy),
        tf.raw_ops.BiasAddGrad(out_backprop=dy, data_format="NCHW", name="n"),
        tf.raw_ops.BiasAddGrad(out_backprop=tf.placeholder(tf.float32)),
        tf.raw_ops.BiasAddGrad(out_backprop=tf.placeholder(tf.float32, [None, None, 5]), data_format="NCHW"),
        tf.raw_ops.BiasAddV1(value=[[1.0, 2.0]], bias=[3.0, 4.0]),
    ]
    with tf.Session() as sess:
        return ys, sess.run([ys[0], ys[1], ys[4]])


@program()
def zero_fraction(tf):
    x = tf.constant([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]], name="x")
    unknown = tf.placeholder(tf.float32)
    ys = [
        tf.nn.zero_fraction(x),
        tf.nn.zero_fraction(x, name="mine"),
        tf.nn.zero_fraction([0, 1, 2, 0]),
        tf.nn.zero_fraction(unknown),
        tf.nn.zero_fraction(tf.placeholder(tf.float32, [None, 3])),
        tf.nn.zero_fraction(tf.constant([True, False])),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys[:3] + ys[5:]), sess.run(ys[3], {unknown: np.eye(4)}), attempt(tf.nn.zero_fraction, "a")
