"""`%trace`: a run with its times, as a table and as a file for a trace viewer."""

from __future__ import annotations

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench.explain.trace import Trace, trace
from tfbench.magics.arguments import argument, arguments, line_magic, parse, silenced_by_semicolon
from tfbench.magics.asking import feeds, fetches, leaving_graphs_alone, saying_how_to_feed
from tfbench.magics.base import BenchMagics


@magics_class
class TraceMagic(BenchMagics):
    @arguments()
    @argument("fetch", nargs="*", help="An expression or a name of the graph; several with commas.")
    @argument(
        "--feed", action="append", metavar="NAME=EXPR", help="Feed a placeholder or another tensor; may be repeated."
    )
    @argument("--chrome", metavar="FILE", help="Also write a Chrome-trace file (chrome://tracing, Perfetto).")
    @line_magic
    @silenced_by_semicolon
    def trace(self, line: str) -> Trace:
        """Run the current graph once and tell what each operation took: time, bytes, device; and what crossed devices.

        Example::

            %trace loss --feed images=photo
            %trace train_op --feed images=photo --chrome step.json

        In Python::

            traced = tf.trace(loss, {images: photo})
            traced.to_chrome("step.json")
        """
        args = parse(self.trace, line)
        namespace = self.names
        if not args.fetch:
            raise UsageError("%trace: what shall be run? Give an expression or a name, e.g. %trace loss")
        with leaving_graphs_alone(self.bench.graphs.values()):
            wanted = fetches(" ".join(args.fetch), self.graph_now, namespace)
            session = self.session_of(wanted)
            with saying_how_to_feed("trace"):
                traced = trace(wanted, feeds(args.feed, session.graph, namespace), session)
        if args.chrome:
            traced.to_chrome(args.chrome)
            print(f"written: {args.chrome}")
        return traced
