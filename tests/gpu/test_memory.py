"""A GPU's memory: bounded, given back, and an error that says what there was no room for."""

from __future__ import annotations

import gc
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.gpu import strict_cuda, strict_cupy
from tests.observed import observed
from tfbench.engine import cuda

MIB = 1 << 20


def small(fraction: float = 0.25) -> Any:
    """A session that may use so much of a GPU of 64 MiB."""
    return tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=fraction)))


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return strict_cupy.install(monkeypatch, devices=1, memory=64 * MIB)


def test_out_of_memory_names_the_tensor_and_what_there_is(tiny: ModuleType) -> None:
    n = tf.placeholder(tf.int32, [], name="n")
    x = tf.ones(tf.stack([n, 1024]), name="x")
    y = tf.square(x, name="y")
    total = tf.reduce_sum(y)
    with small() as session:
        assert session.run(total, {n: 4}) == 4096.0
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            session.run(total, {n: 3000})
        message = caught.value.message
        assert caught.value.op is y.op
        assert "OOM when allocating tensor with shape[?,1024] and type float32 on" in message
        assert "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_cupy" in message
        assert "while computing Square with input shapes (?, 1024)" in message
        assert "12,288,000 bytes were asked for" in message
        assert "may hold 16,777,216" in message
        assert "per_process_gpu_memory_fraction" in message
        # Everything is as it was: the next run has all the room there is.
        caught = None  # type: ignore[assignment]
        gc.collect()
        before = strict_cuda.used()
        assert session.run(total, {n: 2000}) == 2048000.0
        gc.collect()
        assert strict_cuda.used() == before


def test_out_of_memory_while_a_feed_is_copied_names_the_feed(tiny: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.negative(x)
    with small() as session:
        for _ in range(2):
            with pytest.raises(
                tf.errors.ResourceExhaustedError, match=r"type float32 on .* while sending x:0"
            ) as caught:
                session.run(y, {x: np.zeros(5 * MIB, np.float32)})
            assert "with shape[?]" in caught.value.message
            assert session.run(y, {x: [1.0]}).tolist() == [-1.0]


def test_a_variable_that_finds_no_room_keeps_its_value(tiny: ModuleType) -> None:
    v = tf.Variable(tf.zeros([MIB]), name="v")
    with small() as session:
        session.run(v.initializer)
        grown = tf.assign(v, tf.ones([5 * MIB]), validate_shape=False)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            session.run(grown)
        assert session.run(v).sum() == 0.0


def test_a_closed_session_gives_everything_back(tiny: ModuleType) -> None:
    v = tf.Variable(tf.zeros([MIB]), name="v")
    y = v + tf.constant(np.arange(MIB, dtype=np.float32))
    session = small(0.5)
    session.run(v.initializer)
    session.run(y)
    assert strict_cuda.used() >= 8 * MIB
    session.close()
    gc.collect()
    assert strict_cuda.used() == 0


def test_values_are_released_when_nobody_needs_them_any_more(tiny: ModuleType) -> None:
    x = tf.ones([MIB])
    for _ in range(20):
        x = x * 1.5
    total = tf.reduce_sum(x)
    with small(0.5) as session:  # 32 MiB, where all values together take 84
        for _ in range(3):
            session.run(total)


def test_cupys_own_pool_and_device_are_left_as_they_are(two_gpus: ModuleType) -> None:
    mine = strict_cuda.MemoryPool()
    with strict_cuda.using_allocator(mine.malloc), strict_cuda.Device(1):
        with tf.device("/gpu:0"):
            y = tf.ones([1000]) * 2.0
        with tf.Session() as session:
            session.run(y)
        assert strict_cuda.current() == 1
        assert strict_cuda.get_allocator() == mine.malloc
        assert mine.used_bytes() == 0
        assert cuda.pool_of(strict_cupy) is not mine
        assert not strict_cuda.default_pool.used_bytes()
        assert strict_cuda.used(1) == 0


def test_all_runs_share_a_stream_whatever_the_callers_is(two_gpus: ModuleType) -> None:
    seen = []

    def look(*step: Any) -> None:
        seen.append([strict_cuda.get_current_stream(device) for device in (0, 1)])

    y = tf.ones([4]) * 2.0
    with strict_cuda.Device(1), strict_cuda.Stream() as mine:
        with tf.Session() as session, observed(session, look):
            session.run(y)
        assert strict_cuda.get_current_stream() is mine
    assert seen
    assert all(stream is strict_cuda.Stream.null for streams in seen for stream in streams)


def test_values_are_copied_back_through_pinned_memory_if_they_are_large(one_gpu: ModuleType) -> None:
    x = tf.placeholder(tf.float32, [None])
    y = tf.negative(x)
    with tf.Session() as session:
        session.run(y, {x: np.ones(10, np.float32)})
        assert not strict_cuda.pinned_bytes["allocated"]
        value = session.run(y, {x: np.ones(1 << 15, np.float32)})
        assert strict_cuda.pinned_bytes["allocated"] == 4 << 15
        assert value.sum() == -float(1 << 15)


def test_plans_share_a_constant_and_give_it_back(tiny: ModuleType) -> None:
    c = tf.constant(np.ones(MIB, np.float32), name="c")
    with tf.device("/cpu:0"):
        d = tf.constant(np.ones(MIB, np.float32), name="d")
    fetches = [tf.reduce_sum(c * float(number)) + tf.reduce_sum(d * 2.0) for number in range(6)]
    with small(0.5) as session:  # 32 MiB
        for number, fetch in enumerate(fetches):
            assert session.run(fetch) == (number + 2.0) * MIB
        gc.collect()
        assert 8 * MIB <= strict_cuda.used() < 9 * MIB
        session.drop_plans()
        gc.collect()
        assert strict_cuda.used() < MIB
