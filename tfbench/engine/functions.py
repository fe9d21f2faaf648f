"""Functions of a graph (`function_graph`), made callable: one plan each, and no session's work per call.

An argument is what a plan's slots hold: an array, a NumPy number for rank 0, or a handle (a dataset). From the second
call on, a call is one call of the plan's generated Python function.

A function whose kernels keep state (a random stream) is *instantiated*: each iterator has a state of its own, which
begins anew when the iterator does. All others are compiled once for their node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbench import errors
from tfbench.engine import generate
from tfbench.engine.devices import Device, DeviceSet
from tfbench.engine.function_graph import FunctionGraph
from tfbench.engine.generate import Generated
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.placement import Placement
from tfbench.engine.plan import Plan
from tfbench.engine.resources import ResourceStore
from tfbench.engine.run_errors import explain, keeps_cause

Call = Callable[..., tuple[Any, ...]]

#: stateful ops that keep nothing of their own, or keep it in a resource that they are given
_KEEPS_NOTHING = frozenset(
    [
        "Assert", "AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp", "CSVDatasetV2", "GeneratorDataset",
        "Placeholder",
        "Print", "PrintV2", "PyFunc", "RangeDataset", "ReadVariableOp", "ReduceDataset", "SparseTensorSliceDataset",
        "TFRecordDataset", "TensorDataset", "TensorSliceDataset", "TextLineDataset", "FixedLengthRecordDatasetV2",
    ]
)  # fmt: skip

#: stateful ops that run only if their outputs are needed
_LAZY = frozenset(["Placeholder", "ReadVariableOp", "RandomShuffle", "Multinomial", "ParameterizedTruncatedNormal"])


def _must_run(type: str) -> bool:
    return type not in _LAZY and "Random" not in type and not type.endswith(("Dataset", "DatasetV2", "Normal"))


class CompiledFunction:
    """One function with the state of its kernels."""

    __slots__ = ("_count", "_generated", "_plan", "_scalars", "_what")

    def __init__(self, body: FunctionGraph, device: Device, what: str) -> None:
        inputs = [*body.inputs, *(own for _, own in body.captures)]
        targets = [op for op in body._nodes if op.op_def.stateful and _must_run(op.type)]
        self._plan = Plan(body.outputs, targets, inputs, Placement([device]), DeviceSet([device]), ResourceStore())
        self._count = len(body.inputs)
        self._generated: Generated | None = None
        self._what = what

    def bound(self, captured: Sequence[Any]) -> Call:
        """The function of its inputs alone: what it captured has these values."""
        captured = tuple(captured)
        count = self._count

        def call(*arguments: Any) -> tuple[Any, ...]:
            generated = self._generated
            if generated is None:
                return self._first(arguments, captured)
            if len(arguments) != count:
                raise _wrong_count(self._what, count, len(arguments))
            try:
                return generated.function(*arguments, *captured)
            except Exception as error:
                raise self._explained(error, generated, (*arguments, *captured)) from _cause(error)

        return call

    def _first(self, arguments: tuple[Any, ...], captured: tuple[Any, ...]) -> tuple[Any, ...]:
        """Runs step by step, and compiles when that has gone well: compiled operators check less."""
        if len(arguments) != self._count:
            raise _wrong_count(self._what, self._count, len(arguments))
        try:
            results = tuple(self._plan._interpret([*arguments, *captured], None))
        except errors.OpError as error:
            raise self._named(error) from error.__cause__
        if self._plan._compiles():
            self._generated = generate.whole(self._plan.program)
        return results

    def _explained(self, error: Exception, generated: Generated, arguments: Any) -> Exception:
        step, iterations = generated.failure(error)
        explained = explain(error, step, arguments, iterations)
        return self._named(explained) if isinstance(explained, errors.OpError) else explained

    def _named(self, error: errors.OpError) -> errors.OpError:
        if not error.message.startswith("Error in user-defined function"):
            error._message = f"Error in user-defined function passed to {self._what} transformation: {error.message}"
        return error


def _cause(error: Exception) -> BaseException | None:
    return error if keeps_cause(error) else error.__cause__


def _wrong_count(what: str, wanted: int, found: int) -> Exception:
    return invalid(f"The function of {what} takes {wanted} components, but the elements have {found}.")


class NodeFunction:
    """The function that a node calls: compiled when it is first needed."""

    __slots__ = ("_body", "_device", "_shared", "_what", "captures", "keeps_state")

    def __init__(self, body: FunctionGraph, device: Device, what: str) -> None:
        self._body = body
        self._device = device
        self._what = what
        self._shared: CompiledFunction | None = None
        self.captures = len(body.captures)
        self.keeps_state = any(op.op_def.stateful and op.type not in _KEEPS_NOTHING for op in body._nodes)

    def instance(self, states: dict[Any, Any]) -> CompiledFunction:
        """The function with the state of one iterator; `states` is what the iterator keeps."""
        if not self.keeps_state:
            if self._shared is None:
                self._shared = CompiledFunction(self._body, self._device, self._what)
            return self._shared
        found: CompiledFunction | None = states.get(self)
        if found is None:
            found = states[self] = CompiledFunction(self._body, self._device, self._what)
        return found
