"""`Layer`: a function of tensors that has variables, made on its first call and used again on later ones.

Two names: the layer's own (`dense_1`, counted per graph and class) and its variable scope's (`dense`, made unique like
any scope when the layer first makes or looks for a variable). Variables and ops are named after the scope.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tfbench import initializers
from tfbench.engine import nest, ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_collection_ref, get_default_graph
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Graph
from tfbench.engine.name_scope import name_scope
from tfbench.engine.tensor import Tensor
from tfbench.layers import by_name
from tfbench.layers.input_spec import check_inputs
from tfbench.layers.names import counted, snake_case
from tfbench.layers.reach import reached_from
from tfbench.variable_scope import VariableScope, get_variable, variable_scope
from tfbench.variable_scope.store import variable_store
from tfbench.variables.partitioned import PartitionedVariable


class Layer:
    """The base of all layers. A subclass makes its variables in `build` and says what it computes in `call`.

    Args:
      trainable: whether its variables are.
      name: the name of its scope, made unique; default: from the class.
      dtype: of its variables; default: of its first input.
      activity_regularizer: a function of the output whose result is added to the losses.
      _reuse, _scope: whether variables exist already, and the scope's name or object.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: Any = None,
        dtype: Any = None,
        activity_regularizer: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self._reuse = kwargs.pop("_reuse", None)
        scope = kwargs.pop("_scope", None)
        for unknown in kwargs:
            raise TypeError(f"Keyword argument not understood: {unknown!r}")
        self.trainable = trainable
        self.built = False
        self.input_spec: Any = None
        self._dtype = None if dtype is None else as_dtype(dtype).name
        self._activity_regularizer = activity_regularizer
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        #: what `add_weight` was called with -> the variable
        self._named_weights: dict[str, Any] = {}
        self._updates: list[Any] = []
        self._losses: list[Any] = []
        #: loss -> the inputs that it depends on, None for none
        self._depends: dict[int, list[Any] | None] = {}
        self._calls: list[tuple[Any, Any]] = []
        self._graph: Graph = get_default_graph()
        self._base_name = snake_case(type(self).__name__)
        if isinstance(name, VariableScope):
            self._base_name, self._name = name.name, counted(self._base_name)
        elif name:
            self._base_name = self._name = name
        else:
            self._name = counted(self._base_name)
        self._scope: VariableScope | None = None
        self._current_scope: VariableScope | None = None
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    def __deepcopy__(self, memo: dict[int, Any]) -> Layer:
        """A layer with the same options, in the same graph; variables that there are belong to both."""
        from copy import copy, deepcopy

        new = memo[id(self)] = object.__new__(type(self))
        for name, value in vars(self).items():
            if name == "_graph":
                vars(new)[name] = value
            elif name in ("_scope", "_current_scope") or _of_graph(value):
                vars(new)[name] = copy(value) if type(value) in (list, dict, VariableScope) else value
            else:
                vars(new)[name] = deepcopy(value, memo)
        return new

    # -- what it is -------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> str | None:
        return self._dtype

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def scope_name(self) -> str:
        """The name of its variable scope.

        Raises:
          ValueError: before the first call, which opens it.
        """
        if self._scope is None:
            raise ValueError(
                f"No name available for layer scope because the layer '{self._name}' has not been used yet. The scope "
                "name is determined the first time the layer instance is called. You must therefore call the layer "
                "before querying `scope_name`."
            )
        return self._scope.name

    @property
    def activity_regularizer(self) -> Callable[[Any], Any] | None:
        return self._activity_regularizer

    @property
    def trainable_weights(self) -> list[Any]:
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        if self.trainable:
            return list(self._non_trainable_weights)
        return [*self._trainable_weights, *self._non_trainable_weights]

    @property
    def weights(self) -> list[Any]:
        return [*self.trainable_weights, *self.non_trainable_weights]

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    def count_params(self) -> int:
        """How many numbers its variables hold.

        Raises:
          ValueError: if it has no variables yet.
        """
        if not self.built:
            raise ValueError(f"You tried to call `count_params` on {self.name}, but the layer isn't built.")
        return sum(variable.shape.num_elements() or 0 for variable in self.weights)

    # -- updates and losses -------------------------------------------------------------------------------------

    @property
    def updates(self) -> list[Any]:
        return list(self._updates) if self.trainable else []

    @property
    def losses(self) -> list[Any]:
        return list(self._losses)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Ops to be run with a training step; the call puts them into UPDATE_OPS, unless the layer is frozen."""
        new = list(updates) if isinstance(updates, (list, tuple)) else [updates]
        new = [item.op if isinstance(item, Tensor) else item for item in new]
        self._updates.extend(new)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Penalties; they go into REGULARIZATION_LOSSES."""
        new = list(losses) if isinstance(losses, (list, tuple)) else [losses]
        self._remember(new, inputs)
        self._losses.extend(new)
        _add(new, GraphKeys.REGULARIZATION_LOSSES)

    def _remember(self, new: list[Any], inputs: Any) -> None:
        for item in new:
            self._depends[id(item)] = None if inputs is None else nest.flatten(inputs)

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """The updates that can be reached from `inputs`; with None, those that none of the layer's calls reaches."""
        called = reached_from([tensor for given, _ in self._calls for tensor in nest.flatten(given)])
        if inputs is None:
            return [item for item in self.updates if item not in called]
        asked = reached_from(nest.flatten(inputs))
        return [item for item in self.updates if item in called and item in asked]

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """The losses that depend on `inputs`; with None, those that depend on none."""
        return self._that_depend(self.losses, inputs)

    def _that_depend(self, items: list[Any], inputs: Any) -> list[Any]:
        if inputs is None:
            return [item for item in items if self._depends[id(item)] is None]
        asked = nest.flatten(inputs)
        return [item for item in items if any(given is one for one in asked for given in self._depends[id(item)] or ())]

    # -- variables ----------------------------------------------------------------------------------------------

    def add_weight(
        self,
        name: str,
        shape: Any = (),
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = 0,
        aggregation: Any = 0,
        partitioner: Any = None,
    ) -> Any:
        """A variable of the layer, called `name` in its scope; in a layer that reuses, the one that exists.

        Raises:
          ValueError: if no initializer is given for a type that has no default one.
        """
        if trainable is None:
            trainable = True
        kind = as_dtype(dtype or self._dtype or "float32").base_dtype
        self._set_scope()
        reuse = self.built or self._reuse
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with name_scope(self._name_scope()):
                initializer = by_name.initializer(initializer)
                if initializer is None:
                    initializer = scope.initializer or _default_initializer(name, kind, self._name)
                # A variable that exists has its penalty already (a getter may have made it under another name).
                kept = variable_store().variables
                before = len(kept)
                variable = get_variable(
                    name,
                    shape=shape,
                    dtype=kind,
                    initializer=initializer,
                    trainable=trainable and self.trainable,
                    partitioner=partitioner,
                    use_resource=use_resource if use_resource is not None else scope.use_resource,
                    constraint=constraint,
                    synchronization=synchronization,
                    aggregation=aggregation,
                )
                if regularizer is not None and len(kept) > before:
                    self._penalize(name, variable, regularizer)
        known = self._trainable_weights if trainable else self._non_trainable_weights
        if not any(variable is one for one in known):
            known.append(variable)
        self._named_weights[name] = variable
        return variable

    def _trackable_children(self) -> dict[str, Any]:
        """What an object-based checkpoint of the layer holds."""
        return {name: one for name, one in self._named_weights.items() if not isinstance(one, PartitionedVariable)}

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """The older name of `add_weight`."""
        return self.add_weight(*args, **kwargs)

    def _penalize(self, name: str, variable: Any, regularizer: Callable[[Any], Any]) -> None:
        parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
        for part in parts:
            with name_scope(f"{name}/Regularizer"):
                loss = regularizer(part)
            if loss is not None:
                self.add_loss(loss)

    # -- calling ------------------------------------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Makes the variables. Subclasses replace it."""
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """What the layer computes. Subclasses replace it."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The static shape of the output for inputs of `input_shape`."""
        raise NotImplementedError(f"{type(self).__name__} does not say the shape of its output.")

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The same as calling it."""
        return self(inputs, *args, **kwargs)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Applies the layer. The first call makes its variables.

        Raises:
          ValueError: if the inputs are not what the layer takes.
        """
        scope = kwargs.pop("scope", None)
        self._note_state()
        self._set_scope(scope)
        reuse = True if self.built else self._reuse
        inputs = nest.map_structure(lambda item: item if hasattr(item, "dtype") and hasattr(item, "graph") else
                                    convert_to_tensor(item), inputs)  # fmt: skip
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as opened:
            self._current_scope = opened
            with self._graph_of(inputs), name_scope(self._name_scope()):
                self._build_once(inputs)
                check_inputs(self.input_spec, inputs, self._name)
                outputs = self.call(inputs, *args, **kwargs)
                if self._activity_regularizer is not None:
                    self._penalize_activity(inputs, outputs)
        self._calls.append((inputs, outputs))
        _add(self.updates, GraphKeys.UPDATE_OPS)
        return outputs

    def _build_once(self, inputs: Any) -> None:
        if self.built:
            return
        check_inputs(self.input_spec, inputs, self._name)
        flat = nest.flatten(inputs)
        if self._dtype is None and flat:
            self._dtype = flat[0].dtype.base_dtype.name
        shapes = nest.map_structure(lambda tensor: tensor.shape, inputs)
        self.build(shapes)
        self.built = True

    def _penalize_activity(self, inputs: Any, outputs: Any) -> None:
        assert self._activity_regularizer is not None
        with name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss = self._activity_regularizer(output)
                count = ops.cast(ops.shape(output)[0], loss.dtype)
                self.add_loss(loss / count, inputs=inputs)

    def _graph_of(self, inputs: Any) -> AbstractContextManager[Any]:
        flat = nest.flatten(inputs)
        graph = flat[0].graph if flat else self._graph
        if self.built and graph is not self._graph:
            raise ValueError(
                f"Layer '{self._name}' has its variables in another graph than these inputs. Use a layer per graph."
            )
        self._graph = graph
        return graph.as_default()

    def _note_state(self) -> None:
        """Lets the graph put the layer back to what it is now when it is itself rolled back: variables that are gone
        would be no use to it."""
        state = {name: value.copy() if type(value) in (list, dict) else value for name, value in vars(self).items()}
        get_default_graph().record_undo(self, "__dict__", state)

    # -- scopes ---------------------------------------------------------------------------------------------------

    def _set_scope(self, scope: Any = None) -> None:
        """Opens the layer's variable scope once, to know its name."""
        if self._scope is not None:
            return
        if self._reuse:
            opened = variable_scope(scope if scope is not None else self._base_name)
        else:
            opened = variable_scope(scope, default_name=self._base_name)
        with opened as captured:
            self._scope = captured

    def _name_scope(self) -> str:
        """The name scope of its ops: that which was opened with its variable scope."""
        assert self._current_scope is not None
        return self._current_scope.original_name_scope

    # -- what the last call took and gave -------------------------------------------------------------------------

    def _of_only_call(self, which: int, what: str) -> Any:
        if not self._calls:
            raise AttributeError(f"Layer {self._name} has never been called and thus has no defined {what}.")
        if len(self._calls) > 1:
            raise AttributeError(
                f"Layer {self._name} has multiple inbound nodes, hence the notion of 'layer {what}' is ill-defined."
            )
        return self._calls[0][which]

    @property
    def input(self) -> Any:
        return self._of_only_call(0, "input")

    @property
    def output(self) -> Any:
        return self._of_only_call(1, "output")

    @property
    def input_shape(self) -> Any:
        return nest.map_structure(lambda tensor: tensor.shape, self.input)

    @property
    def output_shape(self) -> Any:
        return nest.map_structure(lambda tensor: tensor.shape, self.output)


def _default_initializer(name: str, dtype: Any, layer: str) -> Any:
    if dtype.is_floating:
        return initializers.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool:
        return initializers.zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of type {dtype.name} is required for layer {layer}")


def _add(elements: list[Any], key: str) -> None:
    collection = get_collection_ref(key)
    for element in elements:
        if not any(element is one for one in collection):
            collection.append(element)


def _of_graph(value: Any) -> bool:
    """Whether it is, or has in it, a part of the graph."""
    return any(hasattr(item, "graph") and not isinstance(item, Layer) for item in nest.flatten(value))
