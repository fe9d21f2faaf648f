"""Two-dimensional correlations as machine code, once it is there (`compiled.tier`, `compiled.convolution`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.kernels import threads
from tfbench.engine.kernels.geometry import Array

if TYPE_CHECKING:
    from tfbench.engine.kernels.correlate import Correlation

#: multiplications that a task should have at least: calls are cheap, but not free
_TASK = 4_000_000
#: filters, from which on whole vectors are worth while
_FILTERS = 4


class Compiled:
    """The compiled forms of one `Correlation`."""

    __slots__ = ("_forward", "_geometry", "_gradient", "_pack", "_units", "_work", "possible")

    def __init__(self, plan: Correlation) -> None:
        down, across = plan.vertical, plan.horizontal
        self._geometry: tuple[int, ...] = (
            *(plan.channels, plan.filters),
            *(down.size, down.stride, down.dilation, down.before, down.input, down.output),
            *(across.size, across.stride, across.dilation, across.before, across.input, across.output),
        )
        self.possible = (
            plan.dtype == np.float32 and plan.dtype.isnative and not plan.sources and plan.filters >= _FILTERS
        )
        pixels = plan.images * down.output * across.output
        self._work = pixels * plan.filters * plan.channels * down.size * across.size // 8  # as bytes that are moved

    def forward(self, plan: Correlation, x: Array, filter: Array, out: Array) -> bool:
        """As `Correlation.__call__`, with `filter` of any strides; False if NumPy has to do it."""
        if not self.possible or out.strides[3] != out.itemsize:
            return False
        geometry = self._geometry
        pack = tier.kernel("convolution", "pack", *geometry).ready(self._work)
        run = tier.kernel("convolution", "forward", *geometry, out.strides[1], out.strides[2]).ready(self._work)
        if pack is None or run is None:
            return False
        from tfbench.engine.compiled import convolution

        packed = np.zeros(convolution.packed_size(geometry), np.float32)
        pack(filter.ctypes.data, *filter.strides, packed.ctypes.data)
        units = plan.images * convolution.Geometry(geometry).bands
        size = convolution.forward_scratch(geometry)
        tasks = _tasks(units, self._work)
        x_at, filter_at, out_at, image = x.ctypes.data, packed.ctypes.data, out.ctypes.data, out.strides[0]

        def work(numbers: Iterator[int]) -> None:
            scratch = threads.scratch(size).ctypes.data
            for task in numbers:
                run(x_at, filter_at, out_at, image, scratch, task * units // tasks, (task + 1) * units // tasks)

        threads.parallel(tasks, work)
        return True

    def filter_gradient(self, plan: Correlation, x: Array, dy: Array, sums: Array) -> bool:
        """Adds the parts of the gradient to `sums`, (parts, terms, filters); False if NumPy has to do it."""
        if not self.possible:
            return False
        geometry = self._geometry
        run = tier.kernel("convolution", "filter_gradient", *geometry).ready(self._work)
        if run is None:
            return False
        from tfbench.engine.compiled import convolution

        units = plan.images * convolution.Geometry(geometry).bands
        size = convolution.gradient_scratch(geometry)
        parts = len(sums)
        x_at, dy_at, sums_at, step = x.ctypes.data, dy.ctypes.data, sums.ctypes.data, sums.strides[0]

        def work(numbers: Iterator[int]) -> None:
            scratch = threads.scratch(size).ctypes.data
            for part in numbers:
                first, last = part * units // parts, (part + 1) * units // parts
                if first < last:
                    run(x_at, dy_at, sums_at + part * step, scratch, first, last)

        threads.parallel(parts, work)
        return True


def _tasks(units: int, work: int) -> int:
    return max(1, min(units, work * 8 // _TASK))
