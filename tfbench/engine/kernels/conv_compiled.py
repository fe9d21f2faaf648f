"""Correlations as machine code, once it is there (`compiled.tier`, `compiled.convolution`).

A slice of a volume is the sum of two-dimensional correlations of the slices that it looks at: the first is written, the
others are added.
"""

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

    __slots__ = ("_geometry", "_possible", "_work")

    def __init__(self, plan: Correlation) -> None:
        down, across = plan.vertical, plan.horizontal
        self._geometry: tuple[int, ...] = (
            *(plan.channels, plan.filters),
            *(down.size, down.stride, down.dilation, down.before, down.input, down.output),
            *(across.size, across.stride, across.dilation, across.before, across.input, across.output),
        )
        self._possible = plan.dtype == np.float32 and plan.dtype.isnative and plan.filters >= _FILTERS
        pixels = plan.images * down.output * across.output
        self._work = pixels * plan.filters * plan.channels * down.size * across.size // 8  # as bytes that are moved

    def forward(self, plan: Correlation, x: Array, filter: Array, out: Array) -> bool:
        """As `Correlation.__call__`, with `filter` of any strides; False if NumPy has to do it."""
        if not self._possible or out.strides[3] != out.itemsize:
            return False
        geometry, sources = self._geometry, plan.sources
        pack = tier.kernel("convolution", "pack", *geometry).ready(self._work)
        run = tier.kernel("convolution", "forward", *geometry, *out.strides[1:3], 0).ready(self._work)
        add = (
            tier.kernel("convolution", "forward", *geometry, *out.strides[1:3], 1).ready(self._work) if sources else run
        )
        if pack is None or run is None or add is None:
            return False
        from tfbench.engine.compiled.convolution import Geometry, forward_scratch, packed_size

        slices = filter[None] if filter.ndim == 4 else filter
        packed = np.zeros((len(slices), packed_size(geometry)), np.float32)
        for one, target in zip(slices, packed, strict=True):
            pack(one.ctypes.data, *one.strides, target.ctypes.data)
        bands, size = Geometry(geometry).bands, forward_scratch(geometry)
        x_at, filter_at, out_at, image_step = x.ctypes.data, packed.ctypes.data, out.ctypes.data, out.strides[0]

        if sources is None:
            units = plan.images * bands
            tasks = max(1, min(units, self._work * 8 // _TASK))

            def work(numbers: Iterator[int]) -> None:
                scratch = threads.scratch(size).ctypes.data
                for task in numbers:
                    first, last = task * units // tasks, (task + 1) * units // tasks
                    run(x_at, filter_at, out_at, image_step, scratch, first, last)

            threads.parallel(tasks, work)
            return True

        def add_up(numbers: Iterator[int]) -> None:
            scratch = threads.scratch(size).ctypes.data
            for image in numbers:
                kernel = run
                for source, part in sources(image):
                    source_at = x_at + (source - image) * x.strides[0]
                    part_at = filter_at + part * packed.strides[0]
                    kernel(source_at, part_at, out_at, image_step, scratch, image * bands, (image + 1) * bands)
                    kernel = add
                if kernel is run:
                    out[image] = 0

        threads.parallel(plan.images, add_up)
        return True

    def filter_gradient(self, plan: Correlation, x: Array, dy: Array, sums: Array) -> bool:
        """Adds the parts of the gradient to `sums`, (parts, terms, filters); False if NumPy has to do it."""
        if not self._possible:
            return False
        geometry, sources = self._geometry, plan.sources
        run = tier.kernel("convolution_gradient", "filter_gradient", *geometry).ready(self._work)
        if run is None:
            return False
        from tfbench.engine.compiled.convolution import Geometry
        from tfbench.engine.compiled.convolution_gradient import gradient_scratch

        bands, size = Geometry(geometry).bands, gradient_scratch(geometry)
        parts, units = len(sums), plan.images if sources else plan.images * bands
        tap = plan.vertical.size * plan.run * sums.strides[1]
        x_at, dy_at, sums_at, step = x.ctypes.data, dy.ctypes.data, sums.ctypes.data, sums.strides[0]

        def work(numbers: Iterator[int]) -> None:
            scratch = threads.scratch(size).ctypes.data
            for part in numbers:
                first, last = part * units // parts, (part + 1) * units // parts
                if sources is None:
                    if first < last:
                        run(x_at, dy_at, sums_at + part * step, scratch, first, last)
                    continue
                for image in range(first, last):
                    for source, slice in sources(image):
                        source_at, target = x_at + (source - image) * x.strides[0], sums_at + part * step + slice * tap
                        run(source_at, dy_at, target, scratch, image * bands, (image + 1) * bands)

        threads.parallel(parts, work)
        return True
