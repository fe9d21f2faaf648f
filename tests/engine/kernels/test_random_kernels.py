"""The generator itself, its arithmetic, and what the facts of whole ops do not show."""

from __future__ import annotations

import hashlib
import math
import pickle
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest

from tfbench import errors
from tfbench.engine.kernels import (
    philox,
    random_bounded,
    random_discrete,
    random_fill,
    random_math,
    random_rejection,
    random_truncated,
    threads,
)
from tfbench.engine.kernels.philox import Lanes, PhiloxStream, over_blocks, store


def digest(array: Any) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()[:16]


# -- Philox --------------------------------------------------------------------------------------------------

# The known answers that the generator's authors publish for philox4x32 with ten rounds.
KNOWN = [
    (0, 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    (2**64 - 1, 2**128 - 1, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (0x299F31D0_A4093822, 0x03707344_13198A2E_85A308D3_243F6A88, [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
]


@pytest.mark.parametrize(("key", "counter", "words"), KNOWN)
@pytest.mark.parametrize("n", [1, 4, 100])
def test_known_answers(key: int, counter: int, words: list[int], n: int) -> None:
    assert PhiloxStream.at(key, counter).words(n).tolist()[:4] == words[: min(n, 4)]


# counters whose words carry into the next word within the block, and one that wraps altogether
@pytest.mark.parametrize("counter", [0, 2**32 - 5, 2**64 - 300, 2**96 - 3 + 2**34, 2**128 - 9])
@pytest.mark.parametrize("stride", [1, 3, 256])
@pytest.mark.parametrize("count", [1, 7, 8, 70000])
def test_lanes_agree_with_single_counters(counter: int, stride: int, count: int) -> None:
    start = PhiloxStream.at(0x123456789ABCDEF0, counter)
    made = np.empty((count, 4), np.uint32)

    def consume(blocks: Any) -> None:
        for first, even, odd in blocks:
            store(np, made[first : first + even.shape[1]], even, odd)

    over_blocks(np, start, count, consume, stride)
    for i in {*range(min(count, 12)), 299 % count, 32767 % count, 32768 % count, count - 1}:
        assert made[i].tolist() == PhiloxStream.at(start.key, counter + stride * i).words(4).tolist()


def test_lanes_take_any_offsets() -> None:
    offsets = np.array([5, 0, 2**40, 3, 17, 2**33 - 1, 9, 8, 1], np.uint64)
    even, odd = Lanes(np, 77, 9).words(2**64 - 2**33, offsets, 2**40 + 1)
    rows = np.empty((9, 4), np.uint32)
    store(np, rows, even, odd)
    for row, offset in zip(rows.tolist(), offsets.tolist()):
        assert row == PhiloxStream.at(77, 2**64 - 2**33 + offset).words(4).tolist()


def test_a_stream_moves_only_by_what_is_reserved() -> None:
    stream = PhiloxStream(3, 4)
    assert stream.snapshot() == (3, 4 << 64)
    before = stream.words(8).tolist()
    assert stream.words(8).tolist() == before
    part = stream.reserve(2)
    assert part.words(8).tolist() == before
    assert stream.counter == part.counter + 2
    assert part.words(12).tolist()[8:] == stream.words(4).tolist()


def test_streams_are_cloned_saved_and_put_back() -> None:
    stream = PhiloxStream(-1, -2)
    assert stream.key == 2**64 - 1
    saved, twin = stream.snapshot(), stream.clone()
    assert twin == stream
    stream.reserve(5)
    assert twin != stream
    stream.restore(pickle.loads(pickle.dumps(saved)))
    assert twin == stream
    assert PhiloxStream.at(*saved) == stream
    assert repr(stream) == "PhiloxStream.at(0xffffffffffffffff, 0xfffffffffffffffe0000000000000000)"


def test_no_seeds_means_other_numbers_each_time() -> None:
    assert PhiloxStream(0, 0) != PhiloxStream(0, 0)
    assert PhiloxStream(0, 1) == PhiloxStream(0, 1)


def test_reserving_is_safe_between_threads() -> None:
    stream, starts = PhiloxStream(1, 1), []

    def take() -> None:
        starts.extend([stream.reserve(3).counter for _ in range(500)])

    workers = [threading.Thread(target=take) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(starts) == [(1 << 64) + 3 * i for i in range(2000)]


# -- arithmetic ----------------------------------------------------------------------------------------------


def every_unit_float32() -> Any:
    bits = np.arange(1 << 23, dtype=np.uint32)
    bits |= 127 << 23
    return bits.view(np.float32) - np.float32(1.0)


def test_logarithm_is_the_c_librarys_for_every_argument() -> None:
    """The checksum is that of glibc 2.36's logf, called once for each of the arguments."""
    x = np.maximum(every_unit_float32(), np.float32(1e-7))
    assert digest(random_math.log_float32(np, x, random_math.Scratch(np, x.size))) == "207fef8ffa8c82ca"


def test_sine_and_cosine_are_the_c_librarys_for_every_angle() -> None:
    """The checksums are those of glibc 2.36's sincosf."""
    angle = (every_unit_float32().astype(np.float64) * (2 * math.pi)).astype(np.float32)
    sine, cosine = random_math.sincos_float32(np, angle, random_math.Scratch(np, angle.size))
    assert (digest(sine), digest(cosine)) == ("c718616d24ba03d8", "b085eb29bc0360f2")


def test_logarithm_of_large_and_small_numbers() -> None:
    x = np.array([1.1754944e-38, 1e-20, 0.5, 1.0, 2.0, 3.5, 1e10, 3.4028235e38], np.float32)
    expected = np.log(x.astype(np.float64))
    found = random_math.log_float32(np, x.copy(), random_math.Scratch(np, x.size))
    np.testing.assert_allclose(found, expected, rtol=2**-23)
    assert found[3] == 0.0


@pytest.mark.parametrize("name", ["log", "log1p", "exp", "sin", "cos"])
def test_float64_functions_are_the_c_librarys(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).random(1000) * 6.2
    expected = [getattr(math, name)(value) for value in x.tolist()]
    assert random_math.libm(name, x).tolist() == expected
    monkeypatch.setitem(random_math._exact, name, False)  # as where NumPy's loop rounds differently
    assert random_math.libm(name, x).tolist() == expected
    assert random_math.libm(name, np.empty((0, 2))).shape == (0, 2)


def test_float64_functions_where_math_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("log", "log1p", "exp"):
        monkeypatch.setitem(random_math._exact, name, False)
    x = np.array([0.0, -1.0, np.inf, np.nan, 0.5])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(random_math.libm("log", x), [-np.inf, np.nan, np.inf, np.nan, math.log(0.5)])
        assert random_math.libm("log1p", x)[1] == -np.inf
        assert random_math.libm("exp", np.array([1000.0, -1000.0])).tolist() == [np.inf, 0.0]
    assert random_math.power(np.array([0.0, 0.5]), np.array([2.0, np.inf])).tolist() == [0.0, 0.0]


# -- distributions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [random_fill.uniform, random_fill.standard_normal, random_truncated.truncated_normal])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_any_number_of_threads_gives_the_same_bits(make: Any, dtype: str) -> None:
    stream = PhiloxStream(9, 9)
    with threads.limit(1):
        one = make(stream.clone(), (300_001,), dtype)
    with threads.limit(3):
        three = make(stream.clone(), (300_001,), dtype)
    assert digest(one) == digest(three)


@pytest.mark.parametrize("make", [random_fill.uniform, random_fill.standard_normal, random_truncated.truncated_normal])
def test_memory_beyond_the_result_is_bounded(make: Any) -> None:
    with threads.limit(1):
        make(PhiloxStream(1, 1), (10,), "float32")
        tracemalloc.start()
        made = make(PhiloxStream(1, 1), (4_000_000,), "float32")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak - made.nbytes < 8 << 20


def test_half_of_the_numbers_are_used_where_an_odd_number_is_asked_for() -> None:
    for make in (random_fill.uniform, random_fill.standard_normal):
        stream = PhiloxStream(5, 6)
        whole = make(stream.clone(), (12,), "float64")
        assert make(stream, (3, 3), "float64").reshape(-1).tolist() == whole[:9].tolist()
        assert stream.counter == (6 << 64) + 9 * 256


def test_truncated_normals_lie_inside_and_look_normal() -> None:
    made = random_truncated.truncated_normal(PhiloxStream(1, 2), (200_000,), "float32")
    assert abs(made).max() < 2.0
    assert abs(made.mean()) < 0.01
    assert abs(made.std() - 0.8796) < 0.01


def test_full_range_integers_are_the_words() -> None:
    stream = PhiloxStream(1, 2)
    words = stream.words(6)
    assert random_fill.uniform_full_int(stream.clone(), (6,), np.uint32).tolist() == words.tolist()
    assert random_fill.uniform_full_int(stream.clone(), (6,), np.int32).tolist() == words.view(np.int32).tolist()
    assert random_fill.uniform_full_int(stream.clone(), (3,), np.uint64).tolist() == words.view("<u8").tolist()


def test_integers_cover_their_range() -> None:
    made = random_fill.uniform_int(PhiloxStream(1, 2), (2000,), -3, 4, np.int32)
    assert sorted(set(made.tolist())) == list(range(-3, 4))


@pytest.mark.parametrize(("low", "high"), [(5, 5), (6, 5)])
def test_an_empty_range_is_an_error_unless_nothing_is_asked_for(low: int, high: int) -> None:
    with pytest.raises(ValueError, match=f"Need minval < maxval, got {low} >= {high}"):
        random_fill.uniform_int(PhiloxStream(1, 2), (2,), low, high, np.int32)
    assert random_fill.uniform_int(PhiloxStream(1, 2), (0,), low, high, np.int32).shape == (0,)


def test_uniform_of_a_wrong_type() -> None:
    with pytest.raises(TypeError, match="not int32"):
        random_fill.uniform(PhiloxStream(1, 2), (2,), np.int32)


def test_shuffled_order_is_a_permutation_and_moves_by_its_words() -> None:
    stream = PhiloxStream(1, 2)
    order = random_discrete.shuffled_order(stream, 1000)
    assert sorted(order.tolist()) == list(range(1000))
    assert stream.counter == (2 << 64) + 250
    random_discrete.shuffled_order(stream, 1)
    assert stream.counter == (2 << 64) + 250


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 50, 999, 5000])
def test_swaps_worked_out_together_are_those_made_one_by_one(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(20):
        partners = np.array([rng.integers(i, size) for i in range(size - 1)])
        assert random_discrete._swapped(partners).tolist() == random_discrete._swapped_one_by_one(partners).tolist()


@pytest.mark.parametrize("categories", [3, 9000])
def test_multinomial_is_a_look_up_of_uniform_numbers(categories: int) -> None:
    logits = np.random.default_rng(1).normal(size=(4, categories))
    stream = PhiloxStream(1, 2)
    numbers = random_fill.uniform(stream.clone(), (4, 5), "float64")
    shares = np.exp(logits - logits.max(axis=1, keepdims=True)).cumsum(axis=1)
    expected = [[int((row <= x * row[-1]).sum()) for x in xs] for row, xs in zip(shares, numbers)]
    assert random_discrete.multinomial(stream, logits, 5).tolist() == expected
    assert stream.counter == (2 << 64) + 4 * 8 * 2 * 256


def test_shards_as_tensorflow_cuts_them() -> None:
    assert random_discrete.shards(1000, 666, 1) == [(0, 1000)]
    assert random_discrete.shards(100, 100, 4) == [(0, 100)]
    assert [first for first, _ in random_discrete.shards(300, 17109, 2)] == [0, 38, 76, 114, 152, 190, 228, 266]
    assert random_discrete.shards(5, 421453, 4) == [(0, 2), (2, 4), (4, 5)]


def test_poisson_of_an_endless_rate_is_an_error() -> None:
    for rate in (np.inf, np.nan):
        with pytest.raises(ValueError, match="finite"):
            random_rejection.poisson(PhiloxStream(1, 2), (2,), np.array([1.0, rate]), np.float32)


@pytest.mark.parametrize(
    "parameters", [(0, -1, 0, 1), (0, 1, 2, 2), (0, 1, 3, 2), (0, 1, -np.inf, np.inf), (np.nan, np.nan, 0, 1)]
)
def test_bounds_with_nothing_between_are_an_error(parameters: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="Invalid parameters"):
        random_bounded.bounded_normal(PhiloxStream(1, 2), (3,), *map(np.float32, parameters))


def test_bounded_normals_of_other_sizes_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"Input minvals should have length 1 or shape\[0\], got shape: \[3\]"):
        random_bounded.bounded_normal(
            PhiloxStream(1, 2), (2, 5), np.zeros(2), np.ones(1), np.array([-1.0, -2.0, -3.0]), np.ones(())
        )


def test_bounded_normals_lie_between_their_bounds() -> None:
    lows, highs = np.array([-3.0, 0.5, 4.0], np.float32), np.array([-2.0, np.inf, 4.5], np.float32)
    made = random_bounded.bounded_normal(PhiloxStream(1, 2), (3, 1000), *np.ones((2, 1), np.float32), lows, highs)
    assert (made >= lows[:, None]).all()
    assert (made <= highs[:, None]).all()
    assert random_bounded.bounded_normal(PhiloxStream(1, 2), (0,), *map(np.float32, (0, 1, -1, 1))).shape == (0,)


def test_bounds_that_are_too_far_are_given_up() -> None:
    """In deviations, the lower bound is infinite: nothing lies beyond it."""
    far = map(np.float32, (0.0, 1e-10, 3e38, np.inf))
    with pytest.raises(errors.InternalError, match="failed to accept a sample"):
        random_bounded.bounded_normal(PhiloxStream(1, 2), (3,), *far)


def test_gamma_of_odd_parameters() -> None:
    alpha = np.array([0.0, -1.0, np.nan, np.inf], np.float32)
    made = random_rejection.gamma(PhiloxStream(87654321, 1), (2,), alpha)
    np.testing.assert_array_equal(made, [[0.0, np.nan, np.nan, np.inf]] * 2)


def test_log_factorials() -> None:
    k = np.array([0, 1, 2, 20, 255, 256, 257, 300, 1000, 12345, 1e6, 3e9])
    expected = [math.lgamma(value + 1) for value in k.tolist()]
    np.testing.assert_allclose(random_rejection._log_factorial(k), expected, rtol=1e-15, atol=0)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_empty_parameters(shape: tuple[int, ...]) -> None:
    none = np.empty((0, 2), np.float32)
    assert random_rejection.gamma(PhiloxStream(1, 2), shape, none).shape == (*shape, 0, 2)
    assert random_rejection.poisson(PhiloxStream(1, 2), shape, none, np.int32).shape == (*shape, 0, 2)


def test_scrambled_takes_seeds_of_any_sign() -> None:
    assert philox.scrambled(-1, 2) == philox.scrambled(2**64 - 1, 2)
    assert philox.scrambled(1, 2) != philox.scrambled(2, 1)
