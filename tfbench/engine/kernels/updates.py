"""What optimizers do to a variable and its slots, written into their memory.

A *rule* is the arithmetic of one optimizer, said with `do(ufunc, operands..., out)`. The calls are collected first,
block by block of the flattened arrays, and then made by one call of C code. That gives two things:

* a block and the scratch memory of a rule stay in the cache while all of the rule is applied to them: each array
  passes through memory once, not once per ufunc;
* no Python runs between the first call and the last, so an interrupt finds variable and slots before the update or
  after it, never in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import call
from typing import Any

import numpy as np

from tfbench.engine.kernels import updates_device

Array = Any
Rule = Callable[..., None]

#: numbers in a block: with a variable, two slots, a gradient and scratch still within a core's second cache
_BLOCK = 16_384


def at_once(calls: Iterable[Callable[[], Any]]) -> None:
    """Makes these calls of C code one after another, with no Python between them in which an interrupt could come."""
    deque(map(call, calls), maxlen=0)


class Update:
    """Collects the calls of a rule; `do(ufunc, a, b, out)` is one of them and returns `out`."""

    __slots__ = ("_calls", "_free", "_made", "_used", "xp")

    def __init__(self, xp: Any) -> None:
        self.xp = xp
        self._calls: list[Callable[[], Any]] = []
        self._made: list[Array] = []
        self._used = 0

    def __call__(self, ufunc: Any, *operands: Any) -> Array:
        self._calls.append(partial(ufunc, *operands[:-1], out=operands[-1]))
        return operands[-1]

    def scratch(self, like: Array) -> Array:
        """Memory of the form of `like`. Blocks share it, as they come one after another."""
        if self._used == len(self._made):
            self._made.append(self.xp.empty(like.shape, like.dtype))
        memory = self._made[self._used][: like.shape[0]]
        self._used += 1
        return memory

    def apply(self, rule: Rule, arrays: Sequence[Array], numbers: dict[str, Any], grad: Array) -> None:
        """Applies `rule` to contiguous `arrays` (the variable, then its slots), in place."""
        flat = [array.reshape(-1) for array in arrays]
        grad = grad.reshape(-1)
        on_cpu = self.xp is np
        if not on_cpu and updates_device.apply(self.xp, rule, flat, numbers, grad):
            return
        # A device has no cache to stay in, and every call costs it a launch.
        size = _BLOCK if on_cpu else max(grad.shape[0], 1)
        for start in range(0, grad.shape[0], size):
            self._used = 0
            block = slice(start, start + size)
            rule(self, *[array[block] for array in flat], grad=grad[block], **numbers)
        at_once(self._calls)
        self._calls.clear()


# -- the rules. Formulas: TensorFlow's documentation of the Apply* ops, and the papers named there -----------------


def gradient_descent(do: Update, var: Array, *, grad: Array, alpha: Any) -> None:
    """var -= alpha grad"""
    xp = do.xp
    do(xp.subtract, var, do(xp.multiply, grad, alpha, do.scratch(var)), var)


def _shrink(do: Update, var: Array, rate: Any, l1: Any, l2: Any, scratch: Array) -> None:
    """Pulls `var` towards zero: by `rate` l1, then divided by 1 + `rate` l2. `rate` is a number or an array."""
    xp = do.xp
    if l1 > 0:
        sign = do(xp.sign, var, do.scratch(var))
        do(xp.abs, var, var)
        do(xp.subtract, var, do(xp.multiply, rate, l1, scratch) if _is_array(rate) else rate * l1, var)
        do(xp.maximum, var, var.dtype.type(0), var)
        do(xp.multiply, var, sign, var)
    one = var.dtype.type(1)
    if _is_array(rate):
        do(xp.multiply, rate, l2, scratch)
        do(xp.divide, var, do(xp.add, scratch, one, scratch), var)
    else:
        do(xp.divide, var, one + rate * l2, var)


def _is_array(value: Any) -> bool:
    return bool(getattr(value, "shape", ()))


def proximal_gradient_descent(do: Update, var: Array, *, grad: Array, alpha: Any, l1: Any, l2: Any) -> None:
    """A descent step, then the shrinking that l1 and l2 ask for."""
    scratch = do.scratch(var)
    gradient_descent(do, var, grad=grad, alpha=alpha)
    _shrink(do, var, alpha, l1, l2, scratch)


def momentum(
    do: Update, var: Array, accum: Array, *, grad: Array, lr: Any, momentum: Any, use_nesterov: bool = False
) -> None:
    """accum = momentum accum + grad; var -= lr accum (Nesterov: lr grad + lr momentum accum)"""
    xp, step = do.xp, do.scratch(var)
    do(xp.multiply, accum, momentum, accum)
    do(xp.add, accum, grad, accum)
    if use_nesterov:
        do(xp.subtract, var, do(xp.multiply, grad, lr, step), var)
        do(xp.multiply, accum, momentum * lr, step)
    else:
        do(xp.multiply, accum, lr, step)
    do(xp.subtract, var, step, var)


def adagrad(
    do: Update, var: Array, accum: Array, *, grad: Array, lr: Any, epsilon: Any = None, update_slots: bool = True
) -> None:
    """accum += grad²; var -= lr grad / sqrt(accum), with `epsilon` added to the root if there is one"""
    xp, root = do.xp, do.scratch(var)
    if update_slots:
        do(xp.add, accum, do(xp.square, grad, root), accum)
    do(xp.sqrt, accum, root)
    if epsilon is not None:
        do(xp.add, root, epsilon, root)
    step = do(xp.multiply, grad, lr, do.scratch(var))
    do(xp.subtract, var, do(xp.divide, step, root, step), var)


def proximal_adagrad(do: Update, var: Array, accum: Array, *, grad: Array, lr: Any, l1: Any, l2: Any) -> None:
    """Adagrad's step with a rate of lr / sqrt(accum) for each element, then shrinking at that rate."""
    xp, rate, step = do.xp, do.scratch(var), do.scratch(var)
    do(xp.add, accum, do(xp.square, grad, step), accum)
    do(xp.divide, lr, do(xp.sqrt, accum, rate), rate)
    do(xp.subtract, var, do(xp.multiply, grad, rate, step), var)
    _shrink(do, var, rate, l1, l2, step)


def adagrad_da(
    do: Update, var: Array, total: Array, squares: Array, *, grad: Array, lr: Any, l1: Any, l2: Any, global_step: Any
) -> None:
    """total += grad; squares += grad²; var = -lr shrunk(total) / (sqrt(squares) + lr l2 step)"""
    xp, below = do.xp, do.scratch(var)
    step = var.dtype.type(global_step)
    do(xp.add, total, grad, total)
    do(xp.add, squares, do(xp.square, grad, below), squares)
    do(xp.sqrt, squares, below)
    do(xp.add, below, lr * l2 * step, below)
    if l1 > 0:
        do(xp.abs, total, var)
        do(xp.subtract, var, l1 * step, var)
        do(xp.maximum, var, var.dtype.type(0), var)
        do(xp.multiply, var, do(xp.sign, total, do.scratch(var)), var)
        do(xp.multiply, var, -lr, var)
    else:
        do(xp.multiply, total, -lr, var)
    do(xp.divide, var, below, var)


def adadelta(
    do: Update, var: Array, accum: Array, accum_update: Array, *, grad: Array, lr: Any, rho: Any, epsilon: Any
) -> None:
    """accum and accum_update are moving averages of grad² and of the steps squared; their ratio is the rate"""
    xp, step, root = do.xp, do.scratch(var), do.scratch(var)
    rest = var.dtype.type(1) - rho

    def average(of: Array, mean: Array) -> None:
        do(xp.multiply, mean, rho, mean)
        do(xp.multiply, do(xp.square, of, root), rest, root)
        do(xp.add, mean, root, mean)

    average(grad, accum)
    do(xp.sqrt, do(xp.add, accum, epsilon, root), root)
    do(xp.sqrt, do(xp.add, accum_update, epsilon, step), step)
    do(xp.divide, step, root, step)
    do(xp.multiply, step, grad, step)
    average(step, accum_update)
    do(xp.subtract, var, do(xp.multiply, step, lr, step), var)


def _approach(do: Update, mean: Array, value: Array, share: Any, scratch: Array) -> None:
    """mean += share (value - mean)"""
    xp = do.xp
    do(xp.multiply, do(xp.subtract, value, mean, scratch), share, scratch)
    do(xp.add, mean, scratch, mean)


def adam(
    do: Update, var: Array, m: Array, v: Array, *, grad: Array, beta1_power: Any, beta2_power: Any, lr: Any,
    beta1: Any, beta2: Any, epsilon: Any, use_nesterov: bool = False,
) -> None:  # fmt: skip
    """m and v are moving averages of grad and grad²; var -= rate m / (sqrt(v) + epsilon)"""
    xp, step, root = do.xp, do.scratch(var), do.scratch(var)
    one = var.dtype.type(1)
    rate = lr * xp.sqrt(one - beta2_power) / (one - beta1_power)
    _approach(do, m, grad, one - beta1, step)
    _approach(do, v, do(xp.square, grad, root), one - beta2, step)
    do(xp.add, do(xp.sqrt, v, root), epsilon, root)
    if use_nesterov:
        ahead = do(xp.multiply, grad, one - beta1, do.scratch(var))
        do(xp.add, do(xp.multiply, m, beta1, step), ahead, step)
        do(xp.multiply, step, rate, step)
    else:
        do(xp.multiply, m, rate, step)
    do(xp.subtract, var, do(xp.divide, step, root, step), var)


def ada_max(
    do: Update, var: Array, m: Array, v: Array, *, grad: Array, beta1_power: Any, lr: Any, beta1: Any, beta2: Any,
    epsilon: Any,
) -> None:  # fmt: skip
    """As Adam, but v is a decaying maximum of |grad|"""
    xp, step, below = do.xp, do.scratch(var), do.scratch(var)
    one = var.dtype.type(1)
    _approach(do, m, grad, one - beta1, step)
    do(xp.maximum, do(xp.multiply, v, beta2, v), do(xp.abs, grad, step), v)
    do(xp.divide, m, do(xp.add, v, epsilon, below), step)
    do(xp.subtract, var, do(xp.multiply, step, lr / (one - beta1_power), step), var)


def _velocity(
    do: Update, var: Array, mom: Array, grad: Array, lr: Any, momentum: Any, below: Array, step: Array
) -> None:
    """mom = momentum mom + lr grad / sqrt(below); var -= mom"""
    xp = do.xp
    do(xp.sqrt, below, below)
    do(xp.divide, do(xp.multiply, grad, lr, step), below, step)
    do(xp.add, do(xp.multiply, mom, momentum, mom), step, mom)
    do(xp.subtract, var, mom, var)


def rms_prop(
    do: Update, var: Array, ms: Array, mom: Array, *, grad: Array, lr: Any, rho: Any, momentum: Any, epsilon: Any
) -> None:
    """ms is a moving average of grad²; mom a velocity"""
    xp, below, step = do.xp, do.scratch(var), do.scratch(var)
    _approach(do, ms, do(xp.square, grad, below), var.dtype.type(1) - rho, step)
    _velocity(do, var, mom, grad, lr, momentum, do(xp.add, ms, epsilon, below), step)


def centered_rms_prop(
    do: Update, var: Array, mg: Array, ms: Array, mom: Array, *, grad: Array, lr: Any, rho: Any, momentum: Any,
    epsilon: Any,
) -> None:  # fmt: skip
    """As RMSProp, with the variance of grad, ms - mg², in the place of its square"""
    xp, below, step = do.xp, do.scratch(var), do.scratch(var)
    share = var.dtype.type(1) - rho
    _approach(do, ms, do(xp.square, grad, below), share, step)
    _approach(do, mg, grad, share, step)
    do(xp.subtract, ms, do(xp.square, mg, below), below)
    _velocity(do, var, mom, grad, lr, momentum, do(xp.add, below, epsilon, below), step)


def ftrl(
    do: Update, var: Array, accum: Array, linear: Array, *, grad: Array, lr: Any, l1: Any, l2: Any, lr_power: Any,
    l2_shrinkage: Any = None, multiply_linear_by_lr: bool = False,
) -> None:  # fmt: skip
    """Follow the regularised leader, per coordinate (McMahan et al., 2013); `linear` may be kept times lr."""
    xp, before, after, step = do.xp, do.scratch(var), do.scratch(var), do.scratch(var)
    kind = var.dtype.type
    scale = lr if multiply_linear_by_lr else kind(1)

    def power(of: Array, out: Array) -> None:
        if lr_power == -0.5:
            do(xp.sqrt, of, out)
        else:
            do(xp.power, of, -lr_power, out)

    power(accum, before)
    do(xp.add, accum, do(xp.square, grad, after), accum)
    power(accum, after)
    # linear += grad - (after - before) / lr var
    do(xp.multiply, do(xp.subtract, after, before, before), var, before)
    if not multiply_linear_by_lr:
        do(xp.divide, before, lr, before)
    if l2_shrinkage is not None:
        do(xp.add, grad, do(xp.multiply, var, kind(2) * l2_shrinkage, step), step)
        do(xp.multiply, step, scale, step)
    else:
        do(xp.multiply, grad, scale, step)
    do(xp.add, linear, do(xp.subtract, step, before, step), linear)
    # var = (clipped linear - linear) / (after / lr + 2 l2)
    if multiply_linear_by_lr:
        do(xp.add, after, kind(2) * l2 * lr, after)
    else:
        do(xp.add, do(xp.divide, after, lr, after), kind(2) * l2, after)
    bound = l1 * scale
    do(xp.minimum, linear, bound, step)
    do(xp.maximum, step, -bound, step)
    do(xp.divide, do(xp.subtract, step, linear, step), after, var)


def _signed(do: Update, m: Array, grad: Array, beta: Any, step: Array, sign: Array) -> None:
    """m is a moving average of grad; `step` is sign(grad) sign(m)"""
    xp = do.xp
    _approach(do, m, grad, m.dtype.type(1) - beta, step)
    do(xp.multiply, do(xp.sign, grad, sign), do(xp.sign, m, step), step)


def add_sign(do: Update, var: Array, m: Array, *, grad: Array, lr: Any, alpha: Any, sign_decay: Any, beta: Any) -> None:
    """var -= lr (alpha + sign_decay sign(grad) sign(m)) grad"""
    xp, step = do.xp, do.scratch(var)
    _signed(do, m, grad, beta, step, do.scratch(var))
    do(xp.add, do(xp.multiply, step, sign_decay, step), alpha, step)
    do(xp.multiply, do(xp.multiply, step, grad, step), lr, step)
    do(xp.subtract, var, step, var)


def power_sign(
    do: Update, var: Array, m: Array, *, grad: Array, lr: Any, logbase: Any, sign_decay: Any, beta: Any
) -> None:
    """var -= lr exp(logbase sign_decay sign(grad) sign(m)) grad"""
    xp, step = do.xp, do.scratch(var)
    _signed(do, m, grad, beta, step, do.scratch(var))
    do(xp.exp, do(xp.multiply, step, logbase * sign_decay, step), step)
    do(xp.multiply, do(xp.multiply, step, grad, step), lr, step)
    do(xp.subtract, var, step, var)
