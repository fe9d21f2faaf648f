"""`map_fn`, `foldl`, `foldr` and `scan`, and loops over TensorArrays as programs write them by hand."""

from __future__ import annotations

import collections

import numpy as np

from tests.oracle import attempt, program

ROWS = np.float32([[1, 2], [3, 4], [5, 6]])
Pair = collections.namedtuple("Pair", "a b")


def run(tf, fetches, feed=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feed)


# -- map_fn ---------------------------------------------------------------------------------------------------------


@program()
def map_of_rows(tf):
    y = tf.map_fn(lambda row: row * 2.0 + tf.reduce_sum(row), ROWS)
    return y, run(tf, y)


@program()
def map_of_a_tensor_with_a_name(tf):
    x = tf.constant([1, 2, 3], name="x")
    y = tf.map_fn(lambda v: v * v, x, name="squares")
    z = tf.map_fn(lambda v: v + 1, x)
    return y, z, run(tf, [y, z])


@program()
def map_to_another_type(tf):
    y = tf.map_fn(lambda v: tf.cast(v, tf.float32) / 2.0, np.int64([1, 2, 3]), dtype=tf.float32)
    z = tf.map_fn(lambda v: tf.as_string(v), np.int32([1, 2, 3]), dtype="string")
    return y, z, run(tf, [y, z])


@program()
def map_of_unknown_sizes(tf):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.map_fn(lambda row: row + 1.0, x)
    u = tf.placeholder(tf.float32, name="u")
    z = tf.map_fn(lambda row: row + 1.0, u)
    return y, z, run(tf, y, {x: ROWS}), run(tf, z, {u: ROWS}), run(tf, y, {x: ROWS[:0]}), run(tf, z, {u: [1.0]})


STRUCTURES = {
    "tuple to tensor": lambda tf: tf.map_fn(lambda t: t[0] * t[1], (ROWS, ROWS + 1), dtype=tf.float32),
    "list to list": lambda tf: tf.map_fn(lambda t: [t[0] * t[1], t[0]], [ROWS, ROWS + 1]),
    "dict": lambda tf: tf.map_fn(lambda d: {"p": d["x"] + d["y"]}, {"x": ROWS, "y": ROWS}, dtype={"p": tf.float32}),
    "nested": lambda tf: tf.map_fn(
        lambda t: (t[0] + 1, {"a": t[1][0], "b": t[1][1]}),
        (np.int32([1, 2]), (np.float32([3, 4]), np.float64([5, 6]))),
        dtype=(tf.int32, {"a": tf.float32, "b": tf.float64}),
    ),
    "named tuple": lambda tf: tf.map_fn(lambda p: Pair(p.b, p.a), Pair(ROWS, ROWS * 2)),
    "one-element list": lambda tf: tf.map_fn(lambda t: [t[0] + 1], [ROWS]),
    "two from one": lambda tf: tf.map_fn(lambda v: (v, -v), ROWS, dtype=(tf.float32, tf.float32)),
}


@program(cases=STRUCTURES)
def map_of_structures(tf, case):
    result = case(tf)
    return result, run(tf, result)


@program()
def map_options(tf):
    y = tf.map_fn(
        lambda row: row[:1], ROWS, parallel_iterations=3, back_prop=False, swap_memory=True, infer_shape=False, name="m"
    )
    return y, run(tf, y)


@program()
def map_with_captured_tensors_and_variables(tf):
    w = tf.Variable([10.0, 20.0], name="w")
    k = tf.constant(3.0, name="k")

    def function(row):
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
        return row * w + k * v

    y = tf.map_fn(function, ROWS)
    return [v.name for v in tf.global_variables()], y, run(tf, y)


@program()
def map_in_a_scope_with_a_caching_device(tf):
    with tf.variable_scope("s", caching_device="/cpu:0"):
        tf.map_fn(lambda row: row * tf.get_variable("v", [2], initializer=tf.ones_initializer()), ROWS)
        return tf.get_variable_scope().caching_device is not None


@program()
def map_in_map(tf):
    y = tf.map_fn(lambda row: tf.map_fn(lambda v: v * row[0], row), ROWS)
    return y, run(tf, y)


@program()
def map_with_a_branch(tf):
    y = tf.map_fn(lambda v: tf.cond(v > 2.0, lambda: v * 10.0, lambda: -v), np.float32([1, 2, 3, 4]))
    return y, run(tf, y)


@program(graph=False)
def map_refuses(tf):
    return [
        attempt(lambda: tf.map_fn(3, ROWS)),
        attempt(lambda: tf.map_fn(lambda v: v, [])),
        attempt(lambda: tf.map_fn(lambda v: v, np.float32(1))),
        attempt(lambda: tf.map_fn(lambda t: t[0], (ROWS, ROWS[:2]), dtype=tf.float32)),
        attempt(lambda: tf.map_fn(lambda v: (v, v), ROWS)),
        attempt(lambda: tf.map_fn(lambda v: v, ROWS, dtype=(tf.float32, tf.float32))),
        attempt(lambda: tf.map_fn(lambda v: [v], ROWS, dtype=(tf.float32,))),
        attempt(lambda: tf.map_fn(lambda v: None, ROWS)),
    ]


@program(graph=False)
def map_results_that_do_not_agree(tf):
    wrong = tf.map_fn(lambda v: tf.cast(v, tf.int32), ROWS)
    ragged = tf.map_fn(lambda v: tf.ones(tf.reshape(v, [1])), np.int32([1, 2]), dtype=tf.float32)
    free = tf.map_fn(lambda v: tf.ones(tf.reshape(v, [1])), np.int32([1, 2]), dtype=tf.float32, infer_shape=False)
    return [attempt(run, tf, y) for y in (wrong, ragged, free)]


# -- foldl, foldr ---------------------------------------------------------------------------------------------------


@program(cases=["foldl", "foldr"])
def folds(tf, case):
    fold = getattr(tf, case)
    first = fold(lambda a, v: a * 2.0 - v, tf.constant([1.0, 2.0, 3.0], name="x"))
    second = fold(lambda a, v: a * 2.0 - v, np.float32([1, 2, 3]), initializer=10.0, name="with_start")
    rows = fold(lambda a, row: a + row, ROWS, initializer=np.float32([0, 0]), parallel_iterations=1, back_prop=False)
    return [first, second, rows], run(tf, [first, second, rows])


@program(cases=["foldl", "foldr"])
def folds_of_structures(tf, case):
    fold = getattr(tf, case)
    pairs = fold(lambda a, t: (a[0] + t[0], a[1] * t[1]), (ROWS, ROWS))
    mixed = fold(lambda a, t: a + t["x"] * t["y"], {"x": ROWS, "y": ROWS}, initializer=tf.zeros([2]))
    return [pairs, mixed], run(tf, [pairs, mixed])


@program(cases=["foldl", "foldr"])
def folds_of_unknown_sizes(tf, case):
    fold = getattr(tf, case)
    x = tf.placeholder(tf.float32, [None], name="x")
    y = fold(lambda a, v: a + v, x, initializer=1.0)
    z = fold(lambda a, v: a + v, x)
    return [y, z, run(tf, [y, z], {x: [1.0, 2.0]}), run(tf, y, {x: []}), attempt(run, tf, z, {x: []})]


@program(cases=["foldl", "foldr"], graph=False)
def folds_refuse(tf, case):
    fold = getattr(tf, case)
    return [
        attempt(lambda: fold(3, ROWS)),
        attempt(lambda: fold(lambda a, v: a, [])),
        attempt(lambda: fold(lambda a, v: a, np.float32(1))),
        attempt(lambda: fold(lambda a, v: [a, v], ROWS)),
        attempt(lambda: fold(lambda a, v: v[0], ROWS)),
    ]


# -- scan -----------------------------------------------------------------------------------------------------------


@program(cases=[False, True])
def scans(tf, case):
    x = tf.constant([1.0, 2.0, 3.0, 4.0], name="x")
    plain = tf.scan(lambda a, v: a * 2.0 + v, x, reverse=case)
    started = tf.scan(lambda a, v: a * 2.0 + v, x, initializer=10.0, reverse=case, name="started")
    rows = tf.scan(lambda a, row: a + row, ROWS, reverse=case)
    return [plain, started, rows], run(tf, [plain, started, rows])


@program()
def scan_fibonacci(tf):
    y = tf.scan(lambda a, _: (a[1], a[0] + a[1]), np.zeros(6), initializer=(np.array(0), np.array(1)))
    return y, run(tf, y)


@program(cases=[False, True])
def scan_of_structures(tf, case):
    pairs = tf.scan(lambda a, t: (a[0] + t[0], a[1] * t[1]), (ROWS, ROWS), reverse=case)
    mixed = tf.scan(
        lambda a, t: {"s": a["s"] + t[0], "n": a["n"] + 1}, [ROWS, ROWS], initializer={"s": tf.zeros([2]), "n": 0},
        reverse=case,
    )  # fmt: skip
    return [pairs, mixed], run(tf, [pairs, mixed])


@program()
def scan_of_unknown_sizes(tf):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.scan(lambda a, row: a + row, x)
    z = tf.scan(lambda a, row: a + row, x, initializer=tf.zeros([2]), reverse=True, infer_shape=False)
    w = tf.scan(lambda a, t: (a[0] + t[0], a[1] - t[1]), (x, x), reverse=True)
    runs = [run(tf, [y, z, w], {x: ROWS}), run(tf, [y, z, w], {x: ROWS[:1]}), attempt(run, tf, y, {x: ROWS[:0]})]
    return [y, z, w, runs]


@program()
def scan_options(tf):
    y = tf.scan(lambda a, v: a + v, ROWS, parallel_iterations=2, back_prop=False, swap_memory=True, infer_shape=False)
    return y, run(tf, y)


@program()
def scan_with_a_matrix_state(tf):
    w = tf.constant([[0.5, -0.5], [0.25, 1.0]], name="w")
    y = tf.scan(
        lambda h, x: tf.tanh(tf.matmul(h, w) + x), np.float32(np.arange(12).reshape(3, 2, 2)) / 10, tf.zeros([2, 2])
    )
    return y, run(tf, y)


@program(graph=False)
def scan_refuses(tf):
    return [
        attempt(lambda: tf.scan(3, ROWS)),
        attempt(lambda: tf.scan(lambda a, v: a, [])),
        attempt(lambda: tf.scan(lambda a, v: a, np.float32(1))),
        attempt(lambda: tf.scan(lambda a, v: (a, v), ROWS)),
        attempt(lambda: tf.scan(lambda a, v: a, ROWS, initializer=(1.0, 2.0))),
        attempt(lambda: tf.scan(lambda a, v: v[0], ROWS)),
        attempt(lambda: tf.scan(lambda a, t: a, (ROWS, ROWS[:2]))),
    ]


# -- loops over TensorArrays ---------------------------------------------------------------------------------------


@program()
def a_loop_that_writes(tf):
    ta = tf.TensorArray(tf.int32, size=5)
    _, ta = tf.while_loop(lambda i, ta: i < 5, lambda i, ta: (i + 1, ta.write(i, i * i)), [0, ta])
    y = ta.stack()
    return [type(ta).__name__, y, run(tf, y)]


@program()
def a_loop_that_grows_an_array(tf):
    n = tf.placeholder(tf.int32, [], name="n")
    ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    _, ta = tf.while_loop(lambda i, ta: i < n, lambda i, ta: (i + 1, ta.write(i, tf.to_float(i))), [0, ta])
    y, size = ta.stack(), ta.size()
    return [y, run(tf, [y, size], {n: 3}), attempt(run, tf, y, {n: 0})]


@program()
def a_loop_with_arrays_in_a_structure(tf):
    a = tf.TensorArray(tf.float32, size=3, element_shape=[])
    b = tf.TensorArray(tf.float32, size=3, element_shape=[])

    def body(i, arrays):
        return i + 1, {"a": arrays["a"].write(i, tf.to_float(i)), "b": arrays["b"].write(2 - i, tf.to_float(i) * 10.0)}

    _, arrays = tf.while_loop(lambda i, _: i < 3, body, (tf.constant(0), {"a": a, "b": b}))
    found = [arrays["a"].stack(), arrays["b"].stack()]
    return found, run(tf, found)


@program()
def a_loop_that_reads_what_it_wrote(tf):
    ta = tf.TensorArray(tf.int32, size=8, clear_after_read=False).write(0, 1).write(1, 1)
    _, ta = tf.while_loop(
        lambda i, ta: i < 8, lambda i, ta: (i + 1, ta.write(i, ta.read(i - 1) + ta.read(i - 2))), (tf.constant(2), ta)
    )
    y = ta.stack()
    return y, run(tf, y)


@program()
def an_array_made_in_the_body(tf):
    def body(i, total):
        ta = tf.TensorArray(tf.float32, size=2).write(0, total).write(1, 2.0)
        return i + 1, tf.reduce_sum(ta.stack())

    _, y = tf.while_loop(lambda i, _: i < 3, body, (tf.constant(0), tf.constant(1.0)))
    return y, run(tf, y)


@program()
def a_loop_fails_and_the_next_run_is_whole(tf):
    limit = tf.placeholder_with_default(3, [], name="limit")
    ta = tf.TensorArray(tf.int32, size=3)
    _, ta = tf.while_loop(lambda i, _: i < limit, lambda i, ta: (i + 1, ta.write(i, i)), (tf.constant(0), ta))
    y = ta.stack()
    with tf.Session() as sess:
        return [
            sess.run(y),
            attempt(sess.run, y, {limit: 5}),
            sess.run(y),
            attempt(sess.run, y, {limit: 5}),
            sess.run(y),
        ]


def recurrent(tf, inputs, w, steps):
    """What dynamic_rnn builds, by hand: time-major inputs, a state of two rows of three."""
    source = tf.TensorArray(tf.float32, size=steps).unstack(inputs)
    outputs = tf.TensorArray(tf.float32, size=steps)

    def body(t, h, outputs):
        h = tf.tanh(tf.matmul(tf.concat([source.read(t), h], 1), w))
        return t + 1, h, outputs.write(t, h)

    _, last, outputs = tf.while_loop(lambda t, *_: t < steps, body, (tf.constant(0), tf.zeros([2, 3]), outputs))
    return last, outputs.stack()


INPUTS = (np.arange(16, dtype=np.float32).reshape(4, 2, 2) - 8) / 10
WEIGHTS = np.sin(np.arange(15, dtype=np.float32)).reshape(5, 3)


@program()
def a_recurrent_network_by_hand(tf):
    w = tf.Variable(WEIGHTS, name="w")
    last, outputs = recurrent(tf, INPUTS, w, 4)
    return [last, outputs], run(tf, [last, outputs])


@program()
def a_recurrent_network_of_unknown_length(tf):
    x = tf.placeholder(tf.float32, [None, 2, 2], name="x")
    last, outputs = recurrent(tf, x, tf.constant(WEIGHTS), tf.shape(x)[0])
    return [last, outputs, run(tf, [last, outputs], {x: INPUTS}), run(tf, last, {x: INPUTS[:2]})]


# -- gradients ------------------------------------------------------------------------------------------------------


@program()
def gradient_of_a_map(tf):
    x, k = tf.constant(ROWS, name="x"), tf.constant(3.0, name="k")
    y = tf.map_fn(lambda row: row * row * k, x)
    found = tf.gradients(y, [x, k])
    return found, run(tf, found)


@program()
def gradient_of_a_map_of_structures(tf):
    a, b = tf.constant(ROWS, name="a"), tf.constant(ROWS + 1, name="b")
    y = tf.map_fn(lambda t: (t[0] * t[1], t[0]), (a, b))
    found = tf.gradients(y, [a, b])
    return found, run(tf, found)


@program(cases=["foldl", "foldr"])
def gradient_of_a_fold(tf, case):
    x, start = tf.constant([1.0, 2.0, 3.0], name="x"), tf.constant(2.0, name="start")
    y = getattr(tf, case)(lambda a, v: a * v + v, x, initializer=start)
    z = getattr(tf, case)(lambda a, v: a * v + v, x)
    found = tf.gradients(y, [x, start]) + tf.gradients(z, [x])
    return found, run(tf, found)


@program(cases=[False, True])
def gradient_of_a_scan(tf, case):
    x, start = tf.constant([1.0, 2.0, 3.0], name="x"), tf.constant(2.0, name="start")
    y = tf.scan(lambda a, v: a * v + v, x, initializer=start, reverse=case)
    z = tf.scan(lambda a, v: a * v + v, x, reverse=case)
    found = tf.gradients(y, [x, start]) + tf.gradients(z, [x])
    return found, run(tf, found)


@program()
def gradient_of_a_recurrent_network(tf):
    w, x = tf.Variable(WEIGHTS, name="w"), tf.constant(INPUTS, name="x")
    last, outputs = recurrent(tf, x, w, 4)
    found = tf.gradients([tf.reduce_sum(last * last), tf.reduce_sum(outputs)], [w, x])
    return found, run(tf, found)


@program()
def gradient_of_a_recurrent_network_of_unknown_length(tf):
    w, x = tf.Variable(WEIGHTS, name="w"), tf.placeholder(tf.float32, [None, 2, 2], name="x")
    last, outputs = recurrent(tf, x, w, tf.shape(x)[0])
    found = tf.gradients([tf.reduce_sum(last * last), tf.reduce_sum(outputs)], [w, x])
    return [found, run(tf, found, {x: INPUTS}), run(tf, found, {x: INPUTS[:2]})]


@program()
def no_gradient_where_it_is_not_wanted(tf):
    x = tf.constant(ROWS, name="x")
    y = tf.map_fn(lambda row: row * row, x, back_prop=False)
    return attempt(lambda: tf.gradients(y, x))


def variable(tf, shape, **options):
    return tf.get_variable("v", shape, initializer=tf.ones_initializer(), **options)


def _resource(tf):
    v = variable(tf, [2], use_resource=True)
    return tf.scan(lambda a, row: a * v + row, ROWS, initializer=v), v


def _embedding(tf):
    table = variable(tf, [5, 2])
    return tf.map_fn(lambda i: tf.nn.embedding_lookup(table, i), np.int32([1, 3, 1]), dtype=tf.float32), table


def _gathered(tf):
    table = variable(tf, [5, 2])
    return tf.map_fn(lambda i: tf.reduce_sum(tf.gather(table, i)), np.int32([[1, 3], [1, 1]]), dtype=tf.float32), table


def _loop_in_map(tf):
    x = tf.placeholder_with_default(ROWS, [None, 2])
    return tf.map_fn(lambda r: tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * r), (0, r))[1], x), x


def _stopped_in_a_branch(tf):
    x = tf.constant(ROWS)
    with tf.device("/cpu:0"):
        y = tf.map_fn(lambda r: tf.cond(r[0] > 2.0, lambda: tf.stop_gradient(r) * r, lambda: r), x)
    return y, x


def _read_several_times(tf):
    x = tf.constant(ROWS)
    ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
    body = lambda i, a: (i + 1, a + ta.read(i) * ta.read(0))
    return tf.while_loop(lambda i, _: i < 3, body, (0, tf.zeros([2])))[1], x


def _concatenated(tf):
    x = tf.constant(ROWS)
    ta = tf.TensorArray(tf.float32, 3)
    _, ta = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t.write(i, x[i] * 2.0)), (0, ta))
    return ta.concat(), x


def _split_outside(tf):
    x = tf.constant(ROWS)
    ta = tf.TensorArray(tf.float32, 2).split(tf.reshape(x, [-1])[:2], [1, 1])
    return tf.map_fn(lambda i: ta.read(i) * 1.0, np.int32([1]), dtype=tf.float32), x


GRADIENTS = {
    "resource variable": (_resource, {}),
    "embedding": (_embedding, {}),
    "gather": (_gathered, {}),
    "loop in map": (_loop_in_map, {}),
    "stopped in a branch": (_stopped_in_a_branch, {}),
    "read several times": (_read_several_times, {}),
    "concatenated": (_concatenated, {}),
    "split outside": (_split_outside, {}),
    "colocated": (_loop_in_map, {"colocate_gradients_with_ops": True}),
    "gated tree": (_resource, {"gate_gradients": True, "aggregation_method": 1}),
}


@program(cases=GRADIENTS)
def gradients_through(tf, case):
    build, options = case
    y, x = build(tf)
    found = tf.gradients(y, [x], **options)
    return [found, run(tf, found)]
