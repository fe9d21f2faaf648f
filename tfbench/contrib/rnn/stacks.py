"""Two-way networks one above the other: each layer reads what both directions of the layer below have said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import ops
from tfbench.nn.recurrent.dynamic import bidirectional_dynamic_rnn
from tfbench.nn.recurrent.static import static_bidirectional_rnn
from tfbench.variable_scope import variable_scope


def stack_bidirectional_dynamic_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, Any, Any]:
    """Layers of `tf.nn.bidirectional_dynamic_rnn`.

    Returns:
      The last layer's outputs, and for each direction the tuple of the layers' last states.

    Raises:
      ValueError: if there are no cells, or not as many in both directions.
    """

    def layer(fw: Any, bw: Any, given: Any, state_fw: Any, state_bw: Any, opened: Any) -> Any:
        outputs, states = bidirectional_dynamic_rnn(
            fw,
            bw,
            given,
            initial_state_fw=state_fw,
            initial_state_bw=state_bw,
            sequence_length=sequence_length,
            parallel_iterations=parallel_iterations,
            dtype=dtype,
            swap_memory=swap_memory,
            time_major=time_major,
        )
        return ops.concat(outputs, 2), *states

    return _stacked(cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, scope, layer)


def stack_bidirectional_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Layers of `tf.nn.static_bidirectional_rnn`; otherwise as `stack_bidirectional_dynamic_rnn`."""

    def layer(fw: Any, bw: Any, given: Any, state_fw: Any, state_bw: Any, opened: Any) -> Any:
        return static_bidirectional_rnn(
            fw,
            bw,
            given,
            initial_state_fw=state_fw,
            initial_state_bw=state_bw,
            sequence_length=sequence_length,
            dtype=dtype,
            scope=opened,
        )

    return _stacked(cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw, scope, layer)


def _stacked(
    cells_fw: Any, cells_bw: Any, inputs: Any, first_fw: Any, first_bw: Any, scope: Any, layer: Callable[..., Any]
) -> tuple[Any, Any, Any]:
    for name, cells in (("fw", cells_fw), ("bw", cells_bw)):
        if not cells:
            raise ValueError(f"Must specify at least one {name} cell for BidirectionalRNN.")
        if not isinstance(cells, list):
            raise ValueError(f"cells_{name} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for name, states in (("fw", first_fw), ("bw", first_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError(f"initial_states_{name} must be a list of state tensors (one per layer).")
    found: list[tuple[Any, Any]] = []
    given = inputs
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, (fw, bw) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope(f"cell_{i}") as opened:
                state_fw, state_bw = first_fw[i] if first_fw else None, first_bw[i] if first_bw else None
                given, last_fw, last_bw = layer(fw, bw, given, state_fw, state_bw, opened)
            found.append((last_fw, last_bw))
    return given, tuple(fw for fw, _ in found), tuple(bw for _, bw in found)
