"""`MultiRNNCell`: cells one above the other."""

from __future__ import annotations

from typing import Any

from tfbench.engine import nest, ops
from tfbench.engine.name_scope import name_scope
from tfbench.nn.recurrent.shapes import check_cell
from tfbench.nn.rnn_cell.base import RNNCell
from tfbench.nn.rnn_cell.shared import note_shared
from tfbench.variable_scope import variable_scope


class MultiRNNCell(RNNCell):
    """Each cell's input is the output of the one before. The state is the tuple of all their states.

    With `state_is_tuple=False` it is one tensor, the states side by side.

    Raises:
      TypeError: if `cells` is no list of cells.
      ValueError: if it is empty, or a cell's state is a tuple although `state_is_tuple` is False.
    """

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        for cell in cells:
            check_cell("cell", cell)
        note_shared(cells)
        self._cells = cells
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(nest.is_nested(cell.state_size) for cell in cells):
            raise ValueError(f"Some cells return tuples of states, but the flag state_is_tuple is not set. {cells}")

    def _trackable_children(self) -> dict[str, Any]:
        return {f"cell-{number}": cell for number, cell in enumerate(self._cells)}

    @property
    def cells(self) -> list[Any]:
        """The cells, the lowest first."""
        return list(self._cells)

    @property
    def state_size(self) -> Any:
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The cells' own first states."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    @property
    def trainable_weights(self) -> list[Any]:
        if not self.trainable:
            return []
        return [weight for cell in self._cells if isinstance(cell, RNNCell) for weight in cell.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[Any]:
        layers = [cell for cell in self._cells if isinstance(cell, RNNCell)]
        found = [weight for cell in layers for weight in cell.non_trainable_weights]
        if self.trainable:
            return found
        return [*(weight for cell in layers for weight in cell.trainable_weights), *found]

    @property
    def trainable_variables(self) -> list[Any]:
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        return self.non_trainable_weights

    def call(self, inputs: Any, state: Any) -> Any:
        position = 0
        output, states = inputs, []
        for i, cell in enumerate(self._cells):
            with variable_scope(f"cell_{i}"):
                if self._state_is_tuple:
                    if not nest.is_nested(state):
                        raise ValueError(
                            f"Expected state to be a tuple of length {len(self.state_size)}, but received: {state}"
                        )
                    own = state[i]
                else:
                    own = ops.slice(state, [0, position], [-1, cell.state_size])
                    position += cell.state_size
                output, new = cell(output, own)
                states.append(new)
        return output, tuple(states) if self._state_is_tuple else ops.concat(states, 1)
