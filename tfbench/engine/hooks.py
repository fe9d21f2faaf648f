"""Functions that others call when something happens: hung in lists, taken out again, and keeping nobody alive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakMethod


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
