"""Adam (Kingma and Ba, 2014)."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import colocate_with, control_dependencies, get_default_graph
from tfbench.engine.dtypes import DType
from tfbench.engine.opdef import lookup
from tfbench.train.applying import GRAD, ApplyOptimizer
from tfbench.variables import assign
from tfbench.variables.resource import ResourceVariable


class AdamOptimizer(ApplyOptimizer):
    """Moving averages of the gradient and of its square, corrected for how they begin.

    Rows of IndexedSlices: the averages of all rows decay, and all rows move, also those without a gradient.
    """

    _op = "Adam"
    _slot_names = ("m", "v")
    _arguments = ("beta1_power", "beta2_power", "learning_rate", "beta1", "beta2", "epsilon", GRAD)

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon)

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        graph = get_default_graph()
        return self._get_non_slot_variable("beta1_power", graph), self._get_non_slot_variable("beta2_power", graph)

    def _create_slots(self, var_list: list[Any]) -> None:
        # With one variable, and always the same: copies of a model in other processes have to agree on the place.
        first = min(var_list, key=lambda var: var.name)
        for name in ("beta1", "beta2"):
            initial = self._call_if_callable(self._given[name])
            self._create_non_slot_variable(initial_value=initial, name=f"{name}_power", colocate_with=first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _number(self, name: str, var: Any, dtype: DType) -> Any:
        if not name.endswith("_power"):
            return super()._number(name, var, dtype)
        power = self._get_non_slot_variable(name, get_default_graph())
        # A resource variable is read by the op that takes it.
        return power if isinstance(power, ResourceVariable) and power.dtype == dtype else ops.cast(power, dtype)

    # -- sparse: there is no op for it ------------------------------------------------------------------------

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        def add(x: Any, rows: Any, values: Any) -> Any:
            return lookup("ScatterAdd")(x._ref(), rows, values, use_locking=self._use_locking)

        return self._sparse(grad.values, var, grad.indices, add)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        return self._sparse(grad, handle, indices, self._resource_scatter_add)

    def _sparse(self, grad: Any, var: Any, indices: Any, scatter_add: Any) -> Any:
        dtype = var.dtype.base_dtype
        beta1_power, beta2_power, rate, beta1, beta2, epsilon = (
            self._number(name, var, dtype) for name in self._arguments if name != GRAD
        )
        rate = rate * ops.sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self._slot(var, "m"), self._slot(var, "v")
        fresh = grad * (1 - beta1)
        decayed = assign(m, m * beta1, use_locking=self._use_locking)
        with control_dependencies([decayed]):
            m_t = scatter_add(m, indices, fresh)
        squares = (grad * grad) * (1 - beta2)
        decayed = assign(v, v * beta2, use_locking=self._use_locking)
        with control_dependencies([decayed]):
            v_t = scatter_add(v, indices, squares)
        root = ops.sqrt(v_t)
        step = rate * m_t / (root + epsilon)
        return ops.group(var.assign_sub(step, use_locking=self._use_locking), m_t, v_t)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """The powers of beta1 and beta2 are multiplied once all updates have used them."""
        with control_dependencies(update_ops):
            beta1_power, beta2_power = self._get_beta_accumulators()
            with colocate_with(beta1_power):
                updates = [
                    power.assign(power * self._numbers[name], use_locking=self._use_locking)
                    for power, name in ((beta1_power, "beta1"), (beta2_power, "beta2"))
                ]
        return ops.group(*update_ops, *updates, name=name_scope)
