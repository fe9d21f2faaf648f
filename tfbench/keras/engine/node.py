"""A `Node`: one call of a layer in the functional API. Nodes and the tensors between them are a graph of layers.

A tensor that came out of a layer has a `_keras_history`: layer, number of the call, number of the output.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbench.engine import nest
from tfbench.engine.tensor import Tensor


class KerasHistory(NamedTuple):
    """Where a tensor comes from."""

    layer: Any
    node_index: int
    tensor_index: int


def history_of(tensor: Any) -> Any:
    """The tensor's history, or None."""
    return getattr(tensor, "_keras_history", None)


def int_shape(x: Any) -> Any:
    """The static shape as a tuple of numbers, None for each that is not known; None if nothing is."""
    shape = x.shape
    if isinstance(shape, tuple):
        return shape
    return None if shape.ndims is None else tuple(shape.as_list())


def _unpacked(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


class Node:
    """One call: `outbound_layer` made `output_tensors` of `input_tensors`, with further `arguments`."""

    def __init__(self, outbound_layer: Any, input_tensors: Any, output_tensors: Any, arguments: Any = None,
                 source: bool = False) -> None:  # fmt: skip
        self.outbound_layer = outbound_layer
        self.input_tensors = input_tensors
        self.output_tensors = output_tensors
        self.arguments: dict[str, Any] = arguments or {}
        # What no layer gives (an input, a whole model's own node) has no layers before it.
        self.inbound_layers = [] if source else _of_history("layer", input_tensors)
        self.node_indices = [] if source else _of_history("node_index", input_tensors)
        self.tensor_indices = [] if source else _of_history("tensor_index", input_tensors)
        self.input_shapes = nest.map_structure(int_shape, input_tensors)
        self.output_shapes = nest.map_structure(int_shape, output_tensors)
        for layer in nest.flatten(self.inbound_layers):
            layer._outbound_nodes.append(self)
        outbound_layer._inbound_nodes.append(self)

    def inbound(self) -> list[tuple[Any, int, int, Any]]:
        """(layer, number of its call, number of the output, tensor) of each input."""
        if not nest.flatten(self.inbound_layers):
            return []
        return [(*tensor._keras_history, tensor) for tensor in nest.flatten(self.input_tensors)]

    def dependencies(self) -> list[Node]:
        """The calls whose outputs this one takes, those in its arguments included."""
        found = [layer._inbound_nodes[index] for layer, index, _, _ in self.inbound()]
        for argument in nest.flatten(self.arguments):
            history = history_of(argument) if isinstance(argument, Tensor) else None
            if history is not None:
                found.append(history.layer._inbound_nodes[history.node_index])
        return found

    iterate_inbound = inbound


def _of_history(attribute: str, tensors: Any) -> Any:
    return nest.map_structure(lambda tensor: getattr(tensor._keras_history, attribute), tensors)


class Connected:
    """The part of a layer that answers what went in and came out, call by call."""

    _inbound_nodes: list[Node]
    _outbound_nodes: list[Node]
    _name: str

    @property
    def inbound_nodes(self) -> list[Node]:
        return self._inbound_nodes

    @property
    def outbound_nodes(self) -> list[Node]:
        return self._outbound_nodes

    def _of_call(self, node_index: int, attribute: str, what: str) -> Any:
        if not self._inbound_nodes:
            raise RuntimeError(f"The layer has never been called and thus has no defined {what}.")
        if node_index >= len(self._inbound_nodes):
            raise ValueError(
                f"Asked to get {what} at node {node_index}, but the layer has only {len(self._inbound_nodes)} inbound "
                "nodes."
            )
        return _unpacked(getattr(self._inbound_nodes[node_index], attribute))

    def get_input_at(self, node_index: int) -> Any:
        """What the call of that number took."""
        return self._of_call(node_index, "input_tensors", "input")

    def get_output_at(self, node_index: int) -> Any:
        """What the call of that number gave."""
        return self._of_call(node_index, "output_tensors", "output")

    def get_input_shape_at(self, node_index: int) -> Any:
        """The shape of what the call of that number took."""
        return self._of_call(node_index, "input_shapes", "input shape")

    def get_output_shape_at(self, node_index: int) -> Any:
        """The shape of what the call of that number gave."""
        return self._of_call(node_index, "output_shapes", "output shape")

    def get_input_mask_at(self, node_index: int) -> Any:
        """The mask of what the call of that number took."""
        return nest.map_structure(_mask, self.get_input_at(node_index))

    def get_output_mask_at(self, node_index: int) -> Any:
        """The mask of what the call of that number gave."""
        return nest.map_structure(_mask, self.get_output_at(node_index))

    @property
    def input(self) -> Any:
        if not self._inbound_nodes:
            raise AttributeError(f"Layer {self._name} is not connected, no input to return.")
        return self.get_input_at(0)

    @property
    def output(self) -> Any:
        if not self._inbound_nodes:
            raise AttributeError(f"Layer {self._name} has no inbound nodes.")
        return self.get_output_at(0)

    @property
    def input_mask(self) -> Any:
        return nest.map_structure(_mask, self.input)

    @property
    def output_mask(self) -> Any:
        return nest.map_structure(_mask, self.output)

    @property
    def input_shape(self) -> Any:
        return self._of_all_calls("input_shapes", "input shape")

    @property
    def output_shape(self) -> Any:
        return self._of_all_calls("output_shapes", "output shape")

    def _of_all_calls(self, attribute: str, what: str) -> Any:
        if not self._inbound_nodes:
            raise AttributeError(f"The layer has never been called and thus has no defined {what}.")
        found = [getattr(node, attribute) for node in self._inbound_nodes]
        if any(str(one) != str(found[0]) for one in found):
            raise AttributeError(
                f'The layer "{self._name}" has multiple inbound nodes, with different {what}s. Hence the notion of '
                f'"{what}" is ill-defined for the layer. Use `get_{what.replace(" ", "_")}_at(node_index)` instead.'
            )
        return found[0]


def _mask(tensor: Any) -> Any:
    return getattr(tensor, "_keras_mask", None)
