"""The tree of name scopes, from names alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfbench.snapshot.data import Scope

#: names are cut into this many scopes at most; what follows stays part of the op's own name
MAX_DEPTH = 64

_Branch = tuple[dict[str, Any], list[int]]


def scope_tree(names: Iterable[str]) -> Scope:
    """The tree of name scopes. Children and ops keep the order in which they first appear."""
    root: _Branch = ({}, [])
    for i, name in enumerate(names):
        node = root
        *scopes, _ = name.split("/", MAX_DEPTH)
        for part in scopes:
            child = node[0].get(part)
            if child is None:
                child = node[0][part] = ({}, [])
            node = child
        node[1].append(i)
    return _freeze("", root)


def _freeze(path: str, branch: _Branch) -> Scope:
    children = tuple(_freeze(f"{path}/{part}" if path else part, sub) for part, sub in branch[0].items())
    return Scope(path, tuple(branch[1]), children, len(branch[1]) + sum(child.total for child in children))
