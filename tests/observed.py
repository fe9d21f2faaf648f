"""A session whose steps are told to a function, as stepping and watching have it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class _Gate:
    def __init__(self, observer: Callable[..., Any]) -> None:
        self._observer = observer

    def gate(self, plan: Any) -> Callable[..., Any]:
        return self._observer


@contextmanager
def observed(session: Any, observer: Callable[..., Any]) -> Iterator[None]:
    """Context: each run of `session` goes step by step, and calls `observer(step, inputs, results, iterations)`."""
    gate = _Gate(observer)
    session.gates.append(gate)
    try:
        yield
    finally:
        session.gates.remove(gate)
