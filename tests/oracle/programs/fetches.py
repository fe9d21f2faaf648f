"""What Session.run takes as fetches and what shape the answer has."""

from __future__ import annotations

import collections

import numpy as np

from tests.oracle import attempt, program

Pair = collections.namedtuple("Pair", ["first", "second"])


def graph(tf):
    a = tf.constant(1.0, name="a")
    b = tf.constant([2, 3], name="b")
    v = tf.Variable([4.0, 5.0], name="v")
    return a, b, v


FETCHES = {
    "tensor": lambda tf, a, b, v: a,
    "operation": lambda tf, a, b, v: a.op,
    "variable": lambda tf, a, b, v: v,
    "variable op": lambda tf, a, b, v: v.op,
    "tensor name": lambda tf, a, b, v: "a:0",
    "operation name": lambda tf, a, b, v: "a",
    "variable name": lambda tf, a, b, v: "v:0",
    "list": lambda tf, a, b, v: [a, b],
    "tuple": lambda tf, a, b, v: (a, b.op, v),
    "empty list": lambda tf, a, b, v: [],
    "empty tuple": lambda tf, a, b, v: (),
    "empty dict": lambda tf, a, b, v: {},
    "nested": lambda tf, a, b, v: [a, [b, (a, {"k": v})]],
    "dict": lambda tf, a, b, v: {"x": a, "y": [b, a.op]},
    "dict with other keys": lambda tf, a, b, v: {3: a, (1, 2): b},
    "ordered dict": lambda tf, a, b, v: collections.OrderedDict([("z", a), ("y", b)]),
    "default dict": lambda tf, a, b, v: collections.defaultdict(list, {"z": a}),
    "named tuple": lambda tf, a, b, v: Pair(a, [b]),
    "twice": lambda tf, a, b, v: [a, a, "a:0"],
    "names in a list": lambda tf, a, b, v: ["a", "b:0"],
    "none": lambda tf, a, b, v: None,
    "none in a list": lambda tf, a, b, v: [a, None],
    "number": lambda tf, a, b, v: 3,
    "float in a list": lambda tf, a, b, v: [a, 2.5],
    "array": lambda tf, a, b, v: np.array([1.0]),
    "unknown name": lambda tf, a, b, v: "nope:0",
    "unknown operation": lambda tf, a, b, v: "nope",
    "bad name": lambda tf, a, b, v: "a:0:0",
    "bad output": lambda tf, a, b, v: "a:1",
    "bytes name": lambda tf, a, b, v: b"a:0",
    "set": lambda tf, a, b, v: {a, b},
    "generator": lambda tf, a, b, v: (x for x in [a, b]),
    "range": lambda tf, a, b, v: range(2),
    "dtype": lambda tf, a, b, v: tf.float32,
    "graph": lambda tf, a, b, v: tf.get_default_graph(),
    "group": lambda tf, a, b, v: tf.group(a, b),
    "dict values": lambda tf, a, b, v: {"a": a}.values(),
    "sparse": lambda tf, a, b, v: tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2]),
    "sparse in a list": lambda tf, a, b, v: [a, tf.SparseTensor([[0]], [7], [1])],
    "indexed slices": lambda tf, a, b, v: tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1]), tf.constant([3, 1])),
    "indexed slices without shape": lambda tf, a, b, v: tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1])),
    "shape": lambda tf, a, b, v: b.shape,
    "string tensor": lambda tf, a, b, v: [tf.constant("s"), tf.constant(["x", "yy"]), tf.constant([["x"]])],
    "bool tensor": lambda tf, a, b, v: [tf.constant(True), tf.constant([True, False])],
    "all kinds of numbers": lambda tf, a, b, v: [tf.constant(1, t) for t in ("int8", "uint8", "int16", "int64",
    "float16", "float64", "complex64", "uint16", "bfloat16")],
    "initializer": lambda tf, a, b, v: v.initializer,
    "assign": lambda tf, a, b, v: [v.assign([9.0, 9.0]), a],
    "resource variable": lambda tf, a, b, v: tf.get_variable("r", initializer=[1.0]),
}  # fmt: skip


@program(cases=FETCHES)
def run(tf, case):
    a, b, v = graph(tf)
    fetches = attempt(case, tf, a, b, v)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return attempt(sess.run, fetches)


@program()
def the_answer_is_a_scalar_or_an_array(tf):
    with tf.Session() as sess:
        got = sess.run(
            [
                tf.constant(1.5),
                tf.constant([1.5]),
                tf.constant(3),
                tf.constant(True),
                tf.constant("s"),
                tf.constant([]),
                tf.zeros([0, 2]),
            ]
        )
    return got, [type(x).__name__ for x in got]


@program()
def answers_can_be_written_to(tf):
    c = tf.constant([1.0, 2.0])
    with tf.Session() as sess:
        got = sess.run(c)
        got[0] = 9.0
        return got, sess.run(c), got.flags["WRITEABLE"], got.flags["C_CONTIGUOUS"]


@program()
def tensors_of_another_graph(tf):
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="x")
    tf.constant(1.0, name="y")
    with tf.Session() as sess:
        return attempt(sess.run, x), attempt(sess.run, [x.op]), attempt(sess.run, "x:0")


@program()
def eval_and_run_find_the_default_session(tf):
    a, b, v = graph(tf)
    with tf.Session() as sess:
        v.initializer.run()
        other = tf.Session()
        out = [
            a.eval(),
            b.eval(session=sess),
            v.eval(),
            a.op.run(),
            tf.get_default_session() is sess,
            a.eval(feed_dict={a: 7.0}),
            a.op.run(session=other),
        ]
        with other.as_default():
            out.append(tf.get_default_session() is other)
        out.append(tf.get_default_session() is sess)
        other.close()
    return out, tf.get_default_session()


@program()
def eval_in_a_session_of_another_graph(tf):
    a = tf.constant(1.0, name="a")
    with tf.Graph().as_default():
        with tf.Session() as sess:
            return attempt(a.eval), attempt(a.eval, session=sess), attempt(a.op.run)


@program()
def a_tensor_that_is_not_fed(tf):
    p = tf.placeholder(tf.float32, [2], name="p")
    with tf.Session() as sess:
        return attempt(sess.run, p), attempt(sess.run, p + 1.0), attempt(sess.run, tf.identity(p).op)


@program()
def what_is_not_fetched_does_not_run(tf):
    v = tf.Variable(0.0, name="v")
    v.assign_add(1.0)
    bad = tf.Assert(False, ["never"])
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(v), attempt(sess.run, bad)
