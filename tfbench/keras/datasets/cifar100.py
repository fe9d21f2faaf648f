"""Small pictures of a hundred kinds."""

from __future__ import annotations

from typing import Any

from tfbench.keras.datasets.cifar import batches
from tfbench.keras.datasets.local import local_file

_ORIGIN = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"


def load_data(label_mode: str = "fine") -> Any:
    """((images, kinds) for training, the same for tests): uint8 [50000, 32, 32, 3], int64 [50000, 1]; 10000 for tests.

    Args:
      label_mode: "fine" for a hundred kinds, "coarse" for twenty.

    Raises:
      ValueError: for another mode.
      FileNotFoundError: if there is no folder ~/.keras/datasets/cifar-100-python.
    """
    if label_mode not in ("fine", "coarse"):
        raise ValueError('`label_mode` must be one of `"fine"`, `"coarse"`.')
    folder = local_file("cifar-100-python", _ORIGIN)
    return tuple(batches([folder / name], f"{label_mode}_labels") for name in ("train", "test"))
