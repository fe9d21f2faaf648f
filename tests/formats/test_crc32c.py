"""CRC-32C against its definition, byte by byte, and against published values: in NumPy, and compiled where it is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tfbench.formats import crc32c as chosen
from tfbench.formats.crc32c import crc32c, each, mask, unmask


@pytest.fixture(params=["numpy", "compiled"], autouse=True)
def implementation(request: pytest.FixtureRequest) -> Iterator[None]:
    before = chosen._compiled
    if request.param == "numpy":
        chosen._compiled = False
    elif not chosen._find():
        pytest.skip("google-crc32c is not installed (extra `fast`)")
    yield
    chosen._compiled = before


_both = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def by_definition(data: bytes) -> int:
    """Bit by bit: shift right, and subtract the polynomial where a one falls out."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


# The values of RFC 3720, appendix B.4, and the usual check value.
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_published_values(data: bytes, expected: int) -> None:
    assert crc32c(data) == expected


@_both
@given(st.binary(max_size=3000))
def test_short_messages(data: bytes) -> None:
    assert crc32c(data) == by_definition(data)


@pytest.mark.parametrize("size", [511, 512, 1536, 2048, 2049, 4096, 65536, 133_000, 196607, 196608, 196609, 200_003])
def test_long_messages(size: int) -> None:
    data = np.random.default_rng(size).bytes(size)
    assert crc32c(data) == by_definition(data)


@_both
@given(st.integers(0, 5), st.integers(0, 400_000), st.integers(0, 400_000))
def test_in_pieces_as_in_one(seed: int, first: int, size: int) -> None:
    data = np.random.default_rng(seed).bytes(size)
    first = min(first, size)
    assert crc32c(data[first:], crc32c(data[:first])) == crc32c(data)


@_both
@given(st.lists(st.binary(max_size=100), max_size=20), st.booleans())
def test_parts(parts: list[bytes], long: bool) -> None:
    """Of a length that NumPy takes together, and with a longer one among them."""
    if long:
        parts.insert(len(parts) // 2, bytes(range(256)) * 9)
    assert each(parts) == [by_definition(part) for part in parts]


def test_more_parts_than_are_taken_together() -> None:
    data = np.random.default_rng(1).bytes(2048)
    parts = [data[number:] for number in range(0, 2048, 32)]
    assert each(parts) == [by_definition(part) for part in parts]


def test_arrays_are_their_bytes() -> None:
    values = np.arange(100_000, dtype=np.float64)
    assert crc32c(values) == crc32c(values.tobytes())
    assert crc32c(memoryview(b"123456789")) == crc32c(bytearray(b"123456789")) == 0xE3069283


@_both
@given(st.integers(0, 2**32 - 1))
def test_masks(crc: int) -> None:
    assert unmask(mask(crc)) == crc
    assert 0 <= mask(crc) < 2**32
