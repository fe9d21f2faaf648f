"""Moving averages of variables and tensors, kept in variables of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import add_to_collection, colocate_with, device, get_default_graph
from tfbench.engine.init_scope import init_scope
from tfbench.engine.name_scope import name_scope
from tfbench.initializers import zeros_initializer
from tfbench.train import slots
from tfbench.variable_scope import get_variable, variable_scope
from tfbench.variables import (
    assign,
    assign_add,
    assign_sub,
    global_variables,
    moving_average_variables,
    trainable_variables,
)
from tfbench.variables.base import Variable


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """variable -= (1 - decay) (variable - value), as an operation's result.

    With `zero_debias` the variable is taken to have begun at zero, and is corrected for that: it is the average of the
    values so far. Two more variables, `biased` and `local_step`, are kept for it.
    """
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        share = convert_to_tensor(1.0 - decay, name="decay")
        if share.dtype != variable.dtype.base_dtype:
            share = ops.cast(share, variable.dtype.base_dtype)
        if zero_debias:
            return assign(variable, debiased(variable, value, share), name=scope)
        return assign_sub(variable, (variable - value) * share, name=scope)


def debiased(variable: Any, value: Any, share: Any) -> Any:
    """The average of the values so far, of which `value` is one; `share` is how much it counts."""
    with variable_scope(variable.op.name, values=[variable, value, share]):
        with colocate_with(variable), init_scope():
            biased = get_variable(
                "biased", initializer=zeros_initializer(), shape=variable.get_shape(), dtype=variable.dtype.base_dtype,
                trainable=False,
            )  # fmt: skip
            local_step = get_variable(
                "local_step", shape=[], dtype=variable.dtype.base_dtype, initializer=zeros_initializer(),
                trainable=False,
            )  # fmt: skip
    moved = assign_sub(biased, (biased - value) * share)
    counted = assign_add(local_step, 1)
    return moved / (1 - ops.pow(1.0 - share, counted))


class ExponentialMovingAverage:
    """Keeps, for each variable or tensor that `apply` is given, a moving average in a variable beside it.

    Args:
      decay: how much of the average stays in an update; near 1.
      num_updates: a count of the updates; early ones decay faster: by min(decay, (1 + n) / (10 + n)).
      zero_debias: averages of tensors are corrected for having begun at zero.
      name: the last part of the averages' names.
    """

    def __init__(
        self, decay: Any, num_updates: Any = None, zero_debias: bool = False, name: str = "ExponentialMovingAverage"
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Any:
        """An operation that updates the averages of `var_list` (default: the trainable variables).

        The averages are made here: of a variable with its initial value, of a tensor with zeros.

        Raises:
          TypeError: if one is not of a floating type.
          ValueError: if the average of one is made already.
        """
        watched = list(trainable_variables() if var_list is None else var_list)
        debiased = set()
        for item in watched:
            self._check(item)
            if _key(item) not in self._averages:
                with init_scope():
                    average = self._make_average(item)
                    if not isinstance(item, Variable) and self._zero_debias:
                        debiased.add(_key(average))
                self._averages[_key(item)] = average
        with name_scope(self._name) as scope:
            decay = convert_to_tensor(self._decay, dtype=dtypes.float32, name="decay")
            if self._num_updates is not None:
                count = ops.cast(self._num_updates, dtypes.float32, name="num_updates")
                decay = ops.minimum(decay, (1.0 + count) / (10.0 + count))
            updates = []
            for item in watched:
                average = self._averages[_key(item)]
                updates.append(assign_moving_average(average, item, decay, zero_debias=_key(average) in debiased))
            return ops.group(*updates, name=scope)

    @staticmethod
    def _check(item: Any) -> None:
        if item.dtype.base_dtype not in (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64):
            raise TypeError(f"The variables must be half, float, or double: {item.name}")

    def _make_average(self, item: Any) -> Variable:
        if isinstance(item, Variable):
            with device(item.device):
                initial = item.initialized_value()
            average = slots.create_slot(item, initial, self._name)
            add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, item)
            return average
        in_place = item.op.type in ("Variable", "VariableV2", "VarHandleOp")
        return slots.create_zeros_slot(item, self._name, colocate_with_primary=in_place)

    def average(self, var: Any) -> Variable | None:
        """The variable that holds the average of `var`, or None."""
        return self._averages.get(_key(var))

    def average_name(self, var: Any) -> str:
        """The name of the average of `var`, whether it is made or not: what a checkpoint has it under."""
        average = self._averages.get(_key(var))
        if average is not None:
            return average.op.name
        return get_default_graph().unique_name(f"{var.op.name}/{self._name}", mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Iterable[Any] | None = None) -> dict[str, Any]:
        """Names in a checkpoint to variables: those with an average are restored from it.

        Raises:
          ValueError: if two have one name.
        """
        averaged = list(
            [*trainable_variables(), *moving_average_variables()]
            if moving_avg_variables is None
            else moving_avg_variables
        )
        averaged = list({_key(var): var for var in averaged}.values())
        names: dict[str, Any] = {}
        for var in averaged:
            names[self.average_name(var)] = var
        taken = {var.name for var in averaged}
        for var in {_key(var): var for var in global_variables()}.values():
            if var.name not in taken and var.op.name not in names:
                names[var.op.name] = var
        return names


def _key(item: Any) -> Any:
    return item.op.graph, item.name
