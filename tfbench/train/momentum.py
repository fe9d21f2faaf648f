"""Gradient descent with a velocity."""

from __future__ import annotations

from typing import Any

from tfbench.train.applying import GRAD, ApplyOptimizer


class MomentumOptimizer(ApplyOptimizer):
    """velocity = momentum velocity + grad; var -= learning_rate velocity

    With `use_nesterov` the step is that of the velocity after the next update (Sutskever et al., 2013).
    """

    _op = "Momentum"
    _slot_names = ("momentum",)
    _arguments = ("learning_rate", GRAD, "momentum")

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name, learning_rate=learning_rate, momentum=momentum)
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def _attributes(self) -> dict[str, Any]:
        return {"use_nesterov": self._use_nesterov}
