"""The structure of elements: tuples, named tuples, dictionaries and attrs objects of components.

A list is no structure here: it is the value of one tensor. Dictionaries are walked in the order of their sorted keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tfbench.engine.composite import SparseTensorValue
from tfbench.engine.nest import children, rebuilt


def is_nested(value: Any) -> bool:
    """Whether `value` is walked into."""
    if isinstance(value, SparseTensorValue):
        return False
    return isinstance(value, (tuple, Mapping)) or hasattr(type(value), "__attrs_attrs__")


def flatten(value: Any) -> list[Any]:
    """The leaves, in order."""
    if not is_nested(value):
        return [value]
    return [leaf for child in children(value) for leaf in flatten(child)]


def pack(structure: Any, leaves: Any) -> Any:
    """`leaves` in the form of `structure`."""
    return _pack(structure, iter(leaves))


def map_structure(function: Callable[..., Any], *structures: Any) -> Any:
    """`function` of the corresponding leaves, in the form of the first structure."""
    for other in structures[1:]:
        assert_same(structures[0], other)
    return pack(structures[0], [function(*leaves) for leaves in zip(*map(flatten, structures), strict=True)])


def map_up_to(function: Callable[..., Any], shallow: Any, *others: Any) -> Any:
    """`function` of the leaves of `shallow` and what the others have in their places.

    Raises:
      TypeError, ValueError: if another one has no such place.
    """
    return pack(shallow, [function(*parts) for parts in _up_to(shallow, others)])


def _up_to(shallow: Any, others: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if not is_nested(shallow):
        yield (shallow, *others)
        return
    for other in others:
        if not is_nested(other):
            raise TypeError(
                f"If shallow structure is a sequence, input must also be a sequence. Input has type: "
                f"'{type(other).__name__}'."
            )
    mine = children(shallow)
    theirs = [children(other) for other in others]
    for found, other in zip(theirs, others, strict=True):
        if len(found) != len(mine):
            raise ValueError(
                "The two structures don't have the same sequence length. Input structure has length "
                f"{len(found)}, while shallow structure has length {len(mine)}: {other!r} against {shallow!r}."
            )
    for parts in zip(mine, *theirs, strict=True):
        yield from _up_to(parts[0], parts[1:])


def assert_same(first: Any, second: Any) -> None:
    """Checks that two structures have the same form.

    Raises:
      ValueError, TypeError: if they have not.
    """
    if is_nested(first) != is_nested(second):
        raise ValueError(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {first!r}\n\nSecond structure: {second!r}"
        )
    if not is_nested(first):
        return
    if isinstance(first, Mapping) != isinstance(second, Mapping):
        raise TypeError(
            "The two structures don't have the same sequence type. First structure has type "
            f"{type(first)}, while second structure has type {type(second)}."
        )
    if isinstance(first, Mapping) and set(first) != set(second):
        raise ValueError(
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{sorted(map(str, first))}, while second structure has keys {sorted(map(str, second))}."
        )
    mine, theirs = children(first), children(second)
    if len(mine) != len(theirs):
        raise ValueError(
            "The two structures don't have the same number of elements. First structure: "
            f"{first!r}. Second structure: {second!r}"
        )
    for one, other in zip(mine, theirs, strict=True):
        assert_same(one, other)


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(structure):
        return next(leaves)
    return rebuilt(structure, [_pack(child, leaves) for child in children(structure)])
