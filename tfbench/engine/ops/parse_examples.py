"""`tf.parse_example` and its relatives for one example and for sequences."""

from __future__ import annotations

from typing import Any

from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import colocate_with, control_dependencies
from tfbench.engine.dtypes import string
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.parse_features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    Keys,
    SparseFeature,
    VarLenFeature,
    index_keys,
)
from tfbench.engine.ops.parse_ops import parse_example_v2
from tfbench.engine.ops.parse_sequence_ops import parse_sequence_example_v2
from tfbench.engine.ops.sparse_merge import sparse_merge
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["parse_example", "parse_single_example", "parse_single_sequence_example"]

_ALL = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature)


def parse_example(serialized: Any, features: Any, name: str | None = None, example_names: Any = None) -> dict[str, Any]:
    """The features of a batch of serialised `tf.train.Example` messages, as tensors by name.

    Args:
      serialized: a vector of strings.
      features: what each is, by name: FixedLenFeature (a dense tensor [batch, …]), VarLenFeature and SparseFeature
        (SparseTensors), FixedLenSequenceFeature with `allow_missing` (dense, filled up to the longest).
      example_names: a vector of strings with which errors call the examples.

    Raises:
      ValueError: if a feature is incomplete or of another class.
      InvalidArgumentError: when run, if an example is damaged, lacks a feature without default, or has another type
        or number of values.
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    keys = Keys.of(features, _ALL)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
            keys.shapes[key] = TensorShape([None]).concatenate(keys.shapes[key])
    with name_scope(name, "ParseExample", [serialized, example_names]):
        serialized = convert_to_tensor(serialized, string, "serialized")
        outputs = parse_example_v2(
            serialized,
            [] if example_names is None else example_names,
            list(keys.sparse),
            list(keys.dense),
            [],
            keys.default_tensors(),
            num_sparse=len(keys.sparse),
            sparse_types=list(keys.sparse.values()),
            ragged_value_types=[],
            ragged_split_types=[],
            dense_shapes=list(keys.shapes.values()),
            name=name,
        )
    indices, values, shapes, dense = outputs[:4]
    found: dict[str, Any] = dict(zip(keys.sparse, map(SparseTensor, indices, values, shapes), strict=True))
    found.update(zip(keys.dense, dense, strict=True))
    return _with_composites(features, found)


def _with_composites(features: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The tensors of all features; indices and values of SparseFeatures put together."""
    result = {key: tensor for key, tensor in found.items() if key in features}
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            several = not isinstance(feature.index_key, str)
            ids: Any = [found[index_key] for index_key in index_keys(feature)]
            result[key] = sparse_merge(
                ids if several else ids[0], found[feature.value_key], feature.size, None, feature.already_sorted
            )
    return result


def parse_single_example(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of one serialised `tf.train.Example` (a scalar string); as `parse_example`, without the batch."""
    if not features:
        raise ValueError("Missing features.")
    with name_scope(name, "ParseSingleExample", [serialized, example_names]):
        serialized = _scalar(convert_to_tensor(serialized, string, "serialized"))
        return parse_example(serialized, features, name, example_names)


def _scalar(serialized: Tensor) -> Tensor:
    """The tensor, after a check when it is run where its rank is not known."""
    rank = serialized.shape.ndims
    if rank == 0:
        return serialized
    if rank is not None:
        raise ValueError("Input serialized must be a scalar")
    is_scalar = lookup("Equal")(lookup("Rank")(serialized), 0)
    check = Assert(is_scalar, ["Input serialized must be a scalar"], name="SerializedIsScalar")
    with colocate_with(serialized), control_dependencies([check]):
        checked = identity(serialized, name="serializedDependencies")
    checked.set_shape([])
    return checked


def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Tensor]]:
    """The features of a batch of serialised `tf.train.SequenceExample` messages.

    Args:
      context_features: FixedLenFeature and VarLenFeature by name, of an example as a whole.
      sequence_features: FixedLenSequenceFeature and VarLenFeature by name, of which each step has its own.

    Returns:
      The context, the sequences (dense ones [batch, steps, …]), and the number of steps of the dense ones.
    """
    keys = _sequence_keys(context_features, sequence_features)
    with name_scope(name, "ParseSequenceExample", [serialized, example_names]):
        return _parse_sequences(serialized, keys, example_names, name)


def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The context and the sequences of one serialised `tf.train.SequenceExample` (a scalar string)."""
    keys = _sequence_keys(context_features, sequence_features)
    with name_scope(name, "ParseSingleSequenceExample", [serialized, example_name]):
        with name_scope(name, "ParseSingleExample", [serialized]):
            serialized = _scalar(convert_to_tensor(serialized, string, "serialized"))
        context, sequences, _ = _parse_sequences(serialized, keys, example_name, name)
        return context, sequences


def _sequence_keys(context_features: Any, sequence_features: Any) -> tuple[Keys, Keys]:
    if not (context_features or sequence_features):
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    context = Keys.of(context_features, (VarLenFeature, FixedLenFeature))
    return context, Keys.of(sequence_features, (VarLenFeature, FixedLenSequenceFeature))


def _parse_sequences(
    serialized: Any, keys: tuple[Keys, Keys], names: Any, name: str | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Tensor]]:
    context, lists = keys
    for key, default in lists.defaults.items():
        if default is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
    with name_scope(name, "ParseSequenceExample", [serialized, names]):
        serialized = convert_to_tensor(serialized, string, "serialized")
        outputs = parse_sequence_example_v2(
            serialized,
            [] if names is None else names,
            list(context.sparse),
            list(context.dense),
            [],
            list(lists.sparse),
            list(lists.dense),
            [],
            [key in lists.defaults for key in lists.dense],
            context.default_tensors(),
            Ncontext_sparse=len(context.sparse),
            context_sparse_types=list(context.sparse.values()),
            context_dense_shapes=list(context.shapes.values()),
            Nfeature_list_sparse=len(lists.sparse),
            Nfeature_list_dense=len(lists.dense),
            feature_list_dense_types=list(lists.dense.values()),
            feature_list_sparse_types=list(lists.sparse.values()),
            feature_list_dense_shapes=list(lists.shapes.values()),
            name=name,
        )
    context_sparse, context_dense, list_sparse = outputs[:3], outputs[3], outputs[6:9]
    found = dict(zip(context.sparse, map(SparseTensor, *context_sparse), strict=True))
    steps = dict(zip(lists.sparse, map(SparseTensor, *list_sparse), strict=True))
    return (
        {**found, **dict(zip(context.dense, context_dense, strict=True))},
        {**steps, **dict(zip(lists.dense, outputs[9], strict=True))},
        dict(zip(lists.dense, outputs[10], strict=True)),
    )
