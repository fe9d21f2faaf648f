"""Rows looked up and written by number on a device: NumPy's results, and TensorFlow's where there is no such row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.gpu import strict_cupy
from tfbench.engine.kernels import device_rows

REALS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
TYPES = [*REALS, "c8", "c16"]
PLACES = np.array([3, 0, 3, 2, 3, 0])


def there(array: Any) -> Any:
    return strict_cupy.array(array)


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    """Small whole numbers, so that the order of a sum does not matter; some at the type's ends."""
    made = np.random.default_rng(seed).integers(1, 5, shape).astype(dtype)
    if made.dtype.kind in "iu" and made.size > 1:
        made.reshape(-1)[-1] = np.iinfo(dtype).max
        made.reshape(-1)[-2] = np.iinfo(dtype).min
    return made


@pytest.mark.parametrize("combine", ["add", "subtract", "multiply", "minimum", "maximum"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("width", [(), (3,), (2, 2)])
def test_repeated_rows_are_combined(combine: str, dtype: str, width: tuple[int, ...]) -> None:
    if combine in ("minimum", "maximum") and dtype.startswith("c"):
        pytest.skip("complex numbers have no order")
    target, values = numbers((4, *width), dtype, 1), numbers((len(PLACES), *width), dtype, 2)
    wanted = target.copy()
    with np.errstate(all="ignore"):
        getattr(np, combine).at(wanted, PLACES, values)
    found = there(target)
    device_rows.put(strict_cupy, found, there(PLACES), there(values), combine)
    np.testing.assert_array_equal(found.get(), wanted)


def test_quotients_and_one_value_for_all() -> None:
    found = there(np.array([8.0, 8.0, 8.0, 8.0], np.float32))
    device_rows.put(strict_cupy, found, there(PLACES), np.float32(2), "divide")
    np.testing.assert_array_equal(found.get(), [2.0, 8.0, 4.0, 1.0])


def test_truth_is_kept() -> None:
    found = there(np.array([False, True, False, False]))
    device_rows.put(strict_cupy, found, there(np.array([0, 1, 0])), there(np.array([True, False, False])), "logical_or")
    assert found.get().tolist() == [True, True, False, False]


@pytest.mark.parametrize("dtype", TYPES)
def test_rows_are_overwritten(dtype: str) -> None:
    target, values = numbers((4, 2), dtype, 1), numbers((2, 2), dtype, 2)
    found = there(target)
    device_rows.put(strict_cupy, found, there(np.array([3, 1])), there(values), None)
    target[[3, 1]] = values
    np.testing.assert_array_equal(found.get(), target)


@pytest.mark.parametrize("combine", [None, "add", "subtract", "multiply", "divide", "minimum", "maximum"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_that_there_are_not_are_left_out(combine: str | None, index: Any) -> None:
    places = np.array([-1, 4, 2, 100, -100], index)
    values = np.arange(2.0, 7.0)[:, None] * np.ones(3)
    found = there(np.ones((4, 3)))
    device_rows.put(strict_cupy, found, there(places), there(values), combine)
    wanted = np.ones((4, 3))
    wanted[2] = 4.0 if combine is None else getattr(np, combine)(1.0, 4.0)
    np.testing.assert_array_equal(found.get(), wanted)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_what_is_looked_up_outside_is_zero(axis: int) -> None:
    params = np.arange(1.0, 25.0, dtype=np.float32).reshape(2, 3, 4)
    indices = np.array([[0, 1], [-1, params.shape[axis]]])
    found = device_rows.take(strict_cupy, there(params), there(indices), axis)
    wanted = np.take(params, np.clip(indices, 0, 1), axis)
    wanted[(*[slice(None)] * axis, 1)] = 0
    np.testing.assert_array_equal(found.get(), wanted)


def test_nothing_to_look_up_in() -> None:
    found = device_rows.take(strict_cupy, there(np.ones((0, 3))), there(np.array([0, 5])), 0)
    np.testing.assert_array_equal(found.get(), np.zeros((2, 3)))


def test_an_index_of_one_group_finds_no_row_of_the_next() -> None:
    groups = np.arange(12.0).reshape(2, 3, 2)
    found = device_rows.take_each(strict_cupy, there(groups), there(np.array([[2, 3], [-1, 0]])))
    np.testing.assert_array_equal(found.get(), [[[4, 5], [0, 0]], [[0, 0], [6, 7]]])


def test_index_vectors_with_one_bad_part() -> None:
    found = there(np.zeros((2, 3)))
    vectors = np.array([[0, 0], [1, 2], [0, 3], [-1, 1]])  # the third would be row (1, 0), were it not checked
    device_rows.put_vectors(strict_cupy, found, there(vectors), there(np.ones(4)), "add")
    np.testing.assert_array_equal(found.get(), [[1, 0, 0], [0, 0, 1]])


@pytest.mark.parametrize("dtype", REALS)
def test_groups_without_rows(dtype: str) -> None:
    rows = numbers((4, 2), dtype, 3)
    ids = np.array([4, 1, 1, 9])
    largest = device_rows.grouped(strict_cupy, "maximum", there(rows), there(ids), 5, 7).get()
    np.testing.assert_array_equal(largest[4], rows[0])
    np.testing.assert_array_equal(largest[1], np.maximum(rows[1], rows[2]))
    np.testing.assert_array_equal(largest[[0, 2, 3]], np.full((3, 2), 7, dtype))
    assert device_rows.counts(strict_cupy, there(ids), 5).get().tolist() == [0, 2, 0, 0, 1]


def test_rounds_have_no_row_twice() -> None:
    values = np.arange(6.0)
    found = [(rows.get(), part.get()) for rows, part in device_rows.rounds(strict_cupy, there(PLACES), there(values))]
    assert [rows.tolist() for rows, _ in found] == [[0, 2, 3], [0, 3], [3]]
    assert [part.tolist() for _, part in found] == [[1, 3, 0], [5, 2], [4]]
