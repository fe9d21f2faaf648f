"""State that a node keeps in its session: a queue, a reader, an accumulator.

With a `shared_name`, all nodes of that name in the session have one; without, it belongs to the node alone. The handle
that other ops take is the state itself.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from tfbench import errors
from tfbench.engine.opdef import Preset
from tfbench.engine.resources import Resource

#: the container of what belongs to one node; users' containers have other names
_PRIVATE = "<private state>"


class _Private(Resource):
    """The state of one node. Another node of the same name, after the graph was changed, does not go on with it."""

    __slots__ = ("op", "state")

    def __init__(self, op: Any, state: Any) -> None:
        self.op = weakref.ref(op)
        self.state = state

    def cancel_waiting(self) -> None:
        self.state.cancel_waiting()

    def snapshot(self) -> Any:
        return self.state.snapshot()

    def restore(self, saved: Any) -> None:
        self.state.restore(saved)


def held(context: Any, make: Callable[[str], Any], check: Callable[[Any, str], None] | None = None) -> Preset:
    """The state of the node that is being bound, made on first use by `make(name)`.

    `check(state, name)` raises if a shared one does not fit this node.
    """
    node, resources = context.op, context.resources
    shared = _text(context.attrs.get("shared_name"))
    try:
        if not shared:
            found = resources.find(_PRIVATE, node.name)
            if found is not None and found.op() is not node:
                resources.remove(_PRIVATE, node.name)
            name = node.name
            return Preset(
                resources.get(_PRIVATE, name, lambda: _Private(node, make(resources.private_name(name)))).state
            )
        container = _text(context.attrs.get("container"))
        state = resources.get(container, f"<state> {shared}", lambda: make(shared))
        if check is not None:
            check(state, shared)
    except errors.OpError as error:
        raise type(error)(node.node_def, node, error.message) from None  # type: ignore[call-arg]
    return Preset(state)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else value or ""
