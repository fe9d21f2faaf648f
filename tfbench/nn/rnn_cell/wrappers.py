"""Cells around cells: `ResidualWrapper` and `DeviceWrapper`. They open no scope of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import nest
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.name_scope import name_scope
from tfbench.nn.recurrent.shapes import check_cell
from tfbench.nn.rnn_cell.base import RNNCell


class CellWrapper(RNNCell):
    """The base of cells that change what another cell gets and gives."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_cell("cell", cell)
        self.cell = cell

    def _trackable_children(self) -> dict[str, Any]:
        return {"cell": self.cell}

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self.cell

    @property
    def state_size(self) -> Any:
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        return self.cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The first state of the cell inside."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            return self.cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """One step of the wrapped cell."""

        def step(inputs: Any, state: Any) -> Any:
            return self.cell(inputs, state, scope=scope)

        return self._wrapped(inputs, state, step)

    def _wrapped(self, inputs: Any, state: Any, step: Callable[[Any, Any], Any]) -> Any:
        raise NotImplementedError


class ResidualWrapper(CellWrapper):
    """Adds the input to the output; `residual_fn(inputs, outputs)` does something else with them."""

    def __init__(self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn or _added

    def _wrapped(self, inputs: Any, state: Any, step: Callable[[Any, Any], Any]) -> Any:
        outputs, state = step(inputs, state)
        return self._residual_fn(inputs, outputs), state


def _added(inputs: Any, outputs: Any) -> Any:
    nest.assert_same_structure(inputs, outputs)
    for before, after in zip(nest.flatten(inputs), nest.flatten(outputs), strict=True):
        before.shape.assert_is_compatible_with(after.shape)
    return nest.map_structure(lambda before, after: before + after, inputs, outputs)


class DeviceWrapper(CellWrapper):
    """Runs the cell on a device."""

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The first state of the cell inside, on the device."""
        with name_scope(f"{type(self).__name__}ZeroState"), get_default_graph().device(self._device):
            return self.cell.zero_state(batch_size, dtype)

    def _wrapped(self, inputs: Any, state: Any, step: Callable[[Any, Any], Any]) -> Any:
        with get_default_graph().device(self._device):
            return step(inputs, state)
