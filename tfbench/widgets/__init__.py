"""The inspector: a live panel in notebooks, with twins in text, HTML and SVG."""

from __future__ import annotations

from tfbench.widgets.inspector import Inspector, inspect

__all__ = ["Inspector", "inspect"]
