"""`tfbench.step`: one run, one operation at a time."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.stepping import Stopped


def threads() -> int:
    return sum(thread.name == "tfbench-step" for thread in threading.enumerate())


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Any:
    yield
    gc.collect()
    deadline = time.monotonic() + 5
    while threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threads() == 0


@pytest.fixture
def net() -> Any:
    """x -> l1/y = x * v -> z = log(y - 1); `update` adds 1 to v after z."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        with tf.name_scope("l1/"):
            y = tf.multiply(x, v, name="y")
        z = tf.log(y - 1.0, name="z")
        with tf.control_dependencies([z]):
            update = tf.assign_add(v, [1.0, 1.0], name="update")
            other = tf.identity(x, name="other")
        with tf.Session() as session:
            session.run(v.initializer)
            yield session, {"x": x, "v": v, "y": y, "z": z, "update": update, "other": other}


def test_step_by_step_to_the_end(net: Any) -> None:
    session, ops = net
    feed = {ops["x"]: [2.0, 3.0]}
    order = [row.op for row in tf.explain.order(ops["update"], session, [ops["x"]])]
    stepper = tf.step(ops["update"], feed, session)
    ran = []
    while not stepper.over:
        current = stepper.current
        assert order[current.number - 1] == current.op
        done = stepper.next()
        assert done.op == current.op
        ran.append(done.op)
    assert ran == [op for op in order if op in set(ran)]  # the same order; constants need no step
    assert stepper.result.tolist() == [2.0, 3.0]
    assert session.run(ops["v"]).tolist() == [2.0, 3.0]
    assert [row.op for row in stepper.steps] == ran


def test_what_is_next_and_why(net: Any) -> None:
    session, ops = net
    with tf.step(ops["update"], {ops["x"]: [2.0, 3.0]}, session) as stepper:
        assert stepper.current.op == "v/read"
        assert stepper.current.why == "nothing has run yet"
        current = stepper.to(ops["update"])
        assert (current.op, current.type, current.device) == ("update", "AssignAdd", "/device:CPU:0")
        assert current.data_inputs == ("v:0", "update/value:0")
        assert "z" in {row.op for row in stepper.steps}
        assert current.where.file == __file__
    assert session.run(ops["v"]).tolist() == [1.0, 2.0]


def test_values_so_far(net: Any) -> None:
    session, ops = net
    stepper = tf.step([ops["z"], ops["update"]], {ops["x"]: [2.0, 3.0]}, session)
    stepper.to("z")
    values = stepper.values
    assert values["l1/y"].tolist() == [2.0, 6.0]
    assert values[ops["y"]].tolist() == [2.0, 6.0]
    assert values["x:0"].tolist() == [2.0, 3.0]
    assert values["sub/y"] == 1.0
    assert list(values) == ["x:0", "v/read:0", "l1/y:0", "sub:0"]
    with pytest.raises(KeyError, match="z:0 has no value yet: it is step"):
        values["z"]
    with pytest.raises(KeyError, match="does not run"):
        values["other"]
    values["l1/y"][:] = 0  # a copy
    np.testing.assert_allclose(stepper.finish()[0], np.log([1.0, 5.0]))
    # `v/read` is the variable's memory: it shows what is in it now.
    assert values["v/read"].tolist() == [2.0, 3.0]


def test_breakpoints(net: Any) -> None:
    session, ops = net
    stepper = tf.step(ops["update"], {ops["x"]: [2.0, 3.0]}, session, breakpoints=["l1/", ops["z"]])
    assert stepper.finish() is None
    assert (stepper.current.op, stepper.current.why) == ("l1/y", "breakpoint at scope l1/")
    assert stepper.next(5).op == "sub"  # the next breakpoint comes first
    assert stepper.current.why == "breakpoint at z"
    stepper.breakpoints.clear()
    assert stepper.finish().tolist() == [2.0, 3.0]
    with pytest.raises(KeyError, match="did you mean update"):
        tf.step(ops["update"], {ops["x"]: [2.0, 3.0]}, session, breakpoints=["updat"])
    with pytest.raises(KeyError, match="there is no breakpoint 'z'; there are none"):
        stepper.breakpoints.remove("z")


def test_the_first_nan_names_its_origin(net: Any) -> None:
    session, ops = net
    stepper = tf.step(ops["update"], {ops["x"]: [0.5, 3.0]}, session, breakpoints=["nan"])
    assert stepper.finish() is None
    assert stepper.current.op == "update"
    line, took = stepper.current.why.splitlines()
    assert line.startswith("z (Log, made in ")
    assert "test_stepper.py:" in line
    assert line.endswith(" gave 1 NaN of 2")
    assert took == "  took sub:0: float32 [-0.5, 5]"
    assert session.run(ops["v"]).tolist() == [1.0, 2.0]
    assert stepper.finish().tolist() == [2.0, 3.0]


def test_a_nan_of_the_last_step_is_seen_too(net: Any) -> None:
    session, ops = net
    stepper = tf.step(ops["z"], {ops["x"]: [1.0, 3.0]}, session, breakpoints=["nan"])
    assert stepper.finish() is None
    assert not stepper.over
    assert "z (Log" in str(stepper).splitlines()[0]
    assert stepper.finish()[0] == -np.inf
    assert stepper.done


def test_branches_and_loops(net: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [], name="x")
        c = tf.cond(x > 0.0, lambda: tf.negative(x, name="yes"), lambda: tf.square(x, name="no"), name="c")
        i, total = tf.while_loop(
            lambda i, t: i < 3, lambda i, t: (i + 1, tf.add(t, c, name="more")), [0, 0.0], name="w"
        )
        stepper = tf.step(total, {x: 2.0}, session, breakpoints=["w/more"])
        seen = []
        while stepper.finish() is None:
            assert stepper.current.op == "w/more"
            seen.append((stepper.current.iterations, float(stepper.values["w/Identity_1"])))
        assert seen == [((0,), 0.0), ((1,), -2.0), ((2,), -4.0)]
        assert stepper.result == -6.0
        rows = {row.op: row for row in stepper.steps}
        assert rows["c/yes"].outputs == ("-2.0",)
        assert not rows["c/no"].taken
        with pytest.raises(KeyError, match="in a branch that was not taken"):
            stepper.values["c/no"]
        assert "(branch not taken)" in str(stepper.steps)


def test_stopping_leaves_variables_whole() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.get_variable(f"v{n}", [100], initializer=tf.zeros_initializer()) for n in range(4)]
        ops = []
        for v in variables:
            with tf.control_dependencies(ops[-1:]):
                ops.append(tf.assign_add(v, tf.ones([100])).op)
        session.run(tf.global_variables_initializer())
        for steps in range(9):
            stepper = tf.step(ops[-1], session=session)
            if steps:
                stepper.next(steps)
            stepper.stop()
            assert stepper.state == ("stopped" if steps < 4 else "done")
        for value in session.run(variables):
            assert len(set(value.tolist())) == 1
        assert [value[0] for value in session.run(variables)] == [8.0, 7.0, 6.0, 5.0]


def test_errors_are_those_of_a_run(net: Any) -> None:
    session, ops = net
    with pytest.raises(tf.errors.InvalidArgumentError, match="placeholder"):
        tf.step(ops["z"], session=session).finish()
    with pytest.raises(TypeError, match="invalid type"):
        tf.step(3.0, {ops["x"]: [1, 2]}, session)
    with tf.Graph().as_default(), tf.Session() as other:
        v = tf.get_variable("unset", [2])
        stepper = tf.step(v + 1.0, session=other)
        for _ in range(2):
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value unset"):
                stepper.finish()
        assert stepper.state == "failed"
    with pytest.raises(ValueError, match="no session runs this graph"), tf.Graph().as_default():
        tf.step(tf.constant(1.0))


def test_what_cannot_be_gone_to(net: Any) -> None:
    session, ops = net
    stepper = tf.step(ops["z"], {ops["x"]: [2.0, 3.0]}, session)
    with pytest.raises(ValueError, match="other does not run"):
        stepper.to("other")
    with pytest.raises(ValueError, match=r"sub/y \(Const\) needs no step"):
        stepper.to("sub/y")
    stepper.to("z")
    with pytest.raises(ValueError, match="l1/y has run already"):
        stepper.to("l1/y")
    with pytest.raises(RuntimeError, match="not at its end"):
        stepper.result
    stepper.stop()
    with pytest.raises(RuntimeError, match=r"was stopped \(as asked\): .*%step FETCH"):
        stepper.next()


def test_what_ends_a_run(net: Any) -> None:
    session, ops = net
    graph = session.graph
    feed = {ops["x"]: [2.0, 3.0]}
    dropped = tf.step(ops["z"], feed, session)
    run = dropped.run
    del dropped
    gc.collect()
    run.join()
    assert run.state == "stopped"
    mark = graph.mark()
    with graph.as_default():
        added = ops["z"] + 1.0
        tf.constant(0.0)
    stepper = tf.step(added, feed, session)
    kept = tf.step(ops["z"], feed, session)
    graph.roll_back(mark)
    graph.notify()
    stepper.run.join()
    assert "the graph was changed" in str(stepper)
    assert kept.next().op == "v/read"
    session.close()
    kept.run.join()
    assert kept.run.why == "the session was closed"
    assert kept.values["x"].tolist() == [2.0, 3.0]


def test_a_step_that_waits_for_a_queue_can_be_stopped() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
        element = queue.dequeue()
        stepper = tf.step(element, session=session)
        threading.Timer(0.1, stepper.run.end, ["enough"]).start()
        stepper.next()
        assert stepper.state == "stopped"
        # A run in which taking out comes before putting in does not wait for itself.
        both = tf.step([element, queue.enqueue(3.0)], session=session)
        assert both.finish()[0] == 3.0


def test_an_interrupt_ends_it(net: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    session, ops = net
    stepper = tf.step(ops["z"], {ops["x"]: [2.0, 3.0]}, session)

    def interrupted(_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(stepper.run, "_wait_until", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stepper.next()
    monkeypatch.undo()
    stepper.run.join()
    assert stepper.run.why == "interrupted"


def test_text_is_the_same_from_run_to_run(net: Any) -> None:
    session, ops = net
    stepper = tf.step(ops["z"], {ops["x"]: [2.0, 3.0]}, session, breakpoints=["nan"])
    stepper.next(2)
    assert str(stepper).splitlines() == [
        "next: step 5 of 6, sub (Sub on /device:CPU:0)",
        "  takes l1/y:0, sub/y:0",
        "  why here: one step was run",
        "step  op      type      value",
        "2     v/read  Identity  float32 [1, 2]",
        "3     l1/y    Mul       float32 [2, 6]",
        "breakpoints: nan",
    ]
    stepper.finish()
    assert str(stepper).splitlines()[0] == "done: 4 steps (variables, constants and what is fed take none)"


def test_transfers_are_steps_of_their_own() -> None:
    with tf.simulate_devices(cpu=2), tf.Graph().as_default():
        with tf.device("/cpu:1"):
            a = tf.negative(tf.placeholder_with_default([1.0, 2.0], [2]), name="a")
        with tf.device("/cpu:0"):
            b = tf.square(a, name="b")
        with tf.Session() as session:
            stepper = tf.step(b, session=session)
            stepper.to("b")
            kinds = [(row.op, row.type, row.device) for row in stepper.steps]
            assert ("a", "copy to /device:CPU:0", "/device:CPU:0") in kinds
            assert stepper.finish().tolist() == [1.0, 4.0]


def test_stopped_is_an_interrupt() -> None:
    assert issubclass(Stopped, KeyboardInterrupt)
