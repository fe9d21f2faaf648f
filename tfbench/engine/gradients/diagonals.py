"""Gradients of putting diagonals into matrices, and of taking them out."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.tensor import Tensor


@gradient("MatrixDiagV3")
def _matrix_diag(node: Operation, dy: Any) -> Any:
    return [ops.matrix_diag_part(dy, k=node.inputs[1], align=node.attrs["align"]), None, None, None, None]


@gradient("MatrixDiagPartV3")
def _matrix_diag_part(node: Operation, dy: Any) -> Any:
    x, k = node.inputs[:2]
    align = node.attrs["align"]
    known = x._shape
    if known is not None and None not in known[-2:]:
        rows, columns = known[-2:]
        return [ops.matrix_diag(dy, k=k, num_rows=rows, num_cols=columns, align=align), None, None]
    return [ops.matrix_set_diag(ops.zeros_like(x), dy, k=k, align=align), None, None]


@gradient("MatrixSetDiagV3")
def _matrix_set_diag(node: Operation, dy: Any) -> Any:
    _, diagonal, k = node.inputs
    align = node.attrs["align"]
    sizes: Any = diagonal._shape
    if sizes is None or None in sizes:
        sizes = _diagonal_sizes(dy, k)
    dx = ops.matrix_set_diag(dy, ops.zeros(sizes, dtype=dy.dtype), k=k, align=align)
    return [dx, ops.matrix_diag_part(dy, k=k, align=align), None]


def _diagonal_sizes(matrix: Tensor, k: Tensor) -> Tensor:
    """The shape in which the diagonals `k` (one, or the lowest and the highest) of `matrix` are stored."""
    sizes: Any = ops.shape(matrix)
    batch, inner = sizes[:-2], sizes[-2:]
    bounds: Any = ops.reshape(k, [-1])
    lower, upper = bounds[0], bounds[-1]
    row_offset: Any = cond(ops.less(upper, 0), lambda: upper, lambda: ops.constant(0, dtype=dtypes.int32))
    column_offset: Any = cond(ops.greater(lower, 0), lambda: -lower, lambda: ops.constant(0, dtype=dtypes.int32))
    longest = ops.minimum(inner[0] + row_offset, inner[1] + column_offset)
    stored = cond(
        ops.equal(lower, upper),
        lambda: convert_to_tensor([longest]),
        lambda: convert_to_tensor([upper - lower + 1, longest]),
    )
    return ops.concat([batch, stored], 0)
