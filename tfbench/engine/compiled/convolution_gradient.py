"""The gradient of a convolution with respect to its filter, as machine code for fixed shapes (see `convolution`).

Each term of the filter - a tap and a channel - is a row of the result; the sum goes over the pixels of several images.
Where there are enough channels to make tiles of one tap's terms, the sum goes only over the pixels at which that tap
lies inside the image, and the images need no zeros around them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfbench.engine.compiled import tiles
from tfbench.engine.compiled.convolution import WIDEST, Axis, Geometry, Tiles, blocks, call_tile, rounded
from tfbench.engine.compiled.ir import Function, Value, module
from tfbench.engine.compiled.sources import Assembly
from tfbench.engine.compiled.tiles import Sum, cut

#: bytes of padded input and output gradients whose products are added up in registers before they go to memory
GROUP_BYTES = 512 << 10
#: channels from which on tiles of one tap are made
CHANNELS = 8


def gradient_scratch(parameters: Sequence[int]) -> int:
    """Bytes of scratch memory for `filter_gradient`."""
    shape = Geometry(parameters)
    pixels = shape.band * shape.columns.output
    return group_size(shape) * ((shape.padded if shape.pads else 0) + 4 * pixels * (shape.filters + WIDEST))


def filter_gradient(*parameters: int) -> Assembly:
    """Adds to the sums: images, output gradients, sums (shaped as the filter), scratch, first and last unit.

    A unit is an image, or a band of one where images are cut into bands.
    """
    shape, on = Geometry(parameters), tiles.host()
    down, across = shape.rows, shape.columns
    pixels = shape.band * across.output
    inside = shape.pads and shape.bands == 1 and shape.channels >= CHANNELS
    pads = shape.pads and not inside
    picture = down.input * across.input * shape.pixel
    image_step = shape.padded if pads else picture
    cuts = blocks(on, shape.filters, min(shape.terms, on.rows(2)))
    whole = shape.filters % on.width == 0
    lines = [4 * shape.filters if whole else 4 * rounded(on, count) for _, count in cuts]
    group = group_size(shape)
    made = Function(
        "tfbench_filter_gradient",
        "i64 %images, i64 %gradients, i64 %result, i64 %scratch, i64 %first, i64 %last",
        exported=True,
    )
    for name, value in (("x", "images"), ("dy", "gradients"), ("sums", "result"), ("padded", "scratch")):
        made.do(f"%{name} = inttoptr i64 %{value} to ptr")
    packed = made.at("%padded", group * shape.padded if pads else 0)
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
        if pads:
            with made.loop(0, images) as one:
                place = made.at("%padded", made.multiply(one, shape.padded))
                shape.inputs(made, made.add(image, one), top, rows, place)
            a_at = "%padded"
        elif inside:
            a_at = made.at("%x", made.multiply(image, picture))
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
            row = across.input * shape.pixel if inside else shape.row
            loops = [
                Sum("%n", image_step, down.output * across.output * line),
                Sum("%rows", down.stride * row, across.output * line),
                Sum(across.output, across.stride * shape.pixel, line),
            ]
            if inside:
                _taps_inside(made, made_tiles, shape, loops, a_at, b_at, made.at("%sums", 4 * begin), wide, images)
                b_at = made.at(b_at, 4 * wide if whole else group * pixels * line)
                continue
            for offset, distance, times, terms in _term_lines(shape, on.rows(-(-wide // on.width))):
                with made.loop(0, times) as index:
                    a_line = made.at(made.at(a_at, offset[0]), made.multiply(index, distance[0]))
                    c_line = made.at(made.at("%sums", 4 * begin + offset[1]), made.multiply(index, distance[1]))
                    a = [one for one, _ in terms]
                    c = [one for _, one in terms]
                    call_tile(made, made_tiles.name(loops, a, c, wide), a_line, b_at, c_line, images, rows)
            b_at = made.at(b_at, 4 * wide if whole else group * pixels * line)
    return Assembly("tfbench_filter_gradient", module([*made_tiles.functions, made]), ["i8"] * 6)


def _taps_inside(
    made: Function,
    made_tiles: Tiles,
    shape: Geometry,
    loops: Sequence[Sum],
    a_at: str,
    b_at: str,
    c_at: str,
    wide: int,
    images: Value,
) -> None:
    """The tiles of a block, tap by tap, each over the pixels at which the tap lies inside the image."""
    down, across, filter_row = shape.rows, shape.columns, 4 * shape.filters
    every, rows, columns = loops
    sizes = cut(shape.channels, made_tiles.on.rows(-(-wide // made_tiles.on.width)))
    for u in range(down.size):
        top, bottom, y = _reach(down, u)
        for v in range(across.size):
            left, right, z = _reach(across, v)
            if bottom <= top or right <= left:
                continue
            part = [every, rows, Sum(right - left, columns.a, columns.b)]
            a_tap = made.at(a_at, (y * across.input + z) * shape.pixel)
            b_tap = made.at(b_at, top * rows.b + left * columns.b)
            c_tap = made.at(c_at, (u * across.size + v) * shape.channels * filter_row)
            begin = 0
            for size in sorted(set(sizes), reverse=True):
                a, c = [4 * one for one in range(size)], [one * filter_row for one in range(size)]
                name, times = made_tiles.name(part, a, c, wide), sizes.count(size)
                with made.loop(0, times) as index:
                    channel = made.add(begin, made.multiply(index, size))
                    a_part = made.at(a_tap, made.multiply(channel, 4))
                    c_part = made.at(c_tap, made.multiply(channel, filter_row))
                    call_tile(made, name, a_part, b_tap, c_part, images, bottom - top)
                begin += size * times


def _reach(axis: Axis, tap: int) -> tuple[int, int, int]:
    """The first output at which the tap lies inside the input, the one behind the last, and the first's input."""
    offset = tap * axis.dilation - axis.before
    first = max(0, -(offset // axis.stride))
    last = min(axis.output, (axis.input - 1 - offset) // axis.stride + 1)
    return first, last, first * axis.stride + offset


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
