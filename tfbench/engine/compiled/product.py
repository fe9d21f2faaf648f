"""Products of two matrices of fixed shapes as machine code: the tiles of convolutions without a convolution.

Small products are where this is faster than BLAS, which first copies both matrices into the order that its own tiles
want. Here A is read where it lies, transposed or not, and so are the rows of B. Where B is transposed, or long rows of
it are read often, as much of it as stays in the cache is laid out anew at a time (`panels`).
"""

from __future__ import annotations

from itertools import groupby

from tfbench.engine.compiled import objects, panels, tiles
from tfbench.engine.compiled.convolution import Tiles, blocks, call_tile, rounded
from tfbench.engine.compiled.ir import Function, module
from tfbench.engine.compiled.sources import Assembly
from tfbench.engine.compiled.tiles import Sum, cut

#: terms of a sum that are added up in registers before they go to memory: B's part of them stays in the cache
_TERMS = 640
#: rows of A and columns of B from which on B is laid out anew: where its rows lie far apart, the first cache keeps few
_MANY, _LONG = 192, 500
_BODY = "ptr %a, ptr %b, ptr %c, i64 %first, i64 %last, i64 %scratch"
#: bytes that may lie on the stack
_STACK = 64 << 10


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


def _lays_out(m: int, n: int, turned_b: int) -> bool:
    return bool(turned_b) or (m >= _MANY and n >= _LONG)


def _panel(m: int, n: int, k: int) -> int:
    """Bytes of a column of tiles of B that is laid out anew."""
    on = tiles.host()
    return 4 * max(cut(k, _TERMS)) * rounded(on, max(wide for _, wide in blocks(on, n, m)))


def scratch(m: int, n: int, k: int, turned_b: int) -> int:
    """Bytes of scratch memory that the product wants; what is little it has on the stack."""
    size = _panel(m, n, k) if _lays_out(m, n, turned_b) else 0
    return size if size > _STACK else 0


def product(m: int, n: int, k: int, turned_a: int, turned_b: int) -> Assembly:
    """C = A B: A, B and C, first and last column of tiles, the address of scratch memory.

    A is (m, k), or (k, m) if it is `turned`, B (k, n) or (n, k), and C (m, n).
    """
    entry = Function("tfbench_product", f"ptr %table, {_BODY}", exported=True, returns="i64")
    shapes = (k, m) if turned_a else (m, k), (n, k) if turned_b else (k, n), (m, n)
    found = [objects.data(entry, f"%{name}", place, shapes[place - 1]) for place, name in enumerate("abc", 1)]
    entry.do(f"call void @body({', '.join(f'ptr {one}' for one in found)}, i64 %first, i64 %last, i64 %scratch)")
    entry.give(0)
    text = module([*_body(m, n, k, turned_a, turned_b), entry], tiles.host().declarations)
    return Assembly("tfbench_product", text, ["f4[2]", "f4[2]", "f4[2]", "i8", "i8", "i8"])


def products(m: int, n: int, k: int, turned_a: int, turned_b: int) -> Assembly:
    """The same for stacks of matrices: addresses of A, B and C, first and last product, address of scratch memory."""
    entry = Function("tfbench_products", _BODY.replace("ptr", "i64"), exported=True)
    matrices = [(entry.new(f"inttoptr i64 %{name} to ptr"), size) for name, size in zip("abc", (m * k, k * n, m * n))]
    with entry.loop("%first", "%last") as number:
        given = ", ".join(f"ptr {entry.at(at, entry.multiply(number, 4 * size))}" for at, size in matrices)
        entry.do(f"call void @body({given}, i64 0, i64 {units(n, m)}, i64 %scratch)")
    text = module([*_body(m, n, k, turned_a, turned_b), entry], tiles.host().declarations)
    return Assembly("tfbench_products", text, ["i8"] * 6)


def _body(m: int, n: int, k: int, turned_a: int, turned_b: int) -> list[Function]:
    """The function `body`, and what it calls: a product of matrices that are what they are said to be."""
    on = tiles.host()
    row, step = (4, 4 * m) if turned_a else (4 * k, 4)
    line = 4 * n
    lays_out = _lays_out(m, n, turned_b)
    made = Function("body", _BODY)
    parts = {adds: Tiles(on, adds=adds, prefix=f"tile{int(adds)}x", exact=not lays_out) for adds in (False, True)}
    laid_out = panels.Panels(on)
    panel = ""
    if lays_out:
        outside = scratch(m, n, k, turned_b)
        panel = (
            made.new("inttoptr i64 %scratch to ptr")
            if outside
            else made.variable(f"[{_panel(m, n, k) // 4} x float], align {4 * on.width}")
        )
    begin = 0
    for terms in cut(k, _TERMS):
        a_at, b_at = made.at("%a", begin * step), made.at("%b", begin * (4 if turned_b else line))
        made_tiles = parts[begin > 0]
        begin += terms
        column = 0
        for start, wide, times in runs([count for _, count in blocks(on, n, m)]):
            low = made.larger("%first", column)
            high = made.smaller("%last", column + times)
            with made.loop(low, high) as number:
                place = made.add(start, made.multiply(made.subtract(number, column), wide))
                c_block = made.at("%c", made.multiply(place, 4))
                b_line, b_block = line, made.at(b_at, made.multiply(place, 4 * k if turned_b else 4))
                if lays_out:
                    apart = 4 * k if turned_b else line
                    laid_out.call(made, b_block, panel, wide, terms, apart, turned=bool(turned_b))
                    b_line, b_block = 4 * rounded(on, wide), panel
                for first, size, rows in runs(cut(m, on.rows(-(-wide // on.width)))):
                    name = made_tiles.name(
                        [Sum(terms, step, b_line)],
                        [row * one for one in range(size)],
                        [line * one for one in range(size)],
                        wide,
                    )
                    with made.loop(0, rows) as index:
                        above = made.add(first, made.multiply(index, size))
                        a_block = made.at(a_at, made.multiply(above, row))
                        call_tile(made, name, a_block, b_block, made.at(c_block, made.multiply(above, line)))
            column += times
    return [*laid_out.functions, *parts[False].functions, *parts[True].functions, made]
