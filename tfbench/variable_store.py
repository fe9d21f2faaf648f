"""The variables that `get_variable` made, by full name: one store per graph, rolled back with it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tfbench.engine import source
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import as_dtype, float32
from tfbench.engine.graph import Graph
from tfbench.engine.ops.slicing import slice as slice_op
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.variables.base import Variable, VariableAggregation, VariableSynchronization
from tfbench.variables.partitioned import PartitionedVariable
from tfbench.variables.resource import ResourceVariable

if TYPE_CHECKING:
    from tfbench.engine.tensor import Tensor


class _ReuseMode:
    """What `reuse` may be besides True, False and None."""

    def __repr__(self) -> str:
        return "<_ReuseMode.AUTO_REUSE: 1>"


#: reuse a variable that exists, make one that does not
AUTO_REUSE = _ReuseMode()


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
        **options: Any,
    ) -> Any:
        """Gets or creates the variable with this full name, through `custom_getter` if there is one."""
        if custom_getter is not None and not callable(custom_getter):
            raise ValueError(f"Passed a custom_getter which is not callable: {custom_getter}")
        dtype = as_dtype(dtype).base_dtype
        if trainable is None:  # a copy that is only read at the end cannot be trained
            trainable = options.get("synchronization") != VariableSynchronization.ON_READ
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
        if custom_getter is None:
            return self._true_getter(**arguments, constraint=constraint, **options)
        options = {
            "constraint": constraint,
            "synchronization": VariableSynchronization.AUTO,
            "aggregation": VariableAggregation.NONE,
            **options,
        }
        for key, value in options.items():
            if _takes(custom_getter, key):
                arguments[key] = value
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
        **options: Any,
    ) -> Any:
        common = {
            "name": name,
            "shape": shape,
            "dtype": dtype,
            "initializer": initializer,
            "regularizer": regularizer,
            "reuse": reuse,
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "constraint": constraint,
            **options,
        }
        if partitioner is not None and not (isinstance(shape, Sequence) and not shape):
            if not callable(partitioner):
                raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
            with get_default_graph().name_scope(None):
                return self._partitioned(partitioner=partitioner, **common)
        if reuse is True and partitioner is None and name in self.partitioned:
            with get_default_graph().name_scope(None):
                return self._partitioned(partitioner=None, **common)
        if f"{name}/part_0" in self.variables:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the variable was found: "
                f"{name}/part_0. Perhaps a variable of the same name was already created with partitioning?"
            )
        return self._single(**common)

    # -- one variable -------------------------------------------------------------------------------------

    def _single(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = float32,
        initializer: Any = None,
        regularizer: Any = None,
        partition_info: Any = None,
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
        initial_value, variable_dtype = _initial_value(name, initializer, from_value, static, dtype, partition_info)
        variable: Variable = Variable(
            initial_value=initial_value,
            name=name,
            trainable=trainable,
            collections=collections,
            caching_device=caching_device,
            dtype=variable_dtype,
            validate_shape=validate_shape,
            constraint=constraint,
            use_resource=bool(use_resource),
            synchronization=synchronization,
            aggregation=aggregation,
            shape=static if static.is_fully_defined() and not from_value else None,
        )
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
        if not shape.is_compatible_with(found.shape):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and found shape {found.shape}."
            )
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype {found.dtype.name}."
            )
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

    # -- several, seen as one -------------------------------------------------------------------------------

    def _partitioned(
        self,
        name: str,
        partitioner: Any,
        shape: Any = None,
        dtype: Any = float32,
        initializer: Any = None,
        reuse: Any = None,
        **options: Any,
    ) -> PartitionedVariable:
        from_value = initializer is not None and not callable(initializer)
        if from_value:
            initializer = convert_to_tensor(initializer)
            value_shape = initializer.shape
            if shape is not None and not as_shape(shape).is_compatible_with(value_shape):
                raise ValueError("If initializer is a constant, do not specify shape.")
            shape = value_shape
            dtype = initializer.dtype.base_dtype
        static = as_shape(shape)
        if name in self.variables:
            raise ValueError(
                f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}. "
                "Perhaps a variable of the same name was already created without partitioning?"
            )
        found = self.partitioned.get(name)
        if found is not None:
            return self._existing_partitioned(name, found, partitioner, static, dtype, reuse)
        if reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). Did you mean "
                "to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
            )
        if not static.is_fully_defined():
            raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {static}.")
        partitions = _call_partitioner(partitioner, static, dtype)
        full_shape = [int(size) for size in static]
        axis, count = _partition_axis(full_shape, partitions)
        if f"{name}/part_0" in self.variables:
            raise ValueError(
                f"Partitioner returned a different partitioning than what was already found for {name}: "
                f"{name}/part_0 exists, but its partition list is unknown."
            )
        if initializer is None:
            initializer = default_initializer(name, static, dtype)
        parts = []
        for index, (offset, size) in enumerate(_slices(full_shape[axis], count)):
            var_offset = [offset if i == axis else 0 for i in range(len(full_shape))]
            var_shape = [size if i == axis else full for i, full in enumerate(full_shape)]
            if offset >= full_shape[axis]:
                raise ValueError(
                    f"Expected 0 <= offset < shape but found offset={offset}, shape={full_shape[axis]} for "
                    f"var_offset={var_offset}, full_shape={full_shape}"
                )
            part_name = f"{name}/part_{index}"
            graph = get_default_graph()
            with graph.control_dependencies(None):
                if from_value:
                    with graph.name_scope(f"{part_name}/PartitionedInitializer/"):
                        part_initializer: Any = slice_op(initializer, var_offset, var_shape)
                    part_shape = None
                else:
                    part_initializer, part_shape = initializer, var_shape
            part = self._single(
                name=part_name,
                shape=part_shape,
                dtype=dtype,
                initializer=part_initializer,
                partition_info=PartitionInfo(full_shape, var_offset),
                reuse=reuse,
                **options,
            )
            part._set_save_slice_info(Variable.SaveSliceInfo(name, full_shape, var_offset, var_shape))
            parts.append(part)
        whole = PartitionedVariable(name, static, dtype, parts, partitions)
        self.partitioned[name] = whole
        return whole

    @staticmethod
    def _existing_partitioned(
        name: str, found: PartitionedVariable, partitioner: Any, shape: TensorShape, dtype: Any, reuse: Any
    ) -> PartitionedVariable:
        if not reuse:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified shape {shape} and found shape "
                f"{found.get_shape()}."
            )
        if not as_dtype(dtype).is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified dtype {as_dtype(dtype).name} and found "
                f"dtype {found.dtype.name}."
            )
        if partitioner is not None:
            wanted = _call_partitioner(partitioner, found.get_shape(), found.dtype)
            if wanted != found._get_partitions():
                raise ValueError(
                    f"Trying to reuse partitioned variable {name}, but specified partitions {wanted} and found "
                    f"partitions {found._get_partitions()}."
                )
        return found


class PartitionInfo:
    """Which part of a variable an initializer is asked for: the full shape, and the part's offset."""

    __slots__ = ("full_shape", "var_offset")

    def __init__(self, full_shape: Sequence[int], var_offset: Sequence[int]) -> None:
        self.full_shape = list(full_shape)
        self.var_offset = list(var_offset)


def variable_store(graph: Graph | None = None) -> VariableStore:
    """The store of `graph` (default: the default graph)."""
    graph = get_default_graph() if graph is None else graph
    return graph.extension("variable_store", VariableStore)


def default_initializer(name: str, shape: TensorShape, dtype: Any) -> Any:
    """Glorot's uniform distribution for floats, zeros for integers, booleans and strings."""
    from tfbench import initializers

    if dtype.is_floating:
        return initializers.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype.name == "string":
        if not shape.is_fully_defined():
            raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
        return initializers.zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")


def _initial_value(
    name: str, initializer: Any, from_value: bool, shape: TensorShape, dtype: Any, partition_info: Any
) -> tuple[Any, Any]:
    """What `Variable` gets as initial value, and the dtype that goes with it."""
    if from_value:
        return initializer, None
    if isinstance(initializer, type):
        initializer = initializer()
    if shape.is_fully_defined():
        arguments: dict[str, Any] = {"dtype": dtype}
        if _takes(initializer, "partition_info", by_keyword_alone=True):
            arguments["partition_info"] = partition_info
        return functools.partial(initializer, shape.as_list(), **arguments), dtype.base_dtype
    if _needs_no_arguments(initializer):
        return initializer, None
    if shape.ndims is None and not _is_function(initializer):
        raise ValueError(
            f"Variable {name} did not get an initializer, so its `shape` argument must be specified "
            "(or the initializer be a value)."
        )
    raise ValueError(
        "The initializer passed is not valid. It should be a callable with no arguments and the shape should not be "
        "provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined."
    )


@functools.lru_cache(maxsize=512)
def _parameters(function: Any) -> tuple[dict[str, inspect.Parameter], bool]:
    parameters = inspect.signature(function).parameters
    takes_all = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    return dict(parameters), takes_all


def _takes(function: Any, name: str, by_keyword_alone: bool = False) -> bool:
    """Whether `function` has a parameter `name` (or takes any keyword)."""
    key = (
        type(function).__call__
        if not _is_function(function) and not isinstance(function, functools.partial)
        else function
    )
    try:
        parameters, takes_all = _parameters(key)
    except (TypeError, ValueError):
        return False
    return name in parameters or (takes_all and not by_keyword_alone)


def _is_function(value: Any) -> bool:
    return inspect.isfunction(value) or inspect.ismethod(value) or inspect.isbuiltin(value)


def _needs_no_arguments(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def _call_partitioner(partitioner: Any, shape: TensorShape, dtype: Any) -> list[int]:
    if not shape.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {shape}.")
    if shape.ndims is not None and shape.ndims < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: {shape}")
    partitions = partitioner(shape=shape, dtype=dtype)
    if not isinstance(partitions, (list, tuple)) or len(partitions) != shape.ndims:
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {partitions} vs. {shape}"
        )
    if any(count < 1 for count in partitions):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {partitions}")
    return list(partitions)


def _partition_axis(shape: list[int], partitions: list[int]) -> tuple[int, int]:
    axes = [axis for axis, count in enumerate(partitions) if count > 1]
    if len(axes) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {TensorShape(shape)}, partitioning: {partitions}"
        )
    axis = axes[0] if axes else 0
    return axis, partitions[axis]


def _slices(size: int, count: int) -> list[tuple[int, int]]:
    """`count` (offset, size) pairs that cover `size`; the first ones are larger by one where it does not divide."""
    small, larger = divmod(size, count)
    result, offset = [], 0
    for index in range(count):
        length = small + 1 if index < larger else small
        result.append((offset, length))
        offset += length
    return result


def _near(name: str, known: dict[str, Any]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=3, cutoff=0.7)
    return f" Near names: {', '.join(near)}." if near else ""
