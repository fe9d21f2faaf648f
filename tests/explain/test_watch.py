"""`tfbench.watch`: values while a loop runs, and that the loop is not the slower for it."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.watching import Tap
from tfbench.explain.watch import POINTS, Curve, bars


def wait_for(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


@pytest.fixture
def net() -> Iterator[Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [], name="x")
        v = tf.get_variable("v", initializer=[1.0, 3.0])
        h = tf.multiply(v, x, name="h")
        loss = tf.reduce_sum(h, name="loss")
        with tf.control_dependencies([loss]):
            train = tf.assign_add(v, [1.0, 1.0], name="train")
        session.run(v.initializer)
        yield session, {"x": x, "v": v, "h": h, "loss": loss, "train": train}


def test_what_is_fetched_is_seen_in_every_run(net: Any) -> None:
    session, ops = net
    watch = tf.watch(ops["loss"], session=session)
    for step in range(50):
        session.run([ops["train"], ops["loss"]], {ops["x"]: float(step)})
    row = watch.rows["loss"]
    # The variable is 1 and 3 higher by the number of steps; the loss is its sum times x.
    assert (row.seen, row.curve) == (50, tuple(step * (4.0 + 2 * step) for step in range(50)))
    assert row.now == str(49 * (4.0 + 2 * 49))
    watch.stop()
    session.run(ops["loss"], {ops["x"]: 1.0})
    assert watch.rows["loss"].seen == 50


def test_what_is_not_fetched_is_looked_at_now_and_then(net: Any) -> None:
    session, ops = net
    watch = tf.watch("h", ops["loss"], session=session, every=0.01)
    ran = 0
    while watch.rows["loss"].seen < 5:
        session.run(ops["train"], {ops["x"]: 2.0})
        ran += 1
        assert ran < 200_000
    assert watch.rows["loss"].seen < ran
    assert watch.rows["h"].now.startswith("float32 [")
    assert session.run(ops["v"]).tolist() == [1.0 + ran, 3.0 + ran]
    watch.stop()


def test_variables(net: Any) -> None:
    session, ops = net
    watch = tf.watch(ops["v"], "v/read", session=session)
    assert watch.rows["v"].now == "float32 [1, 3]"
    session.run(ops["train"], {ops["x"]: 1.0})
    rows = watch.rows
    assert rows[0].now == "float32 [2, 4]"
    assert (rows[0].stats.mean, rows[0].curve) == (3.0, (2.0, 3.0))
    assert rows[1].curve == rows[0].curve
    watch.stop()
    session.run(ops["train"], {ops["x"]: 1.0})
    assert watch.rows["v"].now == "float32 [2, 4]"


def test_listeners_are_told_at_a_bounded_rate(net: Any) -> None:
    session, ops = net
    watch = tf.watch(ops["loss"], session=session)
    told: list[float] = []
    watch.listeners.append(lambda: told.append(time.monotonic()))
    began = time.monotonic()
    while time.monotonic() - began < 0.6:
        session.run([ops["train"], ops["loss"]], {ops["x"]: 1.0})
    wait_for(lambda: told)
    assert 1 <= len(told) <= 8
    watch.stop()


def test_what_is_never_computed_says_so(net: Any) -> None:
    session, ops = net
    watch = tf.watch("loss", session=session)
    assert watch.rows["loss"].now == "nothing has run yet"
    session.run(ops["v"])
    assert watch.rows["loss"].now == "not computed by the 1 runs so far"
    assert str(watch).splitlines()[0].split() == ["name", "now", "seen", "curve"]


def test_what_ends_it(net: Any) -> None:
    session, ops = net
    hooks = list(session.hooks)
    watch = tf.watch(ops["loss"], session=session)
    session.run(ops["loss"], {ops["x"]: 2.0})
    watch.stop()
    watch.stop()
    assert session.hooks == hooks
    dropped = tf.watch(ops["loss"], session=session)
    del dropped
    gc.collect()
    assert session.hooks == hooks
    watch = tf.watch(ops["loss"], ops["v"], session=session)
    session.run(ops["loss"], {ops["x"]: 2.0})
    session.close()
    assert watch.rows["loss"].now == "8.0"


def test_usage(net: Any) -> None:
    session, ops = net
    with pytest.raises(ValueError, match="takes tensors"):
        tf.watch(session=session)
    with pytest.raises(KeyError, match="not in the graph"):
        tf.watch("los", session=session)
    with pytest.raises(ValueError, match="more than 0 seconds"):
        tf.watch("loss", every=0, session=session)
    with tf.Graph().as_default():
        nothing = tf.no_op(name="nothing")
        with tf.Session() as other, pytest.raises(ValueError, match=r"nothing \(NoOp\) gives no value"):
            tf.watch(nothing, session=other)
        with pytest.raises(ValueError, match="no session runs this graph"):
            tf.watch(tf.constant(1.0))


def test_a_look_is_followed_by_a_rest_that_fits_its_cost(net: Any) -> None:
    session, ops = net
    now = [0.0]
    seen: list[float] = []
    tap = Tap([ops["loss"]], lambda tensor, value: seen.append(now[0]), lambda: None, every=0.5, clock=lambda: now[0])
    session.hooks.append(tap)
    for _ in range(40):
        session.run(ops["train"], {ops["x"]: 1.0})
        now[0] += 0.1
    assert len(seen) == 8
    tap._steps = 0
    tap._next = 0.0
    seen.clear()
    tap._every = 1e-9
    session.run(ops["train"], {ops["x"]: 1.0})
    assert tap._next > now[0] + 4 * 1e-6 * 20  # four steps, and twenty times what they cost at the least


def test_a_curve_shows_everything_in_bounded_room() -> None:
    curve = Curve()
    for value in range(100_001):
        curve.add(float(value))
    points = curve.points()
    assert curve.count == 100_001
    assert len(points) <= POINTS
    assert points[0] == 0.0
    assert points[-1] == 100_000.0
    steps = np.diff(points[:-1])
    assert len(set(steps.tolist())) == 1


def test_bars() -> None:
    assert bars(()) == ""
    assert bars((1.0, 1.0)) == "▄▄"
    assert bars((0.0, 1.0, math.nan, 0.5)) == "▁█×▅"
    assert len(bars(tuple(map(float, range(1000))))) == 24
    assert bars((math.inf,)) == ""
