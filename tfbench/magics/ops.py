"""`%ops`: the operations of the current graph."""

from __future__ import annotations

from IPython.core.magic import magics_class

from tfbench.explain import ops
from tfbench.explain.operations import Ops
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse
from tfbench.magics.asking import no_such_names
from tfbench.magics.base import BenchMagics


@magics_class
class OpsMagic(BenchMagics):
    @arguments()
    @argument("pattern", nargs="?", type=name, help="Which operations: a glob, a name or a scope. Default: all.")
    @line_magic
    def ops(self, line: str) -> Ops:
        """The operations: type, inputs (control inputs with ^), outputs, the device asked for, which cell made them.

        Example::

            %ops
            %ops conv1/*

        In Python::

            tf.explain.ops(pattern="conv1/*")
        """
        args = parse(self.ops, line)
        graph = self.graph_now
        rows = ops(graph, args.pattern)
        if args.pattern and not len(rows):
            raise no_such_names("ops", "operation", args.pattern, [op.name for op in graph.get_operations()])
        return rows
