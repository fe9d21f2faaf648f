"""Decoders, and encoders with decoders, of sequences that are lists of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from tfbench.contrib.rnn.wrappers import EmbeddingWrapper, OutputProjectionWrapper
from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.ops.control_flow import cond
from tfbench.nn.embedding import embedding_lookup
from tfbench.nn.linear import xw_plus_b
from tfbench.nn.recurrent.static import static_rnn
from tfbench.variable_scope import get_variable, get_variable_scope, variable_scope

#: makes the next input out of an output and the number of the step
Loop = Callable[[Any, int], Any]


def rnn_decoder(
    decoder_inputs: Iterable[Any], initial_state: Any, cell: Any, loop_function: Loop | None = None, scope: Any = None
) -> tuple[list[Any], Any]:
    """(outputs, state) of a cell that goes through the inputs, or, from the second on, through what `loop_function` "
    "gives."""
    with variable_scope(scope or "rnn_decoder"):
        state = initial_state
        outputs: list[Any] = []
        for step, given in enumerate(decoder_inputs):
            if loop_function is not None and outputs:
                with variable_scope("loop_function", reuse=True):
                    given = loop_function(outputs[-1], step)
            if step > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: list[Any], decoder_inputs: list[Any], cell: Any, dtype: Any = dtypes.float32, scope: Any = None
) -> tuple[list[Any], Any]:
    """An encoder, and a decoder of another cell of the same kind that begins where it ended."""
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: Any,
    loop_function: Loop | None = None,
    dtype: Any = dtypes.float32,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder and a decoder with the same variables."""
    with variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def feeding_back(embedding: Any, output_projection: Any = None, update_embedding: bool = True) -> Loop:
    """The function that makes the embedding of the likeliest symbol out of an output."""

    def next_input(output: Any, _: int) -> Any:
        if output_projection is not None:
            output = xw_plus_b(output, output_projection[0], output_projection[1])
        found = embedding_lookup(embedding, ops.argmax(output, 1))
        return found if update_embedding else ops.stop_gradient(found)

    return next_input


def check_projection(output_projection: Any, dtype: Any, num_symbols: int) -> None:
    """Refuses a projection of another size."""
    if output_projection is not None:
        weights = convert_to_tensor(output_projection[0], dtype=dtype)
        weights.get_shape().assert_is_compatible_with([None, num_symbols])
        biases = convert_to_tensor(output_projection[1], dtype=dtype)
        biases.get_shape().assert_is_compatible_with([num_symbols])


def either(feed_previous: Any, steps: int, decode: Callable[[bool], tuple[list[Any], Any]], like: Any) -> Any:
    """What a decoder gives with or without feeding back, as a tensor decides in the run. Its state is like `like`."""

    def flat(back: bool) -> list[Any]:
        with variable_scope(get_variable_scope(), reuse=None if back else True):
            outputs, state = decode(back)
            return outputs + (nest.flatten(state) if nest.is_nested(state) else [state])

    found = cond(feed_previous, lambda: flat(True), lambda: flat(False))
    rest = found[steps:]
    state = nest.pack_sequence_as(like, rest) if nest.is_nested(like) else rest[0]
    return found[:steps], state


def embedding_rnn_decoder(
    decoder_inputs: Iterable[Any],
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`rnn_decoder` of symbols, which are embedded.

    Args:
      output_projection: weights and biases from outputs to symbols, for `feed_previous`.
      feed_previous: only the first input is looked at; each next one is the likeliest symbol of the output before.
      update_embedding_for_previous: whether gradients go into the embeddings of these.
    """
    with variable_scope(scope or "embedding_rnn_decoder") as opened:
        check_projection(output_projection, opened.dtype, num_symbols)
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        back = feeding_back(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        embedded = (embedding_lookup(embedding, one) for one in decoder_inputs)
        return rnn_decoder(embedded, initial_state, cell, loop_function=back)


def embedding_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """From symbols to symbols. `feed_previous` may be a bool tensor."""
    with variable_scope(scope or "embedding_rnn_seq2seq") as opened:
        if dtype is not None:
            opened.set_dtype(dtype)
        else:
            dtype = opened.dtype
        encoder = EmbeddingWrapper(deepcopy(cell), embedding_classes=num_encoder_symbols, embedding_size=embedding_size)
        _, encoded = static_rnn(encoder, encoder_inputs, dtype=dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(back: bool, update: bool = False) -> tuple[list[Any], Any]:
            return embedding_rnn_decoder(
                decoder_inputs,
                encoded,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=back,
                update_embedding_for_previous=update,
            )

        if isinstance(feed_previous, bool):
            return decode(feed_previous, True)
        found: tuple[list[Any], Any] = either(feed_previous, len(decoder_inputs), decode, encoded)
        return found


def embedding_tied_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: int | None = None,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """From symbols to symbols of the same kind: one embedding and one cell for both sides."""
    with variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as opened:
        dtype = opened.dtype
        check_projection(output_projection, dtype, num_symbols)
        embedding = get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        ins = [embedding_lookup(embedding, one) for one in encoder_inputs]
        outs = [embedding_lookup(embedding, one) for one in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(back: bool, update: bool = False) -> tuple[list[Any], Any]:
            loop = feeding_back(embedding, output_projection, update) if back else None
            return tied_rnn_seq2seq(ins, outs, cell, loop_function=loop, dtype=dtype)

        if isinstance(feed_previous, bool):
            return decode(feed_previous, True)
        outputs, state = either(feed_previous, len(decoder_inputs), decode, nest.flatten(cell.state_size))
        # The form of the state is that of a first one.
        size: Any = encoder_inputs[0].get_shape()[0]
        for one in encoder_inputs[1:]:
            size.merge_with(one.get_shape()[0])
        batch = size.value if size.value is not None else ops.shape(encoder_inputs[0])[0]
        zero = cell.zero_state(batch, dtype)
        return outputs, nest.pack_sequence_as(zero, state) if nest.is_nested(zero) else state[0]


def one2many_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs_dict: dict[Any, list[Any]],
    enc_cell: Any,
    dec_cells_dict: dict[Any, Any],
    num_encoder_symbols: int,
    num_decoder_symbols_dict: dict[Any, int],
    embedding_size: int,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """One encoder and several decoders, by name."""
    outputs_dict, state_dict = {}, {}
    with variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as opened:
        dtype = opened.dtype
        encoder = EmbeddingWrapper(enc_cell, embedding_classes=num_encoder_symbols, embedding_size=embedding_size)
        _, encoded = static_rnn(encoder, encoder_inputs, dtype=dtype)
        for name, decoder_inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with variable_scope(f"one2many_decoder_{name}"):
                cell = OutputProjectionWrapper(dec_cells_dict[name], symbols)

                decode = _decoding(decoder_inputs, encoded, cell, symbols, embedding_size)
                if isinstance(feed_previous, bool):
                    outputs_dict[name], state_dict[name] = decode(feed_previous)
                else:
                    found = either(feed_previous, len(decoder_inputs), decode, encoded)
                    outputs_dict[name], state_dict[name] = found
    return outputs_dict, state_dict


def _decoding(
    decoder_inputs: list[Any], state: Any, cell: Any, symbols: int, embedding_size: int
) -> Callable[[bool], tuple[list[Any], Any]]:
    def decode(back: bool) -> tuple[list[Any], Any]:
        return embedding_rnn_decoder(decoder_inputs, state, cell, symbols, embedding_size, feed_previous=back)

    return decode
