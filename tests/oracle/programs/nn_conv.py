"""Convolutions over one, two and three axes, and transposed ones: arguments, nodes, shapes, values, refusals."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def numbers(*shape):
    """Numbers that look random and are the same everywhere."""
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 0.7) * 2).astype(np.float32).reshape(shape)


X = numbers(2, 5, 6, 3)
W = numbers(3, 2, 3, 4)

CONV2D = {
    "same": dict(strides=[1, 1, 1, 1], padding="SAME"),
    "valid": dict(strides=[1, 1, 1, 1], padding="VALID"),
    "strides_2": dict(strides=[1, 2, 2, 1], padding="SAME"),
    "strides_valid": dict(strides=[1, 2, 3, 1], padding="VALID"),
    "stride_number": dict(strides=2, padding="SAME"),
    "strides_pair": dict(strides=[2, 1], padding="SAME"),
    "strides_one_in_list": dict(strides=[2], padding="VALID"),
    "no_strides": dict(padding="SAME"),
    "dilation_number": dict(strides=1, padding="SAME", dilations=2),
    "dilations_pair": dict(strides=1, padding="VALID", dilations=[1, 2]),
    "dilations_four": dict(strides=1, padding="SAME", dilations=[1, 2, 2, 1]),
    "explicit": dict(strides=1, padding=[[0, 0], [1, 2], [0, 3], [0, 0]]),
    "explicit_tuples": dict(strides=[1, 2, 2, 1], padding=((0, 0), (2, 0), (1, 1), (0, 0))),
    "explicit_dilated": dict(strides=1, padding=[[0, 0], [2, 2], [1, 1], [0, 0]], dilations=2),
    "not_on_gpu": dict(strides=1, padding="SAME", use_cudnn_on_gpu=False),
    "no_data_format": dict(strides=1, padding="SAME", data_format=None),
    "named": dict(strides=1, padding="SAME", name="mine"),
    "strides_array": dict(strides=np.array([1, 2, 2, 1]), padding="SAME"),
}


@program(cases=sorted(CONV2D))
def conv2d(tf, case):
    y = tf.nn.conv2d(tf.constant(X, name="x"), tf.constant(W, name="w"), **CONV2D[case])
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def conv2d_positional_and_both_names(tf):
    x, w = tf.constant(X, name="x"), tf.constant(W, name="w")
    ys = [
        tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME", True, "NHWC", [1, 1, 1, 1], "positional"),
        tf.nn.conv2d(x, filters=w, strides=1, padding="VALID"),
        tf.nn.conv2d(input=x, filter=w, strides=1, padding="VALID"),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys[-1])


@program(cases=["float16", "float64", "int32", "int64", "uint8", "bool", "string", "complex64"])
def conv2d_dtypes(tf, case):
    x = tf.placeholder(case, [1, 4, 4, 2])
    w = tf.placeholder(case, [2, 2, 2, 3])
    y = attempt(tf.nn.conv2d, x, w, 1, "VALID")
    if case not in ("float16", "float64", "int32"):
        return y
    values = np.round(numbers(1, 4, 4, 2) * 3).astype(case), np.round(numbers(2, 2, 2, 3) * 2).astype(case)
    with tf.Session() as sess:
        return y, sess.run(y, {x: values[0], w: values[1]})


@program()
def conv2d_grouped(tf):
    x, w = tf.constant(numbers(1, 4, 4, 4)), tf.constant(numbers(2, 2, 2, 6))
    y = tf.nn.conv2d(x, w, 1, "VALID")
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def conv2d_arrays_and_variables(tf):
    w = tf.get_variable("w", initializer=W)
    ys = [tf.nn.conv2d(X, w, 1, "SAME"), tf.nn.conv2d(tf.constant(X), W, 1, "SAME")]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return ys, sess.run(ys)


SHAPES = {
    "unknown batch": ([None, 5, 6, 3], [3, 2, 3, 4]),
    "unknown rows": ([2, None, 6, 3], [3, 2, 3, 4]),
    "unknown depth": ([2, 5, 6, None], [3, 2, 3, 4]),
    "unknown filter size": ([2, 5, 6, 3], [None, 2, 3, 4]),
    "unknown filter depth": ([2, 5, 6, 3], [3, 2, None, 4]),
    "unknown filters": ([2, 5, 6, 3], [3, 2, 3, None]),
    "unknown": (None, None),
    "unknown input": (None, [3, 2, 3, 4]),
    "unknown filter": ([2, 5, 6, 3], None),
    "all sizes unknown": ([None] * 4, [None] * 4),
    "wrong depth": ([2, 5, 6, 3], [3, 2, 4, 4]),
    "depth of nothing": ([2, 5, 6, 3], [3, 2, 0, 4]),
    "groups do not fit": ([2, 5, 6, 4], [3, 2, 2, 3]),
    "filter of rank 3": ([2, 5, 6, 3], [3, 2, 3]),
    "input of rank 3": ([5, 6, 3], [3, 2, 3, 4]),
    "filter too large": ([2, 2, 2, 3], [3, 3, 3, 4]),
    "just fits": ([2, 3, 3, 3], [3, 3, 3, 4]),
    "empty batch": ([0, 5, 6, 3], [3, 2, 3, 4]),
    "no filters": ([2, 5, 6, 3], [3, 2, 3, 0]),
}


@program(cases=sorted(SHAPES))
def conv2d_shapes(tf, case):
    x, w = (tf.placeholder(tf.float32, shape, name=name) for name, shape in zip("xw", SHAPES[case]))
    return [
        attempt(tf.nn.conv2d, x, w, 1, "SAME"),
        attempt(tf.nn.conv2d, x, w, 2, "SAME"),
        attempt(tf.nn.conv2d, x, w, 1, "VALID"),
        attempt(tf.nn.conv2d, x, w, 2, "VALID", dilations=2),
        attempt(tf.nn.conv2d, x, w, 1, [[0, 0], [1, 1], [2, 0], [0, 0]]),
    ]


@program()
def conv2d_channels_first_shapes(tf):
    x = tf.placeholder(tf.float32, [2, 3, 5, None])
    w = tf.placeholder(tf.float32, [3, 2, 3, 4])
    return [
        tf.nn.conv2d(x, w, 1, "SAME", data_format="NCHW"),
        tf.nn.conv2d(x, w, [1, 1, 2, 3], "VALID", data_format="NCHW"),
        tf.nn.conv2d(x, w, [2, 3], [[0, 0], [0, 0], [1, 1], [2, 2]], data_format="NCHW", dilations=[2, 1]),
        attempt(tf.nn.conv2d, x, w, 1, [[0, 0], [1, 1], [2, 2], [0, 0]], data_format="NCHW"),
        attempt(tf.nn.conv2d, tf.placeholder(tf.float32, [2, 5, 5, 3]), w, 1, "SAME", data_format="NCHW"),
    ]


MISTAKES = {
    "padding word": dict(strides=1, padding="same"),
    "no padding": dict(strides=1),
    "EXPLICIT": dict(strides=1, padding="EXPLICIT"),
    "short padding": dict(strides=1, padding=[[1, 1], [1, 1]]),
    "padding not pairs": dict(strides=1, padding=[[0, 0], [1, 1], [1], [0, 0]]),
    "padding of numbers": dict(strides=1, padding=[0, 1, 1, 0]),
    "negative padding": dict(strides=1, padding=[[0, 0], [-1, 1], [1, 1], [0, 0]]),
    "padding over depth": dict(strides=1, padding=[[0, 0], [1, 1], [1, 1], [0, 1]]),
    "padding over batch": dict(strides=1, padding=[[1, 0], [1, 1], [1, 1], [0, 0]]),
    "three strides": dict(strides=[1, 2, 3], padding="SAME"),
    "five strides": dict(strides=[1, 1, 1, 1, 1], padding="SAME"),
    "stride 0": dict(strides=[1, 0, 1, 1], padding="SAME"),
    "negative stride": dict(strides=-1, padding="VALID"),
    "three dilations": dict(strides=1, padding="SAME", dilations=[1, 2, 3]),
    "dilation 0": dict(strides=1, padding="VALID", dilations=0),
    "data format": dict(strides=1, padding="SAME", data_format="NHCW"),
    "float stride": dict(strides=1.5, padding="SAME"),
    "text stride": dict(strides="a", padding="SAME"),
    "both filters": dict(strides=1, padding="SAME", filters=W),
    "unknown argument": dict(strides=1, padding="SAME", dilation=2),
}


@program(cases=sorted(MISTAKES))
def conv2d_mistakes(tf, case):
    return tf.nn.conv2d(tf.constant(X), W, **MISTAKES[case])


@program(graph=False)
def conv2d_wrong_values(tf):
    x = tf.constant(X)
    return [
        attempt(tf.nn.conv2d, None, W, 1, "SAME"),
        attempt(tf.nn.conv2d, x, None, 1, "SAME"),
        attempt(tf.nn.conv2d, x, tf.constant(W, tf.float64), 1, "SAME"),
        attempt(tf.nn.conv2d, x, "text", 1, "SAME"),
        attempt(tf.nn.conv2d, tf.constant([[[["a"]]]]), W, 1, "SAME"),
    ]


@program(messages=["strides", "batch and depth"])
def conv2d_strides_over_batch(tf):
    y = tf.nn.conv2d(tf.constant(X), W, [2, 1, 1, 1], "SAME")
    with tf.Session() as sess:
        return sess.run(y)


@program(messages=["depth"])
def conv2d_depth_at_run_time(tf):
    x, w = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.conv2d(x, w, 1, "SAME", name="late")
    with tf.Session() as sess:
        return sess.run(y, {x: X, w: numbers(3, 3, 2, 4)})


@program()
def conv2d_empty(tf):
    ys = [
        tf.nn.conv2d(tf.zeros([0, 5, 5, 2]), tf.ones([3, 3, 2, 4]), 1, "SAME"),
        tf.nn.conv2d(tf.zeros([2, 5, 5, 2]), tf.ones([3, 3, 2, 0]), 1, "SAME"),
    ]
    with tf.Session() as sess:
        return [y.shape for y in ys], [attempt(sess.run, y) for y in ys]


@program(cases=[5, 6])
def conv2d_more_batch_axes(tf, case):
    shape = [2, 3, 1][: case - 3] + [4, 4, 2]
    x, w = tf.constant(numbers(*shape)), numbers(2, 2, 2, 3)
    y = tf.nn.conv2d(x, w, 1, "SAME", name="many")
    unnamed = tf.nn.conv2d(tf.placeholder(tf.float32, [None] + shape[1:]), tf.constant(w), 2, "VALID")
    deep = tf.nn.conv2d(tf.placeholder(tf.float32, [None] * case), w, 1, "SAME")
    with tf.Session() as sess:
        return y, unnamed, deep, sess.run(y)


# ---- the ops of the gradient, under tf.nn


BACKPROP = {
    "same": dict(strides=[1, 1, 1, 1], padding="SAME"),
    "strides": dict(strides=[1, 2, 2, 1], padding="VALID"),
    "dilations": dict(strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 2, 1]),
    "explicit": dict(strides=[1, 1, 1, 1], padding=[[0, 0], [1, 1], [0, 1], [0, 0]]),
}
OUTPUTS = {"same": (5, 6), "strides": (2, 3), "dilations": (5, 6), "explicit": (5, 6)}


@program(cases=sorted(BACKPROP))
def conv2d_backprops(tf, case):
    dy = tf.constant(numbers(2, *(OUTPUTS[case] + (4,))), name="dy")
    x, w = tf.constant(X, name="x"), tf.constant(W, name="w")
    ys = [
        tf.nn.conv2d_backprop_input([2, 5, 6, 3], w, dy, **BACKPROP[case]),
        tf.nn.conv2d_backprop_filter(x, [3, 2, 3, 4], dy, **BACKPROP[case]),
        tf.nn.conv2d_backprop_input(tf.shape(x), filters=w, out_backprop=dy, name="dx", **BACKPROP[case]),
        tf.nn.conv2d_backprop_filter(x, tf.shape(w), dy, name="dw", **BACKPROP[case]),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(graph=False)
def conv2d_backprop_shapes_and_mistakes(tf):
    def unknown(*shape):
        return tf.placeholder(tf.float32, list(shape))

    sizes = tf.placeholder(tf.int32, [4])
    back, filters = tf.nn.conv2d_backprop_input, tf.nn.conv2d_backprop_filter
    ones = [1, 1, 1, 1]
    return [
        back(sizes, unknown(3, 3, 2, 4), unknown(None, 5, 5, 4), ones, "SAME").shape,
        back(sizes, unknown(3, 3, 2, 4), unknown(7, 5, 5, 4), ones, "SAME").shape,
        back(tf.placeholder(tf.int32), unknown(3, 3, 2, 4), unknown(7, 5, 5, 4), ones, "SAME").shape,
        back([8, 8], unknown(3, 3, 2, 4), unknown(7, 8, 8, 4), ones, "SAME").shape,
        back([7, 8, 8, 2], unknown(3, 3, 2, 4), unknown(None, None, None, None), ones, "SAME").shape,
        attempt(back, [7, 8, 8], unknown(3, 3, 2, 4), unknown(7, 8, 8, 4), ones, "SAME"),
        attempt(back, [7, 8, 8, 2], unknown(3, 3, 2, 4), unknown(7, 8, 8, 5), ones, "SAME"),
        attempt(back, [7, 8, 8, 3], unknown(3, 3, 2, 4), unknown(7, 8, 8, 4), ones, "SAME"),
        attempt(back, [7, 8, 8, 2], unknown(3, 3, 2), unknown(7, 8, 8, 4), ones, "SAME"),
        attempt(back, [7, 8, 8, 2], unknown(3, 3, 2, 4), unknown(7, 8, 4), ones, "SAME"),
        attempt(back, [6, 8, 8, 2], unknown(3, 3, 2, 4), unknown(7, 8, 8, 4), ones, "SAME"),
        attempt(back, [7, 8, 8, 2], unknown(3, 3, 2, 4), unknown(7, 8, 8, 4), [1, 1], "SAME"),
        filters(unknown(2, 5, 5, 3), sizes, unknown(2, 5, 5, 4), ones, "SAME").shape,
        filters(unknown(2, 5, 5, 3), [3, 3, 3, 4], unknown(2, 5, 5, 4), ones, "SAME").shape,
        filters(unknown(2, 5, 5, 3), tf.placeholder(tf.int32), unknown(2, 5, 5, 4), ones, "SAME").shape,
        attempt(filters, unknown(2, 5, 5, 3), [3, 3, 3], unknown(2, 5, 5, 4), ones, "SAME"),
        attempt(filters, unknown(2, 5, 3), [3, 3, 3, 4], unknown(2, 5, 5, 4), ones, "SAME"),
    ]


@program(messages=[])
def conv2d_backprop_refused_at_run_time(tf):
    sizes, w, dy = tf.placeholder(tf.int32), tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.conv2d_backprop_input(sizes, w, dy, [1, 1, 1, 1], "SAME")
    with tf.Session() as sess:
        return sess.run(y, {sizes: [2, 5, 6, 5], w: W, dy: numbers(2, 5, 6, 4)})


# ---- transposed


TRANSPOSED = {
    "number": (dict(strides=2), [2, 8, 10, 4]),
    "four": (dict(strides=[1, 2, 2, 1], padding="SAME"), [2, 8, 10, 4]),
    "odd": (dict(strides=[1, 2, 2, 1], padding="SAME"), [2, 7, 9, 4]),
    "valid": (dict(strides=[1, 2, 2, 1], padding="VALID"), [2, 9, 10, 4]),
    "one": (dict(strides=1), [2, 4, 5, 4]),
    "dilated": (dict(strides=1, dilations=2), [2, 4, 5, 4]),
    "explicit": (dict(strides=1, padding=[[0, 0], [1, 1], [0, 1], [0, 0]]), [2, 4, 5, 4]),
    "named": (dict(strides=2, name="up"), [2, 8, 10, 4]),
}


@program(cases=sorted(TRANSPOSED))
def conv2d_transpose(tf, case):
    options, shape = TRANSPOSED[case]
    x, w = tf.constant(numbers(2, 4, 5, 3), name="x"), tf.constant(numbers(3, 2, 4, 3), name="w")
    y = tf.nn.conv2d_transpose(x, w, shape, **options)
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def conv2d_transpose_ways_to_say_it(tf):
    x = tf.placeholder(tf.float32, [None, 4, 5, 3])
    w = tf.constant(numbers(3, 2, 4, 3), name="w")
    batch = tf.shape(x)[0]
    ys = [
        tf.nn.conv2d_transpose(x, w, tf.stack([batch, 8, 10, 4]), [1, 2, 2, 1]),
        tf.nn.conv2d_transpose(x, w, [batch, 8, 10, 4], 2),
        tf.nn.conv2d_transpose(input=x, filters=w, output_shape=tf.constant([2, 8, 10, 4]), strides=2),
        tf.nn.conv2d_transpose(x, w, tf.placeholder_with_default([2, 8, 10, 4], [4]), 2),
        tf.nn.conv2d_transpose(x, w, np.array([2, 8, 10, 4]), 2),
        tf.nn.conv2d_transpose(x, w, tf.TensorShape([2, 8, 10, 4]), 2),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys, {x: numbers(2, 4, 5, 3)})


@program(graph=False)
def conv2d_transpose_mistakes(tf):
    x, w = tf.placeholder(tf.float32, [2, 4, 5, 3]), tf.placeholder(tf.float32, [3, 2, 4, 3])
    f = tf.nn.conv2d_transpose
    first = f(tf.placeholder(tf.float32, [2, 3, 4, 5]), w, [2, 4, 8, 10], 2, data_format="NCHW")
    return [
        first.shape,
        attempt(f, x, w, [2, 8, 10, 4]),
        attempt(f, x, w, [2, 8, 10], 2),
        attempt(f, x, w, [2, 8, 10, 5], 2),
        attempt(f, x, w, [2, 9, 10, 4], 2),
        attempt(f, x, tf.placeholder(tf.float32, [3, 2, 4, 2]), [2, 8, 10, 4], 2),
        attempt(f, x, w, [2, 8, 10, 4], 2, "BAD"),
        attempt(f, x, w, [2, 8, 10, 4], 2, data_format="NHCW"),
        attempt(f, x, w, [2, 8, 10, 4], [1, 2]),
        attempt(f, x, w, None, 2),
        attempt(f, x, w, [2, 8, 10, 4], 2, input=x),
    ]


# ---- along one axis


CONV1D = {
    "same": dict(stride=1, padding="SAME"),
    "valid": dict(stride=2, padding="VALID"),
    "list": dict(stride=[2], padding="SAME"),
    "three": dict(stride=[1, 2, 1], padding="SAME"),
    "NWC": dict(stride=1, padding="SAME", data_format="NWC"),
    "NHWC": dict(stride=1, padding="SAME", data_format="NHWC"),
    "dilated": dict(stride=1, padding="SAME", dilations=2),
    "dilated list": dict(stride=1, padding="VALID", dilations=[2]),
    "cudnn": dict(stride=1, padding="SAME", use_cudnn_on_gpu=True),
    "named": dict(stride=1, padding="SAME", name="line"),
}


@program(cases=sorted(CONV1D))
def conv1d(tf, case):
    x, w = tf.constant(numbers(2, 7, 3), name="x"), tf.constant(numbers(3, 3, 4), name="w")
    y = tf.nn.conv1d(x, w, **CONV1D[case])
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def conv1d_shapes(tf):
    w = tf.placeholder(tf.float32, [3, 3, 4])
    f = tf.nn.conv1d
    return [
        f(tf.placeholder(tf.float32, [None, None, 3]), w, 1, "SAME"),
        f(tf.placeholder(tf.float32, [2, 3, 7]), w, 2, "SAME", data_format="NCW"),
        f(tf.placeholder(tf.float32, [2, 3, 7]), w, 2, "VALID", data_format="NCHW", dilations=1),
        f(tf.placeholder(tf.float32, [5, 2, 7, 3]), w, 1, "SAME"),
        f(tf.placeholder(tf.float32, [None, 2, 7, 3]), w, 1, "SAME", name="deep"),
        attempt(f, tf.placeholder(tf.float32), w, 1, "SAME"),
        f(input=tf.placeholder(tf.float32, [2, 7, 3]), filters=w, stride=1, padding="SAME"),
    ]


@program(graph=False)
def conv1d_mistakes(tf):
    x, w = tf.placeholder(tf.float32, [2, 7, 3]), tf.placeholder(tf.float32, [3, 3, 4])
    f = tf.nn.conv1d
    return [
        attempt(f, x, w),
        attempt(f, x, w, 1),
        attempt(f, x, w, 1, "SAME", data_format="NWX"),
        attempt(f, x, w, [1, 2], "SAME"),
        attempt(f, x, tf.placeholder(tf.float32, [3, 2, 4]), 1, "SAME"),
        attempt(f, x, tf.placeholder(tf.float32, [9, 3, 4]), 1, "VALID"),
        attempt(f, x, tf.placeholder(tf.float32, [3, 3]), 1, "VALID"),
        attempt(f, tf.placeholder(tf.float32, [7, 3]), w, 1, "VALID"),
        attempt(f, x, w, 0, "SAME"),
        attempt(f, x, w, 1, "SAME", input=x),
    ]


@program()
def conv1d_transpose(tf):
    x, w = tf.constant(numbers(2, 5, 3), name="x"), tf.constant(numbers(3, 4, 3), name="w")
    ys = [
        tf.nn.conv1d_transpose(x, w, [2, 10, 4], 2),
        tf.nn.conv1d_transpose(x, w, [2, 11, 4], [2], padding="VALID", name="n"),
        tf.nn.conv1d_transpose(x, w, tf.constant([2, 10, 4]), 2, dilations=1),
        tf.nn.conv1d_transpose(x, w, tf.placeholder_with_default([2, 10, 4], [3]), [1, 2, 1]),
    ]
    first = tf.nn.conv1d_transpose(tf.placeholder(tf.float32, [2, 3, 5]), w, [2, 4, 10], 2, data_format="NCW")
    with tf.Session() as sess:
        return ys, first, sess.run(ys)


# ---- over three axes


CONV3D = {
    "same": dict(strides=[1, 1, 1, 1, 1], padding="SAME"),
    "valid": dict(strides=[1, 1, 2, 1, 1], padding="VALID"),
    "named": dict(strides=[1, 2, 2, 2, 1], padding="SAME", name="space"),
    "dilations given": dict(strides=[1, 1, 1, 1, 1], padding="SAME", dilations=[1, 1, 1, 1, 1]),
    "format given": dict(strides=[1, 1, 1, 1, 1], padding="SAME", data_format="NDHWC"),
}


@program(cases=sorted(CONV3D))
def conv3d(tf, case):
    x, w = tf.constant(numbers(1, 3, 4, 5, 2), name="x"), tf.constant(numbers(2, 2, 3, 2, 3), name="w")
    y = tf.nn.conv3d(x, w, **CONV3D[case])
    with tf.Session() as sess:
        return y, sess.run(y)


@program(graph=False)
def conv3d_shapes_and_mistakes(tf):
    def unknown(*shape):
        return tf.placeholder(tf.float32, list(shape))

    x, w, ones = unknown(1, 3, 4, 5, 2), unknown(2, 2, 3, 2, 3), [1, 1, 1, 1, 1]
    f = tf.nn.conv3d
    return [
        f(unknown(None, None, 4, 5, 2), w, ones, "SAME").shape,
        f(tf.placeholder(tf.float32), w, ones, "SAME").shape,
        f(unknown(1, 2, 3, 4, 5), w, [1, 1, 2, 2, 2], "SAME", "NCDHW").shape,
        f(x, filters=w, strides=ones, padding="VALID").shape,
        f(x, w, ones, "VALID", dilations=[1, 1, 2, 2, 1]).shape,
        attempt(f, x, w, 1, "SAME"),
        attempt(f, x, w, [1, 1, 1], "SAME"),
        attempt(f, x, w, [1, 1, 1, 1], "SAME"),
        attempt(f, x, w, ones, [[0, 0], [1, 1], [1, 1], [1, 1], [0, 0]]),
        attempt(f, x, unknown(2, 2, 3, 3, 3), ones, "SAME"),
        attempt(f, x, unknown(2, 2, 3, 2), ones, "SAME"),
        attempt(f, unknown(3, 4, 5, 2), w, ones, "SAME"),
        attempt(f, x, unknown(5, 2, 3, 2, 3), ones, "VALID"),
        attempt(f, x, w, ones, "SAME", dilations=[1, 1, 1]),
        attempt(f, x, w, [1, 0, 1, 1, 1], "SAME"),
        attempt(f, x, tf.placeholder(tf.int32), ones, "SAME"),
    ]


@program()
def conv3d_transpose_and_backprop(tf):
    x, w = tf.constant(numbers(1, 2, 2, 3, 3), name="x"), tf.constant(numbers(2, 2, 3, 2, 3), name="w")
    dy = tf.constant(numbers(1, 2, 2, 3, 3), name="dy")
    big = tf.constant(numbers(1, 4, 4, 6, 2))
    ys = [
        tf.nn.conv3d_transpose(x, w, [1, 4, 4, 6, 2], [1, 2, 2, 2, 1]),
        tf.nn.conv3d_transpose(x, w, tf.constant([1, 4, 4, 6, 2]), 2, name="up"),
        tf.nn.conv3d_transpose(x, w, [1, 4, 4, 7, 2], [1, 2, 2, 2, 1], "VALID"),
        tf.nn.conv3d_backprop_filter(big, [2, 2, 3, 2, 3], dy, [1, 2, 2, 2, 1], "SAME"),
        tf.nn.conv3d_backprop_filter_v2(big, [2, 2, 3, 2, 3], dy, [1, 2, 2, 2, 1], "SAME", name="dw"),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(graph=False)
def conv3d_transpose_shapes_and_mistakes(tf):
    def unknown(*shape):
        return tf.placeholder(tf.float32, list(shape))

    x, w = unknown(1, 2, 2, 3, 3), unknown(2, 2, 3, 2, 3)
    f = tf.nn.conv3d_transpose
    return [
        f(x, w, tf.placeholder(tf.int32, [5]), 2).shape,
        f(unknown(1, 3, 2, 2, 3), w, [1, 2, 4, 4, 6], 2, data_format="NCDHW").shape,
        f(x, w, np.array([1, 4, 4, 6, 2], np.int64), 2).shape,
        attempt(f, x, w, [1, 4, 4, 6], 2),
        attempt(f, x, w, [1, 4, 4, 6, 3], 2),
        attempt(f, x, unknown(2, 2, 3, 2, 4), [1, 4, 4, 6, 2], 2),
        attempt(f, x, w, [1, 4, 4, 6, 2], 2, "BAD"),
        attempt(f, x, w, [1, 4, 4, 6, 2]),
        attempt(f, x, w, [1, 4, 4, 6, 2], [1, 2]),
    ]


@program()
def conv_transpose(tf):
    def x(*shape):
        return tf.constant(numbers(*shape))

    ys = [
        tf.nn.conv_transpose(x(2, 5, 3), x(3, 4, 3), [2, 10, 4], 2),
        tf.nn.conv_transpose(x(2, 4, 5, 3), x(3, 2, 4, 3), [2, 8, 10, 4], 2, name="up"),
        tf.nn.conv_transpose(x(1, 2, 2, 3, 3), x(2, 2, 3, 2, 3), [1, 4, 4, 6, 2], 2),
        tf.nn.conv_transpose(x(2, 4, 5, 3), x(3, 2, 4, 3), tf.constant([2, 8, 10, 4]), 2),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(graph=False)
def conv_transpose_mistakes(tf):
    x, w = tf.placeholder(tf.float32, [2, 4, 5, 3]), tf.placeholder(tf.float32, [3, 2, 4, 3])
    f = tf.nn.conv_transpose
    return [
        attempt(f, x, w, [2, 8], 2),
        attempt(f, x, w, [2, 8, 8, 8, 8, 8], 2),
        attempt(f, x, w, tf.placeholder(tf.int32), 2),
        attempt(f, x, w, 5, 2),
        f(x, w, tf.placeholder(tf.int32, [4]), 2).shape,
    ]
