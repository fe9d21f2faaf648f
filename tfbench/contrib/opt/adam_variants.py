"""Adam with other updates of rows (lazy), and with Nesterov's look ahead (Dozat, 2015)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.opdef import lookup
from tfbench.train.adam import AdamOptimizer
from tfbench.train.applying import GRAD
from tfbench.variables import assign

#: (variable, rows, values) -> what it is afterwards
Scatter = Callable[[Any, Any, Any], Any]


class _Variant(AdamOptimizer):
    def _numbers_of(self, var: Any) -> tuple[Any, ...]:
        """(rate, corrected for how the averages begin; beta1; beta2; epsilon)"""
        dtype = var.dtype.base_dtype
        power1, power2, rate, beta1, beta2, epsilon = (
            self._number(name, var, dtype) for name in self._arguments if name != GRAD
        )
        return rate * ops.sqrt(1 - power2) / (1 - power1), beta1, beta2, epsilon

    def _scatter(self, kind: str) -> Scatter:
        def change(x: Any, rows: Any, values: Any) -> Any:
            return lookup(f"Scatter{kind}")(x._ref(), rows, values, use_locking=self._use_locking)

        return change

    def _resource_scatter(self, kind: str) -> Scatter:
        def change(x: Any, rows: Any, values: Any) -> Any:
            with control_dependencies([lookup(f"ResourceScatter{kind}")(x.handle, rows, values)]):
                return x.value()

        return change


class LazyAdamOptimizer(_Variant):
    """Adam that leaves rows without a gradient alone: their averages do not decay."""

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._lazy(grad.values, var, grad.indices, self._scatter("Update"), self._scatter("Sub"))

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        update, sub = self._resource_scatter("Update"), self._resource_scatter("Sub")
        return self._lazy(grad, handle, indices, update, sub)

    def _lazy(self, grad: Any, var: Any, indices: Any, scatter_update: Scatter, scatter_sub: Scatter) -> Any:
        rate, beta1, beta2, epsilon = self._numbers_of(var)
        m, v = self._slot(var, "m"), self._slot(var, "v")
        m_t = scatter_update(m, indices, beta1 * ops.gather(m, indices) + (1 - beta1) * grad)
        v_t = scatter_update(v, indices, beta2 * ops.gather(v, indices) + (1 - beta2) * ops.square(grad))
        m_rows, v_rows = ops.gather(m_t, indices), ops.gather(v_t, indices)
        root = ops.sqrt(v_rows) + epsilon
        return ops.group(scatter_sub(var, indices, rate * m_rows / root), m_t, v_t)


class NadamOptimizer(_Variant):
    """Adam whose step is that of the average after the next update."""

    def _attributes(self) -> dict[str, Any]:
        return {"use_nesterov": True}

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._ahead(grad.values, var, grad.indices, self._scatter("Add"))

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        return self._ahead(grad, handle, indices, self._resource_scatter_add)

    def _ahead(self, grad: Any, var: Any, indices: Any, scatter_add: Scatter) -> Any:
        rate, beta1, beta2, epsilon = self._numbers_of(var)
        m, v = self._slot(var, "m"), self._slot(var, "v")
        fresh = grad * (1 - beta1)
        with control_dependencies([assign(m, m * beta1, use_locking=self._use_locking)]):
            m_t = scatter_add(m, indices, fresh)
            m_ahead = fresh + beta1 * ops.gather(m_t, indices)
        squares = (grad * grad) * (1 - beta2)
        with control_dependencies([assign(v, v * beta2, use_locking=self._use_locking)]):
            v_t = scatter_add(v, indices, squares)
        root = ops.sqrt(ops.gather(v_t, indices))
        return ops.group(scatter_add(var, indices, -rate * m_ahead / (root + epsilon)), m_ahead, v_t)
