"""Optimizers' ops whose loops get what the op gets: as NumPy's to the last bit, and with its errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.compiled import tier
from tfbench.engine.resources import VariableBuffer

pytestmark = pytest.mark.skipif(not tier.installed(), reason="the extra `fast` is not installed")

OPTIMIZERS = {
    "gradient_descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
    "adam, locked": lambda: tf.train.AdamOptimizer(0.1, use_locking=True),
    "rms_prop": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
    "centered_rms_prop": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    "adadelta": lambda: tf.train.AdadeltaOptimizer(0.1),
}


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TFBENCH_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        tier.kernel.cache_clear()
        yield
    tier.kernel.cache_clear()


def _trained(optimizer: Any, dtype: Any, mode: str, resource: bool) -> list[Any]:
    """Variables with two axes and with none, and the slots, after a few steps."""
    rng = np.random.default_rng(1)
    with tf.Graph().as_default(), tf.Session() as session, tier.using(mode):
        w = tf.Variable(rng.normal(size=(3, 5)).astype(dtype), use_resource=resource)
        b = tf.Variable(dtype(0.5), use_resource=resource)
        slopes = [tf.placeholder(dtype, variable.shape) for variable in (w, b)]
        step = optimizer().apply_gradients(zip(slopes, (w, b), strict=True))
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            session.run(step, {slope: rng.normal(size=slope.shape.as_list()).astype(dtype) for slope in slopes})
        return session.run(tf.global_variables())


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_steps_are_numpys_to_the_last_bit(
    optimizer: str, dtype: Any, resource: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = _trained(OPTIMIZERS[optimizer], dtype, tier.OFF, resource)
    tier.kernel.cache_clear()
    asked: list[str] = []
    ready = tier.Kernel.ready
    monkeypatch.setattr(tier.Kernel, "ready", lambda self, work: asked.append(self.maker) or ready(self, work))
    made = _trained(OPTIMIZERS[optimizer], dtype, tier.WAIT, resource)
    for one, other in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    assert "dense" in asked


def _descend(var: Any, alpha: Any, delta: Any) -> Any:
    """ApplyGradientDescent, with a variable of the first value, fed the others; the second run's error or result."""
    with tf.Graph().as_default() as graph, tf.Session() as session, tier.using(tier.WAIT):
        v = tf.Variable(var, validate_shape=False)
        a = tf.placeholder(tf.float32)
        d = tf.placeholder(tf.float32)
        update = graph.create_op(
            "ApplyGradientDescent", [v._ref(), a, d], [tf.as_dtype("float32_ref")], attrs={}, name="update"
        )
        session.run(v.initializer)
        fine = {a: np.float32(1), d: np.zeros_like(var)}
        for _ in range(3):
            session.run(update, fine)
        session.run(update, {a: alpha, d: delta})
        buffer = next(iter(session.resources.variables().values()))
        assert isinstance(buffer, VariableBuffer)
        return buffer


def test_what_is_not_contiguous() -> None:
    delta = np.arange(6, dtype=np.float32).reshape(3, 2).T
    buffer = _descend(np.zeros((2, 3), np.float32), np.float32(2), delta)
    np.testing.assert_array_equal(buffer.array, -2 * delta)
    assert buffer.updates == 5  # and its initial value


@pytest.mark.parametrize(
    ("alpha", "delta", "message"),
    [
        (np.float32(1), np.zeros((3, 2), np.float32), r"do not have the same shape\[2,3\] \[3,2\]"),
        (np.float32(1), np.zeros(6, np.float32), r"do not have the same shape\[2,3\] \[6\]"),
        (np.ones(1, np.float32), np.zeros((2, 3), np.float32), r"alpha is not a scalar: \[1\]"),
    ],
)
def test_what_does_not_fit(alpha: Any, delta: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message.replace(",", ", ?")):
        _descend(np.zeros((2, 3), np.float32), alpha, delta)


def test_a_variable_without_a_value() -> None:
    with tf.Graph().as_default(), tf.Session() as session, tier.using(tier.WAIT):
        v = tf.Variable([1.0, 2.0])
        step = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(tf.constant([1.0, 1.0]), v)])
        for _ in range(3):
            with pytest.raises(tf.errors.FailedPreconditionError, match="Attempting to use uninitialized"):
                session.run(step)
        session.run(v.initializer)
        session.run(step)
        np.testing.assert_allclose(session.run(v), [0.9, 1.9], rtol=1e-6)


def test_switched_off_in_between() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, 2.0])
        step = tf.train.GradientDescentOptimizer(1.0).apply_gradients([(tf.constant([1.0, 1.0]), v)])
        session.run(v.initializer)
        for mode in (tier.WAIT, tier.WAIT, tier.OFF, tier.WAIT):
            with tier.using(mode):
                session.run(step)
        np.testing.assert_array_equal(session.run(v), [-3, -2])
