"""Where the largest and smallest elements are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.shape_ops import renamed
from tfbench.engine.tensor import Tensor

__all__ = ["arg_max", "arg_min", "argmax", "argmin"]

_TYPES = (
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32,"
    " qint16, quint16, bool}"
)
_arg_max = op(
    "ArgMax",
    "input: T, dimension: Tidx",
    "output: output_type",
    f"T: {_TYPES}; Tidx: {{int16, int32, int64}} = int32; output_type: {{int16, uint16, int32, int64}} = int64",
    fresh=True,
)
_arg_min = op(
    "ArgMin",
    "input: T, dimension: Tidx",
    "output: output_type",
    f"T: {_TYPES}; Tidx: indextype = int32; output_type: indextype = int64",
    fresh=True,
)


def _arg_shape(node: Operation, x: Any, dimension: Any) -> Any:
    if dimension:
        raise ValueError(f"Shape must be rank 0 but is rank {len(dimension)}")
    if x is None:
        return [None]
    if len(x) <= 1:
        return [()]
    value = constant_value(node._inputs[1])
    if value is None:
        return [(None,) * (len(x) - 1)]
    axis, rank = int(value), len(x)
    if not -rank <= axis < rank:
        raise ValueError(
            f"Dimension ({axis}) must be in the range [{-rank}, {rank}), where {rank} is the number of "
            "dimensions in the input."
        )
    axis %= rank
    return [x[:axis] + x[axis + 1 :]]


def _kernel(opdef: OpDef, name: str, worst: float) -> None:
    def extreme(xp: Any, x: Any) -> Any:
        """NaN if there is one in x."""
        return x.max() if x.size else 0.0

    def run(xp: Any, x: Any, dimension: Any, *, output_type: Any) -> Any:
        axis, rank = int(dimension), x.ndim
        if not -rank <= axis < rank:
            raise invalid(f"Expected dimension in the range [{-rank}, {rank}), but got {axis}")
        if x.shape[axis] == 0:
            raise invalid(f"Reduction axis {axis % rank} is empty in shape {list(x.shape)}")
        if xp is not np and x.dtype.kind == "f":
            # As below, without waiting to see whether there is a NaN.
            x = xp.where(xp.isnan(x), x.dtype.type(worst), x)
        places = getattr(xp, name)(x, axis=axis)
        if xp is np and x.dtype.kind == "f" and xp.isnan(extreme(xp, x)):
            # NumPy stops at the first NaN; TensorFlow never takes one, since comparisons with it are false.
            places = getattr(xp, name)(xp.where(xp.isnan(x), x.dtype.type(worst), x), axis=axis)
        return xp.asarray(places).astype(output_type.as_numpy_dtype)

    opdef.shape(_arg_shape)
    opdef.kernel(CPU, GPU)(run)
    opdef.no_gradient("an index is constant almost everywhere")


_kernel(_arg_max, "argmax", -math.inf)
_kernel(_arg_min, "argmin", math.inf)


def _checked(axis: Any) -> Any:
    if axis is None:
        return 0
    kind = getattr(axis, "dtype", None)
    if isinstance(axis, int) or (kind is not None and as_dtype(kind).is_integer):
        return axis
    raise TypeError(f"axis must be int or Tensor with integer datatype, not {axis!r}")


def argmax(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = dtypes.int64
) -> Tensor:
    """The index of the largest element along `axis` (default 0); the first one if several are largest."""
    axis = renamed("axis", axis, "dimension", dimension)
    return _arg_max(input, _checked(axis), output_type=output_type, name=name)


def argmin(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = dtypes.int64
) -> Tensor:
    """The index of the smallest element along `axis` (default 0); the first one if several are smallest."""
    axis = renamed("axis", axis, "dimension", dimension)
    return _arg_min(input, 0 if axis is None else axis, output_type=output_type, name=name)


def arg_max(input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
    """The index of the largest element along `dimension`."""
    return _arg_max(input, dimension, output_type=output_type, name=name)


def arg_min(input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
    """The index of the smallest element along `dimension`."""
    return _arg_min(input, dimension, output_type=output_type, name=name)
