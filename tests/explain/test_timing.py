"""`explain.timing`: how long a run takes, and that nothing is different afterwards."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

import tfbench as tf
from tfbench.explain.timing import WARM_UP, seconds_text


@pytest.fixture
def slow() -> Any:
    """`y` takes three milliseconds and counts; `z` takes nothing."""
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=1.0)
        calls = []

        def wait(x: Any) -> Any:
            calls.append(x)
            time.sleep(0.003)
            return x

        y = tf.py_func(wait, [v + 1.0], tf.float32, name="y")
        z = tf.negative(y, name="z")
        with tf.control_dependencies([z]):
            update = tf.assign_add(v, 1.0, name="update")
        session.run(v.initializer)
        yield session, update, v, calls


def test_numbers(slow: Any) -> None:
    session, update, _, calls = slow
    timed = tf.explain.timing(update, session=session, runs=7)
    assert len(timed.samples) == 7
    assert len(calls) == 7 + WARM_UP + 5
    low, high = timed.quartiles
    assert 0.003 <= timed.fastest <= low <= timed.median <= high < 1.0
    first = timed.ops[0]
    assert (first.op, first.type, first.device) == ("y", "PyFunc", "/device:CPU:0")
    assert first.seconds >= 0.003
    assert first.share > 0.5
    assert sum(row.share for row in timed.ops) == pytest.approx(1.0)
    assert [row.device for row in timed.devices] == ["/device:CPU:0"]
    assert timed.devices[0].seconds == pytest.approx(sum(row.seconds for row in timed.ops))
    assert timed.to_dict()["operations"][0]["op"] == "y"
    with pytest.raises(AttributeError, match="frozen"):
        timed.median = 0.0


def test_variables_are_as_before(slow: Any) -> None:
    session, update, v, calls = slow
    tf.explain.timing(update, session=session, runs=2)
    assert session.run(v) == 1.0
    assert len(set(map(float, calls))) > 5  # though they were different meanwhile
    session.run(update)
    assert session.run(v) == 2.0


def test_state_that_is_made_meanwhile_is_gone_too() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        numbers = tf.random_uniform([3])
        tf.explain.timing(numbers, session=session, runs=2)
        timed = session.run(numbers).tolist()
        with tf.Session() as fresh:
            assert fresh.run(numbers).tolist() == timed


def test_layout(slow: Any) -> None:
    session, update, _, _ = slow
    text = str(tf.explain.timing(update, session=session, runs=3))
    shape = re.sub(r" *\b\d+(\.\d+)? (µs|ms|s)\b", " TIME", text)
    assert shape.splitlines()[:5] == [
        "3 runs after 3 to warm up: median TIME, half of them between TIME and TIME, fastest TIME",
        "where the time goes, in runs whose steps are timed one by one (they take TIME):",
        "device         time (share)",
        "/device:CPU:0 TIME (100 %)",
        "op            type        device         time (share)",
    ]


def test_devices() -> None:
    with tf.simulate_devices(gpu=1), tf.Graph().as_default():
        with tf.device("/gpu:0"):
            a = tf.square(tf.ones([2]) * tf.placeholder_with_default(2.0, []))
        with tf.device("/cpu:0"):
            b = tf.negative(a)
        with tf.Session() as session:
            timed = tf.explain.timing(b, session=session, runs=2)
    assert [row.device for row in timed.devices] == ["/device:CPU:0", "/device:GPU:0"]
    assert "/device:GPU:0 (simulated)" in str(timed)


def test_usage(slow: Any) -> None:
    session, update, _, _ = slow
    with pytest.raises(ValueError, match="runs must be at least 1"):
        tf.explain.timing(update, session=session, runs=0)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="no session runs this graph"):
        tf.explain.timing(tf.constant(1.0))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1.5, "1.50 s"),
        (0.9996, "1.00 s"),
        (0.0123, "12.3 ms"),
        (0.123, "123 ms"),
        (2.5e-6, "2.50 µs"),
        (1e-8, "0.01 µs"),
    ],
)
def test_words_for_times(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text
