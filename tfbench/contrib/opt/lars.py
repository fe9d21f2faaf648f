"""LARS (You et al., 2017): momentum with a rate for each variable, in proportion to its norm over its gradient's."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.opdef import lookup
from tfbench.train.optimizer import Optimizer


class LARSOptimizer(Optimizer):
    """rate = learning_rate eeta |var| / (|grad| + weight_decay |var| + epsilon); momentum of rate (grad +
    weight_decay var).

    Args:
      skip_list: parts of the names of variables that are updated by plain momentum, as rows of a variable always are.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Any = None,
        use_nesterov: bool = False,
    ) -> None:
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay should be positive: {weight_decay}")
        super().__init__(False, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: list[Any]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "momentum", self._name)

    def _prepare(self) -> None:
        rate = self._call_if_callable(self._learning_rate)
        self._rate_tensor = convert_to_tensor(rate, name="learning_rate")
        self._momentum_tensor = convert_to_tensor(self._call_if_callable(self._momentum), name="momentum")

    def compute_lr(self, grad: Any, var: Any) -> tuple[Any, Any]:
        """(the variable's rate, its gradient with the weight decay)."""
        rate = self._learning_rate
        if self._skip_list is None or not any(part in var.name for part in self._skip_list):
            size, slope = ops.norm(var, ord=2), ops.norm(grad, ord=2)
            ratio = ops.where(
                ops.greater(size, 0),
                ops.where(
                    ops.greater(slope, 0),
                    self._eeta * size / (slope + self._weight_decay * size + self._epsilon),
                    1.0,
                ),
                1.0,
            )
            rate = rate * ratio
            grad = grad + self._weight_decay * var
        return rate, grad

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        scaled, grad = self.compute_lr(grad, var)
        slot = self.get_slot(var, "momentum")
        assert slot is not None
        return lookup("ApplyMomentum").node(
            var._ref(), slot._ref(), ops.cast(1.0, var.dtype.base_dtype), grad * scaled, self._momentum,
            use_locking=False, use_nesterov=self._use_nesterov,
        )  # fmt: skip

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        scaled, grad = self.compute_lr(grad, handle)
        slot: Any = self.get_slot(handle, "momentum")
        return lookup("ResourceApplyMomentum").node(
            handle.handle, slot.handle, ops.cast(1.0, handle.dtype.base_dtype), grad * scaled, self._momentum,
            use_locking=False, use_nesterov=self._use_nesterov,
        )  # fmt: skip

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        slot: Any = self.get_slot(var, "momentum")
        return self._rows("SparseApplyMomentum", var, [var._ref(), slot._ref()], [grad.values, grad.indices])

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        slot: Any = self.get_slot(handle, "momentum")
        return self._rows("ResourceSparseApplyMomentum", handle, [handle.handle, slot.handle], [grad, indices])

    def _rows(self, type: str, var: Any, updated: list[Any], rows: list[Any]) -> Any:
        kind = var.dtype.base_dtype
        rate, momentum = ops.cast(self._rate_tensor, kind), ops.cast(self._momentum_tensor, kind)
        return lookup(type).node(*updated, rate, *rows, momentum, use_locking=False, use_nesterov=self._use_nesterov)
