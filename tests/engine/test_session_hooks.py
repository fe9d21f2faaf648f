"""Hooks of a session: when they are told what, what they may do, and that a failing one keeps nothing alive."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import tfbench as tf
from tfbench.engine.hooks import SessionHook, StepObserver, WeakHook


class Diary(SessionHook, StepObserver):
    """Writes down everything that it is told."""

    def __init__(self, looks: bool = False) -> None:
        self.looks = looks
        self.lines: list[Any] = []

    def before_run(self) -> None:
        self.lines.append("before_run")

    def gate(self, plan: Any) -> StepObserver | None:
        self.lines.append("gate")
        return self if self.looks else None

    def begin_thread(self) -> None:
        self.lines.append("begin_thread")

    def before(self, step: Any, taken: bool, iterations: tuple[int, ...]) -> None:
        self.lines.append(f"before {step.op.name}")

    def __call__(self, step: Any, inputs: Any, results: Any, iterations: Any) -> None:
        self.lines.append(f"{step.op.name} = {results[0]}")

    def end(self) -> None:
        self.lines.append("end")

    def ran(self, plan: Any, fed: Sequence[Any], results: Sequence[Any]) -> None:
        self.lines.append(("ran", [tensor.name for tensor in plan.feeds], list(fed), list(results)))

    def closed(self) -> None:
        self.lines.append("closed")


@pytest.fixture
def net() -> Iterator[tuple[tf.Session, Any, Any]]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.negative(x, name="y")
    with tf.Session(graph=graph) as session:
        yield session, x, y


_RAN = ("ran", ["x:0"], [2.0], [-2.0])
_STEPS = ["begin_thread", "before y", "y = -2.0", "end"]


@pytest.mark.parametrize("looks", [False, True])
def test_what_a_run_tells(net: Any, looks: bool) -> None:
    session, x, y = net
    diary = Diary(looks)
    session.hooks.append(diary)
    call = session.make_callable(y, [x])
    runs = [lambda: session.run(y, {x: 2.0}), lambda: call(2.0)]
    for run in runs:
        diary.lines.clear()
        assert run() == -2.0
        assert diary.lines == ["before_run", "gate", *(_STEPS if looks else []), _RAN]
    session.close()
    assert diary.lines[-1] == "closed"


def test_a_traced_run_is_seen_by_both(net: Any) -> None:
    session, x, y = net
    diary = Diary(True)
    session.hooks.append(diary)
    value, recorder = session.trace(y, {x: 2.0})
    assert value == -2.0
    assert [executed.op.name for executed in recorder.executed] == ["y"]
    told = [line for line in diary.lines if line != "begin_thread"]
    assert told == ["before_run", "gate", "before y", "y = -2.0", "end", _RAN]


def test_a_run_that_is_led_by_another_passes_no_gate(net: Any) -> None:
    session, x, y = net
    diary = Diary(True)
    session.hooks.append(diary)
    _, _, run = session.prepare(y, {x: 2.0})
    leader = Diary()
    assert run(leader) == -2.0
    assert leader.lines == _STEPS
    assert diary.lines == ["before_run", _RAN]


def test_what_a_gate_raises_the_run_raises(net: Any) -> None:
    class Refuses(SessionHook):
        def gate(self, plan: Any) -> None:
            raise PermissionError("not now")

    session, x, y = net
    refuses, diary = Refuses(), Diary()
    session.hooks[:] = [refuses, diary]
    with pytest.raises(PermissionError, match="not now"):
        session.run(y, {x: 2.0})
    assert diary.lines == ["before_run"]


def test_a_run_that_fails_is_not_over(net: Any) -> None:
    session, x, y = net
    with session.graph.as_default():
        checked = tf.check_numerics(y, "found", name="checked")
    diary = Diary(True)
    session.hooks.append(diary)
    with pytest.raises(tf.errors.InvalidArgumentError, match="found"):
        session.run(checked, {x: float("inf")})
    assert diary.lines == ["before_run", "gate", "begin_thread", "before y", "y = -inf", "before checked"]


def test_a_hook_that_takes_itself_out_skips_no_other(net: Any) -> None:
    session, x, y = net

    class Once(SessionHook):
        def ran(self, *_: Any) -> None:
            session.hooks.remove(self)

    diary = Diary()
    session.hooks[:] = [Once(), diary]
    session.run(y, {x: 2.0})
    assert session.hooks == [diary]
    assert diary.lines[-1] == _RAN


def test_a_weak_hook_keeps_nobody_alive(net: Any) -> None:
    session, x, y = net
    diary = Diary(True)
    session.hooks.append(WeakHook(diary))
    session.run(y, {x: 2.0})
    assert diary.lines == ["before_run", "gate", *_STEPS, _RAN]
    lines = diary.lines
    lines.clear()
    del diary
    gc.collect()
    assert session.run(y, {x: 2.0}) == -2.0
    session.close()
    assert lines == []


@pytest.mark.parametrize("kind", [tf.Session, tf.InteractiveSession])
def test_a_hook_that_fails_at_the_end_keeps_nothing_from_being_freed(kind: Any) -> None:
    class Fails(SessionHook):
        def __init__(self, message: str) -> None:
            self.message = message

        def closed(self) -> None:
            raise OSError(self.message)

    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", initializer=[1.0])
        session = kind(graph=graph)
        session.run(v.initializer)
        session.run(v)
        assert list(session.resources.items())
        assert session.plans._plans
        diary = Diary()
        session.hooks[:] = [Fails("first"), Fails("second"), diary]
        with pytest.raises(OSError, match="first"):
            session.close()
        assert diary.lines == ["closed"]
        assert not list(session.resources.items())
        assert not session.plans._plans
        assert tf.get_default_session() is None
        with pytest.raises(RuntimeError, match="closed Session"):
            session.run(v)
