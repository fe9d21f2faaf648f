"""Plans as CUDA graphs: what is replayed, what is not recorded, and that a failure changes nothing."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.gpu import strict_cudnn, strict_cupy, strict_graphs
from tests.observed import observed
from tfbench.engine import captures
from tfbench.engine.kernels import cudnn_graphs


@pytest.fixture
def graphs(one_gpu: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TFBENCH_CUDA_GRAPHS", "1")
    strict_graphs.install(monkeypatch)
    return strict_graphs


def feed(number: int) -> Any:
    return np.arange(6, dtype=np.float32).reshape(2, 3) + number


def test_a_graph_is_replayed_with_what_is_fed(graphs: Any) -> None:
    x, y = (tf.placeholder(tf.float32, [2, 3], name=name) for name in "xy")
    total = tf.reduce_sum(tf.square(x) - y, axis=1)
    both = [total, tf.reshape(tf.nn.relu(x), [3, 2])]
    with tf.Session() as session:
        results = []
        for number in range(5):
            one, other = session.run(both, {x: feed(number), y: feed(3)})
            np.testing.assert_array_equal(one, (feed(number) ** 2 - feed(3)).sum(1))
            np.testing.assert_array_equal(other, feed(number).reshape(3, 2))
            results.append(one)
        assert len({id(one) for one in results}) == 5
        assert results[2].tolist() != results[4].tolist(), "an earlier result is not written over"
        assert len(graphs.begun) == 1
        assert len(graphs.launched) == 3, "the first runs compile what there is to compile"


def test_scalars(graphs: Any) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    doubled = x * 2.0
    with tf.Session() as session:
        values = [session.run(doubled, {x: number}) for number in range(5)]
        assert values == [0.0, 2.0, 4.0, 6.0, 8.0]
        assert {type(value) for value in values} == {np.float32}
        assert len(graphs.launched) == 3


@pytest.mark.parametrize("name", ["sgd", "momentum", "adam"])
def test_variables_are_trained_as_without_one(name: str, graphs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    w = tf.Variable(np.ones((2, 3), np.float32), name="w")
    loss = tf.reduce_sum(tf.square(w * x - 1.0))
    optimizer = {
        "sgd": tf.train.GradientDescentOptimizer(0.01),
        "momentum": tf.train.MomentumOptimizer(0.01, 0.9),
        "adam": tf.train.AdamOptimizer(0.01),
    }[name]
    train = optimizer.minimize(loss)

    def course() -> tuple[list[Any], Any, list[int]]:
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            losses = [session.run([loss, train], {x: feed(number)})[0] for number in range(6)]
            updates = sorted(buffer.updates for buffer in session.resources.variables().values())
            return losses, session.run(w), updates

    found = course()
    assert len(graphs.launched) >= 4
    count = len(graphs.launched)
    monkeypatch.delenv("TFBENCH_CUDA_GRAPHS")
    wanted = course()
    assert len(graphs.launched) == count, "only where it is asked for"
    np.testing.assert_array_equal(found[0], wanted[0])
    np.testing.assert_array_equal(found[1], wanted[1])
    assert found[2] == wanted[2]


def test_what_cudnn_computes(graphs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    strict_cudnn.install(monkeypatch)
    monkeypatch.setattr(cudnn_graphs, "library", cudnn_graphs._Library())
    monkeypatch.setattr(cudnn_graphs, "_plans", {})
    x = tf.placeholder(tf.float32, [2, 4, 4, 3], name="x")
    filters, ones = tf.constant(np.ones((3, 3, 3, 5), np.float32)), tf.ones([5])
    y = tf.nn.fused_batch_norm(tf.nn.conv2d(x, filters, strides=1, padding="SAME"), ones, ones)[0]
    rng = np.random.default_rng(1)
    with tf.Session() as session, tf.Session(config=tf.ConfigProto(device_count={"GPU": 0})) as host:
        for _ in range(5):
            images = rng.standard_normal((2, 4, 4, 3)).astype(np.float32)
            np.testing.assert_allclose(session.run(y, {x: images}), host.run(y, {x: images}), rtol=1e-4, atol=1e-4)
    assert strict_cudnn.pygraph.built == 2
    assert len(graphs.launched) == 3


def test_runs_in_several_threads(graphs: Any) -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    y = tf.square(x) + 1.0
    with tf.Session() as session, ThreadPoolExecutor(4) as threads:
        for number in range(3):
            session.run(y, {x: feed(number)})
        results = threads.map(lambda number: session.run(y, {x: feed(number)}), range(40))
        for number, result in enumerate(results):
            np.testing.assert_array_equal(result, feed(number) ** 2 + 1)


def test_a_variable_is_fetched_as_it_was_then(graphs: Any) -> None:
    """Its memory is written to later in the same run."""
    v = tf.Variable(np.zeros(2, np.float32), name="v")
    before = tf.identity(v.read_value() * 1.0, name="before")
    with tf.control_dependencies([before]):
        add = tf.assign_add(v, [1.0, 2.0])
    with tf.Session() as session:
        session.run(v.initializer)
        for number in range(5):
            old, new = session.run([before, add])
            assert old.tolist() == [number, 2.0 * number]
            assert new.tolist() == [number + 1.0, 2.0 * number + 2.0]
        assert len(graphs.launched) == 3


def test_new_memory_of_a_variable_is_met_by_recording_again(graphs: Any) -> None:
    v = tf.Variable(np.zeros(2, np.float32), name="v")
    twice = v * 2.0
    with tf.Session() as session:
        session.run(v.initializer)
        for _ in range(3):
            session.run(twice)
        buffer = session.resources.variables()["v"]
        buffer.replace(buffer.device.brought(np.float32([3.0, 4.0])))
        assert session.run(twice).tolist() == [6.0, 8.0]
        assert len(graphs.begun) == 2
        for number in range(10):
            buffer.replace(buffer.device.brought(np.float32([number, 4.0])))
            assert session.run(twice).tolist() == [2.0 * number, 8.0]
        assert len(graphs.begun) <= captures._MOST_TIMES + 1, "not in each run"


def test_a_variable_without_a_value_is_told_about(graphs: Any) -> None:
    v = tf.Variable(np.zeros(2, np.float32), name="v")
    twice = v * 2.0
    with tf.Session() as session:
        session.run(v.initializer)
        for _ in range(3):
            session.run(twice)
        session.resources.variables()["v"].array = None
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v") as error:
            session.run(twice)
        assert "v" in str(error.value)


def test_who_observes_gets_the_steps(graphs: Any) -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    y = tf.negative(x * 3.0, name="y")
    seen: list[str] = []
    with tf.Session() as session:
        for number in range(3):
            session.run(y, {x: feed(number)})
        count = len(graphs.launched)
        with observed(session, lambda step, *others: seen.append(step.op.name)):
            assert session.run(y, {x: feed(7)}).tolist() == (feed(7) * -3).tolist()
        assert {"mul", "y"} <= set(seen)
        assert len(graphs.launched) == count
        session.run(y, {x: feed(1)})
        assert len(graphs.launched) == count + 1


def _unknown_shape() -> Any:
    x = tf.placeholder(tf.float32, [None, 3])
    return x * 2.0, {x: feed(0)}


def _product() -> Any:
    x = tf.placeholder(tf.float32, [2, 3])
    return tf.matmul(x, x, transpose_b=True), {x: feed(0)}


def _random() -> Any:
    x = tf.placeholder(tf.float32, [2, 3])
    return x + tf.random_uniform([2, 3]), {x: feed(0)}


def _branch() -> Any:
    x = tf.placeholder(tf.float32, [2, 3])
    return tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2.0, lambda: x), {x: feed(0)}


def _loop() -> Any:
    x = tf.placeholder(tf.float32, [2, 3])
    return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.0), [0, x])[1], {x: feed(0)}


def _fed_to_the_host() -> Any:
    x, sizes = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.int32, [2])
    return tf.reshape(x, sizes), {x: feed(0), sizes: [3, 2]}


def _host_op() -> Any:
    x = tf.placeholder(tf.float32, [2, 3])
    return tf.py_func(lambda value: value * 2, [x], tf.float32) + x, {x: feed(0)}


def _host_result() -> Any:
    x = tf.placeholder(tf.float32, [2, 3])
    return [x * 2.0, tf.size(x)], {x: feed(0)}


@pytest.mark.parametrize(
    "make",
    [_unknown_shape, _product, _random, _branch, _loop, _fed_to_the_host, _host_op, _host_result],
    ids=lambda make: make.__name__,
)
def test_what_is_run_plainly(make: Any, graphs: Any, caplog: pytest.LogCaptureFixture) -> None:
    """And nobody is warned: it is not even tried."""
    fetches, feeds = make()
    with caplog.at_level(logging.WARNING), tf.Session() as session:
        for _ in range(4):
            session.run(fetches, feeds)
    assert not graphs.begun
    assert not graphs.launched
    assert not caplog.records


def test_random_values_are_new_in_each_run(graphs: Any) -> None:
    x = tf.random_uniform([4], seed=1) * 1.0
    with tf.Session() as session:
        assert len({tuple(session.run(x).tolist()) for _ in range(5)}) == 5


def test_two_gpus_are_not_captured(two_gpus: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBENCH_CUDA_GRAPHS", "1")
    strict_graphs.install(monkeypatch)
    x = tf.placeholder(tf.float32, [2, 3])
    with tf.Session() as session:
        for _ in range(4):
            session.run(x * 2.0, {x: feed(0)})
    assert not strict_graphs.begun


@pytest.mark.parametrize("why", ["cublas", "waits", "copies"])
def test_a_failed_capture_warns_once_and_changes_nothing(
    why: str, graphs: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    v = tf.Variable(np.ones(4, np.float32), name="v")
    add = tf.assign_add(v, tf.ones(4), name="add")
    with tf.control_dependencies([add]):
        root = tf.sqrt(v.read_value() * 1.0, name="root")

    def kernel(xp: Any, x: Any) -> Any:
        if xp is np:
            return np.sqrt(x)
        if why == "cublas":
            xp.matmul(x[None], x)
        elif why == "waits":
            float(x.sum())
        else:
            x = x + xp.array(np.zeros(4, np.float32))
        return xp.sqrt(x)

    monkeypatch.setenv("TFBENCH_FUSE", "0")
    _substitute(monkeypatch, root.op, kernel)
    with caplog.at_level(logging.WARNING), tf.Session() as session:
        session.run(v.initializer)
        for number in range(5):
            np.testing.assert_allclose(session.run(root), np.sqrt(np.full(4, number + 2.0)), rtol=1e-6)
        assert session.run(v).tolist() == [6.0] * 4
        assert session.resources.variables()["v"].updates == 6
    assert [record.getMessage().partition(" cannot")[0] for record in caplog.records] == [
        "TFBENCH_CUDA_GRAPHS: operation 'root' (Sqrt)"
    ]
    assert not graphs.launched


def _substitute(monkeypatch: pytest.MonkeyPatch, op: Any, kernel: Any) -> None:
    """Has one op computed by another function of arrays."""
    from tfbench.engine import places

    bind = places.bind

    def bound(one: Any, device: Any, resources: Any) -> Any:
        return (lambda x: kernel(device.xp, x)) if one is op else bind(one, device, resources)

    monkeypatch.setattr(places, "bind", bound)


def test_memory_that_is_replayed_into_is_nobody_elses(graphs: Any, one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [1000], name="x")
    y = tf.exp(tf.negative(x)) + 1.0
    with tf.Session() as session:
        for _ in range(2):
            session.run(y, {x: np.zeros(1000)})
        before = one_gpu.used()
        session.run(y, {x: np.zeros(1000)})
        kept = one_gpu.used() - before
        assert kept >= 4 * 1000
        for _ in range(5):
            session.run(y, {x: np.zeros(1000)})
        assert one_gpu.used() - before == kept, "no more with each run"


def test_an_error_of_a_launch_is_not_hidden(graphs: Any) -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    y = x * 2.0
    with tf.Session() as session:
        for number in range(3):
            session.run(y, {x: feed(number)})
        graphs.launched[-1].broken = RuntimeError("the GPU is gone")
        with pytest.raises(RuntimeError, match="the GPU is gone"):
            session.run(y, {x: feed(0)})


def test_no_room_for_a_result_names_the_op(graphs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    y = tf.multiply(x, 2.0, name="y")
    with tf.Session() as session:
        for number in range(3):
            session.run(y, {x: feed(number)})

        def get(self: Any, *args: Any, **keywords: Any) -> Any:
            raise MemoryError("no room")

        monkeypatch.setattr(strict_cupy.ndarray, "get", get)
        with pytest.raises(tf.errors.ResourceExhaustedError) as error:
            session.run(y, {x: feed(0)})
        assert error.value.op is y.op
