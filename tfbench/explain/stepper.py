"""`tfbench.step`: a run that goes on one operation at a time, and in which every value so far can be looked at."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple
from weakref import finalize

from tfbench.engine.breakpoints import NAN, Breakpoints
from tfbench.engine.frames import flattened
from tfbench.engine.operation import Operation
from tfbench.engine.stepping import Executed
from tfbench.engine.steps import LoopStep, all_steps
from tfbench.engine.value_text import array_of, value_text
from tfbench.explain.defaults import session_that_runs
from tfbench.explain.places import Place, created_at, short_device
from tfbench.explain.rows import Rows
from tfbench.explain.stepped_run import SteppedRun
from tfbench.explain.text import count, shorten, shorten_list

#: steps of the text form, the latest
_SHOWN = 12


class Current(NamedTuple):
    """The step that a run waits before."""

    op: str
    type: str
    device: str
    #: place in `explain.order`, from 1 on
    number: int
    #: of the loops around it, outermost first
    iterations: tuple[int, ...]
    data_inputs: tuple[str, ...]
    control_inputs: tuple[str, ...]
    #: why the run waits here
    why: str
    where: Place | None


class DoneStep(NamedTuple):
    """A step that has run; `outputs` are its values in a few words, none where its branch was not taken."""

    op: str
    type: str
    device: str
    number: int
    iterations: tuple[int, ...]
    outputs: tuple[str, ...]
    taken: bool


class DoneSteps(Rows[DoneStep]):
    """The steps that have run, in order."""

    __slots__ = ()
    noun = "step"
    header = ("step", "op", "type", "value")

    def key(self, row: DoneStep) -> str:
        return row.op

    def cells(self, row: DoneStep) -> tuple[str, ...]:
        at = "".join(f"[{number}]" for number in row.iterations)
        value = "; ".join(row.outputs) if row.taken else "(branch not taken)"
        return (f"{row.number}{at}", row.op, row.type, value or "-")


class SteppedValues(Mapping[str, Any]):
    """The values so far, by tensor (or its name; an operation's name means its first output).

    A reference to a variable, and `v/read`, is the variable's memory: it shows what is in it now.
    """

    def __init__(self, run: SteppedRun) -> None:
        self._run = run

    def __getitem__(self, key: Any) -> Any:
        tensor = self._tensor(key)
        run = self._run
        if tensor in run.stepping.values:
            value = run.stepping.values[tensor]
        elif tensor in run.feeds:
            value = run.feeds[tensor]
        else:
            slot = run.program.slots.get(tensor)
            value = None if slot is None else run.program.template[slot]
        if value is None:
            raise KeyError(self._missing(tensor))
        array = array_of(value)
        if array is None:
            raise KeyError(f"{tensor.name} is a handle, which has no value to look at")
        return array[()] if array.ndim == 0 else array.copy()

    def _tensor(self, key: Any) -> Any:
        graph = self._run._graph
        element = graph.as_graph_element(key)
        outputs = getattr(element, "outputs", None)
        if outputs is None:
            return element
        if not outputs:
            raise KeyError(f"{element.name} gives no value")
        return outputs[0]

    def _missing(self, tensor: Any) -> str:
        run = self._run
        if tensor.op not in run.program.operations:
            return f"{tensor.name} does not run: nothing that is fetched needs it"
        if any(done.step.op is tensor.op for done in run.stepping.executed):
            return f"{tensor.name} has no value: it is in a branch that was not taken"
        return f"{tensor.name} has no value yet: it is step {run.program.operations.index(tensor.op) + 1}"

    def _tensors(self) -> Iterator[Any]:
        known = {**self._run.feeds, **self._run.stepping.values}
        return (tensor for tensor, value in known.items() if array_of(value) is not None)

    def __iter__(self) -> Iterator[str]:
        return (tensor.name for tensor in self._tensors())

    def __len__(self) -> int:
        return sum(1 for _ in self._tensors())


class Stepper:
    """One run, step by step, in a thread of its own. Use it as a context manager, or `stop` it: both end the run.

    Attributes:
      breakpoints: where the run waits: names of operations, scopes with a slash at their end, "nan".
      values: what has been computed so far, by tensor.
    """

    #: set by the notebook's extension: how a front end shows a Stepper
    present: Callable[[Stepper], Any] | None = None

    def __init__(self, session: Any, fetches: Any, feed_dict: Any = None, breakpoints: Iterable[Any] = ()) -> None:
        self.session = session
        self.fetches = fetches
        self.breakpoints = Breakpoints((), partial(breakpoint_name, session.graph))
        for each in breakpoints:
            self.breakpoints.add(each)
        self.run = run = SteppedRun(session, fetches, feed_dict, self.breakpoints)
        self.values = SteppedValues(run)
        self._numbers = {op: number for number, op in enumerate(run.program.operations, 1)}
        self._end = finalize(self, run.end, "nobody holds it any more")
        #: what asked to be told of moves, from the run's thread
        self.listeners = run.listeners

    # -- going on -----------------------------------------------------------------------------------------------

    def next(self, steps: int = 1) -> DoneStep | None:
        """Runs one step, or so many, and returns the last. Fewer where a breakpoint or the end comes first.

        Raises:
          what the run raises, if it fails. RuntimeError: if the run is over.
        """
        for done in range(steps):
            if done and self.over:
                break
            halts = self.run.stepping.at
            self._tell(self.run.stepping.step)
            at = self.run.stepping.at
            if at is not None and at.halt.breakpoint and at is not halts:
                break
        rows = self.run.stepping.executed
        return self._done(rows[-1]) if rows else None

    def to(self, op: Any) -> Current | None:
        """Runs until `op` (an operation, a tensor, or a name) is next, or a breakpoint holds.

        Raises:
          ValueError: if `op` does not run, has run already, or needs no step. And as `next`.
        """
        found = self._operation(op)
        program = self.run.program
        if found not in self._numbers:
            raise ValueError(f"{found.name} does not run: nothing that is fetched needs it")
        if found not in {step.op for step in all_steps(program.steps)}:
            raise ValueError(f"{found.name} ({found.type}) needs no step: its value is there from the start")
        looped = {op for step in program.steps if isinstance(step, LoopStep) for op in flattened([step.loop])}
        if found not in looped and any(done.step.op is found for done in self.run.stepping.executed):
            raise ValueError(f"{found.name} has run already; its value is values[{found.name!r}]")
        self._tell(lambda: self.run.stepping.to(found))
        return self.current

    def finish(self) -> Any:
        """Runs to the end, or to the next breakpoint. The fetched values; None where it is not the end (`done`).

        Raises:
          as `next`.
        """
        self._tell(self.run.stepping.go)
        return self.run.result if self.done else None

    def stop(self) -> None:
        """Ends the run where it is. Variables that were updated by now stay so, the others keep their values."""
        self.run.end("as asked")
        self.run.join()

    def __enter__(self) -> Stepper:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _tell(self, command: Callable[[], None]) -> None:
        if not self.over:
            self.run.tell(command)
        elif self.state != "failed":
            what = "is at its end" if self.done else f"was stopped ({self.run.why})"
            raise RuntimeError(f"The run {what}: tfbench.step(…) or %step FETCH begins a new one.")
        if self.run.error is not None:
            raise self.run.error

    # -- where it is --------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """ "waiting", "running", "done", "failed" or "stopped"."""
        return self.run.state

    @property
    def over(self) -> bool:
        return self.run.over

    @property
    def done(self) -> bool:
        """Whether the run has come to its end, so that `result` is there."""
        return self.state == "done"

    @property
    def result(self) -> Any:
        """The fetched values. RuntimeError before the end."""
        if not self.done:
            raise RuntimeError(f"The run is not at its end ({self.state}): finish() goes there.")
        return self.run.result

    @property
    def current(self) -> Current | None:
        """What is next, and why; None while the run goes on, and when it is over."""
        at = self.run.stepping.at
        if at is None or at.step is None:
            return None
        op, transfer = at.step.op, getattr(at.step, "transfer", None)
        return Current(
            op.name,
            op.type if transfer is None else self._copy(transfer),
            self._device(at.step),
            self._numbers.get(op, 0),  # a fed value that is sent has no number
            at.iterations,
            tuple(tensor.name for tensor in op.inputs),
            tuple(other.name for other in op.control_inputs),
            str(at.halt),
            created_at(op),
        )

    @property
    def steps(self) -> DoneSteps:
        """What has run so far."""
        return DoneSteps([self._done(done) for done in list(self.run.stepping.executed)])

    @property
    def length(self) -> int:
        """How many operations take part; those in a loop count once."""
        return len(self._numbers)

    def _done(self, done: Executed) -> DoneStep:
        step, outputs = done.step, done.outputs
        transfer = getattr(step, "transfer", None)
        kind = step.op.type if transfer is None else self._copy(transfer)
        said = tuple(value_text(value) for value in outputs or () if value is not None)
        number = self._numbers.get(step.op, 0)
        return DoneStep(step.op.name, kind, self._device(step), number, done.iterations, said, outputs is not None)

    def _device(self, step: Any) -> str:
        placement = self.run.program.placement
        transfer = getattr(step, "transfer", None)
        index = placement.index_of(step.op) if transfer is None else transfer.destination
        return short_device(placement.devices[index].name)

    def _copy(self, transfer: Any) -> str:
        return f"copy to {short_device(self.run.program.placement.devices[transfer.destination].name)}"

    # -- what is meant --------------------------------------------------------------------------------------------

    def _operation(self, op: Any) -> Operation:
        element = self.session.graph.as_graph_element(op)
        return element if isinstance(element, Operation) else element.op

    # -- forms ----------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return "\n".join([*self._headline(), *self._lines()])

    def __repr__(self) -> str:
        return str(self)

    def _headline(self) -> list[str]:
        current = self.current
        if current is None:
            at = self.run.stepping.at
            none = "" if len(self.steps) >= self.length else " (variables, constants and what is fed take none)"
            said = {
                "done": f"done: {count(self.run.stepping.count, 'step')}{none}",
                "failed": f"failed: {type(self.run.error).__name__}",
                "stopped": f"stopped after {count(self.run.stepping.count, 'step')}: {self.run.why}",
            }
            return [said.get(self.state, "running" if at is None else f"at the end: {at.halt}")]
        inside = "".join(f" in iteration {number}" for number in current.iterations[-1:])
        place = f"({current.type} on {current.device}){inside}"
        lines = [f"next: step {current.number} of {self.length}, {shorten(current.op, 80)} {place}"]
        takes = shorten_list(", ".join(current.data_inputs), 48, 120)
        waits = shorten_list(", ".join(current.control_inputs), 48, 120)
        parts = [part for part in (takes and f"takes {takes}", waits and f"waits for {waits} (control)") if part]
        lines.append(f"  {'; '.join(parts) or 'waits for nothing'}")
        lines.extend(f"  {line}" for line in f"why here: {current.why}".splitlines())
        return lines

    def _lines(self) -> list[str]:
        rows = self.steps
        lines = []
        if len(rows):
            shown = DoneSteps(rows[-_SHOWN:])
            lines = str(shown).splitlines()[:-1]
            if len(rows) > _SHOWN:
                lines.insert(0, f"(the last {_SHOWN} of {len(rows)} steps)")
        if len(self.breakpoints):
            lines.append(f"breakpoints: {', '.join(self.breakpoints)}")
        return lines

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        present = Stepper.present
        bundle = None if present is None else present(self)
        return {"text/plain": str(self)} if bundle is None else bundle


def breakpoint_name(graph: Any, given: Any) -> str:
    """The breakpoint that an operation, a tensor, a name, a scope with a slash at its end or "nan" stands for.

    Raises:
      KeyError: for a name that the graph does not have; with near ones.
    """
    if given == NAN or (isinstance(given, str) and given.lower() == NAN and NAN not in graph._by_name):
        return NAN
    names = graph._by_name
    if isinstance(given, str) and given.endswith("/"):
        if any(name.startswith(given) for name in names):
            return given
    elif not isinstance(given, str) or given.partition(":")[0] in names:
        element = graph.as_graph_element(given)
        return element.name if isinstance(element, Operation) else element.op.name
    known = [*names, *dict.fromkeys(f"{name.rpartition('/')[0]}/" for name in names if "/" in name)]
    near = difflib.get_close_matches(given[:200], known[:20_000], n=1)
    means = f": did you mean {near[0]}?" if near else ""
    raise KeyError(f'{shorten(given, 80)!r} is no operation, no scope with a slash at its end, and not "nan"{means}')


def step(fetches: Any, feed_dict: Any = None, session: Any = None, breakpoints: Iterable[Any] = ()) -> Stepper:
    """Begins a run and waits before its first step; the result goes on: `next()`, `to(op)`, `finish()`, `stop()`.

    The run is in a thread of its own. Steps are in the order of `explain.order`; what runs, runs as in `Session.run`.

    Args:
      fetches, feed_dict: as `Session.run` takes them.
      session: default: the default session or the bench's, if it runs this graph.
      breakpoints: operations, scopes ("tower/") or "nan": where `next`, `to` and `finish` wait.

    Raises:
      ValueError: if there is no session that runs this graph. What `Session.run` raises for fetches and feeds that do
        not fit. KeyError: for a breakpoint that is not in the graph.
    """
    session = session_that_runs(fetches, session, "step")
    return Stepper(session, fetches, feed_dict, breakpoints)
