"""The names that cells bind in the notebook: seen, taken back, and bound again.

A cell's bindings are what differs between the namespace before and after it ran. Each holds the object that the
cell bound and what the name meant before, so that the cell can be taken back - but only where the name still
means what the cell bound: what a person has put there since stays. Lists, dictionaries and sets that a name means
(not what is inside them) are treated alike: a cell that appends to the list of an earlier one can be taken back too.
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


class Refilled(NamedTuple):
    """One container whose contents a cell changed, with copies of what it held."""

    container: Any
    after: Any
    before: Any


class Bindings(NamedTuple):
    """All that a cell changed in the namespace."""

    names: Mapping[str, Binding] = {}
    refilled: tuple[Refilled, ...] = ()


class Copy(NamedTuple):
    """A namespace as it was: what names meant, and what their containers held."""

    names: Namespace
    contents: Mapping[str, Any]


class Taken(NamedTuple):
    """What `take_back` took: for `bind_again`."""

    names: Mapping[str, Any]
    refilled: tuple[Refilled, ...]


NOTHING = Taken({}, ())

#: larger containers are data, and not copied
_MOST_ITEMS = 10_000


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


def copy(namespace: Namespace) -> Copy:
    """How the namespace is now."""
    contents = {
        name: value.copy()
        for name, value in namespace.items()
        if type(value) in (list, dict, set)
        and len(value) <= _MOST_ITEMS
        and value is not namespace
        and not _NOT_OURS.fullmatch(name)
    }
    return Copy(dict(namespace), contents)


def bound_since(namespace: Namespace, before: Copy) -> Bindings:
    """The names that mean another object (or none) than they did in `before`, and containers that hold others."""
    changed = {}
    for name, value in namespace.items():
        old = before.names.get(name, MISSING)
        if old is not value and not _NOT_OURS.fullmatch(name):
            changed[name] = Binding(_holder(value), old)
    for name, old in before.names.items():
        if name not in namespace and not _NOT_OURS.fullmatch(name):
            changed[name] = Binding(lambda: MISSING, old)
    refilled = {
        id(before.names[name]): Refilled(before.names[name], before.names[name].copy(), held)
        for name, held in before.contents.items()
        if not _same(before.names[name], held)
    }
    return Bindings(changed, tuple(refilled.values()))


def take_back(namespace: Namespace, bindings: Bindings) -> Taken:
    """Undoes bindings where they still stand; returns what was undone."""
    taken = {}
    for name, binding in bindings.names.items():
        value = namespace.get(name, MISSING)
        if value is binding.after():
            taken[name] = value
            _set(namespace, name, binding.before)
    refilled = tuple(change for change in bindings.refilled if _same(change.container, change.after))
    for change in refilled:
        _fill(change.container, change.before)
    return Taken(taken, refilled)


def bind_again(namespace: Namespace, taken: Taken) -> Bindings:
    """Undoes `take_back`."""
    names = {name: Binding(_holder(value), namespace.get(name, MISSING)) for name, value in taken.names.items()}
    for name, value in taken.names.items():
        _set(namespace, name, value)
    for change in taken.refilled:
        _fill(change.container, change.after)
    return Bindings(names, taken.refilled)


def bind_missing(namespace: Namespace, taken: Taken) -> Bindings:
    """Binds those taken names that mean nothing now."""
    names = {
        name: Binding(_holder(value), MISSING)
        for name, value in taken.names.items()
        if value is not MISSING and name not in namespace
    }
    namespace.update({name: taken.names[name] for name in names})
    return Bindings(names)


def restore(namespace: Namespace, before: Copy) -> None:
    """Makes every name and container what it was in `before`."""
    for name in [name for name in namespace if name not in before.names]:
        if not _NOT_OURS.fullmatch(name):
            del namespace[name]
    for name, value in before.names.items():
        if namespace.get(name, MISSING) is not value and not _NOT_OURS.fullmatch(name):
            namespace[name] = value
    for name, held in before.contents.items():
        if not _same(before.names[name], held):
            _fill(before.names[name], held)


def _set(namespace: Namespace, name: str, value: Any) -> None:
    if value is MISSING:
        namespace.pop(name, None)
    else:
        namespace[name] = value


def _same(container: Any, held: Any) -> bool:
    """Whether a container holds the very objects of `held`; never asks whether two tensors are equal."""
    if len(container) != len(held):
        return False
    if isinstance(container, dict):
        return all(a is c and b is d for (a, b), (c, d) in zip(container.items(), held.items()))
    if isinstance(container, set):
        return {id(item) for item in container} == {id(item) for item in held}
    return all(a is b for a, b in zip(container, held))


def _fill(container: Any, held: Any) -> None:
    container.clear()
    if isinstance(container, list):
        container.extend(held)
    else:
        container.update(held)
