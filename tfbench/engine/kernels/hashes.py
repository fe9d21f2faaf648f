"""The hashes of strings that TensorFlow's ops and files use, bit for bit: FarmHash 64, SipHash 2-4, and Murmur 64.

Python integers are cut to 64 bits after each sum and product.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

_MASK = 0xFFFFFFFFFFFFFFFF
_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _rotate_right(value: int, count: int) -> int:
    value &= _MASK
    return (value >> count | value << (64 - count)) & _MASK


def _rotate_left(value: int, count: int) -> int:
    return (value << count | value >> (64 - count)) & _MASK


def _mix(value: int) -> int:
    value &= _MASK
    return value ^ (value >> 47)


def _join(u: int, v: int, factor: int) -> int:
    """Two words to one."""
    a = _mix(((u ^ v) & _MASK) * factor)
    return _mix(((v ^ a) & _MASK) * factor) * factor & _MASK


# -- FarmHash ------------------------------------------------------------------------------------------------------


def fingerprint64(data: bytes) -> int:
    """FarmHash's `Fingerprint64`."""
    size = len(data)
    return _of_word(data) if size <= 32 else _farm_up_to_64(data, size) if size <= 64 else _farm_long(data, size)


# Batch after batch has the same words.
@lru_cache(maxsize=1 << 14)
def _of_word(data: bytes) -> int:
    size = len(data)
    if size <= 16:
        return _farm_up_to_16(data, size)
    factor = _K2 + size * 2
    a, b = _word(data, 0) * _K1, _word(data, 8)
    c, d = _word(data, size - 8) * factor, _word(data, size - 16) * _K2
    high = _rotate_right(a + b, 43) + _rotate_right(c, 30) + d
    return _join(high, a + _rotate_right(b + _K2, 18) + c, factor)


def _farm_up_to_16(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    if size >= 8:
        a, b = _word(data, 0) + _K2, _word(data, size - 8)
        c = _rotate_right(b, 37) * factor + a
        d = (_rotate_right(a, 25) + b) * factor
        return _join(c, d, factor)
    if size >= 4:
        first, last = int.from_bytes(data[:4], "little"), int.from_bytes(data[size - 4 :], "little")
        return _join(size + (first << 3), last, factor)
    if size:
        y = data[0] + (data[size >> 1] << 8)
        z = size + (data[size - 1] << 2)
        return _mix(y * _K2 ^ z * _K0) * _K2 & _MASK
    return _K2


def _farm_up_to_64(data: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a, b = _word(data, 0) * _K2, _word(data, 8)
    c, d = _word(data, size - 8) * factor, _word(data, size - 16) * _K2
    y = _rotate_right(a + b, 43) + _rotate_right(c, 30) + d
    z = _join(y, a + _rotate_right(b + _K2, 18) + c, factor)
    e, f = _word(data, 16) * factor, _word(data, 24)
    g, h = (y + _word(data, size - 32)) * factor, (z + _word(data, size - 24)) * factor
    high = _rotate_right(e + f, 43) + _rotate_right(g, 30) + h
    return _join(high, e + _rotate_right(f + a, 18) + g, factor)


def _farm_32(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """32 bytes and two seeds to two words."""
    w, x, y, z = (_word(data, at + i) for i in (0, 8, 16, 24))
    a += w
    b = _rotate_right(b + a + z, 21)
    c = a
    a += x + y
    b += _rotate_right(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def _farm_long(data: bytes, size: int) -> int:
    seed = 81
    x = (seed * _K2 + _word(data, 0)) & _MASK
    y = (seed * _K1 + 113) & _MASK
    z = _mix(y * _K2 + 113) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    whole = (size - 1) // 64 * 64
    for at in range(0, whole, 64):
        x, y, z, v, w = _farm_round(data, at, x, y, z, v, w, _K1, 1)
    factor = (_K1 + ((z & 0xFF) << 1)) & _MASK
    at = whole + ((size - 1) & 63) - 63
    w = (w[0] + ((size - 1) & 63)) & _MASK, w[1]
    v = (v[0] + w[0]) & _MASK, v[1]
    w = (w[0] + v[0]) & _MASK, w[1]
    x, y, z, v, w = _farm_round(data, at, x, y, z, v, w, factor, 9)
    return _join(
        _join(v[0], w[0], factor) + _mix(y) * _K0 + z,
        _join(v[1], w[1], factor) + x,
        factor,
    )


def _farm_round(
    data: bytes, at: int, x: int, y: int, z: int, v: tuple[int, int], w: tuple[int, int], factor: int, weight: int
) -> tuple[int, int, int, tuple[int, int], tuple[int, int]]:
    """64 bytes. Returns x and z exchanged, as the next round takes them."""
    x = _rotate_right(x + y + v[0] + _word(data, at + 8), 37) * factor & _MASK
    y = _rotate_right(y + v[1] + _word(data, at + 48), 42) * factor & _MASK
    x ^= w[1] * weight & _MASK
    y = (y + v[0] * weight + _word(data, at + 40)) & _MASK
    z = _rotate_right(z + w[0], 33) * factor & _MASK
    v = _farm_32(data, at, v[1] * factor, x + w[0])
    w = _farm_32(data, at + 32, z + w[1], y + _word(data, at + 16))
    return z, y, x, v, w


def concatenated(first: int, second: int) -> int:
    """The fingerprint of two fingerprints, one after the other."""
    value = first ^ _MURMUR ^ (_mix(second * _MURMUR) * _MURMUR & _MASK)
    return _mix(_mix(value * _MURMUR) * _MURMUR)


# -- SipHash -------------------------------------------------------------------------------------------------------


def siphash(key: Sequence[int], data: bytes) -> int:
    """SipHash 2-4 with a key of two words."""
    k0, k1 = (word & _MASK for word in key)
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    tail = len(data) % 8
    words = [_word(data, at) for at in range(0, len(data) - tail, 8)]
    words.append(int.from_bytes(data[len(data) - tail :], "little") | (len(data) & 0xFF) << 56)
    for word in words:
        v3 ^= word
        v0, v1, v2, v3 = _sip_rounds(v0, v1, v2, v3, 2)
        v0 ^= word
    v0, v1, v2, v3 = _sip_rounds(v0, v1, v2 ^ 0xFF, v3, 4)
    return v0 ^ v1 ^ v2 ^ v3


def _sip_rounds(v0: int, v1: int, v2: int, v3: int, count: int) -> tuple[int, int, int, int]:
    for _ in range(count):
        v0, v2 = (v0 + v1) & _MASK, (v2 + v3) & _MASK
        v1, v3 = _rotate_left(v1, 13) ^ v0, _rotate_left(v3, 16) ^ v2
        v0 = _rotate_left(v0, 32)
        v2, v0 = (v2 + v1) & _MASK, (v0 + v3) & _MASK
        v1, v3 = _rotate_left(v1, 17) ^ v2, _rotate_left(v3, 21) ^ v0
        v2 = _rotate_left(v2, 32)
    return v0, v1, v2, v3


# -- Murmur --------------------------------------------------------------------------------------------------------

_MURMUR = 0xC6A4A7935BD1E995


def murmur64(data: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """MurmurHash 64A, with the seed of TensorFlow's `Hash64`."""
    value = (seed ^ len(data) * _MURMUR) & _MASK
    tail = len(data) % 8
    for at in range(0, len(data) - tail, 8):
        word = _word(data, at) * _MURMUR & _MASK
        word = (word ^ word >> 47) * _MURMUR & _MASK
        value = (value ^ word) * _MURMUR & _MASK
    if tail:
        value = (value ^ int.from_bytes(data[len(data) - tail :], "little")) * _MURMUR & _MASK
    value = _mix(value) * _MURMUR & _MASK
    return _mix(value)
