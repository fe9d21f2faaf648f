"""`RNN`: a cell applied to each moment of a sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import nest, ops
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.keras.backend.arrays import int_shape, is_keras_tensor, zeros
from tfbench.keras.backend.recurrent import rnn
from tfbench.keras.backend.values import batch_set_value, set_value
from tfbench.keras.engine.arguments import takes
from tfbench.keras.engine.base_layer import InputSpec, Layer
from tfbench.keras.layers.recurrent_base import (
    StackedRNNCells,
    all_or_none,
    output_size,
    separated,
    several,
    zero_states,
)
from tfbench.nn.rnn_cell import RNNCell


class RNN(Layer):
    """A cell applied to each moment of sequences [batch, time, …].

    Args:
      cell: one with `call(inputs, states)` and `state_size`, or a list of such; also one of `tf.nn.rnn_cell`.
      return_sequences: whether the output has all moments, [batch, time, …], or is the last one's.
      return_state: whether the states follow the output.
      go_backwards: begins with the last moment; the output is in that order.
      stateful: whether the next batch goes on with the states of this one.
      unroll: writes the steps out instead of making a loop.
      time_major: whether inputs and outputs are [time, batch, …].

    Raises:
      ValueError: for what is no cell; when called, for other states than the cell has.
    """

    supports_masking = True
    _config: tuple[str, ...] = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll", "time_major")
    #: whether `get_config` describes the cell
    _with_cell = True
    input_spec: Any
    cell: Any
    state_spec: Any
    constants_spec: Any
    _states: Any
    _num_constants: int

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, "call"):
            raise ValueError("`cell` should have a `call` method. The RNN was passed:", cell)
        if not hasattr(cell, "state_size"):
            raise ValueError(
                "The cell of an RNN needs a `state_size`: an integer, or one for each state; this cell has none."
            )
        zero_output = kwargs.pop("zero_output_for_mask", False)
        if "input_shape" not in kwargs and ("input_dim" in kwargs or "input_length" in kwargs):
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim", None))
        super().__init__(**kwargs)
        self.zero_output_for_mask = zero_output
        self.cell = cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful = go_backwards, stateful
        self.unroll, self.time_major = unroll, time_major
        vars(self).update(state_spec=None, _states=None, constants_spec=None, _num_constants=0)

    @property
    def states(self) -> Any:
        """The variables of a stateful layer; else a None for each state."""
        if self._states is None:
            sizes = self.cell.state_size
            nothing = nest.map_structure(lambda _: None, sizes)
            return nothing if nest.is_nested(sizes) else [nothing]
        return self._states

    @states.setter
    def states(self, states: Any) -> None:
        vars(self)["_states"] = states

    # -- shapes -------------------------------------------------------------------------------------------------------

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = as_shape(input_shape[0] if isinstance(input_shape, list) else input_shape).as_list()
        batch, time = (shape[1], shape[0]) if self.time_major else (shape[0], shape[1])
        before = [batch] if not self.return_sequences else [time, batch] if self.time_major else [batch, time]
        sizes = nest.flatten(output_size(self.cell))
        outputs = [TensorShape([*before, *as_shape(size).as_list()]) for size in sizes]
        if self.return_state:
            states = nest.flatten(self.cell.state_size)
            return [*outputs, *(TensorShape([batch, *as_shape(size).as_list()]) for size in states)]
        return outputs[0] if len(outputs) == 1 else outputs

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        mask = nest.flatten(mask)[0] if self.return_sequences else None
        return [mask, *(None for _ in self.states)] if self.return_state else mask

    def build(self, input_shape: Any) -> None:
        if isinstance(input_shape, list):
            input_shape = input_shape[0]

        def spec(shape: Any) -> InputSpec:
            sizes = as_shape(shape).as_list()
            batch, time = (1, 0) if self.time_major else (0, 1)
            if not self.stateful:
                sizes[batch] = None
            sizes[time] = None
            return InputSpec(shape=tuple(sizes))

        def of_step(shape: Any) -> Any:
            sizes = as_shape(shape).as_list()
            return TensorShape(sizes[1:] if self.time_major else [sizes[0], *sizes[2:]])

        structure = nest.is_nested(input_shape)
        specs: Any = nest.map_structure(spec, input_shape) if structure else spec(input_shape)
        if self.input_spec is not None:
            self.input_spec[0] = specs
        else:
            self.input_spec = list(specs) if structure else [specs]
        if isinstance(self.cell, RNNCell) and self.cell.dtype is None:
            vars(self.cell)["_dtype"] = self.dtype
        if hasattr(self.cell, "build") and not self.cell.built:
            self.cell.build(nest.map_structure(of_step, input_shape) if structure else of_step(input_shape))
        sizes = list(self.cell.state_size) if several(self.cell.state_size) else [self.cell.state_size]
        if self.state_spec is None:
            vars(self)["state_spec"] = [
                InputSpec(shape=(None, *as_shape(one).as_list())) for one in nest.flatten(sizes)
            ]
        else:
            self._check_states(sizes)
        if self.stateful:
            self.reset_states()
        self.built = True

    def _check_states(self, sizes: Any) -> None:
        given, wanted = nest.flatten(self.state_spec), nest.flatten(sizes)
        fit = len(given) == len(wanted) and all(
            TensorShape(spec.shape[1:]).is_compatible_with(as_shape(size))
            for spec, size in zip(given, wanted, strict=True)
        )
        if not fit:
            raise ValueError(
                f"The `initial_state` is not compatible with the cell: its `cell.state_size` is {sizes}, but the given "
                f"states have `state_spec`={self.state_spec}"
            )

    # -- calling ------------------------------------------------------------------------------------------------------

    def get_initial_state(self, inputs: Any) -> list[Any]:
        """The states that the layer begins with where none are given."""
        first = nest.flatten(inputs)[0]
        batch = ops.shape(first)[1 if self.time_major else 0]
        own = getattr(self.cell, "get_initial_state", None)
        if own:
            states = own(inputs=None, batch_size=batch, dtype=first.dtype)
        else:
            states = zero_states(self.cell, None, batch, first.dtype)
        return list(states) if nest.is_nested(states) else [states]

    def __call__(self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any) -> Any:
        """Applies the layer, from `initial_state` on; `constants` are given to the cell at each step."""
        inputs, initial_state, constants = separated(inputs, initial_state, constants, self._num_constants)
        if initial_state is None and constants is None:
            return super().__call__(inputs, **kwargs)
        own = vars(self)
        more, specs = [*(initial_state or ()), *(constants or ())], []
        if initial_state is not None:
            own["state_spec"] = nest.map_structure(lambda one: InputSpec(shape=int_shape(one)), initial_state)
            specs += self.state_spec
        if constants is not None:
            own["constants_spec"] = [InputSpec(shape=int_shape(one)) for one in constants]
            own["_num_constants"] = len(constants)
            specs += self.constants_spec
        if not all_or_none(more):
            raise ValueError(
                "The initial state and the constants of an RNN are a mix of Keras tensors (made by `Input` or by a "
                "layer) and non-Keras tensors: give all of one kind"
            )
        if is_keras_tensor(nest.flatten(more)[0]):
            self.input_spec = [*nest.flatten(nest.map_structure(lambda _: None, inputs)), *specs]
            outputs = super().__call__([inputs, *more], **kwargs)
            self.input_spec = self.input_spec[: -len(specs)]
            return outputs
        if initial_state is not None:
            kwargs["initial_state"] = initial_state
        if constants is not None:
            kwargs["constants"] = constants
        return super().__call__(inputs, **kwargs)

    def call(
        self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None, constants: Any = None
    ) -> Any:
        inputs, states, constants = self._begin(inputs, initial_state, constants)
        mask = None if mask is None else nest.flatten(mask)[0]
        if self.unroll and int_shape(nest.flatten(inputs)[0])[0 if self.time_major else 1] is None:
            raise ValueError(
                "Cannot unroll an RNN whose time dimension is undefined: the number of steps must be known. Give it in "
                "the `shape` or `batch_shape` of the `Input`, in the `input_shape` or `batch_input_shape` of a "
                "Sequential model's first layer, or as the `input_length` of an Embedding."
            )
        last, outputs, states = rnn(
            self._step(training, constants),
            inputs,
            states,
            constants=constants,
            go_backwards=self.go_backwards,
            mask=mask,
            unroll=self.unroll,
            time_major=self.time_major,
            zero_output_for_mask=self.zero_output_for_mask,
        )
        if self.stateful:
            kept, new = nest.flatten(self.states), nest.flatten(states)
            self.add_update([variable.assign(state) for variable, state in zip(kept, new, strict=True)])
        output = outputs if self.return_sequences else last
        return [*(output if isinstance(output, list) else [output]), *states] if self.return_state else output

    def _step(self, training: Any, constants: Any) -> Any:
        named = takes(self.cell.call).named
        kwargs = {"training": training} if "training" in named else {}
        if constants and "constants" not in named:
            raise ValueError("RNN cell does not support constants")
        one = isinstance(self.cell, RNNCell)

        def step(inputs: Any, states: Any) -> Any:
            if constants:
                kwargs["constants"] = states[-self._num_constants :]
                states = states[: -self._num_constants]
            output, new = self.cell.call(inputs, states[0] if one and len(states) == 1 else states, **kwargs)
            return output, new if nest.is_nested(new) else [new]

        return step

    def _begin(self, inputs: Any, initial_state: Any, constants: Any) -> Any:
        """The inputs without the states and constants that may be with them, and those."""
        if isinstance(inputs, list):
            end = len(inputs) - self._num_constants
            initial_state = inputs[1:end] or None
            constants = inputs[end:] if self._num_constants else constants
            inputs = inputs[0]
        if initial_state is None:
            initial_state = self.states if self.stateful else self.get_initial_state(inputs)
        if len(initial_state) != len(self.states):
            raise ValueError(f"Layer has {len(self.states)} states but was passed {len(initial_state)} initial states.")
        return inputs, initial_state, constants

    def reset_states(self, states: Any = None) -> None:
        """Sets the states of a stateful layer: to zeros, or to the arrays given.

        Raises:
          AttributeError: for a layer that is not stateful.
          ValueError: if the batch size is not known, or for states of another number or shape.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        shape = None if self.input_spec is None else self.input_spec[0].shape
        batch = None if shape is None else shape[1 if self.time_major else 0]
        if not batch:
            raise ValueError(
                "A stateful RNN needs to know its batch size, and that of its input is undefined. Give it in the "
                "`batch_shape` of the `Input`, or in the `batch_input_shape` of a Sequential model's first layer."
            )
        sizes = self.cell.state_size
        if nest.flatten(self.states)[0] is None:
            made = nest.map_structure(lambda size: zeros([batch, *as_shape(size).as_list()]), sizes)
            self.states = made if nest.is_nested(made) else [made]
            return
        kept = nest.flatten(self.states)
        if states is None:
            for state, size in zip(kept, nest.flatten(sizes), strict=True):
                set_value(state, np.zeros([batch, *as_shape(size).as_list()]))
            return
        given = nest.flatten(states)
        if len(given) != len(kept):
            raise ValueError(
                f"Layer {self.name} expects {len(kept)} states, but it received {len(given)} state values. Input "
                f"received: {states}"
            )
        for at, (value, state) in enumerate(zip(given, kept, strict=True)):
            if not state.shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"State {at} is incompatible with layer {self.name}: expected shape={(batch, state)}, found "
                    f"shape={value.shape}"
                )
        batch_set_value(list(zip(kept, given, strict=True)))

    # -- as data ------------------------------------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self.zero_output_for_mask:
            config["zero_output_for_mask"] = self.zero_output_for_mask
        if self._with_cell:
            config["cell"] = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """A layer made again from what `get_config` gave."""
        from tfbench.keras.engine.layer_classes import layer_from

        cell, constants = layer_from(config.pop("cell"), custom_objects), config.pop("num_constants", 0)
        layer = cls(cell, **config)
        vars(layer)["_num_constants"] = constants
        return layer
