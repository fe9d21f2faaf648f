"""`%%graph`: a cell that builds a graph."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import magics_class

from tfbench.magics.arguments import argument, arguments, cell_magic, name, parse, silenced_by_semicolon
from tfbench.magics.base import BenchMagics
from tfbench.magics.show import VIEWS, show


@magics_class
class GraphCellMagic(BenchMagics):
    @arguments("%graph")
    @argument("name", nargs="?", type=name, help="Graph to build in; made if it is new. Default: the current one.")
    @argument("--scope", type=name, help="Open a variable scope of this name around the cell.")
    @argument("--reuse", nargs="?", const="yes", choices=["yes", "auto"], help="Reuse variables; auto: or create them.")
    @argument("--name-scope", type=name, help="Open a name scope around the cell.")
    @argument("--device", type=name, help="Ask for this device, e.g. /gpu:0.")
    @argument("--initializer", help="Default initializer for variables: an expression.")
    @argument("--seed", type=int, help="Graph-level seed for the operations of this cell.")
    @argument("--fresh", action="store_true", help="Start the graph over: earlier cells and all values are gone.")
    @argument("--no-replay", action="store_true", help="Leave later cells out; they are stale until they run again.")
    @argument("--show", choices=VIEWS, help="What to show under the summary. Default: map; in a terminal, none.")
    @argument("--cell", type=name, help="Which cell this is, where the front end does not tell cells apart.")
    @cell_magic
    @silenced_by_semicolon
    def graph(self, line: str, cell: str) -> Any:
        """Build in a graph: run the cell's Python code with that graph as the default one.

        Running a cell again replaces what it added, and runs the later cells of the graph again. If the cell
        raises, graph, session and names are as before.

        Example::

            %%graph filters --scope image_filters --device /cpu:0
            images = tf.placeholder(tf.float32, [None, 32, 32, 3], name="images")
            weights = tf.get_variable("weights", [5, 5, 3, 32])
            tf.nn.conv2d(images, weights, strides=[1, 1, 1, 1], padding="SAME")

        In Python::

            tf.bench().run_cell(source, graph="filters", scope="image_filters", device="/cpu:0")
        """
        args = parse(self.graph, line)
        notebook = self.notebook
        graph = args.name or notebook.bench.current
        cell_id, label = notebook.identify(args.cell, graph, cell)
        source, first_line, file = notebook.compiled_as(cell_id, line, cell)
        try:
            result = notebook.bench.run_cell(
                source,
                graph=args.name,
                scope=args.scope,
                reuse={"yes": True}.get(args.reuse, args.reuse),
                name_scope=args.name_scope,
                device=args.device,
                initializer=args.initializer,
                seed=args.seed,
                fresh=args.fresh,
                replay=not args.no_replay,
                cell_id=cell_id,
                label=label,
                file=file,
                first_line=first_line,
            )
        except BaseException as error:
            notebook.show_only_the_cell(error, file)
            raise
        show(notebook, cell_id, result, args.show)
        return result.value
