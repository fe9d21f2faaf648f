"""Gradients of normalisation, pooling and convolutions, to third order where there is one."""

import numpy as np

from tests.oracle import attempt, program

X = np.array([[0.5, -1.25, 2.0], [7.5, 0.75, -0.5]])


def run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        return sess.run(fetches, feeds)


def waves(*shape):
    return np.sin(np.arange(np.prod(shape)) ** 2 * 0.37 + 0.5).reshape(shape)


def placed(tf, values, shapes, dtype):
    xs = [tf.placeholder(dtype, shape, name=f"x{i}") for i, shape in enumerate(shapes)]
    return xs, dict(zip(xs, values))


def chain(tf, y, xs, orders=2):
    """Gradients of y, of their weighted sum, and so on. None where nothing depends on an x any more."""
    found = []
    for _ in range(orders):
        grads = tf.gradients(y, xs)
        found.append(grads)
        y = [g * float(i + 1) for i, g in enumerate(grads) if g is not None]
        if not y:
            break
    return [[g for g in grads if g is not None] for grads in found]


# -- normalisation ----------------------------------------------------------------------------------------------------

FORMATS = {"NHWC": [2, 2, 3, 2], "NCHW": [2, 2, 2, 3], "NDHWC": [2, 2, 1, 3, 2], "NCDHW": [2, 2, 2, 1, 3]}
VERSIONS = {"1": "", "2": "V2", "3": "V3"}


@program(
    cases={
        f"{v}-{f}-{'own' if t else 'given'}": (VERSIONS[v], f, t)
        for v in VERSIONS
        for f in FORMATS
        for t in (True, False)
        if v == "3" or f == "NHWC"
    },
    tol=1e-5,
)
def batch_norm(tf, case):
    version, layout, training = case
    shape = FORMATS[layout]
    vectors = [[1.5, 0.5], [0.25, -1.0], [0.1, 0.2], [1.5, 2.5]]
    if training:
        vectors[2:] = [[], []]
    xs, feeds = placed(tf, [waves(*shape)] + vectors, [shape] + [[len(v)] for v in vectors], tf.float32)
    names = ("x", "scale", "offset", "mean", "variance")
    op = getattr(tf.raw_ops, "FusedBatchNorm" + version)
    y = op(epsilon=0.01, data_format=layout, is_training=training, **dict(zip(names, xs)))[0]
    found = chain(tf, y * y * y, xs[:3])
    return found if layout.startswith("NC") else run(tf, found, feeds)


@program(
    cases={
        f"{v}-{f}-{'own' if t else 'given'}-{d}": (VERSIONS[v], f, t, d)
        for v in VERSIONS
        for f in FORMATS
        for t in (True, False)
        for d in ("float32", "float16")
        if v == "3" or (f == "NHWC" and d == "float32")
    },
    tol=1e-5,
)
def batch_norm_slope(tf, case):
    """Its gradient is worked out on a tape: in another order, without a scope for each op."""
    version, layout, training, dtype = case
    shape = FORMATS[layout]
    values = [waves(*shape) + 0.25, waves(*shape), [1.5, 0.5], [0.1, 0.2], [1.5, 2.5], [0.0, 0.0]]
    xs = [tf.placeholder(dtype, shape), tf.placeholder(dtype, shape)]
    xs += [tf.placeholder(tf.float32, [2]) for _ in range(4)]
    feeds = dict(zip(xs, values))
    names = ["y_backprop", "x", "scale", "reserve_space_1", "reserve_space_2", "reserve_space_3"]
    inputs = dict(zip(names if version == "V3" else names[:5], xs))
    op = getattr(tf.raw_ops, "FusedBatchNormGrad" + version)
    outputs = op(epsilon=0.01, data_format=layout, is_training=training, **inputs)[:3]
    found = [g for g in tf.gradients(outputs, xs) if g is not None]
    return found if layout.startswith("NC") or dtype == "float16" else run(tf, found, feeds)


@program(tol=1e-5)
def batch_norm_slope_of_one_tensor(tf):
    """The images and the gradient are the same: both gradients count, and are added up once."""
    x, s = tf.placeholder(tf.float32, [2, 2, 3, 2]), tf.constant([1.5, 0.5])
    y = tf.raw_ops.FusedBatchNormGradV2(y_backprop=x, x=x, scale=s, reserve_space_1=s, reserve_space_2=s)
    return tf.gradients(y[0], x)


@program(cases={"batch": [None, 2, 3, 2]}, tol=1e-5)
def batch_norm_of_unknown_sizes(tf, case):
    x = tf.placeholder(tf.float32, case)
    y = tf.nn.fused_batch_norm(x, tf.constant([1.5, 0.5]), tf.constant([0.25, -1.0]))[0]
    return run(tf, chain(tf, y * y * y, [x]), {x: waves(2, 2, 3, 2)})


@program(cases=["mean", "scale"], tol=1e-5)
def batch_norm_in_simple_ops(tf, case):
    x = tf.placeholder(tf.float32, [None, 3])
    s = tf.placeholder(tf.float32, [3])
    mean, variance = tf.nn.moments(x, [0], keepdims=case == "mean")
    y = tf.nn.batch_normalization(x, mean, variance, s, s if case == "scale" else None, 0.001)
    return run(tf, chain(tf, y * y * y, [x, s]), {x: X, s: [1.0, 2.0, 0.5]})


LRN = {"default": {}, "near": {"depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 0.75}}


@program(cases=list(LRN), tol=1e-5)
def lrn(tf, case):
    x = tf.placeholder(tf.float32, [None, 2, 2, 4])
    return run(tf, tf.gradients(tf.square(tf.nn.lrn(x, **LRN[case])), x), {x: waves(2, 2, 2, 4)})


# -- pooling ----------------------------------------------------------------------------------------------------------

POOLS = {
    "max": lambda tf, x: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    "max_overlapping": lambda tf, x: tf.nn.max_pool(x, [1, 3, 3, 1], [1, 1, 2, 1], "VALID"),
    "avg": lambda tf, x: tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    "avg_overlapping": lambda tf, x: tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 1, 2, 1], "VALID"),
}
POOLS_3D = {
    "max": lambda tf, x: tf.nn.max_pool3d(x, [1, 2, 2, 2, 1], [1, 2, 1, 2, 1], "SAME"),
    "avg": lambda tf, x: tf.nn.avg_pool3d(x, [1, 2, 2, 2, 1], [1, 2, 1, 2, 1], "SAME"),
}


@program(cases={f"{n}-{s}": (n, s) for n in POOLS for s in (2, None)}, tol=1e-5)
def pools_thrice(tf, case):
    x = tf.placeholder(tf.float32, [case[1], 5, 4, 2])
    y = POOLS[case[0]](tf, x)
    return run(tf, chain(tf, y * y * y, [x], orders=3 if case[1] else 2), {x: waves(2, 5, 4, 2)})


@program(cases={f"{n}-{s}": (n, s) for n in POOLS_3D for s in (1, None)}, tol=1e-5)
def pools_3d_thrice(tf, case):
    x = tf.placeholder(tf.float32, [case[1], 3, 4, 3, 2])
    y = POOLS_3D[case[0]](tf, x)
    return run(tf, chain(tf, y * y * y, [x], orders=3 if case[1] else 2), {x: waves(1, 3, 4, 3, 2)})


@program(cases=["MaxPoolGrad", "MaxPoolGradGrad", "MaxPool3DGrad", "MaxPool3DGradGrad"], tol=1e-5)
def slopes_of_max_pools(tf, case):
    deep = [2] if "3D" in case else []
    whole, pooled = [1, 4] + [4] * len(deep) + [4, 2], [1, 2] + [2] * len(deep) + [2, 2]
    shapes = [whole, pooled, whole if case.endswith("GradGrad") else pooled]
    xs, feeds = placed(tf, [waves(*s) for s in shapes], shapes, tf.float32)
    window = [1, 2, 2] + deep + [1]
    value = feeds[xs[0]]
    space = tuple(range(1, len(whole) - 1))
    pairs = value.reshape([1] + [n for size in whole[1:-1] for n in (size // 2, 2)] + [2])
    feeds[xs[1]] = pairs.max(axis=tuple(2 * i for i in space))
    op = getattr(tf.raw_ops, case)
    y = op(orig_input=xs[0], orig_output=xs[1], grad=xs[2], ksize=window, strides=window, padding="VALID")
    return run(tf, [g for g in tf.gradients(y * y, xs) if g is not None], feeds)


@program(cases=["AvgPoolGrad", "AvgPool3DGrad"], tol=1e-5)
def slopes_of_average_pools(tf, case):
    deep = [2] if "3D" in case else []
    whole, pooled = [1, 4] + [4] * len(deep) + [4, 2], [1, 2] + [2] * len(deep) + [2, 2]
    dy = tf.placeholder(tf.float32, pooled)
    window = [1, 2, 2] + deep + [1]
    op = getattr(tf.raw_ops, case)
    y = op(orig_input_shape=whole, grad=dy, ksize=window, strides=window, padding="SAME")
    return run(tf, tf.gradients(y * y, dy), {dy: waves(*pooled)})


@program(cases=[2, None], tol=1e-5)
def max_pool_with_argmax(tf, case):
    x = tf.placeholder(tf.float32, [case, 4, 4, 2])
    y = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")[0]
    return run(tf, tf.gradients(y * y, x), {x: waves(2, 4, 4, 2)})


@program(cases=[("Max", True), ("Max", False), ("Avg", True), ("Avg", False)], tol=1e-5)
def fractional_pools(tf, case):
    """The regions are given, since they are drawn in another order here."""
    kind, overlapping = case
    x, dy = tf.placeholder(tf.float32, [1, 6, 6, 2]), tf.placeholder(tf.float32, [1, 3, 3, 2])
    rows = tf.constant([0, 2, 3, 6], tf.int64)
    value, pooled = waves(1, 6, 6, 2), waves(1, 3, 3, 2)
    common = dict(out_backprop=dy, row_pooling_sequence=rows, col_pooling_sequence=rows, overlapping=overlapping)
    if kind == "Max":
        y = tf.raw_ops.FractionalMaxPoolGrad(orig_input=x, orig_output=dy, **common)
        return attempt(tf.gradients, y, [dy])
    y = tf.raw_ops.FractionalAvgPoolGrad(orig_input_tensor_shape=value.shape, **common)
    return run(tf, y, {dy: pooled}), attempt(tf.gradients, y, dy)


BAD_CUTS = {
    "another_result": ([0, 3, 6], [1, 2, 2, 1], 0.0),
    "too_few": ([0, 6], [1, 2, 2, 1], None),
    "a_matrix": ([[0, 3, 6]], [1, 2, 2, 1], None),
    "negative": ([-1, 3, 6], [1, 2, 2, 1], None),
    "rank": ([0, 3, 6], [1, 2, 2], None),
}


@program(
    cases={f"{n}-{k}": (n, k) for n in BAD_CUTS for k in ("Max", "Avg") if (n, k) != ("another_result", "Avg")},
    messages=[],
)
def fractional_pools_refuse(tf, case):
    rows, shape, result = BAD_CUTS[case[0]]
    given, dy, cuts = [tf.placeholder(t) for t in ("float32", "float32", "int64")]
    common = dict(out_backprop=dy, row_pooling_sequence=cuts, col_pooling_sequence=[0, 3, 6])
    feeds = {given: np.full(shape, 35.0 if result is None else result), dy: np.ones(shape), cuts: rows}
    if case[1] == "Max":
        image = tf.constant(np.full([1, 6, 6, 1], 35.0), tf.float32)
        y = tf.raw_ops.FractionalMaxPoolGrad(orig_input=image, orig_output=given, **common)
    else:
        y = tf.raw_ops.FractionalAvgPoolGrad(orig_input_tensor_shape=[1, 6, 6, 1], **common)
    return run(tf, y, feeds)


# -- convolutions -----------------------------------------------------------------------------------------------------

CONVOLUTIONS = {
    "same": dict(strides=[1, 1, 1, 1], padding="SAME"),
    "strided": dict(strides=[1, 2, 2, 1], padding="VALID"),
    "explicit": dict(strides=[1, 1, 2, 1], padding=[[0, 0], [1, 0], [0, 2], [0, 0]]),
}


@program(cases={f"{n}-{s}": (n, s) for n in CONVOLUTIONS for s in (2, None)}, tol=1e-5)
def convolutions_thrice(tf, case):
    name, batch = case
    shapes = [[batch, 5, 4, 2], [3, 2, 2, 2]]
    xs, feeds = placed(tf, [waves(2, 5, 4, 2), waves(3, 2, 2, 2)], shapes, tf.float32)
    y = tf.nn.conv2d(xs[0], xs[1], **CONVOLUTIONS[name])
    return run(tf, chain(tf, y * y, xs, orders=3 if case == ("same", 2) else 2), feeds)


@program(cases=list(CONVOLUTIONS), tol=1e-5)
def transposed_convolutions_twice(tf, case):
    options = CONVOLUTIONS[case]
    image, filters = [1, 5, 4, 2], [3, 2, 2, 2]
    shape = tf.nn.conv2d(tf.zeros(image), tf.zeros(filters), **options).shape.as_list()
    xs, feeds = placed(tf, [waves(*shape), waves(*filters)], [shape, filters], tf.float32)
    y = tf.nn.conv2d_transpose(xs[0], xs[1], output_shape=image, **options)
    return run(tf, chain(tf, y * y, xs), feeds)


@program(cases=["Conv2DBackpropFilter", "Conv2DBackpropInput"], tol=1e-5)
def slopes_of_convolutions(tf, case):
    image, filters, result = [1, 4, 4, 2], [3, 3, 2, 2], [1, 2, 2, 2]
    attrs = dict(strides=[1, 1, 1, 1], padding="VALID")
    if case == "Conv2DBackpropFilter":
        xs, feeds = placed(tf, [waves(*image), waves(*result)], [image, result], tf.float32)
        y = tf.raw_ops.Conv2DBackpropFilter(input=xs[0], filter_sizes=filters, out_backprop=xs[1], **attrs)
    else:
        xs, feeds = placed(tf, [waves(*filters), waves(*result)], [filters, result], tf.float32)
        y = tf.raw_ops.Conv2DBackpropInput(input_sizes=image, filter=xs[0], out_backprop=xs[1], **attrs)
    return run(tf, chain(tf, y * y, xs), feeds)


@program(cases=["SAME", "VALID"], tol=1e-5)
def convolutions_3d_twice(tf, case):
    shapes = [[None, 3, 4, 3, 2], [2, 2, 2, 2, 1]]
    xs, feeds = placed(tf, [waves(1, 3, 4, 3, 2), waves(2, 2, 2, 2, 1)], shapes, tf.float32)
    y = tf.nn.conv3d(xs[0], xs[1], [1, 1, 2, 1, 1], case)
    return run(tf, chain(tf, y * y, xs), feeds)


@program(cases=["SAME", "VALID"], tol=1e-5)
def transposed_convolutions_3d_twice(tf, case):
    image, filters = [1, 3, 4, 3, 1], [2, 2, 2, 1, 2]
    shape = tf.nn.conv3d(tf.zeros(image), tf.zeros(filters), [1, 1, 2, 1, 1], case).shape.as_list()
    xs, feeds = placed(tf, [waves(*shape), waves(*filters)], [shape, filters], tf.float32)
    y = tf.nn.conv3d_transpose(xs[0], xs[1], image, [1, 1, 2, 1, 1], case)
    return run(tf, chain(tf, y * y, xs), feeds)


@program(cases={f"{p}-{m}": (p, m) for p in ("SAME", "VALID") for m in (1, 2)}, tol=1e-5)
def depthwise_thrice(tf, case):
    padding, multiplier = case
    shapes = [[None, 4, 5, 2], [2, 3, 2, multiplier]]
    xs, feeds = placed(tf, [waves(2, 4, 5, 2), waves(2, 3, 2, multiplier)], shapes, tf.float32)
    y = tf.nn.depthwise_conv2d_native(xs[0], xs[1], [1, 1, 1, 1], padding)
    return run(tf, chain(tf, y * y, xs, orders=3 if case == ("SAME", 2) else 2), feeds)


@program(tol=1e-5)
def separable_twice(tf):
    shapes = [[1, 4, 4, 2], [2, 2, 2, 2], [1, 1, 4, 3]]
    xs, feeds = placed(tf, [waves(*shape) for shape in shapes], shapes, tf.float32)
    y = tf.nn.separable_conv2d(xs[0], xs[1], xs[2], [1, 1, 1, 1], "SAME")
    return run(tf, chain(tf, y * y, xs), feeds)


@program(cases=["SAME", "VALID"], tol=1e-5)
def dilation(tf, case):
    shapes = [[None, 4, 4, 2], [2, 2, 2]]
    xs, feeds = placed(tf, [waves(2, 4, 4, 2), waves(2, 2, 2)], shapes, tf.float32)
    y = tf.nn.dilation2d(xs[0], xs[1], [1, 1, 2, 1], [1, 2, 1, 1], case)
    return run(tf, tf.gradients(y * y, xs), feeds)
