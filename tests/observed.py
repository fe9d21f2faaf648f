"""A session whose steps are told to a function, as stepping and watching have it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tfbench.engine.hooks import SessionHook, StepObserver


class _Told(StepObserver, SessionHook):
    def __init__(self, tell: Callable[..., Any]) -> None:
        self._tell = tell

    def gate(self, plan: Any) -> StepObserver:
        return self

    def __call__(self, *step: Any) -> None:
        self._tell(*step)


@contextmanager
def observed(session: Any, observer: Callable[..., Any]) -> Iterator[None]:
    """Context: each run of `session` goes step by step, and calls `observer(step, inputs, results, iterations)`."""
    hook = _Told(observer)
    session.hooks.append(hook)
    try:
        yield
    finally:
        session.hooks.remove(hook)
