"""What columns that may have an axis of time have in common."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.dtypes import int64
from tfbench.engine.name_scope import name_scope
from tfbench.feature_column.columns import CategoricalColumn


class SequenceCategories(CategoricalColumn):
    """Categories [batch, time, …]."""

    __slots__ = ()


def check_not_sequence(column: Any, kind: str) -> None:
    """Raises ValueError if a column of sequences is used where there is no axis of time."""
    source = column.categorical_column
    if isinstance(source, SequenceCategories):
        raise ValueError(
            f"In {kind}: {column.name}. categorical_column must not be of type {type(source).__name__}. For a model "
            "without an axis of time use a non-sequence categorical_column_with_*, with an axis of time use "
            f"sequence_input_layer. Given (type {type(source)}): {source}"
        )


def check_sequence(column: Any, kind: str) -> None:
    """Raises ValueError if a column without an axis of time is used where there has to be one."""
    source = column.categorical_column
    if not isinstance(source, SequenceCategories):
        raise ValueError(
            f"In {kind}: {column.name}. categorical_column must be of type SequenceCategoricalColumn to have an axis "
            f"of time: use one of sequence_categorical_column_with_*. Given (type {type(source)}): {source}"
        )


def sequence_length(sparse: Any, num_elements: int = 1) -> Any:
    """How many steps each row of a sparse tensor [batch, time, …] has: int64 [batch].

    `num_elements` values make one step.
    """
    with name_scope(None, "sequence_length") as scope:
        rows = sparse.indices[:, 0]
        places = sparse.indices[:, 1]
        places += ops.ones_like(places)
        lengths: Any = ops.segment_max(places, segment_ids=rows)
        lengths = ops.cast(ops.ceil(lengths / num_elements), int64)
        # Rows without values at the end have no segment.
        missing = ops.shape(sparse)[:1] - ops.shape(lengths)[:1]
        return ops.concat([lengths, ops.zeros(missing, dtype=lengths.dtype)], axis=0, name=scope)
