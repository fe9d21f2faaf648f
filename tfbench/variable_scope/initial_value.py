"""What a variable of `get_variable` starts from, given its initializer: a function, an object or a value."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from tfbench.engine.shapes import TensorShape


def default_initializer(name: str, shape: TensorShape, dtype: Any) -> Any:
    """Glorot's uniform distribution for floats, zeros for integers, booleans and strings."""
    from tfbench import initializers

    if dtype.is_floating:
        return initializers.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype.name == "string":
        if not shape.is_fully_defined():
            raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
        return initializers.zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")


def is_own(initializer: Any) -> bool:
    """Whether this is one of tfbench's initializers, which call no code of the user's."""
    return type(initializer).__module__ == "tfbench.initializers"


def initial_value_for(
    name: str, initializer: Any, from_value: bool, shape: TensorShape, dtype: Any, partition_info: Any
) -> tuple[Any, Any]:
    """What `Variable` gets as initial value, and the dtype that goes with it."""
    if from_value:
        return initializer, None
    if isinstance(initializer, type):
        initializer = initializer()
    if shape.is_fully_defined():
        arguments: dict[str, Any] = {"dtype": dtype}
        if takes_argument(initializer, "partition_info", by_keyword_alone=True):
            arguments["partition_info"] = partition_info
        return functools.partial(initializer, shape.as_list(), **arguments), dtype.base_dtype
    if _needs_no_arguments(initializer):
        return initializer, None
    if shape.ndims is None and not isinstance(initializer, _FUNCTIONS[:3]):
        raise ValueError(
            f"Variable {name} did not get an initializer, so its `shape` argument must be specified "
            "(or the initializer be a value)."
        )
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the shape should not be "
        "provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
    )


#: what is called as it is; anything else by its class's `__call__`
_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)


def takes_argument(function: Any, name: str, by_keyword_alone: bool = False) -> bool:
    """Whether `function` has a parameter `name` (or, unless `by_keyword_alone`, takes any keyword)."""
    key = function if isinstance(function, _FUNCTIONS) else type(function).__call__
    return _has_parameter(key, name, by_keyword_alone)


@functools.lru_cache(maxsize=512)
def _has_parameter(function: Any, name: str, by_keyword_alone: bool) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    if name in parameters:
        return True
    return not by_keyword_alone and any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())


def _needs_no_arguments(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
