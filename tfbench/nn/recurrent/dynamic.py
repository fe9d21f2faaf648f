"""`dynamic_rnn` and `bidirectional_dynamic_rnn`: a cell in a `while_loop` over the steps of a sequence."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.nn.recurrent.shapes import (
    batch_size_of,
    check_cell,
    check_lengths,
    join_sizes,
    join_static_sizes,
    rnn_scope,
    state_dtype,
    static_size,
    transpose_batch_time,
)
from tfbench.nn.recurrent.shapes import (
    initial_state as first_state,
)
from tfbench.nn.recurrent.step import rnn_step
from tfbench.variable_scope import variable_scope


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Runs `cell` over `inputs` of shape [batch, time, ...] (with `time_major` [time, batch, ...]), or a nest of them.

    Past `sequence_length` (one length per sequence) outputs are zeros and the state stays. The first state is
    `initial_state`, or zeros of `dtype`.

    Returns:
      The outputs of all steps, laid out as the inputs, and the last state.

    Raises:
      TypeError: if `cell` is none.
      ValueError: if the inputs' sizes are not known or differ, or there is neither `initial_state` nor `dtype`.
    """
    check_cell("cell", cell)
    with rnn_scope(scope):
        flat = nest.flatten(inputs)
        if not time_major:
            flat = [convert_to_tensor(tensor) for tensor in flat]
            flat = [transpose_batch_time(tensor) for tensor in flat]
        if sequence_length is not None:
            sequence_length = ops.cast(sequence_length, dtypes.int32)
            check_lengths(sequence_length)
            sequence_length = ops.identity(sequence_length, name="sequence_length")
        batch_size = batch_size_of(flat)
        state = first_state(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            with get_default_graph().control_dependencies([_assert_shape(sequence_length, [batch_size])]):
                sequence_length = ops.identity(sequence_length, name="CheckSeqLen")
        outputs, last = _loop(
            cell,
            nest.pack_sequence_as(inputs, flat),
            state,
            parallel_iterations or 32,
            swap_memory,
            sequence_length,
            dtype,
        )
        if not time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
        return outputs, last


def _assert_shape(x: Tensor, shape: list[Any]) -> Any:
    found = ops.shape(x)
    wanted = ops.stack(shape)
    agrees = ops.reduce_all(ops.equal(found, wanted))
    return ops.Assert(agrees, [f"Expected shape for Tensor {x.name} is ", wanted, " but saw shape: ", found])


def _loop(
    cell: Any, inputs: Any, state: Any, parallel: int, swap_memory: bool, lengths: Tensor | None, dtype: Any
) -> tuple[Any, Any]:
    """The loop over time-major inputs; outputs are time-major too."""
    flat = nest.flatten(inputs)
    output_sizes = nest.flatten(cell.output_size)
    steps = ops.shape(flat[0])[0]
    batch_size = batch_size_of(flat)
    shapes = [tensor.shape.with_rank_at_least(3) for tensor in flat]
    static_steps, static_batch = _check_inputs(flat, shapes)

    def zeros(size: Any) -> Tensor:
        return ops.zeros(ops.stack(join_sizes(batch_size, size)), state_dtype(dtype, state))

    zero_output = nest.pack_sequence_as(cell.output_size, [zeros(size) for size in output_sizes])
    shortest = longest = steps
    if lengths is not None:
        shortest, longest = ops.reduce_min(lengths), ops.reduce_max(lengths)
    start = ops.constant(0, dtype=dtypes.int32, name="time")
    with name_scope("dynamic_rnn", None) as base_name:
        pass

    def array(name: str, shape: TensorShape, kind: Any) -> TensorArray:
        return TensorArray(kind, steps, element_shape=shape, tensor_array_name=base_name + name)

    outputs = tuple(
        array(f"output_{i}", TensorShape([static_batch]).concatenate(static_size(size)), state_dtype(dtype, state))
        for i, size in enumerate(output_sizes)
    )
    sources = [array(f"input_{i}", tensor.shape[1:], tensor.dtype) for i, tensor in enumerate(flat)]
    sources = [source.unstack(tensor) for source, tensor in zip(sources, flat, strict=True)]

    def step(time: Tensor, written: Any, state: Any) -> Any:
        row = [source.read(time) for source in sources]
        for tensor, shape in zip(row, shapes, strict=True):
            tensor.set_shape(shape[1:])
        packed = nest.pack_sequence_as(inputs, row)
        if lengths is None:
            output, state = cell(packed, state)
        else:
            old = state
            output, state = rnn_step(
                time, lengths, shortest, longest, zero_output, old, lambda: cell(packed, old), in_loop=True
            )
        written = tuple(ta.write(time, value) for ta, value in zip(written, nest.flatten(output)))
        return time + 1, written, state

    # One step at least, so that the arrays know their elements' shape.
    bound = ops.minimum(steps, ops.maximum(1, longest))
    _, written, last = ops.while_loop(
        lambda time, *_: time < bound,
        step,
        (start, outputs, state),
        parallel_iterations=parallel,
        maximum_iterations=steps,
        swap_memory=swap_memory,
    )
    stacked = [ta.stack() for ta in written]
    for tensor, size in zip(stacked, output_sizes, strict=True):
        tensor.set_shape(join_static_sizes([static_steps, static_batch], size))
    return nest.pack_sequence_as(cell.output_size, stacked), last


def _check_inputs(flat: list[Tensor], shapes: list[TensorShape]) -> tuple[int | None, int | None]:
    """The steps and the batch size that all inputs have, as far as they are known."""
    steps, batch = shapes[0].as_list()[:2]
    for tensor, shape in zip(flat, shapes, strict=True):
        if not shape[2:].is_fully_defined():
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, but saw value None for input "
                f"{tensor}."
            )
        own_steps, own_batch = shape.as_list()[:2]
        if own_steps != steps:
            raise ValueError(
                "Time steps is not the same for all the elements in the input in a batch. Received time steps="
                f"{own_steps} for input {tensor} but expected time steps={steps}."
            )
        if own_batch != batch:
            raise ValueError(
                f"Batch_size is not the same for all the elements in the input. Received batch size={own_batch} for "
                f"input {tensor} but expected batch size={batch}."
            )
    return steps, batch


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Two networks, one of which reads each sequence from its end.

    Returns:
      The pair of outputs (both in the order of the inputs), and the pair of last states.
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def reverse(tensor: Any) -> Tensor:
        if sequence_length is None:
            return ops.reverse(tensor, axis=[time_axis])
        return ops.reverse_sequence(tensor, sequence_length, seq_axis=time_axis, batch_axis=batch_axis)

    def run(cell: Any, given: Any, state: Any, inner: Any) -> Any:
        return dynamic_rnn(
            cell,
            given,
            sequence_length=sequence_length,
            initial_state=state,
            dtype=dtype,
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
            time_major=time_major,
            scope=inner,
        )

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            output_fw, state_fw = run(cell_fw, inputs, initial_state_fw, forward)
        with variable_scope("bw") as backward:
            reversed_inputs = nest.map_structure(reverse, inputs)
            output_bw, state_bw = run(cell_bw, reversed_inputs, initial_state_bw, backward)
    return (output_fw, nest.map_structure(reverse, output_bw)), (state_fw, state_bw)
