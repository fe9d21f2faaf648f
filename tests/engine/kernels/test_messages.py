"""Messages read and written without protobuf agree with protobuf; damaged ones are refused, not misread silently."""

from __future__ import annotations

import bisect
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfbench as tf
from tfbench.engine.kernels import examples, histograms, wire
from tfbench.formats import protos

NAMES = st.text(max_size=4)
FLOATS = st.lists(st.floats(width=32, allow_nan=False), max_size=40)
INTEGERS = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40)
STRINGS = st.lists(st.binary(max_size=300), max_size=5)
FEATURES = st.one_of(
    FLOATS.map(lambda v: protos.Feature(float_list=protos.FloatList(value=v))),
    INTEGERS.map(lambda v: protos.Feature(int64_list=protos.Int64List(value=v))),
    STRINGS.map(lambda v: protos.Feature(bytes_list=protos.BytesList(value=v))),
    st.just(protos.Feature()),
)


def agree(feature: examples.Feature, wanted: Any) -> None:
    kind = wanted.WhichOneof("kind")
    assert feature[0] & ~examples.PLAIN == (
        0 if kind is None else ["", "bytes_list", "float_list", "int64_list"].index(kind)
    )
    if kind is not None:
        assert examples.values(feature).tolist() == list(getattr(wanted, kind).value)


@settings(deadline=None)
@given(st.dictionaries(NAMES, FEATURES, max_size=5))
def test_examples(features: dict[str, Any]) -> None:
    message = protos.Example(features=protos.Features(feature=features))
    found = examples.parse_example(message.SerializeToString())
    assert set(found) == {name.encode() for name in features}
    for name, feature in features.items():
        agree(found[name.encode()], feature)


#: as writers lay numbers out, one by one, empty, in two lists, damaged
LAYOUTS = {
    examples.INTEGERS: [b"\x0a\x01\x05", b"\x08\x05", b"", b"\x0a\x00", b"\x0a\x01\x05\x0a\x01\x06", b"\x0a\x01\x85"],
    examples.FLOATS: [
        b"\x0a\x04abcd",
        b"\x0dabcd",
        b"",
        b"\x0a\x08abcdefgh",
        b"\x0a\x04abcd\x0a\x04abcd",
        b"\x0a\x03abc",
    ],
    examples.BYTES: [b"\x0a\x01x", b"\x0a\x00", b"", b"\x0a\x01x\x0a\x01y", b"\x0a\x02x"],
}


@settings(deadline=None)
@given(st.sampled_from(sorted(LAYOUTS)), st.data())
def test_many_features_are_decoded_as_one_by_one(kind: int, data: st.DataObject) -> None:
    bodies = st.sampled_from(LAYOUTS[kind])
    if kind == examples.INTEGERS:
        packed = INTEGERS.map(lambda v: protos.Int64List(value=v).SerializeToString())
        bodies = st.one_of(bodies, packed)
    found = []
    for body in data.draw(st.lists(st.one_of(st.none(), bodies), min_size=1, max_size=8)):
        message = b"" if body is None else wire.chunk(kind, body, always=True)
        example = wire.chunk(1, wire.chunk(1, wire.chunk(1, b"key") + wire.chunk(2, message, always=True)))
        try:
            found.append(examples.parse_example(example)[b"key"])
        except wire.BadMessage:
            return
    column = examples.column(found, kind)
    try:
        values = [examples.values(feature) if feature[0] else np.zeros(0) for feature in found]
    except wire.BadMessage:
        assert column is None
        return
    if column is not None:
        assert column[0].tolist() == [one for part in values for one in part.tolist()]
        assert column[1].tolist() == [part.size for part in values]
    else:
        assert not all(feature[0] & examples.PLAIN for feature in found)
    assert examples.column([*found, (kind % 3 + 1, b"x")], kind) is None


@settings(deadline=None)
@given(st.dictionaries(NAMES, FEATURES, max_size=3), st.dictionaries(NAMES, st.lists(FEATURES, max_size=4), max_size=3))
def test_sequence_examples(context: dict[str, Any], lists: dict[str, Any]) -> None:
    steps = {name: protos.FeatureList(feature=features) for name, features in lists.items()}
    message = protos.SequenceExample(
        context=protos.Features(feature=context), feature_lists=protos.FeatureLists(feature_list=steps)
    )
    found, found_lists = examples.parse_sequence(message.SerializeToString())
    assert set(found) == {name.encode() for name in context}
    for name, feature in context.items():
        agree(found[name.encode()], feature)
    assert {name: len(items) for name, items in found_lists.items()} == {
        name.encode(): len(features) for name, features in lists.items()
    }
    for name, features in lists.items():
        for feature, wanted in zip(found_lists[name.encode()], features, strict=True):
            agree(feature, wanted)


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(NAMES, FEATURES, max_size=3), st.data())
def test_damaged_examples(features: dict[str, Any], data: st.DataObject) -> None:
    """What protobuf refuses is refused; what it reads is read as it reads it."""
    from google.protobuf.message import DecodeError

    whole = protos.Example(features=protos.Features(feature=features)).SerializeToString(deterministic=True)
    place = data.draw(st.integers(0, max(len(whole) - 1, 0)))
    damaged = whole[:place] + data.draw(st.binary(max_size=2)) + whole[place + data.draw(st.integers(0, 2)) :]
    try:
        wanted = protos.Example.FromString(damaged).features.feature
    except DecodeError:
        wanted = None
    try:
        found = examples.parse_example(damaged)
        values = {name: examples.values(feature).tolist() for name, feature in found.items() if feature[0]}
    except wire.BadMessage:
        assert wanted is None or _is_odd(damaged)
        return
    if wanted is not None and not _is_odd(damaged):
        for name, feature in wanted.items():
            kind = feature.WhichOneof("kind")
            expected = list(getattr(feature, kind).value) if kind else []
            assert repr(values.get(name.encode(), [])) == repr(expected)  # damage makes NaN, too


def _is_odd(damaged: bytes) -> bool:
    """Whether something stands in a message that no writer writes: unknown fields, or lists that come in pieces."""
    return protos.Example.FromString(damaged).SerializeToString(deterministic=True) != damaged


@given(INTEGERS)
def test_long_lists_of_integers(numbers: list[int]) -> None:
    numbers = numbers * 5 + [0, 127, 128, -1]
    data = b"".join([wire.varint(number) for number in numbers])
    feature = examples.INTEGERS, wire.chunk(1, data)
    assert examples.values(feature).tolist() == numbers
    for cut in (b"\x80", b"\x80" * 12, b"\xff" * 11 + b"\x01"):
        with pytest.raises(wire.BadMessage):
            examples.values((examples.INTEGERS, wire.chunk(1, data + cut)))


def test_forms_that_are_refused() -> None:
    for data in (b"\x0a", b"\x0a\x05ab", b"\x0b\x00", b"\x00\x00", b"\x80", b"\x0d\x00\x00"):
        with pytest.raises(wire.BadMessage):
            list(wire.fields(data))
    with pytest.raises(wire.BadMessage, match="7 bytes are no floats"):
        examples.values((examples.FLOATS, wire.chunk(1, b"1234567")))
    with pytest.raises(wire.BadMessage, match="a value of form 0"):
        examples.values((examples.FLOATS, b"\x08\x01"))


@given(st.integers(-(2**63), 2**63 - 1), st.binary(max_size=200), st.floats(allow_nan=False), st.floats(width=32))
def test_fields(number: int, data: bytes, real: float, single: float) -> None:
    written = wire.double(1, real) + wire.integer(2, number) + wire.chunk(4, data, always=True)
    assert written == protos.Event(wall_time=real, step=number, graph_def=data).SerializeToString()
    value = protos.Summary.Value(simple_value=single)
    assert wire.single(2, single, always=True) == value.SerializeToString()
    assert list(wire.fields(wire.integer(3, number, always=True))) == [(3, 0, number % 2**64)]
    assert wire.signed(number % 2**64) == number


@pytest.mark.parametrize(
    "value", [1.5, [[1, 2], [3, 4]], [True], ["a", b"\xff"], np.zeros([0, 3]), np.float16(2), 1 + 2j, np.uint8([200])]
)
def test_tensors(value: Any) -> None:
    tensor = tf.make_tensor_proto(value)
    array = tf.make_ndarray(tensor)
    written = wire.tensor(array, tensor.dtype)
    again = tf.make_ndarray(protos.TensorProto.FromString(written))
    np.testing.assert_array_equal(again, array)
    assert (again.dtype, again.shape) == (array.dtype, array.shape)


# -- histograms -------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e25, 1e25, allow_subnormal=False), min_size=1, max_size=50))
def test_histograms(values: list[float]) -> None:
    """As adding values one by one to buckets gives them."""
    found = protos.HistogramProto.FromString(histograms.encode(np.array(values)))
    limits = histograms.limits().tolist()
    counts = [0.0] * len(limits)
    total = squares = 0.0
    for value in values:
        counts[bisect.bisect_right(limits, value)] += 1
        total += value
        squares += value * value
    assert (found.min, found.max, found.num) == (min(values), max(values), len(values))
    assert (found.sum, found.sum_squares) == (total, squares)
    assert len(found.bucket) == len(found.bucket_limit)
    assert found.bucket_limit[-1] == limits[-1]
    assert {limit: count for limit, count in zip(found.bucket_limit, found.bucket) if count} == {
        limit: count for limit, count in zip(limits, counts) if count
    }
    # Of each run of empty buckets only the last is listed.
    assert not any(first == second == 0 for first, second in zip(found.bucket, list(found.bucket)[1:]))


def test_limits() -> None:
    limits = histograms.limits()
    assert len(limits) == 1551
    assert (limits[775], limits[776], limits[-1]) == (0.0, 1e-12, float(np.finfo(np.float64).max))
    assert np.all(np.diff(limits) > 0)
    np.testing.assert_array_equal(limits, -limits[::-1])


def test_long_sums_are_those_of_one_after_the_other() -> None:
    values = np.random.default_rng(0).normal(size=200_001)
    found = protos.HistogramProto.FromString(histograms.encode(values))
    total = 0.0
    for value in values.tolist():
        total += value
    assert found.sum == total
    assert not math.isclose(found.sum, float(np.sum(values)), rel_tol=0, abs_tol=0)
