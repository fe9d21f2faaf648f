"""`tf.keras.datasets`: the data sets of Keras, read from files that are there already. Nothing is downloaded."""

from __future__ import annotations

from tfbench.keras.datasets import boston_housing, cifar10, cifar100, fashion_mnist, imdb, mnist, reuters

__all__ = ["boston_housing", "cifar10", "cifar100", "fashion_mnist", "imdb", "mnist", "reuters"]
