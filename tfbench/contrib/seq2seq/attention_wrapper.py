"""`AttentionWrapper`: a cell that looks at a memory after each step, and sees what it found at the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tfbench.contrib.seq2seq.attention import AttentionMechanism
from tfbench.engine import dtypes, nest, ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.asserts import assert_equal
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.layers.core import Dense
from tfbench.nn.recurrent.shapes import check_cell, zero_state
from tfbench.nn.rnn_cell.base import RNNCell


class AttentionWrapperState(NamedTuple):
    """The state of the cell, what was found at the last step, how many steps there were, and where it was found."""

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """A copy with other fields; their shapes have to fit those there are."""

        def with_shape(old: Any, new: Any) -> Any:
            if isinstance(old, Tensor) and isinstance(new, Tensor):
                new.set_shape(old.shape)
            return new

        return nest.map_structure(with_shape, self, self._replace(**kwargs))


def _compute_attention(mechanism: Any, cell_output: Any, state: Any, layer: Any) -> tuple[Any, Any, Any]:
    """What was found (after the layer, if there is one), the weights, and the mechanism's next state."""
    alignments, next_state = mechanism(cell_output, state=state)
    context = ops.squeeze(ops.matmul(ops.expand_dims(alignments, 1), mechanism.values), [1])
    if layer is not None:
        return layer(ops.concat([cell_output, context], 1)), alignments, next_state
    return context, alignments, next_state


class AttentionWrapper(RNNCell):
    """`cell` with attention.

    Args:
      attention_mechanism: one, or a list of them.
      attention_layer_size: what a layer makes of the output and what was found; None: no such layer.
      alignment_history: whether the state keeps the weights of all steps.
      cell_input_fn: makes the cell's input of the input and what was found. Default: both, one behind the other.
      output_attention: give what was found and not the cell's output.
      initial_cell_state: what `zero_state` begins with.
      attention_layer: a layer in place of `attention_layer_size`.
      attention_fn: computes what was found; (mechanism, output, state, layer) -> (found, weights, next state).

    Raises:
      TypeError: for arguments of other types. ValueError: for numbers of layers and mechanisms that differ.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Callable[..., Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: Any = None,
        attention_layer: Any = None,
        attention_fn: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(name=name)
        check_cell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = list(attention_mechanism) if self._is_multi else [attention_mechanism]
        for one in mechanisms:
            if not isinstance(one, AttentionMechanism):
                kind = "must contain only instances of AttentionMechanism" if self._is_multi else (
                    "must be an AttentionMechanism or list of multiple AttentionMechanism instances"
                )  # fmt: skip
                raise TypeError(f"attention_mechanism {kind}, saw type: {type(one).__name__}")
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}")
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        self._attention_layers: Any = None
        if attention_layer_size is not None:
            sizes = _list(attention_layer_size)
            _same_number("attention_layer_size", len(sizes), len(mechanisms))
            self._attention_layers = [
                Dense(size, name="attention_layer", use_bias=False, dtype=mechanisms[i].dtype)
                for i, size in enumerate(sizes)
            ]
            self._attention_layer_size: Any = sum(sizes)
        elif attention_layer is not None:
            self._attention_layers = _list(attention_layer)
            _same_number("attention_layer", len(self._attention_layers), len(mechanisms))
            self._attention_layer_size = sum(
                _last(layer.compute_output_shape([None, _last(cell.output_size) + _last(one.values.shape)]))
                for layer, one in zip(self._attention_layers, mechanisms)
            )
        else:
            self._attention_layer_size = sum(_last(one.values.get_shape()) for one in mechanisms)
        self._cell, self._attention_mechanisms = cell, mechanisms
        self._cell_input_fn = cell_input_fn or (lambda inputs, found: ops.concat([inputs, found], -1))
        self._attention_fn = attention_fn or _compute_attention
        self._output_attention, self._alignment_history = output_attention, alignment_history
        with name_scope(name, "AttentionWrapperInit"):
            self._initial_cell_state: Any = None
            if initial_cell_state is not None:
                last = nest.flatten(initial_cell_state)[-1]
                batch = last.shape.as_list()[0] or ops.shape(last)[0]
                message = (
                    f"When constructing AttentionWrapper {self._base_name}: Non-matching batch sizes between the "
                    "memory (encoder output) and initial_cell_state.  Are you using the BeamSearchDecoder?  You may "
                    "need to tile your initial state via the tf.contrib.seq2seq.tile_batch function with argument "
                    "multiple=beam_width."
                )
                with control_dependencies(self._checks(batch, message)):
                    self._initial_cell_state = nest.map_structure(
                        lambda part: ops.identity(part, name="check_initial_cell_state"), initial_cell_state
                    )

    def _checks(self, batch_size: Any, message: str) -> list[Any]:
        return [assert_equal(batch_size, one.batch_size, message=message) for one in self._attention_mechanisms]

    def _one_or_all(self, items: Any) -> Any:
        """A tuple with several mechanisms, else the only item."""
        found = tuple(items)
        return found if self._is_multi else found[0]

    @property
    def output_size(self) -> Any:
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        sizes = [one.alignments_size for one in self._attention_mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._one_or_all(sizes),
            attention_state=self._one_or_all(one.state_size for one in self._attention_mechanisms),
            alignment_history=self._one_or_all(size if self._alignment_history else () for size in sizes),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The state to begin with; `batch_size` has to be that of the memory."""
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.get_initial_state(batch_size=batch_size, dtype=dtype)
            message = (
                f"When calling zero_state of AttentionWrapper {self._base_name}: Non-matching batch sizes between the "
                "memory (encoder output) and the requested batch size.  Are you using the BeamSearchDecoder?  If so, "
                "make sure your encoder output has been tiled to beam_width via tf.contrib.seq2seq.tile_batch, and "
                "the batch_size= argument passed to zero_state is batch_size * beam_width."
            )
            with control_dependencies(self._checks(batch_size, message)):
                cell_state = nest.map_structure(lambda part: ops.identity(part, name="checked_cell_state"), cell_state)
            alignments = [one.initial_alignments(batch_size, dtype) for one in self._attention_mechanisms]
            return AttentionWrapperState(
                cell_state=cell_state,
                time=ops.zeros([], dtype=dtypes.int32),
                attention=zero_state(self._attention_layer_size, batch_size, dtype),
                alignments=self._one_or_all(alignments),
                attention_state=self._one_or_all(
                    one.initial_state(batch_size, dtype) for one in self._attention_mechanisms
                ),
                alignment_history=self._one_or_all(
                    TensorArray(dtype, size=0, dynamic_size=True, element_shape=one.shape)
                    if self._alignment_history
                    else ()
                    for one in alignments
                ),
            )

    def call(self, inputs: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(f"Expected state to be instance of AttentionWrapperState. Received type {type(state)}.")
        cell_output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        batch = cell_output.shape.as_list()[0] or ops.shape(cell_output)[0]
        message = (
            f"When applying AttentionWrapper {self.name}: Non-matching batch sizes between the memory (encoder output) "
            "and the query (decoder output).  Are you using the BeamSearchDecoder?  You may need to tile your memory "
            "input via the tf.contrib.seq2seq.tile_batch function with argument multiple=beam_width."
        )
        with control_dependencies(self._checks(batch, message)):
            cell_output = ops.identity(cell_output, name="checked_cell_output")
        states = state.attention_state if self._is_multi else [state.attention_state]
        history = state.alignment_history if self._is_multi else [state.alignment_history]
        found, alignments, next_states, next_history = [], [], [], []
        for i, mechanism in enumerate(self._attention_mechanisms):
            layer = self._attention_layers[i] if self._attention_layers else None
            attention, weights, following = self._attention_fn(mechanism, cell_output, states[i], layer)
            next_history.append(history[i].write(state.time, weights) if self._alignment_history else ())
            next_states.append(following)
            alignments.append(weights)
            found.append(attention)
        joined = ops.concat(found, 1)
        next_state = AttentionWrapperState(
            time=state.time + 1,
            cell_state=cell_state,
            attention=joined,
            attention_state=self._one_or_all(next_states),
            alignments=self._one_or_all(alignments),
            alignment_history=self._one_or_all(next_history),
        )
        return (joined if self._output_attention else cell_output), next_state


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _same_number(what: str, given: int, wanted: int) -> None:
    if given != wanted:
        raise ValueError(
            f"If provided, {what} must contain exactly one {what.removeprefix('attention_')} per "
            f"attention_mechanism, saw: {given} vs {wanted}"
        )


def _last(size: Any) -> int:
    """The last of sizes; of a tensor, what is known of it."""
    if isinstance(size, Tensor):
        size = constant_value(size)
    if isinstance(size, int):
        return size
    found = TensorShape(size).as_list()[-1]
    if found is None:
        raise ValueError(f"The last of the sizes {size} has to be known.")
    return found
