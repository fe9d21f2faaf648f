"""`tf.contrib.training.HParams`: a program's hyperparameters, with the types of their first values."""

from __future__ import annotations

import json
import numbers
import re
from typing import Any

__all__ = ["HParams", "parse_values"]

#: name, perhaps an index, and a value: one in brackets is a list
_ASSIGNMENT = re.compile(
    r"\s*(?P<name>[a-zA-Z][\w.]*)(?:\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"(?:\[(?P<list>[^\]]*)\]|(?P<value>[^,\[]*))(?:$|,)"
)

_TRUTH = {"true": True, "True": True, "false": False, "False": False}


def parse_values(values: str, type_map: dict[str, Any], ignore_unknown: bool = False) -> dict[str, Any]:
    """Values of text such as `rate=0.1,layers=[10,20],name[1]=x`, by name; those with an index as a dictionary.

    Args:
      type_map: the type of each name.

    Raises:
      ValueError: for text of another form, names without a type, values of another type, and names that come twice.
    """
    found: dict[str, Any] = {}
    at = 0
    while at < len(values):
        match = _ASSIGNMENT.match(values, at)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[at:]}")
        at = match.end()
        name, index = match["name"], match["index"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        twice = ValueError(f"Multiple assignments to variable '{name}' in {values}")
        if match["list"] is not None:
            if index is not None:
                raise ValueError(f"Assignment of a list to a list index: {match[0].strip()}")
            if name in found:
                raise twice
            parts = [part.strip() for part in match["list"].split(",")] if match["list"].strip() else []
            found[name] = [_parse(name, part, type_map[name], values) for part in parts]
            continue
        value = _parse(name, match["value"].strip(), type_map[name], values)
        if index is None:
            if name in found:
                raise twice
            found[name] = value
        else:
            places = found.setdefault(name, {})
            if not isinstance(places, dict) or int(index) in places:
                raise twice
            places[int(index)] = value
    return found


def _parse(name: str, text: str, kind: Any, values: str) -> Any:
    try:
        if kind is bool:
            return _TRUTH[text] if text in _TRUTH else bool(int(text))
        return kind(text)
    except (ValueError, TypeError):
        raise ValueError(
            f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{text}' in {values}"
        ) from None


def _cast(name: str, kind: Any, value: Any) -> Any:
    """A value as the parameter's type, where nothing is lost."""
    failure = ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    if kind is type(None):
        return value
    if issubclass(kind, (str, bytes)) and not isinstance(value, (str, bytes)):
        raise failure
    if issubclass(kind, bool) != isinstance(value, bool):
        raise failure
    if issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral):
        raise failure
    if issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number):
        raise failure
    return kind(value)


class HParams:
    """Hyperparameters as attributes. Each keeps the type of its first value; a list has one type for all items.

    hparams = HParams(rate=0.1, layers=[10, 20])
    hparams.parse("rate=0.5,layers=[30]")
    """

    def __init__(self, model_structure: Any = None, **kwargs: Any) -> None:
        self._hparam_types: dict[str, tuple[Any, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a parameter.

        Raises:
          ValueError: if the name is taken, or the list is empty.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = type(value[0]), True
        else:
            self._hparam_types[name] = type(value), False
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Gives a parameter another value of its type.

        Raises:
          KeyError: if there is no such parameter. ValueError: if the value is of another type.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_cast(name, kind, item) for item in value])
        else:
            if is_list:
                raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
            setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Removes a parameter."""
        if name in self._hparam_types:
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Takes values of text such as `rate=0.1,layers=[10,20]`; returns these parameters.

        Raises:
          ValueError: for text of another form, unknown names, and values of another type.
        """
        kinds = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, kinds))

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Takes values by name; returns these parameters."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    set_from_map = override_from_dict

    def parse_json(self, values_json: str) -> HParams:
        """Takes values of a JSON object; returns these parameters."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent: int | None = None, separators: Any = None, sort_keys: bool = False) -> str:
        """The parameters as a JSON object; what JSON has no form for (functions) is left out."""
        plain = {name: value for name, value in self.values().items() if not callable(value)}
        return json.dumps(plain, indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """A parameter's value, or `default`, which has to be of its type.

        Raises:
          ValueError: if the default is not.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            kind, is_list = self._hparam_types[key]
            words = f"list<{kind}>" if is_list else f"{kind}"
            failure = f"Hparam '{key}' of type '{words}' is incompatible with default={default}"
            if is_list != isinstance(default, list):
                raise ValueError(failure)
            try:
                for item in default if is_list else [default]:
                    _cast(key, kind, item)
            except ValueError as error:
                raise ValueError(f"{failure}. {error}") from None
        return getattr(self, key)

    def __contains__(self, key: object) -> bool:
        return key in self._hparam_types

    def get_model_structure(self) -> Any:
        return self._model_structure

    def set_model_structure(self, model_structure: Any) -> None:
        self._model_structure = model_structure

    def __str__(self) -> str:
        return ",".join([f"{name}={value}" for name, value in self.values().items()])

    def __repr__(self) -> str:
        return f"HParams({sorted(self.values().items())})"
