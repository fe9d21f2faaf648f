"""Products of two matrices of fixed shapes as machine code: the tiles of convolutions without a convolution.

Small products are where this is faster than BLAS, which first copies both matrices into the order that its own tiles
want. Here A is read where it lies, transposed or not, and so are the rows of B.
"""

from __future__ import annotations

from itertools import groupby

from tfbench.engine.compiled import tiles
from tfbench.engine.compiled.convolution import Tiles, blocks, call_tile
from tfbench.engine.compiled.ir import Function, module
from tfbench.engine.compiled.sources import Assembly
from tfbench.engine.compiled.tiles import Sum, cut

#: terms of a sum that are added up in registers before they go to memory: B's part of them stays in the cache
_TERMS = 640


def runs(sizes: list[int]) -> list[tuple[int, int, int]]:
    """Neighbours of equal size: (where they begin, size, how many)."""
    found, begin = [], 0
    for size, group in groupby(sizes):
        times = len(list(group))
        found.append((begin, size, times))
        begin += size * times
    return found


def units(n: int, m: int) -> int:
    """Into how many columns of tiles the product is cut: what threads share."""
    return len(blocks(tiles.host(), n, m))


def product(m: int, n: int, k: int, transposed: int) -> Assembly:
    """C = A B: addresses of A, B and C, first and last column of tiles.

    A is (m, k), or (k, m) if `transposed`; B is (k, n) and C (m, n). `n` is a number of whole vectors.
    """
    on = tiles.host()
    row, step = (4, 4 * m) if transposed else (4 * k, 4)
    line = 4 * n
    made = Function("tfbench_product", "i64 %a, i64 %b, i64 %c, i64 %first, i64 %last", exported=True)
    for name in "abc":
        made.do(f"%{name}p = inttoptr i64 %{name} to ptr")
    parts = {adds: Tiles(on, adds=adds, prefix=f"tile{int(adds)}x") for adds in (False, True)}
    begin = 0
    for terms in cut(k, _TERMS):
        a_at, b_at = made.at("%ap", begin * step), made.at("%bp", begin * line)
        made_tiles = parts[begin > 0]
        begin += terms
        column = 0
        for start, wide, times in runs([count for _, count in blocks(on, n, m)]):
            low = made.larger("%first", column)
            high = made.smaller("%last", column + times)
            with made.loop(low, high) as number:
                offset = made.add(4 * start, made.multiply(made.subtract(number, column), 4 * wide))
                b_block, c_block = made.at(b_at, offset), made.at("%cp", offset)
                for first, size, rows in runs(cut(m, on.rows(wide // on.width))):
                    name = made_tiles.name(
                        [Sum(terms, step, line)],
                        [row * one for one in range(size)],
                        [line * one for one in range(size)],
                        wide,
                    )
                    with made.loop(0, rows) as index:
                        above = made.add(first, made.multiply(index, size))
                        a_block = made.at(a_at, made.multiply(above, row))
                        call_tile(made, name, a_block, b_block, made.at(c_block, made.multiply(above, line)))
            column += times
    functions = [*parts[False].functions, *parts[True].functions, made]
    return Assembly("tfbench_product", module(functions), ["i8"] * 5)
