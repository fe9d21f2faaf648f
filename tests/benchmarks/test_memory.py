"""The memory benchmark, as a test: what a run allocates stays near what its plan needs at least."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfbench as tf
from benchmarks import bench_memory


@pytest.mark.parametrize("case", bench_memory.CASES, ids=lambda case: case.name)
def test_the_peak_is_near_the_bound(case: bench_memory.MemoryCase) -> None:
    found = bench_memory.measure(case)
    assert found["bound"] > 1e6
    assert 0.9 < found["peak"] / found["bound"] <= bench_memory.TARGET


def test_the_bound_counts_what_is_alive_at_once() -> None:
    array = np.ones(1000, np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        first = y = tf.tanh(x)
        for _ in range(10):
            y = tf.tanh(y)
        z = tf.reshape(tf.tanh(x), [10, -1]) + 1.0

        def bound(fetch: Any) -> int:
            return bench_memory.lower_bound(session.plan(fetch, [x]), [array])

        assert bound(y) == 2 * array.nbytes  # what an op takes and what it makes
        assert bound([y, first]) == 3 * array.nbytes  # what is fetched stays
        assert 2 * array.nbytes <= bound(z) <= 2 * array.nbytes + 8  # a reshaped array is the same memory


def test_the_table_judges_by_the_target() -> None:
    lines = bench_memory.table({"good": {"bound": 10**6, "peak": 12 * 10**5}, "bad": {"bound": 1, "peak": 2}})
    assert "| good | 1.00 MB | 1.20 MB | 1.20 | ≤ 1.2 | yes |" in lines
    assert "| 2.00 | ≤ 1.2 | **no** |" in lines
