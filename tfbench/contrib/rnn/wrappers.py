"""Cells around cells that only `tf.contrib.rnn` has: projections of input and output, embeddings of integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfbench import initializers
from tfbench.engine import nest, ops
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.tensor import Tensor
from tfbench.nn.embedding import embedding_lookup
from tfbench.nn.recurrent.shapes import check_cell
from tfbench.nn.rnn_cell.base import RNNCell
from tfbench.variable_scope import get_variable, get_variable_scope, variable_scope


class _Around(RNNCell):
    """What the three have in common: a cell inside, whose first state is theirs."""

    def __init__(self, cell: Any, reuse: Any) -> None:
        super().__init__(_reuse=reuse)
        check_cell("cell", cell)
        self._cell = cell

    def _trackable_children(self) -> dict[str, Any]:
        return {"cell": self._cell, **super()._trackable_children()}

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The first state of the cell inside."""
        with name_scope(f"{type(self).__name__}ZeroState"):
            return self._cell.zero_state(batch_size, dtype)


class OutputProjectionWrapper(_Around):
    """A cell whose output goes through a linear map to `output_size` numbers (and `activation`)."""

    def __init__(
        self, cell: Any, output_size: int, activation: Callable[[Any], Any] | None = None, reuse: Any = None
    ) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size
        self._activation = activation

    @property
    def output_size(self) -> Any:
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        output, new_state = self._cell(inputs, state)
        projected = _linear(output, self._output_size)
        return projected if self._activation is None else self._activation(projected), new_state


class InputProjectionWrapper(_Around):
    """A cell whose input goes through a linear map to `num_proj` numbers first (and `activation`)."""

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Callable[[Any], Any] | None = None,
        input_size: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        self._num_proj = num_proj
        self._activation = activation

    def call(self, inputs: Any, state: Any) -> Any:
        projected = _linear(inputs, self._num_proj)
        if self._activation is not None:
            projected = self._activation(projected)
        return self._cell(projected, state)


class EmbeddingWrapper(_Around):
    """A cell whose input are integers, each of which stands for a row of a variable."""

    def __init__(
        self, cell: Any, embedding_classes: int, embedding_size: int, initializer: Any = None, reuse: Any = None
    ) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                f"Both embedding_classes and embedding_size must be > 0: {embedding_classes}, {embedding_size}."
            )
        self._sizes = [embedding_classes, embedding_size]
        self._initializer = initializer

    def call(self, inputs: Any, state: Any) -> Any:
        with get_default_graph().device("/cpu:0"):
            initializer = self._initializer or get_variable_scope().initializer
            if not initializer:
                # Rows of variance 1.
                initializer = initializers.random_uniform_initializer(-math.sqrt(3), math.sqrt(3))
            kind = nest.flatten(state)[0].dtype
            table = get_variable("embedding", self._sizes, initializer=initializer, dtype=kind)
            rows = embedding_lookup(table, ops.reshape(inputs, [-1]))
            return self._cell(rows, state)


def _linear(x: Tensor, size: int) -> Tensor:
    """A linear map with variables of the open scope."""
    depth = x.shape.with_rank(2).as_list()[1]
    if depth is None:
        raise ValueError(f"linear expects shape[1] to be provided for shape {x.shape}, but saw None")
    with variable_scope(get_variable_scope(), auxiliary_name_scope=False) as outer:
        kernel = get_variable("kernel", [depth, size], dtype=x.dtype)
        with variable_scope(outer, auxiliary_name_scope=False) as inner:
            inner.set_partitioner(None)
            bias = get_variable(
                "bias", [size], dtype=x.dtype, initializer=initializers.constant_initializer(0.0, dtype=x.dtype)
            )
    result: Tensor = bias_add(ops.matmul(x, kernel), bias)
    return result
