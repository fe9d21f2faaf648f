"""No floating-point warnings for a while: what `np.errstate(all="ignore")` does, at a third of what that costs.

NumPy keeps its settings in a context variable; `np.errstate` works out a new value for it each time. Here that is done
once. Where NumPy has no such variable, `np.errstate` it is.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

_settings: ContextVar[Any] | None = getattr(import_module("numpy._core.umath"), "_extobj_contextvar", None)
with np.errstate(all="ignore"):
    _ignoring: Any = _settings.get(None) if _settings is not None else None
if _ignoring is None:
    _settings = None


def _enter_errstate() -> np.errstate:
    made = np.errstate(all="ignore")
    made.__enter__()
    return made


def _leave_errstate(made: np.errstate) -> None:
    made.__exit__(None, None, None)


#: no warnings from here on; gives what `end` wants to know
begin: Callable[[], Any] = partial(_settings.set, _ignoring) if _settings is not None else _enter_errstate
#: as it was before
end: Callable[[Any], None] = _settings.reset if _settings is not None else _leave_errstate


class quiet:  # noqa: N801 (used as `with quiet():`)
    """The context; each is entered once."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = begin()

    def __exit__(self, *_: object) -> None:
        end(self._before)
