"""Keras's `Layer`: what `tf.layers.Layer` is, but for names, variables and what it knows of its surroundings.

Its variables are resource variables, named after the layer and the name scope that it is called in; there is no
variable scope and no reuse: who wants to share calls the same layer again. What it is called on and gives back is
remembered where it comes from an `Input`, so that a `Model` can be made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from tfbench.engine import nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.init_scope import init_scope
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend.state import unique_object_name
from tfbench.keras.engine.additions import Collects
from tfbench.keras.engine.arguments import interpreted, serialized, takes
from tfbench.keras.engine.call_context import call_context
from tfbench.keras.engine.node import Connected, KerasHistory, Node, history_of
from tfbench.keras.engine.tf_ops import create_keras_history, needs_keras_history
from tfbench.keras.engine.tracking import TracksAttributes
from tfbench.keras.engine.weights import HasWeights
from tfbench.layers.input_spec import InputSpec, check_inputs
from tfbench.layers.names import snake_case

__all__ = ["InputSpec", "Layer"]

#: what a layer's `__init__` takes besides what it names
_ALLOWED = ("input_shape", "batch_input_shape", "batch_size", "weights", "activity_regularizer", "autocast")


class Layer(TracksAttributes, Connected, Collects, HasWeights):
    """The base of Keras's layers. A subclass makes its variables in `build` and says what it computes in `call`.

    Args:
      trainable: whether its variables are.
      name: default: from the class, made unique in the graph.
      dtype: of its variables; default: of its first input.
      input_shape, batch_input_shape, batch_size: what a Sequential model that begins with it takes.
      weights: initial values of its variables.
      activity_regularizer: a function of the output whose result, per example, is added to the losses.

    Raises:
      TypeError: for any other keyword.
    """

    #: attributes that `get_config` gives, in order, besides those of the classes it is derived from
    _config: tuple[str, ...] = ()
    supports_masking: bool = False
    stateful: bool = False
    #: whether `call` sets the masks of its outputs itself
    _compute_output_and_mask_jointly = False
    #: what it asks of its inputs; a name of the class, so that nobody takes it for a part of the layer
    input_spec: Any = None
    _initial_weights: Any
    _layers: list[Any]

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, dynamic: bool = False, **kwargs: Any
    ) -> None:
        for unknown in kwargs:
            if unknown not in _ALLOWED:
                raise TypeError("Keyword argument not understood:", unknown)
        if dynamic:
            raise NotImplementedError("`dynamic=True` is for eager execution, which tfbench does not have")
        own = vars(self)
        for kind in ("_trainable_weights", "_non_trainable_weights", "_layers"):
            own.setdefault(kind, [])
        own.update(
            _trainable=trainable,
            built=False,
            _updates=[],
            #: update -> the inputs of the call that made it
            _update_inputs={},
            _losses=[],
            _callable_losses=[],
            _metrics=[],
            _inbound_nodes=[],
            _outbound_nodes=[],
            _activity_regularizer=kwargs.pop("activity_regularizer", None),
            _dtype=None if dtype is None else as_dtype(dtype).name,
            _graph=get_default_graph(),
            _scope=None,
            _current_scope=None,
            _initial_weights=kwargs.get("weights"),
            input_spec=None,
        )
        own.setdefault("_name", name or unique_object_name(snake_case(type(self).__name__), zero_based=True))
        if "batch_input_shape" in kwargs:
            own["_batch_input_shape"] = tuple(kwargs["batch_input_shape"])
        elif "input_shape" in kwargs:
            own["_batch_input_shape"] = (kwargs.get("batch_size"), *kwargs["input_shape"])

    # -- what it is ----------------------------------------------------------------------------------------------

    @property
    def dynamic(self) -> bool:
        return False

    @property
    def activity_regularizer(self) -> Callable[[Any], Any] | None:
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Callable[[Any], Any] | None) -> None:
        vars(self)["_activity_regularizer"] = regularizer

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another layer like this one.

        Raises:
          NotImplementedError: for a subclass whose arguments nobody says.
        """
        config: dict[str, Any] = {"name": self.name, "trainable": self.trainable}
        if hasattr(self, "_batch_input_shape"):
            config["batch_input_shape"] = self._batch_input_shape
        config["dtype"] = self.dtype
        names = _configured(type(self))
        more = [one for one in takes(type(self).__init__).named if one not in (*config, "self", "dynamic")]
        if more and not names and type(self).get_config is Layer.get_config:
            raise NotImplementedError("Layers with arguments in `__init__` must override `get_config`.")
        return {**config, **serialized(self, names)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer with the arguments that `get_config` gave."""
        return cls(**config)

    def _interpret(self) -> None:
        """Initializers, regularizers, constraints and activations given by name become what they name."""
        interpreted(self, [name for name in _configured(type(self)) if hasattr(self, name)])

    # -- calling -------------------------------------------------------------------------------------------------

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the output: here that of the input, for a layer that supports masks."""
        if not self.supports_masking:
            if any(one is not None for one in nest.flatten(mask)):
                raise TypeError(f"Layer {self.name} does not support masking, but was passed an input_mask: {mask}")
            return None
        return mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The static shape of the output for inputs of `input_shape`."""
        raise NotImplementedError(f"{type(self).__name__} does not say the shape of its output.")

    @cached_property
    def _takes(self) -> Any:
        """Which arguments `call` has."""
        return takes(self.call)

    def _name_scope(self) -> str:
        return self.name

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Applies the layer. The first call makes its variables.

        Raises:
          ValueError: if the inputs are not what the layer takes, or `call` gives None.
        """
        self._note_state()
        inputs = nest.map_structure(_as_tensor, inputs)
        given = self._takes.bound(args, kwargs)
        masks = self._input_masks(inputs, given)
        by_framework = []
        if "mask" not in given and self._takes.mask and masks is not None:
            kwargs["mask"] = masks
            by_framework.append("mask")
        training = given.get("training")
        if "training" in given:
            if not self._takes.training:
                kwargs.pop("training", None)
        else:
            training = call_context.training
            if self._takes.training and training is not None:
                training = ops.cast(training, "bool") if isinstance(training, Tensor) else bool(training)
                kwargs["training"] = training
                by_framework.append("training")
        if needs_keras_history(inputs):
            create_keras_history(inputs)
        with call_context.enter(self, inputs, training):
            check_inputs(self.input_spec, inputs, self.name)
            with get_default_graph().name_scope(self._name_scope()):
                self._maybe_build(inputs)
                outputs = self.call(inputs, *args, **kwargs)
                if outputs is None:
                    raise ValueError(
                        "A layer's `call` method should return a Tensor or a list of Tensors, not None (layer: "
                        f"{self.name})."
                    )
                if all(history_of(tensor) is not None for tensor in nest.flatten(inputs)):
                    for name in by_framework:
                        kwargs.pop(name)
                    outputs = self._connect(inputs, outputs, self._takes.bound(args, kwargs))
                if self._activity_regularizer is not None:
                    self._penalize_activity(inputs, outputs)
                self._set_masks(inputs, outputs, masks)
                self._after_call(inputs, outputs)
        return outputs

    def _after_call(self, inputs: Any, outputs: Any) -> None:
        """What a model does besides."""

    def _maybe_build(self, inputs: Any) -> None:
        if not self.built:
            flat = nest.flatten(inputs)
            if self.dtype is None and flat and hasattr(flat[0], "dtype"):
                vars(self)["_dtype"] = flat[0].dtype.base_dtype.name
            shapes = nest.map_structure(lambda tensor: tensor.shape, inputs)
            if not getattr(type(self).build, "is_default", False):
                with init_scope():
                    self.build(shapes)
            self.built = True
        if self._initial_weights is not None:
            values, self._initial_weights = self._initial_weights, None
            self.set_weights(values)

    def _connect(self, inputs: Any, outputs: Any, arguments: dict[str, Any]) -> Any:
        """Notes the call. What comes out as it went in gets a node of its own."""
        given = {id(tensor) for tensor in nest.flatten(inputs)}

        def own(tensor: Any) -> Any:
            if id(tensor) not in given:
                return tensor
            with get_default_graph().name_scope(self.name):
                return ops.identity(tensor)

        outputs = nest.map_structure(own, outputs)
        self._add_inbound_node(inputs, outputs, arguments)
        return outputs

    def _add_inbound_node(self, inputs: Any, outputs: Any, arguments: Any = None) -> None:
        for argument in nest.flatten(arguments):
            if isinstance(argument, Tensor) and needs_keras_history(argument, always=True):
                create_keras_history(argument)
        Node(self, inputs, outputs, arguments)
        for index, tensor in enumerate(nest.flatten(outputs)):
            tensor._keras_history = KerasHistory(self, len(self._inbound_nodes) - 1, index)

    def _input_masks(self, inputs: Any, given: dict[str, Any]) -> Any:
        if "mask" in given:
            return given["mask"]
        masks = nest.map_structure(lambda tensor: getattr(tensor, "_keras_mask", None), inputs)
        return None if all(mask is None for mask in nest.flatten(masks)) else masks

    def _set_masks(self, inputs: Any, outputs: Any, previous: Any) -> None:
        flat = nest.flatten(outputs)
        known = [getattr(output, "_keras_mask", None) for output in flat]
        if not self._compute_output_and_mask_jointly and not (flat and all(mask is not None for mask in known)):
            known = [None] * len(flat)
            if self.supports_masking or type(self).compute_mask is not Layer.compute_mask:
                masks = self.compute_mask(inputs, previous)
                known = known if masks is None else nest.flatten(masks)
        for output, mask in zip(flat, known, strict=False):
            if isinstance(output, Tensor):
                output._keras_mask = mask  # type: ignore[attr-defined]


def _configured(kind: type) -> list[str]:
    """The attributes that make up the configuration of a class and of those that it is derived from."""
    return [name for one in reversed(kind.__mro__) for name in vars(one).get("_config", ())]


def _as_tensor(value: Any) -> Any:
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, float, int)) else value
