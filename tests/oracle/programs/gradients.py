"""`tf.gradients`: the graph it adds, node by node, and what that computes."""

import numpy as np

from tests.oracle import attempt, program

SHAPES = {"known": [2, 3], "rows": [None, 3], "unknown": None}
X = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]], np.float32)
POSITIVE = np.array([[0.5, 1.25, 2.0], [1.5, 0.75, 0.25]], np.float32)
TIES = np.array([[2.0, 1.0, 2.0], [0.0, 0.0, 0.0]], np.float32)


def run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


def of(tf, function, value, shape, dtype=None):
    x = tf.placeholder(dtype or tf.float32, shape, name="x")
    return run(tf, tf.gradients(function(x), x), {x: value})


UNARY = {
    "neg": lambda tf, x: -x,
    "abs": lambda tf, x: tf.abs(x),
    "sign": lambda tf, x: tf.sign(x),
    "square": lambda tf, x: tf.square(x),
    "exp": lambda tf, x: tf.exp(x),
    "expm1": lambda tf, x: tf.expm1(x),
    "tanh": lambda tf, x: tf.tanh(x),
    "sigmoid": lambda tf, x: tf.sigmoid(x),
    "sin": lambda tf, x: tf.sin(x),
    "cos": lambda tf, x: tf.cos(x),
    "reciprocal": lambda tf, x: tf.reciprocal(x),
    "relu": lambda tf, x: tf.nn.relu(x),
    "relu6": lambda tf, x: tf.nn.relu6(x),
    "leaky_relu": lambda tf, x: tf.nn.leaky_relu(x, 0.25),
    "elu": lambda tf, x: tf.nn.elu(x),
    "selu": lambda tf, x: tf.nn.selu(x),
    "softplus": lambda tf, x: tf.nn.softplus(x),
    "softsign": lambda tf, x: tf.nn.softsign(x),
    "identity": lambda tf, x: tf.identity(x),
    "cast": lambda tf, x: tf.cast(x, tf.float64),
    "cast_to_int": lambda tf, x: tf.cast(tf.cast(x, tf.int32), tf.float32) + x,
    "add_n": lambda tf, x: tf.add_n([x, x * 2.0, x]),
    "stop_gradient": lambda tf, x: x * tf.stop_gradient(x),
    "clip": lambda tf, x: tf.clip_by_value(x, -1.0, 1.0),
    "softmax": lambda tf, x: tf.nn.softmax(x) * x,
    "log_softmax": lambda tf, x: tf.nn.log_softmax(x) * x,
    "l2_loss": lambda tf, x: tf.nn.l2_loss(x),
    "log_sigmoid": lambda tf, x: tf.log_sigmoid(x),
    "reduce_logsumexp": lambda tf, x: tf.reduce_logsumexp(x, 1),
}


@program(cases={f"{n}-{s}": (f, shape) for n, f in UNARY.items() for s, shape in SHAPES.items()}, tol=1e-5)
def unary(tf, case):
    return of(tf, lambda x: case[0](tf, x), X, case[1])


@program(cases={"log": "log", "log1p": "log1p", "sqrt": "sqrt", "rsqrt": "rsqrt"}, tol=1e-5)
def positive(tf, case):
    return of(tf, lambda x: getattr(tf, case)(x), POSITIVE, [None, 3])


@program(
    cases=[
        "Add",
        "AddV2",
        "Sub",
        "Mul",
        "RealDiv",
        "Div",
        "DivNoNan",
        "MulNoNan",
        "Pow",
        "Maximum",
        "Minimum",
        "SquaredDifference",
        "FloorMod",
        "FloorDiv",
    ],
    tol=1e-5,
)
def binary(tf, case):
    """Every pair of shapes: equal, broadcast, of unknown sizes and of unknown rank."""
    values = {
        "a": POSITIVE,
        "row": POSITIVE[:1],
        "column": POSITIVE[:, :1],
        "vector": POSITIVE[1],
        "one": POSITIVE[0, 0],
    }
    found = []
    pairs = [
        ("a", [2, 3], "a", [2, 3]), ("a", [2, 3], "row", [1, 3]), ("a", [2, 3], "vector", [3]),
        ("one", [], "a", [2, 3]), ("a", [None, 3], "a", [None, 3]), ("a", [None, 3], "vector", [3]),
        ("column", [None, 1], "row", [1, 3]), ("a", [None, 3], "one", []), ("a", None, "row", [None, 3]),
        ("row", None, "column", None),
    ]  # fmt: skip
    function = getattr(tf.raw_ops, case)
    feeds = {}
    for i, (first, first_shape, second, second_shape) in enumerate(pairs):
        x = tf.placeholder(tf.float32, first_shape, name=f"x{i}")
        y = tf.placeholder(tf.float32, second_shape, name=f"y{i}")
        feeds[x], feeds[y] = values[first], values[second]
        found.append([g for g in tf.gradients(function(x=x, y=y), [x, y]) if g is not None])
    return run(tf, found, feeds)


@program(cases=["float32", "float64", "complex64"], tol=1e-5)
def types(tf, case):
    x = tf.constant([1.5, 2.0], case)
    y = tf.constant([[0.5], [3.0]], case)
    z = x * y + tf.square(x) / y - tf.exp(x)
    return run(tf, tf.gradients(z, [x, y], grad_ys=tf.ones_like(z)))


@program(tol=1e-5)
def integers(tf):
    x = tf.constant([1, 2])
    y = tf.constant([1.0, 2.0])
    return [
        tf.gradients(x * x, x),
        tf.gradients(tf.cast(y, tf.int32), y),
        run(tf, tf.gradients(y * tf.cast(x, tf.float32), y)),
    ]


@program(cases={f"{a}{b}": (a, b) for a in (False, True) for b in (False, True)}, tol=1e-5)
def matmul(tf, case):
    first, second = case
    a = tf.placeholder(tf.float32, [3, 2] if first else [2, 3], name="a")
    b = tf.placeholder(tf.float32, [None, 3] if second else [3, None], name="b")
    feeds = {a: X.T if first else X, b: POSITIVE if second else POSITIVE.T}
    return run(tf, tf.gradients(tf.matmul(a, b, transpose_a=first, transpose_b=second), [a, b]), feeds)


@program(cases={f"{a}{b}": (a, b) for a in (False, True) for b in (False, True)}, tol=1e-5)
def batch_matmul(tf, case):
    first, second = case
    numbers = np.arange(12, dtype=np.float32).reshape(2, 2, 3) / 8
    found = []
    feeds = {}
    for i, (left, right) in enumerate([((2,), (2,)), ((None,), (None,)), ((2,), (1,)), ((2,), ())]):
        a = tf.placeholder(tf.float32, left + ((3, 2) if first else (2, 3)), name=f"a{i}")
        b = tf.placeholder(tf.float32, right + ((2, 3) if second else (3, 2)), name=f"b{i}")
        feeds[a] = np.swapaxes(numbers, 1, 2) if first else numbers
        value = numbers if second else np.swapaxes(numbers, 1, 2)
        feeds[b] = value if right in ((2,), (None,)) else value[:1] if right else value[0]
        found.append(tf.gradients(tf.matmul(a, b, adjoint_a=first, adjoint_b=second), [a, b]))
    return run(tf, found, feeds)


AXES = {
    "all": (None, False),
    "all_kept": (None, True),
    "one": (1, False),
    "first_kept": (0, True),
    "negative": ([-1], False),
    "two": ([0, 1], False),
    "none": ([], False),
}


@program(
    cases={
        f"{op}-{axes}-{shape}": (op, axes, shape)
        for op in ("sum", "mean", "max", "min", "prod")
        for axes in AXES
        for shape in SHAPES
    },
    tol=1e-5,
)
def reductions(tf, case):
    op, axes, shape = case
    axis, keep = AXES[axes]
    value = TIES if op in ("max", "min") else X
    return of(tf, lambda x: getattr(tf, "reduce_" + op)(x, axis, keepdims=keep), value, SHAPES[shape])


ARRAYS = {
    "reshape": lambda tf, x: tf.reshape(x, [3, -1]) * tf.reshape(x, [3, -1]),
    "reshape_shape": lambda tf, x: tf.reshape(x, [tf.shape(x)[1], tf.shape(x)[0]]),
    "squeeze": lambda tf, x: tf.squeeze(tf.expand_dims(x, 1), 1),
    "expand_dims": lambda tf, x: tf.expand_dims(x, -1) * 2.0,
    "transpose": lambda tf, x: tf.square(tf.transpose(x)),
    "transpose_perm": lambda tf, x: tf.square(tf.transpose(x, [1, 0])),
    "concat": lambda tf, x: tf.concat([x, 2.0 * x, x[:, :1]], 1),
    "concat_negative": lambda tf, x: tf.square(tf.concat([x, x], -1)),
    "concat_one": lambda tf, x: tf.concat([x], 0),
    "split": lambda tf, x: tf.add_n(tf.split(x, 3, 1)),
    "split_one": lambda tf, x: tf.split(x, 3, 1)[1],
    "split_sizes": lambda tf, x: tf.split(x, [1, 2], 1)[1],
    "stack": lambda tf, x: tf.square(tf.stack([x, x], 1)),
    "unstack": lambda tf, x: tf.unstack(x, 3, axis=1)[2],
    "slice": lambda tf, x: tf.square(tf.slice(x, [0, 1], [-1, 2])),
    "strided_slice": lambda tf, x: x[1:, ::-2] * x[:1, 1:],
    "strided_slice_index": lambda tf, x: x[0] * x[:, 1, tf.newaxis],
    "strided_slice_tensor": lambda tf, x: x[:, : tf.shape(x)[0]],
    "pad": lambda tf, x: tf.square(tf.pad(x, [[1, 0], [2, 1]])),
    "pad_value": lambda tf, x: tf.square(tf.pad(x, [[1, 0], [2, 1]], constant_values=1.0)),
    "mirror_pad": lambda tf, x: tf.square(tf.pad(x, [[1, 0], [1, 1]], "REFLECT")),
    "tile": lambda tf, x: tf.square(tf.tile(x, [2, 3])),
    "gather": lambda tf, x: tf.gather(x, [1, 0, 1]),
    "gather_twice": lambda tf, x: tf.gather(x, [1, 0]) + tf.nn.embedding_lookup(x, [1, 1]),
    "gather_of_gather": lambda tf, x: tf.gather(tf.gather(x, [1, 0, 1]), [0, 0]),
    "gather_axis": lambda tf, x: tf.gather(x, [2, 2, 0], axis=1),
    "gather_negative": lambda tf, x: tf.gather(x, [2, 2, 0], axis=-1),
    "gather_reshaped": lambda tf, x: tf.gather(tf.reshape(x, [3, 2]), [1, 1]),
    "gather_tiled": lambda tf, x: tf.gather(tf.tile(x, [2, 1]), [3, 0]),
    "gather_batch": lambda tf, x: tf.gather(x, [[2, 2], [0, 1]], batch_dims=1),
    "gather_nd": lambda tf, x: tf.gather_nd(x, [[1, 2], [0, 0], [1, 2]]),
    "gather_nd_rows": lambda tf, x: tf.gather_nd(x, [[1], [0]]),
    "where": lambda tf, x: tf.where(x > 0, x, tf.square(x)),
    "where_v2": lambda tf, x: tf.where_v2(x > 0, x, 0.0) * tf.where_v2(x > 0.6, x[:1], x),
    "broadcast_to": lambda tf, x: tf.square(tf.broadcast_to(x, [4, 2, 3])),
    "fill": lambda tf, x: tf.fill([2, 2], x[0, 0]),
    "reverse": lambda tf, x: tf.square(tf.reverse(x, [1])),
    "cumsum": lambda tf, x: tf.cumsum(x, 1) * tf.cumsum(x, 1, exclusive=True, reverse=True),
    "segment_sum": lambda tf, x: tf.segment_sum(x, [0, 0]),
    "zeros_like": lambda tf, x: x + tf.zeros_like(x) * tf.cast(tf.shape(x)[0], tf.float32),
    "norm": lambda tf, x: tf.norm(x, axis=1),
    "moments": lambda tf, x: tf.nn.moments(x, [0])[1],
    "band_part": lambda tf, x: tf.matrix_band_part(x, 0, -1),
}  # fmt: skip


@program(cases={f"{n}-{s}": (f, SHAPES[s]) for n, f in ARRAYS.items() for s in ("known", "rows")}, tol=1e-5)
def arrays(tf, case):
    return of(tf, lambda x: case[0](tf, x), X, case[1])


@program(cases=["tan", "sinh", "cosh", "asin", "acos", "atan", "asinh", "atanh", "erf", "erfc", "lgamma"], tol=1e-4)
def functions(tf, case):
    return of(tf, lambda x: getattr(tf, case)(x), POSITIVE / 4, [None, 3])


SLOPES = {
    "TanhGrad": ("y", "dy"),
    "SigmoidGrad": ("y", "dy"),
    "SqrtGrad": ("y", "dy"),
    "RsqrtGrad": ("y", "dy"),
    "ReciprocalGrad": ("y", "dy"),
    "EluGrad": ("gradients", "outputs"),
    "SeluGrad": ("gradients", "outputs"),
}


@program(cases={f"{n}-{s}": (n, SHAPES[s]) for n in SLOPES for s in ("known", "rows")}, tol=1e-5)
def slopes(tf, case):
    """Second derivatives are made of these."""
    type, shape = case
    a, b = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, shape)
    y = getattr(tf.raw_ops, type)(**dict(zip(SLOPES[type], (a, b))))
    return run(tf, [y, tf.gradients(y, [a, b])], {a: POSITIVE, b: X})


@program(cases=["NHWC", "NCHW"])
def bias_twice(tf, case):
    x, b = tf.placeholder(tf.float32, [None, 2, 3, 2]), tf.constant([1.0, 2.0])
    value = np.arange(24, dtype=np.float32).reshape(2, 2, 3, 2)
    grad = tf.gradients(tf.square(tf.nn.bias_add(x, b, case)), b)[0]
    nodes = tf.gradients(grad, x)
    return nodes if case == "NCHW" else run(tf, [grad, nodes], {x: value})


@program(cases=[[2, 3], [None, 3]])
def unsorted_segments(tf, case):
    x = tf.placeholder(tf.float32, case)
    ids, unknown = tf.constant([1, -1]), tf.placeholder(tf.int32, [None])
    found = [tf.gradients(tf.unsorted_segment_sum(x, i, 3), x) for i in (ids, unknown)]
    return run(tf, found, {x: X, unknown: [2, 2]})


@program(cases=[(False, False), (True, False), (False, True)], tol=1e-5)
def cumprod(tf, case):
    return of(tf, lambda x: tf.cumprod(x, 1, exclusive=case[0], reverse=case[1]), X, [None, 3])


@program(cases=[(t, f) for t in (True, False) for f in ("NHWC", "NCHW")], tol=1e-4)
def batch_norm(tf, case):
    training, layout = case
    x = tf.placeholder(tf.float32, [None, 3, 3, 2] if layout == "NHWC" else [None, 2, 3, 3])
    vectors = [tf.constant(v) for v in ([1.5, 0.5], [0.25, -1.0], [0.1, 0.2], [1.5, 2.5])]
    given = vectors[:2] if training else vectors
    y = tf.nn.fused_batch_norm(x, *given, is_training=training, data_format=layout)[0]
    nodes = tf.gradients(y * y, [x] + given[:2])
    value = np.sin(np.arange(36, dtype=np.float32)).reshape(2, 3, 3, 2)
    return nodes if layout == "NCHW" else run(tf, nodes, {x: value})


OTHERS = {
    "diag": (lambda tf, x: tf.diag(x), [[3]]),
    "diag_part": (lambda tf, x: tf.diag_part(x), [[3, 3]]),
    "reverse_seq": (lambda tf, x: tf.reverse_sequence(x, [1, 2], seq_axis=1), [[2, 3]]),
    "roll": (lambda tf, x: tf.roll(x, 1, 0), [[2, 3]]),
    "dyn_part": (lambda tf, x: tf.dynamic_partition(x, [0, 1], 2)[0], [[2, 3]]),
    "dyn_stitch": (lambda tf, x: tf.dynamic_stitch([[0, 1]], [x]), [[2, 3]]),
    "inverse": (lambda tf, x: tf.matrix_inverse(x), [[3, 3]]),
    "det": (lambda tf, x: tf.matrix_determinant(x), [[3, 3]]),
    "solve": (lambda tf, x, y: tf.matrix_solve(x, y), [[3, 3], [3, 1]]),
    "depthwise": (lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), [[None, 4, 4, 2], [2, 2, 2, 1]]),
    "dilation": (
        lambda tf, x, w: tf.nn.dilation2d(x, w, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
        [[None, 4, 4, 2], [2, 2, 2]],
    ),
    "conv3d": (lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "SAME"), [[None, 4, 4, 4, 2], [2, 2, 2, 2, 1]]),
    "maxpool3d": (lambda tf, x: tf.nn.max_pool3d(x, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME"), [[None, 4, 4, 4, 2]]),
    "avgpool3d": (lambda tf, x: tf.nn.avg_pool3d(x, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME"), [[None, 4, 4, 4, 2]]),
    "lrn": (lambda tf, x: tf.nn.lrn(x), [[None, 4, 4, 2]]),
    "s2b": (lambda tf, x: tf.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]), [[None, 4, 4, 2]]),
    "s2d": (lambda tf, x: tf.space_to_depth(x, 2), [[None, 4, 4, 2]]),
    "maxargmax": (
        lambda tf, x: tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")[0],
        [[None, 4, 4, 2]],
    ),
    "logdet": (lambda tf, x: tf.linalg.slogdet(x)[1], [[3, 3]]),
}


@program(cases=OTHERS, tol=1e-4)
def others(tf, case):
    function, shapes = case
    xs = [tf.placeholder(tf.float32, shape) for shape in shapes]
    feeds = {}
    for i, x in enumerate(xs):
        sizes = [2 if size is None else size for size in x.shape.as_list()]
        feeds[x] = np.sin(np.arange(np.prod(sizes), dtype=np.float32) ** 2 + i).reshape(sizes)
    return run(tf, tf.gradients(function(tf, *xs), xs), feeds)


@program(tol=1e-5)
def where_around_a_root(tf):
    x = tf.constant([-1.0, 4.0])
    return run(tf, tf.gradients(tf.where(x > 0, tf.sqrt(tf.where(x > 0, x, tf.ones_like(x))), x), x))


@program(tol=1e-5)
def maximum_gives_a_tie_to_the_first(tf):
    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0, 3.0])
    return run(tf, [tf.gradients(tf.maximum(x, y), [x, y]), tf.gradients(tf.minimum(x, y), [x, y])])


@program(tol=1e-5)
def gather_and_dense(tf):
    x = tf.placeholder(tf.float32, [2, 3])
    return run(tf, tf.gradients(tf.reduce_sum(tf.gather(x, [0, 1, 1])) + tf.reduce_sum(x), x), {x: X})


@program(cases=[[2, 3], [None, 3]], tol=1e-5)
def cross_entropy(tf, case):
    x = tf.placeholder(tf.float32, case, name="x")
    labels = tf.placeholder(tf.float32, case, name="labels")
    feeds = {x: X, labels: [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]}
    whole = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x)
    old = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0], logits=x)
    sigmoid = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x)
    return run(
        tf,
        [tf.gradients(whole, [x, labels]), tf.gradients(old, x), tf.gradients(sparse, x), tf.gradients(sigmoid, x)],
        feeds,
    )


@program(tol=1e-4)
def second_derivatives(tf):
    x = tf.constant(POSITIVE)
    found = []
    for f in (tf.square, tf.identity, tf.nn.relu):
        y = f(x) * x * x
        found.append(tf.gradients(tf.gradients(y, x), x))
    return run(tf, found)


@program(random=True)
def dropout(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    return run(tf, tf.gradients(tf.nn.dropout(x, rate=0.5), x), {x: X})


@program(cases=["SAME", "VALID"], tol=1e-4)
def convolution(tf, case):
    x = tf.placeholder(tf.float32, [None, 4, 4, 2], name="x")
    w = tf.get_variable("w", initializer=tf.constant(np.linspace(-1, 1, 54).reshape(3, 3, 2, 3).astype(np.float32)))
    b = tf.Variable(tf.ones([3]), name="b")
    y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, [1, 1, 1, 1], case), b))
    y = tf.nn.max_pool(y, [1, 2, 2, 1], [1, 1, 1, 1], "SAME") + tf.nn.avg_pool(y, [1, 2, 2, 1], [1, 1, 1, 1], "SAME")
    value = np.sin(np.arange(64)).reshape(2, 4, 4, 2).astype(np.float32)
    return run(tf, tf.gradients(tf.reduce_mean(y), [w, b, x]), {x: value})


@program(cases=[False, True], tol=1e-5)
def network(tf, case):
    """Variables by reference and by resource, a hidden layer, a loss with weight decay."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with tf.variable_scope("layer", use_resource=case):
        w = tf.get_variable("w", initializer=tf.constant(X.T))
        b = tf.get_variable("b", shape=[2], initializer=tf.zeros_initializer())
    hidden = tf.tanh(tf.matmul(x, w) + b)
    loss = tf.reduce_mean(tf.square(hidden - 0.5)) + 0.01 * tf.nn.l2_loss(w)
    return run(tf, tf.gradients(loss, [w, b, x]), {x: POSITIVE})


@program(cases=[False, True], tol=1e-5)
def variables(tf, case):
    """A variable used several times, rows of one, one that nothing uses."""
    v = tf.Variable(X, name="v", use_resource=case)
    unused = tf.Variable(1.0, name="unused", use_resource=case)
    rows = tf.nn.embedding_lookup(v, [1, 0, 1])
    return [tf.gradients(rows, unused), run(tf, [tf.gradients(rows, v), tf.gradients(v * v, v), tf.gradients(v, v)])]


@program(
    cases=[
        {"gate_gradients": True},
        {"colocate_gradients_with_ops": True},
        {"aggregation_method": 1},
        {"aggregation_method": 2},
        {"name": "backward"},
        {"colocate_gradients_with_ops": True, "gate_gradients": True},
    ],
    tol=1e-5,
)
def options(tf, case):
    x = tf.constant([1.0, 2.0], name="x")
    with tf.device("/cpu:0"):
        y = tf.constant([3.0, 4.0], name="y")
        z = x * y + tf.exp(x) / y
    return run(tf, tf.gradients([z, x - y * x], [x, y], **case))


@program(tol=1e-5)
def grad_ys(tf):
    x = tf.constant([1.0, 2.0])
    y, z = tf.square(x), tf.exp(x)
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([2, 2]))
    w = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return run(
        tf,
        [
            tf.gradients([y, z], x, grad_ys=[[1.0, 0.5], None]), tf.gradients(y, x, grad_ys=tf.constant([2.0, 0.0])),
            tf.gradients(tf.identity(w), w, grad_ys=slices),
        ],
    )  # fmt: skip


@program()
def stop_gradients(tf):
    a = tf.constant(2.0)
    b = 3.0 * a
    return run(tf, [tf.gradients(a + b, [a, b], stop_gradients=[a, b]), tf.gradients(a + b, [a, b])])


@program()
def unconnected(tf):
    x, y = tf.constant([1.0, 2.0]), tf.placeholder(tf.float32, [None])
    z = tf.identity(x)
    zeros = [
        tf.gradients(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO),
        tf.gradients(z, x * 2.0, unconnected_gradients="zero"),
    ]
    return [tf.gradients(z, y), tf.gradients(z, [x * 1.0]), run(tf, zeros, {y: [3.0]})]


@program()
def of_itself_and_between(tf):
    x = tf.constant(2.0)
    y = x * x
    z = y * x
    return run(tf, [tf.gradients(x, x), tf.gradients(z, [y, x, z]), tf.gradients([z, y], [y]), tf.gradients([z, z], x)])


@program()
def several_outputs(tf):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    a, b = tf.split(x, 2)
    return run(tf, [tf.gradients(a, x), tf.gradients(a * b, [a, x]), tf.gradients(a, b, unconnected_gradients="zero")])


@program()
def scopes_and_dependencies(tf):
    with tf.name_scope("outer"):
        x = tf.constant(2.0, name="x")
        with tf.name_scope("inner"):
            y = tf.square(x, name="y")
        wait = tf.no_op("wait")
        with tf.control_dependencies([wait]):
            g = tf.gradients(y, x)
        h = tf.gradients(y, x, name="again")
    return run(tf, [g, h])


@program()
def override_map(tf):
    @tf.RegisterGradient("TfbenchTwice")
    def twice(op, dy):
        return 2.0 * dy

    x = tf.constant(3.0)
    with tf.get_default_graph().gradient_override_map({"Identity": "TfbenchTwice"}):
        y = tf.identity(x)
    return run(tf, tf.gradients(y * y, x))


@program()
def override_with_nothing(tf):
    tf.NotDifferentiable("TfbenchNothing")
    x = tf.constant(3.0)
    with tf.get_default_graph().gradient_override_map({"Square": "TfbenchNothing"}):
        y = tf.square(x)
    return [tf.gradients(y, x), run(tf, tf.gradients(y + x, x))]


@program(messages=["No gradient defined for operation", "(op type: Square)"])
def override_with_something_missing(tf):
    x = tf.constant(3.0)
    with tf.get_default_graph().gradient_override_map({"Square": "TfbenchMissing"}):
        y = tf.square(x, name="Missing")
    tf.gradients(y, x)


@program()
def registered_twice(tf):
    tf.NotDifferentiable("TfbenchOnce")
    return [
        attempt(tf.NotDifferentiable, "TfbenchOnce"), attempt(tf.RegisterGradient("Mul"), lambda op, dy: [dy, dy]),
        attempt(tf.RegisterGradient, 3),
    ]  # fmt: skip


@program()
def wrong_shape(tf):
    @tf.RegisterGradient("TfbenchWrongShape")
    def wrong(op, dy):
        return tf.zeros([7])

    x = tf.constant([3.0, 4.0])
    with tf.get_default_graph().gradient_override_map({"Square": "TfbenchWrongShape"}):
        y = tf.square(x)
    tf.gradients(y, x)


@program(messages=["Num gradients 2"])
def wrong_number(tf):
    @tf.RegisterGradient("TfbenchWrongNumber")
    def wrong(op, dy):
        return [dy, dy]

    x = tf.constant([3.0, 4.0])
    with tf.get_default_graph().gradient_override_map({"Square": "TfbenchWrongNumber"}):
        y = tf.square(x)
    tf.gradients(y, x)


@program(graph=False, messages=[])
def bad_arguments(tf):
    x = tf.constant([1.0, 2.0])
    y = tf.square(x)
    c = tf.constant(1j)
    return [
        attempt(tf.gradients, y, x, grad_ys=[None, None]), attempt(tf.gradients, c * c, c),
        attempt(tf.gradients, y, x, grad_ys=tf.constant(["a", "b"])), attempt(tf.gradients, y, x, aggregation_method=7),
        attempt(tf.gradients, y, x, unconnected_gradients="nothing"), attempt(tf.gradients, tf.constant("a"), x),
        attempt(tf.gradients, tf.bitcast(x, tf.int32), x), attempt(tf.gradients, tf.string_to_number("1"), x),
        attempt(tf.gradients, y, "x"), attempt(tf.gradients, y, x, grad_ys=c),
    ]  # fmt: skip


@program(graph=False)
def foreign_graph(tf):
    x = tf.constant(1.0)
    with tf.Graph().as_default():
        y = tf.constant(2.0)
        return attempt(tf.gradients, y, x)
