"""Adding a node from an op's declaration: inputs to tensors, attributes inferred, checked and filled in.

The node's name scope is claimed first, so that constants made for Python values are called `add/y`, as in
TensorFlow. Most nodes take tensors only and have one type attribute; they skip everything else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import default_graph_stack
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.opdef import ArgDef, AttrDef, OpDef, builder
from tfbench.engine.scopes import NameScope
from tfbench.engine.shape_math import debug_string
from tfbench.engine.shapes import TensorShape
from tfbench.engine.source import Trace
from tfbench.engine.tensor import Tensor


def apply_op(op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None) -> Operation:
    """Adds a node of type `op_def` for `inputs` (tensors or Python values).

    Raises:
      TypeError, ValueError: naming the op and the input or attribute, before anything is added but the
        constants made for earlier inputs.
    """
    args = op_def.inputs
    if len(inputs) != len(args):
        raise TypeError(f"{op_def.type} takes {len(args)} inputs ({_names(args)}), but got {len(inputs)}.")
    if op_def.simple_type is not None and not attrs and type(inputs[0]) is Tensor:
        # Most nodes: tensors of one type and one graph. Whatever else is the case is looked into below.
        dtype = inputs[0]._dtype.base_dtype
        graph = inputs[0].op.graph
        nodes = graph._nodes
        for tensor in inputs:
            if type(tensor) is not Tensor or tensor._dtype.base_dtype is not dtype:
                break
            op = tensor.op
            if op.graph is not graph or op._id >= len(nodes) or nodes[op._id] is not op:
                break
        else:
            if graph._control_flow_context is None:
                name = _claim(graph, name or op_def.type)
                form = op_def.forms.get(dtype) or _simple_form(op_def, op_def.simple_type, dtype)
                return graph.add_node(op_def, name, tuple(inputs), form[0], form[1])
    graph = graph_of(inputs)
    # An attribute of a wrong type is refused before the name is used up.
    known = _given_attrs(op_def, attrs)
    if op_def.has_lists:
        _check_lists(op_def, inputs)
    scope = NameScope(graph, name or op_def.type)
    claimed = scope.__enter__()
    try:
        return _apply(graph, op_def, inputs, known, claimed[:-1])
    finally:
        scope.__exit__()


def _check_lists(op_def: OpDef, inputs: Sequence[Any]) -> None:
    """TypeError for what is no list where one is needed, ValueError for lists that should be equally long."""
    lengths: dict[str, tuple[str, int]] = {}
    for arg, value in zip(op_def.inputs, inputs):
        if arg.number_attr is None:
            continue
        if not isinstance(value, (list, tuple)):
            raise _not_a_list(op_def, arg, value)
        first, length = lengths.setdefault(arg.number_attr, (arg.name, len(value)))
        if length != len(value):
            raise _lengths_differ(op_def, arg, len(value), length, first)


def _lengths_differ(op_def: OpDef, arg: ArgDef, found: int, wanted: int, first: str) -> ValueError:
    return ValueError(
        f"List argument '{arg.name}' to '{_function_name(op_def.type)}' Op with length {found} must match "
        f"length {wanted} of argument '{first}'."
    )


def _simple_form(op_def: OpDef, key: str, dtype: DType) -> tuple[dict[str, Any], tuple[DType, ...]]:
    """The attributes (shared by all such nodes) and output types of an op whose only attribute is `dtype`."""
    allowed = op_def.attrs[key].allowed
    if allowed is not None and dtype not in allowed:
        raise _type_not_allowed(op_def, op_def.attrs[key], dtype, op_def.inputs[0].name)
    attrs = {key: dtype}
    form = op_def.forms[dtype] = (attrs, tuple(output_dtypes(op_def, attrs)))
    return form


def _claim(graph: Graph, name: str) -> str:
    """The unique node name for `name`, which may be a whole scope ('a/b/')."""
    if name[-1] == "/":
        return name[:-1]
    return graph.unique_name(name)


def graph_of(values: Any) -> Graph:
    """The graph that the tensors among `values` (lists looked into) belong to; else the default graph.

    Raises:
      ValueError: if they belong to different graphs, or one of them was removed from its graph.
    """
    graph: Graph | None = None
    first: Any = None
    for value in values:
        if type(value) is Tensor:
            # The common case, written out: this runs for every input of every node.
            op = value.op
            own = op.graph
            if graph is None:
                graph, first = own, value
            nodes = own._nodes
            if own is graph and op._id < len(nodes) and nodes[op._id] is op:
                continue
        if isinstance(value, (list, tuple)):
            inner = [item for item in value if isinstance(item, Tensor) or hasattr(item, "_as_graph_element")]
        else:
            inner = [value]
        for item in inner:
            if not isinstance(item, Tensor):
                element = getattr(item, "_as_graph_element", None)
                if element is None:
                    continue
                item = element()
            op = item.op if isinstance(item, Tensor) else item
            own = op.graph
            nodes = own._nodes
            if op._id >= len(nodes) or nodes[op._id] is not op:
                from tfbench.engine.graph_elements import replaced_error

                raise replaced_error(op, item)
            if graph is None:
                graph, first = own, item
            elif own is not graph:
                raise ValueError(f"{item} must be from the same graph as {first} (graphs are {own} and {graph}).")
    default = default_graph_stack.get()
    if graph is None:
        return default
    return graph


def _given_attrs(op_def: OpDef, attrs: dict[str, Any]) -> dict[str, Any]:
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


def _apply(graph: Graph, op_def: OpDef, inputs: Sequence[Any], known: dict[str, Any], name: str) -> Operation:
    inferred_from: dict[str, str] = {}
    if graph is default_graph_stack.get():
        tensors = _convert_inputs(op_def, inputs, known, inferred_from)
    else:
        with graph.as_default():
            tensors = _convert_inputs(op_def, inputs, known, inferred_from)
    _complete(op_def, known, inferred_from)
    return _add(graph, op_def, name, tensors, known)


def _convert_inputs(
    op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], inferred_from: dict[str, str]
) -> list[Tensor]:
    tensors: list[Tensor] = []
    for arg, value in zip(op_def.inputs, inputs, strict=True):
        if arg.is_list:
            tensors.extend(_list_input(op_def, arg, value, attrs, inferred_from))
        else:
            tensors.append(_single_input(op_def, arg, value, attrs, inferred_from))
    return tensors


def add_made(
    op_def: OpDef, name: str, tensors: Sequence[Tensor], attrs: dict[str, Any], trace: Trace | None = None
) -> Operation:
    """Adds a node for library code that knows its own: a unique name, tensors of the right types, attributes converted.

    Attributes that are not given have their defaults. With `trace`, the node is from the same place as another one.
    """
    return _add(graph_of(tensors), op_def, name, tensors, {**op_def.defaults, **attrs}, trace)


def _add(
    graph: Graph,
    op_def: OpDef,
    name: str,
    tensors: Sequence[Tensor],
    attrs: dict[str, Any],
    trace: Trace | None = None,
) -> Operation:
    """Adds the checked node; one that takes references is placed with them, as they are buffers, not values."""
    dtypes = output_dtypes(op_def, attrs)
    if not op_def.takes_references:
        return graph.add_node(op_def, name, tensors, attrs, dtypes, trace)
    # As TensorFlow pairs them: of a list of references only the first counts.
    pairs = zip(op_def.inputs, tensors, strict=False)
    scopes = [graph.colocate_with(tensor.op) for arg, tensor in pairs if arg.is_ref]
    for scope in scopes:
        scope.__enter__()
    try:
        return graph.add_node(op_def, name, tensors, attrs, dtypes, trace)
    finally:
        for scope in reversed(scopes):
            scope.__exit__()


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


def _single_input(
    op_def: OpDef, arg: ArgDef, value: Any, attrs: dict[str, Any], inferred_from: dict[str, str]
) -> Tensor:
    key = arg.type_attr
    wanted = arg.dtype if key is None else attrs.get(key)
    if isinstance(value, Tensor):
        tensor = value
        got = tensor._dtype.base_dtype
        if wanted is not None and got is not wanted.base_dtype:
            raise _mismatch(op_def, arg, got.name, wanted, inferred_from)
    else:
        tensor = _convert(op_def, arg, value, wanted, inferred_from)
        got = tensor._dtype.base_dtype
    if arg.is_ref and not tensor._dtype._is_ref_dtype:
        raise TypeError(
            f"'{op_def.type}' Op requires that input '{arg.name}' be a mutable tensor (e.g.: a tf.Variable)"
        )
    if key is not None and key not in attrs:
        definition = op_def.attrs[key]
        if definition.allowed is not None and got not in definition.allowed:
            raise _type_not_allowed(op_def, definition, got, arg.name)
        attrs[key] = got
        inferred_from[key] = arg.name
    return tensor


def _convert(op_def: OpDef, arg: ArgDef, value: Any, wanted: DType | None, inferred_from: dict[str, str]) -> Tensor:
    hint = None
    if wanted is None and arg.type_attr is not None:
        definition = op_def.attrs[arg.type_attr]
        hint = definition.default if definition.has_default else None
        if hint is not None and definition.allowed:
            # TensorFlow prefers what the value is by itself, and leaves the constant behind if that is not allowed.
            try:
                tensor = convert_to_tensor(value, name=arg.name, as_ref=arg.is_ref)
                if tensor._dtype.base_dtype in definition.allowed:
                    return tensor
            except (TypeError, ValueError):
                pass
    try:
        tensor = convert_to_tensor(value, dtype=wanted, name=arg.name, preferred_dtype=hint, as_ref=arg.is_ref)
        if wanted is not None and tensor._dtype.base_dtype is not wanted.base_dtype:
            raise _mismatch(op_def, arg, tensor._dtype.base_dtype.name, wanted, inferred_from)
        return tensor
    except TypeError as error:
        if wanted is None or "does not match" in str(error):
            raise
        raise TypeError(
            f"Expected {wanted.name} passed to parameter '{arg.name}' of op '{op_def.type}', got {value!r} of type "
            f"'{type(value).__name__}' instead. Error: {error}"
        ) from None
    except ValueError as error:
        try:
            observed = convert_to_tensor(value, as_ref=arg.is_ref)._dtype.name
        except ValueError:
            raise ValueError(f"Tried to convert '{arg.name}' to a tensor and failed. Error: {error}") from None
        if wanted is None:
            raise
        raise _mismatch(op_def, arg, observed, wanted, inferred_from) from None


def _mismatch(op_def: OpDef, arg: ArgDef, got: str, wanted: DType, inferred_from: dict[str, str]) -> TypeError:
    message = f"Input '{arg.name}' of '{op_def.type}' Op has type {got} that does not match "
    if arg.type_attr is None:
        return TypeError(message + f"expected type of {wanted.name}.")
    source = inferred_from.get(arg.type_attr)
    if source is None:
        return TypeError(message + f"expected type of {wanted.name} (attribute '{arg.type_attr}').")
    return TypeError(message + f"type {wanted.name} of argument '{source}'.")


def _type_not_allowed(op_def: OpDef, definition: AttrDef, got: DType, parameter: str) -> TypeError:
    allowed = ", ".join(dtype.name for dtype in definition.allowed or ())
    return TypeError(
        f"Value passed to parameter '{parameter}' has DataType {got.name} not in list of allowed values: {allowed}"
        f" (op type {op_def.type})"
    )


def _list_input(
    op_def: OpDef, arg: ArgDef, value: Any, attrs: dict[str, Any], inferred_from: dict[str, str]
) -> list[Tensor]:
    if not isinstance(value, (list, tuple)):
        raise _not_a_list(op_def, arg, value)
    wanted = arg.dtype if arg.type_attr is None else attrs.get(arg.type_attr)
    types: list[DType] | None = attrs.get(arg.type_list_attr) if arg.type_list_attr is not None else None
    if types is not None and len(types) != len(value):
        raise ValueError(
            f"Input '{arg.name}' of '{op_def.type}' Op has {len(value)} tensors, but attribute "
            f"'{arg.type_list_attr}' lists {len(types)} types."
        )
    hint = next((item._dtype.base_dtype for item in value if isinstance(item, Tensor)), None)
    if hint is None:
        hint = next(
            (d.base_dtype for d in (getattr(item, "dtype", None) for item in value) if isinstance(d, DType)), None
        )
    if arg.type_list_attr is not None:
        hint = None
    expected = types if types is not None else [wanted] * len(value)
    try:
        tensors = [
            item
            if isinstance(item, Tensor)
            else convert_to_tensor(item, dtype=kind or hint, name=f"{arg.name}_{i}", as_ref=arg.is_ref)
            for i, (item, kind) in enumerate(zip(value, expected, strict=True))
        ]
    except (TypeError, ValueError) as error:
        raise _list_mismatch(op_def, arg, [_observed(item, arg) for item in value], wanted, types, error) from None
    found = [tensor._dtype.base_dtype for tensor in tensors]
    if arg.type_list_attr is not None:
        if types is not None and [t.base_dtype for t in types] != found:
            raise _list_mismatch(op_def, arg, [t.name for t in found], wanted, types, None)
        definition = op_def.attrs[arg.type_list_attr]
        for kind in found if definition.allowed is not None else ():
            if kind not in definition.allowed:  # type: ignore[operator]
                raise _type_not_allowed(op_def, definition, kind, arg.name)
        attrs[arg.type_list_attr] = found
        inferred_from[arg.type_list_attr] = arg.name
        return tensors
    if len(set(found)) > 1 or (wanted is not None and found and found[0] is not wanted.base_dtype):
        raise _list_mismatch(op_def, arg, [t.name for t in found], wanted, types, None)
    number = arg.number_attr or ""
    if attrs.setdefault(number, len(tensors)) != len(tensors):
        raise _lengths_differ(op_def, arg, len(tensors), attrs[number], inferred_from.get(number, number))
    inferred_from.setdefault(number, arg.name)
    minimum = op_def.attrs[number].minimum
    if minimum is not None and len(tensors) < minimum:
        raise ValueError(
            f"List argument '{arg.name}' to '{op_def.type}' Op with length {len(tensors)} shorter than "
            f"minimum length {minimum}."
        )
    if arg.type_attr is not None and arg.type_attr not in attrs and found:
        definition = op_def.attrs[arg.type_attr]
        if definition.allowed is not None and found[0] not in definition.allowed:
            raise _type_not_allowed(op_def, definition, found[0], arg.name)
        attrs[arg.type_attr] = found[0]
        inferred_from[arg.type_attr] = arg.name
    if arg.is_ref and not all(tensor._dtype._is_ref_dtype for tensor in tensors):
        raise TypeError(
            f"'{op_def.type}' Op requires that input '{arg.name}' be a mutable tensor (e.g.: a tf.Variable)"
        )
    return tensors


def _not_a_list(op_def: OpDef, arg: ArgDef, value: Any) -> TypeError:
    return TypeError(f"Expected list for '{arg.name}' argument to '{_function_name(op_def.type)}' Op, not {value!r}.")


def _observed(value: Any, arg: ArgDef) -> str:
    """The name of the type that `value` has as a tensor, for messages."""
    try:
        return convert_to_tensor(value, as_ref=arg.is_ref)._dtype.base_dtype.name
    except (TypeError, ValueError):
        return "<NOT CONVERTIBLE TO TENSOR>"


def _list_mismatch(
    op_def: OpDef,
    arg: ArgDef,
    observed: list[str],
    wanted: DType | None,
    types: list[DType] | None,
    error: Exception | None,
) -> TypeError:
    message = f"Tensors in list passed to '{arg.name}' of '{op_def.type}' Op have types [{', '.join(observed)}] that "
    if types is not None:
        message += f"do not match expected types of [{', '.join(t.name for t in types)}]."
    elif arg.type_list_attr is not None:
        message += "are invalid."
    elif wanted is None:
        message += "don't all match."
    elif arg.type_attr is None:
        message += f"do not match expected type {wanted.name}."
    else:
        message += f"do not match type {wanted.name} inferred from earlier arguments."
    return TypeError(message + (f" {error}" if error is not None else ""))


def _function_name(op_type: str) -> str:
    """'ConcatV2' -> 'concat_v2': the name of TensorFlow's Python function for an op, which its messages use."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])", "_", op_type).lower()


def _complete(op_def: OpDef, attrs: dict[str, Any], inferred_from: dict[str, str]) -> None:
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
                        raise _type_not_allowed(op_def, definition, item, key)
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


def convert_attr(op_def: OpDef, definition: AttrDef, value: Any) -> Any:
    """An attribute's value in the engine's own form (DType, TensorShape, int, float, bool, str, bytes, list)."""
    kind = definition.kind
    if kind.startswith("list("):
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise TypeError(
                f"Expected list for '{definition.name}' argument to '{_function_name(op_def.type)}' Op, not {value!r}."
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
    except (TypeError, ValueError) as error:
        detail = f" {error}" if str(error) else ""
        raise TypeError(
            f"Expected {kind} for argument '{name}' to '{op_def.type}' Op, not {value!r}.{detail}"
        ) from None
    return value


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
    return len(output_dtypes(op.op_def, op.attrs))


def create_from_parts(
    graph: Graph, op_def: OpDef, inputs: list[Tensor], attrs: dict[str, Any], name: str | None
) -> Operation:
    """Adds a node whose inputs are tensors already (`Graph.create_op`, importing a graph)."""
    known = {
        key: convert_attr(op_def, op_def.attrs[key], value) if key in op_def.attrs else value
        for key, value in attrs.items()
    }
    inferred_from: dict[str, str] = {}
    position = 0
    for arg in op_def.inputs:
        if not arg.is_list:
            _single_input(op_def, arg, inputs[position], known, inferred_from)
            position += 1
            continue
        if arg.type_list_attr is not None:
            count = len(known[arg.type_list_attr]) if arg.type_list_attr in known else len(inputs) - position
        else:
            count = known.get(arg.number_attr or "", len(inputs) - position)
        _list_input(op_def, arg, inputs[position : position + count], known, inferred_from)
        position += count
    if position != len(inputs):
        raise ValueError(f"{op_def.type} takes {position} inputs ({_names(op_def.inputs)}), but got {len(inputs)}.")
    _complete(op_def, known, inferred_from)
    return _add(graph, op_def, _claim(graph, name or op_def.type), inputs, known)


def shape_error(op: Operation, error: ValueError) -> ValueError:
    """A shape function's complaint, with the node and the shapes it was given."""
    attrs = ", ".join(f"{key}={_attr_text(value)}" for key, value in sorted(op.attrs.items()) if key[0] != "_")
    inputs = ", ".join(_input_text(tensor) for tensor in op._inputs)
    shapes = ", ".join(debug_string(tensor._shape) for tensor in op._inputs)
    message = f"{error} for '{{{{node {op.name}}}}} = {op.type}[{attrs}]({inputs})' with input shapes: {shapes}"
    values = _known_inputs(op)
    return ValueError(message + (f" and with computed input tensors: {values}." if values else "."))


def _known_inputs(op: Operation) -> str:
    from tfbench.engine.infer import constant_value

    parts = []
    for i, tensor in enumerate(op._inputs):
        shape = tensor._shape
        if tensor._dtype.is_integer and shape is not None and len(shape) <= 1:
            value = constant_value(tensor)
            if value is not None and value.size <= 16:
                text = " ".join(str(item) for item in value.ravel().tolist())
                parts.append(f"input[{i}] = <{text}>")
    return ", ".join(parts)


def _input_text(tensor: Tensor) -> str:
    return tensor.op.name if tensor.value_index == 0 else tensor.name


def _attr_text(value: Any) -> str:
    if isinstance(value, DType):
        return f"DT_{proto_type_name(value)}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, TensorShape):
        return debug_string(value._dims)
    if isinstance(value, list):
        return f"[{', '.join(_attr_text(item) for item in value)}]"
    return str(value)


def proto_type_name(dtype: DType) -> str:
    """The name of a dtype in TensorFlow's DataType enum, without the `DT_`."""
    name = dtype.base_dtype.name
    name = {"float32": "float", "float64": "double", "float16": "half"}.get(name, name)
    return name.upper() + ("_REF" if dtype._is_ref_dtype else "")


def _names(args: Sequence[ArgDef]) -> str:
    return ", ".join(arg.name for arg in args) or "none"


builder.apply_op = apply_op
builder.create_from_parts = create_from_parts
