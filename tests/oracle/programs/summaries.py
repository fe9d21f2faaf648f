import struct
import zlib

import numpy as np

from tests.oracle import attempt, program


def run(tf, *tensors):
    """The values of summaries, as bytes."""
    with tf.Session() as sess:
        return sess.run(list(tensors))


def pixels(png):
    """The bytes of a PNG file's image, [height, width * channels]."""
    at, data = 8, b""
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        data += body if kind == b"IDAT" else b""
        at += size + 12
    step = {0: 1, 2: 3, 4: 2, 6: 4}[colour] * depth // 8
    raw = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, -1)
    rows = np.zeros((height + 1, raw.shape[1] - 1 + step), np.int64)
    for y in range(height):
        for x in range(raw.shape[1] - 1):
            left, above, corner = rows[y + 1, x], rows[y, x + step], rows[y, x]
            guess = left + above - corner
            near = sorted(
                [(abs(guess - left), 0, left), (abs(guess - above), 1, above), (abs(guess - corner), 2, corner)]
            )
            foreseen = [0, left, above, (left + above) // 2, near[0][2]][raw[y, 0]]
            rows[y + 1, x + step] = (int(raw[y, x + 1]) + int(foreseen)) % 256
    return rows[1:, step:]


def images(tf, summary):
    """Tag, size and pixels of each image in a summary."""
    found = tf.Summary.FromString(run(tf, summary)[0])
    return [
        [v.tag, v.image.height, v.image.width, v.image.colorspace, pixels(v.image.encoded_image_string)]
        for v in found.value
    ]


def collections(tf):
    graph = tf.get_default_graph()
    return {key: [item.name for item in graph.get_collection(key)] for key in graph.get_all_collection_keys()}


@program()
def scalars(tf):
    """Tags follow names; characters that names cannot have become underscores."""
    found = [tf.summary.scalar("loss", 1.5), tf.summary.scalar("loss", 2), tf.summary.scalar("a b:c/d", np.float64(3))]
    with tf.name_scope("scope"):
        found.append(tf.summary.scalar("loss", tf.constant(4.0)))
        found.append(tf.summary.scalar("loss", tf.constant(5.0), family="family"))
        found.append(tf.summary.scalar("/x", tf.constant(6.0), family="a/b c"))
    found.append(tf.summary.scalar("", 7.0, collections=["mine", "yours"]))
    return run(tf, *found), collections(tf)


@program(
    cases=["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def scalar_types(tf, case):
    return run(tf, tf.summary.scalar("x", tf.cast(tf.constant([3.0]), case)[0]))


@program()
def scalar_extremes(tf):
    values = [np.nan, np.inf, -0.0, 1e300]
    return run(tf, *[tf.summary.scalar(f"x{i}", np.float64(value)) for i, value in enumerate(values)])


@program()
def scalar_refuses(tf):
    return (
        attempt(tf.summary.scalar, None, 1.0),
        attempt(tf.summary.scalar, "x", "text"),
        attempt(tf.summary.scalar, "x", 1 + 2j),
        attempt(run, tf, tf.summary.scalar("v", [1.0, 2.0])),
    )


HISTOGRAMS = {
    "mixed": [1.0, 2, 3, -1, 0, 1e-13, -5, 1e-12],
    "empty": np.zeros([0, 2], np.float32),
    "zeros": [0.0, -0.0, 0.0],
    "scalar": 2.0,
    "huge": [1e30, -1e30, 1e20, 1.1e20, 9e19],
    "integers": np.arange(-20, 30),
    "bytes": np.arange(0, 255, 7).astype(np.uint8),
    "half": np.arange(7).astype(np.float16),
    "many": np.sin(np.arange(3000) ** 2 * 0.37) * np.exp(np.arange(3000) % 17),
    "first limits": 1e-12 * 1.1 ** np.arange(-2, 20),
}


@program(cases=HISTOGRAMS)
def histogram(tf, case):
    return run(tf, tf.summary.histogram("h", case))


@program(cases=[np.nan, np.inf, -np.inf])
def histogram_not_finite(tf, case):
    return (
        attempt(run, tf, tf.summary.histogram("h", np.array([1, case, np.nan], np.float32))),
        attempt(run, tf, tf.summary.histogram("h", np.array([1, case, np.inf], np.float64))),
    )


@program()
def histogram_names(tf):
    with tf.name_scope("a"):
        found = [
            tf.summary.histogram("values", tf.constant([1.0]), family="f"),
            tf.summary.histogram("h", [[1.0], [2.0]]),
        ]
    return run(tf, *found), collections(tf)


IMAGES = {
    "unit": [[[[0.0], [1.0], [0.5], [0.25]]]],
    "negative": [[[[-1.0], [1.0], [0.5], [0.25]]]],
    "large": [[[[2.0], [4.0]], [[0.5], [0.25]]]],
    "zero": [[[[0.0], [0.0]]]],
    "tiny": [[[[1e-7], [0.0]]]],
    "nan": [[[[np.nan, 1, 1], [1.0, 2, 3]]]],
    "inf": [[[[np.inf, 1, 1], [-1.0, 2, -3]]]],
    "only nan": [[[[np.nan], [np.nan]]]],
    "rgba": [[[[np.nan, 1, 2, 0.5], [-1.0, 0, 0.5, 0.3]]]],
    "several": np.sin(np.arange(5 * 7 * 6 * 3)).reshape(5, 7, 6, 3),
}


@program(cases=IMAGES)
def image(tf, case):
    return [images(tf, tf.summary.image("i", np.array(case, kind))) for kind in (np.float32, np.float16, np.float64)]


@program()
def image_options(tf):
    batch = tf.constant((np.arange(4 * 5 * 6).reshape(4, 5, 6, 1) * 7 % 256).astype(np.uint8))
    return (
        images(tf, tf.summary.image("all", batch, max_outputs=9)),
        images(tf, tf.summary.image("one", batch, max_outputs=1)),
        images(tf, tf.summary.image("f", batch, family="g", collections=["c"])),
        images(tf, tf.summary.image("none", batch[:0])),
        collections(tf),
    )


@program(cases=[[2, 2, 1], [1, 2, 2, 2], [1, 0, 2, 1], [1, 2, 2, 5]])
def image_of_wrong_shape(tf, case):
    return attempt(run, tf, tf.summary.image("i", tf.zeros(case)))


@program()
def image_refuses(tf):
    return attempt(tf.summary.image, "i", tf.zeros([1, 2, 2, 1]), 0), attempt(
        tf.summary.image, "i", tf.zeros([1, 2], tf.int32)
    )


@program()
def audio(tf):
    loud = [[0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, np.nan, 0.00001, -0.00002]]
    return run(
        tf,
        tf.summary.audio("a", tf.constant(loud), 8000.5),
        tf.summary.audio("b", tf.constant(np.linspace(-1, 1, 12).reshape(2, 3, 2), tf.float32), 44100),
        tf.summary.audio("c", tf.zeros([5, 3, 1]), tf.constant(0.3), max_outputs=1, family="f"),
        tf.summary.audio("d", tf.zeros([4, 0]), 16000.0),
    ), collections(tf)  # fmt: skip


@program()
def audio_refuses(tf):
    return (
        attempt(run, tf, tf.summary.audio("a", tf.zeros([3]), 8000.0)),
        attempt(run, tf, tf.summary.audio("b", tf.zeros([3, 1]), -1.0)),
        attempt(tf.summary.audio, "c", tf.zeros([3, 1]), "fast"),
    )


@program()
def text(tf):
    found = [tf.summary.text("t", tf.constant("*hello*")), tf.summary.text("t", tf.constant([["a", "b"], ["", "d"]]))]
    return run(tf, *found), attempt(tf.summary.text, "u", tf.constant(1)), collections(tf)


TENSORS = {
    "floats": [1.5, 2.5],
    "one": 3,
    "booleans": [[True, False]],
    "complex": 1 + 2j,
    "half": np.float16(1.5),
    "empty": np.zeros([0, 2], np.float32),
    "strings": [b"a", b"", b"\xff"],
}


@program(cases=TENSORS)
def tensor(tf, case):
    return run(tf, tf.summary.tensor_summary("t", tf.constant(case)))


@program()
def tensor_metadata(tf):
    metadata = tf.SummaryMetadata(display_name="first", plugin_data=tf.SummaryMetadata.PluginData(plugin_name="p"))
    x = tf.constant([1, 2])
    with tf.name_scope("s"):
        found = [
            tf.summary.tensor_summary("a", x, summary_description="said", display_name="shown", family="f"),
            tf.summary.tensor_summary("b", x, summary_metadata=metadata, collections=[]),
            tf.summary.tensor_summary("c", x, "said", summary_metadata=metadata, display_name="second"),
        ]
    return run(tf, *found), collections(tf)


@program()
def merging(tf):
    a, b = tf.summary.scalar("a", 1.0), tf.summary.scalar("b", 2.0, collections=["c"])
    found = [tf.summary.merge([a, b]), tf.summary.merge_all(), tf.summary.merge_all("c", name="mine")]
    found += [tf.summary.merge((a,), collections=["k"], name="n"), tf.summary.merge_all(scope="a")]
    return run(tf, *found), tf.summary.merge_all("nothing"), collections(tf)


@program()
def merging_refuses(tf):
    a = tf.summary.scalar("a", 1.0)
    return (
        attempt(tf.summary.merge, "abc"),
        attempt(tf.summary.merge, []),
        attempt(run, tf, tf.summary.merge([a, a])),
        attempt(run, tf, tf.summary.merge([tf.constant(b"\xff\xff")])),
        run(tf, tf.summary.merge([tf.stack([a, tf.constant("")])])),
    )


@program(oracle="1.15")
def before_1_0(tf):
    old = tf.contrib.deprecated
    found = [
        old.scalar_summary("loss", 1.0), old.scalar_summary(["a", "b"], [1.0, 2.0]),
        old.scalar_summary("c", 1.0, name="n", collections=["x"]), old.histogram_summary("h", [1.0]),
        old.audio_summary("s", tf.zeros([1, 2]), 8000.0),
    ]  # fmt: skip
    found += [old.merge_summary(found[:2]), old.merge_all_summaries(), old.merge_summary(found[:1], name="q")]
    return run(tf, *found), images(tf, old.image_summary("i", tf.zeros([2, 2, 2, 1]), 1)), collections(tf)


@program(oracle="1.15", messages=["not the same shape: [2] != [3]"])
def tags_and_values_differ(tf):
    old = tf.contrib.deprecated
    return run(tf, old.scalar_summary(["a", "b"], [1.0, 2.0, 3.0]))
