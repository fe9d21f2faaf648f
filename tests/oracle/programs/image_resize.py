"""`tf.image`: other sizes, and the ops that do it with their gradients."""

import numpy as np

from tests.oracle import attempt, program

SHAPES = {
    "known": (2, 4, 6, 3),
    "batch": (None, 4, 6, 3),
    "sizes": (None, None, None, 3),
    "image": (4, 6, 3),
    "image_sizes": (None, None, 3),
    "nothing": (None, None, None, None),
}


def pictures(*shape):
    return (np.arange(np.prod(shape), dtype=np.float32) * 37 % 101).reshape(shape)


@program(cases=SHAPES)
def resize_images(tf, case):
    x = tf.placeholder(tf.float32, case)
    ys = [tf.image.resize_images(x, [5, 7], method, align_corners=bool(method % 2)) for method in range(4)]
    ys.append(tf.image.resize_images(x, (3, 2), "bicubic", name="other"))
    shape = [size or 4 for size in case]
    with tf.Session() as sess:
        return [ys, sess.run(ys, {x: pictures(*shape)})]


@program(cases=SHAPES)
def resize_in_proportion(tf, case):
    x = tf.placeholder(tf.float32, case)
    size = tf.placeholder(tf.int32, [2])
    ys = [
        tf.image.resize_images(x, [8, 7], preserve_aspect_ratio=True),
        tf.image.resize_images(x, size, 1, preserve_aspect_ratio=True),
        tf.image.resize_image_with_pad(x, 5, 9),
        tf.image.resize_image_with_pad(x, 9, 5, 1),
    ]
    shape = [size or 4 for size in case]
    with tf.Session() as sess:
        return [ys, sess.run(ys, {x: pictures(*shape), size: [3, 11]})]


@program()
def resize_to_the_same(tf):
    x = tf.placeholder(tf.uint8, (2, 5, 7, 3))
    y = tf.placeholder(tf.uint8, (5, 7, 3))
    return [
        tf.image.resize_images(x, [5, 7]),
        tf.image.resize_images(y, np.array([5, 7], np.int64), 2),
        tf.image.resize_images(x, (tf.Dimension(5), 8)),
        tf.image.resize_images(pictures(2, 3, 1), [2, 4]),
        tf.image.resize_images([[[1.0, 2.0]]], tf.constant([2, 4])),
    ]


@program()
def refused(tf):
    x = tf.placeholder(tf.float32, (2, 4, 6, 3))
    resize = tf.image.resize_images
    return [
        attempt(resize, tf.placeholder(tf.float32), [5, 7]),
        attempt(resize, tf.placeholder(tf.float32, (5, 7)), [5, 7]),
        attempt(resize, x, [5, 7, 3]),
        attempt(resize, x, 5),
        attempt(resize, x, [5.0, 7.5]),
        attempt(resize, x, [5, 7], 9),
        attempt(resize, x, [5, 7], "lanczos3"),
        attempt(tf.image.resize_bilinear, tf.placeholder(tf.float32, (5, 7)), [5, 7]),
        attempt(tf.image.resize_bilinear, x, [5, 7, 3]),
        attempt(tf.image.resize_image_with_pad, x, 0, 4),
        attempt(tf.image.resize_image_with_pad, x, 2, -4),
    ]


OPS = ["resize_bilinear", "resize_nearest_neighbor", "resize_bicubic"]
FLAGS = [(False, False), (True, False), (False, True)]


@program(cases=OPS, tol=1e-5)
def sizes_and_flags(tf, case):
    """Every flag, larger and smaller, one pixel from and to."""
    resize = getattr(tf.image, case)
    results = []
    for align_corners, half_pixel_centers in FLAGS:
        for old in ((4, 6), (1, 5), (9, 2), (7, 1)):
            x = tf.constant(pictures(1, old[0], old[1], 2))
            for new in ((5, 7), (1, 1), (3, 12), old):
                results.append(
                    resize(x, new, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name="y")
                )
    with tf.Session() as sess:
        return sess.run(results)


@program(tol=1e-5)
def area(tf):
    results = []
    for align_corners in (False, True):
        for old in ((4, 6), (1, 5), (9, 2), (16, 12)):
            x = tf.constant(pictures(2, old[0], old[1], 2))
            for new in ((5, 7), (3, 4), (2, 12), old, (4, 3)):
                results.append(tf.image.resize_area(x, new, align_corners))
    with tf.Session() as sess:
        return sess.run(results)


TYPES = ["uint8", "int8", "int16", "uint16", "int32", "int64", "float16", "float32", "float64", "bfloat16"]


@program(cases=TYPES)
def types(tf, case):
    x = tf.cast(tf.constant(pictures(1, 3, 4, 2)), case)
    results = [
        tf.image.resize_bilinear(x, [2, 5]),
        tf.image.resize_nearest_neighbor(x, [2, 5]),
        tf.image.resize_bicubic(x, [2, 5]),
        tf.image.resize_area(x, [2, 3]),
    ]
    with tf.Session() as sess:
        return [results, [np.asarray(y).astype(np.float32) for y in sess.run(results)]]


@program(cases=OPS, tol=1e-5)
def slopes(tf, case):
    results = []
    for known in (True, False):
        for align_corners, half_pixel_centers in FLAGS:
            x = tf.placeholder_with_default(pictures(2, 4, 6, 2), (2, 4, 6, 2) if known else (None, None, 6, 2))
            y = getattr(tf.image, case)(x, [3, 9], align_corners=align_corners, half_pixel_centers=half_pixel_centers)
            (dx,) = tf.gradients(y * tf.constant(pictures(2, 3, 9, 2)), x)
            results.append(dx)
    with tf.Session() as sess:
        return [results, sess.run(results)]


@program(cases=["float16", "float64"], tol=1e-3)
def slopes_of_types(tf, case):
    x = tf.constant(pictures(1, 4, 6, 2).astype(case))
    ys = [getattr(tf.image, name)(x, [6, 3]) for name in OPS]
    grads = [tf.gradients(y, x)[0] for y in ys]
    grads = [grad for grad in grads if grad is not None]
    with tf.Session() as sess:
        return [grads, sess.run(grads)]


@program()
def no_slopes(tf):
    x = tf.placeholder(tf.float32, (1, 4, 6, 2))
    z = tf.placeholder(tf.int32, (1, 4, 6, 2))
    return [
        attempt(tf.gradients, tf.image.resize_area(x, [2, 2]), x),
        attempt(tf.gradients, tf.image.resize_bicubic(tf.cast(x, tf.float16), [2, 2]), x),
        attempt(tf.gradients, tf.image.resize_bilinear(z, [2, 2]), z),
    ]


@program(cases=[*OPS, "resize_area"])
def refused_in_a_run(tf, case):
    x, size = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    y = getattr(tf.image, case)(x, size)
    good = pictures(1, 3, 4, 2)
    with tf.Session() as sess:
        return [
            y,
            attempt(sess.run, y, {x: good[0], size: [2, 2]}),
            attempt(sess.run, y, {x: good, size: [2, 2, 2]}),
            attempt(sess.run, y, {x: good, size: [[2, 2]]}),
            attempt(sess.run, y, {x: good, size: [0, 2]}),
            attempt(sess.run, y, {x: good, size: [-1, 2]}),
            attempt(sess.run, y, {x: good[:, :0], size: [2, 2]}),
        ]


@program(cases=OPS)
def both_flags(tf, case):
    y = getattr(tf.image, case)(pictures(1, 3, 4, 2), [2, 2], align_corners=True, half_pixel_centers=True)
    with tf.Session() as sess:
        return attempt(sess.run, y)


@program(cases=[*OPS, "resize_area"])
def nothing_to_resize(tf, case):
    """No image, or no channels."""
    resize = getattr(tf.image, case)
    ys = [resize(np.zeros((0, 3, 4, 2), np.float32), [2, 5]), resize(np.zeros((1, 3, 4, 0), np.float32), [2, 5])]
    with tf.Session() as sess:
        return [attempt(sess.run, y) for y in ys]
