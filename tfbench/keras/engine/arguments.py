"""Arguments of layers: those given by name become what they name, and `get_config` gives them back as plain data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from tfbench.keras import activations, constraints, initializers, regularizers


def _kind(name: str) -> ModuleType | None:
    """The module that knows the names that the argument `name` may be given."""
    for end, module in (("initializer", initializers), ("regularizer", regularizers), ("constraint", constraints)):
        if name.endswith(end):
            return module
    return activations if name.endswith("activation") else None


def interpreted(layer: Any, names: Iterable[str]) -> None:
    """Replaces the layer's attributes that are names, or the plain data of `get_config`, by what they stand for."""
    for name in names:
        module = _kind(name)
        if module is not None:
            setattr(layer, name, module.get(getattr(layer, name)))


def serialized(layer: Any, names: Iterable[str]) -> dict[str, Any]:
    """The layer's attributes as plain data."""
    found = {}
    for name in names:
        module, value = _kind(name), getattr(layer, name)
        found[name] = value if module is None else module.serialize(value)
    return found


class Takes:
    """The arguments of a function: `named` are all names,
    `training` and `mask` whether it takes such."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):  # a class, or something built in
            parameters = inspect.signature(lambda *args, **kwargs: None).parameters
        self.named = [name for name, one in parameters.items() if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        #: those that need not be given
        self.optional = [name for name in self.named if parameters[name].default is not inspect.Parameter.empty]
        # A layer of the house that takes any keyword overlooks those that it has no use for.
        ours = str(getattr(function, "__module__", "")).startswith("tfbench.")
        anything = not ours and any(one.kind == one.VAR_KEYWORD for one in parameters.values())
        self.training = anything or "training" in self.named
        self.mask = anything or "mask" in self.named

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments behind the first one (the inputs), by name."""
        return {**dict(zip(self.named[1:], args, strict=False)), **kwargs}


def takes(function: Callable[..., Any]) -> Takes:
    """What arguments `function` has; of a method, those without `self`."""
    return Takes(function)
