"""Convolutions as machine code for one filter size, image size and number of channels; any number of images.

Nothing is gathered: a tile of the product (`tiles`) takes its inputs where they lie, under the filter's taps.
Where windows reach beyond an image, the rows that are needed are first copied with zeros around them, a band of rows at
a time, into memory that stays in the cache. The filter is laid out (`pack`) in columns as wide as tiles, with zeros up
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
#: bytes of padded input and output gradients whose products are added up in registers before they go to memory
GROUP_BYTES = 512 << 10


#: numbers in the widest vector
_WIDEST = 16


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


def _rounded(on: Vectors, count: int) -> int:
    return -(-count // on.width) * on.width


def packed_size(parameters: Sequence[int]) -> int:
    """Numbers in the filter as `pack` lays it out, at most."""
    shape = Geometry(parameters)
    return shape.terms * (shape.filters + _WIDEST)


def forward_scratch(parameters: Sequence[int]) -> int:
    """Bytes of scratch memory for `forward`."""
    shape = Geometry(parameters)
    return shape.padded if shape.pads else 0


def gradient_scratch(parameters: Sequence[int]) -> int:
    """Bytes of scratch memory for `filter_gradient`."""
    shape = Geometry(parameters)
    pixels = shape.band * shape.columns.output
    return group_size(shape) * ((shape.padded if shape.pads else 0) + 4 * pixels * (shape.filters + _WIDEST))


def call_tile(made: Function, name: str, a: str, b: str, c: str, *counts: Value) -> None:
    rest = "".join(f", i64 {count}" for count in counts)
    made.do(f"call void @{name}(ptr {a}, ptr {b}, ptr {c}{rest})")


class Tiles:
    """The tiles of a kernel, each made once."""

    def __init__(self, on: Vectors, *, adds: bool, prefix: str = "tile") -> None:
        self.on = on
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
            self.functions.append(tiles.tile(self.names[key], self.on, loops, a, c, columns, adds=self.adds))
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
        line = 4 * _rounded(on, count)
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

    def row_group(count: int, a_at: str, c_at: str) -> None:
        """`count` rows of output, of all filters."""
        b_at = "%filter"
        for start, filters in blocks(on, shape.filters, _pixels(shape, on)):
            line = 4 * _rounded(on, filters)
            loops = shape.taps()
            inner = 1
            for loop in reversed(loops):
                assert isinstance(loop.count, int)
                loop.b = inner * line
                inner *= loop.count
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
                call_tile(made, name, made.at(a_at, a[0]), b_at, made.at(c_at, c[0] + 4 * start))
            b_at = made.at(b_at, shape.terms * line)

    with made.loop("%first", "%last") as unit:
        image, band = made.divide(unit, shape.bands)
        top = made.multiply(band, shape.band)
        rows = made.smaller(made.subtract(shape.rows.output, top), shape.band) if shape.bands > 1 else shape.band
        a_at = shape.inputs(made, image, top, rows, "%padded")
        c_at = made.at(made.at("%out", made.multiply(image, "%out_image")), made.multiply(top, out_row))
        step = lines * shape.rows.stride * shape.row
        whole, rest = made.divide(rows, lines) if isinstance(rows, str) else divmod(rows, lines)
        with made.loop(0, whole) as group:
            row_group(
                lines, made.at(a_at, made.multiply(group, step)), made.at(c_at, made.multiply(group, lines * out_row))
            )
        if rest != 0:
            a_at, c_at = made.at(a_at, made.multiply(whole, step)), made.at(c_at, made.multiply(whole, lines * out_row))
            with made.loop(0, rest) as row:
                row_group(
                    1,
                    made.at(a_at, made.multiply(row, shape.rows.stride * shape.row)),
                    made.at(c_at, made.multiply(row, out_row)),
                )
    return Assembly("tfbench_forward", module([*made_tiles.functions, made]), ["i8"] * 7)


def filter_gradient(*parameters: int) -> Assembly:
    """Adds to the sums: images, output gradients, sums (shaped as the filter), scratch, first and last unit.

    A unit is an image, or a band of one where images are cut into bands.
    """
    shape, on = Geometry(parameters), tiles.host()
    down, across = shape.rows, shape.columns
    pixels = shape.band * across.output
    image_step = shape.padded if shape.pads else down.input * shape.row
    cuts = blocks(on, shape.filters, min(shape.terms, on.rows(2)))
    whole = shape.filters % on.width == 0
    lines = [4 * shape.filters if whole else 4 * _rounded(on, count) for _, count in cuts]
    group = group_size(shape)
    made = Function(
        "tfbench_filter_gradient",
        "i64 %images, i64 %gradients, i64 %result, i64 %scratch, i64 %first, i64 %last",
        exported=True,
    )
    for name, value in (("x", "images"), ("dy", "gradients"), ("sums", "result"), ("padded", "scratch")):
        made.do(f"%{name} = inttoptr i64 %{value} to ptr")
    packed = made.at("%padded", group * shape.padded if shape.pads else 0)
    made_tiles = Tiles(on, adds=True)
    count = made.subtract("%last", "%first")
    groups = made.divide(made.add(count, group - 1), group)[0]
    with made.loop(0, groups) as number:
        start = made.add("%first", made.multiply(number, group))
        images = made.smaller(made.subtract("%last", start), group) if group > 1 else 1
        image, band = made.divide(start, shape.bands)
        top = made.multiply(band, shape.band)
        rows: Value = shape.band
        if shape.bands > 1:
            rows = made.smaller(made.subtract(down.output, top), shape.band)
        if shape.pads:
            with made.loop(0, images) as one:
                place = made.at("%padded", made.multiply(one, shape.padded))
                shape.inputs(made, made.add(image, one), top, rows, place)
            a_at = "%padded"
        else:
            a_at = shape.inputs(made, image, top, rows, "%padded")
        source = made.at("%dy", made.multiply(image, down.output * across.output * shape.filters * 4))
        source = made.at(source, made.multiply(top, across.output * shape.filters * 4))
        b_at = packed
        for (begin, wide), line in zip(cuts, lines):
            if whole:
                break
            with made.loop(0, made.multiply(made.multiply(images, rows), across.output)) as pixel:
                target = made.at(b_at, made.multiply(pixel, line))
                made.copy(
                    target, made.at(source, made.add(made.multiply(pixel, shape.filters * 4), begin * 4)), wide * 4
                )
                made.clear(made.at(target, wide * 4), line - wide * 4)
            b_at = made.at(b_at, group * pixels * line)
        b_at = source if whole else packed
        for (begin, wide), line in zip(cuts, lines):
            loops = [
                Sum("%n", image_step, down.output * across.output * line),
                Sum("%rows", down.stride * shape.row, across.output * line),
                Sum(across.output, across.stride * shape.pixel, line),
            ]
            for offset, distance, times, terms in _term_lines(shape, on.rows(-(-wide // on.width))):
                with made.loop(0, times) as index:
                    a_line = made.at(made.at(a_at, offset[0]), made.multiply(index, distance[0]))
                    c_line = made.at(made.at("%sums", 4 * begin + offset[1]), made.multiply(index, distance[1]))
                    a = [one for one, _ in terms]
                    c = [one for _, one in terms]
                    call_tile(made, made_tiles.name(loops, a, c, wide), a_line, b_at, c_line, images, rows)
            b_at = made.at(b_at, 4 * wide if whole else group * pixels * line)
    return Assembly("tfbench_filter_gradient", module([*made_tiles.functions, made]), ["i8"] * 6)


def group_size(shape: Geometry) -> int:
    """How many images the sums of a tile go over at once."""
    if shape.bands > 1:
        return 1
    image = shape.padded + 4 * shape.rows.output * shape.columns.output * shape.filters
    return max(1, GROUP_BYTES // image)


def _term_lines(
    shape: Geometry, most: int
) -> list[tuple[tuple[int, int], tuple[int, int], int, list[tuple[int, int]]]]:
    """The filter's terms cut into tiles: (where in A and C, distances to the next, how many, (A, C) of each term)."""
    across, filter_row = shape.columns, 4 * shape.filters
    joined = across.dilation == 1 or across.size == 1
    run = (across.size if joined else 1) * shape.channels
    starts = [
        (row * shape.rows.dilation * shape.row + column * across.dilation * shape.pixel, (row * across.size + column))
        for row in range(shape.rows.size)
        for column in range(1 if joined else across.size)
    ]
    starts = [(a, number * shape.channels * filter_row) for a, number in starts]
    found = []
    if run < 3 * most and shape.terms <= 64 * most:
        terms = [(a + 4 * term, c + term * filter_row) for a, c in starts for term in range(run)]
        begin = 0
        for size in cut(len(terms), most):
            part = terms[begin : begin + size]
            begin += size
            a, c = part[0]
            found.append(((a, c), (0, 0), 1, [(one - a, two - c) for one, two in part]))
        return found
    for a, c in starts:
        begin = 0
        sizes = cut(run, most)
        for size in sorted(set(sizes), reverse=True):
            part = [(4 * term, term * filter_row) for term in range(size)]
            times = sizes.count(size)
            found.append(((a + 4 * begin, c + begin * filter_row), (4 * size, size * filter_row), times, part))
            begin += size * times
    return found
