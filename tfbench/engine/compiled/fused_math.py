"""Expressions of single numbers as LLVM IR: what fused loops (`fused`) are made of.

A number is a name or a literal together with its kind (`f4`, `f8`, `i4`, `i8`, `b1`). Sums and products are rounded one
by one, so an expression gives the bits of NumPy's ufuncs; in single precision exp, log, tanh and what is made of them
are polynomials that become vector instructions, and may differ in the last bit or two. In double precision they are
the C library's.

Coefficients: the Cephes library's `expf`, `logf` and `tanhf` (Moshier, 1992). `exp` works as in `loops_math`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple

from tfbench.engine.compiled.ir import Function

#: kind -> the type of a number in registers
TYPES = {"f4": "float", "f8": "double", "i4": "i32", "i8": "i64", "b1": "i1"}
FLOATS = ("f4", "f8")

_SINGLE, _DOUBLE = ("f4", "f8")


class Number(NamedTuple):
    """A name or a literal, and its kind."""

    text: str
    kind: str


def literal(value: float | int | bool, kind: str) -> Number:
    """A constant."""
    if kind in FLOATS:
        number = float(value)
        if kind == "f4":
            try:
                number = struct.unpack("<f", struct.pack("<f", number))[0]
            except OverflowError:
                number = float("inf") if number > 0 else -float("inf")
        return Number(f"0x{struct.pack('>d', number).hex().upper()}", kind)
    return Number(str(int(value)), kind)


class Emitter:
    """Writes expressions into a function."""

    def __init__(self, function: Function, flags: str = "") -> None:
        self._function = function
        #: what the optimiser may do with sums and products
        self._flags = flags

    def _new(self, instruction: str, kind: str) -> Number:
        return Number(self._function.new(instruction), kind)

    def arithmetic(self, name: str, a: Number, b: Number) -> Number:
        """`add`, `sub` or `mul` of two numbers, or `div` of two that are not whole."""
        floating = a.kind in FLOATS
        code = f"f{name} {self._flags}" if floating else name
        return self._new(f"{code} {TYPES[a.kind]} {a.text}, {b.text}", a.kind)

    def add(self, a: Number, b: Number) -> Number:
        """a + b."""
        return self.arithmetic("add", a, b)

    def subtract(self, a: Number, b: Number) -> Number:
        """a - b."""
        return self.arithmetic("sub", a, b)

    def multiply(self, a: Number, b: Number) -> Number:
        """a * b."""
        return self.arithmetic("mul", a, b)

    def divide(self, a: Number, b: Number) -> Number:
        """a / b."""
        return self.arithmetic("div", a, b)

    def negative(self, a: Number) -> Number:
        """-a."""
        if a.kind in FLOATS:
            return self._new(f"fneg {TYPES[a.kind]} {a.text}", a.kind)
        return self.subtract(literal(0, a.kind), a)

    def compare(self, how: str, a: Number, b: Number) -> Number:
        """`lt`, `le`, `gt`, `ge`, `eq` or `ne`, as NumPy has it: a NaN is unequal to all."""
        if a.kind in FLOATS:
            code = f"fcmp {'une' if how == 'ne' else 'o' + how}"
        elif a.kind == "b1" or how in ("eq", "ne"):
            code = f"icmp {how if how in ('eq', 'ne') else 'u' + how}"
        else:
            code = f"icmp s{how}"
        return self._new(f"{code} {TYPES[a.kind]} {a.text}, {b.text}", "b1")

    def is_nan(self, a: Number) -> Number:
        """Whether a is no number."""
        return self._new(f"fcmp uno {TYPES[a.kind]} {a.text}, {a.text}", "b1")

    def select(self, condition: Number, a: Number, b: Number) -> Number:
        """a where the condition holds, else b."""
        type = TYPES[a.kind]
        return self._new(f"select i1 {condition.text}, {type} {a.text}, {type} {b.text}", a.kind)

    def logical(self, name: str, a: Number, b: Number) -> Number:
        """`and`, `or` or `xor` of the bits."""
        return self._new(f"{name} {TYPES[a.kind]} {a.text}, {b.text}", a.kind)

    def call(self, name: str, *arguments: Number) -> Number:
        """A function of numbers of one kind that gives one of the same."""
        type = TYPES[arguments[0].kind]
        given = ", ".join(f"{type} {argument.text}" for argument in arguments)
        return self._new(f"call {type} @{name}({given})", arguments[0].kind)

    def intrinsic(self, name: str, *arguments: Number) -> Number:
        """LLVM's intrinsic for this kind."""
        return self.call(f"llvm.{name}.f{8 * int(arguments[0].kind[1])}", *arguments)

    def maximum(self, a: Number, b: Number) -> Number:
        """The larger; NaN if either is."""
        return self._choice("gt", a, b)

    def minimum(self, a: Number, b: Number) -> Number:
        """The smaller; NaN if either is."""
        return self._choice("lt", a, b)

    def _choice(self, how: str, a: Number, b: Number) -> Number:
        better = self.select(self.compare(how, a, b), a, b)
        return self.select(self.is_nan(a), a, better) if a.kind in FLOATS else better

    def cast(self, a: Number, kind: str) -> Number:
        """As another kind. A number with a fraction is not made whole: what C does with large ones is not defined."""
        if a.kind == kind:
            return a
        if kind == "b1":
            return self.compare("ne", a, literal(0, a.kind))
        source, target = TYPES[a.kind], TYPES[kind]
        if kind in FLOATS:
            if a.kind in FLOATS:
                code = "fpext" if kind == _DOUBLE else "fptrunc"
            else:
                code = "uitofp" if a.kind == "b1" else "sitofp"
        elif a.kind == "b1":
            code = "zext"
        else:
            code = "sext" if kind == "i8" else "trunc"
        return self._new(f"{code} {source} {a.text} to {target}", kind)

    def bits(self, a: Number) -> Number:
        """The bits of a single precision number as a whole number, or the reverse."""
        kind = "i4" if a.kind == "f4" else "f4"
        return self._new(f"bitcast {TYPES[a.kind]} {a.text} to {TYPES[kind]}", kind)

    def function(self, name: str, a: Number) -> Number:
        """`exp`, `log` or `tanh`."""
        return self.call(f"tfbench_{name}" if a.kind == "f4" else name, a)


# -- functions in single precision -----------------------------------------------------------------------------------


def _polynomial(emit: Emitter, x: Number, coefficients: Sequence[float]) -> Number:
    total = literal(coefficients[0], "f4")
    for coefficient in coefficients[1:]:
        total = emit.add(emit.multiply(total, x), literal(coefficient, "f4"))
    return total


def _single(value: float) -> Number:
    return literal(value, "f4")


def _whole(value: int) -> Number:
    return literal(value, "i4")


_ROUNDING = 12582912.0  # 1.5 * 2^23
_ROUNDING_BITS = 0x4B400000


def _exp(emit: Emitter, x: Number) -> Number:
    x = emit.select(emit.compare("lt", x, _single(-104.0)), _single(-104.0), x)
    x = emit.select(emit.compare("gt", x, _single(89.0)), _single(89.0), x)
    shifted = emit.add(emit.multiply(x, _single(1.4426950408889634)), _single(_ROUNDING))
    whole = emit.subtract(shifted, _single(_ROUNDING))
    r = emit.subtract(x, emit.multiply(whole, _single(0.693359375)))
    r = emit.subtract(r, emit.multiply(whole, _single(-2.12194440e-4)))
    coefficients = (
        1.9875691500e-4,
        1.3981999507e-3,
        8.3334519073e-3,
        4.1665795894e-2,
        1.6666665459e-1,
        5.0000001201e-1,
    )
    p = _polynomial(emit, r, coefficients)
    p = emit.add(emit.add(emit.multiply(p, emit.multiply(r, r)), r), _single(1))
    n = emit.subtract(emit.bits(shifted), _whole(_ROUNDING_BITS))
    half = emit._new(f"ashr i32 {n.text}, 1", "i4")
    for power in (half, emit.subtract(n, half)):
        exponent = emit._new(f"shl i32 {emit.add(power, _whole(127)).text}, 23", "i4")
        p = emit.multiply(p, emit.bits(exponent))
    return p


def _log(emit: Emitter, x: Number) -> Number:
    # Denormal numbers are made normal first.
    tiny = emit.compare("lt", x, _single(1.17549435e-38))
    scaled = emit.select(tiny, emit.multiply(x, _single(8388608.0)), x)
    bits = emit.bits(scaled)
    exponent = emit.subtract(emit._new(f"ashr i32 {bits.text}, 23", "i4"), _whole(126))
    exponent = emit.subtract(exponent, emit.select(tiny, _whole(23), _whole(0)))
    mantissa = emit.logical("or", emit.logical("and", bits, _whole(0x007FFFFF)), _whole(0x3F000000))
    m = emit.bits(mantissa)  # in [0.5, 1)
    low = emit.compare("lt", m, _single(0.707106781186547524))
    exponent = emit.subtract(exponent, emit.cast(low, "i4"))
    r = emit.subtract(emit.add(m, emit.select(low, m, _single(0))), _single(1))
    e = emit.cast(exponent, "f4")
    coefficients = (
        *(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1),
        *(-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1),
    )
    z = emit.multiply(r, r)
    y = emit.multiply(emit.multiply(_polynomial(emit, r, coefficients), r), z)
    y = emit.add(y, emit.multiply(e, _single(-2.12194440e-4)))
    y = emit.subtract(y, emit.multiply(z, _single(0.5)))
    y = emit.add(emit.add(r, y), emit.multiply(e, _single(0.693359375)))
    infinite = literal(float("inf"), "f4")
    y = emit.select(emit.compare("eq", x, infinite), infinite, y)
    y = emit.select(emit.compare("eq", x, _single(0)), literal(-float("inf"), "f4"), y)
    y = emit.select(emit.compare("lt", x, _single(0)), literal(float("nan"), "f4"), y)
    return emit.select(emit.is_nan(x), x, y)


def _tanh(emit: Emitter, x: Number) -> Number:
    z = emit.multiply(x, x)
    coefficients = (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
    size = emit.intrinsic("fabs", x)
    small = emit.add(emit.multiply(emit.multiply(_polynomial(emit, z, coefficients), z), size), size)
    power = emit.call("tfbench_exp", emit.add(size, size))
    large = emit.subtract(_single(1), emit.divide(_single(2), emit.add(power, _single(1))))
    result = emit.intrinsic("copysign", emit.select(emit.compare("lt", size, _single(0.625)), small, large), x)
    return emit.select(emit.is_nan(x), x, result)


_FUNCTIONS: dict[str, Callable[[Emitter, Number], Number]] = {"exp": _exp, "log": _log, "tanh": _tanh}


def functions() -> list[Function]:
    """What `Emitter.function` calls in single precision; the optimiser puts them where they are called."""
    made = []
    for name, write in _FUNCTIONS.items():
        function = Function(f"tfbench_{name}", "float %x", returns="float", attributes="alwaysinline")
        function.give(write(Emitter(function, "contract"), Number("%x", "f4")).text)
        made.append(function)
    return made


DECLARATIONS = "\n".join(
    [
        *(f"declare double @{name}(double)" for name in _FUNCTIONS),
        *(
            f"declare {type} @llvm.{name}.f{bits}({', '.join([type] * count)})"
            for type, bits in (("float", 32), ("double", 64))
            for name, count in (("fabs", 1), ("sqrt", 1), ("floor", 1), ("ceil", 1), ("copysign", 2))
        ),
        "",
    ]
)
