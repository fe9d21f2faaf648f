"""How to follow what others do: `SessionHook` is told of a session's runs, `StepObserver` of the steps of one run.

A hook hangs in a list, `session.hooks`, until it is taken out again. It is asked before each run whether it wants to
see that run's steps, and gives an observer if it does; the run then goes step by step. Both classes do nothing: who
follows a session overrides what it wants to be told. (`tf.train.SessionRunHook` is another thing, TensorFlow's own: it
adds fetches to the runs of a MonitoredSession.)

The functions are for hooks of both kinds that there are, these and the plain functions in `graph.observers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakMethod, ref


class StepObserver:
    """Sees one run, or several at a time. Base class: sees nothing."""

    __slots__ = ()

    #: whether it can be told of one run's steps by several threads at a time, those of the partitions
    in_threads = False

    def begin_thread(self) -> None:
        """The calling thread is about to go on with steps: what it did until now belongs to none of them."""

    def before(self, step: Any, taken: bool, iterations: tuple[int, ...]) -> None:
        """`step` comes next, when this returns; `taken` is False where its branch is not taken.

        `iterations` are those of the loops around it, outermost first. What this raises, the run raises.
        """

    def __call__(
        self, step: Any, inputs: Sequence[Any], results: Sequence[Any] | None, iterations: tuple[int, ...]
    ) -> None:
        """A step has run on `inputs` and gave `results`; None where its branch is not taken."""

    def end(self) -> None:
        """Everything has run, and `run` returns when this does. Not called for a run that fails."""


class SessionHook:
    """Is told what a session does, and may have a say in it. Base class: lets everything pass."""

    __slots__ = ()

    def before_run(self) -> None:
        """A run was asked for. Nothing was looked up for it yet, neither plans nor values of variables.

        Of a partial run this is all that is told, before each of its parts.
        """

    def gate(self, plan: Any) -> StepObserver | None:
        """A run of `plan` is about to begin. May wait, or raise; gives the observer of its steps, if any.

        A run that already has an observer which decides how it goes on (`explain.step`) passes no gate.
        """
        return None

    def ran(self, plan: Any, fed: Sequence[Any], results: Sequence[Any]) -> None:
        """A run of `plan` is over: what its feeds and fetches were, in the plan's order. Not called where it failed."""

    def closed(self) -> None:
        """The session is being closed."""


class WeakHook(SessionHook):
    """Stands in a list for a hook that it does not keep alive; does nothing once that one is gone."""

    __slots__ = ("_hook",)

    def __init__(self, hook: SessionHook) -> None:
        self._hook = ref(hook)

    def before_run(self) -> None:
        hook = self._hook()
        if hook is not None:
            hook.before_run()

    def gate(self, plan: Any) -> StepObserver | None:
        hook = self._hook()
        return None if hook is None else hook.gate(plan)

    def ran(self, plan: Any, fed: Sequence[Any], results: Sequence[Any]) -> None:
        hook = self._hook()
        if hook is not None:
            hook.ran(plan, fed, results)

    def closed(self) -> None:
        hook = self._hook()
        if hook is not None:
            hook.closed()


def weakly(method: Callable[..., Any]) -> Callable[..., None]:
    """A function that calls a bound method as long as its object lives, and does nothing afterwards."""
    weak = WeakMethod(method)

    def call(*arguments: Any) -> None:
        found = weak()
        if found is not None:
            found(*arguments)

    return call


def unhook(*hung: tuple[list[Any], Any]) -> None:
    """Takes each hook out of its list, if it is there."""
    for hooks, hook in hung:
        if hook in hooks:
            hooks.remove(hook)
