"""The blocked product under every convolution of the CPU: gather some rows, multiply, go on.

The textbook way writes each window out as a matrix row (im2col), which needs `kh * kw` times the input's memory and
is bound by memory. Here the output is cut into blocks; for each block

1. the input rows it needs are copied beside zero padding (only where padding is needed),
2. windows are gathered into a buffer of about `BLOCK_BYTES` that stays in the cache, and
3. BLAS multiplies the buffer with the filter straight into the output.

Windows are gathered along one axis only, if `kw * channels` is large enough to keep BLAS busy: row `q` of the buffer
holds, for every output column, its `kw * channels` inputs, which lie side by side in memory. Output row `y` needs the
buffer rows `y … y + kh - 1`, so the filter's rows are `kh` products over overlapping parts of one buffer, each added
to the result. That is `kh` times less copying. With stride 2 the even and the odd input rows form a buffer each
("phases"), so that the rows of one product follow each other again. Otherwise whole windows are gathered
and multiplied at once.

Gathering copies runs of `kw * channels` values as single items of a void type: NumPy then moves whole runs rather than
setting up an inner loop for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfbench.engine.kernels import blas, threads
from tfbench.engine.kernels.geometry import Array, Window

#: Aim for the gathered part of a block: what a core's second-level cache holds beside filter and result.
BLOCK_BYTES = 384 << 10
#: From how many values in a run of `kw * channels` on only one axis is gathered.
LONG_RUN = 64

#: For one output image: the input images it looks at, and the block of the filter each is multiplied with.
Sources = Callable[[int], list[tuple[int, int]]]


class _Scratch:
    """Buffers of one thread: padded input, gathered windows, result, and a product to be added."""

    __slots__ = ("address", "columns", "padded", "result", "spare")

    def __init__(self, padded: Array | None, columns: Array, result: Array, spare: Array) -> None:
        self.padded = padded
        self.columns = columns
        self.address = columns.ctypes.data
        self.result = result
        self.spare = spare


class Correlation:
    """A 2-D cross-correlation of fixed shapes: `(images, h, w, channels)` to `(out_images, oh, ow, filters)`.

    `vertical.before` and `horizontal.before` may be negative (the input is then cropped). `sources` makes a 3-D one
    of it: it tells which input images one output image is the sum over.
    """

    def __init__(
        self,
        images: int,
        channels: int,
        filters: int,
        vertical: Window,
        horizontal: Window,
        dtype: np.dtype[Any],
        sources: Sources | None = None,
    ) -> None:
        self.images = images
        self.channels = channels
        self.filters = filters
        self.vertical = vertical
        self.horizontal = horizontal
        self.dtype = dtype
        self.sources = sources
        self.run = horizontal.size * channels
        self.by_rows = vertical.size > 1 and self.run >= LONG_RUN
        #: inner size of one product, and the input row (relative to the block's first) each product starts at
        self.inner = self.run if self.by_rows else self.run * vertical.size
        self._plan_phases()
        self._plan_blocks()
        self._scratch: list[_Scratch] = []

    # -- planning ---------------------------------------------------------------------------------------

    def _plan_phases(self) -> None:
        """`phases`: (first input row, rows beyond the output's, filter rows); by whole windows there is one."""
        vertical = self.vertical
        self.phases: list[tuple[int, int, list[tuple[int, int]]]] = []
        if not self.by_rows:
            return
        taps: dict[int, list[tuple[int, int]]] = {}
        for tap in range(vertical.size):
            ahead, phase = divmod(tap * vertical.dilation, vertical.stride)
            taps.setdefault(phase, []).append((tap, ahead))
        for phase, found in taps.items():
            self.phases.append((phase, found[-1][1], found))

    def _gathered_rows(self, rows: int) -> int:
        """How many rows of `ow * inner` values the gathered windows of `rows` output rows take."""
        return sum(rows + extra for _, extra, _ in self.phases) if self.by_rows else rows

    def _plan_blocks(self) -> None:
        vertical, horizontal = self.vertical, self.horizontal
        row_bytes = max(1, horizontal.output * self.inner * self.dtype.itemsize)
        rows = vertical.output
        image_bytes = row_bytes * self._gathered_rows(rows)
        if image_bytes <= BLOCK_BYTES:
            group = 1 if self.sources else max(1, min(self.images, BLOCK_BYTES // max(1, image_bytes)))
        else:
            group = 1
            extra = self._gathered_rows(0)
            per_row = max(1, len(self.phases))
            rows = max(1, (BLOCK_BYTES // row_bytes - extra) // per_row, min(4 * extra, rows // 2))
            rows = min(rows, vertical.output)
        blocks = -(-vertical.output // rows) if rows else 0
        rows = -(-vertical.output // blocks) if blocks else 0  # even blocks
        self.rows, self.group = rows, group
        self.tasks = [
            (image, min(image + group, self.images), row, min(row + rows, vertical.output))
            for image in range(0, self.images, group)
            for row in range(0, vertical.output, max(rows, 1))
        ]
        self.width = (horizontal.output - 1) * horizontal.stride + horizontal.extent
        left, right = -horizontal.before, self.width - horizontal.before
        self.pads_columns = left < 0 or right > horizontal.input
        last = (vertical.output - 1) * vertical.stride + vertical.extent
        self.pads = self.pads_columns or vertical.before > 0 or last - vertical.before > vertical.input

    def _new_scratch(self) -> _Scratch:
        rows, group, dtype = self.rows, self.group, self.dtype
        padded = None
        if self.pads:
            height = (rows - 1) * self.vertical.stride + self.vertical.extent
            padded = np.zeros((group, height, self.width, self.channels), dtype)
        pixels = rows * group * self.horizontal.output
        columns = np.empty(
            self._gathered_rows(rows) * group * self.horizontal.output * self.inner, dtype
        )
        result = np.empty((pixels, self.filters), dtype)
        return _Scratch(padded, columns, result, np.empty_like(result))

    # -- gathering --------------------------------------------------------------------------------------

    def _input(self, scratch: _Scratch, x: Array, image: int, group: int, first: int, rows: int) -> tuple[Array, int]:
        """An array and the item in it where the rows that output rows `first …` need begin; padded if need be."""
        vertical, horizontal = self.vertical, self.horizontal
        top = first * vertical.stride - vertical.before
        height = (rows - 1) * vertical.stride + vertical.extent
        left = -horizontal.before
        if not self.pads_columns and top >= 0 and top + height <= vertical.input:
            return x, ((image * vertical.input + top) * horizontal.input + left) * self.channels
        padded = scratch.padded
        assert padded is not None
        low, high = max(top, 0), min(top + height, vertical.input)
        start, stop = max(left, 0), min(left + self.width, horizontal.input)
        block = padded[:group]
        if high > low and stop > start:
            block[:, low - top : high - top, start - left : stop - left] = x[
                image : image + group, low:high, start:stop
            ]
        else:
            high = low = top
        if rows != vertical.output or self.sources:  # else the rows outside were zero from the start
            block[:, : low - top] = 0
            block[:, high - top : height] = 0
        return padded, 0

    def _gather(self, scratch: _Scratch, x: Array, image: int, group: int, first: int, rows: int) -> None:
        """Fills `scratch.columns` for the output rows `first … first+rows-1` of `group` images."""
        vertical, horizontal = self.vertical, self.horizontal
        source, origin = self._input(scratch, x, image, group, first, rows)
        item = self.dtype.itemsize
        image_step, row_step, pixel_step, _ = source.strides
        across: tuple[int, ...] = ()
        steps: tuple[int, ...] = ()
        run = self.run
        if horizontal.dilation > 1 and horizontal.size > 1:
            across, steps, run = (horizontal.size,), (horizontal.dilation * pixel_step,), self.channels
        kind = np.dtype((np.void, run * item))
        columns = scratch.columns
        width = horizontal.output
        if self.by_rows:
            offset = 0
            for phase, extra, _ in self.phases:
                shape = (rows + extra, group, width, *across)
                strides = (vertical.stride * row_step, image_step, horizontal.stride * pixel_step, *steps)
                begin = origin * item + phase * row_step
                windows: Array = np.ndarray(shape, kind, source, begin, strides)
                target: Array = np.ndarray(shape, kind, columns, offset)
                target[...] = windows
                offset += (rows + extra) * group * width * self.inner * item
            return
        shape = (group, rows, width, vertical.size, *across)
        strides = (
            *(image_step, vertical.stride * row_step, horizontal.stride * pixel_step),
            *(vertical.dilation * row_step, *steps),
        )
        windows = np.ndarray(shape, kind, source, origin * item, strides)
        target = np.ndarray(shape, kind, columns)
        target[...] = windows

    def _products(self, group: int, rows: int) -> Iterator[tuple[int, int]]:
        """(row of the filter, first item of the gathered windows) of each product of one gathered block."""
        if not self.by_rows:
            yield 0, 0
            return
        line = group * self.horizontal.output * self.inner
        offset = 0
        for _, extra, taps in self.phases:
            for tap, ahead in taps:
                yield tap * self.inner, offset + ahead * line
            offset += (rows + extra) * line

    # -- computing --------------------------------------------------------------------------------------

    def __call__(self, x: Array, filter: Array, out: Array) -> None:
        """Writes the correlation of contiguous `x` with `filter` (rows `kd, kh, kw, channels`) into `out`."""
        x = x.reshape(-1, self.vertical.input, self.horizontal.input, self.channels)
        filter = np.ascontiguousarray(filter.reshape(-1, self.filters))
        direct = out.flags.c_contiguous
        gemm = blas.gemm(self.dtype)

        def work(tasks: Iterator[int]) -> None:
            scratch = self._take()
            for task in tasks:
                image, stop, first, last = self.tasks[task]
                group, rows = stop - image, last - first
                pixels = group * rows * self.horizontal.output
                in_place = direct and (group == 1 or not self.by_rows)
                block = out[image:stop, first:last]
                result = block.reshape(pixels, self.filters) if in_place else scratch.result[:pixels]
                self._block(scratch, x, filter, result, gemm, image, group, first, rows)
                if in_place:
                    continue
                if self.by_rows:
                    made = result.reshape(rows, group, self.horizontal.output, self.filters)
                    block[...] = made.swapaxes(0, 1)
                else:
                    block[...] = result.reshape(block.shape)
            self._scratch.append(scratch)

        if out.size:
            threads.parallel(len(self.tasks), work)

    def _block(
        self,
        scratch: _Scratch,
        x: Array,
        filter: Array,
        result: Array,
        gemm: blas.Gemm | None,
        image: int,
        group: int,
        first: int,
        rows: int,
    ) -> None:
        pixels, inner, filters, item = len(result), self.inner, self.filters, self.dtype.itemsize
        sources = self.sources(image) if self.sources else [(image, 0)]
        filter_at, result_at = filter.ctypes.data, result.ctypes.data
        started = False
        for source, part in sources:
            self._gather(scratch, x, source, group, first, rows)
            part *= self.vertical.size * self.run
            for row, start in self._products(group, rows):
                row += part
                if gemm is not None:
                    gemm(
                        *(False, pixels, filters, inner, scratch.address + start * item, inner),
                        *(filter_at + row * filters * item, filters, float(started), result_at, filters),
                    )
                else:
                    windows = scratch.columns[start : start + pixels * inner].reshape(pixels, inner)
                    weights = filter[row : row + inner]
                    if started:
                        np.add(result, np.matmul(windows, weights, out=scratch.spare[:pixels]), out=result)
                    else:
                        np.matmul(windows, weights, out=result)
                started = True
        if not started:
            result.fill(0)

    def _take(self) -> _Scratch:
        try:
            return self._scratch.pop()
        except IndexError:
            return self._new_scratch()
