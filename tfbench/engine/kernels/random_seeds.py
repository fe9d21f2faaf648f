"""The two seeds of a random op, from the graph's seed and its own."""

from __future__ import annotations

from typing import Any

#: the graph's seed where only the op has one
DEFAULT_GRAPH_SEED = 87654321
_LARGEST = 2**31 - 1


def get_seed(graph_seed: Any, op_seed: Any, op_counter: int) -> tuple[Any, Any]:
    """(seed, seed2) for an op, or (None, None) if nobody gave a seed: then each session draws its own.

    `op_counter` is how many ops of the graph took this path before: it is an op's seed where only the graph
    has one (count up exactly then, see `counts`). Seeds are taken modulo 2**31 - 1, whatever their sign; (0, 0),
    which would mean no seed, becomes (0, 2**31 - 1).
    """
    if graph_seed is not None:
        seeds = graph_seed % _LARGEST, (op_counter if op_seed is None else op_seed) % _LARGEST
    elif op_seed is not None:
        seeds = DEFAULT_GRAPH_SEED, op_seed % _LARGEST
    else:
        return None, None
    return (0, _LARGEST) if seeds == (0, 0) else seeds


def counts(graph_seed: Any, op_seed: Any) -> bool:
    """Whether an op with these seeds takes one of the graph's op numbers."""
    return graph_seed is not None and op_seed is None
