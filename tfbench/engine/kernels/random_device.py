"""Random numbers made on a GPU: the CPU's numbers for the same stream, by one kernel each.

A thread takes one counter of the stream (for truncated normal numbers, one group of them) and makes all numbers that
come of it, so that none depends on another. The arithmetic is that of `random_fill` and `random_math`, step by step and
without fused multiplications: uniform numbers, integers and float32 normal numbers are the CPU's to the last bit.
float64 normal numbers use CUDA's log, sin and cos, which differ from the C library's in the last place.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench.engine.compiled import random_constants as constants
from tfbench.engine.kernels.philox import PhiloxStream

_THREADS = 256
_BLOCKS = 1 << 16
_MASK64 = (1 << 64) - 1


_SOURCE = """
typedef unsigned int u32;
typedef unsigned long long u64;

struct Words { u32 w[4]; };

__device__ Words philox(u64 key, u64 low, u64 high) {
    u32 k0 = (u32)key, k1 = (u32)(key >> 32);
    u32 c0 = (u32)low, c1 = (u32)(low >> 32), c2 = (u32)high, c3 = (u32)(high >> 32);
    for (int i = 0; i < 10; ++i) {
        u64 p0 = (u64)c0 * 0xD2511F53u, p2 = (u64)c2 * 0xCD9E8D57u;
        u32 n0 = (u32)(p2 >> 32) ^ c1 ^ k0, n2 = (u32)(p0 >> 32) ^ c3 ^ k1;
        c1 = (u32)p2; c3 = (u32)p0; c0 = n0; c2 = n2;
        k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
    }
    Words made;
    made.w[0] = c0; made.w[1] = c1; made.w[2] = c2; made.w[3] = c3;
    return made;
}

__device__ Words words_at(u64 key, u64 low, u64 high, u64 offset) {
    u64 sum = low + offset;
    return philox(key, sum, high + (sum < low ? 1 : 0));
}

__device__ u32 bits_of(float x) { union { float f; u32 u; } both; both.f = x; return both.u; }
__device__ float float_of(u32 x) { union { float f; u32 u; } both; both.u = x; return both.f; }
__device__ double double_of(u64 x) { union { double d; u64 u; } both; both.u = x; return both.d; }

__device__ float unit32(u32 word) { return float_of((word & 0x7FFFFFu) | 0x3F800000u) - 1.0f; }
__device__ double unit64(u32 high, u32 low) {
    return double_of(((u64)((high & 0xFFFFFu) | (1023u << 20)) << 32) | low) - 1.0;
}

__constant__ double inverse[16] = {@INVERSE@};
__constant__ double logarithm[16] = {@LOGARITHM@};

__device__ float log32(float x) {
    u32 bits = bits_of(x), offset = bits - (0x3F330000u - (126u << 23));
    int piece = (int)(offset >> 19) & 15, scale = (int)(offset >> 23) - 126;
    bits = bits - (offset & 0xFF800000u) + (126u << 23);
    double r = inverse[piece] * (double)float_of(bits);
    r = r - 1.0;
    double base = (double)scale * @LN2@;
    base = logarithm[piece] + base;
    base = base + r;
    double r2 = r * r, y = r * @LOG1@;
    y = y + @LOG0@;
    double tail = r2 * @LOG2@;
    y = y + tail;
    y = y * r2;
    return (float)(y + base);
}

__device__ void sincos32(float angle, float* sine_out, float* cosine_out) {
    double x = (double)angle, turns = x * @TWO_OVER_PI_24@;
    int quarter = ((int)turns + 0x800000) >> 24;
    double taken = (double)quarter * @HALF_PI@;
    x = x - taken;
    double x2 = x * x, x3 = x2 * x, sine = x3 * @SIN1@;
    sine = sine + x;
    double x5 = x3 * x2, tail = x2 * @SIN3@;
    tail = tail + @SIN2@;
    tail = tail * x5;
    sine = sine + tail;
    double cosine = x2 * @COS1@;
    cosine = cosine + 1.0;
    tail = x2 * @COS4@;
    tail = tail + @COS3@;
    double x4 = x2 * x2, x6 = x2 * x4;
    tail = tail * x6;
    x4 = x4 * @COS2@;
    cosine = cosine + x4;
    cosine = cosine + tail;
    float s = (float)sine, c = (float)cosine;
    if (quarter & 1) { float other = s; s = c; c = other; }
    *sine_out = float_of(bits_of(s) ^ (((u32)quarter & 2u) << 30));
    *cosine_out = float_of(bits_of(c) ^ (((u32)(quarter + 1) & 2u) << 30));
}

__device__ void normals(Words words, float* out) {
    for (int pair = 0; pair < 2; ++pair) {
        float radius = unit32(words.w[2 * pair]);
        radius = radius > 1.0e-7f ? radius : 1.0e-7f;
        radius = sqrtf(log32(radius) * -2.0f);
        double turn = (double)unit32(words.w[2 * pair + 1]) * @TWO_PI@;
        float sine, cosine;
        sincos32((float)turn, &sine, &cosine);
        out[2 * pair] = sine * radius;
        out[2 * pair + 1] = cosine * radius;
    }
}

__device__ void normals(Words words, double* out) {
    double radius = unit64(words.w[0], words.w[1]);
    radius = radius > 1.0e-7 ? radius : 1.0e-7;
    radius = sqrt(log(radius) * -2.0);
    double angle = unit64(words.w[2], words.w[3]) * @TWO_PI@;
    out[0] = sin(angle) * radius;
    out[1] = cos(angle) * radius;
}

#define EACH(i, count) \\
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)

extern "C" __global__ void uniform_f32(float* out, u64 n, u64 key, u64 low, u64 high, u32 digits) {
    // The lowest `digits` bits of a word as a fraction: exact, whatever the type that it is for.
    float unit = float_of((127u - digits) << 23);
    EACH(i, (n + 3) / 4) {
        Words words = words_at(key, low, high, i);
        for (u64 j = 0; j < 4 && 4 * i + j < n; ++j)
            out[4 * i + j] = (float)(words.w[j] & ((1u << digits) - 1u)) * unit;
    }
}

extern "C" __global__ void uniform_f64(double* out, u64 n, u64 key, u64 low, u64 high) {
    EACH(i, (n + 1) / 2) {
        Words words = words_at(key, low, high, i);
        for (u64 j = 0; j < 2 && 2 * i + j < n; ++j) out[2 * i + j] = unit64(words.w[2 * j], words.w[2 * j + 1]);
    }
}

extern "C" __global__ void bounded_u32(u32* out, u64 n, u64 key, u64 low, u64 high, u32 span, u32 first) {
    // A span of 0 stands for all of the words' range.
    EACH(i, (n + 3) / 4) {
        Words words = words_at(key, low, high, i);
        for (u64 j = 0; j < 4 && 4 * i + j < n; ++j)
            out[4 * i + j] = (span ? words.w[j] % span : words.w[j]) + first;
    }
}

extern "C" __global__ void bounded_u64(u64* out, u64 n, u64 key, u64 low, u64 high, u64 span, u64 first) {
    EACH(i, (n + 1) / 2) {
        Words words = words_at(key, low, high, i);
        for (u64 j = 0; j < 2 && 2 * i + j < n; ++j) {
            u64 bits = ((u64)words.w[2 * j + 1] << 32) | words.w[2 * j];
            out[2 * i + j] = (span ? bits % span : bits) + first;
        }
    }
}

extern "C" __global__ void normal_f32(float* out, u64 n, u64 key, u64 low, u64 high) {
    EACH(i, (n + 3) / 4) {
        float made[4];
        normals(words_at(key, low, high, i), made);
        for (u64 j = 0; j < 4 && 4 * i + j < n; ++j) out[4 * i + j] = made[j];
    }
}

extern "C" __global__ void normal_f64(double* out, u64 n, u64 key, u64 low, u64 high) {
    EACH(i, (n + 1) / 2) {
        double made[2];
        normals(words_at(key, low, high, i), made);
        for (u64 j = 0; j < 2 && 2 * i + j < n; ++j) out[2 * i + j] = made[j];
    }
}

extern "C" __global__ void truncated_f32(float* out, u64 n, u64 key, u64 low, u64 high) {
    EACH(i, (n + 3) / 4) {
        float made[4];
        int have = 0;
        for (u64 draw = 0; have < 4; ++draw) {
            normals(words_at(key, low, high, i * 256 + draw), made);
            for (int j = 0; j < 4 && have < 4; ++j)
                if (made[j] < 2.0f && made[j] > -2.0f) {
                    if (4 * i + have < n) out[4 * i + have] = made[j];
                    ++have;
                }
        }
    }
}

extern "C" __global__ void truncated_f64(double* out, u64 n, u64 key, u64 low, u64 high) {
    EACH(i, (n + 1) / 2) {
        double made[2];
        int have = 0;
        for (u64 draw = 0; have < 2; ++draw) {
            normals(words_at(key, low, high, i * 128 + draw), made);
            for (int j = 0; j < 2 && have < 2; ++j)
                if (made[j] < 2.0 && made[j] > -2.0) {
                    if (2 * i + have < n) out[2 * i + have] = made[j];
                    ++have;
                }
        }
    }
}
"""


def source() -> str:
    """The CUDA source, with the constants of `random_math`."""
    text = _SOURCE.replace("@INVERSE@", ", ".join(map(repr, constants.LOG_INVERSE)))
    text = text.replace("@LOGARITHM@", ", ".join(map(repr, constants.LOG_LOGARITHM)))
    text = text.replace("@TWO_PI@", repr(2.0 * math.pi))
    for name in (
        "LN2", "LOG0", "LOG1", "LOG2", "TWO_OVER_PI_24", "HALF_PI", "SIN1", "SIN2", "SIN3", "COS1", "COS2", "COS3",
        "COS4",
    ):  # fmt: skip
        text = text.replace(f"@{name}@", f"({getattr(constants, name)!r})")
    return text


#: No fused multiplication and addition: it rounds once where the CPU rounds twice.
OPTIONS = ("--fmad=false", "--std=c++17")

_modules: dict[int, Any] = {}


def compiles(xp: Any) -> bool:
    """Whether the array module compiles CUDA's C; if not, its array functions make the numbers."""
    return xp is not np and hasattr(xp, "RawModule")


def module(xp: Any) -> Any:
    """The compiled kernels."""
    found = _modules.get(id(xp))
    if found is None:
        found = _modules[id(xp)] = xp.RawModule(code=source(), options=OPTIONS)
    return found


def fill(xp: Any, name: str, out: Any, start: PhiloxStream, *arguments: Any) -> Any:
    """Runs kernel `name` on contiguous `out`, from the counter where `start` stands; returns `out`."""
    if out.size:
        low, high = start.counter & _MASK64, start.counter >> 64
        fixed = (np.uint64(out.size), np.uint64(start.key), np.uint64(low), np.uint64(high))
        blocks = min(_BLOCKS, -(-out.size // (2 * _THREADS)))
        module(xp).get_function(name)((blocks,), (_THREADS,), (out, *fixed, *arguments))
    return out


def uniform(xp: Any, start: PhiloxStream, shape: tuple[int, ...], dtype: Any) -> Any:
    """As `random_fill.uniform`."""
    if dtype == np.float64:
        return fill(xp, "uniform_f64", xp.empty(shape, dtype), start)
    digits = 23 if dtype == np.float32 else 10
    made = fill(xp, "uniform_f32", xp.empty(shape, np.float32), start, np.uint32(digits))
    return made.astype(dtype, copy=False)


def integers(xp: Any, start: PhiloxStream, shape: tuple[int, ...], dtype: Any, span: int, low: int) -> Any:
    """Random bits modulo `span` (0: as they are), plus `low`."""
    kind = np.uint32 if dtype.itemsize == 4 else np.uint64
    wrapped = low & ((1 << 8 * dtype.itemsize) - 1)
    out = xp.empty(shape, dtype)
    return fill(xp, "bounded_u32" if kind is np.uint32 else "bounded_u64", out, start, kind(span), kind(wrapped))


def normal(xp: Any, start: PhiloxStream, shape: tuple[int, ...], dtype: Any, truncated: bool = False) -> Any:
    """As `random_fill.standard_normal`, or `random_truncated.truncated_normal`."""
    wide = np.float64 if dtype == np.float64 else np.float32
    name = f"{'truncated' if truncated else 'normal'}_f{8 * np.dtype(wide).itemsize}"
    return fill(xp, name, xp.empty(shape, wide), start).astype(dtype, copy=False)
