"""`tf.py_function`: an op that calls a Python function, which works on tensors that have values.

There is no eager mode here. The function gets tensors of a graph of its own, made for this one call: ops called on
them are nodes of that graph, and whenever it wants to know a value (`x.numpy()`, `if x > 0:`, an array of it), the
graph is run as far as it goes. What was computed once is not computed again, so random numbers stay what they are. The
graph of the last call is kept: gradients go back through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.base import constant
from tfbench.engine.ops.script import bind_function, functions, new_token, unknown_shapes
from tfbench.engine.tensor import OPERATORS, Tensor

__all__ = ["py_function"]

Array = Any

_eager = op(
    "EagerPyFunc",
    "input: Tin",
    "output: Tout",
    "token: string; is_async: bool = false; Tin: list(type) >= 0; Tout: list(type) >= 0",
    stateful=True,
)


_eager.shape(unknown_shapes)
_eager.bind(CPU)(bind_function)


class EagerTensor(Tensor):
    """A tensor within a `py_function`: its value can be asked for."""

    __slots__ = ()

    def numpy(self) -> Array:
        """The value."""
        graph: Any = self.graph
        return np.array(graph.value_of(self))

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __index__(self) -> int:
        return self.numpy().__index__()

    def __len__(self) -> int:
        return len(self.numpy())

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.numpy() if dtype is None else self.numpy().astype(dtype)


class CallGraph(Graph):
    """The graph of one call, and the values that are known in it."""

    def __init__(self) -> None:
        super().__init__()
        self._session: Any = None
        self._values: dict[Tensor, Array] = {}
        self._done: set[Operation] = set()

    def add_node(self, *args: Any, **kwargs: Any) -> Operation:
        node = super().add_node(*args, **kwargs)
        for tensor in node.outputs_list:
            tensor.__class__ = EagerTensor
        return node

    def run(self, tensors: list[Tensor]) -> list[Array]:
        """The values of tensors; what has an effect and was not run yet runs, too."""
        effects = [node for node in self.get_operations() if node.op_def.stateful and node not in self._done]
        wanted = [tensor for tensor in tensors if tensor not in self._values]
        wanted += [tensor for node in effects for tensor in node.outputs_list if tensor not in self._values]
        if wanted or effects:
            if self._session is None:
                self._session = OPERATORS["session"](self)
            found, _ = self._session.run([wanted, effects], dict(self._values))
            self._values.update(zip(wanted, found))
            self._done.update(effects)
        return [self._values[tensor] for tensor in tensors]

    def value_of(self, tensor: Tensor) -> Array:
        return self.run([tensor])[0]


class _Immediate:
    """A function that is called with tensors, and the last call of it."""

    def __init__(self, function: Callable[..., Any], types: list[Any]) -> None:
        self._function, self._types = function, types
        #: graph, inputs and outputs
        self.last: tuple[CallGraph, list[Tensor], list[Tensor]] | None = None

    def __call__(self, *arrays: Array) -> Any:
        graph = CallGraph()
        with graph.as_default():
            inputs = [constant(array) for array in arrays]
            returned = self._function(*inputs)
            if returned is None:
                outputs = []
            elif isinstance(returned, (list, tuple)):
                outputs = [_converted(value, dtype) for value, dtype in zip(returned, self._types)]
            else:
                outputs = [_converted(returned, self._types[0])] if self._types else []
        self.last = graph, inputs, outputs
        return graph.run(outputs)


def _converted(value: Any, dtype: Any) -> Tensor:
    if isinstance(value, (np.ndarray, np.generic, int, float)) and dtype.name != "string":
        value = np.asarray(value).astype(dtype.as_numpy_dtype)
    return convert_to_tensor(value, dtype=dtype)


def eager_node(function: Callable[..., Any], inp: Any, types: list[Any], name: str | None) -> Operation:
    """A node that calls `function` with arrays; it returns a list of them."""
    token = new_token()
    node = _eager.node(list(inp), token=token, Tout=types, name=name)
    functions(get_default_graph()).by_token[token] = function
    return node


def immediate_of(node: Operation) -> Any:
    """The function of a node, with its last call."""
    return functions(node.graph).by_token[node.attrs["token"]]


def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: str | None = None) -> Any:
    """Calls a Python function with tensors whose values are known when the graph runs; gradients go through it.

    Args:
      func: takes tensors, on which ops and `numpy()` work, returns a tensor or array, or a sequence of them.
      inp: the tensors.
      Tout: the dtype of the output, or a list of dtypes.

    Returns:
      A tensor, or a list of them (the operation if there are none), of unknown shape.

    Raises:
      ValueError: if `func` is not callable.
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    types = [as_dtype(t) for t in Tout] if isinstance(Tout, (list, tuple)) else [as_dtype(Tout)]
    node = eager_node(_Immediate(func, types), inp, types, name)
    outputs: list[Tensor] = node.outputs
    if isinstance(Tout, (list, tuple)):
        return outputs if outputs else node
    return outputs[0]
