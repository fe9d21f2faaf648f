"""MNIST as the tutorials read it. The numbers are TensorFlow 1.15's for the same files and seeds."""

from __future__ import annotations

import gzip
import os
import struct

import numpy as np
import pytest

import tfbench as tf
from tfbench.examples.tutorials.mnist import input_data, mnist
from tfbench.formats import idx

NAMES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)


def idx_bytes(magic, array):
    return struct.pack(f">{1 + array.ndim}I", magic, *array.shape) + array.tobytes()


@pytest.fixture
def folder(tmp_path):
    random = np.random.RandomState(0)
    for count, names in ((20, NAMES[:2]), (8, NAMES[2:])):
        images = random.randint(0, 256, (count, 28, 28)).astype(np.uint8)
        labels = random.randint(0, 10, (count,)).astype(np.uint8)
        for name, magic, array in zip(names, (idx.IMAGES, idx.LABELS), (images, labels), strict=True):
            (tmp_path / name).write_bytes(gzip.compress(idx_bytes(magic, array)))
    return tmp_path


@pytest.fixture(autouse=True)
def _own_random_state():
    state = np.random.get_state()
    yield
    np.random.set_state(state)


def test_batches_are_tensorflow_s(folder, capsys):
    data = input_data.read_data_sets(str(folder), one_hot=True, validation_size=5, seed=3)
    assert (data.train.num_examples, data.validation.num_examples, data.test.num_examples) == (15, 5, 8)
    assert (data.train.images.shape, data.train.images.dtype) == ((15, 784), np.float32)
    assert (data.train.labels.shape, data.train.labels.dtype) == ((15, 10), np.float64)
    seen = []
    for _ in range(4):
        images, labels = data.train.next_batch(6)
        seen.append((float(images.sum()), labels.argmax(1).tolist(), data.train.epochs_completed))
    expected = [
        (2379.8472, [8, 1, 6, 5, 1, 9], 0),
        (2336.851, [6, 7, 6, 8, 2, 5], 0),
        (2358.7607, [5, 7, 0, 8, 6, 5], 1),
        (2381.5962, [7, 1, 6, 0, 5, 5], 1),
    ]
    for (total, labels, epochs), (total_wanted, labels_wanted, epochs_wanted) in zip(seen, expected, strict=True):
        assert total == pytest.approx(total_wanted, rel=1e-5)
        assert (labels, epochs) == (labels_wanted, epochs_wanted)
    images, labels = data.test.next_batch(3, shuffle=False)
    assert (float(images.sum()), labels.argmax(1).tolist()) == (pytest.approx(1175.9177, rel=1e-5), [4, 3, 8])
    assert capsys.readouterr().out.splitlines()[0] == f"Extracting {folder / NAMES[0]}"


def test_as_they_come(folder):
    data = input_data.read_data_sets(str(folder), reshape=False, validation_size=0, dtype=tf.uint8)
    assert (data.train.images.shape, data.train.images.dtype) == ((20, 28, 28, 1), np.uint8)
    assert data.train.labels[:4].tolist() == [8, 6, 1, 8]
    # A batch of more than there is: the rest of one epoch and all of the next.
    assert [len(data.train.next_batch(size)[0]) for size in (50, 30)] == [40, 20]


def test_fake_data(folder):
    data = input_data.read_data_sets(str(folder), fake_data=True)
    images, labels = data.train.next_batch(2, fake_data=True)
    assert (data.train.num_examples, len(images[0]), labels) == (10000, 784, [0, 0])


def test_fetches_what_is_not_there(folder, tmp_path_factory, capsys):
    target = tmp_path_factory.mktemp("target") / "new"
    data = input_data.read_data_sets(str(target), validation_size=2, source_url=folder.as_uri() + "/")
    assert data.train.num_examples == 18
    assert sorted(os.listdir(target)) == sorted(NAMES)
    assert capsys.readouterr().out.count("Successfully downloaded") == 4


def test_a_file_that_cannot_be_fetched(tmp_path):
    with pytest.raises(tf.errors.UnavailableError, match=r"train-images.*could not be fetched.*Put the file"):
        input_data.read_data_sets(str(tmp_path), source_url=(tmp_path / "nowhere").as_uri() + "/")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"validation_size": 50}, ValueError, "Validation size should be between 0 and 20. Received: 50"),
        ({"validation_size": 5, "dtype": tf.float64}, TypeError, "Invalid image dtype tf.float64, expected uint8"),
    ],
)
def test_wrong_options(folder, options, error, message):
    with pytest.raises(error, match=message):
        input_data.read_data_sets(str(folder), **options)


def test_wrong_files(tmp_path):
    path = tmp_path / "x"
    images = np.zeros((2, 28, 28), np.uint8)
    for content, error, message in (
        (gzip.compress(idx_bytes(2050, images)), ValueError, "Invalid magic number 2050 in MNIST image file: .*x"),
        (idx_bytes(idx.IMAGES, images)[:-1], tf.errors.DataLossError, "was cut off"),
        (gzip.compress(idx_bytes(idx.IMAGES, images))[:-9], tf.errors.DataLossError, "cannot be unpacked"),
        (b"", ValueError, "Invalid magic number 0"),
    ):
        path.write_bytes(content)
        with open(path, "rb") as file, pytest.raises(error, match=message):
            input_data.extract_images(file)


def test_the_tutorial_s_model_learns(folder):
    data = input_data.read_data_sets(str(folder), validation_size=0, seed=1)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        images = tf.placeholder(tf.float32, [None, mnist.IMAGE_PIXELS])
        labels = tf.placeholder(tf.int32, [None])
        logits = mnist.inference(images, 16, 8)
        loss = mnist.loss(logits, labels)
        train = mnist.training(loss, 0.1)
        right = mnist.evaluation(logits, labels)
        session.run(tf.global_variables_initializer())
        feed = {images: data.train.images, labels: data.train.labels}
        before = session.run(loss, feed)
        for _ in range(60):
            session.run(train, feed)
        assert session.run(loss, feed) < 0.5 * before
        assert session.run(right, feed) > 10
        assert [variable.op.name for variable in tf.trainable_variables()][:2] == ["hidden1/weights", "hidden1/biases"]
        assert session.run("global_step:0") == 60
