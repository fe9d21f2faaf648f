"""Meta graphs: a graph with its collections and the SaverDef of what saves it, as a MetaGraphDef, written and read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tfbench import version
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.graph import Graph
from tfbench.engine.opdef import registry
from tfbench.formats import control_flow_def as _contexts  # noqa: F401 - says how these collections are written
from tfbench.formats import protos
from tfbench.formats.collection_def import UNBOUND_INPUTS, add_collection, restore_collections, strip
from tfbench.formats.graph_def import set_attr
from tfbench.formats.import_graph import import_graph_def
from tfbench.formats.op_def_proto import op_list
from tfbench.formats.safe_files import write_file

_UNBOUND = "$unbound_inputs_"


def export_meta_graph(
    filename: str | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Sequence[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Any:
    """The MetaGraphDef of a graph; also written to `filename`, in one stroke.

    Args:
      meta_info_def, graph_def: what goes into the message instead of what the graph gives.
      saver_def: the SaverDef of what saves the graph.
      collection_list: which collections; default: all.
      as_text: writes the file in protobuf's text form.
      graph: default: the default graph.
      export_scope: only what is in this scope, named relative to it; inputs from outside become unbound.
      clear_devices, strip_default_attrs: leave out devices, and attributes that have their default values.
      clear_extraneous_savers: leave out the collection of savers and the nodes of savers other than `saver_def`'s.
    """
    unbound = kwargs.pop("unbound_inputs_col_name", UNBOUND_INPUTS)
    if kwargs:
        raise TypeError(f"export_meta_graph() got an unexpected keyword argument '{next(iter(kwargs))}'")
    wanted = graph or get_default_graph()
    message = protos.MetaGraphDef()
    if meta_info_def is not None:
        message.meta_info_def.CopyFrom(meta_info_def)
    message.graph_def.CopyFrom(wanted.as_graph_def() if graph_def is None else graph_def)
    outside: list[str] = []
    if export_scope:
        outside = _only_scope(message.graph_def, export_scope)
    if clear_extraneous_savers:
        _drop_savers(message.graph_def, saver_def)
    for node in message.graph_def.node:
        if clear_devices:
            node.device = ""
        if strip_default_attrs:
            _drop_defaults(node)
    info = message.meta_info_def
    if not info.HasField("stripped_op_list"):
        info.stripped_op_list.CopyFrom(op_list(node.op for node in message.graph_def.node))
    info.tensorflow_version = version.VERSION
    info.tensorflow_git_version = version.GIT_VERSION
    info.stripped_default_attrs = strip_default_attrs
    if saver_def is not None:
        message.saver_def.CopyFrom(saver_def)
    keys = wanted.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        add_collection(message, wanted, key, export_scope, clear_extraneous_savers and key == GraphKeys.SAVERS)
    if outside and unbound:
        message.collection_def[unbound].bytes_list.value.extend(name.encode() for name in outside)
    if filename:
        write_message(filename, message, as_text)
    return message


def write_message(filename: str, message: Any, as_text: bool = False) -> None:
    """Writes a message into a file, in one stroke."""
    from google.protobuf import text_format

    filename = os.fsdecode(filename)
    data = text_format.MessageToString(message).encode() if as_text else message.SerializeToString(deterministic=True)
    write_file(filename, data)


def _only_scope(graph_def: Any, scope: str) -> list[str]:
    """Leaves the nodes of a scope, with names relative to it; gives the inputs from outside that they take."""
    inside = [node for node in graph_def.node if node.name.startswith(f"{scope}/")]
    outside: dict[str, None] = {}
    kept = []
    for node in inside:
        copy = protos.NodeDef.FromString(node.SerializeToString())
        copy.name = strip(node.name, scope)
        for position, name in enumerate(node.input):
            mark = "^" if name.startswith("^") else ""
            plain = name.removeprefix("^")
            if plain.startswith(f"{scope}/"):
                copy.input[position] = mark + strip(plain, scope)
            else:
                copy.input[position] = f"{mark}{_UNBOUND}{plain}"
                outside[copy.input[position]] = None
        if "_class" in copy.attr:
            classes = [text.decode() for text in copy.attr["_class"].list.s]
            del copy.attr["_class"].list.s[:]
            places = [f"loc:@{strip(text.removeprefix('loc:@'), scope)}" for text in classes]
            copy.attr["_class"].list.s.extend(text.encode() for text in places)
        kept.append(copy)
    del graph_def.node[:]
    graph_def.node.extend(kept)
    return list(outside)


def _drop_savers(graph_def: Any, saver_def: Any) -> None:
    """Leaves out the nodes that only savers other than `saver_def`'s have."""
    keep = "" if saver_def is None else saver_def.filename_tensor_name.rpartition("/")[0]
    scopes = set()
    for node in graph_def.node:
        if node.op in ("SaveV2", "RestoreV2", "SaveSlices", "RestoreSlice"):
            scope = node.name.rpartition("/")[0]
            if scope and scope != keep:
                scopes.add(f"{scope}/")
    kept = [node for node in graph_def.node if not any(node.name.startswith(scope) for scope in scopes)]
    names = {node.name for node in kept}
    if any(name.lstrip("^").partition(":")[0] not in names for node in kept for name in node.input):
        return  # something else uses a saver's node
    copies = [protos.NodeDef.FromString(node.SerializeToString()) for node in kept]
    del graph_def.node[:]
    graph_def.node.extend(copies)


def _drop_defaults(node: Any) -> None:
    declared = registry.get(node.op)
    for name, default in (declared.defaults if declared is not None else {}).items():
        if name in node.attr:
            value = protos.AttrValue()
            set_attr(value, default, declared.attrs[name].kind if declared is not None else None)
            if value == node.attr[name]:
                del node.attr[name]


# -- reading ----------------------------------------------------------------------------------------------------


def read_meta_graph_file(filename: str) -> Any:
    """The MetaGraphDef in a file, in either form.

    Raises:
      OSError: if there is none, or it holds something else.
    """
    return read_message(filename, protos.MetaGraphDef())


def read_message(filename: str, message: Any) -> Any:
    """The message in a file, written in binary or in protobuf's text form; `message` is an empty one of its type.

    Raises:
      OSError: if there is none, or it holds something else.
    """
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    filename = os.fsdecode(filename)
    if not os.path.isfile(filename):
        raise OSError(f"File does not exist. Received: {filename}.")
    with open(filename, "rb") as file:
        data = file.read()
    try:
        return type(message).FromString(data)
    except DecodeError:
        pass
    try:
        return text_format.Parse(data.decode(), message)
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise OSError(f"Cannot parse file {filename}: {error}.") from None


def import_scoped_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: dict[str, Any] | None = None,
    unbound_inputs_col_name: str | None = UNBOUND_INPUTS,
    restore_collections_predicate: Any = None,
    return_elements: Any = None,
) -> tuple[dict[str, Any], list[Any] | None, Any]:
    """Adds the nodes and collections of a MetaGraphDef (or the file of one) to a graph.

    Returns:
      The variables by the names that they have in the message, the elements asked for, and the message.
    """
    message = meta_graph_or_file
    if not hasattr(message, "graph_def"):
        message = read_meta_graph_file(message)
    unbound = unbound_inputs_col_name or ""
    if unbound in message.collection_def:
        needed = [text.decode() for text in message.collection_def[unbound].bytes_list.value]
        if not input_map or not set(needed) <= {str(key) for key in input_map}:
            raise ValueError(
                f"Graph contains unbound inputs: {sorted(needed)}. Must provide input_map containing these."
            )
    graph_def = message.graph_def
    if clear_devices:
        graph_def = protos.GraphDef.FromString(graph_def.SerializeToString())
        for node in graph_def.node:
            node.device = ""
    target = graph or get_default_graph()
    with target.as_default():
        elements = import_graph_def(
            graph_def, name=import_scope or "", input_map=input_map, return_elements=return_elements
        )
        scope = "/".join(part for part in (target.get_name_scope(), import_scope) if part)
        variables = restore_collections(target, message, scope)
    return variables, elements, message
