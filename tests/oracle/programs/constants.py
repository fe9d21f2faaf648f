"""tf.constant and its relatives: values, shapes, broadcasting and names."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

FORMS = {
    "scalar": lambda tf: tf.constant(3),
    "float": lambda tf: tf.constant(3.0),
    "dtype": lambda tf: tf.constant(3, tf.float32),
    "dtype by name": lambda tf: tf.constant([1, 2], "float64"),
    "numpy dtype": lambda tf: tf.constant([1, 2], np.int64),
    "shape same": lambda tf: tf.constant([1, 2, 3, 4], shape=[2, 2]),
    "shape repeats a scalar": lambda tf: tf.constant(7, shape=[2, 3]),
    "shape repeats the last": lambda tf: tf.constant([1, 2], shape=[2, 3]),
    "shape too small": lambda tf: tf.constant([1, 2, 3], shape=[2]),
    "shape empty list": lambda tf: tf.constant([], shape=[0, 2]),
    "shape of nothing": lambda tf: tf.constant([], shape=[2]),
    "scalar shape": lambda tf: tf.constant([5], shape=[]),
    "shape int": lambda tf: tf.constant(1.0, shape=3),
    "shape TensorShape": lambda tf: tf.constant(1.0, shape=tf.TensorShape([2])),
    "shape unknown": lambda tf: tf.constant(1.0, shape=[None]),
    "shape negative": lambda tf: tf.constant(1.0, shape=[-1]),
    "verify_shape good": lambda tf: tf.constant([1, 2], shape=[2], verify_shape=True),
    "verify_shape bad": lambda tf: tf.constant([1, 2], shape=[3], verify_shape=True),
    "verify_shape scalar": lambda tf: tf.constant(1, shape=[3], verify_shape=True),
    "nested": lambda tf: tf.constant([[1.5, 2.5], [3.5, 4.5]], name="n"),
    "strings": lambda tf: tf.constant(["a", "bb"]),
    "string repeated": lambda tf: tf.constant("a", shape=[2]),
    "bytes": lambda tf: tf.constant(b"\x00\xff"),
    "bool": lambda tf: tf.constant(True, shape=[2]),
    "complex": lambda tf: tf.constant(1 + 2j),
    "complex64": lambda tf: tf.constant([1 + 2j], tf.complex64),
    "numpy": lambda tf: tf.constant(np.arange(6).reshape(2, 3)),
    "numpy reshaped": lambda tf: tf.constant(np.arange(6), shape=[2, 3]),
    "numpy float32": lambda tf: tf.constant(np.float32(1.5)),
    "numpy to another dtype": lambda tf: tf.constant(np.array([1.9, 2.1]), tf.int32),
    "float list to int": lambda tf: tf.constant([1.5], tf.int32),
    "int array to float": lambda tf: tf.constant(np.array([1, 2]), tf.float32),
    "half": lambda tf: tf.constant([1.5, 65504.0], tf.float16),
    "bfloat16": lambda tf: tf.constant([1.5, 3.0], tf.bfloat16),
    "uint8": lambda tf: tf.constant([0, 255], tf.uint8),
    "int8 big list": lambda tf: tf.constant(list(range(100)), tf.int8),
    "all equal": lambda tf: tf.constant([2.0] * 100),
    "big array": lambda tf: tf.constant(np.linspace(0, 1, 200)),
    "empty": lambda tf: tf.constant([]),
    "empty int": lambda tf: tf.constant([], tf.int32),
    "nested empty": lambda tf: tf.constant([[], []]),
    "minus zero": lambda tf: tf.constant([-0.0, 0.0]),
    "nan inf": lambda tf: tf.constant([float("nan"), float("inf"), -float("inf")]),
    "max int": lambda tf: tf.constant([2**31 - 1, -(2**31)]),
    "big ints": lambda tf: tf.constant([2**31]),
    "int64": lambda tf: tf.constant([2**62], tf.int64),
    "name in scope": lambda tf: tf.constant(1, name="a/b"),
    "a tensor": lambda tf: tf.constant(tf.constant(1)),
    "a list with a tensor": lambda tf: tf.constant([tf.constant(1), 2]),
    "none": lambda tf: tf.constant(None),
    "ragged": lambda tf: tf.constant([[1], [2, 3]]),
    "string to int": lambda tf: tf.constant("1", tf.int32),
    "int to string": lambda tf: tf.constant(1, tf.string),
    "tuple": lambda tf: tf.constant(((1, 2), (3, 4))),
    "dimension": lambda tf: tf.constant(tf.Dimension(3)),
    "tensor shape": lambda tf: tf.constant(tf.TensorShape([3, 4])),
    "denormal": lambda tf: tf.constant([1e-45, 1e-310], tf.float64),
    "rounding": lambda tf: tf.constant([0.1, 1.0 / 3.0, 16777217.0]),
    "variable": lambda tf: tf.constant(tf.Variable(1.0)),
    "object array": lambda tf: tf.constant(np.array([b"a", b"bc"], object)),
    "unicode array": lambda tf: tf.constant(np.array(["é", "b"])),
}  # fmt: skip


@program(cases=FORMS)
def constant(tf, case):
    made = attempt(case, tf)
    if not isinstance(made, tf.Tensor):
        return made
    with tf.Session() as sess:
        return made, sess.run(made)


@program(cases={
    "zeros": lambda tf: tf.zeros([2, 3]), "zeros int": lambda tf: tf.zeros([2], tf.int32),
    "zeros scalar": lambda tf: tf.zeros([]), "zeros shape int": lambda tf: tf.zeros(3),
    "zeros of a tensor shape": lambda tf: tf.zeros(tf.constant([2, 2])),
    "zeros big": lambda tf: tf.zeros([100, 100]), "zeros string": lambda tf: tf.zeros([2], tf.string),
    "zeros bool": lambda tf: tf.zeros([2], tf.bool), "zeros TensorShape": lambda tf: tf.zeros(tf.TensorShape([2, 3])),
    "zeros of unknown": lambda tf: tf.zeros([None]),
    "zeros name": lambda tf: tf.zeros([1], name="z"), "zeros empty": lambda tf: tf.zeros([0, 3]),
    "zeros dimension": lambda tf: tf.zeros([tf.Dimension(2), 3]),
    "zeros numpy shape": lambda tf: tf.zeros(np.array([2, 3])),
    "zeros int64 shape": lambda tf: tf.zeros(np.array([2, 3], np.int64)),
    "zeros placeholder": lambda tf: tf.zeros([tf.placeholder_with_default(2, []), 3]),
    "zeros complex": lambda tf: tf.zeros([1], tf.complex64), "zeros half": lambda tf: tf.zeros([2], tf.float16),
    "zeros 10**7": lambda tf: tf.zeros([10**3, 10**2]),
    "ones": lambda tf: tf.ones([2, 3]), "ones int64": lambda tf: tf.ones([2], tf.int64),
    "ones bool": lambda tf: tf.ones([2], tf.bool), "ones scalar": lambda tf: tf.ones([]),
    "ones string": lambda tf: tf.ones([2], tf.string), "ones shape tensor": lambda tf: tf.ones(tf.constant([2])),
    "ones big": lambda tf: tf.ones([100, 100]),
    "fill": lambda tf: tf.fill([2, 2], 7), "fill float": lambda tf: tf.fill([3], 0.5),
    "fill string": lambda tf: tf.fill([2], "a"), "fill dims tensor": lambda tf: tf.fill(tf.constant([2], tf.int64),
    1.0), "fill vector": lambda tf: tf.fill([2], [1.0]), "fill scalar dims": lambda tf: tf.fill([], 3),
    "fill dims scalar": lambda tf: tf.fill(3, 1.0),
    "zeros_like": lambda tf: tf.zeros_like([[1.0, 2.0]]),
    "zeros_like dtype": lambda tf: tf.zeros_like([1.0, 2.0], tf.int32),
    "zeros_like string": lambda tf: tf.zeros_like(["a"]),
    "zeros_like unknown": lambda tf: tf.zeros_like(tf.placeholder_with_default([1.0, 2.0], [None])),
    "zeros_like no optimize": lambda tf: tf.zeros_like([1.0], optimize=False),
    "zeros_like unknown dtype": lambda tf: tf.zeros_like(tf.placeholder_with_default([1.0, 2.0], [None]), tf.int32),
    "zeros_like variable": lambda tf: tf.zeros_like(tf.Variable([1.0, 2.0])),
    "ones_like": lambda tf: tf.ones_like([[1, 2]]), "ones_like dtype": lambda tf: tf.ones_like([1, 2], tf.float64),
    "ones_like bool": lambda tf: tf.ones_like([True, False]),
    "ones_like unknown": lambda tf: tf.ones_like(tf.placeholder_with_default([1.0, 2.0], [None]), name="o"),
    "range": lambda tf: tf.range(4), "range two": lambda tf: tf.range(2, 5),
    "range three": lambda tf: tf.range(1, 10, 4), "range negative": lambda tf: tf.range(5, 1, -2),
    "range float": lambda tf: tf.range(0.0, 1.0, 0.3),
    "range mixed": lambda tf: tf.range(0, 1.0, 0.5), "range dtype": lambda tf: tf.range(3, dtype=tf.float32),
    "range int64": lambda tf: tf.range(np.int64(3)), "range tensor": lambda tf: tf.range(tf.constant(3)),
    "range name": lambda tf: tf.range(3, name="r"), "range keyword": lambda tf: tf.range(start=1, limit=4, delta=2),
    "range limit only": lambda tf: tf.range(limit=3, start=0),
    "range empty": lambda tf: tf.range(0), "range vector": lambda tf: tf.range([3]),
    "range string": lambda tf: tf.range("a"), "linspace": lambda tf: tf.linspace(0.0, 1.0, 5),
    "linspace one": lambda tf: tf.linspace(2.0, 3.0, 1), "lin_space": lambda tf: tf.lin_space(1.0, 10.0, 4, name="l"),
    "linspace ints": lambda tf: tf.linspace(0, 1, 3),
    "linspace double": lambda tf: tf.linspace(tf.constant(0.0, tf.float64), 1.0, 3),
    "eye": lambda tf: tf.eye(3), "eye 2x3": lambda tf: tf.eye(2, 3),
    "eye batch": lambda tf: tf.eye(2, batch_shape=[2]), "eye dtype": lambda tf: tf.eye(2, dtype=tf.int32),
    "eye name": lambda tf: tf.eye(2, name="e"), "one_hot": lambda tf: tf.one_hot([0, 2, -1, 5], 3),
    "one_hot values": lambda tf: tf.one_hot([1], 3, on_value=5, off_value=2),
    "one_hot on only": lambda tf: tf.one_hot([1], 2, on_value=3.5),
    "one_hot dtype": lambda tf: tf.one_hot([1], 3, dtype=tf.int32),
    "one_hot bool": lambda tf: tf.one_hot([1], 2, on_value=True, off_value=False),
    "one_hot mismatch": lambda tf: tf.one_hot([1], 2, on_value=1, off_value=0.5),
    "one_hot dtype mismatch": lambda tf: tf.one_hot([1], 2, on_value=1.0, dtype=tf.int32),
    "one_hot axis": lambda tf: tf.one_hot([[0, 1], [1, 0]], 2, axis=0),
    "one_hot uint8": lambda tf: tf.one_hot(tf.constant([1], tf.uint8), 3),
    "sequence_mask": lambda tf: tf.sequence_mask([1, 3, 2], 5),
    "sequence_mask no max": lambda tf: tf.sequence_mask([1, 3]),
    "sequence_mask dtype": lambda tf: tf.sequence_mask([[1], [2]], 3, tf.float32),
})  # fmt: skip
def filled(tf, case):
    made = attempt(case, tf)
    if not isinstance(made, tf.Tensor):
        return made
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return made, sess.run(made)


@program()
def constant_takes_its_device_and_dependencies(tf):
    with tf.device("/cpu:0"), tf.control_dependencies([tf.no_op(name="a")]), tf.name_scope("s"):
        return tf.constant([1, 2], name="c"), tf.zeros([2]), tf.ones([2])


@program()
def constants_cannot_change_with_their_source(tf):
    source = np.array([1.0, 2.0])
    c = tf.constant(source)
    source[0] = 99.0
    with tf.Session() as sess:
        got = sess.run(c)
        got[1] = 7.0
        return sess.run(c)


@program()
def numeric_constants_of_the_module(tf):
    return (
        tf.newaxis,
        bool(tf.AUTO_REUSE),
        tf.AUTO_REUSE is True,
        tf.GRAPH_DEF_VERSION > 20,
        isinstance(tf.__version__, str),
        tf.VERSION == tf.__version__,
    )
