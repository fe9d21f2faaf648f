"""What a graph knows of its variables beside their nodes: the Variable objects, and the collections that they are in.

The one reader of both for all that shows variables: `explain.variables`, the bench, snapshots.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.resources import VARIABLE_TYPES, VariableBuffer, variable_key


def known_variables(graph: Any) -> tuple[dict[Any, Any], dict[Any, dict[str, None]]]:
    """The Variable objects by their op, and the collections that each is in, in order."""
    objects: dict[Any, Any] = {}
    collections: dict[Any, dict[str, None]] = {}
    store = graph._extensions.get("variable_store")
    for variable in store.variables.values() if store is not None else ():
        objects[variable.op] = variable
    for key in graph.get_all_collection_keys():
        for item in graph.get_collection_ref(key):
            op = getattr(item, "op", None)
            if getattr(op, "type", None) in VARIABLE_TYPES:
                objects.setdefault(op, item)
                collections.setdefault(op, {})[key] = None
    return objects, collections


def variable_buffer(session: Any, op: Any) -> VariableBuffer | None:
    """The session's buffer of a variable op (`.array`, `.updates`), or None where no run has made it yet."""
    return session.resources.find(*variable_key(op))
