"""Compiled products of matrices against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.compiled import product as maker
from tfbench.engine.compiled import tier, tiles
from tfbench.engine.kernels import product_compiled, threads

pytestmark = pytest.mark.skipif(not tier.installed(), reason="the extra `fast` is not installed")


@pytest.fixture(autouse=True)
def _cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBENCH_CACHE_DIR", str(tmp_path))
    tier.kernel.cache_clear()


def _matrices(m: int, n: int, k: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(
    ("m", "n", "k"), [(8, 16, 1), (100, 128, 784), (13, 48, 700), (31, 400, 33), (9, 1024, 1300), (200, 16, 5)]
)
def test_as_numpy(m: int, n: int, k: int, transposed: bool) -> None:
    a, b = _matrices(m, n, k)
    given = np.ascontiguousarray(a.T).T if transposed else a
    with tier.using(tier.WAIT):
        made = product_compiled.product(given, b)
    np.testing.assert_allclose(made, a @ b, atol=2e-5 * k**0.5, rtol=1e-5)


def test_what_is_left_to_blas() -> None:
    a, b = _matrices(32, 48, 20)
    with tier.using(tier.WAIT):
        for left, right in (
            (a, b[:, :40].copy()),  # no whole vectors
            (a[:4], b),  # few rows
            (a.astype(np.float64), b.astype(np.float64)),
            (a[:, ::2], b[::2].copy()),
            (a, np.asfortranarray(b)),
        ):
            assert product_compiled.product(left, right) is None
        assert product_compiled.product(a, b) is not None


def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_compiled, "WORTH_THREADS", 1)
    a, b = _matrices(64, 400, 90)
    with tier.using(tier.WAIT):
        results = []
        for count in (1, 2, 4):
            with threads.limit(count):
                results.append(product_compiled.product(a, b))
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_matmul_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    used = []
    real = tier.Kernel.ready
    monkeypatch.setattr(tier.Kernel, "ready", lambda self, work: used.append(self.maker) or real(self, work))
    a, b = _matrices(64, 128, 100)
    with tf.Graph().as_default(), tf.Session() as session, tier.using(tier.WAIT):
        wanted = a @ b
        np.testing.assert_allclose(session.run(tf.matmul(a, b)), wanted, atol=1e-4)
        np.testing.assert_allclose(session.run(tf.matmul(a.T.copy(), b, transpose_a=True)), wanted, atol=1e-4)
        np.testing.assert_allclose(session.run(tf.matmul(a, b.T.copy(), transpose_b=True)), wanted, atol=1e-4)
    assert used == ["product", "product"]


def test_runs() -> None:
    assert maker.runs([3, 3, 2]) == [(0, 3, 2), (6, 2, 1)]
    assert maker.runs([5]) == [(0, 5, 1)]


def test_columns_of_tiles_cover_the_product() -> None:
    assert maker.units(16, 10) == 1
    assert 1 <= maker.units(400, 31) <= 400 // tiles.host().width
