"""What stands under a `%%graph` cell: one line, warnings, and the view that was asked for."""

from __future__ import annotations

from typing import Any

from IPython import display as ipython_display

from tfbench import errors
from tfbench.bench.result import CellResult
from tfbench.explain import operations, order, placement
from tfbench.explain.defaults import session_for
from tfbench.explain.stepper import Stepper
from tfbench.explain.text import count, shorten, table
from tfbench.explain.watch import Watch
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
        print(_devices(graph, result, session_for(graph) or notebook.bench.session(result.graph)))


def stepped(notebook: Notebook, stepper: Stepper) -> Any:
    """How a kernel's front end shows a run that is stepped through: the panel, with its text for what is saved."""
    from tfbench.widgets import inspect

    names = [name for name, graph in notebook.bench.graphs.items() if graph is stepper.session.graph]
    panel = inspect(stepper.session, tab="order", name=names[0] if names else "")
    panel.attach(stepper)
    return notebook.until_run_again(panel)._repr_mimebundle_()


def watched(notebook: Notebook, watch: Watch) -> Any:
    """How a kernel's front end shows what is watched: a live table."""
    from tfbench.widgets.watch import WatchPanel

    return notebook.until_run_again(WatchPanel(watch))._repr_mimebundle_()


def _devices(graph: Any, result: CellResult, session: Any) -> str:
    """Which devices the cell's operations ask for, and which they get."""
    added = set(result.added)
    try:
        rows = [row for row in placement(graph=graph, session=session).ops if row.op in added]
        found = [
            (row.requested, f"{row.assigned} (simulated)" if row.simulated else row.assigned, row.op) for row in rows
        ]
    except errors.InvalidArgumentError:
        # A device that is not there: %placement says so; what was asked for is true all the same.
        found = [(row.device, "?", row.name) for row in operations.ops(graph) if row.name in added]
    names: dict[tuple[str, str], list[str]] = {}
    for asked, assigned, name in found:
        names.setdefault((asked or "(none)", assigned), []).append(name)
    lines = [(*key, count(len(ops), "operation"), shorten(", ".join(ops), 80)) for key, ops in names.items()]
    return table(("asked for", "assigned", "how many", "operations"), lines, limit=80)
