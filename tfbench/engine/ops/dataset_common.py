"""What the ops of data sets share. While a run lasts, a data set's handle is the data set (`kernels/datasets`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, OpDef, op
from tfbench.engine.resources import REFERENCE_VARIABLES
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import OPERATORS, Tensor

#: the attributes that say what elements look like, and TensorFlow's note
ELEMENTS = "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"
NOTE = "; metadata: string = ''"


def dataset_op(type: str, inputs: str, attrs: str, *, stateful: bool = False) -> OpDef:
    """An op whose output is the handle of a data set."""
    definition = op(type, inputs, "handle: variant", attrs, stateful=stateful)
    definition.shape(handle_shape)
    definition.no_gradient("data sets have no gradient")
    return definition


def handle_shape(node: Operation, *inputs: Shape) -> list[Shape]:
    return [()]


def element_shapes(node: Operation, *inputs: Shape) -> list[Shape]:
    """The shapes that the attribute says."""
    return [shape._dims for shape in node.attrs["output_shapes"]]


def simple(definition: OpDef, make: Callable[..., Any]) -> OpDef:
    """Binds an op to `make(datasets, attrs, input data set, scalars …)`; `datasets` is the module with the classes."""

    @definition.bind(CPU)
    def _(context: Any) -> Callable[..., Any]:
        attrs = context.attrs

        def kernel(source: Any, *inputs: Any) -> Any:
            return make(attrs, source, *[plain(value) for value in inputs])

        return kernel

    return definition


def plain(value: Any) -> Any:
    """A scalar input as Python's value; others as they are."""
    if isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0:
        return value.item()
    return value


# -- functions --------------------------------------------------------------------------------------------------------


class BoundFunction:
    """The function that an attribute names, and how a kernel's inputs become what it captured."""

    __slots__ = ("_function", "captures")

    def __init__(self, context: Any, attr: str = "f") -> None:
        node, name = context.op, context.attrs[attr]
        body = name.body
        if body is None:  # another function of that name, in this graph, is not the one
            raise errors.NotFoundError(
                node.node_def,
                node,
                f"Function {name.name} is not defined: '{node.name}' was imported, and functions do "
                "not travel with graphs. Build the data set here.",
            )
        self._function = OPERATORS["node_function"](body, context.device, f"{node.type} '{node.name}'")

        self.captures = len(body.captures)

    def call(self, captured: Sequence[Any]) -> Callable[[Any], Callable[..., Any]]:
        """The function with these values captured; of the context of an iterator, which keeps its state."""
        function = self._function

        def make(context: Any) -> Callable[..., Any]:
            bound: Callable[..., Any] = function.instance(context.functions).bound(captured)
            return bound

        return make


def keeper(tensors: Sequence[Tensor]) -> Callable[[Sequence[Any]], list[Any]]:
    """A function of these tensors' values that a data set may keep: what may be a variable's memory is copied."""
    copied = [_may_change(tensor) for tensor in tensors]

    def keep(values: Sequence[Any]) -> list[Any]:
        return [
            np.array(value) if copy and isinstance(value, np.ndarray) else value
            for value, copy in zip(values, copied, strict=True)
        ]

    return keep


def _may_change(tensor: Tensor) -> bool:
    node = tensor.op
    while (node.op_def.aliases or node.op_def.views or node.type in ("Enter", "Switch", "Merge")) and node._inputs:
        node = node._inputs[0].op
    return node.type in REFERENCE_VARIABLES or tensor._dtype._is_ref_dtype


def strings(value: Any) -> list[bytes]:
    """An input of rank 0 or 1 as a list of strings."""
    array: Any = np.asarray(value)
    if array.ndim > 1:
        raise invalid("`filenames` must be a scalar or a vector.")
    found: list[bytes] = array.ravel().tolist()
    return found
