"""Steps against the gradient: plain, and with l1 and l2 penalties applied by shrinking."""

from __future__ import annotations

from typing import Any

from tfbench.engine.composite import IndexedSlices
from tfbench.engine.opdef import lookup
from tfbench.train.applying import GRAD, ApplyOptimizer


class GradientDescentOptimizer(ApplyOptimizer):
    """var -= learning_rate grad"""

    _op = "GradientDescent"
    _arguments = ("learning_rate", GRAD)

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name, learning_rate=learning_rate)

    # Rows may come twice: what is taken away from them adds up by itself.

    def _apply_sparse_duplicate_indices(self, grad: Any, var: Any) -> Any:
        rate = self._number("learning_rate", var, var.dtype.base_dtype)
        return var.scatter_sub(
            IndexedSlices(grad.values * rate, grad.indices, grad.dense_shape), use_locking=self._use_locking
        )

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        rate = self._number("learning_rate", handle, grad.dtype.base_dtype)
        return lookup("ResourceScatterAdd")(handle.handle, indices, -grad * rate)


class ProximalGradientDescentOptimizer(ApplyOptimizer):
    """A descent step, then shrinking towards zero as the penalties ask (Duchi and Singer, 2009)."""

    _op = "ProximalGradientDescent"
    _arguments = ("learning_rate", "l1_regularization_strength", "l2_regularization_strength", GRAD)

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(
            use_locking,
            name,
            learning_rate=learning_rate,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
        )
