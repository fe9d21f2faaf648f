"""Pieces of clothing."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np

from tfbench.keras.datasets.local import local_file

_ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def load_data() -> Any:
    """((images, kinds) for training, the same for tests): uint8 [60000, 28, 28] and [60000]; 10000 for tests.

    Raises:
      FileNotFoundError: if one of the four files is not in ~/.keras/datasets/fashion-mnist.
    """
    return _part("train"), _part("t10k")


def _part(name: str) -> Any:
    def content(kind: str, header: int) -> Any:
        file = f"{name}-{kind}-ubyte.gz"
        with gzip.open(local_file(file, _ORIGIN + file, "datasets/fashion-mnist"), "rb") as opened:
            return np.frombuffer(opened.read(), np.uint8, offset=header)

    labels = content("labels-idx1", 8)
    return content("images-idx3", 16).reshape(len(labels), 28, 28), labels
