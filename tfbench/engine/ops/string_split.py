"""Strings taken apart, into sparse tensors: row i of the result has the pieces of string i."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import string
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.shape_ops import expand_dims, renamed
from tfbench.engine.ops.string_common import as_strings, scalar_string
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape

__all__ = ["string_split"]

_split = op(
    "StringSplit",
    "input: string, delimiter: string",
    "indices: int64, values: string, shape: int64",
    "skip_empty: bool = true",
    fresh=True,
)
_split_v2 = op(
    "StringSplitV2",
    "input: string, sep: string",
    "indices: int64, values: string, shape: int64",
    "maxsplit: int = -1",
    fresh=True,
)
for _declared in (_split, _split_v2):
    _declared.no_gradient("strings have no gradient")


def _split_shape(node: Operation, x: Shape, separator: Shape) -> list[Shape]:
    with_rank(x, 1)
    with_rank(separator, 0)
    return [(None, 2), (None,), (2,)]


_split.shape(_split_shape)
_split_v2.shape(_split_shape)


def _sparse(rows: list[list[bytes]]) -> Any:
    indices = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values = [piece for row in rows for piece in row]
    longest = max((len(row) for row in rows), default=0)
    return (
        np.array(indices, np.int64).reshape(-1, 2),
        as_strings(values, (len(values),)),
        np.array([len(rows), longest], np.int64),
    )


def _vector(x: Any) -> list[bytes]:
    if x.ndim != 1:
        raise invalid(f"input must be a vector, got shape: {brackets(x.shape)}")
    return x.tolist()


# Both are bound, not plain kernels: TensorFlow does not look ahead for the shape of the sparse tensor that comes out.
@_split.bind(CPU)
def _split_bind(context: Any) -> Any:
    skip_empty = context.attrs["skip_empty"]

    def split(x: Any, delimiter: Any) -> Any:
        delimiters = scalar_string(delimiter, "delimiter")
        return _sparse([_at_any(text, delimiters, skip_empty) for text in _vector(x)])

    return split


def _at_any(text: bytes, delimiters: bytes, skip_empty: bool) -> list[bytes]:
    """`text` cut at every byte that is one of `delimiters`, or into single bytes."""
    if not text:
        return []
    if not delimiters:
        return [text[i : i + 1] for i in range(len(text))]
    first = delimiters[:1]
    for other in delimiters[1:]:
        text = text.replace(bytes([other]), first)
    return [piece for piece in text.split(first) if piece or not skip_empty]


@_split_v2.bind(CPU)
def _split_v2_bind(context: Any) -> Any:
    maxsplit = context.attrs["maxsplit"]

    def split(x: Any, sep: Any) -> Any:
        separator = scalar_string(sep, "sep")
        # Without a separator, at runs of white space, as Python's split does.
        return _sparse([text.split(separator or None, maxsplit) for text in _vector(x)])

    return split


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> SparseTensor:
    """The pieces of each string of a vector between any of the bytes of `sep` (default: blanks).

    With an empty `sep`, single bytes. Older: `delimiter`.
    """
    with name_scope(name, "StringSplit", [source]):
        delimiter = renamed("sep", sep, "delimiter", delimiter)
        delimiter = convert_to_tensor(" " if delimiter is None else delimiter, dtype=string)
        source = convert_to_tensor(source, dtype=string)
        result = SparseTensor(*_split(source, delimiter, skip_empty=skip_empty))
        return _of_type(result, result_type)


def strings_split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> SparseTensor:
    """The pieces of each string of a vector between separators, or runs of white space. (`tf.strings.split`)

    Raises:
      NotImplementedError: for tensors of a rank above 1, and for results that are ragged tensors.
    """
    input = renamed("input", input, "source", source)
    with name_scope(name, "StringSplit", [input]):
        x = convert_to_tensor(input, dtype=string, name="input")
        if x._rank == 0:
            x = expand_dims(x, 0)
        if result_type == "SparseTensor" and x._rank != 1:
            raise NotImplementedError(
                f"tf.strings.split takes strings and vectors of strings so far, not shape {x.shape}."
            )
        if result_type == "SparseTensor":
            separator = convert_to_tensor("" if sep is None else sep, dtype=string)
            return SparseTensor(*_split_v2(x, separator, maxsplit=maxsplit))
        return _of_type(None, result_type)


def _of_type(result: Any, result_type: str) -> SparseTensor:
    if result_type == "RaggedTensor":
        raise NotImplementedError("Ragged tensors are not there yet: use result_type='SparseTensor'.")
    if result_type != "SparseTensor":
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    return result
