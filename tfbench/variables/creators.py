"""`tf.variable_creator_scope`: functions that stand between a call that wants a variable and the variable's making.

    def on_cpu(next_creator, **options):
        with tf.device("/cpu:0"):
            return next_creator(**options)

    with tf.variable_creator_scope(on_cpu):
        v = tf.Variable(1.0)

`tf.Variable(...)` and `tf.get_variable(...)` call the innermost creator, with all arguments by keyword; what it calls
as `next_creator` is the creator around it, and at last what makes the variable.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tfbench.engine.default_graph import get_default_graph

__all__ = ["variable_creator_scope"]

#: called with the next creator and a variable's arguments by keyword
Creator = Callable[..., Any]


class _Creators:
    """The creators of a graph, outermost first."""

    __slots__ = ("stack",)

    def __init__(self) -> None:
        self.stack: list[Creator] = []

    def snapshot(self) -> list[Creator]:
        """For `Graph.mark`."""
        return list(self.stack)

    def restore(self, state: list[Creator]) -> None:
        """For `Graph.roll_back`."""
        self.stack[:] = state


def creators() -> list[Creator]:
    """The creators of the default graph, outermost first."""
    found: _Creators = get_default_graph().extension("variable_creators", _Creators)
    return found.stack


def create(make: Callable[..., Any], stack: list[Creator], options: dict[str, Any]) -> Any:
    """What the creators in `stack` make of a variable's arguments; `make` is the last one to be called."""
    following = make
    for creator in stack:
        following = partial(creator, following)
    return following(**options)


class variable_creator_scope:  # noqa: N801 - TensorFlow's name
    """Context manager: variables made inside are made by `variable_creator(next_creator, **arguments)`.

    The arguments are those of `tf.Variable`; they may be changed before they are handed on.
    """

    def __init__(self, variable_creator: Creator) -> None:
        self._creator = variable_creator

    def __enter__(self) -> None:
        self._stack = creators()
        self._stack.append(self._creator)

    def __exit__(self, *_: object) -> None:
        if self._creator in self._stack:
            self._stack.remove(self._creator)
