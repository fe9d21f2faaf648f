"""`tf.sparse_merge`: feature ids and their values, as two sparse tensors of one pattern, become one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfbench.engine.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from tfbench.engine.dtypes import int64
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.shape_ops import expand_dims
from tfbench.engine.ops.sparse import sparse_reorder
from tfbench.engine.tensor import Tensor

__all__ = ["sparse_merge"]


def sparse_merge(
    sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None, already_sorted: bool = False
) -> SparseTensor:
    """A SparseTensor whose last index is what `sp_ids` holds, and whose values are those of `sp_values`.

    Args:
      sp_ids: a SparseTensor of integers [D0, …, Dn, k], or a list of them for several last indices.
      vocab_size: how many ids there are: the last size, or a list.
      already_sorted: the ids of each row ascend already, so that the result need not be put in order.

    Raises:
      TypeError, ValueError: if the ids and the sizes do not belong together.
    """
    if isinstance(sp_ids, SparseTensor):
        sp_ids = [sp_ids]
        if not isinstance(vocab_size, (Tensor, int)) and not hasattr(vocab_size, "__index__"):
            raise TypeError(f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}")
        vocab_size = [vocab_size]
    else:
        if not isinstance(sp_ids, Iterable):
            raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
        if not isinstance(vocab_size, Iterable):
            raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}")
        sp_ids, vocab_size = list(sp_ids), list(vocab_size)
        for size in vocab_size:
            if not isinstance(size, (Tensor, int)) and not hasattr(size, "__index__"):
                raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found list of {type(size)}")
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with name_scope(name, "SparseMerge", [*sp_ids, sp_values]):
        sp_ids = [convert_to_tensor_or_sparse_tensor(ids) for ids in sp_ids]
        sp_values = convert_to_tensor_or_sparse_tensor(sp_values)
        columns = []
        for ids in sp_ids:
            column = ids.values if ids.dtype == int64 else cast(ids.values, int64)
            columns.append(expand_dims(column, axis=1))
        sizes = [cast(size, int64) for size in vocab_size]
        indices = concat([sp_ids[0].indices[:, :-1], *columns], 1)
        shape = concat([sp_ids[0].dense_shape[:-1], sizes], 0)
        result = SparseTensor(indices, sp_values.values, shape)
        if already_sorted:
            return result
        ordered = sparse_reorder(result)
        return SparseTensor(ordered.indices, ordered.values, shape)
