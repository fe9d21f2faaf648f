"""Helpers of `BasicDecoder`: what the next step's input is - the right word, or one that the decoder itself chose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.contrib.seq2seq.sampling import bernoulli, categorical
from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.nn.embedding import embedding_lookup
from tfbench.nn.recurrent.shapes import transpose_batch_time


class Helper:
    """What `BasicDecoder` asks: the first inputs, ids drawn from outputs, and the inputs after them."""

    @property
    def batch_size(self) -> Any:
        """How many sequences there are: an int32 scalar."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of an id, without the batch."""
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    def sample_ids_dtype(self) -> Any:
        """The type of ids."""
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    def initialize(self, name: str | None = None) -> Any:
        """(finished, first inputs)."""
        raise NotImplementedError("initialize has not been implemented")

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The ids drawn from a step's outputs."""
        raise NotImplementedError("sample has not been implemented")

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> Any:
        """(finished, next inputs, next state)."""
        raise NotImplementedError("next_inputs has not been implemented")


class _Ids(Helper):
    """One id, an int32, a sequence and step."""

    _batch_size: Any

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def sample_ids_shape(self) -> TensorShape:
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> dtypes.DType:
        return dtypes.int32


class CustomHelper(Helper):
    """A helper made of functions: `initialize_fn()`, `sample_fn(time, outputs, state)` and
    `next_inputs_fn(time, outputs, state, sample_ids)`.
    """

    def __init__(
        self,
        initialize_fn: Callable[..., Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn, self._sample_fn, self._next_inputs_fn = initialize_fn, sample_fn, next_inputs_fn
        self._batch_size: Any = None
        self._sample_ids_shape = TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or dtypes.int32

    @property
    def batch_size(self) -> Any:
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._sample_ids_dtype

    def initialize(self, name: str | None = None) -> Any:
        with name_scope(name, "CustomHelperInitialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = ops.size(finished)
            return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        with name_scope(name, "CustomHelperSample", (time, outputs, state)):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> Any:
        with name_scope(name, "CustomHelperNextInputs", (time, outputs, state)):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


def _in_array(inputs: Any) -> TensorArray:
    """The steps of time-major inputs."""
    made = TensorArray(dtype=inputs.dtype, size=ops.shape(inputs)[0], element_shape=inputs.get_shape()[1:])
    return made.unstack(inputs)


class TrainingHelper(_Ids):
    """Gives the steps of `inputs`, [batch, time, ...], whatever the decoder chose.

    Args:
      sequence_length: a vector; a sequence is finished after so many steps.
      time_major: `inputs` are [time, batch, ...].

    Raises:
      ValueError: if `sequence_length` is no vector.
    """

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None) -> None:
        with name_scope(name, "TrainingHelper", [inputs, sequence_length]):
            inputs = convert_to_tensor(inputs, name="inputs")
            self._inputs = inputs
            if not time_major:
                inputs = nest.map_structure(transpose_batch_time, inputs)
            self._input_tas = nest.map_structure(_in_array, inputs)
            self._sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            shape = self._sequence_length.get_shape()
            if shape.ndims != 1:
                raise ValueError(f"Expected sequence_length to be a vector, but received shape: {shape}")
            self._zero_inputs = nest.map_structure(lambda one: ops.zeros_like(one[0, :]), inputs)
            self._batch_size = ops.size(sequence_length)

    @property
    def inputs(self) -> Any:
        """The inputs as they were given."""
        return self._inputs

    @property
    def sequence_length(self) -> Any:
        """The lengths of the sequences."""
        return self._sequence_length

    def initialize(self, name: str | None = None) -> Any:
        with name_scope(name, "TrainingHelperInitialize"):
            finished = ops.equal(0, self._sequence_length)
            return finished, self._step(ops.reduce_all(finished), 0)

    def _step(self, all_finished: Any, time: Any) -> Any:
        return cond(
            all_finished,
            lambda: self._zero_inputs,
            lambda: nest.map_structure(lambda array: array.read(time), self._input_tas),
        )

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        with name_scope(name, "TrainingHelperSample", [time, outputs]):
            return ops.cast(ops.argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None) -> Any:
        with name_scope(name, "TrainingHelperNextInputs", [time, outputs, state]):
            following = time + 1
            finished = following >= self._sequence_length
            return finished, self._step(ops.reduce_all(finished), following), state


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """As `TrainingHelper`, but with `sampling_probability` the next input is the embedding of an id drawn from the
    outputs.

    Args:
      embedding: a function of ids, or what `tf.nn.embedding_lookup` takes.
      seed, scheduling_seed: of the ids, and of the choice between the two.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: Any = None,
        scheduling_seed: Any = None,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "ScheduledEmbeddingSamplingWrapper", [embedding, sampling_probability]):
            self._embedding_fn = _embedding_function(embedding)
            self._sampling_probability = convert_to_tensor(sampling_probability, name="sampling_probability")
            if self._sampling_probability.get_shape().ndims not in (0, 1):
                raise ValueError(
                    "sampling_probability must be either a scalar or a vector. saw shape: "
                    f"{self._sampling_probability.get_shape()}"
                )
            self._seed, self._scheduling_seed = seed, scheduling_seed
            super().__init__(inputs=inputs, sequence_length=sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        with name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs, state]):
            chosen = bernoulli(self._sampling_probability, self.batch_size, self._scheduling_seed)
            ids = categorical(outputs, self._seed)
            return ops.where(chosen, ids, ops.fill([self.batch_size], -1))

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None) -> Any:
        with name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs, state, sample_ids]):
            finished, base, state = super().next_inputs(time, outputs, state, sample_ids, name=name)

            def mixed() -> Any:
                sampled = ops.cast(ops.where(sample_ids > -1), dtypes.int32)
                given = ops.cast(ops.where(sample_ids <= -1), dtypes.int32)
                ids, kept = ops.gather_nd(sample_ids, sampled), ops.gather_nd(base, given)
                embedded = self._embedding_fn(ids)
                shape = ops.shape(base)
                return ops.scatter_nd(sampled, embedded, shape) + ops.scatter_nd(given, kept, shape)

            return finished, cond(ops.reduce_all(finished), lambda: base, mixed), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """As `TrainingHelper`, but with `sampling_probability` the next input is the output itself.

    Args:
      next_inputs_fn: what makes an input of an output; default: nothing is changed.
      auxiliary_inputs: what is joined to an output that becomes an input, [batch, time, ...].
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: Any = None,
        next_inputs_fn: Callable[..., Any] | None = None,
        auxiliary_inputs: Any = None,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "ScheduledOutputTrainingHelper", [inputs, auxiliary_inputs, sampling_probability]):
            self._sampling_probability = convert_to_tensor(sampling_probability, name="sampling_probability")
            if self._sampling_probability.get_shape().ndims not in (0, 1):
                raise ValueError(
                    "sampling_probability must be either a scalar or a vector. saw shape: "
                    f"{self._sampling_probability.get_shape()}"
                )
            joined = inputs
            if auxiliary_inputs is None:
                self._auxiliary_input_tas: Any = None
            else:
                inputs = convert_to_tensor(inputs, name="inputs")
                auxiliary = convert_to_tensor(auxiliary_inputs, name="auxiliary_inputs")
                joined = nest.map_structure(lambda x, y: ops.concat((x, y), -1), inputs, auxiliary)
                if not time_major:
                    auxiliary = nest.map_structure(transpose_batch_time, auxiliary)
                self._auxiliary_input_tas = nest.map_structure(_in_array, auxiliary)
            self._seed, self._next_inputs_fn = seed, next_inputs_fn
            super().__init__(inputs=joined, sequence_length=sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        with name_scope(name, "ScheduledOutputTrainingHelperSample", [time, outputs, state]):
            return bernoulli(self._sampling_probability, self.batch_size, self._seed, dtypes.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None) -> Any:
        with name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time, outputs, state, sample_ids]):
            finished, base, state = super().next_inputs(time, outputs, state, sample_ids, name=name)
            drawn = ops.cast(sample_ids, dtypes.bool)

            def changed() -> Any:
                given = outputs if self._next_inputs_fn is None else self._next_inputs_fn(outputs)
                if self._auxiliary_input_tas is not None:
                    more = nest.map_structure(lambda array: array.read(time + 1), self._auxiliary_input_tas)
                    given = nest.map_structure(lambda x, y: ops.concat((x, y), -1), given, more)
                return nest.map_structure(lambda new, old: ops.where(drawn, new, old), given, base)

            none = ops.logical_or(ops.reduce_all(finished), ops.logical_not(ops.reduce_any(drawn)))
            return finished, cond(none, lambda: base, changed), state


def _embedding_function(embedding: Any) -> Callable[[Any], Any]:
    if callable(embedding) and not isinstance(embedding, Tensor):
        return embedding
    return lambda ids: embedding_lookup(embedding, ids)


class GreedyEmbeddingHelper(_Ids):
    """The next input is the embedding of the id with the largest output.

    Args:
      embedding: a function of ids, or what `tf.nn.embedding_lookup` takes.
      start_tokens: a vector of the ids to begin with. end_token: the id that ends a sequence.

    Raises:
      ValueError: if `start_tokens` is no vector, or `end_token` no scalar.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedding_fn = _embedding_function(embedding)
        self._start_tokens = convert_to_tensor(start_tokens, dtype=dtypes.int32, name="start_tokens")
        self._end_token = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
        if self._start_tokens.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._batch_size = ops.size(start_tokens)
        if self._end_token.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def initialize(self, name: str | None = None) -> Any:
        return ops.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        if not isinstance(outputs, Tensor):
            raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
        return ops.argmax(outputs, axis=-1, output_type=dtypes.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> Any:
        finished = ops.equal(sample_ids, self._end_token)
        following = cond(ops.reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids))
        return finished, following, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """The next input is the embedding of an id drawn with the probabilities that the outputs, as logits, give.

    Args:
      softmax_temperature: what the outputs are divided by first.
    """

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: float | None = None,
        seed: Any = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        if not isinstance(outputs, Tensor):
            raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
        logits = outputs if self._softmax_temperature is None else outputs / self._softmax_temperature
        return categorical(logits, self._seed)


class InferenceHelper(Helper):
    """A helper whose next input is what `sample_fn` draws from the outputs, changed by `next_inputs_fn`.

    Args:
      end_fn: whether a sequence is finished, from what was drawn.
    """

    def __init__(
        self,
        sample_fn: Callable[..., Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any] | None = None,
    ) -> None:
        self._sample_fn, self._end_fn, self._next_inputs_fn = sample_fn, end_fn, next_inputs_fn
        self._sample_shape, self._sample_dtype = TensorShape(sample_shape), sample_dtype
        self._batch_size = ops.shape(start_inputs)[0]
        self._start_inputs = convert_to_tensor(start_inputs, name="start_inputs")

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return self._sample_shape

    @property
    def sample_ids_dtype(self) -> Any:
        return self._sample_dtype

    def initialize(self, name: str | None = None) -> Any:
        return ops.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        return self._sample_fn(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None) -> Any:
        following = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), following, state
