"""Tensors as TensorInfo messages, and back."""

from __future__ import annotations

from typing import Any

from tfbench.engine.composite import SparseTensor
from tfbench.engine.default_graph import get_default_graph

__all__ = ["build_tensor_info", "get_tensor_from_tensor_info"]


def build_tensor_info(tensor: Any) -> Any:
    """The TensorInfo of a Tensor, a variable or a SparseTensor.

    Raises:
      TypeError: for anything else.
    """
    from tfbench.formats.protos import TensorInfo

    if not hasattr(tensor, "get_shape"):
        raise TypeError(f"Expected a Tensor, a variable or a SparseTensor, found {type(tensor).__name__}: {tensor!r}")
    info = TensorInfo(dtype=tensor.dtype.as_datatype_enum, tensor_shape=tensor.get_shape().as_proto())
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def get_tensor_from_tensor_info(tensor_info: Any, graph: Any = None, import_scope: str | None = None) -> Any:
    """The Tensor or SparseTensor of a graph that a TensorInfo names.

    Args:
      import_scope: the scope that the names are in.

    Raises:
      KeyError: if the graph does not have it. ValueError: if the message names none.
    """
    graph = graph or get_default_graph()

    def found(name: str) -> Any:
        return graph.get_tensor_by_name(f"{import_scope}/{name}" if import_scope else name)

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return found(tensor_info.name)
    if encoding == "coo_sparse":
        sparse = tensor_info.coo_sparse
        return SparseTensor(
            found(sparse.indices_tensor_name), found(sparse.values_tensor_name), found(sparse.dense_shape_tensor_name)
        )
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}. Expected a name, or the parts of a sparse tensor.")
