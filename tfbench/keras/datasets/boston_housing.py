"""Prices of houses."""

from __future__ import annotations

from typing import Any

from tfbench.keras.datasets.local import arrays, local_file, shuffled


def load_data(path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113) -> Any:
    """((features, prices) for training, the same for tests): float64 [404, 13] and [404]; 102 for tests.

    Raises:
      FileNotFoundError: if the file is neither `path` nor in ~/.keras/datasets.
    """
    assert 0 <= test_split < 1
    found = arrays(local_file(path))
    x, y = shuffled(seed, found["x"], found["y"])
    split = int(len(x) * (1 - test_split))
    return (x[:split], y[:split]), (x[split:], y[split:])
