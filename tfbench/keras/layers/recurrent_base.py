"""Cells: the base of those of one's own, cells in a row, and what all recurrent layers need to know of a cell."""

from __future__ import annotations

from typing import Any

from tfbench.engine import nest, ops
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.keras import logging_of_keras as log
from tfbench.keras.backend.arrays import is_keras_tensor
from tfbench.keras.engine.arguments import takes
from tfbench.keras.engine.base_layer import Layer
from tfbench.nn.rnn_cell import RNNCell


def several(sizes: Any) -> bool:
    """Whether there is more than one state."""
    return hasattr(sizes, "__len__") and not isinstance(sizes, TensorShape)


def zero_states(cell: Any, inputs: Any, batch_size: Any, dtype: Any) -> Any:
    """States of zeros: [batch, size] each.

    Raises:
      ValueError: if neither inputs nor batch size and dtype are given.
    """
    if inputs is not None:
        batch_size, dtype = ops.shape(inputs)[0], inputs.dtype
    if batch_size is None or dtype is None:
        raise ValueError(
            f"Without inputs an initial state needs both, they cannot be None: batch_size={batch_size}, dtype={dtype}"
        )

    def made(size: Any) -> Any:
        return ops.zeros([batch_size, *as_shape(size).as_list()], dtype=dtype)

    sizes = cell.state_size
    return nest.map_structure(made, sizes) if nest.is_nested(sizes) else made(sizes)


_ORDER = (
    "units", "activation", "recurrent_activation", "use_bias", "kernel_initializer", "recurrent_initializer",
    "bias_initializer", "unit_forget_bias", "kernel_regularizer", "recurrent_regularizer", "bias_regularizer",
    "activity_regularizer", "kernel_constraint", "recurrent_constraint", "bias_constraint", "dropout",
    "recurrent_dropout", "implementation", "reset_after",
)  # fmt: skip


def in_order(config: dict[str, Any]) -> dict[str, Any]:
    """A configuration with the arguments of a cell behind the others, as Keras orders them."""
    others = {name: value for name, value in config.items() if name not in _ORDER}
    return others | {name: config[name] for name in _ORDER if name in config}


def output_size(cell: Any) -> Any:
    """The size of a cell's output: what it says, else that of its first state."""
    if getattr(cell, "output_size", None) is not None:
        return cell.output_size
    return cell.state_size[0] if several(cell.state_size) else cell.state_size


class AbstractRNNCell(Layer):
    """The base of cells of one's own: `call(inputs, states)` gives the output and new states."""

    def call(self, inputs: Any, states: Any) -> Any:
        raise NotImplementedError("Abstract method")

    @property
    def state_size(self) -> Any:
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        raise NotImplementedError("Abstract method")

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """States of zeros."""
        return zero_states(self, inputs, batch_size, dtype)


class StackedRNNCells(Layer):
    """Cells in a row: what one puts out is the input of the next.

    Raises:
      ValueError: for what is no cell.
    """

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        for cell in cells:
            if not hasattr(cell, "call"):
                raise ValueError("All cells must have a `call` method. received cells:", cells)
            if not hasattr(cell, "state_size"):
                raise ValueError("All cells must have a `state_size` attribute. received cells:", cells)
        backwards = kwargs.pop("reverse_state_order", False)
        if backwards:
            log.warning(
                "StackedRNNCells: reverse_state_order=True is deprecated. Leave it out, and where you take the states "
                "(return_state=True), expect those of the first cell first."
            )
        super().__init__(**kwargs)
        self.cells = cells
        self.reverse_state_order = backwards

    def _ordered(self) -> Any:
        return self.cells[::-1] if self.reverse_state_order else self.cells

    @property
    def state_size(self) -> tuple[Any, ...]:
        return tuple(cell.state_size for cell in self._ordered())

    @property
    def output_size(self) -> Any:
        return output_size(self.cells[-1])

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """The cells' initial states."""
        found = []
        for cell in self._ordered():
            own = getattr(cell, "get_initial_state", None)
            if own:
                found.append(own(inputs=inputs, batch_size=batch_size, dtype=dtype))
            else:
                found.append(zero_states(cell, inputs, batch_size, dtype))
        return tuple(found)

    def call(self, inputs: Any, states: Any, constants: Any = None, **kwargs: Any) -> Any:
        sizes = self.state_size[::-1] if self.reverse_state_order else self.state_size
        after = []
        for cell, own in zip(self.cells, nest.pack_sequence_as(sizes, nest.flatten(states)), strict=True):
            own = own if nest.is_nested(own) else [own]
            own = own[0] if len(own) == 1 and isinstance(cell, RNNCell) else own
            more = {"constants": constants} if "constants" in takes(cell.call).named else {}
            inputs, own = cell.call(inputs, own, **more, **kwargs)
            after.append(own)
        return inputs, nest.pack_sequence_as(sizes, nest.flatten(after))

    def build(self, input_shape: Any) -> None:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        shape = as_shape(shape)
        for cell in self.cells:
            if hasattr(cell, "build") and not cell.built:
                cell.build(shape)
            shape = TensorShape([shape.as_list()[0], *as_shape(output_size(cell)).as_list()])
        self.built = True

    def get_config(self) -> dict[str, Any]:
        cells = [{"class_name": type(cell).__name__, "config": cell.get_config()} for cell in self.cells]
        return {**super().get_config(), "cells": cells}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Cells made again from what `get_config` gave."""
        from tfbench.keras.engine.layer_classes import layer_from

        return cls([layer_from(one, custom_objects) for one in config.pop("cells")], **config)


def separated(inputs: Any, initial_state: Any, constants: Any, num_constants: int) -> tuple[Any, Any, Any]:
    """The inputs, the states and the constants, which may all be in `inputs`: a list in this order."""
    if isinstance(inputs, list):
        end = len(inputs) - num_constants
        constants = inputs[end:] if num_constants else constants
        initial_state = inputs[1:end] or initial_state
        inputs = inputs[0]

    def as_list(value: Any) -> Any:
        if value is None or isinstance(value, list):
            return value
        return list(value) if isinstance(value, tuple) else [value]

    return inputs, as_list(initial_state), as_list(constants)


def all_or_none(tensors: Any) -> bool:
    """Whether all tensors come from layers, or none does."""
    return len({is_keras_tensor(one) for one in nest.flatten(tensors)}) == 1
