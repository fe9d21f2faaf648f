"""`explain.order`: the schedule of a run."""

from __future__ import annotations

from typing import Any

import pytest

import tfbench as tf
from tests.observed import observed
from tfbench.explain import order


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def test_only_what_is_needed_in_the_order_in_which_it_runs() -> None:
    x = tf.constant(1.0, name="x")
    tf.constant(2.0, name="unused")
    y = tf.add(x, x, name="y")
    steps = order(y)
    assert [step.op for step in steps] == ["x", "y"]
    assert steps["y"].data_inputs == ("x:0", "x:0")
    assert (steps[1].type, steps[1].device, steps[1].control_inputs) == ("AddV2", "/device:CPU:0", ())


def test_the_seeds_identity_runs_the_update_and_y_is_x_does_not() -> None:
    x = tf.Variable(0.0, name="x")
    update = tf.assign_add(x, 1.0, name="update")
    with tf.control_dependencies([update]):
        same = x
        y = tf.identity(x, name="y")
    assert order(y)["y"].control_inputs == ("update",)
    assert "update" not in [step.op for step in order(same)]
    assert [step.op for step in order(y)][-1] == "y"


def test_it_is_the_order_of_the_run() -> None:
    a = tf.placeholder(tf.float32, [], name="a")
    b = tf.multiply(a, 2.0, name="b")
    c = tf.add(b, a, name="c")
    session = tf.Session()
    ran: list[str] = []
    with observed(session, lambda step, *_: ran.append(step.op.name)):
        session.run({"c": c}, {a: 1.0})
    shown = [step.op for step in order({"c": c}, session, feeds=[a])]
    assert [name for name in shown if name in ran] == ran
    assert "a" not in shown


@pytest.mark.parametrize("fetches", ["c:0", "c", ["c", "b:0"], ("b",), {"k": "c"}])
def test_fetches_as_a_session_takes_them(fetches: Any) -> None:
    b = tf.constant(1.0, name="b")
    tf.identity(b, name="c")
    assert order(fetches)[0].op == "b"


def test_the_graph_is_that_of_what_is_fetched() -> None:
    x = tf.constant(1.0, name="x")
    with tf.Graph().as_default():
        assert [step.op for step in order([x])] == ["x"]
        with tf.Session():
            assert [step.op for step in order(x)] == ["x"]


def test_what_cannot_be_fetched() -> None:
    tf.constant(1.0)
    with pytest.raises(ValueError, match="cannot be interpreted as a Tensor"):
        order("nope")
    with pytest.raises(TypeError, match="invalid type"):
        order(3)


def test_nothing_runs_and_the_graph_stays() -> None:
    v = tf.Variable(0.0)
    update = tf.assign_add(v, 1.0)
    session = tf.Session()
    session.run(v.initializer)
    version = tf.get_default_graph().version
    order(update, session)
    assert session.run(v) == 0.0
    assert tf.get_default_graph().version == version


def test_text() -> None:
    x = tf.constant(1.0, name="x")
    with tf.control_dependencies([tf.no_op(name="first")]):
        y = tf.identity(x, name="y")
    assert str(order(y)).splitlines() == [
        "step  op     type      after (data)  after (control)  device",
        "1     x      Const     -             -                /device:CPU:0",
        "2     first  NoOp      -             -                /device:CPU:0",
        "3     y      Identity  x:0           first            /device:CPU:0",
        "3 steps on /device:CPU:0",
    ]
    assert order(y).to_dict()["steps"][2]["control_inputs"] == ["first"]


def test_a_shape_comes_right_behind_what_it_asks_about() -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.exp(x, name="y")
    z = tf.exp(y, name="z")
    with tf.control_dependencies([z]):
        late = tf.size(y, name="late")  # told to wait, it does
    shape = tf.shape(y, name="shape")
    steps = [step.op for step in order([z, shape, late], feeds=[x])]
    assert steps == ["y", "shape", "z", "late"]
