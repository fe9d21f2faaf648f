"""`tf.metrics`: numbers about all batches seen so far. Each function gives a value and an op that takes a batch in.

What has been seen is kept in local variables (collections LOCAL_VARIABLES and METRIC_VARIABLES), so that
`tf.local_variables_initializer()` starts again.
"""

from tfbench.metrics.average_precision import average_precision_at_k, sparse_average_precision_at_k
from tfbench.metrics.classes import mean_iou, mean_per_class_accuracy
from tfbench.metrics.counts import (
    false_negatives,
    false_positives,
    precision,
    recall,
    true_negatives,
    true_positives,
)
from tfbench.metrics.curves import auc, sensitivity_at_specificity, specificity_at_sensitivity
from tfbench.metrics.errors import (
    mean_absolute_error,
    mean_cosine_distance,
    mean_relative_error,
    mean_squared_error,
    root_mean_squared_error,
)
from tfbench.metrics.means import accuracy, mean, mean_tensor, percentage_below
from tfbench.metrics.thresholds import (
    false_negatives_at_thresholds,
    false_positives_at_thresholds,
    precision_at_thresholds,
    recall_at_thresholds,
    true_negatives_at_thresholds,
    true_positives_at_thresholds,
)
from tfbench.metrics.top_k import (
    precision_at_k,
    precision_at_top_k,
    recall_at_k,
    recall_at_top_k,
    sparse_precision_at_k,
)

__all__ = [
    "accuracy", "auc", "average_precision_at_k", "false_negatives", "false_negatives_at_thresholds",
    "false_positives", "false_positives_at_thresholds", "mean", "mean_absolute_error", "mean_cosine_distance",
    "mean_iou", "mean_per_class_accuracy", "mean_relative_error", "mean_squared_error", "mean_tensor",
    "percentage_below", "precision", "precision_at_k", "precision_at_thresholds", "precision_at_top_k", "recall",
    "recall_at_k", "recall_at_thresholds", "recall_at_top_k", "root_mean_squared_error",
    "sensitivity_at_specificity", "sparse_average_precision_at_k", "sparse_precision_at_k",
    "specificity_at_sensitivity", "true_negatives", "true_negatives_at_thresholds", "true_positives",
    "true_positives_at_thresholds",
]  # fmt: skip
