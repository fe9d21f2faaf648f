"""Optimizers' rules as compiled loops: which there are, and the numbers that they get.

The loops give the bits that the rules in `updates` give. A rule with an option that is rare has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tfbench.engine.compiled import tier

Array = Any
#: (maker, its parameters after the type, numbers for the loops), or None
Found = tuple[str, tuple[Any, ...], tuple[Any, ...]] | None

_KINDS = {"f": "f4", "d": "f8"}


def compiled(
    name: str, arrays: Sequence[Array], numbers: dict[str, Any], grad: Array, indices: Array | None = None
) -> Callable[[], None] | None:
    """A function that applies the rule `name` to flat arrays, in place; None if NumPy has to do it.

    With `indices`, to the rows of `arrays`, of any shape, that are named, one after another.
    """
    describe = _RULES.get(name)
    dtype = grad.dtype
    kind = _KINDS.get(dtype.char)
    if describe is None or kind is None:
        return None
    for array in arrays:
        if array.dtype is not dtype and array.dtype != dtype:
            return None
    found = describe(dtype.type(1), **numbers)
    if found is None:
        return None
    maker, parameters, values = found
    work = 3 * (len(arrays) + 1) * grad.nbytes  # what NumPy moves: about three arrays for each that there is
    if indices is None:
        run = tier.kernel("loops_updates", maker, kind, *parameters).ready(work)
        return None if run is None else partial(run, *arrays, np.ascontiguousarray(grad), *map(float, values))
    if indices.dtype.char not in "ilq" or not grad.size or not all(array.flags.c_contiguous for array in arrays):
        return None
    sparse = tier.kernel("loops_updates", "sparse", f"i{indices.itemsize}", maker, kind, *parameters).ready(4 * work)
    if sparse is None:
        return None
    rows = [array.reshape(len(array), -1) for array in arrays]
    grad = np.ascontiguousarray(grad).reshape(len(grad), -1)
    return partial(sparse, *rows, np.ascontiguousarray(indices), grad, *map(float, values))


def _gradient_descent(one: Any, alpha: Any) -> Found:
    return "gradient_descent", (), (alpha,)


def _momentum(one: Any, lr: Any, momentum: Any, use_nesterov: bool = False) -> Found:
    if use_nesterov:
        return "nesterov", (), (lr, momentum, momentum * lr)
    return "momentum", (), (lr, momentum)


def _adagrad(one: Any, lr: Any, epsilon: Any = 0.0, update_slots: bool = True) -> Found:
    return "adagrad", (update_slots,), (lr, epsilon)


def _adam(
    one: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    use_nesterov: bool = False,
) -> Found:
    if use_nesterov:
        return None
    return "adam", (), (lr * np.sqrt(one - beta2_power) / (one - beta1_power), one - beta1, one - beta2, epsilon)


def _rms_prop(one: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any) -> Found:
    return "rms_prop", (), (lr, one - rho, momentum, epsilon)


def _centered_rms_prop(one: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any) -> Found:
    return "centered_rms_prop", (), (lr, one - rho, momentum, epsilon)


def _adadelta(one: Any, lr: Any, rho: Any, epsilon: Any) -> Found:
    return "adadelta", (), (lr, rho, one - rho, epsilon)


_RULES: dict[str, Callable[..., Found]] = {
    "gradient_descent": _gradient_descent,
    "momentum": _momentum,
    "adagrad": _adagrad,
    "adam": _adam,
    "rms_prop": _rms_prop,
    "centered_rms_prop": _centered_rms_prop,
    "adadelta": _adadelta,
}
