"""`%fetch`: runs and returns values."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench.magics.arguments import argument, arguments, line_magic, parse, silenced_by_semicolon
from tfbench.magics.asking import feeds, fetches, leaving_graphs_alone, saying_how_to_feed
from tfbench.magics.base import BenchMagics
from tfbench.magics.progress import Progress


@magics_class
class FetchMagic(BenchMagics):
    @arguments()
    @argument("fetch", nargs="*", help="An expression or a name of the graph; several with commas.")
    @argument(
        "--feed", action="append", metavar="NAME=EXPR", help="Feed a placeholder or another tensor; may be repeated."
    )
    @argument(
        "-n", type=int, default=1, metavar="N", help="Run N times with a progress bar; the last values are returned."
    )
    @line_magic
    @silenced_by_semicolon
    def fetch(self, line: str) -> Any:
        """Run the current graph and return the values: one, or a tuple where several were asked for.

        Names without an output number mean the operation's value. Operations that an expression adds to the graph
        (`%fetch x + 1`) are taken away again.

        Example::

            %fetch relu1 --feed images=photo
            %fetch loss, train_op --feed images=batch(32) -n 100

        In Python::

            tf.bench().session().run((loss, train_op), feed_dict={images: batch(32)})
        """
        args = parse(self.fetch, line)
        namespace = self.names
        if not args.fetch:
            raise UsageError("%fetch: what shall be run? Give an expression or a name, e.g. %fetch loss")
        if args.n < 1:
            raise UsageError(f"%fetch: -n must be at least 1, but is {args.n}")
        with leaving_graphs_alone(self.bench.graphs.values()):
            wanted = fetches(" ".join(args.fetch), self.graph_now, namespace)
            session = self.session_of(wanted)
            fed = feeds(args.feed, session.graph, namespace)
            with saying_how_to_feed("fetch"):
                if args.n == 1:
                    return session.run(wanted, fed)
                with Progress(args.n) as progress:
                    for _ in range(args.n):
                        values = session.run(wanted, fed)
                        progress.step()
                return values
