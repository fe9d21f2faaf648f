"""Conditions that flags have to fulfil, asked when the command line is parsed and when one is assigned."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tfbench.flags.defines import FLAGS, mark_flag_as_required
from tfbench.flags.flag import FlagHolder
from tfbench.flags.values import FlagValues, _OneFlag


def _name(flag: Any) -> str:
    return str(flag.name if isinstance(flag, FlagHolder) else flag)


def register_validator(
    flag_name: Any, checker: Any, message: str = "Flag validation failed", flag_values: FlagValues = FLAGS
) -> None:
    """Has a flag's value checked: `checker(value)` is true, or raises ValidationError with what is wrong."""
    flag_values._add_check([_name(flag_name)], _OneFlag(checker), message)


def validator(
    flag_name: Any, message: str = "Flag validation failed", flag_values: FlagValues = FLAGS
) -> Callable[[Any], Any]:
    """Decorator of a function that checks a flag's value."""

    def register(function: Any) -> Any:
        register_validator(flag_name, function, message, flag_values)
        return function

    return register


def register_multi_flags_validator(
    flag_names: Iterable[Any],
    multi_flags_checker: Any,
    message: str = "Flags validation failed",
    flag_values: FlagValues = FLAGS,
) -> None:
    """Has several flags checked together: the function gets their values by name."""
    flag_values._add_check([_name(name) for name in flag_names], multi_flags_checker, message)


def multi_flags_validator(
    flag_names: Iterable[Any], message: str = "Flag validation failed", flag_values: FlagValues = FLAGS
) -> Callable[[Any], Any]:
    """Decorator of a function that checks several flags together."""

    def register(function: Any) -> Any:
        register_multi_flags_validator(flag_names, function, message, flag_values)
        return function

    return register


def mark_flags_as_required(flag_names: Iterable[Any], flag_values: FlagValues = FLAGS) -> None:
    """The command line has to give all of these a value."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def mark_flags_as_mutual_exclusive(
    flag_names: Iterable[Any], required: bool = False, flag_values: FlagValues = FLAGS
) -> None:
    """At most one of these has a value (with `required`: exactly one)."""
    names = [_name(name) for name in flag_names]

    def check(values: dict[str, Any]) -> bool:
        count = sum(1 for value in values.values() if value is not None)
        return count == 1 or (not required and not count)

    word = "Exactly" if required else "At most"
    message = f"{word} one of ({', '.join(names)}) must have a value other than None."
    register_multi_flags_validator(names, check, message, flag_values)


def mark_bool_flags_as_mutual_exclusive(
    flag_names: Iterable[Any], required: bool = False, flag_values: FlagValues = FLAGS
) -> None:
    """At most one of these is True (with `required`: exactly one)."""
    names = [_name(name) for name in flag_names]
    for name in names:
        if not flag_values[name].boolean:
            from tfbench.flags.exceptions import ValidationError

            raise ValidationError(f"Flag --{name} is not Boolean, which is required for flags marked as exclusive.")

    def check(values: dict[str, Any]) -> bool:
        count = sum(1 for value in values.values() if value)
        return count == 1 or (not required and not count)

    word = "Exactly" if required else "At most"
    register_multi_flags_validator(names, check, f"{word} one of ({', '.join(names)}) must be True.", flag_values)
