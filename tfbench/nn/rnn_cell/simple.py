"""Cells whose state is one tensor: `BasicRNNCell` and `GRUCell`."""

from __future__ import annotations

from typing import Any

from tfbench import initializers
from tfbench.engine import ops
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.layers import by_name
from tfbench.layers.input_spec import InputSpec
from tfbench.nn.rnn_cell.base import LayerRNNCell


class BasicRNNCell(LayerRNNCell):
    """output = new state = activation(W * [input, state] + B); `activation` is tanh."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = by_name.activation(activation) or ops.tanh

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, input_shape: Any) -> None:
        depth = self.input_depth(input_shape)
        self._kernel = self.add_variable("kernel", shape=[depth + self._num_units, self._num_units])
        self._bias = self.add_variable(
            "bias", shape=[self._num_units], initializer=initializers.zeros_initializer(dtype=self.dtype)
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        gate_inputs = ops.matmul(ops.concat([inputs, state], 1), self._kernel)
        gate_inputs = bias_add(gate_inputs, self._bias)
        output = self._activation(gate_inputs)
        return output, output


class GRUCell(LayerRNNCell):
    """Gated recurrent unit: two gates, one that forgets the state before it is used, one that mixes it with the new."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = by_name.activation(activation) or ops.tanh
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, input_shape: Any) -> None:
        depth, units = self.input_depth(input_shape), self._num_units
        gates = self._bias_initializer or initializers.constant_initializer(1.0, dtype=self.dtype)
        candidate = self._bias_initializer or initializers.zeros_initializer(dtype=self.dtype)
        self._gate_kernel = self.add_variable(
            "gates/kernel", shape=[depth + units, 2 * units], initializer=self._kernel_initializer
        )
        self._gate_bias = self.add_variable("gates/bias", shape=[2 * units], initializer=gates)
        self._candidate_kernel = self.add_variable(
            "candidate/kernel", shape=[depth + units, units], initializer=self._kernel_initializer
        )
        self._candidate_bias = self.add_variable("candidate/bias", shape=[units], initializer=candidate)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        gate_inputs = ops.matmul(ops.concat([inputs, state], 1), self._gate_kernel)
        gate_inputs = bias_add(gate_inputs, self._gate_bias)
        value = ops.sigmoid(gate_inputs)
        r, u = ops.split(value=value, num_or_size_splits=2, axis=1)
        r_state = r * state
        candidate = ops.matmul(ops.concat([inputs, r_state], 1), self._candidate_kernel)
        candidate = bias_add(candidate, self._candidate_bias)
        c = self._activation(candidate)
        new_h = u * state + (1 - u) * c
        return new_h, new_h
