"""The binary files of CIFAR-10: records of one label byte and 3,072 pixel bytes, first all red, then green, then blue.

Source of the format: https://www.cs.toronto.edu/~kriz/cifar.html (binary version).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.formats.safe_files import write_file

SIZE = 32
CHANNELS = 3
#: bytes of a record: the label, then the pixels
LABEL = 1
RECORD = LABEL + SIZE * SIZE * CHANNELS
CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")

TRAIN_FILES = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
TEST_FILES = ("test_batch.bin",)

Array = np.ndarray[Any, Any]
PathLike = str | os.PathLike[str]


def read(path: PathLike) -> tuple[Array, Array]:
    """All records of a file: images (n, 32, 32, 3) uint8, labels (n,) uint8.

    Raises:
      NotFoundError: if there is no such file.
      DataLossError: if it does not hold whole records, or a label is none of the ten.
    """
    try:
        data = np.fromfile(path, np.uint8)
    except FileNotFoundError:
        raise errors.NotFoundError(None, None, f"{os.fspath(path)}: no such file; expected CIFAR-10 records") from None
    whole, rest = divmod(len(data), RECORD)
    if rest:
        raise errors.DataLossError(
            None,
            None,
            f"{os.fspath(path)}: the record at offset {whole * RECORD} has {rest} bytes of {RECORD}. The file was cut "
            "off, or holds no CIFAR-10 records.",
        )
    records = data.reshape(whole, RECORD)
    labels = records[:, 0].copy()
    wrong = np.flatnonzero(labels >= len(CLASSES))
    if wrong.size:
        raise errors.DataLossError(
            None,
            None,
            f"{os.fspath(path)}: the record at offset {wrong[0] * RECORD} has label {labels[wrong[0]]}; labels are 0 "
            f"to {len(CLASSES) - 1}.",
        )
    planes = records[:, LABEL:].reshape(whole, CHANNELS, SIZE, SIZE)
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), labels


def write(path: PathLike, images: Any, labels: Any) -> None:
    """Writes a file of records; an existing one is replaced once all of it is on the disk.

    Raises:
      ValueError: if images are not (n, 32, 32, 3) uint8, or labels not n numbers from 0 to 9.
    """
    images, labels = np.asarray(images), np.asarray(labels)
    if images.shape[1:] != (SIZE, SIZE, CHANNELS) or images.dtype != np.uint8:
        raise ValueError(
            f"CIFAR-10 images are (n, {SIZE}, {SIZE}, {CHANNELS}) uint8; found {images.shape} {images.dtype.name}."
        )
    if labels.shape != images.shape[:1] or labels.dtype.kind not in "iu":
        raise ValueError(f"{len(images)} images need as many whole numbers as labels; found {labels.shape}.")
    if labels.size and not 0 <= labels.min() <= labels.max() < len(CLASSES):
        raise ValueError(f"CIFAR-10 labels are 0 to {len(CLASSES) - 1}; found {labels.min()} to {labels.max()}.")
    records = np.empty((len(images), RECORD), np.uint8)
    records[:, 0] = labels
    records[:, LABEL:] = images.transpose(0, 3, 1, 2).reshape(len(images), -1)
    write_file(os.fspath(path), records.tobytes())


def files(folder: PathLike, train: bool = True) -> list[str]:
    """The files of the training or the test images in `folder`, or in the folder that the archive unpacks to.

    Raises:
      NotFoundError: if there are none.
    """
    names: Sequence[str] = TRAIN_FILES if train else TEST_FILES
    for place in (Path(folder), Path(folder) / "cifar-10-batches-bin"):
        found = [str(place / name) for name in names if (place / name).exists()]
        if found:
            return found
    raise errors.NotFoundError(
        None, None, f"No CIFAR-10 files in {os.fspath(folder)}: expected {names[0]}{' and others' if train else ''}."
    )


def batches(
    paths: Sequence[PathLike], size: int, *, seed: int | None = None, epochs: int | None = 1
) -> Iterator[tuple[Array, Array]]:
    """Batches of `size` images and labels of all `paths`, the last of an epoch left out where it is not whole.

    With `seed` each epoch is shuffled, the same way each time. `epochs` None goes on without end.
    """
    parts = [read(path) for path in paths]
    images = np.concatenate([part[0] for part in parts])
    labels = np.concatenate([part[1] for part in parts])
    if size < 1 or size > len(labels):
        raise ValueError(f"A batch of {size} cannot be taken from {len(labels)} images.")
    rng = None if seed is None else np.random.default_rng(seed)
    epoch = 0
    while epochs is None or epoch < epochs:
        order = np.arange(len(labels)) if rng is None else rng.permutation(len(labels))
        for start in range(0, len(order) - size + 1, size):
            chosen = order[start : start + size]
            yield images[chosen], labels[chosen]
        epoch += 1
