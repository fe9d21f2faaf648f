"""The cells of Keras's recurrent layers: `SimpleRNNCell`, `GRUCell`, `LSTMCell`."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.shapes import as_shape
from tfbench.keras.backend.arrays import concatenate
from tfbench.keras.backend.control import in_train_phase
from tfbench.keras.backend.convolution import bias_add
from tfbench.keras.backend.elementwise import dot
from tfbench.keras.backend.neural import dropout as dropped
from tfbench.keras.engine.base_layer import Layer
from tfbench.keras.initializers import Ones
from tfbench.keras.layers.recurrent_base import in_order, zero_states


class Cell(Layer):
    """The base of the three: their weights, and which inputs and states are left out in training.

    Args:
      units: the size of the output and of each state.
      activation: of the new state.
      dropout, recurrent_dropout: the parts of the inputs and of the states that are left out in training, the same
        ones in all steps.
    """

    _config: tuple[str, ...] = (
        "units", "activation", "use_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer",
        "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "kernel_constraint", "recurrent_constraint",
        "bias_constraint", "dropout", "recurrent_dropout",
    )  # fmt: skip
    kernel: Any
    recurrent_kernel: Any
    _masks: dict[str, list[Any]]
    #: how many matrices of `units` columns there are
    _gates = 1
    units: int
    activation: Any
    use_bias: bool
    dropout: float
    recurrent_dropout: float
    bias: Any
    kernel_initializer: Any
    recurrent_initializer: Any
    bias_initializer: Any
    kernel_regularizer: Any
    recurrent_regularizer: Any
    bias_regularizer: Any
    kernel_constraint: Any
    recurrent_constraint: Any
    bias_constraint: Any

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        vars(self).update(
            units=units,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=min(1.0, max(0.0, dropout)),
            recurrent_dropout=min(1.0, max(0.0, recurrent_dropout)),
            state_size=units,
            output_size=units,
            _masks={},
        )

    def build(self, input_shape: Any) -> None:
        width = self.units * self._gates
        for name, rows, kind in (
            ("kernel", as_shape(input_shape).as_list()[-1], "kernel"),
            ("recurrent_kernel", self.units, "recurrent"),
        ):
            made = self.add_weight(
                shape=(rows, width),
                name=name,
                initializer=getattr(self, f"{kind}_initializer"),
                regularizer=getattr(self, f"{kind}_regularizer"),
                constraint=getattr(self, f"{kind}_constraint"),
            )
            setattr(self, name, made)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                shape=self._bias_shape(),
                name="bias",
                initializer=self._first_bias(),
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def _bias_shape(self) -> tuple[int, ...]:
        return (self.units * self._gates,)

    def _first_bias(self) -> Any:
        return self.bias_initializer

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """States of zeros."""
        return zero_states(self, inputs, batch_size, dtype)

    def get_config(self) -> dict[str, Any]:
        return in_order(super().get_config())

    # -- what is left out in training ----------------------------------------------------------------------------------

    def reset_dropout_mask(self) -> None:
        """Has the next step choose anew which inputs are left out."""
        self._masks.pop("dropout", None)

    def reset_recurrent_dropout_mask(self) -> None:
        """Has the next step choose anew which states are left out."""
        self._masks.pop("recurrent_dropout", None)

    def _mask(self, which: str, like: Any, training: Any) -> Any:
        """A factor for each gate, made by the first step; None where nothing is left out."""
        rate = getattr(self, which)
        if rate == 0:
            return None
        if which not in self._masks:
            ones = ops.ones_like(like)

            def some() -> Any:
                return dropped(ones, rate)

            self._masks[which] = [in_train_phase(some, ones, training=training) for _ in range(self._gates)]
        return self._masks[which]

    def get_dropout_mask_for_cell(self, inputs: Any, training: Any, count: int = 1) -> Any:
        """The factors of the inputs."""
        return _as_asked(self._mask("dropout", inputs, training), count)

    def get_recurrent_dropout_mask_for_cell(self, inputs: Any, training: Any, count: int = 1) -> Any:
        """The factors of the states."""
        return _as_asked(self._mask("recurrent_dropout", inputs, training), count)

    def _for_gates(self, tensor: Any, masks: Any, rate: float) -> list[Any]:
        """The tensor for each gate, with what is left out."""
        if 0 < rate < 1:
            return [tensor * mask for mask in masks]
        return [tensor] * self._gates


def _as_asked(masks: Any, count: int) -> Any:
    return masks[0] if masks is not None and count == 1 else masks


class SimpleRNNCell(Cell):
    """activation(inputs kernel + bias + state recurrent_kernel), which is output and state."""

    def __init__(self, units: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(units, *args, **kwargs)
        self._interpret()

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        state = states[0]
        mask = self.get_dropout_mask_for_cell(inputs, training)
        recurrent_mask = self.get_recurrent_dropout_mask_for_cell(state, training)
        h = dot(inputs if mask is None else inputs * mask, self.kernel)
        if self.bias is not None:
            h = bias_add(h, self.bias)
        output = h + dot(state if recurrent_mask is None else state * recurrent_mask, self.recurrent_kernel)
        if self.activation is not None:
            output = self.activation(output)
        return output, [output]


class GatedCell(Cell):
    """The base of cells with gates, which `recurrent_activation` is of.

    `implementation` 1 makes a product for each gate, 2 one for all.
    """

    _config: tuple[str, ...] = ("recurrent_activation", "implementation")
    recurrent_activation: Any
    implementation: int

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        *args: Any,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, use_bias, *args, **kwargs)
        vars(self).update(recurrent_activation=recurrent_activation, implementation=implementation)
        self._interpret()


class GRUCell(GatedCell):
    """A gated recurrent unit. `reset_after`: whether the reset gate is applied behind the product, as cuDNN does."""

    _gates = 3
    _config = ("reset_after",)
    reset_after: bool

    def __init__(self, units: int, *args: Any, reset_after: bool = False, **kwargs: Any) -> None:
        super().__init__(units, *args, **kwargs)
        vars(self)["reset_after"] = reset_after

    def _bias_shape(self) -> tuple[int, ...]:
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        h, n = states[0], self.units
        masks = self.get_dropout_mask_for_cell(inputs, training, count=3)
        recurrent_masks = self.get_recurrent_dropout_mask_for_cell(h, training, count=3)
        bias = recurrent_bias = None
        if self.use_bias:
            bias, recurrent_bias = ops.unstack(self.bias) if self.reset_after else (self.bias, None)
        kernel, recurrent = self.kernel, self.recurrent_kernel
        parts = (slice(None, n), slice(n, 2 * n), slice(2 * n, None))
        if self.implementation == 1:
            each = self._for_gates(inputs, masks, self.dropout)
            x = [dot(one, kernel[:, part]) for one, part in zip(each, parts, strict=True)]
            if bias is not None:
                x = [bias_add(one, bias[part]) for one, part in zip(x, parts, strict=True)]
            h_z, h_r, h_h = self._for_gates(h, recurrent_masks, self.recurrent_dropout)
            inner = [dot(h_z, recurrent[:, parts[0]]), dot(h_r, recurrent[:, parts[1]])]
            if recurrent_bias is not None:
                inner = [bias_add(one, recurrent_bias[part]) for one, part in zip(inner, parts, strict=False)]
            inner.append(None)
        else:
            matrix = dot(inputs * masks[0] if 0 < self.dropout < 1 else inputs, kernel)
            matrix = matrix if bias is None else bias_add(matrix, bias)
            x = [matrix[:, part] for part in parts]
            h = h_h = h * recurrent_masks[0] if 0 < self.recurrent_dropout < 1 else h
            matrix = dot(h, recurrent if self.reset_after else recurrent[:, : 2 * n])
            matrix = matrix if recurrent_bias is None else bias_add(matrix, recurrent_bias)
            inner = [matrix[:, parts[0]], matrix[:, parts[1]], matrix if self.reset_after else None]
        z = self.recurrent_activation(x[0] + inner[0])
        r = self.recurrent_activation(x[1] + inner[1])
        if not self.reset_after:
            last = dot(r * h_h, recurrent[:, parts[2]])
        elif inner[2] is not None:
            last = r * inner[2][:, parts[2]]
        else:
            last = dot(h_h, recurrent[:, parts[2]])
            last = r * (last if recurrent_bias is None else bias_add(last, recurrent_bias[parts[2]]))
        new = z * h + (1 - z) * self.activation(x[2] + last)
        return new, [new]


class LSTMCell(GatedCell):
    """Long short-term memory. `unit_forget_bias` begins with 1 as the bias of the forget gate.

    The states are the output and the memory.
    """

    _gates = 4
    _config = ("unit_forget_bias",)
    unit_forget_bias: bool

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        given = (kernel_initializer, recurrent_initializer, bias_initializer)
        super().__init__(units, activation, recurrent_activation, use_bias, *given, *args, **kwargs)
        vars(self).update(unit_forget_bias=unit_forget_bias, state_size=[units, units])

    def _first_bias(self) -> Any:
        if not self.unit_forget_bias:
            return self.bias_initializer
        n = self.units

        def first(shape: Any, *args: Any, **kwargs: Any) -> Any:
            before, behind = self.bias_initializer((n,), *args, **kwargs), Ones()((n,), *args, **kwargs)
            return concatenate([before, behind, self.bias_initializer((n * 2,), *args, **kwargs)])

        return first

    def _carry_and_output(self, gates: Any, memory: Any) -> Any:
        """The new memory and the output gate. Each of `gates` gives what goes into a gate."""
        i = self.recurrent_activation(self._peep("input", gates[0](), memory))
        f = self.recurrent_activation(self._peep("forget", gates[1](), memory))
        c = f * memory + i * self.activation(gates[2]())
        return c, self.recurrent_activation(self._peep("output", gates[3](), c))

    def _peep(self, gate: str, value: Any, memory: Any) -> Any:
        return value

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        h, memory = states[0], states[1]
        masks = self.get_dropout_mask_for_cell(inputs, training, count=4)
        recurrent_masks = self.get_recurrent_dropout_mask_for_cell(h, training, count=4)
        n, recurrent = self.units, self.recurrent_kernel
        if self.implementation == 1:
            each = self._for_gates(inputs, masks, self.dropout)
            kernels = ops.split(self.kernel, 4, axis=1)
            x = [dot(one, kernel) for one, kernel in zip(each, kernels, strict=True)]
            if self.use_bias:
                x = [bias_add(one, bias) for one, bias in zip(x, ops.split(self.bias, 4, axis=0), strict=True)]
            before = self._for_gates(h, recurrent_masks, self.recurrent_dropout)
            parts = (slice(None, n), slice(n, n * 2), slice(n * 2, n * 3), slice(n * 3, None))

            def gate(at: int) -> Any:
                return lambda: x[at] + dot(before[at], recurrent[:, parts[at]])
        else:
            z = dot(inputs * masks[0] if 0 < self.dropout < 1 else inputs, self.kernel)
            z = z + dot(h * recurrent_masks[0] if 0 < self.recurrent_dropout < 1 else h, recurrent)
            z = bias_add(z, self.bias) if self.use_bias else z
            whole = ops.split(z, 4, axis=1)

            def gate(at: int) -> Any:
                return lambda: whole[at]

        c, o = self._carry_and_output([gate(at) for at in range(4)], memory)
        output = o * self.activation(c)
        return output, [output, c]

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        return list(zero_states(self, inputs, batch_size, dtype))


class PeepholeLSTMCell(LSTMCell):
    """An LSTM cell whose gates see the memory."""

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        for gate in ("input", "forget", "output"):
            name = f"{gate}_gate_peephole_weights"
            made = self.add_weight(shape=(self.units,), name=name, initializer=self.kernel_initializer)
            setattr(self, name, made)

    def _peep(self, gate: str, value: Any, memory: Any) -> Any:
        return value + getattr(self, f"{gate}_gate_peephole_weights") * memory
