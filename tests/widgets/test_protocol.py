"""Messages to the page: whole graphs, differences, values."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.widgets.fake_graph import FakeGraph, FakeSession, conv_graph
from tests.widgets.page import Page, read_rows
from tfbench.snapshot import Snapshot, take
from tfbench.value_stats import value_stats
from tfbench.widgets.protocol import Packet, graph_packet, stats_packet, status_packet, text


def as_rows(snapshot: Snapshot) -> list[dict[str, object]]:
    """Operations as the page should hold them."""
    return [
        {
            "name": op.name,
            "type": op.type,
            "device": op.device,
            "attrs": [list(pair) for pair in op.attrs],
            "outputs": [
                [out.dtype, None if out.shape is None else [-1 if n is None else n for n in out.shape]]
                for out in op.outputs
            ],
            "source": None if op.source is None else tuple(op.source),
            "inputs": [tuple(edge) for edge in op.inputs],
            "control": list(op.control),
        }
        for op in snapshot.ops
    ]


def deliver(page: Page, packet: Packet | None) -> None:
    assert packet is not None
    content = json.loads(json.dumps(packet.content))  # what a websocket does to it
    page.send({"v": 1, "seq": page.last + 1, **content}, packet.buffers)


def test_snapshot_arrives_whole() -> None:
    snapshot = take(conv_graph(), name="filters")
    page = Page()
    deliver(page, graph_packet(snapshot, None, session=False))
    assert page.ops == as_rows(snapshot)
    assert page.graph == {"name": "filters", "version": snapshot.version, "session": False}
    weights = page.variables[0]
    assert weights["name"] == "conv1/weights"
    assert page.ops[weights["op"]]["name"] == "conv1/weights"
    assert weights["shape"] == [5, 5, 3, 32]
    assert weights["created_at"] == {"cell": "4", "file": "<4>", "line": 3, "caller": None}
    assert weights["read_by"] == ["conv1/Conv2D"]


def test_delta_holds_only_what_changed() -> None:
    graph = conv_graph()
    old = take(graph)
    page = Page()
    deliver(page, graph_packet(old, None, session=False))
    relu = graph.get_operation_by_name("conv2/Relu")
    graph.op("Tanh", "extra", [relu.outputs[0]], [("float32", (None, 16, 16, 64))])
    relu.device = "/device:CPU:0"
    new = take(graph)
    packet = graph_packet(new, old, session=False)
    assert packet is not None
    assert packet.content["kind"] == "delta"
    assert packet.content["rows"]["names"] == ["conv2/Relu", "extra"]
    assert "variables" not in packet.content
    deliver(page, packet)
    assert page.ops == as_rows(new)


def test_delta_with_fewer_operations() -> None:
    graph = conv_graph()
    old = take(graph)
    page = Page()
    deliver(page, graph_packet(old, None, session=False))
    graph.remove("init")
    new = take(graph)
    packet = graph_packet(new, old, session=False)
    assert packet is not None
    assert packet.content["kind"] == "delta"
    assert packet.content["rows"]["count"] == 0
    deliver(page, packet)
    assert page.ops == as_rows(new)


def test_a_new_variable_sends_the_list_of_variables() -> None:
    graph = conv_graph()
    old = take(graph)
    graph.variable("late", (2,))
    packet = graph_packet(take(graph), old, session=False)
    assert packet is not None
    assert packet.content["variables"][-1]["name"] == "late"


def test_a_change_of_most_rows_is_sent_as_a_whole() -> None:
    packet = graph_packet(take(conv_graph()), take(FakeGraph()), session=False)
    assert packet is not None
    assert packet.content["kind"] == "snapshot"


def test_nothing_changed_sends_nothing() -> None:
    assert graph_packet(take(conv_graph()), take(conv_graph()), session=False) is None


def test_hostile_names_arrive_as_they_are() -> None:
    graph = FakeGraph()
    names = ["</script><script>alert(1)</script>", "a\"b'c", "two\nlines", "x" * 10_000, "naïve/π/🙂"]
    for name in names:
        graph.op(name[:40], name, attr=name)
    packet = graph_packet(take(graph, name=names[0]), None, session=False)
    assert packet is not None
    content = json.loads(json.dumps(packet.content))
    assert [op["name"] for _, op in read_rows(content["rows"], packet.buffers)] == names


def test_lone_surrogates_do_not_stop_a_message() -> None:
    graph = FakeGraph()
    graph.op("NoOp", "a\ud800b", attr="\udfff")
    packet = graph_packet(take(graph), None, session=False)
    assert packet is not None
    json.dumps(packet.content, ensure_ascii=False).encode()
    assert packet.content["rows"]["names"] == ["a\\ud800b"]
    assert text("plain") == "plain"


def test_values() -> None:
    values = {
        0: value_stats(np.array([1.0, 3.0])),
        4: None,
        2: value_stats(np.array([np.nan, np.inf, 5.0])),
        3: value_stats(np.array([np.nan])),
    }
    page = Page()
    deliver(page, stats_packet(values, runs=7))
    assert page.messages[0]["runs"] == 7
    assert page.stats[0] | {"histogram": None} == {
        "initialized": True,
        "sampled": False,
        "has": True,
        "mean": 2.0,
        "std": 1.0,
        "low": 1.0,
        "high": 3.0,
        "nans": 0,
        "infs": 0,
        "histogram": None,
    }
    assert sum(page.stats[0]["histogram"]) == 2
    assert not page.stats[4]["initialized"]
    assert (page.stats[2]["nans"], page.stats[2]["infs"], page.stats[2]["mean"]) == (1, 1, 5.0)
    assert np.isnan(page.stats[3]["mean"])
    assert page.stats[3]["has"]
    assert page.history == {0: [2.0], 2: [5.0]}


def test_history_comes_before_the_newest_value() -> None:
    page = Page()
    values = {0: value_stats(np.array([4.0])), 1: value_stats(np.array([9.0]))}
    deliver(page, stats_packet(values, runs=3, history={0: [1.0, 2.0, 3.0], 1: [8.0]}))
    assert page.history == {0: [1.0, 2.0, 3.0, 4.0], 1: [8.0, 9.0]}


def test_no_values_is_a_legal_message() -> None:
    page = Page()
    deliver(page, stats_packet({}, runs=0, history={}))
    assert page.stats == {}


@pytest.mark.parametrize("state", ["idle", "live", "closed"])
def test_status(state: str) -> None:
    assert status_packet(state, 3, "a\ud800").content == {
        "kind": "status",
        "state": state,
        "runs": 3,
        "text": "a\\ud800",
    }


def test_a_large_graph_is_a_small_message() -> None:
    graph = FakeGraph()
    x = graph.const("x", 1.0)
    for i in range(10_000):
        x = graph.op("AddV2", f"block_{i % 40}/add_{i}", [x, x], [("float32", ())]).outputs[0]
    packet = graph_packet(take(graph), None, session=False)
    assert packet is not None
    size = len(json.dumps(packet.content)) + sum(map(len, packet.buffers))
    assert size < 1_000_000


def test_session_flag_and_uninitialized_variables() -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    session.assign("conv1/biases", np.zeros(32))
    page = Page()
    deliver(page, graph_packet(take(graph, session), None, session=True))
    assert page.graph["session"]
    assert {v["name"]: v["initialized"] for v in page.variables}["conv1/biases"] is True
    assert {v["name"]: v["initialized"] for v in page.variables}["conv1/weights"] is False
