"""Runs cut by devices: what crosses, once for each destination, and what each partition holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tfbench as tf
from tfbench.engine.frames import arrange, flattened
from tfbench.engine.partition import Partitions, partition, transfers
from tfbench.engine.prune import needed_operations


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def cut(*fetches: Any, feeds: Any = ()) -> Partitions:
    operations = [fetch for fetch in fetches if not hasattr(fetch, "dtype")]
    tensors = [tf.convert_to_tensor(fetch) for fetch in fetches if hasattr(fetch, "dtype")]
    with tf.simulate_devices(gpu=2), tf.Session() as session:
        placement = session.look_at_placement([], [], [])
    order = flattened(arrange(needed_operations(tensors, operations, set(feeds)), set(feeds)))
    found = partition(order, placement, feeds)
    assert [(t.name, t.source, t.destination) for t in found.transfers] == [
        (t.name, t.source, t.destination) for t in transfers(order, placement, feeds)
    ]
    check(found, len(order), {tensor.op.name for tensor in feeds})
    return found


def check(found: Partitions, operations: int, fed: set[str]) -> None:
    """What every partitioning has: each operation once, inputs that are there, a Send and a Recv for each transfer."""
    sends, receives, count = [], [], 0
    for part in found.parts:
        made = set()
        for node in part.nodes:
            if node.op is not None:
                count += 1
            assert {name.partition(":")[0] for name in node.inputs} <= made | fed
            assert set(node.control_inputs) <= made
            made.add(node.name)
            if node.type == "_Send":
                sends.append(node.transfer)
                assert node.transfer.source == part.device
            if node.type == "_Recv":
                receives.append(node.transfer)
                assert node.transfer.destination == part.device
        assert len(made) == len(part.nodes)
    assert count == operations
    assert {id(t) for t in sends} == {id(t) for t in receives} == {id(t) for t in found.transfers}
    assert len(sends) == len(receives) == len(found.transfers)


def crossing(found: Partitions) -> list[tuple[str, int, int, int | None]]:
    return [(t.name, t.source, t.destination, t.bytes) for t in found.transfers]


def nodes(found: Partitions) -> list[list[str]]:
    return [[node.name for node in part.nodes] for part in found.parts]


def test_one_transfer_however_many_take_it() -> None:
    with tf.device("/gpu:0"):
        a = tf.ones([4, 2], name="a")
    with tf.device("/gpu:1"):
        b, c, d = tf.negative(a, name="b"), tf.exp(a, name="c"), tf.add(a, a, name="d")
    with tf.device("/cpu:0"):
        e = tf.identity(a, name="e")
    found = cut(b, c, d, e)
    assert crossing(found) == [("a:0", 1, 0, 32), ("a:0", 1, 2, 32)]
    assert nodes(found) == [["a/_1", "e"], ["a", "a/_0", "a/_2"], ["a/_3", "b", "c", "d"]]
    assert [node.inputs for node in found.parts[2].nodes] == [(), ("a/_3:0",), ("a/_3:0",), ("a/_3:0", "a/_3:0")]


def test_who_only_waits_gets_an_empty_message() -> None:
    with tf.device("/gpu:0"):
        a = tf.no_op(name="a")
    with tf.device("/gpu:1"), tf.control_dependencies([a]):
        b, c = tf.ones([2], name="b"), tf.no_op(name="c")
    found = cut(b, c)
    assert crossing(found) == [("^a", 1, 2, 0)]
    assert nodes(found) == [["a", "a/_0"], ["a/_1", "b", "c"]]
    assert found.parts[1].nodes[2].control_inputs == ("a/_1",)


def test_a_value_is_sent_when_it_is_made_and_received_when_it_is_needed() -> None:
    with tf.device("/gpu:0"):
        a = tf.ones([2], name="a")
        other = tf.exp(a, name="other")
    with tf.device("/gpu:1"):
        early = tf.ones([2], name="early")
        b = tf.negative(a, name="b")
    assert nodes(cut(other, b, early)) == [["a", "a/_0", "other"], ["early", "a/_1", "b"]]


def test_a_variables_memory_is_sent_when_it_is_first_needed() -> None:
    with tf.device("/gpu:0"):
        v = tf.Variable([1.0, 2.0], name="v")
        a = tf.identity(v, name="a")
        w = tf.assign_add(v, [1.0, 1.0], name="w")
    with tf.device("/gpu:1"):
        b, c = tf.negative(a, name="b"), tf.exp(a, name="c")
    assert nodes(cut(w, b, c)) == [["v", "v/read", "a", "w/value", "w", "a/_0"], ["a/_1", "b", "c"]]


def test_a_variable_that_is_read_elsewhere_is_copied_once_for_each_device() -> None:
    with tf.device("/cpu:0"):
        v = tf.get_variable("v", [3])
        w = tf.get_variable("w", [3], caching_device="/gpu:1")
    with tf.device("/gpu:1"):
        uses = [v + 1.0, v * 2.0, w + 1.0, w * 2.0]
    # `w/read` is on GPU:1, so what crosses there is the variable itself.
    assert crossing(cut(*uses)) == [("v/read:0", 0, 2, 12), ("w:0", 0, 2, 12)]


def test_a_fed_value_is_at_the_device_of_its_op() -> None:
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
    with tf.device("/gpu:1"):
        y = tf.negative(x, name="y")
        z = tf.exp(y, name="z")
    assert crossing(cut(y, feeds=[x])) == [("x:0", 1, 2, None)]
    assert crossing(cut(z, feeds=[y])) == []


def test_what_waits_for_a_fed_placeholder_waits_for_nothing() -> None:
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [2], name="x")
    with tf.device("/gpu:1"), tf.control_dependencies([x.op]):
        y = tf.ones([2], name="y")
    assert crossing(cut(y, feeds=[x])) == []


def test_one_device_has_no_transfers() -> None:
    with tf.device("/gpu:0"):
        x = tf.ones([2]) + 1.0
    assert crossing(cut(x)) == []
    assert len(cut(x).parts) == 1


@pytest.mark.parametrize(
    ("shape", "dtype", "size"),
    [
        ([2, 3], tf.float64, 48),
        ([], tf.complex64, 8),
        ([4], tf.bool, 4),
        ([None], tf.float32, None),
        (None, tf.int8, None),
    ],
)
def test_bytes_are_those_of_the_static_shape(shape: Any, dtype: Any, size: int | None) -> None:
    with tf.device("/gpu:0"):
        a = tf.placeholder(dtype, shape, name="x")
    with tf.device("/gpu:1"):
        b = tf.identity(a, name="b")
    assert crossing(cut(b, feeds=[a])) == [("x:0", 1, 2, size)]


def test_partitions_of_a_loop_that_spans_devices() -> None:
    with tf.device("/gpu:0"):
        limit = tf.constant(3.0, name="limit")

        def body(i: Any) -> Any:
            with tf.device("/gpu:1"):
                return tf.add(i, 1.0)

        result = tf.while_loop(lambda i: i < limit, body, [tf.constant(0.0)])
    with tf.simulate_devices(gpu=2), tf.Session() as session:
        placement = session.look_at_placement([], [], [])
    order = flattened(arrange(needed_operations([result], [], set()), set()))
    found = partition(order, placement)
    assert {part.device for part in found.parts} == {1, 2}
    assert all(transfer.source != transfer.destination for transfer in found.transfers)
    assert sum(node.type == "_Recv" for part in found.parts for node in part.nodes) == len(found.transfers)
