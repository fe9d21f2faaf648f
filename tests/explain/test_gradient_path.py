"""`explain.gradient_path`: the way of a gradient, and what lets none through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.explain import gradient_path


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def loop(body: Callable[[Any], Any], start: Any) -> Any:
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, body(a)), [0, start])[1]


CONNECTED: dict[str, tuple[Callable[[Any], Any], list[str]]] = {
    "chain": (lambda x: x * 2.0 + 1.0, ["x", "mul", "add"]),
    "itself": (lambda x: x, ["x"]),
    "around": (lambda x: tf.stop_gradient(x) + tf.exp(x), ["x", "Exp", "add"]),
    "complex": (lambda x: tf.cast(x, tf.complex64), ["x", "Cast"]),
    "branch": (lambda x: tf.cond(x[0] > 0.0, lambda: x * 2.0, lambda: x), ["x", "cond/Switch_1", "cond/Merge"]),
    "loop": (
        lambda x: loop(lambda a: a * x, tf.ones([2])),
        [
            "x", "while/mul/Enter", "while/mul", "while/NextIteration_1", "while/Merge_1", "while/Switch_1",
            "while/Exit_1",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CONNECTED)
def test_where_it_comes_along(case: str) -> None:
    build, path = CONNECTED[case]
    x = tf.constant([1.0, 2.0], name="x")
    found = gradient_path(build(x), x)
    assert (found.connected, found.reason, found.blocked_by, found.where) == (True, "connected", None, None)
    assert list(found.path) == path


BLOCKED: dict[str, tuple[Callable[[Any], Any], str, str | None, list[str]]] = {
    "stopped": (
        lambda x: tf.stop_gradient(x * 2.0) * 3.0,
        "stop_gradient", "StopGradient", ["x", "mul", "StopGradient", "mul_1"],
    ),
    "the first from y": (
        lambda x: tf.stop_gradient(tf.stop_gradient(x), name="near_y"), "stop_gradient", "near_y",
        ["x", "StopGradient", "near_y"],
    ),
    "by way of integers": (
        lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32) * 2.0, "integer", "Cast_1", ["x", "Cast", "Cast_1", "mul"],
    ),
    "integers of integers": (
        lambda x: tf.cast(x, tf.int32) * 2, "integer", "mul", ["x", "Cast", "mul"],
    ),
    "indices": (
        lambda x: tf.gather([1.0, 2.0], tf.cast(x, tf.int32)), "integer", "GatherV2", ["x", "Cast", "GatherV2"],
    ),
    "argmax": (lambda x: tf.argmax(x), "integer", "ArgMax", ["x", "ArgMax"]),
    "truth": (lambda x: x > 1.0, "not a number", "Greater", ["x", "Greater"]),
    "text": (lambda x: tf.as_string(x), "not a number", "AsString", ["x", "AsString"]),
    "steps": (lambda x: tf.floor(x) * 2.0, "no gradient", "Floor", ["x", "Floor", "mul"]),
    "a Python function": (lambda x: tf.py_func(np.square, [x], tf.float32), "no gradient", "PyFunc", ["x", "PyFunc"]),
    "in a loop": (
        lambda x: loop(tf.stop_gradient, x), "stop_gradient", "while/StopGradient",
        [
            "x", "while/Enter_1", "while/Merge_1", "while/Switch_1", "while/StopGradient", "while/NextIteration_1",
            "while/Merge_1", "while/Switch_1", "while/Exit_1",
        ],
    ),
    "nothing there": (lambda x: tf.constant(1.0), "not connected", None, []),
    "its shape": (lambda x: tf.cast(tf.shape(x), tf.float32), "not connected", None, []),
}  # fmt: skip


@pytest.mark.parametrize("case", [case for case in BLOCKED if case != "in a loop"])
def test_what_lets_none_through(case: str) -> None:
    build, reason, blocked_by, path = BLOCKED[case]
    x = tf.constant([1.0, 2.0], name="x")
    y = build(x)
    found = gradient_path(y, x)
    assert (found.connected, found.reason, found.blocked_by) == (False, reason, blocked_by)
    assert list(found.path) == path
    if y.dtype.is_floating:
        assert tf.gradients(y, x) == [None]


def test_a_loop_that_stops_gradients() -> None:
    build, reason, blocked_by, _ = BLOCKED["in a loop"]
    x = tf.constant([1.0, 2.0], name="x")
    # The loop's start comes out where it runs no iteration: that way the gradient is there.
    assert gradient_path(build(x), x).connected
    y = loop(lambda a: tf.stop_gradient(a * x, name="stop"), tf.ones([2]))
    found = gradient_path(y, x)
    assert (found.connected, found.reason, found.blocked_by) == (False, reason, "while_1/stop")
    assert (found.path[0], found.path[-1]) == ("x", y.op.name)


def test_an_op_whose_gradient_nobody_registered() -> None:
    x = tf.constant([1.0, 2.0], name="x")
    with tf.get_default_graph().gradient_override_map({"Square": "NobodyRegisteredThis"}):
        y = tf.square(x, name="mine") + x
    found = gradient_path(y, x)
    assert (found.connected, found.reason, found.blocked_by) == (False, "no registered gradient", "mine")
    assert found.path == ("x", "mine", "add")
    assert "RegisterGradient" in str(found)
    with pytest.raises(LookupError):
        tf.gradients(y, x)


def test_a_gradient_function_that_fails() -> None:
    @tf.RegisterGradient("FailsInGradientPath")
    def fails(op: Any, dy: Any) -> Any:
        raise RuntimeError("mine")

    x = tf.constant(1.0)
    with tf.get_default_graph().gradient_override_map({"Square": "FailsInGradientPath"}):
        y = tf.square(x)
    found = gradient_path(y, x)
    assert (found.connected, found.blocked_by, found.reason) == (False, "Square", "no gradient")


def test_variables_and_names() -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    r = tf.Variable([1.0], use_resource=True, name="r")
    steps = tf.Variable(3, name="steps")
    tf.reduce_sum(v * r * tf.cast(steps, tf.float32), name="loss")
    for x in (v, r, "v", "r:0"):
        assert gradient_path("loss", x).connected
    assert gradient_path("loss", v).path == ("v", "v/read", "mul", "mul_1", "loss")
    found = gradient_path("loss", steps)
    assert (found.blocked_by, found.reason) == ("Cast", "integer")


def test_where_it_was_made_and_the_text() -> None:
    x = tf.constant(1.0, name="x")
    y = tf.stop_gradient(x, name="here")
    found = gradient_path(y * 2.0, x)
    assert found.where is not None
    assert found.where.file == __file__
    line = found.where.line
    assert str(found).splitlines() == [
        f"no gradient: 'here' (op type: StopGradient) lets none through (test_gradient_path.py:{line}): "
        "it was asked to; leave it out if the gradient is wanted",
        "path of the values: x → [here] → mul",
    ]
    assert found.to_dict()["where"] == {"cell": None, "file": __file__, "line": line, "callers": []}
    assert "<pre>no gradient: &#x27;here&#x27;" in found._repr_html_()
    assert str(gradient_path(x * 2.0, x)).splitlines() == [
        "'mul_1' has a gradient with respect to 'x'",
        "path: x → mul_1",
    ]


def test_a_long_path_is_cut() -> None:
    x = tf.constant(1.0, name="x")
    y = x
    for _ in range(3_000):
        y = tf.tanh(y)
    found = gradient_path(y, x)
    assert len(found.path) == 3_001
    assert "… 2978 more …" in str(found)


def test_the_graph_stays_as_it_was() -> None:
    x = tf.constant(1.0)
    y = x * 2.0
    graph = tf.get_default_graph()
    session = tf.Session()
    assert session.run(y) == 2.0
    graph.finalize()
    version = graph.version
    assert gradient_path(y, x).connected
    assert graph.version == version
    assert graph.finalized
    assert session.run(y) == 2.0


def test_bad_input() -> None:
    x = tf.constant(1.0, name="x")
    with tf.Graph().as_default():
        other = tf.constant(1.0, name="other")
    with pytest.raises(ValueError, match="not an element of this graph"):
        gradient_path(x, other)
    with pytest.raises(KeyError, match="nope"):
        gradient_path("nope", x)
    parts = tf.split([1.0, 2.0], 2, name="parts")
    with pytest.raises(ValueError, match="'parts' has 2 outputs: name one, as 'parts:0'"):
        gradient_path("parts", parts[0])
    with pytest.raises(TypeError):
        gradient_path(x, 3.0)


def test_the_answer_is_frozen() -> None:
    x = tf.constant(1.0)
    found = gradient_path(x, x)
    with pytest.raises(AttributeError):
        found.connected = False  # type: ignore[misc]
    assert found == gradient_path(x, x)
