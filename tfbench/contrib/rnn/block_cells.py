"""`tf.contrib.rnn.LSTMBlockCell`: an LSTM cell whose step is one op."""

from __future__ import annotations

from typing import Any

from tfbench import initializers
from tfbench.engine import ops
from tfbench.engine.ops.lstm_block import lstm_block_cell_op
from tfbench.layers.input_spec import InputSpec
from tfbench.nn.rnn_cell.base import LayerRNNCell
from tfbench.nn.rnn_cell.lstm import LSTMStateTuple


class LSTMBlockCell(LayerRNNCell):
    """The basic LSTM cell, computed by one op a step; its kernel has the gates in another order (i, ci, f, o).

    Args:
      cell_clip: the memory is clipped to this; None: not at all.
      use_peephole: the gates see the memory.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Any = None,
        name: Any = "lstm_cell",
    ) -> None:
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = -1 if cell_clip is None else cell_clip
        self._use_peephole = use_peephole

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        size = inputs_shape.as_list()[1]
        if not size:
            raise ValueError(f"Expecting inputs_shape[1] to be set: {inputs_shape}")
        units = self._num_units
        self._kernel = self.add_variable("kernel", [size + units, 4 * units])
        self._bias = self.add_variable("bias", [4 * units], initializer=initializers.constant_initializer(0.0))
        if self._use_peephole:
            self._diagonals = [self.add_variable(f"w_{gate}_diag", [units]) for gate in "ifo"]
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        memory, before = state
        diagonals = (
            self._diagonals if self._use_peephole else [ops.zeros([self._num_units], self._kernel.dtype.base_dtype)] * 3
        )
        _, memory, _, _, _, _, output = lstm_block_cell_op(
            inputs, memory, before, self._kernel, *diagonals, self._bias,
            forget_bias=self._forget_bias, cell_clip=self._cell_clip, use_peephole=self._use_peephole,
        )  # fmt: skip
        return output, LSTMStateTuple(memory, output)
