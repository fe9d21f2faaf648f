"""What stands under a `%%graph` cell: one line, warnings, and the view that was asked for."""

from __future__ import annotations

from typing import Any

from IPython import display as ipython_display

from tfbench.bench.result import CellResult
from tfbench.explain import operations, order
from tfbench.explain.defaults import session_for
from tfbench.explain.text import count, shorten, table
from tfbench.magics.notebook import Notebook

display: Any = ipython_display.display

VIEWS = ["map", "vars", "devices", "order", "none"]


def show(notebook: Notebook, cell_id: str, result: CellResult, view: str | None) -> None:
    """Prints the summary and shows `view`."""
    print(result)
    for text in result.warnings:
        print(f"warning: {text}")
    panel = notebook.panels.pop(cell_id, None)
    if panel is not None:
        panel.close()
    graph = notebook.bench.graph(result.graph)
    if view is None:
        view = "map" if notebook.in_kernel else "none"
    if view in ("map", "vars"):
        from tfbench.widgets import inspect

        session = session_for(graph) or notebook.bench.session(result.graph)
        panel = inspect(graph, session=session, tab={"vars": "variables"}.get(view, view), name=result.graph)
        notebook.panels[cell_id] = panel
        display(panel)
    elif view == "order" and result.added:
        display(
            order([graph.get_operation_by_name(name) for name in result.added], notebook.bench.session(result.graph))
        )
    elif view == "devices":
        print(_devices(graph, result))


def _devices(graph: Any, result: CellResult) -> str:
    """Which devices the cell's operations ask for."""
    asked: dict[str, list[str]] = {}
    added = set(result.added)
    for row in operations.ops(graph):
        if row.name in added:
            asked.setdefault(row.device or "(none)", []).append(row.name)
    rows = [(device, count(len(names), "operation"), shorten(", ".join(names), 80)) for device, names in asked.items()]
    return table(("asked for", "how many", "operations"), rows, limit=80)
