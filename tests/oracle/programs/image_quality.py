"""`tf.image`: total variation, gradients, edges, and how near images are to each other."""

import numpy as np

from tests.oracle import attempt, program


def pictures(*shape):
    return (np.arange(np.prod(shape)) * 37 % 101 / 101.0).reshape(shape).astype(np.float32)


@program(tol=1e-4)
def differences(tf):
    x, y = tf.placeholder(tf.float32, (4, 6, 3)), tf.placeholder(tf.float32, (None, 4, None, 3))
    results = [
        tf.image.total_variation(x),
        tf.image.total_variation(y, name="of_each"),
        tf.image.image_gradients(y),
        tf.image.sobel_edges(y),
        tf.image.sobel_edges(tf.constant(pictures(1, 5, 4, 2))),
        attempt(tf.image.total_variation, tf.placeholder(tf.float32, (4, 6))),
        attempt(tf.image.image_gradients, x),
    ]
    with tf.Session() as sess:
        return [results, sess.run(results[:5], {x: pictures(4, 6, 3), y: pictures(2, 4, 6, 3)})]


@program(cases=["float32", "uint8", "float64"], tol=1e-4)
def psnr(tf, case):
    a, b = pictures(2, 4, 6, 3), pictures(2, 4, 6, 3)[:, ::-1]
    top = 255 if case == "uint8" else 1.0
    y = tf.image.psnr(tf.constant((a * top).astype(case)), tf.constant((b * top).astype(case)), top)
    z = tf.image.psnr(tf.placeholder_with_default(a, (None, None, 6, 3)), tf.constant(b), 1.0, name="open")
    with tf.Session() as sess:
        return [y, z, sess.run([y, z])]


@program(cases=["float32", "uint8"], tol=1e-4)
def ssim(tf, case):
    a, b = pictures(2, 14, 16, 3), pictures(2, 14, 16, 3)[:, ::-1]
    top = 255 if case == "uint8" else 1.0
    x, y = tf.constant((a * top).astype(case)), tf.constant((b * top).astype(case))
    results = [
        tf.image.ssim(x, y, top),
        tf.image.ssim(x, y, top, filter_size=5, filter_sigma=0.9, k1=0.02, k2=0.05),
        tf.image.ssim(x, y, top, return_index_map=True),
        tf.image.ssim(tf.placeholder_with_default(x, (2, None, None, 3)), y, top, filter_size=3),
    ]
    with tf.Session() as sess:
        return [results, sess.run(results)]


@program(tol=1e-3)
def several_scales(tf):
    a = pictures(2, 45, 38, 1)
    x = tf.placeholder_with_default(a, (None, None, 38, 1))
    results = [
        tf.image.ssim_multiscale(tf.constant(a), tf.constant(a * 0.9), 1.0, power_factors=(0.3, 0.7), filter_size=7),
        tf.image.ssim_multiscale(x, tf.constant(a * a), 1.0, (0.2, 0.3, 0.5), 4),
    ]
    with tf.Session() as sess:
        return [results, sess.run(results)]


@program()
def refused(tf):
    a, b = tf.placeholder(tf.float32, (2, 14, 16, 3)), tf.placeholder(tf.float32, (2, 14, 15, 3))
    flat = tf.placeholder(tf.float32, (2, 14))
    return [
        attempt(tf.image.psnr, a, b, 1.0),
        attempt(tf.image.ssim, a, b, 1.0),
        attempt(tf.image.ssim, flat, flat, 1.0),
        attempt(tf.image.ssim_multiscale, a, b, 1.0),
    ]
