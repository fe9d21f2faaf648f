"""Questions about a graph or a run, with answers as frozen plain data."""

from __future__ import annotations

from tfbench.explain.checkpoints import checkpoint
from tfbench.explain.control import control
from tfbench.explain.devices import devices
from tfbench.explain.diff import diff
from tfbench.explain.gradient_path import gradient_path
from tfbench.explain.lint import lint
from tfbench.explain.needs import needed_placeholders, uninitialized
from tfbench.explain.operations import ops, scopes
from tfbench.explain.order import order
from tfbench.explain.placement import placement
from tfbench.explain.races import races
from tfbench.explain.timing import timing
from tfbench.explain.variables import variables
from tfbench.explain.why import why

__all__ = [
    "checkpoint",
    "control",
    "devices",
    "diff",
    "gradient_path",
    "lint",
    "needed_placeholders",
    "ops",
    "order",
    "placement",
    "races",
    "scopes",
    "timing",
    "uninitialized",
    "variables",
    "why",
]
