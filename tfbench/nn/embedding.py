"""Embedding lookups: rows of a table, or of several tables that hold the rows in turn or one after the other."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.default_graph import colocate_with, device
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_fill import ones
from tfbench.engine.ops.array_join import concat, stack
from tfbench.engine.ops.array_select import where
from tfbench.engine.ops.array_sets import unique
from tfbench.engine.ops.array_stitch import dynamic_partition, parallel_dynamic_stitch
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.gather import gather
from tfbench.engine.ops.math_binary import div_no_nan, maximum, pow
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_clip import clip_by_norm
from tfbench.engine.ops.math_range import range as range_of
from tfbench.engine.ops.math_unary import sqrt
from tfbench.engine.ops.reductions import reduce_sum
from tfbench.engine.ops.segments import segment_sum, sparse_segment_mean, sparse_segment_sqrt_n, sparse_segment_sum
from tfbench.engine.ops.shape_ops import expand_dims, rank, reshape, shape, size
from tfbench.engine.shape_math import is_fully_defined, merge
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor

_HALVES = (dtypes.float16, dtypes.bfloat16)


def _tables(params: Any) -> list[Any]:
    """The tables as a list.

    Raises:
      ValueError: if there are none.
    """
    if params is None:
        raise ValueError("params must be specified: the table of embeddings, or a list of its parts.")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    if hasattr(params, "_get_variable_list"):
        return list(params)
    return params if isinstance(params, list) else [params]


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """The rows of `params` that `ids` names: shape `ids.shape + params.shape[1:]`.

    Several tables hold the rows in turn (`partition_strategy="mod"`: row i is in table i % n) or one after the other
    ("div"). With `max_norm`, longer rows are scaled down to it. (`validate_indices` is there for old programs.)
    """
    tables = _tables(params)
    with name_scope(name, "embedding_lookup", [*tables, ids]) as scope:
        if not any(hasattr(table, "handle") for table in tables):
            tables = [
                table if isinstance(table, Tensor) else convert_to_tensor(table, name=f"params_{i}")
                for i, table in enumerate(tables)
            ]
        ids = convert_to_tensor(ids, name="ids")
        if len(tables) == 1:
            with colocate_with(tables[0]):
                rows = _clip(gather(tables[0], ids, name=scope), ids, max_norm)
            # The result itself need not live where the table does.
            return identity(rows)
        return _lookup_in_several(tables, ids, partition_strategy, scope, max_norm)


def _lookup_in_several(tables: list[Any], ids: Tensor, strategy: str, scope: str, max_norm: Any) -> Tensor:
    flat: Any = reshape(ids, [-1])
    places = range_of(size(flat))
    if strategy == "mod":
        owners, rows = flat % len(tables), flat // len(tables)
    elif strategy == "div":
        owners, rows = _in_blocks(tables, flat)
    else:
        raise ValueError(f"Unrecognized partition strategy: {strategy}. Must be one of either `mod` or `div`.")
    owners = cast(owners, dtypes.int32)
    asked = dynamic_partition(rows, owners, len(tables))
    back = dynamic_partition(places, owners, len(tables))
    found = []
    for table, wanted in zip(tables, asked, strict=True):
        with device(None), colocate_with(table):
            found.append(gather(table, wanted))
    result = parallel_dynamic_stitch(back, found, name=scope)
    inner = _shape_of(tables[0])
    inner = None if inner is None else inner[1:]
    for table in tables[1:]:
        own = _shape_of(table)
        inner = merge(inner, None if own is None else own[1:])
    if is_fully_defined(inner):
        inner_sizes: Any = list(inner or ())
    else:
        with colocate_with(tables[0]):
            whole = shape(tables[0])
        inner_sizes = whole[1:]
    result = reshape(result, concat([shape(ids), inner_sizes], 0))
    result.set_shape(TensorShape(ids.shape).concatenate(TensorShape(inner)))
    return _clip(result, ids, max_norm)


def _shape_of(table: Any) -> Any:
    return TensorShape(table.shape)._dims


def _in_blocks(tables: list[Any], flat: Any) -> tuple[Any, Any]:
    """For each id the table it is in and its row there, where tables hold as equal a number of rows as can be."""
    sizes = [None if known is None else known[0] for known in map(_shape_of, tables)]
    if None in sizes:
        counts = []
        for table, known in zip(tables, sizes, strict=True):
            if known is not None:
                counts.append(known)
            else:
                with colocate_with(table):
                    counts.append(shape(table)[0])
        total: Any = reduce_sum(cast(stack(counts), flat.dtype))
    else:
        total = constant(sum(sizes), flat.dtype)
    each = total // len(tables)
    extras = total % len(tables)
    # The first `extras` tables have one row more.
    owners: Any = maximum(flat // (each + 1), (flat - extras) // each)
    rows = where(owners < extras, flat % (each + 1), (flat - extras) % each)
    return owners, rows


def _clip(rows: Any, ids: Tensor, max_norm: Any) -> Any:
    if max_norm is None:
        return rows
    # As in TensorFlow, a rank of 0 counts as not known: it becomes a tensor.
    first, last = (len(x._shape) if x._shape else None for x in (ids, rows))
    if first is not None and last is not None:
        axes: Any = list(range(first, last))
    else:
        axes = range_of(rank(ids) if first is None else first, rank(rows) if last is None else last)
    return clip_by_norm(rows, max_norm, axes=axes)


# -- sparse -----------------------------------------------------------------------------------------------------------


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """For each row of the sparse `sp_ids` the embeddings of its ids, combined into one: "sum", "mean" or "sqrtn".

    `sp_weights` is a sparse tensor of the same places, or None for weights of 1. The mean divides by the sum of the
    weights, "sqrtn" by the root of the sum of their squares.
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    tables = list(params) if hasattr(params, "_get_variable_list") else params
    tables = tables if isinstance(tables, list) else [tables]
    _check_sparse(sp_ids, sp_weights)
    with name_scope(name, "embedding_lookup_sparse", [*tables, sp_ids]) as scope:
        segments = sp_ids.indices[:, 0]
        ids = sp_ids.values
        if sp_weights is None and len(tables) == 1 and max_norm is None and not hasattr(tables[0], "handle"):
            return _SEGMENTS[combiner](tables[0], ids, segments, name=scope, sparse_gradient=True)
        ids, places = unique(ids)
        rows = embedding_lookup(tables, ids, partition_strategy=partition_strategy, max_norm=max_norm)
        if sp_weights is None:
            return _SEGMENTS[combiner](rows, places, segments, name=scope)
        return _weighted(rows, places, segments, sp_weights.values, combiner, scope)


_SEGMENTS: dict[str, Any] = {
    "sum": sparse_segment_sum,
    "mean": sparse_segment_mean,
    "sqrtn": sparse_segment_sqrt_n,
}


def _check_sparse(ids: Any, weights: Any) -> None:
    if type(ids).__name__ != "SparseTensor":
        raise TypeError(f"sp_ids must be SparseTensor, got {type(ids)}")
    if weights is None:
        return
    if type(weights).__name__ != "SparseTensor":
        raise TypeError(f"sp_weights must be either None or SparseTensor, got {type(weights)}")
    for part in ("values", "indices", "dense_shape"):
        getattr(ids, part).shape.assert_is_compatible_with(getattr(weights, part).shape)


def _weighted(rows: Any, places: Any, segments: Any, weights: Any, combiner: str, scope: str) -> Tensor:
    segments = cast(segments, dtypes.int32)
    rows = gather(rows, places)
    kind = rows.dtype
    if kind in _HALVES:
        rows = cast(rows, dtypes.float32)
    weights = cast(weights, rows.dtype)
    own: Any = rank(rows)
    more = expand_dims(own - 1, 0)
    known = weights.shape
    weights = reshape(weights, concat([shape(weights), ones(more, dtype=dtypes.int32)], 0))
    if rows._shape is not None:
        weights.set_shape(known.concatenate(TensorShape([1] * (len(rows._shape) - 1))))
    rows *= weights
    if combiner == "sum":
        result = segment_sum(rows, segments, name=scope)
    else:
        total = segment_sum(rows, segments)
        if combiner == "mean":
            result = div_no_nan(total, segment_sum(weights, segments), name=scope)
        else:
            result = div_no_nan(total, sqrt(segment_sum(pow(weights, 2), segments)), name=scope)
    return cast(result, kind)
