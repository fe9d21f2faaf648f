"""Hashes, numbers as text and regular expressions, where the facts have only examples."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfbench as tf
from tfbench.engine.kernels.hashes import fingerprint64, murmur64, siphash
from tfbench.engine.kernels.regex import PatternError, compile_pattern, replace
from tfbench.engine.kernels.text_numbers import FormatError, formatter, parse_float, parse_int

# -- hashes: SipHash's authors publish what it makes of 0, 1, 2, … with the key 0, 1, …, 15

SIP_KEY = (0x0706050403020100, 0x0F0E0D0C0B0A0908)


@pytest.mark.parametrize(
    ("size", "value"), [(0, 0x726FDB47DD0E0E31), (1, 0x74F839C593DC67FD), (15, 0xA129CA6149BE45E5)]
)
def test_siphash_vectors(size: int, value: int) -> None:
    assert siphash(SIP_KEY, bytes(range(size))) == value


def test_hashes_fit_64_bits_and_differ() -> None:
    data = [bytes([i % 251 for i in range(n)]) for n in range(200)]
    for function in (fingerprint64, murmur64, lambda text: siphash((1, -2), text)):
        values = [function(text) for text in data]
        assert all(0 <= value < 2**64 for value in values)
        assert len(set(values)) == len(values)


# -- numbers


@settings(max_examples=300)
@given(st.floats(allow_nan=False))
def test_float64_is_read_exactly(value: float) -> None:
    assert parse_float(repr(value).encode(), np.float64) == value


@settings(max_examples=300)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.integers(9, 40))
def test_float32_is_read_exactly(value: float, digits: int) -> None:
    """From any number of digits that tells it from its neighbours."""
    assert parse_float(f"{value:.{digits}g}".encode(), np.float32) == np.float32(value)


def test_a_tie_is_rounded_once() -> None:
    """Halfway between two floats, and a little more than that."""
    assert parse_float(b"16777217", np.float32) == 16777216
    assert parse_float(b"16777217.0000000000000000", np.float32) == 16777216
    assert parse_float(b"16777217.0000000000000001", np.float32) == 16777218
    assert parse_float(b"-16777217.0000000000000001", np.float32) == -16777218


@given(st.integers(-(2**70), 2**70), st.sampled_from([np.int32, np.int64, np.uint32, np.uint64]))
def test_integers_are_read_or_refused(value: int, kind: Any) -> None:
    limits = np.iinfo(kind)
    if limits.min <= value <= limits.max:
        assert parse_int(f" {value}\n".encode(), kind) == value
    else:
        with pytest.raises(ValueError, match="range"):
            parse_int(str(value).encode(), kind)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("i", "int32", 2, False, False, -1, ""), "precision not supported"),
        (("b", "bool", -1, True, False, -1, ""), "scientific and shortest format not supported"),
        (("f", "float", -1, True, True, -1, ""), "both scientific and shortest"),
        (("f", "float", -1, False, False, 3, "ab"), "one or fewer"),
        (("f", "float", -1, False, False, 3, "x"), "Fill argument not supported"),
    ],
)
def test_formats_that_make_no_sense(options: Any, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        formatter(*options)


# -- regular expressions


@given(st.text(alphabet="ab\n é.", max_size=12), st.sampled_from([b"a", b".", b"a*", b"^a|b$", b"\\.", b"[^a]+", b""]))
def test_replacing_matches_by_themselves_changes_nothing(text: str, pattern: bytes) -> None:
    assert replace(compile_pattern(pattern), b"\\0", text.encode(), True) == text.encode()


@given(st.binary(max_size=12))
def test_bytes_that_are_no_text_survive(data: bytes) -> None:
    assert replace(compile_pattern(b"zzz"), b"", data, True) == data


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (b"\\", "trailing"),
        (b"\\p{Greek}", "not supported"),
        (b"[[:nonsense:]]", "invalid character class"),
        (b"[[:^alpha:]]", "invalid character class"),
        (b"(?>a)", "invalid perl operator"),
        (b"\\x{zz}", "invalid escape"),
        (b"[a", "missing ]"),
    ],
)
def test_patterns_that_are_refused(pattern: bytes, words: str) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern)
    assert words in str(caught.value)


# -- lines of fields, against Python's own reader

FIELD = st.text(alphabet="ab ,\"'", max_size=5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(FIELD, FIELD, FIELD), min_size=1, max_size=4))
def test_csv_is_read_as_it_is_written(rows: list[tuple[str, str, str]]) -> None:
    lines = []
    for row in rows:
        out = io.StringIO()
        csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="").writerow(row)
        lines.append(out.getvalue())
    with tf.Graph().as_default(), tf.Session() as session:
        columns = session.run(tf.decode_csv(lines, [["empty"]] * 3))
    read = [[field.decode() for field in row] for row in zip(*columns, strict=True)]
    assert read == [[field or "empty" for field in row] for row in rows]
