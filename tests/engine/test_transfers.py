"""Runs on several simulated devices: values, separate memory, what is copied when, and simulated time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.observed import observed
from tfbench.engine.parallel import Chooser


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default(), tf.simulate_devices(cpu=2, gpu=2):
        yield


class Memory:
    """An observer that keeps every array it sees, by device, and notes which two devices share one."""

    def __init__(self, session: Any) -> None:
        self.index_of = session.plans.placer.place(session.graph).index_of
        self.arrays: dict[int, list[Any]] = {}
        self.shared: list[tuple[str, int, int]] = []
        self.sent: list[str] = []

    def __call__(self, step: Any, inputs: Any, results: Any, iterations: Any) -> None:
        transfer = getattr(step, "transfer", None)
        if transfer is not None and results is not None:
            self.sent.append(transfer.name)
        device = self.index_of(step.op) if transfer is None else transfer.destination
        for value in results or ():
            array = getattr(value, "array", value)
            if isinstance(array, np.ndarray):
                for other, seen in self.arrays.items():
                    if other != device and any(np.shares_memory(array, one) for one in seen):
                        self.shared.append((step.op.name, device, other))
                self.arrays.setdefault(device, []).append(array)


def three_ways(session: Any, fetches: Any, feeds: Any = None) -> list[Any]:
    """What a first run, a compiled run and an observed run give."""
    runs = [session.run(fetches, feeds), session.run(fetches, feeds)]
    memory = Memory(session)
    with observed(session, memory):
        runs.append(session.run(fetches, feeds))
    assert memory.shared == []
    return runs


def same(runs: list[Any]) -> Any:
    for other in runs[1:]:
        np.testing.assert_equal(other, runs[0])
    return runs[0]


def test_values_arrive_and_are_copies() -> None:
    with tf.device("/gpu:0"):
        a = tf.range(6.0) * 2.0
        view = tf.reshape(a, [2, 3])
    with tf.device("/gpu:1"):
        b = tf.identity(a)
        c = tf.reshape(tf.identity(view), [3, 2])
    with tf.device("/cpu:1"):
        d = tf.identity(b) + 1.0
    with tf.Session() as session:
        values = same(three_ways(session, [a, b, c, d]))
        assert values[3].tolist() == [1, 3, 5, 7, 9, 11]
        memory = Memory(session)
        with observed(session, memory):
            session.run([b, c, d])
        assert memory.sent == ["mul:0", "Reshape:0", "Identity:0"]


def test_a_fed_array_is_not_the_devices_array() -> None:
    with tf.device("/gpu:1"):
        x = tf.placeholder(tf.float32, [3])
        y = tf.identity(x)
    fed = np.ones(3, np.float32)
    with tf.Session() as session:
        seen: list[Any] = []
        with observed(session, lambda step, inputs, results, iterations: seen.extend(inputs)):
            for _ in range(3):
                session.run(y, {x: fed})
        assert len(seen) == 3
        assert not any(np.shares_memory(array, fed) for array in seen)
        assert session.run(x, {x: fed}) is fed


def test_an_alias_shows_what_is_written_later_on_its_own_device_only() -> None:
    """Seed 000: on one device `identity` is the buffer; what crosses is a copy, made when the value is read."""
    with tf.device("/gpu:0"):
        v = tf.Variable([1.0], name="v")
        here = tf.identity(v)
    with tf.device("/gpu:1"):
        there = tf.identity(here)
    with tf.device("/gpu:0"), tf.control_dependencies([here]):
        added = tf.assign_add(v, [1.0])
    with tf.Session() as session:
        for _ in range(2):
            session.run(v.initializer)
            assert [value.tolist() for value in session.run([here, there, added])] == [[2.0], [1.0], [2.0]]


def test_identity_on_another_device_reads_when_it_runs() -> None:
    """The seed's program prints 1 to 5, wherever the identity is."""
    with tf.device("/gpu:0"):
        x = tf.Variable(0.0)
        x_plus_1 = tf.assign_add(x, 1)
    with tf.device("/gpu:1"), tf.control_dependencies([x_plus_1]):
        y = tf.identity(x)
    with tf.Session() as session:
        session.run(x.initializer)
        assert [session.run(y) for _ in range(5)] == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_variable_read_elsewhere_is_copied_once_a_run() -> None:
    with tf.device("/gpu:0"):
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer(), caching_device="/gpu:1")
    with tf.device("/gpu:1"):
        total = v * 1.0 + v * 2.0 + w * 3.0 + w * 4.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert same(three_ways(session, total)).tolist() == [10.0, 10.0]
        memory = Memory(session)
        with observed(session, memory):
            session.run(total)
        assert sorted(memory.sent) == ["v/read:0", "w:0"]


def test_an_uninitialized_variable_is_said_of_the_variable() -> None:
    with tf.device("/gpu:0"):
        v = tf.Variable([1.0], name="v")
    with tf.device("/gpu:1"):
        y = tf.identity(v)
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
        session.run(y)


@pytest.mark.parametrize("flag", [True, False])
def test_branches_across_devices(flag: bool) -> None:
    with tf.device("/cpu:0"):
        p = tf.placeholder(tf.bool, [])
        x = tf.constant([1.0, 2.0])

    def on(device: str, function: Any) -> Any:
        def branch() -> Any:
            with tf.device(device):
                return function(x)

        return branch

    y = tf.cond(p, on("/gpu:0", tf.negative), on("/gpu:1", tf.exp))
    with tf.device("/gpu:1"):
        z = tf.identity(y) + 1.0
    with tf.Session() as session:
        expected = -np.array([1.0, 2.0]) if flag else np.exp([1.0, 2.0])
        np.testing.assert_allclose(same(three_ways(session, z, {p: flag})), expected + 1, rtol=1e-6)
        memory = Memory(session)
        with observed(session, memory):
            session.run(z, {p: flag})
        # What the branch that is not taken would need, or give, is not sent.
        assert ("cond/Neg/Switch:1" in memory.sent, "cond/Exp:0" in memory.sent) == (flag, not flag)


def test_loops_across_devices() -> None:
    with tf.device("/gpu:0"):
        step = tf.Variable([1.0, 10.0], name="step")

    def body(i: Any, x: Any) -> Any:
        with tf.device("/gpu:0"):
            y = x + step
        with tf.device("/gpu:1"):
            return i + 1, tf.identity(y) * 2.0

    with tf.device("/gpu:1"):
        _, result = tf.while_loop(lambda i, x: i < 12, body, [tf.constant(0), tf.zeros([2])])
    with tf.Session() as session:
        session.run(step.initializer)
        expected = np.zeros(2)
        for _ in range(12):
            expected = (expected + np.array([1.0, 10.0])) * 2
        assert same(three_ways(session, result)).tolist() == expected.tolist()
        memory = Memory(session)
        with observed(session, memory):
            session.run(result)
        assert memory.sent.count("while/add:0") == 12


def test_strings_numbers_and_unknown_shapes_cross() -> None:
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32)
        n = tf.reduce_sum(x)
    with tf.device("/gpu:1"):
        m = n + 1.0
    with tf.device("/cpu:0"):
        words = tf.as_string(tf.identity(x))
    with tf.device("/cpu:1"):
        joined = tf.string_join([words, "!"])
    with tf.Session() as session:
        for value in (np.ones(3, np.float32), np.float32(2)):
            number, text = session.run([m, joined], {x: value})
            assert number == np.sum(value) + 1
            assert np.shape(text) == np.shape(value)
        assert session.run(joined, {x: [1.0]}).tolist() == [b"1.000000!"]


def test_partial_runs_cross_too() -> None:
    with tf.device("/gpu:0"):
        a, b = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])
        c = a * 2.0
    with tf.device("/gpu:1"):
        d = c + b
    with tf.Session() as session:
        handle = session.partial_run_setup([c, d], [a, b])
        assert session.partial_run(handle, c, {a: [1.0, 2.0]}).tolist() == [2.0, 4.0]
        assert session.partial_run(handle, d, {b: [1.0, 1.0]}).tolist() == [3.0, 5.0]


def test_gradients_of_towers() -> None:
    """The multi-tower step of the seeds: towers on two GPUs, variables and the average on the CPU."""
    with tf.device("/cpu:0"):
        weights = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
    gradients = []
    for i in range(2):
        with tf.device(f"/gpu:{i}"), tf.name_scope(f"tower_{i}"):
            data = tf.constant(np.full([4, 3], i + 1, np.float32))
            loss = tf.reduce_mean(tf.square(tf.matmul(data, weights)))
            gradients.append(tf.gradients(loss, weights)[0])
    with tf.device("/cpu:0"):
        average = tf.add_n(gradients) / 2.0
        step = tf.assign_sub(weights, 0.01 * average)
    with tf.Session() as session:
        session.run(weights.initializer)
        for _ in range(4):
            session.run(step)
        found = session.run(weights)
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 1, "GPU": 0}, allow_soft_placement=True)) as session:
        session.run(weights.initializer)
        for _ in range(4):
            session.run(step)
        assert session.run(weights).tolist() == found.tolist()
    answer = tf.explain.placement(step)
    assert [row.tensor for row in answer.transfers if row.source == "/device:CPU:0"][:2] == ["w/read:0", "w/read:0"]


def test_simulated_connections_take_their_time() -> None:
    with tf.device("/gpu:0"):
        a = tf.ones([1000], name="a")
    with tf.device("/gpu:1"):
        b = tf.identity(a)
    with tf.simulate_devices(gpu=2, latency=0.02, bandwidth=200_000.0), tf.Session() as session:
        for _ in range(3):
            began = time.perf_counter()
            session.run(b)
            # 20 ms, and 4,000 bytes at 200 kB/s.
            assert time.perf_counter() - began >= 0.04


def test_run_metadata_tells_devices_and_partitions() -> None:
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [2], name="x")
        a = tf.add(x, [1.0, 2.0], name="a")
    with tf.device("/gpu:1"):
        b = tf.negative(a, name="b")
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        assert session.run(b, {x: [0.0, 0.0]}, options=options, run_metadata=metadata).tolist() == [-1.0, -2.0]
        prefix = "/job:localhost/replica:0/task:0"
        nodes = {stats.device: [node.node_name for node in stats.node_stats] for stats in metadata.step_stats.dev_stats}
        assert nodes == {
            f"{prefix}/device:GPU:0": ["a/y", "a", "a/_0"],
            f"{prefix}/device:GPU:1": ["a/_1", "b"],
        }
        (node,) = [n for stats in metadata.step_stats.dev_stats for n in stats.node_stats if n.node_name == "b"]
        assert node.timeline_label == "b = Neg(a)"
        assert node.output[0].tensor_description.allocation_description.requested_bytes == 8
        assert [dim.size for dim in node.output[0].tensor_description.shape.dim] == [2]
        graphs = [[(n.name, n.op, list(n.input)) for n in graph.node] for graph in metadata.partition_graphs]
        assert graphs == [
            [("a/y", "Const", []), ("a", "AddV2", ["x", "a/y"]), ("a/_0", "_Send", ["a"])],
            [("a/_1", "_Recv", []), ("b", "Neg", ["a/_1"])],
        ]
        send = metadata.partition_graphs[0].node[2]
        assert send.attr["recv_device"].s.decode() == f"{prefix}/device:GPU:1"
        # Without a level, or without options, nothing is noted.
        session.run(b, {x: [0.0, 0.0]}, options=tf.RunOptions(), run_metadata=metadata)
        assert not metadata.ListFields()
        call = session.make_callable(b, [x], accept_options=True)
        call([0.0, 0.0], options=options, run_metadata=metadata)
        assert len(metadata.step_stats.dev_stats) == 2


@pytest.mark.parametrize("threads", [False, True])
def test_an_error_says_on_which_device_it_was(threads: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chooser, "in_threads", lambda self: threads)
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.exp(x)
    with tf.device("/gpu:1"):
        z = tf.reshape(y, [2], name="z")
    with tf.Session() as session:
        for _ in range(4):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(z, {x: [1.0]})
            assert caught.value.op is z.op
            assert caught.value.device == "/job:localhost/replica:0/task:0/device:GPU:1"
            session.run(z, {x: [1.0, 2.0]})
