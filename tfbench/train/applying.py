"""An optimizer whose update is one op of the `Apply` family.

The op's four forms (dense and sparse, of reference and of resource variables) have the same arguments in one order;
a subclass says that order once, and what each number is.
"""

from __future__ import annotations

from typing import Any, Final

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import DType
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor
from tfbench.train.optimizer import Optimizer

#: where the gradient (and the indices, if there are any) stand among the arguments
GRAD: Final = "grad"


class ApplyOptimizer(Optimizer):
    """An optimizer of one update op.

    `_numbers` are tensors by name, made in `_prepare`. `_arguments` are their names in the order of the op, with GRAD
    where the gradient stands.
    """

    #: the end of the op's type: "Momentum" of ApplyMomentum, SparseApplyMomentum, …
    _op: str
    _slot_names: tuple[str, ...] = ()
    _arguments: tuple[str, ...]

    def __init__(self, use_locking: bool, name: str, **numbers: Any) -> None:
        super().__init__(use_locking, name)
        #: name -> number, tensor, or function that returns one
        self._given = numbers
        self._numbers: dict[str, Tensor] = {}

    def _prepare(self) -> None:
        self._numbers = {
            name: convert_to_tensor(self._call_if_callable(value), name=name) for name, value in self._given.items()
        }

    def _number(self, name: str, var: Any, dtype: DType) -> Any:
        """The tensor `name` as the update of `var` takes it."""
        return ops.cast(self._numbers[name], dtype)

    def _attributes(self) -> dict[str, Any]:
        """Attributes of the op besides the lock."""
        return {}

    def _update(self, type: str, variables: list[Any], grad: list[Any], var: Any, dtype: DType) -> Any:
        inputs = list(variables)
        for name in self._arguments:
            if name == GRAD:
                inputs.extend(grad)
            else:
                inputs.append(self._number(name, var, dtype))
        return lookup(type).node(*inputs, use_locking=self._use_locking, **self._attributes())

    def _references(self, var: Any) -> list[Any]:
        return [var._ref(), *(self._slot(var, name)._ref() for name in self._slot_names)]

    def _handles(self, var: Any) -> list[Any]:
        return [var.handle, *(self._slot(var, name).handle for name in self._slot_names)]

    def _slot(self, var: Any, name: str) -> Any:
        slot = self.get_slot(var, name)
        if slot is None:
            raise ValueError(f"Optimizer '{self._name}' has no slot '{name}' for '{var.name}': it was not created.")
        return slot

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._update(f"Apply{self._op}", self._references(var), [grad], var, var.dtype.base_dtype)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        rows = [grad.values, grad.indices]
        return self._update(f"SparseApply{self._op}", self._references(var), rows, var, var.dtype.base_dtype)

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        return self._update(f"ResourceApply{self._op}", self._handles(handle), [grad], handle, grad.dtype.base_dtype)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        rows = [grad, indices]
        return self._update(
            f"ResourceSparseApply{self._op}", self._handles(handle), rows, handle, grad.dtype.base_dtype
        )
