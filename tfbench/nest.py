"""`tf.nest`: lists, tuples, named tuples, dictionaries and attrs objects, with anything else as leaves.

With `expand_composites`, a SparseTensor or IndexedSlices is walked into as well: its leaves are its tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import nest as _nest
from tfbench.engine.composite import IndexedSlices, SparseTensor

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


def is_nested(seq: Any) -> bool:
    """Whether `seq` is walked into: not so strings, arrays and tensors."""
    return _nest.is_nested(seq)


#: the older name, which `tf.contrib.framework.nest` has
is_sequence = is_nested


def _parts(leaf: Any) -> list[Any]:
    """The tensors of a composite; anything else alone."""
    if isinstance(leaf, SparseTensor):
        return [leaf.indices, leaf.values, leaf.dense_shape]
    if isinstance(leaf, IndexedSlices):
        return [leaf.values, leaf.indices, *([] if leaf.dense_shape is None else [leaf.dense_shape])]
    return [leaf]


def _whole(leaf: Any, parts: list[Any]) -> Any:
    """A composite like `leaf` made of other tensors; for anything else, the one part."""
    if isinstance(leaf, SparseTensor):
        return SparseTensor(*parts)
    if isinstance(leaf, IndexedSlices):
        return IndexedSlices(*parts)
    return parts[0]


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves in order; those of a dictionary in the order of its sorted keys."""
    leaves = _nest.flatten(structure)
    return [part for leaf in leaves for part in _parts(leaf)] if expand_composites else leaves


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """The leaves in `flat_sequence` in the form of `structure`.

    Raises:
      ValueError: if there are too few or too many of them.
      TypeError: if `flat_sequence` is no sequence.
    """
    if not _nest.is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence}\ninto a structure, but found incompatible type "
            f"`{type(flat_sequence)}` instead."
        )
    flat = list(flat_sequence)
    count = len(flatten(structure, expand_composites))
    if count != len(flat):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had {len(flat)} items.  "
            f"Structure: {structure}, flat_sequence: {flat}."
        )
    if not expand_composites:
        return _nest.pack_sequence_as(structure, flat)
    packed = []
    for leaf in _nest.flatten(structure):
        size = len(_parts(leaf))
        packed.append(_whole(leaf, flat[:size]))
        flat = flat[size:]
    return _nest.pack_sequence_as(structure, packed)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raises ValueError (TypeError where, with `check_types`, it is a type that differs) unless both have one form."""
    _nest.assert_same_structure(nest1, nest2, check_types)
    if expand_composites:
        for first, second in zip(_nest.flatten(nest1), _nest.flatten(nest2), strict=True):
            if len(_parts(first)) != len(_parts(second)):
                raise ValueError(
                    "The two structures don't have the same nested structure.\n\n"
                    f"First structure: type={type(nest1).__name__} str={nest1}\n\n"
                    f"Second structure: type={type(nest2).__name__} str={nest2}\n\n"
                    f"More specifically: {first} and {second} are not made of as many tensors."
                )


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` of the corresponding leaves of all structures, in the form of the first one.

    Args:
      check_types, expand_composites: by keyword, as for `assert_same_structure`.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    flat = [flatten(one, expand) for one in structure]
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*flat, strict=True)], expand)
