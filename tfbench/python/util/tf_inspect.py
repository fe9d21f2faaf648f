"""`tensorflow.python.util.tf_inspect`: Python's `inspect`, which looks through wrappers.

`getargspec`, which Python has no more, gives its four fields here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import (
    FullArgSpec,
    currentframe,
    getframeinfo,
    getmembers,
    getmro,
    isbuiltin,
    isclass,
    isframe,
    isfunction,
    isgenerator,
    isgeneratorfunction,
    ismethod,
    ismodule,
    isroutine,
    stack,
)
from typing import Any, NamedTuple

from tfbench.python.util.tf_decorator import unwrap

__all__ = [
    "ArgSpec", "FullArgSpec", "currentframe", "getargspec", "getcallargs", "getdoc", "getfile", "getframeinfo",
    "getfullargspec", "getmembers", "getmodule", "getmro", "getsource", "getsourcefile", "getsourcelines", "isbuiltin",
    "isclass", "isframe", "isfunction", "isgenerator", "isgeneratorfunction", "ismethod", "ismodule", "isroutine",
    "stack",
]  # fmt: skip


class ArgSpec(NamedTuple):
    """The arguments of a function: names, the names of `*` and `**`, and the last arguments' defaults."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getfullargspec(obj: Any) -> FullArgSpec:
    """The arguments of a function, of what it wraps, of a class's `__init__`, of an object's `__call__`."""
    wrappers, target = unwrap(obj)
    for wrapper in wrappers:
        if hasattr(wrapper, "_decorated_argspec"):
            given: FullArgSpec = wrapper._decorated_argspec
            return given
    if not isroutine(target) and not isclass(target) and callable(target) and not _partial(target):
        target = unwrap(type(target).__call__)[1]
    elif isclass(target):
        target = unwrap(target.__init__)[1]
    if not _partial(target):
        return inspect.getfullargspec(target)
    inner = getfullargspec(target.func)
    bound = [name for name in target.keywords if name in inner.args]
    given_args = inner.args[len(target.args) :]
    defaults = dict(zip(inner.args[len(inner.args) - len(inner.defaults or ()) :], inner.defaults or (), strict=True))
    defaults.update({name: target.keywords[name] for name in bound})
    first = next((at for at, name in enumerate(given_args) if name in defaults), len(given_args))
    missing = [name for name in given_args[first:] if name not in defaults]
    if missing:
        raise ValueError(
            f"Some arguments {missing} do not have default value, but they are positioned after those with default "
            "values. This can not be expressed with ArgSpec."
        )
    values = tuple(defaults[name] for name in given_args[first:])
    return inner._replace(args=given_args, defaults=values or None)


def getargspec(obj: Any) -> ArgSpec:
    """`getfullargspec` without what only later Pythons have."""
    full = getfullargspec(obj)
    return ArgSpec(full.args, full.varargs, full.varkw, full.defaults)


def getcallargs(func: Any, *positional: Any, **named: Any) -> dict[str, Any]:
    """What each argument would be in such a call.

    Raises:
      TypeError: if the call would not fit.
    """
    return inspect.getcallargs(unwrap(func)[1], *positional, **named)


def _through(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda object: function(unwrap(object)[1])


getdoc = inspect.getdoc
getfile, getmodule = _through(inspect.getfile), _through(inspect.getmodule)
getsource, getsourcefile = _through(inspect.getsource), _through(inspect.getsourcefile)
getsourcelines = _through(inspect.getsourcelines)


def _partial(obj: Any) -> bool:
    return all(hasattr(obj, name) for name in ("func", "args", "keywords"))
