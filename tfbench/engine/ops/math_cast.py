"""Conversions between types."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.composite import IndexedSlices, SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype, type_word
from tfbench.engine.graph import Operation
from tfbench.engine.infer import PARTIAL_VALUES
from tfbench.engine.kernel_errors import unimplemented
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.math_common import same_shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "cast", "to_bfloat16", "to_complex64", "to_complex128", "to_double", "to_float", "to_int32",
    "to_int64",
]  # fmt: skip

_cast = op("Cast", "x: SrcT", "y: DstT", "SrcT: type; DstT: type; Truncate: bool = false", fresh=True)
_cast.shape(same_shape)


def _partial_cast(node: Operation, follow: Any) -> list[int | None] | None:
    """Sizes that are known in part stay so as another type of integer."""
    return follow(node._inputs[0]) if node.attrs["DstT"].is_integer else None


PARTIAL_VALUES["Cast"] = _partial_cast


@_cast.kernel(CPU, GPU)
def _cast_kernel(xp: Any, x: Any, *, DstT: Any, Truncate: bool) -> Any:
    if x.dtype == object or DstT.as_numpy_dtype is object:
        raise unimplemented(f"Cast {type_word(as_dtype(x.dtype))} to {type_word(DstT)} is not supported")
    if x.dtype.kind == "c" and not DstT.is_complex:
        x = x.real
    result = x.astype(DstT.as_numpy_dtype)
    if Truncate and DstT.is_floating and DstT.size < x.dtype.itemsize and x.dtype.kind == "f":
        # Rounding went away from zero where the result is larger.
        larger = xp.absolute(result.astype(x.dtype)) > xp.absolute(x)
        return xp.where(larger, xp.nextafter(result, result.dtype.type(0)), result)
    return result


def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """`x` as another type: floats lose their fraction in integers, complex numbers their imaginary part in reals.

    A tensor that has the type already comes back as it is. Of a SparseTensor or IndexedSlices, the values are cast.
    """
    wanted = as_dtype(dtype).base_dtype
    if isinstance(x, Tensor) and x._dtype.base_dtype is wanted:
        return x
    values = x.values if isinstance(x, (IndexedSlices, SparseTensor)) else x
    with name_scope(name, "Cast", [values]) as scope:
        values = convert_to_tensor(values, name="x")
        if values._dtype.base_dtype is not wanted:
            values = _cast(values, DstT=wanted, name=scope)
    if isinstance(x, SparseTensor):
        return SparseTensor(x.indices, values, x.dense_shape)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(values, x.indices, x.dense_shape)
    return values


def to_float(x: Any, name: str | None = "ToFloat") -> Any:
    """`x` as float32."""
    return cast(x, dtypes.float32, name)


def to_double(x: Any, name: str | None = "ToDouble") -> Any:
    """`x` as float64."""
    return cast(x, dtypes.float64, name)


def to_int32(x: Any, name: str | None = "ToInt32") -> Any:
    """`x` as int32."""
    return cast(x, dtypes.int32, name)


def to_int64(x: Any, name: str | None = "ToInt64") -> Any:
    """`x` as int64."""
    return cast(x, dtypes.int64, name)


def to_bfloat16(x: Any, name: str | None = "ToBFloat16") -> Any:
    """`x` as bfloat16."""
    return cast(x, dtypes.bfloat16, name)


def to_complex64(x: Any, name: str | None = "ToComplex64") -> Any:
    """`x` as complex64."""
    return cast(x, dtypes.complex64, name)


def to_complex128(x: Any, name: str | None = "ToComplex128") -> Any:
    """`x` as complex128."""
    return cast(x, dtypes.complex128, name)
