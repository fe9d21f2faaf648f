"""The gradient of a convolution with respect to images of few channels, second half, as machine code for fixed shapes.

First every pixel of the output's gradient is multiplied with the whole filter: one product of matrices, in which few
channels leave no vectors empty. Here what that gives for each tap is added where the tap lies in the image. Taps side
by side, with their channels, are neighbours in memory, so a row of them is one vector (`lanes`); from one pixel to the
next it moves on by some numbers, and those that leave it are complete.
"""

from __future__ import annotations

from tfbench.engine.compiled.ir import Function, module
from tfbench.engine.compiled.sources import Assembly


def lanes(columns: int, channels: int) -> int:
    """Numbers in a row of taps, with zeros behind them up to a vector."""
    return -(-columns * channels // 8) * 8


def scratch(wide: int, width: int, columns: int, stride: int, before: int, channels: int) -> int:
    """Bytes of working memory: the sums of a row of pixels, and a row of the image with what hangs over."""
    size = lanes(columns, channels)
    return 4 * (wide * size + _row(wide, width, columns, stride, before, channels))


def _row(wide: int, width: int, columns: int, stride: int, before: int, channels: int) -> int:
    reached = (wide - 1) * stride * channels + lanes(columns, channels)
    return max(reached, (before + width) * channels)


def spread(
    tall: int, wide: int, height: int, width: int, rows: int, columns: int,
    down: int, right: int, above: int, before: int, channels: int,
) -> Assembly:  # fmt: skip
    """Addresses of the products `(tall, wide, rows, lanes)`, of the image `(height, width, channels)`, of scratch."""
    size = lanes(columns, channels)
    type = f"<{size} x float>"
    step = right * channels
    made = Function("tfbench_spread", "i64 %products, i64 %image, i64 %scratch", exported=True)
    products, image, sums = (made.new(f"inttoptr i64 {name} to ptr") for name in ("%products", "%image", "%scratch"))
    line = made.at(sums, 4 * wide * size)
    moved = ", ".join(f"i32 {min(lane + step, size)}" for lane in range(size))
    carried = made.variable(type)

    with made.loop(0, height) as row:
        made.clear(sums, 4 * wide * size)
        made.clear(line, 4 * _row(wide, width, columns, right, before, channels))
        for tap in range(rows):
            at = made.add(row, above - tap)
            y, rest = made.divide(at, down)
            reached = made.new(f"icmp sge i64 {at}, 0")
            for condition in (f"icmp slt i64 {y}, {tall}", *([f"icmp eq i64 {rest}, 0"] if down > 1 else [])):
                reached = made.new(f"and i1 {reached}, {made.new(condition)}")
            with made.when(reached):
                source = made.at(products, made.add(made.multiply(y, 4 * wide * rows * size), 4 * tap * size))
                with made.loop(0, wide) as x:
                    target = made.at(sums, made.multiply(x, 4 * size))
                    one = made.new(f"load {type}, ptr {made.at(source, made.multiply(x, 4 * rows * size))}, align 4")
                    before_it = made.new(f"load {type}, ptr {target}, align 4")
                    made.do(f"store {type} {made.new(f'fadd {type} {before_it}, {one}')}, ptr {target}, align 4")
        made.do(f"store {type} zeroinitializer, ptr {carried}")
        with made.loop(0, wide) as x:
            one = made.new(f"load {type}, ptr {made.at(sums, made.multiply(x, 4 * size))}, align 4")
            total = made.new(f"fadd {type} {one}, {made.new(f'load {type}, ptr {carried}')}")
            made.do(f"store {type} {total}, ptr {made.at(line, made.multiply(x, 4 * step))}, align 4")
            rest = made.new(f"shufflevector {type} {total}, {type} zeroinitializer, <{size} x i32> <{moved}>")
            made.do(f"store {type} {rest}, ptr {carried}")
        target = made.at(image, made.multiply(row, 4 * width * channels))
        made.copy(target, made.at(line, 4 * before * channels), 4 * width * channels)
    return Assembly("tfbench_spread", module([made]), ["i8"] * 3)
