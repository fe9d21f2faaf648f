"""Graphs into files and back, as `%graph export` and `import` do it: the name of the file says which form."""

from __future__ import annotations

import importlib
from typing import Any

from tfbench.engine.graph import Graph
from tfbench.explain.text import count, shorten


def write_graph(graph: Graph, path: str) -> str:
    """Writes a graph: `.meta` a meta graph, `.pbtxt` a GraphDef as text, anything else a GraphDef. Says what it did."""
    files = importlib.import_module("tfbench.formats.meta_graph")
    if path.endswith(".meta"):
        files.export_meta_graph(path, graph=graph)
    else:
        files.write_message(path, graph.as_graph_def(), path.endswith("txt"))
    return f"wrote {count(len(graph.get_operations()), 'operation')} to {path}"


def read_graph(graph: Graph, path: str) -> str:
    """Adds the nodes of a file, in any of these forms, to a graph: all of them or none. Says what it did.

    Raises:
      OSError: if it is missing or holds something else. ValueError: if a name is taken.
    """
    files = importlib.import_module("tfbench.formats.meta_graph")
    before, mark = len(graph.get_operations()), graph.mark()
    try:
        _read(files, graph, path)
    except Exception:
        graph.roll_back(mark)
        raise
    return f"read {count(len(graph.get_operations()) - before, 'operation')} from {path}"


def _read(files: Any, graph: Graph, path: str) -> None:
    with graph.as_default():
        if path.endswith(".meta"):
            message: Any = files.read_meta_graph_file(path)
            _check_names(graph, message.graph_def, path)
            files.import_scoped_meta_graph(message, graph=graph)
        else:
            message = files.read_message(path, files.protos.GraphDef())
            _check_names(graph, message, path)
            importlib.import_module("tfbench.formats.import_graph").import_graph_def(message, name="")


def _check_names(graph: Graph, message: Any, path: str) -> None:
    """A name that is taken would get a number, and collections would name the wrong nodes."""
    taken = {op.name for op in graph.get_operations()}
    both = [node.name for node in message.node if node.name in taken]
    if both:
        raise ValueError(
            f"{count(len(both), 'name')} of {path} ({shorten(both[0], 80)}, …) are taken in this graph: import it into "
            "another one"
        )
