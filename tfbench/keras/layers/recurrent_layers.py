"""`SimpleRNN`, `GRU`, `LSTM`: each an `RNN` with its cell."""

from __future__ import annotations

from typing import Any

from tfbench.keras import logging_of_keras as log
from tfbench.keras import regularizers
from tfbench.keras.engine.base_layer import InputSpec
from tfbench.keras.layers.recurrent import RNN
from tfbench.keras.layers.recurrent_base import in_order
from tfbench.keras.layers.recurrent_cells import Cell, GRUCell, LSTMCell, SimpleRNNCell

#: arguments of the layer itself, in order
_OF_LAYER = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll")


def _of_cell(name: str) -> Any:
    return property(lambda layer: getattr(layer.cell, name), doc=f"`{name}` of the cell.")


class _WithCell(RNN):
    """The base of the three: arguments of the cell are the layer's."""

    _with_cell = False
    _cell_class: type[Cell]
    _config: tuple[str, ...] = (
        "units", "activation", "use_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer",
        "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "activity_regularizer", "kernel_constraint",
        "recurrent_constraint", "bias_constraint", "dropout", "recurrent_dropout",
    )  # fmt: skip
    units = _of_cell("units")
    activation = _of_cell("activation")
    use_bias = _of_cell("use_bias")
    kernel_initializer = _of_cell("kernel_initializer")
    recurrent_initializer = _of_cell("recurrent_initializer")
    bias_initializer = _of_cell("bias_initializer")
    kernel_regularizer = _of_cell("kernel_regularizer")
    recurrent_regularizer = _of_cell("recurrent_regularizer")
    bias_regularizer = _of_cell("bias_regularizer")
    kernel_constraint = _of_cell("kernel_constraint")
    recurrent_constraint = _of_cell("recurrent_constraint")
    bias_constraint = _of_cell("bias_constraint")
    dropout = _of_cell("dropout")
    recurrent_dropout = _of_cell("recurrent_dropout")

    def _make(self, of_cell: dict[str, Any], kwargs: dict[str, Any]) -> None:
        """Begins with the arguments of `__init__`, those of the layer still in `kwargs`."""
        of_layer = {name: of_cell.pop(name) for name in _OF_LAYER}
        penalty = of_cell.pop("activity_regularizer")
        cell = self._cell_class(**of_cell, dtype=kwargs.get("dtype"))
        RNN.__init__(self, cell, **of_layer, **kwargs)
        self.activity_regularizer = regularizers.get(penalty)
        self.input_spec = [InputSpec(ndim=3)]

    def call(  # type: ignore[override]
        self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None
    ) -> Any:
        self.cell.reset_dropout_mask()
        self.cell.reset_recurrent_dropout_mask()
        return super().call(inputs, mask=mask, training=training, initial_state=initial_state)

    def get_config(self) -> dict[str, Any]:
        return in_order(super().get_config())

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:  # type: ignore[override]
        """A layer made again from what `get_config` gave."""
        if config.get("implementation") == 0:
            config["implementation"] = 1
        return cls(**config)


def _arguments(found: dict[str, Any]) -> dict[str, Any]:
    """The local variables of an `__init__` that are its arguments."""
    return {name: value for name, value in found.items() if name not in ("self", "kwargs", "__class__")}


def _check_implementation(implementation: int) -> None:
    if implementation == 0:
        log.warning("`implementation=0` is deprecated and means `implementation=1`: give 1 or 2, or leave it out.")


class SimpleRNN(_WithCell):
    """The output of a step is activation(inputs kernel + bias + output before recurrent_kernel).

    The arguments are those of `SimpleRNNCell` and of `RNN`.
    """

    _cell_class = SimpleRNNCell

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
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        given = _arguments(locals())
        if "implementation" in kwargs:
            kwargs.pop("implementation")
            log.warning("SimpleRNN: the argument `implementation` is deprecated and changes nothing; leave it out.")
        self._make(given, kwargs)


class _Gated(_WithCell):
    """The base of layers whose cells have gates."""

    _config: tuple[str, ...] = ("recurrent_activation", "implementation")
    recurrent_activation = _of_cell("recurrent_activation")
    implementation = _of_cell("implementation")


class GRU(_Gated):
    """Gated recurrent units. The arguments are those of `GRUCell` and of `RNN`."""

    _cell_class = GRUCell
    _config = ("reset_after",)
    reset_after = _of_cell("reset_after")

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        reset_after: bool = False,
        **kwargs: Any,
    ) -> None:
        given = _arguments(locals())
        _check_implementation(implementation)
        self._make(given, kwargs)


class LSTM(_Gated):
    """Long short-term memory. The arguments are those of `LSTMCell` and of `RNN`."""

    _cell_class = LSTMCell
    _config = ("unit_forget_bias",)
    unit_forget_bias = _of_cell("unit_forget_bias")

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
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        given = _arguments(locals())
        _check_implementation(implementation)
        self._make(given, kwargs)
