"""`%scopes`: the scope tree of the current graph."""

from __future__ import annotations

from IPython.core.magic import magics_class

from tfbench.explain import scopes
from tfbench.explain.operations import Scopes
from tfbench.magics.arguments import arguments, line_magic, parse
from tfbench.magics.base import BenchMagics


@magics_class
class ScopesMagic(BenchMagics):
    @arguments()
    @line_magic
    def scopes(self, line: str) -> Scopes:
        """The scopes as a tree, with the operations and variables below each.

        Example::

            %scopes

        In Python::

            tf.explain.scopes()
        """
        parse(self.scopes, line)
        return scopes(self.graph_now)
