"""A kernel's exception as the error that `Session.run` raises: TensorFlow's type, the op, the user's line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfbench import errors

if TYPE_CHECKING:
    from tfbench.engine.placement import Placement
    from tfbench.engine.steps import AnyStep

#: the attribute of an exception that says which step failed, where one line stands for several (`fusion`)
FAILED_STEP = "_tfbench_step"


def explain(
    error: Exception,
    step: AnyStep | None,
    feeds: Any = (),
    iterations: Sequence[tuple[str, int]] = (),
    placement: Placement | None = None,
) -> Exception:
    """The exception to raise for `error`, which `step` raised, in these iterations of the loops around it."""
    step = getattr(error, FAILED_STEP, step)
    if step is None:
        return error
    op = step.op
    if isinstance(error, errors.OpError):
        if error.op is not None:
            return error
        kind: type[errors.OpError] = type(error)
        message = error.message
    elif isinstance(error, MemoryError):
        kind = errors.ResourceExhaustedError
        message = _exhausted(error, step, placement)
    elif isinstance(error, (ValueError, IndexError, TypeError, ArithmeticError)):
        kind = errors.InvalidArgumentError
        message = _broadcast_words(str(error))
    elif type(error).__module__.startswith("cupy"):
        kind = errors.InternalError
        message = (
            f"{type(error).__name__}: {error}. A GPU works behind the host: what failed may be an earlier operation "
            "(a run with trace_level=FULL_TRACE waits after each). If this goes on, CUDA needs a new process."
        )
    else:
        kind = errors.UnknownError
        message = f"{type(error).__name__}: {error}"
    message = f"{message}\n\t [[{{{{node {op.name}}}}}]]"
    if iterations:
        message += "".join(f" in iteration {number} of loop '{name}'" for name, number in reversed(iterations))
    explained = kind(op.node_def, op, message)  # type: ignore[call-arg]
    explained.source = op.source
    explained.iterations = tuple(iterations)
    explained.device = op.device or None if placement is None else placement.device_of(op).name
    return explained


def _exhausted(error: MemoryError, step: AnyStep, placement: Placement | None) -> str:
    """What there was no memory for. Whose memory it was, the error says."""
    op = step.op
    tensor = getattr(getattr(step, "transfer", None), "tensor", None)
    what = f"sending {tensor.name}" if tensor is not None else f"computing {op.type}"
    for device in placement.devices if placement is not None else ():
        found = None if device.on_host else device.exhausted(error)
        if found:
            made = [tensor] if tensor is not None else op.outputs
            shapes = " or ".join(f"{_shape(made.shape)} and type {made.dtype.base_dtype.name}" for made in made)
            return (
                f"OOM when allocating tensor{' with shape' if made else ''}{shapes} on {device.name} by allocator "
                f"{device.kind}_{device.index}_cupy, while {what} with input shapes {_input_shapes(op)}: {found}"
            )
    return f"Out of memory while {what} with input shapes {_input_shapes(op)}. {error}"


def _shape(shape: Any) -> str:
    if shape.ndims is None:
        return "[?]"
    return "[" + ",".join("?" if size is None else str(size) for size in shape.as_list()) + "]"


def _broadcast_words(message: str) -> str:
    """NumPy's words for operands that do not broadcast, said as TensorFlow says them."""
    found = re.match(r"operands could not be broadcast together with (?:remapped )?shapes (.*)", message)
    if found is None:
        return message
    shapes = re.findall(r"\(([\d,]*?),?\)", found.group(1))
    return "Incompatible shapes: " + " vs. ".join(f"[{shape}]" for shape in shapes)


def _input_shapes(op: Any) -> str:
    return ", ".join(str(tensor.shape) for tensor in op.inputs)


def keeps_cause(error: BaseException) -> bool:
    """Whether the original exception says more than its explanation: the user's own code (py_func) does."""
    return not isinstance(error, errors.OpError)
