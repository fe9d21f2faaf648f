"""An op's attributes: converted to the engine's form, completed and checked; and what they say of the outputs.

What may stand in an attribute is written in the op's declaration (`opdef.AttrDef`); an attribute that an input decides
(`T` of an addition) is filled in by `inputs`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench.engine.dtypes import DType, as_dtype, type_word
from tfbench.engine.opdef import OpDef
from tfbench.engine.shapes import TensorShape
from tfbench.engine.signature import AttrDef
from tfbench.engine.tensor import OPERATORS

if TYPE_CHECKING:
    from tfbench.engine.operation import Operation


def given_attrs(op_def: OpDef, attrs: dict[str, Any]) -> dict[str, Any]:
    """The attributes that were given, converted; None means the default."""
    known: dict[str, Any] = {}
    definitions = op_def.attrs
    for key, value in attrs.items():
        if value is None:
            continue
        definition = definitions.get(key)
        if definition is not None:
            known[key] = convert_attr(op_def, definition, value)
        elif key.startswith("_"):
            known[key] = value
        else:
            raise TypeError(f"{op_def.type} has no attribute {key!r}; it has {', '.join(definitions) or 'none'}.")
    return known


def convert_attr(op_def: OpDef, definition: AttrDef, value: Any) -> Any:
    """An attribute's value in the engine's own form (DType, TensorShape, int, float, bool, str, bytes, list)."""
    kind = definition.kind
    if kind.startswith("list("):
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise TypeError(
                f"Expected list for '{definition.name}' argument to '{function_name(op_def.type)}' Op, not {value!r}."
            )
        element = kind[5:-1]
        return [_convert_one(op_def, definition.name, element, item) for item in value]
    return _convert_one(op_def, definition.name, kind, value)


def _convert_one(op_def: OpDef, name: str, kind: str, value: Any) -> Any:
    try:
        if kind == "type":
            return as_dtype(value)
        if kind == "int":
            if isinstance(value, (str, bytes)):
                raise TypeError
            return int(value)
        if kind == "float":
            if isinstance(value, (str, bytes)):
                raise TypeError
            value = float(value)
            # Float attributes are single precision.
            return float(np.float32(value)) if abs(value) < 3e38 else value
        if kind == "bool":
            if not isinstance(value, (bool, int)) and type(value).__name__ != "bool":
                raise TypeError
            return bool(value)
        if kind == "shape":
            return TensorShape(value)
        if kind == "string":
            if isinstance(value, bytes):
                try:
                    return value.decode()
                except UnicodeDecodeError:
                    return value
            if not isinstance(value, str):
                raise TypeError
            return value
        if kind == "tensor" and not isinstance(value, np.ndarray):
            return OPERATORS["make_ndarray"](value)
    except (TypeError, ValueError) as error:
        detail = f" {error}" if str(error) else ""
        raise TypeError(
            f"Expected {kind} for argument '{name}' to '{op_def.type}' Op, not {value!r}.{detail}"
        ) from None
    return value


def complete(op_def: OpDef, attrs: dict[str, Any], inferred_from: dict[str, str]) -> None:
    """Fills in the defaults, and checks what is allowed; what an input decided has been checked there."""
    for key, definition in op_def.attrs.items():
        if key not in attrs:
            if not definition.has_default:
                raise TypeError(f"No argument for attr '{key}' of '{op_def.type}' Op ({definition.kind}).")
            default = definition.default
            attrs[key] = list(default) if isinstance(default, list) else default
        if definition.allowed is None and definition.minimum is None:
            continue
        value = attrs[key]
        if definition.allowed is not None and key not in inferred_from:
            for item in value if definition.kind.startswith("list(") else [value]:
                if definition.kind in ("type", "list(type)"):
                    if item.base_dtype not in definition.allowed:
                        raise type_not_allowed(op_def, definition, item, key)
                elif item not in definition.allowed:
                    choices = '", "'.join(definition.allowed)
                    raise ValueError(
                        f"Attr '{key}' of '{op_def.type}' Op passed string '{item}' not in: \"{choices}\"."
                    )
        if definition.minimum is not None:
            is_list = definition.kind.startswith("list(")
            size = len(value) if is_list else value
            if size < definition.minimum:
                passed = f"list of length {size}" if is_list else f"{size}"
                raise ValueError(
                    f"Attr '{key}' of '{op_def.type}' Op passed {passed} less than minimum {definition.minimum}."
                )


def type_not_allowed(op_def: OpDef, definition: AttrDef, got: DType, parameter: str) -> TypeError:
    """The error for a type that the declaration of attribute `definition` does not list."""
    allowed = ", ".join(dtype.name for dtype in definition.allowed or ())
    return TypeError(
        f"Value passed to parameter '{parameter}' has DataType {got.name} not in list of allowed values: {allowed}"
        f" (op type {op_def.type})"
    )


def function_name(op_type: str) -> str:
    """'ConcatV2' -> 'concat_v2': the name of TensorFlow's Python function for an op, which its messages use."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])", "_", op_type).lower()


def output_dtypes(op_def: OpDef, attrs: dict[str, Any]) -> list[DType]:
    """The dtypes of the outputs, reference types included, lists spread out."""
    if len(op_def.outputs) == 1 and not op_def.has_lists:
        (arg,) = op_def.outputs
        dtype: Any = attrs[arg.type_attr] if arg.type_attr is not None else arg.dtype
        return [dtype._as_ref if arg.is_ref else dtype]
    found: list[DType] = []
    for arg in op_def.outputs:
        if arg.type_list_attr is not None:
            types = list(attrs[arg.type_list_attr])
        else:
            one = arg.dtype if arg.type_attr is None else attrs[arg.type_attr]
            types = [one] * (attrs[arg.number_attr] if arg.number_attr is not None else 1)
        found.extend(dtype._as_ref for dtype in types) if arg.is_ref else found.extend(types)
    return found


def output_count(op: Operation) -> int:
    """How many outputs the node has, lists spread out."""
    return len(output_dtypes(op.op_def, op.attrs))


def reference_inputs(op_def: OpDef, attrs: dict[str, Any]) -> list[bool]:
    """For each input tensor, lists spread out, whether the op takes it as a reference."""
    if not op_def.has_lists:
        return [arg.is_ref for arg in op_def.inputs]
    flags: list[bool] = []
    for arg in op_def.inputs:
        if arg.number_attr is not None:
            flags.extend([arg.is_ref] * attrs[arg.number_attr])
        elif arg.type_list_attr is not None:
            flags.extend([arg.is_ref] * len(attrs[arg.type_list_attr]))
        else:
            flags.append(arg.is_ref)
    return flags


def proto_type_name(dtype: DType) -> str:
    """The name of a dtype in TensorFlow's DataType enum, without the `DT_`."""
    return type_word(dtype).upper() + ("_REF" if dtype._is_ref_dtype else "")
