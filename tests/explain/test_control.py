"""`explain.control`: a loop in one thread, and another thread that pauses, steps and stops it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tfbench as tf
from tfbench.engine.stepping import GO, Stopped


class Loop:
    """Runs `op` again and again in a thread."""

    def __init__(self, session: Any, fetches: Any, feed: Any = None) -> None:
        self.runs = 0
        self.error: BaseException | None = None
        self._end = False

        def work() -> None:
            try:
                while not self._end:
                    session.run(fetches, feed)
                    self.runs += 1
            except BaseException as error:
                self.error = error

        self.thread = threading.Thread(target=work)
        self.thread.start()

    def end(self) -> None:
        self._end = True
        self.thread.join(10)
        assert not self.thread.is_alive()


def wait_for(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


class There:
    attends = True


@pytest.fixture
def looping() -> Iterator[Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [3], initializer=tf.zeros_initializer())
        w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
        with tf.name_scope("train/"):
            first = tf.assign_add(v, tf.ones([3]), name="first")
            with tf.control_dependencies([first]):
                second = tf.assign_add(w, tf.ones([3]), name="second")
        session.run(tf.global_variables_initializer())
        control = tf.explain.control(session)
        loops: list[Loop] = []

        def start(fetches: Any = second) -> Loop:
            loops.append(Loop(session, fetches))
            return loops[-1]

        yield session, control, start
        control.breakpoints.clear()
        control.go()
        for loop in loops:
            loop.end()


def values(session: Any) -> tuple[float, float]:
    found = session.resources.variables()
    return found["v"].array[0], found["w"].array[0]


def test_pause_go_on_and_stop(looping: Any) -> None:
    session, control, start = looping
    assert tf.explain.control(session) is control
    loop = start()
    wait_for(lambda: loop.runs > 10)
    control.pause()
    wait_for(lambda: control.at is not None)
    assert control.at.step is None  # between two runs
    runs, before = loop.runs, values(session)
    assert before[0] == before[1]
    time.sleep(0.05)
    assert (loop.runs, values(session)) == (runs, before)
    control.go()
    wait_for(lambda: loop.runs > runs + 10)
    control.stop()
    wait_for(lambda: loop.error is not None)
    assert isinstance(loop.error, KeyboardInterrupt)
    assert values(session) == (loop.runs, loop.runs)
    # Only that loop was stopped.
    session.run("train/second")


def test_steps_in_the_middle_of_a_loop(looping: Any) -> None:
    session, control, start = looping
    loop = start()
    control.pause()
    wait_for(lambda: control.at is not None)
    seen = []
    for _ in range(4):
        halts = control.halts
        control.step()
        wait_for(lambda halts=halts: control.halts > halts)
        seen.append(control.at.step.op.name)
    assert seen[:2] == ["train/first", "train/second"]
    assert seen[2:] == seen[:2]
    v, w = values(session)
    assert v == w + 1
    control.to(session.graph.get_operation_by_name("train/first"))
    wait_for(lambda: control.at is not None and control.at.halt.kind == "to")
    assert values(session)[0] == values(session)[1]
    control.stop()
    wait_for(lambda: loop.error is not None)
    assert isinstance(loop.error, Stopped)


def test_breakpoints_in_a_loop(looping: Any) -> None:
    session, control, start = looping
    there = There()
    control.attendants.add(there)
    control.breakpoints.add("train/")
    start()
    for _ in range(3):
        wait_for(lambda: control.at is not None)
        assert str(control.at.halt) == "breakpoint at scope train/"
        assert control.at.step.op.name == "train/first"
        halts = control.halts
        control.go()
        wait_for(lambda halts=halts: control.halts > halts)
    with pytest.raises(KeyError, match="did you mean train/first"):
        control.breakpoints.add("train/frst")


def test_where_nobody_could_go_on_a_breakpoint_ends_the_loop() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.get_variable("x", initializer=[4.0, 2.0])
        y = tf.log(x, name="y")
        update = tf.assign_sub(x, [1.0, 1.0] + 0.0 * y, name="update")
        session.run(x.initializer)
        control = tf.explain.control(session)
        control.breakpoints.add("nan")
        session.run(update)
        session.run(update)
        with pytest.raises(Stopped, match=r"y \(Log, made in .*test_control.py:\d+\) gave 1 infinite of 2") as stopped:
            session.run(update)
        assert "took x/read:0: float32 [2, 0]" in str(stopped.value)
        # It is reported once; the loop can be started again.
        session.run(update)


def test_a_nan_in_the_last_step_of_a_run_is_reported_by_that_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        y = tf.log(x, name="y")
        tf.explain.control(session).breakpoints.add("nan")
        assert session.run(y, {x: 1.0}) == 0.0
        with pytest.raises(Stopped, match="gave 1 infinite of 1"):
            session.run(y, {x: 0.0})
        assert session.run(y, {x: 1.0}) == 0.0


def test_what_did_not_come_about_is_forgotten(looping: Any) -> None:
    session, control, _ = looping
    control.stop()
    control.forget()
    control.pause()
    control.forget()
    session.run("train/second")
    assert (control.wants, control.at) == (GO, None)


def test_those_that_are_spared(looping: Any) -> None:
    session, control, start = looping
    loop = start()
    control.spares = lambda: threading.current_thread() is threading.main_thread()
    control.pause()
    wait_for(lambda: control.at is not None)
    session.run("train/second")  # does not wait
    runs = loop.runs
    control.go()
    wait_for(lambda: loop.runs > runs)


def test_two_loops_are_both_held_and_both_go_on(looping: Any) -> None:
    session, control, start = looping
    loops = [start(), start()]
    wait_for(lambda: all(loop.runs for loop in loops))
    control.pause()
    wait_for(lambda: control.at is not None)
    time.sleep(0.05)
    runs = [loop.runs for loop in loops]
    time.sleep(0.05)
    assert [loop.runs for loop in loops] == runs
    control.go()
    wait_for(lambda: all(loop.runs > before for loop, before in zip(loops, runs)))


def test_a_held_loop_can_be_interrupted(looping: Any) -> None:
    session, control, _ = looping
    control.pause()

    def interrupt() -> None:
        wait_for(lambda: control.at is not None)
        import _thread

        _thread.interrupt_main()

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        session.run("train/second")
    session.run("train/second")  # and the next run is not held


def test_without_a_session() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="no session to control"):
        tf.explain.control()


def test_a_closed_session_lets_a_held_loop_go(looping: Any) -> None:
    session, control, start = looping
    loop = start()
    control.pause()
    wait_for(lambda: control.at is not None)
    session.close()
    wait_for(lambda: loop.error is not None)
    assert str(loop.error) == "the session was closed"


def test_who_leaves_lets_everything_go(looping: Any) -> None:
    session, control, start = looping
    loop = start()
    control.pause()
    wait_for(lambda: control.at is not None)
    runs = loop.runs
    control.leave()
    wait_for(lambda: loop.runs > runs)
    assert session.hooks == []
