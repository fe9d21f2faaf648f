"""What a variable can be told and asked: assigning, scattering, counting, reading, initialising."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

KINDS = {"reference": False, "resource": True}


def session(tf):
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    return sess


ASSIGNS = {
    "assign": lambda tf, v: v.assign([3.0, 4.0]),
    "assign tensor": lambda tf, v: v.assign(v * 2.0),
    "assign name": lambda tf, v: v.assign([3.0, 4.0], name="put"),
    "assign locking": lambda tf, v: v.assign([3.0, 4.0], use_locking=True),
    "assign no read": lambda tf, v: v.assign([3.0, 4.0], read_value=False),
    "assign_add": lambda tf, v: v.assign_add([1.0, 1.0]),
    "assign_add scalar": lambda tf, v: v.assign_add(1.0),
    "assign_add name": lambda tf, v: v.assign_add([1.0, 1.0], name="plus"),
    "assign_add no read": lambda tf, v: v.assign_add([1.0, 1.0], read_value=False),
    "assign_sub": lambda tf, v: v.assign_sub([1.0, 1.0], use_locking=True),
    "tf.assign": lambda tf, v: tf.assign(v, [5.0, 6.0]),
    "tf.assign name": lambda tf, v: tf.assign(v, [5.0, 6.0], name="put"),
    "tf.assign locking": lambda tf, v: tf.assign(v, [5.0, 6.0], use_locking=False),
    "tf.assign another shape": lambda tf, v: tf.assign(v, [1.0, 2.0, 3.0]),
    "tf.assign another shape allowed": lambda tf, v: tf.assign(v, [1.0, 2.0, 3.0], validate_shape=False),
    "tf.assign dtype": lambda tf, v: tf.assign(v, tf.constant([1, 2])),
    "tf.assign python ints": lambda tf, v: tf.assign(v, [1, 2]),
    "tf.assign_add": lambda tf, v: tf.assign_add(v, [1.0, 2.0]),
    "tf.assign_sub": lambda tf, v: tf.assign_sub(v, [1.0, 2.0], name="minus"),
    "tf.assign_add shape": lambda tf, v: tf.assign_add(v, [1.0, 2.0, 3.0]),
    "assign string": lambda tf, v: v.assign("a"),
    "assign none": lambda tf, v: v.assign(None),
    "assign array": lambda tf, v: v.assign(np.array([1.0, 2.0])),
    "load": lambda tf, v: None,
    "initializer": lambda tf, v: v.initializer,
    "read_value": lambda tf, v: v.read_value(),
    "value": lambda tf, v: v.value(),
    "initialized_value": lambda tf, v: v.initialized_value(),
    "tf.assign to a tensor": lambda tf, v: tf.assign(tf.constant([1.0, 2.0]), [3.0, 4.0]),
    "assign of assign": lambda tf, v: v.assign_add([1.0, 1.0]) * 2.0,
    "assign to an assigned": lambda tf, v: tf.assign_add(v.assign([1.0, 1.0]), [2.0, 2.0]),
    "eval in a scope": lambda tf, v: v + v.assign_add([0.0, 0.0]),
    "is_initialized": lambda tf, v: tf.is_variable_initialized(v),
}  # fmt: skip


@program(cases=ASSIGNS)
def on_a_reference_variable(tf, case):
    v = tf.Variable([1.0, 2.0], name="v")
    made = attempt(case, tf, v)
    if not hasattr(made, "name"):
        return made
    with session(tf) as sess:
        return made, attempt(sess.run, made), attempt(sess.run, v)


@program(cases={k: v for k, v in ASSIGNS.items() if k != "initialized_value"})
def on_a_resource_variable(tf, case):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=True)
    made = attempt(case, tf, v)
    if not hasattr(made, "name"):
        return made
    with session(tf) as sess:
        return made, attempt(sess.run, made), attempt(sess.run, v)


SCATTERS = ["update", "add", "sub", "mul", "div", "min", "max"]


@program(cases=SCATTERS)
def scatter_functions(tf, case):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="v")
    f = getattr(tf, "scatter_" + case)
    made = [
        attempt(f, v, [0, 2], [[10.0, 10.0], [2.0, 2.0]]),
        attempt(f, v, 1, [2.0, 2.0], name="one"),
        attempt(f, v, [[0], [1]], [[[2.0, 3.0]], [[4.0, 5.0]]], use_locking=True),
        attempt(f, v, [0, 0], [[2.0, 2.0], [3.0, 3.0]]),
        attempt(f, v, [0], [[1.0]]),
        attempt(f, v, [0], 2.0),
    ]
    out = []
    for op in made:
        if isinstance(op, tf.Tensor):
            with session(tf) as sess:
                op = (op, attempt(sess.run, op), sess.run(v))
        out.append(op)
    return out


@program(cases=SCATTERS)
def scatter_methods(tf, case):
    out = []
    for use_resource in (False, True):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=use_resource, name="v")
        slices = tf.IndexedSlices(tf.constant([[10.0, 10.0], [2.0, 2.0]]), tf.constant([0, 2]))
        made = attempt(getattr(v, "scatter_" + case), slices)
        if hasattr(made, "name"):
            with session(tf) as sess:
                made = (made, attempt(sess.run, made), sess.run(v))
        out.append(made)
    return out


@program()
def scatter_out_of_range(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    with session(tf) as sess:
        return (
            attempt(sess.run, tf.scatter_update(v, [2], [5.0])),
            attempt(sess.run, tf.scatter_add(v, [-1], [5.0])),
            sess.run(v),
        )


@program(cases=["update", "add", "sub"])
def scatter_nd_functions(tf, case):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0], name="v")
    r = tf.Variable([1.0, 2.0, 3.0, 4.0], name="r", use_resource=True)
    made = [getattr(tf, "scatter_nd_" + case)(x, [[0], [2]], [10.0, 20.0]) for x in (v, r)]
    made.append(getattr(v, "scatter_nd_" + case)([[1]], [5.0]))
    with session(tf) as sess:
        return [(m, sess.run(m)) for m in made]


@program()
def scatter_on_a_tensor_or_wrong_dtype(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    return (
        attempt(tf.scatter_add, tf.constant([1.0]), [0], [1.0]),
        attempt(tf.scatter_add, v, [0.5], [1.0]),
        attempt(tf.scatter_add, v, [0], ["a"]),
        attempt(v.scatter_add, [0]),
        attempt(tf.scatter_add, v, tf.constant([0]), tf.constant([1])),
    )


@program(cases=["int32", "int64"])
def count_up_to(tf, case):
    v = tf.Variable(0, dtype=case, name="v")
    step = v.count_up_to(2)
    other = tf.count_up_to(v, 3, name="c")
    with session(tf) as sess:
        return (
            step,
            other,
            sess.run(step),
            sess.run(step),
            attempt(sess.run, step),
            sess.run(v),
            sess.run(other),
            attempt(sess.run, other),
        )


@program()
def count_up_to_of_a_float_or_vector(tf):
    return (
        attempt(tf.Variable(0.0, name="f").count_up_to, 3),
        attempt(tf.Variable([0, 0], name="g").count_up_to, 3),
        attempt(tf.count_up_to, tf.Variable(0, use_resource=True, name="r"), 3),
    )


@program(cases=KINDS)
def load_and_eval(tf, case):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=case)
    with session(tf) as sess:
        first = v.eval(sess)
        v.load([5.0, 6.0], sess)
        with sess.as_default():
            second = v.eval()
            v.load(np.array([7, 8]))
            third = v.eval(session=sess)
        errors = [
            attempt(v.load, [1.0, 2.0, 3.0], sess),
            attempt(v.load, "x", sess),
            attempt(v.load, [1.0, 2.0]),
            attempt(v.eval),
        ]
        return first, second, third, errors


@program(cases=KINDS)
def uninitialised(tf, case):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=case)
    with tf.Session() as sess:
        caught = [
            attempt(sess.run, x)
            for x in (v, v + 1.0, v.assign_add([1.0, 1.0]), tf.scatter_add(v, [0], [1.0]), v.value())
        ]
        asked = sess.run(tf.is_variable_initialized(v))
        sess.run(v.assign([3.0, 4.0]))
        return caught, asked, sess.run(tf.is_variable_initialized(v)), sess.run(v)


@program()
def a_session_of_its_own_for_values(tf):
    v = tf.Variable(1.0, name="v")
    up = v.assign_add(1.0)
    with tf.Session() as one, tf.Session() as two:
        one.run(v.initializer)
        two.run(v.initializer)
        one.run(up)
        one.run(up)
        return one.run(v), two.run(v)


@program()
def an_assign_returns_the_variable_itself(tf):
    v = tf.Variable(1.0, name="v")
    a = v.assign(5.0)
    return a.dtype, a.op.type, a.op.inputs[0], tf.assign_add(a, 1.0).op.inputs[0], attempt(a.eval)


@program()
def runs_see_each_other(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    up = v.assign_add([1.0, 1.0])
    with session(tf) as sess:
        before = sess.run(v)
        after = sess.run(up)
        sess.run(up)
        return before, after, sess.run(v)


@program()
def fetched_arrays_are_copies(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    up = v.assign_add([1.0, 1.0])
    with session(tf) as sess:
        got = sess.run(v)
        sess.run(up)
        got[0] = 100.0
        return got, sess.run(v)


@program()
def one_run_of_two_fetches_runs_an_update_once(tf):
    v = tf.Variable(0.0, name="v")
    up = v.assign_add(1.0)
    with session(tf) as sess:
        sess.run([up, up.op, tf.identity(up), up])
        return sess.run(v)


@program()
def initialisers_can_run_again(tf):
    v = tf.Variable(tf.constant([1.0, 2.0]) * 3.0, name="v")
    with session(tf) as sess:
        sess.run(v.assign([0.0, 0.0]))
        sess.run(v.initializer)
        return sess.run(v), v.initial_value


@program()
def report_uninitialized_variables(tf):
    a = tf.Variable(1.0, name="a")
    b = tf.Variable(1.0, name="scope/b")
    c = tf.Variable(1.0, name="c", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    r = tf.Variable(1.0, name="r", use_resource=True)
    everything = tf.report_uninitialized_variables()
    some = tf.report_uninitialized_variables([a, b], name="some")
    with tf.Session() as sess:
        seen = [sess.run(everything)]
        sess.run([a.initializer, c.initializer])
        seen += [sess.run(everything), sess.run(some)]
        sess.run([b.initializer, r.initializer])
        seen += [sess.run(everything), sess.run(some)]
    return seen


@program()
def report_uninitialized_variables_of_nothing(tf):
    report = tf.report_uninitialized_variables()
    with tf.Session() as sess:
        return report, sess.run(report)


@program()
def assert_variables_initialized(tf):
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(1.0, name="w")
    check = tf.assert_variables_initialized([v, w])
    every = tf.assert_variables_initialized()
    with tf.Session() as sess:
        sess.run(v.initializer)
        half = attempt(sess.run, check)
        sess.run(w.initializer)
        return half, sess.run(check), sess.run(every)


@program()
def assert_variables_initialized_of_nothing_or_one(tf):
    none = tf.assert_variables_initialized()
    v = tf.Variable(1.0, name="v")
    return none, tf.assert_variables_initialized([v])


@program()
def is_variable_initialized_graph(tf):
    v = tf.Variable(1.0, name="v")
    r = tf.Variable(1.0, name="r", use_resource=True)
    return tf.is_variable_initialized(v), tf.is_variable_initialized(r)


@program()
def global_initialiser_and_order(tf):
    tf.Variable(1.0, name="a")
    tf.Variable(2.0, name="b", use_resource=True)
    with tf.device("/cpu:1"):
        tf.Variable(3.0, name="c")
    init = tf.global_variables_initializer()
    return init, [op.name for op in init.control_inputs]


@program()
def ref_and_value_of_a_variable(tf):
    v = tf.Variable(1.0, name="v")
    r = tf.Variable(1.0, name="r", use_resource=True)
    return (
        attempt(lambda: v._ref()),
        v.value(),
        attempt(lambda: v._variable),
        attempt(lambda: v._snapshot),
        r.handle,
        v.op.outputs[0],
        r.op.outputs[0],
        v._as_graph_element(),
        r._as_graph_element(),
    )


@program()
def identity_of_variables_in_one_run(tf):
    """`identity` aliases the buffer on its own device; `v + 0` copies."""
    v = tf.Variable([0.0], name="v")
    before = tf.identity(v, name="before")
    copied = v + 0.0
    with tf.control_dependencies([before, copied]):
        up = v.assign_add([1.0])
    with tf.control_dependencies([up]):
        late = before * 1.0
        later = copied * 1.0
    with session(tf) as sess:
        return sess.run([late, later])


@program()
def many_assigns_in_a_chain(tf):
    v = tf.Variable(0.0, name="v")
    op = v
    for _ in range(5):
        with tf.control_dependencies([op]):
            op = v.assign_add(1.0)
    with session(tf) as sess:
        return sess.run(op)


@program()
def int_and_bool_variables(tf):
    i = tf.Variable([1, 2], name="i")
    b = tf.Variable([True, False], name="b")
    s = tf.Variable(["a", "b"], name="s")
    with session(tf) as sess:
        return sess.run([i.assign_add([10, 10]), b.assign([False, True]), s.assign(["x", "yy"])]), attempt(
            b.assign_add, [True, True]
        )


@program()
def assign_shapes_that_are_unknown_until_run(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    p = tf.placeholder(tf.float32, name="p")
    put = tf.assign(v, p)
    free = tf.assign(v, p, validate_shape=False)
    with session(tf) as sess:
        caught = attempt(sess.run, put, {p: [1.0, 2.0, 3.0]})
        grown = sess.run(free, {p: [1.0, 2.0, 3.0]})
        return caught, grown, sess.run(v), put.shape, free.shape, v.shape
