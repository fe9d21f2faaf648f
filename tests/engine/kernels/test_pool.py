"""Pooling and its gradients against plain loops; ties, NaN and infinities as TensorFlow treats them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.kernels import nn_reference as reference
from tfbench import errors
from tfbench.engine.kernels import blocks, pool, pool_argmax

GEOMETRIES = [
    # sizes, window, strides, padding
    ((5, 6), (2, 2), (2, 2), "VALID"),
    ((5, 6), (3, 3), (2, 2), "SAME"),
    ((7, 5), (3, 2), (1, 3), "SAME"),
    ((6, 6), (1, 3), (2, 1), "VALID"),
    ((4, 4), (1, 1), (1, 1), "SAME"),
    ((3, 2), (5, 4), (1, 1), "SAME"),  # the window is larger than the input
    ((9, 9), (2, 3), (4, 3), "VALID"),  # stride beyond the window
    ((5, 4), (3, 3), (2, 1), [(2, 1), (0, 2)]),
    ((3, 4, 5), (2, 2, 3), (2, 1, 2), "SAME"),
    ((4, 4, 4), (2, 1, 2), (1, 2, 2), "VALID"),
]


@pytest.fixture(params=["one block", "small blocks"])
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if request.param == "small blocks":
        monkeypatch.setattr(blocks, "BLOCK_BYTES", 100)
    return


def setup(geometry: Any) -> tuple[Any, reference.Geometry, dict[str, Any]]:
    sizes, taps, strides, padding = geometry
    # Few different values: most windows have several largest inputs.
    x = np.random.default_rng(len(sizes)).integers(-2, 3, (3, *sizes, 2)).astype(np.float32)
    attrs: dict[str, Any] = {"ksize": [1, *taps, 1], "strides": [1, *strides, 1], "padding": padding}
    if not isinstance(padding, str):
        attrs["padding"] = "EXPLICIT"
        attrs["explicit_paddings"] = [0, 0, *padding[0], *padding[1], 0, 0]
    return x, reference.Geometry(sizes, taps, strides, [1] * len(sizes), padding), attrs


def weights(shape: tuple[int, ...]) -> Any:
    """A gradient in which every entry is different, in exact numbers."""
    return np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_maximum(geometry: Any, cut: None) -> None:
    x, at, attrs = setup(geometry)
    kernel = pool.max_pool if len(geometry[0]) == 2 else pool.max_pool3d
    for dtype in (np.float32, np.int16):
        y = kernel(np, x.astype(dtype), **attrs)
        assert y.dtype == dtype
        assert np.array_equal(y, reference.pool(x, at, max))


@pytest.mark.parametrize("geometry", [g for g in GEOMETRIES if isinstance(g[3], str)], ids=str)
def test_mean_and_its_gradient(geometry: Any, cut: None) -> None:
    x, at, attrs = setup(geometry)
    forward, gradient = (pool.avg_pool, pool.avg_pool_grad) if x.ndim == 4 else (pool.avg_pool3d, pool.avg_pool3d_grad)
    y = forward(np, x, **attrs)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, reference.pool(x, at, lambda values: sum(values) / len(values)), rtol=1e-6, atol=1e-6)
    counts = reference.pool(x, at, len)
    dy = weights(y.shape)
    wanted = np.zeros(x.shape)
    for output, _, input in at.points():
        wanted[(slice(None), *input)] += (dy / counts)[(slice(None), *output)]
    np.testing.assert_allclose(gradient(np, np.array(x.shape), dy, **attrs), wanted, rtol=1e-5)


@pytest.mark.parametrize("geometry", [g for g in GEOMETRIES if len(g[0]) == 2], ids=str)
def test_gradient_goes_to_the_first_of_the_largest(geometry: Any, cut: None) -> None:
    x, at, attrs = setup(geometry)
    y = pool.max_pool(np, x, **attrs)
    dy = weights(y.shape)
    best = reference.first_largest(x, at)
    wanted = np.zeros(x.shape)
    for (image, output, channel), input in best.items():
        wanted[(image, *input, channel)] += dy[(image, *output, channel)]
    assert np.array_equal(pool_argmax.max_pool_grad(np, x, y, dy, **attrs), wanted)
    if "explicit_paddings" in attrs:
        return
    second = weights(x.shape)
    looked_up = pool_argmax.max_pool_grad_grad(np, x, y, second, **attrs)
    values, index = pool_argmax.max_pool_with_argmax(np, x, **attrs)
    whole = pool_argmax.max_pool_with_argmax(np, x, include_batch_in_index=True, **attrs)[1]
    assert np.array_equal(values, y)
    assert index.dtype == np.int64
    for (image, output, channel), input in best.items():
        place = (image, *output, channel)
        assert looked_up[place] == second[(image, *input, channel)]
        assert index[place] == (input[0] * x.shape[2] + input[1]) * x.shape[3] + channel
        assert whole[place] == index[place] + image * x[0].size
    for number, batch in ((index, False), (whole, True)):
        attrs_of = {**attrs, "include_batch_in_index": batch}
        back = pool_argmax.max_pool_grad_with_argmax(np, x, dy, number, **attrs_of)
        assert np.array_equal(back, wanted)
        again = pool_argmax.max_pool_grad_grad_with_argmax(np, x, second, number, **attrs_of)
        assert np.array_equal(again, looked_up)


@pytest.mark.parametrize("geometry", [g for g in GEOMETRIES if len(g[0]) == 3], ids=str)
def test_in_3d_the_gradient_goes_to_all_of_the_largest(geometry: Any, cut: None) -> None:
    x, at, attrs = setup(geometry)
    y = pool.max_pool3d(np, x, **attrs)
    dy = weights(y.shape)
    wanted = np.zeros(x.shape)
    for output, _, input in at.points():
        here, there = (slice(None), *output), (slice(None), *input)
        wanted[there] += np.where(x[there] == y[here], dy[here], 0)
    assert np.array_equal(pool_argmax.max_pool3d_grad(np, x, y, dy, **attrs), wanted)
    second = weights(x.shape)
    looked_up = pool_argmax.max_pool3d_grad_grad(np, x, y, second, **attrs)
    for (image, output, channel), input in reference.first_largest(x, at).items():
        assert looked_up[(image, *output, channel)] == second[(image, *input, channel)]


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_geometry(data: st.DataObject) -> None:
    taps = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    strides = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    padding = data.draw(st.sampled_from(["SAME", "VALID"]))
    sizes = tuple(data.draw(st.integers(tap, 9)) for tap in taps)
    x, at, attrs = setup((sizes, taps, strides, padding))
    y = pool.max_pool(np, x, **attrs)
    assert np.array_equal(y, reference.pool(x, at, max))
    dy = weights(y.shape)
    assert pool_argmax.max_pool_grad(np, x, y, dy, **attrs).sum(dtype=float) == dy.sum(dtype=float)
    mean = pool.avg_pool(np, np.ones_like(x), **attrs)  # the mean of ones is one: padding does not count
    np.testing.assert_allclose(mean, 1, rtol=1e-6)


NAN, INF = np.nan, np.inf


def image(values: list[float]) -> Any:
    side = int(len(values) ** 0.5)
    return np.array(values, np.float64).reshape(1, side, side, 1)


def test_maximum_ignores_nan_and_starts_from_the_lowest_number() -> None:
    # tf.nn.max_pool(x, 2, 1, "SAME") gives these
    x = image([1, NAN, 2, 3, 4, 5, NAN, NAN, NAN])
    low = np.finfo(np.float64).min
    y = pool.max_pool(np, x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
    assert y.ravel().tolist() == [4, 5, 5, 4, 5, 5, low, low, low]
    y = pool.max_pool(np, np.full((1, 2, 2, 1), -INF), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
    assert y.ravel().tolist() == [low] * 4


def test_the_winner_is_a_nan_only_where_it_comes_first() -> None:
    # tf.nn.max_pool_with_argmax(x, 2, 1, "SAME") gives these
    x = image([1, NAN, 2, 3, 4, 5, NAN, NAN, NAN])
    attrs: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1]}
    y, index = pool_argmax.max_pool_with_argmax(np, x, padding="SAME", **attrs)
    np.testing.assert_array_equal(y.ravel(), [4, NAN, 5, 4, 5, 5, NAN, NAN, NAN])
    assert index.ravel().tolist() == [4, 1, 5, 4, 5, 5, 6, 7, 8]
    y, index = pool_argmax.max_pool_with_argmax(np, np.full((1, 2, 2, 1), -INF), padding="SAME", **attrs)
    assert y.ravel().tolist() == [-INF] * 4
    assert index.ravel().tolist() == [0, 1, 2, 3]
    dy = np.array([1.0, 10, 100, 1000]).reshape(1, 2, 2, 1)
    dx = pool_argmax.max_pool_grad(np, x, dy, dy, padding="VALID", **attrs)  # what was pooled does not matter
    assert dx.ravel().tolist() == [0, 10, 0, 0, 101, 1000, 0, 0, 0]


def test_infinite_gradients_stay_where_they_belong() -> None:
    x = image([1, 2, 3, 4])
    dy = np.full((1, 1, 1, 1), INF)
    dx = pool_argmax.max_pool_grad(np, x, x[:, 1:, 1:], dy, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    assert dx.ravel().tolist() == [0, 0, 0, INF]


def test_pooling_over_channels() -> None:
    x = np.arange(24.0).reshape(1, 2, 2, 6)
    y = pool.max_pool(np, x, ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding="VALID")
    assert np.array_equal(y, x[..., 2::3])


def test_channels_first_is_the_same_transposed() -> None:
    x = np.random.default_rng(0).standard_normal((2, 5, 6, 3))
    turned = np.ascontiguousarray(np.moveaxis(x, -1, 1))
    last: dict[str, Any] = {"ksize": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "padding": "SAME"}
    first: dict[str, Any] = {"ksize": [1, 1, 2, 3], "strides": [1, 1, 2, 1], "padding": "SAME", "data_format": "NCHW"}
    for kernel in (pool.max_pool, pool.avg_pool):
        assert np.array_equal(np.moveaxis(kernel(np, turned, **first), 1, -1), kernel(np, x, **last))
    y = pool.max_pool(np, turned, **first)
    dx = pool_argmax.max_pool_grad(np, turned, y, y, **first)
    y = pool.max_pool(np, x, **last)
    assert np.array_equal(np.moveaxis(dx, 1, -1), pool_argmax.max_pool_grad(np, x, y, y, **last))


def test_empty_batches() -> None:
    x = np.zeros((0, 4, 4, 2))
    attrs: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    y = pool.max_pool(np, x, **attrs)
    assert y.shape == pool.avg_pool(np, x, **attrs).shape == (0, 2, 2, 2)
    assert pool_argmax.max_pool_grad(np, x, y, y, **attrs).shape == x.shape
    assert pool.avg_pool_grad(np, x.shape, y, **attrs).shape == x.shape
    assert [part.shape for part in pool_argmax.max_pool_with_argmax(np, x, **attrs)] == [y.shape] * 2


@pytest.mark.parametrize(
    ("shape", "attrs", "kind", "message"),
    [
        ((2, 2, 1), {}, errors.InvalidArgumentError, "must be 4-dimensional"),
        ((1, 4, 4, 1), {"ksize": [2, 2, 2, 1]}, errors.UnimplementedError, "batch dimension"),
        ((1, 4, 4, 4), {"ksize": [1, 1, 1, 3], "strides": [1, 1, 1, 3]}, errors.UnimplementedError, "evenly divide"),
        ((1, 4, 4, 4), {"ksize": [1, 1, 1, 2]}, errors.UnimplementedError, "exactly one of pooling across depth"),
        ((1, 4, 4, 4), {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 1]}, errors.UnimplementedError, "depth stride"),
        (
            (1, 1, 1, 1),
            {"ksize": [1, 3, 3, 1], "strides": [1, 1, 1, 1]},
            errors.InvalidArgumentError,
            "would be negative: -1",
        ),
        (
            (1, 4, 4, 1),
            {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 3, 0, 0, 0, 0, 0]},
            errors.InvalidArgumentError,
            "Top padding 3 needs to be smaller than the window size 2",
        ),
    ],
)
def test_errors(shape: Any, attrs: Any, kind: Any, message: str) -> None:
    given: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    with pytest.raises(kind, match=message.replace("(", r"\(")):
        pool.max_pool(np, np.zeros(shape), **{**given, **attrs})


def test_gradient_errors() -> None:
    x, small, large = np.zeros((1, 3, 3, 1)), np.zeros((1, 2, 1, 1)), np.zeros((1, 2, 2, 1))
    attrs: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    with pytest.raises(errors.InvalidArgumentError, match=r"Expected grad shape to be \[1, 2, 2, 1\]"):
        pool_argmax.max_pool_grad(np, x, large, small, **attrs)
    with pytest.raises(errors.InvalidArgumentError, match=r"Expected orig_output shape to be \[1, 2, 2, 1\]"):
        pool_argmax.max_pool_grad(np, x, small, large, **attrs)
    with pytest.raises(errors.InvalidArgumentError, match="AvgPoolGrad: Expected grad shape"):
        pool.avg_pool_grad(np, [1, 3, 3, 1], small, **attrs)
    with pytest.raises(errors.InvalidArgumentError, match="orig_input_shape must be"):
        pool.avg_pool_grad(np, [3, 3, 1], small, **attrs)
    with pytest.raises(errors.InvalidArgumentError, match=r"outside \[0, 9\)"):
        pool_argmax.max_pool_grad_with_argmax(np, x, large, np.full(large.shape, 9), **attrs)
    with pytest.raises(errors.InvalidArgumentError, match="Expected grad shape"):
        pool_argmax.max_pool_grad_with_argmax(np, x, large, np.zeros(small.shape, np.int64), **attrs)
    with pytest.raises(errors.UnimplementedError, match="Non-spatial pooling"):
        pool.avg_pool(np, x, ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID")


def test_large_images_are_pooled_in_bands_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (2, 23, 9, 3)).astype(np.float32)
    attrs: dict[str, Any] = {"ksize": [1, 3, 3, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    whole = [kernel(np, x, **attrs) for kernel in (pool.max_pool, pool.avg_pool)]
    for size in (x[0].nbytes // 2, x[0].nbytes // 5, 1):
        monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
        for kernel, wanted in zip((pool.max_pool, pool.avg_pool), whole):
            assert np.array_equal(kernel(np, x, **attrs), wanted)
