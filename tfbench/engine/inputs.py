"""What is given to an op, made the tensors that its declaration asks for; types that it leaves open are inferred.

`attrs` holds the attributes known so far and gets those that an input decides; `inferred_from` remembers which one did,
for the messages about inputs that do not go together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.attributes import function_name, type_not_allowed
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import DType
from tfbench.engine.opdef import OpDef
from tfbench.engine.signature import ArgDef
from tfbench.engine.tensor import Tensor


def convert_inputs(
    op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], inferred_from: dict[str, str]
) -> list[Tensor]:
    """All inputs as tensors, lists spread out.

    Raises:
      TypeError, ValueError: naming the op and the input.
    """
    tensors: list[Tensor] = []
    for arg, value in zip(op_def.inputs, inputs, strict=True):
        if arg.is_list:
            tensors.extend(list_input(op_def, arg, value, attrs, inferred_from))
        else:
            tensors.append(single_input(op_def, arg, value, attrs, inferred_from))
    return tensors


def single_input(
    op_def: OpDef, arg: ArgDef, value: Any, attrs: dict[str, Any], inferred_from: dict[str, str]
) -> Tensor:
    """`value` as the tensor that `arg` asks for, which is no list."""
    key = arg.type_attr
    wanted = arg.dtype if key is None else attrs.get(key)
    if isinstance(value, Tensor):
        tensor = value
        got = tensor._dtype.base_dtype
        if wanted is not None and got is not wanted.base_dtype:
            raise _mismatch(op_def, arg, got.name, wanted, inferred_from, value)
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
            raise type_not_allowed(op_def, definition, got, arg.name)
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
            raise _mismatch(op_def, arg, tensor._dtype.base_dtype.name, wanted, inferred_from, value)
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
        raise _mismatch(op_def, arg, observed, wanted, inferred_from, value) from None


def _mismatch(
    op_def: OpDef, arg: ArgDef, got: str, wanted: DType, inferred_from: dict[str, str], value: Any
) -> TypeError:
    message = f"Input '{arg.name}' of '{op_def.type}' Op has type {got} that does not match "
    if arg.type_attr is None:
        message += f"expected type of {wanted.name}."
    else:
        source = inferred_from.get(arg.type_attr)
        if source is None:
            message += f"expected type of {wanted.name} (attribute '{arg.type_attr}')."
        else:
            message += f"type {wanted.name} of argument '{source}'."
    if isinstance(value, Tensor):
        # Which of the program's tensors that is, `'b'` alone does not say.
        message += f" It is {value.name!r}" + (": tf.cast converts." if arg.type_attr else ".")
    return TypeError(message)


def list_input(
    op_def: OpDef, arg: ArgDef, value: Any, attrs: dict[str, Any], inferred_from: dict[str, str]
) -> list[Tensor]:
    """`value` as the tensors of `arg`: all of one type, or each of its own (`type_list_attr`)."""
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
                raise type_not_allowed(op_def, definition, kind, arg.name)
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
            raise type_not_allowed(op_def, definition, found[0], arg.name)
        attrs[arg.type_attr] = found[0]
        inferred_from[arg.type_attr] = arg.name
    if arg.is_ref and not all(tensor._dtype._is_ref_dtype for tensor in tensors):
        raise TypeError(
            f"'{op_def.type}' Op requires that input '{arg.name}' be a mutable tensor (e.g.: a tf.Variable)"
        )
    return tensors


def check_lists(op_def: OpDef, inputs: Sequence[Any]) -> None:
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


def _not_a_list(op_def: OpDef, arg: ArgDef, value: Any) -> TypeError:
    return TypeError(f"Expected list for '{arg.name}' argument to '{function_name(op_def.type)}' Op, not {value!r}.")


def _lengths_differ(op_def: OpDef, arg: ArgDef, found: int, wanted: int, first: str) -> ValueError:
    return ValueError(
        f"List argument '{arg.name}' to '{function_name(op_def.type)}' Op with length {found} must match "
        f"length {wanted} of argument '{first}'."
    )


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
