"""`make_template`: a function whose variables are made on its first call and shared by all later ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_collection, get_default_graph
from tfbench.variable_scope import VariableScope, variable_scope
from tfbench.variable_scope.opening import pure_variable_scope, unique_variable_scope

__all__ = ["make_template"]


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """Wraps `func_` so that every call uses the same variables, made with `get_variable` on the first call.

    Args:
      name_: the variable scope's name, made unique.
      create_scope_now_: choose the scope's name now instead of at the first call.
      unique_name_: the scope's name as it is; the template is then shared with others of that name.
      custom_getter_: as for `variable_scope`.
      kwargs: fixed arguments of `func_`.
    """
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template:
    """What `make_template` returns: callable like the function."""

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Any = None,
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None. It is what the template's variable scope will be called.")
        self._name = name
        self._func = func
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._variable_scope: VariableScope | None = None
        self._called = False
        if create_scope_now:
            with pure_variable_scope(unique_name or unique_variable_scope(name), custom_getter) as scope:
                self._variable_scope = scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._variable_scope is not None:
            with variable_scope(self._variable_scope, reuse=self._called):
                return self._call(args, kwargs)
        with variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter) as scope:
            self._remember("_variable_scope", scope)
            return self._call(args, kwargs)

    def _call(self, args: Any, kwargs: Any) -> Any:
        before = get_collection(GraphKeys.TRAINABLE_VARIABLES)
        result = self._func(*args, **kwargs)
        if not self._called:
            self._remember("_called", True)
            return result
        made = get_collection(GraphKeys.TRAINABLE_VARIABLES)[len(before) :]
        if made:
            raise ValueError(
                "Trainable variable created when calling a template after the first time, perhaps you used tf.Variable "
                f"when you meant tf.get_variable: {[variable.name for variable in made]} (template '{self._name}')"
            )
        return result

    def _remember(self, attribute: str, value: Any) -> None:
        """Sets a part of the template's state such that rolling the graph back takes it back, too."""
        get_default_graph().record_undo(self, attribute, getattr(self, attribute))
        setattr(self, attribute, value)

    @property
    def name(self) -> str:
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of the variables; None before the first call."""
        return self._variable_scope

    #: the older name
    var_scope = variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The scope's name; None before the first call."""
        return self._variable_scope.name if self._variable_scope is not None else None

    def _collection(self, key: str) -> list[Any]:
        return [] if self._variable_scope is None else self._variable_scope.get_collection(key)

    @property
    def global_variables(self) -> list[Any]:
        return self._collection(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        return self._collection(GraphKeys.LOCAL_VARIABLES)

    @property
    def variables(self) -> list[Any]:
        return [*self.global_variables, *self.local_variables]

    @property
    def trainable_variables(self) -> list[Any]:
        return self._collection(GraphKeys.TRAINABLE_VARIABLES)
