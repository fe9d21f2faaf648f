"""`tf.keras.models`: models, and copies of them."""

from __future__ import annotations

import json
from typing import Any

from tfbench.keras.engine.input_layer import Input, InputLayer
from tfbench.keras.engine.saving import needs_hdf5
from tfbench.keras.engine.sequential import Sequential
from tfbench.keras.engine.training import Model
from tfbench.keras.utils.generic_utils import CustomObjectScope

__all__ = ["Model", "Sequential", "clone_model", "load_model", "model_from_config", "model_from_json", "save_model"]


def model_from_config(config: Any, custom_objects: Any = None) -> Any:
    """A model from a dictionary of class name and configuration.

    Raises:
      TypeError: for a list, which is the configuration of a Sequential model alone.
    """
    from tfbench.keras.engine.layer_classes import layer_from

    if isinstance(config, list):
        raise TypeError(
            "`model_from_config` takes a dictionary, and this is a list: the config of a sequential model's layers "
            "goes to `Sequential.from_config`."
        )
    return layer_from(config, custom_objects)


def model_from_json(json_string: str, custom_objects: Any = None) -> Any:
    """A model from what `to_json` gave."""
    return model_from_config(json.loads(json_string), custom_objects)


def clone_model(model: Any, input_tensors: Any = None, clone_function: Any = None) -> Any:
    """A model with copies of all layers, and other variables.

    Args:
      input_tensors: what the copy begins with; default: placeholders of its own.
      clone_function: what makes a copy of a layer.

    Raises:
      ValueError: for a model without a graph of layers.
    """

    def copied(layer: Any) -> Any:
        if clone_function is not None and not isinstance(layer, InputLayer):
            return clone_function(layer)
        return type(layer).from_config(layer.get_config())

    if isinstance(model, Sequential):
        clone = Sequential(name=model.name)
        for layer in model._parts():
            if isinstance(layer, InputLayer) and input_tensors is not None:
                given = input_tensors[0] if isinstance(input_tensors, (list, tuple)) else input_tensors
                clone.add(_begun(given))
            else:
                clone.add(copied(layer))
        return clone
    if not model._is_graph_network:
        raise ValueError(
            f"Only a functional model can be cloned; {model.name} is a subclass model: its layers do not say what "
            "`call` does."
        )
    copies = {id(layer): copied(layer) for layer in model.layers}
    values: dict[int, Any] = {}
    begins = input_tensors if isinstance(input_tensors, (list, tuple)) else [input_tensors] * len(model.inputs)
    for tensor, given in zip(model.inputs, begins, strict=True):
        layer = tensor._keras_history.layer
        begun = copies[id(layer)]._inbound_nodes[0].output_tensors[0] if given is None else _begun(given)
        values[id(tensor)] = begun
    _call_all(model, copies, values)
    inputs = [values[id(tensor)] for tensor in model.inputs]
    return Model(inputs, [values[id(tensor)] for tensor in model.outputs], name=model.name)


def _begun(tensor: Any) -> Any:
    return tensor if hasattr(tensor, "_keras_history") else Input(tensor=tensor)


def _call_all(model: Any, copies: dict[int, Any], values: dict[int, Any]) -> None:
    """Calls the copies as the layers were called."""
    from tfbench.engine import nest
    from tfbench.engine.tensor import Tensor

    for nodes in model._nodes_by_depth.values():
        for node in nodes:
            if not node.inbound():
                continue
            arguments = nest.map_structure(
                lambda one: values.get(id(one), one) if isinstance(one, Tensor) else one, dict(node.arguments)
            )
            given = nest.map_structure(lambda tensor: values[id(tensor)], node.input_tensors)
            made = copies[id(node.outbound_layer)](given, **arguments)
            for own, new in zip(nest.flatten(node.output_tensors), nest.flatten(made), strict=True):
                values[id(own)] = new


def save_model(model: Any, filepath: str, *args: Any, **kwargs: Any) -> None:
    """Not there, as `model.save` is not: ImportError, with what can be done instead."""
    needs_hdf5("save_model", filepath)


def load_model(filepath: str, custom_objects: Any = None, compile: bool = True) -> Any:
    """Not there, as `model.save` is not: ImportError, with what can be done instead."""
    needs_hdf5("load_model", filepath)


#: names that files of models may use besides Keras's
custom_object_scope = CustomObjectScope
