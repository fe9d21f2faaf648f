"""`tf.hessians`: second derivatives, one row after the other, in a loop."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.gradients.build import gradients
from tfbench.engine.ops.tensor_array import TensorArray


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Any]:
    """The matrices of second derivatives of the sum of `ys`: for x of shape s, one of shape s + s.

    Raises:
      ValueError: if an x has no gradient.
    """
    xs = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    firsts = gradients(
        ys,
        xs,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
    )
    return [_hessian(first, x) for first, x in zip(firsts, xs)]


def _hessian(first: Any, x: Any) -> Any:
    flat: Any = ops.reshape(first, [-1])
    count: Any = ops.size(x)
    start = [ops.constant(0, dtypes.int32), TensorArray(x.dtype, count)]

    def row(index: Any, rows: Any) -> Any:
        return index + 1, rows.write(index, gradients(flat[index], x)[0])

    _, rows = ops.while_loop(lambda index, _: index < count, row, start)
    sizes = ops.shape(x)
    return ops.reshape(rows.stack(), ops.concat((sizes, sizes), 0))
