"""Losses over very many classes that look at the true ones and at a few sampled ones."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_fill import ones, ones_like, zeros_like
from tfbench.engine.ops.array_join import concat, stack
from tfbench.engine.ops.base import stop_gradient
from tfbench.engine.ops.math_binary import multiply
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_unary import log
from tfbench.engine.ops.matmul import matmul
from tfbench.engine.ops.nn_sampling import compute_accidental_hits, log_uniform_candidate_sampler
from tfbench.engine.ops.shape_ops import expand_dims, reshape, shape
from tfbench.engine.ops.slicing import slice as slice_of
from tfbench.engine.ops.sparse import sparse_to_dense
from tfbench.engine.tensor import Tensor
from tfbench.nn.cross_entropy import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits_v2
from tfbench.nn.embedding import embedding_lookup


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: can each true class be told from `num_sampled` sampled ones? One loss a row.

    `weights` is `(num_classes, dim)` or a list of parts of it, `labels` `(batch, num_true)`, `inputs` `(batch, dim)`.
    """
    logits, targets = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, partition_strategy, name, None,
    )  # fmt: skip
    losses = sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses")
    return _row_sums(losses)


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: Any = None,
) -> Tensor:
    """The softmax cross entropy over the true and `num_sampled` sampled classes instead of all: one loss a row.

    `weights` is `(num_classes, dim)` or a list of parts of it, `labels` `(batch, num_true)`, `inputs` `(batch, dim)`.
    """
    logits, targets = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, partition_strategy, name, seed,
    )  # fmt: skip
    targets = stop_gradient(targets, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)


def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str | None,
    seed: Any,
) -> tuple[Tensor, Tensor]:
    """Logits and labels `(batch, num_true + num_sampled)`; from the logits the logarithm of how often a class was to
    be expected is taken off."""
    tables = list(weights) if hasattr(weights, "_get_variable_list") else weights
    tables = tables if isinstance(tables, list) else [tables]
    with name_scope(name, "compute_sampled_logits", [*tables, biases, inputs, labels]):
        if labels.dtype != dtypes.int64:
            labels = cast(labels, dtypes.int64)
        true_ids = reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(
                labels, num_true, num_sampled, unique=True, range_max=num_classes, seed=seed
            )
        sampled, true_expected, sampled_expected = (stop_gradient(value) for value in sampled_values)
        sampled = cast(sampled, dtypes.int64)
        ids = concat([true_ids, sampled], 0)
        rows = cast(embedding_lookup(tables, ids, partition_strategy=partition_strategy), inputs.dtype)
        true_rows = slice_of(rows, [0, 0], stack([shape(true_ids)[0], -1]))
        sampled_rows = slice_of(rows, stack([shape(true_ids)[0], 0]), [-1, -1])
        sampled_logits: Any = matmul(inputs, sampled_rows, transpose_b=True)
        offsets = cast(embedding_lookup(biases, ids, partition_strategy=partition_strategy), inputs.dtype)
        true_offsets = slice_of(offsets, [0], shape(true_ids))
        sampled_offsets = slice_of(offsets, shape(true_ids), [-1])
        true_logits = _true_logits(inputs, true_rows, true_offsets, num_true)
        sampled_logits += sampled_offsets
        if remove_accidental_hits:
            sampled_logits += _hits_as_weights(labels, sampled, num_true, num_sampled, sampled_logits.dtype)
        true_logits -= log(true_expected)
        sampled_logits -= log(sampled_expected)
        logits = concat([true_logits, sampled_logits], 1)
        certain: Any = ones_like(true_logits)
        targets = concat([certain / num_true, zeros_like(sampled_logits)], 1)
        return logits, targets


def _true_logits(inputs: Any, rows: Any, offsets: Any, num_true: int) -> Any:
    """The product of each input with the rows of its own classes, plus their offsets."""
    depth = shape(rows)[1:2]
    by_example = concat([[-1, num_true], depth], 0)
    products = multiply(expand_dims(inputs, 1), reshape(rows, by_example))
    dots = reshape(products, concat([[-1], depth], 0))
    logits: Any = reshape(_row_sums(dots), [-1, num_true])
    return logits + reshape(offsets, [-1, num_true])


def _hits_as_weights(labels: Any, sampled: Any, num_true: int, num_sampled: int, dtype: Any) -> Tensor:
    """A matrix that is hugely negative where a sampled class is one of the row's own, else zero."""
    rows, places, weights = compute_accidental_hits(labels, sampled, num_true=num_true)
    column = reshape(rows, [-1, 1])
    where = concat([column, reshape(cast(places, dtypes.int32), [-1, 1])], 1, "sparse_indices")
    sizes = concat([shape(labels)[:1], expand_dims(num_sampled, 0)], 0)
    return sparse_to_dense(where, sizes, cast(weights, dtype), default_value=0.0, validate_indices=False)


def _row_sums(x: Tensor) -> Tensor:
    """The sums of rows as a product with ones, which TensorFlow finds faster."""
    columns = ones(stack([shape(x)[1], 1]), x.dtype)
    return reshape(matmul(x, columns), [-1])
