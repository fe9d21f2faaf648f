"""Collections of a graph as CollectionDef messages and back.

What a collection holds decides how it is written: objects with a message of their own (variables, savers) as bytes,
operations and tensors by name, numbers and strings as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tfbench import logging
from tfbench.engine.collections import GraphKeys
from tfbench.engine.graph import Graph
from tfbench.formats import protos
from tfbench.train.queue_runner import QueueRunner
from tfbench.train.saver import Saver
from tfbench.variables.base import Variable


class ProtoFunctions(NamedTuple):
    """How the objects of one collection become messages, and messages become objects again."""

    message: Callable[[], Any]
    #: (object, export_scope) -> message, or None for what is outside of the scope; None: as any collection is written
    to_proto: Callable[[Any, str | None], Any] | None
    #: (message, import_scope) -> object; None: bytes stay bytes
    from_proto: Callable[[Any, str | None], Any] | None


_registered: dict[str, ProtoFunctions] = {}


def register_proto_functions(collection: str, functions: ProtoFunctions) -> None:
    """Says how the objects of a collection are written into meta graphs."""
    _registered[collection] = functions


def register_proto_function(
    collection_name: str, proto_type: Any = None, to_proto: Any = None, from_proto: Any = None
) -> None:
    """Says how the objects that a program puts into a collection of its own are written into meta graphs.

    Args:
      proto_type: the class of the messages.
      to_proto: a function of an object and `export_scope=` that returns its message (None: it is left out).
      from_proto: a function of a message and `import_scope=` that returns an object.

    Raises:
      KeyError: if the collection is known already.
      TypeError: for what is no function.
    """
    for name, function in (("to_proto", to_proto), ("from_proto", from_proto)):
        if function and not callable(function):
            raise TypeError(f"{name} must be callable.")
    if collection_name in _registered:
        raise KeyError(f"Registering two proto functions with name '{collection_name}'!")
    functions = ProtoFunctions(
        proto_type,
        to_proto and (lambda item, scope: to_proto(item, export_scope=scope)),
        from_proto and (lambda message, scope: from_proto(message, import_scope=scope)),
    )
    register_proto_functions(collection_name, functions)


def _of_class(made_by: Any, message: Callable[[], Any]) -> ProtoFunctions:
    """For objects that write themselves, of a class that reads them."""
    return ProtoFunctions(
        message,
        lambda item, export_scope: item.to_proto(export_scope=export_scope),
        lambda message, import_scope: made_by.from_proto(message, import_scope=import_scope),
    )


_VARIABLES = _of_class(Variable, lambda: protos.VariableDef())
for _key in (*GraphKeys._VARIABLE_COLLECTIONS, GraphKeys.GLOBAL_STEP, GraphKeys.EVAL_STEP):
    register_proto_functions(_key, _VARIABLES)
register_proto_functions(GraphKeys.SAVERS, _of_class(Saver, lambda: protos.SaverDef()))
register_proto_functions(GraphKeys.QUEUE_RUNNERS, _of_class(QueueRunner, lambda: protos.QueueRunnerDef()))


def add_collection(meta_graph: Any, graph: Graph, key: Any, export_scope: str | None, skip: bool = False) -> None:
    """Writes one collection into a MetaGraphDef; one that cannot be written is left out, with a warning."""
    if not isinstance(key, (str, bytes)):
        logging.warning(
            "A collection whose key is not a string cannot be written and is left out. This key has %s", type(key)
        )
        return
    name = key.decode() if isinstance(key, bytes) else key
    items = graph.get_collection(key)
    if skip or not items:
        return
    message = protos.CollectionDef()
    try:
        _write(message, name, items, export_scope)
    except (TypeError, ValueError, AttributeError) as error:
        logging.warning(
            "Issue encountered when serializing %s: a CollectionDef cannot hold items of these types, so the "
            "collection is left out of the MetaGraphDef.\n%s",
            name,
            error,
        )
        return
    if message.WhichOneof("kind") is not None:
        meta_graph.collection_def[name].CopyFrom(message)


def _write(message: Any, name: str, items: list[Any], scope: str | None) -> None:
    functions = _registered.get(name)
    if functions is not None and functions.to_proto is not None:
        written = [found for item in items if (found := functions.to_proto(item, scope)) is not None]
        if written:
            message.bytes_list.value.extend(found.SerializeToString() for found in written)
        return
    first = items[0]
    if isinstance(first, (str, bytes)):
        texts = [item.encode() if isinstance(item, str) else item for item in items]
        message.bytes_list.value.extend(texts)
    elif isinstance(first, int) and not isinstance(first, bool):
        message.int64_list.value.extend(items)
    elif isinstance(first, float):
        message.float_list.value.extend(items)
    elif hasattr(first, "type_url"):
        for item in items:
            message.any_list.value.add(type_url=item.type_url, value=item.value)
    else:
        for item in items:
            if scope is None or item.name.startswith(f"{scope}/"):
                message.node_list.value.append(strip(item.name, scope))


def strip(name: str, scope: str | None) -> str:
    """A name relative to a scope."""
    return name.removeprefix(f"{scope}/") if scope else name


def restore_collections(graph: Graph, meta_graph: Any, import_scope: str | None) -> dict[str, Any]:
    """Puts the collections of a MetaGraphDef into a graph; gives the variables by name. One object is made of each
    message, also where it is in several collections."""
    made: dict[tuple[str, bytes], Any] = {}
    variables: dict[str, Any] = {}
    prefix = f"{import_scope}/" if import_scope else ""
    for key in sorted(meta_graph.collection_def):
        if key == UNBOUND_INPUTS:
            continue
        message = meta_graph.collection_def[key]
        kind = message.WhichOneof("kind")
        if kind is None:
            logging.error("Cannot identify data type for collection %s. Skipping.", key)
            continue
        functions = _registered.get(key)
        if functions is not None and functions.from_proto is not None and kind == "bytes_list":
            for data in message.bytes_list.value:
                what = "variable" if functions is _VARIABLES else key
                found = made.get((what, data))
                if found is None:
                    parsed = functions.message().FromString(data)
                    found = made[what, data] = functions.from_proto(parsed, import_scope)
                    if functions is _VARIABLES:
                        variables[parsed.variable_name] = found
                graph.add_to_collection(key, found)
            continue
        for value in getattr(message, kind).value:
            graph.add_to_collection(key, graph.as_graph_element(prefix + value) if kind == "node_list" else value)
    return variables


#: the collection that lists the inputs that a part of a graph takes from outside
UNBOUND_INPUTS = "unbound_inputs"
