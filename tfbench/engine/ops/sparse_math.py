"""Arithmetic of sparse tensors, element by element: sums, the larger and the smaller of two, softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.composite import SparseTensor, SparseTensorValue
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, OpDef, op
from tfbench.engine.ops.slopes import sparse_dense_add
from tfbench.engine.ops.sparse import as_sparse, picked
from tfbench.engine.ops.sparse_common import NUMBER, REAL, check_sparse, row_major, sparse_shapes
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape

__all__ = ["sparse_add", "sparse_maximum", "sparse_minimum", "sparse_softmax"]

Array = Any

_add = op(
    "SparseAdd",
    "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, thresh: Treal",
    "sum_indices: int64, sum_values: T, sum_shape: int64",
    f"T: {NUMBER}; Treal: {REAL}",
    fresh=True,
)
add_grad = op(
    "SparseAddGrad",
    "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64",
    "a_val_grad: T, b_val_grad: T",
    f"T: {NUMBER}",
    fresh=True,
)
cwise_add = op(
    "SparseDenseCwiseAdd", "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T", "output: T", f"T: {NUMBER}",
    fresh=True,
)  # fmt: skip
_softmax = op(
    "SparseSoftmax", "sp_indices: int64, sp_values: T, sp_shape: int64", "output: T", "T: {half, float, double}",
    fresh=True,
)  # fmt: skip
add_grad.no_gradient("TensorFlow has none for the slopes of sparse sums")


def _joined(a: Array, b: Array, shape: Array) -> tuple[Array, Array, Array]:
    """The index vectors of either, in order, and where those of each stand among them."""
    keys = np.concatenate([row_major(a, shape), row_major(b, shape)])
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    both = np.concatenate([a, b])[first]
    return both, places[: len(a)], places[len(a) :]


# -- sums -----------------------------------------------------------------------------------------------------------


@_add.shape
def _add_shape(node: Operation, *inputs: Shape) -> list[Shape]:
    sparse_shapes(*inputs[:3])
    sparse_shapes(*inputs[3:6])
    columns = with_rank(inputs[2], 1)[0]
    return [(None, columns), (None,), (columns,)]


@_add.kernel(CPU)
def _add_kernel(xp: Any, ai: Array, av: Array, ashape: Array, bi: Array, bv: Array, bshape: Array, least: Array) -> Any:
    check_sparse(ai, av, ashape)
    check_sparse(bi, bv, bshape)
    if ashape.shape != bshape.shape:
        raise invalid(
            f"Ranks of input tensors must match, but saw ranks: {brackets(ashape.shape)} and {brackets(bshape.shape)}"
        )
    if (ashape != bshape).any():
        raise invalid(f"Input shapes do not match: {brackets(ashape.tolist())} and {brackets(bshape.tolist())}")
    both, at_a, at_b = _joined(ai, bi, ashape)
    values = np.zeros(len(both), av.dtype)
    np.add.at(values, at_a, av)
    np.add.at(values, at_b, bv)
    # Only what is a sum of two is left out where it is too small.
    counts = np.bincount(at_a, minlength=len(both)) + np.bincount(at_b, minlength=len(both))
    kept = (counts < 2) | (np.abs(values) >= least)
    return [both[kept], values[kept], np.array(ashape)]


@add_grad.shape
def _add_grad_shape(node: Operation, grad: Shape, a: Shape, b: Shape, total: Shape) -> list[Shape]:
    return [(with_rank(a, 2)[0],), (with_rank(b, 2)[0],)]


@add_grad.kernel(CPU)
def _add_grad_kernel(xp: Any, grad: Array, a: Array, b: Array, total: Array) -> list[Array]:
    sizes = np.concatenate([a, b, total]).max(axis=0, initial=0) + 1
    keys = row_major(total, sizes)
    results = []
    for indices in (a, b):
        found = np.zeros(len(indices), grad.dtype)
        if keys.size:
            own = row_major(indices, sizes)
            places = np.minimum(np.searchsorted(keys, own), keys.size - 1)
            there = keys[places] == own
            found[there] = grad[places[there]]
        results.append(found)
    return results


@cwise_add.gradient
def _cwise_add_gradient(node: Operation, dy: Any) -> Any:
    raise NotImplementedError("Gradient for SparseDenseCwiseAdd is not implemented.")


@cwise_add.shape
def _cwise_add_shape(node: Operation, indices: Shape, values: Shape, shape: Shape, dense: Shape) -> list[Shape]:
    return [(with_rank(indices, 2)[0],)]


@cwise_add.kernel(CPU)
def _cwise_add_kernel(xp: Any, indices: Array, values: Array, shape: Array, dense: Array) -> Array:
    return values + picked(indices, shape, dense)


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """The sum of two sparse tensors, sparse; or of a sparse and a dense one, dense.

    Args:
      threshold: elements of a sparse sum that are smaller are left out; `thresh` is its older name.

    Raises:
      TypeError: if both are dense.
    """
    if threshold is not None and thresh is not None:
        raise ValueError("Cannot specify both 'thresh' and 'threshold'.")
    threshold = thresh if threshold is None else threshold
    sparse = (SparseTensor, SparseTensorValue)
    if not isinstance(a, sparse) and not isinstance(b, sparse):
        raise TypeError("sparse_add: neither input is a SparseTensor; for two dense tensors use tf.add()")
    if isinstance(a, sparse) and isinstance(b, sparse):
        a, b = as_sparse(a), as_sparse(b)
        real = a.values.dtype.real_dtype.base_dtype
        least = convert_to_tensor(0 if threshold is None else threshold, dtype=real, name="threshold")
        outputs = _add(a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, least)
        indices, values, shape = outputs
        a.shape.assert_is_compatible_with(b.shape)
        known = a.shape.merge_with(b.shape)
        return SparseTensor(indices, values, known.as_list() if known.is_fully_defined() else shape)
    if isinstance(b, sparse):
        a, b = b, a
    a = as_sparse(a)
    return sparse_dense_add(a.indices, a.values, a.dense_shape, b)


# -- one of two -----------------------------------------------------------------------------------------------------


def _one_of_two(type: str, types: str, choose: Callable[[Array, Array], Array]) -> OpDef:
    declared = op(
        type,
        "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64",
        "output_indices: int64, output_values: T",
        f"T: {types}",
        fresh=True,
    )

    @declared.shape
    def _(node: Operation, *inputs: Shape) -> list[Shape]:
        return [(None, None), (None,)]

    @declared.kernel(CPU)
    def _(xp: Any, ai: Array, av: Array, ashape: Array, bi: Array, bv: Array, bshape: Array) -> list[Array]:
        check_sparse(ai, av, ashape)
        check_sparse(bi, bv, bshape)
        if ashape.shape != bshape.shape or (ashape != bshape).any():
            raise invalid(
                f"Operands' shapes do not match: got {brackets(ashape.tolist())} and {brackets(bshape.tolist())}"
            )
        both, at_a, at_b = _joined(ai, bi, ashape)
        first, second = np.zeros(len(both), av.dtype), np.zeros(len(both), av.dtype)
        first[at_a], second[at_b] = av, bv
        return [both, choose(first, second)]

    return declared


_maximum = _one_of_two("SparseSparseMaximum", REAL, np.maximum)
_minimum = _one_of_two("SparseSparseMinimum", NUMBER, np.minimum)


@_maximum.gradient
def _no_maximum_gradient(node: Operation, *dy: Any) -> Any:
    return [None] * 6


@_minimum.gradient
def _no_minimum_gradient(node: Operation, *dy: Any) -> Any:
    return [None] * 6


def sparse_maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger elements of two sparse tensors; what is missing counts as 0."""
    return _of_two(_maximum, "SparseSparseMaximum", sp_a, sp_b, name)


def sparse_minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller elements of two sparse tensors; what is missing counts as 0."""
    return _of_two(_minimum, "SparseSparseMinimum", sp_a, sp_b, name)


def _of_two(declared: OpDef, default: str, a: Any, b: Any, name: str | None) -> SparseTensor:
    with name_scope(name, default, [a.indices, a.values, b.indices, b.values]) as scope:
        indices, values = declared(a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, name=scope)
    return SparseTensor(indices, values, a.dense_shape)


# -- softmax ----------------------------------------------------------------------------------------------------------


@_softmax.shape
def _softmax_shape(node: Operation, indices: Shape, values: Shape, shape: Shape) -> list[Shape]:
    sparse_shapes(indices, values, shape)
    return [values]


@_softmax.kernel(CPU)
def _softmax_kernel(xp: Any, indices: Array, values: Array, shape: Array) -> Array:
    check_sparse(indices, values, shape)
    if shape.size < 2:
        raise invalid(f"Expected shape to be at least 2-D, got: {shape.size}-D")
    _, rows = np.unique(row_major(indices[:, :-1], shape[:-1]), return_inverse=True)
    if not rows.size:
        return np.array(values)
    highest = np.full(rows.max() + 1, -np.inf, values.dtype)
    np.maximum.at(highest, rows, values)
    powers = np.exp(values - highest[rows])
    sums = np.zeros(highest.size, values.dtype)
    np.add.at(sums, rows, powers)
    return powers / sums[rows]


def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Softmax over the elements that there are, along the last axis."""
    with name_scope(name, "SparseSoftmax", [sp_input.indices, sp_input.values]):
        values = _softmax(sp_input.indices, sp_input.values, sp_input.dense_shape)
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)
