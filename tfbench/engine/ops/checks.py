"""`Assert` and `check_numerics`: ops that fail the run when a condition does not hold."""

from __future__ import annotations

from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import string
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.base import no_op
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.grouping import group, with_dependencies
from tfbench.engine.ops.printing import summary
from tfbench.engine.tensor import Tensor

__all__ = ["Assert", "add_check_numerics_ops", "check_numerics", "verify_tensor_all_finite"]

_assert = op("Assert", "condition: bool, data: T", "", "T: list(type) >= 1; summarize: int = 3", stateful=True)
_assert.no_gradient("nothing comes out")


@_assert.shape
def _assert_shape(node: Operation, condition: Any, *data: Any) -> Any:
    if condition is not None and condition != ():
        raise ValueError(f"Shape must be rank 0 but is rank {len(condition)}")
    return []


@_assert.kernel(CPU, GPU)
def _assert_kernel(xp: Any, condition: Any, *data: Any, summarize: int) -> None:
    if not condition:
        values = " ".join(f"[{summary(array, summarize)}]" for array in data)
        raise invalid(f"assertion failed: {values}")


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> Operation:
    """An operation that fails with the values of `data` where `condition` is false.

    `data` is computed only then, except where all of it is strings and integers, which cost nothing.
    It has to be run: fetch it, or make others wait for it with `control_dependencies`.
    """
    with name_scope(name, "Assert", data):
        items = [convert_to_tensor(item) for item in data]
        if all(item.dtype == string or item.dtype.base_dtype.name == "int32" for item in items):
            # TensorFlow hands on what it was given, and so makes the constants again, under the node's own name.
            return _assert(condition, data, summarize=summarize, name="Assert")
        condition = convert_to_tensor(condition, name="Condition")

        def fails() -> Operation:
            return _assert(condition, data, summarize=summarize, name="Assert")

        guarded = cond(condition, no_op, fails, name="AssertGuard")
        return guarded.op


_check = op(
    "CheckNumerics",
    "tensor: T",
    "output: T",
    "T: {bfloat16, half, float, double}; message: string",
    stateful=True,
    aliases=True,
)


@_check.shape
def _check_shape(node: Operation, x: Any) -> Any:
    return [x]


@_check.kernel(CPU, GPU)
def _check_kernel(xp: Any, tensor: Any, *, message: str) -> Any:
    if not xp.isfinite(tensor).all():
        nan = bool(xp.isnan(tensor).any())
        infinite = bool(xp.isinf(tensor).any())
        found = " and ".join([*(["Inf"] if infinite else []), *(["NaN"] if nan else [])])
        raise invalid(f"{message} : Tensor had {found} values")
    return tensor


@_check.gradient
def _check_gradient(node: Operation, dy: Any) -> Any:
    # TensorFlow's own message, in which the bytes are printed as such
    said = node.attrs["message"].encode()
    return [check_numerics(dy, f"Not a number (NaN) or infinity (Inf) values detected in gradient. {said}")]


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The value of `tensor`; InvalidArgumentError with `message` if it holds NaN or Inf."""
    return _check(tensor, message=message, name=name)


def verify_tensor_all_finite(
    t: Any = None, msg: str | None = None, name: str | None = None, x: Any = None, message: str | None = None
) -> Any:
    """`t`, available only when it has been found to hold no NaN or Inf."""
    value = t if x is None else x
    with name_scope(name, "VerifyFinite", [value]):
        tensor = convert_to_tensor(value, name="x")
        with get_default_graph().colocate_with(tensor):
            checked = check_numerics(tensor, message=(msg if message is None else message) or "")
            return with_dependencies([checked], tensor)


def add_check_numerics_ops() -> Operation:
    """An operation that checks every floating-point tensor of the graph for NaN and Inf."""
    checks: list[Operation] = []
    graph = get_default_graph()
    for operation in graph.get_operations():
        for output in operation.outputs:
            if output.dtype.base_dtype.name in ("float16", "float32", "float64"):
                if operation._control_flow_context is not None:
                    raise ValueError(
                        "tf.add_check_numerics_ops() is not compatible with control flow, as cond or while_loop."
                    )
                with graph.control_dependencies(checks):
                    checks = [check_numerics(output, message=output.name).op]
    return group(*checks)
