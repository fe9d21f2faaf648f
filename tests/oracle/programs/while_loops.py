"""`tf.while_loop`: its nodes, its options, its errors, and what goes on in conditions, bodies and around them."""

from __future__ import annotations

import collections

import numpy as np

from tests.oracle import attempt, program

Pair = collections.namedtuple("Pair", ["left", "right"])


def run(tf, fetches, feed=None):
    """The values of `fetches` after initialising, and the result of two runs."""
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [sess.run(fetches, feed), sess.run(fetches, feed)]


def count(tf, n=3, **options):
    return tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)], **options)


# -- structures --------------------------------------------------------------------------------------------------


def one(tf):
    return tf.while_loop(lambda i: i < 4, lambda i: i + 1, [tf.constant(0)])


def one_number(tf):
    return tf.while_loop(lambda i: i < 4, lambda i: [i + 1], [0])


def a_tuple(tf):
    return tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * 2.0), (tf.constant(0), tf.constant(1.5)))


def a_list_from_a_tuple(tf):
    return tf.while_loop(lambda i, x: i < 4, lambda i, x: [i + 1, x * 2.0], (0, 1.5))


def a_tuple_from_a_list(tf):
    return tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * 2.0), [0, 1.5])


def same_structure(tf):
    return tf.while_loop(lambda i: i < 4, lambda i: [i + 1], [0], return_same_structure=True)


def same_structure_of_two(tf):
    return tf.while_loop(lambda i, x: i < 4, lambda i, x: [i + 1, x], [0, 2.0], return_same_structure=True)


def a_dictionary(tf):
    body = lambda s: [{"n": s["n"] + 1, "a": s["a"] * 2.0}]
    return tf.while_loop(lambda s: s["n"] < 3, body, [{"n": 0, "a": tf.constant([1.0, 2.0])}])


def a_dictionary_and_more(tf):
    body = lambda s, y: ({"n": s["n"] + 1, "a": s["a"] * 2.0}, y - 1.0)
    return tf.while_loop(lambda s, y: s["n"] < 3, body, ({"n": 0, "a": tf.constant([1.0, 2.0])}, 5.0))


def named_tuples(tf):
    body = lambda i, p: (i + 1, Pair(p.right, p.left + p.right))
    return tf.while_loop(lambda i, p: i < 7, body, (0, Pair(tf.constant(0), tf.constant(1))))


def nested_lists(tf):
    body = lambda i, p: (i + 1, [p[0] + 1, (p[1][0] * 2, p[1][1])])
    return tf.while_loop(lambda i, p: i < 3, body, (0, [tf.constant(5), (tf.constant(1), tf.constant(7.0))]))


def a_named_tuple_of_variables(tf):
    return tf.while_loop(lambda left, right: left < 3, lambda left, right: Pair(left + 1, right), Pair(0, 2.0))


def strings(tf):
    return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.string_join([s, "x"])), (0, tf.constant("a")))


def many_types(tf):
    start = (0, tf.constant(True), np.int64(3), np.float64(0.5), tf.constant(1 + 2j))
    body = lambda i, b, n, x, c: (i + 1, tf.logical_not(b), n * 2, x / 2.0, c * c)
    return tf.while_loop(lambda i, *rest: i < 3, body, start)


def arrays(tf):
    start = [np.zeros([2, 2], np.float32), [1.0, 2.0]]
    return tf.while_loop(
        lambda x, y: tf.reduce_sum(x) < 9.0, lambda x, y: (x + y, y), [start[0], tf.constant(start[1])]
    )


def never(tf):
    return tf.while_loop(lambda i, x: i < 0, lambda i, x: (i + 1, x * 0.0), (tf.constant(0), tf.constant(7.0)))


def python_condition(tf):
    return tf.while_loop(lambda i: False, lambda i: i + 1, [tf.constant(0)])


def swapped(tf):
    return tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a), (0, tf.constant(1.0), tf.constant(2.0)))


def unchanged(tf):
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a), (0, tf.constant(1.0)))


def a_constant_from_outside(tf):
    c = tf.constant(5.0)
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, c), (0, tf.constant(1.0)))


def fibonacci(tf):
    return tf.while_loop(lambda i, a, b: i < 10, lambda i, a, b: (i + 1, b, a + b), (0, 0, 1))


def collatz(tf):
    step = lambda n, k: (tf.where(tf.equal(n % 2, 0), n // 2, 3 * n + 1), k + 1)
    return tf.while_loop(lambda n, k: n > 1, step, (tf.constant(27), tf.constant(0)))


STRUCTURES = {
    f.__name__: f
    for f in (
        one, one_number, a_tuple, a_list_from_a_tuple, a_tuple_from_a_list, same_structure, same_structure_of_two,
        a_dictionary, a_dictionary_and_more, named_tuples, nested_lists, a_named_tuple_of_variables, strings,
        many_types, arrays, never, python_condition, swapped, unchanged, a_constant_from_outside, fibonacci, collatz,
    )
}  # fmt: skip


@program(cases=STRUCTURES)
def structures(tf, case):
    result = case(tf)
    return result, run(tf, result)


# -- options -----------------------------------------------------------------------------------------------------


OPTIONS = {
    "name": {"name": "mine"},
    "parallel": {"parallel_iterations": 1},
    "parallel_32": {"parallel_iterations": 32},
    "no_gradient": {"back_prop": False},
    "swap": {"swap_memory": True},
    "at_most_two": {"maximum_iterations": 2},
    "at_most_none": {"maximum_iterations": 0},
    "at_most_many": {"maximum_iterations": 100},
    "at_most_negative": {"maximum_iterations": -1},
}


@program(cases=OPTIONS)
def options(tf, case):
    result = count(tf, **case)
    return result, run(tf, result)


@program(cases=["one", "two", "same_structure", "long", "fed"])
def maximum_iterations(tf, case):
    feed = {}
    limit = 2
    if case == "long":
        limit = tf.constant(2, tf.int64)
    if case == "fed":
        limit = tf.placeholder(tf.int32, [])
        feed[limit] = 3
    if case == "one":
        result = tf.while_loop(lambda x: x < 50.0, lambda x: x * 3.0, [1.0], maximum_iterations=limit)
    elif case == "same_structure":
        result = tf.while_loop(
            lambda x: x < 50.0, lambda x: [x * 3.0], [1.0], maximum_iterations=limit, return_same_structure=True
        )
    else:
        result = tf.while_loop(
            lambda i, x: i < 9, lambda i, x: (i + 1, x * 3.0), (0, 1.0), maximum_iterations=limit, name="limited"
        )
    return result, run(tf, result, feed)


@program()
def maximum_iterations_with_shape_invariants(tf):
    result = tf.while_loop(
        lambda x: tf.size(x) < 100,
        lambda x: tf.concat([x, x], 0),
        [tf.constant([1, 2])],
        shape_invariants=[tf.TensorShape([None])],
        maximum_iterations=3,
    )
    return result, run(tf, result)


@program(cases=["vector", "unknown_rank", "matrix", "partly", "none"])
def shape_invariants(tf, case):
    start = tf.ones([1, 2])
    wanted = {
        "vector": tf.TensorShape([None, 2]),
        "unknown_rank": tf.TensorShape(None),
        "matrix": tf.TensorShape([None, None]),
        "partly": tf.TensorShape([None, 2]),
        "none": None,
    }[case]
    grow = (lambda x: x + 1.0) if case == "none" else (lambda x: tf.concat([x, x], 0))
    result = tf.while_loop(
        lambda i, x: i < 3,
        lambda i, x: (i + 1, grow(x)),
        (0, start),
        shape_invariants=(tf.TensorShape([]), wanted),
    )
    return result, run(tf, result)


@program()
def an_invariant_sets_what_the_body_sees(tf):
    seen = []

    def body(i, x):
        seen.append([x.shape, tf.shape(x)])
        return i + 1, x

    tf.while_loop(
        lambda i, x: i < 3,
        body,
        (0, tf.placeholder(tf.float32)),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape(None)),
    )
    return seen


@program()
def an_invariant_in_a_dictionary(tf):
    result = tf.while_loop(
        lambda s: tf.size(s["x"]) < 9,
        lambda s: [{"x": tf.concat([s["x"], [s["k"]]], 0), "k": s["k"] + 1}],
        [{"x": tf.constant([0]), "k": 1}],
        shape_invariants=[{"x": tf.TensorShape([None]), "k": tf.TensorShape([])}],
    )
    return result, run(tf, result)


@program()
def a_ragged_variable_fed(tf):
    x = tf.placeholder(tf.float32, [None])
    result = tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x * 2.0), (0, x))
    return result, run(tf, result, {x: [1.0, 2.0, 3.0]})


# -- composites --------------------------------------------------------------------------------------------------


@program()
def sparse_tensors(tf):
    start = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
    result = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * 2.0), (0, start))
    return result[1].shape, run(tf, result)


@program()
def sparse_tensors_that_grow(tf):
    def body(i, s):
        indices = tf.concat([s.indices, [[tf.cast(i, tf.int64) + 1]]], 0)
        return i + 1, tf.SparseTensor(indices, tf.concat([s.values, [tf.cast(i, tf.float32)]], 0), s.dense_shape)

    start = tf.SparseTensor([[0]], [1.0], [9])
    result = tf.while_loop(lambda i, s: i < 3, body, (0, start))
    return run(tf, result)


@program(cases=[True, False])
def indexed_slices(tf, case):
    start = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 4]), tf.constant([5, 3]) if case else None)
    body = lambda i, s: (i + 1, tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape))
    result = tf.while_loop(lambda i, s: i < 3, body, (0, start))
    return run(tf, result)


@program()
def tensor_arrays(tf):
    start = tf.TensorArray(tf.float32, 4)
    result = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32))), (0, start))
    stacked = result[1].stack()
    return stacked, run(tf, stacked)


@program()
def tensor_arrays_that_grow(tf):
    start = tf.TensorArray(tf.int32, 0, dynamic_size=True)
    result = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a.write(i, [i, i * i])), (0, start))
    stacked = result[1].stack()
    return stacked, run(tf, stacked)


@program()
def a_tensor_array_alone(tf):
    start = tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0])
    total = tf.while_loop(lambda i, s: i < start.size(), lambda i, s: (i + 1, s + start.read(i)), (0, 0.0))
    return total, run(tf, total)


@program()
def tensor_arrays_in_a_nest(tf):
    start = {"a": tf.TensorArray(tf.float32, 2), "n": 0}
    body = lambda s: [{"a": s["a"].write(s["n"], 7.0), "n": s["n"] + 1}]
    result = tf.while_loop(lambda s: s["n"] < 2, body, [start])
    return run(tf, result["a"].stack())


# -- what is captured --------------------------------------------------------------------------------------------


@program()
def captures_in_condition_and_body(tf):
    limit = tf.placeholder(tf.int32, [], name="limit")
    factor = tf.constant(3.0, name="factor")
    result = tf.while_loop(lambda i, x: i < limit, lambda i, x: (i + 1, x * factor), (0, 1.0))
    return result, run(tf, result, {limit: 4})


@program()
def a_capture_is_entered_once(tf):
    c = tf.constant(2.0, name="c")
    result = tf.while_loop(lambda x: x < 100.0, lambda x: x * c + c - c, [tf.constant(1.0)])
    return result, run(tf, result)


@program()
def an_op_of_captures_only(tf):
    a, b = tf.constant(2.0, name="a"), tf.constant(3.0, name="b")
    result = tf.while_loop(lambda x: x < 100.0, lambda x: x + tf.add(a, b), [tf.constant(1.0)])
    return result, run(tf, result)


@program()
def constants_made_in_the_loop(tf):
    def body(i, x):
        a = tf.constant([1.0, 2.0], name="a")
        b = tf.zeros([2], name="b")
        return i + 1, x + a + b

    result = tf.while_loop(lambda i, x: tf.less(i, tf.constant(3, name="limit")), body, (0, tf.zeros([2])))
    return result, run(tf, result)


@program()
def random_numbers_are_new_in_each_iteration(tf):
    tf.set_random_seed(4)
    body = lambda i, a, b: (i + 1, b, tf.random_uniform([]))
    result = tf.while_loop(lambda i, *_: i < 3, body, (0, -1.0, -1.0))
    with tf.Session() as sess:
        _, a, b = sess.run(result)
    return bool(a != b), bool(0 <= a < 1), bool(0 <= b < 1)


@program()
def scopes_in_conditions_and_bodies(tf):
    def cond(i, x):
        with tf.name_scope("inner"):
            return i < 3

    def body(i, x):
        with tf.name_scope("inner"):
            y = x + 1.0
        with tf.name_scope("inner"):
            return i + 1, y * 2.0

    with tf.name_scope("outer"):
        result = tf.while_loop(cond, body, (0, 1.0), name="loop")
    return result, run(tf, result)


@program()
def the_name_is_used_again(tf):
    return [count(tf), count(tf), count(tf, name="while"), count(tf, name="other")]


@program()
def variables_made_before_the_loop(tf):
    v = tf.get_variable("v", initializer=2.0)
    r = tf.get_variable("r", initializer=3.0, use_resource=True)
    result = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * v + r), (0, v))
    return result, run(tf, result)


@program()
def a_variable_is_the_loop_variable(tf):
    v = tf.Variable(2.0, name="v")
    result = tf.while_loop(lambda x: x < 50.0, lambda x: x * v, [v])
    return result, run(tf, [result, v])


@program()
def assignments_in_the_body(tf):
    v = tf.Variable(0.0, name="v")

    def body(i):
        with tf.control_dependencies([v.assign_add(2.0)]):
            return i + 1

    result = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(result), sess.run(v), sess.run(result), sess.run(v)


@program()
def assignments_in_the_condition_happen_once_more(tf):
    v, w = tf.Variable(0, name="v"), tf.Variable(0, name="w")

    def cond(i):
        with tf.control_dependencies([v.assign_add(1)]):
            return tf.less(i, 4)

    def body(i):
        with tf.control_dependencies([w.assign_add(1)]):
            return tf.add(i, 1)

    result = tf.while_loop(cond, body, [tf.constant(0)])
    with tf.Session() as sess:
        sess.run([v.initializer, w.initializer])
        return sess.run(result), sess.run([v, w])


@program()
def what_nobody_needs_in_the_body_does_not_run(tf):
    v = tf.Variable(0, name="v")

    def body(i):
        v.assign_add(1)
        return i + 1

    result = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(result), sess.run(v)


@program()
def what_is_made_outside_runs_once(tf):
    v = tf.Variable(0, name="v")
    once = v.assign_add(1)
    result = tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x + once), (0, 0))
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(result)[0], sess.run(v)


@program()
def a_variable_read_in_the_body_changes(tf):
    r = tf.get_variable("r", initializer=1, use_resource=True)

    def body(i, x):
        with tf.control_dependencies([r.assign_add(1)]):
            value = r.read_value()
        with tf.control_dependencies([value]):
            return tf.identity(i) + 1, x + value

    result = tf.while_loop(lambda i, x: i < 3, body, (0, 0))
    return run(tf, result)


@program()
def resource_assignments_in_the_body(tf):
    r = tf.get_variable("r", initializer=[0.0, 0.0], use_resource=True)

    def body(i):
        with tf.control_dependencies([tf.scatter_update(r, [0], tf.cast([i], tf.float32)), r.assign_sub([0.0, 1.0])]):
            return i + 1

    result = tf.while_loop(lambda i: i < 3, body, [0])
    with tf.Session() as sess:
        sess.run(r.initializer)
        return sess.run(result), sess.run(r)


@program()
def no_ops_and_groups_in_the_body(tf):
    v, w = tf.Variable(0, name="v"), tf.Variable(0, name="w")

    def body(i):
        with tf.control_dependencies(
            [tf.group(v.assign_add(1), w.assign_add(2), name="both"), tf.no_op(name="nothing")]
        ):
            return tf.identity(i) + 1

    result = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
    with tf.Session() as sess:
        sess.run([v.initializer, w.initializer])
        return sess.run(result), sess.run([v, w])


@program()
def tuples_in_the_body(tf):
    def body(i, x):
        a, b = tf.tuple([i + 1, x * 2.0])
        return a, b

    result = tf.while_loop(lambda i, x: i < 4, body, (0, 1.0))
    return run(tf, result)


@program(cases=["holds", "fails"])
def assertions_in_the_body(tf, case):
    limit = 9 if case == "holds" else 2

    def body(i):
        with tf.control_dependencies([tf.Assert(i < limit, ["i is", i])]):
            return tf.identity(i) + 1

    result = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
    with tf.Session() as sess:
        return attempt(sess.run, result)


@program()
def assertions_in_branches(tf):
    p = tf.placeholder(tf.bool, [], name="p")

    def branch(ok):
        with tf.control_dependencies([tf.Assert(ok, ["branch of", ok])]):
            return tf.constant(1.0) + 1.0

    result = tf.cond(p, lambda: branch(p), lambda: branch(p))
    with tf.Session() as sess:
        return sess.run(result, {p: True}), attempt(sess.run, result, {p: False})


# -- control dependencies, devices, colocation -------------------------------------------------------------------


@program()
def the_loop_in_a_control_block(tf):
    v = tf.Variable(0, name="v")
    with tf.control_dependencies([v.assign(5)]):
        result = tf.while_loop(lambda i: i < 4, lambda i: i + 1, [tf.constant(0)])
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(result), sess.run(v)


@program()
def a_loop_of_outside_tensors_in_a_control_block(tf):
    start, step = tf.constant(0, name="start"), tf.constant(2, name="step")
    a = tf.no_op(name="a")
    with tf.control_dependencies([a, start]):
        result = tf.while_loop(lambda i: i < 9, lambda i: i + step, [start])
    return result, run(tf, result)


@program()
def the_body_waits_for_what_is_outside(tf):
    a = tf.constant(1, name="a")
    b = tf.no_op(name="b")

    def body(i):
        with tf.control_dependencies([a, b]):
            return tf.add(i, tf.constant(1, name="one"), name="next")

    result = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
    return result, run(tf, result)


@program()
def the_body_waits_for_its_own(tf):
    def body(i):
        with tf.control_dependencies([i]):
            k = tf.constant(1, name="k")
        with tf.control_dependencies([k]):
            return tf.identity(i) + 1

    result = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
    return result, run(tf, result)


@program()
def control_dependencies_cleared_in_the_body(tf):
    def body(i):
        with tf.control_dependencies(None):
            k = tf.constant(1, name="k")
        return i + k

    result = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
    return result, run(tf, result)


@program()
def init_scope_in_the_body(tf):
    def body(i):
        with tf.init_scope():
            k = tf.constant(1, name="k")
        return i + k

    result = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
    return result, run(tf, result)


@program()
def devices_and_colocation(tf):
    x = tf.constant(2.0, name="x")

    def body(i, a):
        with tf.device("/cpu:0"):
            b = a * x
        with tf.colocate_with(x):
            c = b + 1.0
        return i + 1, c

    with tf.device("/device:CPU:0"):
        result = tf.while_loop(lambda i, a: i < 3, body, (0, 1.0))
    return run(tf, result)


@program()
def what_waits_for_the_loop(tf):
    v = tf.Variable(0, name="v")

    def body(i):
        with tf.control_dependencies([v.assign_add(1)]):
            return tf.identity(i) + 1

    result = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
    with tf.control_dependencies([result]):
        after = tf.identity(v.read_value() * 10)
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(after)


# -- nesting -----------------------------------------------------------------------------------------------------


@program()
def nested_loops(tf):
    def body(i, s):
        inner = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j), (0, s))
        return i + 1, inner[1]

    result = tf.while_loop(lambda i, s: i < 5, body, (0, 0))
    return result, run(tf, result)


@program()
def nested_loops_with_captures(tf):
    k = tf.constant(10, name="k")

    def body(i, s):
        twice = i * 2
        inner = tf.while_loop(lambda j, t: j < 3, lambda j, t: (j + 1, t + twice * k), (0, s))
        return i + 1, inner[1]

    result = tf.while_loop(lambda i, s: i < 3, body, (0, 0))
    return result, run(tf, result)


@program()
def three_loops(tf):
    k = tf.constant(1, name="k")

    def middle(j, s):
        return j + 1, tf.while_loop(lambda m, t: m < 2, lambda m, t: (m + 1, t + k), (0, s))[1]

    def outer(i, s):
        return i + 1, tf.while_loop(lambda j, t: j < 3, middle, (0, s))[1]

    result = tf.while_loop(lambda i, s: i < 4, outer, (0, 0))
    return result, run(tf, result)


@program()
def an_inner_loop_starts_from_a_capture(tf):
    c = tf.constant(5, name="c")

    def body(i, s):
        inner = tf.while_loop(lambda j: j < 8, lambda j: j + 1, [c])
        return i + 1, s + inner

    result = tf.while_loop(lambda i, s: i < 3, body, (0, 0))
    return result, run(tf, result)


@program()
def a_loop_in_the_condition(tf):
    def cond(i):
        return tf.while_loop(lambda j: j < i, lambda j: j + 2, [tf.constant(0)]) < 6

    result = tf.while_loop(cond, lambda i: i + 1, [tf.constant(0)])
    return result, run(tf, result)


@program()
def inner_loops_of_zero_iterations(tf):
    def body(i, s):
        return i + 1, tf.while_loop(lambda j, t: j < i - 2, lambda j, t: (j + 1, t + 100), (0, s + 1))[1]

    result = tf.while_loop(lambda i, s: i < 4, body, (0, 0))
    return run(tf, result)


@program()
def a_cond_in_the_body(tf):
    def body(i, x):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: x + 1.0, lambda: x * 2.0)

    result = tf.while_loop(lambda i, x: i < 6, body, (0, 1.0))
    return result, run(tf, result)


@program()
def a_cond_of_captures_in_the_body(tf):
    a, b = tf.constant(1.0, name="a"), tf.constant(100.0, name="b")

    def body(i, x):
        return i + 1, x + tf.cond(i < 3, lambda: a, lambda: b * 2.0)

    result = tf.while_loop(lambda i, x: i < 5, body, (0, 0.0))
    return result, run(tf, result)


@program()
def a_cond_by_an_outer_predicate_in_the_body(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    body = lambda i, x: (i + 1, tf.cond(p, lambda: x + 1.0, lambda: tf.constant(-1.0)))
    result = tf.while_loop(lambda i, x: i < 5, body, (0, 0.0))
    return run(tf, result, {p: True}), run(tf, result, {p: False})


@program()
def a_cond_with_assignments_in_the_body(tf):
    v = tf.Variable(0, name="v")

    def body(i):
        done = tf.cond(tf.equal(i % 3, 0), lambda: v.assign_add(1), lambda: tf.identity(v))
        with tf.control_dependencies([done]):
            return tf.identity(i) + 1

    result = tf.while_loop(lambda i: i < 7, body, [tf.constant(0)])
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(result), sess.run(v)


@program()
def a_loop_in_a_branch(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    x = tf.constant(1.0, name="x")
    loop = lambda: tf.while_loop(lambda a: a < 50.0, lambda a: a * 3.0 + x, [x])
    result = tf.cond(p, loop, lambda: -x)
    return result, run(tf, result, {p: True}), run(tf, result, {p: False})


@program()
def a_loop_with_assignments_in_a_branch(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    v = tf.Variable(0, name="v")

    def loop():
        def body(i):
            with tf.control_dependencies([v.assign_add(1)]):
                return tf.identity(i) + 1

        return tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])

    result = tf.cond(p, loop, lambda: tf.constant(-1))
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(result, {p: False}), sess.run(v), sess.run(result, {p: True}), sess.run(v)


@program()
def a_loop_in_a_branch_in_a_loop(tf):
    def body(i, s):
        inner = lambda: tf.while_loop(lambda j, t: j < 3, lambda j, t: (j + 1, t + i), (0, s))[1]
        return i + 1, tf.cond(i > 2, inner, lambda: s - 1)

    result = tf.while_loop(lambda i, s: i < 5, body, (0, 0))
    return result, run(tf, result)


@program()
def nested_conds_in_the_body(tf):
    def body(i, x):
        inner = lambda: tf.cond(i > 2, lambda: x * 2.0, lambda: x + 10.0)
        return i + 1, tf.cond(i > 0, inner, lambda: x)

    result = tf.while_loop(lambda i, x: i < 5, body, (0, 1.0))
    return result, run(tf, result)


@program()
def a_case_in_the_body(tf):
    def body(i, x):
        pairs = [(tf.equal(i, 0), lambda: x + 1.0), (tf.equal(i, 1), lambda: x * 5.0)]
        return i + 1, tf.case(pairs, default=lambda: x - 0.5)

    result = tf.while_loop(lambda i, x: i < 4, body, (0, 1.0))
    return run(tf, result)


@program()
def side_effects_outside_the_branch_function_in_a_body(tf):
    v = tf.Variable(0, name="v")

    def body(i):
        update = v.assign_add(1)
        with tf.control_dependencies([tf.cond(i < 2, lambda: tf.identity(update), lambda: tf.constant(0))]):
            return tf.identity(i) + 1

    result = tf.while_loop(lambda i: i < 5, body, [tf.constant(0)])
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(result), sess.run(v)


# -- what the graph knows of it ----------------------------------------------------------------------------------


@program()
def collections_of_contexts(tf):
    count(tf)
    tf.cond(tf.constant(True), lambda: count(tf), lambda: tf.constant(0))

    def body(i):
        return tf.cond(i > 1, lambda: i + 2, lambda: count(tf) + i)

    tf.while_loop(lambda i: i < 5, body, [0])
    graph = tf.get_default_graph()
    return [
        [c.name for c in graph.get_collection(key)] for key in (tf.GraphKeys.WHILE_CONTEXT, tf.GraphKeys.COND_CONTEXT)
    ]


@program()
def contexts_of_ops(tf):
    seen = {}

    def branch(x):
        seen["in_branch"] = x * 2
        return seen["in_branch"]

    def body(i):
        seen["in_body"] = i + 1
        return tf.cond(i > 1, lambda: branch(i), lambda: seen["in_body"])

    outside = tf.constant(0)
    result = tf.while_loop(lambda i: i < 5, body, [outside])
    contexts = {}
    for name, tensor in dict(seen, outside=outside, result=result).items():
        context = tensor.op._get_control_flow_context()
        chain = []
        while context is not None:
            chain.append((context.name, context.IsWhileContext(), context.IsCondContext(), context.back_prop))
            context = context.outer_context
        contexts[name] = chain
    return contexts


@program()
def what_a_loop_context_says(tf):
    count(tf, parallel_iterations=3, swap_memory=True, back_prop=False, maximum_iterations=7)
    (context,) = tf.get_collection(tf.GraphKeys.WHILE_CONTEXT)
    return [
        context.name, context.maximum_iterations, context.parallel_iterations, context.back_prop, context.swap_memory,
        context.pivot, context.loop_enters, context.loop_exits, context.grad_state, context.outer_context,
        context.GetControlPivot(), context.GetWhileContext() is context,
    ]  # fmt: skip


@program()
def what_a_branch_context_says(tf):
    p = tf.constant(True, name="p")
    tf.cond(p, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    return [
        [c.name, c.pred, c.pivot, c.branch, c.grad_state, c.back_prop, c.GetWhileContext(), c.outer_context]
        for c in tf.get_collection(tf.GraphKeys.COND_CONTEXT)
    ]


@program()
def what_can_be_fed_and_fetched(tf):
    seen = []

    def body(i, x):
        seen.extend([i, x * 2.0, tf.constant(1.0)])
        return i + 1, seen[1]

    result = tf.while_loop(lambda i, x: i < 5, body, (0, 1.0))
    graph = tf.get_default_graph()
    inside = [[graph.is_feedable(t), graph.is_fetchable(t)] for t in [*seen, *result]]
    return inside, [[op.name, graph.is_fetchable(op)] for op in graph.get_operations()]


# -- errors ------------------------------------------------------------------------------------------------------


def growing(tf):
    return tf.while_loop(
        lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)), (0, tf.ones([2], name="start"))
    )


def lost_shape(tf):
    unknown = tf.placeholder(tf.float32, name="unknown")
    return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, unknown), (0, tf.ones([2], name="start")))


def more_results(tf):
    return tf.while_loop(lambda i: i < 3, lambda i: (i, i), [tf.constant(0)])


def fewer_results(tf):
    return tf.while_loop(lambda i, x: i < 3, lambda i, x: i, (tf.constant(0), tf.constant(1.0)))


def other_structure(tf):
    return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i, [x]), (tf.constant(0), tf.constant(1.0)))


def a_dictionary_comes_back(tf):
    return tf.while_loop(lambda i, x: i < 3, lambda i, x: {"i": i, "x": x}, (tf.constant(0), tf.constant(1.0)))


def other_keys(tf):
    return tf.while_loop(lambda s: s["a"] < 3, lambda s: [{"b": s["a"]}], [{"a": tf.constant(0)}])


def nothing_comes_back(tf):
    return tf.while_loop(lambda i: i < 3, lambda i: None, [tf.constant(0)])


def condition_is_a_number(tf):
    return tf.while_loop(lambda i: i, lambda i: i + 1, [tf.constant(0)])


def condition_is_a_vector(tf):
    return tf.while_loop(lambda i: tf.constant([True, False]), lambda i: i + 1, [tf.constant(0)])


def condition_is_nothing(tf):
    return tf.while_loop(lambda i: None, lambda i: i + 1, [tf.constant(0)])


def condition_is_no_function(tf):
    return tf.while_loop(True, lambda i: i + 1, [tf.constant(0)])


def body_is_no_function(tf):
    return tf.while_loop(lambda i: i < 3, tf.constant(1), [tf.constant(0)])


def no_variables(tf):
    return tf.while_loop(lambda: True, lambda: (), [])


def wrong_number_of_arguments(tf):
    return tf.while_loop(lambda i, j: True, lambda i: i, [tf.constant(0)])


def no_parallel_iterations(tf):
    return count(tf, parallel_iterations=0)


def part_of_an_iteration(tf):
    return count(tf, parallel_iterations=1.5)


def maximum_is_a_vector(tf):
    return count(tf, maximum_iterations=[1, 2])


def wrong_invariant(tf):
    start = tf.ones([2], name="start")
    return tf.while_loop(lambda x: True, lambda x: x, [start], shape_invariants=[tf.TensorShape([3])])


def wrong_rank_of_invariant(tf):
    start = tf.ones([2], name="start")
    return tf.while_loop(lambda x: True, lambda x: x, [start], shape_invariants=[tf.TensorShape([None, None])])


def invariant_is_a_list(tf):
    return tf.while_loop(lambda x: True, lambda x: x, [tf.ones([2])], shape_invariants=[[2]])


def invariant_is_a_number(tf):
    return tf.while_loop(lambda x: True, lambda x: x, [tf.ones([2])], shape_invariants=[2])


def fewer_invariants(tf):
    shapes = [tf.TensorShape([2])]
    return tf.while_loop(lambda x, y: True, lambda x, y: (x, y), [tf.ones([2]), tf.ones([3])], shape_invariants=shapes)


def invariant_is_kept_wrongly(tf):
    body = lambda x: tf.ones([3, 4, 5])
    return tf.while_loop(
        lambda x: True, body, [tf.ones([2, 4], name="a")], shape_invariants=[tf.TensorShape([None, 4])]
    )


ERRORS = {
    f.__name__: f
    for f in (
        growing, lost_shape, more_results, fewer_results, other_structure, a_dictionary_comes_back, other_keys,
        nothing_comes_back, condition_is_a_number, condition_is_a_vector, condition_is_nothing,
        condition_is_no_function, body_is_no_function, no_variables, wrong_number_of_arguments,
        no_parallel_iterations, part_of_an_iteration,
        maximum_is_a_vector, wrong_invariant, wrong_rank_of_invariant, invariant_is_a_list, invariant_is_a_number,
        fewer_invariants, invariant_is_kept_wrongly,
    )
}  # fmt: skip


@program(cases=ERRORS)
def errors(tf, case):
    return case(tf)


def leak(tf):
    inside = []

    def body(i):
        inside.append(tf.multiply(i, 2, name="inside"))
        return i + 1

    result = tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    return inside[0], result


@program(graph=False)
def a_tensor_taken_out(tf):
    inside, _ = leak(tf)
    return attempt(tf.add, inside, 1)


@program(graph=False)
def a_tensor_taken_to_another_loop(tf):
    inside, _ = leak(tf)
    return attempt(tf.while_loop, lambda i: i < 3, lambda i: i + inside, [tf.constant(0)])


@program(graph=False)
def a_tensor_taken_out_into_a_branch(tf):
    inside, _ = leak(tf)
    return attempt(tf.cond, tf.constant(True), lambda: inside + 1, lambda: tf.constant(1))


@program(graph=False)
def an_inner_tensor_in_the_outer_body(tf):
    def body(i):
        inside = []

        def inner(j):
            inside.append(j * 2)
            return j + 1

        tf.while_loop(lambda j: j < 2, inner, [tf.constant(0)])
        return i + inside[0]

    return attempt(tf.while_loop, lambda i: i < 3, body, [tf.constant(0)])


@program()
def a_loop_as_a_start_of_another(tf):
    a = count(tf)
    result = tf.while_loop(lambda i: i < 9, lambda i: i + a, [a])
    return result, run(tf, result)


@program()
def what_is_inside_cannot_be_fetched_or_fed(tf):
    inside, result = leak(tf)
    with tf.Session() as sess:
        return [attempt(sess.run, inside), attempt(sess.run, inside.op), attempt(sess.run, result, {inside: 1})]


@program()
def a_branch_cannot_be_fetched(tf):
    inside = []

    def branch():
        inside.append(tf.constant(1.0) + 2.0)
        return inside[0]

    tf.cond(tf.constant(True), branch, lambda: tf.constant(0.0))
    with tf.Session() as sess:
        return attempt(sess.run, inside[0])


@program(graph=False)
def a_variable_changes_its_type(tf):
    def build_and_run():
        result = tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [tf.constant(0)])
        with tf.Session() as sess:
            return sess.run(result)

    return attempt(build_and_run)


@program(graph=False)
def an_error_in_the_body_leaves_the_graph_usable(tf):
    def bad(i):
        raise KeyError("mine")

    first = attempt(tf.while_loop, lambda i: i < 3, bad, [tf.constant(0)])
    after = tf.constant(1.0) + 1.0
    with tf.Session() as sess:
        return first, after.op._get_control_flow_context(), sess.run(after)


@program(graph=False)
def an_error_while_running_names_the_op(tf):
    x = tf.constant([1, 2, 3])
    body = lambda i, s: (i + 1, s + tf.gather(x, i, name="pick"))
    result = tf.while_loop(lambda i, s: i < 4, body, (0, 0))
    with tf.Session() as sess:
        return attempt(sess.run, result)


@program()
def division_by_zero_in_the_third_iteration(tf):
    result = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s // (2 - i)), (0, 100))
    with tf.Session() as sess:
        return attempt(sess.run, result)


# -- more of it --------------------------------------------------------------------------------------------------


@program()
def feeding_what_enters(tf):
    start = tf.placeholder(tf.float32, [], name="start")
    limit = tf.placeholder_with_default(8.0, [], name="limit")
    result = tf.while_loop(lambda x: x < limit, lambda x: x * 2.0, [start])
    with tf.Session() as sess:
        return [
            sess.run(result, {start: 1.0}),
            sess.run(result, {start: 1.0, limit: 3.0}),
            sess.run(result, {start: 9.0}),
        ]


@program()
def feeding_a_result(tf):
    result = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), (0, 1.0))
    total = result[1] + 1.0
    with tf.Session() as sess:
        return sess.run(total), sess.run(total, {result[1]: 5.0})


@program()
def fetching_one_of_the_results(tf):
    v = tf.Variable(0, name="v")

    def body(i, x):
        with tf.control_dependencies([v.assign_add(1)]):
            y = tf.identity(x) * 2.0
        return i + 1, y

    result = tf.while_loop(lambda i, x: i < 3, body, (0, 1.0))
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(result[0]), sess.run(v)


@program()
def a_thousand_iterations(tf):
    result = tf.while_loop(lambda i, x: i < 1000, lambda i, x: (i + 1, x * 1.001), (0, tf.constant(1.0, tf.float64)))
    return run(tf, result)


@program()
def matrices(tf):
    w = tf.constant([[0.5, 1.0], [0.25, -1.0]])
    result = tf.while_loop(lambda i, x: i < 6, lambda i, x: (i + 1, tf.tanh(tf.matmul(x, w))), (0, tf.ones([3, 2])))
    return run(tf, result)


@program()
def power_iteration(tf):
    a = tf.constant([[2.0, 1.0], [1.0, 3.0]], tf.float64)

    def body(v, last, now):
        w = tf.matmul(a, v)
        return w / tf.norm(w), now, tf.norm(w)

    result = tf.while_loop(
        lambda v, last, now: tf.abs(now - last) > 1e-9,
        body,
        (tf.ones([2, 1], tf.float64), np.float64(0), np.float64(1)),
    )
    return run(tf, result)


@program()
def newton(tf):
    x = tf.placeholder(tf.float64, [])
    result = tf.while_loop(lambda y: tf.abs(y * y - x) > 1e-10, lambda y: (y + x / y) / 2.0, [x])
    return run(tf, result, {x: 2.0}), run(tf, result, {x: 1.0})


@program()
def a_queue_of_two_loops(tf):
    first = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + 1.0), (0, 1.0), name="first")
    second = tf.while_loop(lambda i, x: i < first[0], lambda i, x: (i + 1, x * first[1]), (0, 1.0), name="second")
    return second, run(tf, [first, second])


@program()
def py_func_in_the_body(tf):
    calls = []

    def note(i):
        calls.append(int(i))
        return np.int32(i * 10)

    def body(i, s):
        out = tf.py_func(note, [i], tf.int32)
        out.set_shape([])
        return i + 1, s + out

    result = tf.while_loop(lambda i, s: i < 4, body, (0, 0))
    with tf.Session() as sess:
        return sess.run(result), sorted(calls)


@program()
def an_interrupted_loop_leaves_the_variables(tf):
    v = tf.Variable(0, name="v")

    def stop(i):
        if i == 3:
            raise ValueError("enough")
        return np.int32(i)

    def body(i):
        with tf.control_dependencies([v.assign_add(1)]):
            j = tf.identity(i)
        with tf.control_dependencies([j]):
            out = tf.py_func(stop, [j], tf.int32)
        out.set_shape([])
        return out + 1

    result = tf.while_loop(lambda i: i < 10, body, [0])
    with tf.Session() as sess:
        sess.run(v.initializer)
        return type(attempt(sess.run, result)).__name__, sess.run(v)


@program(cases=["group", "tuple", "with_dependencies", "identity"])
def what_stands_for_several_in_a_branch(tf, case):
    p = tf.placeholder(tf.bool, [], name="p")
    v = tf.Variable(0.0, name="v")

    def taken():
        if case == "group":
            return tf.group(v.assign_add(1.0), tf.no_op())
        if case == "tuple":
            return tf.tuple([v.assign_add(1.0), tf.constant(2.0)])
        if case == "with_dependencies":
            with tf.control_dependencies([v.assign_add(1.0)]):
                return tf.constant(3.0)
        return tf.identity(v)

    def other():
        if case == "group":
            return tf.no_op()
        return [tf.constant(0.0), tf.constant(0.0)] if case == "tuple" else tf.constant(0.0)

    result = tf.cond(p, taken, other)
    with tf.Session() as sess:
        sess.run(v.initializer)
        return [[sess.run(result, {p: side}), sess.run(v)] for side in (True, False)]


@program()
def a_branch_returns_a_nest(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    first = lambda: {"a": tf.constant(1.0), "b": [tf.constant(2), Pair(tf.constant(3), tf.constant(4))]}
    second = lambda: {"a": tf.constant(-1.0), "b": [tf.constant(-2), Pair(tf.constant(-3), tf.constant(-4))]}
    result = tf.cond(p, first, second)
    with tf.Session() as sess:
        return [sess.run(result, {p: side}) for side in (True, False)]


@program()
def a_branch_returns_composites(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    slices = lambda k: tf.IndexedSlices(tf.ones([1, 2]) * k, tf.constant([1]), tf.constant([3, 2]))
    sparse = lambda k: tf.SparseTensor([[0, 1]], tf.constant([k]), [2, 2])
    result = tf.cond(p, lambda: (slices(1.0), sparse(2.0)), lambda: (slices(-1.0), sparse(-2.0)))
    with tf.Session() as sess:
        return [sess.run(result, {p: side}) for side in (True, False)]


@program()
def a_branch_returns_a_tensor_array(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack([1.0, 2.0])
    result = tf.cond(p, lambda: array.write(0, 5.0) if False else array, lambda: array)
    stacked = result.stack()
    with tf.Session() as sess:
        return [sess.run(stacked, {p: side}) for side in (True, False)]


BRANCHES = {
    "types": lambda tf: (lambda: tf.constant(1), lambda: tf.constant(1.0)),
    "counts": lambda tf: (lambda: [tf.constant(1), tf.constant(2)], lambda: [tf.constant(1)]),
    "structures": lambda tf: (lambda: {"a": tf.constant(1)}, lambda: [tf.constant(1)]),
    "composites": lambda tf: (lambda: tf.IndexedSlices(tf.ones([1]), tf.constant([0])), lambda: tf.ones([1])),
    "nothing": lambda tf: (lambda: None, lambda: tf.constant(1)),
    "nothing_else": lambda tf: (lambda: tf.constant(1), lambda: None),
    "empty": lambda tf: (list, list),
    "not_callable": lambda tf: (tf.constant(1), lambda: tf.constant(1)),
    "arguments": lambda tf: (lambda x: x, lambda: tf.constant(1)),
}


@program(cases=BRANCHES, graph=False)
def branches_that_disagree(tf, case):
    true, false = case(tf)
    return attempt(tf.cond, tf.placeholder(tf.bool, []), true, false)


# -- variables and references as predicates, results and loop variables ------------------------------------------


@program(cases=["reference", "resource", "array"])
def predicates(tf, case):
    if case == "array":
        pred = np.bool_(True)
    else:
        pred = tf.get_variable("b", initializer=True, use_resource=case == "resource")
    result = tf.cond(pred, lambda: tf.constant(1), lambda: tf.constant(2))
    return run(tf, result)


@program()
def a_variable_is_the_condition(tf):
    b = tf.Variable(False, name="b")
    return run(tf, tf.while_loop(lambda i: b, lambda i: i + 1, [0]))


@program()
def variables_of_both_kinds_as_results(tf):
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    w = tf.Variable(2.0, name="w")
    p = tf.placeholder(tf.bool, [], name="p")
    result = tf.cond(p, lambda: (w, v), lambda: (v, w))
    return run(tf, result, {p: True}), run(tf, result, {p: False})


@program()
def a_resource_variable_enters_a_loop(tf):
    v = tf.get_variable("v", initializer=1.5, use_resource=True)
    result = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v), (0, v), name="loop")
    return result, run(tf, result)


@program()
def a_body_returns_variables(tf):
    v = tf.get_variable("v", initializer=1.5, use_resource=True)
    w = tf.Variable(2.0, name="w")
    result = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, w, v), (0, 1.0, 1.0))
    return result, run(tf, result)


@program()
def a_reference_is_the_loop_variable(tf):
    v = tf.Variable(1.0, name="v")
    result = tf.while_loop(lambda a: a < 9.0, lambda a: tf.assign_add(a, 2.0), [v._ref()])
    return result


@program()
def rows_with_two_kinds_of_indices_from_branches(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    first = lambda: tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    second = lambda: tf.IndexedSlices(tf.zeros([1, 2]), tf.constant([3], tf.int64))
    result = tf.cond(p, first, second)
    return run(tf, result, {p: True}), run(tf, result, {p: False})


@program()
def an_invariant_for_a_tensor_array(tf):
    start = tf.TensorArray(tf.float32, 3)
    shapes = (tf.TensorShape([]), tf.TensorShape(None))
    result = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, 1.0)), (0, start), shapes)
    return run(tf, result[1].stack())


@program(graph=False)
def composites_against_tensors(tf):
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]))
    return [
        attempt(tf.while_loop, lambda i, a: i < 3, lambda i, a: (i + 1, tf.ones([2, 3])), (0, slices)),
        attempt(tf.while_loop, lambda i, a: i < 3, lambda i, a: (i + 1, slices), (0, tf.ones([2, 3]))),
        attempt(tf.while_loop, lambda i, a: i < 3, lambda i, a: (i + 1, [1.0, 2.0]), (0, tf.zeros([2]))),
        attempt(tf.while_loop, lambda i: i < 3, lambda i: tf.no_op(), [0]),
        attempt(tf.while_loop, lambda i: i < 3, lambda i: i + 1, {}),
        attempt(tf.while_loop, lambda i: i < 3, lambda i: i + 1, tf.constant(0)),
    ]


@program()
def a_loop_in_a_graph_that_is_not_the_default(tf):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(1.0, name="x")
    tf.while_loop(lambda a: a < 3.0, lambda a: a + x, [x])
    return [op.name for op in graph.get_operations()]


@program(cases=["mixed", "other"], graph=False)
def tensors_of_two_graphs(tf, case):
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="x")

    def elsewhere(a):
        with tf.Graph().as_default():
            return tf.constant(1.0)

    body = elsewhere if case == "other" else (lambda a: a + x)
    return attempt(tf.while_loop, lambda a: a < 3.0, body, [tf.constant(1.0)])


@program()
def names_of_nested_loops(tf):
    with tf.name_scope("while"):
        pass
    inner = lambda i: tf.while_loop(lambda j: j < i, lambda j: j + 1, [i], name="w")
    return tf.while_loop(lambda i: i < 3, inner, [0], name="w"), count(tf, name="while")


@program()
def a_case_without_a_default_in_the_body(tf):
    pairs = lambda i: [(i < 1, lambda: i + 1), (i >= 1, lambda: i + 2)]
    result = tf.while_loop(lambda i: i < 3, lambda i: tf.case(pairs(i), exclusive=True), [0])
    return run(tf, result)
