"""Random programs of nested loops, branches and side effects: the graph gives what Python gives, each way it is run."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tfbench as tf
from tests.observed import observed

#: the program's integers; `calls` counts the side effects, so that the graph needs them
NAMES = ("a", "b", "c")
MODULUS = 1009

Expression = Any
Statement = Any
Block = list[Statement]


def expressions() -> st.SearchStrategy[Expression]:
    leaves = st.sampled_from(NAMES) | st.integers(0, 50)
    return st.recursive(leaves, lambda inner: st.tuples(st.sampled_from("+-*"), inner, inner), max_leaves=4)


def statements(depth: int) -> st.SearchStrategy[Statement]:
    simple = st.tuples(st.just("set"), st.sampled_from(NAMES), expressions()) | st.tuples(
        st.just("effect"), expressions()
    )
    if not depth:
        return simple
    return simple | st.one_of(
        st.tuples(st.just("if"), expressions(), blocks(depth - 1), blocks(depth - 1)),
        st.tuples(st.just("while"), expressions(), st.integers(1, 5), blocks(depth - 1)),
    )


def blocks(depth: int) -> st.SearchStrategy[Block]:
    return st.lists(statements(depth), min_size=1, max_size=3)


# -- as Python ---------------------------------------------------------------------------------------------------------


def evaluate(expression: Expression, env: dict[str, int]) -> int:
    if isinstance(expression, int):
        return expression
    if isinstance(expression, str):
        return env[expression]
    operator, left, right = expression
    a, b = evaluate(left, env), evaluate(right, env)
    return (a + b if operator == "+" else a - b if operator == "-" else a * b) % MODULUS


def execute(block: Block, env: dict[str, int], state: list[int]) -> None:
    for statement in block:
        kind = statement[0]
        if kind == "set":
            env[statement[1]] = evaluate(statement[2], env)
        elif kind == "effect":
            state[0] = (state[0] * 3 + evaluate(statement[1], env)) % MODULUS
            env["calls"] += 1
        elif kind == "if":
            execute(statement[2] if evaluate(statement[1], env) % 2 else statement[3], env, state)
        else:
            for _ in range(evaluate(statement[1], env) % statement[2]):
                execute(statement[3], env, state)


# -- as a graph --------------------------------------------------------------------------------------------------------


def expression_node(expression: Expression, env: dict[str, Any]) -> Any:
    if isinstance(expression, int):
        return tf.constant(expression)
    if isinstance(expression, str):
        return env[expression]
    operator, left, right = expression
    a, b = expression_node(left, env), expression_node(right, env)
    return tf.mod(a + b if operator == "+" else a - b if operator == "-" else a * b, MODULUS)


def effect(value: Any, calls: Any, state: Any) -> Any:
    """state = state * 3 + value, after the effects before it, which `calls` stands for."""
    with tf.control_dependencies([calls]):
        read = tf.identity(state._ref())
        new = tf.mod(read * 3 + value, MODULUS)
    with tf.control_dependencies([tf.assign(state, new)]):
        return calls + 1


def build(block: Block, env: dict[str, Any], state: Any) -> dict[str, Any]:
    env = dict(env)
    names = [*NAMES, "calls"]

    def branch(inner: Block) -> Any:
        def function() -> list[Any]:
            after = build(inner, env, state)
            return [tf.identity(after[name]) for name in names]

        return function

    for statement in block:
        kind = statement[0]
        if kind == "set":
            env[statement[1]] = expression_node(statement[2], env)
        elif kind == "effect":
            env["calls"] = effect(expression_node(statement[1], env), env["calls"], state)
        elif kind == "if":
            taken = tf.equal(tf.mod(expression_node(statement[1], env), 2), 1)
            env = dict(zip(names, tf.cond(taken, branch(statement[2]), branch(statement[3])), strict=True))
        else:
            times = tf.mod(expression_node(statement[1], env), statement[2])

            def body(i: Any, *values: Any, inner: Block = statement[3]) -> Any:
                after = build(inner, dict(zip(names, values, strict=True)), state)
                return [i + 1, *(after[name] for name in names)]

            results = tf.while_loop(
                lambda i, *_, times=times: i < times, body, [0, *(env[name] for name in names)], parallel_iterations=1
            )
            env = dict(zip(names, results[1:], strict=True))
    return env


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(blocks(3), st.tuples(*[st.integers(0, 20)] * len(NAMES)))
def test_the_graph_gives_what_python_gives(program: Block, begin: tuple[int, ...]) -> None:
    env, numbers = {**dict(zip(NAMES, begin, strict=True)), "calls": 0}, [7]
    execute(program, env, numbers)
    with tf.Graph().as_default(), tf.Session() as session:
        state = tf.Variable(7, use_resource=False)
        inputs = {name: tf.placeholder(tf.int32, []) for name in NAMES}
        results = build(program, {**inputs, "calls": tf.constant(0)}, state)
        feeds = {inputs[name]: value for name, value in zip(NAMES, begin, strict=True)}
        # Step by step, compiled, watched, from a callable.
        call = session.make_callable([results[name] for name in (*NAMES, "calls")], list(feeds))
        for way in range(5):
            session.run(state.initializer)
            with observed(session, lambda *_: None) if way == 3 else nullcontext():
                if way < 4:
                    found = session.run([results[name] for name in (*NAMES, "calls")], feeds)
                else:
                    found = call(*feeds.values())
            assert [int(value) for value in found] == [env[name] for name in (*NAMES, "calls")]
            assert session.run(state) == numbers[0]
        # A part of it: what nobody asks for does not run, the rest is the same.
        assert int(session.run(results["a"], feeds)) == env["a"]
