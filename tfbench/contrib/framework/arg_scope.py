"""`arg_scope`: keyword arguments that all calls of some functions get while a block is open.

A function takes part if `add_arg_scope` decorates it. What is open is a dictionary from functions to their arguments;
scopes nest by copying it. Each thread has its own.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

__all__ = ["add_arg_scope", "arg_scope", "arg_scoped_arguments", "current_arg_scope", "has_arg_scope"]

#: function -> its arguments
Scope = dict[Any, dict[str, Any]]


class _Open(threading.local):
    """The scopes that are open, outermost first."""

    def __init__(self) -> None:
        self.stack: list[Scope] = [{}]


_OPEN = _Open()


#: the functions that take part -> which of their arguments have defaults. Cells make them again and again: those that
#: nobody else holds are let go.
_DECORATED: WeakKeyDictionary[Any, tuple[str, ...]] = WeakKeyDictionary()


def _key(function: Any) -> Any:
    return getattr(function, "_key_op", function)


def current_arg_scope() -> Scope:
    """The arguments that are in force, by function."""
    return _OPEN.stack[-1]


def has_arg_scope(func: Any) -> bool:
    """Whether `func` takes arguments from scopes."""
    return _key(func) in _DECORATED


def arg_scoped_arguments(func: Any) -> tuple[str, ...]:
    """The arguments of `func` that scopes may give."""
    return _DECORATED[_key(func)]


def _has_default(function: Any) -> tuple[str, ...]:
    code = getattr(function, "__code__", None)
    if code is None:
        return ()
    count = len(function.__defaults__ or ())
    names = code.co_varnames[: code.co_argcount]
    return tuple(names[len(names) - count :])


def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: `func` takes arguments from the scopes that are open. What a call says itself goes before."""

    @functools.wraps(func)
    def with_arguments(*args: Any, **kwargs: Any) -> Any:
        given = current_arg_scope().get(_key(with_arguments))
        if given:
            kwargs = {**given, **kwargs}
        return func(*args, **kwargs)

    _DECORATED[_key(with_arguments)] = _has_default(func)
    return with_arguments


@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Scope]:
    """Context manager: calls of these functions inside get these keyword arguments.

    Args:
      list_ops_or_scope: functions, or a scope that was opened before (`with arg_scope(...) as scope`).

    Raises:
      ValueError: for a function that does not take part, or a scope together with arguments.
      TypeError: for anything else.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs must be empty; found "
                f"{', '.join(sorted(kwargs))}."
            )
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = dict(current_arg_scope())
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                name = f"{getattr(function, '__module__', '?')}.{getattr(function, '__name__', function)}"
                raise ValueError(f"{name} is not decorated with @add_arg_scope")
            key = _key(function)
            scope[key] = {**scope.get(key, {}), **kwargs}
    else:
        raise TypeError(
            "list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict), found "
            f"{type(list_ops_or_scope).__name__}"
        )
    _OPEN.stack.append(scope)
    try:
        yield scope
    finally:
        _OPEN.stack.pop()
