"""`%why`: what makes an operation run, or why it does not; and why a gradient is None."""

from __future__ import annotations

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench.explain import gradient_path, why
from tfbench.explain.gradient_path import GradientPath
from tfbench.explain.why import Why
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse
from tfbench.magics.asking import feeds, fetches, leaving_graphs_alone, meant
from tfbench.magics.base import BenchMagics


@magics_class
class WhyMagic(BenchMagics):
    @arguments()
    @argument("op", help="An operation, a tensor or a variable: an expression or a name of the graph.")
    @argument(
        "--fetch", metavar="FETCH", help="What would be fetched: why does OP run then, or why not? Several: (a, b)."
    )
    @argument("--gradient-of", metavar="Y", help="Where does the gradient of Y with respect to OP come along, or end?")
    @argument("--fed", action="append", type=name, default=[], help="A tensor that would be fed; may be repeated.")
    @argument("--feed", action="append", metavar="NAME=EXPR", help="The same, with its value; may be repeated.")
    @line_magic
    def why(self, line: str) -> Why | GradientPath:
        """What makes an operation run - or why it does not; and why a gradient is None. Nothing is run.

        Example::

            %why update --fetch y
            %why weights --gradient-of loss

        In Python::

            tf.explain.why(update, y)
            tf.explain.gradient_path(loss, weights)
        """
        args = parse(self.why, line)
        if (args.fetch is None) == (args.gradient_of is None):
            raise UsageError("%why: give either --fetch FETCH (does OP run?) or --gradient-of Y (is there a gradient?)")
        namespace, graph = self.names, self.graph_now
        with leaving_graphs_alone(self.bench.graphs.values()):
            op = meant(args.op, graph, namespace)
            if args.gradient_of is not None:
                return gradient_path(meant(args.gradient_of, graph, namespace), op)
            wanted = fetches(args.fetch, graph, namespace)
            graph = self.session_of(wanted).graph
            fed = dict.fromkeys(meant(each, graph, namespace) for each in args.fed)
            return why(op, wanted, {**fed, **feeds(args.feed, graph, namespace)})
