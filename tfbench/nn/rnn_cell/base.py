"""`RNNCell`: a layer of an input and a state that returns an output and the next state."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_collection_ref, get_default_graph
from tfbench.engine.name_scope import name_scope
from tfbench.layers.base import Layer
from tfbench.nn.recurrent.shapes import zero_state
from tfbench.variable_scope import get_variable_scope, variable_scope
from tfbench.variables.partitioned import PartitionedVariable


class RNNCell(Layer):
    """The base of cells that programs write: `state_size` and `output_size`, and `call(inputs, state)`.

    What `call` gets from `get_variable` counts as the cell's variables. `state_size` and `output_size` are integers,
    TensorShapes, or nests of them.
    """

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._rnncell_scope: variable_scope | None = None

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """One step.

        Args:
          inputs: a tensor of shape [batch, input size], or a nest of them.
          state: a tensor of shape [batch, state size], or a nest like `state_size`.
          scope: the variable scope; default: from the class.

        Returns:
          The output, and the next state.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._noted) as opened:
                return super().__call__(inputs, state, scope=opened)
        if self._rnncell_scope is None:
            get_default_graph().record_undo(self, "_rnncell_scope", None)
            self._rnncell_scope = variable_scope(get_variable_scope(), custom_getter=self._noted)
        with self._rnncell_scope:
            return super().__call__(inputs, state)

    def _noted(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        """Gets a variable, and notes that it is one of the cell's."""
        variable = getter(*args, **kwargs)
        part = next(iter(variable)) if isinstance(variable, PartitionedVariable) else variable
        trainable = any(part is one for one in get_collection_ref(GraphKeys.TRAINABLE_VARIABLES))
        known = self._trainable_weights if trainable else self._non_trainable_weights
        if not any(variable is one for one in known):
            known.append(variable)
        return variable

    @property
    def state_size(self) -> Any:
        """The sizes of the state: an integer, a TensorShape, or a nest of them."""
        raise NotImplementedError("Abstract method: a cell says its `state_size`.")

    @property
    def output_size(self) -> Any:
        """The size of the output: an integer or a TensorShape."""
        raise NotImplementedError("Abstract method: a cell says its `output_size`.")

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None, dtype: Any = None) -> Any:
        """The state to begin with: zeros. Batch size and type are those of `inputs`, where it is given.

        Raises:
          ValueError: if they are not known, or differ from those of `inputs`.
        """
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            own = inputs.shape.as_list()[0]
            if batch_size is not None and batch_size != own:
                raise ValueError(
                    f"batch size from input tensor is different from the input param. Input tensor batch: {own}, "
                    f"batch_size: {batch_size}"
                )
            if dtype is not None and inputs.dtype != dtype:
                raise ValueError(
                    f"dtype from input tensor is different from the input param. Input tensor dtype: "
                    f"{inputs.dtype}, dtype: {dtype}"
                )
            batch_size = own or ops.shape(inputs)[0]
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                f"batch_size and dtype cannot be None while constructing initial state: batch_size={batch_size}, "
                f"dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros of `state_size`, for a batch."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            return zero_state(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """The base of the cells here, which make their variables in `build` as other layers do."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any) -> Any:
        """One step: the output, and the next state."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    @staticmethod
    def input_depth(inputs_shape: Any) -> int:
        """The last size of the inputs. ValueError if it is not known."""
        depth = inputs_shape.as_list()[-1]
        if depth is None:
            raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}")
        return int(depth)
