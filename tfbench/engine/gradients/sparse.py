"""Gradients of ops on sparse tensors: those of their values and of dense operands; indices and shapes have none."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.composite import SparseTensor
from tfbench.engine.gradients.reductions import kept_sizes
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup


@gradient("SparseReorder")
def _sparse_reorder(node: Operation, _: Any, dvalues: Any) -> Any:
    """Numbered elements, reordered in the same way, say where each came from."""
    indices, _, shape = node.inputs
    sizes: Any = ops.shape(indices)
    numbered = SparseTensor(indices, ops.range(sizes[0]), shape)
    places = ops.invert_permutation(ops.sparse_reorder(numbered).values)
    return [None, ops.gather(dvalues, places), None]


@gradient("SparseToDense")
def _sparse_to_dense(node: Operation, dy: Any) -> Any:
    """What no element is given comes from the default. TensorFlow gives zeros for indices and shape, not None."""
    indices, shape = node.inputs[:2]
    dvalues = ops.gather_nd(dy, indices)
    total: Any = ops.reduce_sum(dy)
    rest = total - ops.reduce_sum(dvalues)
    return [ops.zeros_like(indices), ops.zeros_like(shape), dvalues, rest]


@gradient("SparseTensorDenseMatMul")
def _sparse_tensor_dense_matmul(node: Operation, dy: Any) -> Any:
    """An element's gradient is the product of a row of `dy` and one of the dense matrix."""
    places: Any = node.inputs[0]
    indices, values, shape, matrix = node.inputs
    adjoint_a, adjoint_b = node.attrs["adjoint_a"], node.attrs["adjoint_b"]
    dmatrix = lookup("SparseTensorDenseMatMul")(indices, values, shape, dy, adjoint_a=not adjoint_a)
    if adjoint_b:
        dmatrix = ops.matrix_transpose(dmatrix, conjugate=True)
    rows, columns = places[:, 0], places[:, 1]
    if adjoint_a:
        rows, columns = columns, rows
    a = ops.gather(dy, rows)
    b = ops.gather(ops.transpose(matrix) if adjoint_b else matrix, columns)
    alike = adjoint_a == adjoint_b
    a, b = ops.expand_dims(a, -1 if adjoint_a else -2), ops.expand_dims(b, -2 if alike else -1)
    product = ops.matmul(a, b, adjoint_a=adjoint_a, adjoint_b=alike)
    return [None, ops.squeeze(product, axis=[-2, -1]), None, dmatrix]


# -- sparse times dense -----------------------------------------------------------------------------------------


def _elementwise(type: str) -> None:
    """The dense operand is stretched to the sparse one's shape: each element of that has one of the dense one."""

    @gradient(type)
    def build(node: Operation, dz: Any) -> Any:
        indices, values, shape, y = node.inputs
        whole: Any = shape
        places: Any = indices
        y_sizes: Any = ops.cast(ops.shape(y), dtypes.int64)
        missing = ops.expand_dims(ops.size(shape) - ops.size(y_sizes), 0)
        padded = ops.concat([ops.ones(missing, dtype=dtypes.int64), y_sizes], 0)
        places = places // (whole // padded)
        places = ops.slice(places, ops.concat([[0], missing], 0), [-1, -1])
        picked = ops.gather_nd(y, places)
        if type == "SparseDenseCwiseMul":
            dx, dpicked = dz * picked, dz * values
        else:
            dx, dpicked = dz / picked, dz * (-values / ops.square(picked))
        nothing = ops.zeros_like(y)
        dy = lookup("SparseTensorDenseAdd")(places, dpicked, y_sizes, nothing)
        return None, dx, None, dy


_elementwise("SparseDenseCwiseMul")
_elementwise("SparseDenseCwiseDiv")


# -- sums, parts, softmax ---------------------------------------------------------------------------------------


@gradient("SparseAdd")
def _sparse_add(node: Operation, _: Any, dvalues: Any, *others: Any) -> Any:
    inputs = node.inputs
    da, db = lookup("SparseAddGrad")(dvalues, inputs[0], inputs[3], node.outputs_list[0])
    da.set_shape(inputs[1].get_shape())
    db.set_shape(inputs[4].get_shape())
    return None, da, None, None, db, None, None


@gradient("SparseReduceSum")
def _sparse_reduce_sum(node: Operation, dy: Any) -> Any:
    """Each element's gradient is that of the sum it went into."""
    indices, _, shape, axes = node.inputs
    kept = kept_sizes(shape, axes)
    whole: Any = shape
    spread = ops.reshape(dy, kept)
    scale = whole // ops.cast(kept, dtypes.int64)
    places: Any = indices
    return None, ops.gather_nd(spread, places // scale), None, None


@gradient("SparseSlice")
def _sparse_slice(node: Operation, _: Any, dvalues: Any, *others: Any) -> Any:
    found = lookup("SparseSliceGrad")(dvalues, node.inputs[0], node.inputs[3], node.outputs_list[0])
    found.set_shape(node.inputs[1].get_shape())
    return None, found, None, None, None


@gradient("SparseSoftmax")
def _sparse_softmax(node: Operation, dy: Any) -> Any:
    indices, shape = node.inputs[0], node.inputs[2]
    softmax: Any = node.outputs_list[0]
    product = SparseTensor(indices, softmax * dy, shape)
    sums = -ops.sparse_reduce_sum(product, [-1], keepdims=True)
    moved = lookup("SparseDenseCwiseAdd")(indices, dy, shape, sums)
    return None, moved * softmax, None


@gradient("SparseFillEmptyRows")
def _sparse_fill_empty_rows(node: Operation, _: Any, dvalues: Any, *others: Any) -> Any:
    values, default = lookup("SparseFillEmptyRowsGrad")(node.outputs_list[3], dvalues)
    return None, values, None, default
