"""Cells that only `tf.contrib.rnn` has: an LSTM that normalises its gates, and one that was found by search."""

from __future__ import annotations

from typing import Any

from tfbench import initializers
from tfbench.engine import ops
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.nn_activations import relu
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.tensor import Tensor
from tfbench.layers import by_name
from tfbench.nn.dropout import dropout
from tfbench.nn.normalization import batch_normalization, moments
from tfbench.nn.rnn_cell.base import LayerRNNCell, RNNCell
from tfbench.nn.rnn_cell.lstm import LSTMStateTuple
from tfbench.variable_scope import get_variable, variable_scope


class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM cell whose gates and memory are normalised over the units, with dropout of what it takes in.

    `norm_gain` and `norm_shift` are what the normalisations' scale and offset begin with.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Any = None,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._activation = by_name.activation(activation) or ops.tanh
        self._normalizes = layer_norm
        self._gain = norm_gain
        self._shift = norm_shift
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        return self._num_units

    def _norm(self, x: Tensor, scope: str) -> Tensor:
        if not self._normalizes:
            return x
        sizes, kind = x.shape[-1:], x.dtype
        with variable_scope(scope):
            gamma = get_variable(
                "gamma", shape=sizes, initializer=initializers.constant_initializer(self._gain), dtype=kind
            )
            beta = get_variable(
                "beta", shape=sizes, initializer=initializers.constant_initializer(self._shift), dtype=kind
            )
        with name_scope(scope):
            mean, variance = moments(x, [1], keep_dims=True)
            normal: Tensor = batch_normalization(x, mean, variance, beta, gamma, 1e-12)
        return normal

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        args = ops.concat([inputs, h], 1)
        kernel = get_variable("kernel", [args.shape.as_list()[-1], 4 * self._num_units], dtype=args.dtype)
        gates = ops.matmul(args, kernel)
        if not self._normalizes:
            gates = bias_add(gates, get_variable("bias", [4 * self._num_units], dtype=args.dtype))
        i, j, f, o = ops.split(value=gates, num_or_size_splits=4, axis=1)
        i, j, f, o = (
            self._norm(i, "input"),
            self._norm(j, "transform"),
            self._norm(f, "forget"),
            self._norm(o, "output"),
        )
        g = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            g = dropout(g, self._keep_prob, seed=self._seed)
        new_c = c * ops.sigmoid(f + self._forget_bias) + ops.sigmoid(i) * g
        new_c = self._norm(new_c, "state")
        new_h = self._activation(new_c) * ops.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class NASCell(LayerRNNCell):
    """The cell of "Neural Architecture Search with Reinforcement Learning": eight gates, joined in a tree."""

    def __init__(
        self, num_units: int, num_proj: int | None = None, use_bias: bool = False, reuse: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units = num_units
        self._num_proj = num_proj
        self._use_bias = use_bias

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> int:
        return self._num_units if self._num_proj is None else self._num_proj

    def build(self, input_shape: Any) -> None:
        depth, units = self.input_depth(input_shape), self._num_units
        self._recurrent_kernel = self.add_variable("recurrent_kernel", [self.output_size, 8 * units])
        self._kernel = self.add_variable("kernel", [depth, 8 * units])
        if self._use_bias:
            self._bias = self.add_variable("bias", shape=[8 * units], initializer=initializers.zeros_initializer())
        if self._num_proj is not None:
            self._projection = self.add_variable("projection_weights", [units, self._num_proj])
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        c_prev, m_prev = state
        from_state = ops.matmul(m_prev, self._recurrent_kernel)
        from_input = ops.matmul(inputs, self._kernel)
        if self._use_bias:
            from_state = bias_add(from_state, self._bias)
        m = ops.split(axis=1, num_or_size_splits=8, value=from_state)
        x = ops.split(axis=1, num_or_size_splits=8, value=from_input)
        tanh, sigmoid = ops.tanh, ops.sigmoid
        # The leaves of the tree, one for each pair of parts.
        first = [
            sigmoid(x[0] + m[0]),
            relu(x[1] + m[1]),
            sigmoid(x[2] + m[2]),
            relu(x[3] * m[3]),
            tanh(x[4] + m[4]),
            sigmoid(x[5] + m[5]),
            tanh(x[6] + m[6]),
            sigmoid(x[7] + m[7]),
        ]
        second = [
            tanh(first[0] * first[1]),
            tanh(first[2] + first[3]),
            tanh(first[4] * first[5]),
            sigmoid(first[6] + first[7]),
        ]
        second[0] = tanh(second[0] + c_prev)
        new_c = second[0] * second[1]
        other = tanh(second[2] + second[3])
        new_m = tanh(new_c * other)
        if self._num_proj is not None:
            new_m = ops.matmul(new_m, self._projection)
        return new_m, LSTMStateTuple(new_c, new_m)
