"""Gradients of op types that only raw_ops, old graphs or other gradients make."""

import numpy as np

from tests.oracle import program

X = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]])
WAVES = np.sin(np.arange(12) * 0.7).reshape(2, 2, 3)


def run(tf, fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


def twice(tf, y, xs):
    first = [g for g in tf.gradients(y, xs) if g is not None]
    return first, [g for g in tf.gradients([g * g for g in first], xs) if g is not None]


ONE = {
    "acosh": lambda tf, x: tf.acosh(x * x + 1.5),
    "add_n": lambda tf, x: tf.add_n([x, x * x, x]),
    "conjugate_transpose": lambda tf, x: tf.raw_ops.ConjugateTranspose(x=x * x, perm=[1, 0]),
    "gather": lambda tf, x: tf.raw_ops.Gather(params=x * x, indices=[1, 0, 1]),
    "inverse": lambda tf, x: tf.raw_ops.Inv(x=x),
    "inverse_slope": lambda tf, x: tf.raw_ops.InvGrad(y=x, dy=x * x),
    "mirror_pad": lambda tf, x: tf.square(tf.pad(x, [[1, 0], [1, 2]], "SYMMETRIC")),
    "mirror_pad_slope": lambda tf, x: tf.square(
        tf.raw_ops.MirrorPadGrad(input=tf.tile(x, [2, 2]), paddings=[[1, 0], [1, 2]], mode="SYMMETRIC")
    ),
    "parallel_dynamic_stitch": lambda tf, x: tf.raw_ops.ParallelDynamicStitch(
        indices=[[0, 2], [1, 3]], data=[x, x * x]
    ),
    "placeholder_with_default": lambda tf, x: tf.placeholder_with_default(x * x, None) * 2.0,
    "ensure_shape": lambda tf, x: tf.ensure_shape(x * x, [None, 3]) * 2.0,
    "floor_div": lambda tf, x: tf.floordiv(x, 0.3) * x,
    "truncate_div": lambda tf, x: tf.raw_ops.TruncateDiv(x=x, y=x * x) + x * x,
    "strided_slice_slope": lambda tf, x: tf.square(
        tf.raw_ops.StridedSliceGrad(shape=[4, 3], begin=[0, 0], end=[4, 3], strides=[2, 1], dy=x * x)
    ),
    "prevent_and_stop": lambda tf, x: tf.stop_gradient(tf.raw_ops.PreventGradient(input=x)) * x,
    "stop_in_between": lambda tf, x: tf.identity(tf.stop_gradient(x * x)) * tf.identity(x),
}


#: where rows of an unknown number would be made dense, with a warning
FIXED = {"gather"}
SHAPES = {"known": [2, 3], "rows": [None, 3]}


@program(cases={f"{n}-{s}": (n, SHAPES[s]) for n in ONE for s in SHAPES if s == "known" or n not in FIXED}, tol=1e-5)
def one(tf, case):
    x = tf.placeholder(tf.float32, case[1], name="x")
    return run(tf, twice(tf, ONE[case[0]](tf, x), [x]), {x: X})


@program(cases={"same": ([2, 2, 3], [2, 3, 2]), "broadcast": ([2, 2, 3], [1, 3, 2]), "unknown": (None, None)}, tol=1e-5)
def batch_mat_mul_v3(tf, case):
    xs = [tf.placeholder(tf.float32, shape) for shape in case]
    y = tf.raw_ops.BatchMatMulV3(x=xs[0], y=xs[1], Tout=tf.float32)
    other = WAVES.reshape(2, 3, 2)
    feeds = {xs[0]: WAVES, xs[1]: other[:1] if case[1] == [1, 3, 2] else other}
    return run(tf, twice(tf, y * y, xs), feeds)


@program(tol=1e-5)
def conjugate_transpose_of_complex_numbers(tf):
    z = tf.placeholder(tf.complex64, [2, 2])
    y = tf.raw_ops.ConjugateTranspose(x=z * z, perm=[1, 0])
    grad = tf.gradients(tf.real(y) + 2.0 * tf.imag(y), z)
    return run(tf, grad, {z: np.array([[1.0 + 2.0j, 0.5], [-1.0j, 2.0 - 1.0j]])})


@program(tol=1e-6)
def resources(tf):
    """What is read, and rows of what is read."""
    v = tf.Variable(tf.constant(X, tf.float32), use_resource=True)
    read = v.read_value()
    rows = tf.raw_ops.ResourceGatherNd(resource=v.handle, indices=[[1, 2], [0, 0], [1, 2]], dtype=tf.float32)
    grads = tf.gradients([read * read, v * 2.0], v) + tf.gradients(rows * rows, v)
    return run(tf, [tf.convert_to_tensor(g) for g in grads])
