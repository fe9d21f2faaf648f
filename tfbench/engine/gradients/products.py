"""Gradients of products that are summed: Einsum, and those of matrices in batches and with many zeros."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.gradients.math import PRODUCTS
from tfbench.engine.gradients.reductions import kept_sizes
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

# -- matrices -------------------------------------------------------------------------------------------------


@gradient("BatchMatMul")
def _batch_matmul(node: Operation, dy: Any) -> Any:
    matrices = {"a": node.inputs[0], "b": node.inputs[1], "dy": dy}
    return [
        ops.matmul(matrices[first], matrices[second], adjoint_a=adjoint_a, adjoint_b=adjoint_b)
        for first, second, adjoint_a, adjoint_b in PRODUCTS[node.attrs["adj_x"], node.attrs["adj_y"]]
    ]


@gradient("SparseMatMul")
def _sparse_matmul(node: Operation, dy: Any) -> Any:
    """A product in which one factor is sparse is a SparseMatMul again."""
    a, b = node.inputs
    attrs = node.attrs
    # A gradient that comes from a Relu is taken for sparse.
    sparse = {a: attrs["a_is_sparse"], b: attrs["b_is_sparse"], dy: dy.op.type == "ReluGrad"}

    def product(x: Tensor, y: Tensor, kind: Any, transpose_x: bool = False, transpose_y: bool = False) -> Tensor:
        y_sparse = sparse[y]
        if transpose_y:
            y = ops.transpose(y)
        found = ops.matmul(x, y, transpose_a=transpose_x, a_is_sparse=sparse[x], b_is_sparse=y_sparse)
        return found if found.dtype == kind else ops.cast(found, kind)

    kinds = a.dtype.base_dtype, b.dtype.base_dtype
    transposed = attrs["transpose_a"], attrs["transpose_b"]
    if transposed == (False, False):
        return product(dy, b, kinds[0], transpose_y=True), product(a, dy, kinds[1], transpose_x=True)
    if transposed == (False, True):
        return product(dy, b, kinds[0]), product(dy, a, kinds[1], transpose_x=True)
    if transposed == (True, False):
        return product(b, dy, kinds[0], transpose_y=True), product(a, dy, kinds[1])
    return product(b, dy, kinds[0], True, True), product(dy, a, kinds[1], True, True)


# -- Einsum ---------------------------------------------------------------------------------------------------

_REST = "..."


@gradient("Einsum")
def _einsum(node: Operation, dy: Any) -> Any:
    """An operand's gradient is the Einsum of the incoming one and of the other operand; what was summed comes back."""
    labels, result = node.attrs["equation"].split("->")
    if len(node.inputs) == 1:
        return [_spread(dy, result, labels, lambda: ops.shape(node.inputs[0]))]
    x_labels, y_labels = labels.split(",")
    has_rest = _REST in result
    if has_rest:
        # An operand without axes for '...' is broadcast along them.
        x_labels += "" if _REST in x_labels else _REST
        y_labels += "" if _REST in y_labels else _REST
    x, y = node.inputs
    if dy.dtype.is_complex:
        x, y = ops.conj(x), ops.conj(y)
    x_sizes, y_sizes = ops.shape(x), ops.shape(y)
    dx = _of_operand(dy, result, y, y_labels, x_labels, x_sizes)
    dyy = _of_operand(dy, result, x, x_labels, y_labels, y_sizes)
    if not has_rest:
        return dx, dyy
    x_rest, y_rest = _rest(x_labels), _rest(y_labels)
    if _equal_and_known(x._shape, x_rest, y._shape, y_rest):
        return dx, dyy
    x_axes, y_axes = lookup("BroadcastGradientArgs")(x_sizes[x_rest], y_sizes[y_rest])
    dx = ops.reshape(ops.reduce_sum(dx, x_rest.start + x_axes), x_sizes)
    return dx, ops.reshape(ops.reduce_sum(dyy, y_rest.start + y_axes), y_sizes)


def _of_operand(dy: Any, result: str, other: Tensor, other_labels: str, labels: str, sizes: Tensor) -> Any:
    summed = set(labels) - set(result + other_labels + ".")
    left = "".join(label for label in labels if label not in summed)
    found = lookup("Einsum")([dy, other], equation=f"{result},{other_labels}->{left}")
    return _spread(found, left, labels, lambda: sizes) if summed else found


def _spread(dy: Any, result: str, labels: str, sizes_of: Any) -> Any:
    """`dy` with the axes `result`, along all axes `labels`: the same number along those that were summed."""
    sizes = sizes_of()
    summed = sorted(set(labels) - set(result + "."))
    if not summed:
        return lookup("Einsum")([dy], equation=f"{result}->{labels}")
    axes = [_axis(labels, label) for label in summed]
    extents = ops.stack([sizes[axis] for axis in axes])
    repeated = len(set(labels)) + len(set(result)) < len(labels) + len(result)
    if not repeated and "".join(label for label in labels if label not in summed) == result:
        kept = kept_sizes(sizes, convert_to_tensor(axes))
        return ops.broadcast_to(ops.reshape(dy, kept), sizes)
    whole = ops.concat([extents, ops.shape(dy)], axis=0)
    kept = ops.concat([ops.ones(len(summed), dtype=dtypes.int32), ops.shape(dy)], axis=0)
    wide = ops.broadcast_to(ops.reshape(dy, kept), whole)
    return lookup("Einsum")([wide], equation=f"{''.join(summed)}{result}->{labels}")


def _axis(labels: str, label: str) -> int:
    """The position of a label, counted from the end if '...' is before it."""
    before, _, behind = labels.partition(_REST)
    found = before.find(label)
    return found if found >= 0 else behind.index(label) - len(behind)


def _rest(labels: str) -> slice:
    """Where the axes of '...' are."""
    start = labels.index(_REST)
    behind = len(labels) - start - len(_REST)
    return slice(start, -behind if behind else None)


def _equal_and_known(x: Shape, x_rest: slice, y: Shape, y_rest: slice) -> bool:
    if x is None or y is None or None in x or None in y:
        return False
    return x[x_rest] == y[y_rest]
