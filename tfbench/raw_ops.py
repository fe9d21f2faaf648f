"""`tf.raw_ops`: each op as a function of its inputs and attributes by name, with nothing added.

For example::

    tf.raw_ops.ReluGrad(gradients=dy, features=x)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import ops as _ops  # noqa: F401 - declares the ops
from tfbench.engine.opdef import OpDef, lookup, registry
from tfbench.engine.ops.named_outputs import named_outputs


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("_") or name not in registry:
        raise AttributeError(f"module 'tfbench.raw_ops' has no attribute {name!r}: no such op is declared")
    function = _function(lookup(name))
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted(name for name in registry if not name.startswith("_"))


def _function(opdef: OpDef) -> Callable[..., Any]:
    def call(*, name: str | None = None, **arguments: Any) -> Any:
        inputs = []
        for arg in opdef.inputs:
            if arg.name not in arguments:
                raise TypeError(f"{opdef.type}() missing 1 required keyword-only argument: '{arg.name}'")
            inputs.append(arguments.pop(arg.name))
        unknown = [key for key in arguments if key not in opdef.attrs]
        if unknown:
            raise TypeError(f"{opdef.type}() got an unexpected keyword argument '{unknown[0]}'")
        return named_outputs(opdef, opdef(*inputs, name=name, **arguments))

    call.__name__ = call.__qualname__ = opdef.type
    call.__doc__ = opdef.doc or f"Adds a node of type {opdef.type}."
    return call
