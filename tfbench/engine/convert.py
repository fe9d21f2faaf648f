"""Python values as tensors: constants, and a registry of conversions for other types.

The rules are TensorFlow's: Python numbers become int32 and float32 (int64 where they do not fit), NumPy
arrays keep their type, strings are bytes, and a value never silently loses what it says (1.5 is no int32).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dimension import Dimension
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.opdef import lookup
from tfbench.engine.scopes import check_name
from tfbench.engine.shapes import to_tuple
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
        return _as_wanted(value, dtype, as_ref, name)
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
                return result
        result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is not NotImplemented:
            return result
    if dtype is None and preferred is not None:
        try:
            return constant(value, as_dtype(preferred), name=name or "Const")
        except (TypeError, ValueError):
            pass
    return constant(value, dtype, name=name or "Const")


def _as_wanted(value: Tensor, dtype: DType | None, as_ref: bool, name: str | None) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(value._dtype):
        prefix = "" if name is None else f"{name}: "
        raise ValueError(
            f"{prefix}Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value._dtype.name}: "
            f"{value!r}"
        )
    return value


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str | None = "Const", verify_shape: bool = False
) -> Tensor:
    """A Const node. A `value` with too few elements for `shape` is filled up with its last element."""
    if isinstance(value, Tensor):
        raise TypeError(
            f"Expected any non-tensor type, but got a tensor instead: {value!r}. "
            "Use tf.identity or tf.convert_to_tensor."
        )
    wanted = None if dtype is None else as_dtype(dtype)
    array, kind = to_array(value, wanted)
    if shape is not None:
        array = _fill(array, shape, verify_shape)
        if wanted is None and not array.size and not isinstance(value, (np.ndarray, np.generic)):
            # TensorFlow makes an empty constant without a look at the value.
            array, kind = np.zeros(array.shape, np.float32), dtypes.float32
    return const_node(get_default_graph(), array, kind, "Const" if name is None else name)


def const_node(graph: Any, array: np.ndarray[Any, Any], kind: DType, name: str | bytes) -> Tensor:
    """A Const node for an array that is already of the right type; the array is not copied."""
    if isinstance(name, bytes):
        name = name.decode()
    name = name[:-1] if name.endswith("/") else graph.unique_name(name)
    check_name(name)
    attrs: dict[str, Any] = {"value": array, "dtype": kind}
    return graph.add_node(lookup("Const"), name, [], attrs, (kind,)).outputs_list[0]


def _fill(array: np.ndarray[Any, Any], shape: Any, verify_shape: bool) -> np.ndarray[Any, Any]:
    if not hasattr(shape, "__iter__"):
        raise TypeError(
            f"'{type(shape).__name__}' object is not iterable: shape must be a list of sizes, not {shape!r}."
        )
    given: Any = to_tuple(shape) or ()
    sizes = tuple(int(size) for size in given)
    if array.shape == sizes:
        return array
    if verify_shape:
        raise TypeError(f"Expected Tensor's shape: {sizes}, but got {array.shape}.")
    count = math.prod(sizes)
    if array.size > count and count > 0:
        raise ValueError(f"Too many elements provided. Takes at most {count}, but got {array.size}.")
    if array.size == count:
        return array.reshape(sizes)
    if count == 0 or array.size == 0:
        return np.zeros(sizes, array.dtype)
    if array.size == 1:
        return repeated(array, sizes)
    flat = array.ravel()
    return np.concatenate([flat, np.full(count - flat.size, flat[-1], dtype=flat.dtype)]).reshape(sizes)


def repeated(array: np.ndarray[Any, Any], sizes: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """The one element of `array`, seen wherever one looks: `broadcast_to` without its cost, which is a node's."""
    if array.dtype == object:
        return np.broadcast_to(array.reshape(()), sizes)
    view: np.ndarray[Any, Any] = np.ndarray(sizes, array.dtype, array, 0, (0,) * len(sizes))
    view.flags.writeable = False
    return view


# -- values to arrays ----------------------------------------------------------------------------------------

_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1
#: types that take ordinary Python floats, and small Python integers, as they are
_TAKES_FLOATS = (dtypes.float32, dtypes.float64)
_TAKES_INTEGERS = (dtypes.float32, dtypes.int32, dtypes.int64, dtypes.float64)


def to_array(value: Any, dtype: DType | None = None) -> tuple[np.ndarray[Any, Any], DType]:
    """`value` as an array of TensorFlow's type for it (or of `dtype`), and that type.

    Raises:
      ValueError: for None and for ragged lists.
      TypeError: if an element is not of `dtype`, or of no type a tensor has.
    """
    kind = type(value)
    if dtype is None:
        if kind is float and _ordinary(value):
            return np.array(value, np.float32), dtypes.float32
        if kind is bool:
            return np.array(value, np.bool_), dtypes.bool
        if kind is int and _INT32_MIN <= value <= _INT32_MAX:
            return np.array(value, np.int32), dtypes.int32
    elif (kind is float and dtype in _TAKES_FLOATS and _ordinary(value)) or (
        kind is int and dtype in _TAKES_INTEGERS and _INT32_MIN <= value <= _INT32_MAX
    ):
        return np.array(value, dtype.as_numpy_dtype), dtype
    if value is None:
        raise ValueError(
            "None values not supported. Is a `return` missing in the function that should have given a tensor?"
        )
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    return _from_python(value, dtype)


def _ordinary(value: float) -> bool:
    """Whether a float fits float32 without a second thought (NaN and infinities get one)."""
    return -3e38 < value < 3e38


def _from_numpy(value: Any, dtype: DType | None) -> tuple[np.ndarray[Any, Any], DType]:
    array = np.asarray(value)
    wanted = (as_dtype(array.dtype) if dtype is None else dtype).base_dtype
    if wanted is dtypes.string:
        return _string_array(array), wanted
    if array.dtype == wanted.as_numpy_dtype:
        return np.array(array), wanted
    with np.errstate(all="ignore"):
        return array.astype(wanted.as_numpy_dtype), wanted


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
    """What lists and tuples hold at last. An array inside a list counts as one thing, as in TensorFlow."""
    if isinstance(value, (list, tuple)):
        found: list[Any] = []
        for item in value:
            if isinstance(item, (list, tuple)):
                found.extend(_leaves(item))
            else:
                found.append(item)
        return found
    return [value]


def _from_python(value: Any, dtype: DType | None) -> tuple[np.ndarray[Any, Any], DType]:
    if hasattr(value, "_as_graph_element") and not isinstance(value, Tensor):
        raise _inconvertible(value)
    if hasattr(value, "__array__") and not isinstance(value, Tensor):
        return _from_numpy(np.asarray(value), dtype)
    leaves = _leaves(value)
    for leaf in leaves:
        if dtype is None:
            if hasattr(leaf, "_as_graph_element") and not isinstance(leaf, Tensor):
                raise _inconvertible(value)
            if isinstance(leaf, Tensor):
                raise TypeError(f"Expected any non-tensor type, but got a tensor instead: {leaf!r} in {value!r}.")
        elif not _fits(leaf, dtype):
            raise TypeError(f"Expected {dtype.name}, but got {leaf} of type '{type(leaf).__name__}'.")
    if any(isinstance(leaf, (str, bytes)) for leaf in leaves) or (dtype and dtype.base_dtype is dtypes.string):
        if not all(isinstance(leaf, (str, bytes)) for leaf in leaves):
            raise _inconvertible(value)
        return _strings(value, leaves), dtypes.string
    array = _numbers(value, dtype)
    if isinstance(value, (list, tuple)) or array.ndim:
        nested = _nested_shape(value)
        if nested != array.shape:
            hint = " Arrays inside a list are not taken apart: use np.array(...) on the whole." if nested else ""
            raise ValueError(
                f"Expected values {value} to be a dense tensor with shape {list(nested)}, but got shape "
                f"{list(array.shape)}.{hint}"
            )
    if dtype is not None:
        return array, dtype.base_dtype
    if array.dtype == np.float64:
        with np.errstate(over="ignore"):
            return array.astype(np.float32), dtypes.float32
    if array.dtype == np.int64:
        if array.size == 0 or (array.min() >= _INT32_MIN and array.max() <= _INT32_MAX):
            return array.astype(np.int32), dtypes.int32
    elif array.dtype.kind not in "biufc":
        raise _inconvertible(value)
    return array, as_dtype(array.dtype)


def _numbers(value: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    if dtype is None:
        return np.array(value)
    kind = dtype.as_numpy_dtype
    with np.errstate(all="ignore"):
        try:
            return np.array(value, kind)
        except OverflowError:
            # NumPy refuses Python integers that do not fit; TensorFlow wraps them around.
            wide = np.array(value)
            if wide.dtype == object:
                raise OverflowError(f"Python int too large to convert to C long: {value}") from None
            return wide.astype(kind)


def _inconvertible(value: Any) -> TypeError:
    return TypeError(
        f"Failed to convert elements of {value} to Tensor. Consider casting elements to a supported type: "
        "numbers, booleans, strings, bytes, or nested lists of them."
    )


def _fits(leaf: Any, dtype: DType) -> bool:
    """Whether a Python number says what a `dtype` can say; truncating would lose information."""
    base = dtype.base_dtype
    if base is dtypes.string:
        return isinstance(leaf, (str, bytes))
    if base is dtypes.bool:
        return isinstance(leaf, bool)
    if isinstance(leaf, np.ndarray):
        return leaf.dtype.kind in ("iufc" if base.is_complex else "iuf" if base.is_floating else "iu")
    if base.is_complex:
        return isinstance(leaf, (int, float, complex, np.number))
    if base.is_floating:
        return isinstance(leaf, (int, float, np.floating, np.integer))
    return isinstance(leaf, (int, np.integer, Dimension))


def _strings(value: Any, leaves: list[Any]) -> np.ndarray[Any, Any]:
    flat = np.empty(len(leaves), object)
    flat[:] = [_as_bytes(leaf) for leaf in leaves]
    shape = _nested_shape(value)
    if _depths(value) != len(shape) or math.prod(shape) != len(leaves):
        raise ValueError(
            "setting an array element with a sequence. The requested array has an inhomogeneous shape: "
            f"{value!r} is ragged."
        )
    return flat.reshape(shape)


def _depths(value: Any) -> int:
    """How deep lists are nested; -1 where that differs."""
    if not isinstance(value, (list, tuple)):
        return 0
    inner = {_depths(item) for item in value} or {0}
    return -1 if len(inner) > 1 or -1 in inner else inner.pop() + 1


def _nested_shape(value: Any) -> tuple[int, ...]:
    """The shape that a nest of lists has if it is regular: only the first item of each list is looked at."""
    shape = []
    while isinstance(value, (list, tuple)):
        shape.append(len(value))
        if not value:
            break
        value = value[0]
    return tuple(shape)
