"""What an object-based checkpoint saves, and under which name each thing depends on another.

A variable is a leaf. A `Checkpoint`, a layer, an optimizer, a list or a dictionary has *dependencies*: named references
to others. They are looked up when a checkpoint is written or restored, so whatever is added until then counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from tfbench.variables.base import Variable


def dependencies(item: Any) -> dict[str, Any] | None:
    """The things that `item` depends on, by name; None if it cannot be in a checkpoint."""
    if isinstance(item, Variable):
        return {}
    ask = getattr(type(item), "_trackable_children", None)
    if ask is not None:
        found: dict[str, Any] = ask(item)
        return found
    if isinstance(item, tuple):
        return of_sequence(item)
    return None


def is_trackable(item: Any) -> bool:
    """Whether `item` can be part of an object-based checkpoint."""
    return isinstance(item, (Variable, tuple)) or hasattr(type(item), "_trackable_children")


def of_sequence(items: Iterable[Any]) -> dict[str, Any]:
    """The elements that can be saved, under their positions."""
    return {str(position): item for position, item in enumerate(items) if is_trackable(item)}


class Trackable:
    """An object whose attributes are its dependencies. Lists and dictionaries that are assigned become ones that are
    saved.

    As in TensorFlow, a dependency lasts until another thing that can be saved takes its name, or the attribute is
    deleted.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, NoDependency):
            value = value.value
        else:
            value = wrapped(value)
            if is_trackable(value):
                self._track(name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        vars(self).get("_tracked", {}).pop(name, None)
        super().__delattr__(name)

    def _track(self, name: str, value: Any) -> None:
        vars(self).setdefault("_tracked", {})[name] = value

    def _trackable_children(self) -> dict[str, Any]:
        return dict(vars(self).get("_tracked", {}))


class NoDependency:
    """`obj.name = NoDependency(value)`: the attribute has the value, and is not saved."""

    def __init__(self, value: Any) -> None:
        self.value = value


def wrapped(value: Any) -> Any:
    """A list or dictionary as one that can be saved, with all inside; anything else as it is."""
    if type(value) is list:
        return ListWrapper(value)
    if type(value) is dict:
        return DictWrapper(value)
    if type(value) is tuple:
        return tuple(map(wrapped, value))
    return value


class ListWrapper(list[Any]):
    """A list that can be saved as long as it only grows: elements are found by their position."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        super().__init__(map(wrapped, items))
        self._changed = False

    def _trackable_children(self) -> dict[str, Any]:
        children = of_sequence(self)
        if self._changed:
            raise ValueError(
                f"Unable to save the object {self!r} (a list wrapper constructed to track trackable TensorFlow "
                "objects). A list element was replaced (__setitem__, __setslice__), deleted (__delitem__, "
                "__delslice__), or moved (sort), and elements are restored by their position: only append to it, or "
                "keep it outside of what is saved."
            )
        return children

    def __repr__(self) -> str:
        return f"ListWrapper({super().__repr__()})"

    def append(self, item: Any) -> None:
        super().append(wrapped(item))

    def extend(self, items: Iterable[Any]) -> None:
        super().extend(map(wrapped, items))

    def __iadd__(self, items: Iterable[Any]) -> ListWrapper:  # type: ignore[misc]
        self.extend(items)
        return self


def _marking(name: str) -> Any:
    original = getattr(list, name)

    def changing(self: ListWrapper, *args: Any, **kwargs: Any) -> Any:
        self._changed = True
        return original(self, *args, **kwargs)

    changing.__name__, changing.__doc__ = name, original.__doc__
    return changing


for _name in ("__setitem__", "__delitem__", "insert", "pop", "remove", "clear", "sort", "reverse"):
    setattr(ListWrapper, _name, _marking(_name))


class DictWrapper(dict[Any, Any]):
    """A dictionary that can be saved if its keys are strings.

    What was in it once stays a dependency, as in TensorFlow.
    """

    def __init__(self, items: Any = (), **named: Any) -> None:
        super().__init__({key: wrapped(value) for key, value in dict(items, **named).items()})
        self._tracked = {key: value for key, value in self.items() if is_trackable(value)}

    def __repr__(self) -> str:
        return f"DictWrapper({super().__repr__()})"

    def __setitem__(self, key: Any, value: Any) -> None:
        value = wrapped(value)
        super().__setitem__(key, value)
        if is_trackable(value):
            self._tracked[key] = value

    def _trackable_children(self) -> dict[str, Any]:
        if not all(isinstance(key, str) for key in self._tracked):
            raise ValueError(
                f"Unable to save the object {dict(self)!r} (a dictionary wrapper constructed automatically on "
                "attribute assignment). The wrapped dictionary contains a non-string key which maps to a trackable "
                "object or mutable data structure: keep it outside of what is saved."
            )
        return dict(self._tracked)


def expected_trackable(who: str, found: Any) -> NoReturn:
    """Refuses what cannot be saved."""
    raise ValueError(
        f"`{who}` was expecting a trackable object (an object derived from `Trackable`), got {found}: a variable, an "
        "optimizer, a layer, another Checkpoint, or a list or dictionary of them."
    )
