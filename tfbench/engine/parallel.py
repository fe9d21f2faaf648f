"""The partitions of a program, run at the same time: one thread for each device.

Each thread runs its device's steps in the order of the whole. What crosses goes through a mailbox: the sender copies
and goes on, the receiver waits where it first needs the value. State is on one device each, so every step finds what
it would find in a run of all steps one after the other, and results do not depend on which thread is faster.

A program can be run so if nothing but transfers crosses: a loop over several devices, or a branch whose predicate is
on another one, is run by one thread.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from tfbench.engine import generate
from tfbench.engine.generate import Generated
from tfbench.engine.graph import Operation
from tfbench.engine.hooks import StepObserver
from tfbench.engine.interpret import Interpreter
from tfbench.engine.partition import Transfer
from tfbench.engine.program import Program
from tfbench.engine.run_errors import explain, keeps_cause
from tfbench.engine.steps import AnyStep, GuardStep, Input, LoopStep, TransferStep, all_steps, load, name_of
from tfbench.engine.threads import together
from tfbench.engine.transfers import wait_until
from tfbench.engine.waiting import Abandoned, in_part, part_of_a_run


class Mailbox:
    """One transfer of one run: put once, taken once or more."""

    __slots__ = ("_lock", "_run", "_value", "arrives")

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._value: Any = None
        self._lock = threading.Lock()
        self._lock.acquire()
        #: when a simulated connection has brought it
        self.arrives = 0.0

    def put(self, value: Any) -> None:
        """Leaves the value (None for a dead one, or an empty message)."""
        self._value = value
        self._lock.release()

    def take(self) -> Any:
        """Waits for the value.

        Raises:
          Abandoned: if it will never come.
        """
        self._lock.acquire()
        if self._run.failed:
            self._lock.release()
            raise Abandoned
        if self.arrives:
            wait_until(self.arrives)
        return self._value

    def open(self) -> None:
        """Lets go whoever waits."""
        if self._lock.locked():
            self._lock.release()


class _Run:
    """What the threads of one run share."""

    __slots__ = ("failed", "limits", "mail")

    def __init__(self, transfers: int) -> None:
        self.failed = False
        #: of kernels that wait, for a queue
        self.limits = part_of_a_run()
        self.mail = [Mailbox(self) for _ in range(transfers)]

    def abandon(self) -> None:
        self.failed = True
        for box in self.mail:
            box.open()
        self.limits.abandon()


class SendStep(TransferStep):
    """A transfer as its sender sees it. The run's mailboxes are in slot `mail`."""

    __slots__ = ("mail", "number")

    def __init__(self, step: TransferStep, number: int, mail: int) -> None:
        super().__init__(step.transfer, step.inputs, [], step.guard, step.copy, None)
        self.pace = step.pace
        self.release = step.release
        self.number = number
        self.mail = mail

    def run(self, values: list[Any]) -> list[Any] | None:
        """Leaves the copy in the mailbox; an empty message if the branch is not taken."""
        box = values[self.mail][self.number]
        if self.guard is not None and not values[self.guard]:
            box.put(None)
            return None
        return [self._send(box, *load(values, self.inputs))] if self.inputs else [self._send(box)][:0]

    def source(self, index: int, names: dict[str, Any]) -> str:
        """The statement that does the same."""
        names[f"s{index}"] = self._send
        box = f"t{self.mail}[{self.number}]"
        call = f"s{index}({', '.join([box, *map(name_of, self.inputs)])})"
        return call if self.guard is None else f"{call} if t{self.guard} else {box}.put(None)"

    def _send(self, box: Mailbox, *values: Any) -> Any:
        value = self.copy(*values)
        if self.pace is not None:
            box.arrives = time.perf_counter() + self.pace(value)
        box.put(value)
        return value


class ReceiveStep:
    """Waits for a transfer, before the first step that needs it."""

    __slots__ = ("guard", "inputs", "mail", "number", "op", "outputs", "release")

    def __init__(self, transfer: Transfer, number: int, mail: int, outputs: list[int]) -> None:
        self.op = transfer.op
        self.guard = None
        self.inputs: list[Input] = []
        self.outputs = outputs
        self.number = number
        self.mail = mail
        self.release: list[int] = []

    def reads(self) -> list[int]:
        """None: what it gets comes from another thread."""
        return []

    def operations(self) -> Sequence[Operation]:
        """None: it is there for the steps after it."""
        return ()

    def waits_for(self) -> Sequence[Operation]:
        """None on this device."""
        return ()

    def run(self, values: list[Any]) -> None:
        """Puts what arrives into its slot."""
        value = values[self.mail][self.number].take()
        for slot in self.outputs:
            values[slot] = value

    def source(self, index: int, names: dict[str, Any]) -> str:
        """The statement that does the same."""
        call = f"t{self.mail}[{self.number}].take()"
        return f"t{self.outputs[0]} = {call}" if self.outputs else call


class Partition:
    """The steps of one device, and which fetches it has."""

    __slots__ = ("device", "fetches", "generated", "slots", "steps")

    def __init__(self, device: int) -> None:
        self.device = device
        self.steps: list[Any] = []
        #: positions among the program's fetches, and their slots
        self.fetches: list[int] = []
        self.slots: list[int] = []
        self.generated: Generated | None = None


class Parallel:
    """A program cut into partitions that run in threads of their own."""

    def __init__(self, program: Program, partitions: list[Partition], transfers: int, mail: int) -> None:
        self._program = program
        self.partitions = partitions
        self._transfers = transfers
        self._mail = mail
        self._takes = [*program.slots_of(program.feeds), mail]

    def run(self, feeds: Sequence[Any], threads: int, observer: StepObserver | None = None) -> list[Any]:
        """The values of the program's fetches. `threads` is how many threads a kernel may use, over all partitions.

        Raises:
          the error of the step that comes first in the program's order, among those that failed.
        """
        run = _Run(self._transfers)
        results: list[Any] = [None] * len(self._program.fetches)
        failures: list[Exception] = []
        values = self._program.begin()
        for slot, value in zip(self._takes, [*feeds, run.mail], strict=True):
            if slot == len(values):
                values.append(value)
            values[slot] = value
        share = max(1, threads // len(self.partitions))

        def job(partition: Partition) -> Callable[[], None]:
            context = contextvars.copy_context()

            def work() -> None:
                from tfbench.engine.kernels.threads import arithmetic

                in_part(run.limits)
                try:
                    with arithmetic(share):
                        found = self._run_one(partition, feeds, run, values, observer)
                    for position, value in zip(partition.fetches, found, strict=True):
                        results[position] = value
                except Abandoned:
                    pass
                except Exception as error:
                    failures.append(error)
                    run.abandon()

            return lambda: context.run(work)

        together([job(partition) for partition in self.partitions], run.abandon)
        if failures:
            order: dict[Any, int] = {op: number for number, op in enumerate(self._program.operations)}
            raise min(failures, key=lambda error: order.get(getattr(error, "op", None), -1))
        return results

    def _run_one(
        self, partition: Partition, feeds: Sequence[Any], run: _Run, values: list[Any], observer: StepObserver | None
    ) -> Sequence[Any]:
        if observer is not None:
            observer.begin_thread()
            Interpreter(self._program, values, observer, feeds).run(partition.steps)
            return [values[slot] for slot in partition.slots]
        if partition.generated is None:
            partition.generated = generate.part(self._program, partition.steps, self._takes, partition.slots)
        try:
            return partition.generated.function(*feeds, run.mail)
        except Exception as error:
            failed, iterations = partition.generated.failure(error)
            placement = self._program.placement
            raise explain(error, failed, feeds, iterations, placement) from (error if keeps_cause(error) else None)


def split(program: Program) -> Parallel | None:
    """`program` cut into partitions; None if fewer than two devices have work, or one looks at what another has."""
    index_of = program.placement.index_of
    mail = len(program.template)
    parts: dict[int, Partition] = {}
    #: which device has a slot's value; what is there from the start anybody may look at
    home: dict[int, int] = {}
    #: for each device, what is on its way to it: by slot, or by the operation that it waits for
    coming: dict[tuple[int, Any], ReceiveStep] = {}
    computed = {op for step in program.steps for op in step.operations()}
    count = 0
    for step in program.steps:
        device = _device(step, index_of)
        if device is None:
            return None
        part = parts.setdefault(device, Partition(device))
        awaited: list[Any] = [*step.reads(), *_waits_for(step, computed)]
        for what in awaited:
            receive = coming.pop((device, what), None)
            if receive is not None:
                part.steps.append(receive)
        if any(home.get(slot, device) != device for slot in step.reads()):
            return None
        if isinstance(step, TransferStep):
            to = step.transfer.destination
            key = step.outputs[0] if step.outputs else step.op
            coming[to, key] = ReceiveStep(step.transfer, count, mail, step.outputs)
            home.update(dict.fromkeys(step.outputs, to))
            part.steps.append(SendStep(step, count, mail))
            count += 1
        else:
            home.update(dict.fromkeys(step.outputs, device))
            part.steps.append(step)
    working = [part for part in parts.values() if not all(isinstance(step, SendStep) for step in part.steps)]
    if len(working) < 2:
        return None
    partitions = [parts[device] for device in sorted(parts)]
    for position, slot in enumerate(program.fetch_slots):
        part = parts.get(home.get(slot, -1), partitions[0])
        part.fetches.append(position)
        part.slots.append(slot)
    return Parallel(program, partitions, count, mail)


def _device(step: AnyStep, index_of: Callable[[Operation], int]) -> int | None:
    """The device that a step is on; None for a loop over several."""
    if isinstance(step, TransferStep):
        return step.transfer.source
    if not isinstance(step, LoopStep):
        return index_of(step.op)
    inside = list(all_steps([step]))
    if any(isinstance(inner, TransferStep) for inner in inside):
        return None
    devices = {index_of(op) for op in step.operations()}
    return devices.pop() if len(devices) == 1 else None


def _waits_for(step: AnyStep, computed: set[Operation]) -> Sequence[Operation]:
    """The operations that a step waits for; where it takes a constant, also those that the constant waits for."""
    if isinstance(step, (GuardStep, TransferStep)):
        return step.waits_for()
    found = list(step.waits_for())
    for op in step.operations():
        for tensor in op._inputs:
            if tensor.op not in computed and tensor.op._control_inputs:
                found.extend(tensor.op._control_inputs)
    return found


class Chooser:
    """Whether a plan runs in threads: the faster way, found by trying both now and then.

    Where transfers take simulated time, always: only then does what is under way overlap with what is computed.
    """

    __slots__ = ("_always", "_best", "_runs")

    #: a run that is shorter than this (in seconds) is not worth a thread
    SHORTEST = 0.0005
    #: runs between two tries
    _PATIENCE = 64

    def __init__(self, always: bool) -> None:
        self._always = always
        #: seconds of one after the other, in threads
        self._best = [0.0, 0.0]
        self._runs = 0

    def in_threads(self) -> bool:
        """How to run the next time."""
        if self._always:
            return True
        serial, threads = self._best
        if not serial or serial < self.SHORTEST:
            return False
        if self._runs % self._PATIENCE < 4:
            # Two runs each way, then whatever was faster.
            return self._runs % self._PATIENCE >= 2
        return threads < serial

    def took(self, in_threads: bool, seconds: float) -> None:
        """Notes how long a run took."""
        if self._runs % self._PATIENCE in (0, 2) or not self._best[in_threads] or seconds < self._best[in_threads]:
            self._best[in_threads] = seconds
        self._runs += 1
