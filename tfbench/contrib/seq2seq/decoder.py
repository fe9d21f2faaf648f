"""`dynamic_decode`: a decoder in a `while_loop`, step after step until all sequences of the batch are done."""

from __future__ import annotations

import contextlib
from typing import Any

from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.infer import constant_value
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.nn.recurrent.shapes import transpose_batch_time, zero_state
from tfbench.variable_scope import variable_scope


class Decoder:
    """What `dynamic_decode` calls: sizes and types of one step's outputs, and the steps themselves."""

    @property
    def batch_size(self) -> Any:
        """How many sequences are decoded at once."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """The sizes of a step's outputs, without the batch: a nest of integers or shapes."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """The types of a step's outputs."""
        raise NotImplementedError

    def initialize(self, name: str | None = None) -> Any:
        """What the first step gets: (finished, inputs, state)."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """One step: (outputs, next state, next inputs, finished)."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """What becomes of all outputs and the last state; without this method they stay as they are."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `finished` of a step is the whole truth, and not only what ended in it."""
        return False


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Tensor]:
    """Runs `decoder` until every sequence is finished.

    Args:
      output_time_major: give outputs as [time, batch, ...] and not as [batch, time, ...].
      impute_finished: of a sequence that is finished, outputs are zeros and the state stays.
      maximum_iterations: so many steps at most.

    Returns:
      The outputs of all steps, the last state, and the length of each sequence.

    Raises:
      TypeError: if `decoder` is no Decoder. ValueError: if `maximum_iterations` is no scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder") as opened:
        if opened.caching_device is None and not _in_loop():
            opened.set_caching_device(lambda op: op.device)
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(maximum_iterations, dtype=dtypes.int32, name="maximum_iterations")
            if maximum_iterations.get_shape().ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize()
        loop = _Loop(decoder, impute_finished)
        if maximum_iterations is not None:
            finished = ops.logical_or(finished, maximum_iterations <= 0)
        lengths = ops.zeros_like(finished, dtype=dtypes.int32)
        time = ops.constant(0, dtype=dtypes.int32)
        arrays = nest.map_structure(loop.array, decoder.output_size, decoder.output_dtype)
        ended = ops.while_loop(
            lambda time, arrays, state, inputs, finished, lengths: ops.logical_not(ops.reduce_all(finished)),
            loop.body,
            loop_vars=(time, arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        final_state, final_lengths = ended[2], ended[5]
        outputs = nest.map_structure(lambda array: array.stack(), ended[1])
        with contextlib.suppress(NotImplementedError):
            outputs, final_state = decoder.finalize(outputs, final_state, final_lengths)
        if not output_time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
    return outputs, final_state, final_lengths


def _in_loop() -> bool:
    context = get_default_graph()._control_flow_context
    return context is not None and context.GetWhileContext() is not None


class _Loop:
    """The body of the loop, and what it needs."""

    def __init__(self, decoder: Decoder, impute_finished: bool) -> None:
        self._decoder, self._impute = decoder, impute_finished
        self._zeros = nest.map_structure(
            lambda size, dtype: zero_state(size, decoder.batch_size, dtype), decoder.output_size, decoder.output_dtype
        )

    def array(self, size: Any, dtype: Any) -> TensorArray:
        """The array of one output's values, a step each."""
        shape = None
        if isinstance(size, TensorShape) and size.ndims != 0:
            batch = constant_value(convert_to_tensor(self._decoder.batch_size, name="batch_size"))
            shape = TensorShape([None if batch is None else int(batch)]).concatenate(size)
        return TensorArray(dtype=dtype, size=0, dynamic_size=True, element_shape=shape)

    def body(self, time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Any:
        outputs, next_state, next_inputs, ended = self._decoder.step(time, inputs, state)
        next_finished = ended if self._decoder.tracks_own_finished else ops.logical_or(ended, finished)
        running = ops.logical_not(finished)
        next_lengths = ops.where(running, ops.fill(ops.shape(lengths), time + 1), lengths)
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(arrays, outputs)
        nest.assert_same_structure(inputs, next_inputs)
        if self._impute:
            outputs = nest.map_structure(lambda out, zero: ops.where(finished, zero, out), outputs, self._zeros)
            next_state = nest.map_structure(lambda new, old: _kept(finished, new, old), next_state, state)
        arrays = nest.map_structure(lambda array, out: array.write(time, out), arrays, outputs)
        return time + 1, arrays, next_state, next_inputs, next_finished, next_lengths


def _kept(finished: Any, new: Any, old: Any) -> Any:
    """The old state of finished sequences, the new one of others; what belongs to no sequence is the new one."""
    if isinstance(old, TensorArray):
        return new
    new.set_shape(old.shape)
    return new if new.shape.ndims == 0 else ops.where(finished, old, new)
