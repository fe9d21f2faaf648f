"""Optimizers' rules as compiled loops: which there are, and how they are called.

The loops give the bits that the rules in `updates` give. A rule with an option that is rare has none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tfbench.engine.compiled import tier

Array = Any

_KINDS = {"f": "f4", "d": "f8"}

#: the rules, with what they get beside arrays, in the order of the loops
_RULES: dict[str, tuple[str, ...]] = {
    "gradient_descent": ("alpha",),
    "momentum": ("lr", "momentum"),
    "nesterov": ("lr", "momentum"),
    "adagrad": ("lr",),
    "adagrad_v2": ("lr", "epsilon"),
    "adam": ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"),
    "rms_prop": ("lr", "rho", "momentum", "epsilon"),
    "centered_rms_prop": ("lr", "rho", "momentum", "epsilon"),
    "adadelta": ("lr", "rho", "epsilon"),
}


def _maker(rule: str, numbers: Collection[str], options: Mapping[str, Any]) -> tuple[str, tuple[Any, ...]] | None:
    """Which loops do what `rule` does, and their parameters after the type."""
    if rule not in _RULES:
        return None
    if options.get("use_nesterov"):
        return ("nesterov", ()) if rule == "momentum" else None
    if rule == "adagrad":
        return "adagrad_v2" if "epsilon" in numbers else rule, (bool(options.get("update_slots", True)),)
    return rule, ()


class Dense:
    """A rule for whole variables, for an op that gets its inputs in the order `inputs`.

    `kernel` is asked for the function, whose `attempt` is called with the inputs as they are (buffers' arrays).
    """

    __slots__ = ("_inputs", "_slots", "kernel")

    def __init__(self, inputs: Sequence[str], slots: int, kernel: tier.Kernel) -> None:
        self.kernel = kernel
        self._inputs = inputs
        self._slots = slots

    def run(self, arrays: Sequence[Array], numbers: Mapping[str, Any], grad: Array) -> bool:
        """Applies the rule to `arrays` in place; False if NumPy has to do it, and nothing was done."""
        run = self.kernel.ready(3 * (len(arrays) + 1) * grad.nbytes)  # NumPy moves about three arrays for each there is
        if run is None:
            return False
        given = dict(numbers, grad=np.ascontiguousarray(grad).reshape(grad.shape))
        attempt: Any = run.attempt  # type: ignore[attr-defined]
        return not attempt(*arrays, *[given[name] for name in self._inputs[self._slots :]])

    def before(self, update: Callable[..., Any]) -> Callable[..., Any]:
        """`update`, a function of buffers and of what else the op gets, for where the loops do not do all of it.

        They do where all is as declared, which they see for themselves, and small variables cost hardly more than
        these lines. Where it is not, `update` knows what is wrong.
        """
        kernel, off = self.kernel, tier.OFF

        def one(var: Any, *given: Any) -> Any:
            run: Any = kernel.run
            if run is None or tier.mode() == off or run.attempt(var.array, *given):
                return update(var, *given)
            var.updates += 1
            return var

        def two(var: Any, slot: Any, *given: Any) -> Any:
            run: Any = kernel.run
            if run is None or tier.mode() == off or run.attempt(var.array, slot.array, *given):
                return update(var, slot, *given)
            var.updates += 1
            slot.updates += 1
            return var

        def three(var: Any, slot: Any, other: Any, *given: Any) -> Any:
            run: Any = kernel.run
            if run is None or tier.mode() == off or run.attempt(var.array, slot.array, other.array, *given):
                return update(var, slot, other, *given)
            var.updates += 1
            slot.updates += 1
            other.updates += 1
            return var

        forms = {1: one, 2: two, 3: three}
        return forms.get(self._slots, update)


def dense(
    rule: str, slots: Sequence[str], inputs: Sequence[str], options: Mapping[str, Any], dtype: Any
) -> Dense | None:
    """The compiled form of `rule` for variables of `dtype`, if it can have one.

    `slots` are the variable and what belongs to it; `inputs` what comes after them, the gradient as "grad".
    """
    kind = _KINDS.get(np.dtype(dtype).char)
    found = _maker(rule, inputs, options)
    if kind is None or found is None:
        return None
    name, parameters = found
    names = [*slots, *inputs]
    return Dense(names, len(slots), tier.kernel("loops_updates", "dense", ",".join(names), name, kind, *parameters))


def sparse(rule: str, arrays: Sequence[Array], numbers: Mapping[str, Any], grad: Array, indices: Array) -> bool:
    """Applies `rule` to the rows of `arrays`, of any shape, that are named, one after another.

    False if NumPy has to do it, and nothing was done. `numbers` holds the options, too.
    """
    dtype = grad.dtype
    kind = _KINDS.get(dtype.char)
    found = _maker(rule, numbers, numbers)
    if kind is None or found is None or any(array.dtype != dtype for array in arrays):
        return False
    if indices.dtype.char not in "ilq" or not grad.size or not all(array.flags.c_contiguous for array in arrays):
        return False
    name, parameters = found
    run = tier.kernel("loops_updates", "sparse", f"i{indices.itemsize}", name, kind, *parameters).ready(
        12 * (len(arrays) + 1) * grad.nbytes
    )
    if run is None:
        return False
    rows = [array.reshape(len(array), -1) for array in arrays]
    grad = np.ascontiguousarray(grad).reshape(len(grad), -1)
    run(*rows, np.ascontiguousarray(indices), grad, *[dtype.type(numbers[one]) for one in _RULES[name]])
    return True
