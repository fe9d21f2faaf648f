"""Nests: lists, tuples, named tuples, dictionaries and attrs objects with anything else as leaves.

Dictionaries are walked in the order of their sorted keys, as TensorFlow walks them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def is_nested(value: Any) -> bool:
    """Whether `value` is walked into; strings and arrays are leaves."""
    return isinstance(value, (list, tuple, Mapping)) or hasattr(type(value), "__attrs_attrs__")


def flatten(value: Any) -> list[Any]:
    """The leaves, in order."""
    if not is_nested(value):
        return [value]
    return [leaf for child in children(value) for leaf in flatten(child)]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """`flat_sequence` in the form of `structure`.

    Raises:
      ValueError: if it has another number of leaves.
    """
    flat = list(flat_sequence)
    count = len(flatten(structure))
    if count != len(flat):
        raise ValueError(f"The structure {structure!r} has {count} leaves, but {len(flat)} were given.")
    return _pack(structure, iter(flat))


def map_structure(function: Callable[..., Any], *structures: Any) -> Any:
    """`function` of the corresponding leaves, in the form of the first structure."""
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    flat = [flatten(structure) for structure in structures]
    return pack_sequence_as(structures[0], [function(*leaves) for leaves in zip(*flat, strict=True)])


def assert_same_structure(first: Any, second: Any, check_types: bool = True) -> None:
    """Checks that two nests have the same form.

    Raises:
      ValueError: if they differ in form.
      TypeError: if, with `check_types`, they differ in the types of sequences.
    """
    _compare(first, second, check_types, first, second)


def _compare(a: Any, b: Any, check_types: bool, first: Any, second: Any) -> None:
    if is_nested(a) != is_nested(b):
        nested, plain = (a, b) if is_nested(a) else (b, a)
        raise ValueError(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: type={type(first).__name__} str={first}\n\n"
            f"Second structure: type={type(second).__name__} str={second}\n\n"
            f'More specifically: Substructure "{nested}" is a sequence, while substructure "{plain}" is not'
        )
    if not is_nested(a):
        return
    if check_types and type(a) is not type(b) and not (isinstance(a, Mapping) and isinstance(b, Mapping)):
        raise TypeError(
            "The two structures don't have the same sequence type. First structure has type "
            f"{type(a).__name__}, while second structure has type {type(b).__name__}."
        )
    if isinstance(a, Mapping) and isinstance(b, Mapping) and set(a) != set(b):
        raise ValueError(
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{sorted(map(str, a))}, while second structure has keys {sorted(map(str, b))}."
        )
    children_a, children_b = children(a), children(b)
    if len(children_a) != len(children_b):
        raise ValueError(
            "The two structures don't have the same number of elements. First structure: "
            f"{a} ({len(children_a)}), second structure: {b} ({len(children_b)})."
        )
    for child_a, child_b in zip(children_a, children_b, strict=True):
        _compare(child_a, child_b, check_types, first, second)


def children(value: Any) -> list[Any]:
    """What is directly in a nest, in order."""
    if isinstance(value, Mapping):
        return [value[key] for key in _sorted_keys(value)]
    if hasattr(type(value), "__attrs_attrs__"):
        return [getattr(value, attribute.name) for attribute in type(value).__attrs_attrs__]
    return list(value)


def rebuilt(structure: Any, parts: list[Any]) -> Any:
    """A nest like `structure`, with `parts` in the places of its `children`."""
    if isinstance(structure, Mapping):
        packed = dict(zip(_sorted_keys(structure), parts, strict=True))
        ordered = {key: packed[key] for key in structure}
        kind = type(structure)
        if kind is dict:
            return ordered
        default = getattr(structure, "default_factory", None)
        return kind(default, ordered) if default is not None else kind(ordered)  # type: ignore[call-arg]
    if hasattr(structure, "_fields") or hasattr(type(structure), "__attrs_attrs__"):
        return type(structure)(*parts)
    return type(structure)(parts)


def _sorted_keys(value: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(value)
    except TypeError:
        raise TypeError(f"nest only supports dicts with sortable keys, but the keys are {list(value)}.") from None


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(structure):
        return next(leaves)
    return rebuilt(structure, [_pack(child, leaves) for child in children(structure)])
