"""Lists that contain tensors become one tensor where a tensor is expected: a Pack, `packed` or named as the argument.

Ranges become a Range; operations are refused.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.convert import constant, convert_to_tensor, register_tensor_conversion_function
from tfbench.engine.dtypes import DType
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.array_common import is_tensor_like
from tfbench.engine.ops.math_range import range as range_of
from tfbench.engine.tensor import Tensor


def _first_tensor_dtype(values: Any) -> DType | None:
    for value in values:
        if is_tensor_like(value):
            found: DType = value.dtype.base_dtype
            return found
        if isinstance(value, (list, tuple)):
            inner = _first_tensor_dtype(value)
            if inner is not None:
                return inner
    return None


def _cast_tensors(value: Any, dtype: DType) -> Any:
    if isinstance(value, (list, tuple)):
        return [_cast_tensors(item, dtype) for item in value]
    if is_tensor_like(value) and value.dtype.base_dtype is not dtype:
        return lookup("Cast")(convert_to_tensor(value), DstT=dtype)
    return value


def _packed(values: Any, dtype: DType, name: str) -> Tensor | Any:
    """A Pack of `values`, inner lists packed first; the plain list where no tensor is in it."""
    with name_scope(name) as scope:
        has_tensor = False
        converted = []
        for i, value in enumerate(values):
            if is_tensor_like(value):
                if value.dtype.base_dtype is not dtype:
                    raise TypeError(
                        f"Cannot convert a list containing a tensor of dtype {value.dtype} to {dtype} "
                        f"(Tensor is: {value!r})"
                    )
                has_tensor = True
            elif isinstance(value, (list, tuple)):
                value = _packed(value, dtype, str(i))
                has_tensor = has_tensor or is_tensor_like(value)
            converted.append(value)
        if not has_tensor:
            return converted
        tensors = [
            convert_to_tensor(value) if is_tensor_like(value) else constant(value, dtype, name=str(i))
            for i, value in enumerate(converted)
        ]
        return lookup("Pack")(tensors, name=scope)


def _pack_list(value: Any, dtype: DType | None = None, name: str | None = None, as_ref: bool = False) -> Any:
    if as_ref:
        return NotImplemented
    found = _first_tensor_dtype(value)
    if found is None:
        return NotImplemented
    if dtype is None:
        dtype = found
    elif dtype is not found:
        dtype = dtype.base_dtype
        value = _cast_tensors(value, dtype)
    return _packed(value, dtype, name or "packed")


def _range(value: Any, dtype: DType | None = None, name: str | None = None, as_ref: bool = False) -> Any:
    return range_of(value.start, value.stop, value.step, dtype, name)  # type: ignore[arg-type]


def _operation(value: Any, dtype: DType | None = None, name: str | None = None, as_ref: bool = False) -> Any:
    raise TypeError(f"can't convert Operation '{value.name}' to Tensor")


register_tensor_conversion_function((list, tuple), _pack_list, 99)
register_tensor_conversion_function(range, _range, 100)
register_tensor_conversion_function(Operation, _operation, 100)
