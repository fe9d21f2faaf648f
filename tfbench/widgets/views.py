"""The inspector's views, as the kernel knows them: what each says in a terminal and in a page without scripts.

A view is one row of `VIEWS`; its live face is registered under the same id in `frontend/src`. A further view is one
more row here and one `registerView` there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from tfbench.snapshot import Snapshot, without_gc
from tfbench.widgets import static_html, text
from tfbench.widgets.showing import Rule, said, shown


class View(NamedTuple):
    """`text` gives lines; `html` gives markup that needs no script. `values` asks for live values, too."""

    id: str
    title: str
    text: Callable[[Snapshot, bool], str]
    html: Callable[[Snapshot, bool], str]


VIEWS: dict[str, View] = {
    view.id: view
    for view in (
        View("map", "Map", text.scopes_text, static_html.map_html),
        View("variables", "Variables", text.variables_text, static_html.variables_html),
        View("devices", "Devices", text.devices_text, static_html.devices_html),
        View("order", "Order", text.elsewhere, text.elsewhere),
        View("filters", "Filters", text.elsewhere, text.elsewhere),
    )
}


def as_text(snapshot: Snapshot, *, values: bool = True, rules: Sequence[Rule] = ()) -> str:
    """Every view's text, of what `rules` leave of the graph. A view that fails says so and leaves the others."""
    parts = [text.summary(snapshot)]
    with without_gc():
        part = shown(snapshot, rules)
        parts.append(said(rules, part, snapshot))
        for view in VIEWS.values():
            try:
                parts.append(view.text(part, values))
            except Exception as error:
                parts.append(f"{view.title}: could not be shown ({type(error).__name__}: {error})")
    return "\n\n".join(part for part in parts if part)


def as_html(snapshot: Snapshot, *, values: bool = True, full: bool = False, rules: Sequence[Rule] = ()) -> str:
    """Every view's static HTML, of what `rules` leave of the graph, and with `full` the list of all operations."""
    parts = []
    with without_gc():
        part = shown(snapshot, rules)
        parts.append(f"<div>{escape(said(rules, part, snapshot))}</div>" if rules else "")
        for view in VIEWS.values():
            try:
                parts.append(view.html(part, values))
            except Exception as error:
                parts.append(static_html.failed(view.title, error))
        if full:
            parts.append(static_html.operations_html(snapshot))
    return static_html.frame(snapshot, parts)
