"""`tf.contrib.framework.nest`: `tf.nest`, nests that are walked as far as another one goes, and leaves with paths.

A path is a tuple of keys, names of fields and indices: that of 5 in `{"a": [4, 5]}` is `("a", 1)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tfbench.engine.nest import children, is_nested, rebuilt
from tfbench.nest import assert_same_structure, flatten, is_sequence, map_structure, pack_sequence_as

__all__ = [
    "assert_same_structure", "assert_shallow_structure", "flatten", "flatten_dict_items", "flatten_up_to",
    "flatten_with_joined_string_paths", "flatten_with_tuple_paths", "flatten_with_tuple_paths_up_to",
    "get_traverse_shallow_structure", "is_nested", "is_sequence", "map_structure", "map_structure_up_to",
    "map_structure_with_paths", "map_structure_with_tuple_paths", "map_structure_with_tuple_paths_up_to",
    "pack_sequence_as", "yield_flat_paths",
]  # fmt: skip

Path = tuple[Any, ...]


# -- as far as another nest goes --------------------------------------------------------------------------------------


def assert_shallow_structure(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> None:
    """Checks that `input_tree` has a nest, with as many elements, wherever `shallow_tree` has one.

    Of a dictionary it may have more keys, and more elements of anything without `check_subtrees_length`.

    Raises:
      TypeError: for a leaf where a nest is expected, or (`check_types`) a nest of another type.
      ValueError: for another length, or keys that are missing.
    """
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(input_tree)}."
        )
    mappings = isinstance(shallow_tree, Mapping), isinstance(input_tree, Mapping)
    if check_types and type(shallow_tree) is not type(input_tree) and not all(mappings):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    found, expected = len(children(input_tree)), len(children(shallow_tree))
    if check_subtrees_length and found != expected and not all(mappings):
        raise ValueError(
            f"The two structures don't have the same sequence length. Input structure has length {found}, while "
            f"shallow structure has length {expected}."
        )
    if all(mappings) and not set(shallow_tree) <= set(input_tree):
        raise ValueError(
            "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the following "
            f"keys that are not in the input_tree: {sorted(set(shallow_tree) - set(input_tree), key=str)}."
        )
    for shallow, deep in zip(children(shallow_tree), _chosen(shallow_tree, input_tree), strict=False):
        assert_shallow_structure(shallow, deep, check_types, expand_composites, check_subtrees_length)


def _chosen(shallow: Any, deep: Any) -> list[Any]:
    """What in a nest corresponds to the children of a shallower one."""
    if isinstance(shallow, Mapping) and isinstance(deep, Mapping):
        return children({key: deep[key] for key in shallow})
    return children(deep)


def _walk_up_to(shallow: Any, deep: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if not is_nested(shallow):
        yield path, deep
        return
    for key, inner, outer in zip(_keys(shallow), children(shallow), _chosen(shallow, deep), strict=False):
        yield from _walk_up_to(inner, outer, (*path, key))


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> list[tuple[Path, Any]]:
    """What `input_tree` has in the places of `shallow_tree`'s leaves, each with its path; errors as
    `assert_shallow_structure`'s."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length)
    return list(_walk_up_to(shallow_tree, input_tree))


def flatten_up_to(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> list[Any]:
    """What `input_tree` has in the places of `shallow_tree`'s leaves; errors as `assert_shallow_structure`'s."""
    found = flatten_with_tuple_paths_up_to(
        shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length
    )
    return [leaf for _, leaf in found]


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """`func` of a path and what the inputs have in the place of each leaf of `shallow_tree`, in its form.

    Args:
      check_types, check_subtrees_length, expand_composites: by keyword, as for `assert_shallow_structure`.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    flat = [flatten_up_to(shallow_tree, one, **kwargs) for one in inputs]
    paths = [path for path, _ in _walk_up_to(shallow_tree, shallow_tree)]
    return pack_sequence_as(shallow_tree, [func(*leaves) for leaves in zip(paths, *flat, strict=True)])


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any) -> Any:
    """`func` of what the inputs have in the place of each leaf of `shallow_tree`, in its form.

    Args:
      check_types, check_subtrees_length, expand_composites: by keyword, as for `assert_shallow_structure`.
    """
    return map_structure_with_tuple_paths_up_to(shallow_tree, lambda _, *leaves: func(*leaves), *inputs, **kwargs)


def get_traverse_shallow_structure(traverse_fn: Callable[[Any], Any], structure: Any) -> Any:
    """A shallow nest of bools: True in the place of what is walked into.

    Args:
      traverse_fn: says of a nest whether it is walked into: a bool, or a nest of bools for its parts.

    Raises:
      TypeError: if it says anything else.
    """
    said = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(said, bool):
            raise TypeError(f"traverse_fn returned structure: {said} for non-structure: {structure}")
        return said
    if not is_nested(said):
        if not isinstance(said, bool):
            raise TypeError(f"traverse_fn returned a non-bool scalar: {said} for input: {structure}")
        if not said:
            return False
        return rebuilt(structure, [get_traverse_shallow_structure(traverse_fn, each) for each in children(structure)])
    assert_shallow_structure(said, structure)
    for each in flatten(said):
        if not isinstance(each, bool):
            raise TypeError(f"traverse_fn didn't return a depth=1 structure of bools. saw: {said} for: {structure}")
    parts = zip(children(said), _chosen(said, structure), strict=True)
    return rebuilt(said, [into and get_traverse_shallow_structure(traverse_fn, part) for into, part in parts])


# -- with paths -------------------------------------------------------------------------------------------------------


def _keys(structure: Any) -> list[Any]:
    if isinstance(structure, Mapping):
        return sorted(structure)
    if hasattr(structure, "_fields"):
        return list(structure._fields)
    if hasattr(type(structure), "__attrs_attrs__"):
        return [attribute.name for attribute in type(structure).__attrs_attrs__]
    return list(range(len(structure)))


def flatten_with_tuple_paths(structure: Any, expand_composites: bool = False) -> list[tuple[Path, Any]]:
    """The leaves in order, each with its path."""
    return list(_walk_up_to(structure, structure))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """The leaves in order, each with its path as text: `a/1`."""
    return [(separator.join(map(str, path)), leaf) for path, leaf in flatten_with_tuple_paths(structure)]


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[Path]:
    """The paths of the leaves in order."""
    return (path for path, _ in flatten_with_tuple_paths(nest))


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` of a path and the corresponding leaves, in the form of the first structure."""
    if not structure:
        raise ValueError("Cannot map over no sequences")
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` of a path as text (`a/1`) and the corresponding leaves, in the form of the first structure.

    Args:
      check_types, expand_composites: by keyword, as for `assert_same_structure`; all others are `func`'s.
    """
    ours = {name: kwargs.pop(name) for name in ("check_types", "expand_composites") if name in kwargs}
    return map_structure_with_tuple_paths(
        lambda path, *leaves: func("/".join(map(str, path)), *leaves, **kwargs), *structure, **ours
    )


def flatten_dict_items(dictionary: Any) -> dict[Any, Any]:
    """A dictionary with each leaf of a key that is a nest for a key of its own.

    Raises:
      TypeError: for what is no dictionary.
      ValueError: if a key and its value have different forms, or a key would be there twice.
    """
    if not isinstance(dictionary, Mapping):
        raise TypeError("input must be a dictionary")
    flat: dict[Any, Any] = {}
    for key, value in dictionary.items():
        if is_nested(key):
            assert_same_structure(key, value)
        pairs = zip(flatten(key), flatten(value), strict=True) if is_nested(key) else [(key, value)]
        for one, leaf in pairs:
            if one in flat:
                raise ValueError(f"Could not flatten dictionary: key {one} is not unique.")
            flat[one] = leaf
    made: dict[Any, Any] = type(dictionary)(flat)  # type: ignore[call-arg,assignment]
    return made
