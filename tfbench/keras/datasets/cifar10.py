"""Small pictures of ten kinds."""

from __future__ import annotations

from typing import Any

from tfbench.keras.datasets.cifar import batches
from tfbench.keras.datasets.local import local_file

_ORIGIN = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"


def load_data() -> Any:
    """((images, kinds) for training, the same for tests): uint8 [50000, 32, 32, 3] and [50000, 1]; 10000 for tests.

    Raises:
      FileNotFoundError: if there is no folder ~/.keras/datasets/cifar-10-batches-py.
    """
    folder = local_file("cifar-10-batches-py", _ORIGIN)
    images, labels = batches([folder / f"data_batch_{number}" for number in range(1, 6)])
    test_images, test_labels = batches([folder / "test_batch"])
    return (images, labels.astype("uint8")), (test_images, test_labels.astype("uint8"))
