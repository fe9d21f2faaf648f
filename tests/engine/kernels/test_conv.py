"""The blocked convolutions against plain loops, at every geometry, and whatever way the work is cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.kernels import nn_reference as reference
from tfbench import errors
from tfbench.engine.kernels import blas, conv, conv_taps, correlate, threads


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cut even tiny arrays into several blocks."""
    monkeypatch.setattr(correlate, "BLOCK_BYTES", 600)
    monkeypatch.setattr(correlate, "MIN_PIXELS", 1)
    forget_plans()
    yield
    forget_plans()


def forget_plans() -> None:
    conv._plan_forward.cache_clear()
    conv._plan_input_gradient.cache_clear()
    conv._plan_filter_gradient.cache_clear()


def integers(shape: tuple[int, ...], dtype: Any = np.float64, seed: int = 0) -> Any:
    """Small integers, so that every order of summation gives the same sum."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


GEOMETRIES = [
    # sizes, taps, strides, dilations, padding
    ((6, 7), (3, 3), (1, 1), (1, 1), "SAME"),
    ((6, 7), (3, 2), (1, 1), (1, 1), "VALID"),
    ((7, 9), (5, 3), (2, 2), (1, 1), "SAME"),
    ((8, 5), (2, 3), (3, 1), (1, 1), "VALID"),
    ((9, 9), (3, 2), (1, 1), (2, 3), "SAME"),
    ((9, 9), (3, 2), (2, 3), (2, 2), "VALID"),
    ((5, 5), (1, 1), (1, 1), (1, 1), "VALID"),
    ((5, 6), (1, 1), (2, 3), (1, 1), "SAME"),
    ((4, 4), (2, 2), (3, 3), (1, 1), "VALID"),  # stride beyond the taps: inputs that no window sees
    ((5, 4), (3, 3), (1, 2), (1, 1), [(2, 0), (1, 3)]),
    ((3, 3), (2, 2), (1, 1), (1, 1), [(4, 4), (0, 5)]),  # windows that lie in the padding alone
    ((1, 8), (1, 5), (1, 2), (1, 1), "SAME"),
    ((4, 5, 6), (2, 3, 2), (1, 1, 1), (1, 1, 1), "SAME"),
    ((5, 4, 6), (3, 2, 1), (2, 1, 3), (1, 1, 1), "VALID"),
    ((5, 5, 5), (2, 2, 3), (1, 2, 2), (2, 1, 1), "SAME"),
]


def setup(geometry: Any, dtype: Any = np.float64, images: int = 3) -> tuple[Any, Any, Any, dict[str, Any]]:
    sizes, taps, strides, dilations, padding = geometry
    attrs: dict[str, Any] = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1], "padding": padding}
    if not isinstance(padding, str):
        attrs["padding"] = "EXPLICIT"
        attrs["explicit_paddings"] = [0, 0, *padding[0], *padding[1], 0, 0]
    x, filter = integers((images, *sizes, 3), dtype, 1), integers((*taps, 3, 4), dtype, 2)
    return x, filter, reference.Geometry(sizes, taps, strides, dilations, padding), attrs


def kernels(rank: int) -> tuple[Any, Any, Any]:
    if rank == 2:
        return conv.conv2d, conv.conv2d_backprop_input, conv.conv2d_backprop_filter
    return conv.conv3d, conv.conv3d_backprop_input, conv.conv3d_backprop_filter


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
@pytest.mark.parametrize("blocks", ["one block", "small blocks"])
def test_forward_and_gradients(geometry: Any, dtype: Any, blocks: str, request: pytest.FixtureRequest) -> None:
    if blocks == "small blocks":
        request.getfixturevalue("small_blocks")
    x, filter, at, attrs = setup(geometry, dtype)
    forward, input_gradient, filter_gradient = kernels(len(geometry[0]))
    y = forward(np, x, filter, **attrs)
    assert y.dtype == dtype
    assert np.array_equal(y, reference.convolve(x, filter, at))
    dy = integers(y.shape, dtype, 3)
    dx = input_gradient(np, np.array(x.shape), filter, dy, **attrs)
    assert dx.dtype == dtype
    assert np.array_equal(dx, reference.convolve_input_gradient(dy, filter, at))
    df = filter_gradient(np, x, np.array(filter.shape), dy, **attrs)
    assert df.dtype == dtype
    assert np.array_equal(df, reference.convolve_filter_gradient(x, dy, at))


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_geometry(data: st.DataObject) -> None:
    def draw(low: int, high: int) -> int:
        return data.draw(st.integers(low, high))

    taps = (draw(1, 4), draw(1, 4))
    strides, dilations = (draw(1, 3), draw(1, 3)), (draw(1, 2), draw(1, 2))
    padding = data.draw(st.sampled_from(["SAME", "VALID", [(draw(0, 3), draw(0, 3)), (draw(0, 3), draw(0, 3))]]))
    sizes = tuple(draw((tap - 1) * dilation + 1, 9) for tap, dilation in zip(taps, dilations))
    x, filter, at, attrs = setup((sizes, taps, strides, dilations, padding), images=draw(1, 3))
    y = conv.conv2d(np, x, filter, **attrs)
    assert np.array_equal(y, reference.convolve(x, filter, at))
    dy = integers(y.shape)
    dx = conv.conv2d_backprop_input(np, x.shape, filter, dy, **attrs)
    assert np.array_equal(dx, reference.convolve_input_gradient(dy, filter, at))
    # The gradients are transposes of the forward map: <dy, conv(x, f)> = <dx, x> = <df, f>.
    df = conv.conv2d_backprop_filter(np, x, filter.shape, dy, **attrs)
    assert (dy * y).sum() == (dx * x).sum() == (df * filter).sum()


def test_long_runs_are_gathered_by_rows_and_short_ones_whole() -> None:
    # 3 * 32 channels are enough for one product per filter row; both ways must agree on the same numbers.
    x, filter = integers((2, 12, 11, 32)), integers((3, 3, 32, 5), seed=4)
    at = reference.Geometry((12, 11), (3, 3), (1, 1), (1, 1), "SAME")
    attrs: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    _, plan = conv._plan_forward(
        x.shape, filter.shape, "d", conv._attrs([1, 1, 1, 1], "SAME", (), "NHWC", (1, 1, 1, 1))
    )
    assert plan.correlation.by_rows
    assert np.array_equal(conv.conv2d(np, x, filter, **attrs), reference.convolve(x, filter, at))
    narrow, narrow_filter = x[..., :2].copy(), filter[:, :, :2].copy()
    assert np.array_equal(
        conv.conv2d(np, narrow, narrow_filter, **attrs), reference.convolve(narrow, narrow_filter, at)
    )


def test_without_an_accumulating_blas_products_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "gemm", lambda dtype: None)
    x, filter = integers((2, 9, 8, 32), np.float32), integers((3, 4, 32, 5), np.float32, 4)
    at = reference.Geometry((9, 8), (3, 4), (2, 1), (1, 1), "SAME")
    attrs: dict[str, Any] = {"strides": [1, 2, 1, 1], "padding": "SAME"}
    y = conv.conv2d(np, x, filter, **attrs)
    assert np.array_equal(y, reference.convolve(x, filter, at))
    df = conv.conv2d_backprop_filter(np, x, filter.shape, y, **attrs)
    assert np.array_equal(df, reference.convolve_filter_gradient(x, y, at))


@pytest.mark.parametrize("groups", [2, 3])
def test_grouped(groups: int) -> None:
    x, filter = integers((2, 5, 5, 2 * groups)), integers((2, 2, 2, 3 * groups), seed=5)
    at = reference.Geometry((5, 5), (2, 2), (1, 1), (1, 1), "VALID")
    y = conv.conv2d(np, x, filter, strides=[1, 1, 1, 1], padding="VALID")
    for group in range(groups):
        channels, filters = slice(2 * group, 2 * group + 2), slice(3 * group, 3 * group + 3)
        part = reference.convolve(x[..., channels], filter[..., filters], at)
        assert np.array_equal(y[..., filters], part)


def test_channels_first_is_the_same_transposed() -> None:
    x, filter = integers((2, 6, 5, 3)), integers((3, 2, 3, 4), seed=6)
    last: dict[str, Any] = {
        "strides": [1, 2, 1, 1],
        "padding": "EXPLICIT",
        "explicit_paddings": [0, 0, 1, 0, 2, 1, 0, 0],
    }
    first: dict[str, Any] = {
        "strides": [1, 1, 2, 1],
        "padding": "EXPLICIT",
        "explicit_paddings": [0, 0, 0, 0, 1, 0, 2, 1],
        "data_format": "NCHW",
    }
    turned = np.ascontiguousarray(np.moveaxis(x, -1, 1))
    y = conv.conv2d(np, x, filter, **last)
    assert np.array_equal(np.moveaxis(conv.conv2d(np, turned, filter, **first), 1, -1), y)
    dy = np.ascontiguousarray(np.moveaxis(y, -1, 1))
    dx = conv.conv2d_backprop_input(np, turned.shape, filter, dy, **first)
    assert np.array_equal(np.moveaxis(dx, 1, -1), conv.conv2d_backprop_input(np, x.shape, filter, y, **last))
    df = conv.conv2d_backprop_filter(np, turned, filter.shape, dy, **first)
    assert np.array_equal(df, conv.conv2d_backprop_filter(np, x, filter.shape, y, **last))


def test_half_is_computed_in_single_precision() -> None:
    x = np.full((1, 8, 8, 64), 4.0, np.float16)  # 8 * 8 * 64 products of 1.25: beyond half's integers, within its range
    filter = np.full((8, 8, 64, 1), 0.3125, np.float16)
    y = conv.conv2d(np, x, filter, strides=[1, 1, 1, 1], padding="VALID")
    assert y.dtype == np.float16
    assert y.ravel() == [5120.0]
    with np.errstate(all="raise"):  # too large for half: infinity, without a warning
        assert conv.conv2d(np, x * 100, filter, strides=[1, 1, 1, 1], padding="VALID").ravel() == [np.inf]


def test_inputs_need_not_be_contiguous_and_are_not_written_to() -> None:
    base = integers((8, 10, 12, 6))
    x = base[::2, ::-1, :, ::2]
    filter = integers((4, 3, 3, 3)).swapaxes(0, 1)
    x.flags.writeable = filter.flags.writeable = False
    y = conv.conv2d(np, x, filter, strides=[1, 1, 1, 1], padding="SAME")
    at = reference.Geometry((10, 12), (3, 4), (1, 1), (1, 1), "SAME")
    assert np.array_equal(y, reference.convolve(x, filter, at))


def test_results_do_not_depend_on_the_number_of_threads(small_blocks: None) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 9, 9, 24)).astype(np.float32)
    filter = rng.standard_normal((3, 3, 24, 7)).astype(np.float32)
    attrs: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    found = []
    for count in (1, 2, 4):
        with threads.limit(count):
            y = conv.conv2d(np, x, filter, **attrs)
            found.append((y, conv.conv2d_backprop_filter(np, x, filter.shape, y, **attrs)))
    assert all(np.array_equal(y, found[0][0]) and np.array_equal(df, found[0][1]) for y, df in found)


def test_memory_stays_far_below_a_full_im2col() -> None:
    import tracemalloc

    x, filter = np.ones((4, 64, 64, 16), np.float32), np.ones((5, 5, 16, 16), np.float32)
    with threads.limit(1):
        tracemalloc.start()
        conv.conv2d(np, x, filter, strides=[1, 1, 1, 1], padding="SAME")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < x.nbytes + 4 * correlate.BLOCK_BYTES  # im2col: 25 times x


@pytest.mark.parametrize("shape", [(0, 5, 5, 3), (2, 1, 5, 3)])
def test_empty_outputs(shape: tuple[int, ...]) -> None:
    filter = integers((2, 2, 3, 4))
    y = conv.conv2d(np, integers(shape), filter, strides=[1, 2, 2, 1], padding="VALID")
    assert y.shape == (shape[0], (shape[1] - 2 + 2) // 2, 2, 4)
    assert y.size == 0
    dx = conv.conv2d_backprop_input(np, shape, filter, y, strides=[1, 2, 2, 1], padding="VALID")
    assert dx.shape == shape
    assert not dx.any()
    df = conv.conv2d_backprop_filter(np, integers(shape), filter.shape, y, strides=[1, 2, 2, 1], padding="VALID")
    assert df.shape == filter.shape
    assert not df.any()


def test_spatial_sizes_alone_take_batch_and_depth_from_the_other_inputs() -> None:
    dy, filter = integers((2, 3, 3, 4)), integers((2, 2, 3, 4))
    attrs: dict[str, Any] = {"strides": [1, 2, 2, 1], "padding": "SAME"}
    short = conv.conv2d_backprop_input(np, [5, 5], filter, dy, **attrs)
    assert np.array_equal(short, conv.conv2d_backprop_input(np, [2, 5, 5, 3], filter, dy, **attrs))


ATTRS: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "VALID"}


@pytest.mark.parametrize(
    ("x", "filter", "attrs", "message"),
    [
        ((1, 3, 3), (2, 2, 3, 1), ATTRS, "convolution input must be 4-dimensional: [1, 3, 3]"),
        ((1, 3, 3, 2), (2, 2, 2), ATTRS, "convolution filter must be 4-dimensional: [2, 2, 2]"),
        ((1, 3, 3, 2), (2, 2, 3, 1), ATTRS, "evenly divisible by filter depth: 2 vs 3"),
        ((1, 3, 3, 4), (2, 2, 2, 3), ATTRS, "evenly divisible by number of groups: 3 vs 2"),
        ((1, 3, 3, 0), (2, 2, 0, 3), ATTRS, "positive, got 0"),
        ((1, 3, 3, 2), (0, 2, 2, 1), ATTRS, "filter must not have zero elements"),
        (
            (1, 1, 1, 1),
            (3, 3, 1, 1),
            ATTRS,
            "size would be negative: -1 [input_size: 1, effective_filter_size: 3, stride: 1]",
        ),
        ((1, 3, 3, 2), (2, 2, 2, 1), {"strides": [2, 1, 1, 1], "padding": "SAME"}, "strides in the batch and depth"),
        ((1, 3, 3, 2), (2, 2, 2, 1), ATTRS | {"dilations": [1, 1, 1, 2]}, "dilations in the batch and depth"),
    ],
)
def test_forward_errors(x: Any, filter: Any, attrs: Any, message: str) -> None:
    with pytest.raises((errors.InvalidArgumentError, errors.UnimplementedError)) as raised:
        conv.conv2d(np, np.zeros(x), np.zeros(filter), **attrs)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("sizes", "filter", "dy", "message"),
    [
        ([1, 5, 5], (2, 2, 1, 1), (1, 3, 3, 1), "input_sizes to contain 4 values or 2 values, but got: 3"),
        ([2, 5, 5, 1], (2, 2, 1, 1), (1, 3, 3, 1), "same batch size. Input batch: 2, outbackprop batch: 1"),
        ([1, 6, 6, 1], (2, 2, 1, 1), (1, 2, 3, 1), "doesn't match computed: actual = 2, computed = 3 spatial_dim: 1"),
        ([1, 6, 6, 2], (2, 2, 1, 1), (1, 3, 3, 1), "Computed input depth 2 doesn't match filter input depth 1"),
        ([1, 6, 6, 1], (2, 2, 1, 2), (1, 3, 3, 1), "same out_depth: 2 vs 1"),
        ([1, 6, 6, 1], (2, 2, 1), (1, 3, 3, 1), "filter must be 4-dimensional"),
        ([1, 6, 6, 1], (2, 2, 1, 1), (3, 3, 1), "out_backprop must be 4-dimensional"),
    ],
)
def test_gradient_errors(sizes: Any, filter: Any, dy: Any, message: str) -> None:
    with pytest.raises(errors.InvalidArgumentError) as raised:
        conv.conv2d_backprop_input(np, sizes, np.zeros(filter), np.zeros(dy), strides=[1, 2, 2, 1], padding="SAME")
    assert "Conv2DBackpropInput" in str(raised.value)
    assert message in str(raised.value)


class _Module:
    """An array module other than `numpy` itself, as CuPy is one."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def test_other_array_modules_take_the_plain_sum_over_taps() -> None:
    xp = _Module()
    x, filter = integers((2, 6, 6, 4)), integers((3, 3, 2, 6))
    attrs: dict[str, Any] = {"strides": [1, 2, 1, 1], "padding": "SAME"}
    y = conv.conv2d(xp, x, filter, **attrs)
    assert np.array_equal(y, conv.conv2d(np, x, filter, **attrs))
    whole = integers((3, 3, 4, 6))
    for kernel in (conv.conv2d_backprop_input, conv.conv2d_backprop_filter):
        first = x.shape if kernel is conv.conv2d_backprop_input else x
        second = whole if kernel is conv.conv2d_backprop_input else whole.shape
        assert np.array_equal(kernel(xp, first, second, y, **attrs), kernel(np, first, second, y, **attrs))


def test_stride_and_dilation_together_in_a_gradient_use_the_taps() -> None:
    found, plan = conv._plan_input_gradient(
        "Conv2DBackpropInput", (1, 9, 9, 1), (2, 2, 1, 1), (1, 4, 4, 1), "d",
        conv._attrs([1, 2, 2, 1], "VALID", (), "NHWC", (1, 2, 2, 1)),
    )  # fmt: skip
    assert not plan.parts
    dy, filter = integers((1, 4, 4, 1)), integers((2, 2, 1, 1))
    assert np.array_equal(plan(dy, filter), conv_taps.input_gradient(np, dy, filter, found))
