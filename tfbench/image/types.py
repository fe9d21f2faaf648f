"""Images of another type: integers are from 0 to the greatest of their type, numbers with a fraction from 0 to 1."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype, float16, float32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.tensor import Tensor

__all__ = ["convert_image_dtype"]


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Tensor:
    """`image` as `dtype`, scaled to its range. With `saturate`, what is beyond it becomes its nearest end.

    Raises:
      AttributeError: for types that are neither integers nor have a fraction.
    """
    image = convert_to_tensor(image, name="image")
    dtype = as_dtype(dtype)
    kind = image.dtype.base_dtype
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    if not kind.is_floating and not kind.is_integer:
        raise AttributeError("image dtype must be either floating point or integer")
    if dtype == kind:
        return ops.identity(image, name=name)
    with name_scope(name, "convert_image", [image]) as scope:
        if kind.is_integer and dtype.is_integer:
            old, new = kind.max, dtype.max
            if old > new:
                scaled = ops.floordiv(image, (old + 1) // (new + 1))
                return (ops.saturate_cast if saturate else ops.cast)(scaled, dtype, name=scope)
            wide = ops.saturate_cast(image, dtype) if saturate else ops.cast(image, dtype)
            return ops.multiply(wide, (new + 1) // (old + 1), name=scope)
        if kind.is_floating and dtype.is_floating:
            return ops.cast(image, dtype, name=scope)
        if kind.is_integer:
            return ops.multiply(ops.cast(image, dtype), 1.0 / kind.max, name=scope)
        # Half a step more, so that each of the numbers gets an equal share.
        scaled = ops.multiply(image, dtype.max + 0.5)
        return (ops.saturate_cast if saturate else ops.cast)(scaled, dtype, name=scope)


def as_single(image: Tensor) -> Tensor:
    """The image as float32, unless it is float16 or float32."""
    return image if image.dtype.base_dtype in (float16, float32) else convert_image_dtype(image, float32)
