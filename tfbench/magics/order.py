"""`%order`: what a run would do, step by step."""

from __future__ import annotations

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench.explain import order
from tfbench.explain.order import Order
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse
from tfbench.magics.asking import fetches, leaving_graphs_alone, meant
from tfbench.magics.base import BenchMagics


@magics_class
class OrderMagic(BenchMagics):
    @arguments()
    @argument(
        "fetch", nargs="*", help="What would be fetched: an expression or a name of the graph; several with commas."
    )
    @argument("--fed", action="append", type=name, default=[], help="A tensor that would be fed; may be repeated.")
    @line_magic
    def order(self, line: str) -> Order:
        """The operations that a run would execute, in order, and what each waits for. Nothing is run.

        Example::

            %order relu1
            %order loss, train_op --fed images

        In Python::

            tf.explain.order([loss, train_op], feeds=[images])
        """
        args = parse(self.order, line)
        namespace = self.names
        if not args.fetch:
            raise UsageError("%order: what would be fetched? Give an expression or a name, e.g. %order loss")
        with leaving_graphs_alone(self.bench.graphs.values()):
            wanted = fetches(" ".join(args.fetch), self.graph_now, namespace)
            session = self.session_of(wanted)
            return order(wanted, session, [meant(fed, session.graph, namespace) for fed in args.fed])
