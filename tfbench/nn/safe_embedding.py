"""Sparse embedding lookups that bear rows without ids and ids below zero.

`embedding_lookup_sparse` wants an id in each row. Here the ids that cannot count are taken out first, every row left
empty gets a stand-in, and at the end the rows of the stand-ins are set to zero, unless the caller named an id for them.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_fill import ones_like, zeros_like
from tfbench.engine.ops.array_join import concat, stack
from tfbench.engine.ops.array_pad import tile
from tfbench.engine.ops.array_select import where
from tfbench.engine.ops.comparison import greater, greater_equal, logical_and
from tfbench.engine.ops.gather import gather
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.reductions import reduce_prod
from tfbench.engine.ops.shape_ops import reshape, shape, size
from tfbench.engine.ops.slicing import slice as slice_of
from tfbench.engine.ops.sparse import sparse_retain
from tfbench.engine.ops.sparse_parts import sparse_fill_empty_rows
from tfbench.engine.ops.sparse_shapes import sparse_reshape
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.nn.embedding import embedding_lookup_sparse


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The embeddings of the ids of each last-axis row, combined: [d0, …, dn] ids give [d0, …, dn-1, embedding].

    Ids below zero do not count, nor (but for "sum") ids with a weight that is not above zero. A row with no ids gives
    the embedding of `default_id`, or zeros.

    Raises:
      ValueError: if there is no table.
    """
    tables = _tables(embedding_weights, None if sparse_weights is None else sparse_weights.dtype)
    with name_scope(name, "embedding_lookup", [*tables, sparse_ids, sparse_weights]) as scope:
        outer = sparse_ids.dense_shape
        known = outer._shape[0] if outer._shape else None
        dims: Any = size(outer) if known is None else known
        ids = sparse_reshape(sparse_ids, [reduce_prod(slice_of(outer, [0], [dims - 1])), gather(outer, dims - 1)])
        weights = None
        if sparse_weights is not None:
            weights = SparseTensor(ids.indices, sparse_weights.values, ids.dense_shape)
        ids, weights = _counted(ids, weights, combiner)
        ids, empty = sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_fill_empty_rows(weights, 1.0)
        rows = embedding_lookup_sparse(
            tables,
            ids,
            weights,
            combiner=combiner,
            partition_strategy=partition_strategy,
            name=None if default_id is None else scope,
            max_norm=max_norm,
            allow_fast_lookup=allow_fast_lookup,
        )
        if default_id is None:
            column = reshape(empty, [-1, 1])
            width: Any = shape(rows)
            empty = tile(column, stack([1, width[1]]))
            rows = where(empty, zeros_like(rows), rows, name=scope)
        sizes = [slice_of(cast(outer, dtypes.int32), [0], [dims - 1]), slice_of(shape(rows), [1], [-1])]
        result = reshape(rows, concat(sizes, 0))
        if known is not None:
            result.set_shape(TensorShape([None] * (known - 1)).concatenate(rows.shape[1:]))
        return result


def _tables(params: Any, dtype: Any) -> list[Any]:
    """The tables as a list, tensors of the weights' dtype but for the resource variables that have it already."""
    if hasattr(params, "_get_variable_list"):
        params = list(params)
    tables = params if isinstance(params, list) else [params]
    if params is None or not tables:
        raise ValueError(f"Missing embedding_weights {params}.")
    return [
        table
        if hasattr(table, "handle") and dtype in (None, table.dtype.base_dtype)
        else convert_to_tensor(table, dtype=dtype)
        for table in tables
    ]


def _counted(ids: Any, weights: Any, combiner: str) -> tuple[Any, Any]:
    """The ids that count, with their weights: a mean over weights that are not above zero would mean nothing."""
    valid = greater_equal(ids.values, 0)
    if weights is None:
        return sparse_retain(ids, valid), None
    valid = logical_and(valid, ones_like(weights.values, dtype=dtypes.bool))
    ids, weights = sparse_retain(ids, valid), sparse_retain(weights, valid)
    if combiner == "sum":
        return ids, weights
    valid = greater(weights.values, 0)
    return sparse_retain(ids, valid), sparse_retain(weights, valid)
