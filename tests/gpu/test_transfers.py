"""Two GPUs: what crosses, how it is counted, and what traces say."""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any

import numpy as np

import tfbench as tf
from tests.gpu import strict_cuda, strict_cupy
from tests.observed import observed


def rows(answer: Any) -> list[tuple[str, str, str, int]]:
    return [(row.tensor, row.source[-5:], row.destination[-5:], row.bytes) for row in answer.transfers]


def two_towers() -> Any:
    with tf.device("/gpu:0"):
        a = tf.ones([4, 8], name="a") * 2.0
    with tf.device("/gpu:1"):
        b = tf.reduce_sum(a * 3.0, name="b")
        c = tf.reduce_sum(a - 1.0, name="c")
    return a, b, c


def test_a_value_crosses_once_and_directly(two_gpus: ModuleType) -> None:
    _, b, c = two_towers()
    with tf.Session() as session:
        for _ in range(3):
            strict_cupy.waits.clear()
            assert session.run([b, c]) == [192.0, 32.0]
            # Only what is fetched goes through the host.
            assert strict_cupy.waits == {"get": 2}
        traced = tf.trace([b, c], session=session)
    assert rows(traced) == [
        ("mul:0", "GPU:0", "GPU:1", 128),
        ("b:0", "GPU:1", "CPU:0", 4),
        ("c:0", "GPU:1", "CPU:0", 4),
    ]


def test_the_same_crosses_between_simulated_gpus(two_gpus: ModuleType) -> None:
    _, b, c = two_towers()
    with tf.simulate_devices(gpu=2), tf.Session() as session:
        simulated = [row[:3] for row in rows(tf.trace([b, c], session=session))]
    with tf.Session() as session:
        real = [row[:3] for row in rows(tf.trace([b, c], session=session))]
        planned = [row[:3] for row in rows(tf.explain.placement([b, c], session=session))]
    assert simulated == planned == [row for row in real if row[2] != "CPU:0"]


def test_arrays_are_where_their_op_is(two_gpus: ModuleType) -> None:
    a, b, _ = two_towers()
    with tf.Session() as session:
        seen: dict[str, int] = {}

        def look(step: Any, inputs: Any, results: Any, iterations: Any) -> None:
            for tensor, value in zip(step.op.outputs, results or ()):
                if isinstance(value, strict_cupy.ndarray) and getattr(step, "transfer", None) is None:
                    seen[tensor.name] = value.device.id

        with observed(session, look):
            session.run([a, b])
    assert seen == {"mul:0": 0, "mul_1:0": 1, "b:0": 1}


def test_a_variable_is_copied_to_the_other_gpu_when_it_is_needed(two_gpus: ModuleType) -> None:
    with tf.device("/gpu:0"):
        v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
        add = tf.assign_add(v, [1.0, 1.0])
    with tf.device("/gpu:1"), tf.control_dependencies([add]):
        y = v * 10.0
    with tf.Session() as session:
        session.run(v.initializer)
        assert [session.run(y).tolist() for _ in range(3)] == [[20.0, 30.0], [30.0, 40.0], [40.0, 50.0]]
        (buffer,) = session.resources.variables().values()
        assert buffer.array.device.id == 0


def test_shapes_cross_in_the_hosts_memory(two_gpus: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    with tf.device("/gpu:0"):
        shape = tf.shape(x * 1.0)
    with tf.device("/gpu:1"):
        y = tf.zeros(shape) + 1.0
    with tf.Session() as session:
        for _ in range(3):
            strict_cupy.waits.clear()
            assert session.run(y, {x: np.ones((3, 2))}).shape == (3, 2)
            assert strict_cupy.waits == {"get": 1}


def test_a_loop_over_two_gpus(two_gpus: ModuleType) -> None:
    def body(i: Any, value: Any) -> Any:
        with tf.device("/gpu:1"):
            value = value * 2.0
        with tf.device("/gpu:0"):
            return i + 1, value + 1.0

    with tf.device("/gpu:0"):
        _, result = tf.while_loop(lambda i, value: i < 12, body, [0, tf.ones([2])])
    with tf.Session() as session:
        for _ in range(3):
            assert session.run(result).tolist() == [8191.0, 8191.0]


def test_sessions_in_threads_use_the_gpus_they_ask_for(two_gpus: ModuleType) -> None:
    _, b, c = two_towers()
    found: list[Any] = []
    with tf.Session() as session:
        threads = [threading.Thread(target=lambda: found.append(session.run([b, c]))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [[192.0, 32.0]] * 4
    assert strict_cuda.current() == 0


def test_a_trace_waits_for_the_gpu_after_each_step(two_gpus: ModuleType, monkeypatch: Any) -> None:
    waited: list[int] = []
    monkeypatch.setattr(strict_cuda.Device, "synchronize", lambda self: waited.append(self.id))
    _, b, _ = two_towers()
    with tf.Session() as session:
        session.run(b)
        assert not waited
        options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
        session.run(b, options=options, run_metadata=metadata)
    assert set(waited) == {0, 1}
    devices = {stats.device for stats in metadata.step_stats.dev_stats}
    assert {name[-5:] for name in devices} >= {"GPU:0", "GPU:1"}


def test_partitions_of_a_run(two_gpus: ModuleType) -> None:
    _, b, _ = two_towers()
    options, metadata = tf.RunOptions(output_partition_graphs=True), tf.RunMetadata()
    with tf.Session() as session:
        session.run(b, options=options, run_metadata=metadata)
    sent = [node.op for graph in metadata.partition_graphs for node in graph.node if node.op in ("_Send", "_Recv")]
    assert sorted(sent) == ["_Recv", "_Send"]


def test_a_copied_view_of_a_variable_stays_on_its_gpu(two_gpus: ModuleType) -> None:
    with tf.device("/gpu:1"):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=False)
        turned = tf.transpose(v)
        with tf.control_dependencies([turned]):
            add = tf.assign_add(v, [[1.0, 1.0], [1.0, 1.0]])
        with tf.control_dependencies([add]):
            after = turned * 1.0
    with tf.Session() as session:
        session.run(v.initializer)
        for number in range(3):
            assert session.run(after).tolist() == [[1.0 + number, 3.0 + number], [2.0 + number, 4.0 + number]]
        assert strict_cuda.used(0) == 0


def test_numbers_are_computed_on_their_gpu(two_gpus: ModuleType) -> None:
    with tf.device("/gpu:1"):
        x = tf.reduce_sum(tf.ones([3]))
        y = (x * 2.0 + 1.0) / x
    with tf.Session() as session:
        assert [session.run(y) for _ in range(3)] == [np.float32(7.0 / 3.0)] * 3
        assert strict_cuda.used(0) == 0
