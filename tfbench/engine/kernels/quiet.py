"""No floating-point warnings for a while: what `np.errstate(all="ignore")` does, at a third of what that costs.

NumPy keeps its settings in a context variable; `np.errstate` works out a new value for it each time. Here that is done
once. Where NumPy has no such variable, `quiet` is `np.errstate`.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from importlib import import_module
from typing import Any

import numpy as np

_settings: ContextVar[Any] | None = getattr(import_module("numpy._core.umath"), "_extobj_contextvar", None)
with np.errstate(all="ignore"):
    _ignoring: Any = _settings.get(None) if _settings is not None else None


class _Quiet:
    """The context; each is entered once."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        assert _settings is not None
        self._before: Token[Any] = _settings.set(_ignoring)

    def __exit__(self, *_: object) -> None:
        assert _settings is not None
        _settings.reset(self._before)


def _errstate() -> np.errstate:
    return np.errstate(all="ignore")


#: makes the context
quiet: Any = _Quiet if _ignoring is not None else _errstate
