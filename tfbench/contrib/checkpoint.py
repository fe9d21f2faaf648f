"""`tf.contrib.checkpoint`: containers for `tf.train.Checkpoint` that can only grow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tfbench.train.checkpoint_manager import CheckpointManager
from tfbench.train.object_graph import ObjectGraph, saved_graph
from tfbench.train.trackable import NoDependency, Trackable, is_trackable, of_sequence, wrapped

__all__ = [
    "CheckpointManager", "Checkpointable", "CheckpointableBase", "List", "Mapping", "NoDependency", "UniqueNameTracker",
    "list_objects", "object_metadata",
]  # fmt: skip

Checkpointable = CheckpointableBase = Trackable


def _storable(value: Any) -> Any:
    value = wrapped(value)
    if not is_trackable(value):
        raise ValueError(
            "Only trackable objects (such as Layers or Optimizers) may be stored in a List object. "
            f"Got {value}, which does not inherit from Trackable."
        )
    return value


class List:
    """A list of things that can be saved. It is appended to, and nothing else is changed."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._storage: list[Any] = [_storable(item) for item in items]

    def _trackable_children(self) -> dict[str, Any]:
        return of_sequence(self._storage)

    def append(self, value: Any) -> None:
        self._storage.append(_storable(value))

    def extend(self, values: Iterable[Any]) -> None:
        for value in values:
            self.append(value)

    def __iadd__(self, values: Iterable[Any]) -> List:
        self.extend(values)
        return self

    def __add__(self, other: Iterable[Any]) -> List:
        return List([*self._storage, *other])

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __len__(self) -> int:
        return len(self._storage)

    def index(self, value: Any) -> int:
        """The position of `value` itself."""
        for position, item in enumerate(self._storage):
            if item is value:
                return position
        raise ValueError(f"{value!r} is not in list")

    def __repr__(self) -> str:
        return f"List({self._storage!r})"


class Mapping:
    """A dictionary of things that can be saved, by string. Keys are added, and nothing else is changed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._storage: dict[str, Any] = {}
        self.update(dict(*args, **kwargs))

    def _trackable_children(self) -> dict[str, Any]:
        return dict(self._storage)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        current = self._storage.setdefault(key, _storable(value))
        if current is not value and current != value:
            raise ValueError(
                f"Mappings are an append-only data structure. Tried to overwrite the key {key!r} with value {value}, "
                f"but it already contains {current}"
            )

    def update(self, *args: Any, **kwargs: Any) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __getitem__(self, key: str) -> Any:
        return self._storage[key]

    def get(self, key: str, default: Any = None) -> Any:
        return self._storage.get(key, default)

    def keys(self) -> Any:
        return self._storage.keys()

    def values(self) -> Any:
        return self._storage.values()

    def items(self) -> Any:
        return self._storage.items()

    def __contains__(self, key: object) -> bool:
        return key in self._storage

    def __iter__(self) -> Iterator[str]:
        return iter(self._storage)

    def __len__(self) -> int:
        return len(self._storage)

    def __repr__(self) -> str:
        return f"Mapping({self._storage!r})"


class UniqueNameTracker:
    """Things that can be saved under names that are made unique: `n`, `n_1`, …"""

    def __init__(self) -> None:
        self._named: dict[str, Any] = {}
        self._counts: dict[str, int] = {}

    def _trackable_children(self) -> dict[str, Any]:
        return dict(self._named)

    def track(self, trackable: Any, base_name: str) -> Any:
        """Saves `trackable` with this object, and returns it.

        Raises:
          ValueError: if it cannot be saved.
        """
        if not is_trackable(trackable):
            raise ValueError(
                f"Expected a trackable value, got {trackable} which does not inherit from tf.track.Trackable."
            )
        count = self._counts.get(base_name, 0)
        name = f"{base_name}_{count}" if count else base_name
        while name in self._named:
            count += 1
            name = f"{base_name}_{count}"
        self._counts[base_name] = count + 1
        self._named[name] = trackable
        return trackable


def list_objects(root_trackable: Any) -> list[Any]:
    """All that a checkpoint of `root_trackable` would hold, slots included."""
    return ObjectGraph(root_trackable).objects


def object_metadata(save_path: Any) -> Any:
    """The message that describes the objects of a checkpoint.

    Raises:
      ValueError: if a Saver wrote it.
    """
    from tfbench.train.checkpoint_reader import CheckpointReader

    found = saved_graph(CheckpointReader(save_path))
    if found is None:
        raise ValueError(
            f"The specified checkpoint {save_path!r} does not appear to be object-based (it is missing the key "
            "'_CHECKPOINTABLE_OBJECT_GRAPH'). Likely it was created with a name-based saver and does not contain an "
            "object dependency graph."
        )
    return found
