"""Conversions between types."""

from __future__ import annotations

from typing import Any

from tfbench import errors
from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.math_common import same_shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "cast", "to_bfloat16", "to_complex64", "to_complex128", "to_double", "to_float", "to_int32", "to_int64",
]  # fmt: skip

_cast = op("Cast", "x: SrcT", "y: DstT", "SrcT: type; DstT: type; Truncate: bool = false", fresh=True)
_cast.shape(same_shape)


@_cast.kernel(CPU, GPU)
def _cast_kernel(xp: Any, x: Any, *, DstT: Any) -> Any:  # noqa: N803 - TensorFlow's name
    if x.dtype == object or DstT.as_numpy_dtype is object:
        raise errors.UnimplementedError(
            None, None, f"Cast {dtypes.as_dtype(x.dtype).name} to {DstT.name} is not supported"
        )
    if x.dtype.kind == "c" and not DstT.is_complex and not DstT.is_bool:
        x = x.real
    return x.astype(DstT.as_numpy_dtype)


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`x` as another type: floats lose their fraction in integers, complex numbers their imaginary part in reals.

    A tensor that has the type already comes back as it is.
    """
    wanted = as_dtype(dtype).base_dtype
    if isinstance(x, Tensor) and x._dtype.base_dtype is wanted:
        return x
    with name_scope(name, "Cast", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x._dtype.base_dtype is wanted:
            return x  # type: ignore[no-any-return]
        return _cast(x, DstT=wanted, name=scope)  # type: ignore[no-any-return]


def to_float(x: Any, name: str | None = "ToFloat") -> Tensor:
    """`x` as float32."""
    return cast(x, dtypes.float32, name)


def to_double(x: Any, name: str | None = "ToDouble") -> Tensor:
    """`x` as float64."""
    return cast(x, dtypes.float64, name)


def to_int32(x: Any, name: str | None = "ToInt32") -> Tensor:
    """`x` as int32."""
    return cast(x, dtypes.int32, name)


def to_int64(x: Any, name: str | None = "ToInt64") -> Tensor:
    """`x` as int64."""
    return cast(x, dtypes.int64, name)


def to_bfloat16(x: Any, name: str | None = "ToBFloat16") -> Tensor:
    """`x` as bfloat16."""
    return cast(x, dtypes.bfloat16, name)


def to_complex64(x: Any, name: str | None = "ToComplex64") -> Tensor:
    """`x` as complex64."""
    return cast(x, dtypes.complex64, name)


def to_complex128(x: Any, name: str | None = "ToComplex128") -> Tensor:
    """`x` as complex128."""
    return cast(x, dtypes.complex128, name)
