"""`slim.model_analyzer`: how large variables and results are, printed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfbench.engine.graph import Graph

__all__ = ["analyze_ops", "analyze_vars", "tensor_description"]


def tensor_description(var: Any) -> str:
    """Type and shape, as `(float32 2x3)`."""
    sizes = "x".join("?" if size is None else str(size) for size in var.shape.as_list())
    return f"({var.dtype.name} {sizes})"


def analyze_ops(graph: Graph, print_info: bool = False) -> int:
    """The number of elements of all results whose shape is known."""
    if print_info:
        print("---------\nOperations: name -> (type shapes) [size]\n---------")
    total = 0
    for node in graph.get_operations():
        described = []
        size = 0
        for output in node.outputs:
            count = output.shape.num_elements()
            if count is not None and output.shape.ndims is not None:
                size += count
                described.append(tensor_description(output))
        if print_info:
            print(node.name, "\t->", ", ".join(described), f"[{size}]")
        total += size
    return total


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> tuple[int, int]:
    """The number of elements, and of bytes, of these variables."""
    if print_info:
        print("---------\nVariables: name (type shape) [size]\n---------")
    total, total_bytes = 0, 0
    for variable in variables:
        size = variable.shape.num_elements() or 0
        size_bytes = size * variable.dtype.size
        total += size
        total_bytes += size_bytes
        if print_info:
            print(variable.name, tensor_description(variable), f"[{size}, bytes: {size_bytes}]")
    if print_info:
        print(f"Total size of variables: {total}")
        print(f"Total bytes of variables: {total_bytes}")
    return total, total_bytes
