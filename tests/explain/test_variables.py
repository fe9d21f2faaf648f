"""`explain.variables`: the registry."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tfbench as tf
from tfbench.bench import Bench
from tfbench.explain import variables


@pytest.fixture
def bench() -> Bench:
    tf.reset_default_graph()
    return Bench({})


def test_a_row_says_what_a_variable_is() -> None:
    with tf.Graph().as_default():
        with tf.device("/gpu:0"):
            tf.get_variable("w", [3, 4], collections=["variables", "mine"])
        tf.Variable(1, name="step", trainable=False, collections=["local_variables"])
        tf.get_variable("r", [2], use_resource=True)
        rows = variables()
        w, step, r = rows
    assert (w.name, w.shape, w.dtype, w.device) == ("w", (3, 4), "float32", "/device:GPU:0")
    assert (w.trainable, w.collections, w.initialized) == (True, ("variables", "mine", "trainable_variables"), None)
    assert (step.shape, step.dtype, step.trainable, step.collections) == ((), "int32", False, ("local_variables",))
    assert (r.name, r.shape, r.dtype) == ("r", (2,), "float32")
    assert w.created_at is not None
    assert w.created_at.cell is None
    assert w.created_at.file == __file__
    assert rows["step"] is step
    assert rows[0] is w
    assert rows[-1:] == (r,)
    with pytest.raises(KeyError, match="no variable is called 'nope'"):
        rows["nope"]


def test_an_unknown_shape_is_none() -> None:
    with tf.Graph().as_default():
        tf.Variable(tf.placeholder(tf.float32), validate_shape=False)
        assert variables()[0].shape is None
        assert " ? " in str(variables())


def test_who_made_it_and_who_shares_it(bench: Bench) -> None:
    bench.run_cell(
        "def weights():\n    return tf.get_variable('w', [1])\nwith tf.variable_scope('s'):\n    w = weights()",
        cell_id="first",
    )
    bench.run_cell("with tf.variable_scope('s', reuse=True):\n    again = tf.get_variable('w', [1])", cell_id="second")
    bench.run_cell("with tf.variable_scope('s', reuse=True):\n    third = weights()", cell_id="third")
    row = variables(bench.graph())["s/w"]
    assert row.created_at is not None
    assert (row.created_at.cell, row.created_at.line) == ("first", 2)
    assert [(place.cell, place.line) for place in row.created_at.callers] == [("first", 4)]
    assert [(place.cell, place.line) for place in row.shared_with] == [("second", 2), ("first", 2)]
    assert str(row.shared_with[1]) == "cell first, line 2 (called at cell third, line 2)"


def test_initialized_is_about_a_session() -> None:
    with tf.Graph().as_default():
        v = tf.get_variable("v", [1])
        r = tf.get_variable("r", [1], use_resource=True)
        assert [row.initialized for row in variables()] == [None, None]
        with tf.Session() as session:
            assert [row.initialized for row in variables()] == [False, False]
            session.run(v.initializer)
            assert [row.initialized for row in variables()] == [True, False]
            session.run(r.initializer)
            assert [row.initialized for row in variables(session=session)] == [True, True]
            assert variables(session=tf.Session())[0].initialized is False


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        (None, ["a", "s/a", "s/b", "sb"]),
        ("a", ["a"]),
        ("s", ["s/a", "s/b"]),
        ("s/", ["s/a", "s/b"]),
        ("s/a:0", ["s/a"]),
        ("*a", ["a", "s/a"]),
        ("s/[ab]", ["s/a", "s/b"]),
        ("S", []),
    ],
)
def test_patterns(pattern: str | None, names: list[str]) -> None:
    with tf.Graph().as_default():
        for name in ("a", "s/a", "s/b", "sb"):
            tf.get_variable(name, [1])
        assert [row.name for row in variables(pattern=pattern)] == names


def test_which_graph_is_meant(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfbench.bench._the_bench", [bench])
    bench.run_cell("v = tf.get_variable('v', [1])", graph="mine")
    assert [row.name for row in variables()] == ["v"]
    assert [row.name for row in variables("main")] == []
    assert [row.name for row in variables("mine")] == ["v"]
    assert variables()[0].initialized is False
    with tf.Graph().as_default():
        assert len(variables()) == 0
    with pytest.raises(KeyError, match="no graph is called 'other'"):
        variables("other")
    with pytest.raises(TypeError, match=r"tf\.Graph or the name"):
        variables(3)


def test_text() -> None:
    with tf.Graph().as_default():
        assert str(variables()) == "0 variables"
        tf.get_variable("conv1/w", [3, 4])
        lines = str(variables(session=tf.Session())).splitlines()
    assert lines[0].split() == [
        "name", "shape", "dtype", "initialized", "created", "shared", "with", "trainable", "collections", "device",
    ]  # fmt: skip
    assert lines[1].startswith("conv1/w  (3, 4)  float32  no           test_variables.py:")
    assert lines[1].split()[-4:] == ["-", "yes", "variables", "-"]
    assert lines[2] == "1 variable, 1 not initialized"


def test_plain_data() -> None:
    with tf.Graph().as_default():
        tf.get_variable("v", [2])
        rows = variables()
        data: Any = json.loads(json.dumps(rows.to_dict()))
        assert rows == variables()
        assert hash(rows) == hash(variables())
    assert data["variables"][0]["shape"] == [2]
    assert data["variables"][0]["created_at"]["file"] == __file__
    with pytest.raises(AttributeError, match="frozen"):
        rows.noun = "x"
    with pytest.raises(AttributeError):
        rows[0].name = "x"
