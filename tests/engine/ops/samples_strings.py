"""Samples of the strings, of files (this one is read), and of what prints."""

from __future__ import annotations

import gzip
import os
import zlib
from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]


def s(*values: bytes) -> Any:
    """A vector of strings."""
    array = np.empty(len(values), object)
    array[:] = values
    return array


def one(value: bytes) -> Any:
    return np.array(value, object)


def i(*values: int) -> Any:
    return np.array(values, np.int32)


WORDS = s(b"a b", b"", b"x,y,z", "Éà".encode(), b"\xff\x00")
MATRIX = s(b"a", b"b", b"c", b"d", b"e", b"f").reshape(2, 3)
NOTHING = s()
NUMBERS = s(b"1", b"22", b" 3 ")
THIS = os.fsencode(__file__)


def each(*arrays: Any, **attrs: Any) -> list[Sample]:
    return [([array], attrs) for array in arrays]


SAMPLES: dict[str, list[Sample]] = {
    "StringJoin": [
        ([[MATRIX, one(b"-"), MATRIX]], {"separator": "+"}),
        ([[one(b"a")]], {}),
        ([[NOTHING, NOTHING]], {}),
        ([[]], {"N": 0}),
    ],
    "ReduceJoin": [
        ([MATRIX, i(0)], {}),
        ([MATRIX, i(1, 0)], {"separator": ","}),
        ([MATRIX, np.array(-1, np.int32)], {"keep_dims": True}),
        ([MATRIX, i()], {}),
    ],
    "UnsortedSegmentJoin": [
        ([MATRIX, i(1, 1), np.array(3, np.int32)], {"separator": ":"}),
        ([MATRIX, np.array([[0, 1, 0], [1, 1, 0]], np.int64), np.array(2, np.int32)], {}),
    ],
    "Substr": [
        ([WORDS[:1], np.array(1, np.int32), np.array(2, np.int32)], {}),
        ([one(b"hello"), i(0, -2), i(1, 9)], {}),
        ([WORDS[3:4], np.array(1, np.int64), np.array(1, np.int64)], {"unit": "UTF8_CHAR"}),
    ],
    "StringStrip": each(WORDS, MATRIX, NOTHING),
    "StringLower": [*each(WORDS, NOTHING), *each(WORDS, encoding="utf-8")],
    "StringUpper": [*each(WORDS, one(b"a")), *each(WORDS, encoding="utf-8")],
    "StringLength": [*each(WORDS, NOTHING), *each(WORDS, unit="UTF8_CHAR")],
    "EncodeBase64": [*each(WORDS, NOTHING), *each(WORDS, pad=True)],
    "DecodeBase64": each(s(b"YWI", b"YQ==", b""), one(b"_-8")),
    "StringSplit": [
        ([WORDS, one(b" ,")], {}),
        ([WORDS, one(b"")], {}),
        ([s(b",,", b"a"), one(b",")], {"skip_empty": False}),
        ([NOTHING, one(b" ")], {}),
    ],
    "StringSplitV2": [([WORDS, one(b"")], {}), ([WORDS, one(b",")], {"maxsplit": 1}), ([NOTHING, one(b"")], {})],
    "StringToNumber": [
        *each(NUMBERS, NOTHING),
        *[([NUMBERS], {"out_type": kind}) for kind in ("float64", "int32", "int64", "uint32", "uint64")],
    ],
    "AsString": [
        *each(i(1, -2), np.array([1.5, np.inf]), np.array(True), np.array([1j], np.complex64), WORDS, width=6),
        *each(np.array([[1.5, 2e3]], np.float32), precision=2, scientific=True),
    ],
    "StringToHashBucket": each(WORDS, NOTHING, num_buckets=7),
    "StringToHashBucketFast": each(WORDS, MATRIX, num_buckets=1000),
    "StringToHashBucketStrong": each(WORDS, num_buckets=9, key=[1, -2]),
    "Fingerprint": [
        ([MATRIX, one(b"farmhash64")], {}),
        ([np.arange(6.0).reshape(2, 3), one(b"farmhash64")], {}),
        ([WORDS, one(b"farmhash64")], {}),
    ],
    "DecodeRaw": [
        *[([s(b"12345678", b"abcdefgh")], {"out_type": kind}) for kind in ("uint8", "int16", "float32", "complex64")],
        *each(one(b"abcd"), out_type="int32", little_endian=False),
        *each(NOTHING, out_type="float64"),
    ],
    "DecodeCompressed": [
        *each(WORDS),
        *each(s(zlib.compress(b"words"), b""), compression_type="ZLIB"),
        *each(one(gzip.compress(b"words", mtime=0)), compression_type="GZIP"),
    ],
    "DecodeCSV": [
        ([s(b"1,a,2.5", b",,1"), [i(7), s(b"x"), np.array([0.5], np.float32)]], {}),
        ([one(b"1;2;3"), [np.array([1]), np.array(0.5)]], {"field_delim": ";", "select_cols": [0, 2]}),
    ],
    "RegexReplace": [
        ([WORDS, one(b"[a-z]"), one(b"<\\0>")], {}),
        ([WORDS, one(b"b*"), one(b"-")], {"replace_global": False}),
    ],
    "StaticRegexReplace": each(WORDS, NOTHING, pattern=",", rewrite=";"),
    "RegexFullMatch": [([WORDS, one(b"a.*")], {})],
    "StaticRegexFullMatch": each(WORDS, MATRIX, pattern="[ab]"),
    "UnicodeTranscode": [
        *each(WORDS, input_encoding="UTF-8", output_encoding="UTF-16-BE"),
        *each(WORDS, input_encoding="UTF-8", output_encoding="UTF-8", errors="ignore"),
    ],
    "StringFormat": [
        ([[i(1, 2, 3), MATRIX, np.array(0.5)]], {"template": "a {} b {} c {}", "placeholder": "{}"}),
        ([[]], {"template": "nothing", "T": []}),
    ],
    "PrintV2": [([one(b"printed by the registry test")], {"output_stream": "stderr"})],
    "Timestamp": [([], {})],
    "ReadFile": each(one(THIS)),
    "WriteFile": [([one(os.fsencode(os.devnull)), one(b"text")], {})],
    "MatchingFiles": each(one(THIS), s(THIS, THIS + b"*"), one(b"/nonexistent/*")),
}
