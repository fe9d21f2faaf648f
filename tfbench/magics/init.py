"""`%init`: initialises variables."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import magics_class

from tfbench.bench.initialize import initialize
from tfbench.explain import variables
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse
from tfbench.magics.asking import no_such_names
from tfbench.magics.base import BenchMagics


@magics_class
class InitMagic(BenchMagics):
    @arguments()
    @argument("pattern", nargs="?", type=name, help="Which variables: a glob, a name or a scope. Default: all.")
    @argument("--all", action="store_true", help="Also those that have a value: they start over.")
    @line_magic
    def init(self, line: str) -> Any:
        """Initialise the current graph's variables that have no value yet, and say which.

        Nothing is added to the graph.

        Example::

            %init
            %init conv1/* --all

        In Python::

            tf.bench().session().run(tf.global_variables_initializer())
        """
        args = parse(self.init, line)
        session = self.session
        if args.pattern and not len(variables(session.graph, args.pattern)):
            raise no_such_names("init", "variable", args.pattern, [row.name for row in variables(session.graph)])
        print(initialize(session, args.pattern, again=args.all))
