"""`%lint`: what in a graph is probably not meant."""

from __future__ import annotations

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench.explain import lint
from tfbench.explain.defaults import session_for
from tfbench.explain.lint import ALL_RULES, Findings
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse
from tfbench.magics.base import BenchMagics


@magics_class
class LintMagic(BenchMagics):
    @arguments()
    @argument("graph", nargs="?", type=name, help="A graph of the bench. Default: the current one.")
    @argument("--rule", action="append", choices=list(ALL_RULES), help="Only this rule; may be repeated.")
    @line_magic
    def lint(self, line: str) -> Findings:
        """What in a graph is probably not meant, each with its line and the way out.

        Rules about runs look at what the graph's session has run so far, and say nothing before. Nothing is run.

        Example::

            %lint
            %lint filters --rule never-initialized

        In Python::

            tf.explain.lint()
        """
        args = parse(self.lint, line)
        try:
            graph = self.bench.graph(args.graph)
        except KeyError as error:
            raise UsageError(f"%lint: {error.args[0]}") from None
        session = session_for(graph) or self.bench.session(args.graph)
        return lint(graph, session, args.rule)
