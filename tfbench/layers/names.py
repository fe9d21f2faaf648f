"""What layers are called: after their class, counted per graph."""

from __future__ import annotations

import re

from tfbench.engine.default_graph import get_default_graph


def snake_case(name: str) -> str:
    """`MaxPooling2D` as a layer is called: `max_pooling2d`."""
    spaced = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub(r"([a-z])([A-Z])", r"\1_\2", spaced).lower()
    return f"private{snake}" if snake[0] == "_" else snake


class _Counts(dict[str, int]):
    """How many layers of each class a graph has."""

    def snapshot(self) -> dict[str, int]:
        """For `Graph.mark`."""
        return dict(self)

    def restore(self, state: dict[str, int]) -> None:
        """For `Graph.roll_back`."""
        self.clear()
        self.update(state)


def counted(base_name: str) -> str:
    """`base_name` with the number of the next layer of that name in the default graph, from 1."""
    counts: _Counts = get_default_graph().extension("layer_names", _Counts)
    counts[base_name] = counts.get(base_name, 0) + 1
    return f"{base_name}_{counts[base_name]}"
