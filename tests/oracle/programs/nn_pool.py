"""Pooling over one, two and three axes, with indices, with holes, and the ops of its gradients."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def numbers(*shape):
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 0.7) * 2).astype(np.float32).reshape(shape)


X = numbers(2, 5, 6, 3)

POOL2D = {
    "same": dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
    "valid": dict(ksize=[1, 3, 2, 1], strides=[1, 1, 2, 1], padding="VALID"),
    "numbers": dict(ksize=2, strides=2, padding="SAME"),
    "pairs": dict(ksize=[3, 2], strides=[2, 1], padding="VALID"),
    "one in list": dict(ksize=[2], strides=[1], padding="SAME"),
    "overlapping": dict(ksize=3, strides=2, padding="SAME", name="mine"),
    "no window": dict(ksize=None, strides=None, padding="SAME"),
    "no format": dict(ksize=2, strides=1, padding="VALID", data_format=None),
    "tuples": dict(ksize=(1, 2, 2, 1), strides=(1, 2, 2, 1), padding="VALID"),
}


@program(cases=sorted(POOL2D))
def pool2d(tf, case):
    x = tf.constant(X, name="x")
    ys = [getattr(tf.nn, f)(x, **POOL2D[case]) for f in ("max_pool", "avg_pool", "max_pool2d", "avg_pool2d")]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def pool2d_ways_to_say_it(tf):
    x, ones, twos = tf.constant(X, name="x"), [1, 1, 1, 1], [1, 2, 2, 1]
    return [
        tf.nn.max_pool(x, twos, twos, "SAME", "NHWC", "positional"),
        tf.nn.avg_pool(x, twos, ones, "SAME", "NHWC", "positional"),
        tf.nn.avg_pool(input=x, value=None, ksize=twos, strides=ones, padding="SAME"),
        tf.nn.max_pool(None, twos, ones, "VALID", input=x),
        tf.nn.max_pool(X, 2, 2, "SAME"),
        tf.nn.avg_pool([[[[1.0], [2.0]]]], 2, 2, "SAME"),
        tf.nn.max_pool_v2(x, 2, 2, "SAME"),
        tf.nn.avg_pool_v2(x, 2, 2, "SAME", name="second"),
    ]


@program()
def max_pool_with_explicit_padding(tf):
    x = tf.constant(X, name="x")
    ys = [
        tf.nn.max_pool(x, 3, 2, [[0, 0], [1, 2], [0, 1], [0, 0]]),
        tf.nn.max_pool2d(x, [2, 3], 1, [[0, 0], [1, 0], [2, 2], [0, 0]], name="mine"),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def max_pool_over_depth(tf):
    x = tf.constant(numbers(1, 2, 2, 6), name="x")
    ys = [
        tf.nn.max_pool(x, [1, 1, 1, 3], [1, 1, 1, 3], "VALID"),
        tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], "SAME"),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(cases=["float16", "float64", "int32", "int64", "uint8", "int8", "int16", "bool", "complex64"])
def pool_types(tf, case):
    x = tf.placeholder(case, [1, 3, 4, 2])
    ys = [attempt(tf.nn.max_pool, x, 2, 1, "VALID"), attempt(tf.nn.avg_pool, x, 2, 1, "VALID")]
    with tf.Session() as sess:
        values = np.abs(numbers(1, 3, 4, 2) * 20).astype(case)
        return ys, [sess.run(y, {x: values}) for y in ys if hasattr(y, "op")]


@program()
def pool_of_nan_and_infinity(tf):
    x = np.array([[np.nan, 1, -np.inf, -np.inf, np.inf, np.nan, np.nan]], np.float32).reshape(1, 1, 7, 1)
    with tf.Session() as sess:
        return sess.run(tf.nn.avg_pool(x, [1, 2], 1, "VALID"))


@program()
def pool_of_nothing(tf):
    ys = [
        tf.nn.max_pool(tf.zeros([0, 4, 4, 1]), 2, 2, "SAME"),
        tf.nn.avg_pool(tf.zeros([2, 4, 4, 0]), 2, 2, "SAME"),
    ]
    with tf.Session() as sess:
        return ys, [attempt(sess.run, y) for y in ys]


@program(graph=False)
def pool_shapes(tf):
    def u(*shape):
        return tf.placeholder(tf.float32, list(shape))

    f, g = tf.nn.max_pool, tf.nn.avg_pool
    return [
        f(u(None, None, 6, 3), 2, 2, "SAME").shape,
        f(u(2, 5, 6, None), [1, 1, 1, 3], [1, 1, 1, 3], "SAME").shape,
        f(tf.placeholder(tf.float32), 2, 2, "VALID").shape,
        g(tf.placeholder(tf.float32), 2, 2, "VALID").shape,
        f(u(2, 3, 5, 6), 2, 2, "VALID", data_format="NCHW").shape,
        g(u(2, 3, 5, 6), 2, [1, 1, 1, 3], "SAME", data_format="NCHW").shape,
        f(u(2, 3, 5, 6), 2, 1, [[0, 0], [0, 0], [1, 1], [0, 1]], data_format="NCHW").shape,
        f(u(2, 2, 2, 3), 3, 2, "SAME").shape,
    ]


@program(graph=False)
def pool_mistakes(tf):
    x, ones = tf.constant(X), [1, 1, 1, 1]
    out = []
    for f in (tf.nn.max_pool, tf.nn.avg_pool):
        out += [
            attempt(f, x, [1, 9, 1, 1], ones, "VALID"),
            attempt(f, tf.zeros([5, 6, 3]), 2, 2, "SAME"),
            attempt(f, x, 2, 2, "same"),
            attempt(f, x, 2, 2, None),
            attempt(f, x, [1, 2, 2], 1, "SAME"),
            attempt(f, x, 2, [1, 2, 2], "SAME"),
            attempt(f, x, 2, 2, "SAME", data_format="NHCW"),
            attempt(f, x, 0, 2, "SAME"),
            attempt(f, x, 2, 0, "SAME"),
            attempt(f, x, 2, 2, "SAME", input=x),
            attempt(f, x, 2, 2, "EXPLICIT"),
            attempt(f, x, 2, 2, [[0, 0], [1, 1]]),
            attempt(f, x, 2, 2, [[0, 0], [1, 1], [1, 1], [0, 1]]),
            attempt(f, x, 2, 2, [[0, 0], [-1, 1], [1, 1], [0, 0]]),
            attempt(f, x, "a", 2, "SAME"),
            attempt(f, None, 2, 2, "SAME"),
            attempt(f, x, 2, 2, "SAME", use=True),
        ]
    return out


@program(cases=["batch window", "batch stride", "depth and space", "uneven depth", "depth stride"], messages=[])
def max_pool_refused_at_run_time(tf, case):
    ksize, strides = {
        "batch window": ([2, 1, 1, 1], [1, 1, 1, 1]),
        "batch stride": ([1, 1, 1, 1], [2, 1, 1, 1]),
        "depth and space": ([1, 2, 1, 3], [1, 1, 1, 3]),
        "uneven depth": ([1, 1, 1, 2], [1, 1, 1, 2]),
        "depth stride": ([1, 1, 1, 3], [1, 1, 1, 1]),
    }[case]
    with tf.Session() as sess:
        return sess.run(tf.nn.max_pool(tf.constant(X), ksize, strides, "VALID"))


POOL1D = {
    "same": dict(ksize=2, strides=2, padding="SAME"),
    "lists": dict(ksize=[3], strides=[1], padding="VALID", name="mine"),
    "three": dict(ksize=[1, 3, 1], strides=[1, 2, 1], padding="SAME"),
    "format": dict(ksize=2, strides=1, padding="SAME", data_format="NWC"),
}


@program(cases=sorted(POOL1D))
def pool1d(tf, case):
    x = tf.constant(numbers(2, 7, 3), name="x")
    ys = [tf.nn.max_pool1d(x, **POOL1D[case]), tf.nn.avg_pool1d(x, **POOL1D[case])]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def pool1d_static(tf):
    x = tf.placeholder(tf.float32, [2, 3, None])
    out = []
    for f in (tf.nn.max_pool1d, tf.nn.avg_pool1d):
        out += [
            f(x, 2, 2, "SAME", data_format="NCW"),
            f(tf.placeholder(tf.float32), 2, 2, "SAME"),
            attempt(f, x, 2, 2, "BAD"),
            attempt(f, tf.placeholder(tf.float32, [2, 3]), 2, 2, "SAME"),
            attempt(f, x, [1, 2], 2, "SAME"),
            attempt(f, x, 2, 2, [[0, 0], [1, 1], [0, 0]]),
            attempt(f, x, 2, 2, "EXPLICIT"),
        ]
    return out


POOL3D = {
    "same": dict(ksize=2, strides=2, padding="SAME"),
    "valid": dict(ksize=[2, 1, 3], strides=[1, 2, 1], padding="VALID", name="mine"),
    "five": dict(ksize=[1, 2, 2, 2, 1], strides=[1, 1, 1, 1, 1], padding="SAME"),
    "format": dict(ksize=2, strides=1, padding="VALID", data_format="NDHWC"),
}


@program(cases=sorted(POOL3D))
def pool3d(tf, case):
    x = tf.constant(numbers(1, 3, 4, 5, 2), name="x")
    ys = [tf.nn.max_pool3d(x, **POOL3D[case]), tf.nn.avg_pool3d(x, **POOL3D[case])]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(graph=False)
def pool3d_static(tf):
    def u(*shape):
        return tf.placeholder(tf.float32, list(shape))

    out = []
    for f in (tf.nn.max_pool3d, tf.nn.avg_pool3d):
        out += [
            f(u(None, 3, None, 5, 2), 2, 2, "SAME").shape,
            f(tf.placeholder(tf.float32), 2, 2, "SAME").shape,
            f(u(1, 2, 3, 4, 5), 2, 2, "VALID", data_format="NCDHW").shape,
            attempt(f, u(1, 3, 4, 5, 2), 4, 1, "VALID"),
            attempt(f, u(1, 3, 4, 5), 2, 1, "VALID"),
            attempt(f, u(1, 3, 4, 5, 2), [2, 2], 1, "VALID"),
            attempt(f, u(1, 3, 4, 5, 2), 2, 0, "VALID"),
            attempt(f, u(1, 3, 4, 5, 2), 2, 1, "BAD"),
            attempt(f, tf.placeholder(tf.int32, [1, 3, 4, 5, 2]), 2, 1, "SAME"),
            attempt(f, u(1, 3, 4, 5, 2), 0, 1, "SAME"),
        ]
    return out


@program()
def pools_by_rank(tf):
    out = []
    for f in (tf.nn.max_pool_v2, tf.nn.avg_pool_v2):
        out += [
            f(tf.constant(numbers(2, 7, 3)), 2, 2, "SAME"),
            f(tf.constant(X), 2, 2, "VALID", name="mine"),
            f(tf.constant(numbers(1, 3, 4, 5, 2)), 2, 2, "SAME"),
            f(tf.placeholder(tf.float32, [2, 3, 7]), 2, 2, "SAME", data_format="NCW"),
            f(tf.placeholder(tf.float32, [2, 3, 7, 8]), 2, 2, "SAME", data_format="NCHW"),
            attempt(f, tf.placeholder(tf.float32, [2, 3]), 2, 2, "SAME"),
            attempt(f, tf.placeholder(tf.float32), 2, 2, "SAME"),
            attempt(f, tf.placeholder(tf.float32), [2, 2], 2, "SAME", data_format="NHWC"),
            attempt(f, tf.placeholder(tf.float32, [2, 7, 3]), 2, 2, "SAME", data_format="NHWC"),
            attempt(f, [[[1.0], [2.0]]], 2, 2, "SAME"),
        ]
    return out


ARGMAX = {
    "same": dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
    "valid": dict(ksize=[1, 3, 2, 1], strides=[1, 1, 2, 1], padding="VALID", name="mine"),
    "batch": dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME", include_batch_in_index=True),
    "int32": dict(ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME", Targmax=np.int32),
    "output_dtype": dict(ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID", output_dtype=np.int32),
    "format": dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME", data_format="NHWC"),
}


@program(cases=sorted(ARGMAX))
def max_pool_with_argmax(tf, case):
    y = tf.nn.max_pool_with_argmax(tf.constant(X, name="x"), **ARGMAX[case])
    with tf.Session() as sess:
        return y, sess.run(y)


@program(graph=False)
def max_pool_with_argmax_mistakes(tf):
    f, x, twos = tf.nn.max_pool_with_argmax, tf.constant(X), [1, 2, 2, 1]
    return [
        f(tf.placeholder(tf.float32, [None, 5, None, 3]), twos, twos, "SAME").argmax.shape,
        attempt(f, x, 2, 2, "SAME"),
        attempt(f, x, twos, twos, "SAME", data_format="NCHW"),
        attempt(f, x, twos, twos, "BAD"),
        attempt(f, x, [1, 9, 9, 1], twos, "VALID"),
        attempt(f, x, twos, twos, "SAME", Targmax=tf.int32, output_dtype=tf.int32),
        attempt(f, x, twos, twos, "SAME", Targmax=tf.float32),
        attempt(f, tf.placeholder(tf.float32, [5, 6, 3]), twos, twos, "SAME"),
    ]


POOL = {
    "max": dict(window_shape=[2, 2], pooling_type="MAX", padding="SAME"),
    "average": dict(window_shape=[2, 3], pooling_type="AVG", padding="VALID", strides=[2, 1], name="mine"),
    "dilated": dict(window_shape=[2, 2], pooling_type="MAX", padding="VALID", dilation_rate=[2, 1]),
    "dilations": dict(window_shape=[2, 2], pooling_type="AVG", padding="VALID", dilations=[2, 2]),
    "format": dict(window_shape=[2, 2], pooling_type="MAX", padding="SAME", data_format="NHWC"),
    "dilated same": dict(window_shape=[2, 3], pooling_type="MAX", padding="SAME", dilation_rate=[2, 2]),
}


@program(cases=sorted(POOL))
def pool(tf, case):
    y = tf.nn.pool(tf.constant(np.abs(X), name="x"), **POOL[case])
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def pool_over_other_numbers_of_axes(tf):
    line, space = tf.constant(numbers(2, 7, 3)), tf.constant(numbers(1, 3, 4, 5, 2))
    ys = [
        tf.nn.pool(line, [2], "MAX", "SAME"),
        tf.nn.pool(line, [2], "AVG", "VALID", strides=[2]),
        tf.nn.pool(line, [2], "MAX", "VALID", dilation_rate=[2], name="holes"),
        tf.nn.pool(space, [2, 1, 2], "AVG", "SAME"),
        tf.nn.pool(space, [2, 1, 2], "MAX", "VALID", dilation_rate=[1, 2, 2]),
    ]
    first = [
        tf.nn.pool(tf.placeholder(tf.float32, [2, 3, 7]), [2], "MAX", "SAME", data_format="NCW"),
        tf.nn.pool(tf.placeholder(tf.float32, [2, 3, 7, 7]), [2, 2], "AVG", "VALID", data_format="NCHW"),
        tf.nn.pool(tf.placeholder(tf.float32, [2, 3, None, 7]), [2, 2], "MAX", "VALID", [2, 2], data_format="NCHW"),
        tf.nn.pool(tf.placeholder(tf.float32, [None, None, None, 7]), [2, 2], "MAX", "VALID", [2, 2]),
    ]
    with tf.Session() as sess:
        return ys, first, sess.run(ys)


@program(graph=False)
def pool_function_mistakes(tf):
    x, f = tf.placeholder(tf.float32, [2, 5, 6, 3]), tf.nn.pool
    return [
        attempt(f, x, [2, 2], "MEAN", "SAME"),
        attempt(f, x, [2, 2], "MAX", "BAD"),
        attempt(f, x, [2], "MAX", "SAME"),
        attempt(f, x, [2, 2, 2, 2], "MAX", "SAME"),
        attempt(f, tf.placeholder(tf.float32, [2, 1, 1, 1, 1, 3]), [1, 1, 1, 1], "MAX", "SAME"),
        attempt(f, x, [2, 2], "MAX", "VALID", dilation_rate=[2, 2], strides=[2, 2]),
        attempt(f, x, [2, 2], "MAX", "VALID", dilation_rate=[0, 2]),
        attempt(f, x, [2, 2], "MAX", "VALID", dilation_rate=[2, 2], dilations=[2, 2]),
        attempt(f, x, [2, 2], "MAX", "VALID", strides=[2]),
        attempt(f, x, [9, 2], "MAX", "VALID"),
        attempt(f, x, [2, 3], "MAX", "VALID", strides=[4, 4]),
    ]


# ---- the ops of the gradients

WINDOW = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
OVER = dict(ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1], padding="SAME")
DEEP = dict(ksize=[1, 2, 2, 2, 1], strides=[1, 1, 2, 2, 1], padding="VALID")


def pooled(x, options):
    """The maxima, so that the ops get what they would in a program."""
    k, s, same = options["ksize"][1:-1], options["strides"][1:-1], options["padding"] == "SAME"
    sizes = x.shape[1:-1]
    out = [-(-n // st) if same else (n - w) // st + 1 for n, w, st in zip(sizes, k, s)]
    pads = [max((o - 1) * st + w - n, 0) // 2 if same else 0 for o, st, w, n in zip(out, s, k, sizes)]
    result = np.empty([x.shape[0]] + out + [x.shape[-1]], x.dtype)
    for at in np.ndindex(*out):
        window = tuple(
            slice(max(p * st - b, 0), min(p * st - b + w, n)) for p, st, b, w, n in zip(at, s, pads, k, sizes)
        )
        axes = tuple(range(1, len(out) + 1))
        result[(slice(None),) + at] = x[(slice(None),) + window].max(axis=axes)
    return result


@program(cases=["window", "over"])
def max_pool_gradients(tf, case):
    options = WINDOW if case == "window" else OVER
    y = pooled(X, options)
    dy = numbers(*y.shape) + 1
    ys = [
        tf.raw_ops.MaxPoolGrad(orig_input=X, orig_output=y, grad=dy, **options),
        tf.raw_ops.MaxPoolGradGrad(orig_input=X, orig_output=y, grad=X * 2, **options),
        tf.raw_ops.AvgPoolGrad(orig_input_shape=[2, 5, 6, 3], grad=dy, **options),
    ]
    index = tf.nn.max_pool_with_argmax(X, **options).argmax
    ys.append(tf.raw_ops.MaxPoolGradWithArgmax(input=X, grad=dy, argmax=index, **options))
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def max_pool3d_gradients(tf):
    x = numbers(1, 3, 4, 5, 2)
    y = pooled(x, DEEP)
    dy = numbers(*y.shape) + 1
    ys = [
        tf.raw_ops.MaxPool3DGrad(orig_input=x, orig_output=y, grad=dy, **DEEP),
        tf.raw_ops.MaxPool3DGradGrad(orig_input=x, orig_output=y, grad=x * 2, **DEEP),
        tf.raw_ops.AvgPool3DGrad(orig_input_shape=[1, 3, 4, 5, 2], grad=dy, **DEEP),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(graph=False)
def pool_gradient_shapes(tf):
    def u(*shape):
        return tf.placeholder(tf.float32, list(shape))

    r, none = tf.raw_ops, tf.placeholder(tf.float32)
    sizes = tf.placeholder(tf.int32)
    four, five = u(2, None, 6, 3), u(1, 3, None, 5, 2)
    index = tf.placeholder(tf.int64, [2, None, 3, 3])
    return [
        r.MaxPoolGrad(orig_input=four, orig_output=none, grad=none, **WINDOW).shape,
        r.MaxPoolGrad(orig_input=none, orig_output=four, grad=none, **WINDOW).shape,
        r.MaxPoolGradGrad(orig_input=four, orig_output=none, grad=none, **WINDOW).shape,
        r.AvgPoolGrad(orig_input_shape=sizes, grad=four, **WINDOW).shape,
        r.AvgPoolGrad(orig_input_shape=[2, 5, 6, 3], grad=none, **WINDOW).shape,
        r.MaxPoolGradWithArgmax(input=four, grad=none, argmax=index, **WINDOW).shape,
        r.MaxPoolGradGradWithArgmax(input=four, grad=none, argmax=index, **WINDOW).shape,
        r.MaxPool3DGrad(orig_input=five, orig_output=none, grad=none, **DEEP).shape,
        r.MaxPool3DGradGrad(orig_input=five, orig_output=none, grad=none, **DEEP).shape,
        r.AvgPool3DGrad(orig_input_shape=sizes, grad=five, **DEEP).shape,
        attempt(r.MaxPoolGrad, orig_input=five, orig_output=none, grad=none, **WINDOW),
        attempt(r.AvgPoolGrad, orig_input_shape=[1, 2, 3], grad=none, **WINDOW),
        attempt(r.MaxPoolGradGrad, orig_input=four, orig_output=none, grad=u(3, 5, 6, 3), **WINDOW),
        attempt(r.MaxPool3DGrad, orig_input=four, orig_output=none, grad=none, **DEEP),
    ]


@program(cases=["max", "average"])
def fractional_pool(tf, case):
    f = tf.nn.fractional_max_pool if case == "max" else tf.nn.fractional_avg_pool
    x = tf.constant(X, name="x")
    ys = [
        f(x, [1.0, 1.4, 1.7, 1.0], False, False, True, 11, 22),
        f(x, [1.0, 1.4, 1.7, 1.0], True, False, True, 11, 22, name="mine"),
        f(x, [1.0, 1.3, 1.5, 1.0], True, True, True, seed=3, seed2=4),
        f(x, [1.0, 1.25, 1.5, 1.0], overlapping=True, deterministic=True, seed=5, seed2=6),
        f(tf.cast(x * 10, tf.int32), [1.0, 1.4, 1.7, 1.0], deterministic=True, seed=7, seed2=8),
    ]
    with tf.Session() as sess:
        return [y.output for y in ys], [list(sess.run(list(y))) for y in ys]
