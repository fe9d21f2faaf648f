"""Declarations of ops as OpDef messages: what a meta graph says about the ops that it uses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfbench.engine.opdef import OpDef, registry
from tfbench.formats import protos
from tfbench.formats.graph_def import set_attr


def op_list(types: Iterable[str]) -> Any:
    """The OpList of the ops of these types, by name; those that are not declared are left out."""
    message = protos.OpList()
    message.op.extend(op_def(registry[type]) for type in sorted(set(types)) if type in registry)
    return message


def op_def(declared: OpDef) -> Any:
    """One declaration as an OpDef."""
    message = protos.OpDef(name=declared.type, is_stateful=declared.stateful)
    for arg in declared.inputs:
        _arg(message.input_arg.add(), arg)
    for arg in declared.outputs:
        _arg(message.output_arg.add(), arg)
    for name, attr in declared.attrs.items():
        field = message.attr.add(name=name, type=attr.kind)
        if attr.has_default:
            set_attr(field.default_value, attr.default, attr.kind)
        if attr.allowed is not None:
            set_attr(field.allowed_values, list(attr.allowed), f"list({attr.kind.removeprefix('list(').rstrip(')')})")
        if attr.minimum is not None:
            field.has_minimum = True
            field.minimum = attr.minimum
    return message


def _arg(message: Any, arg: Any) -> None:
    message.name = arg.name
    message.is_ref = arg.is_ref
    for field in ("type_attr", "number_attr", "type_list_attr"):
        setattr(message, field, getattr(arg, field) or "")
    if arg.dtype is not None:
        message.type = arg.dtype.as_datatype_enum
