"""The variables that `get_variable` made, by full name: one store per graph, rolled back with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tfbench.engine import source
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import as_dtype, float32
from tfbench.engine.graph import Graph
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.variable_scope.initial_value import default_initializer, initial_value_for, is_own, takes_argument
from tfbench.variable_scope.partitioned import PartitionInfo, partitioned_variable
from tfbench.variables.base import Variable, VariableAggregation, VariableSynchronization
from tfbench.variables.creators import creators
from tfbench.variables.partitioned import PartitionedVariable
from tfbench.variables.resource import ResourceVariable

if TYPE_CHECKING:
    from tfbench.engine.tensor import Tensor


class VariableStore:
    """Full names to variables."""

    def __init__(self) -> None:
        self.variables: dict[str, Variable] = {}
        self.partitioned: dict[str, PartitionedVariable] = {}

    def snapshot(self) -> Any:
        """For `Graph.mark`: the names, and where each variable had been shared."""
        shared = [(variable, tuple(variable.shared_at)) for variable in self.variables.values()]
        return dict(self.variables), dict(self.partitioned), shared

    def restore(self, state: Any) -> None:
        """For `Graph.roll_back`."""
        variables, partitioned, shared = state
        self.variables, self.partitioned = dict(variables), dict(partitioned)
        for variable, places in shared:
            variable.shared_at[:] = places

    def has(self, name: str) -> bool:
        """Whether a variable of this full name was made, in one or in parts."""
        return name in self.variables or name in self.partitioned

    # -- the entry point ----------------------------------------------------------------------------------

    def get_variable(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = float32,
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
        """Gets or creates the variable with this full name, through `custom_getter` if there is one."""
        dtype = as_dtype(dtype).base_dtype
        if trainable is None:  # a copy that is only read at the end cannot be trained
            trainable = synchronization != VariableSynchronization.ON_READ
        if custom_getter is None:
            return self._true_getter(
                name,
                shape,
                dtype,
                initializer,
                regularizer,
                reuse,
                trainable,
                collections,
                caching_device,
                partitioner,
                validate_shape,
                use_resource,
                constraint,
                synchronization,
                aggregation,
            )
        if not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        arguments = {
            "name": name,
            "shape": shape,
            "dtype": dtype,
            "initializer": initializer,
            "regularizer": regularizer,
            "reuse": reuse,
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
        }
        # Getters that were written before these arguments existed are called without them.
        later = {"constraint": constraint, "synchronization": synchronization, "aggregation": aggregation}
        arguments.update((key, value) for key, value in later.items() if takes_argument(custom_getter, key))
        return custom_getter(getter=self._true_getter, **arguments)

    def _true_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = float32,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
    ) -> Any:
        """Decides whether the variable is one, or in parts."""
        cut = partitioner is not None and not (isinstance(shape, Sequence) and not shape)
        if cut and not callable(partitioner):
            raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
        if cut or (reuse is True and partitioner is None and name in self.partitioned):
            with get_default_graph().name_scope(None):
                return partitioned_variable(
                    self,
                    name,
                    partitioner if cut else None,
                    shape,
                    dtype,
                    initializer,
                    reuse,
                    regularizer=regularizer,
                    trainable=trainable,
                    collections=collections,
                    caching_device=caching_device,
                    validate_shape=validate_shape,
                    use_resource=use_resource,
                    constraint=constraint,
                    synchronization=synchronization,
                    aggregation=aggregation,
                )
        if f"{name}/part_0" in self.variables:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable was found: "
                f"{name}/part_0. Perhaps a variable of the same name was already created with partitioning?"
            )
        return self.single(
            name,
            shape,
            dtype,
            initializer,
            regularizer,
            None,
            reuse,
            trainable,
            collections,
            caching_device,
            validate_shape,
            use_resource,
            constraint,
            synchronization,
            aggregation,
        )

    # -- one variable -------------------------------------------------------------------------------------

    def single(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = float32,
        initializer: Any = None,
        regularizer: Any = None,
        partition_info: PartitionInfo | None = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
    ) -> Variable:
        """Gets or creates a variable that is one, or a part of one that is cut."""
        from_value = initializer is not None and not callable(initializer)
        if shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        dtype = as_dtype(dtype)
        static = as_shape(shape)
        found = self.variables.get(name)
        if found is not None:
            return self._existing(name, found, static, dtype, reuse)
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
                f"reuse=tf.AUTO_REUSE in VarScope?{_near(name, self.variables)}"
            )
        if initializer is None:
            initializer = default_initializer(name, static, dtype)
        initial_value, variable_dtype = initial_value_for(name, initializer, from_value, static, dtype, partition_info)
        state = get_default_graph().scope_state
        outer = state.trace
        if outer is None and is_own(initializer) and not creators():
            # No code of the user's makes nodes in there: all are from the line that called get_variable.
            state.trace = source.capture()
        try:
            # In the order of `tf.Variable`'s arguments: by keyword, each of the three calls below would pack them anew.
            variable: Variable = Variable(
                initial_value,
                trainable,
                collections,
                validate_shape,
                caching_device,
                name,
                None,
                variable_dtype,
                None,
                None,
                constraint,
                bool(use_resource),
                synchronization,
                aggregation,
                static if not from_value and static.is_fully_defined() else None,
            )
        finally:
            state.trace = outer
        if not isinstance(variable, Variable):
            raise TypeError(
                f"A creator of tf.variable_creator_scope returned {variable!r} for '{name}'; get_variable needs a "
                "variable: return what next_creator(**arguments) gives."
            )
        self.variables[name] = variable
        if regularizer:
            self._regularize(name, variable, regularizer)
        return variable

    @staticmethod
    def _existing(name: str, found: Variable, shape: TensorShape, dtype: Any, reuse: Any) -> Variable:
        if not reuse:
            message = (
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
                "VarScope?"
            )
            if isinstance(found, ResourceVariable):
                raise ValueError(message)
            place = found._variable.op.source
            raise ValueError(f"{message} Originally defined at:\n\n  {place}: {place.text}" if place else message)
        differs = ""
        if not shape.is_compatible_with(found.shape):
            differs = f"specified shape {shape} and found shape {found.shape}"
        elif not dtype.is_compatible_with(found.dtype):
            differs = f"specified dtype {dtype.name} and found dtype {found.dtype.name}"
        if differs:
            place = found.op.source
            made = f" {name} was made at {place}." if place else ""
            raise ValueError(f"Trying to share variable {name}, but {differs}.{made}")
        found.shared_at.append(source.capture())
        return found

    @staticmethod
    def _regularize(name: str, variable: Any, regularizer: Callable[[Any], Tensor | None]) -> None:
        if regularizer(variable) is None:
            return
        graph = get_default_graph()
        # The penalty belongs to the variable: it is computed where the variable is, under its name.
        with graph.colocate_with(variable.op), graph.name_scope(f"{name}/Regularizer/"):
            loss = regularizer(variable)
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def variable_store(graph: Graph | None = None) -> VariableStore:
    """The store of `graph` (default: the default graph)."""
    graph = get_default_graph() if graph is None else graph
    return graph.extension("variable_store", VariableStore)


def _near(name: str, known: dict[str, Any]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=3, cutoff=0.7)
    return f" Near names: {', '.join(near)}." if near else ""
