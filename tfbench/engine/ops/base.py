"""The ops that graphs are made of before anything is computed: constants, placeholders, identities, no-ops."""

from __future__ import annotations

from typing import Any

from tfbench.engine import apply as _apply  # noqa: F401 - fills in how nodes are built
from tfbench.engine.convert import constant as _constant
from tfbench.engine.dtypes import as_dtype, type_word
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, GPU, Preset, op
from tfbench.engine.shape_math import debug_string, merge
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor

__all__ = [
    "constant",
    "identity",
    "no_op",
    "placeholder",
    "placeholder_with_default",
    "stop_gradient",
]

const = op("Const", "", "output: dtype", "value: tensor; dtype: type", doc="A value that is part of the graph.")


@const.shape
def _const_shape(node: Operation) -> Any:
    return [node.attrs["value"].shape]


@const.bind(CPU, GPU)
def _const_bind(context: Any) -> Preset:
    return Preset(context.xp.asarray(context.attrs["value"]))


const.no_gradient("a constant has no inputs")


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False
) -> Tensor:
    """A tensor with a fixed value: a number, string, (nested) list or array.

    Without `dtype`, Python numbers become int32 or float32 and arrays keep their type. With `shape`, the last
    element is repeated until it is filled (`verify_shape` forbids that).
    """
    return _constant(value, dtype, shape, name, verify_shape)


_placeholder = op(
    "Placeholder",
    "",
    "output: dtype",
    "dtype: type; shape: shape = { unknown_rank: true }",
    doc="A value that must be fed.",
)


@_placeholder.shape
def _placeholder_shape(node: Operation) -> Any:
    return [node.attrs["shape"]._dims]


@_placeholder.bind(CPU, GPU)
def _placeholder_bind(context: Any) -> Any:
    node = context.op
    wanted = f"'{node.name}' with dtype {type_word(node.attrs['dtype'])}"
    shape = node.attrs["shape"]._dims
    if shape is not None and len(shape) > 0:
        wanted += f" and shape {debug_string(shape)}"

    def unfed() -> Any:
        raise invalid(f"You must feed a value for placeholder tensor {wanted}")

    return unfed


_placeholder.no_gradient("a placeholder has no inputs")


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor whose value each run must feed. Sizes that are None may be anything."""
    return _placeholder(dtype=as_dtype(dtype), shape=TensorShape(shape), name=name)


_with_default = op("PlaceholderWithDefault", "input: dtype", "output: dtype", "dtype: type; shape: shape", aliases=True)


@_with_default.shape
def _with_default_shape(node: Operation, x: Any) -> Any:
    wanted = node.attrs["shape"]._dims
    merge(x, wanted)  # refuses a default that does not fit
    return [wanted]


@_with_default.kernel(CPU, GPU)
def _with_default_kernel(xp: Any, x: Any) -> Any:
    return x


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor with the value of `input` unless something else is fed."""
    return _with_default(input, shape=TensorShape(shape), name=name)


identity_op = op(
    "Identity", "input: T", "output: T", aliases=True, doc="The same value; a variable's buffer is shared."
)


@identity_op.shape
def _identity_shape(node: Operation, x: Any) -> Any:
    return [x]


@identity_op.kernel(CPU, GPU)
def _identity_kernel(xp: Any, x: Any) -> Any:
    return x


@identity_op.gradient
def _identity_gradient(node: Operation, dy: Any) -> Any:
    return [dy]


def identity(input: Any, name: str | None = None) -> Tensor:
    """A node with the value of `input`: the thing to make inside `control_dependencies`, or on another device."""
    copy = getattr(input, "__tf_identity__", None)
    if copy is not None:
        return copy(name)
    result: Tensor = identity_op(input, name=name)
    return result


_stop_gradient = op("StopGradient", "input: T", "output: T", aliases=True)
_stop_gradient.shape(_identity_shape)
_stop_gradient.kernel(CPU, GPU)(_identity_kernel)
_stop_gradient.no_gradient("it is there to stop gradients")


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The value of `input`, which gradients treat as a constant."""
    return _stop_gradient(input, name=name)


_no_op = op("NoOp", "", "", doc="Does nothing; others wait for it or it waits for others.")
_no_op.no_gradient("nothing goes in or comes out")


@_no_op.kernel(CPU, GPU)
def _no_op_kernel(xp: Any) -> None:
    return None


def no_op(name: str | None = None) -> Operation:
    """An operation that does nothing."""
    return _no_op(name=name)
