"""Where windows lie: the arithmetic that convolutions and poolings share.

An output position `p` along one axis looks at the input positions `p * stride + tap * dilation - before` for
`tap` in `0 … size-1`; those outside the input count as padding. Kernels work channels last; `channels_first`
and `channels_last` turn TensorFlow's other layouts into that one and back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tfbench.engine.kernel_errors import invalid, unimplemented

Array = npt.NDArray[Any]


class Window:
    """One spatial axis: `size` taps over `input` positions give `output` positions."""

    __slots__ = ("after", "before", "dilation", "input", "output", "size", "stride")

    def __init__(self, size: int, stride: int, dilation: int, before: int, after: int, input: int, output: int) -> None:
        self.size = size
        self.stride = stride
        self.dilation = dilation
        self.before = before
        self.after = after
        self.input = input
        self.output = output

    @property
    def extent(self) -> int:
        """How many input positions one window spans."""
        return (self.size - 1) * self.dilation + 1

    def reach(self, tap: int) -> tuple[slice, slice]:
        """The outputs for which `tap` falls inside the input, and the inputs it falls on."""
        offset = tap * self.dilation - self.before
        first = max(0, -(offset // self.stride))
        last = min(self.output, (self.input - 1 - offset) // self.stride + 1)
        if last <= first:
            return slice(0, 0), slice(0, 0)
        start = first * self.stride + offset
        stop = (last - 1) * self.stride + offset + 1
        return slice(first, last), slice(start, stop, self.stride)

    def turned(self) -> Window:
        """The window that goes back from the outputs to the inputs, for a filter that is turned round; stride 1."""
        before = self.extent - 1 - self.before
        return Window(self.size, 1, self.dilation, before, 0, self.output, self.input)

    def band(self, first: int, last: int) -> tuple[slice, Window]:
        """The inputs that the outputs `first … last-1` look at, and the window of those outputs over them."""
        top = first * self.stride - self.before
        low = max(0, top)
        high = max(low, min(self.input, (last - 1) * self.stride - self.before + self.extent))
        return slice(low, high), Window(self.size, self.stride, self.dilation, low - top, 0, high - low, last - first)

    def counts(self) -> Array:
        """How many taps of each output position fall inside the input."""
        taps = np.arange(self.size) * self.dilation - self.before
        at = np.arange(self.output)[:, None] * self.stride + taps
        found: Array = np.count_nonzero((at >= 0) & (at < self.input), axis=1)
        return found


def spatial_axes(data_format: str) -> tuple[int, ...]:
    """The positions of D, H and W in `data_format`: NHWC -> (1, 2), NCDHW -> (2, 3, 4)."""
    return tuple(data_format.index(letter) for letter in "DHW" if letter in data_format)


def window(size: int, stride: int, dilation: int, padding: str, explicit: tuple[int, int], input: int) -> Window:
    """The window of one axis under `padding` (`SAME`, `VALID` or `EXPLICIT` with its pair of sizes)."""
    extent = (size - 1) * dilation + 1
    before = after = 0
    if padding == "SAME":
        output = -(-input // stride)
        total = max((output - 1) * stride + extent - input, 0)
        before, after = total // 2, total - total // 2
    else:
        if padding == "EXPLICIT":
            before, after = explicit
        # Not floor division: TensorFlow rounds towards zero, so a window that is too large by less than
        # one stride gives an empty output rather than an error.
        output = int((input + before + after - extent + stride) / stride)
        if output < 0:
            raise invalid(
                f"Computed output size would be negative: {output} "
                f"[input_size: {input}, effective_filter_size: {extent}, stride: {stride}]"
            )
    return Window(size, stride, dilation, before, after, input, output)


def windows(
    sizes: Sequence[int],
    input_shape: Sequence[int],
    *,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str,
    dilations: Sequence[int] = (),
) -> list[Window]:
    """The windows of each spatial axis. `sizes` has spatial axes only, the other sequences one entry an axis."""
    found = []
    for position, axis in enumerate(spatial_axes(data_format)):
        pads = explicit_paddings[2 * axis : 2 * axis + 2] if padding == "EXPLICIT" else (0, 0)
        dilation = dilations[axis] if dilations else 1
        found.append(window(sizes[position], strides[axis], dilation, padding, (pads[0], pads[1]), input_shape[axis]))
    return found


def taps(found: Sequence[Window]) -> Iterator[tuple[tuple[int, int], Any, Any]]:
    """Each tap with the outputs it reaches and the inputs it looks at."""
    for row, column in itertools.product(range(found[0].size), range(found[1].size)):
        (top, above), (left, beside) = found[0].reach(row), found[1].reach(column)
        if top.stop > top.start and left.stop > left.start:
            yield (row, column), (slice(None), top, left), (slice(None), above, beside)


def check_batch_and_depth(strides: Sequence[int], dilations: Sequence[int], data_format: str) -> None:
    """Windows move over space only."""
    spatial = spatial_axes(data_format)
    for name, values, error in (("strides", strides, unimplemented), ("dilations", dilations, invalid)):
        if any(value != 1 for axis, value in enumerate(values) if axis not in spatial):
            raise error(f"Current implementation does not yet support {name} in the batch and depth dimensions.")


def is_channels_first(data_format: str) -> bool:
    """Whether a layout (NCHW, NCDHW, …) has the channels second."""
    return data_format.startswith("NC")


def channels_last(xp: Any, x: Any) -> Any:
    """N C … -> N … C, as a contiguous array."""
    return xp.ascontiguousarray(xp.moveaxis(x, 1, -1))


def channels_first(xp: Any, x: Any) -> Any:
    """N … C -> N C …, as a contiguous array."""
    return xp.ascontiguousarray(xp.moveaxis(x, -1, 1))
