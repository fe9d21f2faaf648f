"""Random numbers of a Philox stream (`kernels.philox`) as machine code: eight counters at a time, one to a lane.

The functions get an array of any shape, the stream's key and the two halves of its counter, and from which to which
number (row-major) they are to make them; the first is a multiple of 32. The arithmetic is in `random_lanes`.
"""

from __future__ import annotations

from tfbench.engine.compiled import objects
from tfbench.engine.compiled import random_constants as constants
from tfbench.engine.compiled import random_lanes as lanes
from tfbench.engine.compiled.ir import Function, Value, module
from tfbench.engine.compiled.random_lanes import (
    DOUBLES,
    FLOATS,
    LANES,
    LINE,
    LONGS,
    Finish,
    Numbers,
    Pairs,
    Vectors,
    Words,
)
from tfbench.engine.compiled.sources import Assembly

#: what is made -> of which type, whether of a range, and how
_KINDS: dict[str, tuple[str, bool, Numbers, Finish]] = {
    "bits32": ("i4", False, lanes.joined, lanes.as_they_are),
    "bits64": ("i8", False, lanes.joined, lanes.as_they_are),
    "integers32": ("i4", True, lanes.remainders32, lanes.plus_base32),
    "integers64": ("i8", True, lanes.remainders64, lanes.plus_base64),
    "normal32": ("f4", False, lanes.normals, lanes.as_they_are),
    "uniform32": ("f4", False, lanes.joined, lanes.to_unit_float32),
    "uniform64": ("f8", False, lanes.float64_bits, lanes.to_unit_float64),
}

_PARAMETERS = "ptr %table, ptr %array, i64 %key, i64 %low, i64 %high, i64 %first, i64 %last"


def _begun(ranged: bool = False) -> tuple[Function, Vectors, str]:
    more = ", i64 %span, i64 %base" if ranged else ""
    made = Function("tfbench_random", f"{_PARAMETERS}{more}", exported=True, returns="i64")
    made.give(0)
    return made, Vectors(made), objects.data(made, "%array", 1, None)


def _done(made: Function, kind: str, numbers: int) -> Assembly:
    return Assembly("tfbench_random", module([made], _declarations()), [f"{kind}[*]", *["i8"] * numbers])


def _declarations() -> str:
    lines = [
        f"declare {DOUBLES} @llvm.floor.v8f64({DOUBLES})",
        f"declare {FLOATS} @llvm.sqrt.v8f32({FLOATS})",
        f"declare {FLOATS} @llvm.fabs.v8f32({FLOATS})",
        "declare i64 @llvm.cttz.i64(i64, i1)",
        f"declare {DOUBLES} @llvm.masked.gather.v8f64.v8p0(<{LANES} x ptr>, i32, <{LANES} x i1>, {DOUBLES})",
    ]
    if lanes.permutes():
        lines.append(f"declare {DOUBLES} @llvm.x86.avx512.vpermi2var.pd.512({DOUBLES}, {LONGS}, {DOUBLES})")
    for name, table in (("inverse", constants.LOG_INVERSE), ("logarithm", constants.LOG_LOGARITHM)):
        numbers = ", ".join(f"double {lanes.real(number)}" for number in table)
        lines.append(f"@{name} = private constant [16 x double] [{numbers}], align 64")
    return "\n".join(lines)


def _offsets(on: Vectors, line: Value, stride: int = 1) -> str:
    """Where the eight counters of a line are."""
    places = ", ".join(f"i64 {lane * stride}" for lane in range(LANES))
    return on.do("add", LONGS, on.each(LONGS, str(on.made.multiply(line, LANES * stride))), f"<{places}>")


def _store(on: Vectors, pairs: Pairs, finish: Finish, target: str) -> None:
    """The numbers of eight counters in their order."""
    for half in range(2):
        part = slice(half * LANES // 2, (half + 1) * LANES // 2)
        line = finish(on, on.alternating(LONGS, *pairs, part))
        on.made.do(f"store {LONGS} {line}, ptr {on.made.at(target, half * LINE // 2)}, align 4")


def fill(what: str) -> Assembly:
    """Numbers that come of one counter after another; those of a range also get its length and where it begins."""
    kind, ranged, numbers, finish = _KINDS[what]
    size = int(kind[1])
    made, on, out = _begun(ranged)
    words = Words(on)

    def line(number: Value, target: str) -> None:
        _store(on, numbers(on, words.at(_offsets(on, number))), finish, target)

    begin, _ = made.divide("%first", LINE // size)
    end, rest = made.divide("%last", LINE // size)
    with made.loop(begin, end) as number:
        line(number, made.at(out, made.multiply(number, LINE)))
    with made.when(made.new(f"icmp ne i64 {rest}, 0")):
        buffer = made.variable(f"[{LINE} x i8]")
        line(end, buffer)
        made.copy(made.at(out, made.multiply(end, LINE)), buffer, made.multiply(rest, size))
    return _done(made, kind, 7 if ranged else 5)


def truncated() -> Assembly:
    """float32 normal numbers nearer to 0 than 2, in groups of four (`kernels.random_truncated`).

    The first and the last number are multiples of 32. A group whose first counter does not give four waits on a list
    (its number, how many numbers it has, which counter comes next) until there are eight, one to a lane.
    """
    made, on, out = _begun()
    words = Words(on)
    groups, have, following = (made.variable(f"[{2 * LANES} x i64]") for _ in range(3))
    for one in (groups, have, following):
        made.clear(one, 16 * LANES)  # lanes without a group are computed, too
    drawn, row, waiting = made.variable(f"[{LINE} x i8]"), made.variable("[8 x float]"), made.variable("i64")
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
        group, next = (made.new(f"load {LONGS}, ptr {array}, align 8") for array in lists)
        offsets = on.do("add", LONGS, on.do("mul", LONGS, group, stride), next)
        _store(on, lanes.normals(on, words.at(offsets)), lanes.as_they_are, drawn)
        made.do(f"store i64 {first}, ptr {kept}")
        with made.loop(0, count) as lane:
            mine = made.multiply(made.add(first, lane), 8)
            group, already, next = (number(made.at(array, mine)) for array in (groups, have, following))
            settle(group, kept, already, made.add(next, 1), made.at(drawn, made.multiply(lane, 16)))
        made.do(f"store i64 {number(kept)}, ptr {waiting}")

    begin, end = (made.divide(value, 4 * LANES)[0] for value in ("%first", "%last"))
    with made.loop(begin, end) as line:
        numbers = lanes.four_normals(on, words.at(_offsets(on, line, stride)))
        target = made.at(out, made.multiply(line, LINE))
        _store(on, lanes.paired(on, numbers), lanes.as_they_are, target)
        complete = ""
        for one in numbers:
            inside = on.do("fcmp olt", FLOATS, on.call("fabs", FLOATS, one), 2.0)
            complete = on.do("and", f"<{LANES} x i1>", complete, inside) if complete else inside
        mask = made.new(f"zext i{LANES} {on.cast('bitcast', f'<{LANES} x i1>', complete, f'i{LANES}')} to i64")
        incomplete = made.new(f"xor i64 {mask}, {(1 << LANES) - 1}")
        made.do(f"store i64 {incomplete}, ptr {left}")
        with made.when(made.new(f"icmp ne i64 {incomplete}, 0")):
            with made.repeat() as condition:
                those = number(left)
                lane = made.new(f"call i64 @llvm.cttz.i64(i64 {those}, i1 true)")
                rest = made.new(f"and i64 {those}, {made.new(f'sub i64 {those}, 1')}")
                made.do(f"store i64 {rest}, ptr {left}")
                group = str(made.add(made.multiply(line, LANES), lane))
                settle(group, waiting, "0", 1, made.at(target, made.multiply(lane, 16)))
                condition.append(made.new(f"icmp ne i64 {rest}, 0"))
            with made.when(made.new(f"icmp uge i64 {number(waiting)}, {LANES}")), made.repeat() as condition:
                again(str(LANES))
                condition.append(made.new(f"icmp uge i64 {number(waiting)}, {LANES}"))
    with made.when(made.new(f"icmp ne i64 {number(waiting)}, 0")), made.repeat() as condition:
        made.do(f"store i64 {number(waiting)}, ptr {taken}")
        again(number(taken))
        condition.append(made.new(f"icmp ne i64 {number(waiting)}, 0"))
    return _done(made, "f4", 5)
