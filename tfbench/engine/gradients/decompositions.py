"""Gradients of decompositions of matrices: Cholesky, QR, eigenvalues, singular values.

With the factors at hand, dA follows from theirs by matrix products and triangular systems. Where vectors are
differentiated, differences of (squared) eigenvalues are divided by: `_inverse` is 0 and not infinite where they are
equal, as the vectors are not determined there.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.linalg_norm import adjoint
from tfbench.engine.tensor import Tensor


@gradient("Cholesky")
def _cholesky(node: Operation, dl: Any) -> Any:
    factor = node.outputs_list[0]
    size = ops.shape(factor)[-1]
    batch = ops.shape(factor)[:-2]
    inverse = ops.matrix_triangular_solve(factor, ops.eye(size, batch_shape=batch, dtype=factor.dtype))
    # the lower triangle of L^H dL, half of its diagonal
    middle: Any = ops.matmul(factor, dl, adjoint_a=True)
    middle = ops.matrix_set_diag(middle, 0.5 * ops.matrix_diag_part(middle))
    middle = ops.matrix_band_part(middle, -1, 0)
    dx = ops.matmul(ops.matmul(inverse, middle, adjoint_a=True), inverse)
    dx += adjoint(dx)
    return [dx * 0.5]


# -- QR -----------------------------------------------------------------------------------------------------


def _over_triangle(x: Any, r: Tensor) -> Tensor:
    """x r^-H, for the upper triangular r."""
    return adjoint(ops.matrix_triangular_solve(r, adjoint(x), lower=False, adjoint=False))


def _qr_tall(q: Tensor, r: Tensor, dq: Any, dr: Any) -> Any:
    """The gradient of a matrix that is not wider than high."""
    from_q: Any = ops.matmul(q, dq, adjoint_a=True)
    odd_q = from_q - adjoint(from_q)
    from_r: Any = ops.matmul(r, dr, adjoint_b=True)
    odd_r = from_r - adjoint(from_r)
    lower = ops.matrix_band_part(odd_q + odd_r, -1, 0)
    inside = ops.matmul(q, dr + _over_triangle(lower, r))
    outside = _over_triangle(dq - ops.matmul(q, from_q), r)
    dx = inside + outside
    if q.dtype.is_complex:
        # The diagonal of r is real, which takes the diagonal's imaginary part away.
        rest: Any = from_r - adjoint(from_q)
        diagonal = ops.matrix_set_diag(ops.zeros_like(rest), ops.matrix_diag_part(rest))
        imaginary = diagonal - ops.cast(ops.real(diagonal), q.dtype)
        dx += _over_triangle(ops.matmul(q, adjoint(imaginary)), r)
    return dx


@gradient("Qr")
def _qr(node: Operation, dq: Any, dr: Any) -> Any:
    q, r = node.outputs_list
    if r._shape is None or None in r._shape[-2:]:
        raise NotImplementedError(f"QrGrad not implemented with dynamic shapes: r has shape {r.shape} in '{node.name}'")
    rows: Any
    columns: Any
    rows, columns = r._shape[-2:]
    if rows > columns and q._shape is not None and q._shape[-2] == q._shape[-1]:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true: r has shape "
            f"{r.shape} in '{node.name}'"
        )
    if rows < columns:
        # The left square has a decomposition of its own, and the rest of r is q^H times the rest of the matrix.
        x: Any = node.inputs[0]
        rest = x[..., :, rows:]
        square = r[..., :, :rows]
        drest = dr[..., :, rows:]
        dsquare = dr[..., :, :rows]
        right = ops.matmul(q, drest)
        left = _qr_tall(q, square, dq + ops.matmul(rest, drest, adjoint_b=True), dsquare)
        return [ops.concat([left, right], axis=-1)]
    return [_qr_tall(q, r, dq, dr)]


# -- eigenvalues ------------------------------------------------------------------------------------------------


def _inverse(x: Any) -> Any:
    """1 / x, and 0 where x is 0."""
    return x * ops.reciprocal(x * x + 1e-20)


def _inverse_differences(values: Tensor, diagonal: Tensor) -> Tensor:
    """1 / (values[j] - values[i]) in row i and column j, zeros like `diagonal` on the diagonal."""
    gaps: Any = _inverse(ops.expand_dims(values, -2) - ops.expand_dims(values, -1))
    return ops.matrix_set_diag(gaps, ops.zeros_like(diagonal))


@gradient("SelfAdjointEigV2")
def _self_adjoint_eig(node: Operation, de: Any, dv: Any) -> Any:
    """Only the lower triangle is looked at, so that is where the gradient goes."""
    e, v = node.outputs_list
    with control_dependencies([de, dv]):
        if node.attrs["compute_v"]:
            gaps = _inverse_differences(e, e)
            inner = ops.matrix_diag(de) + gaps * ops.matmul(v, dv, adjoint_a=True)
        else:
            _, v = ops.self_adjoint_eig(node.inputs[0])
            inner = ops.matrix_diag(de)
        dx: Any = ops.matmul(v, ops.matmul(inner, v, adjoint_b=True))
        dx = ops.matrix_band_part(dx + adjoint(dx), -1, 0)
        return [ops.matrix_set_diag(dx, 0.5 * ops.matrix_diag_part(dx))]


@gradient("Eig")
def _eig(node: Operation, de: Any, dv: Any) -> Any:
    """Of vectors of length 1."""
    x = node.inputs[0]
    e, v = node.outputs_list
    with control_dependencies([de, dv]):
        if node.attrs["compute_v"]:
            turned: Any = adjoint(v)
            gaps = ops.conj(_inverse_differences(e, e))
            from_v: Any = ops.matmul(turned, dv)
            inner = ops.matrix_diag(de)
            lengths = ops.matrix_diag(ops.matrix_diag_part(ops.cast(ops.real(from_v), from_v.dtype)))
            inner += gaps * (from_v - ops.matmul(ops.matmul(turned, v), lengths))
        else:
            _, v = lookup("Eig")(x, Tout=e.dtype)
            turned = adjoint(v)
            inner = ops.matrix_diag(de)
        dx = ops.matrix_solve(turned, ops.matmul(inner, turned))
        return [ops.cast(dx, x.dtype)]


# -- singular values ----------------------------------------------------------------------------------------------


def _svd_sizes(node: Operation) -> tuple[int, int]:
    """Rows and columns, which must be known: which formula holds depends on them."""
    x = node.inputs[0]
    known: Any = x._shape
    if known is None or None in known[-2:]:
        raise NotImplementedError(
            f"SVD gradient has not been implemented for input with unknown inner matrix shape: {x.shape} in "
            f"'{node.name}'"
        )
    rows, columns = known[-2:]
    if node.attrs["full_matrices"] and abs(rows - columns) > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True: the input has shape "
            f"{x.shape} in '{node.name}'"
        )
    return rows, columns


@gradient("Svd")
def _svd(node: Operation, ds: Any, du: Any, dv: Any) -> Any:
    x = node.inputs[0]
    ds = ops.matrix_diag(ds)
    if not node.attrs["compute_uv"]:
        _, u, v = ops.svd(x, compute_uv=True)
        return [ops.matmul(u, ops.matmul(ds, v, adjoint_b=True))]
    rows, columns = _svd_sizes(node)
    s, u, v = node.outputs_list
    # A matrix that is higher than wide is treated as its adjoint.
    is_tall = rows > columns
    with control_dependencies([ds.op.inputs[0], dv, du] if is_tall else [ds.op.inputs[0], du, dv]):
        if is_tall:
            dx = _svd_wide(s, v, u, ds, dv, du, columns, rows)
            return [ops.matrix_transpose(dx, conjugate=True)]
        return [_svd_wide(s, u, v, ds, du, dv, rows, columns)]


def _svd_wide(s: Tensor, u: Tensor, v: Any, ds: Any, du: Any, dv: Any, rows: int, columns: int) -> Any:
    """The gradient of u s v^H, where u is square and v not smaller. `ds` is a diagonal matrix already."""
    s_matrix = ops.matrix_diag(s)
    squares = ops.square(s)
    sizes: Any = ops.shape(s)
    gaps: Any = _inverse_differences(squares, s)
    s_inverse = ops.matrix_diag(_inverse(s))
    v1, dv1 = v[..., :, :rows], dv[..., :, :rows]
    from_u, from_v = ops.matmul(u, du, adjoint_a=True), ops.matmul(v1, dv1, adjoint_a=True)
    turn_u, turn_v = gaps * from_u, gaps * from_v
    inner = ds + ops.matmul(turn_u + adjoint(turn_u), s_matrix) + ops.matmul(s_matrix, turn_v + adjoint(turn_v))
    dx: Any = ops.matmul(u, ops.matmul(inner, v1, adjoint_b=True))
    if rows != columns:
        # what of dv lies outside the space of v1
        outside: Any = ops.matrix_transpose(dv1, conjugate=True)
        within = ops.matmul(outside, v1)
        outside = outside - ops.matmul(within, v1, adjoint_b=True)
        if v._shape[-1] != rows:
            v2, dv2 = v[..., :, rows:columns], dv[..., :, rows:columns]
            outside -= ops.matmul(ops.matmul(v1, dv2, adjoint_a=True), v2, adjoint_b=True)
        dx += ops.matmul(ops.matmul(u, s_inverse), outside)
    if s.dtype.is_complex:
        identity: Any = ops.eye(sizes[-1], batch_shape=sizes[:-1], dtype=s.dtype)
        phases: Any = identity * from_v
        inner = ops.matmul(s_inverse, adjoint(phases) - phases)
        dx += 0.5 * ops.matmul(u, ops.matmul(inner, v1, adjoint_b=True))
    return dx
