"""Data types of tensors: one interned object for each of TensorFlow's DataType numbers.

A type and its reference form are made together (`float32`, `float32_ref`; a reference has the number of its
type plus 100). All that can be known at import is a plain slot, so that reading `dtype.is_floating` or
comparing two types costs a pointer. `as_dtype` is one dictionary lookup for whatever users write: names,
numbers, Python and NumPy types.

NumPy itself lacks bfloat16 and the floats and integers of 8 bits and fewer. They are declared all the same,
since graphs mention them; their NumPy types come from `ml_dtypes`, looked for only when somebody asks.
"""

from __future__ import annotations

from builtins import bool as _bool
from typing import Any

import numpy as np

__all__ = [
    "QUANTIZED_DTYPES", "DType", "as_dtype", "bfloat16", "bfloat16_ref", "bool", "bool_ref", "complex64",
    "complex64_ref", "complex128", "complex128_ref", "double", "double_ref", "float4_e2m1fn",
    "float4_e2m1fn_ref", "float8_e4m3b11fnuz", "float8_e4m3b11fnuz_ref", "float8_e4m3fn",
    "float8_e4m3fn_ref", "float8_e4m3fnuz", "float8_e4m3fnuz_ref", "float8_e5m2", "float8_e5m2_ref",
    "float8_e5m2fnuz", "float8_e5m2fnuz_ref", "float16", "float16_ref", "float32", "float32_ref", "float64",
    "float64_ref", "half", "half_ref", "int2", "int2_ref", "int4", "int4_ref", "int8", "int8_ref", "int16",
    "int16_ref", "int32", "int32_ref", "int64", "int64_ref", "qint8", "qint8_ref", "qint16", "qint16_ref",
    "qint32", "qint32_ref", "quint8", "quint8_ref", "quint16", "quint16_ref", "resource", "resource_ref",
    "string", "string_ref", "uint2", "uint2_ref", "uint4", "uint4_ref", "uint8", "uint8_ref", "uint16",
    "uint16_ref", "uint32", "uint32_ref", "uint64", "uint64_ref", "variant", "variant_ref",
]  # fmt: skip

_REF = 100  # DT_X_REF = DT_X + 100


class DType:
    """The type of a tensor's elements. `DType(1)`, `as_dtype("float32")` and `float32` are one object."""

    __slots__ = (
        "__weakref__", "_as_ref", "_is_ref_dtype", "_np", "_type_enum", "base_dtype", "is_bool", "is_complex",
        "is_floating", "is_integer", "is_numpy_compatible", "is_quantized", "is_unsigned", "name",
        "real_dtype", "size",
    )  # fmt: skip

    name: str
    base_dtype: DType
    real_dtype: DType
    size: int
    is_bool: _bool
    is_integer: _bool
    is_floating: _bool
    is_complex: _bool
    is_quantized: _bool
    is_unsigned: _bool
    is_numpy_compatible: _bool
    _is_ref_dtype: _bool
    _as_ref: DType
    _type_enum: int
    _np: Any  # a NumPy type, or None while it is not known (see as_numpy_dtype)

    def __new__(cls, type_enum: Any) -> DType:
        number = int(type_enum)
        found = _BY_ENUM.get(number)
        if found is None:
            raise TypeError(f"{number} does not correspond to a valid tensorflow::DataType")
        return found

    @property
    def as_datatype_enum(self) -> int:
        """The number of this type in TensorFlow's DataType enum."""
        return self._type_enum

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy type of the elements. KeyError for resource and variant, TypeError without ml_dtypes."""
        found = self._np
        return found if found is not None else _find_numpy_type(self)

    @property
    def min(self) -> Any:
        """The smallest finite value. TypeError for types without one."""
        return _extreme(self, "min")

    @property
    def max(self) -> Any:
        """The largest finite value. TypeError for types without one."""
        return _extreme(self, "max")

    @property
    def limits(self) -> tuple[Any, Any]:
        """(low, high) of an image of this type, negative values left out. ValueError without limits."""
        base = self.base_dtype
        if base is float32 or base is float64:
            return 0, 1
        if base.is_bool:
            return 0, True
        if base.is_integer and base._np is not None:
            return 0, int(np.iinfo(base._np).max)
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: Any) -> _bool:
        """True if `other` (or, for a reference, what it refers to) has this type."""
        other = as_dtype(other)
        return self is other or self is other.base_dtype

    def __eq__(self, other: object) -> _bool:
        if self is other:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return self._type_enum

    def __int__(self) -> int:
        return self._type_enum

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __repr__(self) -> str:
        return "tf." + self.name

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)


_BY_ENUM: dict[int, DType] = {}
_ANY_TO_DTYPE: dict[Any, DType] = {}  # keys: names, NumPy and Python types; numbers are in _BY_ENUM


def _one(enum: int, name: str, numpy_type: Any, size: int, kind: str) -> DType:
    made: DType = object.__new__(DType)
    made._type_enum = enum
    made.name = name
    made._np = numpy_type
    made.size = size
    made.base_dtype = made.real_dtype = made
    made.is_bool = kind == "bool"
    made.is_unsigned = kind == "unsigned"
    made.is_integer = kind == "signed" or kind == "unsigned"
    made.is_floating = kind == "floating"
    made.is_complex = kind == "complex"
    made.is_quantized = kind == "quantized"
    made.is_numpy_compatible = kind != "handle"
    _BY_ENUM[enum] = _ANY_TO_DTYPE[name] = made
    return made


def _pair(enum: int, name: str, numpy_type: Any, size: int, kind: str) -> tuple[DType, DType]:
    plain = _one(enum, name, numpy_type, size, kind)
    reference = _one(enum + _REF, name + "_ref", numpy_type, size, kind)
    reference.base_dtype = plain
    plain._is_ref_dtype = False
    reference._is_ref_dtype = True
    plain._as_ref = reference._as_ref = reference
    if numpy_type is not None:
        _ANY_TO_DTYPE[numpy_type] = plain
    return plain, reference


float32, float32_ref = _pair(1, "float32", np.float32, 4, "floating")
float64, float64_ref = _pair(2, "float64", np.float64, 8, "floating")
int32, int32_ref = _pair(3, "int32", np.int32, 4, "signed")
uint8, uint8_ref = _pair(4, "uint8", np.uint8, 1, "unsigned")
int16, int16_ref = _pair(5, "int16", np.int16, 2, "signed")
int8, int8_ref = _pair(6, "int8", np.int8, 1, "signed")
string, string_ref = _pair(7, "string", object, 0, "string")
complex64, complex64_ref = _pair(8, "complex64", np.complex64, 8, "complex")
int64, int64_ref = _pair(9, "int64", np.int64, 8, "signed")
bool, bool_ref = _pair(10, "bool", np.bool_, 1, "bool")
qint8, qint8_ref = _pair(11, "qint8", None, 1, "quantized")
quint8, quint8_ref = _pair(12, "quint8", None, 1, "quantized")
qint32, qint32_ref = _pair(13, "qint32", None, 4, "quantized")
bfloat16, bfloat16_ref = _pair(14, "bfloat16", None, 2, "floating")
qint16, qint16_ref = _pair(15, "qint16", None, 2, "quantized")
quint16, quint16_ref = _pair(16, "quint16", None, 2, "quantized")
uint16, uint16_ref = _pair(17, "uint16", np.uint16, 2, "unsigned")
complex128, complex128_ref = _pair(18, "complex128", np.complex128, 16, "complex")
float16, float16_ref = _pair(19, "float16", np.float16, 2, "floating")
resource, resource_ref = _pair(20, "resource", None, 0, "handle")
variant, variant_ref = _pair(21, "variant", None, 0, "handle")
uint32, uint32_ref = _pair(22, "uint32", np.uint32, 4, "unsigned")
uint64, uint64_ref = _pair(23, "uint64", np.uint64, 8, "unsigned")
float8_e5m2, float8_e5m2_ref = _pair(24, "float8_e5m2", None, 1, "floating")
float8_e4m3fn, float8_e4m3fn_ref = _pair(25, "float8_e4m3fn", None, 1, "floating")
float8_e4m3fnuz, float8_e4m3fnuz_ref = _pair(26, "float8_e4m3fnuz", None, 1, "floating")
float8_e4m3b11fnuz, float8_e4m3b11fnuz_ref = _pair(27, "float8_e4m3b11fnuz", None, 1, "floating")
float8_e5m2fnuz, float8_e5m2fnuz_ref = _pair(28, "float8_e5m2fnuz", None, 1, "floating")
int4, int4_ref = _pair(29, "int4", None, 1, "signed")
uint4, uint4_ref = _pair(30, "uint4", None, 1, "unsigned")
int2, int2_ref = _pair(31, "int2", None, 1, "signed")
uint2, uint2_ref = _pair(32, "uint2", None, 1, "unsigned")
float4_e2m1fn, float4_e2m1fn_ref = _pair(33, "float4_e2m1fn", None, 1, "floating")

half, half_ref = float16, float16_ref
double, double_ref = float64, float64_ref

complex64.real_dtype = complex64_ref.real_dtype = float32
complex128.real_dtype = complex128_ref.real_dtype = float64

QUANTIZED_DTYPES = frozenset(dtype for dtype in _BY_ENUM.values() if dtype.is_quantized)

_QUANTIZED_STORAGE = {
    "qint8": np.int8, "quint8": np.uint8, "qint16": np.int16, "quint16": np.uint16, "qint32": np.int32,
}  # fmt: skip

_ANY_TO_DTYPE.update({
    "half": half, "half_ref": half_ref, "float": float32, "float_ref": float32_ref,
    "double": double, "double_ref": double_ref,
    float: float32, _bool: bool, np.object_: string, np.str_: string, np.bytes_: string,
})  # fmt: skip


def as_dtype(type_value: Any) -> DType:
    """The DType that a DType, name, DataType number, Python type, NumPy type or NumPy dtype stands for.

    TypeError if there is none: Python's `int` and `str` say no size, so they are not accepted.
    """
    if type(type_value) is DType:
        return type_value
    try:
        found = _ANY_TO_DTYPE.get(type_value)
    except TypeError:  # not hashable
        found = None
    if found is not None:
        return found
    if isinstance(type_value, (int, float)):
        found = _BY_ENUM.get(type_value)  # type: ignore[arg-type]  # 1.0 is found as 1 is
    else:
        found = _from_numpy(type_value)
    if found is None:
        raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")
    return found


_C_INTEGERS = (np.intc, np.uintc, np.longlong, np.ulonglong)


def _from_numpy(value: Any) -> DType | None:
    """The type of a NumPy dtype, array or scalar, or of a C integer type that only a platform tells apart."""
    described = value if isinstance(value, (np.dtype, type)) else getattr(value, "dtype", None)
    if isinstance(described, type):
        if described not in _C_INTEGERS:
            return _from_ml_dtypes(described)
        described = np.dtype(described)
    if not isinstance(described, np.dtype):
        return None
    found = _ANY_TO_DTYPE.get(described.type)
    if found is not None:
        return found
    if described.names and len(described.names) == 1 and described.names[0] in _QUANTIZED_STORAGE:
        return _ANY_TO_DTYPE[described.names[0]]
    if described.kind in "iu":
        return _ANY_TO_DTYPE.get(f"{'u' if described.kind == 'u' else ''}int{8 * described.itemsize}")
    return _from_ml_dtypes(described.type)


def _from_ml_dtypes(scalar_type: type) -> DType | None:
    if scalar_type.__module__ != "ml_dtypes":
        return None
    return _ANY_TO_DTYPE.get(scalar_type.__name__)


def _find_numpy_type(dtype: DType) -> Any:
    base = dtype.base_dtype
    if base._np is None:
        if not base.is_numpy_compatible:
            raise KeyError(f"NumPy has no type for {dtype}: its tensors are handles, not arrays.")
        if base.is_quantized:
            base._np = np.dtype([(base.name, _QUANTIZED_STORAGE[base.name])])
        else:
            base._np = getattr(_ml_dtypes(dtype), base.name)
    dtype._np = base._np
    return base._np


def _ml_dtypes(dtype: DType) -> Any:
    try:
        import ml_dtypes  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise TypeError(
            f"{dtype} has no NumPy type: NumPy does not know {dtype.base_dtype.name}. "
            "Install the package ml_dtypes, or cast to tf.float32."
        ) from None
    return ml_dtypes


def type_word(dtype: DType) -> str:
    """A type as TensorFlow's runtime calls it in messages: float32 is `float` there."""
    name = dtype.base_dtype.name
    return _WORDS.get(name, name)


_WORDS = {"float32": "float", "float64": "double", "float16": "half"}


def _extreme(dtype: DType, which: str) -> Any:
    base = dtype.base_dtype
    if not (base.is_floating or base.is_integer):
        word = "minimum" if which == "min" else "maximum"
        if not base.is_numpy_compatible:
            raise TypeError(f"Cannot find {word} value of {dtype}.")
        kind = "quantized type" if base.is_quantized else "type"
        raise TypeError(f"Cannot find {word} value of {dtype} with {kind} {base}.")
    numpy_type = base.as_numpy_dtype
    library = np if numpy_type.__module__ == "numpy" else _ml_dtypes(dtype)
    return getattr((library.finfo if base.is_floating else library.iinfo)(numpy_type), which)
