"""Statistics of a variable's value: what is counted, what is left out, what is sampled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tfbench.value_stats import BINS, SAMPLE, value_stats


def test_plain_array() -> None:
    stats = value_stats(np.array([[1.0, 2.0], [3.0, 6.0]], np.float32))
    assert stats is not None
    assert (stats.size, stats.mean, stats.low, stats.high) == (4, 3.0, 1.0, 6.0)
    assert stats.std == pytest.approx(np.std([1, 2, 3, 6]))
    assert (stats.nans, stats.infs, stats.sampled) == (0, 0, False)
    assert len(stats.histogram) == BINS
    assert sum(stats.histogram) == 4
    assert stats.histogram[0] == 1
    assert stats.histogram[-1] == 1


def test_nan_and_infinity_are_counted_and_hide_nothing() -> None:
    stats = value_stats(np.array([np.nan, 1.0, np.inf, -np.inf, np.nan, 3.0]))
    assert stats is not None
    assert (stats.nans, stats.infs, stats.mean, stats.low, stats.high) == (2, 2, 2.0, 1.0, 3.0)


def test_nothing_finite() -> None:
    stats = value_stats(np.array([np.nan, np.inf], np.float32))
    assert stats is not None
    assert (stats.mean, stats.std, stats.low, stats.high, stats.histogram) == (None, None, None, None, ())
    assert (stats.nans, stats.infs) == (1, 1)


@pytest.mark.parametrize(
    ("value", "mean"),
    [
        (np.array(5, np.int64), 5.0),
        (np.array([True, False, True, True]), 0.75),
        (np.array([3 + 4j], np.complex64), 5.0),
        (np.float16(2.0), 2.0),
        (np.arange(6).reshape(2, 3).T, 2.5),
    ],
)
def test_other_dtypes_and_ranks(value: object, mean: float) -> None:
    stats = value_stats(value)
    assert stats is not None
    assert stats.mean == mean


def test_empty_array_has_a_size_and_no_numbers() -> None:
    stats = value_stats(np.zeros((0, 3)))
    assert stats is not None
    assert (stats.size, stats.mean, stats.histogram) == (0, None, ())


@pytest.mark.parametrize("value", [np.array([b"a", b"b"], object), np.array(["x"])])
def test_strings_have_no_statistics(value: object) -> None:
    assert value_stats(value) is None


def test_equal_elements_make_one_bar() -> None:
    stats = value_stats(np.full(10, 7.0))
    assert stats is not None
    assert stats.histogram == (10,)
    assert stats.std == 0.0


def test_large_array_is_sampled_and_says_so() -> None:
    stats = value_stats(np.arange(10 * SAMPLE, dtype=np.float32))
    assert stats is not None
    assert stats.sampled
    assert stats.size == 10 * SAMPLE
    assert sum(stats.histogram) <= SAMPLE
    assert stats.mean == pytest.approx(5 * SAMPLE, rel=1e-3)


def test_range_wider_than_a_float_does_not_warn() -> None:
    stats = value_stats(np.array([-1.7e308, 1.7e308]))
    assert stats is not None
    assert stats.histogram == (2,)


@given(hnp.arrays(np.float64, hnp.array_shapes(max_dims=3, max_side=8), elements=st.floats(width=64)))
def test_every_element_is_counted_once(array: np.ndarray) -> None:
    stats = value_stats(array)
    assert stats is not None
    assert sum(stats.histogram) + stats.nans + stats.infs == array.size
