"""What a variable scope gives to `get_variable`: a prefix, a reuse flag, and defaults."""

from __future__ import annotations

from typing import Any

from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import DType, as_dtype, float32
from tfbench.variables.base import VariableAggregation, VariableSynchronization


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
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
    ) -> Any:
        """Gets or creates the variable `name` under this scope's name, with this scope's defaults."""
        # Names of variables are those of their scopes alone. (A NameScope(None), written out: this is once a variable.)
        state = get_default_graph().scope_state
        names, state.name = state.name, ""
        try:
            if dtype is None:
                dtype = self._dtype
            elif initializer is not None and not callable(initializer):
                initial_dtype = convert_to_tensor(initializer).dtype.base_dtype
                if initial_dtype != as_dtype(dtype):
                    raise ValueError(
                        f"Initializer type '{initial_dtype}' and explicit dtype '{as_dtype(dtype)}' don't match."
                    )
            return var_store.get_variable(
                f"{self._name}/{name}" if self._name else name,
                shape,
                dtype,
                self._initializer if initializer is None else initializer,
                self._regularizer if regularizer is None else regularizer,
                self._reuse if reuse is None else reuse,
                trainable,
                collections,
                self._caching_device if caching_device is None else caching_device,
                self._partitioner if partitioner is None else partitioner,
                validate_shape,
                self._use_resource if use_resource is None else use_resource,
                self._custom_getter if custom_getter is None else custom_getter,
                self._constraint if constraint is None else constraint,
                synchronization,
                aggregation,
            )
        finally:
            state.name = names
