"""`%tfbench`: the inspector on a graph of the bench, to dock beside the notebook."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench.explain.defaults import session_for
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse, silenced_by_semicolon
from tfbench.magics.base import BenchMagics

_TABS = ["map", "variables", "devices", "order", "filters"]


@magics_class
class PanelMagic(BenchMagics):
    @arguments()
    @argument("graph", nargs="?", type=name, help="A graph of the bench. Default: the current one.")
    @argument("--tab", choices=_TABS, default="map", help="The view in front. Default: map.")
    @argument("--focus", action="append", type=name, default=[], help="This scope or operation alone; repeatable.")
    @argument("--needed-by", action="append", type=name, default=[], help="What has to run for this; repeatable.")
    @argument("--hide", action="append", type=name, default=[], help="Not this scope or operation; repeatable.")
    @line_magic
    @silenced_by_semicolon
    def tfbench(self, line: str) -> Any:
        """The whole inspector in one panel: map, variables, devices, order of a fetch, filters and feature maps.

        Example::

            %tfbench
            %tfbench filters --tab variables
            %tfbench --needed-by loss --hide gradients

        In Python::

            panel = tf.inspect()
            panel.focus(needed_by="loss")
        """
        args = parse(self.tfbench, line)
        try:
            graph = self.bench.graph(args.graph)
        except KeyError as error:
            raise UsageError(f"%tfbench: {error.args[0]}") from None
        from tfbench.widgets import inspect

        panel = inspect(graph, session=session_for(graph) or self.bench.session(args.graph), tab=args.tab)
        try:
            for focus in args.focus:
                panel.focus(focus)
            for fetch in args.needed_by:
                panel.focus(needed_by=fetch)
            for hidden in args.hide:
                panel.hide(hidden)
        except ValueError as error:
            panel.close()
            raise UsageError(f"%tfbench: {error}") from None
        return panel
