"""Sets and sparse tensors in other shapes, against Python's sets and NumPy's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfbench as tf

OPERATIONS: dict[str, Any] = {
    "difference": lambda a, b: a - b,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


def as_sets(value: Any) -> list[set[int]]:
    """The rows of a dense matrix, or of a SparseTensorValue."""
    if isinstance(value, np.ndarray):
        return [set(row) for row in value.tolist()]
    rows: list[set[int]] = [set() for _ in range(value.dense_shape[0])]
    for (row, _), element in zip(value.indices.tolist(), value.values.tolist()):
        rows[row].add(element)
    return rows


def as_sparse(matrix: Any) -> Any:
    places = np.argwhere(matrix != 0)
    return tf.SparseTensorValue(places.astype(np.int64), matrix[matrix != 0], np.array(matrix.shape, np.int64))


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000), rows=st.integers(1, 4), sizes=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    sparse=st.tuples(st.booleans(), st.booleans()),
)  # fmt: skip
def test_against_sets(operation: str, seed: int, rows: int, sizes: tuple[int, int], sparse: tuple[bool, bool]) -> None:
    random = np.random.default_rng(seed)
    matrices = [random.integers(0, 4, (rows, size)).astype(np.int32) for size in sizes]
    values = [as_sparse(matrix) if is_sparse else matrix for matrix, is_sparse in zip(matrices, sparse)]
    with tf.Graph().as_default(), tf.Session() as sess:
        tensors = [
            tf.SparseTensor(*value) if is_sparse else tf.constant(value) for value, is_sparse in zip(values, sparse)
        ]
        result = getattr(tf.sets, operation)(*tensors)
        found, counts = sess.run([result, tf.sets.size(result)])
    expected = [OPERATIONS[operation](a, b) for a, b in zip(as_sets(values[0]), as_sets(values[1]))]
    assert as_sets(found) == expected
    assert counts.tolist() == [len(one) for one in expected]
    assert found.dense_shape.tolist() == [rows, max(len(one) for one in expected)]
    order = [tuple(place) for place in found.indices.tolist()]
    assert order == sorted(order)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), shape=st.sampled_from([[6, 4], [24], [2, 3, 4], [-1, 2], [4, -1, 1]]))
def test_reshape_is_that_of_the_dense_form(seed: int, shape: list[int]) -> None:
    matrix = np.random.default_rng(seed).integers(0, 3, (3, 8))
    with tf.Graph().as_default(), tf.Session() as sess:
        sparse = tf.SparseTensor(*as_sparse(matrix))
        dense = sess.run(tf.sparse_tensor_to_dense(tf.sparse_reshape(sparse, shape)))
    np.testing.assert_array_equal(dense, matrix.reshape(shape))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), axis=st.sampled_from([0, 1, -1]), count=st.integers(1, 4))
def test_concat_is_that_of_the_dense_forms(seed: int, axis: int, count: int) -> None:
    random = np.random.default_rng(seed)
    shapes = [(3, 2) if axis else (int(random.integers(1, 4)), 2) for _ in range(count)]
    matrices = [random.integers(0, 3, shape) for shape in shapes]
    with tf.Graph().as_default(), tf.Session() as sess:
        joined = tf.sparse_concat(axis, [tf.SparseTensor(*as_sparse(matrix)) for matrix in matrices])
        dense = sess.run(tf.sparse_tensor_to_dense(joined))
    np.testing.assert_array_equal(dense, np.concatenate(matrices, axis))


def test_unknown_operation() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([[1]])
        node = tf.raw_ops.DenseToDenseSetOperation(set1=x, set2=x, set_operation="both")
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid set_operation both"):
            sess.run(node[1])
