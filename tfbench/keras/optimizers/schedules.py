"""`tf.keras.optimizers.schedules`: learning rates as functions of the step."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.ops.case import case
from tfbench.engine.ops.control_flow import cond
from tfbench.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object

__all__ = [
    "ExponentialDecay", "InverseTimeDecay", "LearningRateSchedule", "PiecewiseConstantDecay", "PolynomialDecay",
    "deserialize", "serialize",
]  # fmt: skip


class LearningRateSchedule:
    """The base: called with the step, it gives the rate."""

    _config: tuple[str, ...] = ()
    name: str | None

    def __call__(self, step: Any) -> Any:
        raise NotImplementedError("Learning rate schedule must override __call__")

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {name: getattr(self, name) for name in self._config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """One with the arguments that `get_config` gave."""
        return cls(**config)


class ExponentialDecay(LearningRateSchedule):
    """initial_learning_rate decay_rate ** (step / decay_steps)."""

    _config = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
        name: str | None = None,
    ) -> None:  # fmt: skip
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: Any) -> Any:
        with get_default_graph().name_scope(self.name or "ExponentialDecay") as scope:
            first = convert_to_tensor(self.initial_learning_rate, name="initial_learning_rate")
            steps, rate = ops.cast(self.decay_steps, first.dtype), ops.cast(self.decay_rate, first.dtype)
            power = ops.cast(step, first.dtype) / steps
            if self.staircase:
                power = ops.floor(power)
            return ops.multiply(first, ops.pow(rate, power), name=scope)


class InverseTimeDecay(LearningRateSchedule):
    """initial_learning_rate / (1 + decay_rate step / decay_steps)."""

    _config = ExponentialDecay._config

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False,
        name: str | None = None,
    ) -> None:  # fmt: skip
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: Any) -> Any:
        with get_default_graph().name_scope(self.name or "InverseTimeDecay") as scope:
            first = convert_to_tensor(self.initial_learning_rate, name="initial_learning_rate")
            steps, rate = ops.cast(self.decay_steps, first.dtype), ops.cast(self.decay_rate, first.dtype)
            passed = ops.cast(step, first.dtype) / steps
            if self.staircase:
                passed = ops.floor(passed)
            one = ops.cast(ops.constant(1), first.dtype)
            return ops.divide(first, ops.add(one, ops.multiply(rate, passed)), name=scope)


class PiecewiseConstantDecay(LearningRateSchedule):
    """values[i] up to the step boundaries[i], and the last one from then on.

    Raises:
      ValueError: unless there is one more value than there are boundaries.
    """

    _config = ("boundaries", "values", "name")

    def __init__(self, boundaries: Any, values: Any, name: str | None = None) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError("The length of boundaries should be 1 less than the length of values")
        self.boundaries = boundaries
        self.values = values
        self.name = name

    def __call__(self, step: Any) -> Any:
        with get_default_graph().name_scope(self.name or "PiecewiseConstant"):
            bounds: list[Any] = [convert_to_tensor(one) for one in self.boundaries]
            values = [convert_to_tensor(one) for one in self.values]
            now: Any = convert_to_tensor(step)
            bounds = [one if one.dtype == now.dtype else ops.cast(one, now.dtype) for one in bounds]

            def giving(value: Any) -> Any:
                return lambda: value

            pairs = [(now <= bounds[0], giving(values[0])), (now > bounds[-1], giving(values[-1]))]
            for low, high, value in zip(bounds[:-1], bounds[1:], values[1:-1], strict=True):
                pairs.append(((now > low) & (now <= high), giving(value)))
            return case(pairs, giving(values[0]), exclusive=True)


class PolynomialDecay(LearningRateSchedule):
    """From the initial rate to the last one along a power of what is left; `cycle` begins again."""

    _config = ("initial_learning_rate", "decay_steps", "end_learning_rate", "power", "cycle", "name")

    def __init__(
        self, initial_learning_rate: Any, decay_steps: Any, end_learning_rate: Any = 0.0001, power: Any = 1.0,
        cycle: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.end_learning_rate = end_learning_rate
        self.power = power
        self.cycle = cycle
        self.name = name

    def __call__(self, step: Any) -> Any:
        with get_default_graph().name_scope(self.name or "PolynomialDecay") as scope:
            first = convert_to_tensor(self.initial_learning_rate, name="initial_learning_rate")
            last, power = ops.cast(self.end_learning_rate, first.dtype), ops.cast(self.power, first.dtype)
            now, steps = ops.cast(step, first.dtype), ops.cast(self.decay_steps, first.dtype)
            if self.cycle:
                rounds = cond(
                    ops.equal(now, 0), lambda: ops.constant(1.0), lambda: ops.ceil(now / self.decay_steps)
                )  # fmt: skip
                steps = ops.multiply(steps, rounds)
            else:
                now = ops.minimum(now, self.decay_steps)
            passed = ops.divide(now, steps)
            return ops.add(ops.multiply(first - last, ops.pow(1 - passed, power)), last, name=scope)


def serialize(learning_rate_schedule: Any) -> Any:
    """A schedule as plain data."""
    return serialize_keras_object(learning_rate_schedule)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """A schedule from what `serialize` gave."""
    known = {name: globals()[name] for name in __all__ if name.endswith("Decay")}
    return deserialize_keras_object(config, known, custom_objects, "decay")
