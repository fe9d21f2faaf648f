"""Data sets of tensors, numbers, files' names and Python generators. Each returns a handle and the elements' spec."""

from __future__ import annotations

from typing import Any

from tfbench.data import elements, specs, structure
from tfbench.data.transformations import Made, described, integer
from tfbench.engine import dtypes
from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.ops import dataset_sources as ops
from tfbench.engine.ops import files
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.comparison import greater
from tfbench.engine.ops.math_binary import add
from tfbench.engine.ops.shape_ops import reshape
from tfbench.engine.ops.shape_queries import shape
from tfbench.engine.ops.strings import reduce_join
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor


def tensors(values: Any) -> Made:
    element = elements.normalized(values)
    spec = elements.spec_of(element)
    return ops.tensors(specs.to_flat(element), output_shapes=specs.flat_shapes(spec)), spec


def slices(values: Any) -> Made:
    element = elements.normalized(values)
    spec = specs.unbatched(elements.spec_of(element))
    size = TensorShape([None])[0]
    for component in structure.flatten(element):
        size = size.merge_with(TensorShape(component.shape)[0])
    handle = ops.tensor_slices(specs.to_flat_batches(element), output_shapes=specs.flat_shapes(spec), is_files=False)
    return handle, spec


def file_names(names: Tensor) -> Made:
    """The names in a vector, each the name of a file."""
    spec = specs.TensorSpec([], dtypes.string)
    return ops.tensor_slices([names], output_shapes=[TensorShape([])], is_files=True), spec


def sparse_slices(sparse: Any) -> Made:
    if not isinstance(sparse, SparseTensor):
        raise TypeError(f"Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got {sparse!r}.")
    handle = ops.sparse_slices(sparse.indices, sparse.values, sparse.dense_shape)
    rank = sparse.dense_shape.shape[0].value
    inner = None if rank is None else rank - 1
    spec = (
        specs.TensorSpec([None, inner], dtypes.int64),
        specs.TensorSpec([None], sparse.dtype),
        specs.TensorSpec([inner], dtypes.int64),
    )
    return handle, spec


def numbers(arguments: tuple[Any, ...], output_type: Any) -> Made:
    if not 1 <= len(arguments) <= 3:
        raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(arguments)}.")
    start, step = 0, 1
    if len(arguments) == 1:
        (stop,) = arguments
    elif len(arguments) == 2:
        start, stop = arguments
    else:
        start, stop, step = arguments
    bounds = integer(start, "start"), integer(stop, "stop"), integer(step, "step")
    spec = specs.TensorSpec([], as_dtype(output_type))
    return ops.numbers(*bounds, **described(spec)), spec


def matching_files(pattern: Any) -> Tensor:
    """The names of the files that match, at least one, when it is run."""
    pattern = convert_to_tensor(pattern, dtype=dtypes.string, name="file_pattern")
    names = files.matching_files(pattern)
    found = greater(shape(names)[0], 0, name="match_not_empty")
    message = add("No files matched pattern: ", reduce_join(pattern, separator=", "), name="message")
    check = Assert(found, [message], summarize=1, name="assert_not_empty")
    with get_default_graph().control_dependencies([check]):
        return identity(names)


def vector_of_names(names: Any, name: str = "flat_filenames") -> Tensor:
    """File names as a vector of strings.

    Raises:
      TypeError: if they are no strings.
    """
    tensor = convert_to_tensor(names)
    if tensor.dtype is not dtypes.string:
        raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got {tensor.dtype!r} elements.")
    return reshape(tensor, [-1], name=name)
