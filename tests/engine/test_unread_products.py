"""Products that are only waited for: from the second run on they are not made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.kernels import conv


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the gradients' kernels that run."""
    made: list[str] = []

    def spied(real: Any) -> Any:
        def spy(op: str, *args: Any) -> Any:
            made.append(op)
            return real(op, *args)

        return spy

    for name in ("_input_gradient", "_filter_gradient"):
        monkeypatch.setattr(conv, name, spied(getattr(conv, name)))
    return made


def _model() -> tuple[Any, Any, Any]:
    x = tf.constant(np.arange(50, dtype=np.float32).reshape(2, 5, 5, 1))
    w = tf.Variable(np.ones((3, 3, 1, 4), np.float32))
    loss = tf.reduce_sum(tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME"))
    return x, w, loss


def test_gradient_of_the_first_input_is_not_computed(calls: list[str]) -> None:
    with tf.Graph().as_default():
        _, w, loss = _model()
        step = tf.train.GradientDescentOptimizer(0.001).minimize(loss)
        with tf.Session() as session:
            session.run(w.initializer)
            session.run(step)
            first = w.eval() - 1
            assert sorted(calls) == ["Conv2DBackpropFilter", "Conv2DBackpropInput"]
            calls.clear()
            session.run(step)
            assert calls == ["Conv2DBackpropFilter"]
            np.testing.assert_allclose(w.eval() - 1, 2 * first, rtol=1e-6)


def test_what_is_fetched_or_read_is_computed(calls: list[str]) -> None:
    with tf.Graph().as_default():
        x, w, loss = _model()
        dx, dw = tf.gradients(loss, [x, w])
        with tf.Session() as session:
            session.run(w.initializer)
            for _ in range(3):
                got, _ = session.run([dx, dw])
            assert calls.count("Conv2DBackpropInput") == 3
            assert got[0, 2, 2, 0] == 36.0


def test_an_observer_sees_all_ops(calls: list[str]) -> None:
    with tf.Graph().as_default():
        a = tf.constant(np.ones((2, 2), np.float32))
        product = tf.matmul(a, a, name="product")
        with tf.control_dependencies([product]):
            after = tf.no_op()
        with tf.Session() as session:
            for _ in range(3):
                session.run(after)
            metadata = tf.RunMetadata()
            session.run(after, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    assert "product" in [node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats]


def test_what_may_fail_for_its_values_is_computed() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        with tf.control_dependencies([tf.check_numerics(x, "found")]):
            after = tf.no_op()
        with tf.Session() as session:
            for _ in range(3):
                session.run(after, {x: [0.0, 1.0]})
            with pytest.raises(tf.errors.InvalidArgumentError, match="found"):
                session.run(after, {x: [np.nan, 1.0]})
