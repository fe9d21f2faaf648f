"""Convolutions as matrix products of blocks, on the stand-in for CuPy: what the CPU's kernels give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.engine.kernels.test_conv import GEOMETRIES, integers, kernels, setup
from tests.gpu import strict_cupy
from tfbench.engine.kernels import conv, conv_device


def there(array: Any) -> Any:
    return strict_cupy.array(array)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
@pytest.mark.parametrize("budget", [conv_device.BLOCK_BYTES, 3000, 1])
def test_forward_and_gradients(geometry: Any, dtype: Any, budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one block, in blocks of a few rows, in blocks of one row of outputs."""
    monkeypatch.setattr(conv_device, "BLOCK_BYTES", budget)
    x, filter, _, attrs = setup(geometry, dtype)
    forward, input_gradient, filter_gradient = kernels(len(geometry[0]))
    y = forward(np, x, filter, **attrs)
    dy = integers(y.shape, dtype, 3)
    for kernel, args in (
        (forward, (x, filter)),
        (input_gradient, (np.array(x.shape), filter, dy)),
        (filter_gradient, (x, np.array(filter.shape), dy)),
    ):
        found = kernel(strict_cupy, *(arg if arg.ndim == 1 else there(arg) for arg in args), **attrs)
        wanted = kernel(np, *args, **attrs)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found.get(), wanted)


def test_blocks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The windows of a block take no more than the budget, unless one row of outputs does."""
    monkeypatch.setattr(conv_device, "BLOCK_BYTES", 20_000)
    found = conv._windows((3, 3), (4, 32, 32, 8), ((1, 1, 1, 1), "SAME", (), "NHWC", (1, 1, 1, 1)))
    sizes = [columns.nbytes for _, columns in conv_device._blocks(np, np.zeros((4, 32, 32, 8), np.float32), found)]
    assert sum(sizes) == 4 * 32 * 32 * 9 * 8 * 4
    assert max(sizes) <= 20_000
    assert len(sizes) == 4 * 16


def test_no_array_is_made_for_each_tap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A 1x1 convolution is one product of the input as it is."""
    x, filter = integers((2, 5, 5, 3), np.float32), integers((1, 1, 3, 4), np.float32)
    found = conv._windows((1, 1), x.shape, ((1, 1, 1, 1), "VALID", (), "NHWC", (1, 1, 1, 1)))
    ((_, columns),) = conv_device._blocks(np, x, found)
    assert np.shares_memory(columns, x)
    np.testing.assert_array_equal(conv_device.forward(np, x, filter, found), x @ filter[0, 0])
