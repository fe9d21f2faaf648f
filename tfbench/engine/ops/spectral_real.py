"""Fourier transforms of real numbers: of the result, which is conjugate-symmetric along the last axis, half is kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes, shape_math
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.infer import partial_sizes
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.array_fill import zeros, zeros_like
from tfbench.engine.ops.array_join import concat, stack, unstack
from tfbench.engine.ops.array_pad import pad
from tfbench.engine.ops.math_binary import maximum
from tfbench.engine.ops.shape_queries import rank, shape
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__: list[str] = []

_TYPES = "Treal: {float, double} = DT_FLOAT; Tcomplex: {complex64, complex128} = DT_COMPLEX64"


def _transform(type: str, axes: int, back: bool) -> OpDef:
    given, made = ("Tcomplex", "Treal") if back else ("Treal", "Tcomplex")
    opdef = op(type, f"input: {given}, fft_length: int32", f"output: {made}", _TYPES, fresh=True)

    @opdef.shape
    def infer(node: Operation, x: Shape, length: Shape) -> list[Shape]:
        x = shape_math.with_rank_at_least(x, axes)
        shape_math.merge(shape_math.with_rank(length, 1), (axes,))
        if x is None:
            return [None]
        sizes = partial_sizes(node._inputs[1]) or (None,) * axes
        last = sizes[-1]
        if last is not None and not back:
            last = last // 2 + 1 if last else 0
        return [(*x[: len(x) - axes], *sizes[:-1], last)]

    @opdef.kernel(CPU, GPU)
    def kernel(xp: Any, x: Any, length: Any, *, Treal: Any, Tcomplex: Any) -> Any:
        if x.ndim < axes:
            raise invalid(f"Input must have rank of at least {axes} but got: {brackets(x.shape)}")
        if length.shape != (axes,):
            raise invalid(f"fft_length must have shape [{axes}]")
        sizes = [int(size) for size in length]
        needed = [*sizes[:-1], sizes[-1] // 2 + 1] if back else sizes
        for axis, (size, least) in enumerate(zip(x.shape[-axes:], needed)):
            if min(sizes) < 0:
                raise invalid(f"fft_length[{axis}] must be >= 0, but got: {sizes[axis]}")
            if size < least and x.size:
                raise invalid(f"Input dimension {axis} must have length of at least {least} but got: {size}")
        dtype = (Treal if back else Tcomplex).as_numpy_dtype
        if not x.size or 0 in sizes:
            last = sizes[-1] if back or not sizes[-1] else sizes[-1] // 2 + 1
            return xp.zeros((*x.shape[: x.ndim - axes], *sizes[:-1], last), dtype)
        function = xp.fft.irfftn if back else xp.fft.rfftn
        return function(x, s=sizes, axes=tuple(range(-axes, 0))).astype(dtype, copy=False)

    return opdef


_rfft, _rfft2d, _rfft3d = (_transform("RFFT" + suffix, i + 1, False) for i, suffix in enumerate(("", "2D", "3D")))
_irfft, _irfft2d, _irfft3d = (_transform("IRFFT" + suffix, i + 1, True) for i, suffix in enumerate(("", "2D", "3D")))
for _opdef in (_rfft3d, _irfft3d):
    _opdef.no_gradient("TensorFlow registers no gradient for real transforms over three axes")


# -- the functions -------------------------------------------------------------------------------------------------


def _inner(x: Tensor, axes: int) -> list[int] | None:
    """The sizes of the last axes, if they are known."""
    known: Any = None if x._shape is None else x._shape[-axes:]
    return None if known is None or None in known else list(known)


def _length_of(x: Tensor, axes: int, back: bool) -> Any:
    """The length that loses nothing: the input's own sizes, or what half a transform of even length came from."""
    sizes: Any = _inner(x, axes)
    if sizes is not None:
        if back:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
        return convert_to_tensor(np.array(sizes, np.int32))
    all_sizes: Any = shape(x)
    sizes = all_sizes[-axes:]
    if back:
        parts: Any = unstack(sizes)
        parts[-1] = maximum(0, 2 * (parts[-1] - 1))
        sizes = stack(parts)
    return sizes


def _padded(x: Tensor, axes: int, length: Any, back: bool) -> Tensor:
    """`x` with zeros behind it where the transform needs more than there is."""
    sizes, wanted = _inner(x, axes), get_static_value(length)
    if sizes is not None and wanted is not None:
        needed = [int(size) for size in wanted]
        if back:
            needed[-1] = needed[-1] // 2 + 1
        widths = [[0, max(least - size, 0)] for least, size in zip(needed, sizes)]
        if not any(width for _, width in widths):
            return x
        return pad(x, [[0, 0]] * (len(x._shape or ()) - axes) + widths)
    count: Any = rank(x)
    all_sizes: Any = shape(x)
    inner = all_sizes[-axes:]
    outside = zeros([maximum(0, count - axes)], dtype=dtypes.int32)
    if back:
        length = concat([length[:-1], length[-1:] // 2 + 1], 0)
    missing = concat([outside, maximum(0, length - inner)], 0)
    return pad(x, stack([zeros_like(missing), missing], axis=1))


def _apply(opdef: OpDef, axes: int, back: bool, label: str, x: Any, length: Any, name: str | None) -> Tensor:
    with name_scope(name, label, [x, length]) as scope:
        preferred = dtypes.complex64 if back else dtypes.float32
        x = convert_to_tensor(x, preferred_dtype=preferred)
        allowed = (dtypes.complex64, dtypes.complex128) if back else (dtypes.float32, dtypes.float64)
        if not back and x.dtype not in allowed:
            raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
        if back and x.dtype not in allowed:
            x = convert_to_tensor(x, dtypes.complex64)
        real = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}.get(x.dtype, x.dtype)
        types = {"Treal": real, "Tcomplex": dtypes.complex128 if real is dtypes.float64 else dtypes.complex64}
        x.shape.with_rank_at_least(axes)
        length = _length_of(x, axes, back) if length is None else convert_to_tensor(length, dtypes.int32)
        x = _padded(x, axes, length, back)
        known = get_static_value(length)
        return opdef(x, length if known is None else known, name=scope, **types)


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers along the last axis, cut or padded to `fft_length`."""
    return _apply(_rfft, 1, False, "rfft", input_tensor, fft_length, name)


def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last two axes."""
    return _apply(_rfft2d, 2, False, "rfft2d", input_tensor, fft_length, name)


def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last three axes."""
    return _apply(_rfft3d, 3, False, "rfft3d", input_tensor, fft_length, name)


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """What `rfft` undoes. An odd `fft_length` has to be said: half a transform is as long as that of the even one."""
    return _apply(_irfft, 1, True, "irfft", input_tensor, fft_length, name)


def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """What `rfft2d` undoes."""
    return _apply(_irfft2d, 2, True, "irfft2d", input_tensor, fft_length, name)


def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """What `rfft3d` undoes."""
    return _apply(_irfft3d, 3, True, "irfft3d", input_tensor, fft_length, name)
