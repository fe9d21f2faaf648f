"""Gradients through `cond` and `while_loop`: stacks, accumulators, zeros for untaken branches, what is refused."""

from __future__ import annotations

import warnings

import numpy as np

from tests.oracle import attempt, program


def run(tf, fetches, *feeds):
    """The values of `fetches` for each feed; every run twice."""
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [[sess.run(fetches, feed), sess.run(fetches, feed)] for feed in feeds or ({},)]


def quietly(function, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the memory that making slices dense may take
        return function(*args)


def dense(tf, slices):
    return quietly(tf.convert_to_tensor, slices)


def repeat(tf, n, step, start, **options):
    """`step` applied `n` times."""
    return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, step(i, x)), (tf.constant(0), start), **options)[1]


# -- branches ----------------------------------------------------------------------------------------------------


def same_input(tf, p, x, y):
    return tf.cond(p, lambda: x * 2.0, lambda: x * x)


def one_input_each(tf, p, x, y):
    return tf.cond(p, lambda: x * 2.0, lambda: y * y)


def constant_branch(tf, p, x, y):
    return tf.cond(p, lambda: x * y, lambda: tf.constant(1.0))


def inputs_as_they_are(tf, p, x, y):
    return tf.cond(p, lambda: x, lambda: y)


def outer_op(tf, p, x, y):
    z = tf.exp(x)
    return tf.cond(p, lambda: z * y, lambda: z + y) * z


def several_results(tf, p, x, y):
    a, b = tf.cond(p, lambda: (x * y, x), lambda: (y, x * x))
    return a * b


def one_of_several_results(tf, p, x, y):
    return tf.cond(p, lambda: (x * y, x), lambda: (y, x * x))[0]


def nested(tf, p, x, y):
    return tf.cond(p, lambda: tf.cond(x > y, lambda: tf.exp(x), lambda: y * y), lambda: tf.sin(x))


def nested_in_both(tf, p, x, y):
    inner = lambda a, b: tf.cond(a > b, lambda: a * a * b, lambda: b - a)
    return tf.cond(p, lambda: inner(x, y), lambda: inner(y, x))


def after_each_other(tf, p, x, y):
    z = tf.cond(p, lambda: x * y, lambda: x)
    return tf.cond(p, lambda: z, lambda: z * z)


def stopped(tf, p, x, y):
    return tf.cond(p, lambda: tf.stop_gradient(x) * y, lambda: x)


def cases(tf, p, x, y):
    pairs = [(x > 2.0, lambda: x * x), (y > 2.0, lambda: x * y)]
    return tf.case(pairs, default=lambda: tf.cond(p, lambda: x, lambda: y))


def integers_too(tf, p, x, y):
    a, n = tf.cond(p, lambda: (x * y, tf.constant(1)), lambda: (y, tf.constant(2)))
    return a * tf.cast(n, tf.float32)


def predicate_from_x(tf, p, x, y):
    return tf.cond(x * y > 3.0, lambda: x * x, lambda: -x)


def asserted(tf, p, x, y):
    with tf.control_dependencies([tf.Assert(x > 0.0, [x])]):
        return tf.identity(x) * y


BRANCHES = {
    f.__name__: f
    for f in (
        same_input, one_input_each, constant_branch, inputs_as_they_are, outer_op, several_results,
        one_of_several_results, nested, nested_in_both, after_each_other, stopped, cases, integers_too,
        predicate_from_x, asserted,
    )
}  # fmt: skip


@program(cases=BRANCHES, tol=1e-6)
def branches(tf, case):
    p = tf.placeholder(tf.bool, [], name="p")
    x, y = tf.constant(3.0, name="x"), tf.constant(2.0, name="y")
    z = case(tf, p, x, y)
    grads = tf.gradients(z, [x, y])
    known = [g for g in grads if g is not None]
    return grads, run(tf, [z, *known], {p: True}, {p: False})


@program(cases=["same_input", "one_input_each", "constant_branch", "inputs_as_they_are", "nested"], tol=1e-6)
def branches_of_unknown_shape(tf, case):
    p = tf.placeholder(tf.bool, [], name="p")
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="y")
    z = BRANCHES[case](tf, p, x, y)
    grads = tf.gradients(z, [x, y])
    feed = {x: 3.0, y: 2.0}
    return grads, run(tf, [z, *grads], feed | {p: True}, feed | {p: False})


@program(tol=1e-6)
def branches_of_matrices(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    x, w = tf.placeholder(tf.float32, [None, 2], name="x"), tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
    z = tf.cond(p, lambda: tf.matmul(x, w), lambda: tf.nn.relu(x))
    grads = tf.gradients(tf.reduce_sum(z), [x, w])
    feed = {x: [[1.0, -1.0], [0.5, 2.0]]}
    return grads, run(tf, grads, feed | {p: True}, feed | {p: False})


@program(cases=["reference", "resource"], tol=1e-6)
def variables_in_branches(tf, case):
    p = tf.placeholder(tf.bool, [], name="p")
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=case == "resource")
    w = tf.get_variable("w", initializer=[3.0, 4.0], use_resource=case == "resource")
    z = tf.cond(p, lambda: v * w, lambda: w + 1.0)
    grads = tf.gradients(z, [v, w])
    return grads, run(tf, grads, {p: True}, {p: False})


@program(cases=["both", "one"], tol=1e-6)
def gathers_in_branches(tf, case):
    p = tf.placeholder(tf.bool, [], name="p")
    w = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2), name="w")
    other = (lambda: tf.gather(w, [0, 1]) * 2.0) if case == "both" else (lambda: w[:2] * 3.0)
    z = tf.cond(p, lambda: tf.gather(w, [2, 2]), other)
    (grad,) = quietly(tf.gradients, z, [w])
    return grad, run(tf, dense(tf, grad), {p: True}, {p: False})


@program(tol=1e-6)
def second_order_through_a_branch(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    x = tf.constant(3.0, name="x")
    z = tf.cond(p, lambda: x * x * x, lambda: tf.exp(x))
    (first,) = tf.gradients(z, x)
    (second,) = tf.gradients(first, x)
    return second, run(tf, [first, second], {p: True}, {p: False})


@program(tol=1e-6)
def gradients_inside_a_branch(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    x = tf.constant(3.0, name="x")
    y = x * x
    z = tf.cond(p, lambda: tf.gradients(tf.exp(x) * 2.0, x)[0], lambda: tf.gradients(y, x)[0])
    return z, run(tf, z, {p: True}, {p: False})


@program(tol=1e-6)
def options_through_a_branch(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    x, y = tf.constant(3.0, name="x"), tf.constant(2.0, name="y")
    z = tf.cond(p, lambda: x * y, lambda: y)
    grads = tf.gradients(
        z, [x, y], grad_ys=[tf.constant(2.0)], name="mine", colocate_gradients_with_ops=True, gate_gradients=True
    )
    more = tf.gradients(z, [x, y], stop_gradients=[y], unconnected_gradients="zero")
    return grads, more, run(tf, [grads, more], {p: True}, {p: False})


@program(tol=1e-6)
def a_switch_without_a_context(tf):
    from_ops = tf.raw_ops if hasattr(tf, "raw_ops") else None
    p = tf.placeholder(tf.bool, [], name="p")
    x = tf.constant(3.0, name="x")
    false, true = from_ops.Switch(data=x, pred=p)
    merged, _ = from_ops.Merge(inputs=[false * 2.0, true * true])
    (grad,) = tf.gradients(merged, x)
    return grad, run(tf, grad, {p: True}, {p: False})


# -- loops -------------------------------------------------------------------------------------------------------


def power(tf, x, y):
    return repeat(tf, 5, lambda i, a: a * x, tf.constant(1.0))


def square(tf, x, y):
    return repeat(tf, 3, lambda i, a: a * a, x)


def add_capture(tf, x, y):
    return repeat(tf, 4, lambda i, a: a + x * y, tf.constant(0.0))


def capture_and_start(tf, x, y):
    return repeat(tf, 4, lambda i, a: a * y + x, x)


def exponential(tf, x, y):
    return repeat(tf, 3, lambda i, a: tf.exp(-a) * y, x)


def by_the_counter(tf, x, y):
    return repeat(tf, 4, lambda i, a: a * x * tf.cast(i + 1, tf.float32), y)


def no_iterations(tf, x, y):
    return repeat(tf, 0, lambda i, a: a * x, y)


def not_dependent(tf, x, y):
    return repeat(tf, 3, lambda i, a: tf.exp(x), y)


def constant_body(tf, x, y):
    return repeat(tf, 3, lambda i, a: tf.constant(7.0), x)


def stopped_body(tf, x, y):
    return repeat(tf, 3, lambda i, a: tf.stop_gradient(a) * x, y)


def helper_constants(tf, x, y):
    return repeat(tf, 3, lambda i, a: (a + 2.0) * tf.constant(3.0) / 4.0 - x, y)


def while_small(tf, x, y):
    return tf.while_loop(lambda a: a > 0.1, lambda a: a * y, [x])


def at_most(tf, x, y):
    return tf.while_loop(lambda a: a < 100.0, lambda a: a * y, [x], maximum_iterations=2)


def two_variables(tf, x, y):
    body = lambda i, a, b: (i + 1, a * b, b + x)
    return tf.while_loop(lambda i, a, b: i < 3, body, (0, x, y))[1]


def two_results(tf, x, y):
    body = lambda i, a, b: (i + 1, a * b, b + x)
    _, a, b = tf.while_loop(lambda i, a, b: i < 3, body, (0, x, y))
    return a * b


def swapping(tf, x, y):
    return tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b * x, a), (0, x, y))[1]


def unused_variable(tf, x, y):
    return tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * x, b * y), (0, x, y))[1]


def through_the_outside(tf, x, y):
    z = tf.exp(y)
    return repeat(tf, 3, lambda i, a: a * z, x) * z


def two_loops(tf, x, y):
    return repeat(tf, 2, lambda i, a: a * y, repeat(tf, 3, lambda i, a: a * x, y))


def loop_and_its_start(tf, x, y):
    start = x * y
    return repeat(tf, 3, lambda i, a: a * start, start) + start


def nested_loops(tf, x, y):
    return repeat(tf, 3, lambda i, a: repeat(tf, 2, lambda j, b: b * x + a, a), y)


def nested_by_capture(tf, x, y):
    return repeat(tf, 2, lambda i, a: a + repeat(tf, 3, lambda j, b: b * x, tf.constant(1.0)), y)


def nested_from_inner_value(tf, x, y):
    def step(i, a):
        c = a * y
        return repeat(tf, 2, lambda j, b: b * c, x)

    return repeat(tf, 2, step, x)


def nested_by_a_growing_count(tf, x, y):
    return repeat(tf, 4, lambda i, a: repeat(tf, i, lambda j, b: b * x, a), y)


def nested_three(tf, x, y):
    inner = lambda a: repeat(tf, 2, lambda k, c: c * x, a)
    middle = lambda a: repeat(tf, 2, lambda j, b: inner(b) + y, a)
    return repeat(tf, 2, lambda i, a: middle(a), y)


def unused_inner_result(tf, x, y):
    def step(i, a):
        body = lambda j, b, c: (j + 1, b * c, c * x)
        return tf.while_loop(lambda j, b, c: j < 2, body, (0, a, y))[1]

    return repeat(tf, 2, step, x)


def branch_in_loop(tf, x, y):
    return repeat(tf, 4, lambda i, a: tf.cond(i < 2, lambda: a * x, lambda: tf.exp(-a)), y)


def branch_as_it_is(tf, x, y):
    return repeat(tf, 4, lambda i, a: tf.cond(i < 2, lambda: a * x, lambda: a), y)


def branch_of_captures(tf, x, y):
    return repeat(tf, 4, lambda i, a: a + tf.cond(tf.equal(i % 2, 0), lambda: x * y, lambda: y), x)


def branch_of_a_constant(tf, x, y):
    return repeat(tf, 4, lambda i, a: tf.cond(i < 3, lambda: a * x, lambda: tf.constant(2.0)), y)


def branch_by_the_value(tf, x, y):
    return repeat(tf, 5, lambda i, a: tf.cond(a > 5.0, lambda: a / x, lambda: a * a), y)


def branch_by_an_outer_predicate(tf, x, y):
    p = x > y
    return repeat(tf, 3, lambda i, a: tf.cond(p, lambda: a * x, lambda: a * y), y)


def nested_branches_in_loop(tf, x, y):
    inner = lambda i, a: tf.cond(i > 2, lambda: a * y, lambda: a * a)
    return repeat(tf, 4, lambda i, a: tf.cond(i > 0, lambda: inner(i, a), lambda: a + x), y)


def loop_in_branch(tf, x, y):
    return tf.cond(x > y, lambda: repeat(tf, 3, lambda i, a: a * x, y), lambda: x * y)


def loop_in_untaken_branch(tf, x, y):
    return tf.cond(x < y, lambda: repeat(tf, 3, lambda i, a: a * x, y), lambda: x * y)


def loop_in_branch_in_loop(tf, x, y):
    inner = lambda a: repeat(tf, 2, lambda j, b: b * x, a)
    return repeat(tf, 3, lambda i, a: tf.cond(i > 0, lambda: inner(a), lambda: a + y), y)


def a_dictionary(tf, x, y):
    body = lambda s: [{"i": s["i"] + 1, "a": s["a"] * s["b"], "b": s["b"] * x}]
    return tf.while_loop(lambda s: s["i"] < 3, body, [{"i": 0, "a": y, "b": x}])["a"]


LOOPS = {
    f.__name__: f
    for f in (
        power, square, add_capture, capture_and_start, exponential, by_the_counter, no_iterations, not_dependent,
        constant_body, stopped_body, helper_constants, while_small, at_most, two_variables, two_results, swapping,
        unused_variable, through_the_outside, two_loops, loop_and_its_start, nested_loops, nested_by_capture,
        nested_from_inner_value, nested_by_a_growing_count, nested_three, unused_inner_result, branch_in_loop,
        branch_as_it_is, branch_of_captures, branch_of_a_constant, branch_by_the_value, branch_by_an_outer_predicate,
        nested_branches_in_loop, loop_in_branch, loop_in_untaken_branch, loop_in_branch_in_loop, a_dictionary,
    )
}  # fmt: skip


@program(cases=LOOPS, tol=1e-5)
def loops(tf, case):
    x, y = tf.constant(1.5, name="x"), tf.constant(0.75, name="y")
    z = case(tf, x, y)
    grads = tf.gradients(z, [x, y])
    known = [g for g in grads if g is not None]
    return grads, run(tf, [z, *known])


FED = [
    "power", "square", "capture_and_start", "exponential", "not_dependent", "constant_body", "while_small",
    "two_variables", "unused_variable", "nested_three", "unused_inner_result", "branch_in_loop", "branch_as_it_is",
    "branch_of_captures", "branch_of_a_constant", "nested_branches_in_loop", "loop_in_branch", "loop_in_branch_in_loop",
    "no_iterations",
]  # fmt: skip


@program(cases=FED, tol=1e-5)
def loops_of_unknown_shape(tf, case):
    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="y")
    z = attempt(LOOPS[case], tf, x, y)
    if not isinstance(z, tf.Tensor):
        return z
    grads = tf.gradients(z, [x, y])
    known = [g for g in grads if g is not None]
    return grads, run(tf, [z, *known], {x: 1.5, y: 0.75})


@program(cases=["capture_and_start", "nested_loops", "branch_in_loop", "two_variables"], tol=1e-5)
def loops_of_partly_known_shape(tf, case):
    x, y = tf.placeholder(tf.float32, [None], name="x"), tf.placeholder(tf.float32, [None], name="y")
    z = LOOPS[case](tf, x, y)
    grads = tf.gradients(z, [x, y])
    return grads, run(tf, [z, *grads], {x: [1.5, 0.5], y: [0.75, -1.0]})


@program(tol=1e-5)
def a_recurrent_network(tf):
    x = tf.placeholder(tf.float32, [None, 4, 3], name="x")
    w = tf.Variable(np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2), name="w")
    u = tf.Variable(np.linspace(1, -1, 4, dtype=np.float32).reshape(2, 2), name="u")
    b = tf.Variable(np.zeros(2, np.float32), name="b")
    state = tf.zeros([tf.shape(x)[0], 2])
    state.set_shape([None, 2])
    body = lambda i, h: tf.tanh(tf.matmul(x[:, i], w) + tf.matmul(h, u) + b)
    h = repeat(tf, 4, body, state)
    loss = tf.reduce_sum(tf.square(h))
    grads = tf.gradients(loss, [w, u, b, x])
    return grads, run(tf, [loss, *grads], {x: np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)})


@program(cases=["known", "unknown", "nested", "dense_too"], tol=1e-5)
def gathers_in_loops(tf, case):
    table = np.arange(10, dtype=np.float32).reshape(5, 2)
    w = tf.placeholder(tf.float32, [None, 2], name="w") if case == "unknown" else tf.Variable(table, name="w")
    step = lambda i, a: a * 0.5 + tf.gather(w, [i, 1])
    if case == "dense_too":
        step = lambda i, a: a * 0.5 + tf.gather(w, [i, 1]) + w[:2]
    z = repeat(tf, 3, step, tf.zeros([2, 2]))
    if case == "nested":
        z = repeat(tf, 2, lambda i, a: repeat(tf, 2, step, a), tf.zeros([2, 2]))
    (grad,) = tf.gradients(z, [w])
    feed = {w: table} if case == "unknown" else {}
    return grad, run(tf, [grad, dense(tf, grad)], feed)


@program(cases=["reference", "resource"], tol=1e-5)
def variables_in_loops(tf, case):
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=case == "resource")
    z = repeat(tf, 3, lambda i, a: a * v + 1.0, tf.ones([2]))
    (grad,) = tf.gradients(z, [v])
    return grad, run(tf, [z, grad])


@program(tol=1e-5)
def gathers_of_a_resource_variable_in_a_loop(tf):
    v = tf.get_variable("v", initializer=[[1.0], [2.0], [3.0]], use_resource=True)
    z = repeat(tf, 3, lambda i, a: a * 2.0 + tf.gather(v, [i]), tf.zeros([1, 1]))
    (grad,) = tf.gradients(z, [v])
    return grad, run(tf, [z, dense(tf, grad)])


@program(cases=[{"back_prop": False}, {"swap_memory": True}, {"parallel_iterations": 1}, {"name": "mine"}], tol=1e-5)
def options_of_the_loop(tf, case):
    x = tf.constant(1.5, name="x")
    z = repeat(tf, 4, lambda i, a: a * a * x, x, **case)
    grads = tf.gradients(z, [x])
    return grads, run(tf, [z, *[g for g in grads if g is not None]])


@program(
    cases={
        "colocated": {"colocate_gradients_with_ops": True},
        "gated": {"gate_gradients": True},
        "tree": {"aggregation_method": 1},
        "named": {"name": "mine"},
        "zero": {"unconnected_gradients": "zero"},
    },
    tol=1e-5,
)
def options_of_gradients(tf, case):
    x, y = tf.constant(1.5, name="x"), tf.constant(2.0, name="y")
    z = repeat(tf, 4, lambda i, a: tf.cond(i < 2, lambda: a * x + x, lambda: a * a), x)
    grads = tf.gradients(z, [x, y], **case)
    return grads, run(tf, [z, *[g for g in grads if g is not None]])


@program(tol=1e-5)
def grad_ys_and_stop_gradients(tf):
    x, y = tf.constant(1.5, name="x"), tf.constant(2.0, name="y")
    s = x * y
    z = repeat(tf, 3, lambda i, a: a * s + x, y)
    grads = tf.gradients([z, s], [x, y], grad_ys=[tf.constant(3.0), None])
    stopped = tf.gradients(z, [x, y], stop_gradients=[s])
    return grads, stopped, run(tf, [grads, stopped])


@program(tol=1e-5)
def gradients_of_both_results(tf):
    x = tf.constant(1.5, name="x")
    _, a, b = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * x, b + a), (0, x, x))
    grads = tf.gradients([a, b], x)
    return grads, run(tf, grads)


@program(tol=1e-5)
def gradients_twice(tf):
    x = tf.constant(1.5, name="x")
    z = repeat(tf, 3, lambda i, a: a * a * x, x)
    grads = [tf.gradients(z, x)[0], tf.gradients(z * 2.0, x)[0]]
    return grads, run(tf, grads)


@program(tol=1e-5)
def gradients_by_what_is_between(tf):
    x = tf.constant(1.5, name="x")
    a = tf.exp(x)
    z = repeat(tf, 3, lambda i, b: b * a, x)
    y = tf.log(z)
    grads = tf.gradients(y, [a, z, x])
    return grads, run(tf, grads)


@program(tol=1e-5)
def a_loss_in_the_body(tf):
    """Gradients that are taken in the body, with respect to a variable of the loop that is not its start."""
    x = tf.constant(1.5, name="x")

    def step(i, a):
        b = tf.identity(a)
        return a - 0.1 * tf.gradients(b * b * x, b)[0]

    z = repeat(tf, 3, step, tf.constant(5.0))
    return z, run(tf, z)


@program(tol=1e-5)
def gradient_descent_in_the_body(tf):
    def step(i, a):
        return a - 0.1 * tf.gradients(tf.square(a - 3.0), a)[0]

    z = repeat(tf, 20, step, tf.constant(5.0))
    return z, run(tf, z)


@program(tol=1e-5)
def gradients_by_a_capture_in_the_body(tf):
    x = tf.constant(1.5, name="x")

    def step(i, a):
        y = x * 2.0
        return a + tf.gradients(y * y, y)[0]

    z = repeat(tf, 3, step, tf.constant(5.0))
    return z, run(tf, z)


@program(tol=1e-5)
def gradients_of_a_loop_in_a_loop(tf):
    """The inner loop's gradient is taken in the outer loop's body."""

    def step(i, a):
        b = a * 1.0
        c = repeat(tf, 2, lambda j, t: t * b, b)
        return a - 0.01 * tf.gradients(c, b)[0]

    z = repeat(tf, 3, step, tf.constant(1.5))
    return z, run(tf, z)


@program(graph=False)
def second_order_through_a_loop(tf):
    x = tf.constant(1.5, name="x")
    z = repeat(tf, 3, lambda i, a: a * x, x)
    (first,) = tf.gradients(z, x)
    return attempt(tf.gradients, first, x)


@program(graph=False)
def hessians_through_a_loop(tf):
    x = tf.constant([1.5], name="x")
    z = tf.reduce_sum(repeat(tf, 3, lambda i, a: a * x, x))
    return attempt(tf.hessians, z, x)


@program(tol=1e-5)
def second_order_of_what_is_outside(tf):
    x = tf.constant(1.5, name="x")
    y = x * x * x
    z = repeat(tf, 3, lambda i, a: a * 2.0, y)
    (first,) = tf.gradients(z, y)
    (second,) = tf.gradients(first * y, x)
    return second, run(tf, [first, second])


@program(graph=False)
def by_the_initial_value_in_the_body(tf):
    x = tf.constant(1.5, name="x")
    caught = []

    def step(i, a):
        caught.append(attempt(tf.gradients, a * a, x))
        return a

    repeat(tf, 3, step, x)
    return caught


@program(graph=False)
def by_a_tensor_in_a_loop(tf):
    inside = []

    def step(i, a):
        inside.append(a * 2.0)
        return inside[0] * a

    z = repeat(tf, 3, step, tf.constant(1.5))
    return attempt(tf.gradients, z, inside[0])


@program(graph=False)
def of_a_tensor_in_a_loop(tf):
    inside = []

    def step(i, a):
        inside.append(a * 2.0)
        return inside[0]

    x = tf.constant(1.5)
    repeat(tf, 3, step, x)
    return attempt(tf.gradients, inside[0], x)


@program(tol=1e-5)
def an_op_without_a_gradient_in_the_body(tf):
    x = tf.constant(1.5, name="x")
    z = repeat(tf, 3, lambda i, a: tf.floor(a) * x + tf.round(a), x)
    grads = tf.gradients(z, x)
    return grads, run(tf, grads)


@program(tol=1e-5)
def a_registered_gradient_in_the_body(tf):
    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda dy: dy * tf.minimum(x, 2.0)

    x = tf.constant(1.5, name="x")
    z = repeat(tf, 3, lambda i, a: clipped(a), x)
    (grad,) = tf.gradients(z, x)
    return run(tf, [z, grad])


@program(tol=1e-5)
def overridden_gradients_in_the_body(tf):
    x = tf.constant(1.5, name="x")
    with tf.get_default_graph().gradient_override_map({"Exp": "Identity"}):
        z = repeat(tf, 2, lambda i, a: tf.exp(a) * x, x)
    grads = tf.gradients(z, x)
    return grads, run(tf, grads)


@program(cases=["reduce_sum", "concat", "slice", "where", "reshape", "pad", "softmax", "reduce_max"], tol=1e-5)
def shapes_are_kept_for_the_way_back(tf, case):
    x = tf.placeholder(tf.float32, [None, 3], name="x")

    def step(i, a):
        if case == "reduce_sum":
            return a * tf.reduce_sum(a, 1, keepdims=True)
        if case == "concat":
            return tf.concat([a[:, :1], a[:, 1:] * 2.0], 1)
        if case == "slice":
            return a + a[:, 1:2]
        if case == "where":
            return tf.where(a > 0.0, a * a, -a)
        if case == "reshape":
            return tf.reshape(tf.reshape(a, [-1]) * 2.0, tf.shape(a))
        if case == "pad":
            return tf.pad(a[:, :2], [[0, 0], [1, 0]])
        if case == "softmax":
            return tf.nn.softmax(a) * x
        return a - tf.reduce_max(a)

    z = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, step(i, a)),
        (0, x),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, None])),
    )[1]
    grads = tf.gradients(z, x)
    return grads, run(tf, [z, *grads], {x: [[1.0, -2.0, 0.5], [0.25, 1.5, -1.0]]})


@program(tol=1e-5)
def a_growing_variable(tf):
    x = tf.constant([1.0, 2.0], name="x")
    z = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, tf.concat([a * x[0], a[:1]], 0)),
        (0, x),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
    )[1]
    grads = tf.gradients(z, x)
    return grads, run(tf, [z, *grads])


@program(tol=1e-5)
def tensor_arrays_in_the_body(tf):
    x = tf.constant([1.0, 2.0, 3.0], name="x")
    w = tf.constant(2.0, name="w")
    source = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
    body = lambda i, a: (i + 1, a.write(i, source.read(i) * w))
    _, out = tf.while_loop(lambda i, a: i < 3, body, (0, tf.TensorArray(tf.float32, 3)))
    z = tf.reduce_sum(tf.square(out.stack()))
    grads = tf.gradients(z, [x, w])
    return grads, run(tf, [z, *grads])


@program(tol=1e-5)
def tensor_arrays_in_a_branch(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    x = tf.constant([1.0, 2.0, 3.0], name="x")
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
    z = tf.cond(p, lambda: array.read(0) * array.read(2), lambda: array.read(1))
    grads = tf.gradients(z, x)
    return grads, run(tf, grads, {p: True}, {p: False})


@program(tol=1e-5)
def training_with_a_loop(tf):
    v = tf.Variable(0.5, name="v")
    z = repeat(tf, 3, lambda i, a: a * v, tf.constant(2.0))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(z - 1.0))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [[sess.run(step), sess.run(v)] for _ in range(3)]


@program(tol=1e-5)
def colocated_gradients_of_branches_and_loops(tf):
    x = tf.Variable(1.5, name="x")
    with tf.device("/cpu:0"):
        z = repeat(tf, 3, lambda i, a: tf.cond(i > 0, lambda: a * x, lambda: a + x), tf.constant(1.0))
    grads = tf.gradients(z, [x], colocate_gradients_with_ops=True)
    return grads, run(tf, grads)


@program()
def contexts_of_gradients(tf):
    x = tf.constant(1.5, name="x")
    z = repeat(tf, 3, lambda i, a: tf.cond(i > 0, lambda: a * x, lambda: a + x), x)
    tf.gradients(z, x)
    rows = []
    for op in tf.get_default_graph().get_operations():
        context = op._get_control_flow_context()
        rows.append([op.name, None if context is None else context.name])
    (loop,) = tf.get_collection(tf.GraphKeys.WHILE_CONTEXT)
    return rows, loop.loop_enters, loop.loop_exits


@program()
def what_can_be_fetched_of_gradients(tf):
    x = tf.constant(1.5, name="x")
    z = repeat(tf, 3, lambda i, a: a * a * x, x)
    tf.gradients(z, x)
    graph = tf.get_default_graph()
    return [
        [op.name, graph.is_fetchable(op), [graph.is_feedable(t) for t in op.outputs]] for op in graph.get_operations()
    ]


# -- rows --------------------------------------------------------------------------------------------------------


@program(tol=1e-6)
def rows_of_two_kinds_of_indices(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    w = tf.Variable(np.arange(10, dtype=np.float32).reshape(5, 2), name="w")
    z = tf.cond(p, lambda: tf.gather(w, [1]), lambda: tf.gather(w, tf.constant([2], tf.int64)))
    (grad,) = tf.gradients(z, w)
    return grad, run(tf, dense(tf, grad), {p: True}, {p: False})


@program(graph=False)
def rows_for_a_variable_of_the_loop(tf):
    w = tf.Variable(np.ones([5, 2], np.float32), name="w")
    z = repeat(tf, 3, lambda i, a: a * 2.0, w)
    return quietly(attempt, tf.gradients, tf.gather(z, [1, 2]), w)


@program(tol=1e-5)
def rows_of_a_variable_of_the_loop(tf):
    w = tf.Variable(np.arange(10, dtype=np.float32).reshape(5, 2), name="w")
    body = lambda i, a, s: (i + 1, a, s + tf.gather(a, [i]))
    z = tf.while_loop(lambda i, a, s: i < 3, body, (0, w, tf.zeros([1, 2])))[2]
    (grad,) = tf.gradients(z, w)
    return grad, run(tf, [z, grad])


@program(tol=1e-5)
def rows_in_a_branch_in_a_loop(tf):
    w = tf.Variable(np.arange(10, dtype=np.float32).reshape(5, 2), name="w")
    z = repeat(tf, 3, lambda i, a: tf.cond(i > 1, lambda: a + tf.gather(w, [i]), lambda: a), tf.zeros([1, 2]))
    (grad,) = tf.gradients(z, w)
    return grad, run(tf, [z, dense(tf, grad)])


# -- variables made inside ---------------------------------------------------------------------------------------


def made_in_the_body(tf, **options):
    def step(i, a):
        with tf.variable_scope("cell"):
            w = tf.get_variable("w", [2, 2], initializer=tf.ones_initializer(), **options)
            b = tf.get_variable("b", initializer=[1.0, 2.0], **options)
            return tf.tanh(tf.matmul(a, w) + b)

    with tf.variable_scope("rnn"):
        return repeat(tf, 3, step, tf.ones([1, 2]))


@program(cases=["reference", "resource"], tol=1e-5)
def get_variable_in_the_body(tf, case):
    z = made_in_the_body(tf, use_resource=case == "resource")
    variables = tf.global_variables()
    grads = tf.gradients(z, variables)
    return [v.name for v in variables], grads, run(tf, [z, *grads])


@program(tol=1e-5)
def variables_made_in_bodies_and_branches(tf):
    def step(i, a):
        v = tf.Variable(1.5, name="v")
        return a * v + tf.cond(i > 0, lambda: tf.get_variable("u", initializer=2.0) * a, lambda: tf.Variable(1.0) + a)

    z = repeat(tf, 2, step, tf.constant(1.0))
    grads = tf.gradients(z, tf.global_variables())
    return [v.name for v in tf.global_variables()], grads, run(tf, [z, *grads])


@program(graph=False)
def a_variable_from_a_value_of_the_loop(tf):
    return attempt(repeat, tf, 3, lambda i, a: tf.Variable(a * 2.0, name="v") + a, tf.constant(1.0))


@program(tol=1e-5)
def optimizers_in_the_body(tf):
    v = tf.Variable(3.0, name="v")

    def body(i):
        step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(v))
        with tf.control_dependencies([step]):
            return tf.identity(i) + 1

    z = tf.while_loop(lambda i: i < 5, body, [tf.constant(0)], parallel_iterations=1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(z), sess.run(v)


@program(tol=1e-5)
def normalisation_in_the_body(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")

    def step(i, a):
        mean, variance = tf.nn.moments(a, [0])
        return tf.nn.batch_normalization(a, mean, variance, None, None, 1e-3) * x

    z = repeat(tf, 2, step, x)
    grads = tf.gradients(z, x)
    return grads, run(tf, [z, *grads], {x: [[1.0, 2.0, 0.5], [0.0, -1.0, 1.0], [2.0, 0.25, -3.0]]})


@program(tol=1e-5)
def scan_in_a_loop_in_a_branch(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    x = tf.constant([1.0, 2.0, 3.0], name="x")
    inner = lambda a: tf.scan(lambda s, e: s * e, a)
    z = tf.cond(p, lambda: repeat(tf, 2, lambda i, a: inner(a), x), lambda: x * x)
    grads = tf.gradients(z, x)
    return grads, run(tf, [z, *grads], {p: True}, {p: False})


@program(tol=1e-5)
def map_fn_with_branches(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    z = tf.map_fn(lambda row: tf.cond(tf.reduce_sum(row) > 0.0, lambda: row * row, lambda: -row), x)
    grads = tf.gradients(z, x)
    return grads, run(tf, [z, *grads], {x: [[1.0, 2.0, 0.5], [0.0, -1.0, -1.0]]})
