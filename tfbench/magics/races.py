"""`%races`: which results of a run are left to chance."""

from __future__ import annotations

from IPython.core.magic import magics_class

from tfbench.explain import races
from tfbench.explain.races import Races
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse
from tfbench.magics.asking import fetches, leaving_graphs_alone, meant
from tfbench.magics.base import BenchMagics


@magics_class
class RacesMagic(BenchMagics):
    @arguments()
    @argument("fetch", nargs="+", help="What would be fetched: an expression or a name; several with commas.")
    @argument("--fed", action="append", type=name, default=[], help="A tensor that would be fed; may be repeated.")
    @line_magic
    def races(self, line: str) -> Races:
        """Pairs of a write and a read, or of two writes, of one variable that a run does not order - and what would.

        A run here has one fixed order; TensorFlow's has any order that the graph allows. Nothing is run.

        Example::

            %races loss, train_op
            %races y --fed images

        In Python::

            tf.explain.races([loss, train_op])
        """
        args = parse(self.races, line)
        namespace = self.names
        with leaving_graphs_alone(self.bench.graphs.values()):
            wanted = fetches(" ".join(args.fetch), self.graph_now, namespace)
            session = self.session_of(wanted)
            return races(wanted, [meant(fed, session.graph, namespace) for fed in args.fed], session)
