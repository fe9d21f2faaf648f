"""Python values as tensors: constants, and a registry of conversions for other types.

The rules are TensorFlow's: Python numbers become int32 and float32 (int64 where they do not fit), NumPy
arrays keep their type, strings are bytes, and a value never silently loses what it says (1.5 is no int32).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.shapes import TensorShape, to_tuple
from tfbench.engine.tensor import Tensor

#: a conversion: (value, dtype, name, as_ref) -> Tensor or NotImplemented
Conversion = Callable[..., Any]

_conversions: list[tuple[int, Any, Conversion]] = []


def register_tensor_conversion_function(base_type: Any, conversion_func: Conversion, priority: int = 100) -> None:
    """Says how objects of `base_type` (a type or a tuple of types) become tensors; lower priorities are tried first."""
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(one, type) for one in types):
        raise TypeError("Argument `base_type` must be a type or a tuple of types.")
    if not callable(conversion_func):
        raise TypeError("Argument `conversion_func` must be callable.")
    _conversions.append((priority, base_type, conversion_func))
    _conversions.sort(key=lambda entry: entry[0])


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
    as_ref: bool = False,
) -> Tensor:
    """A tensor for `value`: itself, what its type's registered conversion makes, or a constant.

    Raises:
      TypeError, ValueError: if it cannot be one, or not of `dtype`.
    """
    if dtype is not None:
        dtype = as_dtype(dtype)
    if isinstance(value, Tensor):
        return _as_wanted(value, dtype, as_ref)
    preferred = preferred_dtype if preferred_dtype is not None else dtype_hint
    for _, types, function in _conversions:
        if not isinstance(value, types):
            continue
        if dtype is None and preferred is not None:
            try:
                result = function(value, dtype=as_dtype(preferred), name=name, as_ref=as_ref)
            except (TypeError, ValueError):
                result = NotImplemented
            if result is not NotImplemented and as_dtype(preferred).is_compatible_with(result.dtype):
                return result  # type: ignore[no-any-return]
        result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is not NotImplemented:
            return result  # type: ignore[no-any-return]
    if dtype is None and preferred is not None:
        try:
            return constant(value, as_dtype(preferred), name=name or "Const")
        except (TypeError, ValueError):
            pass
    return constant(value, dtype, name=name or "Const")


def _as_wanted(value: Tensor, dtype: DType | None, as_ref: bool) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(value._dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value._dtype.name}: {value!r}"
        )
    return value


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False
) -> Tensor:
    """A Const node. A `value` with too few elements for `shape` is filled up with its last element."""
    from tfbench.engine.default_graph import get_default_graph

    if isinstance(value, Tensor):
        raise TypeError(f"Expected a value, not a Tensor: {value!r}. Use tf.identity or tf.convert_to_tensor.")
    wanted = None if dtype is None else as_dtype(dtype)
    array, kind = to_array(value, wanted)
    if shape is not None:
        array = _fill(array, shape, verify_shape)
    return const_node(get_default_graph(), array, kind, name)


def const_node(graph: Any, array: np.ndarray[Any, Any], kind: DType, name: str) -> Tensor:
    """A Const node for an array that is already of the right type; the array is not copied."""
    from tfbench.engine.opdef import lookup

    name = name[:-1] if name.endswith("/") else graph.unique_name(name)
    attrs = {"value": array, "dtype": kind}
    return graph.add_node(lookup("Const"), name, [], attrs, (kind,)).outputs_list[0]  # type: ignore[no-any-return]


def _fill(array: np.ndarray[Any, Any], shape: Any, verify_shape: bool) -> np.ndarray[Any, Any]:
    sizes = tuple(int(size) for size in (to_tuple(shape) or ()))
    if array.shape == sizes:
        return array
    if verify_shape:
        raise TypeError(f"Expected Tensor's shape: {sizes}, but got {array.shape}.")
    count = int(np.prod(sizes, dtype=np.int64))
    if array.size > count and count > 0:
        raise ValueError(f"Too many elements provided. Takes at most {count}, but got {array.size}.")
    if array.size == count:
        return array.reshape(sizes)
    if count == 0 or array.size == 0:
        return np.zeros(sizes, array.dtype)
    if array.size == 1:
        return np.broadcast_to(array.reshape(()), sizes)
    flat = array.ravel()
    return np.concatenate([flat, np.full(count - flat.size, flat[-1], dtype=flat.dtype)]).reshape(sizes)


# -- values to arrays ----------------------------------------------------------------------------------------

_INT32 = np.iinfo(np.int32)


def to_array(value: Any, dtype: DType | None = None) -> tuple[np.ndarray[Any, Any], DType]:
    """`value` as an array of TensorFlow's type for it (or of `dtype`), and that type.

    Raises:
      ValueError: for None and for ragged lists.
      TypeError: if an element is not of `dtype`, or of no type a tensor has.
    """
    kind = type(value)
    if dtype is None:
        if kind is float:
            return np.array(value, np.float32), dtypes.float32
        if kind is bool:
            return np.array(value, np.bool_), dtypes.bool
        if kind is int and _INT32.min <= value <= _INT32.max:
            return np.array(value, np.int32), dtypes.int32
    elif kind is float and dtype.is_floating and dtype is not dtypes.bfloat16:
        return np.array(value, dtype.as_numpy_dtype), dtype.base_dtype
    if value is None:
        raise ValueError("None values not supported.")
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    return _from_python(value, dtype)


def _from_numpy(value: Any, dtype: DType | None) -> tuple[np.ndarray[Any, Any], DType]:
    array = np.asarray(value)
    if array.dtype.kind in "SUO":
        if dtype is not None and dtype.base_dtype is not dtypes.string:
            if array.dtype.kind == "O":
                return _from_python(array.tolist(), dtype)
            raise TypeError(f"Expected {dtype.name}, but got {value!r} of type '{type(value).__name__}'.")
        return _string_array(array), dtypes.string
    found = as_dtype(array.dtype)
    if dtype is None or dtype.base_dtype is found:
        return np.array(array), found
    with np.errstate(all="ignore"):
        return array.astype(dtype.as_numpy_dtype), dtype.base_dtype


def _string_array(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    flat = [_as_bytes(item) for item in array.ravel().tolist()]
    result = np.empty(len(flat), object)
    result[:] = flat
    return result.reshape(array.shape)


def _as_bytes(item: Any) -> bytes:
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        return item.encode()
    raise TypeError(f"Expected binary or unicode string, got {item!r}")


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        found: list[Any] = []
        for item in value:
            found.extend(_leaves(item))
        return found
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    return [value]


def _from_python(value: Any, dtype: DType | None) -> tuple[np.ndarray[Any, Any], DType]:
    if not isinstance(value, (list, tuple, int, float, complex, str, bytes, np.ndarray, np.generic)):
        value = _as_sequence(value)
    leaves = _leaves(value)
    if dtype is not None:
        for leaf in leaves:
            if not _fits(leaf, dtype):
                raise TypeError(f"Expected {dtype.name}, but got {leaf} of type '{type(leaf).__name__}'.")
    if any(isinstance(leaf, (str, bytes)) for leaf in leaves):
        return _strings(value, leaves), dtypes.string
    if dtype is not None and dtype.base_dtype is dtypes.string:
        return _strings(value, leaves), dtypes.string
    if any(leaf is None or not isinstance(leaf, (int, float, complex, np.generic)) for leaf in leaves):
        raise _inconvertible(value)
    try:
        if dtype is not None:
            with np.errstate(all="ignore"):
                wide = np.array(value)
                if wide.dtype == object:
                    raise OverflowError
                return wide.astype(dtype.as_numpy_dtype), dtype.base_dtype
        array = np.array(value)
    except OverflowError:
        raise _inconvertible(value) from None
    if array.dtype == np.float64 and not isinstance(value, np.generic):
        return array.astype(np.float32), dtypes.float32
    if array.dtype == np.int64 and not isinstance(value, np.generic):
        if array.size == 0 or (array.min() >= _INT32.min and array.max() <= _INT32.max):
            return array.astype(np.int32), dtypes.int32
    elif array.dtype.kind not in "biufc":
        raise _inconvertible(value)
    return array, as_dtype(array.dtype)


def _as_sequence(value: Any) -> Any:
    if isinstance(value, (TensorShape, range)):
        return list(value)
    if hasattr(value, "__array__"):
        return np.asarray(value)
    number = getattr(value, "value", None)
    if type(value).__name__ == "Dimension" and number is not None:
        return number
    raise _inconvertible(value)


def _inconvertible(value: Any) -> TypeError:
    return TypeError(
        f"Failed to convert elements of {value!r} to Tensor. Consider casting elements to a supported type: "
        "numbers, booleans, strings, bytes, or nested lists of them."
    )


def _fits(leaf: Any, dtype: DType) -> bool:
    """Whether a Python number says what a `dtype` can say; truncating would lose information."""
    base = dtype.base_dtype
    if base is dtypes.string:
        return isinstance(leaf, (str, bytes))
    if base is dtypes.bool:
        return isinstance(leaf, (bool, np.bool_))
    if base.is_complex:
        return isinstance(leaf, (int, float, complex, np.number))
    if base.is_floating:
        return isinstance(leaf, (int, float, np.floating, np.integer))
    return isinstance(leaf, (int, np.integer))


def _strings(value: Any, leaves: list[Any]) -> np.ndarray[Any, Any]:
    flat = np.empty(len(leaves), object)
    flat[:] = [_as_bytes(leaf) for leaf in leaves]
    return flat.reshape(_nested_shape(value))


def _nested_shape(value: Any) -> tuple[int, ...]:
    if isinstance(value, (list, tuple)):
        inner = {_nested_shape(item) for item in value}
        if len(inner) > 1:
            raise ValueError(
                "setting an array element with a sequence. The requested array has an inhomogeneous shape: "
                f"{value!r} is ragged."
            )
        return (len(value), *(inner.pop() if inner else ()))
    return np.shape(value) if isinstance(value, np.ndarray) else ()
