"""`DropoutWrapper`: drops parts of a cell's input, state and output."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from tfbench.engine import nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.nn.dropout import dropout
from tfbench.nn.rnn_cell.lstm import LSTMStateTuple
from tfbench.nn.rnn_cell.wrappers import CellWrapper


class DropoutWrapper(CellWrapper):
    """Keeps each element of input, state and output with its probability, and makes up for the others.

    The memory of LSTM cells is left alone, unless `dropout_state_filter_visitor` says what of a state is to be dropped
    (True, False, or these in the state's structure). With `variational_recurrent` the same elements are dropped in
    every step; that needs `dtype`, and for inputs `input_size`.

    Raises:
      TypeError: if the visitor is not callable.
      ValueError: if a probability is not between 0 and 1, or something is missing.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._visitor = dropout_state_filter_visitor or _all_but_memory
        self._seed = seed
        self._variational = variational_recurrent
        with name_scope("DropoutWrapperInit"):
            self._input_keep = _probability(input_keep_prob, "input_keep_prob")
            self._state_keep = _probability(state_keep_prob, "state_keep_prob")
            self._output_keep = _probability(output_keep_prob, "output_keep_prob")
            self._noise: dict[str, list[Tensor]] = {}
            if variational_recurrent:
                self._make_noise(input_size, dtype)

    def _make_noise(self, input_size: Any, dtype: Any) -> None:
        """What says, for all steps, which elements are dropped: one row for the whole batch."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")

        def noise(size: Any, what: str, index: int) -> Tensor:
            sizes = TensorShape([size] if isinstance(size, int) else size).as_list()
            shape = ops.concat(([1], sizes), 0)
            return ops.random_uniform(shape, dtype=dtype, seed=self._own_seed(what, index))

        sizes = {"input": input_size, "state": self.cell.state_size, "output": self.cell.output_size}
        if not _drops(self._input_keep):
            del sizes["input"]
        elif input_size is None:
            raise ValueError(
                "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be provided"
            )
        for what, structure in sizes.items():
            self._noise[what] = [noise(size, what, i) for i, size in enumerate(nest.flatten(structure))]

    def _own_seed(self, what: str, index: int) -> int | None:
        if self._seed is None:
            return None
        text = f"{self._seed}{what}_{index}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropped(self, values: Any, what: str, keep: Any, mask: list[bool] | None = None) -> Any:
        flat = nest.flatten(values)
        found = []
        for i, value in enumerate(flat):
            if mask is not None and not mask[i]:
                found.append(value)
            elif self._variational:
                found.append(_same_elements(value, self._noise[what][i], keep))
            else:
                found.append(dropout(value, rate=1.0 - keep, seed=self._own_seed(what, i)))
        return nest.pack_sequence_as(values, found)

    def _wrapped(self, inputs: Any, state: Any, step: Callable[[Any, Any], Any]) -> Any:
        if _drops(self._input_keep):
            inputs = self._dropped(inputs, "input", self._input_keep)
        output, new_state = step(inputs, state)
        if _drops(self._state_keep):
            mask = list(_visited(self._visitor, new_state))
            new_state = self._dropped(new_state, "state", self._state_keep, mask)
        if _drops(self._output_keep):
            output = self._dropped(output, "output", self._output_keep)
        return output, new_state


def _probability(value: Any, name: str) -> Any:
    """A probability as a number if it is known, else as a tensor."""
    tensor = convert_to_tensor(value)
    known = constant_value(tensor)
    if known is None:
        return tensor
    if not 0 <= known <= 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {known}")
    return float(known)


def _drops(keep: Any) -> bool:
    return not isinstance(keep, float) or keep < 1


def _all_but_memory(state: Any) -> Any:
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, TensorArray)


def _visited(visitor: Callable[[Any], Any], state: Any) -> list[bool]:
    """For each leaf of a state, whether the visitor lets it be dropped."""
    said = visitor(state)
    if not nest.is_nested(state):
        return [bool(said)]
    leaves = len(nest.flatten(state))
    if isinstance(said, bool):
        if not said:
            return [False] * leaves
        said = [True] * len(nest.children(state))
    found: list[bool] = []
    for allowed, child in zip(nest.children(said), nest.children(state), strict=True):
        found += _visited(visitor, child) if allowed is True else [False] * len(nest.flatten(child))
    return found


def _same_elements(value: Tensor, noise: Tensor, keep: Any) -> Tensor:
    binary = ops.floor(keep + noise)
    result: Tensor = ops.divide(value, keep) * binary
    result.set_shape(value.shape)
    return result
