"""Learning rates that fall with the global step: tensors, computed anew in each run."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.case import case
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.tensor import Tensor


def _needed(global_step: Any, what: str) -> None:
    if global_step is None:
        raise ValueError(f"global_step is required for {what}.")


def _start(learning_rate: Any) -> Tensor:
    return convert_to_tensor(learning_rate, name="initial_learning_rate")


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """learning_rate decay_rate^(global_step / decay_steps); with `staircase` the exponent is rounded down.

    Raises:
      ValueError: if there is no global step.
    """
    _needed(global_step, "exponential_decay")
    with name_scope(name, "ExponentialDecay", [learning_rate, global_step, decay_steps, decay_rate]) as scope:
        rate = _start(learning_rate)
        dtype = rate.dtype
        steps = ops.cast(decay_steps, dtype)
        base = ops.cast(decay_rate, dtype)
        passed = ops.cast(global_step, dtype) / steps
        if staircase:
            passed = ops.floor(passed)
        return ops.multiply(rate, ops.pow(base, passed), name=scope)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """learning_rate e^(-decay_rate global_step / decay_steps)"""
    base = ops.exp(ops.negative(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, base, staircase=staircase, name=name)


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """learning_rate / (1 + decay_rate global_step / decay_steps)

    Raises:
      ValueError: if there is no global step.
    """
    _needed(global_step, "inverse_time_decay")
    with name_scope(name, "InverseTimeDecay", [learning_rate, global_step, decay_rate]) as scope:
        rate = _start(learning_rate)
        dtype = rate.dtype
        steps = ops.cast(decay_steps, dtype)
        fall = ops.cast(decay_rate, dtype)
        passed = ops.cast(global_step, dtype) / steps
        if staircase:
            passed = ops.floor(passed)
        one = ops.cast(ops.constant(1), dtype)
        return ops.divide(rate, ops.add(one, ops.multiply(fall, passed, name="Mul"), name="Add"), name=scope)


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """From `learning_rate` to `end_learning_rate` in `decay_steps` steps, by a power of what is left of them.

    With `cycle` it starts again, longer each time, instead of staying at the end.

    Raises:
      ValueError: if there is no global step.
    """
    _needed(global_step, "polynomial_decay")
    values = [learning_rate, global_step, decay_steps, end_learning_rate, power]
    with name_scope(name, "PolynomialDecay", values) as scope:
        rate = _start(learning_rate)
        dtype = rate.dtype
        end = ops.cast(end_learning_rate, dtype)
        exponent = ops.cast(power, dtype)
        step = ops.cast(global_step, dtype)
        steps = ops.cast(decay_steps, dtype)
        if cycle:
            at_start = ops.equal(step, 0)
            times = ops.where_v2(at_start, 1.0, ops.ceil(step / decay_steps))
            steps = ops.multiply(steps, times, name="Mul")
        else:
            step = ops.minimum(step, steps)
        part = ops.divide(step, steps)
        fall = rate - end
        left = ops.pow(1 - part, exponent)
        return ops.add(ops.multiply(fall, left, name="Mul"), end, name=scope)


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Tensor:
    """`values[i]` up to and including `boundaries[i]`, the last value after the last boundary.

    Raises:
      ValueError: if there is not one value more than boundaries, or their types do not fit.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            "The length of boundaries must be one less than that of values: got "
            f"{len(boundaries)} boundaries, {len(values)} values."
        )
    position: Any = convert_to_tensor(x)
    limits = [convert_to_tensor(limit) for limit in boundaries]
    levels = [convert_to_tensor(value) for value in values]
    for i, limit in enumerate(limits):
        if limit.dtype.base_dtype == position.dtype.base_dtype:
            continue
        # An int32 limit of an int64 step is what people write.
        if limit.dtype.base_dtype.name == "int32" and position.dtype.base_dtype.name == "int64":
            limits[i] = ops.cast(limit, position.dtype.base_dtype)
        else:
            raise ValueError(
                f"Boundaries ({limit.dtype.base_dtype.name}) must have the same dtype as x "
                f"({position.dtype.base_dtype.name})."
            )
    for value in levels[1:]:
        if value.dtype.base_dtype != levels[0].dtype.base_dtype:
            raise ValueError(
                f"All values must have the same dtype, got {levels[0].dtype.base_dtype.name} and "
                f"{value.dtype.base_dtype.name}."
            )
    with name_scope(name, "PiecewiseConstant", [position, *limits, *levels]):
        choices: list[Any] = [
            (position <= limits[0], partial(_same, levels[0])),
            (position > limits[-1], partial(_same, levels[-1])),
        ]
        for low, high, level in zip(limits[:-1], limits[1:], levels[1:-1], strict=True):
            inside = ops.logical_and(position > low, position <= high, name="and")
            choices.append((inside, partial(_same, level)))
        result: Tensor = case(choices, partial(_same, levels[0]), exclusive=True)
        return result


def _same(value: Tensor) -> Tensor:
    return value


def _cosine(part: Any) -> Any:
    """From 1 to 0 as `part` goes from 0 to 1."""
    return 0.5 * (1.0 + ops.cos(ops.constant(math.pi) * part))


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: float = 0.0, name: str | None = None
) -> Tensor:
    """Half a cosine from `learning_rate` down to `alpha` of it, in `decay_steps` steps.

    Raises:
      ValueError: if there is no global step.
    """
    _needed(global_step, "cosine_decay")
    with name_scope(name, "CosineDecay"):
        rate = _start(learning_rate)
        dtype = rate.dtype
        steps = ops.cast(decay_steps, dtype)
        part = ops.minimum(ops.cast(global_step, dtype), steps) / steps
        return ops.multiply(rate, (1 - alpha) * _cosine(part) + alpha)


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cosine decay that starts again, each time `t_mul` times as long and `m_mul` times as high (Loshchilov, 2016).

    Raises:
      ValueError: if there is no global step.
    """
    _needed(global_step, "cosine_decay_restarts")
    with name_scope(name, "SGDRDecay") as scope:
        rate = _start(learning_rate)
        dtype = rate.dtype
        first = ops.cast(first_decay_steps, dtype)
        floor = ops.cast(alpha, dtype)
        longer = ops.cast(t_mul, dtype)
        lower = ops.cast(m_mul, dtype)
        passed = ops.cast(global_step, dtype) / first

        def growing() -> tuple[Any, Any]:
            index = ops.floor(ops.log(1.0 - passed * (1.0 - longer)) / ops.log(longer))
            before = (1.0 - longer**index) / (1.0 - longer)
            return index, (passed - before) / longer**index

        def equal() -> tuple[Any, Any]:
            index = ops.floor(passed)
            return index, passed - index

        index, part = cond(ops.equal(longer, 1.0), equal, growing)
        height = lower**index
        wave = 0.5 * height * (1.0 + ops.cos(ops.constant(math.pi) * part))
        return ops.multiply(rate, (1 - floor) * wave + floor, name=scope)


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """A cosine of `num_periods` periods times a line that falls to `alpha`, plus `beta` (Bello et al., 2017).

    Raises:
      ValueError: if there is no global step.
    """
    _needed(global_step, "linear_cosine_decay")
    with name_scope(name, "LinearCosineDecay") as scope:
        rate = _start(learning_rate)
        dtype = rate.dtype
        steps = ops.cast(decay_steps, dtype)
        periods = ops.cast(num_periods, dtype)
        least = ops.cast(alpha, dtype)
        extra = ops.cast(beta, dtype)
        step = ops.minimum(ops.cast(global_step, dtype), steps)
        line = (steps - step) / steps
        part = step / steps
        wave = _cosine(2.0 * periods * part)
        return ops.multiply(rate, (least + line) * wave + extra, name=scope)


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """`linear_cosine_decay` with noise on the line; its variance falls as (1 + step)^-variance_decay.

    Raises:
      ValueError: if there is no global step.
    """
    _needed(global_step, "noisy_linear_cosine_decay")
    with name_scope(name, "NoisyLinearCosineDecay") as scope:
        rate = _start(learning_rate)
        dtype = rate.dtype
        steps = ops.cast(decay_steps, dtype)
        variance = ops.cast(initial_variance, dtype)
        fall = ops.cast(variance_decay, dtype)
        periods = ops.cast(num_periods, dtype)
        least = ops.cast(alpha, dtype)
        extra = ops.cast(beta, dtype)
        step = ops.minimum(ops.cast(global_step, dtype), steps)
        line = (steps - step) / steps
        deviation = ops.sqrt(variance / ops.pow(1.0 + step, fall))
        noisy = line + ops.random_normal(line.shape, stddev=deviation)
        part = step / steps
        wave = _cosine(2.0 * periods * part)
        return ops.multiply(rate, (least + noisy) * wave + extra, name=scope)
