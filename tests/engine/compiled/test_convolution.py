"""Compiled convolutions against NumPy's, for shapes, strides, paddings, dilations and vectors of all kinds."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tfbench as tf
from tfbench.engine.compiled import cache, convolution, tier, tiles
from tfbench.engine.kernels import conv, conv_compiled, threads

pytestmark = pytest.mark.skipif(not tier.installed(), reason="the extra `fast` is not installed")

Results = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TFBENCH_CACHE_DIR", str(tmp_path_factory.mktemp("kernels")))
        yield


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which kernels were there when they were asked for."""
    return _watch(monkeypatch)


def _watch(patch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    real = tier.Kernel.ready

    def ready(self: tier.Kernel, work: int) -> Any:
        run = real(self, work)
        assert self.error is None, self.error
        if run is not None:
            found.append(self.maker)
        return run

    patch.setattr(tier.Kernel, "ready", ready)
    return found


def _both(x: Any, w: Any, **attrs: Any) -> tuple[Results, Results]:
    """The result and both gradients, by NumPy and compiled."""
    results = []
    for mode in (tier.OFF, tier.WAIT):
        with tier.using(mode):
            y = conv.conv2d(np, x, w, **attrs)
            dy = np.random.default_rng(1).standard_normal(y.shape).astype(x.dtype)
            dx = conv.conv2d_backprop_input(np, x.shape, w, dy, **attrs)
            dw = conv.conv2d_backprop_filter(np, x, w.shape, dy, **attrs)
        results.append({"y": y, "dx": dx, "dw": dw})
    return results[0], results[1]


def _check(plain: Results, fast: Results) -> None:
    for name, wanted in plain.items():
        scale = max(float(np.abs(wanted).max(initial=0)), 1e-3)
        assert fast[name].shape == wanted.shape
        assert fast[name].dtype == wanted.dtype
        assert float(np.abs(fast[name] - wanted).max(initial=0)) <= 2e-5 * scale, name


def _arrays(x: tuple[int, ...], w: tuple[int, ...]) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.standard_normal(x).astype(np.float32), rng.standard_normal(w).astype(np.float32)


def _attrs(stride: int = 1, padding: str = "SAME", dilation: int = 1) -> dict[str, Any]:
    return {"strides": [1, stride, stride, 1], "padding": padding, "dilations": [1, dilation, dilation, 1]}


CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "5x5 on colours": ((3, 24, 24, 3), (5, 5, 3, 64), _attrs()),
    "5x5": ((5, 12, 12, 64), (5, 5, 64, 64), _attrs()),
    "stride 2": ((2, 15, 14, 5), (3, 3, 5, 20), _attrs(2)),
    "stride 3, larger than the filter": ((2, 10, 11, 4), (2, 2, 4, 8), _attrs(3)),
    "valid": ((3, 9, 7, 5), (3, 2, 5, 20), _attrs(padding="VALID")),
    "dilated": ((2, 11, 9, 5), (3, 3, 5, 33), _attrs(dilation=2)),
    "bands of rows": ((2, 90, 300, 3), (7, 7, 3, 16), _attrs(2)),
    "short rows": ((2, 9, 2, 6), (3, 3, 6, 48), _attrs()),
    "one pixel": ((2, 1, 1, 6), (3, 3, 6, 5), _attrs()),
    "one channel": ((2, 8, 8, 1), (3, 3, 1, 4), _attrs()),
    "more filters than registers": ((1, 6, 6, 8), (3, 3, 8, 200), _attrs()),
    "filter larger than the image": ((1, 3, 3, 4), (7, 7, 4, 8), _attrs()),
}


@pytest.mark.parametrize("case", CASES)
def test_as_numpy(case: str, used: list[str]) -> None:
    x, w, attrs = CASES[case]
    _check(*_both(*_arrays(x, w), **attrs))
    assert {"forward", "filter_gradient"} <= set(used)


@pytest.mark.parametrize("case", CASES)
def test_explicit_padding(case: str, used: list[str]) -> None:
    x, w, attrs = CASES[case]
    padding = {"padding": "EXPLICIT", "explicit_paddings": [0, 0, w[0], 0, 1, w[1] + 2, 0, 0]}
    _check(*_both(*_arrays(x, w), **{**attrs, **padding}))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batch=st.integers(0, 5),
    size=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    taps=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    channels=st.integers(1, 40),
    filters=st.integers(1, 70),
    stride=st.integers(1, 3),
    dilation=st.integers(1, 2),
    padding=st.sampled_from(["SAME", "VALID"]),
)
def test_any_shape(
    batch: int,
    size: tuple[int, int],
    taps: tuple[int, int],
    channels: int,
    filters: int,
    stride: int,
    dilation: int,
    padding: str,
) -> None:
    if padding == "VALID" and any((tap - 1) * dilation >= length for tap, length in zip(taps, size)):
        padding = "SAME"
    x, w = _arrays((batch, *size, channels), (*taps, channels, filters))
    _check(*_both(x, w, **_attrs(stride, padding, dilation)))


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_other_types_stay_numpys(dtype: Any, used: list[str]) -> None:
    x, w = (array.astype(dtype) for array in _arrays((2, 6, 6, 8), (3, 3, 8, 8)))
    plain, fast = _both(x, w, **_attrs())
    for name, wanted in plain.items():
        np.testing.assert_allclose(fast[name].astype(float), wanted.astype(float), atol=0.1)


def test_channels_first_and_groups(used: list[str]) -> None:
    x, w = _arrays((2, 8, 10, 11), (3, 3, 4, 16))
    attrs = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NCHW", "dilations": [1, 1, 1, 1]}
    _check(*_both(x, w, **attrs))
    assert "forward" in used


@pytest.mark.parametrize(
    ("x", "w", "stride", "padding"),
    [
        ((2, 6, 7, 8, 16), (3, 3, 3, 16, 16), 1, "SAME"),
        ((2, 7, 9, 8, 5), (2, 3, 3, 5, 9), 2, "SAME"),
        ((2, 3, 9, 8, 5), (3, 3, 3, 5, 9), 1, "VALID"),
        ((1, 5, 5, 5, 4), (1, 1, 2, 4, 8), 3, "SAME"),
        ((1, 2, 60, 100, 8), (2, 5, 5, 8, 6), 1, "SAME"),
    ],
)
def test_volumes(x: tuple[int, ...], w: tuple[int, ...], stride: int, padding: str, used: list[str]) -> None:
    attrs: dict[str, Any] = {"strides": [1, stride, stride, stride, 1], "padding": padding}
    images, filter = _arrays(x, w)
    results = []
    for mode in (tier.OFF, tier.WAIT):
        with tier.using(mode):
            y = conv.conv3d(np, images, filter, **attrs)
            dy = np.random.default_rng(1).standard_normal(y.shape).astype(np.float32)
            dx = conv.conv3d_backprop_input(np, np.array(x), filter, dy, **attrs)
            dw = conv.conv3d_backprop_filter(np, images, np.array(w), dy, **attrs)
        results.append({"y": y, "dx": dx, "dw": dw})
    _check(*results)
    assert {"forward", "filter_gradient"} <= set(used)


def test_threads_do_not_change_a_bit() -> None:
    x, w = _arrays((9, 24, 24, 16), (5, 5, 16, 32))
    results = []
    for count in (1, 2, 3):
        with threads.limit(count):
            results.append(_both(x, w, **_attrs())[1])
    for other in results[1:]:
        for name, value in results[0].items():
            np.testing.assert_array_equal(other[name], value)


def test_not_a_number_and_infinity_spread_as_with_numpy() -> None:
    x, w = _arrays((2, 8, 8, 4), (3, 3, 4, 8))
    x[0, 3, 4, 1], x[1, 0, 0, 0] = np.nan, np.inf
    plain, fast = _both(x, w, **_attrs())
    for name in ("y", "dw"):
        np.testing.assert_array_equal(np.isfinite(fast[name]), np.isfinite(plain[name]))


def test_one_kernel_for_all_batches() -> None:
    w = _arrays((1,), (3, 3, 8, 16))[1]
    before = set()
    for batch in (1, 3, 8):
        x = np.random.default_rng(batch).standard_normal((batch, 10, 10, 8)).astype(np.float32)
        _check(*_both(x, w, **_attrs()))
        place = cache.folder()
        assert place is not None
        names = {path.name for path in place.iterdir()}
        assert not before or names == before
        before = names


def test_in_a_session_a_run_is_the_same_from_run_to_run() -> None:
    with tf.Graph().as_default(), tier.using(tier.WAIT):
        x, w = (tf.constant(array) for array in _arrays((4, 12, 12, 8), (3, 3, 8, 16)))
        y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
        with tf.Session() as session:
            first, *others = [session.run([y, *tf.gradients(y, [x, w])]) for _ in range(4)]
    for other in others:
        for one, two in zip(first, other):
            np.testing.assert_array_equal(one, two)


# -- other processors --------------------------------------------------------------------------------------------------


class _Here:
    """Stands for the tier: compiles in this process, for the vectors of another processor."""

    def __init__(self, on: tiles.Vectors) -> None:
        from tfbench.engine.compiled import native

        self.on = on
        self.engine = native.Engine()

    def kernel(self, module: str, maker: str, *parameters: int) -> _Here:
        path = f"tfbench.engine.compiled.{module}"
        self._source: Callable[[], Any] = lambda: getattr(importlib.import_module(path), maker)(*parameters)
        return self

    def ready(self, work: int) -> Callable[..., None]:
        from tfbench.engine.compiled import worker

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tiles, "host", lambda: self.on)
            return self.engine.load(worker.compile_kernel(self._source()))


@pytest.mark.parametrize("vectors", [(4, 16), (4, 32), (8, 16)], ids=["SSE", "NEON", "AVX2"])
@pytest.mark.parametrize("case", ["5x5 on colours", "stride 2", "dilated", "short rows", "one channel"])
def test_other_vectors(vectors: tuple[int, int], case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, w, attrs = CASES[case]
    plain = _both(*_arrays(x, w), **attrs)[0]
    monkeypatch.setattr(conv_compiled, "tier", _Here(tiles.Vectors(*vectors)))
    with tier.using(tier.OFF):
        fast = _both(*_arrays(x, w), **attrs)[1]
    _check(plain, fast)


@pytest.mark.parametrize("total", range(1, 40))
def test_cut(total: int) -> None:
    for most in (1, 6, 14):
        parts = tiles.cut(total, most)
        assert sum(parts) == total
        assert max(parts) - min(parts) <= 1
        assert max(parts) <= most


def test_tiles_fit_the_registers() -> None:
    for on in (tiles.Vectors(16, 32), tiles.Vectors(8, 16), tiles.Vectors(4, 32)):
        for filters in (1, 3, 16, 17, 64, 100, 512):
            found = convolution.blocks(on, filters, 12)
            assert sum(count for _, count in found) == filters
            for start, count in found:
                wide = -(-count // on.width)
                assert start % on.width == 0
                assert on.rows(wide) >= 1
                assert wide * on.rows(wide) + wide + 1 <= on.registers
