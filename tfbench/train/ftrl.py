"""FTRL-proximal (McMahan et al., 2013): online learning whose l1 penalty gives zeros."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.train.applying import GRAD, ApplyOptimizer


class FtrlOptimizer(ApplyOptimizer):
    """Follow the regularised leader, with a rate per element.

    `l2_regularization_strength` is a penalty that stabilises; `l2_shrinkage_regularization_strength` one on the size.

    Raises:
      ValueError: if a strength is negative, or `learning_rate_power` positive.
    """

    _slot_names = ("accum", "linear")

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: Any = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        _not_negative("initial_accumulator_value", initial_accumulator_value)
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be negative or zero")
        _not_negative("l1_regularization_strength", l1_regularization_strength)
        _not_negative("l2_regularization_strength", l2_regularization_strength)
        _not_negative("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength)
        shrinks = l2_shrinkage_regularization_strength > 0
        super().__init__(
            use_locking,
            name,
            learning_rate=learning_rate,
            l1_regularization_strength=l1_regularization_strength,
            # beta takes part as an l2 penalty that depends on the rate.
            l2_regularization_strength=lambda: l2_regularization_strength + (beta or 0.0) / _twice(learning_rate),
            beta=beta or 0.0,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
            learning_rate_power=learning_rate_power,
        )
        self._op = "FtrlV2" if shrinks else "Ftrl"
        unused = ("beta",) if shrinks else ("beta", "l2_shrinkage_regularization_strength")
        self._arguments = (GRAD, *(number for number in self._given if number not in unused))
        self._initial_accumulator_value = initial_accumulator_value
        self._accum_name = accum_name
        self._linear_name = linear_name

    def _create_slots(self, var_list: list[Any]) -> None:
        def initial(shape: Any, dtype: Any) -> Any:
            return ops.ones(shape, dtype) * self._initial_accumulator_value

        for var in var_list:
            dtype = var.dtype.base_dtype
            self._get_or_make_slot_with_initializer(
                var, initial, var.get_shape(), dtype, "accum", self._accum_name or self._name
            )
            self._zeros_slot(var, "linear", self._linear_name or self._name)


def _twice(learning_rate: Any) -> Any:
    return 2.0 * ops.maximum(learning_rate, 1e-36)


def _not_negative(name: str, value: float) -> None:
    if value < 0.0:
        raise ValueError(f"{name} {value} needs to be positive or zero")
