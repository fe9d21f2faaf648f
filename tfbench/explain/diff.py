"""`explain.diff`: what is different in two graphs."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Graph
from tfbench.engine.opdef import registry
from tfbench.engine.shapes import as_shape
from tfbench.explain.defaults import graph_for
from tfbench.explain.rows import plain
from tfbench.explain.text import shorten

#: attributes that say nothing about what an operation does
_NOTES = frozenset({"_output_shapes"})

#: names that are shown of a long list
_MOST_SHOWN = 40


class Change(NamedTuple):
    """An operation that is in both graphs and not the same: `what` has a line for each difference."""

    op: str
    what: tuple[str, ...]


class Diff(NamedTuple):
    """What is only in the second graph (`added`), only in the first (`removed`), or in both and not the same."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON takes."""
        found: dict[str, Any] = plain(self)
        return found

    def __str__(self) -> str:
        if not self:
            return "no difference"
        lines = [
            *_shown("+ ", self.added),
            *_shown("- ", self.removed),
            *_shown("~ ", [f"{name}: {'; '.join(what)}" for name, what in self.changed]),
        ]
        return "\n".join([*lines, f"{len(self.added)} added, {len(self.removed)} removed, {len(self.changed)} changed"])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _shown(sign: str, texts: Any) -> Iterator[str]:
    for text in texts[:_MOST_SHOWN]:
        yield sign + shorten(text, 200)
    if len(texts) > _MOST_SHOWN:
        yield f"{sign}… {len(texts) - _MOST_SHOWN} more"


def diff(graph_a: Any, graph_b: Any) -> Diff:
    """What is different in two graphs: operations by name, and of those in both, type, inputs, device and attributes.

    Args:
      graph_a, graph_b: each a Graph, the name of one of the bench's, a GraphDef or MetaGraphDef message, or the path of
        a file with one, in either form.

    Raises:
      OSError: for a file that holds something else. KeyError: for what is neither a graph of the bench nor a file.
      TypeError: for anything else.
    """
    before, after = _nodes(graph_a), _nodes(graph_b)
    changed = []
    for name, node in before.items():
        if name in after:
            what = tuple(_differences(node, after[name]))
            if what:
                changed.append(Change(name, what))
    return Diff(
        tuple(name for name in after if name not in before),
        tuple(name for name in before if name not in after),
        tuple(changed),
    )


def _nodes(source: Any) -> dict[str, Any]:
    """The nodes of a graph by name, as messages, in order."""
    message = _message(source)
    message = getattr(message, "graph_def", message)
    return {node.name: node for node in message.node}


def _message(source: Any) -> Any:
    if isinstance(source, Graph):
        return source.as_graph_def()
    if hasattr(source, "node") or hasattr(source, "graph_def"):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"a graph is a tf.Graph, a name, a GraphDef or a file, but got {source!r}")
    if os.path.isfile(source):
        return _read(os.fspath(source))
    try:
        return graph_for(str(source)).as_graph_def()
    except KeyError as error:
        raise KeyError(f"{shorten(str(source), 80)!r} is no file, and {error.args[0]}") from None


def _read(path: str) -> Any:
    from tfbench.formats import meta_graph, protos

    kinds = [protos.MetaGraphDef, protos.GraphDef] if path.endswith(".meta") else [protos.GraphDef, protos.MetaGraphDef]
    try:
        found = meta_graph.read_message(path, kinds[0]())
        if getattr(found, "graph_def", found).node:
            return found
    except OSError:
        pass
    return meta_graph.read_message(path, kinds[1]())


def _differences(before: Any, after: Any) -> Iterator[str]:
    if before.op != after.op:
        yield f"type {before.op} → {after.op}"
    for what, one, two in zip(("input", "waits for"), _split(before), _split(after), strict=True):
        if one != two:
            yield f"{what} {', '.join(one) or '-'} → {', '.join(two) or '-'}"
    if before.device != after.device:
        yield f"device {before.device or '-'} → {after.device or '-'}"
    for name in sorted({*before.attr, *after.attr} - _NOTES):
        one, two = _attribute(before, name), _attribute(after, name)
        if one != two:
            yield f"{name} {_text(one)} → {_text(two)}"


def _split(node: Any) -> tuple[list[str], list[str]]:
    """Data inputs in order, and control inputs by name; `a:0` and `a` are the same."""
    data = [name.removesuffix(":0") for name in node.input if not name.startswith("^")]
    return data, sorted(name[1:] for name in node.input if name.startswith("^"))


def _attribute(node: Any, name: str) -> Any:
    """An attribute as a message; where the node leaves it out, its default; None where it has none."""
    if name in node.attr:
        return node.attr[name]
    declared = registry.get(node.op)
    if declared is None or name not in declared.defaults:
        return None
    from tfbench.formats import protos
    from tfbench.formats.graph_def import set_attr

    value = protos.AttrValue()
    set_attr(value, declared.defaults[name], declared.attrs[name].kind)
    return value


def _text(value: Any) -> str:
    if value is None:
        return "-"
    kind = value.WhichOneof("value")
    if kind == "tensor":
        from tfbench.formats.tensor_proto import make_ndarray

        array = make_ndarray(value.tensor)
        shown = shorten(str(array.tolist()), 40)
        return shown if array.ndim == 0 else f"{shown} {tuple(array.shape)}"
    if kind == "shape":
        return str(as_shape(value.shape))
    if kind == "type":
        try:
            return as_dtype(value.type).name
        except TypeError:
            return f"type {value.type}"
    if kind == "s":
        return shorten(repr(value.s.decode("utf-8", "backslashreplace")), 60)
    if kind in ("i", "f", "b"):
        return shorten(str(getattr(value, kind)), 60)
    return shorten(" ".join(str(value).split()), 60)
