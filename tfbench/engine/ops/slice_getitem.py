"""`tensor[key]` with all of Python's forms: the entries of the key become the vectors and masks of a StridedSlice."""

from __future__ import annotations

import builtins
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import constant
from tfbench.engine.dimension import Dimension
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.array_join import stack
from tfbench.engine.ops.array_select import boolean_mask
from tfbench.engine.ops.slice_spec import Masks
from tfbench.engine.ops.slicing import strided_slice
from tfbench.engine.tensor import OPERATORS, Tensor

__all__ = ["newaxis"]

newaxis = None

_INDEX_TYPES = (dtypes.int16, dtypes.int32, dtypes.int32_ref, dtypes.int64, dtypes.int64_ref)


def _check_index(index: Any) -> None:
    if isinstance(index, (int, Dimension)):
        return
    kind = getattr(index, "dtype", None)
    if kind is None or as_dtype(kind) not in _INDEX_TYPES or (index.shape and len(index.shape) == 1):
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
            f"are valid indices, got {index!r}"
        )


def _given(bound: Any) -> bool:
    return bound is not None and not (isinstance(bound, Dimension) and bound.value is None)


def _bound_type(entry: builtins.slice) -> DType | None:
    """The integer type of the tensors among a slice's bounds, which are checked; None if there is none."""
    kinds = []
    for bound in (entry.start, entry.stop, entry.step):
        if _given(bound):
            _check_index(bound)
            if isinstance(bound, Tensor):
                kinds.append(bound._dtype.base_dtype)
    return next((kind for kind in (dtypes.int64, dtypes.int16, dtypes.int32) if kind in kinds), None)


def _filler(value: int, kind: DType | None) -> Any:
    """What stands for a bound that is not given: a constant where another bound of the slice is a tensor."""
    return value if kind is None else constant(value, kind)


def _is_mask(key: Any) -> bool:
    if isinstance(key, bool):
        return True
    kind = getattr(key, "dtype", None)
    return kind is not None and not isinstance(key, (list, tuple)) and as_dtype(kind).base_dtype is dtypes.bool


def getitem(tensor: Any, key: Any, var: Any = None) -> Tensor:
    """`tensor[key]`: integers, slices, `...`, `tf.newaxis`, scalar integer tensors, or one boolean mask.

    Raises:
      TypeError: for other keys.
      ValueError: for indices out of the static shape.
    """
    if _is_mask(key):
        return boolean_mask(tensor, key)  # type: ignore[attr-defined,no-any-return,unused-ignore]
    entries = key if isinstance(key, (list, tuple)) else [key]
    begin: list[Any] = []
    end: list[Any] = []
    steps: list[Any] = []
    masks = Masks(0, 0, 0, 0, 0)
    for i, entry in enumerate(entries):
        bit = 1 << i
        first: Any = 0
        last: Any = 0
        step: Any = 1
        if isinstance(entry, builtins.slice):
            kind = _bound_type(entry)
            if _given(entry.start):
                first = entry.start
            else:
                first = _filler(0, kind)
                masks.begin |= bit
            if _given(entry.stop):
                last = entry.stop
            else:
                last = _filler(0, kind)
                masks.end |= bit
            step = entry.step if _given(entry.step) else _filler(1, kind)
        elif entry is Ellipsis:
            masks.ellipsis |= bit
        elif entry is None:
            masks.new_axis |= bit
        else:
            _check_index(entry)
            first, last = entry, entry + 1
            if isinstance(entry, Tensor) and entry._dtype.base_dtype in (dtypes.int16, dtypes.int64):
                step = constant(1, entry._dtype.base_dtype)
            masks.shrink |= bit
        begin.append(first)
        end.append(last)
        steps.append(step)
    with name_scope(None, "strided_slice", [tensor, *begin, *end, *steps]) as scope:
        if begin:
            start, stop, stride = _same_type([stack(begin), stack(end), stack(steps)])
        else:
            start = stop = stride = constant([], dtypes.int32)
        bits = (masks.begin, masks.end, masks.ellipsis, masks.new_axis, masks.shrink)
        return strided_slice(tensor, start, stop, stride, *bits, var=var, name=scope)


def _same_type(vectors: list[Tensor]) -> list[Tensor]:
    """The vectors made int64 where one is."""
    wide = dtypes.int64
    if not any(vector._dtype.base_dtype is wide for vector in vectors):
        return vectors
    return [v if v._dtype.base_dtype is wide else lookup("Cast")(v, DstT=wide) for v in vectors]


OPERATORS["getitem"] = getitem
