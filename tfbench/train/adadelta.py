"""Adadelta (Zeiler, 2012)."""

from __future__ import annotations

from typing import Any

from tfbench.train.applying import GRAD, ApplyOptimizer


class AdadeltaOptimizer(ApplyOptimizer):
    """The rate of each element is the ratio of two moving averages: of its steps and of its gradients, squared."""

    _op = "Adadelta"
    _slot_names = ("accum", "accum_update")
    _arguments = ("lr", "rho", "epsilon", GRAD)

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name, lr=learning_rate, rho=rho, epsilon=epsilon)

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)
