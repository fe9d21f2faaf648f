"""A snapshot of a GraphDef message, for graphs that cannot be imported: with ops that tfbench does not have.

No shape function is asked, so shapes are those that the file itself has (`_output_shapes`, and those of variables and
placeholders). Everything else is as in a snapshot of a graph.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.dtypes import as_dtype
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.formats.tensor_proto import make_ndarray
from tfbench.snapshot.data import Edge, OpInfo, Output, Shape, Snapshot, VariableInfo
from tfbench.snapshot.scopes import scope_tree
from tfbench.snapshot.text import attr_text
from tfbench.snapshot.variables import access, byte_count


def from_graph_def(message: Any, name: str = "") -> Snapshot:
    """The nodes of a GraphDef.

    Raises:
      ValueError: if a node takes something from a node that is not there.
    """
    place = {node.name: i for i, node in enumerate(message.node)}
    wanted = [1] * len(message.node)
    edges = [_edges(node, place, wanted) for node in message.node]
    ops = tuple(
        OpInfo(
            node.name,
            node.op,
            node.device,
            tuple((key, _attr_text(node.attr[key])) for key in sorted(node.attr) if key != "_output_shapes"),
            tuple(data),
            tuple(control),
            _outputs(node, count),
            None,
        )
        for node, (data, control), count in zip(message.node, edges, wanted, strict=True)
    )
    return Snapshot(name, 0, ops, _variables(message, ops), scope_tree([op.name for op in ops]))


def _edges(node: Any, place: dict[str, int], wanted: list[int]) -> tuple[list[Edge], list[int]]:
    data, control = [], []
    for text in node.input:
        source, _, output = text.removeprefix("^").partition(":")
        if source not in place:
            raise ValueError(f"Node {node.name!r} takes {text!r}, but the graph has no node of that name.")
        if text.startswith("^"):
            control.append(place[source])
        else:
            edge = Edge(place[source], int(output or 0))
            wanted[edge.op] = max(wanted[edge.op], edge.output + 1)
            data.append(edge)
    return data, control


def _outputs(node: Any, count: int) -> tuple[Output, ...]:
    """What is known of the outputs: as many as somebody takes, or as the file lists shapes for."""
    listed = (
        [_shape(shape) for shape in node.attr["_output_shapes"].list.shape] if "_output_shapes" in node.attr else []
    )
    if not listed and "shape" in node.attr and (node.op in VARIABLE_TYPES or node.op.startswith("Placeholder")):
        listed = [_shape(node.attr["shape"].shape)]
    kind = next((node.attr[key].type for key in ("dtype", "DstT", "out_type", "T") if key in node.attr), 0)
    dtype = as_dtype(kind).name if kind else "unknown"
    if node.op == "VarHandleOp":
        dtype = "resource"
    elif node.op in VARIABLE_TYPES:
        dtype += "_ref"
    if node.op in ("NoOp", "Assert") and count == 1:
        return ()
    count = max(count, len(listed))
    return tuple(Output(dtype, listed[i] if i < len(listed) else None) for i in range(count))


def _shape(message: Any) -> Shape:
    if message.unknown_rank:
        return None
    return tuple(None if dim.size < 0 else int(dim.size) for dim in message.dim)


def _attr_text(value: Any) -> str:
    kind = value.WhichOneof("value")
    if kind == "type":
        return str(as_dtype(value.type).name)
    if kind == "shape":
        shape = _shape(value.shape)
        return "<unknown>" if shape is None else attr_text(["?" if size is None else size for size in shape])
    if kind == "tensor":
        return attr_text(make_ndarray(value.tensor))
    if kind == "list":
        for field, items in value.list.ListFields():
            if field.name == "type":
                return attr_text([as_dtype(item).name for item in items])
            return attr_text([str(_shape(item)) if field.name == "shape" else item for item in items])
        return "[]"
    if kind == "func":
        return f"<{value.func.name}>"
    return attr_text(getattr(value, kind)) if kind else ""


def _variables(message: Any, ops: tuple[OpInfo, ...]) -> tuple[VariableInfo, ...]:
    places = [i for i, info in enumerate(ops) if info.type in VARIABLE_TYPES]
    readers, writers = access(ops, places)
    found = []
    for i in places:
        attr = message.node[i].attr
        shape = _shape(attr["shape"].shape) if "shape" in attr else None
        dtype = as_dtype(attr["dtype"].type).name if attr["dtype"].type else "unknown"
        row = VariableInfo(
            name=ops[i].name,
            op=i,
            shape=shape,
            dtype=dtype,
            device=ops[i].device,
            trainable=False,
            collections=(),
            initialized=None,
            bytes=byte_count(shape, dtype),
            created_at=None,
            shared_with=(),
            read_by=tuple(ops[j].name for j in readers[i]),
            written_by=tuple(ops[j].name for j in writers[i]),
            stats=None,
        )
        found.append(row)
    return tuple(found)
