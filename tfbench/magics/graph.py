"""`%graph`: the graphs there are, and what can be done with them."""

from __future__ import annotations

import os
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from tfbench.bench.graph_files import read_graph, write_graph
from tfbench.bench.overview import overview
from tfbench.explain import diff
from tfbench.explain.diff import Diff
from tfbench.explain.text import shorten
from tfbench.magics.arguments import argument, arguments, line_magic, name, parse
from tfbench.magics.base import BenchMagics

#: what to do -> how many names it takes: at least, at most
ACTIONS = {
    "list": (0, 0), "use": (1, 1), "reset": (0, 1), "replay": (0, 1), "rename": (1, 2), "drop": (1, 1),
    "export": (1, 1), "import": (1, 1), "diff": (1, 2),
}  # fmt: skip


@magics_class
class GraphMagic(BenchMagics):
    @arguments()
    @argument("action", nargs="?", default="list", choices=list(ACTIONS), help="What to do. Default: list.")
    @argument(
        "names",
        nargs="*",
        type=name,
        help="Graph names; default: the current graph. rename takes OLD NEW, or NEW; export and import, a file; diff, "
        "graphs or files.",
    )
    @line_magic
    def graph(self, line: str) -> Any:
        """The graphs, their cells, and which cells are left out (stale).

        `use` makes a graph the current one, `reset` empties it and its session, `replay` runs its cells again in order,
        `rename` and `drop` do what they say. `export` writes the current graph into a file: a meta graph, which has the
        collections too, where its name ends in `.meta`, else a GraphDef (as text: `.pbtxt`). `import` adds the nodes of
        such a file to the current graph. `diff A B` says what is different in two of them, graphs or files; `diff A`
        in A and the current graph.

        Example::

            %graph
            %graph use filters
            %graph replay
            %graph export net.meta
            %graph diff net.meta

        In Python::

            tf.bench().graphs, tf.bench().use("filters"), tf.bench().replay()
            tf.explain.diff("old.meta", "filters")
        """
        args = parse(self.graph, line)
        least, most = ACTIONS[args.action]
        if not least <= len(args.names) <= most:
            wanted = "a name" if least == most == 1 else f"{least} to {most} names" if most else "no name"
            raise UsageError(f"%graph {args.action} takes {wanted}, but got {len(args.names)}")
        if args.action == "list":
            return overview(self.bench)
        try:
            return self._change(args.action, args.names)
        except (KeyError, ValueError) as error:
            raise UsageError(f"%graph {args.action}: {error.args[0]}") from None
        except OSError as error:
            raise UsageError(f"%graph {args.action}: {error}") from None

    def _change(self, action: str, names: list[str]) -> Diff | None:
        bench = self.bench
        first = shorten(names[0], 80) if names else ""
        if action == "diff":
            old, new = names if len(names) == 2 else (names[0], bench.current)
            return diff(os.path.expanduser(old), os.path.expanduser(new))
        if action == "use":
            bench.use(names[0])
            print(f"{first} is the current graph")
        elif action == "rename":
            old, new = names if len(names) == 2 else (bench.current, names[0])
            bench.rename(old, new)
            print(f"{shorten(old, 80)} is called {shorten(new, 80)} now")
        elif action in ("export", "import"):
            path = os.path.expanduser(names[0])
            print(write_graph(self.graph_now, path) if action == "export" else read_graph(self.graph_now, path))
        elif action == "drop":
            bench.drop(names[0])
            print(f"{first} is gone; {shorten(bench.current, 80)} is the current graph")
        else:
            result = (bench.reset if action == "reset" else bench.replay)(*names)
            print(result, *(f"warning: {text}" for text in result.warnings), sep="\n")
        return None
