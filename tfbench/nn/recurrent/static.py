"""`static_rnn` and its kin: a network unrolled, one set of nodes for each step."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dimension import Dimension
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.nn.recurrent.shapes import (
    check_cell,
    check_lengths,
    join_sizes,
    join_static_sizes,
    rnn_scope,
    state_dtype,
)
from tfbench.nn.recurrent.shapes import (
    initial_state as first_state,
)
from tfbench.nn.recurrent.step import rnn_step
from tfbench.variable_scope import variable_scope


def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs `cell` over the list `inputs`, one tensor of shape [batch, ...] (or a nest of them) for each step.

    Past `sequence_length` outputs are zeros and the state stays.

    Returns:
      The list of outputs, and the last state.

    Raises:
      TypeError: if `cell` is none, or `inputs` no list.
      ValueError: if there are no inputs, or their sizes are not known or differ.
    """
    check_cell("cell", cell)
    _check_list(inputs)
    with rnn_scope(scope) as opened:
        first = inputs
        while nest.is_nested(first):
            first = first[0]
        fixed = _fixed_batch_size(first, nest.flatten(inputs))
        batch_size: Any = fixed.value or ops.shape(first)[0]
        state = first_state(cell, initial_state, batch_size, dtype)
        shortest: Any = None
        longest: Any = None
        zero_output: Any = None
        if sequence_length is not None:
            sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            check_lengths(sequence_length)

            def zeros(size: Any) -> Tensor:
                made = ops.zeros(ops.stack(join_sizes(batch_size, size)), state_dtype(dtype, state))
                made.set_shape(join_static_sizes(fixed.value, size))
                return made

            zero_output = nest.map_structure(zeros, cell.output_size)
            sequence_length = ops.cast(sequence_length, dtypes.int32)
            shortest, longest = ops.reduce_min(sequence_length), ops.reduce_max(sequence_length)
        outputs = []
        for time, row in enumerate(inputs):
            if time > 0:
                opened.reuse_variables()
            if sequence_length is None:
                output, state = cell(row, state)
            else:
                old = state
                output, state = rnn_step(
                    time,
                    sequence_length,
                    shortest,
                    longest,
                    zero_output,
                    old,
                    lambda row=row, old=old: cell(row, old),  # type: ignore[misc]
                    in_loop=False,
                )
            outputs.append(output)
        return outputs, state


def _check_list(inputs: Any) -> None:
    if not nest.is_nested(inputs):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")


def _fixed_batch_size(first: Tensor, flat: list[Tensor]) -> Dimension:
    """The batch size of the first input; ValueError if another one has another, or an inner size is not known."""
    if first.shape.ndims == 1:
        return first.shape[0]
    fixed = first.shape.with_rank_at_least(2)[0]
    for tensor in flat:
        own, *sizes = tensor.shape.with_rank_at_least(2)
        fixed.assert_is_compatible_with(own)
        for i, size in enumerate(sizes):
            if size.value is None:
                raise ValueError(
                    f"Input size (dimension {i} of input {tensor}) must be accessible via shape inference, but saw "
                    "value None."
                )
    return fixed


def static_state_saving_rnn(
    cell: Any, inputs: Any, state_saver: Any, state_name: Any, sequence_length: Any = None, scope: Any = None
) -> tuple[Any, Any]:
    """`static_rnn` whose state is kept from run to run by `state_saver`, an object with `state` and `save_state`.

    `state_name` is the state's name there, or a nest of names like the cell's state.
    """
    nested, named = nest.is_nested(cell.state_size), nest.is_nested(state_name)
    if nested != named:
        raise ValueError(
            f"state_name should be the same type as cell.state_size. state_name: {state_name}, cell.state_size: "
            f"{cell.state_size}"
        )
    names, sizes = nest.flatten(state_name), nest.flatten(cell.state_size)
    if len(names) != len(sizes):
        raise ValueError(
            f"Number of elements in state_name and cell.state_size are mismatched: {state_name} and {cell.state_size}."
        )
    first = nest.pack_sequence_as(cell.state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, initial_state=first, sequence_length=sequence_length, scope=scope)
    savers = [state_saver.save_state(name, part) for name, part in zip(names, nest.flatten(state), strict=True)]
    with get_default_graph().control_dependencies(savers):
        last = nest.map_structure(ops.identity, outputs[-1])
        state = nest.map_structure(ops.identity, state)
    return [*outputs[:-1], last], state


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Two unrolled networks, one of which reads the inputs from the end.

    Returns:
      The list of outputs (both networks' side by side), the last state forwards, the last state backwards.
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    _check_list(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=forward)
        with variable_scope("bw") as backward:
            reversed_inputs = _reversed(inputs, sequence_length)
            output_bw, state_bw = static_rnn(
                cell_bw, reversed_inputs, initial_state_bw, dtype, sequence_length, scope=backward
            )
    output_bw = _reversed(output_bw, sequence_length)
    pairs = zip(nest.flatten(output_fw), nest.flatten(output_bw), strict=True)
    joined = [ops.concat([fw, bw], 1) for fw, bw in pairs]
    return nest.pack_sequence_as(output_fw, joined), state_fw, state_bw


def _reversed(sequence: Any, lengths: Any) -> list[Any]:
    """The list from its end: each sequence of the batch from where it ends, if there are lengths."""
    if lengths is None:
        return list(reversed(sequence))
    results: list[list[Tensor]] = [[] for _ in sequence]
    for parts in zip(*[nest.flatten(item) for item in sequence], strict=True):
        rank = parts[0].shape.ndims
        shape = TensorShape(None if rank is None else [None] * rank)
        for part in parts:
            shape.assert_is_compatible_with(part.shape)
        turned = ops.unstack(ops.reverse_sequence(ops.stack(parts), lengths, 0, 1))
        for result, part in zip(results, turned, strict=True):
            result.append(part)
    return [nest.pack_sequence_as(item, flat) for item, flat in zip(sequence, results, strict=True)]
