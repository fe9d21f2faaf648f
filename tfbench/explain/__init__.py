"""Questions about a graph or a run, with answers as frozen plain data."""

from __future__ import annotations

from tfbench.explain.operations import ops, scopes
from tfbench.explain.order import order
from tfbench.explain.variables import variables

__all__ = ["ops", "order", "scopes", "variables"]
