"""Compiled pooling, LRN, batch norm, softmax and cross entropies against the NumPy kernels, hard numbers included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.compiled.loops import both, kinds, needs_extra, numbers, own_cache, same, seeds
from tfbench import errors
from tfbench.engine.compiled import tier
from tfbench.engine.kernels import blocks, lrn, norm, pool, pool_argmax, softmax, threads

__all__ = ["own_cache"]

pytestmark = [needs_extra, pytest.mark.usefixtures("own_cache")]

EXAMPLES = settings(max_examples=25, deadline=None)


@st.composite
def pooled(draw: Any) -> dict[str, Any]:
    """Images and windows."""
    height, width = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    size = list(draw(st.sampled_from([(2, 2), (3, 3), (7, 4)])))  # each is compiled
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    if padding == "VALID":
        size = [min(size[0], height), min(size[1], width)]
    shape = (draw(st.integers(1, 3)), height, width, draw(st.sampled_from([3, 5, 16, 40])))
    strides = [1, draw(st.integers(1, 3)), draw(st.integers(1, 3)), 1]
    return {"shape": shape, "attrs": {"ksize": [1, *size, 1], "strides": strides, "padding": padding}}


@EXAMPLES
@given(pooled(), seeds, kinds, st.booleans(), st.booleans())
def test_max_pool_and_gradient(case: Any, seed: int, kind: Any, hard: bool, ties: bool) -> None:
    x = numbers(case["shape"], seed, kind, hard=hard, ties=ties)
    wanted, made = both(lambda: pool.max_pool(np, x, **case["attrs"]))
    same(made, wanted)
    dy = numbers(wanted.shape, seed + 1, kind)
    wanted, made = both(lambda: pool_argmax.max_pool_grad(np, x, made, dy, **case["attrs"]))
    same(made, wanted, rtol=1e-5, atol=1e-5)


@EXAMPLES
@given(pooled(), seeds, kinds, st.booleans())
def test_avg_pool_and_gradient(case: Any, seed: int, kind: Any, hard: bool) -> None:
    x = numbers(case["shape"], seed, kind, hard=hard)
    wanted, made = both(lambda: pool.avg_pool(np, x, **case["attrs"]))
    same(made, wanted, rtol=1e-5, atol=1e-5)
    dy = numbers(wanted.shape, seed + 1, kind, hard=hard)
    wanted, made = both(lambda: pool.avg_pool_grad(np, np.array(x.shape), dy, **case["attrs"]))
    same(made, wanted, rtol=1e-5, atol=1e-5)


def test_the_average_of_negative_zeros_is_one() -> None:
    x = np.full((1, 3, 3, 5), -0.0, np.float32)
    attrs: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    wanted, made = both(lambda: pool.avg_pool(np, x, **attrs))
    assert np.signbit(wanted).all()
    assert np.signbit(made).all()


def test_pooling_of_other_layouts_and_explicit_padding() -> None:
    x = numbers((2, 5, 7, 6), 1)
    attrs: dict[str, Any] = {"ksize": [1, 1, 3, 2], "strides": [1, 1, 2, 1], "padding": "SAME", "data_format": "NCHW"}
    same(*reversed(both(lambda: pool.max_pool(np, x, **attrs))))
    padded: dict[str, Any] = {
        "ksize": [1, 3, 3, 1],
        "strides": [1, 2, 2, 1],
        "padding": "EXPLICIT",
        "explicit_paddings": [0, 0, 2, 1, 0, 2, 0, 0],
    }
    y, made = both(lambda: pool.max_pool(np, x, **padded))
    same(made, y)
    same(*reversed(both(lambda: pool_argmax.max_pool_grad(np, x, y, y, **padded))))


@pytest.mark.parametrize("shape", [(0, 4, 4, 8), (2, 4, 4, 0), (2, 4, 4, 2)])
def test_empty_images_and_few_channels_are_numpys(shape: tuple[int, ...]) -> None:
    attrs: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    x = numbers(shape, 2)
    with tier.using("wait"):
        tier.kernel.cache_clear()
        assert pool.max_pool(np, x, **attrs).shape == (shape[0], 2, 2, shape[3])
        assert not tier.kernel.cache_info().currsize


def test_images_that_are_not_contiguous_are_numpys() -> None:
    attrs: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    x = numbers((2, 8, 8, 8), 3)[:, ::2]
    with tier.using("wait"):
        made = pool.max_pool(np, x, **attrs)
    same(made, pool.max_pool(np, x.copy(), **attrs))


@EXAMPLES
@given(seeds, kinds, st.integers(1, 40), st.sampled_from([(0, 0.5), (4, 0.75), (3, 1.0)]))
def test_lrn_and_gradient(seed: int, kind: Any, channels: int, form: tuple[int, float]) -> None:
    radius, beta = form
    x = numbers((2, 3, 5, channels), seed, kind)
    attrs = {"depth_radius": radius, "bias": 1.5, "alpha": 0.3, "beta": beta}
    y, made = both(lambda: lrn.lrn(np, x, **attrs))
    same(made, y, rtol=1e-5, atol=1e-6)
    dy = numbers(x.shape, seed + 1, kind)
    wanted, made = both(lambda: lrn.lrn_grad(np, dy, x, y, **attrs))
    same(made, wanted, rtol=1e-4, atol=1e-5)


def test_lrn_spoils_only_neighbours() -> None:
    x = numbers((1, 1, 4, 9), 4)
    x[0, 0, 1, 4] = np.nan
    with tier.using("wait"):
        made = lrn.lrn(np, x, depth_radius=2)
    spoilt = np.zeros(x.shape, bool)
    spoilt[0, 0, 1, 2:7] = True
    np.testing.assert_array_equal(np.isnan(made), spoilt)


def test_lrn_with_another_power_is_numpys() -> None:
    x = numbers((1, 2, 2, 8), 5)
    with tier.using("wait"):
        tier.kernel.cache_clear()
        lrn.lrn(np, x, beta=0.6)
        assert not tier.kernel.cache_info().currsize


@pytest.mark.parametrize("training", [True, False])
@EXAMPLES
@given(seeds, kinds, st.integers(1, 300), st.integers(1, 5), st.sampled_from([0.0, 1000.0]), st.booleans())
def test_batch_norm_and_gradient(
    training: bool, seed: int, kind: Any, channels: int, images: int, centre: float, hard: bool
) -> None:
    x = numbers((images, 3, 5, channels), seed, kind, hard=hard) + kind(centre)
    scale, offset, mean, variance = (np.abs(numbers((channels,), seed + n, kind)) + kind(0.1) for n in range(4))
    wanted, made = both(
        lambda: norm.fused_batch_norm(np, x, scale, offset, mean, variance, epsilon=0.01, is_training=training)
    )
    same(made, wanted, rtol=2e-3 if centre else 1e-4, atol=2e-3 if centre else 1e-4)
    dy = numbers(x.shape, seed + 9, kind, hard=hard)
    middle = mean + kind(centre)
    wanted, made = both(
        lambda: norm.fused_batch_norm_grad(np, dy, x, scale, middle, variance, epsilon=0.01, is_training=training)
    )
    same(made, wanted, rtol=1e-3, atol=1e-3)


def test_batch_norm_of_infinite_data_has_an_infinite_mean() -> None:
    x = numbers((64, 9, 9, 3), 6)
    x[5, 2, 2, 1] = np.inf
    vector = np.ones(3, np.float32)
    wanted, made = both(lambda: norm.fused_batch_norm(np, x, vector, vector, vector, vector))
    assert made[1][1] == np.inf
    same(made, wanted, rtol=1e-4, atol=1e-5)


def test_batch_norm_keeps_its_digits_behind_an_outlier() -> None:
    x = (numbers((40_000, 1, 1, 4), 7) + 50).astype(np.float32)
    x[0] = 30_000
    vector = np.ones(4, np.float32)
    _, made = both(lambda: norm.fused_batch_norm(np, x, vector, vector, vector, vector))
    rows = x.reshape(-1, 4).astype(np.float64)
    np.testing.assert_allclose(made[1], rows.mean(0), rtol=1e-6)
    np.testing.assert_allclose(made[2], rows.var(0, ddof=1), rtol=1e-5)


def test_batch_norm_of_data_that_jump_and_of_data_that_do_not_move() -> None:
    x = (numbers((9_000, 1, 1, 5), 8) * 1e-2).astype(np.float32)
    x[:, ..., 0] = 0.1
    x[3_000:, ..., 1] += 1_000
    x[8_999, ..., 2] = -1e5
    x[..., 3] += np.arange(9_000, dtype=np.float32)[:, None, None]
    vector = np.ones(5, np.float32)
    _, made = both(lambda: norm.fused_batch_norm(np, x, vector, vector, vector, vector))
    rows = x.reshape(-1, 5).astype(np.float64)
    np.testing.assert_allclose(made[1], rows.mean(0), rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(made[2], rows.var(0, ddof=1), rtol=1e-5, atol=1e-12)
    assert made[2][0] >= 0


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(64, 5, 16), (3, 2, 512), (2048, 5), (4096, 10), (17, 400)])
def test_bias_and_gradient(kind: Any, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    from tfbench.engine.kernels import norm_compiled

    x, bias = numbers(shape, 3, kind, hard=True), numbers(shape[-1:], 4, kind)
    assert norm_compiled.add(np, x[:1, ..., :].reshape(-1, shape[-1]), bias) is None
    monkeypatch.setattr(norm_compiled, "SMALL", 0)
    wanted, made = both(lambda: norm.bias_add(np, x, bias))
    same(made, wanted)
    wanted, made = both(lambda: norm.bias_add_grad(np, x))
    same(made, wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("rows", "channels"), [(64, 16), (1, 48), (96, 5), (7, 272), (33, 3)])
def test_what_goes_past_the_caches_is_the_same(
    kind: Any, rows: int, channels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tfbench.engine.kernels import norm_compiled

    x, dy = numbers((rows, channels), 1, kind), numbers((rows, channels), 2, kind)
    vectors = [numbers((channels,), seed, kind) for seed in range(4)]

    def results() -> list[Any]:
        with tier.using("wait"):
            return [
                norm_compiled.scale_and_shift(np, x, *vectors[:3]),
                norm_compiled.grad_combined(np, x, dy, *vectors),
                norm.bias_add(np, x, vectors[0]),
            ]

    kept = results()
    monkeypatch.setattr(norm_compiled, "STREAMED", 0)
    for streamed, before in zip(results(), kept, strict=True):
        np.testing.assert_array_equal(streamed, before)
    centre, slope, average, factor = vectors
    wanted = [(x - centre) * slope + average, (dy - (x - centre) * slope - average) * factor, x + centre]
    for made, expected in zip(kept, wanted, strict=True):
        assert made.shape == x.shape
        same(made, expected, rtol=1e-5, atol=1e-5)


def test_arrays_begin_with_a_cache_line() -> None:
    for shape in ((), (0, 3), (5,), (3, 1000)):
        made = blocks.aligned(shape, np.float32)
        assert (made.shape, made.dtype, made.flags.c_contiguous) == (shape, np.float32, True)
        assert made.ctypes.data % blocks.LINE == 0
        made[...] = 1


@EXAMPLES
@given(seeds, st.integers(1, 6), st.integers(1, 200), st.booleans(), st.sampled_from([1.0, 50.0, 1e30]))
def test_softmax(seed: int, rows: int, classes: int, hard: bool, size: float) -> None:
    x = numbers((rows, classes), seed, hard=hard) * np.float32(size)
    for kernel in (softmax.softmax, softmax.log_softmax):
        wanted, made = both(lambda kernel=kernel: kernel(np, x))
        same(made, wanted, rtol=3e-6, atol=3e-6)


@EXAMPLES
@given(seeds, st.integers(1, 6), st.integers(1, 200), st.booleans(), st.sampled_from([np.int32, np.int64]))
def test_cross_entropies(seed: int, rows: int, classes: int, hard: bool, kind: Any) -> None:
    x = numbers((rows, classes), seed, hard=hard)
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, rows).astype(kind)
    wanted, made = both(lambda: softmax.sparse_softmax_cross_entropy_with_logits(np, x, labels))
    same(made, wanted, rtol=3e-6, atol=3e-6)
    spread = rng.dirichlet(np.ones(classes), rows).astype(np.float32)
    wanted, made = both(lambda: softmax.softmax_cross_entropy_with_logits(np, x, spread))
    same(made, wanted, rtol=1e-5, atol=1e-5)


def test_softmax_of_certain_rows_is_exactly_one_and_zero() -> None:
    x = np.array([[1000, 0, -1000], [-np.inf, 0, -np.inf], [-np.inf] * 3, [np.inf, 0, 0]], np.float32)
    _, made = both(lambda: softmax.softmax(np, x))
    np.testing.assert_array_equal(made, [[1, 0, 0], [0, 1, 0], [np.nan] * 3, [np.nan] * 3])


def test_broadcast_labels_and_labels_out_of_range() -> None:
    x = numbers((4, 5), 8)
    one = np.full((1, 5), 0.2, np.float32)
    with tier.using("wait"):
        made = softmax.softmax_cross_entropy_with_logits(np, x, one)
    wanted = softmax.softmax_cross_entropy_with_logits(np, x, np.repeat(one, 4, axis=0))
    same(made, wanted, rtol=1e-5, atol=1e-6)
    with tier.using("wait"), pytest.raises(errors.InvalidArgumentError, match="outside the valid range"):
        softmax.sparse_softmax_cross_entropy_with_logits(np, x, np.array([0, 5, 1, 1]))


@pytest.mark.parametrize("workers", [1, 3])
def test_threads_change_no_result(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from tfbench.engine.kernels import lrn_compiled, norm_compiled, pool_compiled, softmax_compiled

    for module in (lrn_compiled, norm_compiled, pool_compiled, softmax_compiled):
        monkeypatch.setattr(module, "COMPILED_BYTES", 1 << 12)
    assert blocks.COMPILED_BYTES > 1 << 12
    x, vector = numbers((7, 6, 6, 16), 9), np.ones(16, np.float32)
    attrs: dict[str, Any] = {"ksize": [1, 3, 3, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    made = []
    for count in (1, workers):
        with tier.using("wait"), threads.limit(count):
            y = pool.max_pool(np, x, **attrs)
            made.append(
                (
                    y,
                    pool_argmax.max_pool_grad(np, x, y, y, **attrs),
                    pool.avg_pool_grad(np, np.array(x.shape), y, **attrs),
                    lrn.lrn(np, x),
                    *norm.fused_batch_norm(np, x, vector, vector, vector, vector),
                    softmax.softmax(np, x.reshape(-1, 96)),
                )
            )
    same(made[1], made[0])
    same(made[0][0], pool.max_pool(np, x, **attrs))
