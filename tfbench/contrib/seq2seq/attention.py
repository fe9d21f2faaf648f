"""Attention mechanisms: how well a query fits each step of a memory, as weights that sum to one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.contrib.seq2seq.monotonic import monotonic_probabilities
from tfbench.engine import dtypes, nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.asserts import assert_positive
from tfbench.engine.tensor import Tensor
from tfbench.initializers import constant_initializer, ones_initializer, zeros_initializer
from tfbench.layers.base import Layer
from tfbench.layers.core import Dense
from tfbench.nn.recurrent.shapes import zero_state
from tfbench.variable_scope import get_variable, variable_scope


class AttentionMechanism:
    """What `AttentionWrapper` calls. `alignments` are the weights of the memory's steps, [batch, steps]."""

    @property
    def alignments_size(self) -> Any:
        """The number of the memory's steps."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """The sizes of the mechanism's own state."""
        raise NotImplementedError


def _prepared(memory: Any, lengths: Any, check_inner: bool) -> Any:
    """The memory, zero past the lengths of its sequences."""
    memory = nest.map_structure(lambda one: convert_to_tensor(one, name="memory"), memory)
    if lengths is not None:
        lengths = convert_to_tensor(lengths, name="memory_sequence_length")
    if check_inner:
        for one in nest.flatten(memory):
            if not one.get_shape()[2:].is_fully_defined():
                raise ValueError(
                    f"Expected memory {one.name} to have fully defined inner dims, but saw shape: {one.get_shape()}"
                )
    if lengths is None:
        return memory
    first = nest.flatten(memory)[0]
    mask = ops.sequence_mask(lengths, maxlen=ops.shape(first)[1], dtype=first.dtype)

    def masked(one: Tensor) -> Tensor:
        rank = one.get_shape().ndims
        more: Any = ops.rank(one) if rank is None else rank
        ones = ops.ones(more - 2, dtype=dtypes.int32)
        stretched = ops.reshape(mask, ops.concat((ops.shape(mask), ones), 0))
        found: Tensor = one * stretched
        return found

    return nest.map_structure(masked, memory)


def _masked_score(score: Tensor, lengths: Any, value: Any) -> Tensor:
    """Scores with `value` past the lengths of the memory's sequences."""
    if lengths is None:
        return score
    message = "All values in memory_sequence_length must greater than zero."
    with control_dependencies([assert_positive(lengths, message=message)]):
        mask = ops.sequence_mask(lengths, maxlen=ops.shape(score)[1])
        values = value * ops.ones_like(score)
        found: Tensor = ops.where(mask, score, values)
        return found


class _BaseAttentionMechanism(AttentionMechanism):
    """The memory as keys, which queries are compared with, and values, which are averaged."""

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        probability_fn: Callable[..., Any],
        memory_sequence_length: Any = None,
        memory_layer: Any = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: Any = None,
        custom_key_value_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        for what, layer in (("query_layer", query_layer), ("memory_layer", memory_layer)):
            if layer is not None and not isinstance(layer, Layer):
                raise TypeError(f"{what} is not a Layer: {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype if memory_layer is not None else None
        if score_mask_value is None:
            score_mask_value = as_dtype(self.dtype).as_numpy_dtype(-np.inf)
        self._probability_fn: Callable[..., Any] = lambda score, previous: probability_fn(
            _masked_score(score, memory_sequence_length, score_mask_value), previous
        )
        with name_scope(name, "BaseAttentionMechanismInit", nest.flatten(memory)):
            self._values = _prepared(memory, memory_sequence_length, check_inner_dims_defined)
            self._keys = self._values if memory_layer is None else memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            sizes = self._keys.shape.as_list()
            self._batch_size = sizes[0] or ops.shape(self._keys)[0]
            self._alignments_size = sizes[1] or ops.shape(self._keys)[1]

    @property
    def memory_layer(self) -> Any:
        """The layer that makes keys of the memory."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """The layer that queries go through."""
        return self._query_layer

    @property
    def values(self) -> Any:
        """What is averaged: the memory."""
        return self._values

    @property
    def keys(self) -> Any:
        """What queries are compared with."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """The number of sequences in the memory."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """The weights before the first step: zeros."""
        return zero_state(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """The state before the first step."""
        return self.initial_alignments(batch_size, dtype)

    def _weights(self, score: Tensor, state: Any) -> tuple[Tensor, Any]:
        """The weights, which are the next state, too."""
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def _luong_score(query: Tensor, keys: Tensor, scale: Any) -> Tensor:
    depth, units = query.get_shape()[-1], keys.get_shape()[-1]
    if depth != units:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys.  "
            f"Query ({query}) has units: {depth}.  Keys ({keys}) have units: {units}.  "
            f"Perhaps you need to set num_units to the keys' dimension ({units})?"
        )
    score = ops.squeeze(ops.matmul(ops.expand_dims(query, 1), keys, transpose_b=True), [1])
    found: Tensor = score if scale is None else scale * score
    return found


def _bahdanau_score(query: Tensor, keys: Tensor, v: Any, g: Any = None, b: Any = None) -> Tensor:
    query = ops.expand_dims(query, 1)
    if g is not None and b is not None:
        v = g * v * ops.rsqrt(ops.reduce_sum(ops.square(v)))
        return ops.reduce_sum(v * ops.tanh(keys + query + b), [2])
    return ops.reduce_sum(v * ops.tanh(keys + query), [2])


def _softmax_or(probability_fn: Callable[..., Any] | None) -> Callable[..., Any]:
    chosen = ops.nn_softmax.softmax if probability_fn is None else probability_fn
    return lambda score, _: chosen(score)


def _dense(num_units: int, name: str, dtype: Any) -> Dense:
    return Dense(num_units, name=name, use_bias=False, dtype=dtype)


class LuongAttention(_BaseAttentionMechanism):
    """Multiplicative attention: the product of query and key.

    Args:
      num_units: the size of queries and keys.
      memory: [batch, steps, ...], usually the outputs of an encoder.
      memory_sequence_length: how many steps of each sequence count.
      scale: whether scores are multiplied with a variable.
      probability_fn: makes weights of scores. Default: softmax.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Callable[..., Any] | None = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Callable[..., Any] | None = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=_dense(num_units, "memory_layer", dtype or dtypes.float32),
            memory=memory,
            probability_fn=_softmax_or(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units, self._scale, self._name = num_units, scale, name

    def __call__(self, query: Any, state: Any) -> tuple[Tensor, Any]:
        """The weights for `query`, and the next state."""
        with variable_scope(None, "luong_attention", [query]):
            g = None
            if self._scale:
                g = get_variable("attention_g", dtype=query.dtype, initializer=ones_initializer(), shape=())
            score = _luong_score(query, self._keys, g)
        return self._weights(score, state)


class BahdanauAttention(_BaseAttentionMechanism):
    """Additive attention: a weighted sum over the tanh of query plus key.

    Args:
      num_units: the size of queries and keys after their layers.
      memory, memory_sequence_length, probability_fn: as for `LuongAttention`.
      normalize: whether the weights of the sum are normalised, with a gain and a bias.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Callable[..., Any] | None = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Callable[..., Any] | None = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            query_layer=_dense(num_units, "query_layer", dtype or dtypes.float32),
            memory_layer=_dense(num_units, "memory_layer", dtype or dtypes.float32),
            memory=memory,
            probability_fn=_softmax_or(probability_fn),
            custom_key_value_fn=custom_key_value_fn,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._normalize, self._name = num_units, normalize, name

    def __call__(self, query: Any, state: Any) -> tuple[Tensor, Any]:
        """The weights for `query`, and the next state."""
        with variable_scope(None, "bahdanau_attention", [query]):
            processed = query if self._query_layer is None else self._query_layer(query)
            v, g, b = _bahdanau_variables(self._num_units, self._normalize, query.dtype)
            score = _bahdanau_score(processed, self._keys, v, g, b)
        return self._weights(score, state)


def _bahdanau_variables(num_units: int, normalize: bool, dtype: Any) -> tuple[Any, Any, Any]:
    v = get_variable("attention_v", [num_units], dtype=dtype)
    if not normalize:
        return v, None, None
    gain = constant_initializer(math.sqrt(1.0 / num_units))
    g = get_variable("attention_g", dtype=dtype, initializer=gain, shape=())
    b = get_variable("attention_b", [num_units], dtype=dtype, initializer=zeros_initializer())
    return v, g, b


class _Monotonic(_BaseAttentionMechanism):
    """Attention that never goes back: it begins at the first step."""

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        return ops.one_hot(ops.zeros((batch_size,), dtype=dtypes.int32), self._alignments_size, dtype=dtype)


class BahdanauMonotonicAttention(_Monotonic):
    """Additive attention that never goes back.

    Args:
      sigmoid_noise: how much noise scores get while training; score_bias_init: where the bias of scores begins.
      mode: 'recursive', 'parallel' or 'hard': how weights are computed (see `monotonic_attention`).
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: Any = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=_dense(num_units, "query_layer", dtype or dtypes.float32),
            memory_layer=_dense(num_units, "memory_layer", dtype or dtypes.float32),
            memory=memory,
            probability_fn=monotonic_probabilities(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._normalize, self._name = num_units, normalize, name
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> tuple[Tensor, Any]:
        """The weights for `query`, and the next state."""
        with variable_scope(None, "bahdanau_monotonic_attention", [query]):
            processed = query if self._query_layer is None else self._query_layer(query)
            v, g, b = _bahdanau_variables(self._num_units, self._normalize, query.dtype)
            score = _bahdanau_score(processed, self._keys, v, g, b)
            score += _score_bias(query.dtype, self._score_bias_init)
        return self._weights(score, state)


class LuongMonotonicAttention(_Monotonic):
    """Multiplicative attention that never goes back; arguments as for the others."""

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: Any = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=_dense(num_units, "memory_layer", dtype or dtypes.float32),
            memory=memory,
            probability_fn=monotonic_probabilities(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._scale, self._name = num_units, scale, name
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> tuple[Tensor, Any]:
        """The weights for `query`, and the next state."""
        with variable_scope(None, "luong_monotonic_attention", [query]):
            g = None
            if self._scale:
                g = get_variable("attention_g", dtype=query.dtype, initializer=ones_initializer(), shape=())
            score = _luong_score(query, self._keys, g)
            score += _score_bias(query.dtype, self._score_bias_init)
        return self._weights(score, state)


def _score_bias(dtype: Any, start: float) -> Any:
    return get_variable("attention_score_bias", dtype=dtype, initializer=start)
