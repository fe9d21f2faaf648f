"""The global step: the one variable of a graph that counts training steps."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.graph import Graph
from tfbench.engine.tensor import Tensor
from tfbench.initializers import zeros_initializer
from tfbench.variable_scope import get_variable
from tfbench.variables.base import Variable


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The value of the global step in session `sess`."""
    return int(sess.run(global_step_tensor))


def get_global_step(graph: Graph | None = None) -> Any:
    """The global step of `graph` (default: the default graph), or None.

    Raises:
      TypeError: if it is not an integer scalar.
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) == 1:
        step = found[0]
    elif found:
        raise ValueError(
            f"Multiple tensors in the global_step collection: {', '.join(str(item.name) for item in found)}. "
            "One is expected."
        )
    else:
        try:
            step = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(step)
    return step


def create_global_step(graph: Graph | None = None) -> Any:
    """Makes the global step, an int64 variable called "global_step".

    Raises:
      ValueError: if there is one.
    """
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=zeros_initializer(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """The global step, made if there is none."""
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError unless this is an integer scalar: a variable or a tensor."""
    if not isinstance(global_step_tensor, (Variable, Tensor)):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype.name}')
    shape = global_step_tensor.get_shape()
    if shape.ndims != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')


_READ = "global_step_read_op_cache"


def global_step_read(graph: Graph | None = None) -> Tensor | None:
    """The value of the global step as a tensor, made once in a graph: what monitored sessions fetch. None without one.

    Before the variable is initialised it is the initial value.
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(_READ)
    if found:
        return found[0]
    step = get_global_step(graph)
    if step is None:
        return None
    with graph.as_default(), graph.name_scope(None), graph.name_scope(f"{step.op.name}/"):
        value = step.initialized_value() if isinstance(step, Variable) else step
        read = value + 0
    graph.add_to_collection(_READ, read)
    return read
