"""Slices: `tensor[...]` with all of Python's forms, `tf.strided_slice` and `tf.slice`.

A strided slice is a list of entries, each with begin, end and stride, and five bit masks that say which
entries are `...`, `tf.newaxis` or a single index, and which have no begin or no end. NumPy's indexing means
the same, so kernels turn the entries into an index tuple.
"""

from __future__ import annotations

import builtins
from typing import Any

from tfbench import errors
from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.dimension import Dimension
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.infer import PARTIAL_VALUES, VALUE_FROM_SHAPES, constant_value, partial_sizes
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_fill import ones_like
from tfbench.engine.ops.array_join import stack
from tfbench.engine.ops.shape_ops import shape as _shape_of
from tfbench.engine.ops.shape_ops import shape_from_input
from tfbench.engine.shape_math import dim_sub, merge, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import OPERATORS, Tensor

__all__ = ["newaxis", "slice", "strided_slice"]

newaxis = None

MASK_ATTRS = (
    "begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0"
)


class Masks:
    """The five bit masks of a strided slice."""

    __slots__ = ("begin", "ellipsis", "end", "new_axis", "shrink")

    def __init__(self, begin: int, end: int, ellipsis: int, new_axis: int, shrink: int) -> None:
        self.begin, self.end, self.ellipsis, self.new_axis, self.shrink = begin, end, ellipsis, new_axis, shrink

    @classmethod
    def of(cls, attrs: dict[str, Any]) -> Masks:
        return cls(*[attrs[f"{name}_mask"] for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")])


def index_tuple(begin: Any, end: Any, strides: Any, masks: Masks) -> tuple[Any, ...]:
    """The NumPy index that means this strided slice."""
    index: list[Any] = []
    for i, (first, last, step) in enumerate(zip(begin, end, strides)):
        bit = 1 << i
        if masks.ellipsis & bit:
            index.append(Ellipsis)
        elif masks.new_axis & bit:
            index.append(None)
        elif masks.shrink & bit:
            index.append(0 if masks.begin & bit else first)
        else:
            index.append(builtins.slice(None if masks.begin & bit else first, None if masks.end & bit else last, step))
    return tuple(index)


def _dense(count: int, rank: int, masks: Masks) -> list[tuple[int, int | None]]:
    """For each dimension of the result: (entry, input dimension), -1 for an ellipsis' entry, None for a new axis.

    Raises:
      ValueError: for two ellipses, or more indices than dimensions.
    """
    ellipses = [i for i in range(count) if masks.ellipsis >> i & 1]
    if len(ellipses) > 1:
        raise ValueError("Multiple ellipses in slice spec not allowed")
    at = ellipses[0] if ellipses else count
    added_after = sum(1 for i in range(at + 1, count) if masks.new_axis >> i & 1)
    after = count - at - 1 - added_after if ellipses else 0
    result: list[tuple[int, int | None]] = []
    dimension = 0
    for i in range(count):
        if i == at:
            stop = max(rank - after, dimension)
            result.extend((-1, d) for d in range(dimension, min(stop, rank)))
            dimension = stop
        elif masks.new_axis >> i & 1:
            result.append((i, None))
        else:
            if dimension >= rank:
                if rank == 0:
                    raise ValueError("Attempting to slice scalar input.")
                raise ValueError(f"Index out of range using input dim {dimension}; input has only {rank} dims")
            result.append((i, dimension))
            dimension += 1
    if not ellipses:
        result.extend((-1, d) for d in range(dimension, rank))
    return result


def sliced_shape(
    shape: tuple[int | None, ...],
    begin: list[int] | None,
    end: list[int] | None,
    strides: list[int],
    masks: Masks,
) -> Shape:
    """The shape of a strided slice of a tensor of `shape`; begin and end are None where they are not known.

    Raises:
      ValueError: with TensorFlow's words for what is wrong with the slice.
    """
    result: list[int | None] = []
    for entry, dimension in _dense(len(strides), len(shape), masks):
        if dimension is None:
            result.append(1)
            continue
        size = shape[dimension]
        if entry < 0:
            result.append(size)
            continue
        step = strides[entry]
        if step == 0:
            raise ValueError(f"strides[{dimension}] must be non-zero")
        shrink = masks.shrink >> entry & 1
        no_begin, no_end = masks.begin >> entry & 1, masks.end >> entry & 1
        if shrink:
            if step <= 0:
                raise ValueError("only stride 1 allowed on non-range indexing.")
            if size is not None and begin is not None and end is not None:
                first = 0 if no_begin else begin[entry]
                if not -size <= first < size:
                    raise ValueError(f"slice index {first} of dimension {dimension} out of bounds.")
        elif size is None or not ((begin is not None and end is not None) or (no_begin and no_end)):
            result.append(None)
        else:
            first_of = None if no_begin else begin[entry]  # type: ignore[index]
            last_of = None if no_end else end[entry]  # type: ignore[index]
            result.append(len(range(size)[first_of:last_of:step]))
    return tuple(result)


_strided_slice = op(
    "StridedSlice",
    "input: T, begin: Index, end: Index, strides: Index",
    "output: T",
    f"T: type; Index: {{int16, int32, int64}}; {MASK_ATTRS}",
    views=True,
)


def _known_list(tensor: Tensor) -> list[int] | None:
    value = constant_value(tensor)
    return None if value is None else [int(item) for item in value.ravel()]


def _check_spec(*shapes: Shape) -> int | None:
    """How many entries the vectors of a slice have."""
    common: Shape = (None,)
    for shape in shapes:
        common = merge(common, with_rank(shape, 1))
    return None if common is None else common[0]


@_strided_slice.shape
def _strided_slice_shape(node: Operation, x: Shape, begin: Shape, end: Shape, strides: Shape) -> list[Shape]:
    count = _check_spec(begin, end, strides)
    steps = _known_list(node._inputs[3])
    if x is None or count is None or steps is None:
        return [None]
    masks = Masks.of(node.attrs)
    return [sliced_shape(x, _known_list(node._inputs[1]), _known_list(node._inputs[2]), steps, masks)]


@_strided_slice.kernel(CPU, GPU)
def _strided_slice_kernel(
    xp: Any,
    x: Any,
    begin: Any,
    end: Any,
    strides: Any,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Any:
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    index = index_tuple(begin.tolist(), end.tolist(), strides.tolist(), masks)
    try:
        result = x[index]
        if x.dtype != object:
            return result
        # An index into strings that is complete gives bytes; what flows between kernels are arrays.
        return result if isinstance(result, xp.ndarray) else x[(*index, Ellipsis)] if not ellipsis_mask else result
    except (IndexError, ValueError, TypeError):
        sliced_shape(x.shape, begin.tolist(), end.tolist(), strides.tolist(), masks)
        raise


@_strided_slice.gradient
def _strided_slice_gradient(node: Operation, dy: Any) -> Any:
    x, begin, end, strides = node.inputs
    shape = _shape_of(x, out_type=begin.dtype)
    masks = {key: value for key, value in node.attrs.items() if key.endswith("_mask")}
    return [_strided_slice_grad(shape, begin, end, strides, dy, **masks), None, None, None]


_strided_slice_grad = op(
    "StridedSliceGrad",
    "shape: Index, begin: Index, end: Index, strides: Index, dy: T",
    "output: T",
    f"T: type; Index: {{int32, int64}}; {MASK_ATTRS}",
    fresh=True,
)


@_strided_slice_grad.shape
def _strided_slice_grad_shape(
    node: Operation, shape: Shape, begin: Shape, end: Shape, strides: Shape, dy: Shape
) -> list[Shape]:
    return [shape_from_input(node, 0)]


@_strided_slice_grad.kernel(CPU, GPU)
def _strided_slice_grad_kernel(
    xp: Any,
    shape: Any,
    begin: Any,
    end: Any,
    strides: Any,
    dy: Any,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Any:
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    result = xp.zeros(shape.tolist(), dy.dtype)
    wanted = sliced_shape(result.shape, begin.tolist(), end.tolist(), strides.tolist(), masks)
    if wanted != dy.shape:
        raise errors.InvalidArgumentError(
            None, None, f"shape of dy was {list(dy.shape)} instead of {list(wanted or ())}"
        )
    result[index_tuple(begin.tolist(), end.tolist(), strides.tolist(), masks)] = dy
    return result


@_strided_slice_grad.gradient
def _strided_slice_grad_gradient(node: Operation, dy: Any) -> Any:
    _, begin, end, strides, _ = node.inputs
    masks = {key: value for key, value in node.attrs.items() if key.endswith("_mask")}
    return [None, None, None, None, _strided_slice(dy, begin, end, strides, **masks)]


def _slice_of_sizes(node: Operation, sizes: list[int | None]) -> list[int | None] | None:
    """The part of partly known sizes that a strided slice takes; a single index gives a list of one."""
    begin, end, steps = [_known_list(tensor) for tensor in node._inputs[1:4]]
    masks = Masks.of(node.attrs)
    if begin is None or end is None or steps is None or len(begin) != 1 or masks.ellipsis or masks.new_axis:
        return None
    part = sizes[index_tuple(begin, end, steps, masks)[0]]
    return part if isinstance(part, list) else [part]


def _partial_strided_slice(node: Operation, follow: Any) -> list[int | None] | None:
    sizes = follow(node._inputs[0])
    # A single size of a partly known shape counts only straight from a Shape (`_value_of_slice`).
    if sizes is None or node._inputs[0]._shape == () or node.attrs["shrink_axis_mask"]:
        return None
    return _slice_of_sizes(node, sizes)


PARTIAL_VALUES["StridedSlice"] = _partial_strided_slice


def _value_of_slice(tensor: Tensor) -> Any:
    """`tf.shape(x)[1]` is known where that one size is."""
    import numpy as np

    source = tensor.op._inputs[0]
    if source.op.type != "Shape" or tensor.op.attrs["shrink_axis_mask"] != 1:
        return None
    known = source.op._inputs[0]._shape
    part = None if known is None else _slice_of_sizes(tensor.op, list(known))
    if part is None or None in part:
        return None
    return np.array(part[0], tensor._dtype.as_numpy_dtype)


VALUE_FROM_SHAPES["StridedSlice"] = _value_of_slice


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """The part of `input_` from `begin` up to `end` by `strides`; each bit of a mask is about one entry."""
    if strides is None:
        strides = ones_like(begin)
    result: Tensor = _strided_slice(
        input_,
        begin,
        end,
        strides,
        name=name,
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
    )
    if var is not None:
        masks = {key: value for key, value in result.op.attrs.items() if key.endswith("_mask")}
        where = (begin, end, strides)

        def assign(value: Any, name: str | None = None) -> Any:
            """Assigns `value` to this part of the variable."""
            return assign_slice(var, where, value, masks, name or f"{result.op.name}/_assign")

        result.assign = assign  # type: ignore[attr-defined]
    return result


def assign_slice(var: Any, where: tuple[Any, Any, Any], value: Any, masks: dict[str, int], name: str) -> Any:
    """Adds the op that puts `value` where a strided slice of `var` lies; gives the variable's value after it."""
    from tfbench.engine.ops.slice_assign import resource_strided_slice_assign, strided_slice_assign

    if hasattr(var, "handle"):
        value = convert_to_tensor(value, dtype=var.dtype.base_dtype)
        return var._after(resource_strided_slice_assign(var.handle, *where, value, name=name, **masks), True)
    return strided_slice_assign(var._ref(), *where, value, name=name, **masks)


# -- tensor[...] -----------------------------------------------------------------------------------------------

_INDEX_TYPES = (dtypes.int16, dtypes.int32, dtypes.int32_ref, dtypes.int64, dtypes.int64_ref)


def _check_index(index: Any) -> None:
    if isinstance(index, (int, Dimension)):
        return
    kind = getattr(index, "dtype", None)
    if kind is None or as_dtype(kind) not in _INDEX_TYPES or (index.shape and len(index.shape) == 1):
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
            f"are valid indices, got {index!r}"
        )


def _given(bound: Any) -> bool:
    return bound is not None and not (isinstance(bound, Dimension) and bound.value is None)


def _bound_type(entry: builtins.slice) -> DType | None:
    """The integer type of the tensors among a slice's bounds, which are checked; None if there is none."""
    kinds = []
    for bound in (entry.start, entry.stop, entry.step):
        if _given(bound):
            _check_index(bound)
            if isinstance(bound, Tensor):
                kinds.append(bound._dtype.base_dtype)
    return next((kind for kind in (dtypes.int64, dtypes.int16, dtypes.int32) if kind in kinds), None)


def _filler(value: int, kind: DType | None) -> Any:
    """What stands for a bound that is not given: a constant where another bound of the slice is a tensor."""
    return value if kind is None else constant(value, kind)


def _is_mask(key: Any) -> bool:
    if isinstance(key, bool):
        return True
    kind = getattr(key, "dtype", None)
    return kind is not None and not isinstance(key, (list, tuple)) and as_dtype(kind).base_dtype is dtypes.bool


def getitem(tensor: Any, key: Any, var: Any = None) -> Tensor:
    """`tensor[key]`: integers, slices, `...`, `tf.newaxis`, scalar integer tensors, or one boolean mask.

    Raises:
      TypeError: for other keys.
      ValueError: for indices out of the static shape.
    """
    if _is_mask(key):
        from tfbench.engine import ops

        return ops.boolean_mask(tensor, key)  # type: ignore[attr-defined,no-any-return,unused-ignore]
    entries = key if isinstance(key, (list, tuple)) else [key]
    begin: list[Any] = []
    end: list[Any] = []
    steps: list[Any] = []
    masks = Masks(0, 0, 0, 0, 0)
    for i, entry in enumerate(entries):
        bit = 1 << i
        first: Any = 0
        last: Any = 0
        step: Any = 1
        if isinstance(entry, builtins.slice):
            kind = _bound_type(entry)
            if _given(entry.start):
                first = entry.start
            else:
                first = _filler(0, kind)
                masks.begin |= bit
            if _given(entry.stop):
                last = entry.stop
            else:
                last = _filler(0, kind)
                masks.end |= bit
            step = entry.step if _given(entry.step) else _filler(1, kind)
        elif entry is Ellipsis:
            masks.ellipsis |= bit
        elif entry is None:
            masks.new_axis |= bit
        else:
            _check_index(entry)
            first, last = entry, entry + 1
            if isinstance(entry, Tensor) and entry._dtype.base_dtype in (dtypes.int16, dtypes.int64):
                step = constant(1, entry._dtype.base_dtype)
            masks.shrink |= bit
        begin.append(first)
        end.append(last)
        steps.append(step)
    with name_scope(None, "strided_slice", [tensor, *begin, *end, *steps]) as scope:
        if begin:
            start, stop, stride = _same_type([stack(begin), stack(end), stack(steps)])
        else:
            start = stop = stride = constant([], dtypes.int32)
        bits = (masks.begin, masks.end, masks.ellipsis, masks.new_axis, masks.shrink)
        return strided_slice(tensor, start, stop, stride, *bits, var=var, name=scope)


def _same_type(vectors: list[Tensor]) -> list[Tensor]:
    """The vectors made int64 where one is."""
    wide = dtypes.int64
    if not any(vector._dtype.base_dtype is wide for vector in vectors):
        return vectors
    return [v if v._dtype.base_dtype is wide else lookup("Cast")(v, DstT=wide) for v in vectors]


OPERATORS["getitem"] = getitem


# -- tf.slice ----------------------------------------------------------------------------------------------------

_slice = op("Slice", "input: T, begin: Index, size: Index", "output: T", "T: type; Index: {int32, int64}", views=True)


@_slice.shape
def _slice_shape(node: Operation, x: Shape, begin: Shape, size: Shape) -> list[Shape]:
    count = _check_spec(begin, size)
    if count is not None:
        x = with_rank(x, count)
    sizes = _known_list(node._inputs[2])
    begins = partial_sizes(node._inputs[1])
    if sizes is not None:
        result: list[int | None] = []
        x = with_rank(x, len(sizes))
        for i, wanted in enumerate(sizes):
            if wanted < -1:
                raise ValueError(
                    f"Out of bounds slicing on dimension {i} of length {x[i]}: sizes vector cannot be < -1, "
                    f"but was {wanted}"
                )
            result.append(dim_sub(x[i], begins[i] if begins else None) if wanted == -1 else wanted)
        return [tuple(result)]
    partial = shape_from_input(node, 2)
    if partial is not None:
        return [partial]
    if x is not None:
        return [(None,) * len(x)]
    return [None if begins is None else (None,) * len(begins)]


@_slice.kernel(CPU, GPU)
def _slice_kernel(xp: Any, x: Any, begin: Any, size: Any) -> Any:
    if begin.ndim != 1 or begin.size != x.ndim or size.size != x.ndim:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Expected begin and size arguments to be 1-D tensors of size {x.ndim}, but got shapes "
            f"{list(begin.shape)} and {list(size.shape)} instead.",
        )
    index: list[Any] = []
    for i, (first, count) in enumerate(zip(begin.tolist(), size.tolist())):
        have = x.shape[i]
        if not 0 <= first <= have:
            raise errors.InvalidArgumentError(None, None, f"Expected begin[{i}] in [0, {have}], but got {first}")
        if count == -1:
            count = have - first
        elif not 0 <= count <= have - first:
            raise errors.InvalidArgumentError(None, None, f"Expected size[{i}] in [0, {have - first}], but got {count}")
        index.append(builtins.slice(first, first + count))
    return x[tuple(index)]


@_slice.gradient
def _slice_gradient(node: Operation, dy: Any) -> Any:
    from tfbench.engine import ops

    x, begin, _ = node.inputs
    rank = ops.rank(x)
    before = ops.reshape(begin, stack([rank, 1]))
    after = ops.reshape(ops.shape(x) - ops.shape(node.outputs[0]) - begin, stack([rank, 1]))  # type: ignore[operator]
    return [ops.pad(dy, ops.concat([before, after], 1)), None, None]  # type: ignore[attr-defined,unused-ignore]


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The part of `input_` that starts at `begin` and has `size` elements a dimension (-1: all that are left)."""
    return _slice(input_, begin, size, name=name)  # type: ignore[no-any-return]


def _partial_slice(node: Operation, follow: Any) -> list[int | None] | None:
    sizes, begin, count = follow(node._inputs[0]), _known_list(node._inputs[1]), _known_list(node._inputs[2])
    if sizes is None or begin is None or count is None or len(begin) != 1:
        return None
    part: list[int | None] = sizes[begin[0] : None if count[0] < 0 else begin[0] + count[0]]
    return part


PARTIAL_VALUES["Slice"] = _partial_slice
