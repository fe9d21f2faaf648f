"""What `model.summary()` prints: a row for each layer, and how many numbers there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import nest


def count_params(weights: Any) -> int:
    """How many numbers variables hold, each counted once."""
    return sum(int(np.prod(one.shape.as_list())) for one in {id(weight): weight for weight in weights}.values())


def is_line(model: Any) -> bool:
    """Whether each layer is used once, and takes what the one before gives."""
    if type(model).__name__ == "Sequential" or not model._is_graph_network:
        return True
    nodes = []
    for calls in model._nodes_by_depth.values():
        if len(calls) > 1 or len(nest.flatten(calls[0].inbound_layers)) > 1:
            return False
        nodes += calls
    return all(sum(node in nodes for node in layer._inbound_nodes) <= 1 for layer in model.layers)


def print_summary(model: Any, line_length: int | None, positions: Any, print_fn: Callable[[str], None] | None) -> None:
    """Prints the table.

    Args:
      positions: where columns end, in characters or as parts of the line.
    """
    say = print_fn or print
    line = is_line(model)
    length = line_length or (65 if line else 98)
    ends = positions or ([0.45, 0.85, 1.0] if line else [0.33, 0.55, 0.67, 1.0])
    if ends[-1] <= 1:
        ends = [int(length * end) for end in ends]

    def row(fields: list[Any]) -> None:
        text = ""
        for at, field in enumerate(fields):
            text = (f"{text[:-1]} " if at else "") + str(field)
            text = text[: ends[at]].ljust(ends[at])
        say(text)

    say(f'Model: "{model.name}"')
    say("_" * length)
    row(["Layer (type)", "Output Shape", "Param #", *([] if line else ["Connected to"])])
    say("=" * length)
    relevant = set() if line else {node for calls in model._nodes_by_depth.values() for node in calls}
    layers = model.layers
    for at, layer in enumerate(layers):
        first = [f"{layer.name} ({type(layer).__name__})", _shape(layer), layer.count_params()]
        if line:
            row(first)
        else:
            from_where = _connections(layer, relevant)
            row([*first, from_where[0] if from_where else ""])
            for more in from_where[1:]:
                row(["", "", "", more])
        say(("=" if at == len(layers) - 1 else "_") * length)
    trained = count_params(vars(model).get("_collected_trainable_weights", model.trainable_weights))
    frozen = count_params(model.non_trainable_weights)
    say(f"Total params: {trained + frozen:,}")
    say(f"Trainable params: {trained:,}")
    say(f"Non-trainable params: {frozen:,}")
    say("_" * length)


def _shape(layer: Any) -> Any:
    try:
        return layer.output_shape
    except AttributeError:
        return "multiple"
    except RuntimeError:
        return "?"


def _connections(layer: Any, relevant: set[Any]) -> list[str]:
    return [
        f"{before.name}[{call}][{output}]"
        for node in layer._inbound_nodes
        if not relevant or node in relevant
        for before, call, output, _ in node.inbound()
    ]
