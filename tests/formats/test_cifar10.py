"""CIFAR-10 records: what is written is read, byte by byte as the format says, and damage is named."""

from __future__ import annotations

import numpy as np
import pytest

from tfbench import errors
from tfbench.formats import cifar10


def some(count: int = 7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, (count, 32, 32, 3), dtype=np.uint8), rng.integers(0, 10, count).astype(np.uint8)


def test_what_is_written_is_read(tmp_path):
    images, labels = some()
    cifar10.write(tmp_path / "a.bin", images, labels)
    found, found_labels = cifar10.read(tmp_path / "a.bin")
    np.testing.assert_array_equal(found, images)
    np.testing.assert_array_equal(found_labels, labels)


def test_bytes(tmp_path):
    """A label, then the red, the green and the blue plane, row by row."""
    images, _ = some(1)
    cifar10.write(tmp_path / "a.bin", images, [3])
    data = (tmp_path / "a.bin").read_bytes()
    assert len(data) == 3073
    assert data[0] == 3
    assert data[1] == images[0, 0, 0, 0]
    assert data[2] == images[0, 0, 1, 0]
    assert data[1 + 32] == images[0, 1, 0, 0]
    assert data[1 + 1024] == images[0, 0, 0, 1]
    assert data[1 + 2048] == images[0, 0, 0, 2]


def test_an_empty_file_has_no_records(tmp_path):
    (tmp_path / "a.bin").write_bytes(b"")
    images, labels = cifar10.read(tmp_path / "a.bin")
    assert images.shape == (0, 32, 32, 3)
    assert labels.shape == (0,)


def test_damage_is_named(tmp_path):
    path = tmp_path / "a.bin"
    with pytest.raises(errors.NotFoundError, match=r"a\.bin"):
        cifar10.read(path)
    cifar10.write(path, *some(2))
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(errors.DataLossError, match="offset 3073 has 3072 bytes of 3073"):
        cifar10.read(path)
    path.write_bytes(data[:3073] + b"\x0a" + data[3074:])
    with pytest.raises(errors.DataLossError, match="offset 3073 has label 10"):
        cifar10.read(path)


@pytest.mark.parametrize(
    ("images", "labels"),
    [
        (np.zeros((2, 32, 32), np.uint8), [0, 1]),
        (np.zeros((2, 32, 32, 3), np.float32), [0, 1]),
        (np.zeros((2, 32, 32, 3), np.uint8), [0]),
        (np.zeros((2, 32, 32, 3), np.uint8), [0, 10]),
        (np.zeros((2, 32, 32, 3), np.uint8), [0.0, 1.0]),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(tmp_path, images, labels):
    with pytest.raises(ValueError):
        cifar10.write(tmp_path / "a.bin", images, labels)
    assert list(tmp_path.iterdir()) == []


def test_files_are_found_where_the_archive_puts_them(tmp_path):
    with pytest.raises(errors.NotFoundError, match=r"data_batch_1\.bin"):
        cifar10.files(tmp_path)
    inner = tmp_path / "cifar-10-batches-bin"
    inner.mkdir()
    cifar10.write(inner / "data_batch_2.bin", *some(1))
    cifar10.write(inner / "test_batch.bin", *some(1))
    assert cifar10.files(tmp_path) == [str(inner / "data_batch_2.bin")]
    assert cifar10.files(inner, train=False) == [str(inner / "test_batch.bin")]


def test_batches(tmp_path):
    images, labels = some(10)
    cifar10.write(tmp_path / "a.bin", images[:6], labels[:6])
    cifar10.write(tmp_path / "b.bin", images[6:], labels[6:])
    paths = [tmp_path / "a.bin", tmp_path / "b.bin"]
    plain = list(cifar10.batches(paths, 4))
    assert len(plain) == 2
    np.testing.assert_array_equal(np.concatenate([batch[1] for batch in plain]), labels[:8])
    shuffled = list(cifar10.batches(paths, 5, seed=1, epochs=2))
    again = list(cifar10.batches(paths, 5, seed=1, epochs=2))
    for (a, x), (b, y) in zip(shuffled, again, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(x, y)
    epoch = sorted(np.concatenate([batch[1] for batch in shuffled[:2]]).tolist())
    assert epoch == sorted(labels.tolist())
    with pytest.raises(ValueError, match="batch of 11"):
        next(cifar10.batches(paths, 11))
    endless = cifar10.batches(paths, 10, epochs=None)
    assert len([next(endless) for _ in range(5)]) == 5
