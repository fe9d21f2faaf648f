"""`tf.image`: crops of boxes, frames, and non-maximum suppression."""

import numpy as np

from tests.oracle import attempt, program


def pictures(*shape):
    return (np.arange(np.prod(shape), dtype=np.float32) * 37 % 101).reshape(shape)


BOXES = np.array(
    [[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [0.8, 0.9, 0.2, 0.1], [-0.5, 0.2, 0.5, 1.5], [0.3, 0.3, 0.3, 0.3],
     [1, 1, 2, 2], [2, 2, 3, 3], [0, 0.5, 0.999, 0.50001]], np.float32,
)  # fmt: skip
WHICH = np.array([0, 1, 1, 0, 1, 0, 0, 1], np.int32)


@program(cases=["bilinear", "nearest"], tol=1e-4)
def crops(tf, case):
    x = tf.constant(pictures(2, 5, 7, 2))
    ys = [
        tf.image.crop_and_resize(x, BOXES, WHICH, [4, 3], method=case),
        tf.image.crop_and_resize(x, BOXES, box_indices=WHICH, crop_size=[1, 6], method=case, extrapolation_value=-1.5),
        tf.image.crop_and_resize(x, BOXES, WHICH, [5, 1], case, 0.5, "named"),
        tf.image.crop_and_resize(x, np.zeros((0, 4), np.float32), np.zeros(0, np.int32), [5, 1], case),
    ]
    with tf.Session() as sess:
        return [ys, sess.run(ys)]


@program(cases=["uint8", "int16", "int64", "float16", "float64"], tol=1e-3)
def crops_of_types(tf, case):
    x = tf.constant(pictures(2, 5, 7, 2).astype(case))
    y = tf.image.crop_and_resize(x, BOXES, WHICH, [4, 3])
    with tf.Session() as sess:
        return [y, sess.run(y)]


@program(cases=["bilinear", "nearest"], tol=1e-4)
def slopes_of_crops(tf, case):
    results = []
    for shape in ((2, 5, 7, 2), (None, 5, None, 2)):
        x = tf.placeholder_with_default(pictures(2, 5, 7, 2), shape)
        boxes = tf.constant(BOXES + 0.003)
        for size in ([4, 3], [1, 6], [3, 1]):
            y = tf.image.crop_and_resize(x, boxes, WHICH, size, case)
            results += tf.gradients(y * tf.constant(pictures(8, size[0], size[1], 2)), [x, boxes])
    z = tf.constant(pictures(2, 5, 7, 2).astype(np.int32))
    results.append(tf.gradients(tf.image.crop_and_resize(z, boxes, WHICH, [2, 2]), [z, boxes])[1])
    half = tf.constant(pictures(2, 5, 7, 2).astype(np.float64))
    results += tf.gradients(tf.image.crop_and_resize(half, boxes, WHICH, [2, 2]), [half, boxes])
    with tf.Session() as sess:
        return [results, sess.run(results)]


@program()
def crops_refused(tf):
    crop = tf.image.crop_and_resize
    x = pictures(2, 5, 7, 2)
    image, boxes = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    which, size = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    y = crop(image, boxes, which, size)
    good = {image: x, boxes: BOXES, which: WHICH, size: [2, 3]}
    with tf.Session() as sess:
        return [
            y,
            attempt(crop, x[0], BOXES, WHICH, [2, 3]),
            attempt(crop, x, BOXES[:, :3], WHICH, [2, 3]),
            attempt(crop, x, BOXES, WHICH[1:], [2, 3]),
            attempt(crop, x, BOXES, WHICH, [2, 3, 4]),
            attempt(crop, x, BOXES, WHICH, [2, 3], "cubic"),
            attempt(sess.run, y, {**good, image: x[0]}),
            attempt(sess.run, y, {**good, boxes: BOXES[:, :3]}),
            attempt(sess.run, y, {**good, boxes: BOXES[0]}),
            attempt(sess.run, y, {**good, which: WHICH[1:]}),
            attempt(sess.run, y, {**good, size: [2, 3, 4]}),
            attempt(sess.run, y, {**good, size: [0, 3]}),
            attempt(sess.run, y, {**good, image: x[:, :0]}),
        ]


@program(cases=[1, 3, 4])
def frames(tf, case):
    x = tf.constant(pictures(2, 8, 9, case) / 101.0)
    boxes = tf.placeholder_with_default(np.stack([BOXES, BOXES[::-1]]), (2, None, 4))
    colors = [[1.0, 0.5, 0.25, 1.0][:case], [0.0, 1.0, 0.0, 0.5][:case]]
    many = np.tile(np.linspace(0.1, 0.8, 13)[None, :, None] * [1.0, 1.0, 1.2, 1.2], (2, 1, 1))
    ys = [
        tf.image.draw_bounding_boxes(x, boxes),
        tf.image.draw_bounding_boxes(x, boxes, name="framed", colors=colors),
        tf.image.draw_bounding_boxes(x, many),
    ]
    with tf.Session() as sess:
        return [ys, sess.run(ys)]


@program()
def frames_refused(tf):
    draw = tf.image.draw_bounding_boxes
    x, boxes = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = draw(x, boxes)
    with tf.Session() as sess:
        return [
            y,
            attempt(draw, tf.placeholder(tf.float32, (8, 9)), boxes),
            attempt(sess.run, y, {x: pictures(8, 9, 3), boxes: BOXES[None]}),
            attempt(sess.run, y, {x: pictures(1, 8, 9, 2), boxes: BOXES[None]}),
            attempt(sess.run, y, {x: pictures(2, 8, 9, 3), boxes: BOXES[None]}),
            tf.gradients(draw(tf.constant(pictures(1, 8, 9, 3)), [BOXES]), x),
        ]


@program()
def glimpses(tf):
    """Outside the image, TensorFlow's noise is another one."""
    x = tf.constant(pictures(2, 6, 8, 2))
    points = [[[0, 0], [0.5, -0.25]], [[1, 2], [2.6, 3.4]], [[-1, -1], [5, 5]], [[9, 9], [0, 7]]]
    ys = []
    for op in (tf.raw_ops.ExtractGlimpse, tf.raw_ops.ExtractGlimpseV2):
        for centered in (True, False):
            for normalized in (True, False):
                for offsets in points:
                    ys.append(
                        op(
                            input=x, size=[3, 4], offsets=np.array(offsets, np.float32), centered=centered,
                            normalized=normalized, uniform_noise=False, noise="zero",
                        )
                    )  # fmt: skip
    inside = tf.image.extract_glimpse(x, [2, 3], [[0.0, 0.0], [0.1, -0.1]], name="inside")
    refused = [
        attempt(tf.image.extract_glimpse, x, [2], [[0.0, 0.0], [0.0, 0.0]]),
        attempt(tf.image.extract_glimpse, x, [2, 3], [[0.0, 0.0]]),
        attempt(tf.image.extract_glimpse, x[0], [2, 3], [[0.0, 0.0]]),
        attempt(tf.image.extract_glimpse, x, [2, 3], [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]),
    ]
    patches = tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID", name="windows")
    with tf.Session() as sess:
        return [inside, patches, refused, sess.run(ys), sess.run([inside, patches])]


def many(count):
    numbers = (np.arange(4 * count) * 7919 % 1009 / 1009.0).reshape(count, 4).astype(np.float32)
    start, size = numbers[:, :2], numbers[:, 2:] * 0.6
    scores = (np.arange(count) * 31 % 17 / 17.0).astype(np.float32)
    return np.concatenate([start, start + size], axis=1), scores


@program()
def suppression(tf):
    boxes, scores = many(60)
    flipped = boxes[:, [2, 1, 0, 3]]
    ys = [
        tf.image.non_max_suppression(boxes, scores, 100),
        tf.image.non_max_suppression(boxes, scores, 5, 0.2),
        tf.image.non_max_suppression(flipped, scores, 100, 0.0, 0.4, name="few"),
        tf.image.non_max_suppression(boxes, scores, 0),
        tf.image.non_max_suppression(boxes, scores, tf.constant(7), tf.constant(0.9), tf.constant(0.5)),
        tf.image.non_max_suppression(boxes, scores, 100, 1.0),
        tf.image.non_max_suppression(np.zeros((3, 4), np.float32), [1.0, 2.0, 1.0], 5),
        tf.image.non_max_suppression(np.zeros((0, 4), np.float32), np.zeros(0, np.float32), 5),
        tf.image.non_max_suppression_with_scores(boxes, scores, 10),
        tf.image.non_max_suppression_with_scores(boxes, scores, 12, 1.0, 0.1, 0.5),
        tf.image.non_max_suppression_with_scores(boxes, scores, 60, 0.6, 0.2, 0.1, name="soft"),
    ]
    overlaps = np.abs(np.sin(np.arange(3600.0).reshape(60, 60))).astype(np.float32)
    ys.append(tf.image.non_max_suppression_overlaps(overlaps, scores, 9))
    ys.append(tf.image.non_max_suppression_overlaps(overlaps, scores, 60, 0.9, 0.3, name="matrix"))
    with tf.Session() as sess:
        return [ys, sess.run(ys)]


@program()
def older_suppression(tf):
    boxes, scores = many(30)
    ops = tf.raw_ops
    ys = [
        ops.NonMaxSuppression(boxes=boxes, scores=scores, max_output_size=9, iou_threshold=0.3),
        ops.NonMaxSuppressionV2(boxes=boxes, scores=scores, max_output_size=9, iou_threshold=0.3),
        ops.NonMaxSuppressionV4(
            boxes=boxes, scores=scores, max_output_size=20, iou_threshold=0.1, score_threshold=0.5,
            pad_to_max_output_size=True,
        ),
        ops.NonMaxSuppressionV5(
            boxes=boxes, scores=scores, max_output_size=20, iou_threshold=0.1, score_threshold=0.5, soft_nms_sigma=0.0,
            pad_to_max_output_size=True,
        ),
    ]  # fmt: skip
    with tf.Session() as sess:
        return [[list(y) if isinstance(y, tuple) else y for y in ys], [list(v) for v in sess.run(ys)]]


@program()
def suppression_refused(tf):
    suppress = tf.image.non_max_suppression
    boxes, scores = many(6)
    b, s = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    n, threshold = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
    y = suppress(b, s, n, threshold)
    good = {b: boxes, s: scores, n: 3, threshold: 0.5}
    with tf.Session() as sess:
        return [
            y,
            attempt(suppress, boxes[:, :3], scores, 3),
            attempt(suppress, boxes, scores[1:], 3),
            attempt(suppress, boxes[0], scores, 3),
            attempt(suppress, boxes, scores, [3]),
            attempt(suppress, boxes, scores, 3, [0.5]),
            attempt(sess.run, y, {**good, b: boxes[:, :3]}),
            attempt(sess.run, y, {**good, s: scores[1:]}),
            attempt(sess.run, y, {**good, n: [3]}),
            attempt(sess.run, y, {**good, n: -1}),
            attempt(sess.run, y, {**good, threshold: [0.5]}),
            attempt(sess.run, y, {**good, threshold: 1.5}),
            attempt(sess.run, y, {**good, threshold: -0.1}),
            attempt(tf.image.non_max_suppression_overlaps, np.zeros((5, 6), np.float32), scores, 3),
        ]


@program(oracle="1.15")
def padded_suppression(tf):
    boxes, scores = many(30)
    scores = scores + (np.arange(30) / 1000.0).astype(np.float32)  # of equal ones 1.15 takes any
    ys = [
        tf.image.non_max_suppression_padded(boxes, scores, 20, 0.1, 0.5, pad_to_max_output_size=True),
        tf.image.non_max_suppression_padded(boxes, scores, 5, name="few"),
    ]
    with tf.Session() as sess:
        return [[list(y) for y in ys], [list(v) for v in sess.run(ys)]]
