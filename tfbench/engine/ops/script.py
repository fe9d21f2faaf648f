"""`py_func`: an op whose kernel is the user's own Python function, kept with the graph under a token."""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine import dtypes
from tfbench.engine.convert import to_array
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import DType, as_dtype, type_word
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.tensor import Tensor

__all__ = ["numpy_function", "py_func"]

_SIGNATURE = ("input: Tin", "output: Tout", "token: string; Tin: list(type) >= 0; Tout: list(type) >= 0")

stateful_op = op("PyFunc", *_SIGNATURE, stateful=True)
stateless_op = op("PyFuncStateless", *_SIGNATURE)
for _op in (stateful_op, stateless_op):
    _op.no_gradient("what a Python function does to numbers is unknown; a program may say, by gradient_override_map")


class _Functions:
    """The functions of one graph by token."""

    def __init__(self) -> None:
        self.by_token: dict[str, Callable[..., Any]] = {}

    def snapshot(self) -> dict[str, Callable[..., Any]]:
        return dict(self.by_token)

    def restore(self, state: dict[str, Callable[..., Any]]) -> None:
        self.by_token = dict(state)


def functions(graph: Graph) -> _Functions:
    """The Python functions of a graph."""
    return graph.extension("py_funcs", _Functions)


_tokens = itertools.count()


def new_token() -> str:
    """What a function that is added to a graph is known by."""
    return f"pyfunc_{next(_tokens)}"


@stateful_op.shape
@stateless_op.shape
def unknown_shapes(node: Operation, *inputs: Any) -> Any:
    """Nothing is known of what a function will return."""
    return [None] * len(node.attrs["Tout"])


@stateful_op.bind(CPU)
@stateless_op.bind(CPU)
def bind_function(context: Any) -> Callable[..., Any]:
    """The kernel that calls a node's function, found by its token."""
    token = context.attrs["token"]
    types = context.attrs["Tout"]
    function = functions(context.op.graph).by_token.get(token)
    if function is None:
        raise errors.UnknownError(
            context.op.node_def,
            context.op,
            f"callback {token} is not found: the graph was imported, and Python functions do not travel with graphs.",
        )

    def call(*arrays: Any) -> list[Any]:
        # The function gets arrays of its own: what it writes to them stays with it.
        try:
            returned = function(*[np.array(array) for array in arrays])
        except Exception as error:
            raise _explained(error) from error
        return _outputs(returned, types, token)

    return call


_KINDS: list[tuple[tuple[type[Exception], ...], type[errors.OpError]]] = [
    ((ValueError, TypeError), errors.InvalidArgumentError),
    ((StopIteration,), errors.OutOfRangeError),
    ((MemoryError,), errors.ResourceExhaustedError),
    ((NotImplementedError,), errors.UnimplementedError),
]


def _explained(error: Exception) -> Exception:
    if isinstance(error, errors.OpError):
        return error
    text = f"{type(error).__name__}: {error}\n{''.join(traceback.format_exception(error))}"
    for types, kind in _KINDS:
        if isinstance(error, types):
            return kind(None, None, text)  # type: ignore[call-arg]
    return errors.UnknownError(None, None, text)


def _outputs(returned: Any, types: list[DType], token: str) -> list[Any]:
    if returned is None:
        values: list[Any] = []
    elif isinstance(returned, (list, tuple)):
        # A list is several outputs, never one array.
        values = list(returned)
    else:
        values = [returned]
    arrays = [_array(value) for value in values]
    if len(arrays) != len(types):
        raise invalid(f"{token} returns {len(arrays)} values, but expects to see {len(types)} values.")
    for index, ((_, found), wanted) in enumerate(zip(arrays, types, strict=True)):
        if found is not wanted.base_dtype:
            raise invalid(
                f"{index}-th value returned by {token} is {type_word(found)}, but expects {type_word(wanted)}"
            )
    return [array for array, _ in arrays]


def _array(value: Any) -> tuple[Any, DType]:
    """What a function returned as an array that is nobody else's, and its type as a tensor."""
    array = np.array(value)
    if array.dtype.kind not in "SUO":
        return array, as_dtype(array.dtype)
    array = np.array(value, object)
    for item in array.ravel().tolist():
        if not isinstance(item, (str, bytes)):
            raise errors.InternalError(None, None, f"Unsupported object type {type(item).__name__}")
    return to_array(array, dtypes.string)


def py_func(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: str | None = None) -> Any:
    """Calls a Python function with the values of `inp` as arrays when the graph runs.

    Args:
      func: takes arrays, returns an array, or a sequence of them for several outputs.
      inp: the tensors.
      Tout: the dtype of the output, or a list of dtypes. What the function returns must have exactly these.
      stateful: False says that equal inputs give equal outputs.

    Returns:
      A tensor, or a list of them (the operation if there are none), of unknown shape.
    """
    graph = get_default_graph()
    token = new_token()
    types = [as_dtype(t) for t in Tout] if isinstance(Tout, (list, tuple)) else [as_dtype(Tout)]
    definition = stateful_op if stateful else stateless_op
    node = definition.node(list(inp), token=token, Tout=types, name=name)
    functions(graph).by_token[token] = func
    outputs: list[Tensor] = node.outputs
    if isinstance(Tout, (list, tuple)):
        return outputs if outputs else node
    return outputs[0]


def numpy_function(func: Callable[..., Any], inp: Any, Tout: Any, name: str | None = None) -> Any:
    """The later name of `py_func`."""
    return py_func(func, inp, Tout, name=name)
