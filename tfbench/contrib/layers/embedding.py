"""Embeddings of sequences of numbers."""

from __future__ import annotations

from typing import Any

from tfbench.contrib.framework.variables import model_variable
from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.tensor import Tensor
from tfbench.nn.embedding import embedding_lookup
from tfbench.variable_scope import variable_scope


def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Tensor:
    """A row of a trained matrix of shape (vocab_size, embed_dim) for each of `ids`.

    Raises:
      ValueError: if the matrix is a new one and one of its sizes is not given.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            f"Without reuse a new embedding needs both sizes: got vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim]
        if reuse and (vocab_size is None or embed_dim is None):
            shape = None  # type: ignore[assignment] # that of the variable
        embeddings = model_variable(
            "embeddings", shape=shape, initializer=initializer, regularizer=regularizer, trainable=trainable
        )
        return embedding_lookup_unique(embeddings, ids) if unique else embedding_lookup(embeddings, ids)


def embedding_lookup_unique(params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None) -> Tensor:
    """`embedding_lookup` that looks each number up once, however often it comes."""
    with name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = convert_to_tensor(ids)
        shape = ops.shape(ids)
        flat = ops.reshape(ids, ops.reduce_prod(shape, keepdims=True))
        distinct, places = ops.unique(flat)
        rows = embedding_lookup(params, distinct, partition_strategy)
        found = ops.reshape(ops.gather(rows, places), ops.concat([shape, ops.shape(rows)[1:]], 0))
        found.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return found
