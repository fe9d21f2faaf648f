"""`explain.needed_placeholders` and `explain.uninitialized`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tfbench as tf
from tfbench.explain import needed_placeholders, uninitialized


@pytest.fixture(autouse=True)
def _graph() -> Iterator[Any]:
    with tf.Graph().as_default():
        yield


def test_which_placeholders_a_fetch_needs() -> None:
    b = tf.placeholder(tf.float32, [], name="b")
    a = tf.placeholder(tf.float32, [], name="a")
    default = tf.placeholder_with_default(1.0, [], name="default")
    between = tf.exp(b, name="between")
    tf.placeholder(tf.float32, name="unused")
    y = a + between + default
    assert needed_placeholders(y) == ["b", "a"]  # in the order in which they were made
    assert needed_placeholders({"y": y}, feeds=[between]) == ["a"]
    assert needed_placeholders(y, feeds=["a:0", b]) == []
    assert str(needed_placeholders(y)) == "b\na"
    assert str(needed_placeholders(default)) == "nothing has to be fed"
    assert needed_placeholders(y).to_dict() == {"placeholders": ["b", "a"]}
    with pytest.raises(ValueError, match="nope"):
        needed_placeholders("nope")


def test_one_that_is_only_waited_for() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    with tf.control_dependencies([x]):
        y = tf.constant(1.0)
    assert list(needed_placeholders(y)) == ["x"]


def test_what_has_no_value() -> None:
    v = tf.Variable(0.0, name="v")
    tf.Variable(0.0, name="r", use_resource=True)
    with tf.Session() as session:
        assert uninitialized(session) == ("v", "r")
        session.run(v.initializer)
        found = uninitialized()
        assert (found[0], len(found), list(found)) == ("r", 1, ["r"])
        assert found.to_dict() == {"variables": ["r"]}
        assert found._repr_html_() == "<pre>r</pre>"
        session.run(tf.global_variables_initializer())
        assert str(uninitialized(session)) == "every variable has a value"


def test_a_monitored_session() -> None:
    v = tf.Variable(0.0, name="v")
    with tf.train.MonitoredSession() as session:
        assert uninitialized(session) == []
        assert str(tf.explain.races([v.initializer, v.op], session=session)).startswith("no races")
        assert [row.subject for row in tf.explain.lint(session=session)] == ["v"]  # never read
    with pytest.raises(ValueError, match="MonitoredSession is closed"):
        uninitialized(session)


def test_without_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfbench.explain.needs.bench", lambda: None)
    with pytest.raises(ValueError, match="needs a session"):
        uninitialized()
