"""`map_fn`, `foldl`, `foldr` and `scan`: a function of the rows of a tensor, in a `while_loop` over TensorArrays.

The rows are unstacked into TensorArrays before the loop; each iteration reads one row of each and calls the function
(once, when the graph is built); what is to be kept is written to TensorArrays and stacked after the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tfbench.engine import nest
from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.base import constant
from tfbench.engine.ops.shape_queries import shape as shape_of
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.ops.while_loop import while_loop
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import OPERATORS, Tensor

__all__ = ["foldl", "foldr", "map_fn", "scan"]


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each row of `elems`, stacked along a new first dimension.

    `elems` is a tensor or a nest of tensors with as many rows each; `fn` gets a row in the same structure. Where it
    returns another structure or other types, `dtype` holds them. `infer_shape=False` allows results of several shapes
    while the loop runs (they have to agree when they are stacked).

    Raises:
      TypeError: if `fn` is not callable, or returns another structure than `dtype` says.
      ValueError: if there is nothing in `elems`, or a scalar, or the numbers of rows differ.
    """
    _check_callable(fn)
    signature = dtype if fn_output_signature is None else fn_output_signature
    given = nest.flatten(elems)
    _check_given(elems, given)
    for item in given:
        if isinstance(item, SparseTensor):
            raise TypeError(
                "To perform a map over the values of a sparse tensor use either SparseTensor(input.indices, "
                "map_fn(fn, input.values), input.dense_shape) or SparseTensor(input.indices, fn(input.values), "
                "input.dense_shape)."
            )
    with name_scope(name, "map", given), _cached_reads():
        rows = [convert_to_tensor(item, name="elem") for item in given]
        if rows[0].shape.ndims == 0:
            raise ValueError(f"Elements in elems must be 1+ dimensional Tensors, not scalars: {rows[0]}")
        static = _row_count(rows)
        count = static or shape_of(rows[0])[0]
        inputs = [TensorArray(row.dtype, count, dynamic_size=False, infer_shape=True) for row in rows]
        inputs = [array.unstack(row) for array, row in zip(inputs, rows, strict=True)]
        first = constant(0)
        kinds = nest.flatten(signature) if signature is not None else [row.dtype for row in rows]
        outputs = [
            TensorArray(
                kind.dtype if hasattr(kind, "dtype") else as_dtype(kind),
                count,
                dynamic_size=False,
                infer_shape=infer_shape,
                element_shape=getattr(kind, "shape", None),
            )
            for kind in kinds
        ]

        def compute(i: Tensor, arrays: list[TensorArray]) -> Any:
            row = nest.pack_sequence_as(elems, [array.read(i) for array in inputs])
            result = fn(row)
            nest.assert_same_structure(elems if signature is None else signature, result)
            arrays = [array.write(i, value) for array, value in zip(arrays, nest.flatten(result), strict=True)]
            return i + 1, arrays

        _, arrays = while_loop(
            lambda i, _: i < count,
            compute,
            (first, outputs),
            parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=count,
        )
        results = _stacked(arrays, static)
        return nest.pack_sequence_as(elems if signature is None else signature, results)


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(… fn(fn(initializer, row 0), row 1) …, last row)`; without `initializer`, row 0 is the start.

    Raises:
      TypeError: if `fn` is not callable.
    """
    _check_callable(fn)
    with name_scope(name, "foldl", [elems]), _cached_reads():
        count, rows = _rows_for_fold(elems)
        if initializer is None:
            start, total = 1, nest.map_structure(lambda array: array.read(0), rows)
        else:
            start, total = 0, initializer

        def compute(i: Tensor, so_far: Any) -> list[Any]:
            row = nest.map_structure(lambda array: array.read(i), rows)
            so_far = fn(so_far, row)
            return [i + 1, so_far]

        return while_loop(
            lambda i, _: i < count,
            compute,
            [constant(start), total],
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=count,
        )[1]


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """As `foldl`, from the last row to the first.

    Raises:
      TypeError: if `fn` is not callable.
    """
    _check_callable(fn)
    with name_scope(name, "foldr", [elems]), _cached_reads():
        count, rows = _rows_for_fold(elems)
        start: Any
        if initializer is None:
            start = count - 1
            total = nest.map_structure(lambda array: array.read(start), rows)
        else:
            start, total = count, initializer

        def compute(i: Tensor, so_far: Any) -> list[Any]:
            i -= 1
            row = nest.map_structure(lambda array: array.read(i), rows)
            return [i, fn(so_far, row)]

        return while_loop(
            lambda i, _: i > 0,
            compute,
            [start, total],
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=count,
        )[1]


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """What `foldl` has after each row, stacked along a new first dimension; with `reverse`, from the last row on.

    The results have the structure of `initializer` or, without one, of `elems`: the first row is then the first result.

    Raises:
      TypeError: if `fn` is not callable, or returns another structure.
      ValueError: if the numbers of rows differ.
    """
    _check_callable(fn)
    like = elems if initializer is None else initializer
    given = nest.flatten(elems)
    with name_scope(name, "scan", given), _cached_reads():
        _check_given(elems, given)
        rows = [convert_to_tensor(item, name="elem") for item in given]
        count: Any = _rows_of(rows[0])
        if count is None:
            count = shape_of(rows[0])[0]
        inputs = [
            TensorArray(row.dtype, count, dynamic_size=False, element_shape=row.shape[1:], infer_shape=True)
            for row in rows
        ]
        inputs = [array.unstack(row) for array, row in zip(inputs, rows, strict=True)]
        done = 0 if initializer is not None else 1
        if initializer is None:
            # Each use makes its own nodes for the last index.
            starts = [array.read(count - 1 if reverse else 0) for array in inputs]
        else:
            starts = [convert_to_tensor(item) for item in nest.flatten(initializer)]
        outputs = [
            TensorArray(
                start.dtype.base_dtype,
                count,
                element_shape=start.shape if infer_shape else None,
                dynamic_size=False,
                infer_shape=infer_shape,
            )
            for start in starts
        ]
        if initializer is None:
            pairs = zip(outputs, starts, strict=True)
            outputs = [array.write(count - 1 if reverse else 0, start) for array, start in pairs]

        def compute(i: Tensor, so_far: list[Tensor], arrays: list[TensorArray]) -> Any:
            row = nest.pack_sequence_as(elems, [array.read(i) for array in inputs])
            result = fn(nest.pack_sequence_as(like, so_far), row)
            nest.assert_same_structure(like, result)
            values = nest.flatten(result)
            arrays = [array.write(i, value) for array, value in zip(arrays, values, strict=True)]
            return i - 1 if reverse else i + 1, values, arrays

        condition: Callable[..., Any]
        if reverse:
            begin, condition = count - 1 - done, lambda i, *_: i >= 0
        else:
            begin, condition = done, lambda i, *_: i < count
        arrays = while_loop(
            condition,
            compute,
            (begin, starts, outputs),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=count,
        )[2]
        return nest.pack_sequence_as(like, _stacked(arrays, _row_count(rows)))


# -- what they share ------------------------------------------------------------------------------------------------


def _check_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"fn must be callable: a function of a row, not {fn!r}.")


def _check_given(elems: Any, leaves: list[Any]) -> None:
    if not leaves:
        raise ValueError(
            f"elems must be a Tensor or (possibly nested) sequence of Tensors. Got {elems}, which does not contain any "
            "Tensors."
        )


def _cached_reads() -> AbstractContextManager[Any]:
    """Variables that `get_variable` makes in a loop's function are read once on the device that reads them."""
    scope = OPERATORS.get("cached_reads")
    return nullcontext() if scope is None else scope()


def _rows_of(tensor: Tensor) -> int | None:
    sizes = tensor.shape
    if sizes.ndims is None:
        return None
    if sizes.ndims == 0:
        raise ValueError(f"Shape () must have rank at least 1: {tensor} has no rows.")
    return sizes.as_list()[0]


def _row_count(tensors: list[Tensor]) -> int | None:
    """How many rows all of them have, if it is known. ValueError where they differ."""
    count = None
    for tensor in tensors:
        own = _rows_of(tensor)
        if own is not None and count is not None and own != count:
            raise ValueError(f"Dimensions {count} and {own} are not compatible: all elems have as many rows.")
        count = own if count is None else count
    return count


def _rows_for_fold(elems: Any) -> tuple[Any, Any]:
    """How many rows there are, and the elems as TensorArrays."""
    tensors = [convert_to_tensor(item, name="elem") for item in nest.flatten(elems)]
    _check_given(elems, tensors)
    count = _rows_of(tensors[0]) or shape_of(tensors[0])[0]

    def as_array(item: Any) -> TensorArray:
        return TensorArray(item.dtype, count, dynamic_size=False, infer_shape=True).unstack(item)

    return count, nest.map_structure(as_array, elems)


def _stacked(arrays: list[TensorArray], count: int | None) -> list[Tensor]:
    results = [array.stack() for array in arrays]
    for result in results:
        result.set_shape(TensorShape([count]).concatenate(result.shape[1:]))
    return results
