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
#: a Feature's kind (0: none is set), and its list as bytes; with PLAIN in the kind, the bytes of the one value of the
#: list, which is a string, or all the numbers together
Feature = tuple[int, bytes]

BYTES, FLOATS, INTEGERS = 1, 2, 3
PLAIN = 8
NOTHING: Feature = (0, b"")


def parse_example(data: bytes) -> dict[bytes, Feature]:
    """The features of an Example by name; of two with one name the last.

    Raises:
      BadMessage: if the bytes are no message.
    """
    found: dict[bytes, Feature] = {}
    try:
        end, at = _chunk(data, 0, 10)
        if end == len(data):  # nothing but features
            _usual_features(data, at, found)
            return found
    except (_Unusual, IndexError):
        found.clear()
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
        _usual_features(data, 0, found)
        return
    except (_Unusual, IndexError):
        pass
    for number, kind, entry in fields(data):
        if number == 1 and kind == 2:
            key, body = _entry(entry)
            found[key] = _feature(body)


class _Unusual(Exception):
    """Fields in another order, or others than are known."""


#: the first byte of a Feature: which list follows
_TAGS = {10: BYTES, 18: FLOATS, 26: INTEGERS}


def _usual_features(data: bytes, at: int, found: dict[bytes, Feature]) -> None:
    """Features from `at` on, as every writer lays them out, each key and each value once and in order.

    One loop without calls, as it is gone through for every feature of every example: a few times faster than `fields`.
    """
    end = len(data)
    while at < end:
        if data[at] != 10:  # an entry
            raise _Unusual
        size, at = data[at + 1], at + 2
        if size > 127:
            size, at = read_varint(data, at - 1)
        stop = at + size
        if stop > end or data[at] != 10:  # its key
            raise _Unusual
        size, at = data[at + 1], at + 2
        if size > 127:
            size, at = read_varint(data, at - 1)
        key = data[at : at + size]
        at += size
        if data[at] != 18:  # its value
            raise _Unusual
        size, at = data[at + 1], at + 2
        if size > 127:
            size, at = read_varint(data, at - 1)
        if at + size != stop:
            raise _Unusual
        if not size:
            found[key] = NOTHING
            continue
        kind = _TAGS.get(data[at], 0)  # a list
        size, at = data[at + 1], at + 2
        if size > 127:
            size, at = read_varint(data, at - 1)
        if at + size != stop or not kind:
            raise _Unusual
        if size > 1 and data[at] == 10:  # a value of the list: the only one?
            size, value = data[at + 1], at + 2
            if size > 127:
                size, value = read_varint(data, value - 1)
            if value + size == stop:
                found[key] = kind | PLAIN, data[value:stop]
                at = stop
                continue
        found[key] = kind, data[at:stop]
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
    if kind & PLAIN:
        if kind == BYTES | PLAIN:
            out = np.empty(1, object)
            out[0] = data
            return out
        return _floats(data) if kind == FLOATS | PLAIN else _integers(data)
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


def column(features: list[Feature], kind: int) -> tuple[Array, Array] | None:
    """The values of many features, one after the other, and how many each has: decoded together.

    None where that does not go: one is of another kind, laid out in an unusual way, or damaged.
    """
    plain, parts = kind | PLAIN, []
    for found, data in features:
        if found != plain and (data or found not in (0, kind)):
            return None
        parts.append(data)
    if kind == BYTES:
        there = [found == plain for found, _ in features]
        out = np.empty(sum(there), object)
        out[:] = [data for data, used in zip(parts, there) if used]
        return out, np.array(there, np.intp)
    sizes = np.array([len(part) for part in parts], np.intp)
    together = b"".join(parts)
    if kind == FLOATS:
        return None if (sizes % 4).any() else (_floats(together), sizes >> 2)
    last = np.frombuffer(together, np.uint8) < 128
    ends = np.cumsum(sizes)
    if not last[ends[sizes > 0] - 1].all():
        return None  # else the numbers of one would go on in the next
    counted = np.concatenate([[0], np.cumsum(last)])
    try:
        return _integers(together), counted[ends] - counted[ends - sizes]
    except BadMessage:
        return None


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
