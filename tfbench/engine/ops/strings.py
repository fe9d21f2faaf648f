"""Strings: joining, cutting, changing and matching them. A string is bytes; some ops can count UTF-8 characters."""

from __future__ import annotations

import binascii
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import int32
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.math_range import range as _range
from tfbench.engine.ops.reductions import reduction_shape
from tfbench.engine.ops.shape_ops import rank, renamed
from tfbench.engine.ops.string_common import as_strings, each, each_number, raw, same
from tfbench.engine.shape_math import broadcast, debug_string, dim_merge, merge, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["decode_base64", "encode_base64", "reduce_join", "string_join", "string_strip", "substr"]


# -- joining -------------------------------------------------------------------------------------------------------

_join = op("StringJoin", "inputs: N * string", "output: string", "N: int >= 0; separator: string = ''", fresh=True)


@_join.shape
def _join_shape(node: Operation, *shapes: Shape) -> list[Shape]:
    if all(shape == () for shape in shapes):
        return [()]
    # What has an unknown rank may be a scalar, which says nothing about the result.
    found: Shape = None
    for shape in shapes:
        if shape:
            found = merge(found, shape)
    return [found]


@_join.kernel(CPU)
def _join_kernel(xp: Any, *inputs: Any, separator: str) -> Any:
    between = raw(separator)
    arrays = [np.asarray(array) for array in inputs]
    shapes = [array.shape for array in arrays if array.ndim]
    for other in shapes[1:]:
        if other != shapes[0]:
            raise invalid(f"Input shapes do not match: {brackets(shapes[0])} vs. {brackets(other)}")
    whole = shapes[0] if shapes else ()
    columns = [np.broadcast_to(array, whole).ravel().tolist() for array in arrays]
    if not columns:
        return as_strings([b""], ())
    return as_strings([between.join(parts) for parts in zip(*columns, strict=True)], whole)


_join.no_gradient("strings have no gradient")


def string_join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """The strings at each position of the tensors in a list put together; scalars go with every position."""
    return _join(inputs, separator=separator, name=name)


_reduce_join = op(
    "ReduceJoin",
    "inputs: string, reduction_indices: int32",
    "output: string",
    "keep_dims: bool = false; separator: string = ''",
    fresh=True,
)
_reduce_join.shape(reduction_shape)
_reduce_join.no_gradient("strings have no gradient")


@_reduce_join.kernel(CPU)
def _reduce_join_kernel(xp: Any, x: Any, axes: Any, *, keep_dims: bool, separator: str) -> Any:
    found: list[int] = []
    for axis in np.asarray(axes).ravel().tolist():
        if not -x.ndim <= axis < x.ndim:
            raise errors.OutOfRangeError(
                None, None, f"Invalid reduction dimension {axis} for input with {x.ndim} dimension(s)"
            )
        if axis % x.ndim in found:
            raise invalid(f"Duplicate reduction dimension {axis}")
        found.append(axis % x.ndim)
    kept = [axis for axis in range(x.ndim) if axis not in found]
    # The first of the axes runs fastest, whatever their order in the tensor.
    turned = np.transpose(x, [*kept, *reversed(found)])
    count = int(np.prod([x.shape[axis] for axis in kept], dtype=np.int64))
    rows = turned.reshape(count, int(np.prod([x.shape[axis] for axis in found], dtype=np.int64)))
    sizes = tuple(1 if axis in found else size for axis, size in enumerate(x.shape) if keep_dims or axis in kept)
    between = raw(separator)
    return as_strings([between.join(row.tolist()) for row in rows], sizes)


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The strings along axes joined; of several, the first in `axis` runs fastest (default: all, row by row)."""
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    with name_scope(None, "ReduceJoin", [inputs, axis]):
        x = convert_to_tensor(inputs)
        if axis is None:
            known = x._rank
            if known is not None:
                axis = convert_to_tensor(np.arange(known - 1, -1, -1), dtype=int32)
            else:
                count: Any = rank(x)
                axis = _range(count - 1, -1, -1)
        return _reduce_join(x, axis, keep_dims=keepdims, separator=separator, name=name)


_segment_join = op(
    "UnsortedSegmentJoin",
    "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments",
    "output: string",
    "separator: string = ''; Tindices: {int32, int64}; Tnumsegments: {int32, int64} = int32",
    fresh=True,
)
_segment_join.no_gradient("strings have no gradient")


@_segment_join.shape
def _segment_join_shape(node: Operation, x: Shape, ids: Shape, count: Shape) -> list[Shape]:
    number = constant_value(node._inputs[2])
    if number is not None and number < 0:
        raise ValueError(f"Dimension size, given by scalar input 2, must be non-negative but is {int(number)}")
    if ids is None:
        return [None]
    x = with_rank_at_least(x, len(ids))
    if x is None:
        return [None]
    for a, b in zip(x, ids):
        dim_merge(a, b)
    return [(None if number is None else int(number), *x[len(ids) :])]


@_segment_join.kernel(CPU)
def _segment_join_kernel(xp: Any, x: Any, ids: Any, count: Any, *, separator: str) -> Any:
    if count < 0:
        raise invalid(f"Number of segments must be non-negative but is {int(count)}")
    if x.shape[: ids.ndim] != ids.shape:
        raise invalid(f"Inputs shape {brackets(x.shape)} does not start with segment_ids shape {brackets(ids.shape)}")
    flat = ids.ravel().tolist()
    if any(not 0 <= i < count for i in flat):
        raise invalid("segment_ids are not allowed to exceed num_segments or to have negative values.")
    rest = x.shape[ids.ndim :]
    rows = x.reshape(len(flat), int(np.prod(rest, dtype=np.int64))).tolist()
    segments: list[list[Any]] = [[] for _ in range(int(count))]
    for i, row in zip(flat, rows, strict=True):
        segments[i].append(row)
    between = raw(separator)
    width = int(np.prod(rest, dtype=np.int64))
    joined = [between.join(row[j] for row in segment) for segment in segments for j in range(width)]
    return as_strings(joined, (int(count), *rest))


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """The strings of each segment joined, in their order. (`tf.strings` has this name.)"""
    return _segment_join(inputs, segment_ids, num_segments, separator=separator, name=name)


# -- cutting -------------------------------------------------------------------------------------------------------

_substr = op(
    "Substr",
    "input: string, pos: T, len: T",
    "output: string",
    "T: {int32, int64}; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
    fresh=True,
)
_substr.no_gradient("strings have no gradient")


@_substr.shape
def _substr_shape(node: Operation, x: Shape, pos: Shape, length: Shape) -> list[Shape]:
    if pos is not None and length is not None:
        if len(pos) != len(length):
            raise ValueError(f"Shape must be rank {len(pos)} but is rank {len(length)}")
        if pos != length:
            raise ValueError(f"pos and len shapes must match: {debug_string(pos)} vs. {debug_string(length)}")
    return [broadcast(x, pos)]


@_substr.kernel(CPU)
def _substr_kernel(xp: Any, x: Any, pos: Any, length: Any, *, unit: str) -> Any:
    if pos.shape != length.shape:
        shapes = f"{brackets(pos.shape)} vs. {brackets(length.shape)}"
        raise invalid(f"pos and len should have the same shape, got: {shapes}")
    try:
        strings, starts, sizes = np.broadcast_arrays(x, pos, length)
    except ValueError:
        raise invalid(f"Incompatible shapes: {brackets(x.shape)} vs. {brackets(pos.shape)}") from None
    cut = _cut_bytes if unit == "BYTE" else _cut_characters
    items = zip(strings.ravel().tolist(), starts.ravel().tolist(), sizes.ravel().tolist(), strict=True)
    return as_strings([cut(text, at, size, i) for i, (text, at, size) in enumerate(items)], strings.shape)


def _cut_bytes(text: bytes, at: int, size: int, index: int) -> bytes:
    if not -len(text) <= at <= len(text):
        raise invalid(f"pos {at} out of range for string {text!r} at index {index}")
    if at < 0:
        at += len(text)
    return text[at:] if size < 0 else text[at : at + size]


def _cut_characters(text: bytes, at: int, size: int, index: int) -> bytes:
    # A character starts wherever a byte does not go on with the one before.
    starts = [i for i, byte in enumerate(text) if byte & 0xC0 != 0x80]
    count = len(starts)
    if not -count <= at <= count:
        raise invalid(f"pos {at} out of range for string at index {index}")
    if at < 0:
        at += count
    starts.append(len(text))
    # Here, unlike with bytes, a negative length is none.
    end = min(at + max(size, 0), count)
    return text[starts[at] : starts[end]]


def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """`len` bytes (or characters) of each string from `pos` on; negative positions count from the end."""
    return _substr(input, pos, len, unit=unit, name=name)


# -- changing ------------------------------------------------------------------------------------------------------

_strip = op("StringStrip", "input: string", "output: string", fresh=True)
_lower = op("StringLower", "input: string", "output: string", "encoding: string = ''", fresh=True)
_upper = op("StringUpper", "input: string", "output: string", "encoding: string = ''", fresh=True)
_length = op("StringLength", "input: string", "output: int32", "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'", fresh=True)

for _declared in (_strip, _lower, _upper, _length):
    _declared.shape(same)
    _declared.no_gradient("strings have no gradient")


@_strip.kernel(CPU)
def _strip_kernel(xp: Any, x: Any) -> Any:
    return each(bytes.strip, x)


def _check_encoding(encoding: str) -> bool:
    """Whether strings are text."""
    if encoding not in ("", "utf-8"):
        raise invalid(f"only utf-8 or '' (no encoding) is supported, received {encoding}")
    return bool(encoding)


@_lower.kernel(CPU)
def _lower_kernel(xp: Any, x: Any, *, encoding: str) -> Any:
    if _check_encoding(encoding):
        return each(lambda text: text.decode(errors="replace").lower().encode(), x)
    return each(bytes.lower, x)


@_upper.kernel(CPU)
def _upper_kernel(xp: Any, x: Any, *, encoding: str) -> Any:
    if _check_encoding(encoding):
        return each(lambda text: text.decode(errors="replace").upper().encode(), x)
    return each(bytes.upper, x)


@_length.kernel(CPU)
def _length_kernel(xp: Any, x: Any, *, unit: str) -> Any:
    if unit == "BYTE":
        return each_number(len, x, np.int32)
    return each_number(lambda text: sum(byte & 0xC0 != 0x80 for byte in text), x, np.int32)


def string_strip(input: Any, name: str | None = None) -> Tensor:
    """Each string without white space at its ends."""
    return _strip(input, name=name)


def string_lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Each string in lower case: ASCII letters only, unless `encoding` is 'utf-8'. (`tf.strings.lower`)"""
    return _lower(input, encoding=encoding, name=name)


def string_upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Each string in upper case: ASCII letters only, unless `encoding` is 'utf-8'. (`tf.strings.upper`)"""
    return _upper(input, encoding=encoding, name=name)


def string_length(input: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """How many bytes (or characters) each string has. (`tf.strings.length`)"""
    return _length(input, unit=unit, name=name)


# -- Base64 --------------------------------------------------------------------------------------------------------

_encode64 = op("EncodeBase64", "input: string", "output: string", "pad: bool = false", fresh=True)
_decode64 = op("DecodeBase64", "input: string", "output: string", fresh=True)
_encode64.shape(same)
_decode64.shape(same)
_encode64.no_gradient("strings have no gradient")
_decode64.no_gradient("strings have no gradient")

_TO_WEB = bytes.maketrans(b"+/", b"-_")
_FROM_WEB = bytes.maketrans(b"-_", b"+/")
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@_encode64.kernel(CPU)
def _encode64_kernel(xp: Any, x: Any, *, pad: bool) -> Any:
    def encode(text: bytes) -> bytes:
        coded = binascii.b2a_base64(text, newline=False).translate(_TO_WEB)
        return coded if pad else coded.rstrip(b"=")

    return each(encode, x)


@_decode64.kernel(CPU)
def _decode64_kernel(xp: Any, x: Any) -> Any:
    return each(_decode_one, x)


def _decode_one(text: bytes) -> bytes:
    if len(text) % 4 == 1:
        raise invalid("Base64 string length cannot be 1 modulo 4.")
    # Padding, where there is any, fills up the last four characters.
    padding = len(text) - len(text.rstrip(b"=")) if len(text) % 4 == 0 else 0
    core = text[: len(text) - padding]
    if padding > 2 or not _BASE64.issuperset(core):
        raise invalid("Invalid character found in base64.")
    return binascii.a2b_base64(core.translate(_FROM_WEB) + b"=" * (-len(core) % 4))


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Each string in web-safe Base64 (`-` and `_`), filled up with `=` if `pad`."""
    return _encode64(input, pad=pad, name=name)


def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """What strings in web-safe Base64 say; padding is optional."""
    return _decode64(input, name=name)
