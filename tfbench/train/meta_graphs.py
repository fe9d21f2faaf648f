"""Graphs into files and back: `export_meta_graph`, `import_meta_graph`, `write_graph`; a call loads protobuf."""

from __future__ import annotations

import os
from typing import Any


def export_meta_graph(
    filename: str | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Any = None,
    as_text: bool = False,
    graph: Any = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Any:
    """The MetaGraphDef of a graph (default: the default graph), also written to `filename`.

    Arguments: see `tfbench.formats.meta_graph.export_meta_graph`.
    """
    from tfbench.formats.meta_graph import export_meta_graph as export

    return export(
        filename, meta_info_def, graph_def, saver_def, collection_list, as_text, graph, export_scope, clear_devices,
        clear_extraneous_savers, strip_default_attrs, save_debug_info, **kwargs,
    )  # fmt: skip


def import_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, import_scope: str | None = None, **kwargs: Any
) -> Any:
    """Adds a meta graph to the default graph; returns a Saver for its variables, None if it has none.

    Arguments: see `tfbench.formats.meta_graph.import_meta_graph`.
    """
    from tfbench.formats.meta_graph import import_meta_graph as import_

    return import_(meta_graph_or_file, clear_devices, import_scope, **kwargs)


def write_graph(graph_or_graph_def: Any, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a GraphDef into the folder `logdir`, as text or in binary; returns the path."""
    from tfbench.formats.meta_graph import write_message

    message = graph_or_graph_def.as_graph_def() if hasattr(graph_or_graph_def, "as_graph_def") else graph_or_graph_def
    logdir = os.fsdecode(logdir)
    os.makedirs(logdir, exist_ok=True)
    path = os.path.join(logdir, os.fsdecode(name))
    write_message(path, message, as_text)
    return path
