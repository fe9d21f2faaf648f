"""Shapes that follow from values: arithmetic on shapes that is known before anything runs."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def image(tf):
    return tf.placeholder(tf.float32, [None, 28, 28, 3], name="x")


FORMS = {
    "shape": lambda tf, x: tf.reshape(x, tf.shape(x)),
    "shape of known": lambda tf, x: tf.reshape(tf.zeros([6]), tf.shape(tf.zeros([2, 3]))),
    "slice of shape": lambda tf, x: tf.reshape(tf.placeholder(tf.float32), tf.shape(x)[1:]),
    "strided slice with step": lambda tf, x: tf.reshape(tf.placeholder(tf.float32), tf.shape(x)[::2]),
    "one size": lambda tf, x: tf.zeros([tf.shape(x)[1]]),
    "unknown size": lambda tf, x: tf.zeros([tf.shape(x)[0]]),
    "packed": lambda tf, x: tf.zeros([tf.shape(x)[0], 5, tf.shape(x)[1]]),
    "stack": lambda tf, x: tf.zeros(tf.stack([tf.shape(x)[0], 7])),
    "stack of constants": lambda tf, x: tf.zeros(tf.stack([3, 7])),
    "minus one packed": lambda tf, x: tf.reshape(x, [-1, tf.shape(x)[1] * 28 * 3]),
    "batch and minus one": lambda tf, x: tf.reshape(x, [tf.shape(x)[0], -1]),
    "concat": lambda tf, x: tf.reshape(tf.placeholder(tf.float32), tf.concat([tf.shape(x)[:1], [5, 6]], 0)),
    "concat known": lambda tf, x: tf.zeros(tf.concat([[2], [5, 6]], 0)),
    "concat unknown part": lambda tf, x: tf.reshape(tf.placeholder(tf.float32),
    tf.concat([tf.placeholder(tf.int32, [2]), [5]], 0)),
    "gather": lambda tf, x: tf.zeros(tf.gather(tf.shape(x), [1, 2])),
    "shape of a choice": lambda tf, x: tf.zeros(tf.shape(tf.where([True, False, True]))),
    "shape of a choice, longer": lambda tf, x: tf.zeros(tf.concat([tf.shape(tf.unique([3, 3, 2])[0]), [4]], 0)),
    "shape of a choice, counted": lambda tf, x: tf.zeros([tf.size(tf.unique([3, 3, 2])[0]), 4]),
    "shape of a choice, times two": lambda tf, x: tf.zeros(tf.shape(tf.unique([3, 3, 2])[0]) * 2),
    "values chosen": lambda tf, x: tf.zeros(tf.unique([3, 3, 2])[0]),
    "product": lambda tf, x: tf.zeros([tf.reduce_prod(tf.shape(x)[1:])]),
    "add": lambda tf, x: tf.zeros(tf.shape(x)[1:3] + 1),
    "multiply": lambda tf, x: tf.zeros([tf.shape(x)[1] * 2, 3]),
    "floordiv": lambda tf, x: tf.zeros([tf.shape(x)[1] // 2]),
    "size": lambda tf, x: tf.zeros([tf.size(tf.zeros([2, 3]))]),
    "rank": lambda tf, x: tf.zeros([tf.rank(x)]),
    "range of rank": lambda tf, x: tf.transpose(tf.placeholder(tf.float32), tf.range(3)),
    "range": lambda tf, x: tf.zeros(tf.range(1, 4)),
    "reversed perm": lambda tf, x: tf.transpose(x, tf.range(3, -1, -1)),
    "fill dims": lambda tf, x: tf.fill(tf.shape(x)[1:], 1.0),
    "fill as shape": lambda tf, x: tf.zeros(tf.fill([2], 4)),
    "ones as shape": lambda tf, x: tf.reshape(tf.placeholder(tf.float32), tf.ones([3], tf.int32)),
    "zeros_like as shape": lambda tf, x: tf.zeros(tf.ones_like([1, 1]) * 3),
    "cast": lambda tf, x: tf.zeros(tf.cast(tf.shape(x)[1:], tf.int64)),
    "cast of shape": lambda tf, x: tf.reshape(tf.placeholder(tf.float32), tf.cast(tf.shape(x), tf.int64)),
    "int64 shape": lambda tf, x: tf.reshape(tf.placeholder(tf.float32), tf.shape(x, out_type=tf.int64)),
    "expand_dims": lambda tf, x: tf.zeros(tf.expand_dims(tf.shape(x)[1], 0)),
    "squeeze": lambda tf, x: tf.zeros(tf.reshape(tf.squeeze([[5]]), [1])),
    "tile of shape": lambda tf, x: tf.zeros(tf.tile([3], [2])),
    "tile multiples": lambda tf, x: tf.tile(x, [1, 2, tf.shape(x)[1], 1]),
    "tile of constant multiples": lambda tf, x: tf.tile(tf.zeros([2, 3]), tf.stack([2, 2])),
    "unstack": lambda tf, x: tf.zeros(tf.unstack(tf.shape(x))[1:]),
    "split": lambda tf, x: tf.zeros(tf.split(tf.shape(x)[1:], 3)[0]),
    "identity": lambda tf, x: tf.zeros(tf.identity([2, 3])),
    "identity of shape": lambda tf, x: tf.reshape(tf.placeholder(tf.float32), tf.identity(tf.shape(x))),
    "stop_gradient": lambda tf, x: tf.zeros(tf.stop_gradient(tf.constant([2, 3]))),
    "maximum": lambda tf, x: tf.zeros(tf.maximum([2, 3], [3, 1])),
    "equal where": lambda tf, x: tf.zeros(tf.where([True, False], [2, 3], [4, 5])),
    "variable": lambda tf, x: tf.reshape(tf.placeholder(tf.float32), tf.Variable([2, 3])),
    "placeholder": lambda tf, x: tf.reshape(x, tf.placeholder(tf.int32, [2])),
    "placeholder of unknown length": lambda tf, x: tf.reshape(x, tf.placeholder(tf.int32, [None])),
    "placeholder_with_default": lambda tf, x: tf.reshape(x, tf.placeholder_with_default([-1, 3], [2])),
    "broadcast_to": lambda tf, x: tf.broadcast_to(tf.zeros([1, 3]), tf.stack([4, 3])),
    "broadcast_to shape": lambda tf, x: tf.broadcast_to(tf.zeros([3]), tf.shape(x)),
    "pad": lambda tf, x: tf.pad(x, [[0, 0], [2, tf.shape(x)[1]], [1, 1], [0, 0]]),
    "slice begin": lambda tf, x: tf.slice(x, [0, tf.shape(x)[1] // 2, 0, 0], [-1, 5, -1, 3]),
    "slice size": lambda tf, x: tf.slice(x, [0, 0, 0, 0], tf.shape(x)),
    "strided end": lambda tf, x: x[:, : tf.shape(x)[1] // 2],
    "strided end from tensor": lambda tf, x: x[:, : tf.constant(5)],
    "one_hot depth": lambda tf, x: tf.one_hot([0, 1], tf.shape(x)[3]),
    "reduce axis": lambda tf, x: tf.reduce_sum(x, tf.range(1, 4)),
    "reduce axis from rank": lambda tf, x: tf.reduce_sum(x, tf.rank(x) - 1),
    "reduce axis unknown": lambda tf, x: tf.reduce_sum(x, tf.placeholder(tf.int32, [])),
    "concat axis": lambda tf, x: tf.concat([x, x], tf.constant(3)),
    "concat axis unknown": lambda tf, x: tf.concat([x, x], tf.placeholder(tf.int32, [])),
    "expand axis unknown": lambda tf, x: tf.expand_dims(x, tf.placeholder(tf.int32, [])),
    "range limit": lambda tf, x: tf.range(tf.shape(x)[1]),
    "range limit unknown": lambda tf, x: tf.range(tf.shape(x)[0]),
    "range float": lambda tf, x: tf.range(tf.constant(0.0), 1.0, 0.25),
    "random": lambda tf, x: tf.random_uniform(tf.shape(x)[1:]),
    "random packed": lambda tf, x: tf.random_normal([tf.shape(x)[0], 4]),
    "eye": lambda tf, x: tf.eye(tf.shape(x)[1]),
    "linspace": lambda tf, x: tf.linspace(0.0, 1.0, tf.shape(x)[3]),
    "resize by conv2d_transpose": lambda tf, x: tf.nn.conv2d_transpose(x, tf.zeros([5, 5, 8, 3]),
    tf.stack([tf.shape(x)[0], 56, 56, 8]), [1, 2, 2, 1]),
    "scatter_nd": lambda tf, x: tf.scatter_nd([[0], [1]], [1.0, 2.0], [tf.shape(x)[1]]),
    "unsorted_segment": lambda tf, x: tf.unsorted_segment_sum(tf.zeros([4, 3]), [0, 1, 0, 1], tf.shape(x)[3]),
    "sparse dense shape": lambda tf, x: tf.sparse_tensor_to_dense(tf.SparseTensor([[0, 1]], [1.0], [3, 4])),
    "size of unknown": lambda tf, x: tf.reshape(x, [tf.size(x)]),
    "negative in pack": lambda tf, x: tf.reshape(tf.placeholder(tf.float32), tf.stack([-1, 3])),
    "mixed with numpy": lambda tf, x: tf.zeros([tf.constant(2), np.int32(3)]),
}  # fmt: skip


@program(cases=FORMS, graph=False)
def shape_follows_from(tf, case):
    made = attempt(case, tf, image(tf))
    return getattr(made, "shape", made)


@program()
def graph_of_shape_arithmetic(tf):
    x = image(tf)
    flat = tf.reshape(x, [tf.shape(x)[0], -1])
    tf.zeros(tf.stack([tf.shape(x)[0], 10]))
    tf.fill([tf.shape(x)[0], 2], 0.5)
    return flat


@program()
def constant_value_of_tensors(tf):
    from_ops = [
        tf.constant([1, 2]),
        tf.shape(tf.zeros([2, 3])),
        tf.shape(tf.placeholder(tf.float32, [None, 3])),
        tf.size(tf.zeros([2, 3])),
        tf.rank(tf.placeholder(tf.float32, [None, 3])),
        tf.range(4),
        tf.cast([1.5, 2.5], tf.int32),
        tf.concat([[1], [2]], 0),
        tf.stack([1, 2]),
        tf.fill([2], 3),
        tf.zeros([2]),
        tf.placeholder(tf.int32),
        tf.constant(1) + 2,
        tf.identity([1]),
        tf.equal([1, 2], [1, 3]),
        tf.stop_gradient(tf.constant(2.0)),
        tf.unstack(tf.constant([7, 8]))[1],
    ]
    return [attempt(tf.get_static_value, tensor) for tensor in from_ops]


@program()
def make_template_shares_variables(tf):
    def layer(x, size):
        w = tf.get_variable("w", [2, size], initializer=tf.zeros_initializer())
        return tf.matmul(x, w, name="out")

    shared = tf.make_template("shared", layer, size=3)
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    one, two = shared(x), shared(x)
    with tf.name_scope("outer"):
        three = shared(x)
    other = tf.make_template("shared", layer, size=3)
    four = other(x)
    return (
        [t.name for t in (one, two, three, four)],
        [v.name for v in tf.global_variables()],
        shared.variable_scope.name,
        shared.name,
        other.var_scope.name,
        [v.name for v in shared.trainable_variables],
    )


@program()
def make_template_options(tf):
    def with_scope_check():
        return tf.get_variable("v", [], initializer=tf.zeros_initializer())

    unique = tf.make_template("t", with_scope_check, unique_name_="fixed")
    at_once = tf.make_template("t", with_scope_check, create_scope_now_=True)
    with tf.variable_scope("outer"):
        inside = tf.make_template("t", with_scope_check)
        first = inside()
    second = inside()
    return unique().name, at_once().name, first.name, first is second


@program()
def make_template_that_creates_on_the_second_call(tf):
    count = []

    def layer():
        count.append(1)
        return tf.get_variable(f"v{len(count)}", [], initializer=tf.zeros_initializer())

    template = tf.make_template("t", layer)
    return template().name, attempt(template)


@program()
def make_template_nested_and_custom_getter(tf):
    asked = []

    def getter(getter, name, *args, **kwargs):
        asked.append(name)
        return getter(name, *args, **kwargs)

    def inner():
        return tf.get_variable("v", [], initializer=tf.zeros_initializer())

    nested = tf.make_template("inner", inner)

    def outer():
        return nested() + nested()

    template = tf.make_template("outer", outer, custom_getter_=getter)
    return template().name, template().name, [v.name for v in tf.global_variables()], asked
