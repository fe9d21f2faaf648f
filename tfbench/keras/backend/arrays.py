"""Tensors and variables made, and tensors in other shapes, under the names of `tf.keras.backend`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.init_scope import init_scope
from tfbench.engine.ops.image_resize import resize_bilinear_op, resize_nearest_neighbor_op
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend.config import floatx, image_data_format
from tfbench.keras.backend.state import track_variable
from tfbench.keras.engine.node import int_shape
from tfbench.variables import Variable
from tfbench.variables.base import Variable as AnyVariable

__all__ = [
    "arange", "batch_flatten", "concatenate", "constant", "dtype", "expand_dims", "eye", "flatten", "gather",
    "int_shape", "is_sparse", "name_scope", "ndim", "one_hot", "ones",
    "ones_like", "permute_dimensions", "placeholder", "random_normal_variable", "random_uniform_variable", "repeat",
    "repeat_elements", "reshape", "resize_images", "resize_volumes", "reverse", "shape", "spatial_2d_padding",
    "spatial_3d_padding", "squeeze", "stack", "stop_gradient", "temporal_padding", "tile", "to_dense", "transpose",
    "update", "update_add", "update_sub", "variable", "zeros", "zeros_like",
]  # fmt: skip

gather = ops.gather
reshape = ops.reshape
transpose = ops.transpose


def name_scope(name: str) -> Any:
    """A name scope; made unique, unless it ends in a slash."""
    return get_default_graph().name_scope(name)


# -- made ----------------------------------------------------------------------------------------------------------


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Any:
    """A resource variable with that initial value; of the default type of floats unless given."""
    made = Variable(value, dtype=as_dtype(dtype or floatx()), name=name, constraint=constraint, use_resource=True)
    track_variable(made)
    return made


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """A constant; of the default type of floats unless given."""
    return ops.constant(value, dtype=dtype or floatx(), shape=shape, name=name or "Const")


def placeholder(
    shape: Any = None, ndim: int | None = None, dtype: Any = None, sparse: bool = False, name: str | None = None,
    ragged: bool = False,
) -> Any:  # fmt: skip
    """What is fed; of the default type of floats unless given. `ndim` is enough to say the rank."""
    if ragged:
        raise NotImplementedError("Ragged tensors are not there; pad the rows (`preprocessing.sequence.pad_sequences`)")
    if not shape and ndim:
        shape = (None,) * ndim
    make = ops.sparse_placeholder if sparse else ops.placeholder
    return make(as_dtype(dtype or floatx()), shape=shape, name=name)


def _filled(make: Any, shape: Any, dtype: Any, name: str | None) -> Any:
    with init_scope():
        value = make(shape=shape, dtype=as_dtype(dtype or floatx()), name=name)
        return variable(value, dtype=dtype, name=name) if all(value.shape.as_list()) else value


def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable of zeros; a tensor where a size is not known."""
    return _filled(ops.zeros, shape, dtype, name)


def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A variable of ones; a tensor where a size is not known."""
    return _filled(ops.ones, shape, dtype, name)


def eye(size: int, dtype: Any = None, name: str | None = None) -> Any:
    """A variable with ones on the diagonal."""
    return variable(ops.eye(size, dtype=as_dtype(dtype or floatx())), dtype, name)


def zeros_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros in the shape of `x`."""
    return ops.zeros_like(x, dtype=dtype, name=name)


def ones_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones in the shape of `x`."""
    return ops.ones_like(x, dtype=dtype, name=name)


def random_uniform_variable(
    shape: Any, low: float, high: float, dtype: Any = None, name: str | None = None, seed: int | None = None
) -> Any:
    """A variable that begins with uniform numbers in [low, high)."""
    seed = np.random.randint(10**9) if seed is None else seed
    value = ops.random_uniform(shape, low, high, as_dtype(dtype or floatx()), seed=seed)
    return variable(value, dtype=dtype, name=name)


def random_normal_variable(
    shape: Any, mean: float, scale: float, dtype: Any = None, name: str | None = None, seed: int | None = None
) -> Any:
    """A variable that begins with normal numbers."""
    seed = np.random.randint(10**9) if seed is None else seed
    value = ops.random_normal(shape, mean, scale, as_dtype(dtype or floatx()), seed=seed)
    return variable(value, dtype=dtype, name=name)


def update(x: Any, new_x: Any) -> Any:
    """The operation that sets a variable."""
    return x.assign(new_x)


def update_add(x: Any, increment: Any) -> Any:
    """The operation that adds to a variable."""
    return x.assign_add(increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """The operation that subtracts from a variable."""
    return x.assign_sub(decrement)


# -- asked ---------------------------------------------------------------------------------------------------------


def is_sparse(tensor: Any) -> bool:
    """Whether it is a SparseTensor."""
    return isinstance(tensor, SparseTensor)


def to_dense(tensor: Any) -> Any:
    """A SparseTensor with its zeros; anything else as it is."""
    return ops.sparse_tensor_to_dense(tensor) if is_sparse(tensor) else tensor


def is_keras_tensor(x: Any) -> bool:
    """Whether `x` came out of a layer.

    Raises:
      ValueError: for what is no tensor.
    """
    if not isinstance(x, (Tensor, AnyVariable, SparseTensor)):
        raise ValueError(f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor instance.")
    return hasattr(x, "_keras_history")


def is_placeholder(x: Any) -> bool:
    """Whether `x` has to be fed."""
    return getattr(getattr(x, "op", None), "type", None) == "Placeholder"


def shape(x: Any) -> Tensor:
    """The shape, as a tensor."""
    return ops.shape(x)


def ndim(x: Any) -> int | None:
    """The rank."""
    rank: int | None = x.shape.ndims
    return rank


def dtype(x: Any) -> str:
    """The type's name."""
    return str(x.dtype.base_dtype.name)


# -- in other shapes -----------------------------------------------------------------------------------------------


def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Tensors behind each other along the axis."""
    if axis < 0:
        rank = tensors[0].shape.ndims
        axis = axis % rank if rank else 0
    if all(is_sparse(one) for one in tensors):
        return ops.sparse_concat(axis, tensors)
    return ops.concat([to_dense(one) for one in tensors], axis)


def permute_dimensions(x: Any, pattern: Any) -> Any:
    """The axes in another order."""
    return ops.transpose(x, perm=pattern)


def stack(x: Any, axis: int = 0) -> Any:
    """Tensors along a new axis."""
    return ops.stack(x, axis=axis)


def one_hot(indices: Any, num_classes: int) -> Any:
    """A 1 where the index says, along a new last axis."""
    return ops.one_hot(indices, depth=num_classes, axis=-1)


def reverse(x: Any, axes: Any) -> Any:
    """Backwards along the axes."""
    return ops.reverse(x, [axes] if isinstance(axes, int) else axes)


def repeat(x: Any, n: int) -> Any:
    """Each row (of a matrix) n times along a new axis 1."""
    return ops.tile(ops.expand_dims(x, 1), ops.stack([1, n, 1]))


def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """Each element along the axis `rep` times."""
    size = x.shape.as_list()[axis]
    if size is not None:
        parts = ops.split(value=x, num_or_size_splits=size, axis=axis)
        return concatenate([part for part in parts for _ in range(rep)], axis)
    rank = x.shape.ndims
    repeated = ops.tile(ops.expand_dims(x, axis=axis + 1), [rep if at == axis + 1 else 1 for at in range(rank + 1)])
    factors = ops.constant([rep if at == axis else 1 for at in range(rank)], dtype="int32")
    repeated = ops.reshape(repeated, ops.shape(x) * factors)
    repeated.set_shape(x.shape)
    return repeated


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: str = "int32") -> Any:
    """Numbers from `start` (or 0) up to `stop`."""
    if stop is None and start < 0:
        start = 0
    numbers = ops.range(start, limit=stop, delta=step, name="arange")
    return numbers if dtype == "int32" else ops.cast(numbers, dtype)


def tile(x: Any, n: Any) -> Any:
    """`x` repeated as often as `n` says along each axis."""
    return ops.tile(x, [n] if isinstance(n, int) else n)


def flatten(x: Any) -> Any:
    """A vector of all elements."""
    return ops.reshape(x, [-1])


def batch_flatten(x: Any) -> Any:
    """A vector for each element of the batch."""
    return ops.reshape(x, ops.stack([-1, ops.reduce_prod(ops.shape(x)[1:])]))


def expand_dims(x: Any, axis: int = -1) -> Any:
    """A new axis of size 1."""
    return ops.expand_dims(x, axis)


def squeeze(x: Any, axis: int) -> Any:
    """Without the axis, whose size is 1."""
    return ops.squeeze(x, [axis])


def temporal_padding(x: Any, padding: Any = (1, 1)) -> Any:
    """Zeros before and behind the steps of (batch, steps, channels)."""
    return ops.pad(x, [[0, 0], list(padding), [0, 0]])


def _padded(x: Any, padding: Any, data_format: str | None) -> Any:
    data_format = data_format or image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    space = [list(part) for part in padding]
    return ops.pad(x, [[0, 0], *space, [0, 0]] if data_format == "channels_last" else [[0, 0], [0, 0], *space])


def spatial_2d_padding(x: Any, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None) -> Any:
    """Zeros around images."""
    return _padded(x, padding, data_format)


def spatial_3d_padding(x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None) -> Any:
    """Zeros around volumes."""
    return _padded(x, padding, data_format)


def resize_images(
    x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = "nearest"
) -> Any:
    """Images so many times as large.

    Raises:
      ValueError: for a layout or an interpolation that there is not.
    """
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid `data_format` argument: {data_format}")
    methods = {"nearest": resize_nearest_neighbor_op, "bilinear": resize_bilinear_op}
    if interpolation not in methods:
        raise ValueError('interpolation should be one of "nearest" or "bilinear".')
    first, row = data_format == "channels_first", 2 if data_format == "channels_first" else 1
    known = x.shape.as_list()[row : row + 2]
    size = ops.shape(x)[row : row + 2] * ops.constant(np.array([height_factor, width_factor], np.int32))
    if first:
        x = ops.transpose(x, perm=[0, 2, 3, 1])
    with name_scope("resize"):
        x = methods[interpolation](x, size, half_pixel_centers=True)
    if first:
        x = ops.transpose(x, perm=[0, 3, 1, 2])
    rows, columns = (
        None if length is None else length * factor
        for length, factor in zip(known, (height_factor, width_factor), strict=True)
    )
    x.set_shape([None, None, rows, columns] if first else [None, rows, columns, None])
    return x


def resize_volumes(x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str) -> Any:
    """Volumes so many times as large."""
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {data_format}")
    first = 2 if data_format == "channels_first" else 1
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), first):
        x = repeat_elements(x, factor, axis)
    return x


def stop_gradient(variables: Any) -> Any:
    """The same, but gradients end here; of a list, each."""
    if isinstance(variables, (list, tuple)):
        return map(ops.stop_gradient, variables)
    return ops.stop_gradient(variables)
