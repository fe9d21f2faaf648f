"""Which function builds an op's gradient: the op's own, one that a program registered, or none.

Own ones are on the declarations (`OpDef.gradient_function`). Those of arithmetic, arrays and networks are in
`gradients.math`, `.arrays` and `.nn`, which are loaded by the first gradient that is asked for.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.gradients.ruled_out import RULED_OUT
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import OpDef, lookup
from tfbench.engine.opdef import registry as op_types

GradientFunction = Callable[..., Any]
_F = TypeVar("_F", bound=GradientFunction)

#: zeros for outputs that nobody differentiated, where `zeros_like` is not enough: by op type, of (op, output index)
zeros_functions: dict[str, Callable[[Operation, int], Any]] = {}

#: the modules of this package that declare gradients
_MODULES = (
    "math", "functions", "special", "complexes", "reductions", "arrays", "gathers", "nn", "batch_norm", "random",
    "tensor_arrays", "control_flow", "loop_walk", "decompositions", "systems", "products", "diagonals", "segments",
    "picks", "spectral", "sparse", "ctc", "lstm", "script", "joins", "colors", "images",
)  # fmt: skip

#: registered by programs: op type (or a name for gradient_override_map) -> (function or None, where)
_registered: dict[str, tuple[GradientFunction | None, str]] = {}
#: gradients that functions bring along (`custom`), as long as an operation holds them
brought_along: WeakValueDictionary[str, Any] = WeakValueDictionary()
_loaded: list[str] = []


def gradient(*types: str) -> Callable[[_F], _F]:
    """Decorator: this function is the gradient of these op types."""

    def declare(function: _F) -> _F:
        for type in types:
            lookup(type).gradient(function)
        return function

    return declare


def load() -> None:
    """Makes sure that all gradients are declared."""
    if not _loaded:
        _loaded.append("yes")
        for name in _MODULES:
            importlib.import_module(f"tfbench.engine.gradients.{name}")


def written_by_user(function: GradientFunction) -> GradientFunction:
    """`function`, called so that the nodes it makes are said to come from its own lines, too."""

    def called(op: Operation, *grads: Any) -> Any:
        state = op.graph.scope_state
        outer, state.trace = state.trace, None
        try:
            return function(op, *grads)
        finally:
            state.trace = outer

    return called


class _OfGraph:
    """What was registered while a graph was the default one: a cell that is run again may register it again."""

    def __init__(self) -> None:
        self.names: dict[str, tuple[GradientFunction | None, str]] = {}

    def snapshot(self) -> dict[str, tuple[GradientFunction | None, str]]:
        return dict(self.names)

    def restore(self, state: dict[str, tuple[GradientFunction | None, str]]) -> None:
        self.dropped()
        self.names = dict(state)
        _registered.update(state)

    def dropped(self) -> None:
        for name in self.names:
            _registered.pop(name, None)


def _register(name: str, function: GradientFunction | None) -> None:
    load()
    declared = op_types.get(name)
    place = ""
    if name in _registered:
        place = _registered[name][1]
    elif declared is not None and (declared.gradient_function or name in RULED_OUT):
        place = declared.declared_at
    if place:
        raise KeyError(f"Registering two gradient with name '{name}'! (Previous registration was in {place})")
    frame = sys._getframe(2)
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    _registered[name] = (None if function is None else written_by_user(function), place)
    of_graph: _OfGraph = get_default_graph().extension("registered_gradients", _OfGraph)
    of_graph.names[name] = _registered[name]


class RegisterGradient:
    """Decorator for a function `(op, *gradients of the outputs) -> gradients of the inputs` (None where there is none).

    `op_type` is an op type, or a name for `Graph.gradient_override_map`.

    Raises:
      TypeError: if `op_type` is no string.
      KeyError: if it has a gradient already.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: _F) -> _F:
        _register(self._op_type, f)
        return f


def NotDifferentiable(op_type: str) -> None:
    """Says that ops of `op_type` have no gradient, and that this is no mistake: theirs is None."""
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register(op_type, None)


NoGradient = NotDifferentiable


def gradient_function(op: Operation) -> GradientFunction | None:
    """The function that builds the gradient of `op`, or None where that is known to be none.

    Raises:
      LookupError: where nobody said.
    """
    if not op._inputs:
        return None
    name: str | None = op.attrs.get("_gradient_op_type")
    declared: OpDef | None
    if name is None:
        name, declared = op.type, op.op_def
    else:
        declared = op_types.get(name)
        if name in brought_along:
            found: GradientFunction = brought_along[name]
            return found
    if name in _registered:
        return _registered[name][0]
    if declared is not None:
        if declared.gradient_function is not None:
            return declared.gradient_function
        if name in RULED_OUT:
            return None
    reason = f": {declared.no_gradient_reason}" if declared is not None and declared.no_gradient_reason else ""
    raise LookupError(
        f"No gradient defined for operation '{op.name}' (op type: {op.type}){reason}. Register one with "
        f"@tf.RegisterGradient('{name}'), or put tf.stop_gradient around its result if it counts as a constant."
    )
