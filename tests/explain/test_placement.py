"""`explain.placement`: rows, reasons and transfers, and their forms."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import tfbench as tf
from tfbench.explain import placement


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default(), tf.simulate_devices(gpu=2):
        yield


def test_the_seeds_identity_is_the_transfer() -> None:
    """One value, two devices: with the identity it crosses where and when the identity is."""
    with tf.device("/gpu:0"):
        loss = tf.reduce_sum(tf.ones([4, 4]), name="loss")
    with tf.device("/cpu:0"):
        total = tf.identity(loss, name="total")
    answer = placement(total)
    assert [tuple(row)[:4] for row in answer.ops] == [
        ("ones", "/device:GPU:0", "/device:GPU:0", "asked"),
        ("Const", "/device:GPU:0", "/device:GPU:0", "asked"),
        ("loss", "/device:GPU:0", "/device:GPU:0", "asked"),
        ("total", "/device:CPU:0", "/device:CPU:0", "asked"),
    ]
    assert [tuple(row)[:4] for row in answer.transfers] == [("loss:0", "/device:GPU:0", "/device:CPU:0", 4)]


def test_the_whole_graph_is_placed_whatever_is_asked_about() -> None:
    one = tf.constant([1.0], name="one")
    a = tf.negative(one, name="a")
    assert placement(a).ops["one"].assigned == "/device:GPU:0"
    with tf.device("/gpu:1"):
        tf.negative(one, name="b")
    with tf.device("/cpu:0"):
        tf.negative(a, name="c")
    # `b` is not fetched, and yet `one` now has consumers on two devices.
    assert placement(a).ops["one"].reason == "default"
    assert [row.tensor for row in placement(a).transfers] == []
    assert [(row.tensor, row.destination) for row in placement().transfers] == [
        ("one:0", "/device:GPU:1"),
        ("a:0", "/device:CPU:0"),
    ]
    pruned = tf.ConfigProto(graph_options=tf.GraphOptions(place_pruned_graph=True))
    with tf.device("/gpu:9"):
        tf.negative(one, name="nowhere")
    with tf.Session(config=pruned) as session:
        assert [row.op for row in placement(a, session=session).ops] == ["one", "a"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device for operation nowhere"):
        placement(a)


def test_control_edges_are_transfers_without_bytes() -> None:
    with tf.device("/gpu:1"):
        a = tf.no_op(name="a")
    with tf.control_dependencies([a]):
        b = tf.negative([1.0], name="b")
    assert [tuple(row)[:4] for row in placement(b).transfers] == [("^a", "/device:GPU:1", "/device:GPU:0", 0)]


def test_rows_are_found_by_name_frozen_and_plain() -> None:
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
    with tf.device("/gpu:1"):
        y = tf.negative(x, name="y")
    answer = placement([y], feeds=[x])
    assert answer.ops["y"].assigned == "/device:GPU:1"
    assert answer.transfers["x:0"].bytes is None
    assert answer == placement("y:0", feeds=["x:0"])
    with pytest.raises(AttributeError, match="frozen"):
        answer.ops = ()  # type: ignore[assignment]
    assert json.loads(json.dumps(answer.to_dict())) == {
        "ops": [
            {
                "op": "y", "requested": "/device:GPU:1", "assigned": "/device:GPU:1", "reason": "asked", "detail": "",
                "simulated": True,
            }
        ],
        "transfers": [{"tensor": "x:0", "source": "/device:GPU:0", "destination": "/device:GPU:1", "bytes": None,
                       "simulated": True}],
    }  # fmt: skip
    assert str(answer) == (
        "op  asked for      assigned                   why\n"
        "y   /device:GPU:1  /device:GPU:1 (simulated)  asked\n"
        "1 operation: 1 on /device:GPU:1 (simulated)\n"
        "\n"
        "tensor  from           to             bytes\n"
        "x:0     /device:GPU:0  /device:GPU:1  ?\n"
        "1 transfer, 0 bytes and 1 transfer of unknown size (simulated devices)"
    )


def test_names_are_data_in_the_html() -> None:
    tf.negative([1.0], name="a.b")
    html = placement()._repr_html_()
    assert "a.b" in html
    assert html.count("<table>") == 1
    assert "nothing crosses devices" in html


def test_an_empty_graph() -> None:
    assert str(placement()) == "0 operations\n\nnothing crosses devices"


def test_loops_and_branches_have_rows_too() -> None:
    with tf.device("/gpu:1"):
        x = tf.while_loop(lambda i: i < 3.0, lambda i: i + 1.0, [tf.constant(0.0)], name="loop")
        y = tf.cond(x > 1.0, lambda: x * 2.0, lambda: x)
    answer = placement(y)
    assert {row.assigned for row in answer.ops} == {"/device:GPU:1"}
    assert len(answer.transfers) == 0


def test_without_a_session_the_devices_are_those_that_a_new_one_would_have() -> None:
    x = tf.negative([1.0], name="x")
    assert placement(x).ops["x"].assigned == "/device:GPU:0"
    tf.simulate_devices.off()
    assert placement(x).ops["x"].assigned == "/device:CPU:0"
