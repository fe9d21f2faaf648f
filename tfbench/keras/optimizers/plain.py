"""Optimizers without estimates of moments: gradient descent, and those that divide by a mean of squares."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor
from tfbench.initializers import constant_initializer
from tfbench.keras.backend.config import epsilon as default_epsilon
from tfbench.keras.optimizers.base import Numbers, Optimizer, apply_op, then_scattered


def _has_momentum(momentum: Any) -> bool:
    """Whether there is any; ValueError for a number outside of [0, 1]."""
    if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
        raise ValueError("`momentum` must be between [0, 1].")
    return isinstance(momentum, Tensor) or callable(momentum) or momentum > 0


class SGD(Optimizer):
    """var -= lr grad; with momentum, m = momentum m - lr grad, var += m (`nesterov`: momentum m - lr grad).

    Raises:
      ValueError: for a momentum outside of [0, 1].
    """

    _config = ("learning_rate", "decay", "momentum", "nesterov")

    def __init__(
        self, learning_rate: Any = 0.01, momentum: Any = 0.0, nesterov: bool = False, name: str = "SGD", **kwargs: Any
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._momentum = _has_momentum(momentum)
        self._set_hyper("momentum", momentum)
        self.nesterov = nesterov

    def _create_slots(self, variables: list[Any]) -> None:
        if self._momentum:
            for variable in variables:
                self.add_slot(variable, "momentum")

    def _numbers(self, dtype: Any) -> Numbers:
        return {**super()._numbers(dtype), "momentum": ops.identity(self._get_hyper("momentum", dtype))}

    def _apply_dense(self, grad: Any, var: Any, state: Numbers) -> Any:
        if not self._momentum:
            return apply_op("ResourceApplyGradientDescent", var.handle, state["lr_t"], grad)
        slot = self.get_slot(var, "momentum")
        return apply_op(
            "ResourceApplyKerasMomentum", var.handle, slot.handle, state["lr_t"], grad, state["momentum"],
            use_nesterov=self.nesterov,
        )  # fmt: skip

    def _apply_repeated(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        if self._momentum:
            return super()._apply_repeated(grad, var, indices, state)
        step = -grad * state["lr_t"]
        return lookup("ResourceScatterAdd")(var.handle, indices, step, dtype=var.dtype.base_dtype)

    def _apply_sparse(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        slot = self.get_slot(var, "momentum")
        return apply_op(
            "ResourceSparseApplyKerasMomentum", var.handle, slot.handle, state["lr_t"], grad, indices,
            state["momentum"], use_nesterov=self.nesterov,
        )  # fmt: skip


class RMSprop(Optimizer):
    """rms = rho rms + (1 - rho) grad**2; var -= lr grad / (sqrt(rms) + epsilon).

    With momentum, what is subtracted is a moving sum, and epsilon is under the root; `centered` subtracts the square of
    the gradients' moving mean from rms.

    Raises:
      ValueError: for a momentum outside of [0, 1].
    """

    _config = ("learning_rate", "decay", "rho", "momentum", "epsilon", "centered")

    def __init__(
        self, learning_rate: Any = 0.001, rho: Any = 0.9, momentum: Any = 0.0, epsilon: float | None = 1e-7,
        centered: bool = False, name: str = "RMSprop", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("rho", rho)
        self._momentum = _has_momentum(momentum)
        self._set_hyper("momentum", momentum)
        self.epsilon = epsilon or default_epsilon()
        self.centered = centered

    def _create_slots(self, variables: list[Any]) -> None:
        for name, wanted in (("rms", True), ("momentum", self._momentum), ("mg", self.centered)):
            for variable in variables if wanted else ():
                self.add_slot(variable, name)

    def _numbers(self, dtype: Any) -> Numbers:
        state = super()._numbers(dtype)
        rho = ops.identity(self._get_hyper("rho", dtype))
        return {
            **state,
            "neg_lr_t": -state["lr_t"],
            "epsilon": convert_to_tensor(self.epsilon, dtype),
            "rho": rho,
            "momentum": ops.identity(self._get_hyper("momentum", dtype)),
            "one_minus_rho": 1.0 - rho,
        }

    def _apply_dense(self, grad: Any, var: Any, state: Numbers) -> Any:
        rms = self.get_slot(var, "rms")
        if self._momentum:
            return self._with_momentum("", var, rms, state, [grad])
        new_rms = state["rho"] * rms + state["one_minus_rho"] * ops.square(grad)
        new_rms = rms.assign(new_rms)
        divisor = new_rms
        if self.centered:
            mean = self.get_slot(var, "mg")
            new_mean = mean.assign(state["rho"] * mean + state["one_minus_rho"] * grad)
            divisor = new_rms - ops.square(new_mean)
        new = var - state["lr_t"] * grad / (ops.sqrt(divisor) + state["epsilon"])
        return var.assign(new).op

    def _with_momentum(self, sparse: str, var: Any, rms: Any, state: Numbers, grad: list[Any]) -> Any:
        handles = [var.handle, rms.handle, self.get_slot(var, "momentum").handle]
        if self.centered:
            handles.insert(1, self.get_slot(var, "mg").handle)
        numbers = [state[name] for name in ("lr_t", "rho", "momentum", "epsilon")]
        kind = "CenteredRMSProp" if self.centered else "RMSProp"
        return apply_op(f"Resource{sparse}Apply{kind}", *handles, *numbers, *grad)

    def _apply_sparse(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        rms = self.get_slot(var, "rms")
        if self._momentum:
            return self._with_momentum("Sparse", var, rms, state, [grad, indices])

        def moved(slot: Any, addend: Any) -> tuple[Any, Any]:
            """The slot's value, and its rows, after they have moved."""
            with var.graph.control_dependencies([slot.assign(slot * state["rho"]).op]):
                value = then_scattered(True, slot, indices, addend)
                return value, ops.gather(value, indices)

        new_rms, divisor = moved(rms, grad * grad * state["one_minus_rho"])
        done = [new_rms]
        if self.centered:
            new_mean, rows = moved(self.get_slot(var, "mg"), grad * state["one_minus_rho"])
            divisor = divisor - ops.square(rows)
            done.append(new_mean)
        step = state["neg_lr_t"] * grad / (ops.sqrt(divisor) + state["epsilon"])
        return ops.group(then_scattered(True, var, indices, step), *done)


class Adagrad(Optimizer):
    """acc += grad**2; var -= lr grad / (sqrt(acc) + epsilon).

    Raises:
      ValueError: for an accumulator that begins below 0.
    """

    _config = ("learning_rate", "decay", "initial_accumulator_value", "epsilon")

    def __init__(
        self, learning_rate: Any = 0.001, initial_accumulator_value: float = 0.1, epsilon: float | None = 1e-7,
        name: str = "Adagrad", **kwargs: Any,
    ) -> None:  # fmt: skip
        if initial_accumulator_value < 0.0:
            raise ValueError(f"initial_accumulator_value must be non-negative: {initial_accumulator_value}")
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon or default_epsilon()

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """An optimizer with these arguments. As in TensorFlow, the accumulator begins at 0 where they do not say it:
        so does that of `compile("adagrad")`."""
        return super().from_config({"initial_accumulator_value": 0.0, **config}, custom_objects)

    def _create_slots(self, variables: list[Any]) -> None:
        for variable in variables:
            first = constant_initializer(self.initial_accumulator_value, dtype=variable.dtype.base_dtype)
            self.add_slot(variable, "accumulator", first)

    def _numbers(self, dtype: Any) -> Numbers:
        state = super()._numbers(dtype)
        return {
            **state,
            "epsilon": convert_to_tensor(self.epsilon, dtype),
            "neg_lr_t": -state["lr_t"],
            "zero": ops.zeros((), dtype="int64"),
        }

    def _apply_dense(self, grad: Any, var: Any, state: Numbers) -> Any:
        slot = self.get_slot(var, "accumulator")
        return apply_op("ResourceApplyAdagradV2", var.handle, slot.handle, state["lr_t"], state["epsilon"], grad)

    def _apply_sparse(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        slot = self.get_slot(var, "accumulator")
        return apply_op(
            "ResourceSparseApplyAdagradV2", var.handle, slot.handle, state["lr_t"], state["epsilon"], grad, indices
        )  # fmt: skip


class Adadelta(Optimizer):
    """Steps as large as the mean of the last steps, divided by that of the last gradients (Zeiler, 2012)."""

    _config = ("learning_rate", "decay", "rho", "epsilon")

    def __init__(
        self, learning_rate: Any = 0.001, rho: Any = 0.95, epsilon: float | None = 1e-7, name: str = "Adadelta",
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("rho", rho)
        self.epsilon = epsilon or default_epsilon()

    def _create_slots(self, variables: list[Any]) -> None:
        for name in ("accum_grad", "accum_var"):
            for variable in variables:
                self.add_slot(variable, name)

    def _numbers(self, dtype: Any) -> Numbers:
        state = super()._numbers(dtype)
        epsilon = convert_to_tensor(self.epsilon, dtype)
        return {**state, "epsilon": epsilon, "rho": ops.identity(self._get_hyper("rho", dtype))}

    def _inputs(self, var: Any, state: Numbers) -> list[Any]:
        slots = [self.get_slot(var, name).handle for name in ("accum_grad", "accum_var")]
        return [var.handle, *slots, state["lr_t"], state["rho"], state["epsilon"]]

    def _apply_dense(self, grad: Any, var: Any, state: Numbers) -> Any:
        return apply_op("ResourceApplyAdadelta", *self._inputs(var, state), grad)

    def _apply_sparse(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        return apply_op("ResourceSparseApplyAdadelta", *self._inputs(var, state), grad, indices)


class Ftrl(Optimizer):
    """Follow the regularised leader (McMahan et al., 2013).

    Raises:
      ValueError: for a negative penalty or accumulator, or a positive power.
    """

    _config = (
        "learning_rate", "decay", "initial_accumulator_value", "learning_rate_power", "l1_regularization_strength",
        "l2_regularization_strength", "l2_shrinkage_regularization_strength",
    )  # fmt: skip

    def __init__(
        self, learning_rate: Any = 0.001, learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, name: str = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, **kwargs)
        given = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for what, value in given.items():
            if value < 0.0:
                raise ValueError(f"{what} {value:f} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power:f} needs to be negative or zero")
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("learning_rate_power", learning_rate_power)
        self._set_hyper("l1_regularization_strength", l1_regularization_strength)
        self._set_hyper("l2_regularization_strength", l2_regularization_strength)
        self.initial_accumulator_value = initial_accumulator_value
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength

    def _create_slots(self, variables: list[Any]) -> None:
        for variable in variables:
            first = constant_initializer(self.initial_accumulator_value, dtype=variable.dtype.base_dtype)
            self.add_slot(variable, "accumulator", first)
            self.add_slot(variable, "linear")

    def _numbers(self, dtype: Any) -> Numbers:
        state = super()._numbers(dtype)
        for name in ("learning_rate_power", "l1_regularization_strength", "l2_regularization_strength"):
            state[name] = ops.identity(self._get_hyper(name, dtype))
        state["l2_shrinkage"] = ops.cast(self.l2_shrinkage_regularization_strength, dtype)
        return state

    def _applied(self, sparse: str, var: Any, state: Numbers, grad: list[Any]) -> Any:
        slots = [self.get_slot(var, name).handle for name in ("accumulator", "linear")]
        names = ["lr_t", "l1_regularization_strength", "l2_regularization_strength", "l2_shrinkage",
                 "learning_rate_power"]  # fmt: skip
        version = "V2"
        if self.l2_shrinkage_regularization_strength <= 0.0:
            names.remove("l2_shrinkage")
            version = ""
        numbers = [state[name] for name in names]
        return apply_op(f"Resource{sparse}ApplyFtrl{version}", var.handle, *slots, *grad, *numbers)

    def _apply_dense(self, grad: Any, var: Any, state: Numbers) -> Any:
        return self._applied("", var, state, [grad])

    def _apply_sparse(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        return self._applied("Sparse", var, state, [grad, indices])
