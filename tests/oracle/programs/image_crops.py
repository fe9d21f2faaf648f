"""`tf.image`: crops, pads, flips and turns."""

import numpy as np

from tests.oracle import attempt, program

SHAPES = {
    "known": (2, 4, 6, 3),
    "batch": (None, 4, 6, 3),
    "sizes": (None, None, None, 3),
    "image": (4, 6, 3),
    "image_sizes": (None, None, 3),
    "image_channels": (4, 6, None),
}


def pictures(shape):
    shape = [size or n for size, n in zip(shape, [2, 4, 6, 3][-len(shape) :])]
    return (np.arange(np.prod(shape), dtype=np.float32) * 37 % 101).reshape(shape)


@program(cases=SHAPES)
def crop_and_pad(tf, case):
    x = tf.placeholder(tf.float32, case)
    ys = [
        tf.image.crop_to_bounding_box(x, 1, 2, 3, 4),
        tf.image.pad_to_bounding_box(x, 1, 2, 6, 9),
    ]
    with tf.Session() as sess:
        return [ys, sess.run(ys, {x: pictures(case)})]


@program(cases=SHAPES)
def crop_or_pad(tf, case):
    x = tf.placeholder(tf.float32, case)
    ys = [tf.image.resize_image_with_crop_or_pad(x, *size) for size in ((2, 9), (7, 3))]
    with tf.Session() as sess:
        return [ys, sess.run(ys, {x: pictures(case)})]


@program()
def boxes_of_tensors(tf):
    x = tf.placeholder(tf.float32, (4, 6, 3))
    h, w = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    crop = tf.image.crop_to_bounding_box(x, h, 1, 2, w)
    pad = tf.image.pad_to_bounding_box(x, h, w, 8, tf.constant(9))
    both = [tf.image.resize_image_with_crop_or_pad(x, h, w), tf.image.resize_image_with_crop_or_pad(x, 5, w)]
    with tf.Session() as sess:
        good = sess.run([crop, pad, both], {x: pictures((4, 6, 3)), h: 2, w: 3})
        bad = [
            attempt(sess.run, crop, {x: pictures((4, 6, 3)), h: 3, w: 3}),
            attempt(sess.run, crop, {x: pictures((4, 6, 3)), h: 1, w: 6}),
            attempt(sess.run, pad, {x: pictures((4, 6, 3)), h: -1, w: 1}),
            attempt(sess.run, pad, {x: pictures((4, 6, 3)), h: 5, w: 1}),
            attempt(sess.run, both[1], {x: pictures((4, 6, 3)), w: 0}),
        ]
        return [crop, pad, both, good, bad]


@program()
def boxes_refused(tf):
    image = tf.image
    x = tf.placeholder(tf.float32, (4, 6, 3))
    flat, empty = tf.placeholder(tf.float32, (4, 6)), tf.placeholder(tf.float32, (4, 0, 3))
    five = tf.placeholder(tf.float32, (1, 2, 4, 6, 3))
    return [
        attempt(image.crop_to_bounding_box, x, -1, 1, 2, 2),
        attempt(image.crop_to_bounding_box, x, 1, -1, 2, 2),
        attempt(image.crop_to_bounding_box, x, 1, 1, 0, 2),
        attempt(image.crop_to_bounding_box, x, 1, 1, 2, 0),
        attempt(image.crop_to_bounding_box, x, 1, 1, 4, 2),
        attempt(image.crop_to_bounding_box, x, 1, 1, 2, 6),
        attempt(image.crop_to_bounding_box, flat, 1, 1, 2, 2),
        attempt(image.crop_to_bounding_box, five, 1, 1, 2, 2),
        attempt(image.crop_to_bounding_box, empty, 1, 1, 2, 2),
        attempt(image.pad_to_bounding_box, x, -1, 1, 8, 8),
        attempt(image.pad_to_bounding_box, x, 1, -1, 8, 8),
        attempt(image.pad_to_bounding_box, x, 1, 1, 4, 8),
        attempt(image.pad_to_bounding_box, x, 1, 1, 8, 6),
        attempt(image.pad_to_bounding_box, flat, 1, 1, 8, 8),
        attempt(image.pad_to_bounding_box, empty, 1, 1, 8, 8),
        attempt(image.resize_image_with_crop_or_pad, x, 0, 8),
        attempt(image.resize_image_with_crop_or_pad, x, 8, -1),
        attempt(image.resize_image_with_crop_or_pad, flat, 8, 1),
        attempt(image.central_crop, x, 0.0),
        attempt(image.central_crop, x, 1.5),
        attempt(image.central_crop, flat, 0.5),
        attempt(image.central_crop, five, 0.5),
        attempt(image.flip_left_right, flat),
        attempt(image.flip_up_down, five),
        attempt(image.flip_up_down, empty),
        attempt(image.random_flip_up_down, five),
        attempt(image.random_flip_left_right, flat),
        attempt(image.rot90, flat),
        attempt(image.rot90, x, [1, 2]),
        attempt(image.transpose, five),
        attempt(image.per_image_standardization, flat),
    ]


@program()
def unknown_rank(tf):
    x = tf.placeholder(tf.float32)
    ys = [
        tf.image.crop_to_bounding_box(x, 1, 2, 3, 4),
        tf.image.pad_to_bounding_box(x, 1, 2, 6, 9),
        tf.image.resize_image_with_crop_or_pad(x, 2, 9),
    ]
    with tf.Session() as sess:
        return [ys, sess.run(ys, {x: pictures((4, 6, 3))}), attempt(tf.image.central_crop, x, 0.5)]


@program(cases=SHAPES)
def middle(tf, case):
    x = tf.placeholder(tf.float32, case)
    part = tf.placeholder(tf.float32, [])
    ys = [tf.image.central_crop(x, 0.5), tf.image.central_crop(x, 1.0), tf.image.central_crop(x, 0.3)]
    ys += [tf.image.central_crop(x, part), tf.image.central_crop(x, tf.constant(0.7))]
    with tf.Session() as sess:
        return [ys, sess.run(ys, {x: pictures(case), part: 0.6})]


@program(cases=SHAPES)
def flips(tf, case):
    x = tf.placeholder(tf.float32, case)
    ys = [
        tf.image.flip_left_right(x),
        tf.image.flip_up_down(x),
        tf.image.transpose(x),
        tf.image.transpose_image(x, name="turned"),
    ]
    with tf.Session() as sess:
        return [ys, sess.run(ys, {x: pictures(case)})]


@program(cases=SHAPES)
def turns(tf, case):
    x = tf.placeholder(tf.float32, case)
    k = tf.placeholder(tf.int32, [])
    ys = [tf.image.rot90(x), tf.image.rot90(x, 2, name="half"), tf.image.rot90(x, k)]
    with tf.Session() as sess:
        return [ys, [sess.run(ys, {x: pictures(case), k: n}) for n in (-1, 0, 1, 2, 3, 6)]]


@program()
def flips_of_unknown_rank(tf):
    x = tf.placeholder(tf.float32)
    ys = [
        tf.image.flip_left_right(x),
        tf.image.flip_up_down(x),
        tf.image.transpose(x),
        tf.image.rot90(x),
        tf.image.random_flip_left_right(x, seed=3),
    ]
    with tf.Session() as sess:
        # With one image TensorFlow's optimiser runs the Transpose of the branch that is not taken.
        return [ys, sess.run(ys[:2], {x: pictures((4, 6, 3))}), sess.run(ys[:4], {x: pictures((2, 4, 6, 3))})]


@program(cases=SHAPES)
def random_flips(tf, case):
    """The very same decisions as TensorFlow's."""
    tf.set_random_seed(7)
    x = tf.placeholder(tf.float32, case)
    ys = [
        tf.image.random_flip_left_right(x, seed=3),
        tf.image.random_flip_up_down(x, seed=4),
        tf.image.random_flip_left_right(x),
    ]
    with tf.Session() as sess:
        return [ys, [sess.run(ys, {x: pictures(case)}) for _ in range(6)]]


@program(cases=["uint8", "int32", "float64"])
def flips_of_types(tf, case):
    tf.set_random_seed(1)
    x = tf.constant(pictures((2, 4, 6, 3)).astype(case))
    ys = [tf.image.random_flip_up_down(x[0], 5), tf.image.flip_left_right(x), tf.image.rot90(x, 3)]
    ys.append(attempt(tf.image.random_flip_up_down, x, 5))
    with tf.Session() as sess:
        return [ys, sess.run(ys[:3])]


@program()
def random_crops(tf):
    """The very same places as TensorFlow's."""
    x = tf.placeholder(tf.float32, (None, None, 3))
    ys = [tf.random_crop(x, [2, 3, 3], seed=1), tf.image.random_crop(x, [1, 1, 3], seed=2, name="dot")]
    with tf.Session() as sess:
        good = [sess.run(ys, {x: pictures((4, 6, 3))}) for _ in range(4)]
        return [ys, good, attempt(sess.run, ys[0], {x: pictures((1, 6, 3))})]


@program(cases={"known": (4, 6, 3), "batch": (None, 4, 6, 3), "unknown": (None, None, 3), "rank": None})
def standardization(tf, case):
    x = tf.placeholder(tf.float32, case)
    y = tf.image.per_image_standardization(x)
    with tf.Session() as sess:
        values = pictures((2, 4, 6, 3) if case and len(case) == 4 else (4, 6, 3))
        return [y, sess.run(y, {x: values}), sess.run(y, {x: np.full_like(values, 3)})]


@program(cases=["uint8", "float16", "float64", "int32"])
def standardization_of_types(tf, case):
    y = tf.image.per_image_standardization(pictures((4, 6, 3)).astype(case))
    with tf.Session() as sess:
        return [y, sess.run(y)]


@program()
def gradients(tf):
    x = tf.placeholder(tf.float32, (2, 4, 6, 3))
    ys = [
        tf.image.crop_to_bounding_box(x, 1, 2, 3, 4),
        tf.image.pad_to_bounding_box(x, 1, 2, 6, 9),
        tf.image.resize_image_with_crop_or_pad(x, 2, 9),
        tf.image.central_crop(x, 0.5),
        tf.image.flip_left_right(x),
        tf.image.transpose(x),
        tf.image.per_image_standardization(x),
    ]
    grads = [tf.gradients(y * y, x)[0] for y in ys]
    with tf.Session() as sess:
        return [grads, sess.run(grads, {x: pictures((2, 4, 6, 3))})]
