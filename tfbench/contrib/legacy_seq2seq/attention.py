"""Decoders that attend to the encoder's outputs (Vinyals et al., 2014: Grammar as a foreign language)."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tfbench.contrib.legacy_seq2seq.decoders import Loop, either, feeding_back
from tfbench.contrib.rnn.wrappers import EmbeddingWrapper, OutputProjectionWrapper
from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.ops.base import constant
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.ops.nn_softmax import softmax
from tfbench.initializers import constant_initializer
from tfbench.nn.convolution import conv2d
from tfbench.nn.embedding import embedding_lookup
from tfbench.nn.recurrent.static import static_rnn
from tfbench.variable_scope import get_variable, get_variable_scope, variable_scope


def _linear(args: Any, size: Any) -> Any:
    """A linear map of one or more matrices side by side, with the variables `kernel` and `bias` of the open scope."""
    given = list(args) if isinstance(args, (list, tuple)) else [args]
    widths = [one.get_shape().as_list()[1] for one in given]
    dtype = given[0].dtype
    with variable_scope(get_variable_scope()) as outer:
        kernel = get_variable("kernel", [sum(widths), size], dtype=dtype)
        with variable_scope(outer) as inner:
            inner.set_partitioner(None)
            bias = get_variable("bias", [size], dtype=dtype, initializer=constant_initializer(0.0, dtype=dtype))
    joined = given[0] if len(given) == 1 else ops.concat(given, constant(1, dtype=dtypes.int32))
    return bias_add(ops.matmul(joined, kernel), bias)


class _Attention:
    """Reads what the encoder gave, as often as there are heads, in proportion to how well it answers a query."""

    def __init__(self, states: Any, heads: int, dtype: Any) -> None:
        self.length = states.get_shape().as_list()[1] or ops.shape(states)[1]
        self.size: int = states.get_shape().as_list()[2]
        self.dtype = dtype
        self.hidden = ops.reshape(states, [-1, self.length, 1, self.size])
        self.features, self.vectors = [], []
        for head in range(heads):
            kernel = get_variable(f"AttnW_{head}", [1, 1, self.size, self.size], dtype=dtype)
            self.features.append(conv2d(self.hidden, kernel, [1, 1, 1, 1], "SAME"))
            self.vectors.append(get_variable(f"AttnV_{head}", [self.size], dtype=dtype))

    def read(self, query: Any) -> list[Any]:
        """What each head reads, [batch, size]."""
        if nest.is_nested(query):
            parts = nest.flatten(query)
            for part in parts:
                if part.get_shape().ndims not in (None, 2):
                    raise ValueError(f"The state of the cell has to be matrices, found {part.get_shape()}.")
            query = ops.concat(parts, 1)
        found = []
        for head, (features, vector) in enumerate(zip(self.features, self.vectors)):
            with variable_scope(f"Attention_{head}"):
                asked = ops.reshape(_linear(query, self.size), [-1, 1, 1, self.size])
                asked = ops.cast(asked, self.dtype)
                scores = ops.reduce_sum(vector * ops.tanh(features + asked), [2, 3])
                shares = ops.cast(softmax(ops.cast(scores, dtype=dtypes.float32)), self.dtype)
                seen = ops.reduce_sum(ops.reshape(shares, [-1, self.length, 1, 1]) * self.hidden, [1, 2])
                found.append(ops.reshape(seen, [-1, self.size]))
        return found


def attention_decoder(
    decoder_inputs: list[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: Any = None,
    num_heads: int = 1,
    loop_function: Loop | None = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """(outputs, state) of a cell that sees, besides its input, what attention read of `attention_states`.

    Args:
      attention_states: [batch, length, size].
      output_size: of the outputs; default: the cell's.
      num_heads: how many attentions.
      loop_function: makes the next input out of an output.
      initial_state_attention: read with the first state, too, instead of beginning with zeros.

    Raises:
      ValueError: if there is no input or no head, or a size is not known.
    """
    if not decoder_inputs:
        raise ValueError("An attention decoder needs at least 1 input; decoder_inputs is empty.")
    if num_heads < 1:
        raise ValueError(f"num_heads is {num_heads}: it must be 1 or more; without attention use rnn_decoder.")
    if attention_states.get_shape().as_list()[2] is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.get_shape()}")
    size = cell.output_size if output_size is None else output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype) as opened:
        dtype = opened.dtype
        batch = ops.shape(decoder_inputs[0])[0]
        attention = _Attention(attention_states, num_heads, dtype)
        state = initial_state
        zeros_shape = ops.stack([batch, attention.size])
        seen = [ops.zeros(zeros_shape, dtype=dtype) for _ in range(num_heads)]
        for one in seen:
            one.set_shape([None, attention.size])
        if initial_state_attention:
            seen = attention.read(initial_state)
        outputs: list[Any] = []
        for step, given in enumerate(decoder_inputs):
            if step > 0:
                get_variable_scope().reuse_variables()
            if loop_function is not None and outputs:
                with variable_scope("loop_function", reuse=True):
                    given = loop_function(outputs[-1], step)
            width = given.get_shape().with_rank(2)[1]
            if width.value is None:
                raise ValueError(f"Could not infer input size from input: {given.name}")
            output, state = cell(_linear([ops.cast(one, dtype) for one in [given, *seen]], width), state)
            if step == 0 and initial_state_attention:
                with variable_scope(get_variable_scope(), reuse=True):
                    seen = attention.read(state)
            else:
                seen = attention.read(state)
            with variable_scope("AttnOutputProjection"):
                outputs.append(_linear([ops.cast(output, dtype), *seen], size))
    return outputs, state


def embedding_attention_decoder(
    decoder_inputs: list[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: Any = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """`attention_decoder` of symbols, which are embedded; `embedding_rnn_decoder` says what the arguments mean."""
    size = cell.output_size if output_size is None else output_size
    if output_projection is not None:
        biases = convert_to_tensor(output_projection[1], dtype=dtype)
        biases.get_shape().assert_is_compatible_with([num_symbols])
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        back = feeding_back(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        return attention_decoder(
            [embedding_lookup(embedding, one) for one in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=size,
            num_heads=num_heads,
            loop_function=back,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """From symbols to symbols with attention. `feed_previous` may be a bool tensor."""
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as opened:
        dtype = opened.dtype
        encoder = EmbeddingWrapper(deepcopy(cell), embedding_classes=num_encoder_symbols, embedding_size=embedding_size)
        encoded, state = static_rnn(encoder, encoder_inputs, dtype=dtype)
        attention_states = ops.concat([ops.reshape(one, [-1, 1, cell.output_size]) for one in encoded], 1)
        size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            size = num_decoder_symbols

        def decode(back: bool, update: bool = False) -> tuple[list[Any], Any]:
            return embedding_attention_decoder(
                decoder_inputs,
                state,
                attention_states,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=size,
                output_projection=output_projection,
                feed_previous=back,
                update_embedding_for_previous=update,
                initial_state_attention=initial_state_attention,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, True)
        found: tuple[list[Any], Any] = either(feed_previous, len(decoder_inputs), decode, state)
        return found
