"""Variable scopes: a prefix, defaults and a reuse flag for `get_variable`, and a name scope for ops.

The two counters are separate: the variable path comes from nesting (and from captured scope objects), the
op path is made unique like any name scope. That is why a variable `layer/w` may be used by ops in `layer_1/`.
"""

from __future__ import annotations

import functools
import threading
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tfbench.engine.apply import graph_of
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import default_graph_stack, get_default_graph
from tfbench.engine.dtypes import DType, as_dtype, float32
from tfbench.engine.graph import Graph
from tfbench.engine.scopes import NameScope
from tfbench.variable_store import AUTO_REUSE, _ReuseMode, variable_store
from tfbench.variables.base import Variable, VariableAggregation, VariableSynchronization
from tfbench.variables.reference import RefVariable
from tfbench.variables.resource import ResourceVariable

__all__ = [
    "AUTO_REUSE",
    "VariableScope",
    "disable_resource_variables",
    "enable_resource_variables",
    "get_local_variable",
    "get_variable",
    "get_variable_scope",
    "no_regularizer",
    "resource_variables_enabled",
    "variable_op_scope",
    "variable_scope",
]

_use_resource_by_default = False


def enable_resource_variables() -> None:
    """Makes resource variables the default."""
    global _use_resource_by_default
    _use_resource_by_default = True


def disable_resource_variables() -> None:
    """Makes reference variables the default, as in 1.x."""
    global _use_resource_by_default
    _use_resource_by_default = False


def resource_variables_enabled() -> bool:
    """Whether variables are resource variables where nothing else is said."""
    return _use_resource_by_default


def _choose(use_resource: bool | None) -> type:
    if use_resource is None:
        use_resource = get_variable_scope().use_resource
    if use_resource is None:
        use_resource = _use_resource_by_default
    return ResourceVariable if use_resource else RefVariable


Variable.choose = staticmethod(_choose)


def no_regularizer(_: Any) -> None:
    """As a scope's regularizer: none, where an outer scope has one."""
    return


class VariableScope:
    """What a scope gives to `get_variable`: a name prefix, a reuse flag and defaults for its arguments."""

    _SETTINGS = (
        "_initializer",
        "_regularizer",
        "_caching_device",
        "_partitioner",
        "_custom_getter",
        "_dtype",
        "_use_resource",
    )

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._reuse = reuse
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype: DType = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    def derived(self, reuse: Any, name: str, name_scope: str) -> VariableScope:
        """A scope with the same defaults (but for the constraint, which TensorFlow's scopes do not hand on)."""
        new = VariableScope(reuse, name, name_scope=name_scope)
        for setting in self._SETTINGS:
            setattr(new, setting, getattr(self, setting))
        return new

    @property
    def name(self) -> str:
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope, with a slash, that was opened with this scope."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        return self._reuse

    @property
    def initializer(self) -> Any:
        return self._initializer

    @property
    def regularizer(self) -> Any:
        return self._regularizer

    @property
    def caching_device(self) -> Any:
        return self._caching_device

    @property
    def partitioner(self) -> Any:
        return self._partitioner

    @property
    def custom_getter(self) -> Any:
        return self._custom_getter

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def use_resource(self) -> bool | None:
        return self._use_resource

    @property
    def constraint(self) -> Any:
        return self._constraint

    def reuse_variables(self) -> None:
        """From now on `get_variable` in this scope returns variables that exist."""
        self._set("_reuse", True)

    def _set(self, attribute: str, value: Any) -> None:
        # A captured scope outlives the notebook cell that changes it: running that cell again undoes the change.
        get_default_graph().record_undo(self, attribute, getattr(self, attribute))
        setattr(self, attribute, value)

    def set_initializer(self, initializer: Any) -> None:
        self._set("_initializer", initializer)

    def set_regularizer(self, regularizer: Any) -> None:
        self._set("_regularizer", regularizer)

    def set_dtype(self, dtype: Any) -> None:
        self._set("_dtype", dtype)

    def set_caching_device(self, caching_device: Any) -> None:
        self._set("_caching_device", caching_device)

    def set_partitioner(self, partitioner: Any) -> None:
        self._set("_partitioner", partitioner)

    def set_custom_getter(self, custom_getter: Any) -> None:
        self._set("_custom_getter", custom_getter)

    def set_use_resource(self, use_resource: bool | None) -> None:
        self._set("_use_resource", use_resource)

    def get_collection(self, name: Any) -> list[Any]:
        """The items of a collection that are named in this scope."""
        return get_default_graph().get_collection(name, f"{self._name}/" if self._name else "")

    def trainable_variables(self) -> list[Any]:
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        var_store: Any,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Any = None,
        constraint: Any = None,
        **options: Any,
    ) -> Any:
        """Gets or creates the variable `name` under this scope's name, with this scope's defaults."""
        full_name = f"{self._name}/{name}" if self._name else name
        with get_default_graph().name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                initial_dtype = convert_to_tensor(initializer).dtype.base_dtype
                if initial_dtype != as_dtype(dtype):
                    raise ValueError(
                        f"Initializer type '{initial_dtype}' and explicit dtype '{as_dtype(dtype)}' don't match."
                    )
            return var_store.get_variable(
                full_name,
                shape=shape,
                dtype=self._dtype if dtype is None else dtype,
                initializer=self._initializer if initializer is None else initializer,
                regularizer=self._regularizer if regularizer is None else regularizer,
                reuse=self._reuse if reuse is None else reuse,
                trainable=trainable,
                collections=collections,
                caching_device=self._caching_device if caching_device is None else caching_device,
                partitioner=self._partitioner if partitioner is None else partitioner,
                validate_shape=validate_shape,
                use_resource=self._use_resource if use_resource is None else use_resource,
                custom_getter=self._custom_getter if custom_getter is None else custom_getter,
                constraint=self._constraint if constraint is None else constraint,
                **options,
            )


class _ScopeStack(threading.local):
    """The current scope of one graph in this thread, and how often each scope was opened (for default names)."""

    def __init__(self) -> None:
        self.current = VariableScope(False)
        self.counts: dict[str, int] = {}
        #: the keys of `counts`, sorted: those below a scope stand together, and closing it touches no others
        self._names: list[str] = []

    def opened(self, name: str) -> None:
        times = self.counts.get(name, 0)
        if not times:
            insort(self._names, name)
        self.counts[name] = times + 1

    def close_below(self, name: str) -> None:
        names = self._names
        # "0" is the character after "/"
        first, end = (bisect_left(names, f"{name}/"), bisect_left(names, f"{name}0")) if name else (0, len(names))
        for below in names[first:end]:
            del self.counts[below]
        del names[first:end]

    def opened_so_far(self) -> Any:
        """What was opened, to be given to `reopen`."""
        return dict(self.counts), list(self._names)

    def reopen(self, opened: Any) -> None:
        counts, names = opened
        self.counts, self._names = dict(counts), list(names)

    def unique_name(self, prefix: str) -> str:
        """`prefix`, or `prefix_1`, …: the first that was not opened in the current scope."""
        base = f"{self.current.name}/{prefix}" if self.current.name else prefix
        if not self.counts.get(base):
            return prefix
        index = 1
        while self.counts.get(f"{base}_{index}"):
            index += 1
        return f"{prefix}_{index}"

    def snapshot(self) -> Any:
        return self.current, dict(vars(self.current)), self.opened_so_far()

    def restore(self, state: Any) -> None:
        self.current, settings, opened = state
        vars(self.current).update(settings)
        self.reopen(opened)


def _scopes(graph: Graph | None = None) -> _ScopeStack:
    graph = get_default_graph() if graph is None else graph
    return graph.extension("variable_scopes", _ScopeStack)


def get_variable_scope() -> VariableScope:
    """The current variable scope of the default graph."""
    return _scopes().current


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """Gets the variable of this name in the current variable scope, or creates it.

    Args:
      name: appended to the scope's name.
      shape: sizes; needed unless the initializer is a value or takes no arguments.
      dtype: default: the scope's, float32.
      initializer: a function of (shape, dtype), or a value. Default: the scope's, else Glorot uniform for floats
        and zeros for integers.
      regularizer: a function of the variable; its result goes into REGULARIZATION_LOSSES.
      partitioner: a function of (shape, dtype) that says into how many parts each axis is cut.
      custom_getter: called instead, with `getter` and these arguments.
      The others are as for `Variable`.

    Raises:
      ValueError: if the variable exists and the scope does not reuse, does not exist and the scope reuses, or
        exists with another shape or dtype.
    """
    return get_variable_scope().get_variable(
        variable_store(),
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    **options: Any,
) -> Any:
    """`get_variable` into the collection of local variables, not trainable."""
    collections = [*(collections or []), GraphKeys.LOCAL_VARIABLES]
    return get_variable(name, shape, dtype, initializer, regularizer, False, collections, **options)


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
        if reuse not in (True, False, None) and not isinstance(reuse, _ReuseMode):
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
        stack = _scopes(graph)
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
    return _scopes().unique_name(prefix)


@contextmanager
def pure_variable_scope(name: str, custom_getter: Any = None) -> Iterator[VariableScope]:
    """A variable scope that opens no name scope."""
    stack = _scopes()
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
