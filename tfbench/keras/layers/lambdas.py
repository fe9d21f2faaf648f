"""`Lambda`: any function as a layer."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from tfbench.engine import nest
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.keras.backend.state import track_variable
from tfbench.keras.engine.base_layer import Layer
from tfbench.variables.creators import variable_creator_scope


class Lambda(Layer):
    """`function(inputs, **arguments)`. Variables that it makes are the layer's, and are found again by name.

    Args:
      output_shape: a shape without the batch, or a function of the input's shape; only for `compute_output_shape`.
      mask: the mask of the output, or a function of inputs and their mask.
    """

    arguments: dict[str, Any]
    mask: Any
    _made: dict[str, Any]
    _output_shape: Any

    def __init__(
        self, function: Callable[..., Any], output_shape: Any = None, mask: Any = None, arguments: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        own = vars(self)
        self.function = function
        own["arguments"] = arguments or {}
        own["_output_shape"] = output_shape
        own["mask"] = mask
        self.supports_masking = mask is not None
        #: name -> variable, of those that the function has made
        own["_made"] = {}
        try:
            names = signature(function).parameters
        except (TypeError, ValueError):
            names = signature(lambda inputs: inputs).parameters
        self._passes = [name for name in ("mask", "training") if name in names]

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        given = {"mask": mask, "training": training}
        arguments = {**self.arguments, **{name: given[name] for name in self._passes}}
        with variable_creator_scope(self._creator):
            return self.function(inputs, **arguments)

    def _creator(self, next_creator: Any, **kwargs: Any) -> Any:
        name = kwargs["name"]
        if name not in self._made:
            variable = self._made[name] = next_creator(**kwargs)
            (self._trainable_weights if variable.trainable else self._non_trainable_weights).append(variable)
            track_variable(variable)
        return self._made[name]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self._output_shape is None:
            raise NotImplementedError(
                "The shape of this Lambda's output is not known without a call: give the layer an `output_shape` (a "
                "shape without the batch, or a function of the input's shape)."
            )
        if callable(self._output_shape):
            return as_shape(self._output_shape(input_shape))
        several = isinstance(input_shape, list) and input_shape and not isinstance(input_shape[0], (int, type(None)))
        batch = as_shape(input_shape[0] if several else input_shape).as_list()[0]
        shapes = self._output_shape
        if isinstance(shapes, list) and shapes and not isinstance(shapes[0], (int, type(None))):
            return nest.map_structure(lambda shape: TensorShape([batch, *shape]), shapes)
        return TensorShape([batch, *as_shape(shapes).as_list()])

    def get_config(self) -> dict[str, Any]:
        """The arguments. The function is given as it is: it cannot be written down as plain data."""
        config = {
            "function": self.function, "output_shape": self._output_shape, "mask": self.mask,
            "arguments": self.arguments,
        }  # fmt: skip
        return {**super().get_config(), **{name: one for name, one in config.items() if name != "mask" or one}}
