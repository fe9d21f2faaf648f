"""Slices of tensors: written and read, in range, and named so that names sort as slices do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfbench.engine.kernels.tensor_slices import ALL, TensorSlice, overlap, parse_spec
from tfbench.errors import InternalError, InvalidArgumentError

EXTENTS = st.lists(st.just((0, ALL)) | st.tuples(st.integers(0, 2**40), st.integers(1, 2**40)), min_size=1, max_size=4)
NAMES = st.binary(max_size=6) | st.sampled_from([b"a", b"a/b", b"a\0", b"a\xff", b"\0\1"])


@given(EXTENTS)
def test_text_round_trip(extents: list[tuple[int, int]]) -> None:
    assert TensorSlice.parse(str(TensorSlice(extents))).extents == tuple(extents)


@given(NAMES, NAMES, EXTENTS, EXTENTS)
def test_keys_sort_as_what_they_name(a: bytes, b: bytes, x: list[tuple[int, int]], y: list[tuple[int, int]]) -> None:
    first, second = (a, len(x), x), (b, len(y), y)
    one, other = TensorSlice(x).key(a), TensorSlice(y).key(b)
    assert (one < other) == (first < second)
    assert (one == other) == (first == second)


# What TensorFlow 2.21 names them: tf.raw_ops.SaveV2(…, shape_and_slices=["70000 63,1"]), read off its index file.
@pytest.mark.parametrize(
    ("extents", "key"),
    [
        ([(0, 2), (0, 2)], b"\0p\0\1\1\2\x80\x82\x80\x82"),
        ([(0, ALL), (0, 1)], b"\0p\0\1\1\2\x80\x7f\x80\x81"),
        ([(63, 64)], b"\0p\0\1\1\1\xbf\xc0\x40"),
        ([(8191, 8192)], b"\0p\0\1\1\1\xdf\xff\xe0\x20\x00"),
    ],
)
def test_keys(extents: list[tuple[int, int]], key: bytes) -> None:
    assert TensorSlice(extents).key(b"p") == key


def test_specs() -> None:
    shape, part = parse_spec("6 2 0,2:-")
    assert shape == (6, 2)
    assert part.bounds(shape) == [(0, 2), (0, 2)]
    assert part.shape_of(shape) == (2, 2)
    assert not part.is_whole
    assert TensorSlice.whole(2).is_whole


@pytest.mark.parametrize("spec", ["", "4", "x 0,1", "4 x", "4 0", "4 0,x", "4 0,0", "4 -1,2", "4 0,1:"])
def test_what_is_no_spec(spec: str) -> None:
    with pytest.raises((InvalidArgumentError, InternalError)):
        parse_spec(spec)


@pytest.mark.parametrize(("spec", "words"), [("4 3,2", "out of bounds"), ("4 4 0,1", "Mismatching ranks")])
def test_parts_outside_of_the_whole(spec: str, words: str) -> None:
    with pytest.raises(InternalError, match=words):
        parse_spec(spec)


def test_overlaps() -> None:
    assert overlap([(0, 3), (1, 4)], [(2, 5), (0, 2)]) == [(2, 3), (1, 2)]
    assert overlap([(0, 3)], [(3, 5)]) is None
    assert overlap([], []) == []
