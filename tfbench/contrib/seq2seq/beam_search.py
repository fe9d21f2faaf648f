"""One step of a beam search: which words of which beams go on, and what of the state goes with them."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbench.contrib.seq2seq.attention_wrapper import AttentionWrapperState
from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.beams import gather_tree as gather_tree
from tfbench.engine.ops.math_binary import div
from tfbench.engine.ops.math_cast import to_int64
from tfbench.engine.ops.nn_softmax import log_softmax
from tfbench.engine.ops.nn_top import top_k
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor


class BeamSearchDecoderState(NamedTuple):
    """The cell's state, and of each beam its probability, whether it ended, how long it is, and where it attended."""

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


class BeamSearchDecoderOutput(NamedTuple):
    """Of each beam of a step: its score, its word, and the beam of the step before that it goes on."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


def static(tensor: Any) -> int | None:
    """A scalar as a number, where it is known."""
    found = constant_value(tensor) if isinstance(tensor, Tensor) else tensor
    return None if found is None else int(found)


def check_rank(tensor: Any) -> None:
    """ValueError if the rank of a tensor is not known."""
    if tensor.shape.ndims is None:
        raise ValueError(f"Expected tensor ({tensor}) to have known rank, but ndims == None.")


def beam_search_step(
    time: Any,
    logits: Any,
    next_cell_state: Any,
    beam_state: BeamSearchDecoderState,
    batch_size: Any,
    beam_width: int,
    end_token: Any,
    length_penalty_weight: Any,
    coverage_penalty_weight: Any,
) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
    """The best `beam_width` of all words of all beams, [batch, beams, words], and the state that they have then."""
    finished = beam_state.finished
    running = ops.logical_not(finished)
    step_log_probs = _only_end(log_softmax(logits), end_token, finished)
    total = ops.expand_dims(beam_state.log_probs, 2) + step_log_probs
    words = logits.shape.as_list()[-1] or ops.shape(logits)[-1]
    # A beam grows by each word but the end, and not at all where it has ended.
    grows = ops.one_hot(
        indices=ops.fill([batch_size, beam_width], end_token),
        depth=words,
        on_value=to_int64(0),
        off_value=to_int64(1),
        dtype=dtypes.int64,
    )
    grows *= ops.expand_dims(ops.cast(running, dtypes.int64), 2)
    lengths = grows + ops.expand_dims(beam_state.lengths, 2)
    attended = attention_probs(next_cell_state, coverage_penalty_weight)
    if attended is not None:
        attended *= ops.expand_dims(ops.cast(running, dtypes.float32), 2)
        attended = beam_state.accumulated_attention_probs + attended
    scores = _scores(total, lengths, length_penalty_weight, coverage_penalty_weight, finished, attended)
    flat = ops.reshape(scores, [batch_size, -1])
    best, places = top_k(flat, k=convert_to_tensor(beam_width, dtype=dtypes.int32, name="beam_width"))
    for found in (best, places):
        found.set_shape([static(batch_size), beam_width])
    log_probs = gather_beams(
        places, total, batch_size, range_size=beam_width * words, gather_shape=[-1], name="next_beam_probs"
    )
    ids = ops.cast(ops.mod(places, words, name="next_beam_word_ids"), dtypes.int32)
    parents = ops.cast(places / words, dtypes.int32, name="next_beam_parent_ids")

    def of_parents(tensor: Any) -> Tensor:
        return gather_beams(parents, tensor, batch_size, range_size=beam_width, gather_shape=[-1])

    finished = of_parents(finished)
    next_finished = ops.logical_or(finished, ops.equal(ids, end_token), name="next_beam_finished")
    added = ops.cast(ops.logical_not(finished), dtypes.int64)
    next_lengths = of_parents(beam_state.lengths) + added
    next_attended: Any = ()
    if attended is not None:
        next_attended = gather_beams(
            parents, attended, batch_size, range_size=beam_width, gather_shape=[batch_size * beam_width, -1],
            name="next_accumulated_attention_probs",
        )  # fmt: skip
    next_cell_state = nest.map_structure(lambda part: _gathered(parents, part, batch_size, beam_width), next_cell_state)
    state = BeamSearchDecoderState(next_cell_state, log_probs, next_finished, next_lengths, next_attended)
    return BeamSearchDecoderOutput(best, ids, parents), state


def _only_end(probs: Tensor, end_token: Any, finished: Tensor) -> Tensor:
    """Log probabilities where a beam that ended can only go on with the end."""
    words = ops.shape(probs)[2]
    row = ops.one_hot(
        end_token,
        words,
        dtype=probs.dtype,
        on_value=convert_to_tensor(0.0, dtype=probs.dtype),
        off_value=probs.dtype.min,
    )
    rows = ops.tile(ops.reshape(row, [1, 1, -1]), ops.concat([ops.shape(finished), [1]], 0))
    mask = ops.tile(ops.expand_dims(finished, 2), [1, 1, words])
    found: Tensor = ops.where(mask, rows, probs)
    return found


def _scores(
    log_probs: Tensor, lengths: Tensor, length_weight: Any, coverage_weight: Any, finished: Tensor, attended: Any
) -> Tensor:
    """Log probabilities that were divided by a power of the length, less what was never attended to."""
    penalty = _length_penalty(lengths, length_weight)
    scores: Tensor = log_probs / ops.cast(penalty, log_probs.dtype)
    coverage_weight = convert_to_tensor(coverage_weight, name="coverage_penalty_weight")
    if coverage_weight.shape.ndims != 0:
        raise ValueError(f"coverage_penalty_weight should be a scalar, but saw shape: {coverage_weight.shape}")
    if constant_value(coverage_weight) == 0.0:
        return scores
    if attended is None:
        raise ValueError("accumulated_attention_probs can be None only if coverage penalty is disabled.")
    # What was never attended to counts as if it had been: the logarithm of 0 would decide everything.
    attended = ops.where(ops.equal(attended, 0.0), ops.ones_like(attended), attended)
    coverage = ops.reduce_sum(ops.log(ops.minimum(attended, 1.0)), 2)
    coverage *= ops.cast(finished, dtypes.float32)
    weighted = ops.expand_dims(coverage * coverage_weight, 2)
    return scores + weighted


def _length_penalty(lengths: Tensor, factor: Any) -> Any:
    factor = convert_to_tensor(factor, name="penalty_factor")
    factor.set_shape(())
    known = constant_value(factor)
    if known is not None and known == 0:
        return 1.0
    return div((5.0 + ops.cast(lengths, dtypes.float32)) ** factor, (5.0 + 1.0) ** factor)


def attention_probs(cell_state: Any, coverage_penalty_weight: Any) -> Any:
    """Where the cell attended to; None where nobody asks.

    Raises:
      ValueError: if it does not attend.
    """
    if isinstance(coverage_penalty_weight, (int, float)) and coverage_penalty_weight == 0.0:
        return None
    states = [cell_state] if isinstance(cell_state, AttentionWrapperState) else cell_state
    found = [
        _of_state(state)
        for state in (states if isinstance(states, (list, tuple)) else ())
        if isinstance(state, AttentionWrapperState)
    ]
    if not found:
        raise ValueError("coverage_penalty_weight must be 0.0 if no cell uses attention.")
    return _mean(found)


def _of_state(state: AttentionWrapperState) -> Tensor:
    return _mean(list(state.alignments)) if isinstance(state.alignments, tuple) else state.alignments


def _mean(probs: list[Any]) -> Any:
    if len(probs) == 1:
        return probs[0]
    joined = ops.concat([ops.expand_dims(one, -1) for one in probs], -1)
    return ops.reduce_mean(joined, -1)


def gather_beams(
    indices: Tensor, source: Any, batch_size: Any, range_size: Any, gather_shape: Any, name: str | None = None
) -> Tensor:
    """Of each sequence of the batch the elements of `source`, flattened to `gather_shape`, at its indices."""
    with name_scope(name, "tensor_gather_helper"):
        starts = ops.expand_dims(ops.range(batch_size) * range_size, 1)
        flat = ops.reshape(indices + starts, [-1])
        found = ops.gather(ops.reshape(source, gather_shape), flat)
        rank = 1 + len(gather_shape)
        shape = ops.shape(source)[:rank]
        known = TensorShape([static(batch_size)]).concatenate(source.shape[1:rank])
        result: Tensor = ops.reshape(found, shape, name="output")
        result.set_shape(known)
        return result


def _gathered(parents: Tensor, part: Any, batch_size: Any, beam_width: int) -> Any:
    """A part of the cell's state as the parents had it; what belongs to no beam stays."""
    shape = [batch_size * beam_width, -1]
    if isinstance(part, TensorArray):
        return part
    check_rank(part)
    if part.shape.ndims < len(shape):
        return part
    return gather_beams(parents, part, batch_size, range_size=beam_width, gather_shape=shape)


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """Each element of the batch `multiplier` times, one after the other; of a nest of tensors.

    Raises:
      ValueError: if the rank of a tensor is not known.
    """
    with name_scope(name, "tile_batch", [*nest.flatten(t), multiplier]):
        return nest.map_structure(lambda one: _tiled(one, multiplier), t)


def _tiled(t: Any, multiplier: int) -> Tensor:
    t = convert_to_tensor(t, name="t")
    shape = ops.shape(t)
    if t.shape.ndims is None or t.shape.ndims < 1:
        raise ValueError("t must have statically known rank")
    times = [1, multiplier] + [1] * (t.shape.ndims - 1)
    batch = t.shape.as_list()[0]
    tiled = ops.tile(ops.expand_dims(t, 1), times)
    result: Tensor = ops.reshape(tiled, ops.concat(([shape[0] * multiplier], shape[1:]), 0))
    result.set_shape(TensorShape([None if batch is None else batch * multiplier]).concatenate(t.shape[1:]))
    return result
