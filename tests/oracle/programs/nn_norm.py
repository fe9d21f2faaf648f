"""Moments, batch normalisation in all its forms, local response normalisation, unit vectors."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def numbers(*shape):
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 0.7) * 2).astype(np.float32).reshape(shape)


X = numbers(2, 3, 2, 4)

L2 = {
    "axis": dict(axis=1),
    "last": dict(axis=-1),
    "axes": dict(axis=[1, 2]),
    "dim": dict(dim=0),
    "epsilon": dict(axis=0, epsilon=10.0),
    "named": dict(axis=3, name="unit"),
    "array": dict(axis=np.array([0, 1])),
    "tensor": None,
}


@program(cases=sorted(L2))
def l2_normalize(tf, case):
    x = tf.constant(X, name="x")
    y = tf.nn.l2_normalize(x, tf.constant([1, 2])) if case == "tensor" else tf.nn.l2_normalize(x, **L2[case])
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def l2_normalize_types(tf):
    z = (numbers(2, 3) + 1j * numbers(3, 2).T).astype(np.complex64)
    ys = [
        tf.nn.l2_normalize([[3.0, 4.0]], 1),
        tf.nn.l2_normalize(tf.constant(z), 1),
        tf.nn.l2_normalize(tf.constant(z), [0, 1], name="complex"),
        tf.nn.l2_normalize(tf.constant(X, tf.float64), 0),
        tf.nn.l2_normalize(tf.zeros([2, 2]), 0),
        tf.nn.l2_normalize(tf.placeholder(tf.float32), 0),
        tf.nn.l2_normalize(tf.placeholder(tf.float32, [None, 3]), 1),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys[:5])


@program(graph=False)
def l2_normalize_mistakes(tf):
    x = tf.placeholder(tf.float32, [2, 3])
    f = tf.nn.l2_normalize
    return [
        attempt(f, x, 2),
        attempt(f, x, axis=0, dim=1),
        attempt(f, [1, 2], 0),
        attempt(f, "text", 0),
        attempt(f, x, 1.5),
        attempt(f, x).shape,
    ]


MOMENTS = {
    "first": dict(axes=[0]),
    "space": dict(axes=[0, 1, 2]),
    "number": dict(axes=1),
    "keep_dims": dict(axes=[0, 1], keep_dims=True),
    "keepdims": dict(axes=[0, 1], keepdims=True, name="mine"),
    "negative": dict(axes=[-1]),
    "none": dict(axes=[]),
    "shift": dict(axes=[0], shift=1.0),
    "array": dict(axes=np.array([0, 2])),
}


@program(cases=sorted(MOMENTS))
def moments(tf, case):
    y = tf.nn.moments(tf.constant(X, name="x"), **MOMENTS[case])
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def moments_types(tf):
    ys = [
        tf.nn.moments(tf.constant(X, tf.float16), [0]),
        tf.nn.moments(tf.constant(X, tf.float64), [0, 1]),
        tf.nn.moments(tf.placeholder(tf.float32, [None, 3]), [0]),
        tf.nn.moments(tf.placeholder(tf.float32), [0]),
        tf.nn.moments(tf.constant(X), tf.constant([0, 1]), keepdims=True),
        attempt(tf.nn.moments, [[1.0, 2.0], [3.0, 5.0]], [0]),
        attempt(tf.nn.moments, tf.constant([1, 2, 6]), [0]),
        attempt(tf.nn.moments, tf.constant(X), [4]),
        attempt(tf.nn.moments, tf.constant(X), [0], keep_dims=True, keepdims=True),
        attempt(tf.nn.moments, tf.constant(X), tf.constant([0, 1])),
    ]
    with tf.Session() as sess:
        return ys, sess.run([ys[0], ys[1], ys[4]])


@program(cases=["vector", "full", "scalar", "keep", "integers", "half"])
def weighted_moments(tf, case):
    x = tf.constant(X, name="x")
    weights = {
        "vector": [1.0, 2.0, 0.5, 3.0],
        "full": np.abs(X),
        "scalar": 2.0,
        "keep": [1.0, 0.0, 0.0, 2.0],
        "integers": tf.constant([1, 2, 3, 4]),
        "half": [1.0, 2.0, 0.5, 3.0],
    }[case]
    if case == "half":
        x = tf.constant(X, tf.float16)
    options = dict(keep_dims=True, name="mine") if case == "keep" else {}
    y = tf.nn.weighted_moments(x, [0, 1], weights, **options)
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def sufficient_statistics(tf):
    x, unknown = tf.constant(X, name="x"), tf.placeholder(tf.float32, [None, 3, None])
    f = tf.nn.sufficient_statistics
    ys = [
        f(x, [0]),
        f(x, [0, 1], shift=1.5),
        f(x, [1, 2], keep_dims=True, name="mine"),
        f(x, [3], shift=tf.constant([1.0, 2.0, 3.0, 4.0]), keepdims=True),
        f(unknown, [0]),
        f(unknown, [0, 2], shift=0.5),
        f(unknown, [-1], name="last"),
        f([[1.0, 2.0]], [1]),
    ]
    with tf.Session() as sess:
        return ys, [sess.run(list(y[:3]), {unknown: numbers(2, 3, 2)}) for y in ys]


@program()
def normalize_moments(tf):
    f = tf.nn.normalize_moments
    ys = [
        f(4.0, tf.constant([2.0, 4.0]), tf.constant([6.0, 9.0]), None),
        f(tf.constant(4.0), [2.0, 4.0], [6.0, 9.0], 0.5, name="mine"),
        f(tf.constant(4.0), tf.constant([2.0]), tf.constant([6.0]), tf.constant([1.0])),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def moments_from_statistics(tf):
    counts, mean, variance, shift = tf.nn.sufficient_statistics(tf.constant(X), [0, 1, 2], shift=0.3)
    y = tf.nn.normalize_moments(counts, mean, variance, shift)
    with tf.Session() as sess:
        return sess.run(y)


MEAN, VARIANCE = numbers(4), np.abs(numbers(4)) + 0.5
OFFSET, SCALE = numbers(4) * 3, numbers(4) + 4


@program(cases=["both", "no scale", "no offset", "neither", "named", "half"])
def batch_normalization(tf, case):
    dtype = tf.float16 if case == "half" else tf.float32
    x = tf.constant(X, dtype, name="x")
    mean, variance, offset, scale = (tf.constant(v, dtype) for v in (MEAN, VARIANCE, OFFSET, SCALE))
    offset = None if case in ("no offset", "neither") else offset
    scale = None if case in ("no scale", "neither") else scale
    y = tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3, name="mine" if case == "named" else None)
    with tf.Session() as sess:
        return y, sess.run(y)


@program()
def batch_normalization_of_half_with_single_statistics(tf):
    y = tf.nn.batch_normalization(tf.constant(X, tf.float16), MEAN, VARIANCE, OFFSET, SCALE, 1e-3)
    z = tf.nn.batch_normalization(tf.constant(X, tf.float16), MEAN, tf.constant(VARIANCE), None, None, 1e-3)
    with tf.Session() as sess:
        return y, z, sess.run([y, z])


@program()
def batch_norm_with_global_normalization(tf):
    f = tf.nn.batch_norm_with_global_normalization
    x = tf.constant(X, name="x")
    m, v, b, g = (tf.constant(a) for a in (MEAN, VARIANCE, OFFSET, SCALE))
    ys = [
        f(x, m, v, b, g, 1e-3, True),
        f(x, m, v, b, g, 1e-3, False, name="mine"),
        f(input=x, mean=m, variance=v, beta=b, gamma=g, variance_epsilon=1e-3, scale_after_normalization=True),
    ]
    return ys, attempt(f, x, m, v, b, g, 1e-3, True, input=x)


FUSED = {
    "training": dict(),
    "epsilon": dict(epsilon=0.1, name="mine"),
    "inference": dict(mean=MEAN, variance=VARIANCE, is_training=False),
    "tiny epsilon": dict(mean=MEAN, variance=VARIANCE, is_training=False, epsilon=1e-7),
    "average": dict(mean=MEAN, variance=VARIANCE, exponential_avg_factor=0.3),
    "format": dict(data_format="NHWC"),
}


@program(cases=sorted(FUSED))
def fused_batch_norm(tf, case):
    x, scale, offset = tf.placeholder(tf.float32, X.shape, name="x"), tf.constant(SCALE), tf.constant(OFFSET)
    options = dict(FUSED[case])
    feeds = {x: X}
    for name in ("mean", "variance"):
        if name in options:
            value = options[name]
            options[name] = tf.placeholder(tf.float32, [4], name=name)
            feeds[options[name]] = value
    y = tf.nn.fused_batch_norm(x, scale, offset, **options)
    with tf.Session() as sess:
        return y, sess.run(y, feeds)


@program()
def fused_batch_norm_of_python_values_and_halves(tf):
    half = tf.nn.fused_batch_norm(tf.constant(X, tf.float16), SCALE, OFFSET)
    lists = tf.nn.fused_batch_norm([[[[1.0, 2.0], [4.0, 1.0]]]], [1.0, 1.0], [0.0, 3.0])
    with tf.Session() as sess:
        return half, lists, sess.run([half, lists])


@program(graph=False)
def fused_batch_norm_shapes_and_mistakes(tf):
    def u(*shape):
        return tf.placeholder(tf.float32, list(shape))

    f, c, x = tf.nn.fused_batch_norm, u(4), u(2, 3, 2, 4)
    anything = tf.placeholder(tf.float32)
    return [
        f(u(None, 3, None, 4), c, c),
        f(u(None, 3, None, None), c, c),
        f(anything, c, c),
        f(anything, anything, anything),
        f(u(2, 4, 3, 2), c, c, data_format="NCHW"),
        f(u(2, 3, 3, 2, 4), c, c, data_format="NDHWC"),
        f(u(2, 4, 3, 3, 2), c, c, data_format="NCDHW"),
        f(u(2, 3, 2, None), anything, anything, u(4), anything, is_training=False),
        attempt(f, x, u(3), c),
        attempt(f, x, c, u(3)),
        attempt(f, x, c, c, u(3), c, is_training=False),
        attempt(f, x, c, c, is_training=False),
        attempt(f, x, c, c, c, exponential_avg_factor=0.5),
        attempt(f, u(3, 2, 4), c, c),
        attempt(f, x, u(), c),
        attempt(f, x, c, c, data_format="NHCW"),
        attempt(f, tf.placeholder(tf.float64, [2, 3, 2, 4]), c, c),
        attempt(
            f,
            tf.placeholder(tf.float16, [2, 3, 2, 4]),
            tf.placeholder(tf.float16, [4]),
            tf.placeholder(tf.float16, [4]),
        ),
        attempt(f, x, "a", c),
    ]


VERSIONS = ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"]


@program(cases=VERSIONS)
def fused_batch_norm_ops(tf, case):
    f = getattr(tf.raw_ops, case)
    x, mean, variance = (tf.placeholder(tf.float32, value.shape) for value in (X, MEAN, VARIANCE))
    ys = [
        f(x=x, scale=SCALE, offset=OFFSET, mean=[], variance=[]),
        f(x=x, scale=SCALE, offset=OFFSET, mean=mean, variance=variance, is_training=False, epsilon=0.01),
    ]
    unknown = tf.placeholder(tf.float32)
    shapes = f(x=unknown, scale=unknown, offset=unknown, mean=unknown, variance=unknown)
    with tf.Session() as sess:
        return ys, shapes, [sess.run(list(y)[:5], {x: X, mean: MEAN, variance: VARIANCE}) for y in ys]


@program(cases=["FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"], tol=1e-4)
def fused_batch_norm_gradients(tf, case):
    f = getattr(tf.raw_ops, case)
    third = dict(reserve_space_3=[0.0]) if case.endswith("V3") else {}
    dy = numbers(2, 3, 2, 4) * 2 + 1
    ys = [
        f(
            y_backprop=dy,
            x=X,
            scale=SCALE,
            reserve_space_1=MEAN,
            reserve_space_2=VARIANCE,
            is_training=training,
            **third,
        )
        for training in (True, False)
    ]
    unknown = tf.placeholder(tf.float32)
    rest = dict(reserve_space_3=unknown) if case.endswith("V3") else {}
    shapes = f(y_backprop=unknown, x=unknown, scale=unknown, reserve_space_1=unknown, reserve_space_2=unknown, **rest)
    with tf.Session() as sess:
        return ys, shapes, [sess.run(list(y)[:3]) for y in ys]


LRN = {
    "default": dict(),
    "radius": dict(depth_radius=1),
    "all": dict(depth_radius=2, bias=2.0, alpha=0.5, beta=0.75, name="mine"),
    "beta 1": dict(depth_radius=1, alpha=1e-4, beta=1.0),
    "integers": dict(depth_radius=1.9, bias=1, alpha=1, beta=1),
}


@program(cases=sorted(LRN))
def local_response_normalization(tf, case):
    x = tf.constant(X, name="x")
    ys = [tf.nn.lrn(x, **LRN[case]), tf.nn.local_response_normalization(x, **LRN[case])]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program()
def lrn_positional_types_and_gradient(tf):
    y = tf.nn.lrn(X, 4, 1.0, 0.001 / 9.0, 0.75, "norm1")
    half = tf.nn.lrn(tf.constant(X, tf.float16), 1)
    d = tf.raw_ops.LRNGrad(input_grads=X, input_image=X * 2, output_image=X, depth_radius=2, alpha=0.5, beta=0.75)
    with tf.Session() as sess:
        return y, half, d, sess.run([y, half])


@program(graph=False)
def lrn_shapes_and_mistakes(tf):
    def u(*shape):
        return tf.placeholder(tf.float32, list(shape))

    f, g = tf.nn.lrn, tf.raw_ops.LRNGrad
    return [
        f(u(None, 3, None, 4)).shape,
        f(tf.placeholder(tf.float32)).shape,
        attempt(f, u(3, 2, 4)),
        attempt(f, tf.placeholder(tf.float64, [1, 1, 1, 4])),
        attempt(f, u(1, 1, 1, 4), "2"),
        attempt(f, u(1, 1, 1, 4), beta="x"),
        attempt(f, [[1.0]]),
        g(input_grads=u(None, 1, 1, 4), input_image=u(2, 1, 1, None), output_image=tf.placeholder(tf.float32)).shape,
        attempt(g, input_grads=u(2, 1, 1, 4), input_image=u(2, 1, 1, 5), output_image=u(2, 1, 1, 4)),
    ]
