"""Gradients of segments, of picked and scattered elements, of windows and of Fourier transforms."""

import warnings

import numpy as np

from tests.oracle import attempt, program

X = np.cos(np.arange(12.0)).reshape(4, 3)
TIES = np.array([[2.0, 1.0, 0.0], [2.0, 3.0, 0.0], [0.5, 3.0, 4.0], [-1.0, 0.0, 4.0]])
SHAPES = {"known": [4, 3], "rows": [None, 3], "unknown": None}


def run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        return sess.run(fetches, feeds)


def differentiate(tf, function, value, shape, again=False):
    x = tf.placeholder(value.dtype, shape, name="x")
    y = function(tf, x)
    grads = tf.gradients(y, x, grad_ys=tf.sin(y))
    if again:
        grads = tf.gradients(grads, x, grad_ys=tf.cos(x))
    return run(tf, grads, {x: value})


SEGMENTS = {
    "segment_sum": lambda tf, x, ids: tf.segment_sum(x, ids),
    "segment_mean": lambda tf, x, ids: tf.segment_mean(x, ids),
    "segment_prod": lambda tf, x, ids: tf.segment_prod(x, ids),
    "segment_min": lambda tf, x, ids: tf.segment_min(x, ids),
    "segment_max": lambda tf, x, ids: tf.segment_max(x, ids),
    "unsorted_segment_sum": lambda tf, x, ids: tf.unsorted_segment_sum(x, ids, 3),
    "unsorted_segment_mean": lambda tf, x, ids: tf.unsorted_segment_mean(x, ids, 3),
    "unsorted_segment_sqrt_n": lambda tf, x, ids: tf.unsorted_segment_sqrt_n(x, ids, 3),
    "unsorted_segment_prod": lambda tf, x, ids: tf.unsorted_segment_prod(x, ids, 3),
    "unsorted_segment_min": lambda tf, x, ids: tf.unsorted_segment_min(x, ids, 3),
    "unsorted_segment_max": lambda tf, x, ids: tf.unsorted_segment_max(x, ids, 3),
}


@program(cases={f"{n}-{s}": (f, shape) for n, f in SEGMENTS.items() for s, shape in SHAPES.items()}, tol=1e-10)
def segments(tf, case):
    return differentiate(tf, lambda tf, x: case[0](tf, x, [0, 0, 1, 1]), TIES, case[1])


@program(cases={n: f for n, f in SEGMENTS.items() if "unsorted" in n}, tol=1e-10)
def dropped_rows(tf, case):
    return differentiate(tf, lambda tf, x: case(tf, x, tf.placeholder_with_default([2, -1, 0, 2], None)), TIES, None)


@program(cases=SEGMENTS, tol=1e-9, graph=False)
def segments_again(tf, case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows become a dense tensor
        return differentiate(tf, lambda tf, x: case(tf, x, [0, 0, 1, 1]), TIES, [4, 3], again=True)


@program(cases={n: f for n, f in SEGMENTS.items() if "prod" in n}, tol=1e-9)
def products_again(tf, case):
    """With their graph: rows that only say a shape."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = differentiate(tf, lambda tf, x: case(tf, x, [0, 0, 1, 1]), TIES, [4, 3], again=True)
        return known, differentiate(tf, lambda tf, x: case(tf, x, [0, 0, 1, 1]), TIES, None, again=True)


SPARSE = {
    "sum": lambda tf, x: tf.sparse_segment_sum(x, [0, 2, 1, 2], [0, 0, 1, 1]),
    "sum_told": lambda tf, x: tf.sparse_segment_sum(x, [0, 2, 1, 2], [0, 0, 1, 2], num_segments=4),
    "mean": lambda tf, x: tf.sparse_segment_mean(x, [0, 2, 1, 2], [0, 0, 0, 1]),
    "mean_told": lambda tf, x: tf.sparse_segment_mean(x, [0, 2, 1, 2], [0, 0, 0, 1], num_segments=2),
    "sqrt_n": lambda tf, x: tf.sparse_segment_sqrt_n(x, [0, 2, 1, 2], [0, 0, 0, 3]),
    "sqrt_n_told": lambda tf, x: tf.sparse_segment_sqrt_n(x, [0, 2, 1, 2], [0, 0, 0, 3], num_segments=5),
}


@program(cases={f"{n}-{s}": (f, shape) for n, f in SPARSE.items() for s, shape in SHAPES.items()}, tol=1e-10)
def sparse_segments(tf, case):
    return differentiate(tf, case[0], X, case[1])


@program(cases=["SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"], tol=1e-10)
def sparse_segments_as_rows(tf, case):
    """The gradient is IndexedSlices."""
    x = tf.placeholder(tf.float64, [4, 3])
    y = getattr(tf.raw_ops, case)(data=x, indices=[3, 1, 3], segment_ids=[0, 0, 1], sparse_gradient=True)
    grad = tf.gradients(y, x)[0]
    return run(tf, [grad.values, grad.indices, grad.dense_shape], {x: X})


@program(tol=1e-10)
def slopes_of_sparse_segments(tf):
    """The ops themselves, and what they refuse."""
    grad = tf.constant(X[:2])
    fed = tf.placeholder(tf.int32, None)
    found = []
    for kind in ("Sum", "Mean", "SqrtN"):
        op = getattr(tf.raw_ops, f"SparseSegment{kind}Grad")
        found.append(op(grad=grad, indices=[0, 4, 4], segment_ids=[0, 1, 1], output_dim0=6))
    op = tf.raw_ops.SparseSegmentSumGrad
    with tf.Session() as sess:
        values = sess.run(found)
        bad = [
            attempt(sess.run, op(grad=grad, indices=fed, segment_ids=[0, 1], output_dim0=2), {fed: [0, 2]}),
            attempt(sess.run, op(grad=grad, indices=[0, 1], segment_ids=fed, output_dim0=2), {fed: [0, 2]}),
        ]
    return values, [type(error).__name__ for error in bad]


@program(
    cases=["TensorScatterMax", "TensorScatterMin", "TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub"],
    tol=1e-10,
)
def tensor_scatter(tf, case):
    found = []
    feeds = {}
    for i, shapes in enumerate([([4, 3], [2, 3]), ([None, 3], [None, 3]), (None, None)]):
        x = tf.placeholder(tf.float64, shapes[0], name=f"x{i}")
        updates = tf.placeholder(tf.float64, shapes[1], name=f"u{i}")
        feeds[x], feeds[updates] = TIES, np.array([[2.0, 0.0, 1.0], [5.0, 3.0, -1.0]])
        y = getattr(tf.raw_ops, case)(tensor=x, indices=[[1], [3]], updates=updates)
        found += tf.gradients(y, [x, updates], grad_ys=tf.sin(y))
    return run(tf, found, feeds)


PICKS = {
    "top_k": (lambda tf, x: tf.nn.top_k(x, 2)[0], X),
    "top_k_of_vector": (lambda tf, x: tf.nn.top_k(x[0], 2)[0], X),
    "top_k_of_cube": (lambda tf, x: tf.nn.top_k(tf.reshape(x, [2, 2, 3]), 2)[0], X),
    "nth_element": (lambda tf, x: tf.raw_ops.NthElement(input=x, n=1), X),
    "nth_element_of_equals": (lambda tf, x: tf.raw_ops.NthElement(input=tf.transpose(x), n=1), TIES),
    "scatter_nd": (lambda tf, x: tf.scatter_nd([[1], [0], [1], [3]], x, [5, 3]), X),
    "gather_nd": (lambda tf, x: tf.gather_nd(x, [[1, 2], [0, 0], [1, 2]]), X),
    "gather_nd_rows": (lambda tf, x: tf.gather_nd(x, [[1], [1], [3]]), X),
    "gather_nd_batch": (lambda tf, x: tf.gather_nd(x, [[1], [2], [2], [0]], batch_dims=1), X),
    "batch_gather": (lambda tf, x: tf.gather(x, [[1, 1], [2, 0], [0, 2], [1, 2]], batch_dims=1), X),
    "boolean_mask": (lambda tf, x: tf.boolean_mask(x, [True, False, True, True]), X),
    "reverse": (lambda tf, x: tf.reverse(x, [0, 1]), X),
    "reverse_sequence": (lambda tf, x: tf.reverse_sequence(x, [1, 3, 2, 0], 1, 0), X),
    "roll": (lambda tf, x: tf.roll(x, [1, -1], [0, 1]), X),
    "broadcast_to": (lambda tf, x: tf.broadcast_to(x, [2, 4, 3]), X),
    "tile": (lambda tf, x: tf.tile(x, [2, 3]), X),
    "pad": (lambda tf, x: tf.pad(x, [[1, 0], [0, 2]], constant_values=1.5), X),
    "mirror_pad": (lambda tf, x: tf.pad(x, [[1, 0], [2, 1]], "REFLECT"), X),
    "slice": (lambda tf, x: tf.slice(x, [1, 0], [2, -1]), X),
    "strided_slice": (lambda tf, x: x[::-2, tf.newaxis, 1:], X),
    "space_to_batch": (lambda tf, x: tf.space_to_batch_nd(tf.reshape(x, [1, 4, 3, 1]), [2, 2], [[0, 0], [1, 0]]), X),
    "batch_to_space": (lambda tf, x: tf.batch_to_space_nd(tf.reshape(x, [4, 1, 3, 1]), [2, 2], [[0, 0], [1, 0]]), X),
    "space_to_depth": (lambda tf, x: tf.space_to_depth(tf.reshape(x, [1, 2, 2, 3]), 2), X),
    "depth_to_space": (lambda tf, x: tf.depth_to_space(tf.reshape(x, [1, 1, 1, 12]), 2), X),
    "dynamic_partition": (lambda tf, x: tf.concat(tf.dynamic_partition(x, [1, 0, 1, 0], 2), 0), X),
    "dynamic_stitch": (lambda tf, x: tf.dynamic_stitch([[1, 3], [0, 2]], [x[:2], x[1:3]]), X),
    "parallel_stitch": (lambda tf, x: tf.parallel_stack([x, x * 2.0]), X),
    "meshgrid": (lambda tf, x: tf.meshgrid(x[0], x[1])[0], X),
    "unstack": (lambda tf, x: tf.unstack(x, 4)[2], X),
    "sequence_mask": (lambda tf, x: x * tf.sequence_mask([1, 3, 2, 0], 3, tf.float64), X),
    "sort": (lambda tf, x: tf.sort(x, 1), X),
    "clip_by_norm": (lambda tf, x: tf.clip_by_norm(x, 1.0, 1), X),
    "clip_by_global_norm": (lambda tf, x: tf.clip_by_global_norm([x, x * 2.0], 1.0)[0][1], X),
}


@program(
    cases={
        f"{n}-{s}": (*c, SHAPES[s])
        for n, c in PICKS.items()
        for s in ("known", "unknown")
        if n not in ("parallel_stitch", "sort", "unstack", "meshgrid", "top_k_of_vector") or s == "known"
    },
    tol=1e-10,
)
def picks(tf, case):
    return differentiate(tf, *case)


@program(tol=1e-10)
def extract_image_patches(tf):
    found = []
    feeds = {}
    images = np.sin(np.arange(2 * 5 * 4 * 2.0)).reshape(2, 5, 4, 2)
    for i, (shape, padding, rates) in enumerate([([2, 5, 4, 2], "VALID", 1), ([None, 5, None, 2], "SAME", 2)]):
        x = tf.placeholder(tf.float64, shape, name=f"x{i}")
        feeds[x] = images
        y = tf.extract_image_patches(x, [1, 2, 3, 1], [1, 1, 2, 1], [1, rates, 1, 1], padding)
        found += tf.gradients(y, x, grad_ys=tf.sin(y))
    return run(tf, found, feeds)


@program(cases=["fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d"], tol=1e-8)
def fourier(tf, case):
    found = []
    feeds = {}
    value = np.exp(1j * np.arange(24.0)).reshape(2, 3, 4)
    for kind in (tf.complex128, tf.complex64):
        x = tf.placeholder(kind, [None, 3, 4])
        feeds[x] = value
        y = getattr(tf, case)(x)
        found += tf.gradients(y, x, grad_ys=y * y)
    return run(tf, found[:1], feeds)


@program(cases=["mul", "div", "mul_broadcast", "div_unknown"], tol=1e-10)
def sparse_times_dense(tf, case):
    v = tf.placeholder(tf.float64, None if "unknown" in case else [3], name="v")
    sparse = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], v, [2, 3])
    value = X[:1] if "broadcast" in case else X[:2]
    d = tf.placeholder(tf.float64, None if "unknown" in case else value.shape, name="d")
    y = (sparse * d if "mul" in case else sparse / d).values
    return run(tf, tf.gradients(y, [v, d], grad_ys=tf.sin(y)), {v: [1.0, 2.0, 3.0], d: value})


@program(cases={f"{a}{b}": (a, b) for a in (False, True) for b in (False, True)}, tol=1e-10)
def sparse_matrix_times_dense(tf, case):
    v = tf.placeholder(tf.float64, [3], name="v")
    sparse = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], v, [2, 3])
    value = X[: 2 if case[0] else 3]
    value = value.T if case[1] else value
    d = tf.placeholder(tf.float64, value.shape, name="d")
    y = tf.sparse_tensor_dense_matmul(sparse, d, adjoint_a=case[0], adjoint_b=case[1])
    return run(tf, tf.gradients(y, [v, d], grad_ys=tf.sin(y)), {v: [1.0, 2.0, 3.0], d: value})


@program(tol=1e-10)
def sparse_forms(tf):
    v = tf.placeholder(tf.float64, [3], name="v")
    sparse = tf.SparseTensor([[1, 2], [0, 1], [1, 0]], v, [2, 3])
    ordered = tf.sparse_reorder(sparse)
    dense = tf.sparse_tensor_to_dense(ordered, 0.5)
    kept = tf.sparse_retain(ordered, [True, False, True])
    return run(
        tf, [tf.gradients(y, v, grad_ys=tf.sin(y)) for y in (ordered.values, dense, kept.values)], {v: [1.0, 2.0, 3.0]}
    )


REAL = {
    "rfft": ([None, 4], None), "rfft_padded": ([3, 4], [6]), "rfft_odd": ([3, 4], [5]), "rfft_cut": ([3, 4], [2]),
    "rfft_known": ([3, 4], None), "rfft_unknown": (None, None), "irfft": ([3, 4], None), "irfft_odd": ([3, 4], [5]),
    "irfft_unknown": (None, [6]), "irfft_rank": ([None, None], None), "rfft2d": ([3, 4], None),
    "rfft2d_batch": ([None, None, None], None),
    "rfft2d_odd": ([3, 4], [3, 5]), "irfft2d": ([3, 4], None), "irfft2d_odd": ([3, 4], [2, 5]),
}  # fmt: skip


@program(cases={n: (n, *c) for n, c in REAL.items()}, tol=1e-8)
def real_fourier(tf, case):
    """Static shapes, values and gradients."""
    name, shape, length = case
    name = name.split("_")[0]
    back = name.startswith("i")
    x = tf.placeholder(tf.complex128 if back else tf.float64, shape, name="x")
    y = getattr(tf.signal, name)(x, length)
    value = X.T if shape is None or len(shape) == 2 else np.stack([X.T, X.T + 1])
    value = value * np.exp(1j * value) if back else value
    return run(tf, [y, tf.gradients(y, x, grad_ys=tf.sin(y) if back else y * y)], {x: value})


@program(tol=1e-5)
def real_fourier_of_three_axes(tf):
    x = tf.placeholder(tf.float32, [2, 3, 2])
    y = tf.signal.rfft3d(x)
    z = tf.spectral.irfft3d(y)
    length = tf.placeholder(tf.int32, [1], name="length")
    w = tf.signal.rfft(x, length, name="mine")
    u = tf.signal.irfft(y, length)
    return run(tf, [y, z, w, u, tf.signal.rfft([1.0, 2.0, 4.0])], {x: X.reshape(2, 3, 2), length: [3]})


@program()
def what_real_fourier_refuses(tf):
    fed = tf.placeholder(tf.float32, None)
    length = tf.placeholder(tf.int32, [1])
    with tf.Session() as sess:
        return [
            attempt(lambda: tf.signal.rfft(tf.constant([1, 2]))),
            attempt(lambda: tf.signal.rfft(tf.constant(1.0))),
            attempt(lambda: tf.signal.rfft2d(tf.constant([1.0, 2.0]))),
            attempt(lambda: tf.signal.irfft(tf.placeholder(tf.complex64, None))),
            attempt(lambda: tf.raw_ops.RFFT(input=tf.ones([4]), fft_length=[1, 2])),
            attempt(lambda: sess.run(tf.raw_ops.RFFT(input=fed, fft_length=length), {fed: [1.0, 2.0], length: [4]})),
            attempt(lambda: sess.run(tf.raw_ops.RFFT(input=fed, fft_length=length), {fed: 1.0, length: [4]})),
            attempt(lambda: tf.gradients(tf.abs(tf.signal.rfft3d(tf.ones([2, 2, 2]))), fed)),
        ]


@program(cases=["NHWC", "depths"], tol=1e-4)
def grouped_convolutions(tf, case):
    """Two groups of two channels, three filters each; or each channel by itself."""
    depth, filters = (2, 6) if case == "NHWC" else (1, 8)
    x, w = (
        tf.placeholder(tf.float32, [None, 4, 5, 4], name="x"),
        tf.placeholder(tf.float32, [3, 2, depth, filters], name="w"),
    )
    y = tf.nn.conv2d(x, w, [1, 1, 2, 1], "SAME")
    values = {
        x: np.cos(np.arange(160.0)).reshape(2, 4, 5, 4),
        w: np.sin(np.arange(6.0 * depth * filters)).reshape(w.shape),
    }
    return run(tf, tf.gradients(y, [x, w], grad_ys=tf.sin(y)), values)
