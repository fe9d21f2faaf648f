"""`raw_rnn`: a loop around a cell in which a function of the user's makes the next input from the last output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.nn.recurrent.shapes import check_cell, join_sizes, rnn_scope, static_size
from tfbench.nn.recurrent.step import choose


def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Runs `cell` until all sequences are finished.

    `loop_fn(time, cell_output, cell_state, loop_state)` returns which sequences are finished, the next input and state,
    what to emit, and the next loop state. At time 0 the last three arguments are None, and it returns what the first
    step gets and an example (or None) of what is emitted.

    Returns:
      A nest of TensorArrays of what was emitted, the last state, the last loop state.

    Raises:
      TypeError: if `cell` is none, or `loop_fn` is not callable.
    """
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with rnn_scope(scope):
        start = ops.constant(0, dtype=dtypes.int32)
        finished, first_input, state, emitted, first_loop_state = loop_fn(start, None, None, None)
        flat_input = nest.flatten(first_input)
        loop_state = ops.constant(0, dtype=dtypes.int32) if first_loop_state is None else first_loop_state
        static_batch = _static_batch(flat_input)
        batch_size: Any = static_batch
        if batch_size is None:
            batch_size = ops.shape(flat_input[0])[0]
        nest.assert_same_structure(state, cell.state_size)
        state = nest.map_structure(convert_to_tensor, state)
        if emitted is None:
            emitted = cell.output_size
            sizes: list[Any] = nest.flatten(emitted)
            kinds = [nest.flatten(state)[0].dtype] * len(sizes)
        else:
            examples = nest.flatten(emitted)
            sizes = [item.shape if item.shape.is_fully_defined() else ops.shape(item) for item in examples]
            kinds = [item.dtype for item in examples]
        arrays = nest.pack_sequence_as(
            emitted,
            [
                TensorArray(
                    kind,
                    dynamic_size=True,
                    element_shape=TensorShape([static_batch]).concatenate(static_size(size)),
                    size=0,
                    name=f"rnn_output_{i}",
                )
                for i, (kind, size) in enumerate(zip(kinds, sizes, strict=True))
            ],
        )
        zeros = nest.pack_sequence_as(
            emitted, [ops.zeros(join_sizes(batch_size, size), kind) for size, kind in zip(sizes, kinds, strict=True)]
        )

        def condition(_time: Tensor, finished: Tensor, *_: Any) -> Tensor:
            return ops.logical_not(ops.reduce_all(finished))

        def body(time: Tensor, finished: Tensor, given: Any, arrays: Any, state: Any, loop_state: Any) -> Any:
            output, cell_state = cell(given, state)
            nest.assert_same_structure(state, cell_state)
            nest.assert_same_structure(cell.output_size, output)
            next_time = time + 1
            over, next_input, next_state, emit, next_loop_state = loop_fn(next_time, output, cell_state, loop_state)
            nest.assert_same_structure(state, next_state)
            nest.assert_same_structure(given, next_input)
            nest.assert_same_structure(arrays, emit)
            emit = nest.map_structure(lambda old, new: choose(finished, old, new), zeros, emit)
            next_state = nest.map_structure(lambda old, new: choose(finished, old, new), state, next_state)
            arrays = nest.map_structure(lambda array, value: array.write(time, value), arrays, emit)
            over = ops.logical_or(finished, over)
            kept = loop_state if next_loop_state is None else next_loop_state
            return next_time, over, next_input, arrays, next_state, kept

        found = ops.while_loop(
            condition,
            body,
            [start, finished, first_input, arrays, state, loop_state],
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        arrays, state, loop_state = found[-3:]
        return arrays, state, None if first_loop_state is None else loop_state


def _static_batch(flat: list[Tensor]) -> int | None:
    """The batch size that the inputs have, if it is known; ValueError where they differ."""
    first: Any = None
    for tensor in flat:
        shape = tensor.shape
        own: Any = shape[0] if shape.ndims else None
        if first is None:
            first = own
        elif own is not None:
            first.assert_is_compatible_with(own)
    return None if first is None else first.value
