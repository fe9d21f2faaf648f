"""What optimizers do to a variable and its slots, in one pass; `kernels/updates` has the rules in NumPy's words.

Each number is computed as there, operation by operation and with nothing contracted or regrouped, so the results are
the same to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from tfbench.engine.compiled.sources import Loops

Array = Any


def _arguments(kind: str, arrays: int, numbers: int) -> list[str]:
    return [f"{kind}[1]"] * arrays + [f"{kind}[0]"] * numbers


def _one(kind: str) -> Any:
    return np.dtype(kind).type(1)


def gradient_descent(kind: str) -> Loops:
    """var -= alpha grad"""

    def loops(var: Array, grad: Array, alpha: Any) -> None:
        for i in range(var.shape[0]):
            var[i] -= grad[i] * alpha

    return Loops(loops, _arguments(kind, 2, 1))


def momentum(kind: str) -> Loops:
    """accum = momentum accum + grad; var -= lr accum"""

    def loops(var: Array, accum: Array, grad: Array, lr: Any, momentum: Any) -> None:
        for i in range(var.shape[0]):
            moved = accum[i] * momentum + grad[i]
            accum[i] = moved
            var[i] -= moved * lr

    return Loops(loops, _arguments(kind, 3, 2))


def nesterov(kind: str) -> Loops:
    """accum = momentum accum + grad; var -= lr grad + lr momentum accum"""

    def loops(var: Array, accum: Array, grad: Array, lr: Any, momentum: Any) -> None:
        ahead = momentum * lr
        for i in range(var.shape[0]):
            moved = accum[i] * momentum + grad[i]
            accum[i] = moved
            var[i] = (var[i] - grad[i] * lr) - moved * ahead

    return Loops(loops, _arguments(kind, 3, 2))


def adagrad(kind: str, update_slots: bool) -> Loops:
    """accum += grad²; var -= lr grad / sqrt(accum)"""

    def loops(var: Array, accum: Array, grad: Array, lr: Any) -> None:
        for i in range(var.shape[0]):
            if update_slots:
                accum[i] += grad[i] * grad[i]
            var[i] -= grad[i] * lr / np.sqrt(accum[i])

    return Loops(loops, _arguments(kind, 3, 1))


def adagrad_v2(kind: str, update_slots: bool) -> Loops:
    """accum += grad²; var -= lr grad / (sqrt(accum) + epsilon)"""

    def loops(var: Array, accum: Array, grad: Array, lr: Any, epsilon: Any) -> None:
        for i in range(var.shape[0]):
            if update_slots:
                accum[i] += grad[i] * grad[i]
            var[i] -= grad[i] * lr / (np.sqrt(accum[i]) + epsilon)

    return Loops(loops, _arguments(kind, 3, 2))


def adam(kind: str) -> Loops:
    """m and v are moving averages of grad and grad²; var -= rate m / (sqrt(v) + epsilon)"""
    one = _one(kind)

    def loops(
        var: Array, m: Array, v: Array, grad: Array, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any,
        beta2: Any, epsilon: Any,
    ) -> None:  # fmt: skip
        rate = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
        first, second = one - beta1, one - beta2
        for i in range(var.shape[0]):
            mean = m[i] + (grad[i] - m[i]) * first
            square = v[i] + (grad[i] * grad[i] - v[i]) * second
            m[i] = mean
            v[i] = square
            var[i] -= mean * rate / (np.sqrt(square) + epsilon)

    return Loops(loops, _arguments(kind, 4, 6))


def rms_prop(kind: str) -> Loops:
    """ms is a moving average of grad²; mom = momentum mom + lr grad / sqrt(ms + epsilon); var -= mom"""
    one = _one(kind)

    def loops(var: Array, ms: Array, mom: Array, grad: Array, lr: Any, rho: Any, momentum: Any, epsilon: Any) -> None:
        share = one - rho
        for i in range(var.shape[0]):
            square = ms[i] + (grad[i] * grad[i] - ms[i]) * share
            ms[i] = square
            moved = mom[i] * momentum + grad[i] * lr / np.sqrt(square + epsilon)
            mom[i] = moved
            var[i] -= moved

    return Loops(loops, _arguments(kind, 4, 4))


def centered_rms_prop(kind: str) -> Loops:
    """As RMSProp, with the variance of grad, ms - mg², in the place of its square"""
    one = _one(kind)

    def loops(
        var: Array, mg: Array, ms: Array, mom: Array, grad: Array, lr: Any, rho: Any, momentum: Any, epsilon: Any
    ) -> None:
        share = one - rho
        for i in range(var.shape[0]):
            square = ms[i] + (grad[i] * grad[i] - ms[i]) * share
            mean = mg[i] + (grad[i] - mg[i]) * share
            ms[i] = square
            mg[i] = mean
            moved = mom[i] * momentum + grad[i] * lr / np.sqrt((square - mean * mean) + epsilon)
            mom[i] = moved
            var[i] -= moved

    return Loops(loops, _arguments(kind, 5, 4))


def adadelta(kind: str) -> Loops:
    """accum and accum_update are moving averages of grad² and of the steps squared; their ratio is the rate"""
    one = _one(kind)

    def loops(var: Array, accum: Array, accum_update: Array, grad: Array, lr: Any, rho: Any, epsilon: Any) -> None:
        rest = one - rho
        for i in range(var.shape[0]):
            square = accum[i] * rho + (grad[i] * grad[i]) * rest
            accum[i] = square
            step = np.sqrt(accum_update[i] + epsilon) / np.sqrt(square + epsilon) * grad[i]
            accum_update[i] = accum_update[i] * rho + (step * step) * rest
            var[i] -= step * lr

    return Loops(loops, _arguments(kind, 4, 3))


# -- whole variables --------------------------------------------------------------------------------------------------


def dense(inputs: str, rule: str, kind: str, *parameters: Any) -> Loops:
    """`rule` as a kernel that gets what an op gets, in the op's order, so that nobody has to sort it.

    `inputs` are the names, with commas between them: as in the rule, which has them in another order.
    """
    made: Loops = globals()[rule](kind, *parameters)
    names = made.function.__code__.co_varnames[: len(made.arguments)]
    kinds = {
        name: f"{kind}[*]" if "[1]" in argument else argument
        for name, argument in zip(names, made.arguments, strict=True)
    }
    loops = eval(f"lambda {inputs}: update({', '.join(names)})", {"update": register_jitable(made.function)})
    return Loops(loops, [kinds[name] for name in inputs.split(",")])


# -- rows that indices name -----------------------------------------------------------------------------------------


def sparse(index: str, rule: str, kind: str, *parameters: Any) -> Loops:
    """`rule` on rows of the variable and its slots, for one row of `grad` after another.

    A row that is named again is updated again. Indices have been checked; one that is out of range all the same
    (another thread has written to them since) is passed over.
    """
    made: Loops = globals()[rule](kind, *parameters)
    update: Any = register_jitable(made.function)
    arrays = made.arguments.count(f"{kind}[1]") - 1

    def one(var: Array, indices: Array, grad: Array, *numbers: Any) -> None:
        for i in range(indices.shape[0]):
            if 0 <= indices[i] < var.shape[0]:
                update(var[indices[i]], grad[i], *numbers)

    def two(var: Array, slot: Array, indices: Array, grad: Array, *numbers: Any) -> None:
        for i in range(indices.shape[0]):
            if 0 <= indices[i] < var.shape[0]:
                update(var[indices[i]], slot[indices[i]], grad[i], *numbers)

    def three(var: Array, slot: Array, other: Array, indices: Array, grad: Array, *numbers: Any) -> None:
        for i in range(indices.shape[0]):
            if 0 <= indices[i] < var.shape[0]:
                update(var[indices[i]], slot[indices[i]], other[indices[i]], grad[i], *numbers)

    def four(var: Array, slot: Array, other: Array, last: Array, indices: Array, grad: Array, *numbers: Any) -> None:
        for i in range(indices.shape[0]):
            if 0 <= indices[i] < var.shape[0]:
                row = indices[i]
                update(var[row], slot[row], other[row], last[row], grad[i], *numbers)

    loops = (one, two, three, four)[arrays - 1]
    numbers = made.arguments[arrays + 1 :]
    return Loops(loops, [*[f"{kind}[2]"] * arrays, f"{index}[1]", f"{kind}[2]", *numbers])
