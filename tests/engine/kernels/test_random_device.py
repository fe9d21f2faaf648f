"""Random numbers of a GPU's kernels are those of the CPU: CUDA's C compiled for the host, and array functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.gpu import host_cuda, strict_cupy
from tfbench.engine.kernels import random_device, random_fill, random_truncated
from tfbench.engine.kernels.philox import PhiloxStream

#: an ordinary place, and one where both halves of the counter carry
STREAMS = [(0x1234_5678_9ABC_DEF0, 7 << 64), (42, (3 << 64) + (1 << 64) - 300)]
DRAWS: dict[str, Callable[[PhiloxStream, tuple[int, ...], Any], Any]] = {
    "uniform-float16": lambda stream, shape, xp: random_fill.uniform(stream, shape, np.float16, xp),
    "uniform-float32": lambda stream, shape, xp: random_fill.uniform(stream, shape, np.float32, xp),
    "uniform-float64": lambda stream, shape, xp: random_fill.uniform(stream, shape, np.float64, xp),
    "normal-float16": lambda stream, shape, xp: random_fill.standard_normal(stream, shape, np.float16, xp),
    "normal-float32": lambda stream, shape, xp: random_fill.standard_normal(stream, shape, np.float32, xp),
    "normal-float64": lambda stream, shape, xp: random_fill.standard_normal(stream, shape, np.float64, xp),
    "truncated-float16": lambda stream, shape, xp: random_truncated.truncated_normal(stream, shape, np.float16, xp),
    "truncated-float32": lambda stream, shape, xp: random_truncated.truncated_normal(stream, shape, np.float32, xp),
    "truncated-float64": lambda stream, shape, xp: random_truncated.truncated_normal(stream, shape, np.float64, xp),
    "int32": lambda stream, shape, xp: random_fill.uniform_int(stream, shape, -7, 1000, np.int32, xp),
    "int32-widest": lambda stream, shape, xp: random_fill.uniform_int(stream, shape, -(2**31), 2**31 - 1, "i4", xp),
    "int64": lambda stream, shape, xp: random_fill.uniform_int(stream, shape, -(1 << 40), 1 << 50, np.int64, xp),
    "full-int32": lambda stream, shape, xp: random_fill.uniform_full_int(stream, shape, np.int32, xp),
    "full-uint64": lambda stream, shape, xp: random_fill.uniform_full_int(stream, shape, np.uint64, xp),
}  # fmt: skip


@pytest.mark.parametrize("how", ["CUDA", "array functions"])
@pytest.mark.parametrize("stream", STREAMS, ids=["plain", "carrying"])
@pytest.mark.parametrize("draw", DRAWS)
def test_the_numbers_are_the_cpus(draw: str, stream: Any, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "CUDA" and host_cuda.compiler() is None:
        pytest.skip("no C++ compiler")
    if how != "CUDA":
        monkeypatch.setattr(random_device, "compiles", lambda xp: False)
    for shape in ((0,), (1,), (3, 5), (4000,)):
        ours, theirs = PhiloxStream.at(*stream), PhiloxStream.at(*stream)
        found = DRAWS[draw](ours, shape, strict_cupy)
        wanted = DRAWS[draw](theirs, shape, np)
        assert isinstance(found, strict_cupy.ndarray)
        assert found.dtype == wanted.dtype
        if draw in ("normal-float64", "truncated-float64"):
            np.testing.assert_allclose(found.get(), wanted, rtol=1e-13)
        else:
            np.testing.assert_array_equal(found.get().view(f"u{wanted.itemsize}"), wanted.view(f"u{wanted.itemsize}"))
        assert ours == theirs, "the stream moved on by another number of counters"


def test_all_float32_arguments_have_the_cpus_normal_numbers() -> None:
    """A long draw: a hundred thousand numbers, all bits."""
    if host_cuda.compiler() is None:
        pytest.skip("no C++ compiler")
    ours, theirs = PhiloxStream(1, 2), PhiloxStream(1, 2)
    found = random_fill.standard_normal(ours, (100_003,), np.float32, strict_cupy).get()
    np.testing.assert_array_equal(found, random_fill.standard_normal(theirs, (100_003,), np.float32))
