"""`tf.raw_ops`: each op as a function of its inputs and attributes by name, with nothing added.

For example::

    tf.raw_ops.ReluGrad(gradients=dy, features=x)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any as _Any  # `Any` is an op

from tfbench.engine import ops as _ops  # noqa: F401 - declares the ops
from tfbench.engine.opdef import OpDef, lookup, registry
from tfbench.engine.ops.named_outputs import named_outputs

_REDUCTIONS = ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")

#: op type -> arguments that functions name otherwise than the op's declaration does
_RENAMED: dict[str, dict[str, str]] = {
    **{type: {"reduction_indices": "axis"} for type in _REDUCTIONS},
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}


def __getattr__(name: str) -> Callable[..., _Any]:
    if name.startswith("_") or name not in registry:
        raise AttributeError(f"module 'tfbench.raw_ops' has no attribute {name!r}: no such op is declared")
    function = _function(lookup(name))
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted(name for name in registry if not name.startswith("_"))


def _function(opdef: OpDef) -> Callable[..., _Any]:
    renamed = _RENAMED.get(opdef.type, {})
    attrs = {renamed.get(name, name): name for name in opdef.attrs}

    def call(*, name: str | None = None, **arguments: _Any) -> _Any:
        inputs = []
        for arg in opdef.inputs:
            key = renamed.get(arg.name, arg.name)
            if key not in arguments:
                raise TypeError(f"{opdef.type}() missing 1 required keyword-only argument: '{key}'")
            inputs.append(arguments.pop(key))
        unknown = [key for key in arguments if key not in attrs]
        if unknown:
            raise TypeError(f"{opdef.type}() got an unexpected keyword argument '{unknown[0]}'")
        given = {attrs[key]: value for key, value in arguments.items()}
        return named_outputs(opdef, opdef(*inputs, name=name, **given))

    call.__name__ = call.__qualname__ = opdef.type
    call.__doc__ = opdef.doc or f"Adds a node of type {opdef.type}."
    call.__signature__ = _signature(opdef)  # type: ignore[attr-defined]
    return call


def _signature(opdef: OpDef) -> inspect.Signature:
    """The inputs, the attributes that these do not determine, and the name."""
    inferred = {name for arg in opdef.inputs for name in (arg.type_attr, arg.type_list_attr, arg.number_attr)}
    given = [attr for name, attr in opdef.attrs.items() if name not in inferred]
    defaults = [(attr.name, attr.default if attr.has_default else inspect.Parameter.empty) for attr in given]
    defaults.sort(key=lambda pair: pair[1] is not inspect.Parameter.empty)
    parameters = [(arg.name, inspect.Parameter.empty) for arg in opdef.inputs] + defaults + [("name", None)]
    renamed = _RENAMED.get(opdef.type, {})
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature(
        [inspect.Parameter(renamed.get(name, name), kind, default=default) for name, default in parameters]
    )
