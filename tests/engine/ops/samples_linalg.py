"""Samples of linear algebra. Decompositions that are not unique still come out the same twice."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfbench as tf

Sample = tuple[list[Any], dict[str, Any]]

SQUARE = np.array([[4.0, 1.0, -2.0], [1.0, 3.0, 0.5], [-2.0, 0.5, 5.0]], np.float32)
TALL = np.array([[1.0, 2.0], [3.0, -4.0], [0.5, 6.0]])
WIDE = np.array([[1.0, 2.0, 0.5], [3.0, -4.0, 1.0]], np.float32)
BATCH = np.stack([SQUARE, SQUARE + np.eye(3, dtype=np.float32)])
COMPLEX = np.array([[2.0, 1 - 1j], [1 + 1j, 3.0]], np.complex64)
RHS = np.array([[1.0, 0.0], [2.0, -1.0], [3.0, 0.5]], np.float32)
EMPTY = np.zeros((2, 0, 0))
SQUARES: list[Any] = [SQUARE, BATCH, COMPLEX, EMPTY, SQUARE.astype(np.float64)]


def each(arrays: list[Any], **attrs: Any) -> list[Sample]:
    return [([array], attrs) for array in arrays]


def symmetric(x: Any) -> list[Any]:
    """Only one triangle is looked at, for the other is taken to be the same."""
    return [(x + tf.linalg.adjoint(x)) / 2]


PREPARED = {"Cholesky": symmetric, "SelfAdjointEigV2": symmetric}

SAMPLES: dict[str, list[Sample]] = {
    "Qr": [*each([TALL, WIDE, BATCH, COMPLEX, np.zeros((2, 3, 0))]), *each([TALL, WIDE, BATCH], full_matrices=True)],
    "Svd": [
        *each([TALL, WIDE, BATCH, COMPLEX, np.zeros((2, 0, 3))]),
        *each([TALL, WIDE], full_matrices=True),
        *each([TALL, BATCH], compute_uv=False),
    ],
    "SelfAdjointEigV2": [*each(SQUARES), *each(SQUARES, compute_v=False)],
    "Eig": [
        *each([SQUARE, BATCH, COMPLEX], Tout="complex64"),
        *each([TALL[:2]], Tout="complex128", compute_v=False),
    ],
    "Cholesky": each([*SQUARES, -SQUARE]),
    "Lu": [*each(SQUARES), *each([BATCH], output_idx_type="int64")],
    "MatrixSquareRoot": each([SQUARE.astype(np.float64), COMPLEX, BATCH, EMPTY]),
    "MatrixLogarithm": each([COMPLEX, BATCH.astype(np.complex128), EMPTY.astype(np.complex64)]),
    "MatrixInverse": [*each(SQUARES), *each([COMPLEX, BATCH], adjoint=True)],
    "MatrixDeterminant": each(SQUARES),
    "LogMatrixDeterminant": each(SQUARES),
    "MatrixSolve": [
        ([SQUARE, RHS], {}),
        ([BATCH, np.stack([RHS, RHS])], {"adjoint": True}),
        ([COMPLEX, COMPLEX], {"adjoint": True}),
        ([np.eye(2), np.zeros((2, 0))], {}),
    ],
    "MatrixTriangularSolve": [
        ([SQUARE, RHS], {}),
        ([BATCH, RHS], {"lower": False}),
        ([SQUARE, np.stack([RHS, RHS])], {"adjoint": True}),
        ([COMPLEX, COMPLEX], {"lower": False, "adjoint": True}),
    ],
    "MatrixSolveLs": [
        ([TALL, TALL, np.array(0.5)], {}),
        ([WIDE, WIDE, np.array(0.5)], {}),
        ([TALL, TALL[:, :1], np.array(0.0)], {"fast": False}),
        ([np.stack([WIDE, WIDE]), np.ones((2, 2, 1), np.float32), np.array(0.0)], {"fast": False}),
    ],
}
