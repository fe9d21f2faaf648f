"""An observer that may wait: it is asked before each step of a run, and told what the step gave.

The thread that runs waits here, with no lock of a session held, until another thread says how to go on: `step`, `to` an
operation, `go`, `stop`. What is stopped is stopped between two steps, so every variable is either updated or not.

One object serves one run (`explain.step`), or all runs of a session (`Control`): a loop is then held between two runs,
where nothing is half done, and between steps only once somebody wants to see steps. Runs that nobody looks at take the
generated function as ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakSet

from tfbench.engine.breakpoints import Breakpoints, Halt
from tfbench.engine.hooks import SessionHook, StepObserver, unhook

#: what the thread that runs is to do
HOLD, GO, STEP, TO = "hold", "go", "step", "to"


class Stopped(KeyboardInterrupt):
    """Somebody stopped the run, or the loop that it is of. Variables are as the last step that ran left them."""


class At(NamedTuple):
    """Where a run waits: before `step`, which is None between two runs; and why."""

    step: Any
    iterations: tuple[int, ...]
    halt: Halt


class Executed(NamedTuple):
    """One step that has run. `outputs` is None where its branch was not taken."""

    step: Any
    iterations: tuple[int, ...]
    outputs: Sequence[Any] | None


class Stepping(StepObserver):
    """Whether a run goes on."""

    #: steps that are remembered of one run, the latest
    MOST = 10_000

    def __init__(self, held: bool = True, breakpoints: Breakpoints | None = None) -> None:
        self.breakpoints = Breakpoints() if breakpoints is None else breakpoints
        self._turn = threading.Condition()
        self._want = HOLD if held else GO
        self._first = held
        self._target: Any = None
        self._stop = ""
        self._nan: Halt | None = None
        self._last = ""
        #: where a run waits; None while none does
        self.at: At | None = None
        #: what has run, in order, and the values by tensor
        self.executed: list[Executed] = []
        self.values: dict[Any, Any] = {}
        #: how many steps have run, those too that are not remembered
        self.count = 0
        #: how often a run has begun to wait
        self.halts = 0
        #: called, without a lock, when a run begins to wait, and when it goes on
        self.listeners: list[Callable[[], None]] = []
        #: whether anybody is there to say how to go on: if not, a breakpoint stops the run with an error
        self.attended: Callable[[], bool] = lambda: True

    # -- how to go on: called by other threads ----------------------------------------------------------------

    def pause(self) -> None:
        """Waits before the next step."""
        self._say(HOLD)

    def go(self) -> None:
        """Goes on to the next breakpoint, or to the end."""
        self._say(GO)

    def step(self) -> None:
        """Runs one step."""
        self._say(STEP)

    def to(self, op: Any) -> None:
        """Goes on until `op` is next, or a breakpoint."""
        self._say(TO, op)

    def stop(self, why: str = "stopped") -> None:
        """Has the run raise Stopped where it waits, or before its next step."""
        with self._turn:
            self._stop = why
            self._turn.notify_all()

    def _say(self, want: str, target: Any = None) -> None:
        with self._turn:
            self._want, self._target = want, target
            self._turn.notify_all()

    @property
    def wants(self) -> str:
        """What the run was last told: HOLD, GO, STEP or TO."""
        return self._want

    # -- called by the thread that runs -------------------------------------------------------------------------

    def before(self, step: Any, taken: bool, iterations: tuple[int, ...]) -> None:
        """A step comes next; `taken` is False where its branch is not taken. May wait.

        Raises:
          Stopped: if somebody stops the run.
        """
        if self._stop:
            raise self._stopped()
        if not taken:
            return
        halt = self._reason(step, iterations)
        if halt is not None:
            self._wait(At(step, iterations, halt))
        self._last = step.op.name

    def _reason(self, step: Any, iterations: tuple[int, ...]) -> Halt | None:
        op = step.op
        if self._nan is not None:
            halt, self._nan = self._nan, None
            return halt
        found = self.breakpoints.before(op.name, self._last) if len(self.breakpoints) else None
        if found is not None:
            return Halt(*found, op, iterations)
        if self._want == HOLD:
            kind = "begin" if self._first else "asked"
        elif self._want == STEP or (self._want == TO and op is self._target):
            kind = self._want
        else:
            return None
        return Halt(kind, "", op, iterations)

    def __call__(
        self, step: Any, inputs: Sequence[Any], results: Sequence[Any] | None, iterations: tuple[int, ...]
    ) -> None:
        """A step has run: what it took and gave."""
        self.count += results is not None
        self.executed.append(Executed(step, tuple(iterations), results))
        if len(self.executed) > self.MOST:
            del self.executed[: self.MOST // 2]
        if results is None or getattr(step, "transfer", None) is not None:
            return
        for tensor, value in zip(step.op.outputs_list, results):
            self.values[tensor] = value
        if self.breakpoints.nan:
            self._nan = self.breakpoints.after(step.op, inputs, results, tuple(iterations)) or self._nan

    def end(self) -> None:
        """The run is over. Waits where its very last step gave a NaN."""
        halt, self._nan = self._nan, None
        if halt is not None:
            self._wait(At(None, (), halt))

    def _wait(self, at: At) -> None:
        if at.halt.breakpoint and not self.attended():
            raise Stopped(f"{at.halt}\nThe run was stopped there: nobody could say how to go on.")
        with self._turn:
            while self._waits() and not self._stop:
                self._turn.wait(_PATIENCE)  # another thread's run is looked at
                if not self._waits() and self._want == GO and not at.halt.breakpoint:
                    return
            self.at, self._want, self._first = at, HOLD, False
            self.halts += 1
            self._turn.notify_all()
        try:
            self._tell()
            with self._turn:
                while self._want == HOLD and not self._stop:
                    self._turn.wait(_PATIENCE)
                if self._stop:
                    raise self._stopped()
        except BaseException:
            self._want = GO
            raise
        finally:
            with self._turn:
                self.at = None
                self._turn.notify_all()
            self._tell()

    def _waits(self) -> bool:
        return self.at is not None

    def _stopped(self) -> Stopped:
        return Stopped(self._stop)

    def _tell(self) -> None:
        for listener in list(self.listeners):
            listener()


#: seconds; a lock that is waited for without end cannot be interrupted everywhere
_PATIENCE = 1.0


class Control(Stepping, SessionHook):
    """Holds and stops the runs of a session, whoever makes them (`explain.control`)."""

    def __init__(self, session: Any, breakpoints: Breakpoints) -> None:
        super().__init__(False, breakpoints)
        #: those who may say how to go on, as long as they `attend`; without one, a breakpoint ends a loop
        self.attendants: WeakSet[Any] = WeakSet()
        self.attended = lambda: any(one.attends for one in list(self.attendants))
        #: whether the run of the present thread is to be left alone: it began after it was said to wait
        self.spares: Callable[[], bool] = lambda: False
        #: of the run whose steps are looked at
        self.plan: Any = None
        #: who began the latest run
        self.thread = 0
        self._session = session
        session.hooks.append(self)

    def closed(self) -> None:
        self.stop("the session was closed")

    def leave(self) -> None:
        """Lets everything go, and has no say in the session's runs any more."""
        self.breakpoints.clear()
        self.go()
        unhook((self._session.hooks, self))

    def gate(self, plan: Any) -> Control | None:
        """A run is about to begin: waits, or raises Stopped. The observer of the run, if its steps are wanted."""
        self.thread = threading.get_ident()
        if self._want == GO and not self._stop and not len(self.breakpoints):
            return None
        if (self._want != GO or self._stop or self.at is not None) and self.spares():
            return None
        if self._stop:
            raise self._stopped()
        if self._want == HOLD:
            self.plan = None
            self._wait(At(None, (), Halt("asked")))
        if self._want == GO and not len(self.breakpoints):
            return None
        self.plan = plan
        self.executed.clear()
        self.values.clear()
        self.count, self._last = 0, ""
        return self

    def _stopped(self) -> Stopped:
        """One loop is stopped, once: what runs afterwards runs."""
        why, self._stop = self._stop, ""
        self._want = GO
        return Stopped(why)

    def forget(self) -> None:
        """What was asked for and has not come about is not wanted any more: the loop is over."""
        with self._turn:
            if self.at is None:
                self._stop, self._want, self._nan = "", GO, None
