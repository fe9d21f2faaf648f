"""Objects as plain data and back: a class's name and the arguments that make one like it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: what programs have added: name -> class or function
_custom: dict[str, Any] = {}


class CustomObjectScope:
    """`with CustomObjectScope({"name": thing})`: names that are known within the block."""

    def __init__(self, *args: Mapping[str, Any]) -> None:
        self.custom_objects = args

    def __enter__(self) -> CustomObjectScope:
        self._before = dict(_custom)
        for names in self.custom_objects:
            _custom.update(names)
        return self

    def __exit__(self, *_: object) -> None:
        _custom.clear()
        _custom.update(self._before)


def custom_object_scope(*args: Mapping[str, Any]) -> CustomObjectScope:
    """The same as `CustomObjectScope`."""
    return CustomObjectScope(*args)


def get_custom_objects() -> dict[str, Any]:
    """The names that programs have added; may be changed."""
    return _custom


def serialize_keras_object(instance: Any) -> Any:
    """An object with `get_config` as class name and configuration, a function as its name; None stays None.

    Raises:
      ValueError: for anything else.
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        return {"class_name": type(instance).__name__, "config": instance.get_config()}
    if hasattr(instance, "__name__"):
        return instance.__name__
    raise ValueError("Cannot serialize", instance)


def deserialize_keras_object(
    identifier: Any, module_objects: Mapping[str, Any] | None = None, custom_objects: Mapping[str, Any] | None = None,
    printable_module_name: str = "object",
) -> Any:  # fmt: skip
    """What `serialize_keras_object` gave, as an object again: a class is called, a function is given as it is.

    Raises:
      ValueError: for a name that is not known.
      TypeError: for anything but a name or a dictionary.
    """
    if identifier is None:
        return None
    known = {**(module_objects or {}), **_custom, **(custom_objects or {})}
    if isinstance(identifier, Mapping):
        if "class_name" not in identifier or "config" not in identifier:
            raise ValueError(f"Improper config format: {identifier}")
        name = identifier["class_name"]
        kind = known.get(name)
        if kind is None:
            raise ValueError(f"Unknown {printable_module_name}: {name}{_near(name, known)}")
        config = dict(identifier["config"])
        if not hasattr(kind, "from_config"):
            with CustomObjectScope(custom_objects or {}):
                return kind(**config)
        if custom_objects and "custom_objects" in _parameters(kind.from_config):
            return kind.from_config(config, custom_objects={**_custom, **custom_objects})
        with CustomObjectScope(custom_objects or {}):
            return kind.from_config(config)
    if isinstance(identifier, str):
        found = known.get(identifier)
        if found is None:
            raise ValueError(f"Unknown {printable_module_name}:{identifier}{_near(identifier, known)}")
        return found() if isinstance(found, type) else found
    raise TypeError(f"Could not interpret serialized {printable_module_name}: {identifier!r}")


def _near(name: str, known: Mapping[str, Any]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(str(name), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _parameters(function: Any) -> Any:
    from inspect import signature

    return signature(function).parameters
