"""`Network`: layers that are one layer, as a graph between given tensors, or as a class with a `call`.

Called again, a graph of layers calls each of its layers on the new tensors, in the order of depth.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import nest
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.ops import placeholder
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend.config import floatx
from tfbench.keras.backend.state import state_of
from tfbench.keras.engine.base_layer import Layer
from tfbench.keras.engine.layer_graph import LayerGraph
from tfbench.keras.engine.node import Node
from tfbench.keras.engine.tf_ops import create_keras_history


def default_build(function: Any) -> Any:
    """Marks a `build` that calls the model: it is not what a call of the model begins with."""
    function.is_default = True
    return function


class Network(Layer):
    """Layers put together.

    Args (of a graph):
      inputs: tensors from `Input`, or a nest of them.
      outputs: tensors computed from them, or a nest.

    Raises:
      ValueError: if tensors do not come from layers, or the outputs need more than the inputs.
    """

    _is_graph_network = False
    inputs: list[Any]
    outputs: list[Any]
    input_names: list[str]
    output_names: list[str]
    _nested_inputs: Any
    _nested_outputs: Any
    _input_layers: list[Any]
    _output_layers: list[Any]
    _nodes_by_depth: dict[int, list[Node]]
    _network_nodes: set[Node]
    _feed_inputs: list[Any]
    _feed_input_names: list[str]
    _feed_input_shapes: list[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) == 2 or (len(args) == 1 and "outputs" in kwargs) or ("inputs" in kwargs and "outputs" in kwargs):
            self._init_graph(*args, **kwargs)
        else:
            self._init_subclassed(*args, **kwargs)

    def _base_init(self, name: str | None, trainable: bool = True, dtype: Any = None) -> None:
        kept: dict[str, Any] = {key: vars(self)[key] for key in ("_layers", "optimizer") if key in vars(self)}
        super().__init__(trainable=trainable, name=name, dtype=dtype)
        vars(self).update({"optimizer": None, **kept, "_ready": True, "_is_compiled": False})

    def _init_subclassed(self, name: str | None = None, **kwargs: Any) -> None:
        for unknown in kwargs:
            if unknown not in ("trainable", "dtype", "dynamic", "autocast"):
                raise TypeError("Keyword argument not understood:", unknown)
        kwargs.pop("autocast", None)
        kwargs.pop("dynamic", None)
        self._base_init(name, **kwargs)
        vars(self).update(inputs=[], outputs=[], built=False)

    def _init_graph(self, inputs: Any, outputs: Any, name: str | None = None, **kwargs: Any) -> None:
        for unknown in kwargs:
            if unknown != "trainable":
                raise TypeError(
                    "A functional model takes inputs, outputs, `name` and `trainable`. Got an unexpected argument:",
                    unknown,
                )
        inputs, outputs = _single(inputs), _single(outputs)
        flat_inputs, flat_outputs = nest.flatten(inputs), nest.flatten(outputs)
        if any(not hasattr(tensor, "_keras_history") for tensor in flat_outputs):
            create_keras_history(outputs)
        self._check_tensors(flat_inputs, flat_outputs)
        self._base_init(name, **kwargs)
        graph = LayerGraph(flat_inputs, flat_outputs)
        input_layers = [tensor._keras_history.layer for tensor in flat_inputs]
        fed = [layer for layer in input_layers if layer.is_placeholder]
        vars(self).update(
            inputs=flat_inputs,
            outputs=flat_outputs,
            built=True,
            _nested_inputs=inputs,
            _nested_outputs=outputs,
            _compute_output_and_mask_jointly=True,
            _input_layers=input_layers,
            _output_layers=[tensor._keras_history.layer for tensor in flat_outputs],
            _nodes_by_depth=graph.by_depth,
            _network_nodes=graph.nodes,
            _layers=graph.layers,
            input_names=[layer.name for layer in input_layers],
            _feed_input_names=[layer.name for layer in fed],
            _feed_input_shapes=[layer._batch_input_shape for layer in fed],
            _feed_inputs=[layer.input for layer in fed],
        )
        vars(self)["output_names"] = _unique([layer.name for layer in self._output_layers])
        vars(self)["_is_graph_network"] = True
        Node(self, inputs, outputs, source=True)

    def _check_tensors(self, inputs: list[Any], outputs: list[Any]) -> None:
        kind = type(self).__name__
        if len({id(tensor) for tensor in inputs}) != len(inputs):
            raise ValueError(f"The model's list of inputs is redundant: an input may be in it once. Found: {inputs}")
        for tensor in inputs:
            if not hasattr(tensor, "_keras_history"):
                raise ValueError(
                    f"Input tensors to a {kind} must come from `tf.keras.Input`. Received: {tensor} (missing previous "
                    "layer metadata)."
                )
            if not hasattr(tensor._keras_history.layer, "is_placeholder"):
                raise ValueError(
                    f"{kind} inputs must come from `tf.keras.Input`, not from another layer: {tensor.name} was made by "
                    f"{tensor._keras_history.layer.name}. Begin at a `tf.keras.Input`, and call the layers again on it."
                )
        sizes = [(tensor._keras_history.layer._batch_input_shape or (None,))[0] for tensor in inputs]
        if len({size for size in sizes if size is not None}) > 1:
            raise ValueError(f"The input layers are of different batch sizes, which are incompatible: {sizes}")
        for tensor in outputs:
            if not hasattr(tensor, "_keras_history"):
                raise ValueError(
                    f"Output tensors to a {kind} must be what a layer made when it was called on tensors from "
                    f"`tf.keras.Input`. Found: {tensor}"
                )

    # -- what it is made of -----------------------------------------------------------------------------------------

    def _check_ready(self) -> None:
        if not vars(self).get("_ready"):
            raise RuntimeError(
                "This subclass of `Model` has not called `super().__init__()`: do that before anything else in its own "
                "`__init__`."
            )

    @property
    def layers(self) -> list[Any]:
        return self._parts()

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """The layer of that name, or at that position.

        Raises:
          ValueError: if there is none.
        """
        if index is not None:
            if index >= len(self.layers):
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(self.layers)} layers."
                )
            return self.layers[index]
        if not name:
            raise ValueError("Provide either a layer name or layer index.")
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}; the layers are {', '.join(layer.name for layer in self.layers)}")

    def _assert_weights_created(self) -> None:
        if not self._is_graph_network and "build" in vars(type(self)) and not self.built:
            raise ValueError(
                f"Weights for model {self.name} have not yet been created: call it on tensors, or call `build()` with "
                "the shape of its input."
            )

    @property
    def weights(self) -> list[Any]:
        """Layer by layer; those of the model itself at the end."""
        self._assert_weights_created()
        of_layers = [weight for layer in self._parts() for weight in layer.weights]
        return [*of_layers, *self._trainable_weights, *self._non_trainable_weights]

    @property
    def trainable_weights(self) -> list[Any]:
        self._assert_weights_created()
        return [*self._of_parts("trainable_weights"), *self._trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        self._assert_weights_created()
        others = self._of_parts("non_trainable_weights")
        if self.trainable:
            return [*others, *self._non_trainable_weights]
        own = [*self._trainable_weights, *self._non_trainable_weights]
        return [*self._of_parts("trainable_weights"), *others, *own]

    @property
    def _unique_trainable_weights(self) -> list[Any]:
        return list({id(weight): weight for weight in self.trainable_weights}.values())

    @property
    def stateful(self) -> bool:  # type: ignore[override]
        return any(layer.stateful for layer in self._parts())

    def reset_states(self) -> None:
        """Sets the states of recurrent layers that keep theirs back to the beginning."""
        for layer in self._parts():
            if layer.stateful and hasattr(layer, "reset_states"):
                layer.reset_states()

    @property
    def state_updates(self) -> list[Any]:
        """The updates of layers that keep a state, which are run in prediction too."""
        return [update for layer in self._parts() if layer.stateful for update in layer.updates]

    def _trackable_children(self) -> dict[str, Any]:
        """Layers by position, and by position among those with weights; then what attributes name."""
        children: dict[str, Any] = {}
        with_weights = 0
        if self._is_graph_network or hasattr(self, "_sequential"):
            for at, layer in enumerate(self._parts()):
                if layer.weights:
                    children[f"layer_with_weights-{with_weights}"] = layer
                    with_weights += 1
                children[f"layer-{at}"] = layer
        optimizer = vars(self).get("optimizer")
        if optimizer is not None and hasattr(type(optimizer), "_trackable_children"):
            children["optimizer"] = optimizer
        return {**children, **super()._trackable_children()}

    # -- building and calling ---------------------------------------------------------------------------------------

    @default_build
    def build(self, input_shape: Any) -> None:
        """Makes the variables, by calling the model on placeholders of that shape, the batch included.

        Raises:
          ValueError: if `call` needs more than the inputs.
        """
        if self._is_graph_network:
            self.built = True
            return
        if not isinstance(input_shape, (tuple, list, TensorShape)):
            raise ValueError(
                "The input shape of `build()` is a tuple with the batch size first, or a list of such; not one of the "
                f"valid types is {type(input_shape)}"
            )
        if input_shape and not self.inputs:
            several = isinstance(input_shape, list) and not isinstance(input_shape[0], (int, type(None)))
            made = [placeholder(shape=shape, dtype=floatx()) for shape in (input_shape if several else [input_shape])]
            extra = [name for name in self._takes.named[1:] if name not in ("training", "mask")]
            if extra and not all(name in self._takes.optional for name in extra):
                raise ValueError(
                    f"you cannot build your model from a shape: its `call` also needs {', '.join(extra)}. Call it on "
                    "tensors, with all arguments."
                )
            with get_default_graph().as_default():
                self.call(made if several else made[0])
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if not self._is_graph_network:
            raise NotImplementedError("A subclass of `Model` needs a `call` method: this one has none.")
        return self._run(inputs, training, mask)

    def _run(self, inputs: Any, training: Any, mask: Any) -> Any:
        """Calls the layers on other tensors than those the model was made of."""
        flat = nest.flatten(inputs)
        masks = [None] * len(flat) if mask is None else nest.flatten(mask)
        for tensor, one in zip(flat, masks, strict=True):
            tensor._keras_mask = one
        values = {id(own): given for own, given in zip(self.inputs, flat, strict=True)}
        phase = state_of().phase
        for depth, nodes in list(self._nodes_by_depth.items())[1:]:
            del depth
            for node in nodes:
                layer = node.outbound_layer
                needed = nest.flatten(node.input_tensors)
                if not all(id(tensor) in values for tensor in needed):
                    continue
                arguments = nest.map_structure(
                    lambda one: values.get(id(one), one) if isinstance(one, Tensor) else one, dict(node.arguments)
                )
                if "training" in layer._takes.named and arguments.get("training") in (None, phase):
                    arguments["training"] = training
                outputs = layer(nest.map_structure(lambda one: values[id(one)], node.input_tensors), **arguments)
                for own, made in zip(nest.flatten(node.output_tensors), nest.flatten(outputs), strict=True):
                    values[id(own)] = made
        return nest.pack_sequence_as(self._nested_outputs, [values[id(tensor)] for tensor in self.outputs])

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if not self._is_graph_network:
            return None
        return nest.map_structure(lambda tensor: tensor._keras_mask, self._run(inputs, None, mask))

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shapes of the outputs, by those that the layers say.

        Raises:
          ValueError: for another number of shapes than of inputs.
        """
        if not self._is_graph_network:
            return super().compute_output_shape(input_shape)
        several = isinstance(input_shape, list) and input_shape and not isinstance(input_shape[0], (int, type(None)))
        shapes = [as_shape(shape) for shape in (input_shape if several else [input_shape])]
        if len(shapes) != len(self._input_layers):
            raise ValueError(
                f"Invalid input_shape argument {input_shape}: model has {len(self._input_layers)} tensor inputs."
            )
        known = {id(tensor): shape for tensor, shape in zip(self.inputs, shapes, strict=True)}
        for nodes in self._nodes_by_depth.values():
            for node in nodes:
                if node.outbound_layer in self._input_layers:
                    continue
                given = nest.map_structure(lambda tensor: known[id(tensor)], node.input_tensors)
                made = node.outbound_layer.compute_output_shape(given)
                several = isinstance(made, list) and made and not isinstance(made[0], (int, type(None)))
                flat = made if several else [made]
                for tensor, shape in zip(nest.flatten(node.output_tensors), flat, strict=True):
                    known[id(tensor)] = as_shape(shape)
        return nest.pack_sequence_as(self._nested_outputs, [known[id(tensor)] for tensor in self.outputs])

    def summary(self, line_length: int | None = None, positions: Any = None, print_fn: Any = None) -> None:
        """Prints the layers, their shapes and how many numbers they hold.

        Raises:
          ValueError: before the model is built.
        """
        if not self.built:
            raise ValueError(
                "This model has not yet been built. Call `build()` or `fit()` first, or give its first layer an "
                "`input_shape`."
            )
        from tfbench.keras.engine.summary import print_summary

        print_summary(self, line_length, positions, print_fn)


def _single(tensors: Any) -> Any:
    """A list of one tensor as the tensor."""
    return tensors[0] if isinstance(tensors, list) and len(nest.flatten(tensors)) == 1 else tensors


def _unique(names: list[str]) -> list[str]:
    found: list[str] = []
    counts: dict[str, int] = {}
    for name in names:
        proposal = name
        while proposal in found:
            counts[name] = counts.get(name, 0) + 1
            proposal = f"{name}_{counts[name]}"
        found.append(proposal)
    return found
