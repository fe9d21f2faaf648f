"""Programs on a GPU, compared with the same on the CPU: on the stand-in everywhere, on a real GPU where one is.

`pytest -m gpu tests/gpu` runs what needs a real one, `python -m benchmarks.gpu` that and the measurements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.gpu import strict_cupy

RNG = np.random.default_rng(4)
IMAGES = RNG.standard_normal((4, 12, 12, 3)).astype(np.float32)
FILTERS = RNG.standard_normal((3, 3, 3, 4)).astype(np.float32) * np.float32(0.1)
ROWS = RNG.standard_normal((6, 5)).astype(np.float32)


@pytest.fixture(params=["stand-in", pytest.param("real", marks=pytest.mark.gpu)])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A machine with a GPU; where it is marked `gpu`, this one."""
    if request.param == "stand-in":
        strict_cupy.install(monkeypatch, devices=1, memory=4 << 30)
    return str(request.param)


Program = Callable[[], tuple[Any, dict[Any, Any]]]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


@program
def elementwise() -> Any:
    x = tf.placeholder(tf.float32, [None, 5])
    y = tf.tanh(x) * tf.exp(-tf.square(x)) + tf.sqrt(tf.abs(x)) / (1.0 + tf.sigmoid(x))
    picked = tf.where(x > 0.0, y, tf.zeros_like(y))
    return [y, picked, tf.maximum(x, 0.5), tf.cast(x > 0.0, tf.int64), tf.pow(tf.abs(x), 1.5)], {x: ROWS}


@program
def reductions() -> Any:
    x = tf.placeholder(tf.float32, [None, 5])
    return [
        tf.reduce_sum(x, 0), tf.reduce_mean(x, 1, keepdims=True), tf.reduce_max(x), tf.reduce_prod(x, [0, 1]),
        tf.argmax(x, 1), tf.cumsum(x, 1), tf.nn.softmax(x), tf.nn.log_softmax(x), tf.norm(x), tf.reduce_any(x > 1.0, 0),
    ], {x: ROWS}  # fmt: skip


@program
def shapes_and_pieces() -> Any:
    x = tf.placeholder(tf.float32, [None, None])
    size = tf.shape(x)
    return [
        tf.reshape(x, [size[1], -1]), tf.transpose(x), x[1:4, ::2], tf.concat([x, x * 2.0], 0), tf.stack([x, x], 1),
        tf.split(x, 5, 1), tf.tile(x, [1, 2]), tf.pad(x, [[1, 0], [0, 2]]), tf.gather(x, [3, 1]), tf.one_hot([1, 3], 4),
        tf.reverse(x, [1]), tf.expand_dims(x, 1), tf.fill(size, 2.0), size, tf.size(x), tf.unstack(x, 6),
    ], {x: ROWS}  # fmt: skip


@program
def products() -> Any:
    x = tf.placeholder(tf.float32, [6, 5])
    y = tf.matmul(x, x, transpose_b=True)
    batch = tf.reshape(x, [2, 3, 5])
    return [y, tf.matmul(batch, batch, transpose_a=True), tf.einsum("bij,bkj->bik", batch, batch)], {x: ROWS}


@program
def images() -> Any:
    x = tf.placeholder(tf.float32, [None, 12, 12, 3])
    w = tf.constant(FILTERS)
    y = tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME")
    y = tf.nn.bias_add(y, [0.1, 0.2, 0.3, 0.4])
    pooled = tf.nn.max_pool(tf.nn.relu(y), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    mean = tf.nn.avg_pool(y, [1, 3, 3, 1], [1, 1, 1, 1], "SAME")
    loss = tf.reduce_sum(pooled * pooled) + tf.reduce_sum(mean * y)
    return [y, pooled, mean, tf.nn.lrn(y), *tf.gradients(loss, [x, w])], {x: IMAGES}


@program
def normalized() -> Any:
    x = tf.placeholder(tf.float32, [None, 12, 12, 3])
    y, mean, variance = tf.nn.fused_batch_norm(x, tf.ones([3]), tf.zeros([3]))
    return [y, mean, variance, *tf.gradients(tf.reduce_sum(y * y * y), x)], {x: IMAGES}


@program
def losses() -> Any:
    logits = tf.placeholder(tf.float32, [6, 5])
    labels = tf.constant([0, 1, 2, 3, 4, 0])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    soft = tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.one_hot(labels, 5), logits=logits)
    return [loss, soft, *tf.gradients(tf.reduce_mean(loss) + tf.reduce_sum(soft), logits)], {logits: ROWS}


@program
def random_numbers() -> Any:
    drawn = [tf.random_uniform([4, 5], seed=3), tf.random_normal([7], seed=4), tf.truncated_normal([50], seed=5)]
    return [*drawn, tf.random_uniform([9], 0, 10, tf.int64, seed=6)], {}


@program
def branches_and_loops() -> Any:
    x = tf.placeholder(tf.float32, [6, 5])
    total = tf.reduce_sum(x)
    y = tf.cond(total > 100.0, lambda: x * 2.0, lambda: x - 1.0)
    _, grown = tf.while_loop(lambda i, v: i < 12, lambda i, v: (i + 1, tf.tanh(v) + x), [0, x])
    return [y, grown, *tf.gradients(tf.reduce_sum(grown), x)], {x: ROWS}


@program
def recurrent() -> Any:
    x = tf.placeholder(tf.float32, [2, 3, 5])
    cell = tf.nn.rnn_cell.BasicLSTMCell(4)
    with tf.variable_scope("rnn", initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=2)):
        outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    return [outputs, state.c, *tf.gradients(tf.reduce_sum(outputs), x)], {x: ROWS.reshape(2, 3, 5)}


def results(name: str, runs: int, **config: Any) -> list[Any]:
    """What a program gives in its last run, all in one list."""
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(**config)) as session:
        tf.set_random_seed(1)
        fetches, feeds = PROGRAMS[name]()
        session.run(tf.global_variables_initializer())
        for _ in range(runs):
            values = session.run(fetches, feeds)
    flat: list[Any] = []
    for value in values:
        flat.extend(value) if isinstance(value, list) else flat.append(value)
    return flat


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gpu_gives_what_a_cpu_gives(machine: str, name: str) -> None:
    expected = results(name, 3, device_count={"GPU": 0})
    found = results(name, 3)
    assert len(found) == len(expected)
    for value, right in zip(found, expected):
        assert type(value) is type(right)
        assert (value.dtype, value.shape) == (right.dtype, right.shape)
        if value.dtype.kind == "f":
            np.testing.assert_allclose(value, right, rtol=2e-4, atol=2e-5)
        else:
            np.testing.assert_array_equal(value, right)


def test_random_numbers_are_the_cpus_bit_for_bit(machine: str) -> None:
    uniform, *_, whole = results("random_numbers", 2)
    right, *_, whole_right = results("random_numbers", 2, device_count={"GPU": 0})
    assert uniform.tobytes() == right.tobytes()
    assert whole.tobytes() == whole_right.tobytes()


OPTIMIZERS = {
    "gradient descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: tf.train.AdamOptimizer(0.01),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.01),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
}


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_goes_the_same_way(machine: str, name: str, resource: bool) -> None:
    def train(**config: Any) -> tuple[list[float], str]:
        with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(**config)) as session:
            x, y = tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.float32, [None, 1])
            with tf.variable_scope("net", use_resource=resource):
                w = tf.get_variable("w", [5, 8], initializer=tf.random_normal_initializer(0, 0.3, seed=1))
                v = tf.get_variable("v", [8, 1], initializer=tf.random_normal_initializer(0, 0.3, seed=2))
            loss = tf.losses.mean_squared_error(y, tf.matmul(tf.nn.relu(tf.matmul(x, w)), v))
            step = tf.train.get_or_create_global_step()
            update = OPTIMIZERS[name]().minimize(loss, global_step=step)
            session.run(tf.global_variables_initializer())
            feeds = {x: ROWS, y: ROWS[:, :1]}
            found = [float(session.run([loss, update], feeds)[0]) for _ in range(12)]
            assert session.run(step) == 12
            return found, session.look_at_placement([], [], []).device_of(w.op).kind

    found, kind = train()
    expected, _ = train(device_count={"GPU": 0})
    assert kind == "GPU"
    assert found[-1] < found[0]
    assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.gpu
def test_the_pool_of_a_real_gpu_is_bounded_and_refills() -> None:
    n = tf.placeholder(tf.int32, [])
    total = tf.reduce_sum(tf.square(tf.ones(tf.stack([n, 1 << 20]))))
    with tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.02))) as session:
        gpu = session.list_devices()[1]
        for _ in range(2):
            assert session.run(total, {n: 2}) == 2 << 20
            with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating tensor with shape"):
                session.run(total, {n: gpu.memory_limit_bytes // (1 << 22) + 1})


@pytest.mark.gpu
def test_a_trace_of_a_real_gpu_has_its_durations() -> None:
    x = tf.random_normal([2048, 2048], seed=1)
    y = tf.matmul(tf.matmul(x, x), x, name="product")
    with tf.Session() as session:
        session.run(y)
        steps = {step.op: step for step in tf.trace(y, session=session).steps}
    assert steps["product"].device == "/device:GPU:0"
    assert steps["product"].duration_us > 10
