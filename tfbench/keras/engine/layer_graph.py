"""The graph of layers between inputs and outputs: which calls lie there, how deep, and in what order they are computed.

A call's depth is how many calls at most follow it on the way to an output. Layers are listed from the deepest on.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import nest
from tfbench.keras.engine.node import Node


class LayerGraph:
    """The calls that lead from `inputs` to `outputs`.

    Raises:
      ValueError: if an output needs more than the inputs, or two layers have the same name.
    """

    def __init__(self, inputs: list[Any], outputs: list[Any]) -> None:
        self._inputs = inputs
        #: layer -> when it was first met
        self._met: dict[int, int] = {}
        nodes = self._calls(outputs)
        depths: dict[Node, int] = {}
        layer_depths: dict[int, int] = {}
        layers: dict[int, Any] = {}
        for node in reversed(nodes):
            layer = node.outbound_layer
            depth = max(depths.setdefault(node, 0), layer_depths.get(id(layer), 0))
            depths[node] = layer_depths[id(layer)] = depth
            layers[id(layer)] = layer
            for before in node.dependencies():
                depths[before] = max(depth + 1, depths.get(before, 0))
        for tensor in inputs:  # one that nothing uses
            layer = tensor._keras_history.layer
            if id(layer) not in layers:
                layers[id(layer)], layer_depths[id(layer)], self._met[id(layer)] = layer, 0, -1
                depths[layer._inbound_nodes[0]] = 0
        #: depth -> calls, from the deepest on
        self.by_depth: dict[int, list[Node]] = {}
        for depth in sorted(set(depths.values()), reverse=True):
            self.by_depth[depth] = [node for node, own in depths.items() if own == depth]
        self.nodes = set(depths)
        self.layers = sorted(layers.values(), key=lambda one: (-layer_depths[id(one)], self._met[id(one)]))
        self._check()

    def _calls(self, outputs: list[Any]) -> list[Node]:
        """All calls, each behind those that it depends on."""
        done: dict[Node, None] = {}
        open_nodes: set[Node] = set()
        for output in outputs:
            history = output._keras_history
            stack = [(history.layer._inbound_nodes[history.node_index], False)]
            while stack:
                node, ready = stack.pop()
                if ready:
                    open_nodes.discard(node)
                    done[node] = None
                    continue
                if node in done:
                    continue
                if node in open_nodes:
                    continue
                self._met.setdefault(id(node.outbound_layer), len(self._met))
                open_nodes.add(node)
                stack.append((node, True))
                stack.extend((before, False) for before in reversed(node.dependencies()) if before not in done)
        return list(done)

    def _check(self) -> None:
        known = {id(tensor) for tensor in self._inputs}
        passed: list[str] = []
        for nodes in self.by_depth.values():
            for node in nodes:
                for tensor in nest.flatten(node.input_tensors):
                    if id(tensor) not in known:
                        raise ValueError(
                            f"Graph disconnected: cannot obtain value for tensor {tensor} at layer "
                            f'"{node.outbound_layer.name}". The following previous layers were accessed without issue: '
                            f"{passed}"
                        )
                known.update(map(id, nest.flatten(node.output_tensors)))
                passed.append(node.outbound_layer.name)
        names = [layer.name for layer in self.layers]
        for name in names:
            if names.count(name) != 1:
                raise ValueError(
                    f'The name "{name}" is used {names.count(name)} times in the model. All layer names should be '
                    "unique."
                )


def get_source_inputs(tensor: Any, layer: Any = None, node_index: int | None = None) -> Any:
    """The inputs of models that a tensor is computed from."""
    if not hasattr(tensor, "_keras_history"):
        return tensor
    if layer is None or node_index:
        layer, node_index, _ = tensor._keras_history
    if not layer._inbound_nodes:
        return [tensor]
    node = layer._inbound_nodes[node_index or 0]
    if not node.inbound():
        return nest.flatten(node.input_tensors)
    found: list[Any] = []
    for before, index, _, one in node.inbound():
        for source in get_source_inputs(one, before, index):
            if not any(source is other for other in found):
                found.append(source)
    return found
