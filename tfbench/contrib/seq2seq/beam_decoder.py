"""`BeamSearchDecoder`: the most probable sequences, `beam_width` of them, followed side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfbench import logging
from tfbench.contrib.seq2seq.beam_search import (
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    attention_probs,
    beam_search_step,
    check_rank,
    gather_tree,
    static,
)
from tfbench.contrib.seq2seq.decoder import Decoder
from tfbench.contrib.seq2seq.helper import _embedding_function
from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.layers.base import Layer
from tfbench.nn.recurrent.shapes import check_cell


class FinalBeamSearchDecoderOutput(NamedTuple):
    """The words of each beam from the first on, and what the steps gave."""

    predicted_ids: Any
    beam_search_decoder_output: Any


def gather_tree_from_array(t: Any, parent_ids: Any, sequence_length: Any) -> Tensor:
    """What was collected step by step, [time, batch, beams, ...], in the order of the final beams."""
    sizes = parent_ids.shape.as_list()
    times, batch, width = [size or ops.shape(parent_ids)[axis] for axis, size in enumerate(sizes)]
    beams = ops.expand_dims(ops.expand_dims(ops.range(width), 0), 0)
    beams = ops.tile(beams, [times, batch, 1])
    longest = ops.cast(ops.reduce_max(sequence_length, axis=1), dtypes.int32)
    order = gather_tree(beams, parent_ids, longest, width + 1)
    there = ops.transpose(ops.sequence_mask(sequence_length, maxlen=times), perm=[2, 0, 1])
    order = ops.where(there, x=order, y=beams)
    time_index = ops.tile(ops.reshape(ops.range(times), [-1, 1, 1]), [1, batch, width])
    batch_index = ops.tile(ops.reshape(ops.range(batch), [-1, 1, 1]), [1, times, width])
    batch_index = ops.transpose(batch_index, perm=[1, 0, 2])
    indices = ops.stack([time_index, batch_index, order], -1)
    shape = ops.shape(t)
    found = ops.gather_nd(ops.reshape(t, [times, batch, width, -1]), indices)
    ordered: Tensor = ops.reshape(found, shape)
    return ordered


class BeamSearchDecoder(Decoder):
    """Decodes with `cell`, and keeps the best `beam_width` sequences.

    Args:
      embedding: a function of ids, or what `tf.nn.embedding_lookup` takes.
      start_tokens: a vector, one a sequence. end_token: the id that ends a sequence.
      initial_state: the state of batch * beams sequences (see `tile_batch`).
      output_layer: a layer behind the cell.
      length_penalty_weight: 0: none; longer sequences get better with more.
      coverage_penalty_weight: how much it counts that all of a memory was attended to.
      reorder_tensor_arrays: put arrays in the state into the order of the final beams.

    Raises:
      TypeError, ValueError: for other arguments.
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: Any = 0.0,
        coverage_penalty_weight: Any = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        check_cell("cell", cell)
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._output_layer = cell, output_layer
        self._reorder = reorder_tensor_arrays
        self._embedding_fn = _embedding_function(embedding)
        tokens = convert_to_tensor(start_tokens, dtype=dtypes.int32, name="start_tokens")
        if tokens.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
        if self._end_token.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = ops.size(start_tokens)
        self._beam_width = beam_width
        self._length_weight, self._coverage_weight = length_penalty_weight, coverage_penalty_weight
        self._initial_cell_state = nest.map_structure(self._maybe_split, initial_state, cell.state_size)
        self._start_inputs = self._embedding_fn(ops.tile(ops.expand_dims(tokens, 1), [1, beam_width]))
        self._finished = ops.one_hot(
            ops.zeros([self._batch_size], dtype=dtypes.int32),
            depth=beam_width,
            on_value=False,
            off_value=True,
            dtype=dtypes.bool,
        )

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """Beams change places: which of them ended, the state says."""
        return True

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        beams = TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(beams, beams, beams)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        return BeamSearchDecoderOutput(dtype, dtypes.int32, dtypes.int32)

    def initialize(self, name: str | None = None) -> Any:
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        log_probs = ops.one_hot(  # only the first beam counts at the first step: all are the same
            ops.zeros([self._batch_size], dtype=dtypes.int32),
            depth=self._beam_width,
            on_value=convert_to_tensor(0.0, dtype=dtype),
            off_value=convert_to_tensor(-np.inf, dtype=dtype),
            dtype=dtype,
        )
        attended = attention_probs(self._initial_cell_state, self._coverage_weight)
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state,
            log_probs=log_probs,
            finished=self._finished,
            lengths=ops.zeros([self._batch_size, self._beam_width], dtype=dtypes.int64),
            accumulated_attention_probs=() if attended is None else attended,
        )
        return self._finished, self._start_inputs, state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        with name_scope(name, "BeamSearchDecoderStep", (time, inputs, state)):
            inputs = nest.map_structure(lambda one: self._merge(one, one.shape[2:]), inputs)
            cell_state = nest.map_structure(self._maybe_merge, state.cell_state, self._cell.state_size)
            outputs, next_state = self._cell(inputs, cell_state)
            outputs = nest.map_structure(lambda one: self._split(one, one.shape[1:]), outputs)
            next_state = nest.map_structure(self._maybe_split, next_state, self._cell.state_size)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            found, beam_state = beam_search_step(
                time=time,
                logits=outputs,
                next_cell_state=next_state,
                beam_state=state,
                batch_size=self._batch_size,
                beam_width=self._beam_width,
                end_token=self._end_token,
                length_penalty_weight=self._length_weight,
                coverage_penalty_weight=self._coverage_weight,
            )
            following = cond(
                ops.reduce_all(beam_state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(found.predicted_ids),
            )
        return found, beam_state, following, beam_state.finished

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """The words of the beams, in order: `predicted_ids`, [time, batch, beams]."""
        longest = ops.cast(ops.reduce_max(final_state.lengths, axis=1), dtypes.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        if self._reorder:
            final_state = final_state._replace(
                cell_state=nest.map_structure(
                    lambda part: self._sorted(part, outputs.parent_ids, final_state.lengths), final_state.cell_state
                )
            )
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    # -- batch and beams: one axis for the cell, two for the search ---------------------------------------------------

    def _merge(self, t: Any, size: Any) -> Tensor:
        size = _as_shape(size)
        shape = ops.shape(t)
        batch = static(self._batch_size)
        both = None if batch is None else batch * self._beam_width
        result: Tensor = ops.reshape(t, ops.concat(([self._batch_size * self._beam_width], shape[2:]), 0))
        result.set_shape(TensorShape([both]).concatenate(size))
        return result

    def _split(self, t: Any, size: Any) -> Tensor:
        size = _as_shape(size)
        shape = ops.shape(t)
        result: Tensor = ops.reshape(t, ops.concat(([self._batch_size, self._beam_width], shape[1:]), 0))
        expected = TensorShape([static(self._batch_size), self._beam_width]).concatenate(size)
        if not result.shape.is_compatible_with(expected):
            raise ValueError(
                "Unexpected behavior when reshaping between beam width and batch size.  The reshaped tensor has shape: "
                f"{result.shape}.  We expected it to have shape (batch_size, beam_width, depth) == {expected}.  "
                "Perhaps you forgot to create a zero_state with batch_size=encoder_batch_size * beam_width?"
            )
        result.set_shape(expected)
        return result

    def _maybe_split(self, t: Any, size: Any) -> Any:
        if isinstance(t, TensorArray):
            return t
        check_rank(t)
        return self._split(t, size) if t.shape.ndims >= 1 else t

    def _maybe_merge(self, t: Any, size: Any) -> Any:
        if isinstance(t, TensorArray):
            return t
        check_rank(t)
        return self._merge(t, size) if t.shape.ndims >= 2 else t

    def _sorted(self, t: Any, parent_ids: Any, lengths: Any) -> Any:
        """An array of the state, stacked and in the order of the final beams; anything else as it is."""
        if not isinstance(t, TensorArray):
            return t
        shape = t.element_shape
        batch, width = static(self._batch_size), self._beam_width
        if shape.ndims is None or shape.ndims < 1:
            logging.warning(
                "The TensorArray %s in the cell state is not amenable to sorting based on the beam search result. For "
                "a TensorArray to be sorted, its elements shape must be defined and have at least a rank of 1, but "
                "saw shape: %s",
                t.handle.name,
                shape,
            )
            return t
        first = shape.as_list()[0]
        second = shape.as_list()[1] if shape.ndims > 1 else None
        apart = second is not None and (first, second) != (batch, width)
        if batch is not None and first is not None and (first != batch * width or apart):
            logging.warning(
                "TensorArray reordering expects elements to be reshapable to %s which is incompatible with the current "
                "shape %s. Consider setting reorder_tensor_arrays to False to disable TensorArray reordering during "
                "the beam search.",
                TensorShape([batch, width, None]),
                shape,
            )
            return t
        stacked = t.stack()
        with control_dependencies([_check_beams(stacked, self._batch_size, width)]):
            return gather_tree_from_array(stacked, parent_ids, lengths)


def _check_beams(t: Tensor, batch_size: Any, beam_width: int) -> Any:
    message = (
        "TensorArray reordering expects elements to be reshapable to [batch_size, beam_size, -1] which is incompatible "
        "with the dynamic shape. Consider setting reorder_tensor_arrays to False to disable TensorArray reordering "
        "during the beam search."
    )
    rank = t.shape.ndims
    shape = ops.shape(t)
    merged = ops.equal(shape[1], batch_size * beam_width)
    if rank == 2:
        return Assert(merged, [message])
    apart = ops.logical_and(ops.equal(shape[1], batch_size), ops.equal(shape[2], beam_width))
    return Assert(ops.logical_or(merged, apart), [message])


def _as_shape(size: Any) -> TensorShape:
    if isinstance(size, Tensor):
        found = static(size)
        return TensorShape([found]) if size.shape.ndims == 0 else TensorShape(None)
    return TensorShape([size] if isinstance(size, int) else size)
