"""A (fetches, feeds) signature compiled once, then run many times.

A plan is a list of steps (`steps.py`) over numbered slots. It can be run in two
ways that share everything but the loop: step by step (the first run, and whenever somebody observes), or as
one straight-line Python function generated from the steps (from the second run on). In the function a
slot is a local variable, one line is one step, and arithmetic on scalars is written with Python operators,
which NumPy's scalars run ten times faster than a ufunc call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.attributes import reference_inputs
from tfbench.engine.devices import Device, KernelContext
from tfbench.engine.graph import Operation
from tfbench.engine.guards import Guards
from tfbench.engine.opdef import Preset
from tfbench.engine.prune import needed_operations, schedule
from tfbench.engine.resources import ResourceStore, VariableBuffer
from tfbench.engine.run_errors import explain
from tfbench.engine.steps import AnyStep, GuardStep, Input, MergeStep, Step
from tfbench.engine.tensor import Tensor

#: plans longer than this stay interpreted: compiling them would cost more than it saves
_LONGEST_FUNCTION = 20_000

#: ops that take a reference and leave the variable as it is
_READERS = ("IsVariableInitialized", "RefIdentity", "RefSwitch", "RefMerge")

#: called after a step with its input values and results (None where its branch is not taken)
Observer = Callable[[AnyStep, Sequence[Any], Sequence[Any] | None], None]


class Plan:
    """The compiled form of one signature for one session.

    Raises (when made):
      InvalidArgumentError: if an op has no kernel on its device.
      ValueError: if the graph has a cycle.
    """

    def __init__(
        self,
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
        feeds: Sequence[Tensor],
        device: Device,
        resources: ResourceStore,
    ) -> None:
        self.fetches = list(fetches)
        self.feeds = list(feeds)
        fed = set(feeds)
        #: every op that takes part, in run order
        self.order: list[Operation] = schedule(needed_operations(fetches, targets, fed), fed)
        self.steps: list[AnyStep] = []
        self._slots: dict[Tensor, int] = {}
        self._template: list[Any] = []
        self._feed_slots = [self._new_slot(tensor) for tensor in feeds]
        self._wrap_feeds = [tensor._dtype._is_ref_dtype for tensor in feeds]
        self._aliased: set[Tensor] = set()
        self._guards = Guards(self._spare_slot, self.steps.append)
        for op in self.order:
            self._add(op, fed, device, resources)
        self._fetch_slots = [self._slots[tensor] for tensor in fetches]
        #: for each fetch that is fed, which feed
        self._fetch_kept = [self.feeds.index(tensor) if tensor in fed else None for tensor in fetches]
        self._scalar_feeds = [_is_number(tensor) for tensor in feeds]
        self._fetch_fresh = [tensor.op.op_def.fresh for tensor in fetches]
        self._find_last_uses()
        self._read_scalars_once()
        self._function: Callable[..., tuple[Any, ...]] | None = None
        self._code: CodeType | None = None
        self._runs = 0

    # -- building ------------------------------------------------------------------------------------------

    def _new_slot(self, tensor: Tensor) -> int:
        slot = self._slots[tensor] = len(self._template)
        self._template.append(None)
        return slot

    def _add(self, op: Operation, fed: set[Tensor], device: Device, resources: ResourceStore) -> None:
        guard = self._guards.of_inputs(op, fed)
        if op.type in ("Merge", "RefMerge"):
            self._add_merge(op, fed)
            return
        function = bind(op, device, resources)
        if isinstance(function, Preset):
            self._guards.set(op, guard)
            tensor = op.outputs_list[0]
            if tensor not in fed:
                self._template[self._new_slot(tensor)] = function.value
            return
        op_def = op.op_def
        inputs = self._inputs(op)
        if any(read or tensor in self._aliased for tensor, (_, read) in zip(op._inputs, inputs, strict=True)):
            if op_def.aliases:
                self._aliased.update(op.outputs_list)
            elif op_def.views:
                function = _copying(function, op_def.returns_tuple)
        # A fed output keeps the fed value: what the kernel makes goes to a slot of its own.
        outputs = [self._spare_slot() if tensor in fed else self._new_slot(tensor) for tensor in op.outputs_list]
        step = Step(op, function, inputs, outputs, self._guards.slot(op, guard) if guard else None)
        if op_def.operator is not None and all(_is_scalar(tensor) for tensor in op._inputs):
            step.operator = op_def.operator
        self.steps.append(step)
        if op.type in ("Switch", "RefSwitch"):
            self._guards.split(op, self._slots[_root(op._inputs[1], fed)], guard)
        else:
            self._guards.set(op, guard)

    def _add_merge(self, op: Operation, fed: set[Tensor]) -> None:
        inputs = self._inputs(op)
        guards = [self._guards.of_tensor(tensor, fed) for tensor in op._inputs]
        self._aliased.update(op.outputs_list)
        merged = self._guards.merged(op, guards)
        slots = [self._guards.slot(op, guard) if guard else None for guard in guards]
        outputs = [self._spare_slot() if tensor in fed else self._new_slot(tensor) for tensor in op.outputs_list]
        whole = self._guards.slot(op, merged) if merged else None
        self.steps.append(MergeStep(op, inputs, slots, outputs, whole))
        self._guards.set(op, merged)

    def _inputs(self, op: Operation) -> list[Input]:
        takes_ref = reference_inputs(op.op_def, op.attrs)
        return [
            (self._slots[tensor], tensor._dtype._is_ref_dtype and not is_ref)
            for tensor, is_ref in zip(op._inputs, takes_ref, strict=True)
        ]

    def _spare_slot(self) -> int:
        self._template.append(None)
        return len(self._template) - 1

    def _find_last_uses(self) -> None:
        keep = set(self._fetch_slots)
        preset = {slot for slot, value in enumerate(self._template) if value is not None}
        seen: set[int] = set(keep | preset | set(self._feed_slots))
        for step in reversed(self.steps):
            for slot in [*step.reads(), *step.outputs]:
                if slot not in seen:
                    seen.add(slot)
                    step.release.append(slot)

    def _read_scalars_once(self) -> None:
        """Where no step writes to a variable, an alias of a scalar variable may as well be its number.

        Numbers are ten times faster to compute with than arrays of rank 0.
        """
        if any(step.op.op_def.takes_references and step.op.type not in _READERS for step in self.steps):
            return
        for step in self.steps:
            if isinstance(step, Step) and step.op.type == "Identity" and step.inputs[0][1]:
                step.reads_number = _is_number(step.op.outputs_list[0])

    # -- running ----------------------------------------------------------------------------------------------

    def run(self, feeds: Sequence[Any], observer: Observer | None = None) -> list[Any]:
        """The fetched values, in the order of the fetches: arrays and scalars that later runs never change."""
        if any(self._wrap_feeds):
            feeds = [
                _as_buffer(t, value) if wrap else value for t, value, wrap in zip(self.feeds, feeds, self._wrap_feeds)
            ]
        function = self._function
        if function is None or observer is not None:
            if observer is None and self._runs and len(self.steps) <= _LONGEST_FUNCTION:
                function = self._function = self._compile()
            else:
                interpreted = self._interpret(feeds, observer)
                # Only now: the function's operators do not check what the kernels of a first run have checked.
                self._runs += 1
                return self._finish(interpreted, feeds)
        try:
            if any(self._scalar_feeds):
                raw = function(*[f[()] if scalar else f for f, scalar in zip(feeds, self._scalar_feeds, strict=True)])
            else:
                raw = function(*feeds)
        except Exception as error:
            raise explain(error, self._failed_step(error), feeds) from (error if _keep_cause(error) else None)
        return self._finish(raw, feeds)

    def _interpret(self, feeds: Sequence[Any], observer: Observer | None) -> list[Any]:
        values = list(self._template)
        for slot, value in zip(self._feed_slots, feeds, strict=True):
            values[slot] = value
        for step in self.steps:
            try:
                results = step.run(values)
            except Exception as error:
                raise explain(error, step, feeds) from (error if _keep_cause(error) else None)
            if observer is not None and not isinstance(step, GuardStep):
                observer(step, [values[slot] for slot, _ in step.inputs], results)
            for slot in step.release:
                values[slot] = None
        return [values[slot] for slot in self._fetch_slots]

    def _finish(self, raw: Sequence[Any], feeds: Sequence[Any]) -> list[Any]:
        results = []
        for value, kept, fresh in zip(raw, self._fetch_kept, self._fetch_fresh, strict=True):
            if kept is not None:
                fed = feeds[kept]
                results.append(fed.array if isinstance(fed, VariableBuffer) else fed)
            elif value is None:
                self._refuse_dead(raw)
            else:
                results.append(fetched(value, fresh))
        return results

    def _refuse_dead(self, raw: Sequence[Any]) -> None:
        """Raises for the first fetch from a branch that was not taken."""
        position = next(index for index, value in enumerate(raw) if value is None)
        tensor = self.fetches[position]
        raise errors.InvalidArgumentError(
            tensor.op.node_def,
            tensor.op,
            f"Retval[{position}] does not have value: '{tensor.name}' is in a branch that was not taken.",
        )

    # -- the straight-line form -------------------------------------------------------------------------------

    def _compile(self) -> Callable[..., tuple[Any, ...]]:
        names: dict[str, Any] = {}
        for slot, value in enumerate(self._template):
            if value is not None:
                # A string stays an array: kernels look at shapes, and bytes have none.
                is_number = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype != object
                names[f"t{slot}"] = value[()] if is_number else value
        # Releasing a scalar would cost more than it gives back.
        scalars = {slot for tensor, slot in self._slots.items() if _is_scalar(tensor)}
        lines = [f"def run({', '.join(f't{slot}' for slot in self._feed_slots)}):"]
        for index, step in enumerate(self.steps):
            line = f" {step.source(index, names)}"
            release = [f"t{slot}" for slot in step.release if slot not in scalars]
            if release:
                line += "; " + " = ".join(release) + " = None"
            lines.append(line)
        lines.append(f" return ({''.join(f't{slot}, ' for slot in self._fetch_slots)})")
        code = compile("\n".join(lines), "<tfbench plan>", "exec")
        exec(code, names)
        function = names["run"]
        self._code = function.__code__
        return function

    def _failed_step(self, error: BaseException) -> AnyStep | None:
        """The step whose line of the generated function raised."""
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code is self._code:
                index = traceback.tb_lineno - 2
                return self.steps[index] if 0 <= index < len(self.steps) else None
            traceback = traceback.tb_next
        return None


def bind(op: Operation, device: Device, resources: ResourceStore) -> Any:
    """The function of arrays that computes `op` on `device`, or a Preset."""
    kernel = op.op_def.kernels.get(device.kind)
    if kernel is None:
        raise errors.InvalidArgumentError(
            op.node_def,
            op,
            f"No OpKernel was registered to support Op '{op.type}' used by {{{{node {op.name}}}}} on {device.kind}"
            + (f"; registered: {', '.join(sorted(op.op_def.kernels))}" if op.op_def.kernels else "")
            + (f" (made at {op.source})" if op.source else ""),
        )
    if kernel.binds:
        return kernel.function(KernelContext(op, device, resources))
    attrs = {name: op.attrs[name] for name in kernel.attrs if name in op.attrs}
    return partial(kernel.function, device.xp, **attrs)


def _root(tensor: Tensor, fed: set[Tensor]) -> Tensor:
    """The tensor that `tensor` is an identity of: one predicate has one set of guards, whatever it is called."""
    while tensor not in fed and tensor.op.type == "Identity" and not tensor.op._inputs[0]._dtype._is_ref_dtype:
        tensor = tensor.op._inputs[0]
    return tensor


def _is_number(tensor: Tensor) -> bool:
    """Whether a tensor is a scalar that NumPy's own scalars can stand for (a string is not)."""
    return tensor._shape == () and tensor._dtype.base_dtype.is_numpy_compatible and tensor._dtype.name[:6] != "string"


def _is_scalar(tensor: Tensor) -> bool:
    return tensor._shape == () and not tensor._dtype._is_ref_dtype


def _copying(function: Callable[..., Any], returns_tuple: bool) -> Callable[..., Any]:
    """A kernel that returns views, made to return arrays that a later write to the variable does not change."""
    if returns_tuple:
        return lambda *arrays: [np.array(result) for result in function(*arrays)]
    return lambda *arrays: np.array(function(*arrays))


def _as_buffer(tensor: Tensor, value: Any) -> VariableBuffer:
    buffer = VariableBuffer(tensor.op.name, tensor._dtype.base_dtype)
    buffer.array = np.array(value)
    return buffer


def fetched(value: Any, fresh: bool) -> Any:
    """A value as `Session.run` returns it: NumPy scalars for rank 0, arrays that nobody else writes to."""
    if isinstance(value, VariableBuffer):
        value, fresh = value.read(), False
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return value[()]
        return value if fresh else value.copy()
    return value


def _keep_cause(error: BaseException) -> bool:
    """Whether the original exception says more than its explanation: the user's own code (py_func) does."""
    return not isinstance(error, errors.OpError)
