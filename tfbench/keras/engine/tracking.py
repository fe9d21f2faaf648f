"""What is assigned to a layer's attributes belongs to it: variables become its weights, layers its parts.

Lists and dictionaries become ones that can be saved, and are looked into when the layer's parts are asked for, so what
is appended later counts, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tfbench.engine import nest
from tfbench.keras.backend.state import track_variable
from tfbench.train.trackable import DictWrapper, ListWrapper, is_trackable, wrapped
from tfbench.variables.base import Variable
from tfbench.variables.resource import AssignedVariable


def has_parts(value: Any) -> bool:
    """Whether it is a layer, or may hold some."""
    return isinstance(value, (TracksAttributes, ListWrapper, DictWrapper))


def layers_in(values: Any) -> Iterator[Any]:
    """The layers among `values`, those inside of lists and dictionaries included, each once."""
    seen: set[int] = set()
    stack = list(reversed(list(values)))
    while stack:
        value = stack.pop()
        if isinstance(value, TracksAttributes):
            if id(value) not in seen:
                seen.add(id(value))
                yield value
        elif isinstance(value, Mapping):
            stack.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            stack.extend(reversed(value))


class TracksAttributes:
    """The part of a layer that sees what is assigned to it. Names that the class has are left alone."""

    def __setattr__(self, name: str, value: Any) -> None:
        own = vars(self)
        if own.get("_is_graph_network") or hasattr(type(self), name):
            super().__setattr__(name, value)
            return
        value = wrapped(value)
        if is_trackable(value) and not (isinstance(value, tuple) and not value):
            own.setdefault("_tracked", {})[name] = value
        if has_parts(value):
            self._check_ready()
            parts = own.setdefault("_layers", [])
            if not any(one is value for one in parts):
                parts.append(value)
        for leaf in nest.flatten(value):
            if isinstance(leaf, Variable) and not isinstance(leaf, AssignedVariable):
                self._own(leaf)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        own = vars(self)
        value = own.get(name)
        own.get("_tracked", {}).pop(name, None)
        super().__delattr__(name)
        if value is not None and not any(one is value for one in own.values()):
            for kind in ("_layers", "_trainable_weights", "_non_trainable_weights"):
                own[kind] = [one for one in own.get(kind, ()) if one is not value]

    def _check_ready(self) -> None:
        """Models refuse parts before their `__init__` was called."""

    def _own(self, variable: Any) -> None:
        """Makes the variable one of the layer's weights."""
        own = vars(self)
        kind = "_trainable_weights" if variable.trainable else "_non_trainable_weights"
        if not any(one is variable for each in (kind,) for one in own.setdefault(each, [])):
            own[kind].append(variable)
        track_variable(variable)

    def _parts(self) -> list[Any]:
        """The layers that belong to this one."""
        return list(layers_in(vars(self).get("_layers", ())))

    def _of_parts(self, attribute: str) -> list[Any]:
        return [item for part in self._parts() for item in getattr(part, attribute)]

    def _trackable_children(self) -> dict[str, Any]:
        """What an object-based checkpoint of the layer holds."""
        return dict(vars(self).get("_tracked", {}))
