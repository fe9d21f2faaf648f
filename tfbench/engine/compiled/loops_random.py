"""Random numbers of a Philox stream (`kernels.philox`) as machine code: eight counters at a time, one to a lane.

A word of a counter lies in the lower half of a 64-bit lane; what is in the upper half is never looked at, so a round is
two products, two shifts and two exclusive ors. The arithmetic behind it is that of `kernels.random_fill` and
`kernels.random_math`, step by step and without fused multiplications: the numbers are NumPy's, bit for bit.

The functions get an array of any shape, the stream's key and the two halves of its counter, and from which to which
number (row-major) they are to make them; the first is a multiple of 32.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from tfbench.engine.compiled import objects
from tfbench.engine.compiled import random_constants as constants
from tfbench.engine.compiled.ir import Function, Value, module
from tfbench.engine.compiled.sources import Assembly

_LANES = 8
_W, _I, _F, _D = (f"<{_LANES} x {type}>" for type in ("i64", "i32", "float", "double"))
#: bytes that eight counters give
_LINE = 16 * _LANES
#: a float64 with this exponent is 2**52 and the whole number that its mantissa says
_WHOLE = 0x433 << 52


def _real(value: float) -> str:
    return f"0x{struct.pack('>d', value).hex().upper()}"


class _Vectors:
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
        text = _real(value) if isinstance(value, float) else str(value)
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
        return self.made.new(f"select <{_LANES} x i1> {condition}, {type} {a}, {type} {b}")

    def shuffle(self, type: str, a: str, b: str, places: Sequence[int]) -> str:
        """Elements of two vectors, those of the second counted on."""
        numbers = ", ".join(f"i32 {place}" for place in places)
        return self.made.new(f"shufflevector {type} {a}, {type} {b}, <{len(places)} x i32> <{numbers}>")

    def alternating(self, type: str, a: str, b: str, part: slice = slice(0, _LANES)) -> str:
        """a0 b0 a1 b1 …, of the lanes in `part`."""
        lanes = range(_LANES)[part]
        return self.shuffle(type, a, b, [place for lane in lanes for place in (lane, lane + _LANES)])


class _Words:
    """The four words of eight counters: of `%low + 2**64 %high` and what lies behind it, with the key `%key`."""

    def __init__(self, on: _Vectors) -> None:
        self._on, made = on, on.made
        key1 = made.new("lshr i64 %key, 32")
        self._keys = [
            (on.each(_W, made.new(f"add i64 %key, {n * constants.WEYL_0}")),
             on.each(_W, made.new(f"add i64 {key1}, {n * constants.WEYL_1}")))
            for n in range(constants.ROUNDS)
        ]  # fmt: skip
        self._low, self._high = on.each(_W, "%low"), on.each(_W, "%high")

    def at(self, offsets: str) -> list[str]:
        """The words, with anything in the upper halves of the lanes."""
        on = self._on
        low = on.do("add", _W, self._low, offsets)
        carry = on.cast("zext", f"<{_LANES} x i1>", on.do("icmp ult", _W, low, self._low), _W)
        high = on.do("add", _W, self._high, carry)
        word0, word1, word2, word3 = low, on.do("lshr", _W, low, 32), high, on.do("lshr", _W, high, 32)
        for key0, key1 in self._keys:
            product0 = on.do("mul", _W, on.do("and", _W, word0, constants.MASK32), constants.MULTIPLIER_0)
            product2 = on.do("mul", _W, on.do("and", _W, word2, constants.MASK32), constants.MULTIPLIER_2)
            word0 = on.do("xor", _W, on.do("xor", _W, on.do("lshr", _W, product2, 32), word1), key0)
            word2 = on.do("xor", _W, on.do("xor", _W, on.do("lshr", _W, product0, 32), word3), key1)
            word1, word3 = product2, product0
        return [word0, word1, word2, word3]


# -- words to numbers: each function gives two lanes' worth of numbers for a counter, as <8 x i64>, and what becomes of
# -- them when they lie in order


Pairs = tuple[str, str]
Numbers = Callable[[_Vectors, Sequence[str]], Pairs]
Finish = Callable[[_Vectors, str], str]


def _together(on: _Vectors, first: str, second: str) -> str:
    """Two words in one lane, the first below."""
    return on.do("or", _W, on.do("and", _W, first, constants.MASK32), on.do("shl", _W, second, 32))


def _bits(on: _Vectors, words: Sequence[str]) -> Pairs:
    return _together(on, *words[:2]), _together(on, *words[2:])


def _as_they_are(on: _Vectors, line: str) -> str:
    return line


def _to_unit_float32(on: _Vectors, line: str) -> str:
    """[0, 1) from the lower 23 bits of each word."""
    ints, floats = f"<{2 * _LANES} x i32>", f"<{2 * _LANES} x float>"
    bits = on.do("and", ints, on.cast("bitcast", _W, line, ints), 0x7FFFFF)
    bits = on.do("or", ints, bits, 127 << 23)
    made = on.do("fsub", floats, on.cast("bitcast", ints, bits, floats), 1.0)
    return on.cast("bitcast", floats, made, _W)


def _float64_bits(on: _Vectors, words: Sequence[str]) -> Pairs:
    """20 bits of one word above the 32 of the next, as the mantissa of a number in [1, 2)."""
    made = []
    for high, low in (words[:2], words[2:]):
        upper = on.do("or", _W, on.do("and", _W, high, 0xFFFFF), 1023 << 20)
        made.append(_together(on, low, upper))
    return made[0], made[1]


def _to_unit_float64(on: _Vectors, line: str) -> str:
    return on.cast("bitcast", _D, on.do("fsub", _D, on.cast("bitcast", _W, line, _D), 1.0), _W)


def _remainders32(on: _Vectors, words: Sequence[str]) -> Pairs:
    """Each word modulo `%span`, by way of float64, where all that is exact but the quotient, which is next to right."""
    made = on.made
    span = made.new("uitofp i64 %span to double")
    spans, inverse = on.each(_D, span), on.each(_D, made.new(f"fdiv double 1.0, {span}"))
    zero = on.each(_D, 0.0)
    left = []
    for word in words:
        bits = on.do("or", _W, on.do("and", _W, word, constants.MASK32), _WHOLE)
        number = on.do("fsub", _D, on.cast("bitcast", _W, bits, _D), 2.0**52)
        quotient = on.call("floor", _D, on.do("fmul", _D, number, inverse))
        rest = on.do("fsub", _D, number, on.do("fmul", _D, quotient, spans))
        more, less = on.do("fadd", _D, rest, spans), on.do("fsub", _D, rest, spans)
        fixed = on.choose(on.do("fcmp olt", _D, rest, zero), _D, more, rest)
        fixed = on.choose(on.do("fcmp oge", _D, rest, spans), _D, less, fixed)
        left.append(on.cast("bitcast", _D, on.do("fadd", _D, fixed, 2.0**52), _W))
    return _bits(on, left)


def _plus_base32(on: _Vectors, line: str) -> str:
    ints = f"<{2 * _LANES} x i32>"
    base = on.each(ints, on.made.new("trunc i64 %base to i32"))
    return on.cast("bitcast", ints, on.do("add", ints, on.cast("bitcast", _W, line, ints), base), _W)


def _remainders64(on: _Vectors, words: Sequence[str]) -> Pairs:
    span = on.each(_W, "%span")
    first, second = (on.do("urem", _W, bits, span) for bits in _bits(on, words))
    return first, second


def _plus_base64(on: _Vectors, line: str) -> str:
    return on.do("add", _W, line, on.each(_W, "%base"))


# -- normal numbers ----------------------------------------------------------------------------------------------------


def _unit(on: _Vectors, word: str) -> str:
    bits = on.do("or", _I, on.do("and", _I, on.cast("trunc", _W, word, _I), 0x7FFFFF), 127 << 23)
    return on.do("fsub", _F, on.cast("bitcast", _I, bits, _F), 1.0)


def _log(on: _Vectors, x: str) -> str:
    """`random_math.log_float32`; the table has sixteen rows, and the power of two is added here."""
    bits = on.cast("bitcast", _F, x, _I)
    offset = on.do("sub", _I, bits, constants.LOG_START)
    row = on.cast("zext", _I, on.do("and", _I, on.do("lshr", _I, offset, 19), 15), _W)
    scale = on.cast("sitofp", _I, on.do("ashr", _I, offset, 23), _D)
    z = on.cast("bitcast", _I, on.do("sub", _I, bits, on.do("and", _I, offset, 0xFF800000 - (1 << 32))), _F)
    inverse, logarithm = _look_up(on, "inverse", row), _look_up(on, "logarithm", row)
    r = on.do("fsub", _D, on.do("fmul", _D, inverse, on.cast("fpext", _F, z, _D)), 1.0)
    base = on.do("fadd", _D, logarithm, on.do("fmul", _D, scale, constants.LN2))
    base = on.do("fadd", _D, base, r)
    r2 = on.do("fmul", _D, r, r)
    y = on.do("fadd", _D, on.do("fmul", _D, r, constants.LOG1), constants.LOG0)
    y = on.do("fadd", _D, y, on.do("fmul", _D, r2, constants.LOG2))
    y = on.do("fadd", _D, on.do("fmul", _D, y, r2), base)
    return on.cast("fptrunc", _D, y, _F)


def _look_up(on: _Vectors, table: str, row: str) -> str:
    """Entries of a table of sixteen: in two registers, where the processor can, else in memory."""
    made = on.made
    if _permutes():
        halves = [made.new(f"load {_D}, ptr {made.at(f'@{table}', 64 * half)}, align 64") for half in range(2)]
        name = "@llvm.x86.avx512.vpermi2var.pd.512"
        return made.new(f"call {_D} {name}({_D} {halves[0]}, {_W} {row}, {_D} {halves[1]})")
    places = made.new(f"getelementptr double, ptr @{table}, {_W} {row}")
    yes = on.each(f"<{_LANES} x i1>", 1)
    pointers = f"<{_LANES} x ptr>"
    return made.new(
        f"call {_D} @llvm.masked.gather.v8f64.v8p0({pointers} {places}, i32 8, <{_LANES} x i1> {yes}, {_D} poison)"
    )


def _permutes() -> bool:
    import llvmlite.binding as llvm

    return bool(llvm.get_host_cpu_features().get("avx512f"))


def _sine_and_cosine(on: _Vectors, angle: str) -> tuple[str, str]:
    """`random_math.sincos_float32`"""
    x = on.cast("fpext", _F, angle, _D)
    quarter = on.cast("fptosi", _D, on.do("fmul", _D, x, constants.TWO_OVER_PI_24), _I)
    quarter = on.do("ashr", _I, on.do("add", _I, quarter, 0x800000), 24)
    x = on.do("fsub", _D, x, on.do("fmul", _D, on.cast("sitofp", _I, quarter, _D), constants.HALF_PI))
    x2 = on.do("fmul", _D, x, x)
    x3 = on.do("fmul", _D, x2, x)
    sine = on.do("fadd", _D, on.do("fmul", _D, x3, constants.SIN1), x)
    x5 = on.do("fmul", _D, x3, x2)
    tail = on.do("fadd", _D, on.do("fmul", _D, x2, constants.SIN3), constants.SIN2)
    sine = on.do("fadd", _D, sine, on.do("fmul", _D, tail, x5))
    cosine = on.do("fadd", _D, on.do("fmul", _D, x2, constants.COS1), 1.0)
    tail = on.do("fadd", _D, on.do("fmul", _D, x2, constants.COS4), constants.COS3)
    x4 = on.do("fmul", _D, x2, x2)
    tail = on.do("fmul", _D, tail, on.do("fmul", _D, x2, x4))
    cosine = on.do("fadd", _D, cosine, on.do("fmul", _D, x4, constants.COS2))
    cosine = on.do("fadd", _D, cosine, tail)
    swapped = on.do("icmp ne", _I, on.do("and", _I, quarter, 1), 0)
    found = [on.cast("fptrunc", _D, one, _F) for one in (sine, cosine)]
    turned = on.choose(swapped, _F, found[1], found[0]), on.choose(swapped, _F, found[0], found[1])
    after = on.do("add", _I, quarter, 1)
    first, second = (_negated(on, one, turns) for one, turns in zip(turned, (quarter, after)))
    return first, second


def _negated(on: _Vectors, x: str, turns: str) -> str:
    """-x where two of the right angles are in `turns`."""
    sign = on.do("shl", _I, on.do("and", _I, turns, 2), 30)
    return on.cast("bitcast", _I, on.do("xor", _I, on.cast("bitcast", _F, x, _I), sign), _F)


def _four_normals(on: _Vectors, words: Sequence[str]) -> list[str]:
    """The four float32 normal numbers of each counter (`random_fill.normal_float32`)."""
    made = []
    for even, odd in (words[:2], words[2:]):
        unit, least = _unit(on, even), on.each(_F, constants.SMALLEST)
        unit = on.choose(on.do("fcmp ogt", _F, unit, least), _F, unit, least)
        radius = on.call("sqrt", _F, on.do("fmul", _F, _log(on, unit), -2.0))
        angle = on.do("fmul", _D, on.cast("fpext", _F, _unit(on, odd), _D), 2.0 * math.pi)
        for one in _sine_and_cosine(on, on.cast("fptrunc", _D, angle, _F)):
            made.append(on.do("fmul", _F, one, radius))
    return made


def _paired(on: _Vectors, numbers: Sequence[str]) -> Pairs:
    pairs = [on.alternating(_F, numbers[first], numbers[first + 1]) for first in (0, 2)]
    first, second = (on.cast("bitcast", f"<{2 * _LANES} x float>", pair, _W) for pair in pairs)
    return first, second


def _normals(on: _Vectors, words: Sequence[str]) -> Pairs:
    return _paired(on, _four_normals(on, words))


# -- the functions -----------------------------------------------------------------------------------------------------

#: what is made -> of which type, whether of a range, and how
_KINDS: dict[str, tuple[str, bool, Numbers, Finish]] = {
    "bits32": ("i4", False, _bits, _as_they_are),
    "bits64": ("i8", False, _bits, _as_they_are),
    "integers32": ("i4", True, _remainders32, _plus_base32),
    "integers64": ("i8", True, _remainders64, _plus_base64),
    "normal32": ("f4", False, _normals, _as_they_are),
    "uniform32": ("f4", False, _bits, _to_unit_float32),
    "uniform64": ("f8", False, _float64_bits, _to_unit_float64),
}

_PARAMETERS = "ptr %table, ptr %array, i64 %key, i64 %low, i64 %high, i64 %first, i64 %last"


def _begun(ranged: bool = False) -> tuple[Function, _Vectors, str]:
    more = ", i64 %span, i64 %base" if ranged else ""
    made = Function("tfbench_random", f"{_PARAMETERS}{more}", exported=True, returns="i64")
    made.give(0)
    return made, _Vectors(made), objects.data(made, "%array", 1, None)


def _done(made: Function, kind: str, numbers: int) -> Assembly:
    return Assembly("tfbench_random", module([made], _declarations()), [f"{kind}[*]", *["i8"] * numbers])


def _declarations() -> str:
    lines = [
        f"declare {_D} @llvm.floor.v8f64({_D})",
        f"declare {_F} @llvm.sqrt.v8f32({_F})",
        f"declare {_F} @llvm.fabs.v8f32({_F})",
        "declare i64 @llvm.cttz.i64(i64, i1)",
        f"declare {_D} @llvm.masked.gather.v8f64.v8p0(<{_LANES} x ptr>, i32, <{_LANES} x i1>, {_D})",
    ]
    if _permutes():
        lines.append(f"declare {_D} @llvm.x86.avx512.vpermi2var.pd.512({_D}, {_W}, {_D})")
    for name, table in (("inverse", constants.LOG_INVERSE), ("logarithm", constants.LOG_LOGARITHM)):
        numbers = ", ".join(f"double {_real(number)}" for number in table)
        lines.append(f"@{name} = private constant [16 x double] [{numbers}], align 64")
    return "\n".join(lines)


def _offsets(on: _Vectors, line: Value, stride: int = 1) -> str:
    """Where the eight counters of a line are."""
    lanes = ", ".join(f"i64 {lane * stride}" for lane in range(_LANES))
    return on.do("add", _W, on.each(_W, str(on.made.multiply(line, _LANES * stride))), f"<{lanes}>")


def _store(on: _Vectors, pairs: Pairs, finish: Finish, target: str) -> None:
    """The numbers of eight counters in their order."""
    for half in range(2):
        part = slice(half * _LANES // 2, (half + 1) * _LANES // 2)
        line = finish(on, on.alternating(_W, *pairs, part))
        on.made.do(f"store {_W} {line}, ptr {on.made.at(target, half * _LINE // 2)}, align 4")


def fill(what: str) -> Assembly:
    """Numbers that come of one counter after another; those of a range also get its length and where it begins."""
    kind, ranged, numbers, finish = _KINDS[what]
    size = int(kind[1])
    made, on, out = _begun(ranged)
    words = _Words(on)

    def line(number: Value, target: str) -> None:
        _store(on, numbers(on, words.at(_offsets(on, number))), finish, target)

    begin, _ = made.divide("%first", _LINE // size)
    end, rest = made.divide("%last", _LINE // size)
    with made.loop(begin, end) as number:
        line(number, made.at(out, made.multiply(number, _LINE)))
    with made.when(made.new(f"icmp ne i64 {rest}, 0")):
        buffer = made.variable(f"[{_LINE} x i8]")
        line(end, buffer)
        made.copy(made.at(out, made.multiply(end, _LINE)), buffer, made.multiply(rest, size))
    return _done(made, kind, 7 if ranged else 5)


def truncated() -> Assembly:
    """float32 normal numbers nearer to 0 than 2, in groups of four (`kernels.random_truncated`).

    The first and the last number are multiples of 32. A group whose first counter does not give four waits on a list
    (its number, how many numbers it has, which counter comes next) until there are eight, one to a lane.
    """
    made, on, out = _begun()
    words = _Words(on)
    groups, have, following = (made.variable(f"[{2 * _LANES} x i64]") for _ in range(3))
    for one in (groups, have, following):
        made.clear(one, 16 * _LANES)  # lanes without a group are computed, too
    drawn, row, waiting = made.variable(f"[{_LINE} x i8]"), made.variable("[8 x float]"), made.variable("i64")
    left, taken, kept = (made.variable("i64") for _ in range(3))
    made.do(f"store i64 0, ptr {waiting}")
    stride = constants.RESERVED

    def number(pointer: str) -> str:
        return made.new(f"load i64, ptr {pointer}")

    def settle(group: str, place: str, already: str, next: Value, source: str) -> None:
        """Takes what is inside from `source`; a group that is not complete goes to the list at `place`."""
        target = made.at(out, made.multiply(group, 16))
        values = [made.new(f"load float, ptr {made.at(source, 4 * column)}") for column in range(4)]
        made.copy(row, target, 16)
        count = already
        for value in values:
            made.do(f"store float {value}, ptr {made.at(row, made.multiply(count, 4))}")
            near = made.new(f"fcmp olt float {made.new(f'call float @llvm.fabs.f32(float {value})')}, 2.0")
            wanted = made.new(f"and i1 {near}, {made.new(f'icmp ult i64 {count}, 4')}")
            count = made.new(f"add i64 {count}, {made.new(f'zext i1 {wanted} to i64')}")
        made.copy(target, row, 16)
        at = number(place)
        for array, value_ in ((groups, group), (have, count), (following, next)):
            made.do(f"store i64 {value_}, ptr {made.at(array, made.multiply(at, 8))}")
        more = made.new(f"zext i1 {made.new(f'icmp ult i64 {count}, 4')} to i64")
        made.do(f"store i64 {made.add(at, more)}, ptr {place}")

    def again(count: str) -> None:
        """One more counter for each of the last `count` groups that wait."""
        first = made.subtract(number(waiting), count)
        lists = [made.at(array, made.multiply(first, 8)) for array in (groups, following)]
        group, next = (made.new(f"load {_W}, ptr {array}, align 8") for array in lists)
        offsets = on.do("add", _W, on.do("mul", _W, group, stride), next)
        _store(on, _normals(on, words.at(offsets)), _as_they_are, drawn)
        made.do(f"store i64 {first}, ptr {kept}")
        with made.loop(0, count) as lane:
            mine = made.multiply(made.add(first, lane), 8)
            group, already, next = (number(made.at(array, mine)) for array in (groups, have, following))
            settle(group, kept, already, made.add(next, 1), made.at(drawn, made.multiply(lane, 16)))
        made.do(f"store i64 {number(kept)}, ptr {waiting}")

    begin, end = (made.divide(value, 4 * _LANES)[0] for value in ("%first", "%last"))
    with made.loop(begin, end) as line:
        numbers = _four_normals(on, words.at(_offsets(on, line, stride)))
        target = made.at(out, made.multiply(line, _LINE))
        _store(on, _paired(on, numbers), _as_they_are, target)
        complete = ""
        for one in numbers:
            inside = on.do("fcmp olt", _F, on.call("fabs", _F, one), 2.0)
            complete = on.do("and", f"<{_LANES} x i1>", complete, inside) if complete else inside
        mask = made.new(f"zext i{_LANES} {on.cast('bitcast', f'<{_LANES} x i1>', complete, f'i{_LANES}')} to i64")
        incomplete = made.new(f"xor i64 {mask}, {(1 << _LANES) - 1}")
        made.do(f"store i64 {incomplete}, ptr {left}")
        with made.when(made.new(f"icmp ne i64 {incomplete}, 0")):
            with made.repeat() as condition:
                lanes = number(left)
                lane = made.new(f"call i64 @llvm.cttz.i64(i64 {lanes}, i1 true)")
                rest = made.new(f"and i64 {lanes}, {made.new(f'sub i64 {lanes}, 1')}")
                made.do(f"store i64 {rest}, ptr {left}")
                group = str(made.add(made.multiply(line, _LANES), lane))
                settle(group, waiting, "0", 1, made.at(target, made.multiply(lane, 16)))
                condition.append(made.new(f"icmp ne i64 {rest}, 0"))
            with made.when(made.new(f"icmp uge i64 {number(waiting)}, {_LANES}")), made.repeat() as condition:
                again(str(_LANES))
                condition.append(made.new(f"icmp uge i64 {number(waiting)}, {_LANES}"))
    with made.when(made.new(f"icmp ne i64 {number(waiting)}, 0")), made.repeat() as condition:
        made.do(f"store i64 {number(waiting)}, ptr {taken}")
        again(number(taken))
        condition.append(made.new(f"icmp ne i64 {number(waiting)}, 0"))
    return _done(made, "f4", 5)
