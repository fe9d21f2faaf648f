"""`input_data.read_data_sets`, with which most programs for TensorFlow 1.x read MNIST."""

from __future__ import annotations

from tfbench.contrib.learn.datasets.base import maybe_download
from tfbench.contrib.learn.datasets.mnist import (
    DataSet,
    dense_to_one_hot,
    extract_images,
    extract_labels,
    read_data_sets,
)

__all__ = ["DataSet", "dense_to_one_hot", "extract_images", "extract_labels", "maybe_download", "read_data_sets"]
