"""`Sequential`: one layer behind the other.

Whether the graph is there already depends on the first layer: with an `Input` or an `input_shape` each layer is called
when it is added; otherwise all are when the model is first called or built.
"""

from __future__ import annotations

import copy
from typing import Any

from tfbench.engine import nest
from tfbench.keras.engine.base_layer import Layer
from tfbench.keras.engine.input_layer import Input, InputLayer
from tfbench.keras.engine.layer_graph import get_source_inputs
from tfbench.keras.engine.network import default_build
from tfbench.keras.engine.training import Model


class Sequential(Model):
    """A list of layers, each of which takes what the one before gives.

    Raises:
      TypeError: for what is no layer.
      ValueError: for a layer with several outputs.
    """

    supports_masking = True
    _compute_output_and_mask_jointly = True
    #: says that layers are saved by their positions
    _sequential = True
    _build_input_shape: Any

    def __init__(self, layers: Any = None, name: str | None = None) -> None:
        super().__init__(name=name)
        vars(self)["_build_input_shape"] = None
        for layer in [] if layers is None else layers if isinstance(layers, (list, tuple)) else [layers]:
            self.add(layer)

    @property
    def layers(self) -> list[Any]:
        layers = self._parts()
        return layers[1:] if layers and isinstance(layers[0], InputLayer) else layers

    def add(self, layer: Any) -> None:
        """Adds a layer at the end."""
        history = getattr(layer, "_keras_history", None)
        if history is not None and isinstance(history.layer, InputLayer):
            layer = history.layer
        if not isinstance(layer, Layer):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer}")
        self._note_state()
        own = vars(self)
        own["built"] = begins = False
        if not self._layers:
            begins = isinstance(layer, InputLayer)
            if not begins:
                shape, dtype = input_of(layer)
                if shape:
                    layer(Input(batch_shape=shape, dtype=dtype, name=f"{layer.name}_input"))
                    begins = True
            if begins:
                own["outputs"] = [_only(layer._inbound_nodes[-1].output_tensors)]
                own["inputs"] = get_source_inputs(self.outputs[0])
        elif self.outputs:
            own["outputs"] = [_only(layer(self.outputs[0]))]
        if self.outputs:
            own["built"] = True
        if begins or self._is_graph_network:
            self._init_graph(self.inputs, self.outputs, name=self.name)
        else:
            self._layers.append(layer)

    def pop(self) -> None:
        """Takes the last layer away.

        Raises:
          TypeError: if there is none.
        """
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        own = vars(self)
        self._layers.pop()
        if not self.layers:
            own.update(outputs=None, inputs=None, built=False, _is_graph_network=False)
        elif self._is_graph_network:
            last = self.layers[-1]
            last._outbound_nodes = []
            own["outputs"] = [last.output]
            self._init_graph(self.inputs, self.outputs, name=self.name)

    def _base_init(self, name: str | None, trainable: bool = True, dtype: Any = None) -> None:
        kept = {key: vars(self).get(key) for key in ("_build_input_shape",)}
        if "_trainable" in vars(self):  # again, with one more layer
            trainable = self._trainable
        super()._base_init(name, trainable, dtype)
        vars(self).update(kept)

    @default_build
    def build(self, input_shape: Any = None) -> None:
        """Makes the variables, for inputs of that shape, the batch included."""
        if not self._is_graph_network:
            if input_shape is None:
                raise ValueError("You must provide an `input_shape` argument.")
            vars(self)["_build_input_shape"] = tuple(input_shape)
            super().build(tuple(input_shape))
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if self._is_graph_network:
            return super().call(inputs, training=training, mask=mask)
        outputs = inputs
        for layer in self.layers:
            given = {"mask": mask, "training": training}
            outputs = layer(inputs, **{name: one for name, one in given.items() if name in layer._takes.named})
            inputs, mask = outputs, getattr(outputs, "_keras_mask", None)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        for layer in self.layers:
            input_shape = layer.compute_output_shape(input_shape)
        return input_shape

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self.call(inputs, mask=mask)._keras_mask

    @property
    def input_spec(self) -> Any:
        return getattr(self.layers[0], "input_spec", None) if vars(self).get("_layers") and self.layers else None

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        if value is not None:
            raise AttributeError("A Sequential model takes what its first layer takes: set the layer's input_spec")

    def predict_proba(self, x: Any, batch_size: int | None = 32, verbose: int = 0) -> Any:
        """The same as `predict`."""
        return self.predict(x, batch_size, verbose)

    def predict_classes(self, x: Any, batch_size: int | None = 32, verbose: int = 0) -> Any:
        """The most likely class of each element; of one output, whether it is above a half."""
        found = self.predict(x, batch_size=batch_size, verbose=verbose)
        return found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")

    def get_config(self) -> dict[str, Any]:
        layers = [{"class_name": type(layer).__name__, "config": layer.get_config()} for layer in self.layers]
        first = self._layers[0] if self._layers else None
        if self._is_graph_network and layers and isinstance(first, InputLayer):
            layers[0]["config"].setdefault("batch_input_shape", first._batch_input_shape)
        config = {"name": self.name, "layers": copy.deepcopy(layers)}
        if self._build_input_shape:
            config["build_input_shape"] = self._build_input_shape
        return config

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        """A model with the same layers, and other variables."""
        from tfbench.keras.engine.layer_classes import layer_from

        named = isinstance(config, dict)
        model = cls(name=config.get("name") if named else None)
        for layer in config["layers"] if named else config:
            model.add(layer_from(layer, custom_objects))
        shape = config.get("build_input_shape") if named else None
        if not model.inputs and shape:
            model.build(shape)
        return model


def _only(tensors: Any) -> Any:
    flat = nest.flatten(tensors)
    if len(flat) != 1:
        raise ValueError(
            f"A layer in a Sequential model has a single output tensor; this one has {len(flat)}. The functional API "
            "takes such layers."
        )
    return flat[0]


def input_of(layer: Any) -> tuple[Any, Any]:
    """The shape and type that a layer, or the first layer of a model, says that it takes; None for none."""
    first = layer
    while hasattr(first, "layers") and first.layers:  # a model: what its first layer takes
        if getattr(first, "_is_graph_network", False):
            first = first._parts()[0]
        else:
            first = first.layers[0]
    return getattr(first, "_batch_input_shape", None), first.dtype if hasattr(first, "_batch_input_shape") else None
