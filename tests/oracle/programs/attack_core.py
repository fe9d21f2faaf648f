"""What programs of users do that the areas do not think of: differences that were found by attacking, one a kind."""

from __future__ import annotations

import operator

import numpy as np

from tests.oracle import attempt, program

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow]
OPERATORS += [operator.and_, operator.xor, operator.matmul, operator.lt]


@program(cases=OPERATORS)
def operands_of_two_types_of_which_one_is_a_variable(tf, case):
    """The first operand's complaint is told, not that of the reflected operator."""
    ints, floats = tf.constant([[1]]), tf.constant([[1.0]])
    v, w = tf.Variable([[1]]), tf.Variable([[1.0]])
    return [attempt(case, a, b) for a, b in [(ints, w), (w, ints), (v, w), (v, floats), (floats, v)]]


@program()
def a_product_is_boolean_where_one_factor_is(tf):
    b, i, f = tf.constant([True, False]), tf.constant([2, 3]), tf.constant([0.5, 2.0])
    products = [i * b, b * i, f * b, b * f, b * b, b * True, b * 1, i * True]
    with tf.Session() as sess:
        return sess.run(products), attempt(lambda: f * tf.Variable([True, False]))


@program()
def tuple_waits_for_variables_themselves(tf):
    v, w = tf.Variable(1.0, name="v"), tf.Variable([2.0], name="w")
    return tf.tuple([v, tf.constant(3.0), None, w, w.assign([1.0])], control_inputs=[v.op])


@program()
def what_waits_for_a_fed_placeholder_is_content_with_the_feed(tf):
    p, q = tf.placeholder(tf.float32, [], name="p"), tf.placeholder_with_default(1.0, [], name="q")
    with tf.control_dependencies([p]):
        one = tf.constant(1.0)
    with tf.control_dependencies([q]):
        two = tf.constant(2.0)
    with tf.control_dependencies([one]):
        three = tf.constant(3.0)
    with tf.Session() as sess:
        return (
            [sess.run(x, {p: 5.0}) for x in (one, two, three, [p, three])],
            attempt(sess.run, one),
            attempt(sess.run, p.op, {p: 1.0}),
            sess.run(two, {q: 3.0}),
        )


@program()
def predicates_that_turn_out_not_to_be_scalars(tf):
    p = tf.placeholder(tf.bool, name="p")
    y = tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2))
    with tf.Session() as sess:
        return [attempt(sess.run, y, {p: value}) for value in (True, [True], [[False]], [True, False], False)]


@program()
def a_branch_returns_one_variable_the_other_another(tf):
    v = tf.Variable(1.0, name="v")
    w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    p = tf.placeholder(tf.bool, [], name="p")
    fetches = [
        tf.cond(p, lambda: tf.assign(v, 5.0), lambda: tf.assign_add(w, 2.0)),
        tf.cond(p, lambda: v, lambda: w),
        tf.cond(p, lambda: v + 1, lambda: w * 2),
        tf.cond(p, lambda: tf.group(v.assign_add(1.0)), lambda: tf.no_op()),
        tf.cond(p, lambda: tf.get_variable("inner", [2], initializer=tf.zeros_initializer()) + 1, lambda: tf.ones([2])),
    ]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [[sess.run(f, {p: side}), sess.run([v, w])] for side in (True, False, True) for f in fetches]


@program()
def case_exclusive_or_not_with_and_without_default(tf):
    """Without a default the last predicate is not counted: two that are both true pass as exclusive."""
    x = tf.placeholder(tf.float32, [], name="x")

    def of(number):
        return lambda: tf.constant(number)

    pairs = [(x > 5, of(1)), (x > 10, of(2)), (x < -5, of(3))]
    cases = [
        tf.case(pairs, default=of(4), exclusive=True, name="all_counted"),
        tf.case(pairs, exclusive=True, name="no_default"),
        tf.case(pairs[:2], exclusive=True, name="two"),
        tf.case(pairs, name="first_wins"),
        tf.case(dict([pairs[0], pairs[2]]), exclusive=True, name="from_dict"),
    ]
    with tf.Session() as sess:
        return [[attempt(sess.run, c, {x: value}) for value in (7.0, 20.0, -7.0, 0.0)] for c in cases]


RESULTS = {
    "wider": lambda z: z.astype(np.float64), "other kind": lambda z: z.astype(np.int32), "bools": lambda z: z > 1,
    "list": lambda z: [z, z], "list of one": lambda z: [z], "tuple of one": lambda z: (z,), "nothing": lambda z: None,
    "python list": lambda z: [1, 2], "text": lambda z: "abc", "dict": lambda z: {"a": 1}, "object": lambda z: object(),
    "none inside": lambda z: [None], "empty list": lambda z: [], "ragged": lambda z: [[1, 2], [3]],
    "float": lambda z: 1.5,
    "texts": lambda z: np.array(["a", "bb"]), "zero byte": lambda z: np.array([b"a\0", b"b"], object),
}  # fmt: skip


@program(cases=RESULTS)
def what_a_python_function_returned(tf, case):
    x = tf.placeholder(tf.float32, [2])
    fetches = [tf.py_func(case, [x], kind) for kind in (tf.float32, tf.string, [tf.float32, tf.int32])]
    with tf.Session() as sess:
        return [_without_token(attempt(sess.run, fetch, {x: [1, 3]})) for fetch in fetches]


def _without_token(result):
    """Tokens are numbered through a process: only the class and what follows the token counts."""
    caught = getattr(result, "error", None)
    if caught is None:
        return result
    text = [line for line in str(caught).splitlines() if "pyfunc" in line or "Unsupported" in line]
    words = [word for word in text[0].split() if not word.startswith("pyfunc")] if text else []
    return type(caught).__name__, " ".join(words)


@program(cases={"float": np.nan, "infinite": np.inf, "list": [1.0, np.nan]})
def nan_as_an_integer(tf, case):
    x = tf.placeholder(tf.int32)  # in a list or alone
    with tf.Session() as sess:
        return sess.run(tf.shape(x), {x: case}), sess.run(x, {x: case}) < 0


@program()
def a_closed_session(tf):
    x = tf.constant(1.0)
    sess = tf.Session()
    sess.close()

    def enter():
        with sess:
            return sess.run(x)

    calls = [(sess.run, x), (sess.run, "nope"), (sess.make_callable, x), (sess.list_devices,), (sess.close,), (enter,)]
    return [attempt(*call) for call in calls], attempt(x.eval, session=sess)


@program()
def shapes_of_which_the_rank_is_not_known(tf):
    size = tf.placeholder(tf.int32, name="size")
    fetches = [tf.zeros(size), tf.ones([size]), tf.zeros([size, 2], tf.int32), tf.ones(tf.placeholder(tf.int32, [2]))]
    with tf.Session() as sess:
        return [sess.run(fetch, {size: 3}) for fetch in fetches[:2]], attempt(sess.run, fetches[0], {size: [2, 1]})


@program()
def get_variable_without_a_shape(tf):
    with tf.variable_scope("s"):
        return [
            attempt(tf.get_variable, "noshape"),
            attempt(tf.get_variable, "noshape_either", dtype=tf.int32),
            attempt(tf.get_variable, "zeros", initializer=tf.zeros_initializer()),
            attempt(tf.get_variable, "unknown", [None]),
        ]
