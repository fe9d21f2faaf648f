"""Reference variables: a buffer in the session that ops read through an alias and write in place.

Kernels get the `VariableBuffer` itself where an input is a reference. Each update is one NumPy call on the
buffer (or one exchange of it), so that an interrupt finds it either before or after, never in between.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels import device_rows, host_rows
from tfbench.engine.opdef import CPU, GPU, OpDef, Preset, op
from tfbench.engine.resources import VariableBuffer, variable_key
from tfbench.engine.shape_math import check_scatter_shapes, concatenate, merge, with_rank, with_rank_at_least

Array = Any

variable_v2 = op(
    "VariableV2",
    "",
    "ref: Ref(dtype)",
    "shape: shape; dtype: type; container: string = ''; shared_name: string = ''",
    stateful=True,
    doc="A buffer that lives in the session.",
)
variable_v2.no_gradient("a variable's buffer has no inputs")


@variable_v2.shape
def _variable_shape(node: Operation) -> Any:
    return [node.attrs["shape"]._dims]


@variable_v2.bind(CPU, GPU)
def _variable_bind(context: Any) -> Preset:
    node = context.op
    container, name = variable_key(node)
    shape = node.attrs["shape"]
    declared = tuple(shape.as_list()) if shape.is_fully_defined() else ()
    return Preset(context.resources.get(container, name, lambda: VariableBuffer(name, node.attrs["dtype"], declared)))


is_variable_initialized = op("IsVariableInitialized", "ref: Ref(dtype)", "is_initialized: bool", "dtype: type")
is_variable_initialized.no_gradient("the output is not differentiable")


@is_variable_initialized.shape
def _scalar_shape(node: Operation, *shapes: Any) -> Any:
    return [()]


@is_variable_initialized.kernel(CPU, GPU)
def _is_initialized_kernel(xp: Any, ref: VariableBuffer) -> Array:
    return np.bool_(ref.array is not None)


# -- assigning ---------------------------------------------------------------------------------------------

assign = op(
    "Assign",
    "ref: Ref(T), value: T",
    "output_ref: Ref(T)",
    "T: type; validate_shape: bool = true; use_locking: bool = true",
)
assign.no_gradient("assigning is not differentiable")


@assign.shape
def _assign_shape(node: Operation, ref: Any, value: Any) -> Any:
    if node.attrs["validate_shape"]:
        return [merge(ref, value)]
    return [value]


@assign.bind(CPU, GPU)
def _bind_assign(context: Any) -> Callable[..., VariableBuffer]:
    validate_shape, use_locking = context.op.attrs["validate_shape"], context.op.attrs["use_locking"]

    def assign_value(ref: VariableBuffer, value: Array) -> VariableBuffer:
        current = ref.array
        shape = ref.shape if current is None else current.shape
        if validate_shape and shape != getattr(value, "shape", ()):
            raise invalid(
                f"Assign requires shapes of both tensors to match. lhs shape= {brackets(shape)} "
                f"rhs shape= {brackets(np.shape(value))}"
            )
        if use_locking:
            with ref.lock:
                ref.assign(value)
        else:
            ref.assign(value)
        return ref

    return assign_value


def _bind_update(definition: OpDef, devices: tuple[str, ...], update: Callable[..., VariableBuffer]) -> None:
    """Makes `update(xp, ref, ...)` the kernel; with `use_locking` other threads wait until it is done."""

    @definition.bind(*devices)
    def _(context: Any) -> Callable[..., VariableBuffer]:
        plain = functools.partial(update, context.device.xp)
        if not context.op.attrs["use_locking"]:
            return plain

        def locked(ref: VariableBuffer, *values: Array) -> VariableBuffer:
            with ref.lock:
                return plain(ref, *values)

        return locked


def _update(type: str, ufunc: str) -> OpDef:
    definition = op(type, "ref: Ref(T), value: T", "output_ref: Ref(T)", "T: numbertype; use_locking: bool = false")
    definition.no_gradient("assigning is not differentiable")

    @definition.shape
    def _(node: Operation, ref: Any, value: Any) -> Any:
        return [merge(ref, value)]

    host = getattr(np, ufunc)

    def update(xp: Any, ref: VariableBuffer, value: Array) -> VariableBuffer:
        array = ref.read()
        if array.shape != value.shape:
            raise invalid(
                f"Shapes of both tensors should match: '{ref.name}' has {brackets(array.shape)}, "
                f"the value has {brackets(value.shape)}"
            )
        (host if xp is np else getattr(xp, ufunc))(array, value, array)
        ref.updates += 1
        return ref

    _bind_update(definition, (CPU, GPU), update)
    return definition


assign_add = _update("AssignAdd", "add")
assign_sub = _update("AssignSub", "subtract")


# -- scattering -----------------------------------------------------------------------------------------------


def check_indices(indices: Array, size: int, what: str = "indices") -> None:
    """Raises InvalidArgumentError for the first index outside [0, size)."""
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        flat = indices.ravel()
        position = int(np.argmax((flat < 0) | (flat >= size)))
        where = ",".join(str(i) for i in np.unravel_index(position, indices.shape)) if indices.ndim else ""
        raise invalid(f"{what}[{where}] = {flat[position]} is not in [0, {size})" if where else
            f"{what} = {flat[position]} is not in [0, {size})")  # fmt: skip


def scatter(xp: Any, array: Array, indices: Array, updates: Array, combine: str | None) -> None:
    """Writes `updates` into rows of `array`, in place; `combine` names the ufunc, None overwrites (the last wins)."""
    if xp is not np:
        values = updates.reshape(-1, *array.shape[1:]) if np.ndim(updates) else updates
        device_rows.put(xp, array, indices.reshape(-1), values, combine)
        return
    check_indices(indices, array.shape[0])
    if combine is None:
        array[indices] = updates
    else:
        host_rows.combine(combine, array, indices, updates)


def check_updates_shape(ref: Any, indices: Any, updates: Any) -> None:
    """Static form of: updates.shape = indices.shape + ref.shape[1:], or a scalar."""
    if ref is None or indices is None or updates == ():
        return
    merge(updates, concatenate(indices, ref[1:]))


def _scatter(type: str, combine: str | None, types: str = "numbertype", locking: str = "false") -> OpDef:
    definition = op(
        type,
        "ref: Ref(T), indices: Tindices, updates: T",
        "output_ref: Ref(T)",
        f"T: {types}; Tindices: indextype; use_locking: bool = {locking}",
    )
    definition.no_gradient("assigning is not differentiable")

    @definition.shape
    def _(node: Operation, ref: Any, indices: Any, updates: Any) -> Any:
        check_updates_shape(ref, indices, updates)
        return [ref]

    def update(xp: Any, ref: VariableBuffer, indices: Array, updates: Array) -> VariableBuffer:
        array, indices = ref.read(), xp.asarray(indices)
        wanted = indices.shape + array.shape[1:]
        if np.shape(updates) != () and np.shape(updates) != wanted:
            raise invalid(
                "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
                f"updates.shape {brackets(np.shape(updates))}, indices.shape {brackets(indices.shape)}, "
                f"params.shape {brackets(array.shape)}"
            )
        scatter(xp, array, indices, updates, combine)
        ref.updates += 1
        return ref

    _bind_update(definition, (CPU, GPU), update)
    return definition


scatter_update = _scatter("ScatterUpdate", None, "type", "true")
scatter_add = _scatter("ScatterAdd", "add")
scatter_sub = _scatter("ScatterSub", "subtract")
scatter_mul = _scatter("ScatterMul", "multiply")
scatter_div = _scatter("ScatterDiv", "divide")
scatter_min = _scatter("ScatterMin", "minimum", "{half, bfloat16, float, double, int32, int64}")
scatter_max = _scatter("ScatterMax", "maximum", "{half, bfloat16, float, double, int32, int64}")


def scatter_nd_into(xp: Any, array: Array, indices: Array, updates: Array, combine: str | None) -> None:
    """Writes `updates` at the index rows of `indices`, in place."""
    if xp is not np:
        device_rows.put_vectors(xp, array, indices, updates, combine)
        return
    depth = indices.shape[-1]
    columns = tuple(indices[..., axis] for axis in range(depth))
    for axis, column in enumerate(columns):
        if column.size and (column.min() < 0 or column.max() >= array.shape[axis]):
            flat = indices.reshape(-1, depth)
            bad = int(np.argmax((flat[:, axis] < 0) | (flat[:, axis] >= array.shape[axis])))
            raise invalid(
                f"indices[{bad}] = [{', '.join(str(i) for i in flat[bad])}] does not index into shape "
                f"{brackets(array.shape)}"
            )
    if not columns:
        # No index columns: each row of updates stands for the whole array.
        for update in updates.reshape(-1, *array.shape):
            array[...] = update if combine is None else getattr(np, combine)(array, update)
    elif combine is None:
        array[columns] = updates
    else:
        getattr(np, combine).at(array, columns, updates)


def _scatter_nd(type: str, combine: str | None, types: str = "numbertype", locking: str = "false") -> OpDef:
    definition = op(
        type,
        "ref: Ref(T), indices: Tindices, updates: T",
        "output_ref: Ref(T)",
        f"T: {types}; Tindices: indextype; use_locking: bool = {locking}; bad_indices_policy: string = ''",
    )
    definition.no_gradient("assigning is not differentiable")

    @definition.shape
    def _(node: Operation, ref: Any, indices: Any, updates: Any) -> Any:
        with_rank_at_least(indices, 1)
        with_rank_at_least(updates, 1)
        check_scatter_shapes(ref, indices, updates)
        return [ref]

    def update(xp: Any, ref: VariableBuffer, indices: Array, updates: Array) -> VariableBuffer:
        scatter_nd_into(xp, ref.read(), xp.asarray(indices), xp.asarray(updates), combine)
        ref.updates += 1
        return ref

    _bind_update(definition, (CPU, GPU), update)
    return definition


scatter_nd_update = _scatter_nd("ScatterNdUpdate", None, "type", "true")
scatter_nd_add = _scatter_nd("ScatterNdAdd", "add")
scatter_nd_sub = _scatter_nd("ScatterNdSub", "subtract")

# -- counting --------------------------------------------------------------------------------------------------

count_up_to = op("CountUpTo", "ref: Ref(T)", "output: T", "limit: int; T: {int32, int64}", fresh=True)
count_up_to.no_gradient("integers have no gradient")


@count_up_to.shape
def _count_shape(node: Operation, ref: Any) -> Any:
    return [with_rank(ref, 0)]


@count_up_to.kernel(CPU)
def _count_kernel(xp: Any, ref: VariableBuffer, *, limit: int) -> Array:
    return count(ref, limit, in_place=True)


def count(ref: VariableBuffer, limit: int, in_place: bool) -> Array:
    """The value before it is increased by one; OutOfRangeError at the limit."""
    with ref.lock:
        array = ref.read()
        if array.ndim:
            raise invalid("input must be a scalar")
        before = array[()]
        if before >= limit:
            raise errors.OutOfRangeError(None, None, f"Reached limit of {limit}")
        if in_place:
            array[()] = before + 1
            ref.updates += 1
        else:
            ref.replace(np.array(before + 1, array.dtype))
        return before


ref_identity = op("RefIdentity", "input: Ref(T)", "output: Ref(T)")


@ref_identity.shape
def _ref_identity_shape(node: Operation, ref: Any) -> Any:
    return [ref]


@ref_identity.kernel(CPU, GPU)
def _ref_identity_kernel(xp: Any, ref: VariableBuffer) -> VariableBuffer:
    return ref


SCATTERS: dict[str, Callable[..., Any]] = {
    "update": scatter_update,
    "add": scatter_add,
    "sub": scatter_sub,
    "mul": scatter_mul,
    "div": scatter_div,
    "min": scatter_min,
    "max": scatter_max,
    "nd_update": scatter_nd_update,
    "nd_add": scatter_nd_add,
    "nd_sub": scatter_nd_sub,
}
