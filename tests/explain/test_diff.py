"""`explain.diff`: two graphs, in memory, as messages or in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tfbench as tf
from tfbench.explain import diff


def build(scale: float = 2.0, device: str = "/cpu:0", more: bool = False) -> tf.Graph:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        with tf.device(device):
            y = tf.multiply(x, scale, name="y")
        if more:
            with tf.control_dependencies([y]):
                tf.nn.relu(y, name="z")
        else:
            tf.exp(x, name="z")
            tf.log(x, name="gone")
    return graph


def test_equal_graphs() -> None:
    found = diff(build(), build())
    assert not found
    assert str(found) == "no difference"
    assert found.to_dict() == {"added": [], "removed": [], "changed": []}


def test_what_changed() -> None:
    found = diff(build(), build(3.0, "/gpu:1", more=True))
    assert (found.added, found.removed) == ((), ("gone",))
    changes = dict(found.changed)
    assert changes["y/y"] == ("device /device:CPU:0 → /device:GPU:1", "value 2.0 → 3.0")
    assert changes["y"] == ("device /device:CPU:0 → /device:GPU:1",)
    assert changes["z"] == ("type Exp → Relu", "input x → y")
    assert str(found).endswith("0 added, 1 removed, 3 changed")
    assert "- gone" in str(found)
    assert found.to_dict()["changed"][0]["op"] == "y/y"


def test_attributes_are_told_as_programs_write_them() -> None:
    def build_with(shape: Any, dtype: Any, padding: str, half: bool) -> Any:
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(dtype, shape, name="x")
            tf.nn.max_pool(tf.cast(x, tf.float32), 2, 1, padding, name="pool")
            tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]), transpose_a=half, name="product")
        return graph.as_graph_def()

    before = build_with([None, 4, 4, 1], tf.float32, "SAME", False)
    after = build_with([2, 4, 4, 1], tf.float32, "VALID", True)
    changes = dict(diff(before, after).changed)
    assert changes["x"] == ("shape (?, 4, 4, 1) → (2, 4, 4, 1)",)
    assert changes["pool"] == ("padding 'SAME' → 'VALID'",)
    assert changes["product"] == ("transpose_a False → True",)
    before.node[0].attr["dtype"].type = 2
    after.node[0].attr["dtype"].type = 999
    assert dict(diff(before, after).changed)["x"][0] == "dtype float64 → type 999"


def test_control_inputs_and_added_ones() -> None:
    def waiting(waits: bool) -> tf.Graph:
        with tf.Graph().as_default() as graph:
            first = tf.no_op(name="first")
            with tf.control_dependencies([first] if waits else []):
                tf.constant(1.0, name="c")
            if waits:
                tf.constant([1, 2], name="new")
        return graph

    found = diff(waiting(False), waiting(True))
    assert found.added == ("new",)
    assert found.changed == (("c", ("waits for - → first",)),)


@pytest.mark.parametrize("name", ["graph.pb", "graph.pbtxt", "graph.meta"])
def test_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    graph = build()
    if name.endswith(".meta"):
        tf.train.export_meta_graph(str(path), graph=graph, strip_default_attrs=True)
    else:
        tf.train.write_graph(graph, str(tmp_path), name, as_text=name.endswith("txt"))
    assert not diff(path, graph)
    assert not diff(str(path), graph.as_graph_def())
    assert diff(str(path), build(3.0)).changed == (("y/y", ("value 2.0 → 3.0",)),)


def test_long_values_are_cut() -> None:
    def constant(last: float) -> tf.Graph:
        with tf.Graph().as_default() as graph:
            tf.constant([0.0] * 999 + [last], name="c")
        return graph

    ((_, (text,)),) = diff(constant(1.0), constant(2.0)).changed
    assert len(text) < 130
    assert "(1000,)" in text


def test_bad_input(tmp_path: Path) -> None:
    graph: Any = build()
    with pytest.raises(TypeError, match="GraphDef or a file"):
        diff(graph, 3)
    with pytest.raises(KeyError, match="is no file"):
        diff(graph, "no such thing")
    damaged = tmp_path / "damaged.pb"
    damaged.write_bytes(b"\xff\xff\xff no graph")
    with pytest.raises(OSError, match="Cannot parse"):
        diff(graph, str(damaged))
