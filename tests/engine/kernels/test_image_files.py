"""Files of images: any PNG comes back as it was, damage is named, and JPEG without Pillow says what to install."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tfbench as tf
from tfbench.engine.kernels.bmp import decode_bmp
from tfbench.engine.kernels.gif import decode_gif
from tfbench.engine.kernels.jpeg import decode_jpeg, encode_jpeg, jpeg_shape
from tfbench.engine.kernels.png import decode_png, encode_png
from tfbench.engine.kernels.png_filters import choose, restore

SHAPES = st.tuples(st.integers(1, 12), st.integers(1, 12), st.integers(1, 4))


@settings(max_examples=60, deadline=None)
@given(pixels=SHAPES.flatmap(lambda shape: arrays(st.sampled_from([np.uint8, np.uint16]), shape)))
def test_png_there_and_back(pixels: Any) -> None:
    bits = 8 * pixels.dtype.itemsize
    np.testing.assert_array_equal(decode_png(encode_png(pixels, -1), 0, bits), pixels)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(lambda s: arrays(np.uint8, (s[0], 3 * s[1]))),
    data=st.data(),
)
def test_every_mixture_of_filters_is_restored(rows: Any, data: Any) -> None:
    """The reference restores byte after byte."""
    kinds = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows))), np.uint8)
    wanted = np.zeros((len(rows) + 1, rows.shape[1] + 3), int)
    for y in range(len(rows)):
        for x in range(rows.shape[1]):
            left, up, corner = wanted[y + 1, x], wanted[y, x + 3], wanted[y, x]
            by_distance = sorted([(abs(up - corner), 0), (abs(left - corner), 1), (abs(left + up - 2 * corner), 2)])
            paeth = (left, up, corner)[by_distance[0][1]]
            guess = (0, left, up, (left + up) // 2, paeth)[kinds[y]]
            wanted[y + 1, x + 3] = (int(rows[y, x]) + guess) % 256
    np.testing.assert_array_equal(restore(kinds, rows, 3), wanted[1:, 3:])


def test_chosen_filters_are_restored() -> None:
    y, x = np.mgrid[:20, :30]
    rows = (127 + 120 * np.sin(x / 4 + y / 3)).astype(np.uint8)
    kinds, filtered = choose(rows, 1)
    assert len(set(kinds.tolist())) > 1, "waves should need several filters"
    np.testing.assert_array_equal(restore(kinds, filtered, 1), rows)


PICTURE = np.arange(10 * 12 * 3, dtype=np.uint8).reshape(10, 12, 3)


def test_png_files_that_are_cut_off_are_refused() -> None:
    data = encode_png(PICTURE, -1)
    for keep in range(8, len(data)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Invalid PNG data, size {keep}: "):
            decode_png(data[:keep], 0, 8)


def test_png_damage_is_named() -> None:
    data = encode_png(PICTURE, -1)
    at = data.index(b"IDAT")
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"b'IDAT' at byte {at - 4} does not have its checksum"):
        decode_png(data[: at + 6] + bytes([data[at + 6] ^ 1]) + data[at + 7 :], 0, 8)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"GIF89a", "ends at byte 6"),
        (b"GIF89a" + bytes(7) + b";", "no frame"),
        (b"GIF89a" + bytes(7) + b"x", "where an image or its end should be"),
        (b"GIF89a\1\0\1\0\x80\0\0" + bytes(6) + b",\0\0\0\0\1\0\1\0\0\2\1\x2c\0;", "0 of 1 pixels"),
    ],
)
def test_gif_damage_is_named(data: bytes, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        decode_gif(data)


def test_bmp_of_other_depths_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be 1, 3 or 4, was 2"):
        decode_bmp(b"BM" + bytes(8) + b"\x36\0\0\0" + bytes(14) + b"\x10\0" + bytes(10), 0)


def test_jpeg_shape_needs_no_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encode_jpeg(PICTURE)
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert jpeg_shape(data) == (10, 12, 3)


def test_jpeg_without_pillow_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encode_jpeg(PICTURE)
    monkeypatch.setitem(sys.modules, "PIL", None)
    for call in (lambda: decode_jpeg(data, 3), lambda: encode_jpeg(PICTURE)):
        with pytest.raises(tf.errors.UnimplementedError, match=r"need Pillow.*pip install pillow"):
            call()
    y = tf.image.decode_jpeg(data)
    with tf.Session() as session, pytest.raises(tf.errors.UnimplementedError, match="DecodeJpeg"):
        session.run(y)


def test_truncated_jpeg_is_recovered_on_request() -> None:
    y, x = np.mgrid[:64, :64]
    picture = np.stack([(127 + 120 * np.sin(x / 5 + y / 7 + i)) for i in range(3)], -1).astype(np.uint8)
    data = encode_jpeg(picture)
    whole, cut = decode_jpeg(data, 3), data[: len(data) * 2 // 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data"):
        decode_jpeg(cut, 3)
    found = decode_jpeg(cut, 3, recover=True)
    assert found.shape == whole.shape
    np.testing.assert_array_equal(found[:16], whole[:16])
    assert not np.array_equal(found[-8:], whole[-8:])


def test_what_is_decoded_may_be_written_to() -> None:
    assert decode_jpeg(encode_jpeg(PICTURE), 3).flags.writeable
    assert decode_png(encode_png(PICTURE, -1), 0, 8).flags.writeable
