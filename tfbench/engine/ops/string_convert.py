"""Strings to numbers, numbers to strings, hashes and raw bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine import dtypes
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.hashes import fingerprint64, murmur64, siphash
from tfbench.engine.kernels.text_numbers import FormatError, formatter, parse_float, parse_int
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.shape_ops import renamed
from tfbench.engine.ops.string_common import each, each_number, same, scalar_string
from tfbench.engine.shape_math import with_rank, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "as_string", "decode_compressed", "decode_raw", "fingerprint", "string_to_hash_bucket",
    "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "string_to_number",
]  # fmt: skip

# -- numbers -------------------------------------------------------------------------------------------------------

_to_number = op(
    "StringToNumber",
    "string_tensor: string",
    "output: out_type",
    "out_type: {float, double, int32, int64, uint32, uint64} = float",
    fresh=True,
)
_to_number.shape(same)
_to_number.no_gradient("strings have no gradient")


def _parser(kind: Any) -> Any:
    """The function that reads a string as a number of a NumPy type. It raises ValueError where that does not do."""
    parse = parse_float if kind in (np.float32, np.float64) else parse_int
    return lambda text: parse(text, kind)


@_to_number.kernel(CPU)
def _to_number_kernel(xp: Any, x: Any, *, out_type: Any) -> Any:
    kind = out_type.as_numpy_dtype
    parse = _parser(kind)

    def number(text: bytes) -> Any:
        try:
            return parse(text)
        except ValueError:
            shown = text.decode(errors="replace")
            raise invalid(f"StringToNumberOp could not correctly convert string: {shown}") from None

    return each_number(number, x, kind)


def string_to_number(
    string_tensor: Any = None, out_type: Any = dtypes.float32, name: str | None = None, input: Any = None
) -> Tensor:
    """The number that each string says, as `out_type`. Newer: `input`. InvalidArgumentError for other strings."""
    string_tensor = renamed("string_tensor", string_tensor, "input", input)
    return _to_number(string_tensor, out_type=out_type, name=name)


_as_string = op(
    "AsString",
    "input: T",
    "output: string",
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64,"
    "complex128, bool, variant, string}; precision: int = -1; scientific: bool = false; shortest: bool = false;"
    "width: int = -1; fill: string = ''",
    fresh=True,
)
_as_string.shape(same)
_as_string.no_gradient("strings have no gradient")


@_as_string.bind(CPU)
def _as_string_bind(context: Any) -> Any:
    attrs = context.attrs
    kind = attrs["T"]
    letter = (
        "s" if kind is dtypes.string else "b" if kind.is_bool else "c" if kind.is_complex
        else "u" if kind.name.startswith("uint") else "i" if kind.is_integer else "f"
    )  # fmt: skip
    options = [attrs[name] for name in ("precision", "scientific", "shortest", "width", "fill")]
    try:
        write = formatter(letter, dtypes.type_word(kind), *options)
    except FormatError as error:
        reason = str(error)

        def refuse(x: Any) -> Any:
            raise invalid(reason)

        return refuse
    return lambda x: each(write, x)


def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Each number as text, written as C's printf does.

    Args:
      precision: digits after the point (floating-point only).
      scientific: as 1.5e+00; `shortest`: as %g does.
      width, fill: at least so many characters, filled up with blanks, or with `fill` ('0', ' ', '-' left-aligned).
    """
    return _as_string(
        input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill, name=name
    )


# -- hashes --------------------------------------------------------------------------------------------------------

_hash = op("StringToHashBucket", "string_tensor: string", "output: int64", "num_buckets: int >= 1", fresh=True)
_hash_fast = op("StringToHashBucketFast", "input: string", "output: int64", "num_buckets: int >= 1", fresh=True)
_hash_strong = op(
    "StringToHashBucketStrong", "input: string", "output: int64", "num_buckets: int >= 1; key: list(int)", fresh=True
)
for _declared in (_hash, _hash_fast, _hash_strong):
    _declared.shape(same)
    _declared.no_gradient("strings have no gradient")


@_hash.kernel(CPU)
def _hash_kernel(xp: Any, x: Any, *, num_buckets: int) -> Any:
    return each_number(lambda text: murmur64(text) % num_buckets, x, np.int64)


@_hash_fast.kernel(CPU)
def _hash_fast_kernel(xp: Any, x: Any, *, num_buckets: int) -> Any:
    return each_number(lambda text: fingerprint64(text) % num_buckets, x, np.int64)


@_hash_strong.kernel(CPU)
def _hash_strong_kernel(xp: Any, x: Any, *, num_buckets: int, key: list[int]) -> Any:
    if len(key) != 2:
        raise invalid("Key must have 2 elements")
    return each_number(lambda text: siphash(key, text) % num_buckets, x, np.int64)


def string_to_hash_bucket(
    string_tensor: Any = None, num_buckets: int | None = None, name: str | None = None, input: Any = None
) -> Tensor:
    """A number below `num_buckets` for each string. The hash may change: prefer `string_to_hash_bucket_fast`."""
    string_tensor = renamed("input", input, "string_tensor", string_tensor)
    return _hash(string_tensor, num_buckets=num_buckets, name=name)


def string_to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each string: its FarmHash fingerprint modulo that."""
    return _hash_fast(input, num_buckets=num_buckets, name=name)


def string_to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each string, which nobody without `key` (two integers) can predict."""
    return _hash_strong(input, num_buckets=num_buckets, key=key, name=name)


_fingerprint = op("Fingerprint", "data: T, method: string", "fingerprint: uint8", "T: type", fresh=True)
_fingerprint.no_gradient("a fingerprint is no continuous function")


@_fingerprint.shape
def _fingerprint_shape(node: Operation, data: Shape, method: Shape) -> list[Shape]:
    data = with_rank_at_least(data, 1)
    with_rank(method, 0)
    known: Any = constant_value(node._inputs[1])
    if known is not None and known.ndim == 0 and known[()] != b"farmhash64":
        raise ValueError(f"Unsupported method: {known[()].decode(errors='replace')}")
    return [(None if data is None else data[0], None if known is None else 8)]


@_fingerprint.kernel(CPU)
def _fingerprint_kernel(xp: Any, data: Any, method: Any) -> Any:
    if scalar_string(method, "method") != b"farmhash64":
        raise invalid(f"Unsupported method: {method}")
    data = np.asarray(data)
    if data.ndim < 1:
        raise invalid("`data` should have at least one dimension.")
    rows = data.reshape(data.shape[0], -1)
    prints = [_fingerprint_of(row) for row in rows]
    return np.array(prints, "<u8").view(np.uint8).reshape(len(prints), 8)


def _fingerprint_of(row: Any) -> int:
    if row.dtype != object:
        return fingerprint64(np.ascontiguousarray(row).tobytes())
    strings = row.tolist()
    if len(strings) == 1:
        return fingerprint64(strings[0])
    # Several strings: the fingerprint of their fingerprints.
    return fingerprint64(np.array([fingerprint64(text) for text in strings], "<u8").tobytes())


def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """8 bytes for each row (along the first axis) of `data`, the same wherever and whenever it is computed."""
    return _fingerprint(data, method, name=name)


# -- bytes ---------------------------------------------------------------------------------------------------------

_decode_raw = op(
    "DecodeRaw",
    "bytes: string",
    "output: out_type",
    "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool, bfloat16};"
    "little_endian: bool = true",
    fresh=True,
)
_decode_raw.no_gradient("strings have no gradient")


@_decode_raw.shape
def _decode_raw_shape(node: Operation, x: Shape) -> list[Shape]:
    return [None if x is None else (*x, None)]


@_decode_raw.kernel(CPU)
def _decode_raw_kernel(xp: Any, x: Any, *, out_type: Any, little_endian: bool) -> Any:
    x = np.asarray(x)
    kind = np.dtype(out_type.as_numpy_dtype)
    strings = x.ravel().tolist()
    if not strings:
        return np.zeros((*x.shape, 0), kind)
    size = len(strings[0])
    for i, text in enumerate(strings):
        if len(text) != size:
            raise invalid(
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{i} has size {size} != {len(text)}"
            )
    if size % kind.itemsize:
        word = dtypes.type_word(out_type)
        raise invalid(
            f"Input to DecodeRaw has length {size} that is not a multiple of {kind.itemsize}, the size of {word}"
        )
    values = np.frombuffer(bytearray(b"".join(strings)), kind).reshape(*x.shape, size // kind.itemsize)
    return values if little_endian else values.byteswap()


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """The bytes of each string as a vector of numbers; all strings have to be of one length. Older: `bytes`."""
    input_bytes = renamed("input_bytes", input_bytes, "bytes", bytes)
    if out_type is None:
        raise ValueError("decode_raw() missing 1 positional argument: 'out_type'")
    return _decode_raw(input_bytes, out_type=out_type, little_endian=little_endian, name=name)


_decompress = op("DecodeCompressed", "bytes: string", "output: string", "compression_type: string = ''", fresh=True)
_decompress.shape(same)
_decompress.no_gradient("strings have no gradient")

#: how zlib calls the formats, by the bits that ask for their headers
_WINDOWS = {"ZLIB": 15, "GZIP": 31}


@_decompress.kernel(CPU)
def _decompress_kernel(xp: Any, x: Any, *, compression_type: str) -> Any:
    if not compression_type:
        return each(lambda data: data, x)
    if compression_type not in _WINDOWS:
        raise invalid("Only ZLIB, GZIP or NONE are supported compressions")
    window = _WINDOWS[compression_type]
    return each(lambda data: _decompressed(data, window), x)


def _decompressed(data: Any, window: int) -> Any:
    """What `data` holds, as far as it goes; members of a GZIP one after the other."""
    import zlib

    out = b""
    while data:
        stream = zlib.decompressobj(window)
        try:
            out += stream.decompress(data)
        except zlib.error as error:
            raise errors.DataLossError(None, None, f"inflate() failed: {error}") from None
        data = stream.unused_data if window == _WINDOWS["GZIP"] else b""
    return out


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Each string decompressed: `compression_type` is 'ZLIB', 'GZIP' or '' (as it is)."""
    return _decompress(bytes, compression_type=compression_type, name=name)
