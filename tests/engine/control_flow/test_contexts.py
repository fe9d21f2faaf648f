"""What facts cannot say of branches and loops: rolling a graph back, errors in functions, what messages name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import tfbench as tf
from tfbench.engine.source import register_cell


def rows(graph: Any) -> list[Any]:
    return [
        (op.name, op.type, [t.name for t in op.inputs], [c.name for c in op.control_inputs])
        for op in graph.get_operations()
    ]


def power(n: int, x: Any) -> Any:
    return tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), (tf.constant(0), tf.constant(1.0)))[1]


# -- rolling back ------------------------------------------------------------------------------------------------


def test_a_gradient_that_is_rolled_back_can_be_built_again() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.constant(3.0)
        y = power(4, x)
        (loop,) = graph.get_collection(tf.GraphKeys.WHILE_CONTEXT)
        mark = graph.mark()
        (first,) = tf.gradients(y, x)
        after = rows(graph)
        assert session.run(first) == 108.0
        exits = loop.loop_exits
        graph.roll_back(mark)
        assert len(loop.loop_exits) == len(exits) - 1, "the counter's exit is gone with the gradient"
        (second,) = tf.gradients(y, x)
        assert rows(graph) == after
        assert session.run([y, second]) == [81.0, 108.0]


def test_a_cut_gradient_comes_back() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.constant(3.0)
        y = power(4, x)
        (loop,) = graph.get_collection(tf.GraphKeys.WHILE_CONTEXT)
        mark = graph.mark()
        (grad,) = tf.gradients(y, x)
        known = set(loop._values)
        cut = graph.cut(mark)
        assert loop._values < known
        graph.put_back(cut)
        assert loop._values == known
        assert session.run(grad) == 108.0


def test_a_loop_that_is_rolled_back_leaves_no_context() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(3.0)
        mark = graph.mark()
        power(4, x)
        before = rows(graph)
        graph.roll_back(mark)
        assert not graph.get_collection(tf.GraphKeys.WHILE_CONTEXT)
        power(4, x)
        assert rows(graph) == before


def test_a_branch_around_a_loop_forgets_what_is_rolled_back() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        p, x = tf.placeholder(tf.bool, []), tf.constant(3.0)
        y = tf.cond(p, lambda: power(3, x), lambda: x)
        mark = graph.mark()
        for _ in range(2):
            (grad,) = tf.gradients(y, x)
            assert session.run(grad, {p: True}) == 27.0
            assert session.run(grad, {p: False}) == 1.0
            graph.roll_back(mark)


# -- errors in functions --------------------------------------------------------------------------------------------


def boom(*_: Any) -> Any:
    raise RuntimeError("boom")


@pytest.mark.parametrize(
    "build",
    [
        lambda: tf.while_loop(boom, lambda i: i, [tf.constant(0)]),
        lambda: tf.while_loop(lambda i: i < 3, boom, [tf.constant(0)]),
        lambda: tf.cond(tf.constant(True), boom, lambda: tf.constant(0)),
        lambda: tf.cond(tf.constant(True), lambda: tf.constant(0), boom),
        lambda: tf.while_loop(lambda i: i < 3, lambda i: tf.cond(i < 2, boom, lambda: i), [tf.constant(0)]),
        lambda: tf.cond(tf.constant(True), lambda: tf.while_loop(boom, boom, [tf.constant(0)]), boom),
    ],
)
def test_an_error_in_a_function_leaves_no_context_open(build: Callable[[], Any]) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(RuntimeError, match="boom"):
            build()
        assert graph._get_control_flow_context() is None
        assert tf.constant(1.0).op._get_control_flow_context() is None


def test_an_error_in_a_gradient_leaves_no_context_open() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.5)

        @tf.custom_gradient
        def square(value: Any) -> Any:
            return value * value, boom

        y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, square(a)), (tf.constant(0), x))[1]
        with pytest.raises(RuntimeError, match="boom"):
            tf.gradients(y, x)
        assert graph._get_control_flow_context() is None


# -- what messages name ----------------------------------------------------------------------------------------------


def in_a_cell(source: str) -> None:
    file = "<cell of a test>"
    register_cell(file, "7")
    exec(compile(source, file, "exec"), {"tf": tf})


MESSAGES = [
    (
        """
start = tf.ones([2], name="start")
tf.while_loop(lambda x: True, lambda x:
    tf.concat([x, x], 0), [start], name="mine")
""",
        ValueError,
        ["'start:0'", "'mine/while_context'", "cell 7, line 4", "shape_invariants", "(2,)", "(4,)"],
    ),
    (
        """
start = tf.constant(0, name="start")
tf.while_loop(lambda x: x < 3, lambda x:
    tf.cast(x, tf.float32), [start], name="mine")
""",
        tf.errors.InvalidArgumentError,
        ["'start:0'", "'mine/while_context'", "cell 7, line 4", "int32", "float"],
    ),
    (
        """
seen = []
tf.while_loop(lambda x: x < 3, lambda x: (seen.append(
    tf.negative(x, name="inner")), x)[1], [tf.constant(0)], name="mine")
tf.add(seen[0], 1, name="outer")
""",
        ValueError,
        ["'mine/inner'", "'outer'", "is in a while loop", "'mine/while_context'", "cell 7, line 4"],
    ),
    (
        """
start = tf.ones([2], name="start")
tf.while_loop(lambda x: True, lambda x: x, [start], [tf.TensorShape([3])], name="mine")
""",
        ValueError,
        ["start:0", "'mine/while_context'", "(2,)", "(3,)", "invariant"],
    ),
]


@pytest.mark.parametrize(("source", "kind", "words"), MESSAGES)
def test_errors_name_the_loop_and_the_line(source: str, kind: type[Exception], words: list[str]) -> None:
    with tf.Graph().as_default(), pytest.raises(kind) as caught:
        in_a_cell(source)
    for word in words:
        assert word in str(caught.value)


def test_a_tensor_of_a_loop_that_is_refused_adds_no_node() -> None:
    inside: list[Any] = []

    def body(i: Any) -> Any:
        inside.append(i * 2)
        return i + 1

    with tf.Graph().as_default() as graph:
        tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
        before = len(graph.get_operations())
        for use in (lambda: -inside[0], lambda: inside[0] + inside[0], lambda: tf.identity(inside[0])):
            with pytest.raises(ValueError, match=re.escape("'while/mul' is in a while loop")):
                use()
        assert len(graph.get_operations()) == before


def test_a_second_gradient_is_refused_by_name() -> None:
    with tf.Graph().as_default():
        x = tf.constant(3.0)
        (first,) = tf.gradients(power(4, x), x)
        with pytest.raises(TypeError, match="Second-order gradient for while loops not supported: 'gradients/"):
            tf.gradients(first, x)


# -- contexts as programs use them -----------------------------------------------------------------------------------


def test_contexts_can_be_entered_by_hand() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        p, x = tf.placeholder(tf.bool, []), tf.constant(3.0)
        tf.cond(p, lambda: x * 2.0, lambda: x)
        context, _ = graph.get_collection(tf.GraphKeys.COND_CONTEXT)
        context.Enter()
        y = x + 1.0
        context.ExitResult([y])
        context.Exit()
        assert y.op._get_control_flow_context() is context
        assert graph._get_control_flow_context() is None
        out = tf.identity(y)
        assert session.run(out, {p: True}) == 4.0
        assert context.AddValue(x) is y.op.inputs[0]


def test_a_graph_with_stacks_can_be_looked_at() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.5)
        y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * a), (0, x))[1]
        tf.gradients(y, x)
        assert "StackV2" in {op.type for op in graph.get_operations()}
        assert "gradients" in tf.inspect(graph).to_text()


def test_what_is_made_for_a_branch_cannot_be_fetched() -> None:
    inside: list[tf.Tensor] = []
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.bool, [])
        tf.cond(p, lambda: inside.append(tf.constant(1) + 1) or inside[0], lambda: tf.constant(0), name="choice")
        with pytest.raises(ValueError, match=r"choice/add has been .*made at .*\.py:\d+\): it is part of a tf\.cond"):
            session.run(inside[0], {p: True})
