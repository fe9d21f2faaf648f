"""A restore compared with the checkpoint before it runs, so that it fails before the first variable is changed.

What will be restored into what is read off the graph: the assignments below the restore operation, and the name in the
checkpoint of the value that each of them takes. So it works for imported graphs as for new ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tfbench.engine import infer
from tfbench.engine.dtypes import DType
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.kernel_errors import brackets
from tfbench.engine.kernels.tensor_slices import parse_spec
from tfbench.engine.tensor import Tensor
from tfbench.errors import InvalidArgumentError


class Restored(NamedTuple):
    """One tensor that a restore reads: its name there, the part of it, and where it goes."""

    name: bytes
    spec: str
    dtype: DType
    #: the operation that takes it, and the op of its variable; None where something else is done with the value
    assign: Operation | None
    variable: Operation | None
    #: what fits the variable: None where its shape is not known or not looked at
    shape: tuple[int, ...] | None
    #: whether only the number of elements counts
    reshaped: bool


def restored_tensors(graph: Graph, restore_op_names: str | list[str]) -> tuple[list[Restored], int]:
    """What an operation, or several, restore, and by how many reading nodes."""
    asked = [restore_op_names] if isinstance(restore_op_names, str) else restore_op_names
    reads: dict[Operation, None] = {}
    uses: dict[Tensor, tuple[Operation, Operation, bool]] = {}
    for op in _below([graph.get_operation_by_name(name) for name in asked]):
        if op.type == "RestoreV2":
            reads[op] = None
        if op.type in ("Assign", "AssignVariableOp"):
            value, reshaped = op.inputs[1], False
            while value.op.type in ("Identity", "Reshape"):
                reshaped |= value.op.type == "Reshape"
                value = value.op.inputs[0]
            if value.op.type == "RestoreV2":
                uses[value] = (op, op.inputs[0].op, reshaped)
    found = []
    for read in reads:
        names, specs = infer.constant_value(read.inputs[1]), infer.constant_value(read.inputs[2])
        if names is None or specs is None:
            continue
        for tensor, name, spec in zip(read.outputs_list, names.tolist(), specs.tolist()):
            assign, variable, reshaped = uses.get(tensor, (None, None, False))
            dims = variable.attrs["shape"]._dims if variable is not None else None
            shape = tuple(dims) if dims is not None and None not in dims else None
            found.append(Restored(name, spec.decode(), tensor.dtype, assign, variable, shape, reshaped))
    return found, len(reads)


def _below(ops: list[Operation]) -> Iterator[Operation]:
    """`ops` and all that they wait for, except what makes the references that are assigned to."""
    seen, stack = set(ops), ops[::-1]
    while stack:
        current = stack.pop()
        yield current
        inputs = current.inputs[1:] if current.type in ("Assign", "AssignVariableOp") else current.inputs
        for other in (*current.control_inputs, *(tensor.op for tensor in inputs)):
            if other not in seen:
                seen.add(other)
                stack.append(other)


def check(graph: Graph, restore_op_names: str | list[str], path: str) -> None:
    """Compares all that the operation, or several, would restore with the checkpoint at `path`.

    Where several nodes read, their values are read here once before, as one of them could fail after another's
    values are assigned.

    Raises:
      NotFoundError: naming the first variable that is not there. InvalidArgumentError: for another type or shape.
      DataLossError: if the checkpoint is damaged.
    """
    from tfbench.formats.checkpoint_files import opened, wrong_type

    tensors, reading_nodes = restored_tensors(graph, restore_op_names)
    reader = opened(path)
    for item in tensors:
        found = reader.dtype(item.name)
        if found is not item.dtype.base_dtype:
            raise _named(wrong_type(reader, item.name, item.dtype), item)
        shape = reader.shape(item.name)
        if item.spec:
            full, part = parse_spec(item.spec)
            if full != shape:
                message = (
                    f"tensor_name = {item.name.decode()}; shape in shape_and_slice spec {brackets(full)} does not "
                    f"match the shape stored in checkpoint: {brackets(shape)}"
                )
                raise _named(InvalidArgumentError(None, None, message), item)
            shape = part.shape_of(shape)
        if item.shape is not None and not _fits(shape, item):
            if item.reshaped:
                message = (
                    f"Input to reshape is a tensor with {_count(shape)} values, but the requested shape has "
                    f"{_count(item.shape)}: {brackets(shape)} in the checkpoint, {brackets(item.shape)} in the graph"
                )
            else:
                message = (
                    "Assign requires shapes of both tensors to match. "
                    f"lhs shape= {brackets(item.shape)} rhs shape= {brackets(shape)}"
                )
            raise _named(InvalidArgumentError(None, None, message), item)
    if reading_nodes > 1:
        for item in tensors:
            reader.read(item.name, parse_spec(item.spec)[1] if item.spec else None)


def _fits(shape: tuple[int, ...], item: Restored) -> bool:
    assert item.shape is not None
    return _count(shape) == _count(item.shape) if item.reshaped else shape == item.shape


def _count(shape: tuple[int, ...]) -> int:
    result = 1
    for size in shape:
        result *= size
    return result


def _named(error: Any, item: Restored) -> Any:
    """The error with the variable that it is about."""
    if item.variable is None or item.assign is None:
        return error
    message = f"{error.message} (variable '{item.variable.name}', tensor '{item.name.decode()}' of the checkpoint)"
    return type(error)(item.assign.node_def, item.assign, f"{message}\n\t [[{{{{node {item.assign.name}}}}}]]")
