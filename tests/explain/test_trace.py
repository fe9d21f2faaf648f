"""`tfbench.trace`: values, steps, transfers, and the file for a trace viewer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.observed import observed
from tfbench.python.client.timeline import Timeline


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default(), tf.simulate_devices(gpu=2):
        yield


def model() -> tuple[Any, Any]:
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [4, 2], name="x")
        a = tf.matmul(x, tf.ones([2, 3]), name="a")
    with tf.device("/gpu:1"):
        return x, tf.reduce_sum(a, name="b")


def test_values_steps_and_transfers() -> None:
    x, b = model()
    with tf.Session() as session:
        for _ in range(3):
            traced = tf.trace(b, {x: np.ones([4, 2])}, session=session)
            assert traced.values == 24.0
            assert {row.op for row in traced.steps} == {"ones", "a", "Const", "b"}
            row = traced.steps["a"]
            assert (row.type, row.device, row.bytes, row.simulated) == ("MatMul", "/device:GPU:0", 48, True)
            assert traced.steps["ones"].duration_us == 0.0
            assert row.duration_us > 0
            assert row.start_us + row.duration_us <= traced.steps["b"].start_us
            assert [tuple(row)[:4] for row in traced.transfers] == [("a:0", "/device:GPU:0", "/device:GPU:1", 48)]
            assert row.start_us + row.duration_us <= traced.transfers[0].start_us
            session.run(b, {x: np.ones([4, 2])})


def test_it_says_what_placement_says() -> None:
    x, b = model()
    with tf.device("/cpu:0"), tf.control_dependencies([b]):
        c = tf.identity(x, name="c")
    with tf.Session():
        traced = tf.trace([c, b], {x: np.ones([4, 2])})
        planned = tf.explain.placement([c, b], feeds=[x])
        assert [tuple(row)[:3] for row in traced.transfers] == [tuple(row)[:3] for row in planned.transfers]
        assert [row.bytes for row in traced.transfers] == [row.bytes for row in planned.transfers]
        assert {row.op: row.device for row in traced.steps} == {row.op: row.assigned for row in planned.ops}


def test_sizes_that_only_a_run_knows() -> None:
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [None], name="x")
    with tf.device("/gpu:1"):
        y = tf.identity(x)
    assert tf.explain.placement(y, feeds=[x]).transfers[0].bytes is None
    with tf.Session():
        assert tf.trace(y, {x: np.ones(10)}).transfers[0].bytes == 40


def test_each_iteration_is_a_step_and_branches_that_are_not_taken_are_none() -> None:
    x = tf.while_loop(lambda i: i < 3.0, lambda i: tf.add(i, 1.0, name="more"), [0.0], name="loop")
    y = tf.cond(x > 1.0, lambda: tf.negative(x, name="yes"), lambda: tf.exp(x, name="no"))
    with tf.Session():
        steps = [row.op for row in tf.trace(y).steps]
    assert steps.count("loop/more") == 3
    assert ("cond/yes" in steps, "cond/no" in steps) == (True, False)


def test_forms(tmp_path: Path) -> None:
    x, b = model()
    with tf.Session():
        traced = tf.trace(b, {x: np.ones([4, 2])})
    text = str(traced)
    assert text.splitlines()[0].split() == ["op", "type", "device", "start", "µs", "took", "µs", "bytes"]
    assert "/device:GPU:1 (simulated)" in text
    assert text.endswith("1 transfer, 48 bytes (simulated devices)")
    assert "<table>" in traced._repr_html_()
    assert {row["op"] for row in json.loads(json.dumps(traced.to_dict()))["steps"]} == {"ones", "a", "Const", "b"}
    with pytest.raises(AttributeError, match="frozen"):
        traced.values = 3
    traced.to_chrome(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    assert names[2] == "/job:localhost/replica:0/task:0/device:GPU:1 (simulated)"
    (matmul,) = [event for event in events if event["ph"] == "X" and event["name"] == "MatMul"]
    assert (matmul["pid"], matmul["args"]["name"], matmul["args"]["input0"]) == (1, "a", "x:0")
    arrow = [(event["ph"], event["pid"]) for event in events if event.get("cat") == "DataFlow"]
    assert arrow == [("s", 1), ("t", 2)]


def test_timeline_reads_step_stats() -> None:
    x, b = model()
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(b, {x: np.ones([4, 2])}, options=options, run_metadata=metadata)
    events = json.loads(Timeline(metadata.step_stats).generate_chrome_trace_format())["traceEvents"]
    assert {event["args"]["name"] for event in events if event["ph"] == "M"} == {
        "/job:localhost/replica:0/task:0/device:GPU:0 Compute",
        "/job:localhost/replica:0/task:0/device:GPU:1 Compute",
    }
    ops = {event["args"]["name"]: event["args"] for event in events if event["ph"] == "X"}
    assert ops["a"]["op"] == "MatMul"
    assert ops["a"]["input1"] == "ones"
    assert any(event["ph"] == "s" and event["name"] == "ones" for event in events)
    plain = json.loads(Timeline(metadata.step_stats).generate_chrome_trace_format(show_dataflow=False))["traceEvents"]
    assert {event["ph"] for event in plain} == {"M", "X"}


def test_other_observers_go_on_watching() -> None:
    x, b = model()
    seen: list[str] = []
    with tf.Session() as session:
        with observed(session, lambda step, *_: seen.append(step.op.name)):
            assert tf.trace(b, {x: np.ones([4, 2])}).values == 24.0
    assert seen == ["a", "a", "b"]


def test_tensorflows_trace_of_a_matrix() -> None:
    m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    traces = [
        tf.trace(m),
        tf.trace(m, "named"),
        tf.trace(x=m),
        tf.trace([[1.0, 2.0], [3.0, 4.0]]),
        tf.trace(m, name="n"),
    ]
    assert [t.op.name for t in traces] == ["Trace", "named", "Trace_1", "Trace_2", "n"]
    with tf.Session() as session:
        assert session.run(traces) == [5.0] * 5
        assert tf.trace(m).values.tolist() == [[1.0, 2.0], [3.0, 4.0]]
        assert session.run(tf.trace(m, name="diagonal")) == 5.0


def test_what_cannot_be_traced() -> None:
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="no session runs this graph"):
        tf.trace(x)
    with tf.Session(), pytest.raises(TypeError):
        tf.trace({"a": 3}, {})
