"""Arrays of labels and of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np


def to_categorical(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> Any:
    """For each class number a vector with a 1 at its place; a last axis of size 1 is dropped before.

    Raises:
      IndexError: for a number that is not below `num_classes` (default: the largest number and one).
    """
    numbers = np.array(y, dtype="int")
    shape = numbers.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = shape[:-1]
    flat = numbers.ravel()
    count = num_classes or int(np.max(flat)) + 1
    vectors = np.zeros((flat.shape[0], count), dtype=dtype)
    vectors[np.arange(flat.shape[0]), flat] = 1
    return vectors.reshape((*shape, count))


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """`x` divided by its norm along the axis; what is 0 stays 0."""
    norms = np.atleast_1d(np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    return x / np.expand_dims(norms, axis)
