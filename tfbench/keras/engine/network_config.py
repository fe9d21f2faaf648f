"""Graphs of layers as plain data, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import nest
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend.values import get_value


def network_config(model: Any) -> dict[str, Any]:
    """A graph of layers: each with its configuration and what it was called on, and where the graph begins and ends."""
    kept: dict[tuple[str, int], int] = {}
    for layer in model.layers:
        count = 1 if getattr(layer, "_is_graph_network", False) else 0
        for at, node in enumerate(layer._inbound_nodes):
            if node in model._network_nodes:
                kept[(layer.name, at)] = count
                count += 1
    layers = []
    for layer in model.layers:
        calls = []
        for node in layer._inbound_nodes:
            if node in model._network_nodes and node.inbound():
                arguments = nest.map_structure(_plain, dict(node.arguments))
                calls.append(
                    [
                        [before.name, kept.get((before.name, call), 0), output, arguments]
                        for before, call, output, _ in node.inbound()
                    ]
                )
        layers.append(
            {
                "name": layer.name,
                "class_name": type(layer).__name__,
                "config": layer.get_config(),
                "inbound_nodes": calls,
            }
        )

    def ends(tensors: list[Any]) -> list[list[Any]]:
        histories = [tensor._keras_history for tensor in tensors]
        return [[one.layer.name, kept[(one.layer.name, one.node_index)], one.tensor_index] for one in histories]

    return {
        "name": model.name, "layers": layers, "input_layers": ends(model.inputs), "output_layers": ends(model.outputs),
    }  # fmt: skip


def _plain(value: Any) -> Any:
    history = getattr(value, "_keras_history", None)
    if history is not None:
        return [history.layer.name, history.node_index, history.tensor_index]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return get_value(value).tolist() if isinstance(value, Tensor) else value


def network_from(config: dict[str, Any], custom_objects: Any = None) -> tuple[Any, Any]:
    """The inputs and outputs of the graph of layers that the data describe, made anew."""
    from tfbench.keras.engine.layer_classes import layer_from

    layers = {one["name"]: layer_from(one, custom_objects) for one in config["layers"]}
    pending = [(layers[one["name"]], call) for one in config["layers"] for call in one["inbound_nodes"]]

    def output(name: str, call: int, which: int) -> Any:
        nodes = layers[name]._inbound_nodes
        return nest.flatten(nodes[call].output_tensors)[which] if call < len(nodes) else None

    while pending:
        later = []
        blocked: set[int] = set()
        for layer, call in pending:
            given = [output(*one[:3]) for one in call]
            if id(layer) in blocked or any(one is None for one in given):
                blocked.add(id(layer))  # its calls are numbered: they are made in order
                later.append((layer, call))
                continue
            arguments = call[0][3] if len(call[0]) > 3 else {}
            layer(given[0] if len(given) == 1 else given, **arguments)
        if len(later) == len(pending):
            raise ValueError(f"Improperly formatted model config: {later[0][0].name} takes what no layer gives")
        pending = later
    inputs = [output(*one) for one in config["input_layers"]]
    outputs = [output(*one) for one in config["output_layers"]]
    return inputs, outputs
