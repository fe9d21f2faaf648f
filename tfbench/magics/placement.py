"""`%placement`: where operations run, why there, and what is copied between devices."""

from __future__ import annotations

from IPython.core.magic import magics_class

from tfbench.explain import placement
from tfbench.explain.placement import PlacementAnswer
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse
from tfbench.magics.asking import fetches, leaving_graphs_alone, meant
from tfbench.magics.base import BenchMagics


@magics_class
class PlacementMagic(BenchMagics):
    @arguments()
    @argument(
        "fetch", nargs="*", help="What would be fetched: an expression or a name; several with commas. Default: all."
    )
    @argument("--fed", action="append", type=name, default=[], help="A tensor that would be fed; may be repeated.")
    @line_magic
    def placement(self, line: str) -> PlacementAnswer:
        """Where each operation runs: the device it asked for, the one it got, and why. And what crosses devices.

        The whole graph is placed, whatever is fetched; a fetch only chooses what is shown. Nothing is run.

        Example::

            %placement
            %placement loss, train_op --fed images

        In Python::

            tf.explain.placement([loss, train_op], feeds=[images])
        """
        args = parse(self.placement, line)
        if not args.fetch:
            session = self.session
            return placement(graph=session.graph, session=session)
        namespace = self.names
        with leaving_graphs_alone(self.bench.graphs.values()):
            wanted = fetches(" ".join(args.fetch), self.graph_now, namespace)
            session = self.session_of(wanted)
            return placement(wanted, None, session, [meant(fed, session.graph, namespace) for fed in args.fed])
