"""Images in another size, and the way back that gradients go.

All methods are separable: along each axis, a new pixel is a weighted sum of a few old ones, its *taps*. `Taps` are
pairs of (index of the old pixel, weight) per new pixel; they follow from the sizes and flags alone. Numbers are
float32, and are added up in the order in which TensorFlow adds them. Indices never fall from one new pixel to the next,
so that the way back, which adds what each old pixel gave away, is a sum over runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels import resize_compiled

Array = Any
#: (indices of old pixels, their weights or None for 1), once per tap
Taps = list[tuple[Array, Array | None]]

_F = np.float32


def scale_of(old: int, new: int, align_corners: bool) -> Any:
    """Old pixels per new one; with `align_corners` the first and last of both lie upon each other."""
    return _F(old - 1) / _F(new - 1) if align_corners and new > 1 else _F(old) / _F(new)


def _positions(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """Where new pixels lie among the old ones."""
    scale, at = scale_of(old, new, align_corners), np.arange(new, dtype=_F)
    if half_pixel_centers:
        return (at + _F(0.5)) * scale - _F(0.5)
    return at * scale


def bilinear_taps(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> tuple[Array, Array, Array]:
    """(left neighbours, right neighbours, how far to the right each new pixel lies)."""
    at = _positions(old, new, align_corners, half_pixel_centers)
    floor = np.floor(at)
    lower = np.maximum(floor.astype(np.intp), 0)
    upper = np.minimum(np.ceil(at).astype(np.intp), old - 1)
    return lower, upper, at - floor


def nearest_taps(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """The old pixel for each new one."""
    scale, at = scale_of(old, new, align_corners), np.arange(new, dtype=_F)
    at = (at + _F(0.5)) * scale if half_pixel_centers else at * scale
    at = np.floor(at + _F(0.5)) if align_corners else np.floor(at)
    return np.clip(at.astype(np.intp), 0, old - 1)


def _cubic_table(a: float) -> Array:
    """Weights of the pixels that are less than one (column 0) and less than two (column 1) away, in 1/1024 steps."""
    x = np.arange(1025) / 1024.0
    y = x + 1
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * y - 5 * a) * y + 8 * a) * y - 4 * a
    return np.stack([near, far], axis=1).astype(_F)


_cubic_tables: dict[bool, Array] = {}


def bicubic_taps(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """Four taps. Beyond the border pixels are repeated; with `half_pixel_centers` they count nothing instead."""
    table = _cubic_tables.get(half_pixel_centers)
    if table is None:
        table = _cubic_tables[half_pixel_centers] = _cubic_table(-0.5 if half_pixel_centers else -0.75)
    at = _positions(old, new, align_corners, half_pixel_centers)
    floor = np.floor(at)
    step = np.rint((at - floor) * _F(1024)).astype(np.intp)
    weights = [table[step, 1], table[step, 0], table[1024 - step, 0], table[1024 - step, 1]]
    wanted = [floor.astype(np.intp) + k for k in (-1, 0, 1, 2)]
    found = [np.clip(index, 0, old - 1) for index in wanted]
    if half_pixel_centers:
        weights = [np.where(a == b, w, _F(0)) for a, b, w in zip(wanted, found, weights)]
        total = weights[0] + weights[1] + weights[2] + weights[3]
        usable = np.abs(total) >= 1000 * np.finfo(_F).tiny
        factor = np.where(usable, _F(1) / np.where(usable, total, _F(1)), _F(1))
        weights = [w * factor for w in weights]
    return list(zip(found, weights))


def area_taps(old: int, new: int, align_corners: bool) -> tuple[Taps, Any]:
    """(as many taps as old pixels that a new one may cover, the scale): the part of each that is covered."""
    if old == 1:  # one pixel covers them all, also where its corners are said to lie upon each other
        return [(np.zeros(new, np.intp), np.ones(new, _F))], _F(1)
    scale, at = scale_of(old, new, align_corners), np.arange(new, dtype=_F)
    start, end = at * scale, (at + _F(1)) * scale
    first = np.floor(start).astype(np.intp)
    last = np.ceil(end).astype(np.intp)
    taps: Taps = []
    for k in range(int((last - first).max(initial=0))):
        index = first + k
        low, high = index.astype(_F), (index + 1).astype(_F)
        inside = np.where(high > end, end - low, _F(1))
        begun = np.where(high > end, scale, high - start)
        weight = np.where(low < start, begun, inside)
        taps.append((np.clip(index, 0, old - 1), np.where(index < last, weight, _F(0)).astype(_F)))
    return taps, scale


# -- there --------------------------------------------------------------------------------------------------------


def _weights(xp: Any, weights: Array, axis: int) -> Array:
    """Weights of pixels along an axis, to be multiplied with images."""
    return xp.asarray(weights).reshape((-1, 1, 1) if axis == 1 else (-1, 1))


def _weighted(xp: Any, x: Array, taps: Taps, axis: int) -> Array:
    total = None
    for index, weights in taps:
        part = xp.take(x, xp.asarray(index), axis=axis) * _weights(xp, weights, axis)
        total = part if total is None else xp.add(total, part, out=total)
    return total


def _between(xp: Any, x: Array, taps: tuple[Array, Array, Array], axis: int) -> Array:
    lower, upper, part = taps
    low = xp.take(x, xp.asarray(lower), axis=axis)
    rise = xp.take(x, xp.asarray(upper), axis=axis)
    rise -= low
    rise *= _weights(xp, part, axis)
    rise += low
    return rise


def resize_bilinear(xp: Any, x: Array, size: Array, *, align_corners: bool, half_pixel_centers: bool) -> Array:
    """Between the four nearest pixels, first along rows, then along columns."""
    height, width = sizes(x, size, align_corners, half_pixel_centers)
    if x.shape[1:3] == (height, width):
        return x.astype(_F)
    x = _single(x)
    rows = bilinear_taps(x.shape[1], height, align_corners, half_pixel_centers)
    columns = bilinear_taps(x.shape[2], width, align_corners, half_pixel_centers)
    made = resize_compiled.bilinear(xp, x, rows, columns)
    if made is not None:
        return made
    if height * 2 < x.shape[1]:  # rows that no new pixel looks at are left out
        used, at = np.unique(np.concatenate(rows[:2]), return_inverse=True)
        x = xp.take(x, xp.asarray(used), axis=1)
        rows = (at[:height], at[height:], rows[2])
    return _between(xp, _between(xp, x, columns, 2), rows, 1)


def resize_nearest_neighbor(xp: Any, x: Array, size: Array, *, align_corners: bool, half_pixel_centers: bool) -> Array:
    """The nearest pixel."""
    height, width = sizes(x, size, align_corners, half_pixel_centers)
    rows = nearest_taps(x.shape[1], height, align_corners, half_pixel_centers)
    columns = nearest_taps(x.shape[2], width, align_corners, half_pixel_centers)
    first, second = (rows, 1), (columns, 2)
    if height > x.shape[1]:
        first, second = second, first
    for index, axis in (first, second):
        x = xp.take(x, xp.asarray(index), axis=axis)
    return x


def resize_bicubic(xp: Any, x: Array, size: Array, *, align_corners: bool, half_pixel_centers: bool) -> Array:
    """Sums of the sixteen nearest pixels, first along columns, then along rows."""
    height, width = sizes(x, size, align_corners, half_pixel_centers)
    if x.shape[1:3] == (height, width):
        return x.astype(_F)
    x = _weighted(xp, _single(x), bicubic_taps(x.shape[1], height, align_corners, half_pixel_centers), 1)
    return _weighted(xp, x, bicubic_taps(x.shape[2], width, align_corners, half_pixel_centers), 2)


def resize_area(xp: Any, x: Array, size: Array, *, align_corners: bool) -> Array:
    """The mean over the part of the old image that a new pixel covers."""
    height, width = sizes(x, size)
    rows, high = area_taps(x.shape[1], height, align_corners)
    columns, wide = area_taps(x.shape[2], width, align_corners)
    x = _weighted(xp, _weighted(xp, _single(x), columns, 2), rows, 1)
    x *= _F(1) / (high * wide)
    return x


def _single(x: Array) -> Array:
    return x if x.dtype == _F else x.astype(_F)


def sizes(x: Array, size: Array, align_corners: bool = False, half_pixel_centers: bool = False) -> tuple[int, int]:
    """The new height and width. InvalidArgumentError for what is no image or no size."""
    if half_pixel_centers and align_corners:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")
    if x.ndim != 4:
        raise invalid(f"input must be 4-dimensional{brackets(x.shape)}")
    return size_pair(size, "shape_t", x)


def size_pair(size: Array, name: str, x: Array | None = None) -> tuple[int, int]:
    """The two numbers of a size input, checked."""
    if size.ndim != 1:
        raise invalid(f"{name} must be 1-dimensional{brackets(size.shape)}")
    if size.shape[0] != 2:
        raise invalid(f"{name} must have two elements{brackets(size.shape)}")
    height, width = size.tolist()
    if height <= 0 or width <= 0:
        raise invalid("output dimensions must be positive")
    if x is not None and 0 in x.shape[1:3]:
        raise invalid("input image must be of non-zero size")
    if x is not None and x.shape[3] == 0:
        raise invalid("image must have at least one channel")
    return height, width


# -- back ---------------------------------------------------------------------------------------------------------


def _regular(index: Array) -> Any:
    """Indices as a slice, if they are equally far from each other: that is a view, and no copy."""
    if len(index) == 1:
        return slice(index[0], index[0] + 1)
    step = int(index[1] - index[0])
    if step > 0 and bool((np.diff(index) == step).all()):
        return slice(int(index[0]), int(index[-1]) + 1, step)
    return index


def _added(xp: Any, grad: Array, taps: Taps, axis: int, old: int, dtype: Any) -> Array:
    """What each of `old` pixels along an axis gets from the new ones that looked at it."""
    shape = (*grad.shape[:axis], old, *grad.shape[axis + 1 :])
    total = xp.zeros(shape, dtype)
    if grad.size == 0:
        return total
    where: list[Any] = [slice(None)] * 4
    for index, weights in taps:
        part = grad if weights is None else grad * _weights(xp, weights.astype(dtype, copy=False), axis)
        starts = np.concatenate([[0], np.flatnonzero(np.diff(index)) + 1])
        ends = np.append(starts[1:], len(index))
        # What comes to the same pixel stands side by side: the first of each, then the second, …
        for offset in range(int((ends - starts).max())):
            here = starts[starts + offset < ends] + offset
            where[axis] = _regular(here)
            given = part[tuple(where)] if isinstance(where[axis], slice) else xp.take(part, xp.asarray(here), axis=axis)
            target = _regular(index[here])
            where[axis] = target if isinstance(target, slice) else xp.asarray(target)
            total[tuple(where)] += given
    return total


def _given_back(xp: Any, grad: Array, dtype: Any, rows: Taps, columns: Taps, old: tuple[int, int]) -> Array:
    kind = np.dtype(dtype)
    if kind.itemsize < 4 and kind.kind != "i" and kind.kind != "u":
        kind = np.dtype(_F)  # sums of half precision would lose their last digits
    grad = _added(xp, grad.astype(kind, copy=False), rows, 1, old[0], kind)
    return _added(xp, grad, columns, 2, old[1], kind).astype(dtype, copy=False)


def _back(taps: Callable[..., Taps], neighbours: Callable[..., Any] | None = None) -> Callable[..., Array]:
    """The gradient's kernel; `neighbours` are those of a compiled form, where there is one."""

    def kernel(xp: Any, grad: Array, image: Array, *, align_corners: bool, half_pixel_centers: bool) -> Array:
        if half_pixel_centers and align_corners:
            raise invalid("If half_pixel_centers is True, align_corners must be False.")
        if grad.ndim != 4:
            raise invalid("input_grad must be 4-dimensional")
        if image.ndim != 4:
            raise invalid("original_image must be 4-dimensional")
        axes = [(image.shape[axis], grad.shape[axis], align_corners, half_pixel_centers) for axis in (1, 2)]
        if neighbours is not None and image.dtype == _F:
            made = resize_compiled.bilinear_grad(xp, grad, image.shape[1:3], *(neighbours(*axis) for axis in axes))
            if made is not None:
                return made
        rows, columns = (taps(*axis) for axis in axes)
        return _given_back(xp, grad, image.dtype, rows, columns, image.shape[1:3])

    return kernel


def _bilinear_pairs(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    lower, upper, part = bilinear_taps(old, new, align_corners, half_pixel_centers)
    return [(lower, _F(1) - part), (upper, part)]


resize_bilinear_grad = _back(_bilinear_pairs, bilinear_taps)
resize_bicubic_grad = _back(bicubic_taps)


def resize_nearest_neighbor_grad(
    xp: Any, grad: Array, size: Array, *, align_corners: bool, half_pixel_centers: bool
) -> Array:
    """`size` is that of the images before."""
    if half_pixel_centers and align_corners:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")
    if grad.ndim != 4:
        raise invalid(f"input must be 4-dimensional{brackets(grad.shape)}")
    height, width = size_pair(size, "shape_t")
    rows = nearest_taps(height, grad.shape[1], align_corners, half_pixel_centers)
    columns = nearest_taps(width, grad.shape[2], align_corners, half_pixel_centers)
    return _given_back(xp, grad, grad.dtype, [(rows, None)], [(columns, None)], (height, width))
