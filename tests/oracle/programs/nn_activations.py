"""Activations: elementwise functions, softmax along any axis, and the ops of their gradients."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

X = np.array([[-2.5, -1.0, -0.3], [0.0, 0.7, 8.0]], dtype=np.float32)
DY = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]], dtype=np.float32)

ONE = [
    "relu",
    "relu6",
    "elu",
    "selu",
    "softplus",
    "softsign",
    "sigmoid",
    "tanh",
    "leaky_relu",
    "crelu",
    "swish",
    "silu",
]
ONE_AND_LOG = ONE + ["softmax", "log_softmax"]


@program(cases=ONE_AND_LOG)
def one_operand(tf, case):
    x = tf.constant(X, name="x")
    y = getattr(tf.nn, case)(x)
    z = getattr(tf.nn, case)(x, name="mine")
    with tf.Session() as sess:
        return y, z, sess.run([y, z])


@program(cases=ONE_AND_LOG)
def python_values(tf, case):
    function = getattr(tf.nn, case)
    y = function([[1.0, -2.0], [0.5, 3.0]])
    with tf.Session() as sess:
        return y, sess.run(y)


@program(cases=ONE_AND_LOG)
def dtypes(tf, case):
    out = []
    for dtype in (tf.float16, tf.float64, tf.int32, tf.int64, tf.uint8, tf.complex64, tf.bool, tf.string):
        x = tf.placeholder(dtype, [2, 3], name="x_" + dtype.name)
        out.append(attempt(getattr(tf.nn, case), x))
    return out


@program(cases=ONE_AND_LOG)
def half_and_double_values(tf, case):
    function = getattr(tf.nn, case)
    with tf.Session() as sess:
        return sess.run([function(X.astype(np.float16)), function(X.astype(np.float64))])


@program(cases=ONE_AND_LOG)
def unknown_shapes(tf, case):
    function = getattr(tf.nn, case)
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None, 3])
    a, b = function(x), function(y)
    with tf.Session() as sess:
        return a, b, sess.run([a, b], {x: X, y: X})


@program(cases=ONE_AND_LOG)
def empty_and_scalar(tf, case):
    function = getattr(tf.nn, case)
    empty = function(tf.zeros([0, 3]))
    scalar = attempt(function, tf.constant(-0.5))
    with tf.Session() as sess:
        return empty, scalar, sess.run(empty), sess.run(scalar) if hasattr(scalar, "op") else None


@program(cases=["relu", "relu6"])
def integers(tf, case):
    function = getattr(tf.nn, case)
    with tf.Session() as sess:
        return [
            sess.run(function(tf.constant([-3, 0, 5, 9], dtype))) for dtype in (tf.int8, tf.int16, tf.int32, tf.int64)
        ] + [sess.run(function(tf.constant([0, 5, 200], tf.uint8)))]


EXTREMES = np.array([np.nan, np.inf, -np.inf, 200, -200, 30, -30, 1e30, -1e30, 6, -17], dtype=np.float32)


@program(cases=ONE)
def extremes(tf, case):
    with tf.Session() as sess:
        return sess.run(getattr(tf.nn, case)(tf.constant(EXTREMES)))


@program()
def leaky_relu_alpha(tf):
    x = tf.constant(X, name="x")
    ys = [
        tf.nn.leaky_relu(x, alpha=0.1),
        tf.nn.leaky_relu(x, 2.0),
        tf.nn.leaky_relu(x, alpha=np.float32(0.3), name="n"),
        tf.nn.leaky_relu(tf.constant([-4, 3]), 0.5),
    ]
    tensor = attempt(tf.nn.leaky_relu, x, tf.constant(0.25))
    with tf.Session() as sess:
        return ys, sess.run(ys), tensor


@program()
def crelu_axis(tf):
    x = tf.constant(X, name="x")
    ys = [tf.nn.crelu(x), tf.nn.crelu(x, axis=0), tf.nn.crelu(x, name="n", axis=1)]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def swish_beta(tf):
    x = tf.constant(X, name="x")
    ys = [tf.nn.swish(x), tf.nn.silu(x), tf.nn.silu(x, beta=1.5)]
    with tf.Session() as sess:
        return [y.shape for y in ys], sess.run(ys)


@program(graph=False)
def silu_is_swish(tf):
    return tf.nn.swish is tf.nn.silu


GRADIENTS = {
    "ReluGrad": dict(features=X),
    "Relu6Grad": dict(features=X),
    "LeakyReluGrad": dict(features=X, alpha=0.3),
    "EluGrad": dict(outputs=X),
    "SeluGrad": dict(outputs=X),
    "SoftplusGrad": dict(features=X),
    "SoftsignGrad": dict(features=X),
    "SigmoidGrad": dict(y=X, dy=DY),
    "TanhGrad": dict(y=X, dy=DY),
}


@program(cases=sorted(GRADIENTS))
def gradient_ops(tf, case):
    arguments = dict(GRADIENTS[case])
    if "dy" not in arguments:
        arguments["gradients"] = DY
    made = getattr(tf.raw_ops, case)(**arguments)
    with tf.Session() as sess:
        return made, sess.run(made)


@program(cases=sorted(GRADIENTS))
def gradient_op_shapes(tf, case):
    first, second = ("dy", "y") if "dy" in GRADIENTS[case] else ("gradients", "features")
    if "outputs" in GRADIENTS[case]:
        second = "outputs"
    function = getattr(tf.raw_ops, case)
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [2, None])
    unknown = tf.placeholder(tf.float32)
    wrong = tf.placeholder(tf.float32, [5])
    return [
        attempt(function, **{first: a, second: b})
        for a, b in ((x, y), (y, x), (unknown, x), (x, unknown), (unknown, unknown), (x, wrong))
    ]


GRAD_EXTREMES = ["ReluGrad", "Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"]


@program(cases=GRAD_EXTREMES)
def gradient_extremes(tf, case):
    function = getattr(tf.raw_ops, case)
    second = "outputs" if case in ("EluGrad", "SeluGrad") else "features"
    values = np.array([np.nan, np.inf, -np.inf, 2.0, 0.0], dtype=np.float32)
    ones = np.full([5], 2.0, np.float32)
    with tf.Session() as sess:
        return sess.run(
            [
                function(**{"gradients": ones, second: values}),
                function(**{"gradients": values, second: ones}),
                function(**{"gradients": values, second: -ones}),
            ]
        )


AXES = [-1, 0, 1, 2, -2, -3]


@program(cases=AXES)
def softmax_axis(tf, case):
    x = tf.constant(np.linspace(-2, 3, 24, dtype=np.float32).reshape(2, 3, 4), name="x")
    ys = [tf.nn.softmax(x, axis=case), tf.nn.log_softmax(x, case, name="log")]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def softmax_dim(tf):
    x = tf.constant(X, name="x")
    ys = [tf.nn.softmax(x, dim=0), tf.nn.log_softmax(x, dim=0, name="b"), tf.nn.softmax(x, dim=-1, name="c")]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def softmax_tensor_axis(tf):
    x = tf.constant(X, name="x")
    axis = tf.placeholder(tf.int32, [])
    ys = [tf.nn.softmax(x, axis=axis), tf.nn.softmax(x, axis=tf.constant(1))]
    with tf.Session() as sess:
        return ys, [sess.run(ys, {axis: at}) for at in (0, 1, -1, -2)]


@program()
def softmax_partly_known(tf):
    x = tf.placeholder(tf.float32, [None, 3, None])
    ys = [tf.nn.softmax(x, axis=1), tf.nn.log_softmax(x, axis=0), tf.nn.softmax(x, axis=2)]
    with tf.Session() as sess:
        return ys, sess.run(ys, {x: np.ones([2, 3, 2], np.float32)})


@program()
def softmax_one_element_vector(tf):
    return tf.nn.softmax([5.0]), tf.nn.softmax([5.0], axis=0)


@program(graph=False)
def softmax_mistakes(tf):
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    unknown = tf.placeholder(tf.float32, name="unknown")
    return [
        attempt(tf.nn.softmax, x, 2),
        attempt(tf.nn.softmax, x, -3),
        attempt(tf.nn.softmax, x, tf.constant(5)),
        attempt(tf.nn.softmax, x, axis=0, dim=0),
        attempt(tf.nn.log_softmax, x, axis=0, dim=0),
        attempt(tf.nn.softmax, unknown, 1),
        attempt(tf.nn.softmax, unknown),
        attempt(tf.nn.softmax, 1.0),
        attempt(tf.nn.softmax, [1, 2]),
        attempt(tf.nn.softmax, x, 1.5),
        attempt(tf.nn.softmax, None),
    ]


@program()
def softmax_of_infinities(tf):
    x = tf.constant([[-np.inf, 1.0, 2.0], [-np.inf] * 3, [1e30, 0, -1e30]])
    with tf.Session() as sess:
        return sess.run([tf.nn.softmax(x), tf.nn.log_softmax(x)])


@program(graph=False)
def mistakes(tf):
    return [
        attempt(tf.nn.relu, None),
        attempt(tf.nn.relu, "text"),
        attempt(tf.nn.relu, [[1.0], [2.0, 3.0]]),
        attempt(tf.nn.relu6, 1.0, "bad name"),
        attempt(tf.nn.elu, [1, 2]),
        attempt(tf.nn.leaky_relu, "text"),
        attempt(tf.nn.crelu, 1),
    ]


@program()
def names_in_scopes(tf):
    x = tf.constant(X, name="x")
    with tf.name_scope("layer"):
        a = tf.nn.relu(x)
        b = tf.nn.relu(a)
        c = tf.nn.relu6(b, name="layer/")
        d = tf.nn.leaky_relu(c)
        e = tf.nn.leaky_relu(d)
    return a, b, c, d, e
