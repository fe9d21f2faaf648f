"""`explain.ops` and `explain.scopes`, and what all tables share."""

from __future__ import annotations

from typing import Any

import pytest

import tfbench as tf
from tfbench.explain import ops, scopes, variables
from tfbench.explain.text import count, shorten, table


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def test_ops() -> None:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with tf.control_dependencies([tf.no_op(name="first")]), tf.device("/cpu:0"):
        tf.identity(x, name="s/y")
    rows = ops()
    assert [row.name for row in rows] == ["x", "first", "s/y"]
    row = rows["s/y"]
    assert (row.type, row.device, row.inputs, row.control_inputs) == ("Identity", "/device:CPU:0", ("x:0",), ("first",))
    assert (row.outputs[0].dtype, row.outputs[0].shape) == ("float32", (None, 3))
    assert [row.name for row in ops(pattern="s")] == ["s/y"]
    assert "x:0, ^first" in str(rows)
    assert "float32 (?, 3)" in str(rows)
    assert ops(tf.get_default_graph()) == rows


def test_scopes() -> None:
    with tf.variable_scope("conv1"):
        w = tf.get_variable("w", [3, 4])
        with tf.name_scope("inner"):
            tf.identity(w, name="y")
    with tf.variable_scope("conv1", reuse=True):
        tf.identity(tf.get_variable("w", [3, 4]), name="again")
    tf.Variable(tf.placeholder(tf.float32, name="p"), name="v", validate_shape=False)
    rows = scopes()
    assert [row.name for row in rows] == ["", "conv1", "conv1/inner", "conv1_1"]
    assert (rows["conv1"].variables, rows["conv1"].elements, rows["conv1"].depth) == (1, 12, 1)
    assert (rows[""].variables, rows[""].elements) == (2, None)
    assert rows[""].operations == tf.get_default_graph().version
    lines = str(rows).splitlines()
    assert lines[2].split() == ["conv1/", str(rows["conv1"].operations), "1", "12"]
    assert lines[3].startswith("  inner/")
    assert lines[-1] == "3 scopes"


def test_no_scopes() -> None:
    assert str(scopes()).splitlines()[-1] == "0 scopes"


def test_names_are_data() -> None:
    long = "n" * 10_000
    tf.constant(1.0, name=long)
    with tf.Graph().as_default() as other:
        pass
    html = ops()._repr_html_()
    assert len(html) < 2_000
    assert len(str(ops())) < 2_000
    assert ops()[0].name == long
    assert ops(other)._repr_html_() == "<div>0 operations</div>"


def test_nothing_in_a_table_is_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    tf.get_variable("v", [1], collections=["variables", "<img src=x onerror=alert(1)>\n'\""])
    html = variables()._repr_html_()
    assert "<img" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;\\n&#x27;&quot;" in html
    assert "\n" not in str(variables()).splitlines()[1]


def test_a_long_table_is_cut_and_says_so() -> None:
    for _ in range(510):
        tf.no_op()
    text = str(ops())
    assert text.splitlines()[-1] == "510 operations; the first 500 are shown"
    assert len(text.splitlines()) == 502
    assert ops()._repr_html_().count("<tr>") == 501
    assert len(ops()) == 510


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("short", 10, "short"),
        ("abcdefghijkl", 10, "abcdef…jkl"),
        ("a\nb\t\x00", 20, "a\\nb\\t\\x00"),
        ("x" * 10_000, 9, "xxxxx…xxx"),
        ("grün 日本", 10, "grün 日本"),
    ],
)
def test_shorten(text: str, limit: int, short: str) -> None:
    assert shorten(text, limit) == short


def test_table_and_count() -> None:
    assert table(("a", "b"), [("1", "22"), ("333", "4")]) == "a    b\n1    22\n333  4"
    assert [count(n, "cell") for n in (0, 1, 2)] == ["0 cells", "1 cell", "2 cells"]
