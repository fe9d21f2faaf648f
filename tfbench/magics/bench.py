"""`%bench`: how long a run takes."""

from __future__ import annotations

from collections.abc import Callable

from IPython.core import magic
from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench.explain import timing
from tfbench.explain.timing import Timing
from tfbench.magics.arguments import F, argument, arguments, parse, silenced_by_semicolon
from tfbench.magics.asking import feeds, fetches, leaving_graphs_alone, saying_how_to_feed
from tfbench.magics.base import BenchMagics

#: `bench` itself is the notebook's bench here
_line_magic: Callable[[str], Callable[[F], F]] = magic.line_magic  # type: ignore[assignment]


@magics_class
class BenchMagic(BenchMagics):
    @arguments("bench")
    @argument("fetch", nargs="*", help="An expression or a name of the graph; several with commas.")
    @argument(
        "--feed", action="append", metavar="NAME=EXPR", help="Feed a placeholder or another tensor; may be repeated."
    )
    @argument("-n", type=int, metavar="N", help="Time so many runs. Default: 100, or as many as ten seconds have.")
    @_line_magic("bench")
    @silenced_by_semicolon
    def time_runs(self, line: str) -> Timing:
        """How long a run takes: median and spread of many runs after some to warm up, and where the time goes.

        Variables have their values again afterwards.

        Example::

            %bench train_op --feed images=batch
            %bench loss, train_op -n 20

        In Python::

            tf.explain.timing([loss, train_op], {images: batch}, runs=20)
        """
        args = parse(self.time_runs, line)
        if not args.fetch:
            raise UsageError("%bench: what shall be run? Give an expression or a name, e.g. %bench loss")
        if args.n is not None and args.n < 1:
            raise UsageError(f"%bench: -n must be at least 1, but is {args.n}")
        namespace = self.names
        with leaving_graphs_alone(self.bench.graphs.values()):
            wanted = fetches(" ".join(args.fetch), self.graph_now, namespace)
            session = self.session_of(wanted)
            fed = feeds(args.feed, session.graph, namespace)
            with saying_how_to_feed("bench"):
                return timing(wanted, fed, session, args.n)
