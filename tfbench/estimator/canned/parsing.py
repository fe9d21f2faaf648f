"""What `tf.parse_example` is told about the features, the label and the weight of a canned estimator."""

from __future__ import annotations

from typing import Any

from tfbench.engine.dtypes import float32, int64
from tfbench.engine.ops.parse_features import FixedLenFeature
from tfbench.feature_column.models import make_parse_example_spec
from tfbench.feature_column.numeric import NumericColumn, numeric_column

__all__ = ["classifier_parse_example_spec", "regressor_parse_example_spec"]


def classifier_parse_example_spec(
    feature_columns: Any, label_key: str, label_dtype: Any = int64, label_default: Any = None, weight_column: Any = None
) -> dict[str, Any]:
    """For a classifier: the columns' features, a label of `label_dtype` (a class's number, or its name), the weight.

    Raises:
      ValueError: if the label or the weight is one of the features, or the weight is no numeric column.
    """
    label = FixedLenFeature((1,), label_dtype, label_default)
    return _spec(feature_columns, label_key, label, weight_column)


def regressor_parse_example_spec(
    feature_columns: Any,
    label_key: str,
    label_dtype: Any = float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: Any = None,
) -> dict[str, Any]:
    """For a regressor: the columns' features, a label of `label_dimension` numbers, the weight.

    Raises:
      ValueError: as for `classifier_parse_example_spec`.
    """
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _spec(feature_columns, label_key, label, weight_column)


def _spec(columns: Any, label_key: str, label: FixedLenFeature, weight_column: Any) -> dict[str, Any]:
    found = make_parse_example_spec(columns)
    if label_key in found:
        raise ValueError(f"label should not be used as feature. label_key: {label_key}, features: {list(found)}")
    found[label_key] = label
    if weight_column is None:
        return found
    if isinstance(weight_column, str):
        weight_column = numeric_column(weight_column)
    if not isinstance(weight_column, NumericColumn):
        raise ValueError(
            "weight_column should be an instance of tf.feature_column.numeric_column. "
            f"Given type: {type(weight_column)} value: {weight_column}"
        )
    if weight_column.key in found:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {weight_column.key}, features: {list(found)}"
        )
    return {**found, **weight_column.parse_example_spec}
