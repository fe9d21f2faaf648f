"""What Session.run takes as feeds."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

VALUES = {
    "float list": [1.0, 2.0], "int list": [1, 2], "tuple": (1.0, 2.0), "array": np.array([1.0, 2.0]),
    "float32 array": np.array([1.0, 2.0], np.float32), "int array": np.array([1, 2]), "bool list": [True, False],
    "strings": ["a", "b"], "numeric strings": ["1", "2"],
    "wrong length": [1.0, 2.0, 3.0], "scalar": 1.0, "matrix": [[1.0, 2.0]], "ragged": [[1.0], [1.0, 2.0]],
    "none": None, "list with none": [1.0, None], "nan": [float("nan"), 1.0], "empty": [],
    "generator": (x for x in [1.0, 2.0]),
    "range": range(2), "strided": np.arange(4.0)[::2], "big endian": np.array([1.0, 2.0], ">f8"),
    "float16": np.array([1.0, 2.0], np.float16), "objects": np.array([1.0, 2.0], object), "dict": {"a": 1.0},
    "numpy scalar": np.float32(1.0),
}  # fmt: skip


@program(cases=VALUES)
def to_a_float_vector(tf, case):
    p = tf.placeholder(tf.float32, [2], name="p")
    with tf.Session() as sess:
        return attempt(sess.run, p * 1.0, {p: case})


@program(
    cases=[
        "float16",
        "float64",
        "int8",
        "uint8",
        "int16",
        "int32",
        "int64",
        "bool",
        "string",
        "complex64",
        "uint16",
        "uint32",
        "uint64",
        "bfloat16",
    ]
)
def to_scalars_of_each_dtype(tf, case):
    p = tf.placeholder(case, [], name="p")
    with tf.Session() as sess:
        values = [1, True, "a", b"b"]
        if case != "string":
            values += [1.5, -1, 300, np.float32(2.0), np.int64(3), np.array(4)]
        if case != "float16":
            values.append(2**40)
        return [attempt(sess.run, tf.identity(p), {p: value}) for value in values]


@program(cases={"unknown rank": None, "unknown size": [None, 2], "scalar": [], "known": [2, 2], "zero": [0]})
def to_each_static_shape(tf, case):
    p = tf.placeholder(tf.int32, case, name="p")
    with tf.Session() as sess:
        return [
            attempt(sess.run, p, {p: np.zeros(shape, np.int32)})
            for shape in ([], [2], [2, 2], [1, 2], [0, 2], [0], [2, 2, 2])
        ]


@program(messages=["Cannot feed value of shape (3,) for Tensor p:0", "(2,)"])
def a_wrong_shape_names_both_shapes(tf):
    p = tf.placeholder(tf.float32, [2], name="p")
    with tf.Session() as sess:
        return sess.run(p, {p: [1.0, 2.0, 3.0]})


@program()
def fractions_for_integers_are_cut(tf):
    p = tf.placeholder(tf.int32, name="p")
    with tf.Session() as sess:
        return (
            sess.run(p, {p: 1.5}),
            sess.run(p, {p: [-1.5, 2.9]}),
            sess.run(p, {p: np.array([1.5])}),
            attempt(sess.run, p, {p: 2**40}),
            attempt(sess.run, p, {p: [2**40]}),
            attempt(sess.run, p, {p: np.array([2**40])}),
        )


KEYS = {
    "tensor": lambda tf, p: {p: 2.0}, "name": lambda tf, p: {"p:0": 2.0}, "operation name": lambda tf, p: {"p": 2.0},
    "operation": lambda tf, p: {p.op: 2.0}, "unknown name": lambda tf, p: {"q:0": 2.0}, "number": lambda tf,
    p: {3: 2.0}, "none": lambda tf, p: {None: 2.0},
    "not a dict": lambda tf, p: [(p, 2.0)], "tensor as value": lambda tf, p: {p: tf.constant(1.0)},
    "variable as value": lambda tf, p: {p: tf.Variable(1.0)}, "twice": lambda tf, p: {p: 2.0, "p:0": 3.0},
    "empty": lambda tf, p: {}, "none dict": lambda tf, p: None, "unused": lambda tf,
    p: {p: 1.0, tf.placeholder(tf.int32, name="u"): 5},
    "list of tensors as value": lambda tf, p: {p: [tf.constant(1.0)]}, "dtype": lambda tf, p: {tf.float32: 1.0},
    "string dict": lambda tf, p: "p:0", "set": lambda tf, p: {p},
}  # fmt: skip


@program(cases=KEYS)
def keys(tf, case):
    p = tf.placeholder(tf.float32, name="p")
    y = p * 10.0
    feeds = case(tf, p)
    with tf.Session() as sess:
        return attempt(sess.run, y, feeds)


@program()
def intermediate_tensors_can_be_fed(tf):
    x = tf.placeholder_with_default(1.0, [], name="x")  # no constant: TensorFlow folds those before it looks at feeds
    y = x + 1.0
    z = y * 10.0
    with tf.Session() as sess:
        return (
            sess.run(z),
            sess.run(z, {y: 5.0}),
            sess.run([x, y, z], {x: 7.0}),
            sess.run([y, z], {"add:0": 3.0}),
            sess.run(z),
        )


@program()
def feeding_cuts_off_what_is_behind(tf):
    p = tf.placeholder(tf.float32, name="p")
    bad = tf.check_numerics(p, "bad")
    y = bad + 1.0
    with tf.Session() as sess:
        return sess.run(y, {bad: 1.0}), attempt(sess.run, y, {p: float("nan")})


@program()
def a_fed_tensor_that_is_fetched_is_the_fed_array(tf):
    p = tf.placeholder(tf.float32, name="p")
    value = np.array([1.0, 2.0], np.float32)
    other = np.array([1, 2])
    with tf.Session() as sess:
        got, y = sess.run([p, p + 1.0], {p: value})
        only = sess.run(p, {p: other})
    return got is value, got, y, only


@program()
def reference_and_resource_variables_can_be_fed_or_not(tf):
    v = tf.Variable(1.0, name="v")
    r = tf.Variable(1.0, name="r", use_resource=True)
    y, z = v * 10.0, r * 10.0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return (
            sess.run([v, y], {v: 5.0}),
            sess.run(y),
            attempt(sess.run, z, {r: 5.0}),
            attempt(sess.run, v.value() + 0.0, {v.value(): 6.0}),
        )


@program()
def an_uninitialised_variable_that_is_fed(tf):
    v = tf.Variable([1.0], name="v")
    with tf.Session() as sess:
        return sess.run(v + 1.0, {v: [3.0]})


@program()
def placeholder_with_default_fed_and_not(tf):
    p = tf.placeholder_with_default([1.0, 2.0], [None], name="p")
    with tf.Session() as sess:
        return sess.run(p * 2.0), sess.run(p * 2.0, {p: [5.0]}), attempt(sess.run, p, {p: [[1.0]]})


@program()
def constants_can_be_fed(tf):
    c = tf.constant([1.0, 2.0], name="c")
    with tf.Session() as sess:
        return sess.run(c * 2.0, {c: [3.0, 4.0]}), attempt(sess.run, c * 2.0, {c: [3.0]})


@program()
def tensors_of_another_graph_cannot_be_fed(tf):
    with tf.Graph().as_default():
        foreign = tf.placeholder(tf.float32, name="foreign")
    x = tf.constant(1.0)
    with tf.Session() as sess:
        return attempt(sess.run, x, {foreign: 1.0})


@program()
def sparse_feeds(tf):
    s = tf.sparse_placeholder(tf.float32, name="s")
    t = tf.sparse_placeholder(tf.float32, [2, 3], name="t")
    value = tf.SparseTensorValue([[0, 1]], [5.0], [2, 3])
    with tf.Session() as sess:
        return (
            sess.run(s, {s: value}),
            sess.run(s.values * 2.0, {s: ([[1, 2]], [3.0], [2, 3])}),
            sess.run(t.values, {t: value}),
            attempt(sess.run, s.values, {s: [1.0]}),
        )


@program()
def string_feeds(tf):
    p = tf.placeholder(tf.string, [None], name="p")
    with tf.Session() as sess:
        return [
            attempt(sess.run, tf.identity(p), {p: value})
            for value in (
                ["a", "é"],
                [b"\xff"],
                np.array(["x", "yy"]),
                np.array([b"x"]),
                np.array(["x", b"y"], object),
                "abc",
            )
        ]


@program()
def feeding_the_batch_twice_with_other_sizes(tf):
    p = tf.placeholder(tf.float32, [None, 2], name="p")
    y = tf.reduce_sum(p, 1)
    with tf.Session() as sess:
        return [sess.run(y, {p: np.ones([n, 2])}) for n in (1, 3, 0)]


@program()
def changing_the_fed_array_afterwards(tf):
    p = tf.placeholder(tf.float32, [2], name="p")
    v = tf.Variable([0.0, 0.0], name="v")
    put = v.assign(p)
    source = np.array([1.0, 2.0], np.float32)
    with tf.Session() as sess:
        sess.run(put, {p: source})
        source[:] = 9.0
        return sess.run(v)
