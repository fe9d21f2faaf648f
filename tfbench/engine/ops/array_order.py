"""Ops that put elements in another order: Transpose, ReverseV2, ReverseSequence, Roll, InvertPermutation."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.composite import IndexedSlices
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_common import known_list, replaced
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.shape_ops import rank as _rank
from tfbench.engine.ops.shape_ops import renamed
from tfbench.engine.shape_math import (
    dim_merge,
    merge,
    num_elements,
    with_dim,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "invert_permutation", "matrix_transpose", "reverse", "reverse_sequence", "reverse_v2", "roll", "transpose",
]  # fmt: skip

_TRANSPOSE = ("x: T, perm: Tperm", "y: T", "T: type; Tperm: {int32, int64} = int32")
_transpose = op("Transpose", *_TRANSPOSE, views=True)
_conjugate_transpose = op("ConjugateTranspose", *_TRANSPOSE, fresh=True)


@_transpose.shape
def _transpose_shape(node: Operation, x: Shape, perm: Shape) -> list[Shape]:
    order = known_list(node._inputs[1])
    count = num_elements(perm)
    if x is None and count is None and order is None:
        return [None]
    rank = len(x) if x is not None else count if count is not None else len(order or ())
    if x is None and rank < 2:
        # One number says nothing: a scalar and a vector both come out as they are.
        return [None]
    x = with_rank(x, rank)
    with_dim(with_rank(perm, 1)[0], rank)
    if order is None:
        return [(None,) * rank]
    for axis in order:
        if not -rank < axis < rank:
            raise ValueError(f"perm dim {axis} is out of range of input rank {rank}")
    return [tuple(x[axis] for axis in order)]


_conjugate_transpose.shape(_transpose_shape)


def _permuted(x: Any, perm: Any) -> Any:
    order = perm.tolist()
    try:
        return x.transpose(order)
    except ValueError:
        pass
    rank = x.ndim
    if perm.ndim != 1 or len(order) != rank:
        raise invalid(f"transpose expects a vector of size {rank}. But input(1) is a vector of size {perm.size}")
    for axis in order:
        if not -rank <= axis < rank:
            raise invalid(f"{axis} is out of range [0 .. {rank})")
    present = {axis % rank for axis in order}
    missing = next(axis for axis in range(rank) if axis not in present)
    raise invalid(f"{missing} is missing from {{{','.join(str(axis) for axis in order)}}}.")


@_transpose.kernel(CPU, GPU)
def _transpose_kernel(xp: Any, x: Any, perm: Any) -> Any:
    return _permuted(x, perm)


@_conjugate_transpose.kernel(CPU, GPU)
def _conjugate_transpose_kernel(xp: Any, x: Any, perm: Any) -> Any:
    return xp.conjugate(_permuted(x, perm))


@_transpose.gradient
def _transpose_gradient(node: Operation, dy: Any) -> Any:
    return [transpose(dy, invert_permutation(node.inputs[1])), None]


@_conjugate_transpose.gradient
def _conjugate_transpose_gradient(node: Operation, dy: Any) -> Any:
    return [transpose(dy, invert_permutation(node.inputs[1]), conjugate=True), None]


def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Tensor:
    """`a` with its axes in the order `perm` (default: back to front); complex numbers conjugated if asked."""
    with name_scope(name, "transpose", [a]) as scope:
        # TensorFlow leaves rows to the op to convert, which calls its input x.
        tensor: Any = (
            a if isinstance(a, Tensor) else convert_to_tensor(a, name="x" if isinstance(a, IndexedSlices) else "a")
        )
        opdef = _conjugate_transpose if conjugate and tensor.dtype.is_complex else _transpose
        if perm is None:
            if tensor._shape is None:
                perm = lookup("Range")(_rank(tensor) - 1, -1, -1)
            else:
                perm = np.arange(len(tensor._shape) - 1, -1, -1, dtype=np.int32)
        return opdef(tensor, perm, name=scope)


def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """`a` with its last two axes exchanged.

    Raises:
      ValueError: if its rank is known to be less than 2.
    """
    with name_scope(name, None, [a]):
        tensor = convert_to_tensor(a, name="a")
        shape = tensor._shape
        perm: Any
        if shape is not None:
            rank = len(shape)
            if rank < 2:
                raise ValueError(
                    f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with shape: "
                    f"{tensor.shape}"
                )
            perm = [*range(rank - 2), rank - 1, rank - 2]
        else:
            count = _rank(tensor)
            perm = concat([lookup("Range")(0, count - 2, 1), [count - 1, count - 2]], 0)
        return transpose(tensor, perm, conjugate=conjugate)


# -- reversing -------------------------------------------------------------------------------------------------

_reverse_v2 = op(
    "ReverseV2",
    "tensor: T, axis: Tidx",
    "output: T",
    "Tidx: {int32, int64} = int32; T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, "
    "half, float, double, complex64, complex128, string}",
    views=True,
)


def _reversed_axes(axes: list[int], rank: int) -> list[int]:
    found: list[int] = []
    for i, axis in enumerate(axes):
        if not -rank <= axis < rank:
            raise ValueError(f"'axis'[{i}] = {axis} is out of valid range [0, {rank - 1}")
        if axis % rank in found:
            raise ValueError(f"axis {axis % rank} specified more than once.")
        found.append(axis % rank)
    return found


@_reverse_v2.shape
def _reverse_v2_shape(node: Operation, x: Shape, axis: Shape) -> list[Shape]:
    with_rank(axis, 1)
    axes = known_list(node._inputs[1])
    if x is not None and axes is not None:
        _reversed_axes(axes, len(x))
    return [x]


@_reverse_v2.kernel(CPU, GPU)
def _reverse_v2_kernel(xp: Any, x: Any, axis: Any) -> Any:
    index = [slice(None)] * x.ndim
    for position in _reversed_axes(axis.tolist(), x.ndim):
        index[position] = slice(None, None, -1)
    return x[tuple(index)] if index else x


@_reverse_v2.gradient
def _reverse_v2_gradient(node: Operation, dy: Any) -> Any:
    return [reverse(dy, node.inputs[1]), None]


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """`tensor` with the elements along each of the axes in `axis` in the opposite order."""
    return _reverse_v2(tensor, axis, name=name)


reverse_v2 = reverse

_reverse_sequence = op(
    "ReverseSequence",
    "input: T, seq_lengths: Tlen",
    "output: T",
    "seq_dim: int; batch_dim: int = 0; T: type; Tlen: {int32, int64} = int64",
    fresh=True,
)


@_reverse_sequence.shape
def _reverse_sequence_shape(node: Operation, x: Shape, lengths: Shape) -> list[Shape]:
    (count,) = with_rank(lengths, 1)
    if x is None:
        return [None]
    batch, sequence = node.attrs["batch_dim"], node.attrs["seq_dim"]
    if batch >= len(x):
        raise ValueError(f"batch_dim must be < input rank: {batch} vs. {len(x)}")
    if sequence >= len(x):
        raise ValueError(f"seq_dim must be < input rank: {sequence} vs. {len(x)}")
    return [replaced(x, batch % len(x), dim_merge(x[batch], count))]


@_reverse_sequence.kernel(CPU, GPU)
def _reverse_sequence_kernel(xp: Any, x: Any, lengths: Any, *, seq_dim: int, batch_dim: int) -> Any:
    if seq_dim == batch_dim:
        raise invalid(f"batch_dim == seq_dim == {seq_dim}")
    if not 0 <= seq_dim < x.ndim or not 0 <= batch_dim < x.ndim:
        raise invalid(f"seq_dim {seq_dim} and batch_dim {batch_dim} must be axes of an input of rank {x.ndim}")
    if lengths.size != x.shape[batch_dim]:
        raise invalid(f"Length of seq_lens != input.dims({batch_dim}), ({lengths.size} vs. {x.shape[batch_dim]})")
    size = x.shape[seq_dim]
    for i, length in enumerate(lengths.tolist()):
        if length < 0:
            raise invalid(f"seq_lens({i}) < 0")
        if length > size:
            raise invalid(f"seq_lens({i}) > input.dims({seq_dim})")
    steps = xp.arange(size)[None, :]
    ends = lengths.astype(np.int64)[:, None]
    source = xp.where(steps < ends, ends - 1 - steps, steps)
    moved = xp.moveaxis(x, (batch_dim, seq_dim), (0, 1))
    turned = moved[xp.arange(len(ends))[:, None], source]
    return xp.moveaxis(turned, (0, 1), (batch_dim, seq_dim))


@_reverse_sequence.gradient
def _reverse_sequence_gradient(node: Operation, dy: Any) -> Any:
    return [
        _reverse_sequence(dy, node.inputs[1], seq_dim=node.attrs["seq_dim"], batch_dim=node.attrs["batch_dim"]),
        None,
    ]


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """The first `seq_lengths[i]` elements along `seq_axis` reversed, for each i along `batch_axis`."""
    axis = renamed("seq_axis", seq_axis, "seq_dim", seq_dim)
    if axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    return _reverse_sequence(
        input,
        seq_lengths,
        seq_dim=axis,
        batch_dim=renamed("batch_axis", batch_axis, "batch_dim", batch_dim),
        name=name,
    )


# -- rolling and permuting ---------------------------------------------------------------------------------------

_roll = op(
    "Roll",
    "input: T, shift: Tshift, axis: Taxis",
    "output: T",
    "T: type; Tshift: {int32, int64}; Taxis: {int32, int64}",
    fresh=True,
)


@_roll.shape
def _roll_shape(node: Operation, x: Shape, shift: Shape, axis: Shape) -> list[Shape]:
    with_rank_at_least(x, 1)
    with_rank_at_most(shift, 1)
    with_rank_at_most(axis, 1)
    merge(shift, axis)
    return [x]


@_roll.kernel(CPU, GPU)
def _roll_kernel(xp: Any, x: Any, shift: Any, axis: Any) -> Any:
    if shift.ndim > 1 or axis.ndim > 1 or shift.shape != axis.shape:
        raise invalid("shift and axis must have the same size")
    if x.ndim < 1:
        raise invalid("input must be 1-D or higher")
    shifts, axes = shift.reshape(-1).tolist(), axis.reshape(-1).tolist()
    for one in axes:
        if not -x.ndim <= one < x.ndim:
            raise invalid(f"axis {one} is out of range")
    return xp.roll(x, shifts, axes)


@_roll.gradient
def _roll_gradient(node: Operation, dy: Any) -> Any:
    return [roll(dy, -node.inputs[1], node.inputs[2]), None, None]


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """`input` with its elements moved on by `shift` along `axis`; what falls off the end comes in at the front."""
    return _roll(input, shift, axis, name=name)


_invert_permutation = op("InvertPermutation", "x: T", "y: T", "T: {int32, int64} = int32", fresh=True)


@_invert_permutation.shape
def _invert_permutation_shape(node: Operation, x: Shape) -> list[Shape]:
    return [with_rank(x, 1)]


@_invert_permutation.kernel(CPU, GPU)
def _invert_permutation_kernel(xp: Any, x: Any) -> Any:
    result = xp.full(x.size, -1, x.dtype)
    seen: set[int] = set()
    for value in x.tolist():
        if not 0 <= value < x.size:
            raise invalid(f"{value} is not between 0 and {x.size}")
        if value in seen:
            raise invalid(f"{value} is duplicated in the input.")
        seen.add(value)
    result[x] = xp.arange(x.size, dtype=x.dtype)
    return result


_invert_permutation.no_gradient("a permutation is made of integers")


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation y with y[x[i]] = i."""
    return _invert_permutation(x, name=name)
