"""`tf.image`: files of images, read and written. The files are made here, byte by byte."""

import struct
import zlib

import numpy as np

from tests.oracle import attempt, program


def picture(height, width, channels, top=255):
    """Waves, as photographs have them."""
    y, x = np.mgrid[:height, :width]
    waves = [(0.5 + 0.47 * np.sin(x / (5.0 + i) + y / (7.0 - i))) * top for i in range(channels)]
    return np.stack(waves, -1).astype(np.uint8 if top < 256 else np.uint16)


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(body, zlib.crc32(kind)))


def filtered(rows, pixel, kinds):
    """Bytes of rows, each filtered as its kind says."""
    height, width = rows.shape
    out = np.zeros((height, width + 1), np.uint8)
    before = np.zeros(width, int)
    for i in range(height):
        row, kind = rows[i].astype(int), kinds[i % len(kinds)]
        left = np.concatenate([np.zeros(pixel, int), row])[:width]
        corner = np.concatenate([np.zeros(pixel, int), before])[:width]
        a, b, c = abs(before - corner), abs(left - corner), abs(left + before - 2 * corner)
        paeth = np.where((a <= b) & (a <= c), left, np.where(b <= c, before, corner))
        guess = [0, left, before, (left + before) // 2, paeth][kind]
        out[i, 0], out[i, 1:] = kind, (row - guess) % 256
        before = row
    return out.tobytes()


PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def clear(pixel):
    """The colour that counts as transparent."""
    return chunk(b"tRNS", pixel.astype(">u2").tobytes())


def png(pixels, kind, depth, interlaced=False, kinds=(0, 1, 2, 3, 4), extra=b""):
    """A PNG file of samples (height, width, channels) that have `depth` bits."""
    height, width, channels = pixels.shape
    data = b""
    for left, top, right, down in PASSES if interlaced else ((0, 0, 1, 1),):
        part = pixels[top::down, left::right]
        if part.size == 0:
            continue
        lines = part.reshape(part.shape[0], -1)
        if depth == 16:
            rows = lines.astype(">u2").view(np.uint8).reshape(part.shape[0], -1)
        elif depth == 8:
            rows = lines.astype(np.uint8)
        else:
            bits = (lines[:, :, None] >> np.arange(depth)[::-1]) & 1
            rows = np.packbits(bits.reshape(part.shape[0], -1).astype(np.uint8), axis=1)
        data += filtered(rows, max(1, channels * depth // 8), kinds)
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    packed = zlib.compress(data)
    half = len(packed) // 2
    parts = [chunk(b"IHDR", header), extra, chunk(b"tEXt", b"Comment\0hello")]
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            *parts,
            chunk(b"IDAT", packed[:half]),
            chunk(b"IDAT", packed[half:]),
            chunk(b"IEND", b""),
        ]
    )


PALETTE = chunk(b"PLTE", bytes(range(0, 48)))
OPACITY = chunk(b"tRNS", bytes([0, 128, 255, 7]))
FILES = {
    "grey": png(picture(9, 13, 1), 0, 8),
    "grey1": png(picture(9, 13, 1) // 128, 0, 1),
    "grey2": png(picture(9, 13, 1) // 64, 0, 2),
    "grey4": png(picture(9, 13, 1) // 16, 0, 4),
    "grey16": png(picture(9, 13, 1, 65535), 0, 16),
    "rgb": png(picture(9, 13, 3), 2, 8),
    "rgb16": png(picture(9, 13, 3, 65535), 2, 16),
    "palette": png(picture(9, 13, 1) // 16, 3, 8, extra=PALETTE),
    "palette1": png(picture(9, 13, 1) // 128, 3, 1, extra=PALETTE),
    "palette4": png(picture(9, 13, 1) // 16, 3, 4, extra=PALETTE),
    "palette_alpha": png(picture(9, 13, 1) // 16, 3, 4, extra=PALETTE + OPACITY),
    "grey_alpha": png(picture(9, 13, 2), 4, 8),
    "grey_alpha16": png(picture(9, 13, 2, 65535), 4, 16),
    "rgba": png(picture(9, 13, 4), 6, 8),
    "rgba16": png(picture(9, 13, 4, 65535), 6, 16),
    "interlaced": png(picture(9, 13, 3), 2, 8, True),
    "interlaced1": png(picture(9, 13, 1) // 128, 0, 1, True),
    "interlaced_small": png(picture(2, 3, 4), 6, 8, True),
    "clear_grey": png(picture(9, 13, 1), 0, 8, extra=clear(picture(9, 13, 1)[0, 0])),
    "clear_rgb": png(picture(9, 13, 3), 2, 8, extra=clear(picture(9, 13, 3)[2, 5])),
    "only_paeth": png(picture(9, 13, 3), 2, 8, kinds=(4,)),
    "only_average": png(picture(9, 13, 2), 4, 8, kinds=(3,)),
    "first_paeth": png(picture(9, 13, 3), 2, 8, kinds=(4, 0, 1)),
    "dot": png(picture(1, 1, 3), 2, 8),
}


@program(cases=FILES)
def read_png(tf, case):
    file = tf.placeholder(tf.string, [])
    ys = [tf.image.decode_png(file, channels) for channels in (0, 1, 3, 4)]
    ys += [tf.image.decode_png(file, channels, tf.uint16, name="deep") for channels in (0, 1, 3, 4)]
    ys += [tf.image.decode_image(file, dtype=tf.float32), tf.image.decode_image(file, 3, expand_animations=False)]
    ys += [tf.image.decode_jpeg(file), tf.image.decode_gif(file), tf.image.decode_image(file, 4, tf.float64)]
    with tf.Session() as sess:
        return [ys, sess.run(ys, {file: case})]


@program()
def broken_png(tf):
    file = tf.placeholder(tf.string, [])
    y = tf.image.decode_png(file)
    good = FILES["rgb"]
    at = good.index(b"IDAT")
    damaged = [
        b"",
        b"something else",
        good[:20],
        good[: at + 10],
        good[:-40],
        good[: at + 6] + bytes([good[at + 6] ^ 255]) + good[at + 7 :],
        good[:18] + bytes([good[18] ^ 255]) + good[19:],
        png(picture(9, 13, 1) // 16, 3, 8),
        png(picture(9, 13, 1), 5, 8),
        png(picture(9, 13, 1), 0, 3),
    ]
    with tf.Session() as sess:
        refused = [attempt(sess.run, y, {file: data}) for data in damaged]
        cut = [attempt(sess.run, y, {file: data}) for data in (good[:-12], good[:-13], good[:-30], good + b"more")]
        return [refused, cut]


@program()
def channels_refused(tf):
    file = FILES["rgb"]
    ops = tf.image
    with tf.Session() as sess:
        return [
            [attempt(sess.run, attempt(read, file, 2)) for read in (ops.decode_png, ops.decode_jpeg, ops.decode_bmp)],
            attempt(ops.decode_png, file, -1),
            attempt(ops.decode_png, file, 0, tf.float32),
            attempt(ops.decode_png, [file]),
            attempt(ops.decode_image, [file]),
            attempt(ops.encode_png, np.zeros((2, 3), np.uint8)),
            attempt(ops.encode_png, np.zeros((2, 3, 1), np.float32)),
            attempt(ops.encode_jpeg, np.zeros((2, 3), np.uint8)),
            attempt(ops.encode_jpeg, np.zeros((2, 3, 3), np.uint8), "bgr"),
            attempt(sess.run, ops.encode_png(np.zeros((2, 3, 5), np.uint8))),
            attempt(sess.run, ops.encode_jpeg(np.zeros((2, 3, 2), np.uint8))),
            attempt(sess.run, ops.encode_jpeg(np.zeros((2, 3, 3), np.uint8), quality=101)),
            attempt(sess.run, ops.encode_jpeg(np.zeros((2, 3, 3), np.uint8), "grayscale")),
            attempt(sess.run, ops.encode_jpeg(np.zeros((2, 3, 1), np.uint8), "rgb")),
            attempt(sess.run, ops.encode_jpeg(np.zeros((0, 3, 3), np.uint8))),
            attempt(ops.adjust_jpeg_quality, np.zeros((2, 3, 3), np.uint8), [80]),
            attempt(ops.random_jpeg_quality, np.zeros((2, 3, 3), np.uint8), 80, 70),
            attempt(ops.random_jpeg_quality, np.zeros((2, 3, 3), np.uint8), 80, 101),
        ]


@program(cases=[1, 2, 3, 4])
def png_there_and_back(tf, case):
    images = [picture(9, 13, case), picture(1, 5, case), picture(5, 1, case), picture(40, 50, case, 65535)]
    images.append(np.stack([picture(9, 13, case)] * 2))
    files = [tf.image.encode_png(image, level) for level in (-1, 0, 1, 9) for image in images]
    back = [tf.image.decode_png(file, dtype=tf.uint16) for file in files if file.shape == ()]
    with tf.Session() as sess:
        return [files, sess.run(back)]


def bmp(pixels, upright=True):
    height, width, channels = pixels.shape
    line = (width * channels + 3) // 4 * 4
    rows = np.zeros((height, line), np.uint8)
    order = [0] if channels == 1 else [2, 1, 0, 3][:channels]
    rows[:, : width * channels] = pixels[:, :, order].reshape(height, -1)
    header = struct.pack(
        "<2sIHHIIiiHHIIiiII", b"BM", 54 + rows.size, 0, 0, 54, 40, width, height if upright else -height, 1,
        8 * channels, 0, rows.size, 0, 0, 0, 0,
    )  # fmt: skip
    return header + (rows[::-1] if upright else rows).tobytes()


@program(cases=[1, 3, 4])
def read_bmp(tf, case):
    ys = []
    for upright in (True, False):
        file = bmp(picture(5, 7, case), upright)
        ys += [tf.image.decode_bmp(file, channels) for channels in (0, 3, 4)]
        ys.append(tf.image.decode_image(file))
        if upright:  # TensorFlow dies of the others
            ys += [tf.image.decode_image(file, dtype=tf.uint16), tf.image.decode_image(file, dtype=tf.float32)]
    with tf.Session() as sess:
        return [ys, sess.run(ys)]


@program()
def broken_bmp(tf):
    file, read = bmp(picture(5, 7, 3)), tf.image.decode_bmp
    with tf.Session() as sess:
        return [
            attempt(sess.run, read(file[:20])),
            attempt(sess.run, read(file[:-30])),
            attempt(sess.run, read(file, 1)),
            attempt(sess.run, read(file[:28] + b"\x10\0" + file[30:])),
            attempt(sess.run, tf.image.decode_png(file)),
            attempt(sess.run, read(FILES["rgb"])),
            attempt(sess.run, read(file[:-2])),
            attempt(sess.run, read(file + b"more")),
        ]


def lzw(index, bits):
    """Indices packed without any compression: the table is cleared before it grows."""
    codes, clear = [], 1 << bits
    for i, value in enumerate(index):
        if i % (clear - 2) == 0:
            codes.append(clear)
        codes.append(value)
    codes.append(clear + 1)
    number = sum(code << (i * (bits + 1)) for i, code in enumerate(codes))
    data = number.to_bytes((len(codes) * (bits + 1) + 7) // 8, "little")
    blocks = [data[i : i + 200] for i in range(0, len(data), 200)]
    return bytes([bits]) + b"".join(bytes([len(block)]) + block for block in blocks) + b"\0"


def gif(frames, size=(6, 9), interlaced=False, transparent=None):
    """`frames`: (left, top, indices below 16)."""
    data = b"GIF89a" + struct.pack("<HHBBB", size[1], size[0], 0x83, 0, 0) + bytes(range(0, 144, 3))
    for left, top, index in frames:
        if transparent is not None:
            data += b"!\xf9\x04" + struct.pack("<BHB", 1, 5, transparent) + b"\0"
        height, width = index.shape
        order = (
            [y for a, b in ((0, 8), (4, 8), (2, 4), (1, 2)) for y in range(a, height, b)]
            if interlaced
            else range(height)
        )
        data += b"," + struct.pack("<HHHHB", left, top, width, height, 0x40 if interlaced else 0)
        data += lzw(index[order].ravel().tolist(), 4)
    return data + b";"


WHOLE = picture(6, 9, 1)[..., 0] // 16
GIFS = {
    "one": gif([(0, 0, WHOLE)]),
    "three": gif([(0, 0, WHOLE), (2, 1, WHOLE[:3, :4]), (0, 0, WHOLE[::-1])]),
    "clear": gif([(0, 0, WHOLE), (0, 0, WHOLE[::-1])], transparent=5),
    "part": gif([(3, 2, WHOLE[:2, :3]), (0, 0, WHOLE[:1, :1])]),
    "interlaced": gif([(0, 0, WHOLE)], interlaced=True),
}


@program(cases=GIFS)
def read_gif(tf, case):
    ys = [
        tf.image.decode_gif(case),
        tf.image.decode_image(case),
        tf.image.decode_image(case, 3, tf.float32),
        tf.image.decode_image(case, 0, tf.uint16, expand_animations=False),
    ]
    with tf.Session() as sess:
        return [
            ys,
            sess.run(ys),
            attempt(sess.run, tf.image.decode_png(case)),
            attempt(sess.run, tf.image.decode_jpeg(case, 1)),
            attempt(sess.run, tf.image.decode_bmp(case)),
        ]


@program(cases=["grey", "colour", "fine", "progressive"])
def jpeg(tf, case):
    """Read by the accurate method; written byte for byte."""
    image = picture(33, 47, 1 if case == "grey" else 3)
    options = {
        "grey": {}, "colour": {"quality": 75},
        "fine": {"chroma_downsampling": False, "density_unit": "cm", "x_density": 10},
        "progressive": {"progressive": True, "quality": 40, "optimize_size": True, "xmp_metadata": "<x/>"},
    }[case]  # fmt: skip
    file = tf.image.encode_jpeg(image, **options)
    accurate = "INTEGER_ACCURATE"
    ys = [tf.image.decode_jpeg(file, channels, dct_method=accurate) for channels in (0, 1, 3)]
    ys += [tf.image.decode_jpeg(file, ratio=ratio, dct_method=accurate) for ratio in (2, 4, 8)]
    ys.append(tf.image.decode_and_crop_jpeg(file, [5, 7, 20, 30], dct_method=accurate))
    shapes = [tf.image.extract_jpeg_shape(file), tf.image.extract_jpeg_shape(file, tf.int64), tf.image.is_jpeg(file)]
    with tf.Session() as sess:
        data = sess.run(file)
        return [file, ys, shapes, sess.run([ys, shapes]), len(data), zlib.crc32(data)]


@program(tol=(0, 5))
def jpeg_by_default(tf):
    """TensorFlow's default is a faster method, a few levels off."""
    file = tf.image.encode_jpeg(picture(33, 47, 3), quality=75)
    ys = [
        tf.cast(tf.image.decode_jpeg(file), tf.float32),
        tf.cast(tf.image.decode_image(file), tf.float32),
        tf.cast(tf.image.decode_png(file, dtype=tf.uint16), tf.float32) / 256,
        tf.image.decode_image(file, dtype=tf.float32) * 255,
        tf.cast(tf.image.adjust_jpeg_quality(picture(33, 47, 3), 75), tf.float32),
        tf.image.adjust_jpeg_quality(picture(33, 47, 3) / np.float32(255), 75) * 255,
    ]
    with tf.Session() as sess:
        return [ys, [y[8:12, 8:13] for y in sess.run(ys)]]


@program()
def jpeg_quality(tf):
    image = picture(20, 30, 3)
    ys = [
        tf.image.adjust_jpeg_quality(image, 60, "INTEGER_ACCURATE"),
        tf.image.adjust_jpeg_quality(image, tf.constant(5), dct_method="INTEGER_ACCURATE", name="worse"),
        tf.image.adjust_jpeg_quality(image[:, :, :1], 100, "INTEGER_ACCURATE"),
    ]
    chance = tf.image.random_jpeg_quality(image / np.float32(255), 20, 90, seed=3)
    with tf.Session() as sess:
        return [ys, chance, sess.run(ys)]


@program()
def broken_jpeg(tf):
    image = tf.image
    with tf.Session() as sess:
        data = sess.run(image.encode_jpeg(picture(33, 47, 3)))
        bad = [data[: len(data) // 4], data[:-50], data[:30], b"\xff\xd8\xff", b"\xff\xd8\xff\xe0\0\x10JF"]
        return [
            [attempt(sess.run, image.decode_jpeg(file)) for file in bad],
            [attempt(sess.run, image.decode_jpeg(file, try_recover_truncated=True)) for file in bad[2:3]],
            attempt(sess.run, image.decode_jpeg(data, 4)),
            attempt(sess.run, image.decode_jpeg(data, ratio=3)),
            attempt(sess.run, image.decode_jpeg(data, dct_method="FLOAT")),
            attempt(sess.run, image.extract_jpeg_shape(b"something else")),
            attempt(sess.run, image.extract_jpeg_shape(data[:20])),
            attempt(sess.run, image.decode_bmp(data)),
            attempt(sess.run, image.decode_and_crop_jpeg(data, [0, 0, 40, 10])),
            attempt(sess.run, image.decode_and_crop_jpeg(data, [-1, 0, 10, 10])),
            attempt(image.decode_and_crop_jpeg, data, [1, 0, 10]),
            attempt(sess.run, image.decode_and_crop_jpeg(FILES["rgb"], [0, 0, 4, 4])),
        ]
