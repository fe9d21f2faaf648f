"""Where the boxes of the static map go: scopes in scopes, for whatever draws them (`static_svg`, `static_png`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tfbench.widgets.layered import Place, Size, layered
from tfbench.widgets.static_map import Chart, Link, Node

Point = tuple[float, float]

_PAD = 14.0
_HEADER = 28.0
_SHELF = 10.0
_SECTION = 18.0
#: height of a line of text, and space around the whole
LINE = 15.0
MARGIN = 18.0


class Drawn(NamedTuple):
    """A box with its place and size."""

    node: Node
    x: float
    y: float
    w: float
    h: float


class _Arranged(NamedTuple):
    size: Size
    places: list[tuple[Node, Place, Size, _Arranged | None]]


def places(drawing: Chart) -> tuple[Size, list[Drawn]]:
    """The size of the picture, and every box in it: outer ones before what they hold."""
    inner = _arrange(drawing.root, drawing)
    size = Size(inner.size.w + 2 * MARGIN, inner.size.h + 2 * MARGIN)
    return size, list(_flatten(inner, MARGIN, MARGIN))


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
    title = text_width(node.title, 7.4)
    if inner is not None:
        return Size(
            max(inner.size.w + 2 * _PAD, title + text_width(node.subtitle, 6) + 44), inner.size.h + _HEADER + _PAD
        )
    if node.kind == "variable":
        return Size(title + text_width(node.subtitle, 6) + 44, 26)
    rows = [text_width(row.label, 6) + (text_width(row.detail, 6) + 12 if row.detail else 0) + 14 for row in node.rows]
    width = max(title, text_width(node.subtitle, 6), *rows, 50.0) + 22
    return Size(width, 30 + (LINE if node.subtitle else 0) + (6 + LINE * len(rows) if rows else 0))


def text_width(text: str, per_letter: float) -> float:
    """About how wide a text is; wide letters count more."""
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


def _flatten(arranged: _Arranged, x: float, y: float) -> Iterator[Drawn]:
    for node, place, size, inner in arranged.places:
        yield Drawn(node, x + place.x, y + place.y, size.w, size.h)
        if inner is not None:
            yield from _flatten(inner, x + place.x + (size.w - inner.size.w) / 2, y + place.y + _HEADER)


def curves(drawing: Chart, boxes: dict[int, Drawn]) -> Iterator[tuple[Link, Point, Point, float]]:
    """The links between boxes that are drawn: from the lower edge of one to the upper of the other, and how far a
    curve goes straight on from either."""
    for link in drawing.links:
        source, target = boxes.get(id(link.source)), boxes.get(id(link.target))
        if source is not None and target is not None:
            start = (source.x + source.w / 2, source.y + source.h)
            end = (target.x + target.w / 2, target.y)
            yield link, start, end, max(abs(end[1] - start[1]) / 2, 18.0)
