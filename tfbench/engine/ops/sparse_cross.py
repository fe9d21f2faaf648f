"""Combinations of the values of several features, row by row: SparseCross, and SparseCrossV2 for text.

Row for row, each combination of one value of each input is joined: as text ("a_X_b"), or as a number that the 64-bit
fingerprints of the values make. The last input's values vary fastest, and sparse inputs come before dense ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import int64, string
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels.hashes import concatenated, fingerprint64
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.string_common import raw
from tfbench.engine.shapes import Shape

__all__: list[str] = []

Array = Any

#: what hashes start from where the caller does not say
_HASH_KEY = 0xDECAFCAFFE
_LARGEST = 2**63 - 1

_cross = op(
    "SparseCross",
    "indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types",
    "output_indices: int64, output_values: out_type, output_shape: int64",
    "N: int >= 0; hashed_output: bool; num_buckets: int >= 0; hash_key: int; sparse_types: list({int64, string}) >= 0; "
    "dense_types: list({int64, string}) >= 0; out_type: {int64, string}; internal_type: {int64, string}",
    fresh=True,
)
_cross_text = op(
    "SparseCrossV2",
    "indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types, sep: string",
    "output_indices: int64, output_values: string, output_shape: int64",
    "N: int >= 0; sparse_types: list({int64, string}) >= 0; dense_types: list({int64, string}) >= 0",
    fresh=True,
)
_cross_text.no_gradient("combinations of categories are categories")
_cross.no_gradient("combinations of categories are categories")


@_cross.shape
@_cross_text.shape
def _cross_shape(node: Operation, *shapes: Shape) -> list[Shape]:
    return [(None, 2), (None,), (2,)]


@_cross.kernel(CPU)
def _cross_kernel(
    xp: Any, *inputs: Array, N: int, hashed_output: bool, num_buckets: int, hash_key: int
) -> tuple[Array, Array, Array]:
    if hashed_output:
        return _joined(inputs, N, _number, lambda combination: _hashed(combination, num_buckets, hash_key), np.int64)
    return _joined(inputs, N, _text, b"_X_".join, object)


@_cross_text.kernel(CPU)
def _cross_text_kernel(xp: Any, *inputs: Array, N: int) -> tuple[Array, Array, Array]:
    return _joined(inputs[:-1], N, _text, raw(np.asarray(inputs[-1]).item()).join, object)


def _joined(
    inputs: Sequence[Array], count: int, part: Callable[[Any], Any], join: Callable[[Sequence[Any]], Any], dtype: Any
) -> tuple[Array, Array, Array]:
    """The combinations of the rows of `count` sparse inputs and the dense ones behind them, each one value."""
    indices, values, shapes = inputs[:count], inputs[count : 2 * count], inputs[2 * count : 3 * count]
    dense = inputs[3 * count :]
    batch = _check(indices, values, shapes, dense)
    columns = [_sparse_rows(at, found, batch) for at, found in zip(indices, values)]
    columns += [np.asarray(tensor).tolist() for tensor in dense]
    columns = [[list(map(part, row)) for row in column] for column in columns]
    crossed = [list(map(join, product(*rows))) for rows in zip(*columns)]
    places = [(number, place) for number, row in enumerate(crossed) for place in range(len(row))]
    found = np.array([value for row in crossed for value in row], dtype)
    longest = max(map(len, crossed), default=0)
    return np.array(places, np.int64).reshape(-1, 2), found, np.array([batch, longest], np.int64)


def _check(indices: Any, values: Any, shapes: Any, dense: Any) -> int:
    """How many rows all inputs have.

    Raises:
      InvalidArgumentError: if they differ in that, or one is no matrix.
    """
    for number, (at, found, sizes) in enumerate(zip(indices, values, shapes)):
        if np.ndim(at) != 2:
            raise invalid(
                f"Input indices should be a matrix but received shape {brackets(np.shape(at))} at position {number}"
            )
        if np.ndim(found) != 1:
            raise invalid(
                f"Input values should be a vector but received shape {brackets(np.shape(found))} at position {number}"
            )
        if len(at) != len(found):
            raise invalid(f"Expected size of values to be {len(at)} got {len(found)} at position {number}")
        if np.ndim(sizes) != 1:
            raise invalid(
                f"Input shapes should be a vector but received shape {brackets(np.shape(sizes))} at position {number}"
            )
        if len(sizes) != 2:
            raise invalid(f"shape should imply a 2D tensor, but got {sizes.tolist()} at position {number}")
    for number, tensor in enumerate(dense):
        if np.ndim(tensor) != 2:
            raise invalid(
                f"Dense inputs should be a matrix but received shape {brackets(np.shape(tensor))} at position {number}"
            )
    counts = [int(sizes[0]) for sizes in shapes] + [len(tensor) for tensor in dense]
    for count in counts:
        if count != counts[0]:
            raise invalid(f"Expected batch size {counts[0]}, got {count}")
    return counts[0] if counts else 0


def _sparse_rows(indices: Array, values: Array, batch: int) -> list[list[Any]]:
    rows: list[list[Any]] = [[] for _ in range(batch)]
    for row, value in zip(indices[:, 0].tolist(), values.tolist()):
        if not 0 <= row < batch:
            raise invalid(f"Row index {row} of a sparse input is not in [0, {batch})")
        rows[row].append(value)
    return rows


def _text(value: Any) -> bytes:
    return str(value).encode() if isinstance(value, int) else raw(value)


def _number(value: Any) -> int:
    return value if isinstance(value, int) else fingerprint64(raw(value))


def _hashed(numbers: Sequence[int], buckets: int, key: int) -> int:
    value = key
    for number in numbers:
        value = concatenated(value, number)
    # Without buckets, too, the result is not below zero.
    return value % (buckets or _LARGEST)


def sparse_cross(inputs: Any, name: str | None = None, separator: Any = None) -> SparseTensor:
    """The combinations of the rows' values as text: a sparse tensor of strings [batch, combinations].

    Args:
      inputs: a list of tensors and sparse tensors of integers or strings [batch, values].
      separator: what is between two values; default: "_X_".

    Raises:
      TypeError: if it is no list of these.
    """
    separator = convert_to_tensor("_X_" if separator is None else separator, dtype=string)
    indices, values, shapes, dense = _parts(inputs)
    found = _cross_text(indices, values, shapes, dense, separator, name=name)
    return SparseTensor(*found)


def sparse_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: Any = None, name: str | None = None
) -> SparseTensor:
    """The hashes of the combinations of the rows' values: a sparse tensor of int64 [batch, combinations].

    Args:
      inputs: a list of tensors and sparse tensors of integers or strings [batch, values].
      num_buckets: hashes are below it; 0: as large as they are.
      hash_key: what the hashes start from.

    Raises:
      TypeError: if it is no list of these.
    """
    indices, values, shapes, dense = _parts(inputs)
    found = _cross(
        indices,
        values,
        shapes,
        dense,
        hashed_output=True,
        num_buckets=num_buckets,
        hash_key=hash_key or _HASH_KEY,
        out_type=int64,
        internal_type=int64 if any(each.dtype != string for each in (*values, *dense)) else string,
        name=name,
    )
    return SparseTensor(*found)


def _parts(inputs: Any) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Indices, values and shapes of the sparse inputs, and the dense inputs; integers as int64."""
    if not isinstance(inputs, (tuple, list)):
        raise TypeError("Inputs must be a list")
    sparse = [each for each in inputs if isinstance(each, SparseTensor)]
    dense = [convert_to_tensor(each) for each in inputs if not isinstance(each, SparseTensor)]
    values = [_numbers_or_text(each.values) for each in sparse]
    dense = [_numbers_or_text(each) for each in dense]
    return [each.indices for each in sparse], values, [each.dense_shape for each in sparse], dense


def _numbers_or_text(tensor: Any) -> Any:
    return tensor if tensor.dtype == string else cast(tensor, int64)
