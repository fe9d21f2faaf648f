"""Example and SequenceExample messages read without protobuf: what is asked for is decoded, the rest only skipped.

Example         {1: Features}
SequenceExample {1: Features, 2: FeatureLists}
Features        {1: entries of name and Feature}      FeatureLists {1: entries of name and FeatureList}
Feature         {1: BytesList, 2: FloatList, 3: Int64List, each {1: values}}    FeatureList {1: Features}
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernels.wire import BadMessage, fields, read_varint, signed

Array = Any
#: a Feature's kind (0: none is set), and its list as bytes
Feature = tuple[int, bytes]

BYTES, FLOATS, INTEGERS = 1, 2, 3
NOTHING: Feature = (0, b"")


def parse_example(data: bytes) -> dict[bytes, Feature]:
    """The features of an Example by name; of two with one name the last.

    Raises:
      BadMessage: if the bytes are no message.
    """
    found: dict[bytes, Feature] = {}
    for number, kind, value in fields(data):
        if number == 1 and kind == 2:
            _features(value, found)
    return found


def parse_sequence(data: bytes) -> tuple[dict[bytes, Feature], dict[bytes, list[Feature]]]:
    """The context and the lists of features of a SequenceExample."""
    context: dict[bytes, Feature] = {}
    lists: dict[bytes, list[Feature]] = {}
    for number, kind, value in fields(data):
        if number == 1 and kind == 2:
            _features(value, context)
        elif number == 2 and kind == 2:
            for field, inner, entry in fields(value):
                if field == 1 and inner == 2:
                    key, body = _entry(entry)
                    lists[key] = [_feature(item) for one, form, item in fields(body) if one == 1 and form == 2]
    return context, lists


def _features(data: bytes, found: dict[bytes, Feature]) -> None:
    try:
        _usual_features(data, found)
        return
    except (_Unusual, IndexError):
        pass
    for number, kind, entry in fields(data):
        if number == 1 and kind == 2:
            key, body = _entry(entry)
            found[key] = _feature(body)


class _Unusual(Exception):
    """Fields in another order, or others than are known."""


def _usual_features(data: bytes, found: dict[bytes, Feature]) -> None:
    """Features as every writer lays them out, each key and each value once and in order: a few times faster."""
    at, end = 0, len(data)
    while at < end:
        stop, at = _chunk(data, at, 10)
        if stop > end:
            raise _Unusual
        key_end, at = _chunk(data, at, 10)
        key = data[at:key_end]
        value_end, at = _chunk(data, key_end, 18)
        if value_end != stop:
            raise _Unusual
        if at == stop:
            found[key] = NOTHING
            continue
        tag = data[at]
        list_end, at = _chunk(data, at, tag)
        if list_end != stop or tag not in (10, 18, 26):
            raise _Unusual
        found[key] = tag >> 3, data[at:stop]
        at = stop


def _chunk(data: bytes, at: int, tag: int) -> tuple[int, int]:
    """Where a field of bytes ends and where it begins; its key has to be `tag`."""
    if data[at] != tag:
        raise _Unusual
    size = data[at + 1]
    at += 2
    if size > 127:
        size, at = read_varint(data, at - 1)
    return at + size, at


def _entry(data: bytes) -> tuple[bytes, bytes]:
    """Key and value of a map's entry."""
    key = value = b""
    for number, kind, found in fields(data):
        if kind == 2 and number == 1:
            key = found
        elif kind == 2 and number == 2:
            value = found
    return key, value


def _feature(data: bytes) -> Feature:
    result = NOTHING
    for number, kind, value in fields(data):
        if kind == 2 and 1 <= number <= 3:
            result = number, value
    return result


def values(feature: Feature) -> Array:
    """The values of a Feature: an array of float32 or int64, or of strings.

    Raises:
      BadMessage: if its list is no list of that kind.
    """
    kind, data = feature
    if kind == BYTES:
        if data:
            end, at = (0, 0) if data[0] != 10 or len(data) < 2 else _chunk(data, 0, 10)
            if end == len(data):  # one string
                out = np.empty(1, object)
                out[0] = data[at:]
                return out
        strings = [value for number, form, value in fields(data) if number == 1 and form == 2]
        out = np.empty(len(strings), object)
        out[:] = strings
        return out
    if len(data) > 1 and data[0] == 10:
        end, at = _chunk(data, 0, 10)
        if end == len(data):  # one packed list
            return _floats(data[at:]) if kind == FLOATS else _integers(data[at:])
    parts = []
    for number, form, value in fields(data):
        if number != 1:
            continue
        if form == 2:
            parts.append(_floats(value) if kind == FLOATS else _integers(value))
        elif form == (5 if kind == FLOATS else 0):  # one by one, as some writers do
            parts.append(_floats(value) if kind == FLOATS else np.array([signed(value)], np.int64))
        else:
            raise BadMessage(f"A list of {'floats' if kind == FLOATS else 'integers'} has a value of form {form}.")
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([np.zeros(0, np.float32 if kind == FLOATS else np.int64), *parts])


def _floats(data: bytes) -> Array:
    if len(data) % 4:
        raise BadMessage(f"{len(data)} bytes are no floats.")
    return np.frombuffer(data, "<f4").astype(np.float32, copy=False)


def _integers(data: bytes) -> Array:
    """Varints one after the other."""
    if len(data) < 24:
        found, at = [], 0
        while at < len(data):
            value, at = read_varint(data, at)
            found.append(signed(value))
        return np.array(found, np.int64)
    array = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(array < 128)
    if not ends.size or ends[-1] != array.size - 1:
        raise BadMessage("The last number of a list does not end.")
    if ends.size == array.size:
        return array.astype(np.int64)
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    if lengths.max() > 10:
        raise BadMessage("A number of a list is too long.")
    shifts = 7 * (np.arange(array.size) - np.repeat(starts, lengths))
    parts = (array & 127).astype(np.uint64) << shifts.astype(np.uint64)
    return np.bitwise_or.reduceat(parts, starts).view(np.int64)
