"""What the files of sparse ops share: whether parts are a sparse tensor, index vectors as numbers, static shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.composite import SparseTensor
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape, TensorShape

Array = Any

REAL = "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
NUMBER = (
    "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
    "uint16, complex128, half, uint32, uint64}"
)


def unknown_sizes(made: SparseTensor, sizes: Any = None) -> SparseTensor:
    """A sparse tensor of whose static shape only the rank is known (or `sizes`).

    So TensorFlow takes shapes that were computed, where more could be known.
    """
    if sizes is None:
        sizes = [None] * made.shape.ndims if made.shape.ndims is not None else None
    made._dense_shape_default = TensorShape(sizes)
    return made


def check_sparse(indices: Array, values: Array, shape: Array) -> None:
    """InvalidArgumentError for parts that are no sparse tensor."""
    if indices.ndim != 2:
        raise invalid(f"Input indices should be a matrix but received shape: {brackets(indices.shape)}")
    if values.ndim != 1:
        raise invalid(f"Input values should be a vector but received shape: {brackets(values.shape)}")
    if shape.ndim != 1:
        raise invalid(f"Input shape should be a vector but received shape: {brackets(shape.shape)}")
    if len(indices) != len(values):
        raise invalid(f"Number of elements in indices ({len(indices)}) and values ({len(values)}) do not match")
    if indices.shape[1] != shape.size:
        raise invalid(f"Dimensionality of indices ({indices.shape[1]}) does not match that of shape ({shape.size})")
    bad = np.flatnonzero(((indices < 0) | (indices >= shape)).any(axis=1))
    if bad.size:
        at = int(bad[0])
        raise invalid(
            f"indices[{at}] = {brackets(indices[at].tolist())} is out of bounds: need 0 <= index < "
            f"{brackets(shape.tolist())}"
        )


def row_major(indices: Array, shape: Array) -> Array:
    """Each index vector as a number, in row-major order."""
    key = np.zeros(len(indices), np.int64)
    for axis, size in enumerate(shape.tolist()):
        key = key * size + indices[:, axis]
    return key


def sparse_shapes(indices: Shape, values: Shape, shape: Shape) -> tuple[int | None, int | None]:
    """Rows and columns of the index matrix."""
    rows, columns = with_rank(indices, 2)
    with_rank(values, 1)
    size = with_rank(shape, 1)[0]
    return rows, columns if columns is not None else size
