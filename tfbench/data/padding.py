"""What `padded_batch` fills elements up to, and with what."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.data import specs, structure
from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.infer import constant_value_as_shape
from tfbench.engine.shapes import Dimension, TensorShape
from tfbench.engine.tensor import Tensor


def shapes_of(element_spec: Any, padded_shapes: Any) -> list[Tensor]:
    """The shape to pad each component to, as vectors; -1 stands for the largest of the batch.

    Raises:
      TypeError: for components that cannot be padded.
      ValueError: if a shape does not fit its component.
    """
    for spec in structure.flatten(element_spec):
        if not isinstance(spec, specs.TensorSpec):
            raise TypeError(f"`padded_batch` is only supported for datasets that produce tensor elements, not {spec}.")
    if padded_shapes is None:
        padded_shapes = specs.legacy_shapes(element_spec)
        for shape in structure.flatten(padded_shapes):
            if shape.ndims is None:
                raise ValueError(
                    "You must provide `padded_shapes` argument because component has an unknown rank: "
                    f"{specs.legacy_shapes(element_spec)}"
                )
    found: list[Tensor] = []

    def one(spec: Any, shape: Any) -> None:
        found.append(_shape_tensor(shape, spec.shape))

    structure.map_up_to(one, element_spec, padded_shapes)
    return found


def _shape_tensor(padded: Any, component: TensorShape) -> Tensor:
    if isinstance(padded, Tensor):
        if padded.shape.ndims not in (None, 1):
            raise ValueError(
                f"Padded shape {padded} must be a `tf.int64` vector tensor, but its shape was {padded.shape}."
            )
        if padded.dtype is not dtypes.int64:
            raise TypeError(
                f"Padded shape {padded} must be a `tf.int64` vector tensor, but its dtype was {padded.dtype}."
            )
        sizes = constant_value_as_shape(padded)
        tensor = padded
    else:
        dims = padded.dims if isinstance(padded, TensorShape) else padded
        if dims is None:
            raise ValueError("A padded shape has to have a known rank.")
        if not hasattr(dims, "__iter__"):
            raise TypeError(f"A padded shape is a list of sizes (None or -1: the largest), but got {padded!r}.")
        plain = [size.value if isinstance(size, Dimension) else size for size in dims]
        if any(hasattr(size, "__iter__") for size in plain):
            raise TypeError(f"Failed to convert elements of {padded} to Tensor: a padded shape is a list of sizes.")
        sizes = tuple(None if size in (None, -1) else int(size) for size in plain)
        tensor = convert_to_tensor([-1 if size is None else size for size in sizes], dtype=dtypes.int64)
    _check_fits(sizes, component)
    return tensor


def _check_fits(sizes: Any, component: TensorShape) -> None:
    if sizes is None or component.ndims is None:
        return
    shape = TensorShape(sizes)
    fits = len(sizes) == component.ndims and all(
        size is None or own is None or own <= size for size, own in zip(sizes, component.as_list(), strict=True)
    )
    if not fits:
        raise ValueError(
            f"The padded shape {shape} is not compatible with the shape {component} of the corresponding input "
            "component."
        )


def padding_of(element_spec: Any, padding_values: Any) -> list[Tensor]:
    """What each component is filled up with: zeros or empty strings by default.

    Raises:
      TypeError: if a value is of another type than its component. ValueError: if it is no scalar.
    """
    if padding_values is None:
        padding_values = structure.map_structure(lambda _: None, element_spec)
    elif not structure.is_nested(padding_values):
        single = padding_values
        padding_values = structure.map_structure(lambda _: single, element_spec)
    found: list[Tensor] = []
    structure.map_up_to(lambda spec, value: found.append(_padding(spec, value)), element_spec, padding_values)
    return found


def _padding(spec: Any, value: Any) -> Tensor:
    if value is None:
        value = b"" if spec.dtype is dtypes.string else np.zeros((), spec.dtype.as_numpy_dtype)
        return constant(value, dtype=spec.dtype, name="padding_value")
    tensor = convert_to_tensor(value, name="padding_value")
    if tensor.shape.ndims not in (None, 0):
        raise ValueError(f"Invalid `padding_values`. `padding_values` should be scalars, but got {tensor.shape}.")
    if tensor.dtype.base_dtype is not spec.dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype.base_dtype} does not match type "
            f"{spec.dtype} of the corresponding input component."
        )
    return tensor


def spec_of(element_spec: Any, shapes: list[Tensor], batch_size: int | None) -> Any:
    """The spec of the batches."""
    parts = []
    for spec, shape in zip(structure.flatten(element_spec), shapes, strict=True):
        inner = TensorShape(constant_value_as_shape(shape))
        parts.append(specs.TensorSpec(TensorShape([batch_size]).concatenate(inner), spec.dtype))
    return structure.pack(element_spec, parts)
