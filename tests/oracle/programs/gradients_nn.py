"""Gradients of activations, losses and biases to second order where there is one, and of what only passes on."""

import numpy as np

from tests.oracle import attempt, program

SHAPES = {"known": [2, 3], "rows": [None, 3], "unknown": None}
X = np.array([[0.5, -1.25, 2.0], [7.5, 0.75, -0.5]])
DY = np.array([[1.0, -0.5, 0.25], [0.75, 1.5, -1.0]])


def run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        return sess.run(fetches, feeds)


def waves(*shape):
    return np.sin(np.arange(np.prod(shape)) ** 2 * 0.37 + 0.5).reshape(shape)


def placed(tf, values, shapes, dtype):
    xs = [tf.placeholder(dtype, shape, name=f"x{i}") for i, shape in enumerate(shapes)]
    return xs, dict(zip(xs, values))


def chain(tf, y, xs, orders=2):
    """Gradients of y, of their weighted sum, and so on. None where nothing depends on an x any more."""
    found = []
    for _ in range(orders):
        grads = tf.gradients(y, xs)
        found.append(grads)
        y = [g * float(i + 1) for i, g in enumerate(grads) if g is not None]
        if not y:
            break
    return [[g for g in grads if g is not None] for grads in found]


# -- activations ----------------------------------------------------------------------------------------------------

ACTIVATIONS = {
    "relu": lambda tf, x: tf.nn.relu(x),
    "relu6": lambda tf, x: tf.nn.relu6(x),
    "leaky_relu": lambda tf, x: tf.nn.leaky_relu(x, 0.25),
    "elu": lambda tf, x: tf.nn.elu(x),
    "selu": lambda tf, x: tf.nn.selu(x),
    "softplus": lambda tf, x: tf.nn.softplus(x),
    "softmax": lambda tf, x: tf.nn.softmax(x) * x,
    "log_softmax": lambda tf, x: tf.nn.log_softmax(x) * x,
    "log_softmax_first": lambda tf, x: tf.nn.log_softmax(x, 0) * x,
    "sigmoid": lambda tf, x: tf.sigmoid(x),
    "tanh": lambda tf, x: tf.tanh(x),
    "swish": lambda tf, x: tf.nn.swish(x),
    "crelu": lambda tf, x: tf.nn.crelu(x),
    "l2_loss": lambda tf, x: tf.nn.l2_loss(x * x),
    "l2_normalize": lambda tf, x: tf.nn.l2_normalize(x, 1),
    "log_poisson": lambda tf, x: tf.nn.log_poisson_loss(x, x, compute_full_loss=True),
}


@program(
    cases={f"{n}-{s}": (n, SHAPES[s]) for n in ACTIVATIONS for s in ("known", "rows") if s == "rows" or "softmax" in n},
    tol=1e-5,
)
def activations_twice(tf, case):
    name, shape = case
    value = np.abs(X) if name == "log_poisson" else X
    xs, feeds = placed(tf, [value], [shape], tf.float32)
    return run(tf, chain(tf, tf.square(ACTIVATIONS[name](tf, *xs)), xs), feeds)


@program(cases=["relu", "leaky_relu", "elu", "selu", "softplus", "softmax", "tanh"], tol=1e-10)
def activations_in_double(tf, case):
    xs, feeds = placed(tf, [X / 4], [[2, 3]], tf.float64)
    return run(tf, chain(tf, tf.square(ACTIVATIONS[case](tf, *xs)), xs, orders=3), feeds)


SLOPES = {
    "ReluGrad": ("gradients", "features"),
    "Relu6Grad": ("gradients", "features"),
    "LeakyReluGrad": ("gradients", "features"),
    "SoftplusGrad": ("gradients", "features"),
    "EluGrad": ("gradients", "outputs"),
    "SeluGrad": ("gradients", "outputs"),
}


@program(cases={f"{n}-{s}": (n, SHAPES[s]) for n in SLOPES for s in SHAPES}, tol=1e-5)
def slopes(tf, case):
    name, shape = case
    xs, feeds = placed(tf, [DY, X], [shape, shape], tf.float32)
    y = getattr(tf.raw_ops, name)(**dict(zip(SLOPES[name], xs)))
    return run(tf, [g for g in tf.gradients(y, xs) if g is not None], feeds)


def _again(tf, function, *shapes):
    """The first gradient, and what asking for its own says."""
    xs = [tf.placeholder(tf.float32, shape) for shape in shapes]
    first = tf.gradients(function(*xs), xs)
    return first, attempt(tf.gradients, first[0], xs)


REFUSED = {
    "softsign": lambda tf: _again(tf, tf.nn.softsign, [2, 3]),
    "lrn": lambda tf: _again(tf, tf.nn.lrn, [1, 2, 2, 3]),
    "dilation": lambda tf: _again(
        tf, lambda x, w: tf.nn.dilation2d(x, w, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"), [1, 3, 3, 2], [2, 2, 2]
    ),
    "max_pool_with_argmax": lambda tf: _again(
        tf, lambda x: tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")[0], [1, 4, 4, 2]
    ),
    "fractional_max_pool": lambda tf: _again(
        tf,
        lambda x: tf.raw_ops.FractionalMaxPool(value=x, pooling_ratio=[1.0, 1.5, 1.5, 1.0], seed=1, seed2=2)[0],
        [1, 6, 6, 2],
    ),
    "fractional_avg_pool": lambda tf: _again(
        tf,
        lambda x: tf.raw_ops.FractionalAvgPool(value=x, pooling_ratio=[1.0, 1.5, 1.5, 1.0], seed=1, seed2=2)[0],
        [1, 6, 6, 2],
    ),
    "in_top_k": lambda tf: attempt(
        tf.gradients, tf.cast(tf.nn.in_top_k(tf.ones([2, 3]), [0, 1], 1), tf.float32), tf.ones([2, 3])
    ),
}


@program(cases=list(REFUSED))
def refused(tf, case):
    return REFUSED[case](tf)


# -- losses -----------------------------------------------------------------------------------------------------------

LABELS = np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]])


@program(cases=[[2, 3], [None, 3]], tol=1e-5)
def cross_entropy_twice(tf, case):
    xs, feeds = placed(tf, [X, LABELS], [case, case], tf.float32)
    y = tf.nn.softmax_cross_entropy_with_logits_v2(labels=xs[1], logits=xs[0])
    return run(tf, chain(tf, y * y, xs), feeds)


@program(tol=1e-10)
def cross_entropy_in_double(tf):
    xs, feeds = placed(tf, [X, LABELS], [[2, 3], [2, 3]], tf.float64)
    y = tf.nn.softmax_cross_entropy_with_logits_v2(labels=xs[1], logits=xs[0])
    return run(tf, chain(tf, y * y, xs), feeds)


@program(cases=[[2, 3], [None, 3]], tol=1e-5)
def sparse_cross_entropy_twice(tf, case):
    xs, feeds = placed(tf, [X], [case], tf.float32)
    y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=xs[0])
    return run(tf, chain(tf, y * y, xs), feeds)


@program(tol=1e-5)
def second_result_of_a_cross_entropy(tf):
    """The op's second output is differentiated too."""
    xs, feeds = placed(tf, [X, LABELS], [[2, 3], [2, 3]], tf.float32)
    outputs = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=xs[0], labels=xs[1])
    sparse = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=xs[0], labels=[1, 2])
    found = [tf.gradients(y, xs[0]) for y in (outputs[1] * DY, [outputs[0], outputs[1] * DY], sparse[1] * DY)]
    return run(tf, found, feeds)


@program(cases=[[2, 3], [None, 3]], tol=1e-5)
def sigmoid_losses_twice(tf, case):
    xs, feeds = placed(tf, [X, LABELS], [case, case], tf.float32)
    plain = tf.nn.sigmoid_cross_entropy_with_logits(labels=xs[1], logits=xs[0])
    weighted = tf.nn.weighted_cross_entropy_with_logits(labels=xs[1], logits=xs[0], pos_weight=2.0)
    return run(tf, [chain(tf, plain, xs), chain(tf, weighted, xs)], feeds)


# -- biases -----------------------------------------------------------------------------------------------------------


@program(cases=[[2, 3], [None, 2, 3], None], tol=1e-5)
def bias_add_v1(tf, case):
    xs, feeds = placed(tf, [waves(2, 2, 3) if case != [2, 3] else X, [1.0, 2.0, 3.0]], [case, [3]], tf.float32)
    y = tf.raw_ops.BiasAddV1(value=xs[0], bias=xs[1])
    return run(tf, chain(tf, tf.square(y), xs), feeds)


@program(cases={"matrix": [2, 3], "images": [None, 2, 2, 3], "unknown": None}, tol=1e-5)
def bias_add_twice(tf, case):
    value = waves(2, 2, 2, 3) if case != [2, 3] else X
    xs, feeds = placed(tf, [value, [1.0, 2.0, 3.0]], [case, [3]], tf.float32)
    return run(tf, chain(tf, tf.square(tf.nn.bias_add(*xs)), xs), feeds)


# -- passing through ---------------------------------------------------------------------------------------------------


@program(tol=1e-6)
def checks_and_prints(tf):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.check_numerics(x, "bad") * 2.0
    y = tf.ensure_shape(y, [2, 3]) * y
    y = tf.identity_n([y, x])[0]
    with tf.control_dependencies([tf.Assert(tf.reduce_all(tf.is_finite(y)), [y])]):
        y = tf.identity(y)
    return run(tf, tf.gradients(y, x), {x: X})


@program()
def printing(tf):
    """Only the graph: what is printed goes elsewhere."""
    x = tf.placeholder(tf.float32, [2])
    return tf.gradients(tf.Print(x * x, [x], "x is"), x)


@program(messages=["Second derivative is not implemented"])
def prevented(tf):
    x = tf.placeholder(tf.float32, [2])
    y = tf.raw_ops.PreventGradient(input=x, message="Second derivative is not implemented")
    return tf.gradients(y, x)


@program(cases=["keep_prob", "rate", "noise", "tensor"], random=True)
def dropout(tf, case):
    x = tf.placeholder(tf.float32, [None, 3])
    keep = tf.placeholder_with_default(0.5, [])
    options = {
        "keep_prob": dict(keep_prob=0.5),
        "rate": dict(rate=0.25),
        "noise": dict(rate=0.5, noise_shape=[2, 1]),
        "tensor": dict(rate=keep),
    }[case]
    return run(tf, tf.gradients(tf.nn.dropout(x, seed=1, **options), [x]), {x: X})
