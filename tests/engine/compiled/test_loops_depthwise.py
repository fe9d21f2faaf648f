"""Compiled depthwise convolutions and their gradients against the NumPy kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.compiled.loops import both, kinds, needs_extra, numbers, own_cache, same, seeds
from tfbench.engine.compiled import tier
from tfbench.engine.kernels import depthwise, threads

__all__ = ["own_cache"]

pytestmark = [needs_extra, pytest.mark.usefixtures("own_cache")]


@st.composite
def cases(draw: Any) -> dict[str, Any]:
    """Shapes and attributes."""
    size = [draw(st.integers(1, 4)), draw(st.integers(1, 4))]
    stride = draw(st.integers(1, 3))
    dilation = draw(st.integers(1, 2)) if stride == 1 else 1
    image = [draw(st.integers(1, 9)), draw(st.integers(1, 9))]
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    if padding == "VALID" and any((tap - 1) * dilation >= length for tap, length in zip(size, image)):
        padding = "SAME"
    channels, multiplier = draw(st.integers(1, 20)), draw(st.integers(1, 3))
    attrs = {"strides": [1, stride, stride, 1], "padding": padding, "dilations": [1, dilation, dilation, 1]}
    return {
        "x": (draw(st.integers(1, 10)), *image, channels),
        "filter": (*size, channels, multiplier),
        "attrs": attrs,
    }


@settings(max_examples=30, deadline=None)
@given(cases(), seeds, kinds)
def test_as_numpy(case: Any, seed: int, kind: Any) -> None:
    x, filter = numbers(case["x"], seed, kind), numbers(case["filter"], seed + 1, kind)
    attrs = case["attrs"]
    wanted, made = both(lambda: depthwise.depthwise_conv2d_native(np, x, filter, **attrs))
    same(made, wanted, rtol=1e-4, atol=1e-4)
    dy = numbers(wanted.shape, seed + 2, kind)
    sizes = np.array(x.shape), np.array(filter.shape)
    wanted, made = both(lambda: depthwise.depthwise_conv2d_native_backprop_input(np, sizes[0], filter, dy, **attrs))
    same(made, wanted, rtol=1e-4, atol=1e-4)
    wanted, made = both(lambda: depthwise.depthwise_conv2d_native_backprop_filter(np, x, sizes[1], dy, **attrs))
    same(made, wanted, rtol=1e-3, atol=1e-3)


def test_channels_first_and_threads() -> None:
    rng = np.random.default_rng(0)
    x, filter = rng.standard_normal((9, 5, 40, 40)), rng.standard_normal((3, 3, 5, 1))
    attrs: Any = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NCHW"}
    wanted, made = both(lambda: depthwise.depthwise_conv2d_native(np, x, filter, **attrs))
    same(made, wanted, rtol=1e-10, atol=1e-10)
    results = []
    for count in (1, 2):
        with threads.limit(count), tier.using(tier.WAIT):
            results.append(
                depthwise.depthwise_conv2d_native_backprop_filter(np, x, np.array(filter.shape), wanted, **attrs)
            )
    np.testing.assert_array_equal(*results)
