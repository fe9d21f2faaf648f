"""A graph as plain data: what is read, from a stand-in and from the engine."""

from __future__ import annotations

import time

import numpy as np
import pytest

import tfbench as tf
from tests.widgets.fake_graph import FakeDType, FakeGraph, FakeSession, apply_layer, conv_graph
from tfbench import snapshot
from tfbench.snapshot import Edge, Output


def by_name(taken: snapshot.Snapshot) -> dict[str, snapshot.OpInfo]:
    return {op.name: op for op in taken.ops}


def test_operations_keep_order_edges_attributes_and_source() -> None:
    graph = conv_graph()
    taken = snapshot.take(graph, name="filters")
    assert [op.name for op in taken.ops] == [op.name for op in graph.get_operations()]
    places = taken.places()
    conv = by_name(taken)["conv1/Conv2D"]
    assert conv.type == "Conv2D"
    assert conv.device == "/device:GPU:0"
    assert conv.inputs == (Edge(places["images"], 0), Edge(places["conv1/weights/read"], 0))
    assert conv.outputs == (Output("float32", (None, 32, 32, 32)),)
    assert dict(conv.attrs) == {"strides": "[1, 1, 1, 1]", "padding": "SAME", "data_format": "NHWC"}
    assert str(conv.source) == "cell 4, line 11"
    init = by_name(taken)["init"]
    assert len(init.control) == 7
    assert all(taken.ops[i].type == "Assign" for i in init.control)


def test_equal_graphs_give_equal_snapshots() -> None:
    assert snapshot.take(conv_graph()) == snapshot.take(conv_graph())


def test_variables_and_who_uses_them() -> None:
    graph = conv_graph()
    variables = {v.name: v for v in snapshot.take(graph).variables}
    assert list(variables) == [
        "conv1/weights",
        "conv1/biases",
        "conv2/weights",
        "conv2/biases",
        "dense/weights",
        "dense/biases",
        "global_step",
    ]
    weights = variables["conv1/weights"]
    assert (weights.shape, weights.dtype, weights.bytes) == ((5, 5, 3, 32), "float32", 9600)
    assert weights.trainable
    assert weights.collections == ("variables", "trainable_variables")
    assert weights.read_by == ("conv1/Conv2D",)
    assert weights.written_by == (
        "conv1/weights/Assign",
        "train/update_conv1/weights/ApplyGradientDescent",
    )
    assert weights.initialized is None
    assert weights.stats is None
    step = variables["global_step"]
    assert not step.trainable
    assert step.read_by == ()
    assert step.written_by == ("global_step/Assign", "train")


def test_sharing_shows_as_readers() -> None:
    graph = FakeGraph()
    x = graph.op("Placeholder", "x", (), [("float32", (1, 4, 4, 3))]).outputs[0]
    weights, biases = graph.variable("conv1/weights", (5, 5, 3, 2)), graph.variable("conv1/biases", (2,))
    for scope in ("conv1", "conv1_1"):
        apply_layer(graph, x, scope, weights, biases, (1, 4, 4, 2))
    found = {v.name: v.read_by for v in snapshot.take(graph).variables}
    assert found == {
        "conv1/weights": ("conv1/Conv2D", "conv1_1/Conv2D"),
        "conv1/biases": ("conv1/add", "conv1_1/add"),
    }


def test_an_identity_that_nobody_uses_is_itself_the_reader() -> None:
    graph = FakeGraph()
    v = graph.variable("v", ())
    graph.op("Identity", "y", [v.op.outputs[0]], [("float32", ())])
    graph.op("IsVariableInitialized", "ready", [v.op.outputs[0]], [("bool", ())])
    (found,) = snapshot.take(graph).variables
    assert found.read_by == ("y",)


def test_a_write_that_takes_another_variable_reads_it() -> None:
    graph = FakeGraph()
    a, b = graph.variable("a", (2,)), graph.variable("b", (2,))
    graph.op("Assign", "copy", [a.op.outputs[0], b.read], [("float32_ref", (2,))])
    found = {v.name: v for v in snapshot.take(graph).variables}
    assert found["a"].written_by == ("a/Assign", "copy")
    assert found["b"].read_by == ("copy",)


def test_session_values() -> None:
    graph = conv_graph()
    session = FakeSession(graph)
    session.assign("conv1/biases", np.arange(32, dtype=np.float32))
    found = {v.name: v for v in snapshot.take(graph, session).variables}
    assert found["conv1/biases"].initialized is True
    stats = found["conv1/biases"].stats
    assert stats is not None
    assert stats.mean == 15.5
    assert found["conv1/weights"].initialized is False
    without = {v.name: v for v in snapshot.take(graph, session, stats=False).variables}
    assert without["conv1/biases"].initialized is True
    assert without["conv1/biases"].stats is None


def test_scope_tree() -> None:
    tree = snapshot.scope_tree(["a/x", "b", "a/c/y", "a", "d/z"])
    assert [child.path for child in tree.children] == ["a", "d"]
    assert tree.ops == (1, 3)
    a = tree.children[0]
    assert (a.name, a.ops, a.total) == ("a", (0,), 2)
    assert (a.children[0].path, a.children[0].name, a.children[0].ops) == ("a/c", "c", (2,))
    assert tree.total == 5


def test_a_name_of_ten_thousand_scopes_is_no_deep_tree() -> None:
    tree = snapshot.scope_tree(["/".join("a" * 10_000)])
    depth = 0
    while tree.children:
        tree = tree.children[0]
        depth += 1
    assert depth == 64
    assert tree.ops == (0,)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (3, "3"),
        ("abc", "abc"),
        (b"SAME", "SAME"),
        (b"\xff", "\\xff"),
        ([1, 2, 2, 1], "[1, 2, 2, 1]"),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, …]"),
        (FakeDType("float32"), "float32"),
        (np.float32(0.1), "0.1"),
        (np.array([-1, 16384]), "[-1, 16384]"),
        (np.zeros((5, 5, 3, 32)), "5×5×3×32: [0, 0, 0, 0, 0, 0, 0, 0, …]"),
        (np.array(b"<b>\n</b>", object), "'<b>\\\\n</b>'"),
        ("two\nlines", "two\\nlines"),
        (object(), "<object>"),
        (len, "<len>"),
    ],
)
def test_attribute_text(value: object, text: str) -> None:
    assert snapshot.attr_text(value) == text


def test_attribute_text_is_short_whatever_the_value() -> None:
    assert len(snapshot.attr_text("x" * 10_000)) == 96
    assert len(snapshot.attr_text(np.full(100, b"y" * 500, object))) <= 96
    assert snapshot.shorten("a" * 6 + "b" * 6, 10) == "aaaaaa…bbb"


def test_shorten_writes_out_what_cannot_be_seen() -> None:
    assert snapshot.shorten("a\u202eb\x00", 40) == "a\\u202eb\\x00"
    assert snapshot.shorten("\ud800", 40) == "\\ud800"


# -- the engine -----------------------------------------------------------------------------------------------


def two_uses() -> tf.Graph:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        for reuse in (None, True):
            with tf.variable_scope("net", reuse=reuse):
                w = tf.get_variable("w", [4, 2], initializer=tf.zeros_initializer())
                tf.matmul(x, w, name="y")
        step = tf.Variable(0, name="step", trainable=False)
        increment = tf.assign_add(step, 1)
        with tf.control_dependencies([increment]):
            tf.identity(step, name="out")
    return graph


def test_engine_graph() -> None:
    graph = two_uses()
    taken = snapshot.take(graph)
    ops = by_name(taken)
    places = taken.places()
    assert len(taken.ops) == len(graph.get_operations())
    assert ops["net/y"].inputs == (Edge(places["x"], 0), Edge(places["net/w/read"], 0))
    assert ops["net/y"].outputs == (Output("float32", (None, 2)),)
    assert ops["net/w"].outputs == (Output("float32_ref", (4, 2)),)
    assert ops["out"].control == (places["AssignAdd"],)
    source = ops["x"].source
    assert source is not None
    assert source.file == __file__
    assert source.line == two_uses.__code__.co_firstlineno + 3
    caller = source.caller
    assert caller is not None
    assert (caller.file, caller.line) == (__file__, test_engine_graph.__code__.co_firstlineno + 1)
    w, step = taken.variables
    assert (w.name, w.trainable, w.read_by) == ("net/w", True, ("net/y", "net_1/y"))
    assert w.written_by == ("net/w/Assign",)
    (shared,) = w.shared_with
    assert shared == w.created_at
    assert (step.trainable, step.dtype, step.bytes) == (False, "int32", 4)
    assert step.read_by == ("out",)


def test_engine_values_follow_runs() -> None:
    graph = two_uses()
    with tf.Session(graph=graph) as session:
        assert [v.initialized for v in snapshot.take(graph, session).variables] == [False, False]
        session.run([v.initializer for v in graph.get_collection("variables")])
        session.run("out")
        w, step = snapshot.take(graph, session).variables
        assert (w.initialized, step.initialized) == (True, True)
        assert step.stats is not None
        assert step.stats.mean == 1.0


def test_engine_resource_variable() -> None:
    graph = tf.Graph()
    with graph.as_default():
        v = tf.get_variable("v", [3], initializer=tf.ones_initializer(), use_resource=True)
        tf.add(v, 1.0, name="y")
    with tf.Session(graph=graph) as session:
        session.run(v.initializer)
        (found,) = snapshot.take(graph, session).variables
    assert (found.name, found.shape, found.dtype, found.bytes) == ("v", (3,), "float32", 12)
    assert found.read_by == ("y",)
    assert found.initialized
    assert found.stats is not None
    assert found.stats.mean == 1.0


def test_stamp_tells_changes() -> None:
    graph = tf.Graph()
    seen = [snapshot.stamp(graph)]
    with graph.as_default():
        mark = graph.mark()
        tf.constant(1.0)
        seen.append(snapshot.stamp(graph))
        graph.roll_back(mark)
        tf.constant(2.0)
        seen.append(snapshot.stamp(graph))
    assert len(set(seen)) == 3


def test_ten_thousand_operations_take_a_fifth_of_a_second() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant(1.0)
        for i in range(5_000):
            with tf.name_scope(f"s{i % 50}"):
                x = x + float(i)
    times = []
    for _ in range(5):
        start = time.thread_time()
        taken = snapshot.take(graph)
        times.append(time.thread_time() - start)
    assert len(taken.ops) == 10_001
    assert min(times) <= 0.2
