"""A `tf.train.Saver` that reads an object-based checkpoint: by the names that its variables had when it was written."""

from __future__ import annotations

from typing import Any

from tfbench import errors
from tfbench.train import saveables
from tfbench.train.checkpoint_reader import CheckpointReader
from tfbench.train.object_graph import saved_graph


def keys_by_name(path: str) -> dict[str, str] | None:
    """The key of each variable's name in the checkpoint at `path`; None if a Saver wrote it."""
    graph = saved_graph(CheckpointReader(path))
    if graph is None:
        return None
    return {item.full_name: item.checkpoint_key for node in graph.nodes for item in node.attributes}


def saveables_under(keys: dict[str, str], var_list: Any) -> list[Any]:
    """What a Saver of `var_list` saves, each under the key of its name.

    Raises:
      NotFoundError: if the checkpoint has none for a name.
    """
    named = var_list if isinstance(var_list, dict) else saveables.by_name(var_list)
    found = saveables.validated(named)
    now = {item.name for item in found}
    missing = now - keys.keys()
    if missing:
        raise errors.NotFoundError(
            None,
            None,
            f"\n\nExisting variables not in the checkpoint: {', '.join(sorted(missing))}\n\n"
            "Variables names when this checkpoint was written which don't exist now: "
            f"{', '.join(sorted(keys.keys() - now))}\n\n"
            f"({len(now & keys.keys())} variable name(s) did match)\n\nCould not find some variables in the checkpoint "
            "(see names above). It is an object-based checkpoint, which a Saver reads by the names that variables had "
            "when it was written: give those that have it to Saver(var_list=...), or restore it with "
            "tf.train.Checkpoint.",
        )
    for item in found:
        for spec in item.specs:
            spec.name = keys[item.name]
    return found
