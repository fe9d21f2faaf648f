"""RunOptions.timeout_in_ms and ConfigProto.operation_timeout_in_ms end runs that never wait for anything."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import Any

import pytest

import tfbench as tf
from tfbench.engine import deadlines

SHORT = 150


def endless(start: Any = 1) -> Any:
    return tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [start])


def limited(session: tf.Session, fetch: Any, feed: Any = None, milliseconds: int = SHORT) -> Any:
    return session.run(fetch, feed, options=tf.RunOptions(timeout_in_ms=milliseconds))


def test_an_endless_loop_ends() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        loop = endless()
        for _ in range(2):  # step by step, and as a generated function
            began = time.monotonic()
            with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out waiting for notification"):
                limited(session, loop)
            assert time.monotonic() - began < 5
        assert session.run(tf.constant(3)) == 3


def test_a_loop_that_was_compiled_before() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        start = tf.placeholder(tf.int32, [])
        loop = endless(start)
        assert [session.run(loop, {start: -1}) for _ in range(3)] == [-1] * 3
        with pytest.raises(tf.errors.DeadlineExceededError):
            limited(session, loop, {start: 1})
        assert limited(session, loop, {start: -2}) == -2


def test_the_config_says_it_for_every_run() -> None:
    config = tf.ConfigProto(operation_timeout_in_ms=SHORT)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(endless())
        assert session.run(tf.constant(3)) == 3


def test_variables_keep_what_whole_iterations_made() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        first, second = tf.Variable(0), tf.Variable(0)

        def body(i: Any) -> Any:
            with tf.control_dependencies([first.assign_add(1)]), tf.control_dependencies([second.assign_add(1)]):
                return i * 0

        loop = tf.while_loop(lambda i: i >= 0, body, [1])
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.DeadlineExceededError):
            limited(session, loop)
        one, other = session.run([first, second])
        assert one > 0
        assert one - other in (0, 1)


def test_traced_runs_end_too() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        options = tf.RunOptions(timeout_in_ms=SHORT, trace_level=tf.RunOptions.FULL_TRACE)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(endless(), options=options, run_metadata=tf.RunMetadata())


def test_a_run_on_several_devices_ends() -> None:
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        start = tf.placeholder(tf.int32, [])
        with tf.device("/cpu:1"):
            loop = endless(start)
        with tf.device("/cpu:0"):
            other = endless(start) + loop
        for _ in range(8):
            assert session.run(other, {start: -1}) == -2
        with pytest.raises(tf.errors.DeadlineExceededError):
            limited(session, other, {start: 1})


def test_in_time_nothing_comes_later() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        before = threading.active_count()
        for _ in range(3):
            assert limited(session, tf.constant(1), milliseconds=30) == 1
        ends = time.monotonic() + 0.15
        while time.monotonic() < ends:
            pass
        assert threading.active_count() <= before


def test_the_deadline_of_the_run_around_a_py_func() -> None:
    """The inner run has more time than the outer one; it is the outer one that fails."""
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.Graph().as_default() as inner_graph:
            loop = endless()
        inner = tf.Session(graph=inner_graph)
        told = []

        def function() -> Any:
            try:
                return limited(inner, loop, milliseconds=60_000)
            except BaseException as error:
                told.append(type(error))
                raise

        outer = tf.py_func(function, [], tf.int32)
        with pytest.raises(tf.errors.DeadlineExceededError):
            limited(session, outer)
        assert told == [deadlines.TimeUp]


def test_the_deadline_of_the_run_in_a_py_func() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.Graph().as_default() as inner_graph:
            loop = endless()
        inner = tf.Session(graph=inner_graph)

        def function() -> Any:
            with pytest.raises(tf.errors.DeadlineExceededError):
                limited(inner, loop)
            return 7

        assert limited(session, tf.py_func(function, [], tf.int64), milliseconds=60_000) == 7


def test_both_deadlines_over_at_once() -> None:
    """What ends the inner run may not use up what is to end the outer one."""
    after = []

    def outer() -> None:
        with deadlines.within(0.05):
            try:
                with deadlines.within(0.05):
                    while True:
                        pass
            except tf.errors.DeadlineExceededError:
                # The inner one was over first. The outer one is not far behind.
                ends = time.monotonic() + 5
                while time.monotonic() < ends:
                    pass
            after.append("the outer run went on")

    for _ in range(20):
        with pytest.raises(tf.errors.DeadlineExceededError):
            outer()
    assert after == []


def test_a_profiler_after_a_deadline() -> None:
    """Python 3.11 never came back from the first call under a profiler, as something was still to be raised."""
    program = """
import sys
import tfbench as tf
loop = tf.while_loop(lambda i: i >= 0, lambda i: i * 1, [tf.constant(1)])
with tf.Session() as session:
    try:
        session.run(loop, options=tf.RunOptions(timeout_in_ms=50))
    except tf.errors.DeadlineExceededError:
        print("over")
sys.setprofile(lambda *event: None)
(lambda: None)()
sys.setprofile(None)
print("on")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["over", "on"]
