"""Gradients that programs write: `custom_gradient`, `RegisterGradient`, overrides, `hessians`; and what is refused."""

import numpy as np

from tests.oracle import attempt, program


def run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


# -- custom_gradient ------------------------------------------------------------------------------------------------


@program()
def custom(tf):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)

        def grad(dy):
            return dy * (1 - 1 / (1 + e))

        return tf.log(1 + e), grad

    x = tf.placeholder(tf.float32, [2], name="x")
    y = log1pexp(x)
    return run(tf, [y] + tf.gradients(y, x), {x: [1.0, 100.0]})


@program()
def custom_of_nests(tf):
    """A dictionary comes out, two arguments go in, one a number; gradients of what nobody used are zeros."""

    @tf.custom_gradient
    def both(x, y):
        def grad(da, db):
            return da * y, db * x

        return (x * y, {"sum": x + y}), grad

    x = tf.constant(2.0)
    a, b = both(x, 3.0)
    return run(tf, [a, b["sum"], tf.gradients(a, x), tf.gradients([a, b["sum"]], x)])


@program()
def custom_in_custom(tf):
    @tf.custom_gradient
    def outer(x):
        @tf.custom_gradient
        def inner(y):
            return y * 2.0, lambda dy: dy * 5.0

        def grad(dy):
            return dy * inner(x)

        return inner(x) * x, grad

    x = tf.constant(3.0)
    y = outer(x)
    first = tf.gradients(y, x)[0]
    return run(tf, [y, first, tf.gradients(first, x)[0]])


@program()
def custom_second_order(tf):
    """A gradient function that is decorated itself decides about the second order."""

    @tf.custom_gradient
    def op(x):
        @tf.custom_gradient
        def first(dy):
            return dy * 3.0, lambda ddy: ddy * 7.0

        return x * 2.0, first

    x = tf.constant(1.0)
    dy = tf.constant(1.0)
    first = tf.gradients(op(x), x, dy)[0]
    return run(tf, [first, tf.gradients(first, dy)[0]])


@program()
def custom_without_gradient(tf):
    @tf.custom_gradient
    def stopped(x):
        return x * 2.0, lambda dy: None

    x = tf.constant(2.0)
    return tf.gradients(stopped(x), x), run(tf, tf.gradients(stopped(x) + x, x))


@program()
def custom_without_call(tf):
    @tf.custom_gradient()
    def f(x):
        """What it does."""
        return x * 2.0, lambda dy: dy * 9.0

    x = tf.constant(2.0)
    return f.__name__, f.__doc__, run(tf, tf.gradients(f(x), x))


@program()
def custom_method(tf):
    class Layer:
        factor = 4.0

        @tf.custom_gradient
        def call(self, x):
            return x * self.factor, lambda dy: dy * self.factor * 10.0

    x = tf.constant(2.0)
    return run(tf, tf.gradients(Layer().call(x), x))


@program()
def custom_of_resource_variables(tf):
    seen = []

    @tf.custom_gradient
    def dense(x):
        with tf.variable_scope("layer", use_resource=True):
            v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
            w = tf.get_variable("a", [2], initializer=tf.ones_initializer())

        def grad(dy, variables=None):
            seen.extend(each.name for each in variables)
            return dy * 3.0, [dy * 5.0, dy * 7.0]

        return x * v + w, grad

    x = tf.constant([1.0, 2.0])
    y = dense(x)
    found = tf.gradients(y, [x] + tf.global_variables())
    return seen, run(tf, [y, found])


@program()
def custom_of_reference_variables(tf):
    """One that was there before may be used."""
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
    fixed = tf.get_variable("fixed", [2], initializer=tf.ones_initializer(), trainable=False)

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * 3.0, [dy * 5.0] * len(variables)

        return x * v * fixed, grad

    x = tf.constant([1.0, 2.0])
    return run(tf, tf.gradients(f(x), [x, v]))


@program()
def custom_with_keywords(tf):
    """`**kwargs` counts as taking `variables`."""
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer(), use_resource=True)

    @tf.custom_gradient
    def f(x):
        def grad(dy, **kwargs):
            return dy, [dy * float(len(kwargs["variables"]))]

        return tf.gather(v, [0, 1]) * x, grad

    x = tf.constant([1.0, 2.0])
    return run(tf, tf.gradients(f(x), [x, v]))


@program()
def custom_of_a_variable(tf):
    """A variable that is an argument is read, and no `variables`."""
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer(), use_resource=True)
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())

    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: (dy * 2.0, dy * 3.0)

    return run(tf, tf.gradients(f(v, w), [v, w]))


def doubled_exp(tf):
    @tf.custom_gradient
    def function(x):
        e = tf.exp(x)
        return e * 2.0, lambda dy: dy * x * e

    return function


PLACES = {
    "loop": lambda tf, f, x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, f(a * 0.1)), [0, x])[1],
    "branch": lambda tf, f, x: tf.cond(x[0] > 0, lambda: f(x), lambda: x),
    "map_fn": lambda tf, f, x: tf.map_fn(f, x),
}


@program(cases=PLACES, tol=1e-5)
def custom_inside(tf, case):
    """In loops and branches."""
    x = tf.constant([1.0, 2.0], name="x")
    y = case(tf, doubled_exp(tf), x)
    return run(tf, [y, tf.gradients(y, x)])


@program()
def custom_of_integers(tf):
    @tf.custom_gradient
    def f(x, n):
        return x * tf.cast(n, tf.float32), lambda dy: (dy * 7.0, None)

    x = tf.constant(2.0)
    n = tf.constant(3)
    dx, dn = tf.gradients(f(x, n), [x, n])
    return dn, run(tf, dx)


@program()
def custom_trains(tf):
    v = tf.get_variable("v", [2], use_resource=True, initializer=tf.ones_initializer())

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy, [tf.ones([2]) * dy]

        return tf.reduce_sum(x * v), grad

    step = tf.train.GradientDescentOptimizer(0.5).minimize(f(tf.constant([1.0, 2.0])))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        return sess.run(v)


@program()
def custom_odd_results(tf):
    @tf.custom_gradient
    def nested(x):
        return [x, (x * 2.0,)], lambda a, b: a + b

    @tf.custom_gradient
    def nothing_taken():
        return tf.constant(1.0), lambda dy: []

    @tf.custom_gradient
    def number(x):
        return 3.0, lambda dy: dy

    x = tf.constant(2.0)
    found = nested(x)
    return run(tf, [tf.gradients(found[1][0], x), nothing_taken(), number(x)]), attempt(nested, None)


@program()
def custom_refusals(tf):
    @tf.custom_gradient
    def plain(x, y=1.0):
        return x * y, lambda dy: dy

    @tf.custom_gradient
    def makes_references(x):
        v = tf.get_variable("v", [])
        return x * v, lambda dy, variables=None: (dy, [dy])

    @tf.custom_gradient
    def no_variables(x):
        v = tf.get_variable("w", [], use_resource=True)
        return x * v, lambda dy: dy

    @tf.custom_gradient
    def too_few(x):
        v = tf.get_variable("u", [], use_resource=True)
        return x * v, lambda dy, variables=None: (dy, [])

    @tf.custom_gradient
    def too_many(x):
        return x * 2.0, lambda dy: (dy, dy)

    @tf.custom_gradient
    def no_pair(x):
        return x

    x = tf.constant(1.0)
    return [
        attempt(plain, x, y=2.0),
        attempt(makes_references, x),
        attempt(no_variables, x),
        attempt(lambda: tf.gradients(too_few(x), x)),
        attempt(lambda: tf.gradients(too_many(x), x)),
        attempt(no_pair, x),
    ]


@program()
def passed_through(tf):
    quantize = tf.grad_pass_through(tf.round)
    x = tf.constant([1.2, 2.7])
    y = quantize(x * 2.0)
    return run(tf, [y] + tf.gradients(y, x))


@program()
def passed_through_variables(tf):
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer(), use_resource=True)
    x = tf.constant([1.2, 2.7])
    y = tf.grad_pass_through(lambda x: x * v)(x)
    return tf.gradients(y, v), run(tf, tf.gradients(y, x))


@program(tol=1e-4)
def recomputed(tf):
    f = tf.recompute_grad(lambda x: tf.tanh(x * x))
    x = tf.constant([0.5, 0.25], name="x")
    y = f(x)
    return run(tf, [y] + tf.gradients(y, x))


@program(tol=1e-4)
def recomputed_with_variables(tf):
    w = tf.get_variable("w", [2, 2], initializer=tf.ones_initializer(), use_resource=True)
    b = tf.get_variable("b", [2], initializer=tf.ones_initializer(), use_resource=True)
    f = tf.recompute_grad(lambda x, scale: tf.sigmoid(tf.matmul(x, w) + b) * scale)
    x = tf.constant([[0.5, 0.25]], name="x")
    y = f(x, tf.constant(2.0))
    return run(tf, [y, tf.gradients(y, [x, w, b])])


@program(tol=1e-4)
def recomputed_with_two_results(tf):
    f = tf.recompute_grad(lambda x: (tf.exp(x), x * 3.0))
    x = tf.constant([0.5, 0.25], name="x")
    a, b = f(x)
    return run(tf, [a, b, tf.gradients(a * b, x)])


@program(messages=["recompute_grad"])
def recomputed_to_second_order(tf):
    x = tf.constant([0.5, 0.25], name="x")
    y = tf.recompute_grad(lambda x: tf.exp(x))(x)
    dy = tf.constant([1.0, 1.0])
    (dx,) = tf.gradients(y, x, dy)
    return tf.gradients(dx, dy)


# -- RegisterGradient and gradient_override_map -----------------------------------------------------------------------


@program()
def registered(tf):
    @tf.RegisterGradient("OwnClipped")
    def clipped(op, dy):
        return tf.clip_by_value(dy, -0.5, 0.5) * op.inputs[0]

    x = tf.constant([2.0, 3.0])
    with tf.get_default_graph().gradient_override_map({"Identity": "OwnClipped"}):
        y = tf.identity(x, name="mine")
    return y.op.get_attr("_gradient_op_type"), run(tf, tf.gradients(y * 4.0, x))


@program()
def registered_as_none(tf):
    tf.NotDifferentiable("OwnNothing")
    tf.NoGradient("OwnNothingEither")
    graph = tf.get_default_graph()
    x = tf.constant(2.0)
    with graph.gradient_override_map({"Square": "OwnNothing"}):
        y = tf.square(x)
        with graph.gradient_override_map({"Square": "OwnNothingEither"}):
            z = tf.square(x)
    return tf.gradients(y, x), tf.gradients(z, x), tf.gradients(y + z + x, x)


@program(random=True)
def py_func_with_gradient(tf):
    """The token is numbered over the process; values are looked at by shape."""

    @tf.RegisterGradient("OwnOfPyFunc")
    def of_square(op, dy):
        return dy * 2.0 * op.inputs[0]

    x = tf.constant([2.0, 3.0])
    with tf.get_default_graph().gradient_override_map({"PyFunc": "OwnOfPyFunc"}):
        (y,) = tf.py_func(np.square, [x], [tf.float32], name="squared")
    y.set_shape([2])
    with tf.Session() as sess:
        dx = tf.gradients(y, x)[0]
        return sess.run([y, dx]), float(abs(sess.run(dx) - np.array([4.0, 6.0])).max())


@program(graph=False)
def registering_refused(tf):
    def twice():
        tf.NotDifferentiable("OwnTwice")
        tf.RegisterGradient("OwnTwice")(lambda op, dy: dy)

    return [
        attempt(twice),
        attempt(lambda: tf.RegisterGradient("Square")(lambda op, dy: dy)),
        attempt(lambda: tf.NoGradient("Shape")),
        attempt(tf.RegisterGradient, 3),
        attempt(tf.NotDifferentiable, None),
    ]


def overridden(tf, name, function):
    tf.RegisterGradient(name)(function)
    x = tf.constant(1.0)
    with tf.get_default_graph().gradient_override_map({"Square": name}):
        y = tf.square(x)
    return x, y


@program()
def gradient_functions_that_err(tf):
    def dx(name, function):
        x, y = overridden(tf, name, function)
        return attempt(tf.gradients, y * x, x)

    def fails(op, dy):
        raise KeyError("mine")

    return [
        dx("OwnTooMany", lambda op, dy: (dy, dy)),
        dx("OwnShape", lambda op, dy: tf.constant([1.0, 2.0])),
        dx("OwnFails", fails),
        dx("OwnList", lambda op, dy: [dy * 3.0]),
        dx("OwnType", lambda op, dy: tf.cast(dy, tf.float64)),
    ]


@program()
def override_without_gradient(tf):
    x = tf.constant(1.0)
    with tf.get_default_graph().gradient_override_map({"Square": "OwnNowhere"}):
        y = tf.square(x)
    return attempt(tf.gradients, y, x)


# -- what gradients refuses -------------------------------------------------------------------------------------------


@program(messages=["must be from the same graph"])
def foreign_graph(tf):
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="x")
    return tf.gradients(tf.constant(2.0, name="y"), x)


@program(graph=False)
def another_default_graph(tf):
    """The gradients go to the graph of the ys."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(1.0)
        y = x * 2.0
    (dx,) = tf.gradients(y, x)
    return dx.graph is graph, len(tf.get_default_graph().get_operations()), graph


@program()
def aggregation_refused(tf):
    """Only when the first op is taken up: the starting gradients are there by then; without any op it is no error."""
    x = tf.constant(1.0)
    return attempt(tf.gradients, x * x + x, x, aggregation_method=7), tf.gradients(x * 2.0, [], aggregation_method=7)


@program()
def arguments_refused(tf):
    x = tf.constant(1.0)
    y = x * 2.0
    return [
        attempt(tf.gradients, y, x.op),
        attempt(tf.gradients, "a", x),
        attempt(tf.gradients, y, x, unconnected_gradients="nonsense"),
        attempt(tf.gradients, y, x, stop_gradients="x"),
        attempt(tf.gradients, [y], x, grad_ys=[1.0, 2.0]),
        attempt(tf.gradients, [y], x, grad_ys=[tf.constant(1j)]),
        attempt(tf.gradients, y, 3.0),
    ]


@program(graph=False)
def none_refused(tf):
    x = tf.constant(1.0)
    return attempt(tf.gradients, x * 2.0, [None]), attempt(tf.gradients, None, x)


@program()
def integers(tf):
    x = tf.constant(3)
    return tf.gradients(x * 2, x), attempt(tf.gradients, x > 2, x)


@program()
def unconnected(tf):
    x = tf.constant(1.0)
    v = tf.Variable([1.0, 2.0], use_resource=True, name="v")
    d = tf.Variable(np.ones((2, 3)), use_resource=True, name="d")
    r = tf.Variable([1.0], name="r")
    p = tf.placeholder(tf.float32, [None, 2], name="p")
    found = tf.gradients(x, [x, v, d, r, tf.constant(1), p], unconnected_gradients="zero")
    enum = tf.gradients(x * 1.0, [x, v], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return run(tf, [found[:5], enum])


@program()
def empty_lists(tf):
    x = tf.constant(1.0)
    return tf.gradients([], x), tf.gradients(x, []), tf.gradients([], [])


@program()
def finalized(tf):
    x = tf.constant(1.0)
    y = x * 2.0
    tf.get_default_graph().finalize()
    return attempt(tf.gradients, y, x)


# -- hessians ---------------------------------------------------------------------------------------------------------


@program()
def hessian(tf):
    x = tf.constant([1.0, 2.0, 3.0], name="x")
    return run(tf, tf.hessians(tf.reduce_sum(x * x * x), x))


@program()
def hessian_of_unknown_size(tf):
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.reduce_prod(x)
    return run(tf, tf.hessians(y, x), {x: [1.0, 2.0, 3.0]})


@program(tol=1e-5)
def hessians_of_matrices(tf):
    x = tf.constant([[0.1, 0.2], [0.3, -0.4]])
    v = tf.Variable([0.5, -0.5], name="v")
    y = tf.reduce_sum(tf.tanh(tf.matmul(x, x) * v))
    return run(tf, tf.hessians(y, [x, v]))


@program()
def hessian_of_nothing(tf):
    x = tf.constant([1.0, 2.0])
    return attempt(tf.hessians, tf.constant(1.0), x)


# -- tf.test ----------------------------------------------------------------------------------------------------------


@program(tol=1e-3)
def checked(tf):
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    y = tf.matmul(x, x)
    value = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    with tf.Session():
        return (
            tf.test.compute_gradient(x, [2, 2], y, [2, 2], x_init_value=value),
            tf.test.compute_gradient_error(x, [2, 2], y, [2, 2], x_init_value=value, delta=1e-2) < 0.01,
        )


@program(tol=1e-3)
def checked_lists(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    w = tf.constant([3.0, 4.0], name="w")
    y = v * w
    start = [np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0], np.float32)]
    with tf.Session():
        return tf.test.compute_gradient(
            [v, w], [[2], [2]], y, [2], start, init_targets=[tf.global_variables_initializer()]
        )


@program(tol=1e-6)
def checked_complex_and_sparse(tf):
    z = tf.constant([1 + 2j, 3 - 1j], tf.complex128, name="z")
    table = tf.constant(np.ones((3, 2)), name="table")
    with tf.Session():
        return (
            tf.test.compute_gradient(z, [2], z * z, [2], np.array([1 + 2j, 3 - 1j])),
            tf.test.compute_gradient(table, [3, 2], tf.gather(table, [0, 2]), [2, 2], np.ones((3, 2))),
        )


@program()
def checking_a_wrong_gradient(tf):
    """The difference shows."""
    x, y = overridden(tf, "OwnWrong", lambda op, dy: dy * 100.0)
    with tf.Session():
        error = tf.test.compute_gradient_error(x, [], y, [], np.array(1.0, np.float32))
    return 97.0 < error < 99.0


@program()
def checking_refused(tf):
    x = tf.constant([1, 2])
    f = tf.constant([1.0, 2.0])
    with tf.Session():
        return [
            attempt(tf.test.compute_gradient, x, [2], x * 2, [2]),
            attempt(tf.test.compute_gradient, f, [2], f * 2.0, [2], np.ones(3, np.float32)),
        ]
