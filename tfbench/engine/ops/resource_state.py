"""Resource variables: a handle to a buffer that is exchanged, never changed, so that what was read stays.

That is TensorFlow's copy-on-write seen from outside: a read is a snapshot.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine import dtypes
from tfbench.engine.dtypes import DType
from tfbench.engine.function_graph import FunctionGraph
from tfbench.engine.graph import Operation
from tfbench.engine.infer import PARTIAL_VALUES
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import device_rows
from tfbench.engine.opdef import CPU, GPU, OpDef, Preset, op
from tfbench.engine.ops.state import check_indices, check_updates_shape, count, scatter, scatter_nd_into
from tfbench.engine.resources import INITIALIZE, VariableBuffer, variable_key
from tfbench.engine.shape_math import check_scatter_shapes, merge, with_rank_at_least
from tfbench.engine.tensor import Tensor

Array = Any

var_handle = op(
    "VarHandleOp",
    "",
    "resource: resource",
    "container: string = ''; shared_name: string = ''; debug_name: string = ''; dtype: type; shape: shape; "
    "allowed_devices: list(string) = []",
    stateful=True,
)
var_handle.no_gradient("a handle has no inputs")


@var_handle.shape
def _handle_shape(node: Operation) -> Any:
    return [()]


@var_handle.bind(CPU, GPU)
def _handle_bind(context: Any) -> Preset:
    container, name = variable_key(context.op)
    return Preset(context.resources.get(container, name, lambda: VariableBuffer(name, context.attrs["dtype"])))


_SAME_HANDLE = frozenset(["Identity", "Switch", "Enter"])


def _handle_of(tensor: Tensor) -> Operation | None:
    """The VarHandleOp that a handle comes from, through identities and into branches and loops."""
    op = tensor.op
    while True:
        if op.type in _SAME_HANDLE:
            op = op._inputs[0].op
        elif op.type == "Placeholder" and isinstance(op.graph, FunctionGraph):
            outside = op.graph.captured_from(op.outputs_list[0])
            if outside is None:
                break
            op = outside.op
        else:
            break
    return op if op.type == "VarHandleOp" else None


def variable_shape(tensor: Tensor) -> Any:
    """The static shape of the variable behind a handle."""
    handle = _handle_of(tensor)
    return handle.attrs["shape"]._dims if handle is not None else None


def variable_dtype(tensor: Tensor) -> DType:
    """The type of the variable behind a handle; float32 where that is not known."""
    handle = _handle_of(tensor)
    return handle.attrs["dtype"] if handle is not None else dtypes.float32


is_initialized = op("VarIsInitializedOp", "resource: resource", "is_initialized: bool", stateful=True)
is_initialized.no_gradient("the output is not differentiable")


@is_initialized.shape
def _scalar(node: Operation, *shapes: Any) -> Any:
    return [()]


@is_initialized.kernel(CPU, GPU)
def _is_initialized_kernel(xp: Any, resource: VariableBuffer) -> Array:
    return np.bool_(resource.array is not None)


def _read(resource: VariableBuffer, missing: type[errors.OpError] = errors.FailedPreconditionError) -> Array:
    """The value; where there is none an error of the kind `missing`: reads and updates raise different ones."""
    if resource.array is None:
        raise missing(  # type: ignore[call-arg]
            None,
            None,
            f"Could not find variable {resource.name}. This could mean that the variable has been deleted, or that it "
            f"was not initialized: {INITIALIZE}",
        )
    return resource.array


disable_copy_on_read = op("DisableCopyOnRead", "resource: resource", "", stateful=True)
disable_copy_on_read.no_gradient("it has no output")


@disable_copy_on_read.kernel(CPU, GPU)
def _disable_copy_on_read_kernel(xp: Any, resource: VariableBuffer) -> None:
    """A read never copies here: there is nothing to switch off."""


read_variable = op("ReadVariableOp", "resource: resource", "value: dtype", "dtype: type", stateful=True)


@read_variable.shape
def _read_shape(node: Operation, resource: Any) -> Any:
    return [variable_shape(node.inputs[0])]


@read_variable.kernel(CPU, GPU)
def _read_kernel(xp: Any, resource: VariableBuffer) -> Array:
    return _read(resource)


@read_variable.gradient
def _read_gradient(node: Operation, dy: Any) -> Any:
    return [dy]


assign_variable = op(
    "AssignVariableOp",
    "resource: resource, value: dtype",
    "",
    "dtype: type; validate_shape: bool = false",
    stateful=True,
)
assign_variable.no_gradient("assigning is not differentiable")


@assign_variable.kernel(CPU, GPU)
def _assign_kernel(xp: Any, resource: VariableBuffer, value: Array, *, validate_shape: bool) -> None:
    current = resource.array
    if validate_shape and current is not None and current.shape != np.shape(value):
        raise invalid(
            f"Trying to assign to variable '{resource.name}' with tensor with wrong shape. Expected "
            f"{list(current.shape)} got {list(np.shape(value))}"
        )
    resource.replace(xp.array(value))


def _update(type: str, ufunc: str) -> OpDef:
    definition = op(type, "resource: resource, value: dtype", "", "dtype: type", stateful=True)
    definition.no_gradient("assigning is not differentiable")

    @definition.shape
    def _(node: Operation, resource: Any, value: Any) -> Any:
        merge(variable_shape(node.inputs[0]), value)
        return []

    @definition.kernel(CPU, GPU)
    def _(xp: Any, resource: VariableBuffer, value: Array) -> None:
        with resource.lock:
            array = _read(resource, errors.NotFoundError)
            if array.shape != np.shape(value):
                raise invalid(
                    f"Cannot update variable '{resource.name}' with shape {list(array.shape)} using a Tensor with "
                    f"shape {list(np.shape(value))}, shapes must be equal."
                )
            resource.replace(xp.asarray(getattr(xp, ufunc)(array, value)))

    return definition


assign_add_variable = _update("AssignAddVariableOp", "add")
assign_sub_variable = _update("AssignSubVariableOp", "subtract")

gather = op(
    "ResourceGather",
    "resource: resource, indices: Tindices",
    "output: dtype",
    "batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: indextype",
    stateful=True,
    fresh=True,
)


@gather.shape
def _gather_shape(node: Operation, resource: Any, indices: Any) -> Any:
    shape = variable_shape(node.inputs[0])
    if shape is None or indices is None:
        return [None]
    batch = node.attrs["batch_dims"]
    return [(*indices, *shape[batch + 1 :])]


@gather.kernel(CPU, GPU)
def _gather_kernel(xp: Any, resource: VariableBuffer, indices: Array, *, batch_dims: int) -> Array:
    array, indices = _read(resource), xp.asarray(indices)
    if xp is not np:
        if batch_dims == 0:
            return device_rows.take(xp, array, indices, 0)
        count = math.prod(indices.shape[:batch_dims])
        groups, picks = array.reshape((count, *array.shape[batch_dims:])), indices.reshape((count, -1))
        return device_rows.take_each(xp, groups, picks).reshape((*indices.shape, *array.shape[batch_dims + 1 :]))
    check_indices(indices, array.shape[batch_dims])
    if batch_dims == 0:
        return array[indices]
    rows = np.indices(indices.shape)[:batch_dims]
    return array[(*rows, indices)]


def _scatter(type: str, combine: str | None, types: str = "numbertype") -> OpDef:
    definition = op(
        type,
        "resource: resource, indices: Tindices, updates: dtype",
        "",
        f"dtype: {types}; Tindices: indextype",
        stateful=True,
    )
    definition.no_gradient("assigning is not differentiable")

    @definition.shape
    def _(node: Operation, resource: Any, indices: Any, updates: Any) -> Any:
        check_updates_shape(variable_shape(node.inputs[0]), indices, updates)
        return []

    @definition.kernel(CPU, GPU)
    def _(xp: Any, resource: VariableBuffer, indices: Array, updates: Array) -> None:
        with resource.lock:
            array = _read(resource, errors.NotFoundError).copy()
            scatter(xp, array, xp.asarray(indices), updates, combine)
            resource.replace(array)

    return definition


def _scatter_nd(type: str, combine: str | None) -> OpDef:
    definition = op(
        type,
        "ref: resource, indices: Tindices, updates: T",
        "",
        "T: type; Tindices: indextype; use_locking: bool = true; bad_indices_policy: string = ''",
        stateful=True,
    )
    definition.no_gradient("assigning is not differentiable")

    @definition.shape
    def _(node: Operation, resource: Any, indices: Any, updates: Any) -> Any:
        with_rank_at_least(indices, 1)
        with_rank_at_least(updates, 1)
        check_scatter_shapes(variable_shape(node.inputs[0]), indices, updates)
        return []

    @definition.kernel(CPU, GPU)
    def _(xp: Any, resource: VariableBuffer, indices: Array, updates: Array) -> None:
        with resource.lock:
            array = _read(resource, errors.NotFoundError).copy()
            scatter_nd_into(xp, array, xp.asarray(indices), xp.asarray(updates), combine)
            resource.replace(array)

    return definition


SCATTERS = {
    "update": _scatter("ResourceScatterUpdate", None, "type"),
    "add": _scatter("ResourceScatterAdd", "add"),
    "sub": _scatter("ResourceScatterSub", "subtract"),
    "mul": _scatter("ResourceScatterMul", "multiply"),
    "div": _scatter("ResourceScatterDiv", "divide"),
    "min": _scatter("ResourceScatterMin", "minimum"),
    "max": _scatter("ResourceScatterMax", "maximum"),
    "nd_update": _scatter_nd("ResourceScatterNdUpdate", None),
    "nd_add": _scatter_nd("ResourceScatterNdAdd", "add"),
    "nd_sub": _scatter_nd("ResourceScatterNdSub", "subtract"),
}

shape_of = op(
    "VariableShape", "input: resource", "output: out_type", "out_type: indextype = DT_INT32", stateful=True, fresh=True
)
shape_of.no_gradient("integers have no gradient")


@shape_of.shape
def _shape_of_shape(node: Operation, resource: Any) -> Any:
    shape = variable_shape(node.inputs[0])
    return [(None if shape is None else len(shape),)]


def _known_sizes(node: Operation, follow: Any) -> list[int | None] | None:
    shape = variable_shape(node._inputs[0])
    return None if shape is None else list(shape)


PARTIAL_VALUES["VariableShape"] = _known_sizes


@shape_of.kernel(CPU, GPU)
def _shape_of_kernel(xp: Any, resource: VariableBuffer, *, out_type: Any) -> Array:
    return np.array(_read(resource).shape, out_type.as_numpy_dtype)


count_up_to = op(
    "ResourceCountUpTo", "resource: resource", "output: T", "limit: int; T: {int32, int64}", stateful=True, fresh=True
)
count_up_to.shape(_scalar)
count_up_to.no_gradient("integers have no gradient")


@count_up_to.kernel(CPU)
def _count_kernel(xp: Any, resource: VariableBuffer, *, limit: int) -> Array:
    return count(resource, limit, in_place=False)


destroy = op("DestroyResourceOp", "resource: resource", "", "ignore_lookup_error: bool = true", stateful=True)
destroy.no_gradient("nothing comes out")


@destroy.kernel(CPU, GPU)
def _destroy_kernel(xp: Any, resource: VariableBuffer, *, ignore_lookup_error: bool) -> None:
    if resource.array is None and not ignore_lookup_error:
        raise errors.NotFoundError(None, None, f"Resource {resource.name} does not exist.")
    resource.array = None
