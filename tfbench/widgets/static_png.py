"""The map as a PNG: the boxes of the SVG, drawn by matplotlib. Names are drawn as they are, never as formulas."""

from __future__ import annotations

import io
from typing import Any

from tfbench.snapshot import Snapshot
from tfbench.widgets.layered import Size
from tfbench.widgets.static_map import Chart, chart
from tfbench.widgets.static_places import LINE, Drawn, curves, places
from tfbench.widgets.static_svg import VARIABLE, colours

#: pixels each way, at most
LARGEST = 12_000
_TITLE, _SMALL = 10.2, 9.2
_DARK, _MUTED, _LINE_GREY = "#1d2129", "#666d7a", "#8b909a"

_MARKS = {
    "reads": ("o", VARIABLE, VARIABLE),
    "writes": ("<", VARIABLE, VARIABLE),
    "constant": ("o", _MUTED, "white"),
}


def map_png(snapshot: Snapshot, scale: float = 2.0) -> bytes:
    """The graph as a PNG file; `scale` pixels for one of the SVG's, fewer where that would be more than LARGEST.

    Raises:
      ValueError: for a scale that is not positive.
    """
    if not scale > 0:
        raise ValueError(f"scale={scale!r}: pixels for one of the SVG's; a number above 0.")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawing = chart(snapshot) if snapshot.ops else None
    size, boxes = places(drawing) if drawing else (Size(260, 60), [])
    scale = min(scale, LARGEST / max(size.w, size.h))
    # One unit is one point, so that the sizes of letters are those of the SVG.
    figure = Figure(figsize=(size.w / 72, size.h / 72), dpi=72 * scale, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, size.w), ylim=(size.h, 0))
    axes.set_axis_off()
    if drawing is None:
        axes.text(130, 34, "This graph is empty.", ha="center", color=_MUTED, fontsize=_TITLE)
    else:
        _draw(axes, drawing, boxes)
    file = io.BytesIO()
    # Without the version of matplotlib, the same graph gives the same bytes.
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def _draw(axes: Any, drawing: Chart, boxes: list[Drawn]) -> None:
    for box in boxes:
        if box.node.open:
            line, fill = colours(box.node)
            _rectangle(axes, box, fill, line, 10, 0.55)
            title = _text(axes, box.x + 12, box.y + 19, box.node.title, line, _TITLE, bold=True)
            axes.annotate(
                box.node.subtitle, (1, 0), xycoords=title, xytext=(8, 1), textcoords="offset points",
                color=_MUTED, fontsize=_SMALL, parse_math=False,
            )  # fmt: skip
    _lines(axes, drawing, {id(box.node): box for box in boxes})
    for box in boxes:
        if not box.node.open:
            _card(axes, box)


def _card(axes: Any, box: Drawn) -> None:
    node, (line, fill) = box.node, colours(box.node)
    if node.kind in ("scope", "rest"):
        _rectangle(axes, box._replace(x=box.x + 4, y=box.y + 4), fill, line, 7)
    _rectangle(axes, box, fill, line, box.h / 2 if node.kind == "variable" else 7)
    if node.kind == "variable":
        axes.plot(box.x + 14, box.y + box.h / 2, "o", color=VARIABLE, markersize=6, zorder=4)
        _text(axes, box.x + 23, box.y + box.h / 2 + 4, node.title, _DARK, _TITLE, bold=True)
        _text(axes, box.x + box.w - 13, box.y + box.h / 2 + 4, node.subtitle, _MUTED, _SMALL, right=True)
        return
    y = box.y + 19
    _text(axes, box.x + 11, y, node.title, _DARK, _TITLE, bold=True)
    if node.subtitle:
        y += LINE
        _text(axes, box.x + 11, y, node.subtitle, _MUTED, _SMALL)
    if node.rows:
        y += 9
        axes.plot([box.x + 1, box.x + box.w - 1], [y, y], color="#d8dade", linewidth=0.8, zorder=4)
        y += 1
    for row in node.rows:
        y += LINE
        if row.kind in _MARKS:
            marker, colour, inside = _MARKS[row.kind]
            axes.plot(box.x + 14, y - 4, marker, color=colour, markerfacecolor=inside, markersize=5.5, zorder=4)
        _text(axes, box.x + 24, y, row.label, "#3a404c", _SMALL)
        _text(axes, box.x + box.w - 11, y, row.detail, _MUTED, _SMALL, right=True)


def _rectangle(axes: Any, box: Drawn, fill: str, line: str, radius: float, alpha: float = 1.0) -> None:
    from matplotlib.patches import FancyBboxPatch

    style = f"round,pad=0,rounding_size={min(radius, box.w / 2, box.h / 2)}"
    shape = FancyBboxPatch((box.x, box.y), box.w, box.h, boxstyle=style, facecolor=fill, edgecolor=line, linewidth=0.8)
    shape.set(alpha=alpha, zorder=1 if box.node.open else 3)
    axes.add_patch(shape)


def _text(
    axes: Any, x: float, y: float, text: str, colour: str, size: float, *, bold: bool = False, right: bool = False
) -> Any:
    weight, side = "bold" if bold else "normal", "right" if right else "left"
    return axes.text(x, y, text, color=colour, fontsize=size, weight=weight, ha=side, zorder=5, parse_math=False)


def _lines(axes: Any, drawing: Chart, boxes: dict[int, Drawn]) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    for link, (x1, y1), (x2, y2), bend in curves(drawing, boxes):
        colour = VARIABLE if link.kind == "reference" else _LINE_GREY
        way = Path(
            [(x1, y1), (x1, y1 + bend), (x2, y2 - 5 - bend), (x2, y2 - 5)],
            [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
        )
        width = 1.0 + min(2.0, 0.3 * (link.edges - 1))
        style: Any = (0, (3, 3)) if link.kind == "control" else "-"
        axes.add_patch(PathPatch(way, fill=False, edgecolor=colour, linewidth=width, linestyle=style, zorder=2))
        axes.add_patch(Polygon([(x2, y2), (x2 - 3.6, y2 - 7), (x2 + 3.6, y2 - 7)], facecolor=colour, zorder=2))
