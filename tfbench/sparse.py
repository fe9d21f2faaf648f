"""`tf.sparse`: sparse tensors and their ops, under the names of TensorFlow 1.13 and later."""

from __future__ import annotations

from tfbench.engine.composite import SparseTensor
from tfbench.engine.ops.sparse import sparse_mask as mask
from tfbench.engine.ops.sparse import sparse_placeholder as placeholder
from tfbench.engine.ops.sparse import sparse_reorder as reorder
from tfbench.engine.ops.sparse import sparse_retain as retain
from tfbench.engine.ops.sparse import sparse_tensor_dense_matmul as matmul
from tfbench.engine.ops.sparse import sparse_tensor_dense_matmul as sparse_dense_matmul
from tfbench.engine.ops.sparse import sparse_tensor_to_dense as to_dense
from tfbench.engine.ops.sparse_shapes import sparse_concat as concat
from tfbench.engine.ops.sparse_shapes import sparse_reshape as reshape

__all__ = [
    "SparseTensor", "concat", "mask", "matmul", "placeholder", "reorder", "reshape", "retain", "sparse_dense_matmul",
    "to_dense",
]  # fmt: skip
