"""Handwritten digits."""

from __future__ import annotations

from typing import Any

from tfbench.keras.datasets.local import arrays, local_file


def load_data(path: str = "mnist.npz") -> Any:
    """((images, digits) for training, the same for tests): uint8 [60000, 28, 28] and [60000]; 10000 for tests.

    Raises:
      FileNotFoundError: if the file is neither `path` nor in ~/.keras/datasets.
    """
    found = arrays(local_file(path))
    return (found["x_train"], found["y_train"]), (found["x_test"], found["y_test"])
