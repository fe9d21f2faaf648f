"""RMSProp (Tieleman and Hinton, 2012), plain and centred."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.initializers import ones_initializer
from tfbench.train.applying import GRAD, ApplyOptimizer


class RMSPropOptimizer(ApplyOptimizer):
    """Steps of learning_rate grad / sqrt(moving average of grad²), with a velocity.

    With `centered` the square of the average gradient is taken from the average of the squares.
    """

    _arguments = ("learning_rate", "decay", "momentum", "epsilon", GRAD)

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(
            use_locking, name, learning_rate=learning_rate, decay=decay, momentum=momentum, epsilon=epsilon
        )
        self._centered = centered
        self._op = "CenteredRMSProp" if centered else "RMSProp"
        self._slot_names = ("mg", "rms", "momentum") if centered else ("rms", "momentum")

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            ones: Any = ones_initializer(dtype=dtype) if var.get_shape().is_fully_defined() else ops.ones_like(var)
            self._get_or_make_slot_with_initializer(var, ones, var.get_shape(), dtype, "rms", self._name)
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)
