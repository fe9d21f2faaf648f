"""Assertions about ranks, shapes and types: mostly decided while the graph is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.asserts import prefix
from tfbench.engine.ops.base import no_op
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.comparison import equal, greater_equal, logical_or
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.grouping import group, with_dependencies
from tfbench.engine.ops.shape_ops import rank as rank_of
from tfbench.engine.ops.shape_ops import shape
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor

__all__ = [
    "assert_integer", "assert_proper_iterable", "assert_rank", "assert_rank_at_least", "assert_rank_in",
    "assert_same_float_dtype", "assert_scalar", "assert_type",
]  # fmt: skip


# -- ranks ---------------------------------------------------------------------------------------------------------


class _StaticRank(ValueError):
    """The static rank is none of those asked for; the caller says it in its own words."""

    def __init__(self, actual: int, asked: Any) -> None:
        super().__init__(actual, asked)
        self.actual = actual
        self.asked = asked


def _check_ranks(
    x: Any,
    ranks: Sequence[Tensor],
    fits: Callable[[int, Sequence[Any]], bool],
    test: Callable[[Tensor], Any],
    data: list[Any],
    summarize: int | None,
) -> Operation:
    for rank in ranks:
        assert_type(rank, dtypes.int32)
    known = [get_static_value(rank) for rank in ranks]
    if all(value is not None for value in known):
        if any(value.ndim for value in known):
            raise ValueError("Rank must be a scalar.")
        actual = x.get_shape().ndims
        if actual is not None:
            if not fits(actual, known):
                raise _StaticRank(actual, known)
            return no_op(name="static_checks_determined_all_ok")
    condition = test(rank_of(x))
    for rank, value in zip(ranks, known, strict=True):
        if value is None:
            # assert_rank(x, [n]) would otherwise compare with a vector.
            check = assert_rank(rank, 0, data=["Rank must be a scalar. Received rank: ", rank])
            condition = with_dependencies([check], condition)
    return Assert(condition, data, summarize=summarize)


def _name(x: Any) -> str:
    return "" if isinstance(x, SparseTensor) else x.name


def assert_rank(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x` has this rank. ValueError if it is known to have another."""
    with name_scope(name, "assert_rank", (x, rank, *(data or []))):
        if not isinstance(x, SparseTensor):
            x = convert_to_tensor(x, name="x")
        rank = convert_to_tensor(rank, name="rank")
        if data is None:
            data = [prefix(message), f"Tensor {_name(x)} must have rank", rank, "Received shape: ", shape(x)]
        try:
            return _check_ranks(x, [rank], lambda a, r: a == r[0], lambda a: equal(a, rank), data, summarize)
        except _StaticRank as found:
            raise ValueError(
                f"{prefix(message)}Tensor {_name(x)} must have rank {found.asked[0]}.  Received rank {found.actual}, "
                f"shape {x.get_shape()}"
            ) from None


def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x` has this rank or a higher one. ValueError if it is known not to."""
    with name_scope(name, "assert_rank_at_least", (x, rank, *(data or []))):
        x = convert_to_tensor(x, name="x")
        rank = convert_to_tensor(rank, name="rank")
        if data is None:
            data = [prefix(message), f"Tensor {x.name} must have rank at least", rank, "Received shape: ", shape(x)]
        try:
            return _check_ranks(x, [rank], lambda a, r: a >= r[0], lambda a: greater_equal(a, rank), data, summarize)
        except _StaticRank as found:
            raise ValueError(
                f"{prefix(message)}Tensor {x.name} must have rank at least {found.asked[0]}.  Received rank "
                f"{found.actual}, shape {x.get_shape()}"
            ) from None


def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x` has one of these ranks. ValueError if it is known to have another."""
    with name_scope(name, "assert_rank_in", (x, *ranks, *(data or []))):
        if not isinstance(x, SparseTensor):
            x = convert_to_tensor(x, name="x")
        ranks = [convert_to_tensor(rank, name="rank") for rank in ranks]
        if data is None:
            data = [prefix(message), f"Tensor {_name(x)} must have rank in", *ranks, "Received shape: ", shape(x)]
        try:
            return _check_ranks(x, ranks, lambda a, r: a in r, lambda a: _any_equal(a, ranks), data, summarize)
        except _StaticRank as found:
            raise ValueError(
                f"{prefix(message)}Tensor {_name(x)} must have rank in {tuple(r.item() for r in found.asked)}.  "
                f"Received rank {found.actual}, shape {x.get_shape()}"
            ) from None


def _any_equal(actual: Tensor, ranks: Sequence[Tensor]) -> Tensor:
    if not ranks:
        return convert_to_tensor(False)
    result = equal(ranks[0], actual)
    for rank in ranks[1:]:
        result = logical_or(result, equal(rank, actual))
    return result


# -- types ---------------------------------------------------------------------------------------------------------


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> Operation:
    """An operation that does nothing. TypeError if `tensor` is of another type."""
    wanted = as_dtype(tf_type)
    with name_scope(name, "assert_type", [tensor]):
        if not isinstance(tensor, SparseTensor):
            tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != wanted:
            raise TypeError(
                f"{prefix(message)}{getattr(tensor, 'name', 'tensor')} must be of type {wanted!r}; got {tensor.dtype!r}"
            )
        return no_op("statically_determined_correct_type")


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Operation:
    """An operation that does nothing. TypeError if `x` is not of an integer type."""
    with name_scope(name, "assert_integer", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(f'{prefix(message)}Expected "x" to be integer type.  Found: {x.name} of dtype {x.dtype}')
        return no_op("statically_determined_was_integer")


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Tensor:
    """`tensor` as a tensor. ValueError if it is not known to be a scalar."""
    with name_scope(name, "assert_scalar", [tensor]) as scope:
        found = convert_to_tensor(tensor, name=scope)
        if found._rank != 0:
            text = prefix(message)
            raise ValueError(f"{text}Expected scalar shape for {found.name}, saw shape: {found.get_shape()}.")
        return found


def assert_proper_iterable(values: Any) -> None:
    """Raises TypeError unless `values` is something to loop over; tensors, arrays and strings are not."""
    if isinstance(values, (Tensor, SparseTensor, np.ndarray, str, bytes)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def _same_base_type(items: Any, expected: DType | None) -> DType | None:
    first = None
    for item in items:
        if item is None:
            continue
        kind = item.dtype.base_dtype
        if expected is None:
            expected, first = kind, getattr(item, "name", str(item))
        elif expected != kind:
            origin = f" as {first}" if first else ""
            raise ValueError(
                f"{getattr(item, 'name', str(item))}, type={kind}, must be of the same type ({expected}){origin}."
            )
    return expected


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """The floating-point type that `tensors` share (float32 if there are none).

    Raises:
      ValueError: if their types differ, from each other or from `dtype`, or are no floating-point types.
    """
    if tensors:
        dtype = _same_base_type(tensors, dtype)
    if not dtype:
        return dtypes.float32
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


# -- shapes --------------------------------------------------------------------------------------------------------


class _Sizes:
    """A tensor of `assert_shapes`, the sizes it has and the symbols it was given for them."""

    __slots__ = ("actual", "free_front", "symbols", "tensor")

    def __init__(self, tensor: Any, symbols: tuple[Any, ...], free_front: bool) -> None:
        self.tensor = tensor
        self.free_front = free_front
        self.actual = _dimension_sizes(tensor)
        #: a scalar counts as a vector of one element
        self.symbols = symbols or (1,)


def _dimension_sizes(x: Any) -> Any:
    sizes = shape(x)
    known = x.get_shape()._dims
    if known is None:
        return cond(equal(rank_of(x), 0), lambda: convert_to_tensor([1]), lambda: sizes)
    if not known:
        return (1,)
    return [sizes[i] if size is None else size for i, size in enumerate(known)]


def _label(x: Any) -> str:
    return f"shape={x.shape} dtype={x.dtype.name}" if isinstance(x, SparseTensor) else x.name


def _is_number(size: Any) -> bool:
    try:
        int(size)
    except (ValueError, TypeError):
        return False
    return True


def _parse_shapes(shapes: Any, text: str) -> list[_Sizes]:
    pairs = [(x if isinstance(x, SparseTensor) else convert_to_tensor(x), s) for x, s in shapes if s is not None]
    found = []
    for tensor, symbols in pairs:
        if not (hasattr(symbols, "__iter__") or hasattr(symbols, "__getitem__")):
            raise ValueError(
                f"{text}Tensor {_label(tensor)}.  Specified shape must be an iterable.  An iterable has the attribute "
                f"`__iter__` or `__getitem__`.  Received specified shape: {symbols}"
            )
        symbols = tuple(symbols)
        free_front = False
        for i, symbol in enumerate(symbols):
            if symbol not in (Ellipsis, "*"):
                continue
            if i != 0:
                raise ValueError(
                    f"{text}Tensor {_label(tensor)} specified shape index {i}.  Symbol `...` or `*` for a variable "
                    "number of unspecified dimensions is only allowed as the first entry"
                )
            free_front = True
        found.append(_Sizes(tensor, symbols[1:] if free_front else symbols, free_front))
    return found


def _rank_checks(found: list[_Sizes], **options: Any) -> list[Operation]:
    checks = []
    for sizes in found:
        rank = len(sizes.symbols)
        if sizes.free_front:
            if rank > 1:
                checks.append(assert_rank_at_least(x=sizes.tensor, rank=rank, **options))
        elif rank <= 1:
            checks.append(assert_rank_in(x=sizes.tensor, ranks=[0, 1], **options))
        else:
            checks.append(assert_rank(x=sizes.tensor, rank=rank, **options))
    return checks


def assert_shapes(
    shapes: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless tensors have the shapes they are given. (`tf.debugging` has this name.)

    Args:
      shapes: pairs of a tensor and its shape (or a dictionary): numbers, symbols such as 'N' which stand for one
        size wherever they are used, None or '.' for any size, '*' or ... in front for any number of dimensions.

    Raises:
      ValueError: if they are known not to.
    """
    if isinstance(shapes, dict):
        shapes = shapes.items()
    text = prefix(message)
    with name_scope(name, "assert_shapes", [shapes, data]):
        found = _parse_shapes(shapes, text)
        ranks = _rank_checks(found, data=data, summarize=summarize, message=message, name=name)
        checks: list[Operation] = []
        specified: dict[Any, tuple[Any, Any, int]] = {}
        for sizes in found:
            for i, symbol in enumerate(sizes.symbols):
                if symbol is None or symbol == ".":
                    continue
                axis = i - len(sizes.symbols) if sizes.free_front else i
                # Slicing waits until the rank is known to be enough.
                with control_dependencies(ranks):
                    actual = sizes.actual[axis]
                if _is_number(symbol):
                    wanted, why = int(symbol), "Specified explicitly"
                elif symbol in specified:
                    wanted, origin, at = specified[symbol]
                    why = f"Specified by tensor {_label(origin)} dimension {at}"
                else:
                    specified[symbol] = (actual, sizes.tensor, axis)
                    continue
                if _is_number(actual) and _is_number(wanted):
                    if int(actual) != int(wanted):
                        raise ValueError(
                            f"{text}{why}.  Tensor {_label(sizes.tensor)} dimension {axis} must have size {wanted}.  "
                            f"Received size {actual}, shape {sizes.tensor.get_shape()}"
                        )
                    continue
                condition = equal(convert_to_tensor(actual), convert_to_tensor(wanted))
                told = data
                if told is None:
                    told = [
                        text, why, f"Tensor {_label(sizes.tensor)} dimension", axis, "must have size", wanted,
                        "Received shape: ", shape(sizes.tensor),
                    ]  # fmt: skip
                checks.append(Assert(condition, told, summarize=summarize))
    with control_dependencies(ranks):
        return group(checks)
