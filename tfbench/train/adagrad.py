"""Adagrad (Duchi et al., 2011) and its relatives: each element's rate falls with the squares of its gradients."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import colocate_with, device
from tfbench.engine.dtypes import DType
from tfbench.initializers import constant_initializer
from tfbench.train.applying import GRAD, ApplyOptimizer


class AdagradOptimizer(ApplyOptimizer):
    """accum += grad²; var -= learning_rate grad / sqrt(accum)

    Raises:
      ValueError: if `initial_accumulator_value` is not positive.
    """

    _op = "Adagrad"
    _slot_names = ("accumulator",)
    _arguments = ("learning_rate", GRAD)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name, learning_rate=learning_rate)
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            initializer: Any = constant_initializer(self._initial_accumulator_value, dtype=dtype)
            if not var.get_shape().is_fully_defined():
                initializer = self._of_unknown_shape(var, dtype)
            self._get_or_make_slot_with_initializer(var, initializer, var.get_shape(), dtype, "accumulator", self._name)

    def _of_unknown_shape(self, var: Any, dtype: DType) -> Any:
        def initial() -> Any:
            return ops.cast(ops.fill(ops.shape(var), self._initial_accumulator_value), dtype)

        return initial


class ProximalAdagradOptimizer(ApplyOptimizer):
    """Adagrad, with shrinking as l1 and l2 penalties ask.

    Raises:
      ValueError: if `initial_accumulator_value` is not positive.
    """

    _op = "ProximalAdagrad"
    _slot_names = ("accumulator",)
    _arguments = ("learning_rate", "l1_regularization_strength", "l2_regularization_strength", GRAD)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(
            use_locking,
            name,
            learning_rate=learning_rate,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
        )
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            with colocate_with(var):
                value = ops.constant(self._initial_accumulator_value, shape=var.get_shape(), dtype=var.dtype.base_dtype)
            self._get_or_make_slot(var, value, "accumulator", self._name)


class AdagradDAOptimizer(ApplyOptimizer):
    """Dual averaging: the variable is computed from the sums of all gradients and of their squares.

    `global_step` is the int64 tensor that counts the updates.

    Raises:
      ValueError: if `initial_gradient_squared_accumulator_value` is not positive.
    """

    _op = "AdagradDA"
    _slot_names = ("gradient_accumulator", "gradient_squared_accumulator")
    _arguments = (
        GRAD,
        "learning_rate",
        "l1_regularization_strength",
        "l2_regularization_strength",
        "global_step",
    )

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name, learning_rate=learning_rate)
        self._global_step = global_step
        self._initial_squares = initial_gradient_squared_accumulator_value
        self._penalties = {
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
        }

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            with colocate_with(var):
                total = ops.constant(0.0, shape=var.get_shape(), dtype=dtype)
                squares = ops.constant(self._initial_squares, shape=var.get_shape(), dtype=dtype)
            self._get_or_make_slot(var, total, "gradient_accumulator", self._name)
            self._get_or_make_slot(var, squares, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        super()._prepare()
        with colocate_with(self._numbers["learning_rate"]):
            # Updates are counted from 1.
            self._count = ops.identity(self._global_step) + 1

    def _number(self, name: str, var: Any, dtype: DType) -> Any:
        if name == "global_step":
            return self._step
        if name in self._penalties:
            return ops.cast(self._penalties[name], dtype)
        return super()._number(name, var, dtype)

    def _update(self, type: str, variables: list[Any], grad: list[Any], var: Any, dtype: DType) -> Any:
        with device(var.device):
            self._step = ops.identity(self._count)
        return super()._update(type, variables, grad, var, dtype)
