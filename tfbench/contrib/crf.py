"""`tf.contrib.crf`: linear-chain conditional random fields: how likely a sequence of tags is, and the likeliest one.

A sequence's score is the sum of what its tags score one by one (unary) and of the transitions between them (binary).
The normaliser, a sum over all sequences, and the best sequence are both found step by step, by cells that
`tf.nn.dynamic_rnn` runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import dtypes, ops
from tfbench.engine.ops.base import constant
from tfbench.layers.core import smart_cond
from tfbench.nn.recurrent.dynamic import dynamic_rnn
from tfbench.nn.rnn_cell.base import RNNCell
from tfbench.variable_scope import get_variable

__all__ = [
    "CrfDecodeBackwardRnnCell", "CrfDecodeForwardRnnCell", "CrfForwardRnnCell", "crf_binary_score", "crf_decode",
    "crf_log_likelihood", "crf_log_norm", "crf_multitag_sequence_score", "crf_sequence_score", "crf_unary_score",
    "viterbi_decode",
]  # fmt: skip


def _by_steps(inputs: Any, single: Callable[[], Any], several: Callable[[], Any]) -> Any:
    """`single()` where the sequences have one step, else `several()`; decided now if that is known."""
    steps = inputs.get_shape().as_list()[1] or ops.shape(inputs)[1]
    return smart_cond(ops.equal(steps, 1), single, several)


def _without_empty(values: Any, sequence_lengths: Any) -> Any:
    """0 for sequences of length 0."""
    return ops.where(ops.less_equal(sequence_lengths, 0), ops.zeros_like(values), values)


def _less_one(sequence_lengths: Any) -> Any:
    return ops.maximum(constant(0, dtype=sequence_lengths.dtype), sequence_lengths - 1)


def _first_step(inputs: Any) -> Any:
    return ops.squeeze(ops.slice(inputs, [0, 0, 0], [-1, 1, -1]), [1])


def crf_sequence_score(inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """The score of each sequence of tags, [batch].

    Args:
      inputs: what each tag scores, [batch, steps, tags].
      tag_indices: the tags, [batch, steps].
      transition_params: what each transition scores, [tags, tags].
    """

    def single() -> Any:
        count = ops.shape(inputs, out_type=tag_indices.dtype)[0]
        rows = ops.reshape(ops.range(count), [-1, 1])
        scores = ops.gather_nd(ops.squeeze(inputs, [1]), ops.concat([rows, tag_indices], axis=1))
        return _without_empty(scores, sequence_lengths)

    def several() -> Any:
        unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
        binary = crf_binary_score(tag_indices, sequence_lengths, transition_params)
        return unary + binary

    return _by_steps(inputs, single, several)


def crf_multitag_sequence_score(inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """The log of the summed scores of all sequences that `tag_bitmap` ([batch, steps, tags] of bool) allows."""

    def allowed() -> Any:
        return ops.where(tag_bitmap, inputs, ops.fill(ops.shape(inputs), float("-inf")))

    return _by_steps(
        inputs,
        lambda: ops.reduce_logsumexp(allowed(), axis=[1, 2], keepdims=False),
        lambda: crf_log_norm(allowed(), sequence_lengths, transition_params),
    )


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """The log of the normaliser of each sequence: of the summed scores of all sequences of tags."""
    first = _first_step(inputs)

    def single() -> Any:
        return _without_empty(ops.reduce_logsumexp(first, [1]), sequence_lengths)

    def several() -> Any:
        rest = ops.slice(inputs, [0, 1, 0], [-1, -1, -1])
        cell = CrfForwardRnnCell(transition_params)
        _, alphas = dynamic_rnn(
            cell=cell,
            inputs=rest,
            sequence_length=_less_one(sequence_lengths),
            initial_state=first,
            dtype=dtypes.float32,
        )
        return _without_empty(ops.reduce_logsumexp(alphas, [1]), sequence_lengths)

    return _by_steps(inputs, single, several)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[Any, Any]:
    """(log likelihood of each sequence of tags, transition scores); these are a variable 'transitions' unless given."""
    if transition_params is None:
        tags = inputs.get_shape().as_list()[2]
        transition_params = get_variable("transitions", [tags, tags])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    log_norm = crf_log_norm(inputs, sequence_lengths, transition_params)
    return scores - log_norm, transition_params


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """What the tags of each sequence score one by one, [batch]."""
    count, steps, tags = ops.shape(inputs)[0], ops.shape(inputs)[1], ops.shape(inputs)[2]
    flat = ops.reshape(inputs, [-1])
    offsets = ops.expand_dims(ops.range(count) * steps * tags, 1)
    offsets += ops.expand_dims(ops.range(steps) * tags, 0)
    if tag_indices.dtype == dtypes.int64:
        offsets = ops.cast(offsets, dtypes.int64)
    positions = ops.reshape(offsets + tag_indices, [-1])
    scores = ops.reshape(ops.gather(flat, positions), [count, steps])
    masks = ops.sequence_mask(sequence_lengths, maxlen=ops.shape(tag_indices)[1], dtype=dtypes.float32)
    return ops.reduce_sum(scores * masks, 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """What the transitions of each sequence score, [batch]."""
    tags = transition_params.get_shape().as_list()[0]
    transitions = ops.shape(tag_indices)[1] - 1
    starts = ops.slice(tag_indices, [0, 0], [-1, transitions])
    ends = ops.slice(tag_indices, [0, 1], [-1, transitions])
    positions = starts * tags + ends
    scores = ops.gather(ops.reshape(transition_params, [-1]), positions)
    masks = ops.sequence_mask(sequence_lengths, maxlen=ops.shape(tag_indices)[1], dtype=dtypes.float32)
    return ops.reduce_sum(scores * ops.slice(masks, [0, 1], [-1, -1]), 1)


class _StepCell(RNNCell):
    """A cell with the transition scores in it."""

    def __init__(self, transition_params: Any) -> None:
        super().__init__()
        self._transition_params = ops.expand_dims(transition_params, 0)
        self._num_tags = transition_params.get_shape().as_list()[0]

    @property
    def state_size(self) -> Any:
        return self._num_tags

    @property
    def output_size(self) -> Any:
        return self._num_tags

    def _scores(self, state: Any) -> Any:
        """What each way from a tag to a tag scores so far, [batch, from, to]."""
        return ops.expand_dims(state, 2) + self._transition_params


class CrfForwardRnnCell(_StepCell):
    """One step of the sum over all sequences: the state holds, for each tag, the log of the sum of those that end "
    "there."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """(alphas, alphas)."""
        alphas = inputs + ops.reduce_logsumexp(self._scores(state), [1])
        return alphas, alphas


class CrfDecodeForwardRnnCell(_StepCell):
    """One step of the search: for each tag the best score of a sequence that ends there, and the tag before."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """(tags before, scores)."""
        scores = self._scores(state)
        new_state = inputs + ops.reduce_max(scores, [1])
        return ops.cast(ops.argmax(scores, 1), dtypes.int32), new_state


class CrfDecodeBackwardRnnCell(RNNCell):
    """One step back along the tags before."""

    def __init__(self, num_tags: int) -> None:
        super().__init__()
        self._num_tags = num_tags

    @property
    def state_size(self) -> Any:
        return 1

    @property
    def output_size(self) -> Any:
        return 1

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """(tags, tags)."""
        state = ops.squeeze(state, axis=[1])
        rows = ops.range(ops.shape(inputs)[0])
        tags = ops.expand_dims(ops.gather_nd(inputs, ops.stack([rows, state], axis=1)), axis=-1)
        return tags, tags


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[Any], Any]:
    """(the best sequence of tags, its score) of one sequence of NumPy scores, [steps, tags]."""
    best = np.zeros_like(score)
    before = np.zeros_like(score, dtype=np.int32)
    best[0] = score[0]
    for step in range(1, score.shape[0]):
        ways = np.expand_dims(best[step - 1], 1) + transition_params
        best[step] = score[step] + np.max(ways, 0)
        before[step] = np.argmax(ways, 0)
    tags = [np.argmax(best[-1])]
    for pointers in reversed(before[1:]):
        tags.append(pointers[tags[-1]])
    tags.reverse()
    return tags, np.max(best[-1])


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> tuple[Any, Any]:
    """(the best sequences of tags, [batch, steps] of int32; their scores, [batch])."""

    def single() -> Any:
        only = ops.squeeze(potentials, [1])
        tags = ops.expand_dims(ops.argmax(only, axis=1), 1)
        return ops.cast(tags, dtypes.int32), ops.reduce_max(only, axis=1)

    def several() -> Any:
        forward = CrfDecodeForwardRnnCell(transition_params)
        first = _first_step(potentials)
        rest = ops.slice(potentials, [0, 1, 0], [-1, -1, -1])
        lengths = _less_one(sequence_length)
        before, scores = dynamic_rnn(
            forward, inputs=rest, sequence_length=lengths, initial_state=first, time_major=False, dtype=dtypes.int32
        )
        before = ops.reverse_sequence(before, lengths, seq_dim=1)
        backward = CrfDecodeBackwardRnnCell(potentials.get_shape().as_list()[2])
        last = ops.expand_dims(ops.cast(ops.argmax(scores, axis=1), dtypes.int32), axis=-1)
        tags, _ = dynamic_rnn(
            backward, inputs=before, sequence_length=lengths, initial_state=last, time_major=False, dtype=dtypes.int32
        )
        tags = ops.concat([last, ops.squeeze(tags, axis=[2])], axis=1)
        tags = ops.reverse_sequence(tags, sequence_length, seq_dim=1)
        return tags, ops.reduce_max(scores, axis=1)

    found = _by_steps(potentials, single, several)
    return found[0], found[1]
