"""`tf.sparse`: sparse tensors and their ops, under the names of TensorFlow 1.13 and later."""

from __future__ import annotations

from tfbench.engine.composite import SparseTensor
from tfbench.engine.ops.accumulators import SparseConditionalAccumulator
from tfbench.engine.ops.segments import sparse_segment_mean as segment_mean
from tfbench.engine.ops.segments import sparse_segment_sqrt_n as segment_sqrt_n
from tfbench.engine.ops.segments import sparse_segment_sum as segment_sum
from tfbench.engine.ops.sparse import sparse_mask as mask
from tfbench.engine.ops.sparse import sparse_placeholder as placeholder
from tfbench.engine.ops.sparse import sparse_reorder as reorder
from tfbench.engine.ops.sparse import sparse_retain as retain
from tfbench.engine.ops.sparse import sparse_tensor_dense_matmul as matmul
from tfbench.engine.ops.sparse import sparse_tensor_dense_matmul as sparse_dense_matmul
from tfbench.engine.ops.sparse import sparse_tensor_to_dense as to_dense
from tfbench.engine.ops.sparse_cross import sparse_cross as cross
from tfbench.engine.ops.sparse_cross import sparse_cross_hashed as cross_hashed
from tfbench.engine.ops.sparse_forms import sparse_expand_dims as expand_dims
from tfbench.engine.ops.sparse_forms import sparse_eye as eye
from tfbench.engine.ops.sparse_forms import sparse_from_dense as from_dense
from tfbench.engine.ops.sparse_forms import sparse_reset_shape as reset_shape
from tfbench.engine.ops.sparse_forms import sparse_to_indicator as to_indicator
from tfbench.engine.ops.sparse_forms import sparse_transpose as transpose
from tfbench.engine.ops.sparse_math import sparse_add as add
from tfbench.engine.ops.sparse_math import sparse_maximum as maximum
from tfbench.engine.ops.sparse_math import sparse_minimum as minimum
from tfbench.engine.ops.sparse_math import sparse_softmax as softmax
from tfbench.engine.ops.sparse_merge import sparse_merge as merge
from tfbench.engine.ops.sparse_parts import sparse_fill_empty_rows as fill_empty_rows
from tfbench.engine.ops.sparse_parts import sparse_slice as slice
from tfbench.engine.ops.sparse_parts import sparse_split as split
from tfbench.engine.ops.sparse_reductions import sparse_reduce_max as reduce_max
from tfbench.engine.ops.sparse_reductions import sparse_reduce_max_sparse as reduce_max_sparse
from tfbench.engine.ops.sparse_reductions import sparse_reduce_sum as reduce_sum
from tfbench.engine.ops.sparse_reductions import sparse_reduce_sum_sparse as reduce_sum_sparse
from tfbench.engine.ops.sparse_shapes import sparse_concat as concat
from tfbench.engine.ops.sparse_shapes import sparse_reshape as reshape

__all__ = [
    "SparseConditionalAccumulator", "SparseTensor", "add", "concat", "cross", "cross_hashed", "expand_dims", "eye",
    "fill_empty_rows", "from_dense", "mask", "matmul", "maximum", "merge", "minimum", "placeholder", "reduce_max",
    "reduce_max_sparse", "reduce_sum", "reduce_sum_sparse", "reorder", "reset_shape", "reshape", "retain",
    "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax", "sparse_dense_matmul", "split", "to_dense",
    "to_indicator", "transpose",
]  # fmt: skip
