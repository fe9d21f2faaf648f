"""`Session.partial_run`: one run that stops to be fed more.

A partial run is a plan whose steps run as soon as all that they wait for is there: those that depend on no
feed when it is set up, more with each feed. Each step runs once. A run that failed, or of which everything has
been fetched, is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfbench.engine.fetches import FetchList, expand_feeds, feed_value
from tfbench.engine.graph import Operation
from tfbench.engine.interpret import Interpreter
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.plan import Plan, fetched
from tfbench.engine.run_errors import explain, keeps_cause
from tfbench.engine.steps import AnyStep, LoopStep
from tfbench.engine.tensor import Tensor

if TYPE_CHECKING:
    from tfbench.engine.session import BaseSession


class PartialRun:
    """The state of one partial run: the values so far, and the steps that have not run."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.fed: set[Tensor] = set()
        self.fetched: set[Tensor] = set()
        self._slots = plan.program.slots
        self._fetch_slots = dict(zip(plan.fetches, plan.program.fetch_slots, strict=True))
        self.values: list[Any] = plan.program.begin()
        self._there = {slot for slot, value in enumerate(self.values) if value is not None}
        self._pending: list[AnyStep] = list(plan.program.steps)
        #: operations that have not run yet; those that need no step are not among them
        self._waiting: set[Operation] = {op for step in self._pending for op in step.operations()}
        # Constants need no step, but those made in a control_dependencies block wait as others do.
        computed = set(self._waiting)
        self._constants = [op for op in plan.order if op.control_inputs and op not in computed]
        self._waiting.update(self._constants)
        for op in self._constants:
            self._there.difference_update(self._own_slots(op))
        # Who waits for a placeholder waits for its feed.
        self._waiting.update(tensor.op for tensor in plan.feeds if tensor.op.type == "Placeholder")

    def feed(self, pairs: Sequence[tuple[Tensor, Any]]) -> None:
        """Takes values for feeds that were announced."""
        for tensor, value in pairs:
            position = self.plan.feeds.index(tensor)
            slot = self._slots[tensor]
            self.values[slot] = self.plan.stored(position, value)
            self._there.add(slot)
            self.fed.add(tensor)
            if tensor.op.type == "Placeholder":
                self._waiting.discard(tensor.op)

    def advance(self) -> None:
        """Runs every step that can run, in the plan's order.

        Raises:
          tf.errors.OpError: if one fails.
        """
        before = -1
        while before != len(self._waiting):
            before = len(self._waiting)
            self._release_constants()
            self._run_steps()

    def _release_constants(self) -> None:
        for op in [op for op in self._constants if self._waiting.isdisjoint(op.control_inputs)]:
            self._constants.remove(op)
            self._waiting.discard(op)
            self._there.update(self._own_slots(op))

    def _own_slots(self, op: Operation) -> list[int]:
        """Where the values that `op` gives are; those that are fed instead are not its own."""
        return [self._slots[tensor] for tensor in op.outputs if tensor not in self.plan.feeds]

    def _run_steps(self) -> None:
        blocked: list[AnyStep] = []
        for step in self._pending:
            if not self._ready(step):
                blocked.append(step)
                continue
            if isinstance(step, LoopStep):
                self._run_loop(step)
            else:
                try:
                    step.run(self.values)
                except Exception as error:
                    raise explain(error, step, placement=self.plan.program.placement) from (
                        error if keeps_cause(error) else None
                    )
            self._there.update(step.outputs)
            self._waiting.difference_update(step.operations())
        self._pending = blocked

    def _run_loop(self, step: LoopStep) -> None:
        # A loop forgets what no later step needs; here an earlier one may still have to run.
        values = list(self.values)
        Interpreter(self.plan.program, values).loop(step)
        for slot in step.outputs:
            self.values[slot] = values[slot]

    def _ready(self, step: AnyStep) -> bool:
        if not self._there.issuperset(step.reads()):
            return False
        return self._waiting.isdisjoint(step.waits_for())

    def check(self, tensors: Sequence[Tensor], feeds: Sequence[Tensor]) -> None:
        """Refuses what was not announced, or is there already.

        Raises:
          InvalidArgumentError: naming the tensor.
        """
        for tensor in feeds:
            if tensor not in self.plan.feeds:
                raise invalid(f"The feed {tensor.name} was not specified in partial_run_setup.")
            if tensor in self.fed:
                raise invalid(f"The feed {tensor.name} has already been fed.")
        for tensor in tensors:
            if tensor not in self.plan.fetches:
                raise invalid(f"The fetch {tensor.name} was not specified in partial_run_setup.")
            if tensor in self.fetched:
                raise invalid(f"The fetch {tensor.name} has already been fetched.")

    def fetch(self, tensors: Sequence[Tensor]) -> list[Any]:
        """The values of `tensors`, as a run returns them."""
        slots = [self._fetch_slots[tensor] for tensor in tensors]
        for tensor, slot in zip(tensors, slots, strict=True):
            if slot not in self._there:
                missing = ", ".join(feed.name for feed in self.plan.feeds if feed not in self.fed)
                raise invalid(
                    f"Fetch {tensor.name} can't be computed from the feeds that have been fed so far. "
                    f"Not fed: {missing}"
                )
        self.fetched.update(tensors)
        return [
            self.values[slot] if tensor in self.fed else fetched(self.values[slot], False)
            for tensor, slot in zip(tensors, slots, strict=True)
        ]

    @property
    def over(self) -> bool:
        return not self._pending and self.fetched.issuperset(self.plan.fetches)


def setup(session: BaseSession, fetches: Any, feeds: Any) -> str:
    """Announces the fetches and feeds of a partial run; what depends on no feed runs now. Returns its handle."""
    graph = session.graph
    nest = FetchList(graph, fetches)
    if not nest.elements:
        raise invalid("Must specify at least one target to fetch or execute.")
    keys = feeds if isinstance(feeds, (list, tuple)) else [feeds]
    tensors = [tensor for tensor, _ in expand_feeds(graph, dict.fromkeys(keys))] if keys else []
    names = [",".join(part.name for part in parts) for parts in (tensors, nest.tensors, nest.operations)]
    handle = f"{names[0]}->{names[1]}/{names[2]}/1/;{len(session.partial_runs)}"
    run = PartialRun(session.plan(fetches, tensors))
    session.partial_runs[handle] = run
    _advance(session, handle, run)
    return handle


def _advance(session: BaseSession, handle: str, run: PartialRun) -> None:
    try:
        with session._arithmetic():
            run.advance()
    except BaseException:
        session.partial_runs[handle] = None
        raise


def proceed(session: BaseSession, handle: str, fetches: Any, feed_dict: Any) -> Any:
    """Goes on with a partial run: takes more feeds, and returns what they make known."""
    graph = session.graph
    nest = FetchList(graph, fetches)
    if nest.operations:
        raise RuntimeError(f"partial_run() requires empty `target_list`. Received: target_list={nest.operations}")
    pairs = [(tensor, feed_value(graph, tensor, value)) for tensor, value in expand_feeds(graph, feed_dict or {})]
    run = session.partial_runs.get(handle)
    if run is None:
        raise invalid("Must run 'setup' before performing partial runs!")
    run.check(nest.tensors, [tensor for tensor, _ in pairs])
    run.feed(pairs)
    _advance(session, handle, run)
    results = run.fetch(nest.tensors)
    if run.over:
        session.partial_runs[handle] = None
    return nest.build(results)
