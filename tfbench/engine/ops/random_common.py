"""What random ops share: streams that a session keeps, seeds, and what shape inputs say.

An op's two seeds are attributes of its node. A session keeps the op's stream (see `kernels/philox.py`) and lets it run
on from run to run; another session starts it again, or, where the op has no seeds, draws others.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dimension import Dimension
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import random_seeds
from tfbench.engine.ops.shape_ops import shape_from_input
from tfbench.engine.resources import Resource
from tfbench.engine.shape_math import concatenate, debug_string, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

if TYPE_CHECKING:
    from tfbench.engine.kernels.philox import PhiloxStream

__all__ = ["get_seed", "set_random_seed"]

SEEDS = "seed: int = 0; seed2: int = 0; "
FLOATS = "{half, bfloat16, float, double}"
INDEX = "{int32, int64}"
RATES = "{half, float, double, int32, int64}"

# -- streams ---------------------------------------------------------------------------------------------------------


class _OpStream(Resource):
    """One op's stream in one session, as a resource. Another op of the same name does not go on with it."""

    __slots__ = ("op", "stream")

    def __init__(self, op: Operation) -> None:
        from tfbench.engine.kernels.philox import PhiloxStream  # the first random op of a program loads it

        self.op = weakref.ref(op)
        self.stream = PhiloxStream(op.attrs["seed"], op.attrs["seed2"])

    def snapshot(self) -> tuple[int, int]:
        return self.stream.snapshot()

    def restore(self, state: tuple[int, int]) -> None:
        self.stream.restore(state)


#: the container of streams in a session's resources; users' containers have other names
STREAMS = "<random streams>"


def stream_of(context: Any) -> PhiloxStream:
    """The stream of the node that is being bound, shared by all plans of the session."""
    node, resources = context.op, context.resources
    found = resources.find(STREAMS, node.name)
    if found is not None and found.op() is not node:
        resources.remove(STREAMS, node.name)
    held: _OpStream = resources.get(STREAMS, node.name, lambda: _OpStream(node))
    return held.stream


def sizes_of(shape: Any) -> tuple[int, ...]:
    """The value of a shape input. InvalidArgumentError unless it is a vector of sizes."""
    if shape.ndim != 1:
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {debug_string(shape.shape)}")
    sizes: tuple[int, ...] = tuple(shape.tolist())
    for size in sizes:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return sizes


def scalar_of(value: Any, name: str) -> int:
    """The value of a scalar integer input. InvalidArgumentError for another rank."""
    if value.ndim:
        raise invalid(f"{name} must be 0-D, got shape {debug_string(value.shape)}")
    return int(value)


def shaped(node: Operation, shape: Shape, *others: Shape) -> list[Shape]:
    """Shape function: the first input is the shape of the output."""
    with_rank(shape, 1)
    return [shape_from_input(node, 0)]


def shaped_with_bounds(node: Operation, shape: Shape, *others: Shape) -> list[Shape]:
    """Shape function: as `shaped`, and the last two inputs are the scalars `minval` and `maxval`."""
    for name, bound in zip(("minval", "maxval"), others[-2:]):
        if bound is not None and len(bound):
            raise ValueError(f"{name} must be a scalar; got a tensor of shape {debug_string(bound)}")
    return shaped(node, shape)


def shape_with_parameters(node: Operation, shape: Shape, parameters: Shape) -> list[Shape]:
    """Shape function: the shape that is asked for, then that of the distributions' parameters (the last input)."""
    with_rank(shape, 1)
    return [concatenate(shape_from_input(node, 0), parameters)]


def drawing(module: str, function: str) -> Callable[..., Any]:
    """A function of `kernels/`, loaded when the first op that needs it is bound: most programs need one or two."""
    import importlib

    return getattr(importlib.import_module(f"tfbench.engine.kernels.{module}"), function)


# -- seeds -----------------------------------------------------------------------------------------------------------


def get_seed(op_seed: Any) -> tuple[Any, Any]:
    """The two seeds for an op with the seed `op_seed` (or None) in the default graph; (None, None) without any."""
    graph = get_default_graph()
    number = graph._seeded_ops
    if random_seeds.counts(graph.seed, op_seed):
        graph._seeded_ops += 1
    return random_seeds.get_seed(graph.seed, op_seed, number)


def set_random_seed(seed: Any) -> None:
    """Sets the seed of the default graph, for the random ops that are made from now on."""
    get_default_graph().seed = seed


def seed_attrs(op_seed: Any) -> dict[str, Any]:
    """The attributes `seed` and `seed2` of an op. TypeError for what is no number."""
    return {name: _as_int(seed, name) for name, seed in zip(("seed", "seed2"), get_seed(op_seed))}


def _as_int(seed: Any, name: str) -> int:
    if seed is None:
        return 0
    if not isinstance(seed, (int, float, np.integer, np.floating)):
        raise TypeError(f"Expected int for argument '{name}' not {seed!r}.")
    return int(seed)


def shape_tensor(shape: Any) -> Tensor:
    """The constant (or tensor) called `shape` for what users write as a shape."""
    dtype = None
    if isinstance(shape, (tuple, list)):
        shape = tuple(size.value if isinstance(size, Dimension) else size for size in shape)
        dtype = None if shape else dtypes.int32
    return convert_to_tensor(shape, dtype=dtype, name="shape")
