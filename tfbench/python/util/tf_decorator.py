"""`tensorflow.python.util.tf_decorator`: a wrapper that looks like what it wraps."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["make_decorator", "rewrap", "unwrap"]


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Callable[..., Any]:
    """`decorator_func`, with the name, the text and (for `tf_inspect`) the arguments of `target`.

    `decorator_argspec` takes the place of target's arguments, `decorator_doc` of its text.
    """
    functools.update_wrapper(decorator_func, target)
    wrapper: Any = decorator_func
    if decorator_doc:
        wrapper.__doc__ = decorator_doc
    wrapper._decorated_as = decorator_name or "decorator"
    if decorator_argspec is not None:
        wrapper._decorated_argspec = decorator_argspec
    return decorator_func


def unwrap(maybe_tf_decorator: Any) -> tuple[list[Any], Any]:
    """The wrappers, outermost first, and what they wrap."""
    wrappers, innermost = [], maybe_tf_decorator
    while hasattr(innermost, "__wrapped__") and not isinstance(innermost, type):
        wrappers.append(innermost)
        innermost = innermost.__wrapped__
    return wrappers, innermost


def rewrap(decorator_func: Any, previous_target: Any, new_target: Any) -> Any:
    """Puts `new_target` where `previous_target` is the innermost or a wrapped function, for `tf_inspect`'s purposes.

    Raises:
      ValueError: if `decorator_func` does not wrap `previous_target`.
    """
    if decorator_func is previous_target:
        return new_target
    wrappers, innermost = unwrap(decorator_func)
    for outer, inner in zip(wrappers, [*wrappers[1:], innermost], strict=True):
        if inner is previous_target or inspect.unwrap(outer) is previous_target:
            outer.__wrapped__ = new_target
            return decorator_func
    raise ValueError(f"{decorator_func!r} does not wrap {previous_target!r}")
