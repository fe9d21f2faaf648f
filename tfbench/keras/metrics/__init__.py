"""`tf.keras.metrics`: what training reports, as functions and as objects that keep it over many batches."""

from __future__ import annotations

from typing import Any

from tfbench.engine.init_scope import init_scope
from tfbench.keras.losses import (
    KLD,
    MAE,
    MAPE,
    MSE,
    MSLE,
    binary_crossentropy,
    categorical_crossentropy,
    cosine,
    cosine_proximity,
    hinge,
    kld,
    kullback_leibler_divergence,
    mae,
    mape,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    mse,
    msle,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)
from tfbench.keras.losses import categorical_hinge as _categorical_hinge
from tfbench.keras.losses import cosine_similarity as _cosine_similarity
from tfbench.keras.losses import logcosh as _logcosh
from tfbench.keras.metrics.base import Mean, MeanMetricWrapper, Metric, Sum
from tfbench.keras.metrics.confusion import (
    AUC,
    FalseNegatives,
    FalsePositives,
    Precision,
    Recall,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
    TrueNegatives,
    TruePositives,
)
from tfbench.keras.metrics.functions import accuracy as _accuracy
from tfbench.keras.metrics.functions import (
    binary_accuracy,
    categorical_accuracy,
    sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy,
)
from tfbench.keras.metrics.means import (
    Accuracy,
    BinaryAccuracy,
    BinaryCrossentropy,
    CategoricalAccuracy,
    CategoricalCrossentropy,
    CategoricalHinge,
    CosineSimilarity,
    Hinge,
    KLDivergence,
    LogCoshError,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanIoU,
    MeanRelativeError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    MeanTensor,
    Poisson,
    RootMeanSquaredError,
    SparseCategoricalAccuracy,
    SparseCategoricalCrossentropy,
    SparseTopKCategoricalAccuracy,
    SquaredHinge,
    TopKCategoricalAccuracy,
)
from tfbench.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object

#: by name, besides what the namespace shows
_MORE = {
    "accuracy": _accuracy, "categorical_hinge": _categorical_hinge, "cosine_similarity": _cosine_similarity,
    "logcosh": _logcosh, "MeanMetricWrapper": MeanMetricWrapper,
}  # fmt: skip


def clone_metric(metric: Any) -> Any:
    """A metric with the same arguments, and other variables; a name or function as it is."""
    if not isinstance(metric, Metric):
        return metric
    with init_scope():
        return type(metric).from_config(metric.get_config())


def serialize(metric: Any) -> Any:
    """A metric as plain data."""
    return serialize_keras_object(metric)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """A metric from what `serialize` gave."""
    known = {name: one for name, one in globals().items() if name[0] != "_" and callable(one)}
    return deserialize_keras_object(config, {**known, **_MORE}, custom_objects, "metric function")


def get(identifier: Any) -> Any:
    """A metric from itself, its name or its plain data.

    Raises:
      ValueError: for anything else, or a name that there is not.
    """
    if isinstance(identifier, (dict, str)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret metric function identifier: {identifier}")
