"""Cosine transforms, and spectra with frequency 0 in the middle."""

from __future__ import annotations

import math
from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.math_complex import complex, real
from tfbench.engine.ops.spectral_real import irfft, rfft
from tfbench.engine.tensor import Tensor


def _check(input: Any, type: int, n: int | None, axis: int, norm: str | None) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if input.shape.ndims and input.shape.as_list()[-1] is not None and input.shape.as_list()[-1] < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The discrete cosine transform of type 1 to 4, along the last axis.

    Args:
      n: cut the input, or fill it up with zeros, to this length.
      norm: 'ortho' makes it orthonormal (types 2 to 4).

    Raises:
      NotImplementedError: for another axis. ValueError: for other types or norms.
    """
    _check(convert_to_tensor(input) if not isinstance(input, Tensor) else input, type, n, axis, norm)
    return _dct(input, type, n, norm, name)


def _dct(input: Any, type: int, n: Any, norm: str | None, name: str | None = None) -> Tensor:
    with name_scope(name, "dct", [input]):
        x: Any = convert_to_tensor(input)
        zero = convert_to_tensor(0.0, dtype=x.dtype)
        own: Any = _last(x) or ops.shape(x)[-1]
        if n is not None:
            x = _of_length(x, n, own)
        size: Any = _last(x) or ops.shape(x)[-1]
        count: Any = ops.cast(size, x.dtype)
        if type == 1:
            mirrored = ops.concat([x, x[..., -2:0:-1]], -1)
            return real(rfft(mirrored))
        if type == 2:
            turns = -ops.range(count) * math.pi * 0.5 / count
            scale = 2.0 * ops.exp(complex(zero, turns))
            found: Any = real(rfft(x, fft_length=[2 * size])[..., :size] * scale)
            if norm == "ortho":
                first: Any = 0.5 * ops.rsqrt(count)
                found *= _weights(first, first * math.sqrt(2.0), size)
        elif type == 3:
            if norm == "ortho":
                root: Any = ops.sqrt(count)
                x *= _weights(root, root * math.sqrt(0.5), size)
            else:
                x *= count
            scale = 2.0 * ops.exp(complex(zero, ops.range(count) * math.pi * 0.5 / count))
            found = irfft(scale * complex(x, zero), fft_length=[2 * size])[..., :size]
        else:
            twice: Any = _dct(x, 2, 2 * size, None)
            found = twice[..., 1::2]
            if norm == "ortho":
                found *= math.sqrt(0.5) * ops.rsqrt(count)
        result: Tensor = found
        return result


def _last(x: Any) -> int | None:
    sizes = x._shape
    return sizes[-1] if sizes else None


def _of_length(x: Any, n: Any, own: Any) -> Any:
    """`x` cut or filled up to `n`; which of the two may be known only in a run."""

    def filled() -> Any:
        count = x.shape.ndims
        if count is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        paddings = [[0, 0]] * (count - 1) + [[0, n - own]]
        return ops.pad(x, paddings=convert_to_tensor(paddings, dtype=dtypes.int32))

    shorter = n <= own
    if isinstance(shorter, Tensor):
        return cond(shorter, lambda: x[..., 0:n], filled)
    return x[..., 0:n] if shorter else filled()


def _weights(first: Any, rest: Any, size: Any) -> Any:
    return ops.pad(ops.expand_dims(first, 0), [[0, size - 1]], constant_values=rest)


def idct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `dct`, up to a factor unless `norm` is 'ortho'."""
    _check(convert_to_tensor(input) if not isinstance(input, Tensor) else input, type, n, axis, norm)
    return dct(input, type={1: 1, 2: 3, 3: 2, 4: 4}[type], n=n, axis=axis, norm=norm, name=name)


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """A spectrum with frequency 0 moved into the middle, along `axes` (all by default)."""
    with name_scope(name, "fftshift") as scope:
        x = convert_to_tensor(x)
        sizes, axes = _sizes(x, axes)
        return ops.roll(x, sizes // 2, axes, name=scope)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `fftshift`."""
    with name_scope(name, "ifftshift") as scope:
        x = convert_to_tensor(x)
        sizes, axes = _sizes(x, axes)
        return ops.roll(x, -(sizes // 2), axes, name=scope)


def _sizes(x: Tensor, axes: Any) -> tuple[Any, Any]:
    if axes is None:
        return ops.shape(x), tuple(range(x.shape.ndims or 0))
    if isinstance(axes, int):
        sizes: Any = ops.shape(x)
        return sizes[axes], axes
    rank = ops.rank(x)
    axes = ops.where(ops.less(axes, 0), ops.add(axes, rank, name="add"), axes)
    return ops.gather(ops.shape(x), axes), axes
