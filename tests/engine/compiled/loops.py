"""What the tests of compiled loops share: arrays with hard numbers in them, and running a kernel both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from tfbench.engine.compiled import tier

needs_extra = pytest.mark.skipif(not tier.installed(), reason="the extra `fast` is not installed")

HARD = (np.nan, np.inf, -np.inf, 0.0, -0.0)


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A disk cache for one module's kernels; nothing of the person's is read or written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TFBENCH_CACHE_DIR", str(tmp_path_factory.mktemp("compiled")))
        tier.kernel.cache_clear()
        yield
        tier.kernel.cache_clear()


def both(call: Callable[[], Any]) -> tuple[Any, Any]:
    """What `call` gives with NumPy alone, and with compiled loops. Fails where none of these were used."""
    with np.errstate(all="ignore"), tier.using("0"):
        wanted = call()
    with np.errstate(all="ignore"), tier.using("wait"):
        tier.kernel.cache_clear()
        made = call()
        assert tier.kernel.cache_info().currsize, "no compiled loop was asked for"
    return wanted, made


def numbers(
    shape: tuple[int, ...], seed: int, dtype: Any = np.float32, *, hard: bool = False, ties: bool = False
) -> Any:
    """Random numbers, a few of them hard; `ties` makes whole numbers of them, many of them equal."""
    rng = np.random.default_rng(seed)
    made = rng.standard_normal(shape) * 3
    made = np.asarray(np.rint(made) if ties else made, dtype)
    if hard and made.size:
        flat = made.reshape(-1)
        for place in rng.integers(0, flat.size, max(1, flat.size // 20)):
            flat[place] = HARD[rng.integers(len(HARD))]
    return made


seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from([np.float32, np.float64])


def same(made: Any, wanted: Any, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Equal arrays, or tuples of them; not-a-numbers are equal, and so are both zeros."""
    if isinstance(wanted, tuple):
        assert len(made) == len(wanted)
        for one, other in zip(made, wanted, strict=True):
            same(one, other, rtol, atol)
        return
    assert made.dtype == wanted.dtype
    assert made.shape == wanted.shape
    np.testing.assert_allclose(made, wanted, rtol=rtol, atol=atol)
