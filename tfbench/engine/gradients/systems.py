"""Gradients of inverses, determinants and systems of linear equations, and of a matrix's root, which leads to one."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.linalg_solve import gram_cholesky
from tfbench.engine.tensor import Tensor


@gradient("MatrixInverse")
def _inverse(node: Operation, dy: Any) -> Any:
    inverse = node.outputs_list[0]
    if node.attrs["adjoint"]:
        product: Any = ops.matmul(inverse, ops.matmul(dy, inverse, adjoint_a=True))
    else:
        product = ops.matmul(inverse, ops.matmul(dy, inverse, adjoint_b=True), adjoint_a=True)
    return [-product]


@gradient("MatrixDeterminant")
def _determinant(node: Operation, dy: Any) -> Any:
    determinant = node.outputs_list[0]
    inverse = ops.matrix_inverse(node.inputs[0], adjoint=True)
    multiples: Any = ops.reshape(dy * determinant, ops.concat([ops.shape(determinant), [1, 1]], 0))
    return [multiples * inverse]


@gradient("LogMatrixDeterminant")
def _log_determinant(node: Operation, _: Any, dy: Any) -> Any:
    inverse = ops.matrix_inverse(node.inputs[0], adjoint=True)
    multiples: Any = ops.reshape(dy, ops.concat([ops.shape(node.outputs_list[1]), [1, 1]], 0))
    return [multiples * inverse]


@gradient("MatrixSolve")
def _solve(node: Operation, dx: Any) -> Any:
    matrix, x, adjoint = node.inputs[0], node.outputs_list[0], node.attrs["adjoint"]
    drhs = ops.matrix_solve(matrix, dx, adjoint=not adjoint)
    product: Any = ops.matmul(x, drhs, adjoint_b=True) if adjoint else ops.matmul(drhs, x, adjoint_b=True)
    return [-product, drhs]


@gradient("MatrixTriangularSolve")
def _triangular_solve(node: Operation, dx: Any) -> Any:
    matrix, rhs = node.inputs
    x = node.outputs_list[0]
    lower, adjoint = node.attrs["lower"], node.attrs["adjoint"]
    drhs = ops.matrix_triangular_solve(matrix, dx, lower=lower, adjoint=not adjoint)
    product: Any = ops.matmul(x, drhs, adjoint_b=True) if adjoint else ops.matmul(drhs, x, adjoint_b=True)
    dmatrix = ops.matrix_band_part(-product, -1, 0) if lower else ops.matrix_band_part(-product, 0, -1)
    known: list[Any] = [matrix._shape, rhs._shape]
    if all(shape is not None and None not in shape for shape in known) and known[0][:-2] == known[1][:-2]:
        return dmatrix, drhs
    sizes, rhs_sizes = ops.shape(matrix), ops.shape(rhs)
    axes, rhs_axes = lookup("BroadcastGradientArgs")(sizes[:-2], rhs_sizes[:-2])
    dmatrix = ops.reshape(ops.reduce_sum(dmatrix, axes), sizes)
    return dmatrix, ops.reshape(ops.reduce_sum(drhs, rhs_axes), rhs_sizes)


@gradient("MatrixSolveLs")
def _least_squares(node: Operation, dx: Any) -> Any:
    """Of the normal equations."""
    if not node.attrs["fast"]:
        raise ValueError(f"Gradient not defined for fast=False: '{node.name}' (op type: MatrixSolveLs)")
    matrix = node.inputs[0]
    known: Any = matrix._shape
    if known is not None and None not in known[-2:]:
        return [*(_tall if known[-2] >= known[-1] else _wide)(node, dx), None]
    sizes: Any = ops.shape(matrix)[-2:]
    return [*cond(sizes[-2] >= sizes[-1], lambda: _tall(node, dx), lambda: _wide(node, dx)), None]


def _tall(node: Operation, dx: Any) -> tuple[Tensor, Tensor]:
    matrix, rhs, regularizer = node.inputs
    chol = gram_cholesky(matrix, ops.cast(regularizer, matrix.dtype.base_dtype), True)
    z = ops.cholesky_solve(chol, dx)
    product: Any = ops.matmul(node.outputs_list[0], z, adjoint_b=True)
    symmetric = product + ops.matrix_transpose(product)
    dmatrix: Any = -ops.matmul(matrix, symmetric) + ops.matmul(rhs, z, adjoint_b=True)
    return dmatrix, ops.matmul(matrix, z)


def _wide(node: Operation, dx: Any) -> tuple[Tensor, Tensor]:
    matrix, rhs, regularizer = node.inputs
    chol = gram_cholesky(matrix, ops.cast(regularizer, matrix.dtype.base_dtype), False)
    drhs = ops.cholesky_solve(chol, ops.matmul(matrix, dx))
    z = ops.cholesky_solve(chol, rhs)
    first: Any = -ops.matmul(drhs, ops.matmul(z, matrix, adjoint_a=True))
    rest = dx - ops.matmul(matrix, drhs, adjoint_a=True)
    return first + ops.matmul(z, rest, adjoint_b=True), drhs


@gradient("MatrixSquareRoot")
def _square_root(node: Operation, dy: Any) -> Any:
    """y dx' + dx' y = dy, as one system for the elements of dx' in a column."""
    y = node.outputs_list[0]
    sizes: Any = ops.shape(y)
    order: Any = sizes[-1]
    count = ops.reduce_prod(sizes[0:-2])
    identity = ops.reshape(ops.eye(order, dtype=y.dtype), [-1])
    identities = ops.reshape(ops.tile(identity, [count]), sizes)
    left = _kronecker(identities, ops.matrix_transpose(y))
    right = _kronecker(y, identities)
    total = ops.add(left, right)
    batch = ops.slice(sizes, [0], [ops.subtract(ops.size(sizes), 2)])
    column = ops.concat([batch, [order * order], [1]], 0)
    flat = ops.reshape(ops.matrix_transpose(dy), column)
    return [ops.matrix_transpose(ops.reshape(ops.matrix_solve(total, flat), sizes))]


def _kronecker(a: Tensor, b: Tensor) -> Tensor:
    """The Kronecker product of square matrices, for each in a batch."""
    a_sizes, b_sizes = ops.shape(a), ops.shape(b)
    a_order: Any = a_sizes[-1]
    b_order: Any = b_sizes[-1]
    batch = ops.slice(a_sizes, [0], [ops.subtract(ops.size(a_sizes), 2)])
    a_shape = ops.concat([batch, [a_order], [1], [a_order], [1]], 0)
    b_shape = ops.concat([batch, [1], [b_order], [1], [b_order]], 0)
    wide_a, wide_b = ops.reshape(a, a_shape), ops.reshape(b, b_shape)
    order = a_order * b_order
    shape = ops.concat([batch, [order], [order]], 0)
    product: Any = wide_a * wide_b
    return ops.reshape(product, shape)
