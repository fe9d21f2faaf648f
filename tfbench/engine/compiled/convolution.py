"""Convolutions as machine code for one filter size, image size and number of channels; any number of images.

Nothing is gathered: a tile of the product (`tiles`) takes its inputs where they lie, under the filter's taps.
Where windows reach beyond an image, the rows that are needed are first copied with zeros around them, a band of rows at
a time, into memory that stays in the cache; rows of zeros are not multiplied where that is easy to avoid, so what is
infinite or not a number does not meet them. The filter is laid out (`pack`) in columns as wide as tiles, with zeros up
to whole vectors.

The geometry of the makers' parameters: channels, filters, then size, stride, dilation, padding before, input and
output of the rows and of the columns. All addresses are numbers, all C functions return nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfbench.engine.compiled import tiles
from tfbench.engine.compiled.ir import Function, Value, module
from tfbench.engine.compiled.sources import Assembly
from tfbench.engine.compiled.tiles import Sum, Vectors, cut

#: bytes of padded input that a band has at most, if one row of output does not need more
BAND_BYTES = 256 << 10
#: numbers in the widest vector
WIDEST = 16


class Axis:
    """Rows or columns."""

    __slots__ = ("before", "dilation", "input", "output", "size", "stride")

    def __init__(self, size: int, stride: int, dilation: int, before: int, input: int, output: int) -> None:
        self.size = size
        self.stride = stride
        self.dilation = dilation
        self.before = before
        self.input = input
        self.output = output

    def span(self, outputs: int) -> int:
        """How many inputs so many neighbouring outputs look at."""
        return (outputs - 1) * self.stride + (self.size - 1) * self.dilation + 1

    @property
    def pads(self) -> bool:
        """Whether a window reaches beyond the input."""
        return self.before > 0 or self.span(self.output) - self.before > self.input


class Geometry:
    """The shapes of a convolution, and how it is cut into bands of rows."""

    def __init__(self, parameters: Sequence[int]) -> None:
        self.channels, self.filters = parameters[:2]
        self.rows, self.columns = Axis(*parameters[2:8]), Axis(*parameters[8:14])
        self.pads = self.rows.pads or self.columns.pads
        self.pixel = 4 * self.channels
        self.width = self.columns.span(self.columns.output) if self.pads else self.columns.input
        self.row = self.width * self.pixel
        self.terms = self.rows.size * self.columns.size * self.channels
        #: rows of output in a band, and how many bands an image has
        most = self.rows.output
        if self.pads and self.rows.span(most) * self.row > BAND_BYTES:
            most = max(1, (BAND_BYTES // self.row - self.rows.span(1)) // self.rows.stride + 1)
        self.bands = -(-self.rows.output // most)
        self.band = -(-self.rows.output // self.bands)
        self.bands = -(-self.rows.output // self.band)
        #: bytes of a band's padded input
        self.padded = self.rows.span(self.band) * self.row

    def taps(self) -> list[Sum]:
        """The sum over a filter, as loops; B is left to the caller."""
        loops = [
            Sum(self.rows.size, self.rows.dilation * self.row, 0),
            Sum(self.columns.size, self.columns.dilation * self.pixel, 0),
            Sum(self.channels, 4, 0),
        ]
        if self.columns.dilation == 1 or self.columns.size == 1:
            loops[1:] = [Sum(self.columns.size * self.channels, 4, 0)]
        return loops

    def inputs(self, made: Function, image: Value, first: Value, rows: Value, padded: str) -> str:
        """The address of the inputs of `rows` rows of output from `first` on; `%x` is that of all images."""
        down, across = self.rows, self.columns
        line = across.input * self.pixel
        picture = made.at("%x", made.multiply(image, down.input * line))
        top = made.subtract(made.multiply(first, down.stride), down.before)
        if not self.pads:
            return made.at(made.at(picture, made.multiply(top, line)), -across.before * self.pixel)
        left = max(across.before, 0)
        skipped = max(-across.before, 0)
        taken = max(0, min(self.width - left, across.input - skipped))
        right = self.width - left - taken
        needed = made.add(made.multiply(made.add(rows, -1), down.stride), down.span(1))
        with made.loop(0, needed) as row:
            target = made.at(padded, made.multiply(row, self.row))
            place = made.add(top, row)
            inside = made.new(f"icmp ult i64 {place}, {down.input}")
            outside = made.new(f"xor i1 {inside}, true")
            with made.when(outside):
                made.clear(target, self.row)
            with made.when(inside):
                made.clear(target, left * self.pixel)
                source = made.at(made.at(picture, made.multiply(place, line)), skipped * self.pixel)
                made.copy(made.at(target, left * self.pixel), source, taken * self.pixel)
                made.clear(made.at(target, (left + taken) * self.pixel), right * self.pixel)
        return padded


def blocks(on: Vectors, filters: int, rows: int) -> list[tuple[int, int]]:
    """Columns of tiles: (first filter, filters), for tiles of at most `rows` rows."""
    vectors = -(-filters // on.width)

    def cost(most: int) -> float:
        return sum(
            on.cost(part, wide) + 0.02 * wide for wide in cut(vectors, most) for part in cut(rows, on.rows(wide))
        )

    best = min(range(1, min(vectors, 6) + 1), key=cost)
    found, start = [], 0
    for wide in cut(vectors, best):
        found.append((start, min(wide * on.width, filters - start)))
        start += wide * on.width
    return found


def rounded(on: Vectors, count: int) -> int:
    return -(-count // on.width) * on.width


def packed_size(parameters: Sequence[int]) -> int:
    """Numbers in the filter as `pack` lays it out, at most."""
    shape = Geometry(parameters)
    return shape.terms * (shape.filters + WIDEST)


def forward_scratch(parameters: Sequence[int]) -> int:
    """Bytes of scratch memory for `forward`."""
    shape = Geometry(parameters)
    return shape.padded if shape.pads else 0


def call_tile(made: Function, name: str, a: str, b: str, c: str, *counts: Value) -> None:
    rest = "".join(f", i64 {count}" for count in counts)
    made.do(f"call void @{name}(ptr {a}, ptr {b}, ptr {c}{rest})")


class Tiles:
    """The tiles of a kernel, each made once."""

    def __init__(self, on: Vectors, *, adds: bool, prefix: str = "tile", exact: bool = False) -> None:
        self.on = on
        self.exact = exact
        self.prefix = prefix
        self.adds = adds
        self.names: dict[object, str] = {}
        self.functions: list[Function] = []

    def name(self, loops: Sequence[Sum], a: Sequence[int], c: Sequence[int], columns: int) -> str:
        """The tile whose rows have the distances of `a` and `c` from each other."""
        a, c = tuple(one - a[0] for one in a), tuple(one - c[0] for one in c)
        key = tuple(loop.count for loop in loops), a, c, columns
        if key not in self.names:
            self.names[key] = f"{self.prefix}{len(self.names)}"
            self.functions.append(
                tiles.tile(self.names[key], self.on, loops, a, c, columns, adds=self.adds, exact=self.exact)
            )
        return self.names[key]


def _pixels(shape: Geometry, on: Vectors) -> int:
    """Pixels of output that tiles are cut from: those of a row, or of several if rows are short."""
    return shape.columns.output * _lines(shape, on)


def _lines(shape: Geometry, on: Vectors) -> int:
    return max(1, min(shape.band, on.rows(2) // shape.columns.output))


def pack(*parameters: int) -> Assembly:
    """Lays the filter out for `forward`: filter, its strides (rows, columns, channels, filters; bytes), result."""
    shape, on = Geometry(parameters), tiles.host()
    strides = ["%down", "%across", "%deep", "%wide"]
    made = Function(
        "tfbench_pack",
        "i64 %filter, " + ", ".join(f"i64 {stride}" for stride in strides) + ", i64 %packed",
        exported=True,
    )
    source, target = made.new("inttoptr i64 %filter to ptr"), made.new("inttoptr i64 %packed to ptr")
    for start, count in blocks(on, shape.filters, _pixels(shape, on)):
        line = 4 * rounded(on, count)
        with made.loop(0, shape.rows.size) as row:
            with made.loop(0, shape.columns.size) as column:
                with made.loop(0, shape.channels) as channel:
                    term = made.add(made.multiply(row, shape.columns.size), column)
                    term = made.add(made.multiply(term, shape.channels), channel)
                    place = made.at(target, made.multiply(term, line))
                    at = made.at(source, made.multiply(row, "%down"))
                    at = made.at(at, made.multiply(column, "%across"))
                    at = made.at(at, made.multiply(channel, "%deep"))
                    at = made.at(at, made.multiply(start, "%wide"))
                    with made.loop(0, count) as one:
                        number = made.new(f"load float, ptr {made.at(at, made.multiply(one, '%wide'))}, align 4")
                        made.do(f"store float {number}, ptr {made.at(place, made.multiply(one, 4))}, align 4")
        target = made.at(target, shape.terms * line)
    return Assembly("tfbench_pack", module([made]), ["i8"] * 6)


def forward(*parameters: int) -> Assembly:
    """The correlation: images, packed filter, result, result's bytes per image, scratch, first and last band.

    After the geometry come the bytes from a row of the result to the next, and from a pixel to the next, and whether
    the result is added to what is there.
    """
    shape, on = Geometry(parameters[:14]), tiles.host()
    out_row, out_pixel, adds = parameters[14:]
    columns, lines = shape.columns.output, _lines(shape, on)
    made = Function(
        "tfbench_forward",
        "i64 %images, i64 %packed, i64 %result, i64 %out_image, i64 %scratch, i64 %first, i64 %last",
        exported=True,
    )
    for name, value in (("x", "images"), ("filter", "packed"), ("out", "result"), ("padded", "scratch")):
        made.do(f"%{name} = inttoptr i64 %{value} to ptr")
    made_tiles = Tiles(on, adds=bool(adds))
    down = shape.rows
    #: where a tile lies in one row, the filter's rows that only meet zeros are left out
    skips = lines == 1 and down.pads and down.size > 1 and down.dilation == 1

    def row_group(count: int, first: Value, a_at: str, c_at: str) -> None:
        """`count` rows of output from the image's row `first` on, of all filters."""
        b_at = "%filter"
        missing: Value = 0
        taps: tuple[Value, ...] = ()
        if skips:
            above = made.subtract(down.before, made.multiply(first, down.stride))
            missing = made.larger(above, 0)
            taps = (made.subtract(made.smaller(made.add(above, down.input), down.size), missing),)
            a_at = made.at(a_at, made.multiply(missing, shape.row))
        for start, filters in blocks(on, shape.filters, _pixels(shape, on)):
            line = 4 * rounded(on, filters)
            loops = shape.taps()
            inner = 1
            for loop in reversed(loops):
                assert isinstance(loop.count, int)
                loop.b = inner * line
                inner *= loop.count
            if skips:
                loops[0].count = "%taps"
            b_part = made.at(b_at, made.multiply(missing, shape.terms // down.size * line))
            wide = line // 4 // on.width
            pixels = [(row, column) for row in range(count) for column in range(columns)]
            begin = 0
            for size in cut(len(pixels), on.rows(wide)):
                part = pixels[begin : begin + size]
                begin += size
                a = [
                    row * shape.rows.stride * shape.row + col * shape.columns.stride * shape.pixel for row, col in part
                ]
                c = [row * out_row + col * out_pixel for row, col in part]
                name = made_tiles.name(loops, a, c, filters)
                call_tile(made, name, made.at(a_at, a[0]), b_part, made.at(c_at, c[0] + 4 * start), *taps)
            b_at = made.at(b_at, shape.terms * line)

    with made.loop("%first", "%last") as unit:
        image, band = made.divide(unit, shape.bands)
        top = made.multiply(band, shape.band)
        rows = made.smaller(made.subtract(down.output, top), shape.band) if shape.bands > 1 else shape.band
        a_at = shape.inputs(made, image, top, rows, "%padded")
        c_at = made.at(made.at("%out", made.multiply(image, "%out_image")), made.multiply(top, out_row))
        step = down.stride * shape.row
        whole, rest = made.divide(rows, lines) if isinstance(rows, str) else divmod(rows, lines)

        def group(count: int, first: Value) -> None:
            a_first, c_first = made.at(a_at, made.multiply(first, step)), made.at(c_at, made.multiply(first, out_row))
            row_group(count, made.add(top, first), a_first, c_first)

        with made.loop(0, whole) as number:
            group(lines, made.multiply(number, lines))
        if rest != 0:
            done = made.multiply(whole, lines)
            with made.loop(0, rest) as row:
                group(1, made.add(done, row))
    return Assembly("tfbench_forward", module([*made_tiles.functions, made]), ["i8"] * 7)
