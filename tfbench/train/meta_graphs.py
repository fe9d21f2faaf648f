"""Graphs into files and back: `export_meta_graph`, `import_meta_graph`, `write_graph`; a call loads protobuf."""

from __future__ import annotations

import os
from typing import Any

from tfbench import logging
from tfbench.engine.default_graph import get_default_graph
from tfbench.train.saveables import all_saveables
from tfbench.train.saver import Saver


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

    Args:
      meta_graph_or_file: a MetaGraphDef, or the path of one.
      clear_devices: forget the devices of the nodes.
      import_scope: the name scope that the nodes go into.
      **kwargs: `input_map` and `return_elements` as `tf.import_graph_def` has them.

    Raises:
      OSError: if the file is missing or holds something else.
    """
    from tfbench.formats.meta_graph import import_scoped_meta_graph

    graph = get_default_graph()
    mark = graph.mark()
    try:
        variables, _, message = import_scoped_meta_graph(
            meta_graph_or_file, clear_devices=clear_devices, import_scope=import_scope, **kwargs
        )
    except Exception:
        graph.roll_back(mark)
        raise
    if message.HasField("saver_def"):
        scope = import_scope
        for name, variable in variables.items():
            scope = variable.name.removesuffix(name).rstrip("/")
            break
        return Saver(saver_def=message.saver_def, name=scope)
    if all_saveables():
        return Saver()
    logging.info("Saver not created because there are no variables in the graph to restore")
    return None


def write_graph(graph_or_graph_def: Any, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a GraphDef into the folder `logdir`, as text or in binary; returns the path."""
    from tfbench.formats.meta_graph import write_message

    message = graph_or_graph_def.as_graph_def() if hasattr(graph_or_graph_def, "as_graph_def") else graph_or_graph_def
    logdir = os.fsdecode(logdir)
    os.makedirs(logdir, exist_ok=True)
    path = os.path.join(logdir, os.fsdecode(name))
    write_message(path, message, as_text)
    return path
