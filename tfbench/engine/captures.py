"""Plans of static shapes as CUDA graphs: recorded once, then launched by one call (`TFBENCH_CUDA_GRAPHS=1`).

Off unless asked for, because no GPU has run it. A plan is *divided*: what copies feeds to the GPU comes first, what
copies fetches to the host last, and all between is recorded while a stream of its own captures it. A recorded graph
reads and writes the memory that it was recorded with. So feeds are copied into arrays that stay, values that are
fetched are copied where they are made, everything made on the way is in a pool that lives as long as the graph, and
where a variable has another array than it had then, all is recorded again.

What is replayed is the GPU's work alone; the host's has been done when it was recorded. So a plan is recorded only if
what the host computes in it depends on constants and shapes, and it has no random stream, no branch, no loop. CuPy
captures no cuBLAS and no cuSOLVER, so no product of matrices; ops that are known to need one are refused beforehand,
others when CuPy says so. A copy from the host would be recorded with memory that is somebody else's by the time it is
replayed: nothing is allowed to make one. After a failure there is one warning, variables are as they were, and the plan
is run as always. Whoever observes a run gets the plain steps, too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tfbench.engine import generate
from tfbench.engine.cuda import pool_of
from tfbench.engine.gpu_kernels import in_host_memory
from tfbench.engine.operation import Operation
from tfbench.engine.places import Copy
from tfbench.engine.program import Program
from tfbench.engine.resources import VariableBuffer
from tfbench.engine.run_errors import FAILED_STEP, explain
from tfbench.engine.steps import AnyStep, MoveStep, Step, TransferStep
from tfbench.engine.tensor import Tensor

#: what always needs cuBLAS or cuSOLVER, and what the host has to look at
_REFUSED = frozenset({
    *("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "BiasAddGrad", "Einsum", "MatMul", "SparseMatMul"),
    *("Cholesky", "LogMatrixDeterminant", "MatrixDeterminant", "MatrixInverse", "MatrixSolve", "Qr", "Svd"),
    *("MatrixTriangularSolve", "SelfAdjointEigV2", "CheckNumerics", "CheckNumericsV2"),
})  # fmt: skip

#: how often a plan is recorded again because a variable has got other memory
_MOST_TIMES = 4

#: one thread records at a time: what refuses copies from the host is the process's
_recording = threading.Lock()


class _Parts:
    """A program divided: copies of feeds, what is recorded, and copies of fetches."""

    __slots__ = ("after", "before", "body")

    def __init__(self) -> None:
        self.before: list[TransferStep] = []
        self.body: list[AnyStep] = []
        self.after: list[TransferStep] = []


def captured(program: Program, gpus: Sequence[Any]) -> Captured | None:
    """A plan's program as a CUDA graph that is going to be recorded; None where it cannot be."""
    if len(gpus) != 1:
        return None
    parts = _Division(program, gpus[0]).parts()
    return None if parts is None else Captured(program, gpus[0], parts)


class Captured:
    """One program's graph, once it is recorded, and the memory that it works in."""

    def __init__(self, program: Program, device: Any, parts: _Parts) -> None:
        self._program = program
        self._device = device
        self._before = parts.before
        self._after = parts.after
        positions = {slot: position for position, slot in enumerate(program.slots_of(program.feeds))}
        self._feeds = [positions[step.inputs[0][0]] for step in parts.before]
        #: for each fetch, which copy to the host it is, or ~ which feed
        made = {step.outputs[0]: position for position, step in enumerate(parts.after)}
        self._fetches = [made[slot] if slot in made else ~positions[slot] for slot in program.fetch_slots]
        self._body = generate.part(
            program, parts.body, [step.outputs[0] for step in parts.before], [step.outputs[0] for step in parts.after]
        )
        self._variables = [value for value in program.template if isinstance(value, VariableBuffer)]
        self._lock = threading.Lock()
        #: whether the plan has been run as one function: all kernels are compiled, cuDNN's plans are made
        self._warm = False
        self._times = 0
        self._graph: Any = None
        self._pool: Any = None
        #: the arrays that the graph was recorded with: of feeds, of what is fetched, of variables
        self._given: list[Any] = []
        self._kept: Sequence[Any] = ()
        self._arrays: list[Any] = []
        #: how many writes to each variable a launch stands for
        self._writes: list[int] = []

    def run(self, feeds: Sequence[Any]) -> list[Any] | None:
        """The values of the fetches; None if this run has to be a plain one, and nothing has been done.

        Raises:
          tf.errors.OpError: if a value cannot be copied to the host.
        """
        with self._lock:
            if not self._warm:
                self._warm = True
                return None
            if self._times > _MOST_TIMES or any(variable.array is None for variable in self._variables):
                return None
            try:
                given = [step.function(feeds[feed]) for step, feed in zip(self._before, self._feeds, strict=True)]
            except Exception:  # the plain run says what is wrong, and about which op
                return None
            if self._graph is None or any(
                variable.array is not array for variable, array in zip(self._variables, self._arrays, strict=True)
            ):
                if not self._record(given):
                    return None
            else:
                for array, value in zip(self._given, given, strict=True):
                    self._device.cupy.copyto(array, value)
                for variable, writes in zip(self._variables, self._writes, strict=True):
                    variable.updates += writes
            self._graph.launch()
            return self._fetched(feeds)

    def _fetched(self, feeds: Sequence[Any]) -> list[Any]:
        found = []
        for step, value in zip(self._after, self._kept, strict=True):
            try:
                found.append(step.function(value))
            except Exception as error:
                raise explain(error, step, feeds, (), self._program.placement) from error
        return [found[which] if which >= 0 else feeds[~which] for which in self._fetches]

    def _record(self, given: list[Any]) -> bool:
        """Records the graph with these arrays for its feeds; whether that went well."""
        self._graph, self._kept, self._pool = None, (), None
        self._times += 1
        before = [(variable, variable.array, variable.updates) for variable in self._variables]
        try:
            self._capture(given)
            moved = [variable.name for variable, array, _ in before if variable.array is not array]
            if moved:
                raise NotImplementedError(f"variable {moved[0]} gets new memory in each run")
        except BaseException as error:
            self._graph, self._kept, self._pool = None, (), None
            self._times = _MOST_TIMES + 1
            for variable, array, updates in before:
                variable.array, variable.updates = array, updates
            if not isinstance(error, Exception):
                raise
            self._warn(error)
            return False
        self._given = given
        self._arrays = [array for _, array, _ in before]
        self._writes = [variable.updates - updates for variable, _, updates in before]
        return True

    def _capture(self, given: list[Any]) -> None:
        cupy = self._device.cupy
        # Its memory is taken from tfbench's pool, and stays taken as long as this one is there.
        pool = self._pool = cupy.cuda.MemoryPool(pool_of(cupy).malloc)
        stream = cupy.cuda.Stream(non_blocking=True)
        with _recording, cupy.cuda.using_allocator(pool.malloc), stream, _nothing_from_the_host(cupy):
            stream.begin_capture()
            try:
                self._kept = self._body.function(*given)
            except BaseException:
                with suppress(Exception):  # the capture is broken, and says so
                    stream.end_capture()
                raise
            self._graph = stream.end_capture()

    def _warn(self, error: Exception) -> None:
        from logging import getLogger

        step = getattr(error, FAILED_STEP, self._body.failure(error)[0])
        which = f"operation '{step.op.name}' ({step.op.type})" if step is not None else "a plan"
        getLogger("tensorflow").warning(
            "TFBENCH_CUDA_GRAPHS: %s cannot be captured in a CUDA graph (%s: %s). Its plan is run without one.",
            which,
            type(error).__name__,
            error,
        )


class _CopyFromHostError(RuntimeError):
    """What would be recorded is a copy from memory that will be somebody else's."""


@contextmanager
def _nothing_from_the_host(cupy: Any) -> Iterator[None]:
    """Has this thread's copies from the host fail: they take pinned memory. Other threads' go on.

    CuPy does not tell which allocator there was; the one of its default pool is put back.
    """
    thread, pool = threading.get_ident(), cupy.get_default_pinned_memory_pool()

    def malloc(size: int) -> Any:
        if threading.get_ident() == thread:
            raise _CopyFromHostError("it copies values from the host's memory")
        return pool.malloc(size)

    cupy.cuda.set_pinned_memory_allocator(malloc)
    try:
        yield
    finally:
        cupy.cuda.set_pinned_memory_allocator(pool.malloc)


class _Division:
    """What is known about each slot while the steps of a program are gone through in order."""

    def __init__(self, program: Program, device: Any) -> None:
        self._program = program
        self._placement = program.placement
        self._device = device
        self._fed = set(program.slots_of(program.feeds))
        #: slots whose values are the same in each run: constants, and what the host makes of them and of shapes
        self._known: set[int] = set()
        #: slots whose values are in the GPU's memory when what is recorded begins, or made there
        self._there: set[int] = set()
        self._parts = _Parts()

    def parts(self) -> _Parts | None:
        """The program divided; None if it is not of the kind that can be."""
        program = self._program
        for slot, value in enumerate(program.template):
            if isinstance(value, VariableBuffer):
                if value.device != self._device:
                    return None
                self._there.add(slot)
            elif value is not None:
                self._known.add(slot)
        if not all(self._takes(step) for step in program.steps) or not self._parts.body:
            return None
        copied = {step.outputs[0] for step in self._parts.after}
        return self._parts if all(slot in copied or slot in self._fed for slot in program.fetch_slots) else None

    def _takes(self, step: AnyStep) -> bool:
        if isinstance(step, TransferStep):
            return step.guard is None and self._transfers(step)
        if not isinstance(step, (Step, MoveStep)) or step.guard is not None:
            return False
        slots = [slot for slot, _ in step.inputs]
        if not all(slot in self._known or slot in self._there for slot in slots):
            return False
        if isinstance(step, MoveStep):
            made = self._known if slots[0] in self._known else self._there
        else:
            read = [tensor for tensor, slot in zip(step.op.outputs_list, step.outputs) if slot not in step.release]
            found = self._computes(step.op, slots, read)
            if found is None:
                return False
            made = found
        made.update(step.outputs)
        self._parts.body.append(step)
        return True

    def _computes(self, op: Operation, slots: Sequence[int], read: Sequence[Tensor]) -> set[int] | None:
        """What the outputs of an operation are from now on, `_known` or `_there`; None if it is not to be recorded.

        `slots` are its inputs', `read` those of its outputs that somebody needs.
        """
        if op.op_def.stateful or op.type in _REFUSED:
            return None
        if any(tensor._shape is None or None in tensor._shape for tensor in read):
            return None
        if self._placement.device_of(op).on_host:
            return self._known if all(slot in self._known for slot in slots) else None
        takes, gives = in_host_memory(op)
        if len(takes) != len(slots) or any(host and slot not in self._known for host, slot in zip(takes, slots)):
            return None
        if not any(gives):
            return self._there
        # Of arrays of the GPU, what gives nothing but the host's sees the shape alone.
        return self._known if all(gives) and "CPU" in op.op_def.kernels else None

    def _transfers(self, step: TransferStep) -> bool:
        transfer = step.transfer
        if transfer.tensor is None:
            return True
        if not isinstance(transfer, Copy) or not transfer.tensor._dtype.base_dtype.is_numpy_compatible:
            return False
        slot, read = step.inputs[0]
        from_own, to_own = self._own(transfer.origin), self._own(transfer.place)
        if to_own:
            if from_own or slot not in self._fed or read:
                return False
            self._parts.before.append(step)
            self._there.add(step.outputs[0])
            return True
        if not from_own or slot not in self._there:
            return False
        # What is fetched may be a variable's memory, or be written to later: it is what it is now.
        kept = TransferStep(transfer, step.inputs, step.outputs, None, _copied, None)
        kept.release = step.release
        self._parts.body.append(kept)
        self._parts.after.append(step)
        return True

    def _own(self, place: int) -> bool:
        return place >= 0 and not self._placement.devices[place].on_host


def _copied(value: Any) -> Any:
    return value.copy()
