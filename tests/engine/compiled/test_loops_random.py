"""Compiled random numbers: NumPy's bits, whatever the sizes, the place in the stream and the number of threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.compiled.loops import both, needs_extra, own_cache
from tfbench.engine.compiled import background, random_lanes, tier, worker
from tfbench.engine.kernels import random_compiled, random_fill, random_truncated, threads
from tfbench.engine.kernels.philox import PhiloxStream, scrambled

__all__ = ["own_cache"]

pytestmark = [needs_extra, pytest.mark.usefixtures("own_cache")]

EXAMPLES = settings(max_examples=20, deadline=None)

Draw = Callable[[PhiloxStream, tuple[int, ...]], Any]

DRAWS: dict[str, Draw] = {
    "uniform float32": lambda stream, shape: random_fill.uniform(stream, shape, np.float32),
    "uniform float64": lambda stream, shape: random_fill.uniform(stream, shape, np.float64),
    "normal": lambda stream, shape: random_fill.standard_normal(stream, shape, np.float32),
    "truncated normal": lambda stream, shape: random_truncated.truncated_normal(stream, shape, np.float32),
    "int32": lambda stream, shape: random_fill.uniform_int(stream, shape, -7, 12, np.int32),
    "int64": lambda stream, shape: random_fill.uniform_int(stream, shape, -7, 12, np.int64),
    **{
        f"all of {dtype.__name__}": lambda stream, shape, dtype=dtype: random_fill.uniform_full_int(
            stream, shape, dtype
        )
        for dtype in (np.int32, np.uint32, np.int64, np.uint64)
    },
}

#: counters that carry into another word, and one that begins anew, within the first blocks
CARRIES = (2**32 - 5, 2**64 - 300, 2**96 - 3 + 2**34, 2**128 - 9, 2**128 - 700)
counters = st.one_of(st.sampled_from([*CARRIES, 0]), st.integers(0, 2**128 - 1))
keys = st.integers(0, 2**64 - 1)
shapes = st.lists(st.integers(1, 40), max_size=3).map(tuple)


def check(draw: Draw, stream: PhiloxStream, shape: tuple[int, ...]) -> None:
    """The same bits, and the stream ends where NumPy's does."""

    def call() -> Any:
        mine = stream.clone()
        return draw(mine, shape), mine.snapshot()

    (wanted, after), (made, moved) = both(call)
    assert (made.dtype, made.shape, moved) == (wanted.dtype, shape, after)
    assert made.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", DRAWS)
@EXAMPLES
@given(keys, counters, shapes)
def test_numbers_are_numpys(name: str, key: int, counter: int, shape: tuple[int, ...]) -> None:
    check(DRAWS[name], PhiloxStream.at(key, counter), shape)


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("counter", CARRIES)
def test_sizes_around_a_vector(name: str, counter: int) -> None:
    for size in (1, 3, 4, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 4_096, 70_001):
        check(DRAWS[name], PhiloxStream.at(2**64 - 3, counter), (size,))


@pytest.mark.parametrize("name", DRAWS)
def test_any_number_of_threads_gives_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        random_compiled,
        "_KERNELS",
        {what: (*rest, 4_096) for what, (*rest, _) in random_compiled._KERNELS.items()},
    )
    stream = PhiloxStream(9, 9)
    with threads.limit(4):
        check(DRAWS[name], stream, (100_003,))
        with tier.using("wait"):
            many = DRAWS[name](stream.clone(), (100_003,))
    with threads.limit(1), tier.using("wait"):
        assert DRAWS[name](stream.clone(), (100_003,)).tobytes() == many.tobytes()


def test_a_million_numbers() -> None:
    for name in ("uniform float32", "truncated normal"):
        check(DRAWS[name], PhiloxStream(3, 4), (1_050_001,))


@EXAMPLES
@given(keys, st.sampled_from([np.int32, np.int64]), st.data())
def test_integers_of_any_range(key: int, dtype: Any, data: st.DataObject) -> None:
    info = np.iinfo(dtype)
    ends = st.one_of(st.integers(int(info.min), int(info.max)), st.sampled_from([int(info.min), int(info.max), 0, 1]))
    low, high = sorted(data.draw(st.lists(ends, min_size=2, max_size=2, unique=True)))
    check(lambda stream, shape: random_fill.uniform_int(stream, shape, low, high, dtype), scrambled(key, 1), (999,))


def test_words_next_to_a_multiple_of_the_range() -> None:
    """Where a quotient that is rounded would be the next one: every word of these is compared with the exact rest."""
    words = PhiloxStream(5, 6).words(4_096)
    for span in sorted({int(word) // part for word in words[:200] for part in (1, 2, 3, 1000)} - {0}):
        with tier.using("wait"):
            made = random_fill.uniform_int(PhiloxStream(5, 6), (4_096,), -(2**31), span - 2**31, np.int32)
        np.testing.assert_array_equal(made.view(np.uint32), words % np.uint32(span) + np.uint32(2**31))


def test_every_argument_of_the_logarithm_and_the_sine() -> None:
    """Twenty million normal numbers meet two thirds of the 2**23 arguments that there are."""
    stream = PhiloxStream(11, 12)
    for _ in range(4):
        check(DRAWS["normal"], stream.reserve(1 << 30), (5_000_000,))


@pytest.mark.parametrize("shape", [(0,), (3, 0, 2)])
def test_no_numbers(shape: tuple[int, ...]) -> None:
    stream = PhiloxStream(1, 2)
    with tier.using("wait"):
        for draw in DRAWS.values():
            assert draw(stream, shape).shape == shape
    assert stream.counter == 2 << 64


def test_other_types_and_wrong_ranges_are_numpys() -> None:
    for dtype in (np.float16, np.float64):
        wanted = random_fill.standard_normal(PhiloxStream(1, 2), (50,), dtype)
        with tier.using("wait"):
            np.testing.assert_array_equal(random_fill.standard_normal(PhiloxStream(1, 2), (50,), dtype), wanted)
    with tier.using("wait"):
        with pytest.raises(TypeError, match="not int32"):
            random_fill.uniform(PhiloxStream(1, 2), (2,), np.int32)
        with pytest.raises(ValueError, match="Need minval < maxval"):
            random_fill.uniform_int(PhiloxStream(1, 2), (2,), 5, 5, np.int32)


@pytest.mark.parametrize("maker", ["fill", "truncated"])
def test_without_permutations_of_two_registers(maker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What processors without AVX-512 get, which look the logarithm's table up in memory."""
    monkeypatch.setattr(random_lanes, "permutes", lambda: False)
    parameters = ["normal32"] if maker == "fill" else []
    compiled = worker.compile_kernel(worker.make("loops_random", maker, parameters))
    run = background.Background()._prepare().load(compiled)
    out = np.empty(4_096, np.float32)
    run(out, 5, 0, 6, 0, out.size)
    with tier.using("0"):
        wanted = DRAWS["normal" if maker == "fill" else "truncated normal"](PhiloxStream(5, 6), (4_096,))
    assert out.tobytes() == wanted.tobytes()


def test_what_the_machine_code_wants() -> None:
    with tier.using("wait"):
        run = tier.kernel("loops_random", "fill", "uniform32").ready(0)
    assert run is not None
    for wrong in (np.empty(32), np.empty(64, np.float32)[::2], None):
        with pytest.raises(TypeError, match=r"argument 1 is"):
            run(wrong, 1, 2, 3, 0, 32)
