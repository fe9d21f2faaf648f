"""`tf.name_scope` and `tf.op_scope`: a name scope opened for an op that is composed of several nodes."""

from __future__ import annotations

from typing import Any

from tfbench.engine.apply import graph_of
from tfbench.engine.default_graph import default_graph_stack
from tfbench.engine.graph import Graph
from tfbench.engine.scopes import NameScope


class name_scope:  # noqa: N801 - TensorFlow's name
    """Context manager: nodes made inside are named `name/…`; its value is the scope with a slash.

    `default_name` is used where `name` is None. `values` are the tensors that the nodes will take: their
    graph becomes the default one.

    Raises:
      TypeError: if `default_name` is no string.
      ValueError: if neither name is given although there are values, if the values belong to different graphs, or if
        the name is not allowed.
    """

    __slots__ = ("_default_name", "_entered", "_name", "_scope", "_values")

    def __init__(self, name: Any, default_name: str | None = None, values: Any = None) -> None:
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely meant to pass this into "
                "the `values` kwarg."
            )
        self._name = default_name if name is None else name
        self._default_name = default_name
        self._values = values

    @property
    def name(self) -> Any:
        return self._name

    def __enter__(self) -> str:
        values = self._values
        if self._name is None and values is not None:
            raise ValueError(
                f"At least one of name ({self._name}) and default_name ({self._default_name}) must be provided."
            )
        current = default_graph_stack.get()
        graph: Graph = current if values is None else graph_of(values)
        self._entered = graph is not current
        if self._entered:
            default_graph_stack.items.append(graph)
        self._scope = NameScope(graph, self._name)
        try:
            return self._scope.__enter__()
        except BaseException:
            if self._entered:
                default_graph_stack.remove(graph)
            raise

    def __exit__(self, *_: object) -> None:
        self._scope.__exit__()
        if self._entered:
            default_graph_stack.remove(self._scope.graph)


class op_scope(name_scope):  # noqa: N801 - TensorFlow's name
    """The older order of arguments: `op_scope(values, name, default_name)`."""

    def __init__(self, values: Any, name: Any, default_name: str | None = None) -> None:
        super().__init__(name, default_name, values)
