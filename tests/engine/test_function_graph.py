"""Functions of a graph: what is captured, from where, and what a function may not do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.function_graph import FunctionGraph, functions_of, trace


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def mapped(function: Callable[[Any], Any], count: int = 4) -> list[Any]:
    """What the function makes of 0.0, 1.0, …, each as Python numbers."""
    data = tf.data.Dataset.range(count).map(lambda x: function(tf.cast(x, tf.float32)))
    iterator = tf.data.make_initializable_iterator(data)
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(iterator.initializer)
        return [np.asarray(sess.run(element)).tolist() for _ in range(count)]


def test_a_tensor_is_captured_once(graph: Any) -> None:
    outside = tf.constant(2.0)
    body = trace(graph, "twice", lambda x: [x * outside + outside], [(tf.float32, ())])
    assert [outer for outer, _ in body.captures] == [outside]
    assert body.captured_from(body.captures[0][1]) is outside
    assert body.captured_from(body.inputs[0]) is None
    assert all(op.graph is body for op in body.get_operations())


def test_an_outer_tensor_first_makes_no_node_outside(graph: Any) -> None:
    outside = tf.constant(2.0)
    tf.add(outside, tf.constant(1.0))  # a node like the one in the function: its form is known
    count = len(graph.get_operations())
    body = trace(graph, "f", lambda x: [tf.add(outside, x), tf.negative(outside)], [(tf.float32, ())])
    assert len(graph.get_operations()) == count
    assert [op.type for op in body.get_operations()] == ["Placeholder", "Placeholder", "AddV2", "Neg"]


def test_functions_in_functions_capture_through_each_other(graph: Any) -> None:
    outside = tf.constant(100, tf.int64)

    def outer(x: Any) -> Any:
        return tf.data.Dataset.range(2).map(lambda y: x * 10 + y + outside)

    data = tf.data.Dataset.range(2).flat_map(outer)
    assert list(data._variant_tensor.op.inputs[1:]) == [outside]
    element = data.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert [int(sess.run(element)) for _ in range(4)] == [100, 101, 110, 111]
    inner, outermost = [body for body in functions_of(graph).by_name.values() if body.name.startswith("__inference")]
    assert (inner.outer_graph, outermost.outer_graph) == (outermost, graph)
    assert inner.outermost_graph is graph
    assert outermost.captures[0][0] is outside
    assert outside not in [outer for outer, _ in inner.captures]


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: tf.gradients(x * x * 3.0, x)[0], [0.0, 6.0, 12.0, 18.0]),
        (lambda x: tf.cond(x > 1.5, lambda: x * 10.0, lambda: -x), [0.0, -1.0, 20.0, 30.0]),
        (lambda x: tf.while_loop(lambda i: i < x, lambda i: i + 2.0, [0.0]), [0.0, 2.0, 2.0, 4.0]),
        (lambda x: tf.map_fn(lambda y: y * x, tf.constant([1.0, 2.0])), [[0, 0], [1, 2], [2, 4], [3, 6]]),
        (lambda x: tf.case([(x < 1.0, lambda: 5.0)], default=lambda: x), [5.0, 1.0, 2.0, 3.0]),
        (lambda x: x[tf.newaxis], [[0.0], [1.0], [2.0], [3.0]]),
        (lambda x: tf.stack([x, 1.0]), [[0, 1], [1, 1], [2, 1], [3, 1]]),
    ],
    ids=["gradients", "cond", "while_loop", "map_fn", "case", "slice", "stack"],
)
def test_what_a_function_may_use(function: Any, wanted: list[Any]) -> None:
    assert mapped(function) == wanted


def test_branches_and_loops_in_a_function_use_tensors_from_outside() -> None:
    limit, step = tf.constant(1.5), tf.constant(2.0)
    assert mapped(lambda x: tf.cond(x > limit, lambda: x * step, lambda: -step)) == [-2.0, -2.0, 4.0, 6.0]
    assert mapped(lambda x: tf.while_loop(lambda i: i < x, lambda i: i + step, [0.0])) == [0.0, 2.0, 2.0, 4.0]


@pytest.mark.parametrize("resource", [False, True])
def test_variables_from_outside(resource: bool) -> None:
    with tf.variable_scope("layer"):
        tf.get_variable("w", [], initializer=tf.constant_initializer(3.0), use_resource=resource)

    def scaled(x: Any) -> Any:
        with tf.variable_scope("layer", reuse=True):
            return x * tf.get_variable("w", [])

    assert mapped(scaled) == [0.0, 3.0, 6.0, 9.0]


def test_a_resource_variable_can_be_updated_in_a_function() -> None:
    counter = tf.Variable(0.0, use_resource=True)
    assert mapped(lambda x: counter.assign_add(x)) == [0.0, 1.0, 3.0, 6.0]


def test_side_effects_happen_though_nobody_asks_for_their_values() -> None:
    seen: list[float] = []

    def noting(x: Any) -> Any:
        tf.py_func(lambda value: seen.append(float(value)), [x], [])
        return x

    assert mapped(noting) == [0.0, 1.0, 2.0, 3.0]
    assert seen == [0.0, 1.0, 2.0, 3.0]


def test_what_a_function_may_not_do(graph: Any) -> None:
    reference = tf.Variable(1.0, use_resource=False)
    data = tf.data.Dataset.range(3)
    with pytest.raises(TypeError, match="cannot write to it"):
        data.map(lambda x: reference.assign_add(1.0))
    with pytest.raises(ValueError, match="Create variables outside"):
        data.map(lambda x: tf.get_variable("new", []))
    with tf.Graph().as_default():
        stranger = tf.constant(1, tf.int64)
    with pytest.raises(ValueError, match="same graph"):
        data.map(lambda x: x + stranger)
    assert not any(isinstance(op.graph, FunctionGraph) for op in graph.get_operations())


def test_a_removed_tensor_cannot_be_captured(graph: Any) -> None:
    data, mark = tf.data.Dataset.range(3), graph.mark()
    gone = tf.constant(1, tf.int64)
    graph.roll_back(mark)
    with pytest.raises(tf.errors.ReplacedTensorError):
        data.map(lambda x: x + gone)
