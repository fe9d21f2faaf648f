"""Convolutions with holes, by channel and separable ones, `tf.nn.convolution`, and grey-scale morphology."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def numbers(*shape):
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 0.7) * 2).astype(np.float32).reshape(shape)


X = numbers(2, 6, 7, 3)
W = numbers(3, 2, 3, 4)
D = numbers(3, 2, 3, 2)
POINT = numbers(1, 1, 6, 5)

CONVOLUTION = {
    "plain": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME")),
    "valid strides": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="VALID", strides=[2, 1], name="mine")),
    "stride number": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", strides=2)),
    "dilated same": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", dilation_rate=[2, 3])),
    "dilated valid": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="VALID", dilation_rate=[2, 2])),
    "dilated number": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", dilation_rate=2)),
    "dilations": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", dilations=[1, 2], name="holes")),
    "dilations of one": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", dilation_rate=[1, 1])),
    "one axis": ([2, 7, 3], [2, 3, 4], dict(padding="SAME")),
    "one axis dilated": ([2, 7, 3], [2, 3, 4], dict(padding="SAME", dilation_rate=[2])),
    "one axis strides": ([2, 7, 3], [2, 3, 4], dict(padding="VALID", strides=[2])),
    "three axes": ([1, 3, 4, 5, 2], [2, 2, 3, 2, 3], dict(padding="SAME", strides=[1, 2, 1])),
    "three axes dilated": ([1, 3, 4, 5, 2], [2, 2, 3, 2, 3], dict(padding="VALID", dilation_rate=[1, 2, 2])),
    "more batch axes": ([2, 2, 4, 5, 3], [3, 2, 3, 4], dict(padding="SAME")),
    "one axis more batch": ([2, 2, 5, 3], [2, 3, 4], dict(padding="SAME")),
}


@program(cases=sorted(CONVOLUTION))
def convolution(tf, case):
    x, w, options = CONVOLUTION[case]
    y = tf.nn.convolution(tf.constant(numbers(*x), name="x"), tf.constant(numbers(*w), name="w"), **options)
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def convolution_of_python_values(tf):
    y = tf.nn.convolution(X, W, "SAME")
    z = tf.nn.convolution(input=X, filter=tf.constant(W), padding="VALID", data_format="NHWC")
    with tf.Session() as sess:
        return y, z, sess.run([y, z])


UNKNOWN = {
    "rows": ([2, None, 7, 3], [3, 2, 3, 4], dict(padding="SAME", dilation_rate=[2, 3])),
    "rows valid": ([None, None, None, 3], [3, 2, 3, 4], dict(padding="VALID", dilation_rate=[2, 2])),
    "batch": ([None, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", dilation_rate=[2, 2])),
    "filter": ([2, 6, 7, 3], [None, 2, 3, 4], dict(padding="SAME", dilation_rate=[2, 2])),
    "filter size and rows": ([2, None, 7, 3], [None, None, 3, 4], dict(padding="SAME", dilation_rate=[2, 2])),
    "rank": (None, [3, 2, 3, 4], dict(padding="SAME")),
    "rank dilated": (None, [3, 2, 3, 4], dict(padding="SAME", dilation_rate=[2, 2])),
    "filter rank": ([2, 6, 7, 3], None, dict(padding="SAME")),
    "both ranks": (None, None, dict(padding="SAME")),
    "channels first": ([2, 3, 6, 7], [3, 2, 3, 4], dict(padding="SAME", data_format="NCHW")),
    "channels first dilated": ([2, 3, 6, 7], [3, 2, 3, 4], dict(padding="SAME", data_format="NCHW", dilations=[2, 2])),
    "channels first unknown": (
        [2, 3, None, 7],
        [3, 2, 3, 4],
        dict(padding="SAME", data_format="NCHW", dilations=[2, 2]),
    ),
    "NCW": ([2, 3, 7], [2, 3, 4], dict(padding="SAME", data_format="NCW", strides=2)),
    "NCDHW": ([1, 2, 3, 4, 5], [2, 2, 3, 2, 3], dict(padding="SAME", data_format="NCDHW", strides=[1, 2, 2])),
    "stride and dilation": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", strides=2, dilation_rate=2)),
    "wrong depth": ([2, 6, 7, 3], [3, 2, 2, 4], dict(padding="SAME")),
    "wrong depth dilated": ([2, 6, 7, 3], [3, 2, 2, 4], dict(padding="SAME", dilation_rate=2)),
    "wrong rank": ([2, 6, 7, 3], [3, 2, 2, 3, 4], dict(padding="SAME")),
    "four axes": ([2, 1, 1, 1, 1, 3], [1, 1, 1, 1, 3, 4], dict(padding="SAME")),
    "bad padding": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="same")),
    "bad padding dilated": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="same", dilation_rate=2)),
    "three strides": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", strides=[1, 2, 3])),
    "three dilations": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", dilations=[1, 2, 3])),
    "dilation 0": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", dilations=[0, 2])),
    "both dilations": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", dilations=[2, 2], dilation_rate=[2, 2])),
    "both filters": ([2, 6, 7, 3], [3, 2, 3, 4], dict(padding="SAME", filters=W)),
    "too large": ([2, 3, 3, 3], [3, 3, 3, 4], dict(padding="VALID", dilation_rate=2)),
}


@program(cases=sorted(UNKNOWN))
def convolution_static(tf, case):
    x, w, options = UNKNOWN[case]
    return tf.nn.convolution(tf.placeholder(tf.float32, x, "x"), tf.placeholder(tf.float32, w, "w"), **options)


@program()
def convolution_of_unknown_size_runs(tf):
    x = tf.placeholder(tf.float32, [None, None, None, 3])
    w = tf.placeholder(tf.float32, [None, None, 3, 4])
    ys = [
        tf.nn.convolution(x, tf.constant(W), "SAME", dilation_rate=[2, 3]),
        tf.nn.convolution(x, w, "VALID", dilation_rate=[2, 2]),
        tf.nn.convolution(x, w, "SAME"),
    ]
    with tf.Session() as sess:
        return [y.shape for y in ys], sess.run(ys, {x: X, w: W})


ATROUS = {
    "same": dict(rate=2, padding="SAME"),
    "valid": dict(rate=2, padding="VALID", name="holes"),
    "rate 1": dict(rate=1, padding="SAME"),
    "rate 3": dict(rate=3, padding="SAME"),
}


@program(cases=sorted(ATROUS))
def atrous_conv2d(tf, case):
    y = tf.nn.atrous_conv2d(tf.constant(X, name="x"), tf.constant(W, name="w"), **ATROUS[case])
    with tf.Session() as sess:
        return y, sess.run(y)


@program(cases=[(1, "SAME"), (2, "SAME"), (2, "VALID"), (3, "SAME"), (3, "VALID"), (1, "VALID")])
def atrous_conv2d_transpose(tf, case):
    rate, padding = case
    x, w = tf.constant(X, name="x"), tf.constant(numbers(3, 2, 4, 3), name="w")
    grow = 0 if padding == "SAME" else rate
    shape = [2, 6 + 2 * grow, 7 + grow, 4]
    ys = [
        tf.nn.atrous_conv2d_transpose(x, w, shape, rate, padding),
        tf.nn.atrous_conv2d_transpose(x, w, tf.constant(shape), rate, padding=padding, name="mine"),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def atrous_conv2d_transpose_unknown(tf):
    x = tf.placeholder(tf.float32, [None, None, 7, 3])
    w = tf.constant(numbers(3, 2, 4, 3), name="w")
    y = tf.nn.atrous_conv2d_transpose(x, w, tf.stack([tf.shape(x)[0], 6, 7, 4]), 2, "SAME")
    z = tf.nn.atrous_conv2d_transpose(x, tf.placeholder_with_default(w, [None, 2, 4, 3]), [2, 6, 7, 4], 2, "SAME")
    with tf.Session() as sess:
        return y, z, sess.run([y, z], {x: X})


@program(graph=False)
def atrous_mistakes(tf):
    x, w = tf.placeholder(tf.float32, [2, 6, 7, 3]), tf.placeholder(tf.float32, [3, 2, 4, 3])
    f, t = tf.nn.atrous_conv2d, tf.nn.atrous_conv2d_transpose
    return [
        attempt(f, x, w, 2, "SAME"),
        attempt(f, x, w, 0, "SAME"),
        attempt(f, x, tf.placeholder(tf.float32, [3, 2, 3, 4]), 2, "BAD"),
        attempt(t, x, w, [2, 6, 7, 4], 0, "SAME"),
        attempt(t, x, w, [2, 6, 7, 4], 2, "BAD"),
        attempt(t, x, w, [2, 6, 7], 2, "SAME"),
        attempt(t, x, w, [2, 6, 7, 5], 2, "SAME"),
        attempt(t, x, tf.placeholder(tf.float32, [3, 2, 4, 5]), [2, 6, 7, 4], 2, "SAME"),
        attempt(t, x, w, [2, 6, 7, 5], 1, "SAME"),
    ]


# ---- by channel


DEPTHWISE = {
    "same": dict(strides=[1, 1, 1, 1], padding="SAME"),
    "valid": dict(strides=[1, 1, 1, 1], padding="VALID"),
    "strides": dict(strides=[1, 2, 2, 1], padding="SAME", name="mine"),
    "explicit": dict(strides=[1, 1, 1, 1], padding=[[0, 0], [1, 2], [2, 0], [0, 0]]),
    "rate": dict(strides=[1, 1, 1, 1], padding="SAME", rate=[2, 2]),
    "rate valid": dict(strides=[1, 1, 1, 1], padding="VALID", rate=[2, 3]),
    "rate of one": dict(strides=[1, 1, 1, 1], padding="SAME", rate=[1, 1]),
    "rate number": dict(strides=[1, 1, 1, 1], padding="SAME", rate=2),
    "dilations": dict(strides=[1, 1, 1, 1], padding="SAME", dilations=[2, 2]),
    "format": dict(strides=[1, 1, 1, 1], padding="SAME", data_format="NHWC"),
}


@program(cases=sorted(DEPTHWISE))
def depthwise_conv2d(tf, case):
    y = attempt(tf.nn.depthwise_conv2d, tf.constant(X, name="x"), tf.constant(D, name="w"), **DEPTHWISE[case])
    with tf.Session() as sess:
        return y, sess.run(y) if hasattr(y, "op") else None


NATIVE = {
    "same": dict(strides=[1, 1, 1, 1], padding="SAME"),
    "strides": dict(strides=[1, 2, 2, 1], padding="VALID"),
    "explicit": dict(strides=[1, 1, 1, 1], padding=[[0, 0], [1, 2], [2, 0], [0, 0]]),
    "named": dict(strides=[1, 1, 1, 1], padding="SAME", name="mine"),
}


@program(cases=sorted(NATIVE))
def depthwise_conv2d_native(tf, case):
    y = tf.nn.depthwise_conv2d_native(tf.constant(X, name="x"), tf.constant(D, name="w"), **NATIVE[case])
    with tf.Session() as sess:
        return y, sess.run(y)


@program(cases=["same", "strides", "explicit"])
def depthwise_backprops(tf, case):
    sizes = {"same": (6, 7), "strides": (2, 3), "explicit": (7, 8)}[case]
    x, w, dy = (tf.constant(a) for a in (X, D, numbers(2, *(sizes + (6,)))))
    options = dict(NATIVE[case])
    ys = [
        tf.nn.depthwise_conv2d_native_backprop_input([2, 6, 7, 3], w, dy, **options),
        tf.nn.depthwise_conv2d_native_backprop_filter(x, [3, 2, 3, 2], dy, **options),
        tf.nn.depthwise_conv2d_backprop_input(tf.shape(x), w, dy, name="dx", **options),
        tf.nn.depthwise_conv2d_backprop_filter(x, tf.shape(w), dy, name="dw", **options),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(cases=["float16", "float64", "int32"])
def depthwise_dtypes(tf, case):
    x, w = tf.placeholder(case, [2, 6, 7, 3]), tf.placeholder(case, [3, 2, 3, 2])
    y = attempt(tf.nn.depthwise_conv2d, x, w, [1, 1, 1, 1], "SAME")
    with tf.Session() as sess:
        return y, sess.run(y, {x: X.astype(case), w: D.astype(case)}) if hasattr(y, "op") else None


@program(graph=False)
def depthwise_shapes_and_mistakes(tf):
    def unknown(*shape):
        return tf.placeholder(tf.float32, list(shape))

    f, ones = tf.nn.depthwise_conv2d, [1, 1, 1, 1]
    native = tf.nn.depthwise_conv2d_native
    x, w = unknown(2, 6, 7, 3), unknown(3, 2, 3, 2)
    anything = tf.placeholder(tf.float32)
    return [
        f(unknown(None, 6, None, 3), w, ones, "SAME").shape,
        f(unknown(None, 6, None, 3), w, ones, "SAME", rate=[2, 2]).shape,
        f(unknown(None, 6, 7, None), w, ones, "VALID").shape,
        f(x, unknown(3, 2, None, 2), ones, "VALID").shape,
        f(x, unknown(3, 2, 3, None), ones, "VALID").shape,
        f(unknown(2, 3, 6, 7), w, ones, "SAME", data_format="NCHW").shape,
        f(unknown(2, 3, 6, 7), w, [1, 1, 2, 2], "VALID", data_format="NCHW").shape,
        native(anything, w, ones, "SAME").shape,
        native(x, anything, ones, "SAME").shape,
        native(x, w, ones, "SAME", dilations=[1, 2, 2, 1]).shape,
        native(x, w, [1, 2, 3, 1], "SAME").shape,
        attempt(f, x, unknown(3, 2, 2, 2), ones, "SAME"),
        attempt(f, x, unknown(3, 2, 3), ones, "SAME"),
        attempt(f, unknown(6, 7, 3), w, ones, "SAME"),
        attempt(f, anything, w, ones, "SAME"),
        attempt(f, x, w, ones, "BAD"),
        attempt(f, x, w, ones, "BAD", rate=[2, 2]),
        attempt(f, x, w, [1, 1], "SAME"),
        attempt(f, x, w, 1, "SAME"),
        attempt(f, x, w, ones, "SAME", rate=[2]),
        attempt(f, x, w, ones, "SAME", rate=[2, 2], dilations=[2, 2]),
        attempt(f, x, w, ones, [[0, 0], [1, 1]]),
        attempt(native, x, unknown(9, 2, 3, 2), ones, "VALID"),
        attempt(native, x, w, ones, "SAME", dilations=[1, 2]),
        attempt(native, x, w, [1, 0, 1, 1], "SAME"),
    ]


@program()
def depthwise_unequal_strides(tf):
    y = tf.nn.depthwise_conv2d_native(tf.constant(X), tf.constant(D), [1, 1, 2, 1], "SAME")
    with tf.Session() as sess:
        return sess.run(y)


SEPARABLE = {
    "same": dict(strides=[1, 1, 1, 1], padding="SAME"),
    "strides": dict(strides=[1, 2, 2, 1], padding="VALID", name="mine"),
    "rate": dict(strides=[1, 1, 1, 1], padding="SAME", rate=[2, 2]),
    "dilations": dict(strides=[1, 1, 1, 1], padding="VALID", dilations=[2, 2]),
    "explicit": dict(strides=[1, 1, 1, 1], padding=[[0, 0], [1, 1], [1, 0], [0, 0]]),
}


@program(cases=sorted(SEPARABLE))
def separable_conv2d(tf, case):
    x, d, p = (tf.constant(a, name=n) for a, n in ((X, "x"), (D, "d"), (POINT, "p")))
    y = tf.nn.separable_conv2d(x, d, p, **SEPARABLE[case])
    with tf.Session() as sess:
        return y, sess.run(y)


@program(graph=False)
def separable_mistakes(tf):
    def unknown(*shape):
        return tf.placeholder(tf.float32, list(shape))

    f, ones = tf.nn.separable_conv2d, [1, 1, 1, 1]
    x, d, p = unknown(2, 6, 7, 3), unknown(3, 2, 3, 2), unknown(1, 1, 6, 5)
    return [
        f(unknown(None, 6, None, 3), d, p, ones, "SAME").shape,
        f(unknown(2, 3, 6, 7), d, p, ones, "SAME", data_format="NCHW").shape,
        f(x, d, unknown(1, 1, None, 5), ones, "SAME").shape,
        attempt(f, x, d, unknown(1, 1, 5, 5), ones, "SAME"),
        attempt(f, x, d, unknown(2, 1, 6, 5), ones, "SAME"),
        attempt(f, x, d, unknown(1, 6, 5), ones, "SAME"),
        attempt(f, x, unknown(3, 2, 3), p, ones, "SAME"),
        attempt(f, x, unknown(3, 2, 2, 2), p, ones, "SAME"),
        attempt(f, x, d, p, ones, "BAD"),
        attempt(f, x, d, p, [1, 1], "SAME"),
        attempt(f, x, tf.placeholder(tf.float32), p, ones, "SAME"),
    ]


# ---- morphology

MORPHOLOGY = {
    "same": dict(strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME"),
    "valid": dict(strides=[1, 2, 1, 1], rates=[1, 1, 1, 1], padding="VALID"),
    "rates": dict(strides=[1, 1, 1, 1], rates=[1, 2, 2, 1], padding="SAME", name="mine"),
}


@program(cases=sorted(MORPHOLOGY))
def dilation_and_erosion(tf, case):
    x, k = tf.constant(X, name="x"), tf.constant(numbers(3, 2, 3), name="k")
    ys = [
        tf.nn.dilation2d(x, k, **MORPHOLOGY[case]),
        tf.nn.erosion2d(x, k, **MORPHOLOGY[case]),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def dilation2d_arguments(tf):
    x, k, ones = tf.constant(X, name="x"), tf.constant(numbers(3, 2, 3), name="k"), [1, 1, 1, 1]
    ys = [
        tf.nn.dilation2d(x, k, ones, ones, "SAME"),
        tf.nn.dilation2d(x, filters=k, strides=ones, dilations=[1, 2, 1, 1], padding="SAME"),
        tf.nn.erosion2d(value=x, kernel=k, strides=ones, rates=ones, padding="VALID"),
    ]
    return ys


@program(cases=["int32", "float64", "uint8"])
def dilation2d_types(tf, case):
    x, k, ones = np.abs(X * 9).astype(case), np.abs(numbers(2, 2, 3) * 5).astype(case), [1, 1, 1, 1]
    with tf.Session() as sess:
        return sess.run(tf.nn.dilation2d(x, k, ones, ones, "VALID"))


@program(graph=False)
def dilation2d_shapes_and_mistakes(tf):
    def unknown(*shape):
        return tf.placeholder(tf.float32, list(shape))

    f, ones = tf.nn.dilation2d, [1, 1, 1, 1]
    x, k = unknown(2, 6, 7, 3), unknown(3, 2, 3)
    return [
        f(unknown(None, None, 7, 3), k, ones, ones, "VALID").shape,
        f(unknown(None, 6, 7, None), k, ones, ones, "SAME").shape,
        f(tf.placeholder(tf.float32), k, ones, ones, "SAME").shape,
        f(x, tf.placeholder(tf.float32), [1, 2, 2, 1], ones, "SAME").shape,
        f(x, unknown(None, 2, 3), ones, ones, "VALID").shape,
        attempt(f, x, unknown(3, 2, 4), ones, ones, "SAME"),
        attempt(f, x, unknown(3, 2), ones, ones, "SAME"),
        attempt(f, unknown(6, 7, 3), k, ones, ones, "SAME"),
        attempt(f, x, k, [1, 1, 1], ones, "SAME"),
        attempt(f, x, k, ones, [1, 1], "SAME"),
        attempt(f, x, k, [2, 1, 1, 1], ones, "SAME"),
        attempt(f, x, k, ones, [1, 1, 1, 2], "SAME"),
        attempt(f, x, unknown(9, 2, 3), ones, ones, "VALID"),
        attempt(f, x, k, ones, ones, "BAD"),
        attempt(f, x, k, [1, 0, 1, 1], ones, "SAME"),
        attempt(f, x, k, ones, [1, 0, 1, 1], "SAME"),
    ]


@program()
def dilation2d_gradient_ops(tf):
    x, k, ones = tf.constant(X), tf.constant(numbers(3, 2, 3)), [1, 1, 1, 1]
    dy = tf.constant(numbers(2, 6, 7, 3))
    ys = [
        tf.raw_ops.Dilation2DBackpropInput(
            input=x, filter=k, out_backprop=dy, strides=ones, rates=ones, padding="SAME"
        ),
        tf.raw_ops.Dilation2DBackpropFilter(
            input=x, filter=k, out_backprop=dy, strides=ones, rates=ones, padding="SAME"
        ),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def with_space_to_batch(tf):
    x, w = tf.constant(X, name="x"), tf.constant(W, name="w")
    seen = []

    def op(inner, num_spatial_dims, padding):
        seen.append((num_spatial_dims, padding))
        return tf.nn.conv2d(inner, w, [1, 1, 1, 1], padding)

    ys = [
        tf.nn.with_space_to_batch(x, [2, 2], "SAME", op, filter_shape=tf.shape(w)),
        tf.nn.with_space_to_batch(x, [2, 1], "VALID", op),
        tf.nn.with_space_to_batch(x, [1, 1], "SAME", op),
        tf.nn.with_space_to_batch(x, tf.constant([2, 2]), "VALID", op),
        tf.nn.with_space_to_batch(x, [2], "SAME", op, filter_shape=[2], spatial_dims=[2]),
    ]
    with tf.Session() as sess:
        return ys, seen, sess.run(ys)


@program(graph=False)
def with_space_to_batch_mistakes(tf):
    x = tf.placeholder(tf.float32, [2, 6, 7, 3])

    def op(inner, num_spatial_dims, padding):
        return inner

    f = tf.nn.with_space_to_batch
    return [
        attempt(f, x, [2, 2], "SAME", op),
        attempt(f, x, [2, 2], "BAD", op),
        attempt(f, x, [0, 2], "VALID", op),
        attempt(f, x, 2, "VALID", op),
        attempt(f, x, [2, 2], "VALID", op, spatial_dims=[2, 1]),
        attempt(f, x, [2, 2], "VALID", op, spatial_dims=[0, 1]),
        attempt(f, tf.placeholder(tf.float32, [2, 6]), [2, 2], "VALID", op),
        attempt(f, x, tf.placeholder(tf.int32), "VALID", op),
    ]
