"""`%vars`: the variables of the current graph."""

from __future__ import annotations

from IPython.core.magic import magics_class

from tfbench.explain import variables
from tfbench.explain.variables import Variables
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse
from tfbench.magics.asking import no_such_names
from tfbench.magics.base import BenchMagics


@magics_class
class VarsMagic(BenchMagics):
    @arguments()
    @argument("pattern", nargs="?", type=name, help="Which variables: a glob, a name or a scope. Default: all.")
    @line_magic
    def vars(self, line: str) -> Variables:
        """The variables: shape, dtype, device, whether they have a value, which cell made them, who shares them.

        Example::

            %vars
            %vars conv*/weights

        In Python::

            tf.explain.variables(pattern="conv*/weights")
        """
        args = parse(self.vars, line)
        session = self.session
        rows = variables(session.graph, args.pattern, session)
        if args.pattern and not len(rows):
            raise no_such_names("vars", "variable", args.pattern, [row.name for row in variables(session.graph)])
        return rows
