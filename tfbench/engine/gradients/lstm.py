"""The gradient of an LSTM step in one op: of memory and output alone, as in TensorFlow; the gates are its own."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.ops.lstm_block import lstm_block_cell_grad_op
from tfbench.engine.ops.nn_bias import bias_add_grad


@gradient("LSTMBlockCell")
def _lstm_block_cell(node: Operation, *grads: Any) -> Any:
    x, cs_prev, h_prev, w = node.inputs[:4]
    batch, inputs = x.get_shape().with_rank(2).as_list()
    units = cs_prev.get_shape().with_rank(2).as_list()[1]
    for what, size in (("input_size from `x`", inputs), ("cell_size from `cs_prev`", units)):
        if size is None:
            raise ValueError(f"{what} should not be None.")
    back, gates, *diagonals = lstm_block_cell_grad_op(
        *node.inputs, *node.outputs[:6], grads[1], grads[6], use_peephole=node.attrs["use_peephole"]
    )
    both = ops.matmul(gates, w, transpose_b=True)
    rows = -1 if batch is None else batch
    x_grad = ops.slice(both, [0, 0], [rows, inputs])
    h_grad = ops.slice(both, [0, inputs], [rows, units])
    w_grad = ops.matmul(ops.concat([x, h_prev], 1), gates, transpose_a=True)
    return [x_grad, back, h_grad, w_grad, *diagonals, bias_add_grad(gates)]
