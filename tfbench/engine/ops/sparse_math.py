"""Arithmetic of sparse tensors: sums, larger and smaller ones, reductions, softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.composite import SparseTensor, SparseTensorValue
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, OpDef, op
from tfbench.engine.ops.base import constant
from tfbench.engine.ops.math_range import range as range_op
from tfbench.engine.ops.shape_queries import rank
from tfbench.engine.ops.slopes import sparse_dense_add
from tfbench.engine.ops.sparse import as_sparse
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape, TensorShape
from tfbench.engine.tensor import Tensor

__all__ = [
    "sparse_add", "sparse_maximum", "sparse_minimum", "sparse_reduce_max", "sparse_reduce_max_sparse",
    "sparse_reduce_sum", "sparse_reduce_sum_sparse", "sparse_softmax",
]  # fmt: skip

Array = Any

_REAL = "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
_NUMBER = (
    "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
    "uint16, complex128, half, uint32, uint64}"
)

_add = op(
    "SparseAdd",
    "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, thresh: Treal",
    "sum_indices: int64, sum_values: T, sum_shape: int64",
    f"T: {_NUMBER}; Treal: {_REAL}",
    fresh=True,
)
add_grad = op(
    "SparseAddGrad",
    "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64",
    "a_val_grad: T, b_val_grad: T",
    f"T: {_NUMBER}",
    fresh=True,
)
cwise_add = op(
    "SparseDenseCwiseAdd", "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T", "output: T", f"T: {_NUMBER}",
    fresh=True,
)  # fmt: skip
_softmax = op(
    "SparseSoftmax", "sp_indices: int64, sp_values: T, sp_shape: int64", "output: T", "T: {half, float, double}",
    fresh=True,
)  # fmt: skip
add_grad.no_gradient("TensorFlow has none for the slopes of sparse sums")


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


def _key(indices: Array, shape: Array) -> Array:
    """Each index vector as a number, in row-major order."""
    key = np.zeros(len(indices), np.int64)
    for axis, size in enumerate(shape.tolist()):
        key = key * size + indices[:, axis]
    return key


def _joined(a: Array, b: Array, shape: Array) -> tuple[Array, Array, Array]:
    """The index vectors of either, in order, and where those of each stand among them."""
    keys = np.concatenate([_key(a, shape), _key(b, shape)])
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    both = np.concatenate([a, b])[first]
    return both, places[: len(a)], places[len(a) :]


def _sparse_shapes(indices: Shape, values: Shape, shape: Shape) -> tuple[int | None, int | None]:
    """Rows and columns of the index matrix."""
    rows, columns = with_rank(indices, 2)
    with_rank(values, 1)
    size = with_rank(shape, 1)[0]
    return rows, columns if columns is not None else size


# -- sums -----------------------------------------------------------------------------------------------------------


@_add.shape
def _add_shape(node: Operation, *inputs: Shape) -> list[Shape]:
    _sparse_shapes(*inputs[:3])
    _sparse_shapes(*inputs[3:6])
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
    keys = _key(total, sizes)
    results = []
    for indices in (a, b):
        found = np.zeros(len(indices), grad.dtype)
        if keys.size:
            own = _key(indices, sizes)
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
    try:
        whole = np.broadcast_to(dense, shape.tolist())
    except ValueError:
        raise invalid(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"{brackets(shape.tolist())} vs. {brackets(dense.shape)}"
        ) from None
    return values + whole[tuple(indices.T)]


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
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
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


_maximum = _one_of_two("SparseSparseMaximum", _REAL, np.maximum)
_minimum = _one_of_two("SparseSparseMinimum", _NUMBER, np.minimum)


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


# -- reductions ------------------------------------------------------------------------------------------------------


def _reduction(type: str, add: bool, types: str) -> tuple[OpDef, OpDef]:
    inputs = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32"
    attrs = f"keep_dims: bool = false; T: {types}"
    dense = op(type, inputs, "output: T", attrs, fresh=True)
    sparse = op(
        f"{type}Sparse", inputs, "output_indices: int64, output_values: T, output_shape: int64", attrs, fresh=True
    )

    @dense.shape
    def _(node: Operation, indices: Shape, values: Shape, shape: Shape, axes: Shape) -> list[Shape]:
        return [_reduced(node)]

    @sparse.shape
    def _(node: Operation, *inputs: Shape) -> list[Shape]:
        return [None, None, None]

    def groups(indices: Array, values: Array, shape: Array, axes: Array, keep_dims: bool) -> Any:
        check_sparse(indices, values, shape)
        sizes, gone = shape.tolist(), _axes(np.ravel(axes), shape.size)
        kept = [axis for axis in range(len(sizes)) if axis not in gone]
        outer = np.array([sizes[axis] for axis in kept], np.int64)
        keys, places = np.unique(_key(indices[:, kept], outer), return_inverse=True)
        found = np.zeros(keys.size, values.dtype)
        if add:
            np.add.at(found, places, values)
        else:
            seen = np.zeros(keys.size, bool)
            for place, value in zip(places.tolist(), values):
                if not seen[place] or value > found[place]:
                    found[place], seen[place] = value, True
        where = np.stack(np.unravel_index(keys, outer), axis=1) if outer.size else np.zeros((keys.size, 0), np.int64)
        if keep_dims:
            full = np.zeros((keys.size, len(sizes)), np.int64)
            full[:, kept] = where
            where = full
            outer = np.array([1 if axis in gone else size for axis, size in enumerate(sizes)], np.int64)
        return where, found, outer

    @dense.kernel(CPU)
    def _(xp: Any, indices: Array, values: Array, shape: Array, axes: Array, *, keep_dims: bool) -> Array:
        where, found, sizes = groups(indices, values, shape, axes, keep_dims)
        out = np.zeros(sizes.tolist(), values.dtype)
        out[tuple(where.T)] = found if sizes.size else (found[0] if found.size else 0)
        return out

    @sparse.kernel(CPU)
    def _(xp: Any, indices: Array, values: Array, shape: Array, axes: Array, *, keep_dims: bool) -> list[Array]:
        return list(groups(indices, values, shape, axes, keep_dims))

    return dense, sparse


def _axes(axes: Array, rank: int) -> set[int]:
    found = set()
    for axis in axes.tolist():
        if not -rank <= axis < rank:
            raise invalid(f"Invalid reduction dimension {axis}, for input with {rank} dimensions.")
        found.add(axis % rank)
    return found


def _reduced(node: Operation) -> Shape:
    """The static shape of a reduction, where axes and shape are known."""
    known, axes = constant_value(node.inputs[2]), constant_value(node.inputs[3])
    if known is None or axes is None:
        return None
    sizes = known.tolist()
    gone = {axis % len(sizes) for axis in np.ravel(axes).tolist()} if sizes else set()
    if node.attrs["keep_dims"]:
        return tuple(1 if axis in gone else size for axis, size in enumerate(sizes))
    return tuple(size for axis, size in enumerate(sizes) if axis not in gone)


_sum, _sum_sparse = _reduction("SparseReduceSum", True, _NUMBER)
_max, _max_sparse = _reduction("SparseReduceMax", False, _REAL)
for _declared in (_sum_sparse, _max, _max_sparse):
    _declared.no_gradient("TensorFlow has none for this reduction of a sparse tensor")


def _reduce(declared: OpDef, sparse: Any, axis: Any, keepdims: Any, reduction_axes: Any, keep_dims: Any) -> Any:
    if keep_dims is not None:
        if keepdims is not None:
            raise ValueError("Cannot specify both 'keep_dims' and 'keepdims'.")
        keepdims = keep_dims
    if reduction_axes is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'reduction_axes' and 'axis'.")
        axis = reduction_axes
    axes = axis
    if axis is None:
        count = sparse.dense_shape.shape.num_elements()
        axes = range_op(0, rank(sparse)) if count is None else constant(np.arange(count, dtype=np.int32))
    return declared(sparse.indices, sparse.values, sparse.dense_shape, axes, keep_dims=bool(keepdims))


def sparse_reduce_sum(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> Tensor:
    """The sum along axes (all by default), a dense tensor."""
    found: Tensor = _reduce(_sum, sp_input, axis, keepdims, reduction_axes, keep_dims)
    return found


def sparse_reduce_max(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> Tensor:
    """The largest of the elements that there are, along axes (all by default); dense, 0 where there are none."""
    found: Tensor = _reduce(_max, sp_input, axis, keepdims, reduction_axes, keep_dims)
    return found


def sparse_reduce_sum_sparse(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> SparseTensor:
    """The sum along axes (all by default), a sparse tensor."""
    return SparseTensor(*_reduce(_sum_sparse, sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_reduce_max_sparse(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> SparseTensor:
    """The largest of the elements that there are, along axes (all by default), a sparse tensor."""
    return SparseTensor(*_reduce(_max_sparse, sp_input, axis, keepdims, reduction_axes, keep_dims))


# -- softmax ----------------------------------------------------------------------------------------------------------


@_softmax.shape
def _softmax_shape(node: Operation, indices: Shape, values: Shape, shape: Shape) -> list[Shape]:
    _sparse_shapes(indices, values, shape)
    return [values]


@_softmax.kernel(CPU)
def _softmax_kernel(xp: Any, indices: Array, values: Array, shape: Array) -> Array:
    check_sparse(indices, values, shape)
    if shape.size < 2:
        raise invalid(f"Expected shape to be at least 2-D, got: {shape.size}-D")
    _, rows = np.unique(_key(indices[:, :-1], shape[:-1]), return_inverse=True)
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
