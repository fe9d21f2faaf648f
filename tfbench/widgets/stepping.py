"""The panel's buttons Pause, Continue, Step, To here, Stop, and its breakpoints.

What they act on is a Stepper (`tfbench.step`) that the panel was given, and else whatever runs the session: a loop in
another cell, or in the one that shows the panel. A command is a message with an id, `{kind: "command", id, what, op}`;
the answer is the state of things, `{kind: "control", …}`, which names the last id, so that a page knows who was heard.

While a cell runs, ipykernel 6 lets in no message of a widget, and 7.4 only with the patch in `inspector`. So the page
sends each command a second time on the kernel's control channel, which a thread of its own serves (`hear_control`); an
id is acted on once. Where neither arrives, the page offers to interrupt the kernel, which needs no message.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench.engine.hooks import unhook, weakly
from tfbench.engine.stepping import HOLD, Stepping
from tfbench.engine.value_text import value_text
from tfbench.explain.control import control
from tfbench.explain.order import order_of
from tfbench.explain.stepper import Stepper
from tfbench.widgets.answers import order_table
from tfbench.widgets.protocol import Packet, text

if TYPE_CHECKING:
    from tfbench.widgets.publisher import Publisher

#: so many ids of commands are remembered
_IDS = 64

#: cells of the notebook that have begun, and whether one runs (None: there is no notebook); `cell_begins` counts
_cells: dict[str, Any] = {"begun": 0, "busy": None}


class RunControls:
    """One panel's say in what runs."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._stepper: Stepper | None = None
        self._heard: deque[str] = deque(maxlen=_IDS)
        self._last = ""
        self._control: Any = None
        self._listener = weakly(self.send)
        self._asked_in = 0

    # -- what there is --------------------------------------------------------------------------------------------

    @property
    def attends(self) -> bool:
        """Whether a page shows the panel, so that somebody can say how to go on."""
        return self._publisher.listening and not self._publisher.closed

    @property
    def loop(self) -> Any:
        """The control of the session."""
        if self._control is None:
            self._control = found = control(self._publisher.session)
            found.listeners.append(self._listener)
            found.attendants.add(self)
            found.spares = _spared
        return self._control

    def attach(self, stepper: Stepper) -> None:
        """The buttons act on this run until it is over."""
        self._stepper = stepper
        stepper.listeners.append(self._listener)
        self.send()

    def greet(self) -> None:
        """A page begins to listen."""
        _ = self.loop
        self.send()

    def leave(self) -> None:
        """The panel is closed. Who waits for it goes on."""
        found = self._control
        if found is None:
            return
        found.attendants.discard(self)
        unhook((found.listeners, self._listener))
        if not len(found.attendants):
            found.leave()
        self._control = None

    def _now(self) -> tuple[Stepping, Any]:
        """What the buttons act on, and the program of the run, if its steps are looked at."""
        stepper = self._stepper
        if stepper is not None:
            return stepper.run.stepping, stepper.run.program
        loop = self.loop
        return loop, None if loop.plan is None else loop.plan.program

    # -- what the page says ---------------------------------------------------------------------------------------

    def receive(self, content: dict[str, Any]) -> None:
        """Does what a command says, once, and answers with the state of things."""
        identity, what, op = content.get("id"), content.get("what"), content.get("op", "")
        if not isinstance(identity, str) or not isinstance(op, str) or identity in self._heard:
            return
        self._heard.append(identity)
        act = {
            "pause": self._pause, "go": self._go, "step": self._step, "to": self._to, "stop": self._stop,
            "break": self._break, "value": self._value,
        }.get(str(what))  # fmt: skip
        if act is None:
            return
        self._last, error = identity, ""
        if self._stepper is not None and self._stepper.over and what != "value":
            self._stepper = None  # from here on it is about what runs the session
        try:
            act(op)
        except Exception as problem:
            error = str(problem.args[0] if isinstance(problem, KeyError) and problem.args else problem)
        self.send(error)

    def _pause(self, op: str) -> None:
        self._check_runs()
        _held_since["cell"] = _cells["begun"]
        self._now()[0].pause()

    def _go(self, op: str) -> None:
        self._now()[0].go()

    def _step(self, op: str) -> None:
        self._now()[0].step()

    def _to(self, op: str) -> None:
        self._now()[0].to(self._publisher.graph.get_operation_by_name(op))

    def _stop(self, op: str) -> None:
        if self._stepper is not None:
            self._stepper.run.end("as asked")
            return
        self._check_runs()
        _held_since["cell"] = _cells["begun"]
        self.loop.stop("Stop was pressed: this run has not begun, or ended between two steps. Variables are whole.")

    def _break(self, op: str) -> None:
        breakpoints = self._now()[0].breakpoints
        if op in breakpoints:
            breakpoints.remove(op)
        else:
            breakpoints.add(op)

    def _value(self, op: str) -> None:
        """Sends what the operation `op` has given in the run that waits."""
        stepping, _ = self._now()
        element = self._publisher.graph.get_operation_by_name(op)
        known = [stepping.values.get(tensor) for tensor in element.outputs]
        said = [text(value_text(value)) for value in known if value is not None]
        self._publisher.post(Packet({"kind": "value", "op": text(op), "said": said}, []))

    def _check_runs(self) -> None:
        """Nothing may wait for a loop that is not there: it would hold, or stop, what is run much later."""
        if self._stepper is not None or _cells["busy"] is not False or self.loop.at is not None:
            return
        main = threading.main_thread().ident
        if not any(thread.ident == self.loop.thread != main for thread in threading.enumerate()):
            raise RuntimeError("nothing runs this session now")

    # -- what the page is told ------------------------------------------------------------------------------------

    @property
    def label(self) -> str:
        """What the Order view calls the run whose steps are looked at."""
        return "(the run that is stepped)" if self._stepper is not None else "(the run in the loop)"

    def is_order(self, fetch: str) -> bool:
        """Whether the page asks for the order of the run that is looked at."""
        return fetch == self.label

    def order(self, fetch: str) -> Packet:
        """The steps of the run that is looked at."""
        _, program = self._now()
        content = {"kind": "order", "fetch": text(fetch)}
        if program is None:
            return Packet({**content, "error": "no run waits"}, [])
        more, buffers = order_table(order_of(program, program.placement), self._publisher.places)
        return Packet({**content, **more}, buffers)

    def send(self, error: str = "") -> None:
        """Says where things are. Never raises: it is called by what runs."""
        publisher = self._publisher
        if not publisher.listening or publisher.closed:
            return
        try:
            stepping, program = self._now()
            at, places = stepping.at, publisher.places
            state = "free" if at is None else "held"
            why = "" if at is None or at.halt.kind == "asked" else str(at.halt)
            if self._stepper is not None:
                state = {"waiting": "held", "running": "running"}.get(self._stepper.state, "over")
                why = why or _outcome(self._stepper)
            elif stepping.wants == HOLD and at is None:
                state = "asked"
            inside = at is not None and program is not None
            done = [places.get(done.step.op.name, -1) for done in list(stepping.executed)] if program else []
            content = {
                "kind": "control",
                "what": "loop" if self._stepper is None else "step",
                "state": state,
                "at": places.get(at.step.op.name, -1) if at is not None and at.step is not None else -1,
                "iterations": [] if at is None else list(at.iterations),
                "why": text(why),
                "order": self.label if inside or self._stepper is not None else "",
                "breakpoints": [text(name) for name in stepping.breakpoints],
                "heard": self._last,
                "error": text(error),
            }
            publisher.post(Packet(content, [np.array(done, np.int32).tobytes()]))
            if at is not None and publisher.follower is not None:
                publisher.follower.touch()
        except Exception as problem:
            sys.stderr.write(f"tfbench: the panel's buttons could not be brought up to date: {problem}\n")


#: in which cell it was last said to pause or to stop
_held_since = {"cell": 0}


def _spared() -> bool:
    """The main thread, in a cell that began after the loop was told to wait or to end: it is not that loop."""
    main = threading.current_thread() is threading.main_thread()
    return main and _cells["busy"] is not None and _cells["begun"] != _held_since["cell"]


def _outcome(stepper: Stepper) -> str:
    if stepper.state == "failed":
        return f"{type(stepper.run.error).__name__}: {stepper.run.error}"
    return {"done": "the run is at its end", "stopped": f"stopped: {stepper.run.why}"}.get(stepper.state, "")


# -- the notebook ---------------------------------------------------------------------------------------------------


def cell_begins() -> None:
    """A notebook cell is about to run."""
    _cells["begun"] += 1
    _cells["busy"] = True


def cell_ended(controls: list[RunControls]) -> None:
    """A notebook cell has run: what was asked of its loop is not asked of the next one."""
    _cells["busy"] = False
    for each in controls:
        found = each._control
        if found is not None and found.thread == threading.main_thread().ident:
            found.forget()


#: what a command is called on the control channel
MESSAGE = "tfbench_command"


def hear_control(kernel: Any, panel_of: Callable[[str], Any]) -> bool:
    """Has a kernel take what a page says on its control channel, too; `panel_of` finds the receiver by its comm.

    False where the kernel has no such channel.
    """
    handlers = getattr(kernel, "control_handlers", None)
    if not isinstance(handlers, dict):
        return False
    if MESSAGE in handlers:
        return True

    def handle(stream: Any, identity: Any, message: Any) -> None:
        content = message.get("content") or {}
        receive = panel_of(str(content.get("panel", "")))
        if receive is not None:
            receive(content)

    handlers[MESSAGE] = handle
    return True
