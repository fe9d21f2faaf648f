"""The map as an SVG picture: no scripts, no fonts or styles from elsewhere, bounded in size.

Names reach the picture as escaped text only. The picture brings its own background, because as an image in a
page it cannot see the page's theme.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from tfbench.snapshot import Snapshot
from tfbench.widgets.layered import Place, Size, layered
from tfbench.widgets.static_map import Chart, Node, chart

_PAD = 14.0
_HEADER = 28.0
_MARGIN = 18.0
_SHELF = 10.0
_SECTION = 18.0
_LINE = 15.0
#: Paul Tol's "muted" scheme, as in the live map: (line, fill)
_PALETTE = (
    ("#3a9f93", "#e4f2f0"),
    ("#c25a6c", "#f8e9ec"),
    ("#4d86c6", "#e7eff8"),
    ("#b8962e", "#f6f0df"),
    ("#8a3f8f", "#f1e6f2"),
    ("#1f7a3d", "#e2efe6"),
    ("#d07a33", "#faeee3"),
    ("#5a4fb0", "#e9e7f5"),
)
_NEUTRAL = ("#8b909a", "#f1f2f4")
_VARIABLE = "#c46a10"
_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"


class _Drawn(NamedTuple):
    node: Node
    x: float
    y: float
    w: float
    h: float


class _Arranged(NamedTuple):
    size: Size
    places: list[tuple[Node, Place, Size, _Arranged | None]]


def map_svg(snapshot: Snapshot) -> str:
    """The graph as an SVG document."""
    if not snapshot.ops:
        words = _text(130, 34, "This graph is empty.", ' text-anchor="middle" fill="#666d7a"')
        return _document(260, 60, [words])
    drawing = chart(snapshot)
    inner = _arrange(drawing.root, drawing)
    drawn = list(_flatten(inner, _MARGIN, _MARGIN))
    parts = [_group(box) for box in drawn if box.node.open]
    places = {id(box.node): box for box in drawn}
    parts += list(_lines(drawing, places))
    parts += [_card(box) for box in drawn if not box.node.open]
    return _document(inner.size.w + 2 * _MARGIN, inner.size.h + 2 * _MARGIN, parts)


def _document(width: float, height: float, parts: list[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{_FONT}" font-size="12">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


# -- where things go ------------------------------------------------------------------------------------------


def _arrange(node: Node, drawing: Chart) -> _Arranged:
    """A scope's contents: the flow in the middle, variables to its left, what is linked to nothing to its right."""
    inner = {id(child): _arrange(child, drawing) for child in node.children if child.open}
    sizes = {id(child): _size(child, inner.get(id(child))) for child in node.children}
    links = _child_links(node, drawing)
    linked = {index for link in links for index in link}
    children = [child for child in node.children if child.kind != "constant"]
    flow = [i for i, child in enumerate(node.children) if i in linked and child.kind != "constant"]
    above = [child for child in children if child.kind == "variable"]
    below = [c for i, c in enumerate(node.children) if i not in linked and c.kind not in ("variable", "constant")]
    order = {index: position for position, index in enumerate(flow)}
    places, flow_size = layered(
        [sizes[id(node.children[i])] for i in flow],
        [(order[a], order[b]) for a, b in links if a in order and b in order],
    )
    beside = bool(flow)
    sections: list[tuple[Size, list[tuple[Node, Place]]]] = [
        _pack(above, sizes, flow_size.h if beside else None),
        (flow_size, [(node.children[i], place) for i, place in zip(flow, places)]),
        _pack(below, sizes, flow_size.h if beside else None),
    ]
    sections = [section for section in sections if section[1]]
    put: list[tuple[Node, Place, Size, _Arranged | None]] = []
    along = 0.0
    for size, boxes in sections:
        for child, place in boxes:
            at = Place(place.x + along, place.y) if beside else Place(place.x, place.y + along)
            put.append((child, at, sizes[id(child)], inner.get(id(child))))
        along += (size.w if beside else size.h) + _SECTION
    length = max(along - _SECTION, 0.0)
    widest = max((size.w for size, _ in sections), default=0.0)
    highest = max((size.h for size, _ in sections), default=0.0)
    return _Arranged(Size(length, highest) if beside else Size(widest, length), put)


def _child_links(node: Node, drawing: Chart) -> list[tuple[int, int]]:
    """The drawing's links as pairs of this scope's children."""
    index = {id(child): i for i, child in enumerate(node.children)}
    found = set()
    for link in drawing.links:
        ends = []
        for end in (link.source, link.target):
            at: Node | None = end
            while at is not None and id(at) not in index:
                at = at.parent
            if at is None:
                break
            ends.append(index[id(at)])
        if len(ends) == 2 and ends[0] != ends[1]:
            found.add((ends[0], ends[1]))
    return sorted(found)


def _size(node: Node, inner: _Arranged | None) -> Size:
    title = _width(node.title, 7.4)
    if inner is not None:
        return Size(max(inner.size.w + 2 * _PAD, title + _width(node.subtitle, 6) + 44), inner.size.h + _HEADER + _PAD)
    if node.kind == "variable":
        return Size(title + _width(node.subtitle, 6) + 44, 26)
    rows = [_width(row.label, 6) + (_width(row.detail, 6) + 12 if row.detail else 0) + 14 for row in node.rows]
    width = max(title, _width(node.subtitle, 6), *rows, 50.0) + 22
    return Size(width, 30 + (_LINE if node.subtitle else 0) + (6 + _LINE * len(rows) if rows else 0))


def _width(text: str, per_letter: float) -> float:
    return sum(1.7 if ord(c) > 0x2E80 else 1 for c in text) * per_letter


def _pack(nodes: list[Node], sizes: dict[int, Size], height: float | None) -> tuple[Size, list[tuple[Node, Place]]]:
    """Boxes in columns as high as the flow beside them, or, where there is none, in rows."""
    limit = 460.0 if height is None else max(height, 150.0)
    placed: list[tuple[Node, Place]] = []
    across = along = thick = 0.0
    width = depth = 0.0
    for node in nodes:
        size = sizes[id(node)]
        length, breadth = (size.h, size.w) if height is not None else (size.w, size.h)
        if along and along + length > limit:
            across, along, thick = across + thick + _SHELF, 0.0, 0.0
        placed.append((node, Place(across, along) if height is not None else Place(along, across)))
        along += length + _SHELF
        thick = max(thick, breadth)
        depth, width = max(depth, along - _SHELF), across + thick
    return (Size(width, depth) if height is not None else Size(depth, width)), placed


def _flatten(arranged: _Arranged, x: float, y: float) -> Iterator[_Drawn]:
    for node, place, size, inner in arranged.places:
        yield _Drawn(node, x + place.x, y + place.y, size.w, size.h)
        if inner is not None:
            yield from _flatten(inner, x + place.x + (size.w - inner.size.w) / 2, y + place.y + _HEADER)


# -- how they look ----------------------------------------------------------------------------------------------


def _colours(node: Node) -> tuple[str, str]:
    return _NEUTRAL if node.top < 0 else _PALETTE[node.top % len(_PALETTE)]


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{style}>{escape(text)}</text>'


def _group(box: _Drawn) -> str:
    line, fill = _colours(box.node)
    title = _text(box.x + 12, box.y + 19, box.node.title, f' font-weight="600" fill="{line}"')
    after = box.x + 12 + _width(box.node.title, 7.4) + 8
    count = _text(after, box.y + 19, box.node.subtitle, ' font-size="11" fill="#666d7a"')
    return (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.w:.1f}" height="{box.h:.1f}" rx="10" fill="{fill}" '
        f'fill-opacity="0.55" stroke="{line}" stroke-opacity="0.45"/>{title}{count}'
    )


def _card(box: _Drawn) -> str:
    node = box.node
    line, fill = _colours(node)
    x, y, w, h = box.x, box.y, box.w, box.h
    radius = h / 2 if node.kind == "variable" else 7
    parts = []
    if node.kind in ("scope", "rest"):
        parts.append(
            f'<rect x="{x + 4:.1f}" y="{y + 4:.1f}" width="{w:.1f}" height="{h:.1f}" rx="7" fill="{fill}" '
            f'stroke="{line}" stroke-opacity="0.5"/>'
        )
    parts.append(
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{radius:.0f}" fill="{fill}" '
        f'stroke="{line}" stroke-opacity="0.7"/>'
    )
    if node.kind == "variable":
        parts.append(f'<circle cx="{x + 14:.1f}" cy="{y + h / 2:.1f}" r="3.6" fill="{_VARIABLE}"/>')
        parts.append(_text(x + 23, y + h / 2 + 4.2, node.title, ' font-weight="600" fill="#1d2129"'))
        after = x + 23 + _width(node.title, 7.4) + 8
        parts.append(_text(after, y + h / 2 + 4, node.subtitle, ' font-size="11" fill="#666d7a"'))
        return "".join(parts)
    parts.append(_text(x + 11, y + 19, node.title, ' font-weight="600" fill="#1d2129"'))
    at = y + 19
    if node.subtitle:
        at += _LINE
        parts.append(_text(x + 11, at, node.subtitle, ' font-size="11" fill="#666d7a"'))
    if node.rows:
        at += 9
        parts.append(f'<path d="M{x + 1:.1f} {at:.1f}H{x + w - 1:.1f}" stroke="#000000" stroke-opacity="0.1"/>')
        at += 1
        for row in node.rows:
            at += _LINE
            parts.append(_mark(row.kind, x + 14, at - 4))
            parts.append(_text(x + 24, at, row.label, ' font-size="11" fill="#3a404c"'))
            if row.detail:
                parts.append(_text(x + w - 11, at, row.detail, ' font-size="11" fill="#666d7a" text-anchor="end"'))
    return "".join(parts)


def _mark(kind: str, x: float, y: float) -> str:
    if kind == "reads":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{_VARIABLE}"/>'
    if kind == "writes":
        return f'<path d="M{x + 4:.1f} {y - 4:.1f}L{x - 3.5:.1f} {y:.1f}L{x + 4:.1f} {y + 4:.1f}z" fill="{_VARIABLE}"/>'
    if kind == "constant":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" fill="none" stroke="#666d7a" stroke-width="1.2"/>'
    return ""


def _lines(drawing: Chart, places: dict[int, _Drawn]) -> Iterator[str]:
    for link in drawing.links:
        source, target = places.get(id(link.source)), places.get(id(link.target))
        if source is None or target is None:
            continue
        x1, y1 = source.x + source.w / 2, source.y + source.h
        x2, y2 = target.x + target.w / 2, target.y
        bend = max(abs(y2 - y1) / 2, 18.0)
        colour = _VARIABLE if link.kind == "reference" else "#8b909a"
        dash = ' stroke-dasharray="4 4"' if link.kind == "control" else ""
        width = 1.2 + min(2.0, 0.3 * (link.edges - 1))
        yield (
            f'<path d="M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - 5 - bend:.1f} {x2:.1f} {y2 - 5:.1f}" '
            f'fill="none" stroke="{colour}" stroke-width="{width:.1f}"{dash}/>'
            f'<path d="M{x2:.1f} {y2:.1f}l-3.6 -7h7.2z" fill="{colour}"/>'
        )
