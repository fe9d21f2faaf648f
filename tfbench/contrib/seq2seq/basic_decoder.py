"""`BasicDecoder`: a cell, and a helper that says what goes in next."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbench.contrib.seq2seq.decoder import Decoder
from tfbench.contrib.seq2seq.helper import Helper
from tfbench.engine import nest
from tfbench.engine.name_scope import name_scope
from tfbench.engine.shapes import TensorShape
from tfbench.layers.base import Layer
from tfbench.nn.recurrent.shapes import check_cell


class BasicDecoderOutput(NamedTuple):
    """The output of a step, and the ids that the helper drew from it."""

    rnn_output: Any
    sample_id: Any


class BasicDecoder(Decoder):
    """Decodes with `cell`; `helper` makes the inputs, and `output_layer`, if there is one, changes the outputs.

    Raises:
      TypeError: if one of them is something else.
    """

    def __init__(self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None) -> None:
        check_cell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._helper, self._initial_state, self._output_layer = cell, helper, initial_state, output_layer

    @property
    def batch_size(self) -> Any:
        return self._helper.batch_size

    def _rnn_output_size(self) -> Any:
        size = self._cell.output_size
        if self._output_layer is None:
            return size
        with_batch = nest.map_structure(lambda one: TensorShape([None]).concatenate(TensorShape(_dims(one))), size)
        found = self._output_layer.compute_output_shape(with_batch)
        return nest.map_structure(lambda shape: shape[1:], found)

    @property
    def output_size(self) -> BasicDecoderOutput:
        return BasicDecoderOutput(self._rnn_output_size(), self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            nest.map_structure(lambda _: dtype, self._rnn_output_size()), self._helper.sample_ids_dtype
        )

    def initialize(self, name: str | None = None) -> Any:
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        with name_scope(name, "BasicDecoderStep", (time, inputs, state)):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), next_state, next_inputs, finished


def _dims(size: Any) -> Any:
    return size if isinstance(size, (TensorShape, list, tuple)) else [size]
