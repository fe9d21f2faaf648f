"""`contrib.framework.deprecated` and its kin: functions, arguments and values that say so when they are used."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any

__all__ = ["deprecated", "deprecated_arg_values", "deprecated_args", "deprecated_argument_lookup"]

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _warn(text: str) -> None:
    logging.getLogger("tensorflow").warning(text)


def _when(date: str | None) -> str:
    return "in a future version" if date is None else f"after {date}"


def _checked(date: Any, instructions: Any) -> None:
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions! Specify the `instructions` argument.")
    if date is not None and not (isinstance(date, str) and len(date) == 10 and date[4] == date[7] == "-"):
        raise ValueError(f"Date must be in YYYY-MM-DD format, found {date!r}.")


def _documented(doc: str | None, note: str, notice: str) -> str:
    first, _, rest = (inspect.cleandoc(doc) if doc else "DEPRECATED FUNCTION").partition("\n")
    lines = [f"{first} {note}", "", notice]
    return "\n".join([*lines, "", rest.strip("\n")] if rest.strip() else lines)


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Decorator:
    """For a function: using it, the first time or (`warn_once=False`) each time, is warned about.

    Args:
      date: when it will be removed, YYYY-MM-DD; None: some day.
      instructions: what to do instead.

    Raises:
      ValueError: without instructions, or for another form of date.
    """
    _checked(date, instructions)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        said = False

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            nonlocal said
            if not (said and warn_once):
                said = True
                _warn(
                    f"{function.__qualname__} (from {function.__module__}) is deprecated and will be removed "
                    f"{_when(date)}.\nInstructions for updating:\n{instructions}"
                )
            return function(*args, **kwargs)

        wrapper.__doc__ = _documented(
            function.__doc__,
            "(deprecated)",
            f"Warning: THIS FUNCTION IS DEPRECATED. It will be removed {_when(date)}.\nInstructions for updating:\n"
            f"{instructions}",
        )
        return wrapper

    return decorate


def _of_arguments(
    date: str | None, instructions: str, used: Callable[[dict[str, Any]], list[str]], warn_once: bool, names: list[str]
) -> Decorator:
    _checked(date, instructions)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        missing = [name for name in names if name not in signature.parameters]
        if missing:
            raise ValueError(
                f"The following deprecated arguments are not present in the function signature: {missing}. Found next "
                f"arguments: {list(signature.parameters)}."
            )
        said: set[str] = set()

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            for name in used(signature.bind(*args, **kwargs).arguments):
                if name not in said or not warn_once:
                    said.add(name)
                    _warn(
                        f"Calling {function.__qualname__} (from {function.__module__}) with {name} is deprecated and "
                        f"will be removed {_when(date)}.\nInstructions for updating:\n{instructions}"
                    )
            return function(*args, **kwargs)

        return wrapper

    return decorate


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Decorator:
    """For a function: giving one of these arguments is warned about; a pair is an argument and the value that is
    still fine.

    Raises:
      ValueError: as for `deprecated`, and for arguments that the function does not have.
    """
    fine: dict[str, tuple[Any, ...]] = {}
    for item in deprecated_arg_names_or_tuples:
        name, *values = item if isinstance(item, tuple) else (item,)
        fine[name] = tuple(values)

    def used(given: dict[str, Any]) -> list[str]:
        return [name for name, values in fine.items() if name in given and given[name] not in values]

    return _of_arguments(date, instructions, used, kwargs.get("warn_once", True), list(fine))


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Decorator:
    """For a function: giving an argument this value is warned about.

    Raises:
      ValueError: as for `deprecated`, and for arguments that the function does not have.
    """

    def used(given: dict[str, Any]) -> list[str]:
        return [
            f"{name}={value}" for name, value in deprecated_kwargs.items() if name in given and given[name] == value
        ]

    return _of_arguments(date, instructions, used, warn_once, list(deprecated_kwargs))


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that was renamed, under whichever name it was given (None: not given).

    Raises:
      ValueError: if both were.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old_value
