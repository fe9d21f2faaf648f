"""The update ops of optimizers: values over two steps, dense and sparse, reference and resource, errors."""

import numpy as np

from tests.oracle import attempt, program

#: op -> (number of slots, arguments in the order of the op; G is the gradient, I its indices), attribute
OPS = {
    "ApplyGradientDescent": (0, [0.1, "G"], {}),
    "ApplyProximalGradientDescent": (0, [0.1, 0.3, 0.2, "G"], {}),
    "ApplyMomentum": (1, [0.1, "G", 0.9], {}),
    "ApplyAdagrad": (1, [0.1, "G"], {}),
    "ApplyAdagradV2": (1, [0.1, 0.01, "G"], {}),
    "ApplyProximalAdagrad": (1, [0.1, 0.3, 0.2, "G"], {}),
    "ApplyAdagradDA": (2, ["G", 0.1, 0.3, 0.2, "S"], {}),
    "ApplyAdadelta": (2, [0.1, 0.9, 0.01, "G"], {}),
    "ApplyAdam": (2, [0.8, 0.9, 0.1, 0.9, 0.99, 0.01, "G"], {}),
    "ApplyAdaMax": (2, [0.8, 0.1, 0.9, 0.99, 0.01, "G"], {}),
    "ApplyRMSProp": (2, [0.1, 0.9, 0.5, 0.01, "G"], {}),
    "ApplyCenteredRMSProp": (3, [0.1, 0.9, 0.5, 0.01, "G"], {}),
    "ApplyFtrl": (2, ["G", 0.1, 0.3, 0.2, -0.5], {}),
    "ApplyFtrlV2": (2, ["G", 0.1, 0.3, 0.2, 0.1, -0.7], {}),
    "ApplyAddSign": (1, [0.1, 1.0, 0.9, 0.9, "G"], {}),
    "ApplyPowerSign": (1, [0.1, 1.5, 0.9, 0.9, "G"], {}),
}
SPARSE = [
    "Momentum", "Adagrad", "AdagradV2", "ProximalAdagrad", "AdagradDA", "Adadelta", "RMSProp", "CenteredRMSProp",
    "Ftrl", "FtrlV2", "ProximalGradientDescent",
]  # fmt: skip
OPTIONS = {
    "nesterov": ("ApplyMomentum", {"use_nesterov": True}),
    "nesterov_adam": ("ApplyAdam", {"use_nesterov": True}),
    "frozen_slots": ("ApplyAdagrad", {"update_slots": False}),
    "frozen_slots_v2": ("ApplyAdagradV2", {"update_slots": False}),
    "linear_by_lr": ("ApplyFtrl", {"multiply_linear_by_lr": True}),
    "linear_by_lr_v2": ("ApplyFtrlV2", {"multiply_linear_by_lr": True}),
    "locking": ("ApplyAdam", {"use_locking": True}),
    "no_l1": ("ApplyProximalGradientDescent", {}),
}

GRAD = np.array([[0.5, -1.0, 0.0], [2.0, 0.01, -0.3]])


def _run(tf, name, dtype, grad, indices=None, resource=False, numbers=None, **attrs):
    slots, arguments, _ = OPS["Apply" + name.split("Apply")[1]]
    start = np.array([[1.0, -2.0, 0.5], [0.1, 3.0, -0.2]], dtype)
    values = [start] + [np.full_like(start, 0.1 * (i + 1)) for i in range(slots)]
    variables = [
        tf.Variable(value, name="v" + str(i), use_resource=resource, trainable=False) for i, value in enumerate(values)
    ]
    inputs = [v.handle if resource else v._ref() for v in variables]
    given = []
    for argument in numbers or arguments:
        if isinstance(argument, str) and argument == "G":
            given.append(tf.constant(np.asarray(grad, dtype)))
            if indices is not None:
                given.append(tf.constant(indices))
        elif isinstance(argument, str):
            given.append(tf.constant(3, tf.int64))
        else:
            given.append(tf.constant(argument, dtype))
    # `tf.raw_ops` takes arguments by keyword; their names are those of the inputs, in order.
    function = getattr(tf.raw_ops, name)
    import inspect

    names = [p for p in inspect.signature(function).parameters]
    done = function(**dict(zip(names, inputs + given)), **attrs)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(done)
        sess.run(done)
        return sess.run([v.value() if not resource else v.read_value() for v in variables])


@program(cases=sorted(OPS), tol=1e-5)
def dense(tf, case):
    return _run(tf, case, np.float32, GRAD)


@program(cases=sorted(OPS), tol=1e-12)
def dense_double(tf, case):
    return _run(tf, case, np.float64, GRAD)


@program(cases=sorted(OPS), tol=1e-5)
def resource(tf, case):
    return _run(tf, "Resource" + case, np.float32, GRAD, resource=True)


@program(cases=OPTIONS, tol=1e-5)
def option(tf, case):
    name, attrs = case
    return _run(tf, name, np.float32, GRAD, **attrs)


@program(cases=["ProximalGradientDescent", "ProximalAdagrad", "AdagradDA"], tol=1e-5)
def without_l1(tf, case):
    numbers = [0.0 if argument == 0.3 else argument for argument in OPS["Apply" + case][1]]
    return _run(tf, "Apply" + case, np.float32, GRAD, numbers=numbers)


@program(cases=["Apply" + name for name in ("GradientDescent", "Momentum", "Adam", "Adagrad", "RMSProp")], tol=2e-3)
def half(tf, case):
    return _run(tf, case, np.float16, GRAD)


@program(cases=SPARSE, tol=1e-5)
def sparse(tf, case):
    return _run(tf, "SparseApply" + case, np.float32, GRAD[:1], [1])


@program(cases=SPARSE, tol=1e-5)
def sparse_resource(tf, case):
    return _run(tf, "ResourceSparseApply" + case, np.float32, GRAD[:1], np.array([1], np.int64), resource=True)


@program(cases=["Adagrad", "Momentum", "RMSProp"], tol=1e-5)
def sparse_row_named_twice(tf, case):
    """A row that is named twice is updated twice, in the order of the indices."""
    return _run(tf, "SparseApply" + case, np.float32, [[1.0, 2.0, 3.0], [0.5, 0.5, 0.5], [-1.0, 0.0, 1.0]], [1, 0, 1])


@program(cases=["Adagrad", "Momentum"])
def sparse_nothing(tf, case):
    return _run(tf, "SparseApply" + case, np.float32, np.zeros((0, 3)), np.array([], np.int32))


@program()
def static_shapes(tf):
    v, w = tf.Variable(tf.zeros([2, 3])), tf.Variable(tf.zeros([3, 2]))
    u = tf.Variable(tf.zeros([2, 3]), use_resource=True)
    one, grad = tf.constant(1.0), tf.placeholder(tf.float32, [None, 3])
    raw = tf.raw_ops
    return [
        raw.ApplyGradientDescent(var=v._ref(), alpha=one, delta=grad).shape,
        attempt(raw.ApplyGradientDescent, var=v._ref(), alpha=one, delta=tf.zeros([3])),
        attempt(raw.ApplyGradientDescent, var=v._ref(), alpha=tf.zeros([1]), delta=grad),
        attempt(raw.ApplyAdagrad, var=v._ref(), accum=w._ref(), lr=one, grad=grad),
        attempt(
            raw.SparseApplyAdagrad, var=v._ref(), accum=v._ref(), lr=one, grad=grad, indices=tf.zeros([2, 2], tf.int32)
        ),
        attempt(raw.SparseApplyAdagrad, var=v._ref(), accum=v._ref(), lr=one, grad=tf.zeros([1, 3]), indices=[0, 1]),
        attempt(raw.ResourceApplyGradientDescent, var=u.handle, alpha=one, delta=tf.zeros([3])),
    ]


@program(messages=[])
def failures(tf):
    v = tf.Variable(tf.zeros([2, 3]))
    unset = tf.Variable(tf.zeros([2, 3]))
    one = tf.constant(1.0)
    grad = tf.placeholder(tf.float32)
    rows = tf.placeholder(tf.int32)
    raw = tf.raw_ops
    dense_step = raw.ApplyGradientDescent(var=v._ref(), alpha=one, delta=grad)
    sparse_step = raw.SparseApplyAdagrad(var=v._ref(), accum=v._ref(), lr=one, grad=grad, indices=rows)
    with tf.Session() as sess:
        sess.run(v.initializer)
        found = [
            attempt(sess.run, raw.ApplyGradientDescent(var=unset._ref(), alpha=one, delta=tf.zeros([2, 3]))),
            attempt(sess.run, dense_step, {grad: np.zeros(3)}),
            attempt(sess.run, sparse_step, {grad: np.ones((1, 3)), rows: [2]}),
            attempt(sess.run, sparse_step, {grad: np.ones((1, 3)), rows: [-1]}),
            attempt(sess.run, sparse_step, {grad: np.ones((2, 3)), rows: [0]}),
        ]
        return found, sess.run(v)
