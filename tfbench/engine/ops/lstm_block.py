"""A step of an LSTM cell as one op (`tf.contrib.rnn.LSTMBlockCell`), and the op of its gradient."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import op
from tfbench.engine.ops.nn_common import computed_by
from tfbench.engine.shape_math import with_rank

_INPUTS = "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T"
_TYPES = "T: {half, float}"

lstm_block_cell_op = op(
    "LSTMBlockCell",
    _INPUTS,
    "i: T, cs: T, f: T, o: T, ci: T, co: T, h: T",
    f"forget_bias: float = 1.0; cell_clip: float = 3.0; use_peephole: bool = false; {_TYPES}",
    fresh=True,
    doc="a step of an LSTM cell",
)
lstm_block_cell_grad_op = op(
    "LSTMBlockCellGrad",
    f"{_INPUTS}, i: T, cs: T, f: T, o: T, ci: T, co: T, cs_grad: T, h_grad: T",
    "cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T",
    f"use_peephole: bool; {_TYPES}",
    fresh=True,
)
computed_by(lstm_block_cell_op, "lstm_block", "step")
computed_by(lstm_block_cell_grad_op, "lstm_block", "step_gradient")
lstm_block_cell_grad_op.no_gradient("TensorFlow has none, though it is differentiable")


@lstm_block_cell_op.shape
def _step_shape(node: Operation, x: Any, cs_prev: Any, *others: Any) -> Any:
    return [(with_rank(x, 2)[0], with_rank(cs_prev, 2)[1])] * 7


@lstm_block_cell_grad_op.shape
def _step_grad_shape(node: Operation, x: Any, cs_prev: Any, *others: Any) -> Any:
    batch, size = with_rank(x, 2)[0], with_rank(cs_prev, 2)[1]
    return [(batch, size), (batch, None if size is None else 4 * size), *[(size,)] * 3]
