"""What the map leaves out and how it groups: `panel.focus`, `.hide`, `.group`, and the same rules on a snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import traitlets

import tfbench as tf
from tfbench.snapshot import Scope, Snapshot, take
from tfbench.widgets import inspect, showing
from tfbench.widgets.static_map import chart
from tfbench.widgets.static_png import map_png
from tfbench.widgets.static_svg import map_svg


def layer(x: Any, name: str, size: int) -> Any:
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [x.shape[-1], size])
        return tf.tanh(tf.matmul(x, w), name="out")


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        y = layer(layer(x, "one", 3), "two", 2)
        with tf.name_scope("extra"):
            tf.reduce_sum(y, name="sum")
        tf.no_op(name="lonely")
        yield graph


@pytest.fixture
def panel(graph: Any) -> Any:
    return inspect(graph)


def shown(panel: Any) -> list[str]:
    return [info.name for info in showing.shown(panel.snapshot(stats=False), panel.rules).ops]


def test_a_scope_a_type_a_search(panel: Any) -> None:
    panel.focus("two")
    assert {name.split("/")[0] for name in shown(panel)} == {"two"}
    panel.focus("x")
    assert "x" in shown(panel)
    panel.hide(type="VariableV2")
    assert "two/w" not in shown(panel)
    panel.show_all()
    panel.focus(search="type:matmul")
    assert shown(panel) == ["one/MatMul", "two/MatMul"]


def test_what_a_fetch_needs_and_what_is_near(panel: Any, graph: Any) -> None:
    panel.focus(needed_by=graph.get_tensor_by_name("one/out:0"))
    assert shown(panel) == ["x", "one/w", "one/w/read", "one/MatMul", "one/out"]
    panel.show_all()
    panel.focus("one/out", steps=1)
    assert shown(panel) == ["one/MatMul", "one/out", "two/MatMul"]
    panel.focus("one/MatMul", steps=1)
    assert shown(panel) == ["x", "one/w", "one/w/read", "one/MatMul", "one/out", "two/MatMul"], (
        "the variable of its read"
    )
    panel.show_all()
    panel.focus("one/out", steps=1)
    panel.focus("lonely", steps=5)
    assert shown(panel) == ["one/MatMul", "one/out", "two/MatMul", "lonely"]


def test_objects_and_names(panel: Any, graph: Any) -> None:
    op = graph.get_operation_by_name("two/out")
    for item in (op, op.outputs[0], "two/out", "two/out:0"):
        panel.hide(item)
    assert panel.rules == [{"do": "hide", "by": "name", "what": ["two/out"]}], "the same rule again changes nothing"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: p.focus("oen"), "no operation and no scope 'oen' in this graph. Did you mean 'one'?"),
        (lambda p: p.hide(type="Matmul"), "no operation of type 'Matmul' in this graph. Did you mean 'MatMul' or"),
        (lambda p: p.focus(), "it got none of these"),
        (lambda p: p.focus("one", type="Tanh"), "it got more than one of these"),
        (lambda p: p.focus("one", steps=-1), "steps=-1"),
        (lambda p: p.focus("one", steps=True), "steps=True"),
        (lambda p: p.group("a/b", "one"), "without a slash"),
        (lambda p: p.group("both"), "group() takes operations or scopes"),
        (lambda p: p.focus(needed_by="nothing"), "no operation and no scope 'nothing'"),
    ],
)
def test_mistakes_name_what_is_meant(panel: Any, call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        call(panel)
    assert words in str(caught.value)
    assert panel.rules == []


def test_what_has_no_name(panel: Any) -> None:
    with pytest.raises(TypeError, match="but got float"):
        panel.focus(3.5)


@pytest.mark.parametrize(
    "rules", [["hide"], [{"do": "eval", "by": "name", "what": []}], [{"do": "hide", "by": "name", "what": "x"}]]
)
def test_a_trait_takes_rules_alone(panel: Any, rules: Any) -> None:
    with pytest.raises(traitlets.TraitError, match="is no rule of what the map shows"):
        panel.rules = rules


def test_groups_are_scopes_of_the_picture(panel: Any) -> None:
    panel.group("layers", "one", "two")
    tree = showing.shown(panel.snapshot(stats=False), panel.rules).scopes
    assert [child.name for child in tree.children] == ["extra", "layers"]
    (layers,) = [child for child in tree.children if child.name == "layers"]
    assert [child.path for child in layers.children] == ["one", "two"]
    assert tree.total == len(panel.graph.get_operations())
    panel.ungroup("layers")
    assert panel.rules == []
    panel.ungroup("one")
    tree = showing.shown(panel.snapshot(stats=False), panel.rules).scopes
    assert "one" not in [child.path for child in tree.children]
    assert "one/w" in [child.path for child in tree.children]


def test_a_group_inside_a_scope() -> None:
    with tf.Graph().as_default() as graph:
        for name in ("net/a/op", "net/b/op", "net/c", "other/a/op", "op"):
            tf.no_op(name=name)
    snapshot = take(graph)
    grouped = showing.shown(snapshot, [{"do": "group", "by": "name", "what": ["net/a", "net/b"], "name": "pair"}])
    (net, _) = grouped.scopes.children
    assert [child.path for child in net.children] == ["net/pair"]
    everywhere = showing.shown(snapshot, [{"do": "group", "by": "search", "what": ["name:/op$/"], "name": "ops"}])
    group = everywhere.scopes.children[-1]
    # Three operations with the same last part, from three scopes: each has a box.
    assert group.total == 4
    boxes = [node.title for node in chart(everywhere).root.children]
    assert "ops" in boxes
    map_svg(everywhere)


def test_pictures_of_a_part(panel: Any, tmp_path: Path) -> None:
    whole = panel.to_svg()
    panel.focus("one")
    part = panel.to_svg(tmp_path / "part.svg")
    assert "lonely" in whole
    assert "lonely" not in part
    assert (tmp_path / "part.svg").read_text() == part


def test_a_png_is_one_and_grows_with_the_scale(panel: Any, tmp_path: Path) -> None:
    small, large = panel.to_png(tmp_path / "map.png"), panel.to_png(scale=4)
    assert small[:8] == b"\x89PNG\r\n\x1a\n"
    assert (tmp_path / "map.png").read_bytes() == small
    assert panel.to_png() == small, "the same graph, the same bytes"
    assert width(large) == pytest.approx(2 * width(small), abs=2)
    with pytest.raises(ValueError, match="scale=0"):
        panel.to_png(scale=0)
    assert width(inspect(tf.Graph()).to_png()) == 520


def width(png: bytes) -> int:
    return int.from_bytes(png[16:20], "big")


def test_names_are_no_formulas_in_a_png() -> None:
    with tf.Graph().as_default() as graph:
        tf.no_op(name="a_b.c")
    snapshot = take(graph)
    hostile = snapshot._replace(ops=(snapshot.ops[0]._replace(name="$\\frac{"),), scopes=Scope("", (0,), (), 1))
    assert map_png(hostile)[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("matmul", ["one/MatMul", "two/MatMul"]),
        ("two/*tmul", ["two/MatMul"]),
        ("type:tanh scope:one", ["one/out"]),
        ("scope:t*o type:matmul", ["two/MatMul"]),
        ("/^LONELY$/", ["lonely"]),
        ("/(/", []),
        ("name:*x", ["x", "one/w/Initializer/random_uniform/max", "two/w/Initializer/random_uniform/max"]),
        ("device:gpu", []),
        ("a.b", []),
    ],
)
def test_searches_are_read_as_in_the_box(graph: Any, query: str, found: list[str]) -> None:
    fits = showing.matcher(query)
    assert [info.name for info in take(graph).ops if fits(info)] == found


def test_nothing_left_is_a_picture_too(panel: Any) -> None:
    panel.hide(search="*")
    assert shown(panel) == []
    assert "This graph is empty" in panel.to_svg()


def test_edges_to_what_is_hidden_are_gone(panel: Any) -> None:
    panel.hide("one/w")
    snapshot: Snapshot = showing.shown(panel.snapshot(stats=False), panel.rules)
    for info in snapshot.ops:
        assert all(0 <= edge.op < len(snapshot.ops) for edge in info.inputs)
    places = snapshot.places()
    assert [info.op for info in snapshot.variables] == [places["two/w"]]
    assert np.isfinite(len(map_svg(snapshot)))
