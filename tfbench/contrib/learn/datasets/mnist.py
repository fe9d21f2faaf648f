"""MNIST as TensorFlow 1.x's tutorials read it: batches of images in an order that a seed decides.

The files are fetched where they are not there: `train-images-idx3-ubyte.gz` and its three kin.
"""

from __future__ import annotations

import math
import os
from typing import Any, BinaryIO

import numpy as np

from tfbench.contrib.learn.datasets.base import Datasets, maybe_download
from tfbench.engine import dtypes
from tfbench.formats import idx
from tfbench.random import get_seed

__all__ = [
    "DEFAULT_SOURCE_URL", "DataSet", "dense_to_one_hot", "extract_images", "extract_labels", "load_mnist",
    "read_data_sets",
]  # fmt: skip

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

_FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
_CLASSES = 10
_PIXELS = 28 * 28

Array = np.ndarray[Any, Any]


def extract_images(f: BinaryIO) -> Array:
    """The images of an open file: uint8 of shape [count, rows, columns, 1].

    Raises:
      ValueError: if it is no file of images.
      DataLossError: if it is cut off.
    """
    print("Extracting", f.name)
    return idx.read(f, idx.IMAGES, "image")[..., np.newaxis]


def extract_labels(f: BinaryIO, one_hot: bool = False, num_classes: int = _CLASSES) -> Array:
    """The labels of an open file: uint8 of shape [count], or with `one_hot` [count, num_classes].

    Raises:
      ValueError: if it is no file of labels.
      DataLossError: if it is cut off.
    """
    print("Extracting", f.name)
    labels = idx.read(f, idx.LABELS, "label")
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: Array, num_classes: int) -> Array:
    """A row with one 1.0 for each label."""
    return np.eye(num_classes)[labels_dense]


class DataSet:
    """Images with labels, given out in batches.

    Args:
      images: uint8, [count, rows, columns, 1].
      labels: one for each image.
      fake_data: every example is the same, and there are 10,000.
      dtype: uint8, or float32 for values from 0 to 1.
      reshape: an image is one row of pixels.
      seed: of the order of examples. NumPy's global generator is what is seeded and used, as in TensorFlow 1.x.

    Raises:
      TypeError: if `dtype` is another type.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = dtypes.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        graph_seed, op_seed = get_seed(seed)
        np.random.seed(graph_seed if seed is None else op_seed)
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self.one_hot = one_hot
        self._fake = fake_data
        if fake_data:
            self._num_examples = 10000
        else:
            if len(images) != len(labels):
                raise ValueError(
                    f"There must be a label for each image: images.shape is {images.shape}, labels.shape {labels.shape}"
                )
            self._num_examples = len(images)
            if reshape:
                images = images.reshape(len(images), math.prod(images.shape[1:]))
            if dtype == dtypes.float32:
                images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
        self._images = images
        self._labels = labels
        self._epochs_completed = 0
        self._index_in_epoch = 0

    @property
    def images(self) -> Any:
        return self._images

    @property
    def labels(self) -> Any:
        return self._labels

    @property
    def num_examples(self) -> int:
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """How often all examples were given out."""
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """The next images and labels; where an epoch ends within the batch, the next one begins, shuffled anew."""
        if fake_data:
            label: Any = [1] + [0] * (_CLASSES - 1) if self.one_hot else 0
            return [[1] * _PIXELS for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self._num_examples:
            self._index_in_epoch = end = start + batch_size
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end = batch_size - (self._num_examples - start)
        return np.concatenate((images, self._images[:end])), np.concatenate((labels, self._labels[:end]))

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = dtypes.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Datasets:
    """MNIST in three parts: `.train`, `.validation` (the first examples for training) and `.test`, each a `DataSet`.

    Args:
      train_dir: where the four files are, or where they are put.
      source_url: where they are fetched from, with a slash at its end.
      The others are as for `DataSet`.

    Raises:
      ValueError: if `validation_size` is not possible, or a file holds something else.
      UnavailableError: if a file is not there and cannot be fetched.
    """
    if fake_data:
        return Datasets(*[DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)])
    source_url = source_url or DEFAULT_SOURCE_URL
    arrays = []
    for name in _FILES:
        with open(maybe_download(name, train_dir, source_url + name), "rb") as file:
            arrays.append(extract_images(file) if "images" in name else extract_labels(file, one_hot=one_hot))
    images, labels, test_images, test_labels = arrays
    if not 0 <= validation_size <= len(images):
        raise ValueError(f"Validation size should be between 0 and {len(images)}. Received: {validation_size}.")
    parts = (
        (images[validation_size:], labels[validation_size:]),
        (images[:validation_size], labels[:validation_size]),
        (test_images, test_labels),
    )
    options: dict[str, Any] = {"one_hot": one_hot, "dtype": dtype, "reshape": reshape, "seed": seed}
    return Datasets(*[DataSet(*part, **options) for part in parts])


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """MNIST with everything as it comes."""
    return read_data_sets(os.fspath(train_dir))
