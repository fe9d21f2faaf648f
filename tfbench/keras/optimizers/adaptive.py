"""Optimizers with estimates of the gradients' first and second moments."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.keras.backend.config import epsilon as default_epsilon
from tfbench.keras.optimizers.base import Numbers, Optimizer, apply_op, then_scattered
from tfbench.keras.optimizers.schedules import LearningRateSchedule


class _Moments(Optimizer):
    """What they share: the rates of the two moments, and a slot for each."""

    _config: tuple[str, ...] = ("learning_rate", "decay", "beta_1", "beta_2", "epsilon")

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: Any = 0.9, beta_2: Any = 0.999, epsilon: float | None = 1e-7,
        name: str = "", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name or type(self).__name__, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("beta_1", beta_1)
        self._set_hyper("beta_2", beta_2)
        self.epsilon = epsilon or default_epsilon()

    def _create_slots(self, variables: list[Any]) -> None:
        for name in ("m", "v"):
            for variable in variables:
                self.add_slot(variable, name)


class Adam(_Moments):
    """var -= lr m / (sqrt(v) + epsilon), with moments corrected for their start at 0 (Kingma and Ba, 2014).

    `amsgrad` divides by the largest second moment so far.
    """

    _config = (*_Moments._config, "amsgrad")

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: Any = 0.9, beta_2: Any = 0.999, epsilon: float | None = 1e-7,
        amsgrad: bool = False, name: str = "Adam", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)
        self.amsgrad = amsgrad

    def _create_slots(self, variables: list[Any]) -> None:
        super()._create_slots(variables)
        for variable in variables if self.amsgrad else ():
            self.add_slot(variable, "vhat")

    def _numbers(self, dtype: Any) -> Numbers:
        state = super()._numbers(dtype)
        step = ops.cast(self.iterations + 1, dtype)
        beta_1 = ops.identity(self._get_hyper("beta_1", dtype))
        beta_2 = ops.identity(self._get_hyper("beta_2", dtype))
        power_1, power_2 = ops.pow(beta_1, step), ops.pow(beta_2, step)
        rate = state["lr_t"] * (ops.sqrt(1 - power_2) / (1 - power_1))
        return {
            **state,
            "lr": rate,
            "epsilon": convert_to_tensor(self.epsilon, dtype),
            "beta_1_t": beta_1,
            "beta_1_power": power_1,
            "one_minus_beta_1_t": 1 - beta_1,
            "beta_2_t": beta_2,
            "beta_2_power": power_2,
            "one_minus_beta_2_t": 1 - beta_2,
        }

    def _apply_dense(self, grad: Any, var: Any, state: Numbers) -> Any:
        slots = [self.get_slot(var, name).handle for name in ("m", "v", *(["vhat"] if self.amsgrad else []))]
        names = ("beta_1_power", "beta_2_power", "lr_t", "beta_1_t", "beta_2_t", "epsilon")
        kind = "ResourceApplyAdamWithAmsgrad" if self.amsgrad else "ResourceApplyAdam"
        return apply_op(kind, var.handle, *slots, *(state[name] for name in names), grad)

    def _apply_sparse(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        def moved(slot: Any, addend: Any, rate: Any) -> Any:
            """The moment after all of it has shrunk, and its rows have grown."""
            with var.graph.control_dependencies([slot.assign(slot * rate).op]):
                return then_scattered(True, slot, indices, addend)

        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        addend = grad * state["one_minus_beta_1_t"]
        new_m = moved(m, addend, state["beta_1_t"])
        squared = grad * grad * state["one_minus_beta_2_t"]
        new_v = moved(v, squared, state["beta_2_t"])
        done, largest = [new_m, new_v], new_v
        if self.amsgrad:
            vhat = self.get_slot(var, "vhat")
            largest = ops.maximum(vhat, new_v)
            with var.graph.control_dependencies([largest]):
                largest = vhat.assign(largest)
            done.append(largest.op)
        step = state["lr"] * new_m / (ops.sqrt(largest) + state["epsilon"])
        return ops.group(var.assign_sub(step).op, *done)

    def set_weights(self, weights: Any) -> None:
        """Sets the values of its variables; what Keras 1 saved of amsgrad's is left out."""
        count = len(self.weights)
        if len(weights) == 3 * ((count - 1) // 2) + 1:
            weights = weights[:count]
        super().set_weights(weights)


class Adamax(_Moments):
    """Adam with the largest gradient instead of the second moment."""

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: Any = 0.9, beta_2: Any = 0.999, epsilon: float | None = 1e-7,
        name: str = "Adamax", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)

    def _numbers(self, dtype: Any) -> Numbers:
        state = super()._numbers(dtype)
        step = ops.cast(self.iterations + 1, dtype)
        beta_1 = ops.identity(self._get_hyper("beta_1", dtype))
        beta_2 = ops.identity(self._get_hyper("beta_2", dtype))
        power = ops.pow(beta_1, step)
        return {
            **state,
            "neg_scaled_lr": -state["lr_t"] / (1 - power),
            "epsilon": convert_to_tensor(self.epsilon, dtype),
            "beta_1_t": beta_1,
            "beta_1_power": power,
            "one_minus_beta_1_t": 1 - beta_1,
            "beta_2_t": beta_2,
            "zero": ops.zeros((), dtype="int64"),
        }

    def _apply_dense(self, grad: Any, var: Any, state: Numbers) -> Any:
        slots = [self.get_slot(var, name).handle for name in ("m", "v")]
        numbers = [state[name] for name in ("beta_1_power", "lr_t", "beta_1_t", "beta_2_t", "epsilon")]
        return apply_op("ResourceApplyAdaMax", var.handle, *slots, *numbers, grad)

    def _apply_sparse(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        def put(slot: Any, rows: Any) -> Any:
            with var.graph.control_dependencies([rows]):
                return then_scattered(False, slot, indices, rows)

        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = ops.gather(m, indices, axis=state["zero"])
        m_rows = m_rows * state["beta_1_t"] + grad * state["one_minus_beta_1_t"]
        new_m = put(m, m_rows)
        v_rows = ops.gather(v, indices, axis=state["zero"])
        v_rows = ops.maximum(v_rows * state["beta_2_t"], ops.abs(grad))
        new_v = put(v, v_rows)
        step = state["neg_scaled_lr"] * (m_rows / (v_rows + state["epsilon"]))
        with var.graph.control_dependencies([step]):
            done = then_scattered(True, var, indices, step)
        return ops.group(done, new_m, new_v)


class Nadam(_Moments):
    """Adam with Nesterov's momentum, whose rate follows a schedule of its own (Dozat, 2016).

    Raises:
      ValueError: for a schedule as the learning rate.
    """

    def __init__(
        self, learning_rate: Any = 0.001, beta_1: Any = 0.9, beta_2: Any = 0.999, epsilon: float | None = 1e-7,
        name: str = "Nadam", **kwargs: Any,
    ) -> None:  # fmt: skip
        kwargs["decay"] = kwargs.pop("schedule_decay", 0.004)
        if isinstance(kwargs.get("lr", learning_rate), LearningRateSchedule):
            raise ValueError(
                "The Nadam optimizer has a schedule of its own: its learning rate is a number, no LearningRateSchedule."
            )
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)
        self._cache: Any = None
        self._cache_read: Any = None

    def _create_slots(self, variables: list[Any]) -> None:
        if self._cache is None:
            dtype = variables[0].dtype.base_dtype
            self._cache = self.add_weight(
                "momentum_cache", shape=[], dtype=dtype, initializer="ones", trainable=False
            )  # fmt: skip
            self._weights.append(self._cache)
        super()._create_slots(variables)

    def _prepare(self, variables: list[Any]) -> dict[Any, Numbers]:
        self._cache_read = ops.identity(self._cache)
        return super()._prepare(variables)

    def _numbers(self, dtype: Any) -> Numbers:
        rate = ops.identity(self._get_hyper("learning_rate", dtype))
        beta_1 = ops.identity(self._get_hyper("beta_1", dtype))
        beta_2 = ops.identity(self._get_hyper("beta_2", dtype))
        step, following = ops.cast(self.iterations + 1, dtype), ops.cast(self.iterations + 2, dtype)
        base = ops.cast(0.96, dtype)
        now = beta_1 * (1.0 - 0.5 * ops.pow(base, self._initial_decay * step))
        then = beta_1 * (1.0 - 0.5 * ops.pow(base, self._initial_decay * following))
        product = ops.cast(self._cache_read, dtype) * now
        if dtype == self._cache.dtype.base_dtype:
            product = ops.identity(self._cache.assign(product))
        following_product = product * then
        return {
            "lr_t": rate,
            "neg_lr_t": -rate,
            "epsilon": convert_to_tensor(self.epsilon, dtype),
            "beta_1_t": beta_1,
            "beta_2_t": beta_2,
            "m_t": now,
            "m_t_1": then,
            "one_minus_beta_1_t": 1 - beta_1,
            "one_minus_beta_2_t": 1 - beta_2,
            "one_minus_m_t": 1.0 - now,
            "one_minus_m_schedule_new": 1.0 - product,
            "one_minus_m_schedule_next": 1.0 - following_product,
            "v_t_prime_denominator": 1.0 - ops.pow(beta_2, step),
        }

    def _apply_dense(self, grad: Any, var: Any, state: Numbers) -> Any:
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        corrected = grad / state["one_minus_m_schedule_new"]
        new_m = m.assign(state["beta_1_t"] * m + state["one_minus_beta_1_t"] * grad)
        m_prime = new_m / state["one_minus_m_schedule_next"]
        new_v = v.assign(state["beta_2_t"] * v + state["one_minus_beta_2_t"] * ops.square(grad))
        v_prime = new_v / state["v_t_prime_denominator"]
        m_bar = state["one_minus_m_t"] * corrected + state["m_t_1"] * m_prime
        new = var - state["lr_t"] * m_bar / (ops.sqrt(v_prime) + state["epsilon"])
        return var.assign(new).op

    def _apply_sparse(self, grad: Any, var: Any, indices: Any, state: Numbers) -> Any:
        def moved(slot: Any, addend: Any, rate: Any) -> tuple[Any, Any]:
            with var.graph.control_dependencies([slot.assign(slot * rate).op]):
                value = then_scattered(True, slot, indices, addend)
                return value, ops.gather(value, indices)

        corrected = grad / state["one_minus_m_schedule_new"]
        _, m_rows = moved(self.get_slot(var, "m"), grad * state["one_minus_beta_1_t"], state["beta_1_t"])
        m_prime = m_rows / state["one_minus_m_schedule_next"]
        m_bar = state["one_minus_m_t"] * corrected + state["m_t_1"] * m_prime
        squared = grad * grad * state["one_minus_beta_2_t"]
        new_v, v_rows = moved(self.get_slot(var, "v"), squared, state["beta_2_t"])
        root = ops.sqrt(v_rows / state["v_t_prime_denominator"]) + state["epsilon"]
        done = then_scattered(True, var, indices, state["neg_lr_t"] * m_bar / root)
        return ops.group(done, m_bar, new_v)
