"""Pooling of images, channels last, with small windows, as machine code for a number of channels.

What a window looks at is combined in registers, without a result on the way; the inputs of windows that lie inside the
image are written out one by one. A whole input lies in the cache while it is looked at several times.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from tfbench.engine.compiled.ir import Function, Value, module
from tfbench.engine.compiled.sources import Assembly
from tfbench.engine.compiled.tiles import pieces

_ELEMENTS = {"f4": ("float", 4), "f8": ("double", 8)}
#: bytes that are combined at once: a cache line, and the longest vector
_LINE = 64

#: longer rows than this, in bytes, would push those out of the cache that are looked at
_AHEAD = 32 << 10

_NUMBERS = "images height width tall wide above down before right"


def small_windows(kind: str, largest: bool, rows: int, columns: int, channels: int) -> Assembly:
    """The largest of each window, but at least the lowest number, NaN passed over; or the mean of the inputs it has.

    Arguments are the addresses of images and results, and then numbers: of images, their height and width, the
    results' height and width, and the padding before windows and their stride along columns of the image, and along
    rows of it.
    """
    element, size = _ELEMENTS[kind]
    made = Function(
        "tfbench_pool",
        ", ".join(f"i64 %{name}" for name in ("x", "out", *_NUMBERS.split())),
        exported=True,
    )
    x, out = made.new("inttoptr i64 %x to ptr"), made.new("inttoptr i64 %out to ptr")
    pixel = channels * size
    line = made.multiply("%width", pixel)

    # What the window beside it looks at anew, in lines: so much is fetched ahead, of the rows below.
    new_rows = made.new(f"mul nsw i64 {line}, %down")
    short = made.new(f"icmp sle i64 {new_rows}, {_AHEAD}")
    below = made.new(f"select i1 {short}, i64 %down, i64 0")
    advance = made.new(f"udiv i64 {made.add(made.multiply('%right', pixel), _LINE - 1)}, {_LINE}")

    def combine(type: str, before: str, one: str) -> str:
        if not largest:
            return made.new(f"fadd {type} {before}, {one}")
        greater = made.new(f"fcmp ogt {type} {one}, {before}")
        return made.new(f"select {type.replace(element, 'i1')} {greater}, {type} {one}, {type} {before}")

    def parts() -> Iterator[tuple[str, int, Value]]:
        """The channels of a pixel: vectors, how many numbers they have, where they begin."""
        count = _LINE // size
        whole = channels // count
        if whole:
            with made.loop(0, whole) as index:
                yield f"<{count} x {element}>", count, made.multiply(index, _LINE)
        for first, length in pieces(channels - whole * count):
            yield f"<{length} x {element}>", length, (whole * count + first) * size

    def spread(length: int, number: str, one: str = element) -> str:
        first = made.new(f"insertelement <{length} x {one}> poison, {one} {number}, i64 0")
        mask = f"<{length} x i32> zeroinitializer"
        return made.new(f"shufflevector <{length} x {one}> {first}, <{length} x {one}> poison, {mask}")

    lowest = _literal(float(np.finfo(kind).min) if largest else -0.0, kind)  # what changes nothing

    def nearest(tap: int, count: Value) -> Value:
        """The tap, or the last that is inside the image."""
        return made.smaller(tap, made.subtract(count, 1)) if tap else 0

    def is_inside(u: int, v: int, high: Value, long: Value) -> str:
        above, before = made.new(f"icmp slt i64 {u}, {high}"), made.new(f"icmp slt i64 {v}, {long}")
        return made.new(f"and i1 {above}, {before}")

    def combined(window: str, target: str, taps: list[list[tuple[Value, str]]], count: str) -> None:
        """One window: `taps` are the offsets of inputs with what says whether they count, or nothing."""
        for type, length, place in parts():
            start, at = spread(length, lowest), made.at(window, place)
            value = start
            for offset, inside in (tap for row in taps for tap in row):
                one = made.new(f"load {type}, ptr {made.at(at, offset)}, align {size}")
                if inside and not largest:  # what counts twice is not larger for it
                    mask = f"{type.replace(element, 'i1')} {spread(length, inside, 'i1')}"
                    one = made.new(f"select {mask}, {type} {one}, {type} {start}")
                value = combine(type, value, one)
            if not largest:
                value = made.new(f"fdiv {type} {value}, {spread(length, count)}")
            made.do(f"store {type} {value}, ptr {made.at(target, place)}, align {size}")

    def reach(number: Value, before: str, step: str, taps: int, input: str) -> tuple[Value, Value]:
        """The first input that a window looks at, and how many there are."""
        start = made.subtract(made.new(f"mul nsw i64 {number}, {step}"), before)
        first = made.larger(start, 0)
        return first, made.subtract(made.smaller(made.add(start, taps), input), first)

    with made.loop(0, "%images") as image, made.loop(0, "%tall") as p:
        top, high = reach(p, "%above", "%down", rows, "%height")
        above = made.new(f"mul nsw i64 {image}, %height")
        source = made.at(x, made.new(f"mul nsw i64 {made.add(above, top)}, {line}"))
        done = made.add(made.new(f"mul nsw i64 {image}, %tall"), p)
        results = made.at(out, made.multiply(made.new(f"mul nsw i64 {done}, %wide"), pixel))
        following = made.at(source, made.new(f"mul nsw i64 {line}, {high}"))
        with made.loop(0, "%wide") as q:
            left, long = reach(q, "%before", "%right", columns, "%width")
            window, target = made.at(source, made.multiply(left, pixel)), made.at(results, made.multiply(q, pixel))
            fits = [made.new(f"icmp eq i64 {found}, {taps}") for found, taps in ((high, rows), (long, columns))]
            whole = made.new(f"and i1 {fits[0]}, {fits[1]}")
            with made.loop(0, below) as row, made.loop(0, advance) as part:
                ahead = made.at(made.at(following, made.new(f"mul nsw i64 {row}, {line}")), made.multiply(part, _LINE))
                ahead = made.at(ahead, made.multiply(made.new(f"mul nsw i64 {q}, {advance}"), _LINE))
                made.do(f"call void @llvm.prefetch.p0(ptr {ahead}, i32 0, i32 3, i32 1)")
            with made.when(whole):
                count = _literal(rows * columns, kind)
                lines = [made.multiply(line, u) for u in range(rows)]
                every = [[(made.add(one, v * pixel), "") for v in range(columns)] for one in lines]
                combined(window, target, every, count)
            with made.when(made.new(f"xor i1 {whole}, true")):
                count = made.new(f"sitofp i64 {made.new(f'mul nsw i64 {high}, {long}')} to {element}")
                lines = [made.new(f"mul nsw i64 {line}, {nearest(u, high)}") for u in range(rows)]
                across = [made.multiply(nearest(v, long), pixel) for v in range(columns)]
                inside = [[is_inside(u, v, high, long) for v in range(columns)] for u in range(rows)]
                offsets = [[made.add(one, other) for other in across] for one in lines]
                taps = [list(zip(*pair, strict=True)) for pair in zip(offsets, inside, strict=True)]
                combined(window, target, taps, count)
    text = "\n".join([module([made]), "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"])
    return Assembly("tfbench_pool", text, ["i8"] * (2 + len(_NUMBERS.split())))


def _literal(number: float, kind: str) -> str:
    """As IR spells it: the bits of a double."""
    return f"0x{struct.pack('>d', float(np.dtype(kind).type(number))).hex()}"
