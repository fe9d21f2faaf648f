"""`tf.losses`: each loss is a weighted mean (or sum) of one number per prediction, and is kept in LOSSES."""

from tfbench.losses.classification import (
    hinge_loss,
    log_loss,
    sigmoid_cross_entropy,
    softmax_cross_entropy,
    sparse_softmax_cross_entropy,
)
from tfbench.losses.collections import (
    add_loss,
    get_losses,
    get_regularization_loss,
    get_regularization_losses,
    get_total_loss,
)
from tfbench.losses.regression import (
    absolute_difference,
    cosine_distance,
    huber_loss,
    mean_pairwise_squared_error,
    mean_squared_error,
)
from tfbench.losses.weighted import Reduction, compute_weighted_loss

__all__ = [
    "Reduction", "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_loss", "get_regularization_losses", "get_total_loss", "hinge_loss", "huber_loss", "log_loss",
    "mean_pairwise_squared_error", "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]  # fmt: skip
