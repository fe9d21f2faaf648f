"""Shapes asked for and changed, tensors filled with one value, broadcasting and repetition."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def numbers(*shape):
    """0, 1, 2, … as float32 of this shape."""
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def hidden(tf, value, shape=None):
    """A tensor of which the graph knows this static shape only; a run finds `value` there."""
    return tf.placeholder_with_default(value, shape)


def run(tf, made):
    if isinstance(made, tf.Tensor) or (isinstance(made, (list, tuple)) and made):
        with tf.Session() as sess:
            return attempt(sess.run, made)
    return None


def built(tf, case):
    made = attempt(case, tf)
    return made, run(tf, made)


QUERIES = {
    "shape": lambda tf: tf.shape(numbers(2, 3)),
    "shape of a list": lambda tf: tf.shape([[1, 2]]),
    "shape of a scalar": lambda tf: tf.shape(3.0),
    "shape int64": lambda tf: tf.shape(tf.constant([1, 2]), out_type=tf.int64),
    "shape name": lambda tf: tf.shape(tf.constant([1, 2]), name="s"),
    "shape unknown": lambda tf: tf.shape(hidden(tf, numbers(2, 3), [None, 3])),
    "shape unknown rank": lambda tf: tf.shape(hidden(tf, numbers(2, 3))),
    "shape unknown int64": lambda tf: tf.shape(hidden(tf, numbers(2, 3), [None, 3]), "s", tf.int64),
    "shape of strings": lambda tf: tf.shape(hidden(tf, ["a", "b"], [None])),
    "shape of nothing": lambda tf: tf.shape(hidden(tf, numbers(0, 3), [None, 3])),
    "shape bad type": lambda tf: tf.shape(hidden(tf, [1], [None]), out_type=tf.float32),
    "shape_n": lambda tf: tf.shape_n([tf.constant([1.0]), tf.constant([[1.0, 2.0]])]),
    "shape_n int64": lambda tf: tf.shape_n([tf.constant([1.0])], out_type=tf.int64, name="n"),
    "shape_n types": lambda tf: tf.shape_n([tf.constant([1.0]), tf.constant([1])]),
    "shape_n empty": lambda tf: tf.shape_n([]),
    "rank": lambda tf: tf.rank(numbers(2, 3)),
    "rank of a scalar": lambda tf: tf.rank(1),
    "rank partly unknown": lambda tf: tf.rank(hidden(tf, numbers(2, 3), [None, None])),
    "rank unknown": lambda tf: tf.rank(hidden(tf, numbers(2, 3)), name="r"),
    "size": lambda tf: tf.size(numbers(2, 3)),
    "size int64": lambda tf: tf.size(numbers(2, 3), out_type=tf.int64),
    "size unknown": lambda tf: tf.size(hidden(tf, numbers(2, 3), [None, 3])),
    "size unknown int64": lambda tf: tf.size(hidden(tf, numbers(2, 3)), out_type=tf.int64, name="s"),
    "size of nothing": lambda tf: tf.size(hidden(tf, numbers(0, 3), [0, None])),
    "size of a string": lambda tf: tf.size("abc"),
}

RESHAPES = {
    "reshape": lambda tf: tf.reshape(numbers(4, 3), [2, 6]),
    "minus one": lambda tf: tf.reshape(numbers(4, 3), [2, -1]),
    "to a vector": lambda tf: tf.reshape(numbers(4, 3), [-1]),
    "to a scalar": lambda tf: tf.reshape([7.0], []),
    "scalar to vector": lambda tf: tf.reshape(7.0, [1]),
    "name": lambda tf: tf.reshape(numbers(4), [2, 2], name="r"),
    "int64 shape": lambda tf: tf.reshape(numbers(4), np.array([2, 2])),
    "int64 tensor": lambda tf: tf.reshape(numbers(4), tf.constant([2, 2], tf.int64)),
    "TensorShape": lambda tf: tf.reshape(numbers(4), tf.TensorShape([2, 2])),
    "TensorShape unknown": lambda tf: tf.reshape(numbers(4), tf.TensorShape([None, 2])),
    "dimensions": lambda tf: tf.reshape(numbers(4), [tf.Dimension(2), -1]),
    "unknown dimension": lambda tf: tf.reshape(numbers(4), [tf.Dimension(None), 2]),
    "list with a tensor": lambda tf: tf.reshape(hidden(tf, numbers(4), [None]), [tf.shape(tf.zeros([2]))[0], -1]),
    "list with a hidden tensor": lambda tf: tf.reshape(numbers(4), [hidden(tf, 2, []), 2]),
    "hidden shape": lambda tf: tf.reshape(numbers(4), hidden(tf, [2, 2], [2])),
    "hidden shape of any length": lambda tf: tf.reshape(numbers(4), hidden(tf, [2, -1])),
    "unknown batch": lambda tf: tf.reshape(hidden(tf, numbers(4, 3), [None, 3]), [-1, 3]),
    "unknown batch merged": lambda tf: tf.reshape(hidden(tf, numbers(4, 3), [None, 3]), [-1]),
    "unknown batch fixed": lambda tf: tf.reshape(hidden(tf, numbers(4, 3), [None, 3]), [4, 3]),
    "unknown rank": lambda tf: tf.reshape(hidden(tf, numbers(4, 3)), [-1, 3]),
    "nothing": lambda tf: tf.reshape(numbers(0, 3), [3, 0]),
    "nothing with minus one": lambda tf: tf.reshape(numbers(0, 3), [-1, 3]),
    "strings": lambda tf: tf.reshape(["a", "b", "c", "d"], [2, 2]),
    "booleans": lambda tf: tf.reshape([True, False], [2, 1]),
    "wrong size": lambda tf: tf.reshape(numbers(4), [3]),
    "wrong multiple": lambda tf: tf.reshape(numbers(4), [3, -1]),
    "two minus ones": lambda tf: tf.reshape(numbers(4), [-1, -1]),
    "minus two": lambda tf: tf.reshape(numbers(4), [-2, 2]),
    "unknown does not divide": lambda tf: tf.reshape(hidden(tf, numbers(4, 3), [None, 3]), [4, 4]),
    "matrix as shape": lambda tf: tf.reshape(numbers(4), [[2, 2]]),
    "float shape": lambda tf: tf.reshape(numbers(4), [2.0, 2.0]),
    "scalar shape": lambda tf: tf.reshape(numbers(4), 4),
    "scalar minus one": lambda tf: tf.reshape(numbers(4), -1),
    "hidden wrong size": lambda tf: tf.reshape(hidden(tf, numbers(4)), [3]),
    "hidden wrong multiple": lambda tf: tf.reshape(hidden(tf, numbers(4)), [3, -1]),
    "hidden two minus ones": lambda tf: tf.reshape(numbers(4), hidden(tf, [-1, -1])),
    "hidden minus two": lambda tf: tf.reshape(numbers(4), hidden(tf, [-2, 2])),
    "expand_dims": lambda tf: tf.expand_dims(numbers(2, 3), 1),
    "expand_dims front": lambda tf: tf.expand_dims(numbers(2, 3), 0, name="e"),
    "expand_dims negative": lambda tf: tf.expand_dims(numbers(2, 3), -1),
    "expand_dims negative first": lambda tf: tf.expand_dims(numbers(2, 3), -3),
    "expand_dims dim": lambda tf: tf.expand_dims(numbers(2, 3), dim=2),
    "expand_dims no axis": lambda tf: tf.expand_dims(numbers(2, 3)),
    "expand_dims both": lambda tf: tf.expand_dims(numbers(2, 3), axis=1, dim=1),
    "expand_dims out of range": lambda tf: tf.expand_dims(numbers(2, 3), 3),
    "expand_dims out of range below": lambda tf: tf.expand_dims(numbers(2, 3), -4),
    "expand_dims scalar": lambda tf: tf.expand_dims(5, 0),
    "expand_dims hidden axis": lambda tf: tf.expand_dims(numbers(2, 3), hidden(tf, 1, [])),
    "expand_dims hidden axis out of range": lambda tf: tf.expand_dims(numbers(2, 3), hidden(tf, 5, [])),
    "expand_dims int64 axis": lambda tf: tf.expand_dims(numbers(2, 3), tf.constant(1, tf.int64)),
    "expand_dims unknown": lambda tf: tf.expand_dims(hidden(tf, numbers(2, 3)), 1),
    "expand_dims axis vector": lambda tf: tf.expand_dims(numbers(2, 3), [1]),
    "expand_dims strings": lambda tf: tf.expand_dims(["a"], 1),
    "squeeze": lambda tf: tf.squeeze(numbers(4, 1, 3, 1)),
    "squeeze axis": lambda tf: tf.squeeze(numbers(4, 1, 3, 1), [1]),
    "squeeze axes": lambda tf: tf.squeeze(numbers(4, 1, 3, 1), axis=[1, -1]),
    "squeeze int": lambda tf: tf.squeeze(numbers(4, 1, 3, 1), 1, name="q"),
    "squeeze squeeze_dims": lambda tf: tf.squeeze(numbers(4, 1, 3, 1), squeeze_dims=[3]),
    "squeeze both": lambda tf: tf.squeeze(numbers(4, 1), axis=[1], squeeze_dims=[1]),
    "squeeze wrong": lambda tf: tf.squeeze(numbers(4, 1, 3), [2]),
    "squeeze out of range": lambda tf: tf.squeeze(numbers(4, 1, 3), [3]),
    "squeeze unknown": lambda tf: tf.squeeze(hidden(tf, numbers(1, 3), [None, 3])),
    "squeeze unknown axis": lambda tf: tf.squeeze(hidden(tf, numbers(1, 3), [None, 3]), [0]),
    "squeeze unknown rank": lambda tf: tf.squeeze(hidden(tf, numbers(1, 3))),
    "squeeze wrong in the run": lambda tf: tf.squeeze(hidden(tf, numbers(2, 3)), [0]),
    "squeeze all": lambda tf: tf.squeeze([[5]]),
    "ensure_shape": lambda tf: tf.ensure_shape(numbers(2, 3), [2, None]),
    "ensure_shape unknown": lambda tf: tf.ensure_shape(hidden(tf, numbers(2, 3)), [2, None], name="e"),
    "ensure_shape wrong": lambda tf: tf.ensure_shape(numbers(2, 3), [3, None]),
    "ensure_shape wrong in the run": lambda tf: tf.ensure_shape(hidden(tf, numbers(2, 3)), [3, None]),
}

FILLS = {
    "zeros": lambda tf: tf.zeros([2, 3]),
    "zeros 999": lambda tf: tf.zeros([999]),
    "zeros 1000": lambda tf: tf.zeros([1000])[:2],
    "zeros tuple": lambda tf: tf.zeros((2,), tf.int64, "z"),
    "zeros empty": lambda tf: tf.zeros([0, 3]),
    "zeros bool": lambda tf: tf.zeros([2], tf.bool),
    "zeros strings": lambda tf: tf.zeros([2], tf.string),
    "zeros many strings": lambda tf: tf.zeros([1200], tf.string)[:2],
    "zeros int": lambda tf: tf.zeros(3),
    "zeros dimension": lambda tf: tf.zeros([tf.Dimension(2), 3]),
    "zeros numpy": lambda tf: tf.zeros(np.array([2, 3])),
    "zeros tensor": lambda tf: tf.zeros(tf.constant([2, 3])),
    "zeros scalar tensor": lambda tf: tf.zeros(tf.constant(2)),
    "zeros int64 tensor": lambda tf: tf.zeros(tf.constant([2], tf.int64), tf.int32),
    "zeros mixed": lambda tf: tf.zeros([tf.constant(2), 3], tf.complex64),
    "zeros hidden": lambda tf: tf.zeros(hidden(tf, [2, 3], [2])),
    "zeros partly known": lambda tf: tf.zeros(tf.TensorShape([None, 2])),
    "zeros negative": lambda tf: tf.zeros([-1]),
    "ones": lambda tf: tf.ones([2, 3]),
    "ones int": lambda tf: tf.ones(2, tf.int32),
    "ones bool": lambda tf: tf.ones([2], tf.bool),
    "ones half": lambda tf: tf.ones([2], tf.float16),
    "ones many": lambda tf: tf.ones([40, 30], tf.uint8)[:1, :3],
    "ones strings": lambda tf: tf.ones([2], tf.string),
    "ones tensor": lambda tf: tf.ones(tf.constant([2]), name="o"),
    "zeros_like": lambda tf: tf.zeros_like([[1, 2]]),
    "zeros_like hidden": lambda tf: tf.zeros_like(hidden(tf, numbers(2, 3), [None, 3])),
    "zeros_like hidden type": lambda tf: tf.zeros_like(hidden(tf, numbers(2, 3), [None, 3]), tf.int32),
    "zeros_like hidden strings": lambda tf: tf.zeros_like(hidden(tf, ["a", "b"], [None])),
    "zeros_like unoptimized": lambda tf: tf.zeros_like(tf.constant([1.0]), optimize=False, name="z"),
    "zeros_like unoptimized type": lambda tf: tf.zeros_like(tf.constant([1.0]), tf.bool, optimize=False),
    "ones_like": lambda tf: tf.ones_like([[1, 2]]),
    "ones_like hidden": lambda tf: tf.ones_like(hidden(tf, numbers(2, 3), [None, 3])),
    "ones_like type": lambda tf: tf.ones_like(hidden(tf, numbers(2, 3)), tf.bool, "o"),
    "ones_like unoptimized": lambda tf: tf.ones_like(tf.constant([1.0]), optimize=False),
    "fill": lambda tf: tf.fill([2, 3], 1.5),
    "fill string": lambda tf: tf.fill([2], "ab"),
    "fill bool": lambda tf: tf.fill([2], True),
    "fill numpy": lambda tf: tf.fill([2], np.int64(7)),
    "fill hidden": lambda tf: tf.fill(hidden(tf, [2, 1]), 3, name="f"),
    "fill hidden value": lambda tf: tf.fill([2], hidden(tf, 2.5)),
    "fill vector": lambda tf: tf.fill([2], [1.0, 2.0]),
    "fill hidden vector of one": lambda tf: tf.fill([2], hidden(tf, [1.0])),
    "fill hidden vector of two": lambda tf: tf.fill([2], hidden(tf, [1.0, 2.0])),
    "fill matrix dims": lambda tf: tf.fill([[2]], 1),
    "fill negative": lambda tf: tf.fill(hidden(tf, [-2]), 1),
    "fill float dims": lambda tf: tf.fill([2.0], 1),
}

BROADCASTS = {
    "broadcast_to": lambda tf: tf.broadcast_to([1, 2, 3], [2, 3]),
    "broadcast_to scalar": lambda tf: tf.broadcast_to(5.0, [2, 2]),
    "broadcast_to name": lambda tf: tf.broadcast_to([[1], [2]], [2, 3], name="b"),
    "broadcast_to unknown": lambda tf: tf.broadcast_to(hidden(tf, numbers(2, 1), [None, 1]), [2, 3]),
    "broadcast_to hidden": lambda tf: tf.broadcast_to(numbers(2, 1), hidden(tf, [3, 2, 4], [3])),
    "broadcast_to hidden rank": lambda tf: tf.broadcast_to(numbers(2, 1), hidden(tf, [2, 4])),
    "broadcast_to wrong": lambda tf: tf.broadcast_to([1, 2, 3], [3, 2]),
    "broadcast_to smaller": lambda tf: tf.broadcast_to([[1, 2, 3]], [3]),
    "broadcast_to wrong in the run": lambda tf: tf.broadcast_to(hidden(tf, [1, 2, 3]), [3, 2]),
    "broadcast_to strings": lambda tf: tf.broadcast_to(["a", "b"], [2, 2]),
    "broadcast_to int64": lambda tf: tf.broadcast_to([1.0], tf.constant([2], tf.int64)),
    "broadcast_static_shape": lambda tf: [
        tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])).as_list()
    ][0:0],
    "broadcast_dynamic_shape": lambda tf: tf.broadcast_dynamic_shape([2, 1], [3]),
    "broadcast_dynamic_shape tensors": lambda tf: tf.broadcast_dynamic_shape(
        tf.shape(hidden(tf, numbers(2, 1))), tf.constant([4])
    ),
    "broadcast_dynamic_shape wrong": lambda tf: tf.broadcast_dynamic_shape([2, 2], [3]),
    "meshgrid": lambda tf: tf.meshgrid([1, 2, 3], [4, 5]),
    "meshgrid ij": lambda tf: tf.meshgrid([1, 2, 3], [4, 5], indexing="ij"),
    "meshgrid three": lambda tf: tf.meshgrid([1.0, 2.0], [4.0], [5.0, 6.0], name="m"),
    "meshgrid one": lambda tf: tf.meshgrid([1, 2]),
    "meshgrid none": lambda tf: tf.meshgrid(),
    "meshgrid hidden": lambda tf: tf.meshgrid(hidden(tf, [1.0, 2.0], [None]), tf.constant([3.0])),
    "meshgrid types": lambda tf: tf.meshgrid([1, 2], [1.0]),
    "meshgrid indexing": lambda tf: tf.meshgrid([1, 2], [3], indexing="zz"),
    "meshgrid keyword": lambda tf: tf.meshgrid([1, 2], [3], foo=1),
    "repeat": lambda tf: tf.repeat([1, 2, 3], 2),
    "repeat each": lambda tf: tf.repeat([[1, 2], [3, 4]], [1, 2], axis=0),
    "repeat columns": lambda tf: tf.repeat([[1, 2], [3, 4]], [1, 2], axis=1),
    "repeat last": lambda tf: tf.repeat([[1, 2], [3, 4]], 2, axis=-1, name="r"),
    "repeat scalar": lambda tf: tf.repeat(3, repeats=[3], axis=0),
    "repeat hidden": lambda tf: tf.repeat(hidden(tf, [1, 2], [None]), hidden(tf, [2, 1]), axis=0),
    "repeat unknown rank": lambda tf: tf.repeat(hidden(tf, [[1, 2]]), 2, axis=1),
    "repeat out of range": lambda tf: tf.repeat([1, 2], 2, axis=2),
    "repeat too many": lambda tf: tf.repeat([1, 2], [1, 2, 3]),
    "repeat floats": lambda tf: tf.repeat([1, 2], [1.0, 2.0]),
    "repeat matrix": lambda tf: tf.repeat([1, 2], [[1, 2]]),
}


@program(cases=QUERIES)
def queries(tf, case):
    return built(tf, case)


@program(cases=RESHAPES)
def reshapes(tf, case):
    return built(tf, case)


@program(cases=FILLS)
def fills(tf, case):
    return built(tf, case)


@program(cases=BROADCASTS)
def broadcasts(tf, case):
    return built(tf, case)


@program()
def broadcast_static_shapes(tf):
    shapes = [None, [], [1], [3], [None], [2, 1], [2, 3], [4, 3], [None, 1]]
    made = []
    for a in shapes:
        for b in shapes:
            made.append(attempt(tf.broadcast_static_shape, tf.TensorShape(a), tf.TensorShape(b)))
    return made


@program()
def a_value_that_was_looked_at_cannot_be_fed(tf):
    x = tf.constant([1, 2], name="x")
    before = x.graph.is_feedable(x)
    value = tf.get_static_value(x)
    with tf.Session() as sess:
        return before, value, x.graph.is_feedable(x), attempt(sess.run, x + 1, {x: [3, 4]})


STATIC = {
    "Const": lambda tf: tf.constant([1, 2]),
    "string": lambda tf: tf.constant("a"),
    "Shape": lambda tf: tf.zeros_like(tf.constant([1, 2]), optimize=False),
    "size": lambda tf: tf.size(hidden(tf, [1, 2], [None])),
    "rank": lambda tf: tf.rank(hidden(tf, [1, 2])),
    "range": lambda tf: tf.range(3),
    "cast": lambda tf: tf.cast(tf.constant(1.5), tf.int32),
    "concat": lambda tf: tf.concat([tf.constant([1]), tf.constant([2])], 0),
    "stack": lambda tf: tf.stack([tf.constant(1), tf.constant(2)]),
    "stack axis": lambda tf: tf.stack([tf.constant([1]), tf.constant([2])], axis=1),
    "stack partly": lambda tf: tf.stack([tf.constant(1), hidden(tf, 2, [])]),
    "unstack": lambda tf: tf.unstack(tf.constant([1, 2]))[1],
    "split": lambda tf: tf.split(tf.constant([1, 2]), 2)[1],
    "fill": lambda tf: tf.fill([2], 3.0),
    "fill hidden": lambda tf: tf.fill(hidden(tf, [2], [1]), 3.0),
    "equal": lambda tf: tf.equal(tf.constant([1, 2]), [1, 3]),
    "not_equal": lambda tf: tf.not_equal(tf.constant([1, 2]), [1, 3]),
    "stop_gradient": lambda tf: tf.stop_gradient(tf.constant(1)),
    "identity": lambda tf: tf.identity(tf.constant(1)),
    "add": lambda tf: tf.constant(1) + 1,
    "slice": lambda tf: tf.constant([1, 2])[0],
    "reshape": lambda tf: tf.reshape(tf.constant([1, 2]), [2, 1]),
    "less": lambda tf: tf.less(tf.constant(1), 2),
    "placeholder_with_default": lambda tf: hidden(tf, 1, []),
}


@program(cases=STATIC)
def static_values(tf, case):
    tensor = case(tf)
    return tf.get_static_value(tensor), attempt(tf.get_static_value, tensor), tensor.graph.is_feedable(tensor)


@program()
def static_values_of_what_is_no_tensor(tf):
    return [tf.get_static_value(value) for value in ([1, 2], None, 3, "a")], tf.get_static_value(tf.Variable(1))


@program()
def partly_known_static_value(tf):
    value = tf.get_static_value(tf.stack([tf.constant(1), hidden(tf, 2, [])]), partial=True)
    return len(value), value[0], value[1] is None
