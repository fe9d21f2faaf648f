"""A user's function of elements, traced as a function of the graph."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tfbench.data import elements, specs
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.function_graph import FunctionGraph, FunctionName, trace
from tfbench.engine.tensor import Tensor


class TracedFunction:
    """A function of an element (a tuple's components are its arguments), with the spec of what it returns.

    Args:
      transformation: who calls it, as users write it: `Dataset.map()`.
      input_spec: the spec of its arguments.

    Raises:
      ValueError: if `function` cannot be called.
      TypeError: if what it returns is no element.
    """

    __slots__ = ("_body", "output_spec")

    def __init__(self, function: Callable[..., Any], transformation: str, input_spec: Any) -> None:
        if not callable(function):
            raise ValueError(f"Argument `func` must be a callable. Received func={function} (of type {type(function)})")
        found: list[Any] = []

        def body(*tensors: Tensor) -> list[Tensor]:
            arguments = specs.from_flat(input_spec, tensors)
            unpacks = type(arguments) is tuple
            value = function(*arguments) if unpacks else function(arguments)
            result = elements.returned(value, transformation)
            found.append(elements.spec_of(result))
            return specs.to_flat(result)

        inputs = [
            (dtype, shape._dims)
            for dtype, shape in zip(specs.flat_types(input_spec), specs.flat_shapes(input_spec), strict=True)
        ]
        base = f"{_readable(transformation)}_{_name_of(function)}"
        self._body: FunctionGraph = trace(get_default_graph(), base, body, inputs)
        self.output_spec = found[0]

    @property
    def name(self) -> FunctionName:
        """The value of the attribute that names this function."""
        return FunctionName(self._body.name, self._body)

    @property
    def body(self) -> FunctionGraph:
        return self._body

    @property
    def captured(self) -> list[Tensor]:
        """The tensors outside that it uses: inputs of the node that calls it."""
        return [outside for outside, _ in self._body.captures]


def _readable(transformation: str) -> str:
    return re.sub(r"\W+", "_", transformation.removesuffix("()"))


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", None) or str(type(function))
    return re.sub(r"""[<>\\' "]""", "", name)
