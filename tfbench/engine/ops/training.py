"""The update ops of optimizers: `Apply*`, their sparse forms, and both again for resource variables.

One line of the table at the end declares up to four op types that share a rule (`kernels/updates`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import setitem
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import device_rows, updates, updates_compiled
from tfbench.engine.kernels.updates import Rule, Update, at_once
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.resource_state import variable_shape
from tfbench.engine.resources import INITIALIZE, VariableBuffer
from tfbench.engine.shape_math import merge, with_rank

__all__: list[str] = []

Array = Any

#: what the gradient is called in these ops
_GRADS = ("grad", "delta")

_NO_GRADIENT = "an update of a variable is not differentiable"


def _declare(
    name: str, slots: str, arguments: str, rule: Rule, attrs: str = "", sparse: bool = True, dense: bool = True
) -> None:
    """Declares the op types of one optimizer.

    `slots` and `arguments` are names in the order of the op; `name` may have a version at its end ("FtrlV2").
    """
    slot_names = ["var", *slots.split()]
    for resource in (False, True):
        if dense:
            _op(name, resource, False, slot_names, arguments.split(), rule, attrs)
        if sparse:
            _op(name, resource, True, slot_names, arguments.split(), rule, attrs)


def _op(
    name: str, resource: bool, sparse: bool, slots: list[str], arguments: list[str], rule: Rule, attrs: str
) -> OpDef:
    inputs = [f"{slot}: {'resource' if resource else 'Ref(T)'}" for slot in slots]
    for argument in arguments:
        inputs.append(f"{argument}: {'int64' if argument == 'global_step' else 'T'}")
        if sparse and argument in _GRADS:
            inputs.append("indices: Tindices")
    definition = op(
        f"{'Resource' if resource else ''}{'Sparse' if sparse else ''}Apply{name}",
        ", ".join(inputs),
        "" if resource else "out: Ref(T)",
        "T: numbertype"
        + ("; Tindices: indextype" if sparse else "")
        + "; use_locking: bool = false"
        + (f"; {attrs}" if attrs else ""),
        stateful=resource,
    )
    definition.no_gradient(_NO_GRADIENT)
    names = list(arguments)
    if sparse:
        names.insert(next(i for i, argument in enumerate(arguments) if argument in _GRADS) + 1, "indices")
    count = len(slots)

    @definition.shape
    def _(node: Operation, *shapes: Any) -> Any:
        return _shapes(node, shapes, count, names, resource, sparse)

    kernel = _bind_sparse if sparse else _bind_dense
    attributes = [spec.partition(":")[0].strip() for spec in attrs.split(";")] if attrs else []

    @definition.bind(CPU, GPU)
    def _(context: Any) -> Callable[..., Any]:
        options = {key: context.op.attrs[key] for key in attributes}
        update = kernel(context, rule, slots, names, options, resource)
        return _locked(update) if context.op.attrs["use_locking"] else update

    return definition


def _shapes(node: Operation, shapes: Any, count: int, names: list[str], resource: bool, sparse: bool) -> Any:
    variables = [variable_shape(tensor) for tensor in node.inputs[:count]] if resource else shapes[:count]
    whole = variables[0]
    for shape in variables[1:]:
        whole = merge(whole, shape)
    given = dict(zip(names, shapes[count:], strict=True))
    grad = given.pop("grad") if "grad" in given else given.pop("delta")
    if sparse:
        indices = with_rank(given.pop("indices"), 1)
        if grad is not None:
            merge((grad[0],), indices)
        if whole is not None:
            whole = merge(whole, None if grad is None else (whole[0], *grad[1:]))
    else:
        whole = merge(whole, grad)
    for shape in given.values():
        with_rank(shape, 0)
    return [] if resource else [whole]


def _bind_dense(
    context: Any, rule: Rule, slots: list[str], names: list[str], options: dict[str, Any], resource: bool
) -> Callable[..., Any]:
    """The function of buffers and arrays that updates all of a variable."""
    xp = context.xp
    names = ["grad" if name in _GRADS else name for name in names]
    quick = None
    if xp is np:
        dtype = context.op.attrs["T"].as_numpy_dtype
        quick = updates_compiled.dense(rule.__name__, slots, names, options, dtype)

    def apply(targets: list[Array], numbers: dict[str, Any], grad: Array, indices: None) -> None:
        if quick is None or not quick.run(targets, numbers, grad):
            Update(xp).apply(rule, targets, {name: number[()] for name, number in numbers.items()} | options, grad)

    update = _update(apply, slots, names, resource)
    return update if quick is None or resource else quick.before(update)


def _bind_sparse(
    context: Any, rule: Rule, slots: list[str], names: list[str], options: dict[str, Any], resource: bool
) -> Callable[..., Any]:
    """The function of buffers and arrays that updates the rows of a variable that indices name."""
    xp = context.xp

    def apply(targets: list[Array], numbers: dict[str, Any], grad: Array, indices: Array) -> None:
        numbers = {name: number[()] for name, number in numbers.items()} | options
        _sparse(xp, rule, targets, numbers, grad, indices)

    return _update(apply, slots, ["grad" if name in _GRADS else name for name in names], resource)


def _update(apply: Callable[..., None], slots: list[str], names: list[str], resource: bool) -> Callable[..., Any]:
    """The function of buffers and arrays that checks them and has `apply` change arrays."""
    count = len(slots)

    def update(*values: Any) -> VariableBuffer | None:
        buffers, given = values[:count], dict(zip(names, values[count:], strict=True))
        arrays = [_value(buffer) for buffer in buffers]
        grad, indices = given.pop("grad"), given.pop("indices", None)
        _check(slots, arrays, grad, indices, given)
        # Whoever read a resource variable before keeps what it read: the update is made in new memory.
        targets = [array.copy() for array in arrays] if resource else arrays
        apply(targets, given, grad, indices)
        if resource:
            at_once([partial(setattr, buffer, "array", new) for buffer, new in zip(buffers, targets, strict=True)])
        for buffer in buffers:
            buffer.updates += 1
        return None if resource else buffers[0]

    return update


def _locked(update: Callable[..., Any]) -> Callable[..., Any]:
    """`update` by one thread at a time, for each variable."""

    def locked(*values: Any) -> VariableBuffer | None:
        with values[0].lock:
            return update(*values)

    return locked


def _value(buffer: VariableBuffer) -> Array:
    if buffer.array is None:
        raise errors.FailedPreconditionError(
            None,
            None,
            f"Attempting to use uninitialized variables: '{buffer.name}': {INITIALIZE}",
        )
    return buffer.array


def _check(slots: list[str], arrays: list[Array], grad: Array, indices: Array | None, numbers: dict[str, Any]) -> None:
    """Before anything is written: shapes, scalars, indices."""
    var = arrays[0]
    for name, array in zip(slots[1:], arrays[1:], strict=True):
        if array.shape != var.shape:
            raise invalid(f"var and {name} do not have the same shape{list(var.shape)} {list(array.shape)}")
    for name, number in numbers.items():
        if number.ndim:
            raise invalid(f"{name} is not a scalar: {list(np.shape(number))}")
    if indices is None:
        if grad.shape != var.shape:
            raise invalid(f"var and grad do not have the same shape{list(var.shape)} {list(grad.shape)}")
        return
    if indices.ndim != 1:
        raise invalid("indices must be one-dimensional")
    if not var.ndim:
        raise invalid("var must be at least 1 dimensional")
    if grad.ndim != var.ndim or grad.shape[0] != indices.shape[0] or grad.shape[1:] != var.shape[1:]:
        raise invalid(
            f"grad must have one row like those of var for each index: var has shape {list(var.shape)}, indices "
            f"{list(indices.shape)}, grad {list(grad.shape)}"
        )
    if not isinstance(indices, np.ndarray):
        return  # looking would make the host wait for the device
    wrong = (indices < 0) | (indices >= var.shape[0])
    if wrong.any():
        offset = int(np.argmax(wrong))
        raise invalid(
            f"Index {int(indices[offset])} at offset {offset} in indices is out of range: var has {var.shape[0]} rows"
        )


def _sparse(xp: Any, rule: Rule, targets: list[Array], numbers: dict[str, Any], grad: Array, indices: Array) -> None:
    """The rule on the rows that `indices` name. A row that is named again is updated again, in that order."""
    if xp is not np:
        there = device_rows.inside(xp, indices, targets[0].shape[0])
        indices, grad = indices[there], grad[there]
    else:
        if updates_compiled.sparse(rule.__name__, targets, numbers, grad, indices):
            return
    for rows, part in _rounds(indices, grad) if xp is np else device_rows.rounds(xp, indices, grad):
        taken = [target[rows] for target in targets]
        Update(xp).apply(rule, taken, numbers, part)
        at_once([partial(setitem, target, rows, new) for target, new in zip(targets, taken, strict=True)])


def _rounds(indices: Array, grad: Array) -> Any:
    """(rows, gradients) with no row twice: the first mention of each, then the second, …"""
    if len(indices) == len(np.unique(indices)):
        yield indices, np.ascontiguousarray(grad)
        return
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    begins = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    first = np.maximum.accumulate(np.where(begins, np.arange(len(ordered)), 0))
    mention = np.arange(len(ordered)) - first
    for count in range(int(mention.max()) + 1):
        positions = order[mention == count]
        yield indices[positions], grad[positions]


_declare("GradientDescent", "", "alpha delta", updates.gradient_descent, sparse=False)
_declare("ProximalGradientDescent", "", "alpha l1 l2 delta", updates.proximal_gradient_descent, sparse=False)
_declare("ProximalGradientDescent", "", "alpha l1 l2 grad", updates.proximal_gradient_descent, dense=False)
_declare("Momentum", "accum", "lr grad momentum", updates.momentum, "use_nesterov: bool = false")
_declare("Adagrad", "accum", "lr grad", updates.adagrad, "update_slots: bool = true")
_declare("AdagradV2", "accum", "lr epsilon grad", updates.adagrad, "update_slots: bool = true")
_declare("ProximalAdagrad", "accum", "lr l1 l2 grad", updates.proximal_adagrad)
_declare(
    "AdagradDA",
    "gradient_accumulator gradient_squared_accumulator",
    "grad lr l1 l2 global_step",
    updates.adagrad_da,
)
_declare("Adadelta", "accum accum_update", "lr rho epsilon grad", updates.adadelta)
_declare(
    "Adam",
    "m v",
    "beta1_power beta2_power lr beta1 beta2 epsilon grad",
    updates.adam,
    "use_nesterov: bool = false",
    sparse=False,
)
_declare("AdaMax", "m v", "beta1_power lr beta1 beta2 epsilon grad", updates.ada_max, sparse=False)
_declare("RMSProp", "ms mom", "lr rho momentum epsilon grad", updates.rms_prop)
_declare("CenteredRMSProp", "mg ms mom", "lr rho momentum epsilon grad", updates.centered_rms_prop)
_LINEAR = "multiply_linear_by_lr: bool = false"
_declare("Ftrl", "accum linear", "grad lr l1 l2 lr_power", updates.ftrl, _LINEAR)
_declare("FtrlV2", "accum linear", "grad lr l1 l2 l2_shrinkage lr_power", updates.ftrl, _LINEAR)
_declare("AddSign", "m", "lr alpha sign_decay beta grad", updates.add_sign, sparse=False)
_declare("PowerSign", "m", "lr logbase sign_decay beta grad", updates.power_sign, sparse=False)
