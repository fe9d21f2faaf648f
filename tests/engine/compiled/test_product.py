"""Compiled products of matrices against NumPy's."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.compiled import product as maker
from tfbench.engine.compiled import tier, tiles
from tfbench.engine.kernels import blas, product_compiled, threads

pytestmark = pytest.mark.skipif(not tier.installed(), reason="the extra `fast` is not installed")


@pytest.fixture(autouse=True)
def _cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFBENCH_CACHE_DIR", str(tmp_path))
    tier.kernel.cache_clear()


def _matrices(m: int, n: int, k: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)


@pytest.mark.parametrize("turned_b", [False, True])
@pytest.mark.parametrize("turned_a", [False, True])
@pytest.mark.parametrize(
    ("m", "n", "k"),
    [
        (8, 16, 32), (100, 128, 784), (13, 48, 700), (31, 400, 33), (9, 1024, 1300), (200, 16, 5),
        (100, 10, 128), (128, 10, 100), (100, 128, 10), (2, 2, 1000), (3, 1000, 7), (57, 33, 17), (40, 250, 1),
        (200, 520, 30), (193, 501, 700),
    ],
)  # fmt: skip
def test_as_numpy(m: int, n: int, k: int, turned_a: bool, turned_b: bool) -> None:
    a, b = _matrices(m, n, k)
    given = [np.ascontiguousarray(x.T).T if turned else x for x, turned in ((a, turned_a), (b, turned_b))]
    with tier.using(tier.WAIT):
        made = product_compiled.product(*given)
    np.testing.assert_allclose(made, a @ b, atol=2e-5 * k**0.5, rtol=1e-5)


def _at_the_end(x: Any) -> Any:
    """A copy whose last number is the last one that may be read: a page that may not be follows."""
    size = -(-x.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, size + mmap.PAGESIZE)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert protect(ctypes.c_void_p(address + size), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    made = np.frombuffer(memory, x.dtype, x.size, size - x.nbytes).reshape(x.shape)
    made[...] = x
    return made


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mprotect"), reason="memory cannot be protected here")
@pytest.mark.parametrize("turned_b", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(20, 10, 30), (20, 33, 21), (7, 17, 100), (50, 100, 3)])
def test_nothing_behind_a_matrix_is_read(m: int, n: int, k: int, turned_b: bool) -> None:
    a, b = _matrices(m, n, k)
    given = _at_the_end(a), _at_the_end(np.ascontiguousarray(b.T)).T if turned_b else _at_the_end(b)
    with tier.using(tier.WAIT):
        made = product_compiled.product(*given)
    np.testing.assert_allclose(made, a @ b, atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("turned", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize(
    ("lead", "m", "n", "k"), [((3,), 20, 33, 17), ((2, 4), 7, 64, 64), ((2, 1, 3), 200, 510, 12), ((1,), 40, 30, 1300)]
)
def test_stacks_as_numpy(
    lead: Any, m: int, n: int, k: int, turned: Any, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(product_compiled, "WORTH_THREADS", 20_000)
    monkeypatch.setattr(product_compiled, "_LEAST_IN_STACK", 1)
    rng = np.random.default_rng(0)
    given = [
        rng.standard_normal((*lead, *size)).astype(np.float32).swapaxes(-1, -2)
        if turns
        else rng.standard_normal((*lead, *size[::-1])).astype(np.float32)
        for size, turns in zip(((k, m), (n, k)), turned, strict=True)
    ]
    with tier.using(tier.WAIT), threads.limit(workers):
        made = product_compiled.products(*given)
    np.testing.assert_allclose(made, given[0] @ given[1], atol=2e-5 * k**0.5, rtol=1e-5)


def test_stacks_that_are_left_to_blas() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(size).astype(np.float32) for size in ((24, 20, 30), (24, 30, 40)))
    with tier.using(tier.WAIT):
        for left, right in (
            (a, b[:1]),  # one for all
            (a, b[:, :20]),
            (a[:, :1].copy(), b),
            (a[:, :5].copy(), b[:, :, :5].copy()),  # little to do
            (a[:, :, ::2], b[:, ::2].copy()),
            (a[:0], b[:0]),
            (a.astype(np.float64), b.astype(np.float64)),
            (a.transpose(2, 1, 0).copy().transpose(2, 1, 0), b),
        ):
            assert product_compiled.products(left, right) is None
        assert product_compiled.products(a, b) is not None


def test_batch_matmul_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    used = []
    real = tier.Kernel.ready
    monkeypatch.setattr(tier.Kernel, "ready", lambda self, work: used.append(self.maker) or real(self, work))
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(size).astype(np.float32) for size in ((4, 6, 20, 30), (4, 6, 30, 40)))
    with tf.Graph().as_default(), tf.Session() as session, tier.using(tier.WAIT):
        wanted = a @ b
        turned_a, turned_b = a.swapaxes(-1, -2).copy(), b.swapaxes(-1, -2).copy()
        np.testing.assert_allclose(session.run(tf.matmul(a, b)), wanted, atol=1e-4)
        np.testing.assert_allclose(session.run(tf.matmul(turned_a, b, transpose_a=True)), wanted, atol=1e-4)
        np.testing.assert_allclose(session.run(tf.matmul(a, turned_b, adjoint_b=True)), wanted, atol=1e-4)
    assert used == ["products"] * 3


def test_what_is_left_to_blas() -> None:
    a, b = _matrices(32, 48, 20)
    with tier.using(tier.WAIT):
        for left, right in (
            (a, b[:, :1].copy()),  # a vector
            (a[:1], b),
            (a[:4], b[:, :8].copy()),  # little to do
            (a.astype(np.float64), b.astype(np.float64)),
            (a[:, ::2], b[::2].copy()),
            (a[:, ::2].copy(), b[::2]),
            (a.astype(">f4"), b),
        ):
            assert product_compiled.product(left, right) is None
        assert product_compiled.product(a, b) is not None


def test_large_products_are_for_the_better_of_the_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_compiled, "_MOST", 40_000)
    a, b = _matrices(64, 48, 20)
    with tier.using(tier.WAIT):
        for narrow, width, compiled in ((False, 16, False), (True, 16, True), (True, 8, False)):
            monkeypatch.setattr(blas, "is_narrow", lambda narrow=narrow: narrow)
            monkeypatch.setattr(product_compiled, "_width", lambda width=width: width)
            assert (product_compiled.product(a, b) is not None) is compiled
            assert product_compiled.product(a[:32], b) is not None


def test_fewer_columns_of_tiles_than_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_compiled, "WORTH_THREADS", 1)
    a, b = _matrices(64, 16, 20)
    with tier.using(tier.WAIT):
        for count, compiled in ((1, True), (8, False)):
            with threads.limit(count):
                assert (product_compiled.product(a, b) is not None) is compiled


def test_a_bound_product_sees_other_matrices() -> None:
    """It remembers the last function: for other shapes, and for what is none of its business, that is not called."""
    asked = []

    def plain(a: Any, b: Any) -> Any:
        asked.append(a.shape)
        return a.T @ b

    multiply = product_compiled.bound(True, False, plain)
    cases = [(16, 32, 40), (16, 32, 40), (20, 32, 40), (20, 32, 40), (2, 3, 4), (16, 48, 40), (16, 48, 33)]
    for mode in (tier.WAIT, tier.OFF, tier.WAIT):
        with tier.using(mode):
            asked.clear()
            for m, n, k in cases:
                a, b = _matrices(m, n, k)
                np.testing.assert_allclose(multiply(np.ascontiguousarray(a.T), b), a @ b, atol=1e-4)
            assert asked == ([(4, 2)] if mode == tier.WAIT else [(k, m) for m, _, k in cases])
    with tier.using(tier.WAIT):
        a, b = _matrices(16, 48, 33)
        asked.clear()
        for left in (a.T, np.repeat(a.T, 2, axis=0)[::2]):
            np.testing.assert_allclose(multiply(left, b), a @ b, atol=1e-4)
        assert len(asked) == 2
        first = multiply(np.ascontiguousarray(a.T), b)
        assert multiply(np.ascontiguousarray(a.T), b) is not first


def test_errors_are_those_of_the_op() -> None:
    a, b = _matrices(16, 32, 40)
    with tf.Graph().as_default(), tf.Session() as session, tier.using(tier.WAIT):
        x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
        product = tf.matmul(x, y)
        for _ in range(3):
            session.run(product, {x: a, y: b})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Matrix size-incompatible: In\[0\]: \[16,40\]"):
            session.run(product, {x: a, y: b[1:]})
        np.testing.assert_allclose(session.run(product, {x: a, y: b}), a @ b, atol=1e-4)


@pytest.mark.parametrize("turned_b", [False, True])
@pytest.mark.parametrize("k", [90, 1300])
def test_threads_do_not_change_a_bit(k: int, turned_b: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_compiled, "WORTH_THREADS", 1)
    a, b = _matrices(64, 410, k)
    b = np.asfortranarray(b) if turned_b else b
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
    assert used == ["product", "product", "product"]


def test_runs() -> None:
    assert maker.runs([3, 3, 2]) == [(0, 3, 2), (6, 2, 1)]
    assert maker.runs([5]) == [(0, 5, 1)]


def test_columns_of_tiles_cover_the_product() -> None:
    assert maker.units(16, 10) == 1
    assert 1 <= maker.units(400, 31) <= 400 // tiles.host().width
