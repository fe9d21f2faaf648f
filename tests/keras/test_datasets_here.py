"""Data sets are read from files that are there; nothing is downloaded, and nothing in a file is run."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf

datasets = tf.keras.datasets


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """~/.keras/datasets, in a home directory of this test's own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    found = tmp_path / ".keras" / "datasets"
    found.mkdir(parents=True)
    return found


@pytest.mark.parametrize("name", ["mnist", "fashion_mnist", "cifar10", "cifar100", "boston_housing", "imdb", "reuters"])
def test_what_is_not_there_is_said(name: str, store: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"tfbench downloads nothing. Get it from https://"):
        getattr(datasets, name).load_data()


def test_mnist(store: Path) -> None:
    images, labels = np.arange(2 * 28 * 28, dtype="uint8").reshape(2, 28, 28), np.array([3, 4], "uint8")
    np.savez(store / "mnist.npz", x_train=images, y_train=labels, x_test=images[:1], y_test=labels[:1])
    (x, y), (test_x, test_y) = datasets.mnist.load_data()
    np.testing.assert_array_equal(x, images)
    np.testing.assert_array_equal(y, labels)
    assert test_x.shape == (1, 28, 28)
    assert test_y.dtype == np.uint8


def test_fashion_mnist(store: Path) -> None:
    folder = store / "fashion-mnist"
    folder.mkdir()
    for name in ("train", "t10k"):
        with gzip.open(folder / f"{name}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(bytes(8) + bytes([1, 2]))
        with gzip.open(folder / f"{name}-images-idx3-ubyte.gz", "wb") as file:
            file.write(bytes(16) + bytes(range(7)) * 224)
    (x, y), _ = datasets.fashion_mnist.load_data()
    assert x.shape == (2, 28, 28)
    assert y.tolist() == [1, 2]


def test_cifar(store: Path) -> None:
    data = np.arange(2 * 3072, dtype="uint8").reshape(2, 3072)
    ten, hundred = store / "cifar-10-batches-py", store / "cifar-100-python"
    ten.mkdir()
    hundred.mkdir()
    for name in [*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"]:
        (ten / name).write_bytes(pickle.dumps({b"data": data, b"labels": [1, 2]}, 2))
    for name in ("train", "test"):
        content = {b"data": data, b"fine_labels": [5, 6], b"coarse_labels": [0, 1]}
        (hundred / name).write_bytes(pickle.dumps(content, 2))
    (x, y), (test_x, _) = datasets.cifar10.load_data()
    assert x.shape == (10, 32, 32, 3)
    assert y.shape == (10, 1)
    np.testing.assert_array_equal(test_x, data.reshape(2, 3, 32, 32).transpose(0, 2, 3, 1))
    (_, y), _ = datasets.cifar100.load_data("coarse")
    assert y.tolist() == [[0], [1]]
    with pytest.raises(ValueError, match="label_mode"):
        datasets.cifar100.load_data("all")


def test_boston_housing(store: Path) -> None:
    np.savez(store / "boston_housing.npz", x=np.arange(20.0).reshape(10, 2), y=np.arange(10.0))
    (x, y), (test_x, _) = datasets.boston_housing.load_data()
    assert x.shape == (8, 2)
    assert test_x.shape == (2, 2)
    np.testing.assert_array_equal(x[:, 0], 2 * y)


def ragged(*lists: list[int]) -> Any:
    found = np.empty(len(lists), dtype=object)
    found[:] = lists
    return found


def test_texts(store: Path) -> None:
    texts, labels = ragged([1, 2, 3], [4], [1, 5]), np.array([0, 1, 1])
    np.savez(store / "imdb.npz", x_train=texts, y_train=labels, x_test=texts, y_test=labels)
    (x, y), (test_x, _) = datasets.imdb.load_data(num_words=6, seed=1)
    assert sorted(map(tuple, x)) == [(1, 2), (1, 4, 2), (1, 4, 5, 2)]
    assert sorted(y) == [0, 1, 1]
    assert len(test_x) == 3
    (x, _), _ = datasets.imdb.load_data(start_char=None, index_from=0, maxlen=3, oov_char=None, num_words=5)
    assert all(len(one) < 3 for one in x)
    with pytest.raises(ValueError, match="Increase maxlen"):
        datasets.imdb.load_data(maxlen=1)
    with pytest.raises(TypeError, match="Unrecognized"):
        datasets.imdb.load_data(words=3)
    np.savez(store / "reuters.npz", x=texts, y=labels)
    (x, _), (test_x, _) = datasets.reuters.load_data(test_split=0.4)
    assert (len(x), len(test_x)) == (1, 2)
    (store / "imdb_word_index.json").write_text(json.dumps({"the": 1}))
    assert datasets.imdb.get_word_index() == {"the": 1}


class Harmful:
    def __reduce__(self) -> Any:
        return print, ("run",)


def test_nothing_in_a_file_is_run(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(store / "imdb.npz", x_train=np.array([Harmful()]), y_train=np.zeros(1))
    with pytest.raises(pickle.UnpicklingError, match="print has no place in a file of data"):
        datasets.imdb.load_data()
    assert capsys.readouterr().out == ""
