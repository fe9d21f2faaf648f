"""`tf.image.sample_distorted_bounding_box`: the very same boxes as TensorFlow's."""

import numpy as np

from tests.oracle import attempt, program

BOXES = np.array([[[0.1, 0.2, 0.5, 0.9], [0.0, 0.0, 1.0, 1.0], [0.4, 0.3, 0.45, 0.6]]], np.float32)


@program(cases=[1, 2, 3])
def boxes(tf, case):
    sample = tf.image.sample_distorted_bounding_box
    ys = [
        sample([120, 90, 3], BOXES, seed=case, seed2=5),
        sample([33, 47, 3], BOXES[:, :1], case, 7, 0.5, [0.5, 2.0], [0.1, 0.9], 20),
        sample([7, 300, 1], BOXES[:, 2:], case, 9, 0.9, (0.1, 0.11), (0.01, 0.02), 3),
        sample(tf.constant([480, 640, 3], tf.int64), np.zeros((1, 0, 4), np.float32), case, 1, 0.1, [0.75, 1.33],
               [0.05, 1.0], 100, True, "named"),
    ]  # fmt: skip
    with tf.Session() as sess:
        return [[list(y) for y in ys], [[list(v) for v in sess.run(ys)] for _ in range(8)]]


@program()
def cut_out(tf):
    """As it is used: for `tf.slice`, and to draw."""
    image = tf.placeholder(tf.float32, (None, None, 3))
    begin, size, box = tf.image.sample_distorted_bounding_box(tf.shape(image), BOXES, 3, 4, min_object_covered=0.3)
    part = tf.slice(image, begin, size)
    framed = tf.image.draw_bounding_boxes(tf.expand_dims(image, 0), box)
    with tf.Session() as sess:
        values = (np.arange(6 * 7 * 3) / 126.0).reshape(6, 7, 3)
        return [part, framed, [sess.run([part, framed], {image: values}) for _ in range(3)]]


@program()
def refused(tf):
    sample = tf.image.sample_distorted_bounding_box
    with tf.Session() as sess:
        return [
            attempt(sample, [120, 90], BOXES),
            attempt(sample, [120, 90, 3], BOXES[0]),
            attempt(sample, [120, 90, 3], BOXES[..., :3]),
            attempt(sample, [120, 90, 3], BOXES, 1, 2, [0.5]),
            attempt(sess.run, sample([120, 90, 3], np.zeros((1, 0, 4), np.float32)).begin),
            attempt(sess.run, sample([120, 90, 3], BOXES + 0.5).begin),
            attempt(sess.run, sample([0, 90, 3], BOXES).begin),
            attempt(sess.run, sample([120, 90, 3], BOXES[..., ::-1]).begin),
            attempt(sess.run, sample([120, 90, 3], BOXES, min_object_covered=-0.5).begin),
        ]
