"""Depthwise convolution and grey-scale dilation against plain loops, and their gradients as transposes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.kernels import nn_reference as reference
from tfbench import errors
from tfbench.engine.kernels import blocks, depthwise, dilation


def integers(shape: tuple[int, ...], seed: int) -> Any:
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float64)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_depthwise(data: st.DataObject) -> None:
    def draw(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    taps, stride, dilations = (draw(1, 4), draw(1, 4)), draw(1, 3), (draw(1, 2), draw(1, 2))
    padding = data.draw(st.sampled_from(["SAME", "VALID", [(draw(0, 2), 1), (draw(0, 2), 0)]]))
    sizes = [draw((tap - 1) * dilation + 1, 9) for tap, dilation in zip(taps, dilations)]
    channels, multiplier = draw(1, 3), draw(1, 3)
    attrs: dict[str, Any] = {"strides": [1, stride, stride, 1], "padding": padding, "dilations": [1, *dilations, 1]}
    if not isinstance(padding, str):
        attrs["padding"] = "EXPLICIT"
        attrs["explicit_paddings"] = [0, 0, *padding[0], *padding[1], 0, 0]
    x, filter = integers((3, *sizes, channels), 1), integers((*taps, channels, multiplier), 2)
    at = reference.Geometry(sizes, taps, (stride, stride), dilations, padding)
    block = data.draw(st.sampled_from([50, 1 << 19]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_BYTES", block)
        y = depthwise.depthwise_conv2d_native(np, x, filter, **attrs)
        assert np.array_equal(y, reference.depthwise(x, filter, at))
        dy = integers(y.shape, 3)
        dx = depthwise.depthwise_conv2d_native_backprop_input(np, x.shape, filter, dy, **attrs)
        df = depthwise.depthwise_conv2d_native_backprop_filter(np, x, filter.shape, dy, **attrs)
    # Linear in each input, so the gradients are right if these products agree - for all x, filter and dy.
    assert dx.shape == x.shape
    assert df.shape == filter.shape
    assert (dy * y).sum() == (dx * x).sum() == (df * filter).sum()


def test_depthwise_channels_first_and_half() -> None:
    x, filter = integers((2, 5, 6, 3), 1), integers((2, 3, 3, 2), 2)
    attrs: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    y = depthwise.depthwise_conv2d_native(np, x, filter, **attrs)
    turned, dy = (np.ascontiguousarray(np.moveaxis(array, -1, 1)) for array in (x, y))
    first = {**attrs, "data_format": "NCHW"}
    assert np.array_equal(depthwise.depthwise_conv2d_native(np, turned, filter, **first), dy)
    dx = depthwise.depthwise_conv2d_native_backprop_input(np, turned.shape, filter, dy, **first)
    wanted = depthwise.depthwise_conv2d_native_backprop_input(np, x.shape, filter, y, **attrs)
    assert np.array_equal(np.moveaxis(dx, 1, -1), wanted)
    df = depthwise.depthwise_conv2d_native_backprop_filter(np, turned, filter.shape, dy, **first)
    assert np.array_equal(df, depthwise.depthwise_conv2d_native_backprop_filter(np, x, filter.shape, y, **attrs))
    half = depthwise.depthwise_conv2d_native(np, x.astype(np.float16), filter.astype(np.float16), **attrs)
    assert half.dtype == np.float16
    assert np.array_equal(half, y)


@pytest.mark.parametrize(
    ("x", "filter", "attrs", "kind", "message"),
    [
        ((1, 4, 4), (2, 2, 3, 1), {}, errors.InvalidArgumentError, r"input must be 4-dimensional\[1, 4, 4\]"),
        ((1, 4, 4, 3), (2, 2, 3), {}, errors.InvalidArgumentError, "filter must be 4-dimensional"),
        ((1, 4, 4, 2), (2, 2, 3, 1), {}, errors.InvalidArgumentError, "must have the same depth: 2 vs 3"),
        ((1, 4, 4, 3), (2, 2, 3, 1), {"strides": [2, 1, 1, 1]}, errors.UnimplementedError, "batch and depth"),
    ],
)
def test_depthwise_errors(x: Any, filter: Any, attrs: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        depthwise.depthwise_conv2d_native(
            np, np.zeros(x), np.zeros(filter), **{"strides": [1, 1, 1, 1], "padding": "SAME", **attrs}
        )


def test_depthwise_gradient_errors() -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"Expected out_backprop shape to be \[1, 4, 4, 2\]"):
        depthwise.depthwise_conv2d_native_backprop_input(
            np, [1, 4, 4, 2], np.zeros((2, 2, 2, 1)), np.zeros((1, 3, 4, 2)), strides=[1, 1, 1, 1], padding="SAME"
        )


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("strides", "rates"), [((1, 1), (1, 1)), ((2, 3), (1, 2))])
def test_dilation(strides: Any, rates: Any, padding: str) -> None:
    x, filter = integers((2, 6, 7, 2), 1), integers((3, 2, 2), 2)
    attrs: dict[str, Any] = {"strides": [1, *strides, 1], "rates": [1, *rates, 1], "padding": padding}
    at = reference.Geometry((6, 7), (3, 2), strides, rates, padding)
    y = dilation.dilation2d(np, x, filter, **attrs)
    best: dict[Any, Any] = {}
    for output, tap, input in at.points():
        for image in range(2):
            for channel in range(2):
                total = x[(image, *input, channel)] + filter[(*tap, channel)]
                key = (image, *output, channel)
                if key not in best or total > best[key][0]:
                    best[key] = (total, tap, input)
    dy = np.arange(1.0, 1 + y.size).reshape(y.shape)
    dx, df = np.zeros_like(x), np.zeros_like(filter)
    for key, (total, tap, input) in best.items():
        assert y[key] == total
        dx[(key[0], *input, key[3])] += dy[key]
        df[(*tap, key[3])] += dy[key]
    assert len(best) == y.size
    assert np.array_equal(dilation.dilation2d_backprop_input(np, x, filter, dy, **attrs), dx)
    assert np.array_equal(dilation.dilation2d_backprop_filter(np, x, filter, dy, **attrs), df)


@pytest.mark.parametrize(
    ("x", "filter", "message"),
    [
        ((1, 3, 3), (2, 2, 1), "input must be 4-dimensional"),
        ((1, 3, 3, 1), (2, 2, 1, 1), "filter must be 3-dimensional"),
        ((1, 3, 3, 2), (2, 2, 1), "must have the same depth: 2 vs 1"),
        ((1, 1, 1, 1), (3, 3, 1), "would be negative: -1"),
    ],
)
def test_dilation_errors(x: Any, filter: Any, message: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=message):
        dilation.dilation2d(
            np, np.zeros(x), np.zeros(filter), strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID"
        )


def test_dilation_where_no_sum_is_above_the_lowest_value() -> None:
    # tf.raw_ops.Dilation2D and its gradients give these
    attrs: dict[str, Any] = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "SAME"}
    x, filter = np.zeros((1, 2, 3, 1), np.uint8), np.zeros((1, 3, 1), np.uint8)
    dy = np.array([1, 2, 4, 8, 16, 32], np.uint8).reshape(x.shape)
    dx = dilation.dilation2d_backprop_input(np, x, filter, dy, **attrs)
    assert dx.ravel().tolist() == [3, 4, 0, 24, 32, 0]
    assert dilation.dilation2d_backprop_filter(np, x, filter, dy, **attrs).ravel().tolist() == [63, 0, 0]
    x, filter = np.array([np.nan, np.nan, 1.0]).reshape(1, 1, 3, 1), np.zeros((1, 3, 1))
    y = dilation.dilation2d(np, x, filter, **attrs)
    assert y.ravel().tolist() == [np.finfo(float).min, 1.0, 1.0]


def test_dilation_gradient_errors() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="out_backprop has incompatible size"):
        dilation.dilation2d_backprop_input(
            np, np.zeros((1, 3, 3, 1)), np.zeros((2, 2, 1)), np.zeros((1, 3, 3, 1)),
            strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID",
        )  # fmt: skip
