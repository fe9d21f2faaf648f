"""Long short-term memory: cells with a memory beside the output, and gates that say what it takes, keeps and shows."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfbench import initializers, partitioners
from tfbench.engine import dtypes, ops
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.tensor import Tensor
from tfbench.layers import by_name
from tfbench.layers.input_spec import InputSpec
from tfbench.nn.rnn_cell.base import LayerRNNCell


class LSTMStateTuple(namedtuple("LSTMStateTuple", ("c", "h"))):
    """The state of an LSTM cell: its memory `c` and its output `h`."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The type of both. TypeError if they differ."""
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError(f"Inconsistent internal state: {c.dtype} vs {h.dtype}")
        return c.dtype


def _pair(cell: Any, state: Any) -> Any:
    """The two parts of a state. TypeError for a state in one piece: GRU cells have such, and programs before 1.0."""
    if isinstance(state, Tensor):
        raise TypeError(
            f"The state of {type(cell).__name__} '{cell.name}' is a pair, LSTMStateTuple(c, h), but got one tensor, "
            f"{state}: begin with `zero_state`, or make the cell with state_is_tuple=False."
        )
    return state


class BasicLSTMCell(LayerRNNCell):
    """An LSTM cell without clipping, projections or peepholes. `forget_bias` keeps it from forgetting at the beginning.

    With `state_is_tuple=False` the state is one tensor, memory and output side by side.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = by_name.activation(activation) or ops.tanh

    @property
    def state_size(self) -> Any:
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, input_shape: Any) -> None:
        depth, units = self.input_depth(input_shape), self._num_units
        self._kernel = self.add_variable("kernel", shape=[depth + units, 4 * units])
        self._bias = self.add_variable(
            "bias", shape=[4 * units], initializer=initializers.zeros_initializer(dtype=self.dtype)
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        one = ops.constant(1, dtype=dtypes.int32)
        if self._state_is_tuple:
            c, h = _pair(self, state)
        else:
            c, h = ops.split(value=state, num_or_size_splits=2, axis=one)
        gate_inputs = ops.matmul(ops.concat([inputs, h], 1), self._kernel)
        gate_inputs = bias_add(gate_inputs, self._bias)
        # What is taken in, what it is, what is kept, what is shown.
        i, j, f, o = ops.split(value=gate_inputs, num_or_size_splits=4, axis=one)
        bias = ops.constant(self._forget_bias, dtype=f.dtype)
        add, multiply = ops.add, ops.multiply
        new_c = add(multiply(c, ops.sigmoid(add(f, bias))), multiply(ops.sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), ops.sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else ops.concat([new_c, new_h], 1)


class LSTMCell(LayerRNNCell):
    """An LSTM cell with everything: peepholes (gates that see the memory), clipping, a projection of the output.

    `num_unit_shards` and `num_proj_shards` cut the kernels into so many variables.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = by_name.activation(activation) or ops.tanh

    @property
    def state_size(self) -> Any:
        units, shown = self._num_units, self.output_size
        return LSTMStateTuple(units, shown) if self._state_is_tuple else units + shown

    @property
    def output_size(self) -> int:
        return self._num_proj or self._num_units

    def build(self, input_shape: Any) -> None:
        depth, units = self.input_depth(input_shape), self._num_units
        self._kernel = self.add_variable(
            "kernel",
            shape=[depth + self.output_size, 4 * units],
            initializer=self._initializer,
            partitioner=_shards(self._num_unit_shards),
        )
        zeros = initializers.zeros_initializer() if self.dtype is None else initializers.zeros_initializer(self.dtype)
        self._bias = self.add_variable("bias", shape=[4 * units], initializer=zeros)
        if self._use_peepholes:
            self._f_diag, self._i_diag, self._o_diag = (
                self.add_variable(f"w_{gate}_diag", shape=[units], initializer=self._initializer) for gate in "fio"
            )
        if self._num_proj is not None:
            self._proj_kernel = self.add_variable(
                "projection/kernel",
                shape=[units, self._num_proj],
                initializer=self._initializer,
                partitioner=_shards(self._num_proj_shards),
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        if self._state_is_tuple:
            c_prev, m_prev = _pair(self, state)
        else:
            c_prev = ops.slice(state, [0, 0], [-1, self._num_units])
            m_prev = ops.slice(state, [0, self._num_units], [-1, self.output_size])
        if inputs.shape.with_rank(2).as_list()[1] is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        gates = ops.matmul(ops.concat([inputs, m_prev], 1), self._kernel)
        gates = bias_add(gates, self._bias)
        # What is taken in, what it is, what is kept, what is shown.
        i, j, f, o = ops.split(value=gates, num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            c = ops.sigmoid(
                f + self._forget_bias + self._f_diag * c_prev
            ) * c_prev + ops.sigmoid(i + self._i_diag * c_prev) * self._activation(j)  # fmt: skip
        else:
            c = ops.sigmoid(f + self._forget_bias) * c_prev + ops.sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = ops.clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            m = ops.sigmoid(o + self._o_diag * c) * self._activation(c)
        else:
            m = ops.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = ops.matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = ops.clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else ops.concat([c, m], 1)


def _shards(count: int | None) -> Any:
    return None if count is None else partitioners.fixed_size_partitioner(count)
