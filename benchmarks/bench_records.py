"""Records of files and the Example messages in them: written, read, taken apart."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks.case import Case, Suite, session

Make = Callable[[Any, int], Callable[[], object]]

_RECORDS = 1_000


def _example(tf: Any, number: int) -> bytes:
    """A message as image data sets have it: a label, four floats, some bytes, and a list of any length."""
    feature = {
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[number % 10])),
        "box": tf.train.Feature(float_list=tf.train.FloatList(value=[0.1, 0.2, 0.3, 0.4])),
        "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes(range(200))])),
        "words": tf.train.Feature(int64_list=tf.train.Int64List(value=range(number % 7))),
    }
    message: bytes = tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
    return message


def _features(tf: Any) -> dict[str, Any]:
    return {
        "label": tf.FixedLenFeature([], tf.int64),
        "box": tf.FixedLenFeature([4], tf.float32),
        "image": tf.FixedLenFeature([], tf.string),
        "words": tf.VarLenFeature(tf.int64),
    }


def _file(tf: Any, size: int = 0, count: int = _RECORDS) -> str:
    """A file of records: of so many bytes each, or Examples."""
    path = f"{tempfile.mkdtemp()}/records"
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(count):
            writer.write(bytes(size) if size else _example(tf, number))
    return path


def _write(size: int, count: int) -> Make:
    def make(tf: Any, threads: int) -> Callable[[], object]:
        path, record = f"{tempfile.mkdtemp()}/records", bytes(range(256)) * (size // 256) + bytes(size % 256)

        def run() -> None:
            with tf.python_io.TFRecordWriter(path) as writer:
                for _ in range(count):
                    writer.write(record)

        return run

    return make


def _iterate(size: int, count: int) -> Make:
    def make(tf: Any, threads: int) -> Callable[[], object]:
        path = _file(tf, size, count)

        def run() -> None:
            for _ in tf.python_io.tf_record_iterator(path):
                pass

        return run

    return make


def _through(tf: Any, threads: int, dataset: Any, steps: int) -> Callable[[], object]:
    iterator = tf.data.make_initializable_iterator(dataset)
    element, running = iterator.get_next(), session(tf, threads)

    def run() -> None:
        running.run(iterator.initializer)
        for _ in range(steps):
            running.run(element)

    return run


def _dataset(tf: Any, threads: int) -> Callable[[], object]:
    return _through(tf, threads, tf.data.TFRecordDataset(_file(tf, 300)).batch(100), _RECORDS // 100)


def _parsed_batches(tf: Any, threads: int) -> Callable[[], object]:
    dataset = tf.data.TFRecordDataset(_file(tf)).batch(100)
    return _through(tf, threads, dataset.map(lambda batch: tf.parse_example(batch, _features(tf))), _RECORDS // 100)


def _parsed_one_by_one(tf: Any, threads: int) -> Callable[[], object]:
    dataset = tf.data.TFRecordDataset(_file(tf))

    def parse(record: Any) -> Any:
        features = _features(tf)
        del features["words"]  # sparse tensors of one example do not make a batch
        return tf.parse_single_example(record, features)

    return _through(tf, threads, dataset.map(parse).batch(100), _RECORDS // 100)


def _parse(tf: Any, threads: int) -> Callable[[], object]:
    import numpy as np

    serialized = np.array([_example(tf, number) for number in range(100)], object)
    given, running = tf.placeholder(tf.string, [None]), session(tf, threads)
    return _fed(running, list(tf.parse_example(given, _features(tf)).values()), given, serialized)


def _parse_single(tf: Any, threads: int) -> Callable[[], object]:
    given, running = tf.placeholder(tf.string, []), session(tf, threads)
    return _fed(running, list(tf.parse_single_example(given, _features(tf)).values()), given, _example(tf, 5))


def _fed(running: Any, fetches: Any, given: Any, value: Any) -> Callable[[], object]:
    return lambda: running.run(fetches, {given: value})


SUITE = Suite(
    "Records and Examples",
    [
        Case("write 1,000 records of 300 B", _write(300, _RECORDS), work=_RECORDS, unit="records"),
        Case("write 100 records of 100 kB", _write(100_000, 100), work=1e7, unit="B"),
        Case("go through 1,000 records of 300 B", _iterate(300, _RECORDS), work=_RECORDS, unit="records"),
        Case("go through 100 records of 100 kB", _iterate(100_000, 100), work=1e7, unit="B"),
        Case("TFRecordDataset, 1,000 records of 300 B", _dataset, work=_RECORDS, unit="records"),
        Case("the same parsed, 100 at a time", _parsed_batches, work=_RECORDS, unit="records"),
        Case("the same parsed one by one", _parsed_one_by_one, work=_RECORDS, unit="records"),
        Case("parse_example of 100", _parse, work=100, unit="records"),
        Case("parse_single_example", _parse_single, work=1, unit="records"),
    ],
)
