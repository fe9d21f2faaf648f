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

The gradient with respect to the filter is the same walk with the product turned round: each block's gathered windows,
transposed, times the block's output gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfbench.engine.kernels import blas, threads
from tfbench.engine.kernels.conv_compiled import Compiled
from tfbench.engine.kernels.geometry import Array, Window

#: Aim for the gathered part of a block: it should stay in a core's second-level cache beside filter and result.
BLOCK_BYTES = 1 << 20
#: … but BLAS packs the whole filter for every block, which must be worth it: at least so many output pixels,
MIN_PIXELS = 512
#: … in at most so much memory.
MAX_BLOCK_BYTES = 8 << 20
#: From how many values in a run of `kw * channels` on only one axis is gathered.
LONG_RUN = 64
#: How many partial sums a filter gradient has at most, and the memory for them.
PARTS, PARTS_BYTES = 8, 32 << 20

#: For one output image: the input images it looks at, and the block of the filter each is multiplied with.
Sources = Callable[[int], list[tuple[int, int]]]


class _Scratch:
    """One thread's buffers: padded input, gathered windows, a result, and a product yet to be added."""

    __slots__ = ("address", "columns", "padded", "result", "spare")

    def __init__(self, plan: Correlation) -> None:
        sizes = plan.scratch_items
        item = plan.dtype.itemsize
        memory = threads.scratch(sum(sizes) * item).view(plan.dtype)
        ends = np.cumsum(sizes)
        self.padded = memory[: ends[0]].reshape(plan.padded_shape)
        self.padded.fill(0)  # the borders stay zero from block to block
        self.columns = memory[ends[0] : ends[1]]
        self.result = memory[ends[1] : ends[2]]
        self.spare = memory[ends[2] : ends[3]]
        self.address = self.columns.ctypes.data


class Correlation:
    """A 2-D cross-correlation of fixed shapes: `(images, h, w, channels)` to `(images, oh, ow, filters)`.

    `vertical.before` and `horizontal.before` may be negative (the input is then cropped). With `sources` it is one
    slice of a 3-D one: output image `n` is the sum over the input images that `sources(n)` names.
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
        self.inner = self.run if self.by_rows else self.run * vertical.size  # of one product
        self.phases = self._phases()
        self._cut()
        self.compiled = Compiled(self)

    # -- planning ---------------------------------------------------------------------------------------

    def _phases(self) -> list[tuple[int, int, list[tuple[int, int]]]]:
        """By rows: (first input row, rows beyond the output's, [(filter row, rows ahead)]) of each buffer."""
        if not self.by_rows:
            return []
        taps: dict[int, list[tuple[int, int]]] = {}
        for tap in range(self.vertical.size):
            ahead, phase = divmod(tap * self.vertical.dilation, self.vertical.stride)
            taps.setdefault(phase, []).append((tap, ahead))
        return [(phase, found[-1][1], found) for phase, found in taps.items()]

    def _gathered_rows(self, rows: int) -> int:
        """How many times `ow * inner` values are gathered for `rows` output rows of an image."""
        return sum(rows + extra for _, extra, _ in self.phases) if self.by_rows else rows

    def _cut(self) -> None:
        """Cuts the output into `tasks`: several whole images, or a band of rows of one image."""
        vertical, horizontal, item = self.vertical, self.horizontal, self.dtype.itemsize
        row_bytes = max(1, horizontal.output * self.inner * item)
        budget = max(BLOCK_BYTES, min(MAX_BLOCK_BYTES, MIN_PIXELS * self.inner * item))
        rows, group = vertical.output, 1
        image_bytes = row_bytes * max(1, self._gathered_rows(rows))
        if image_bytes > budget:
            extra, buffers = self._gathered_rows(0), max(1, len(self.phases))
            rows = max(1, (budget // row_bytes - extra) // buffers)
            rows = -(-vertical.output // -(-vertical.output // rows))  # even bands
        elif self.sources is None:
            group = max(1, min(self.images, budget // image_bytes))
        self.tasks = [
            (image, min(image + group, self.images), row, min(row + rows, vertical.output))
            for image in range(0, self.images, group)
            for row in range(0, vertical.output, max(rows, 1))
        ]
        self.bands = rows < vertical.output
        width = (horizontal.output - 1) * horizontal.stride + horizontal.extent
        height = (rows - 1) * vertical.stride + vertical.extent
        self.pads_columns = horizontal.before > 0 or width - horizontal.before > horizontal.input
        last = (vertical.output - 1) * vertical.stride + vertical.extent
        pads = self.pads_columns or vertical.before > 0 or last - vertical.before > vertical.input
        self.padded_shape = (group if pads else 0, height, width, self.channels)
        pixels = rows * group * horizontal.output
        columns = self._gathered_rows(rows) * group * horizontal.output * self.inner
        padded = (group if pads else 0) * height * width * self.channels
        self.scratch_items = (padded, columns, pixels * self.filters, pixels * self.filters)

    # -- gathering --------------------------------------------------------------------------------------

    def _input(self, scratch: _Scratch, x: Array, image: int, group: int, first: int, rows: int) -> tuple[Array, int]:
        """An array, and the item in it at which the inputs of output row `first` of `image` begin."""
        vertical, horizontal = self.vertical, self.horizontal
        top = first * vertical.stride - vertical.before
        height = (rows - 1) * vertical.stride + vertical.extent
        left = -horizontal.before
        if not self.pads_columns and top >= 0 and top + height <= vertical.input:
            return x, ((image * vertical.input + top) * horizontal.input + left) * self.channels
        width = self.padded_shape[2]
        low, high = min(max(top, 0), top + height), max(min(top + height, vertical.input), top)
        start, stop = max(left, 0), min(left + width, horizontal.input)
        block = scratch.padded[:group]
        if low < high and start < stop:
            inside = x[image : image + group, low:high, start:stop]
            block[:, low - top : high - top, start - left : stop - left] = inside
        if self.bands:  # otherwise the rows above and below are zero since the buffer was made
            block[:, : low - top] = 0
            block[:, max(high, low) - top : height] = 0
        return block, 0

    def _gather(self, scratch: _Scratch, x: Array, image: int, group: int, first: int, rows: int) -> None:
        """Fills `scratch.columns` for `rows` output rows from `first` on, of `group` images."""
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
        width = horizontal.output
        if not self.by_rows:
            shape: tuple[int, ...] = (group, rows, width, vertical.size, *across)
            strides = (
                *(image_step, vertical.stride * row_step, horizontal.stride * pixel_step),
                *(vertical.dilation * row_step, *steps),
            )
            windows: Array = np.ndarray(shape, kind, source, origin * item, strides)
            np.ndarray(shape, kind, scratch.columns)[...] = windows
            return
        offset = 0
        for phase, extra, _ in self.phases:
            shape = (rows + extra, group, width, *across)
            strides = (vertical.stride * row_step, image_step, horizontal.stride * pixel_step, *steps)
            windows = np.ndarray(shape, kind, source, origin * item + phase * row_step, strides)
            np.ndarray(shape, kind, scratch.columns, offset)[...] = windows
            offset += (rows + extra) * group * width * self.inner * item

    def _products(self, group: int, rows: int) -> list[tuple[int, int]]:
        """(row of the filter, first item of the gathered windows) of each product of one gathered block."""
        if not self.by_rows:
            return [(0, 0)]
        found = []
        line = group * self.horizontal.output * self.inner
        offset = 0
        for _, extra, taps in self.phases:
            found += [(tap * self.inner, offset + ahead * line) for tap, ahead in taps]
            offset += (rows + extra) * line
        return found

    # -- computing --------------------------------------------------------------------------------------

    def __call__(self, x: Array, filter: Array, out: Array) -> None:
        """Writes the correlation of `x` with `filter`, whose rows are `(depth, kh, kw, channels)`, into `out`.

        `x` has to be contiguous, `out` need not be; neither may be empty.
        """
        x = x.reshape(-1, self.vertical.input, self.horizontal.input, self.channels)
        if self.compiled.forward(self, x, filter, out):
            return
        filter = np.ascontiguousarray(filter.reshape(-1, self.filters))
        direct = out.flags.c_contiguous

        def work(tasks: Iterator[int]) -> None:
            scratch = _Scratch(self)
            for task in tasks:
                image, stop, first, last = self.tasks[task]
                group, rows = stop - image, last - first
                block = out[image:stop, first:last]
                size = group * rows * self.horizontal.output
                if direct and (group == 1 or not self.by_rows):
                    self._block(scratch, x, filter, block.reshape(size, self.filters), *self.tasks[task])
                    continue
                result = scratch.result[: size * self.filters].reshape(size, self.filters)
                self._block(scratch, x, filter, result, *self.tasks[task])
                if self.by_rows:  # its pixels are in the order (row, image, column)
                    block[...] = result.reshape(rows, group, -1, self.filters).swapaxes(0, 1)
                else:
                    block[...] = result.reshape(block.shape)

        threads.parallel(len(self.tasks), work)

    def _block(
        self, scratch: _Scratch, x: Array, filter: Array, out: Array, image: int, stop: int, first: int, last: int
    ) -> None:
        gemm = blas.gemm(self.dtype)
        pixels, inner, filters, item = len(out), self.inner, self.filters, self.dtype.itemsize
        filter_at, out_at = filter.ctypes.data, out.ctypes.data
        products = self._products(stop - image, last - first)
        started = False
        for source, part in self.sources(image) if self.sources else [(image, 0)]:
            self._gather(scratch, x, source, stop - image, first, last - first)
            for row, start in products:
                row += part * self.vertical.size * self.run
                if gemm is not None:
                    gemm(
                        *(False, pixels, filters, inner, scratch.address + start * item, inner),
                        *(filter_at + row * filters * item, filters, float(started), out_at, filters),
                    )
                else:
                    windows = scratch.columns[start : start + pixels * inner].reshape(pixels, inner)
                    target = scratch.spare[: out.size].reshape(out.shape) if started else out
                    np.matmul(windows, filter[row : row + inner], out=target)
                    if started:
                        np.add(out, target, out=out)
                started = True
        if not started:
            out.fill(0)

    def filter_gradient(self, x: Array, dy: Array, out: Array) -> None:
        """Writes into `out`, shaped as the filter, the sum over all windows of input times output gradient.

        `x` and `dy` have to be contiguous and not empty. The sum is made in a fixed number of parts, so that the
        result does not depend on how many threads there are.
        """
        x = x.reshape(-1, self.vertical.input, self.horizontal.input, self.channels)
        total = out.reshape(-1, self.filters)
        parts = max(1, min(PARTS, len(self.tasks), PARTS_BYTES // max(1, out.nbytes)))
        sums = np.zeros((parts, *total.shape), self.dtype)
        if self.compiled.filter_gradient(self, x, dy, sums):
            np.sum(sums, axis=0, out=total)
            return

        def work(numbers: Iterator[int]) -> None:
            scratch = _Scratch(self)
            for part in numbers:
                for task in range(part * len(self.tasks) // parts, (part + 1) * len(self.tasks) // parts):
                    self._gradient_block(scratch, x, dy, sums[part], *self.tasks[task])

        threads.parallel(parts, work)
        np.sum(sums, axis=0, out=total)

    def _gradient_block(
        self, scratch: _Scratch, x: Array, dy: Array, out: Array, image: int, stop: int, first: int, last: int
    ) -> None:
        gemm = blas.gemm(self.dtype)
        inner, filters, item = self.inner, self.filters, self.dtype.itemsize
        block = dy[image:stop, first:last]
        pixels = block.size // filters
        gradient = block.reshape(pixels, filters)
        if self.by_rows and stop - image > 1:
            gradient = scratch.result[: block.size].reshape(pixels, filters)
            gradient.reshape(last - first, stop - image, -1, filters)[...] = block.swapaxes(0, 1)
        products = self._products(stop - image, last - first)
        gradient_at, out_at = gradient.ctypes.data, out.ctypes.data
        for source, part in self.sources(image) if self.sources else [(image, 0)]:
            self._gather(scratch, x, source, stop - image, first, last - first)
            for row, start in products:
                row += part * self.vertical.size * self.run
                if gemm is not None:
                    gemm(
                        *(True, inner, filters, pixels, scratch.address + start * item, inner),
                        *(gradient_at, filters, 1.0, out_at + row * filters * item, filters),
                    )
                else:
                    windows = scratch.columns[start : start + pixels * inner].reshape(pixels, inner)
                    rows = out[row : row + inner]
                    np.add(rows, windows.T @ gradient, out=rows)
