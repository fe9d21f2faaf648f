"""`tf.image`: types, brightness, contrast, hue, saturation, gamma, and colour spaces."""

import numpy as np

from tests.oracle import attempt, program

TYPES = ["uint8", "uint16", "int8", "int16", "int32", "float16", "float32", "float64"]


def pictures(*shape):
    """Numbers from 0 to 1."""
    return (np.arange(np.prod(shape)) * 37 % 101 / 101.0).reshape(shape).astype(np.float32)


def of_type(name):
    kind = np.dtype(name)
    return pictures(4, 6, 3).astype(kind) if kind.kind == "f" else (pictures(4, 6, 3) * np.iinfo(kind).max).astype(kind)


@program(cases=TYPES)
def converted(tf, case):
    # float16 cannot hold the range of the larger integers, and casting infinity is undefined.
    others = [t for t in TYPES if case != "float16" or t not in ("uint16", "int16", "int32")]
    x = tf.constant(of_type(case))
    ys = [tf.image.convert_image_dtype(x, other) for other in others]
    zs = [tf.image.convert_image_dtype(x, other, saturate=True, name="s") for other in others]
    with tf.Session() as sess:
        pairs = [(y, v) for y, v in zip(ys, sess.run(ys)) if not (case.startswith("float") and "int32" in str(y.dtype))]
        return [ys, zs, [v for _, v in pairs]]


@program()
def saturated(tf):
    x = tf.constant([-1.0, -0.001, 0.0, 0.5, 1.0, 1.001, 7.0])
    ys = [tf.image.convert_image_dtype(x, t, saturate=True) for t in ("uint8", "int8", "uint16", "int16")]
    z = tf.constant([-128, -1, 0, 5, 127], tf.int8)
    ys += [tf.image.convert_image_dtype(z, t, saturate=True) for t in ("uint8", "uint16", "int16", "int32")]
    with tf.Session() as sess:
        return [ys, sess.run(ys)]


@program()
def not_converted(tf):
    return [
        attempt(tf.image.convert_image_dtype, tf.placeholder(tf.bool, (4, 6, 3)), tf.float32),
        attempt(tf.image.convert_image_dtype, tf.placeholder(tf.float32, (4, 6, 3)), tf.bool),
        attempt(tf.image.convert_image_dtype, tf.placeholder(tf.float32, (4, 6, 3)), tf.string),
        tf.image.convert_image_dtype([[[1.0, 2.0]]], tf.float32),
        tf.image.convert_image_dtype([[[1, 2]]], "float64"),
    ]


@program(cases=["uint8", "int16", "float16", "float32", "float64"], tol=(2e-3, 1e-3))
def adjusted(tf, case):
    x = tf.constant(of_type(case))
    ys = [
        tf.image.adjust_brightness(x, 0.2),
        tf.image.adjust_gamma(x, 2, 1.5),
        tf.image.adjust_gamma(x, tf.constant(0.5, tf.float16 if case == "float16" else tf.float32)),
    ]
    if case != "float16":  # these have no kernel for it in TensorFlow
        ys += [
            tf.image.adjust_contrast(x, 1.7),
            tf.image.adjust_hue(x, 0.2),
            tf.image.adjust_hue(x, -0.35, name="back"),
            tf.image.adjust_saturation(x, 0.4),
            tf.image.adjust_saturation(x, 3.0, name="more"),
        ]
    with tf.Session() as sess:
        return [ys, sess.run(ys)]


@program(tol=1e-5)
def batches(tf):
    """Each image of a batch has means of its own."""
    x = tf.placeholder(tf.float32, (None, None, None, 3))
    delta = tf.placeholder(tf.float32, [])
    ys = [
        tf.image.adjust_brightness(x, delta),
        tf.image.adjust_contrast(x, delta),
        tf.image.adjust_hue(x, delta),
        tf.image.adjust_saturation(x, delta),
        tf.image.adjust_contrast([[[1.0, 2, 3]]], 2),
    ]
    with tf.Session() as sess:
        return [ys, [sess.run(ys, {x: pictures(2, 4, 5, 3), delta: d}) for d in (-0.9, 0.0, 0.4, 1.0)]]


@program(tol=1e-5)
def grey_and_odd_pixels(tf):
    """Equal channels, black, white, beyond 1, negative."""
    x = np.array(
        [[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1],
         [2, 0.5, 0.25], [-0.5, 0.5, 0.25], [-1, -2, -3], [0.2, 0.2, 0.7]], np.float32,
    ).reshape(1, -1, 3)  # fmt: skip
    ys = [
        tf.image.rgb_to_hsv(x),
        tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(x)),
        tf.image.hsv_to_rgb(x),
        *[tf.image.adjust_hue(x, d) for d in (0.0, 0.25, 0.5, -0.9, 1.0)],
        *[tf.image.adjust_saturation(x, d) for d in (0.0, 0.5, 1.0, 9.0, -1.0)],
    ]
    with tf.Session() as sess:
        return sess.run(ys)


@program()
def random_adjustments(tf):
    """The very same numbers as TensorFlow's."""
    tf.set_random_seed(5)
    x = tf.constant(pictures(4, 6, 3))
    ys = [
        tf.image.random_brightness(x, 0.3, seed=1),
        tf.image.random_contrast(x, 0.5, 1.5, seed=2),
        tf.image.random_hue(x, 0.2, seed=3),
        tf.image.random_saturation(x, 0.1, 2.0, seed=4),
        tf.image.random_brightness(x, 63),
    ]
    with tf.Session() as sess:
        return [ys, [sess.run(ys) for _ in range(3)]]


@program()
def refused(tf):
    image = tf.image
    x = tf.placeholder(tf.float32, (4, 6, 3))
    return [
        attempt(image.random_brightness, x, -0.1),
        attempt(image.random_contrast, x, 0.5, 0.5),
        attempt(image.random_contrast, x, -0.5, 0.5),
        attempt(image.random_hue, x, 0.6),
        attempt(image.random_hue, x, -0.6),
        attempt(image.random_saturation, x, 0.6, 0.5),
        attempt(image.random_saturation, x, -0.6, 0.5),
        attempt(image.adjust_gamma, x, -1),
        attempt(image.adjust_contrast, tf.placeholder(tf.float32, (4, 6)), 2.0),
        attempt(image.adjust_contrast, x, [2.0, 3.0]),
        attempt(image.adjust_hue, tf.placeholder(tf.float32, (6, 3)), 2.0),
        attempt(image.adjust_saturation, tf.placeholder(tf.float32, (3,)), 2.0),
        attempt(image.rgb_to_hsv, tf.placeholder(tf.float32, (4, 6, 4))),
        attempt(image.hsv_to_rgb, tf.placeholder(tf.float32, ())),
        attempt(image.grayscale_to_rgb, x),
        attempt(image.grayscale_to_rgb, tf.placeholder(tf.float32, (4, 1))),
        attempt(image.rgb_to_grayscale, tf.placeholder(tf.float32, (4, 6, 4))),
        image.rgb_to_hsv(tf.placeholder(tf.float32)),
        image.rgb_to_hsv(tf.placeholder(tf.float32, (None, None))),
        image.adjust_hue(tf.placeholder(tf.float32), 0.1),
    ]


@program()
def refused_in_a_run(tf):
    x, d = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    ys = [
        tf.image.rgb_to_hsv(x),
        tf.image.hsv_to_rgb(x),
        tf.image.adjust_contrast(x, d),
        tf.image.adjust_hue(x, d),
        tf.image.adjust_saturation(x, d),
        tf.image.adjust_gamma(x, d),
        tf.image.grayscale_to_rgb(x),
    ]
    with tf.Session() as sess:
        return [
            [attempt(sess.run, y, {x: pictures(4, 5, 4), d: 1.0}) for y in ys],
            [attempt(sess.run, y, {x: pictures(5, 3), d: 1.0}) for y in ys[2:5]],
            [attempt(sess.run, y, {x: pictures(4, 5, 3), d: [1.0]}) for y in ys[2:5]],
            attempt(sess.run, ys[5], {x: pictures(4, 5, 4), d: -1.0}),
        ]


@program(cases=["known", "batch", "unknown", "rank"], tol=1e-5)
def grey(tf, case):
    sizes = {"known": (4, 6), "batch": (2, 4, 6), "unknown": (None, None)}
    x = tf.placeholder(tf.float32, (*sizes[case], 3) if case in sizes else None)
    y = tf.placeholder(tf.float32, (*sizes[case], 1) if case in sizes else None)
    results = [tf.image.rgb_to_grayscale(x), tf.image.grayscale_to_rgb(y), tf.image.grayscale_to_rgb(y, "three")]
    shape = (2, 4, 6) if case == "batch" else (4, 6)
    with tf.Session() as sess:
        return [results, sess.run(results, {x: pictures(*shape, 3), y: pictures(*shape, 1)})]


@program(cases=TYPES)
def grey_of_types(tf, case):
    y = tf.image.rgb_to_grayscale(of_type(case), name="grey")
    with tf.Session() as sess:
        return [y, sess.run(y) if case != "int32" else None]


@program(cases=["float16", "bfloat16", "float32", "float64"], tol=(1e-2, 1e-2))
def spaces(tf, case):
    x = tf.cast(tf.constant(pictures(2, 3, 4, 3)), case)
    names = ["rgb_to_hsv", "hsv_to_rgb"]
    if case in ("float32", "float64"):
        names += ["rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb"]
    ys = [getattr(tf.image, name)(x) for name in names]
    with tf.Session() as sess:
        return [ys, [v.astype(np.float32) for v in sess.run(ys)]]


@program(tol=1e-5)
def there_and_back(tf):
    x = tf.constant(pictures(3, 4, 3))
    ys = [
        tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(x)),
        tf.image.yiq_to_rgb(tf.image.rgb_to_yiq(x)),
        tf.image.yuv_to_rgb(tf.image.rgb_to_yuv(x)),
    ]
    with tf.Session() as sess:
        return [ys, sess.run(ys)]


@program(tol=1e-5)
def slopes(tf):
    x = tf.constant(pictures(2, 3, 4, 3))
    ys = [
        tf.image.adjust_brightness(x, 0.2),
        tf.image.adjust_gamma(x, 2),
        tf.image.rgb_to_grayscale(x),
        tf.image.rgb_to_yiq(x),
        tf.image.convert_image_dtype(x, tf.float64),
    ]
    grads = [tf.gradients(y * y, x)[0] for y in ys]
    refused = [attempt(tf.gradients, y, x) for y in (
        tf.image.adjust_contrast(x, 0.2), tf.image.adjust_hue(x, 0.2), tf.image.adjust_saturation(x, 0.2),
    )]  # fmt: skip
    none = tf.gradients(tf.image.hsv_to_rgb(x), x)
    with tf.Session() as sess:
        return [grads, sess.run(grads), refused, none]


@program(cases=["float32", "float64"], tol=1e-4)
def slope_of_hsv(tf, case):
    x = tf.placeholder(case, (2, 5, 6, 3))
    y = tf.image.rgb_to_hsv(x)
    (dx,) = tf.gradients(y * tf.constant(pictures(2, 5, 6, 3).astype(case)), x)
    with tf.Session() as sess:
        values = pictures(2, 5, 6, 3)[:, :, ::-1]
        return [dx, sess.run(dx, {x: values}), sess.run(dx, {x: np.round(values * 3) / 3})]
