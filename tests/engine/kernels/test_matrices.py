"""Triangular systems, LU and functions of matrices: what defines them holds, whatever the size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfbench.engine.kernels.matrix_functions import logarithm, schur, square_root
from tfbench.engine.kernels.triangular import lu, solve_triangular

SIZES = st.integers(0, 60)
SEEDS = st.integers(0, 2**32 - 1)


def random(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


def well_conditioned(seed: int, n: int) -> Any:
    return random(seed, 2, n, n) + 3 * np.sqrt(n + 1) * np.eye(n)


@settings(max_examples=40, deadline=None)
@given(n=SIZES, columns=st.integers(0, 3), lower=st.booleans(), seed=SEEDS)
def test_triangular_systems(n: int, columns: int, lower: bool, seed: int) -> None:
    """Only one triangle counts, and batches broadcast."""
    a, b = well_conditioned(seed, n), random(seed, 1, n, columns)
    x = solve_triangular(np, a, b, lower)
    assert x.shape == (2, n, columns)
    np.testing.assert_allclose((np.tril(a) if lower else np.triu(a)) @ x, np.broadcast_to(b, x.shape), atol=1e-9)


def test_a_zero_on_the_diagonal_is_a_division_by_zero() -> None:
    x = solve_triangular(np, np.array([[1.0, 0.0], [2.0, 0.0]]), np.array([[1.0], [3.0]]), True)
    np.testing.assert_array_equal(x, [[1.0], [np.inf]])


@settings(max_examples=40, deadline=None)
@given(n=SIZES, seed=SEEDS, is_complex=st.booleans())
def test_lu(n: int, seed: int, is_complex: bool) -> None:
    """L U is the matrix with its rows in another order, and no factor in L is greater than one."""
    a = random(seed, 3, n, n) + (1j * random(seed + 1, 3, n, n) if is_complex else 0)
    packed, rows = lu(a)
    below = np.tril(packed, -1)
    product = (below + np.eye(n)) @ np.triu(packed)
    np.testing.assert_allclose(product, np.take_along_axis(a, rows[:, :, None], 1), atol=1e-9)
    assert (np.abs(below) <= 1 + 1e-9).all()
    assert (np.sort(rows, axis=1) == np.arange(n)).all()


def test_lu_of_a_singular_matrix_ends_in_zero() -> None:
    packed, _ = lu(np.array([[1.0, 2.0], [2.0, 4.0]]))
    assert packed[1, 1] == 0


@settings(max_examples=30, deadline=None)
@given(n=st.integers(0, 12), seed=SEEDS)
def test_schur(n: int, seed: int) -> None:
    a = random(seed, n, n) + 1j * random(seed + 1, n, n)
    t, q = schur(a)
    np.testing.assert_allclose(q @ t @ q.conj().T, a, atol=1e-9)
    np.testing.assert_allclose(q @ q.conj().T, np.eye(n), atol=1e-9)
    np.testing.assert_array_equal(t, np.triu(t))


@pytest.mark.parametrize(
    "a",
    [
        np.array([[0.0, 1.0], [0.0, 0.0]]),
        np.array([[2.0, 1.0, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 2.0]]),
        np.zeros((3, 3)),
        np.eye(4)[[1, 2, 3, 0]],
        np.diag([1e200, 1e-200]),
    ],
)
def test_schur_of_awkward_matrices(a: Any) -> None:
    """Too few eigenvectors, equal eigenvalues, a cycle, sizes far apart."""
    t, q = schur(a)
    np.testing.assert_allclose(q @ t @ q.conj().T, a, atol=1e-9 * max(1.0, float(np.abs(a).max())))


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 8), seed=SEEDS)
def test_root_and_logarithm(n: int, seed: int) -> None:
    """The root squared is the matrix; the logarithm of the root is half of it."""
    a = well_conditioned(seed, n)[0] + 0j
    root = square_root(a)
    np.testing.assert_allclose(root @ root, a, atol=1e-8)
    np.testing.assert_allclose(logarithm(root) * 2, logarithm(a), atol=1e-8)


def test_what_has_no_root_is_nan() -> None:
    assert np.isnan(square_root(np.array([[-1.0, 0.0], [0.0, -1.0]]))).all()
    assert np.isnan(square_root(np.array([[np.nan, 0.0], [0.0, 1.0]]))).all()
    assert np.isnan(logarithm(np.zeros((2, 2), complex))).all()
    assert np.isnan(logarithm(np.full((2, 2), np.inf + 0j))).all()


def test_types_are_kept() -> None:
    for dtype in (np.float32, np.float64, np.complex64, np.complex128):
        assert square_root(np.eye(2, dtype=dtype)).dtype == dtype
    assert logarithm(np.eye(2, dtype=np.complex64)).dtype == np.complex64
