"""`tfbench.inspect`: the panel that shows a graph, in a notebook, a terminal or a file.

The panel is an anywidget whose page half is `static/inspector.js`. What a notebook saves beside the live view is a
plain text and an HTML without scripts; both are the same from run to run, so notebooks can be compared.

Only `selected` and `tab` are traits. All data goes through the Publisher, as messages.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from weakref import WeakSet, ref

import anywidget
import traitlets

from tfbench.engine.graph import Graph, Operation
from tfbench.engine.session import BaseSession
from tfbench.explain import defaults
from tfbench.explain.stepper import Stepper
from tfbench.snapshot import Snapshot, take
from tfbench.widgets import feature_maps, showing, static_html, stepping, views
from tfbench.widgets.publisher import Publisher
from tfbench.widgets.static_svg import map_svg

_STATIC = Path(__file__).parent / "static"

#: panels that look at their graph after every notebook cell
_panels: WeakSet[Inspector] = WeakSet()


class Inspector(anywidget.AnyWidget):
    """A live panel on one graph.

    `selected` names the operation that is chosen, or a scope with a slash at its end; '' for nothing.
    `tab` is the view in front: "map", "variables", "devices", "order" or "filters".
    """

    _esm = _STATIC / "inspector.js"
    _css = _STATIC / "inspector.css"

    selected = traitlets.Unicode("").tag(sync=True)
    tab = traitlets.Unicode("map").tag(sync=True)
    #: finds the panel where its page cannot speak to the widget (`stepping.hear_control`)
    panel = traitlets.Unicode("").tag(sync=True)
    #: what the map leaves out and how it groups: `focus`, `hide`, `group` and the panel's chips change it
    rules: Any = traitlets.List().tag(sync=True)

    def __init__(
        self, graph: Any, session: Any = None, *, selected: str = "", tab: str = "map", name: str = ""
    ) -> None:
        self.graph = graph
        self.session = session
        super().__init__(selected=selected, tab=tab)
        _answer_while_busy(self.comm)
        #: the run that is stepped through, if there is one
        self.stepper: Stepper | None = None
        self.publisher = Publisher(graph, session, self.send, name=name)
        if session is not None and _hears():
            self.panel = str(getattr(self.comm, "comm_id", ""))
        weak = ref(self)
        self.publisher.export = lambda form: _exported(weak(), form)
        self.on_msg(self._received)
        _panels.add(self)
        _watch_cells()

    @traitlets.validate("tab")
    def _known_tab(self, proposal: Any) -> str:
        tab = str(proposal["value"])
        if tab not in views.VIEWS:
            known = ", ".join(views.VIEWS)
            raise traitlets.TraitError(f"There is no view {tab!r} in the inspector; there are {known}.")
        return tab

    @traitlets.validate("rules")
    def _known_rules(self, proposal: Any) -> list[showing.Rule]:
        try:
            return showing.check_rules(proposal["value"])
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None

    def _received(self, _: Any, content: Any, buffers: Any) -> None:
        self.publisher.receive(content)

    def attach(self, stepper: Stepper) -> None:
        """The panel's buttons step through this run (`tfbench.step`) from now on; the Order view shows it."""
        if self.publisher.controls is None:
            raise ValueError("This panel shows a graph without a session: inspect(session) shows one with it.")
        self.stepper = stepper
        self.publisher.controls.attach(stepper)

    def close(self) -> None:
        """Ends the live view; the page keeps the last state and says so."""
        publisher = getattr(self, "publisher", None)
        if publisher is not None:
            publisher.close()
        super().close()

    # -- what the map shows -------------------------------------------------------------------------------------

    def focus(
        self,
        *what: Any,
        type: str | Sequence[str] | None = None,
        search: str | None = None,
        needed_by: Any = None,
        steps: int | None = None,
    ) -> None:
        """Shows a part of the graph on the map; several calls add up, and `show_all` ends it.

        Args:
          what: operations, tensors, variables or scopes (objects or names).
          type: operations of this type (or these).
          search: what the panel's search finds: `"conv* type:Relu"`, `"/w\\d+$/"`, `"scope:tower_0"`.
          needed_by: what has to run for these fetches.
          steps: with `what`, also what is up to so many edges away.

        Raises:
          ValueError: for a name that is not in the graph, naming near ones.
        """
        self._add_rule("focus", what, type=type, search=search, needed_by=needed_by, steps=steps)

    def hide(self, *what: Any, type: str | Sequence[str] | None = None, search: str | None = None) -> None:
        """Leaves a part of the graph out of the map. Arguments and errors as of `focus`."""
        self._add_rule("hide", what, type=type, search=search)

    def group(self, name: str, *what: Any, type: str | Sequence[str] | None = None, search: str | None = None) -> None:
        """Draws operations and scopes as one box called `name`. Arguments and errors as of `focus`."""
        if not str(name).strip() or "/" in str(name):
            raise ValueError(f"A group's name is a word or two without a slash, but is {name!r}.")
        self._add_rule("group", what, type=type, search=search, name=str(name))

    def ungroup(self, name: str) -> None:
        """Takes a box away: a group's, or a scope's; what was in it is in the box around."""
        left = [rule for rule in self.rules if not (rule["do"] == "group" and rule.get("name") == name)]
        if len(left) < len(self.rules):
            self.rules = left
        else:
            self._add_rule("dissolve", [name])

    def show_all(self) -> None:
        """Everything again, grouped by scopes alone."""
        self.rules = []

    def feed(self, feed_dict: Any) -> None:
        """Feature maps in the Filters view are those of this feed; None: of what the program fed last.

        Raises:
          what `Session.run` raises for feeds that do not fit.
        """
        self.publisher.feed(feature_maps.given(self.graph, feed_dict))

    def _add_rule(self, do: str, what: Sequence[Any], **more: Any) -> None:
        rule = showing.make_rule(do, self.graph, what, **more)
        self.rules = [*(old for old in self.rules if old != rule), rule]

    # -- the other faces ----------------------------------------------------------------------------------------

    def snapshot(self, *, stats: bool = True) -> Snapshot:
        """What is shown, as plain data."""
        return take(self.graph, self.session, name=self.publisher.name, stats=stats)

    def to_text(self) -> str:
        """The scopes and the variables as text, the same for the same graph and values."""
        return views.as_text(self.snapshot(), rules=self.rules)

    def to_svg(self, path: str | Path | None = None) -> str:
        """The map as SVG, as `focus`, `hide` and `group` left it; also written to `path` if one is given."""
        return _written(map_svg(showing.shown(self.snapshot(stats=False), self.rules)), path)

    def to_png(self, path: str | Path | None = None, *, scale: float = 2.0) -> bytes:
        """The same picture as PNG, `scale` pixels for one of the SVG's; also written to `path` if one is given."""
        from tfbench.widgets.static_png import map_png

        picture = map_png(showing.shown(self.snapshot(stats=False), self.rules), scale)
        if path is not None:
            Path(path).write_bytes(picture)
        return picture

    def to_html(self, path: str | Path | None = None) -> str:
        """Everything as one HTML page without scripts; also written to `path` if one is given."""
        snapshot = self.snapshot()
        body = views.as_html(snapshot, full=True, rules=self.rules)
        return _written(static_html.page(f"{snapshot.name or 'Graph'}: tfbench inspector", body), path)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        # Not anywidget's, which holds an address. Initialized or not depends on what ran, but not on chance.
        return views.as_text(self.snapshot(stats=False), values=False, rules=self.rules)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        snapshot = self.publisher.snapshot()
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = ({}, {}) if bundle is None else bundle
        if self.stepper is not None:
            said = str(self.stepper)
            data["text/plain"], data["text/html"] = said, f"<pre>{html.escape(said)}</pre>"
            return data, metadata
        data["text/plain"] = views.as_text(snapshot, values=False, rules=self.rules)
        data["text/html"] = views.as_html(snapshot, values=False, rules=self.rules)
        return data, metadata


def inspect(obj: Any = None, *, session: Any = None, tab: str = "map", name: str = "") -> Inspector:
    """A panel on a graph: its map and its variables, live.

    Args:
      obj: a Graph, the name of one of the bench's graphs, a Session (its graph, with the values it holds), or
        something in a graph: an Operation, a Tensor or a Variable, which is then selected. Default: the default
        graph.
      session: where values come from. Default: the session given as `obj`, else the default session or the bench's,
        if it is one of this graph.
      tab: the view in front, "map", "variables", "devices", "order" or "filters".
      name: what the panel calls the graph. Default: as the bench does.

    Raises:
      TypeError: if `obj` is none of these. KeyError: if the bench has no graph of that name.
      ValueError: if `session` is a session of another graph.
    """
    graph, selected = _graph_of(obj)
    if isinstance(obj, BaseSession):
        session = session or obj
    if session is None:
        session = defaults.session_for(graph)
    elif session.graph is not graph:
        raise ValueError("The session given to inspect() belongs to another graph than the one to be shown.")
    return Inspector(graph, session, selected=selected, tab=tab, name=name or _name_of(graph))


def _name_of(graph: Any) -> str:
    the_bench = defaults.bench()
    entries = the_bench.entries.items() if the_bench is not None else ()
    return next((name for name, entry in entries if entry.graph is graph), "")


def _graph_of(obj: Any) -> tuple[Any, str]:
    if obj is None or isinstance(obj, (Graph, str)):
        return defaults.graph_for(obj), ""
    if isinstance(obj, BaseSession):
        return obj.graph, ""
    op = obj if isinstance(obj, Operation) else getattr(obj, "op", None)
    if isinstance(op, Operation):
        return op.graph, op.name
    raise TypeError(
        "inspect() takes a Graph, a graph's name, a Session, an Operation, a Tensor or a Variable, or nothing for the "
        f"default graph; it got {type(obj).__name__}."
    )


def _exported(panel: Inspector | None, form: str) -> str:
    """A file for the page to save."""
    if panel is None:
        raise ValueError("This panel is gone.")
    if form not in ("svg", "html"):
        raise ValueError(f"There is no form {form!r}; there are svg and html.")
    return panel.to_svg() if form == "svg" else panel.to_html()


def _written(content: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(content, encoding="utf-8")
    return content


def _answer_while_busy(comm: Any) -> None:
    """Lets the page's messages in while a cell runs.

    ipykernel 7.4 sends what a page says to the shell that last spoke to it; for a widget made in a cell that is the
    main one, which is busy. Other versions do not have the method, and need nothing.
    """
    if hasattr(comm, "_reply_subshell_for"):
        comm._reply_subshell_for = lambda data, default: default


_watched: WeakSet[Any] = WeakSet()


def _watch_cells() -> None:
    """After each notebook cell, panels look whether their graph has grown: plain cells build, too."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or shell in _watched:
        return
    _watched.add(shell)
    shell.events.register("pre_run_cell", lambda *_: stepping.cell_begins())
    shell.events.register("post_run_cell", _cell_ran)
    stepping.cell_begins()  # the one that runs now


def _cell_ran(*_: Any) -> None:
    panels = list(_panels)
    for panel in panels:
        panel.publisher.graph_changed()
    stepping.cell_ended([panel.publisher.controls for panel in panels if panel.publisher.controls is not None])


def _hears() -> bool:
    """Whether the kernel takes what pages say on its control channel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return stepping.hear_control(getattr(shell, "kernel", None), _receiver)


def _receiver(comm: str) -> Any:
    """Who receives what the page of the panel with this comm says."""
    for panel in list(_panels):
        if panel.panel and panel.panel == comm:
            return panel.publisher.receive
    return None
