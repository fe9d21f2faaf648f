"""Saving and restoring a session's variables without leaving nodes in its graph."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from tfbench.engine.graph import Graph
from tfbench.explain.checkpoints import checkpoint, tensors, variables_by_name
from tfbench.explain.text import count, shorten
from tfbench.train.checkpoint_reader import checkpoint_path, load_checkpoint
from tfbench.train.saver import Saver

#: as many checkpoints as a folder will hold: what a person saves by hand is never removed
_ALL = 1_000_000


class Saved(NamedTuple):
    """A checkpoint that was written."""

    path: str
    tensors: int
    bytes: int

    def __str__(self) -> str:
        return f"saved {count(self.tensors, 'tensor')} ({self.bytes:,} bytes) to {self.path}"

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()


class Restored(NamedTuple):
    """A checkpoint that was read: the variables that have its values, and those that were left as they were."""

    path: str
    restored: tuple[str, ...]
    left: tuple[str, ...]

    def __str__(self) -> str:
        text = f"restored {count(len(self.restored), 'variable')} from {self.path}"
        if self.left:
            names = ", ".join(shorten(name, 40) for name in self.left[:6])
            text += f"; left as they were: {names}" + (", …" if len(self.left) > 6 else "")
        return text

    def to_dict(self) -> dict[str, Any]:
        return {"path": self.path, "restored": list(self.restored), "left": list(self.left)}


def save(session: Any, path: str, step: int | None = None) -> Saved:
    """Writes the global variables of a session into a checkpoint, and its graph beside it.

    Raises:
      ValueError: if the graph has no variables. FailedPreconditionError: if one has no value.
    """
    with _nothing_left_in(session.graph):
        saver = Saver(max_to_keep=_ALL)
        saver.recover_last_checkpoints(_known(os.path.dirname(path)))
        written = saver.save(session, path, step)
    assert written is not None
    found = tensors(written)
    return Saved(written, len(found), sum(row.bytes or 0 for row in found))


def _known(folder: str) -> list[str]:
    from tfbench.train.checkpoint_state import get_checkpoint_state

    state = get_checkpoint_state(folder or ".")
    return [] if state is None else [os.path.normpath(path) for path in state.all_model_checkpoint_paths]


def restore(session: Any, path: str, matching: bool = False, scopes: Mapping[str, str] | None = None) -> Restored:
    """Sets the global variables of a session from a checkpoint (or the last one of a folder).

    Args:
      matching: leaves out variables that the checkpoint does not have, or has in another shape or type.
      scopes: scopes of the checkpoint -> scopes of the graph; only the variables in these are restored.

    Raises:
      ValueError: if nothing would be restored. NotFoundError, InvalidArgumentError, DataLossError: as `Saver.restore`.
    """
    graph = session.graph
    prefix = checkpoint_path(path)
    known = variables_by_name(graph)
    wanted = {name: name for name in known}
    if scopes:
        wanted = {
            old.lstrip("/") + name.removeprefix(new.lstrip("/")): name
            for old, new in scopes.items()
            for name in known
            if name.startswith(new.lstrip("/"))
        }
    if matching:
        fits = _fitting(prefix, graph) if not scopes else set(load_checkpoint(prefix).get_variable_to_shape_map())
        wanted = {stored: name for stored, name in wanted.items() if stored in fits}
    if not wanted:
        raise ValueError(f"nothing to restore: no variable of the graph is meant (checkpoint {prefix})")
    with _nothing_left_in(graph):
        parts = {stored: known[name][2] for stored, name in wanted.items()}
        saver = Saver({name: items[0] if _is_whole(items) else items for name, items in parts.items()})
        saver.restore(session, prefix)
    done = tuple(sorted(wanted.values()))
    return Restored(prefix, done, tuple(sorted(set(known) - set(done))))


def _fitting(prefix: str, graph: Graph) -> set[str]:
    return {row.name for row in checkpoint(prefix, graph).matching}


def _is_whole(items: list[Any]) -> bool:
    return len(items) == 1 and items[0]._get_save_slice_info() is None


@contextmanager
def _nothing_left_in(graph: Graph) -> Iterator[None]:
    mark = graph.mark()
    try:
        with graph.as_default(), graph.name_scope(None), graph.control_dependencies(None), graph.device(None):
            yield
    finally:
        graph.roll_back(mark)
