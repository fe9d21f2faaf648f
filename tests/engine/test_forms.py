"""Nodes like one before take its attributes and types over: what may be shared, and what must not be mistaken."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tfbench as tf
from tfbench.engine.opdef import lookup


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def test_changing_one_nodes_attributes_leaves_its_likes_alone() -> None:
    x = tf.constant([[1.0]])
    nodes = [tf.matmul(x, x).op for _ in range(3)]
    assert nodes[1].attrs is nodes[2].attrs
    nodes[1]._set_attr("transpose_a", True)
    assert [node.get_attr("transpose_a") for node in nodes] == [False, True, False]
    with tf.get_default_graph()._attr_scope({"_mine": 1}):
        assert tf.matmul(x, x).op.attrs["_mine"] == 1
    assert "_mine" not in tf.matmul(x, x).op.attrs


def test_types_and_attributes_tell_nodes_apart() -> None:
    cast = lookup("Cast")
    single, double = tf.constant(1.0), tf.constant(1.0, tf.float64)
    for _ in range(2):
        assert cast(single, DstT=tf.float64).dtype is tf.float64
        assert cast(double, DstT=tf.float32).dtype is tf.float32
        assert cast(single, DstT="int32").dtype is tf.int32
        assert cast(tf.Variable(1)._ref(), DstT=tf.float32).dtype is tf.float32


def test_what_is_refused_stays_refused() -> None:
    product = lookup("MatMul")
    x = tf.constant([[1.0]])
    for _ in range(2):
        assert product(x, x, transpose_a=True).op.attrs["transpose_a"] is True
        assert product(x, x, transpose_a=1).op.attrs["transpose_a"] is True
        with pytest.raises(TypeError, match="Expected bool for argument 'transpose_a'"):
            product(x, x, transpose_a=1.0)
        with pytest.raises(TypeError, match="no attribute 'transposed'"):
            product(x, x, transposed=True)
        with pytest.raises(TypeError, match=r"does not match type float32 of argument 'a'\. It is 'wide(_1)?:0'"):
            product(x, tf.constant([[1.0]], tf.float64, name="wide"))
        with pytest.raises(TypeError, match="not in list of allowed values"):
            product(tf.constant([[True]]), tf.constant([[True]]))
        with pytest.raises(ValueError, match="Dimensions must be equal"):
            product(x, tf.constant([[1.0], [2.0]]))


def test_lists_in_attributes_are_each_nodes_own() -> None:
    x = tf.constant([[1.0]])
    first, second = tf.squeeze(x).op, tf.squeeze(x).op
    first.attrs["squeeze_dims"].append(7)
    assert second.get_attr("squeeze_dims") == []


@pytest.mark.parametrize("name", ["a b", "_a", "-", "a:0"])
def test_names_are_checked_for_nodes_like_others_too(name: str) -> None:
    x = tf.constant(1.0)
    tf.multiply(x, x, name="fine")
    with pytest.raises(ValueError, match="is not a valid"):
        tf.multiply(x, x, name=name)
    with pytest.raises(ValueError, match="is not a valid"):
        tf.constant(1.0, name=name)


def calls_of(function: Callable[[], Any]) -> int:
    """How many functions are called: what time there is no telling on a busy machine."""
    count = 0

    def observe(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    old = sys.getprofile()
    sys.setprofile(observe)
    try:
        function()
    finally:
        sys.setprofile(old)
    return count


@pytest.mark.parametrize("rewired", [False, True])
def test_gradients_are_linear_in_the_length_of_a_chain(rewired: bool) -> None:
    def calls(length: int) -> int:
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [2, 2])
            y = x
            for _ in range(length):
                y = tf.multiply(tf.tanh(tf.matmul(tf.add(y, x), x)), x)
            if rewired:
                y.op._update_input(1, tf.identity(x))
            return calls_of(lambda: tf.gradients(y, x))

    calls(5)
    short, long = calls(100), calls(1_000)
    assert long < 10.5 * short


def test_many_gradients_in_one_graph_do_not_look_at_all_of_it() -> None:
    """What was made before x is not looked at."""

    def calls(number: int) -> int:
        with tf.Graph().as_default():
            x = tf.constant(1.0)

            def build() -> None:
                y = x
                for _ in range(number):
                    z = tf.tanh(y)
                    tf.gradients(z, y)
                    y = z

            return calls_of(build)

    calls(5)
    assert calls(300) < 11 * calls(30)


def test_a_graph_whose_later_nodes_feed_earlier_ones() -> None:
    """Gradients find their way where an op takes what was made after it."""
    x = tf.constant(2.0, name="x")
    early = tf.identity(tf.constant(0.0), name="early")
    y = tf.multiply(early, 3.0)
    late = tf.square(x)
    early.op._update_input(0, late)
    with tf.Session() as session:
        assert session.run(tf.gradients(y, x)[0]) == 12.0
