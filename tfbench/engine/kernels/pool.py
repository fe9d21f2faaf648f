"""Max and average pooling over two or three spatial axes.

Windows are boxes, so they are reduced one axis at a time, and along an axis tap by tap: `size - 1` whole-array
operations on strided slices, with the taps that fall outside the input simply left out (no padded copy). On the CPU
that is done for a few images, or a band of rows, at a time, so that all of it stays in the cache.

TensorFlow's maximum starts from the type's lowest finite value and ignores NaN; a window of nothing but NaN or -inf
gives that value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid, unimplemented
from tfbench.engine.kernels import blocks, pool_compiled
from tfbench.engine.kernels.blocks import pieces, run, wide
from tfbench.engine.kernels.geometry import (
    Window,
    channels_first,
    channels_last,
    is_channels_first,
    spatial_axes,
    windows,
)

Shape = tuple[int, ...]
#: (input, windows, output): computes one piece
Block = Callable[[Any, Sequence[Window], Any], None]


def lowest(dtype: np.dtype[Any]) -> Any:
    """The smallest finite value of a type."""
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return dtype.type(limits.min)


# -- geometry ------------------------------------------------------------------------------------------------


def check_pooling(
    op: str, shape: Sequence[int], ksize: Sequence[int], strides: Sequence[int], data_format: str
) -> None:
    """Rank, and no window over batch or channels."""
    rank = len(data_format)
    if len(shape) != rank:
        raise invalid(f"{op}: tensor_in must be {rank}-dimensional, got shape {list(shape)}")
    if len(ksize) != rank or len(strides) != rank:
        raise invalid(f"{op}: Sliding window ksize and stride fields must specify {rank} dimensions")
    if ksize[0] != 1 or strides[0] != 1:
        raise unimplemented(f"{op}: Pooling is not yet supported on the batch dimension.")
    channels = data_format.index("C")
    if ksize[channels] != 1 or strides[channels] != 1:
        raise unimplemented(f"{op}: Non-spatial pooling is not yet supported.")


@lru_cache(maxsize=256)
def plan(
    op: str,
    shape: Shape,
    ksize: Shape,
    strides: Shape,
    padding: str,
    explicit_paddings: Shape,
    data_format: str,
) -> tuple[Window, ...]:
    """The windows of the spatial axes, checked."""
    check_pooling(op, shape, ksize, strides, data_format)
    axes = spatial_axes(data_format)
    found = windows(
        [ksize[axis] for axis in axes],
        shape,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
    )
    if padding == "EXPLICIT":
        names = (("Top", "Bottom"), ("Left", "Right"))
        for window, (before, after) in zip(found, names):
            for name, size in ((before, window.before), (after, window.after)):
                if size >= window.size:
                    raise invalid(f"{name} padding {size} needs to be smaller than the window size {window.size}")
    return tuple(found)


# -- forward -------------------------------------------------------------------------------------------------


def reduce_axis(xp: Any, combine: Any, x: Any, axis: int, window: Window, start: Any, out: Any) -> None:
    """Windows along one axis combined into one value each, in `out`; `start` is the value of an empty window."""
    before = (slice(None),) * axis
    everywhere: list[tuple[slice, slice]] = []
    partly: list[tuple[slice, slice]] = []
    for tap in range(window.size):
        output, input = window.reach(tap)
        whole = output.stop - output.start == window.output
        (everywhere if whole else partly).append((output, input))
    if len(everywhere) > 1:
        first, second, *rest = everywhere
        combine(x[(*before, first[1])], x[(*before, second[1])], out=out)
    else:
        rest = []
        out[...] = x[(*before, everywhere[0][1])] if everywhere else start
    for output, input in rest + partly:
        target = out[(*before, output)]
        combine(target, x[(*before, input)], out=target)


def reduce_axes(xp: Any, combine: Any, x: Any, found: Sequence[Window], start: Any, out: Any) -> None:
    """The same along one axis after the other; the axes that do nothing are left out."""
    axes = [
        axis
        for axis, window in enumerate(found, 1)
        if not (window.size == window.stride == 1 and window.output == window.input)
    ]
    if not axes:
        out[...] = x
    for axis in axes:
        window = found[axis - 1]
        shape = (*x.shape[:axis], window.output, *x.shape[axis + 1 :])
        target = out if axis == axes[-1] else xp.empty(shape, out.dtype)
        reduce_axis(xp, combine, x, axis, window, start, target)
        x = target


def _bands(image_bytes: int, window: Window) -> list[tuple[int, int]]:
    """Bands of output rows for images that are too large for the cache as a whole."""
    count = min(window.output, -(-image_bytes // blocks.BLOCK_BYTES))
    return [(part * window.output // count, (part + 1) * window.output // count) for part in range(count)]


def pool(
    xp: Any,
    x: Any,
    found: Sequence[Window],
    block: Block,
    channels: int | None = None,
) -> Any:
    """Applies `block` to pieces of channels-last `x`."""
    last = x.shape[-1] if channels is None else channels
    out = xp.empty((x.shape[0], *(window.output for window in found), last), x.dtype)
    if out.size == 0:
        return out
    image_bytes = x[0].nbytes
    groups = pieces(xp, len(x), image_bytes)
    bands = _bands(image_bytes, found[0]) if xp is np and image_bytes > blocks.BLOCK_BYTES else [(0, found[0].output)]

    def task(number: int) -> None:
        images, (first, last) = groups[number // len(bands)], bands[number % len(bands)]
        rows, window = found[0].band(first, last)
        block(x[images, rows], [window, *found[1:]], out[images, first:last])

    run(xp, len(groups) * len(bands), task)
    return out


def _maximum(xp: Any) -> Block:
    def block(x: Any, found: Sequence[Window], out: Any) -> None:
        start = lowest(x.dtype)
        real = x.dtype.kind == "f"
        reduce_axes(xp, xp.fmax if real else xp.maximum, x, found, start, out)
        if real:
            xp.fmax(out, start, out=out)

    return block


def _max_over_depth(xp: Any, x: Any, ksize: Sequence[int], strides: Sequence[int]) -> Any:
    depth, stride = ksize[-1], strides[-1]
    if any(size != 1 for size in (*ksize[1:-1], *strides[1:-1])):
        raise unimplemented("MaxPooling supports exactly one of pooling across depth or pooling across width/height.")
    if x.shape[-1] % depth:
        raise unimplemented("Depthwise max pooling requires the depth window to evenly divide the input depth")
    if depth != stride:
        raise unimplemented("Depthwise max pooling requires the depth window to equal the depth stride")
    combine = xp.fmax if x.dtype.kind == "f" else xp.maximum
    parts = x.reshape(*x.shape[:-1], x.shape[-1] // depth, depth)
    out = xp.full(parts.shape[:-1], lowest(x.dtype), x.dtype)
    for tap in range(depth):
        combine(out, parts[..., tap], out=out)
    return out


def _pool(
    op: str,
    xp: Any,
    x: Any,
    block: Block,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int],
    data_format: str,
) -> Any:
    found = plan(op, x.shape, tuple(ksize), tuple(strides), padding, tuple(explicit_paddings), data_format)
    first = is_channels_first(data_format)
    x = channels_last(xp, x) if first else x
    out = pool_compiled.forward(op, xp, x, found)
    out = pool(xp, x, found, block) if out is None else out
    return channels_first(xp, out) if first else out


def max_pool(
    xp: Any,
    input: Any,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
) -> Any:
    """`MaxPool`: the largest value of each window, or of `ksize[-1]` neighbouring channels."""
    if data_format == "NHWC" and len(input.shape) == len(ksize) == 4 and ksize[3] != 1 and ksize[0] == 1:
        return _max_over_depth(xp, input, ksize, strides)
    return _pool("MaxPool", xp, input, _maximum(xp), ksize, strides, padding, explicit_paddings, data_format)


def max_pool3d(
    xp: Any, input: Any, *, ksize: Sequence[int], strides: Sequence[int], padding: str, data_format: str = "NDHWC"
) -> Any:
    """`MaxPool3D`: the largest value of each window."""
    return _pool("MaxPool3D", xp, input, _maximum(xp), ksize, strides, padding, (), data_format)


# -- averages ------------------------------------------------------------------------------------------------


def _counts(xp: Any, found: Sequence[Window], channels: int, dtype: Any) -> Any:
    """How many inputs each window has: one number, or an array shaped as a result's image."""
    counts: Any = 1
    for position, window in enumerate(found):
        shape = [1] * (len(found) + 1)
        shape[position] = window.output
        counts = counts * window.counts().reshape(shape)
    if counts.size and counts.min() == counts.max():
        return xp.asarray(counts.flat[0], dtype)
    # As wide as the image: dividing by an array that is repeated along the last axis is several times slower.
    return xp.ascontiguousarray(xp.broadcast_to(xp.asarray(counts, dtype), (*counts.shape[:-1], channels)))


def _mean(xp: Any) -> Block:
    counts: dict[tuple[int, int, int], Any] = {}  # by band of rows: nearly always one

    def block(x: Any, found: Sequence[Window], out: Any) -> None:
        kind = wide(x.dtype)
        band = found[0].before, found[0].input, found[0].output
        if band not in counts:
            counts[band] = _counts(xp, found, x.shape[-1], kind)
        total = out if out.dtype == kind else xp.empty(out.shape, kind)
        reduce_axes(xp, xp.add, x.astype(kind, copy=False), found, 0, total)
        total /= counts[band]
        if total is not out:
            out[...] = total

    return block


def avg_pool(
    xp: Any, value: Any, *, ksize: Sequence[int], strides: Sequence[int], padding: str, data_format: str = "NHWC"
) -> Any:
    """`AvgPool`: the mean of each window, over the inputs it really has."""
    return _pool("AvgPool", xp, value, _mean(xp), ksize, strides, padding, (), data_format)


def avg_pool3d(
    xp: Any, input: Any, *, ksize: Sequence[int], strides: Sequence[int], padding: str, data_format: str = "NDHWC"
) -> Any:
    """`AvgPool3D`: the mean of each window, over the inputs it really has."""
    return _pool("AvgPool3D", xp, input, _mean(xp), ksize, strides, padding, (), data_format)


def _spread_axis(xp: Any, dy: Any, axis: int, window: Window) -> Any:
    """The transpose of summing along one axis: each output's value added to all inputs of its window."""
    if window.size == window.stride == 1 and window.output == window.input:
        return dy
    dx = xp.zeros((*dy.shape[:axis], window.input, *dy.shape[axis + 1 :]), dy.dtype)
    before = (slice(None),) * axis
    for tap in range(window.size):
        output, input = window.reach(tap)
        target = dx[(*before, input)]
        xp.add(target, dy[(*before, output)], out=target)
    return dx


def _avg_pool_grad(
    op: str,
    xp: Any,
    shape: Any,
    grad: Any,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str,
) -> Any:
    input = tuple(int(size) for size in shape)
    if len(input) != len(data_format):
        raise invalid(f"{op}: orig_input_shape must be 1-dimensional and {len(data_format)} elements")
    found = plan(op, input, tuple(ksize), tuple(strides), padding, (), data_format)
    first = is_channels_first(data_format)
    dy = channels_last(xp, grad) if first else grad
    channels = input[1] if first else input[-1]
    wanted = (input[0], *(window.output for window in found), channels)
    if dy.shape != wanted:
        raise invalid(f"{op}: Expected grad shape to be {list(wanted)}, but got {list(dy.shape)}")
    made = pool_compiled.avg_pool_grad(xp, dy, found)
    if made is not None:
        return channels_first(xp, made) if first else made
    dx = xp.empty((input[0], *(window.input for window in found), channels), grad.dtype)
    counts = _counts(xp, found, channels, wide(grad.dtype))
    groups = pieces(xp, len(dx), dx[:1].nbytes)

    def task(number: int) -> None:
        images = groups[number]
        spread = dy[images] / counts
        for axis in range(len(found), 0, -1):
            spread = _spread_axis(xp, spread, axis, found[axis - 1])
        dx[images] = spread

    if dx.size:
        run(xp, len(groups), task)
    return channels_first(xp, dx) if first else dx


def avg_pool_grad(
    xp: Any,
    orig_input_shape: Any,
    grad: Any,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
) -> Any:
    """`AvgPoolGrad`: each window's gradient shared equally by its inputs."""
    return _avg_pool_grad("AvgPoolGrad", xp, orig_input_shape, grad, ksize, strides, padding, data_format)


def avg_pool3d_grad(
    xp: Any,
    orig_input_shape: Any,
    grad: Any,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """`AvgPool3DGrad`: each window's gradient shared equally by its inputs."""
    return _avg_pool_grad("AvgPool3DGrad", xp, orig_input_shape, grad, ksize, strides, padding, data_format)
