"""Opening a variable scope: `variable_scope` and its relatives."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tfbench.engine.apply import graph_of
from tfbench.engine.default_graph import default_graph_stack, get_default_graph
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Graph
from tfbench.engine.scopes import NameScope
from tfbench.variable_scope.modes import ReuseMode
from tfbench.variable_scope.scope import VariableScope
from tfbench.variable_scope.stack import scope_stack


class variable_scope:  # noqa: N801 - TensorFlow's name
    """Context manager: `get_variable` inside gets names under this scope, and ops a name scope.

    Args:
      name_or_scope: a name, or a VariableScope that was captured; then the prefix is the captured one, wherever
        this is, and a name scope called after its last part is opened.
      default_name: used, made unique, where `name_or_scope` is None.
      values: tensors that will be used inside; they must be of one graph.
      reuse: True, None (as outside) or AUTO_REUSE. False means None: reusing cannot be switched off inside.
      auxiliary_name_scope: False opens no name scope.
      The others are defaults for `get_variable` inside.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse not in (True, False, None) and not isinstance(reuse, ReuseMode):
            raise ValueError("The reuse parameter must be True or False or None.")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(f"The auxiliary_name_scope must be `True` or `False`, while get {auxiliary_name_scope}")
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._values = values
        self._reuse = None if reuse is False else reuse
        self._auxiliary_name_scope = auxiliary_name_scope
        self._settings = {
            "_initializer": initializer,
            "_regularizer": regularizer,
            "_caching_device": caching_device,
            "_partitioner": partitioner,
            "_dtype": None if dtype is None else as_dtype(dtype),
            "_use_resource": use_resource,
            "_constraint": constraint,
        }
        self._custom_getter = custom_getter

    def __enter__(self) -> VariableScope:
        graph = get_default_graph() if self._values is None else graph_of(self._values)
        self._graph = graph
        self._entered_graph = graph is not get_default_graph()
        if self._entered_graph:
            default_graph_stack.items.append(graph)
        try:
            return self._enter(graph)
        except BaseException:
            if self._entered_graph:
                default_graph_stack.remove(graph)
            raise

    def _enter(self, graph: Graph) -> VariableScope:
        given = self._name_or_scope
        stack = scope_stack(graph)
        if given is not None and not isinstance(given, (VariableScope, str)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if given is None and self._reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        wanted: Any = (
            given if isinstance(given, str) else self._default_name if given is None else given.name.split("/")[-1]
        )
        self._name_scope: NameScope | None = None
        opened = ""
        if not self._auxiliary_name_scope:
            current = graph.get_name_scope()
            self._name_scope = NameScope(graph, f"{current}/" if current else None)
        elif wanted:
            self._name_scope = NameScope(graph, wanted)
        if self._name_scope is not None:
            opened = self._name_scope.__enter__()
        self._stack = stack
        self._old = stack.current
        self._opened_before: Any = None
        if isinstance(given, VariableScope):
            scope = given.derived(self._reuse or given.reuse, given.name, given.original_name_scope)
            stack.opened(given.name)
            self._opened_before = stack.opened_so_far()
        else:
            name = given if given is not None else stack.unique_name(str(self._default_name))
            full = f"{self._old.name}/{name}" if self._old.name else name
            scope = self._old.derived(self._reuse or self._old.reuse, full, opened)
            stack.opened(full)
        for setting, value in self._settings.items():
            if value is not None:
                setattr(scope, setting, value)
        if self._custom_getter is not None:
            scope._custom_getter = _nested_getter(self._custom_getter, scope._custom_getter)
        stack.current = scope
        self._scope = scope
        return scope

    def __exit__(self, exc_type: Any, exc: Any, traceback: Any) -> None:
        stack = self._stack
        nested = stack.current is self._scope
        if self._opened_before is not None:
            stack.reopen(self._opened_before)
        else:
            stack.close_below(self._scope.name)
        stack.current = self._old
        if self._name_scope is not None:
            self._name_scope.__exit__(None, None, None)
        if self._entered_graph:
            default_graph_stack.remove(self._graph)
        if not nested and exc_type is None:
            raise RuntimeError("Improper nesting of variable_scope.")


def _nested_getter(getter: Callable[..., Any], old_getter: Callable[..., Any] | None) -> Callable[..., Any]:
    """`getter` is called first; what it gets variables from is the outer scope's getter."""
    if old_getter is None:
        return getter
    outer = old_getter

    def nested(true_getter: Any = None, *args: Any, **kwargs: Any) -> Any:
        true_getter = kwargs.pop("getter", true_getter)
        return getter(functools.partial(outer, true_getter), *args, **kwargs)

    return nested


def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> variable_scope:
    """The older order of arguments of `variable_scope`."""
    return variable_scope(
        name_or_scope,
        default_name=default_name,
        values=values,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        reuse=reuse,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
    )


def unique_variable_scope(prefix: str) -> str:
    """`prefix`, or `prefix_1`, …: the first that was not opened in the current scope."""
    return scope_stack().unique_name(prefix)


@contextmanager
def pure_variable_scope(name: str, custom_getter: Any = None) -> Iterator[VariableScope]:
    """A variable scope that opens no name scope."""
    stack = scope_stack()
    old = stack.current
    full = f"{old.name}/{name}" if old.name else name
    scope = old.derived(old.reuse, full, f"{name}/" if not old.name else f"{full}/")
    if custom_getter is not None:
        scope._custom_getter = _nested_getter(custom_getter, scope._custom_getter)
    stack.opened(full)
    stack.current = scope
    try:
        yield scope
    finally:
        stack.close_below(full)
        stack.current = old


def no_regularizer(_: Any) -> None:
    """As a scope's regularizer: none, where an outer scope has one."""
    return
