"""What can be known of a tensor's *value* while the graph is built.

Static shapes depend on it: `tf.reshape(x, [-1, tf.shape(x)[1]])` has a known rank and a known last size.
`constant_value` runs kernels on constants; `constant_value_as_shape` also follows shape arithmetic with
unknown parts (`tf.shape(x)`, slices of it, packs, products …).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench.engine.shapes import Shape

if TYPE_CHECKING:
    from tfbench.engine.tensor import Tensor

Array = np.ndarray[Any, Any]

#: values larger than this are not computed while a graph is built
_LARGEST = 1024

#: op types whose value is known from shapes alone: (tensor) -> array or None (filled by `ops/`)
VALUE_FROM_SHAPES: dict[str, Callable[[Any], Array | None]] = {}

#: op types through which partly known sizes are followed: (op, follow) -> list of sizes or None
PARTIAL_VALUES: dict[str, Callable[[Any, Callable[[Any], list[int | None] | None]], list[int | None] | None]] = {}

#: the same for ops of several outputs: (tensor) -> list of sizes or None
PARTIAL_OUTPUTS: dict[str, Callable[[Any], list[int | None] | None]] = {}


def constant_value(tensor: Tensor) -> Array | None:
    """The value of `tensor` as an array where it follows from constants and static shapes, else None."""
    return _value(tensor, {}, 0)


def _value(tensor: Tensor, known: dict[Tensor, Array | None], depth: int) -> Array | None:
    op = tensor.op
    if op.type == "Const":
        return op.attrs["value"]
    if tensor in known:
        return known[tensor]
    known[tensor] = None
    if depth > 64:
        return None
    from_shapes = VALUE_FROM_SHAPES.get(op.type)
    if from_shapes is not None:
        result = from_shapes(tensor)
        if result is not None:
            known[tensor] = result
            return result
    op_def = op.op_def
    kernel = op_def.kernels.get("CPU")
    if op_def.stateful or kernel is None or kernel.binds or not op._inputs or not _small(tensor):
        return None
    if op.type == "PlaceholderWithDefault":  # a run may feed something else
        return None
    values = []
    for source in op._inputs:
        if not _small(source):
            return None
        value = _value(source, known, depth + 1)
        if value is None:
            return None
        values.append(value)
    if op.type == "Switch" and bool(values[1]) != bool(tensor.value_index):
        return None  # nothing comes out on this side
    attrs = {name: op.attrs[name] for name in kernel.attrs if name in op.attrs}
    try:
        with np.errstate(all="ignore"):
            computed = kernel.function(np, *values, **attrs)
    except Exception:
        # A kernel that fails on these constants will say so when it runs, with the op's name.
        return None
    outputs = computed if op_def.returns_tuple else [computed]
    for output, array in zip(op.outputs_list, outputs, strict=False):
        known[output] = np.asarray(array)
    return known.get(tensor)


def _small(tensor: Tensor) -> bool:
    shape = tensor._shape
    size = 1
    # What is not known is tried: it is a few numbers if all that it is made of is.
    for dimension in shape or ():
        size *= 1 if dimension is None else dimension
    return size <= _LARGEST


def constant_value_as_shape(tensor: Tensor) -> Shape:
    """The shape that a 1-D integer tensor describes, with None for sizes that are not known (or are -1)."""
    sizes = partial_sizes(tensor)
    if sizes is None:
        shape = tensor._shape
        if shape is not None and len(shape) == 1 and shape[0] is not None:
            return (None,) * shape[0]
        return None
    return tuple(None if size is None or size < 0 else size for size in sizes)


#: As in TensorFlow these are followed, not computed: the length of `tf.where(constant)` stays unknown in a shape.
_SIZE_BY_SIZE = frozenset(["Shape", "ConcatV2", "StridedSlice"])

PARTIAL_VALUES["Cast"] = lambda op, follow: follow(op._inputs[0])


def partial_sizes(tensor: Tensor) -> list[int | None] | None:
    """The elements of a scalar or 1-D integer tensor, None for each that is not known; None if none can be listed."""
    if tensor.op.type in _SIZE_BY_SIZE:
        sizes = PARTIAL_VALUES[tensor.op.type](tensor.op, partial_sizes)
        if sizes is not None:
            return sizes
    value = constant_value(tensor)
    if value is not None:
        if value.ndim > 1 or value.dtype.kind not in "iu":
            return None
        return [int(item) for item in np.atleast_1d(value)]
    if tensor.op.type == "Unpack":
        sizes = partial_sizes(tensor.op._inputs[0])
        return None if sizes is None else [sizes[tensor.value_index]]
    of_output = PARTIAL_OUTPUTS.get(tensor.op.type)
    if of_output is not None:
        return of_output(tensor)
    rule = PARTIAL_VALUES.get(tensor.op.type)
    if rule is None:
        return None
    return rule(tensor.op, partial_sizes)
