"""The map as an SVG picture: no scripts, no fonts or styles from elsewhere, bounded in size.

Names reach the picture as escaped text only. The picture brings its own background, because as an image in a
page it cannot see the page's theme.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tfbench.snapshot import Snapshot
from tfbench.widgets.static_map import Chart, Node, chart
from tfbench.widgets.static_places import LINE, Drawn, curves, places, text_width

#: the live map's colours, which colour-blind readers can tell apart: (line, fill)
PALETTE = (
    ("#5cb3b1", "#eaf5f5"),
    ("#782f40", "#ede4e6"),
    ("#a5a0f1", "#f3f3fd"),
    ("#bea712", "#f7f4e0"),
    ("#642f7f", "#ebe4ee"),
    ("#46670d", "#e7ebe0"),
    ("#e7906d", "#fcf1ec"),
    ("#335ee7", "#e4eafc"),
)
NEUTRAL = ("#8b909a", "#f1f2f4")
VARIABLE = "#c46a10"
_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"


def map_svg(snapshot: Snapshot) -> str:
    """The graph as an SVG document."""
    if not snapshot.ops:
        words = _text(130, 34, "This graph is empty.", ' text-anchor="middle" fill="#666d7a"')
        return _document(260, 60, [words])
    drawing = chart(snapshot)
    size, drawn = places(drawing)
    parts = [_group(box) for box in drawn if box.node.open]
    parts += list(_lines(drawing, {id(box.node): box for box in drawn}))
    parts += [_card(box) for box in drawn if not box.node.open]
    return _document(size.w, size.h, parts)


def _document(width: float, height: float, parts: list[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{_FONT}" font-size="12">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


# -- how they look ----------------------------------------------------------------------------------------------


def colours(node: Node) -> tuple[str, str]:
    """Line and fill of a box."""
    return NEUTRAL if node.top < 0 else PALETTE[node.top % len(PALETTE)]


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{style}>{escape(text)}</text>'


def _group(box: Drawn) -> str:
    line, fill = colours(box.node)
    title = _text(box.x + 12, box.y + 19, box.node.title, f' font-weight="600" fill="{line}"')
    after = box.x + 12 + text_width(box.node.title, 7.4) + 8
    count = _text(after, box.y + 19, box.node.subtitle, ' font-size="11" fill="#666d7a"')
    return (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.w:.1f}" height="{box.h:.1f}" rx="10" fill="{fill}" '
        f'fill-opacity="0.55" stroke="{line}" stroke-opacity="0.45"/>{title}{count}'
    )


def _card(box: Drawn) -> str:
    node = box.node
    line, fill = colours(node)
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
        parts.append(f'<circle cx="{x + 14:.1f}" cy="{y + h / 2:.1f}" r="3.6" fill="{VARIABLE}"/>')
        parts.append(_text(x + 23, y + h / 2 + 4.2, node.title, ' font-weight="600" fill="#1d2129"'))
        after = x + 23 + text_width(node.title, 7.4) + 8
        parts.append(_text(after, y + h / 2 + 4, node.subtitle, ' font-size="11" fill="#666d7a"'))
        return "".join(parts)
    parts.append(_text(x + 11, y + 19, node.title, ' font-weight="600" fill="#1d2129"'))
    at = y + 19
    if node.subtitle:
        at += LINE
        parts.append(_text(x + 11, at, node.subtitle, ' font-size="11" fill="#666d7a"'))
    if node.rows:
        at += 9
        parts.append(f'<path d="M{x + 1:.1f} {at:.1f}H{x + w - 1:.1f}" stroke="#000000" stroke-opacity="0.1"/>')
        at += 1
        for row in node.rows:
            at += LINE
            parts.append(_mark(row.kind, x + 14, at - 4))
            parts.append(_text(x + 24, at, row.label, ' font-size="11" fill="#3a404c"'))
            if row.detail:
                parts.append(_text(x + w - 11, at, row.detail, ' font-size="11" fill="#666d7a" text-anchor="end"'))
    return "".join(parts)


def _mark(kind: str, x: float, y: float) -> str:
    if kind == "reads":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{VARIABLE}"/>'
    if kind == "writes":
        return f'<path d="M{x + 4:.1f} {y - 4:.1f}L{x - 3.5:.1f} {y:.1f}L{x + 4:.1f} {y + 4:.1f}z" fill="{VARIABLE}"/>'
    if kind == "constant":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" fill="none" stroke="#666d7a" stroke-width="1.2"/>'
    return ""


def _lines(drawing: Chart, boxes: dict[int, Drawn]) -> Iterator[str]:
    for link, (x1, y1), (x2, y2), bend in curves(drawing, boxes):
        colour = VARIABLE if link.kind == "reference" else "#8b909a"
        dash = ' stroke-dasharray="4 4"' if link.kind == "control" else ""
        width = 1.2 + min(2.0, 0.3 * (link.edges - 1))
        yield (
            f'<path d="M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - 5 - bend:.1f} {x2:.1f} {y2 - 5:.1f}" '
            f'fill="none" stroke="{colour}" stroke-width="{width:.1f}"{dash}/>'
            f'<path d="M{x2:.1f} {y2:.1f}l-3.6 -7h7.2z" fill="{colour}"/>'
        )
