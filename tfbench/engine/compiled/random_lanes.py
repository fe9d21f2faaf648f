"""Vectors of eight in LLVM IR, and what `loops_random` does with them: Philox's words, and numbers of words.

A word of a counter lies in the lower half of a 64-bit lane; what is in the upper half is never looked at, so a round is
two products, two shifts and two exclusive ors. The arithmetic behind it is that of `kernels.random_fill` and
`kernels.random_math`, step by step and without fused multiplications: the numbers are NumPy's, bit for bit.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from tfbench.engine.compiled import random_constants as constants
from tfbench.engine.compiled.ir import Function, Value

LANES = 8
LONGS, INTS, FLOATS, DOUBLES = (f"<{LANES} x {type}>" for type in ("i64", "i32", "float", "double"))
#: bytes that eight counters give
LINE = 16 * LANES
#: a float64 with this exponent is 2**52 and the whole number that its mantissa says
_WHOLE = 0x433 << 52


def real(value: float) -> str:
    """A float64 as IR writes it."""
    return f"0x{struct.pack('>d', value).hex().upper()}"


class Vectors:
    """Eight numbers at once, written into a function."""

    def __init__(self, made: Function) -> None:
        self.made = made

    def each(self, type: str, value: Value | float) -> str:
        """A vector of one number in all lanes."""
        element = type.partition(" x ")[2][:-1]
        count = int(type.partition(" x ")[0][1:])
        if isinstance(value, str):
            one = self.made.new(f"insertelement {type} poison, {element} {value}, i32 0")
            zeros = f"<{count} x i32> zeroinitializer"
            return self.made.new(f"shufflevector {type} {one}, {type} poison, {zeros}")
        if element == "float" and isinstance(value, float):
            (value,) = struct.unpack("f", struct.pack("f", value))
        text = real(value) if isinstance(value, float) else str(value)
        return f"<{', '.join([f'{element} {text}'] * count)}>"

    def do(self, operation: str, type: str, a: str, b: str | int | float) -> str:
        """A binary operation; a number stands for a vector of it."""
        return self.made.new(f"{operation} {type} {a}, {b if isinstance(b, str) else self.each(type, b)}")

    def cast(self, how: str, source: str, value: str, target: str) -> str:
        """A conversion."""
        return self.made.new(f"{how} {source} {value} to {target}")

    def call(self, name: str, type: str, value: str) -> str:
        """An intrinsic function of one vector."""
        suffix = type.strip("<>").replace(" x float", "f32").replace(" x double", "f64")
        return self.made.new(f"call {type} @llvm.{name}.v{suffix}({type} {value})")

    def choose(self, condition: str, type: str, a: str, b: str) -> str:
        """`a` where the condition holds, else `b`."""
        return self.made.new(f"select <{LANES} x i1> {condition}, {type} {a}, {type} {b}")

    def shuffle(self, type: str, a: str, b: str, places: Sequence[int]) -> str:
        """Elements of two vectors, those of the second counted on."""
        numbers = ", ".join(f"i32 {place}" for place in places)
        return self.made.new(f"shufflevector {type} {a}, {type} {b}, <{len(places)} x i32> <{numbers}>")

    def alternating(self, type: str, a: str, b: str, part: slice = slice(0, LANES)) -> str:
        """a0 b0 a1 b1 …, of the lanes in `part`."""
        lanes = range(LANES)[part]
        return self.shuffle(type, a, b, [place for lane in lanes for place in (lane, lane + LANES)])


class Words:
    """The four words of eight counters: of `%low + 2**64 %high` and what lies behind it, with the key `%key`."""

    def __init__(self, on: Vectors) -> None:
        self._on, made = on, on.made
        key1 = made.new("lshr i64 %key, 32")
        self._keys = [
            (on.each(LONGS, made.new(f"add i64 %key, {n * constants.WEYL_0}")),
             on.each(LONGS, made.new(f"add i64 {key1}, {n * constants.WEYL_1}")))
            for n in range(constants.ROUNDS)
        ]  # fmt: skip
        self._low, self._high = on.each(LONGS, "%low"), on.each(LONGS, "%high")

    def at(self, offsets: str) -> list[str]:
        """The words, with anything in the upper halves of the lanes."""
        on = self._on
        low = on.do("add", LONGS, self._low, offsets)
        carry = on.cast("zext", f"<{LANES} x i1>", on.do("icmp ult", LONGS, low, self._low), LONGS)
        high = on.do("add", LONGS, self._high, carry)
        word0, word1, word2, word3 = low, on.do("lshr", LONGS, low, 32), high, on.do("lshr", LONGS, high, 32)
        for key0, key1 in self._keys:
            product0 = on.do("mul", LONGS, on.do("and", LONGS, word0, constants.MASK32), constants.MULTIPLIER_0)
            product2 = on.do("mul", LONGS, on.do("and", LONGS, word2, constants.MASK32), constants.MULTIPLIER_2)
            word0 = on.do("xor", LONGS, on.do("xor", LONGS, on.do("lshr", LONGS, product2, 32), word1), key0)
            word2 = on.do("xor", LONGS, on.do("xor", LONGS, on.do("lshr", LONGS, product0, 32), word3), key1)
            word1, word3 = product2, product0
        return [word0, word1, word2, word3]


# -- words to numbers: each function gives two lanes' worth of numbers for a counter, as <8 x i64>, and what becomes of
# -- them when they lie in order


Pairs = tuple[str, str]
Numbers = Callable[[Vectors, Sequence[str]], Pairs]
Finish = Callable[[Vectors, str], str]


def _together(on: Vectors, first: str, second: str) -> str:
    """Two words in one lane, the first below."""
    return on.do("or", LONGS, on.do("and", LONGS, first, constants.MASK32), on.do("shl", LONGS, second, 32))


def joined(on: Vectors, words: Sequence[str]) -> Pairs:
    """The words two by two."""
    return _together(on, *words[:2]), _together(on, *words[2:])


def as_they_are(on: Vectors, line: str) -> str:
    """Nothing is to be done."""
    return line


def to_unit_float32(on: Vectors, line: str) -> str:
    """[0, 1) from the lower 23 bits of each word."""
    ints, floats = f"<{2 * LANES} x i32>", f"<{2 * LANES} x float>"
    bits = on.do("and", ints, on.cast("bitcast", LONGS, line, ints), 0x7FFFFF)
    bits = on.do("or", ints, bits, 127 << 23)
    made = on.do("fsub", floats, on.cast("bitcast", ints, bits, floats), 1.0)
    return on.cast("bitcast", floats, made, LONGS)


def float64_bits(on: Vectors, words: Sequence[str]) -> Pairs:
    """20 bits of one word above the 32 of the next, as the mantissa of a number in [1, 2)."""
    made = []
    for high, low in (words[:2], words[2:]):
        upper = on.do("or", LONGS, on.do("and", LONGS, high, 0xFFFFF), 1023 << 20)
        made.append(_together(on, low, upper))
    return made[0], made[1]


def to_unit_float64(on: Vectors, line: str) -> str:
    """[0, 1) from numbers in [1, 2)."""
    return on.cast("bitcast", DOUBLES, on.do("fsub", DOUBLES, on.cast("bitcast", LONGS, line, DOUBLES), 1.0), LONGS)


def remainders32(on: Vectors, words: Sequence[str]) -> Pairs:
    """Each word modulo `%span`, by way of float64, where all that is exact but the quotient, which is next to right."""
    made = on.made
    span = made.new("uitofp i64 %span to double")
    spans, inverse = on.each(DOUBLES, span), on.each(DOUBLES, made.new(f"fdiv double 1.0, {span}"))
    zero = on.each(DOUBLES, 0.0)
    left = []
    for word in words:
        bits = on.do("or", LONGS, on.do("and", LONGS, word, constants.MASK32), _WHOLE)
        number = on.do("fsub", DOUBLES, on.cast("bitcast", LONGS, bits, DOUBLES), 2.0**52)
        quotient = on.call("floor", DOUBLES, on.do("fmul", DOUBLES, number, inverse))
        rest = on.do("fsub", DOUBLES, number, on.do("fmul", DOUBLES, quotient, spans))
        more, less = on.do("fadd", DOUBLES, rest, spans), on.do("fsub", DOUBLES, rest, spans)
        fixed = on.choose(on.do("fcmp olt", DOUBLES, rest, zero), DOUBLES, more, rest)
        fixed = on.choose(on.do("fcmp oge", DOUBLES, rest, spans), DOUBLES, less, fixed)
        left.append(on.cast("bitcast", DOUBLES, on.do("fadd", DOUBLES, fixed, 2.0**52), LONGS))
    return joined(on, left)


def plus_base32(on: Vectors, line: str) -> str:
    """`%base` is added."""
    ints = f"<{2 * LANES} x i32>"
    base = on.each(ints, on.made.new("trunc i64 %base to i32"))
    return on.cast("bitcast", ints, on.do("add", ints, on.cast("bitcast", LONGS, line, ints), base), LONGS)


def remainders64(on: Vectors, words: Sequence[str]) -> Pairs:
    """Each pair of words modulo `%span`."""
    span = on.each(LONGS, "%span")
    first, second = (on.do("urem", LONGS, bits, span) for bits in joined(on, words))
    return first, second


def plus_base64(on: Vectors, line: str) -> str:
    """`%base` is added."""
    return on.do("add", LONGS, line, on.each(LONGS, "%base"))


# -- normal numbers ----------------------------------------------------------------------------------------------------


def _unit(on: Vectors, word: str) -> str:
    bits = on.do("or", INTS, on.do("and", INTS, on.cast("trunc", LONGS, word, INTS), 0x7FFFFF), 127 << 23)
    return on.do("fsub", FLOATS, on.cast("bitcast", INTS, bits, FLOATS), 1.0)


def _log(on: Vectors, x: str) -> str:
    """`random_math.log_float32`; the table has sixteen rows, and the power of two is added here."""
    bits = on.cast("bitcast", FLOATS, x, INTS)
    offset = on.do("sub", INTS, bits, constants.LOG_START)
    row = on.cast("zext", INTS, on.do("and", INTS, on.do("lshr", INTS, offset, 19), 15), LONGS)
    scale = on.cast("sitofp", INTS, on.do("ashr", INTS, offset, 23), DOUBLES)
    z = on.cast("bitcast", INTS, on.do("sub", INTS, bits, on.do("and", INTS, offset, 0xFF800000 - (1 << 32))), FLOATS)
    inverse, logarithm = _look_up(on, "inverse", row), _look_up(on, "logarithm", row)
    r = on.do("fsub", DOUBLES, on.do("fmul", DOUBLES, inverse, on.cast("fpext", FLOATS, z, DOUBLES)), 1.0)
    base = on.do("fadd", DOUBLES, logarithm, on.do("fmul", DOUBLES, scale, constants.LN2))
    base = on.do("fadd", DOUBLES, base, r)
    r2 = on.do("fmul", DOUBLES, r, r)
    y = on.do("fadd", DOUBLES, on.do("fmul", DOUBLES, r, constants.LOG1), constants.LOG0)
    y = on.do("fadd", DOUBLES, y, on.do("fmul", DOUBLES, r2, constants.LOG2))
    y = on.do("fadd", DOUBLES, on.do("fmul", DOUBLES, y, r2), base)
    return on.cast("fptrunc", DOUBLES, y, FLOATS)


def _look_up(on: Vectors, table: str, row: str) -> str:
    """Entries of a table of sixteen: in two registers, where the processor can, else in memory."""
    made = on.made
    if permutes():
        halves = [made.new(f"load {DOUBLES}, ptr {made.at(f'@{table}', 64 * half)}, align 64") for half in range(2)]
        name = "@llvm.x86.avx512.vpermi2var.pd.512"
        return made.new(f"call {DOUBLES} {name}({DOUBLES} {halves[0]}, {LONGS} {row}, {DOUBLES} {halves[1]})")
    places = made.new(f"getelementptr double, ptr @{table}, {LONGS} {row}")
    mask = f"<{LANES} x i1>"
    arguments = f"<{LANES} x ptr> {places}, i32 8, {mask} {on.each(mask, 1)}, {DOUBLES} poison"
    return made.new(f"call {DOUBLES} @llvm.masked.gather.v8f64.v8p0({arguments})")


def permutes() -> bool:
    """Whether the processor permutes two registers of eight float64 numbers (AVX-512)."""
    import llvmlite.binding as llvm

    return bool(llvm.get_host_cpu_features().get("avx512f"))


def _sine_and_cosine(on: Vectors, angle: str) -> tuple[str, str]:
    """`random_math.sincos_float32`"""
    x = on.cast("fpext", FLOATS, angle, DOUBLES)
    quarter = on.cast("fptosi", DOUBLES, on.do("fmul", DOUBLES, x, constants.TWO_OVER_PI_24), INTS)
    quarter = on.do("ashr", INTS, on.do("add", INTS, quarter, 0x800000), 24)
    x = on.do("fsub", DOUBLES, x, on.do("fmul", DOUBLES, on.cast("sitofp", INTS, quarter, DOUBLES), constants.HALF_PI))
    x2 = on.do("fmul", DOUBLES, x, x)
    x3 = on.do("fmul", DOUBLES, x2, x)
    sine = on.do("fadd", DOUBLES, on.do("fmul", DOUBLES, x3, constants.SIN1), x)
    x5 = on.do("fmul", DOUBLES, x3, x2)
    tail = on.do("fadd", DOUBLES, on.do("fmul", DOUBLES, x2, constants.SIN3), constants.SIN2)
    sine = on.do("fadd", DOUBLES, sine, on.do("fmul", DOUBLES, tail, x5))
    cosine = on.do("fadd", DOUBLES, on.do("fmul", DOUBLES, x2, constants.COS1), 1.0)
    tail = on.do("fadd", DOUBLES, on.do("fmul", DOUBLES, x2, constants.COS4), constants.COS3)
    x4 = on.do("fmul", DOUBLES, x2, x2)
    tail = on.do("fmul", DOUBLES, tail, on.do("fmul", DOUBLES, x2, x4))
    cosine = on.do("fadd", DOUBLES, cosine, on.do("fmul", DOUBLES, x4, constants.COS2))
    cosine = on.do("fadd", DOUBLES, cosine, tail)
    swapped = on.do("icmp ne", INTS, on.do("and", INTS, quarter, 1), 0)
    found = [on.cast("fptrunc", DOUBLES, one, FLOATS) for one in (sine, cosine)]
    turned = on.choose(swapped, FLOATS, found[1], found[0]), on.choose(swapped, FLOATS, found[0], found[1])
    after = on.do("add", INTS, quarter, 1)
    first, second = (_negated(on, one, turns) for one, turns in zip(turned, (quarter, after)))
    return first, second


def _negated(on: Vectors, x: str, turns: str) -> str:
    """-x where two of the right angles are in `turns`."""
    sign = on.do("shl", INTS, on.do("and", INTS, turns, 2), 30)
    return on.cast("bitcast", INTS, on.do("xor", INTS, on.cast("bitcast", FLOATS, x, INTS), sign), FLOATS)


def four_normals(on: Vectors, words: Sequence[str]) -> list[str]:
    """The four float32 normal numbers of each counter (`random_fill.normal_float32`)."""
    made = []
    for even, odd in (words[:2], words[2:]):
        unit, least = _unit(on, even), on.each(FLOATS, constants.SMALLEST)
        unit = on.choose(on.do("fcmp ogt", FLOATS, unit, least), FLOATS, unit, least)
        radius = on.call("sqrt", FLOATS, on.do("fmul", FLOATS, _log(on, unit), -2.0))
        angle = on.do("fmul", DOUBLES, on.cast("fpext", FLOATS, _unit(on, odd), DOUBLES), 2.0 * math.pi)
        for one in _sine_and_cosine(on, on.cast("fptrunc", DOUBLES, angle, FLOATS)):
            made.append(on.do("fmul", FLOATS, one, radius))
    return made


def paired(on: Vectors, numbers: Sequence[str]) -> Pairs:
    """Each counter's four float32 numbers two by two."""
    pairs = [on.alternating(FLOATS, numbers[first], numbers[first + 1]) for first in (0, 2)]
    first, second = (on.cast("bitcast", f"<{2 * LANES} x float>", pair, LONGS) for pair in pairs)
    return first, second


def normals(on: Vectors, words: Sequence[str]) -> Pairs:
    """Each counter's four normal numbers two by two."""
    return paired(on, four_normals(on, words))
