"""`Optimizer`: gradients of a loss, and the update of each variable with its own.

A subclass says what an update is: it makes its slots (a variable beside each variable: an average, a velocity) in
`_create_slots`, its numbers as tensors in `_prepare`, and the update ops in `_apply_dense`, `_apply_sparse` and their
`_resource_` forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tfbench.engine import dtypes, nest, ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.composite import IndexedSlices, convert_to_tensor_or_indexed_slices
from tfbench.engine.default_graph import (
    colocate_with,
    control_dependencies,
    get_collection,
    get_collection_ref,
    get_default_graph,
)
from tfbench.engine.gradients import gradients
from tfbench.engine.graph import Operation
from tfbench.engine.init_scope import init_scope
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor
from tfbench.train import slots
from tfbench.train.update_targets import target_for
from tfbench.variables import assign_add, trainable_variables
from tfbench.variables.base import Variable
from tfbench.variables.resource import ResourceVariable

#: a gradient (None where the loss does not depend on the variable) and its variable
GradAndVar = tuple[Any, Any]


class Optimizer:
    """What all optimizers share.

    Raises:
      ValueError: if there is no name.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        #: slot name -> variable's key -> the slot
        self._slots: dict[str, dict[Any, Variable]] = {}
        #: (name, graph) -> variable of the optimizer itself
        self._non_slot_dict: dict[Any, Variable] = {}

    def get_name(self) -> str:
        return self._name

    # -- what users call --------------------------------------------------------------------------------------

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation:
        """The operation that updates the variables once, and adds 1 to `global_step` if there is one.

        Raises:
          ValueError: if there is nothing to optimize, or no variable has a gradient.
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(grad is None for grad, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {[str(var) for _, var in pairs]} and loss {loss}. "
                "tfbench.explain.gradient_path(loss, variable) says where the path ends."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[GradAndVar]:
        """(gradient, variable) pairs for `var_list`, by default all trainable variables.

        Args:
          loss: a tensor, or a function without arguments that makes it.
          gate_gradients: GATE_NONE, GATE_OP (the gradients of one op are used only when all are there), or GATE_GRAPH
            (none is used before all of the graph's are there).
          grad_loss: the gradient of what is to be minimized with respect to `loss`; ones by default.

        Raises:
          ValueError: if there are no variables, or a type cannot be optimized.
        """
        if callable(loss):
            loss = loss()
        if not hasattr(loss, "dtype"):
            raise AttributeError(
                f"'{type(loss).__name__}' object has no attribute 'dtype': the loss must be a tensor, but got {loss!r}."
            )
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH. "
                f"Not {gate_gradients}"
            )
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        if var_list is None:
            variables = [*trainable_variables(), *get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)]
        else:
            variables = nest.flatten(var_list)
        targets = [target_for(variable) for variable in variables]
        if not variables:
            raise ValueError("No variables to optimize.")
        grads: Sequence[Any] = gradients(
            loss,
            [target.differentiated for target in targets],
            grad_ys=grad_loss,
            aggregation_method=aggregation_method,
            gate_gradients=gate_gradients == Optimizer.GATE_OP,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == Optimizer.GATE_GRAPH:
            grads = ops.tuple(grads)
        pairs = list(zip(grads, variables, strict=True))
        self._assert_valid_dtypes(
            [variable for grad, variable in pairs if grad is not None and variable.dtype != dtypes.resource]
        )
        return pairs

    def apply_gradients(
        self, grads_and_vars: Iterable[GradAndVar], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """The operation that updates each variable with its gradient, and then adds 1 to `global_step`.

        Raises:
          TypeError: if a gradient is none.
          ValueError: if there are no variables, or no variable has a gradient.
        """
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        converted = [(_as_gradient(grad), variable, target_for(variable)) for grad, variable in pairs]
        updated = [variable for grad, variable, _ in converted if grad is not None]
        if not updated:
            raise ValueError(
                f"No gradients provided for any variable: {[str(variable) for _, variable, _ in converted]}."
            )
        with init_scope():
            self._create_slots(updated)
        with name_scope(name, self.get_name()) as scope:
            self._prepare()
            update_ops = []
            for grad, variable, target in converted:
                if grad is None:
                    continue
                with name_scope(f"update_{variable.op.name}"), colocate_with(variable):
                    update_ops.append(target.update(self, grad))
            if global_step is None:
                done = self._finish(update_ops, scope)
            else:
                with control_dependencies([self._finish(update_ops, "update")]), colocate_with(global_step):
                    done = _count(global_step, scope)
        operation: Operation = done if isinstance(done, Operation) else done.op
        train_ops = get_collection_ref(GraphKeys.TRAIN_OP)
        if operation not in train_ops:
            train_ops.append(operation)
        return operation

    # -- slots ------------------------------------------------------------------------------------------------

    def get_slot(self, var: Any, name: str) -> Variable | None:
        """The slot `name` of variable `var`, or None."""
        return self._slots.get(name, {}).get(_key(var))

    def get_slot_names(self) -> list[str]:
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """The optimizer's own variables in the default graph: slots, and what belongs to no variable; by name."""
        graph = get_default_graph()
        own = [*self._non_slot_variables(), *(slot for slots in self._slots.values() for slot in slots.values())]
        return sorted((variable for variable in own if variable.graph is graph), key=lambda variable: variable.name)

    def _trackable_children(self) -> dict[str, Variable]:
        """What of the default graph an object-based checkpoint of it holds, slots aside."""
        graph = get_default_graph()
        own = sorted(self._non_slot_dict.items(), key=lambda item: item[0][0])
        return {name: variable for (name, home), variable in own if home is graph}

    def _slot_dict(self, slot_name: str) -> dict[Any, Variable]:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var: Any, val: Any, slot_name: str, op_name: str) -> Variable:
        """The slot, made with the value `val` where there is none."""
        return self._kept(var, slot_name, lambda: slots.create_slot(var, val, op_name))

    def _get_or_make_slot_with_initializer(
        self, var: Any, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Variable:
        return self._kept(
            var, slot_name, lambda: slots.create_slot_with_initializer(var, initializer, shape, dtype, op_name)
        )

    def _zeros_slot(self, var: Any, slot_name: str, op_name: str) -> Variable:
        return self._kept(var, slot_name, lambda: slots.create_zeros_slot(var, op_name))

    def _kept(self, var: Any, slot_name: str, make: Callable[[], Variable]) -> Variable:
        named = self._slot_dict(slot_name)
        key = _key(var)
        if key not in named:
            named[key] = make()
        return named[key]

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any) -> Variable:
        """A variable of the optimizer itself, once per graph, beside variable `colocate_with`."""
        graph = colocate_with.graph
        key = (name, graph)
        if key not in self._non_slot_dict:
            with graph.colocate_with(colocate_with.op):
                self._non_slot_dict[key] = Variable(
                    initial_value,
                    name=name,
                    trainable=False,
                    use_resource=isinstance(colocate_with, ResourceVariable),
                )
        return self._non_slot_dict[key]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        return self._non_slot_dict.get((name, graph))

    def _non_slot_variables(self) -> Iterable[Variable]:
        return self._non_slot_dict.values()

    # -- what subclasses say ------------------------------------------------------------------------------------

    def _valid_dtypes(self) -> set[Any]:
        return {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}

    def _assert_valid_dtypes(self, tensors: Iterable[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                names = sorted(kind.name for kind in valid)
                raise ValueError(f"Invalid type {dtype!r} for {tensor.name}, expected: {names}.")

    def _create_slots(self, var_list: list[Any]) -> None:
        """Makes the slots of these variables that are not there yet."""

    def _prepare(self) -> None:
        """Makes the tensors that all updates use."""

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError("_apply_dense() is not implemented: this optimizer updates no reference variables.")

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        """As `_apply_dense` for IndexedSlices; no index comes twice."""
        raise NotImplementedError("_apply_sparse() is not implemented: this optimizer takes no IndexedSlices.")

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        raise NotImplementedError(
            "_resource_apply_dense() is not implemented: this optimizer updates no resource variables."
        )

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        raise NotImplementedError("_resource_apply_sparse() is not implemented: this optimizer takes no IndexedSlices.")

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        """As `_apply_sparse` where an index may come several times: its rows are added up first."""
        values, indices = _deduplicated(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        values, indices = _deduplicated(grad, indices)
        return self._resource_apply_sparse(values, handle, indices)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """The operation that stands for all updates."""
        return ops.group(*update_ops, name=name_scope)

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param

    def _resource_scatter_add(self, x: Any, i: Any, v: Any) -> Any:
        with control_dependencies([lookup("ResourceScatterAdd")(x.handle, i, v)]):
            return x.value()


def _as_gradient(grad: Any) -> Any:
    if grad is None:
        return None
    try:
        grad = convert_to_tensor_or_indexed_slices(grad)
    except TypeError:
        raise TypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {grad}") from None
    if not isinstance(grad, (Tensor, IndexedSlices)):
        raise TypeError(f"Gradient must be a Tensor, IndexedSlices, or None: {grad}")
    return grad


def _key(var: Any) -> Any:
    return var.op.graph, var.op.name


def _count(global_step: Any, name: str) -> Any:
    """Adds 1 to `global_step`."""
    if isinstance(global_step, ResourceVariable):
        one = ops.constant(1, dtype=global_step.dtype.base_dtype)
        return lookup("AssignAddVariableOp")(global_step.handle, one, name=name)
    return assign_add(global_step, 1, name=name)


def _deduplicated(values: Any, indices: Any) -> tuple[Any, Any]:
    """The same slices with the rows of each index added up."""
    unique, position = ops.unique(indices)
    return ops.unsorted_segment_sum(values, position, ops.shape(unique)[0]), unique
