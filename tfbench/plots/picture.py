"""A matplotlib Figure that shows itself in a notebook, with a text that says what is on it.

Figures are made without pyplot: there is no global state, nothing is shown twice, and nothing has to be
closed. The text is the same from run to run, for terminals and for notebooks that are checked.
"""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

#: colour maps that people with colour-blindness can read: values with a sign, and values without
DIVERGING = "PuOr"
SEQUENTIAL = "cividis"

Array = np.ndarray[Any, Any]


class Picture(Figure):
    """A Figure with a caption."""

    def __init__(self, caption: str, width: float, height: float) -> None:
        super().__init__(figsize=(width, height), dpi=100, layout="constrained")
        FigureCanvasAgg(self)
        self.caption = caption

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()

    def __repr__(self) -> str:
        return f"<{self.caption}>"

    __str__ = __repr__


def tiles(count: int, columns: int | None) -> tuple[int, int]:
    """Rows and columns for `count` tiles: wide rather than tall."""
    if columns is None:
        columns = min(count, max(8, math.ceil(math.sqrt(count * 2))))
    return math.ceil(count / columns), columns


def number(value: float) -> str:
    """A number in three significant digits, for labels."""
    return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


def bare(axes: Any) -> None:
    """An image without ticks, with a thin frame."""
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_linewidth(0.4)
        spine.set_color("0.6")


def shortened(name: str, limit: int = 60) -> str:
    """A name for a title: its end is what tells it from others. `$` is no mathematics here."""
    name = " ".join(name.split())
    name = name if len(name) <= limit else "…" + name[-limit + 1 :]
    return name.replace("$", r"\$")


def finite_limits(array: Array) -> tuple[float, float]:
    """The smallest and largest finite value; (0, 0) where there is none."""
    values = array[np.isfinite(array)]
    return (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)


def trouble(array: Array) -> str:
    """' · 3 NaN, 1 Inf' for values that no colour stands for, or ''."""
    nan, infinite = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    parts = [f"{nan} NaN"] * bool(nan) + [f"{infinite} Inf"] * bool(infinite)
    return f" · {', '.join(parts)}" if parts else ""
