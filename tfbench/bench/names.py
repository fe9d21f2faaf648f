"""The names that cells bind in the notebook: seen, taken back, and bound again.

A cell's bindings are what differs between the namespace before and after it ran. Each holds the object that the
cell bound and what the name meant before, so that the cell can be taken back - but only where the name still
means what the cell bound: what a person has put there since stays.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Namespace = dict[str, Any]


class _Missing:
    def __repr__(self) -> str:
        return "<no value>"


#: what a name means that is not there
MISSING = _Missing()

#: names that belong to Python or IPython: results, history, dunders
_NOT_OURS = re.compile(r"__\w+__|_+|_i{1,3}|_i?\d+|_[ido]h|In|Out|_exit_code")


class Binding(NamedTuple):
    """One name: what gives the object that the cell bound (MISSING once it is gone), and what was there before."""

    after: Callable[[], Any]
    before: Any


Bindings = Mapping[str, Binding]


def _holder(value: Any) -> Callable[[], Any]:
    """Holds `value` weakly where it can: a big array must not live on because a cell once bound it."""
    try:
        reference = weakref.ref(value)
    except TypeError:
        return lambda: value

    def get() -> Any:
        found = reference()
        return MISSING if found is None else found

    return get


def bound_since(namespace: Namespace, before: Namespace) -> dict[str, Binding]:
    """The names that mean another object (or none) than they did in `before`, a copy of the namespace."""
    changed = {}
    for name, value in namespace.items():
        old = before.get(name, MISSING)
        if old is not value and not _NOT_OURS.fullmatch(name):
            changed[name] = Binding(_holder(value), old)
    for name, old in before.items():
        if name not in namespace and not _NOT_OURS.fullmatch(name):
            changed[name] = Binding(lambda: MISSING, old)
    return changed


def take_back(namespace: Namespace, bindings: Bindings) -> dict[str, Any]:
    """Gives names their earlier meaning where they still mean what was bound; returns what they meant."""
    taken = {}
    for name, binding in bindings.items():
        value = namespace.get(name, MISSING)
        if value is binding.after():
            taken[name] = value
            _set(namespace, name, binding.before)
    return taken


def bind_again(namespace: Namespace, values: Mapping[str, Any], only_missing: bool = False) -> dict[str, Binding]:
    """Binds what `take_back` returned; with `only_missing`, only where the name means nothing now."""
    bindings = {}
    for name, value in values.items():
        before = namespace.get(name, MISSING)
        if only_missing and before is not MISSING:
            continue
        bindings[name] = Binding(_holder(value), before)
        _set(namespace, name, value)
    return bindings


def restore(namespace: Namespace, before: Namespace) -> None:
    """Makes every name mean what it did in `before`, a copy of the namespace."""
    for name in [name for name in namespace if name not in before]:
        if not _NOT_OURS.fullmatch(name):
            del namespace[name]
    for name, value in before.items():
        if namespace.get(name, MISSING) is not value and not _NOT_OURS.fullmatch(name):
            namespace[name] = value


def _set(namespace: Namespace, name: str, value: Any) -> None:
    if value is MISSING:
        namespace.pop(name, None)
    else:
        namespace[name] = value
