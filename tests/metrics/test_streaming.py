"""Metrics over batches say what NumPy says about all elements at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfbench as tf


def streamed(build: Callable[..., Any], *columns: Any, parts: int) -> tuple[float, float]:
    """The value and the last update's result after `parts` batches."""
    with tf.Graph().as_default(), tf.Session() as sess:
        tensors = [tf.placeholder(column.dtype, [None]) for column in columns]
        value, update = build(*tensors)
        sess.run(tf.local_variables_initializer())
        result = 0.0
        for batch in zip(*[np.array_split(column, parts) for column in columns]):
            result = sess.run(update, dict(zip(tensors, batch)))
        return sess.run(value), result


def data(seed: int, size: int) -> tuple[Any, Any, Any]:
    """Labels, probabilities, weights."""
    random = np.random.default_rng(seed)
    labels = random.random(size) < 0.4
    probabilities = np.clip(random.random(size) * 0.7 + 0.3 * labels, 0, 1).astype(np.float32)
    return labels, probabilities, random.integers(0, 4, size).astype(np.float32)


CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "accuracy": (
        lambda y, p, w: tf.metrics.accuracy(y, p > 0.5, w),
        lambda y, p, w: (w * (y == (p > 0.5))).sum() / w.sum() if w.sum() else 0.0,
    ),
    "precision": (
        lambda y, p, w: tf.metrics.precision(y, p > 0.5, w),
        lambda y, p, w: _quotient((w * (y & (p > 0.5))).sum(), (w * (p > 0.5)).sum()),
    ),
    "recall": (
        lambda y, p, w: tf.metrics.recall(y, p > 0.5, w),
        lambda y, p, w: _quotient((w * (y & (p > 0.5))).sum(), (w * y).sum()),
    ),
    "false_positives": (
        lambda y, p, w: tf.metrics.false_positives(y, p > 0.5, w),
        lambda y, p, w: (w * (~y & (p > 0.5))).sum(),
    ),
    "mean": (
        lambda y, p, w: tf.metrics.mean(p, w),
        lambda y, p, w: _quotient((w * p).sum(), w.sum()),
    ),
    "mean_squared_error": (
        lambda y, p, w: tf.metrics.mean_squared_error(tf.cast(y, tf.float32), p, w),
        lambda y, p, w: _quotient((w * (y - p) ** 2).sum(), w.sum()),
    ),
    "true_positives_at_thresholds": (
        lambda y, p, w: tf.metrics.true_positives_at_thresholds(y, p, [0.25, 0.75], w),
        lambda y, p, w: [(w * (y & (p > limit))).sum() for limit in (0.25, 0.75)],
    ),
    "mean_iou": (
        lambda y, p, w: _value_twice(tf.metrics.mean_iou(tf.cast(y, tf.int32), tf.cast(p > 0.5, tf.int32), 2, w)),
        lambda y, p, w: _overlap(y, p > 0.5, w),
    ),
}


def _quotient(a: float, b: float) -> float:
    return a / b if b else 0.0


def _value_twice(metric: Any) -> Any:
    """The update of mean_iou is the matrix: here, the value after it."""
    value, update = metric
    with tf.control_dependencies([update]):
        return value, tf.reduce_sum(update) * 0.0


def _overlap(y: Any, p: Any, w: Any) -> float:
    found = []
    for kind in (False, True):
        either = (w * ((y == kind) | (p == kind))).sum()
        if either:
            found.append((w * ((y == kind) & (p == kind))).sum() / either)
    return float(np.mean(found)) if found else 0.0


@pytest.mark.parametrize("name", sorted(CASES))
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), size=st.integers(1, 40), parts=st.integers(1, 5))
def test_batches_add_up(name: str, seed: int, size: int, parts: int) -> None:
    build, expected = CASES[name]
    columns = data(seed, size)
    value, last = streamed(build, *columns, parts=parts)
    np.testing.assert_allclose(value, expected(*columns), rtol=1e-4, atol=1e-6)
    if name != "mean_iou":
        np.testing.assert_array_equal(value, last)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), size=st.integers(2, 40))
def test_area_under_the_curve_is_the_chance_of_the_right_order(seed: int, size: int) -> None:
    labels, probabilities, _ = data(seed, size)
    labels[0], labels[1] = True, False
    value, _ = streamed(lambda y, p: tf.metrics.auc(y, p, num_thresholds=2000), labels, probabilities, parts=3)
    difference = probabilities[labels][:, None] - probabilities[~labels][None, :]
    order = (difference > 0).mean() + 0.5 * (difference == 0).mean()
    assert value == pytest.approx(order, abs=0.02)


def test_precision_at_k_counts_pairs() -> None:
    random = np.random.default_rng(1)
    scores = random.random((20, 6)).astype(np.float32)
    labels = random.integers(0, 6, (20, 2))
    best = np.argsort(-scores, axis=1)[:, :3]
    hits = sum(len(set(row) & set(right)) for row, right in zip(best.tolist(), labels.tolist()))
    wrong = sum(len(set(row) - set(right)) for row, right in zip(best.tolist(), labels.tolist()))
    with tf.Graph().as_default(), tf.Session() as sess:
        _, update = tf.metrics.precision_at_k(tf.constant(labels), tf.constant(scores), 3)
        sess.run(tf.local_variables_initializer())
        assert sess.run(update) == pytest.approx(hits / (hits + wrong))


def test_nothing_seen_is_zero() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        values = [
            tf.metrics.mean(tf.constant([1.0]))[0],
            tf.metrics.precision(tf.constant([1]), tf.constant([1]))[0],
            tf.metrics.mean_iou(tf.constant([1]), tf.constant([1]), 2)[0],
            tf.metrics.auc(tf.constant([True]), tf.constant([0.5]), num_thresholds=3)[0],
        ]
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
            sess.run(values[0])
        sess.run(tf.local_variables_initializer())
        assert sess.run(values[:3]) == [0.0, 0.0, 0.0]
        assert np.isfinite(sess.run(values[3]))


def test_without_its_variables_a_metric_says_how_to_initialize_them() -> None:
    """They are local: `global_variables_initializer` alone is the usual mistake."""
    with tf.Graph().as_default(), tf.Session() as session:
        _, update = tf.metrics.mean(tf.constant([1.0, 2.0]))
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"value mean/.*tf\.local_variables_in"):
            session.run(update)
        session.run(tf.local_variables_initializer())
        assert session.run(update) == 1.5
