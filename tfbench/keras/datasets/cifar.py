"""What CIFAR-10 and CIFAR-100 have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tfbench.keras.backend.config import image_data_format
from tfbench.keras.datasets.local import unpickled


def batches(paths: list[Path], key: str = "labels") -> Any:
    """(images, labels) of the files: uint8 [number, 32, 32, 3] (or channels first, if that is Keras's format)
    and [number, 1]."""
    images, labels = [], []
    for path in paths:
        with path.open("rb") as file:
            content = {name.decode(): value for name, value in unpickled(file, encoding="bytes").items()}
        images.append(content["data"].reshape(-1, 3, 32, 32))
        labels += list(content[key])
    together = np.concatenate(images)
    if image_data_format() == "channels_last":
        together = together.transpose(0, 2, 3, 1)
    return together, np.reshape(labels, (-1, 1))
