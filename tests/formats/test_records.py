"""Files of records: what is read is what was written; damage and full disks are said with file and place."""

from __future__ import annotations

import errno
import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfbench as tf
from tfbench.formats import records

KINDS = ["", "ZLIB", "GZIP"]


def write(path: Path, items: list[bytes], options: Any = None) -> None:
    with tf.python_io.TFRecordWriter(path, options) as writer:
        for item in items:
            writer.write(item)


def read(path: Path, options: Any = None) -> list[bytes]:
    return list(tf.python_io.tf_record_iterator(path, options))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.binary(max_size=3000), max_size=20), st.sampled_from(KINDS))
def test_what_is_read_is_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, items: list[bytes], kind: str
) -> None:
    path = tmp_path_factory.mktemp("records") / "r"
    write(path, items, tf.python_io.TFRecordOptions(kind))
    assert read(path, tf.python_io.TFRecordOptions(kind)) == items


@pytest.mark.parametrize("kind", KINDS)
def test_records_larger_than_what_is_read_at_a_time(tmp_path: Path, kind: str) -> None:
    items = [os.urandom(700_000), b"small", os.urandom(3), bytes(1 << 20)]
    write(tmp_path / "r", items, kind)
    assert read(tmp_path / "r", tf.python_io.TFRecordOptions(kind)) == items


def test_gzip_members_one_after_the_other(tmp_path: Path) -> None:
    data = records.frame(b"one"), records.frame(b"two")
    (tmp_path / "r").write_bytes(gzip.compress(data[0]) + gzip.compress(data[1]))
    assert read(tmp_path / "r", tf.python_io.TFRecordOptions("GZIP")) == [b"one", b"two"]


@pytest.mark.parametrize("where", [0, 7, 8, 11])
def test_a_damaged_length(tmp_path: Path, where: int) -> None:
    """It asks for no memory, whatever it says, and is told from a file of another kind."""
    good = records.frame(b"first")
    bad = bytearray(records.frame(b"second"))
    bad[where] ^= 0x40
    path = tmp_path / "name"
    path.write_bytes(good + bytes(bad))
    iterator = tf.python_io.tf_record_iterator(path)
    assert next(iterator) == b"first"
    with pytest.raises(tf.errors.DataLossError, match=rf"corrupted record at {len(good)} in .*name: the length"):
        next(iterator)
    path.write_bytes(bytes(bad))
    with pytest.raises(tf.errors.DataLossError, match=r"corrupted record at 0 in .*Is this even a TFRecord file\?"):
        read(path)


def test_damaged_data_and_a_record_cut_off(tmp_path: Path) -> None:
    good, path = records.frame(b"first"), tmp_path / "name"
    bad = bytearray(records.frame(b"second"))
    bad[14] ^= 1
    path.write_bytes(good + bytes(bad))
    at = len(good) + 12
    with pytest.raises(tf.errors.DataLossError, match=rf"corrupted record at {at} in .*name: the 6 bytes"):
        read(path)
    path.write_bytes(good + records.frame(b"second")[:-2])
    with pytest.raises(
        tf.errors.DataLossError, match=rf"truncated record at {len(good)} in .*name: it has 22 bytes, of"
    ):
        read(path)


def test_a_file_that_is_not_compressed_as_it_is_said(tmp_path: Path) -> None:
    write(tmp_path / "name", [b"x"])
    with pytest.raises(tf.errors.DataLossError, match="name cannot be unpacked as GZIP"):
        read(tmp_path / "name", tf.python_io.TFRecordOptions("GZIP"))


def test_a_reader_that_knows_where_it_is(tmp_path: Path) -> None:
    write(tmp_path / "r", [b"one", b"three"])
    reader = records.RecordReader(str(tmp_path / "r"))
    places = [reader.offset]
    while reader.read() is not None:
        places.append(reader.offset)
    reader.close()
    assert places == [0, 19, 40]


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """What was written in part is cut off, and written whole when there is room again."""
    room, real = [10], os.write

    def limited(file: int, data: Any) -> int:
        if room[0] <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = real(file, data[: room[0]])
        room[0] -= written
        return written

    monkeypatch.setattr(records.os, "write", limited)
    writer = tf.python_io.TFRecordWriter(tmp_path / "r", tf.python_io.TFRecordOptions(kind))
    writer.write(b"one" * 50)
    for _ in range(2):
        with pytest.raises(tf.errors.ResourceExhaustedError, match=f"{tmp_path.name}"):
            writer.flush()
    room[0] = 1 << 20
    writer.write(b"two")
    writer.close()
    assert read(tmp_path / "r", tf.python_io.TFRecordOptions(kind)) == [b"one" * 50, b"two"]


def test_what_is_no_record(tmp_path: Path) -> None:
    with tf.python_io.TFRecordWriter(tmp_path / "r") as writer:
        with pytest.raises(TypeError, match=r"not Example; serialise the message with SerializeToString\(\)"):
            writer.write(tf.train.Example())
        with pytest.raises(TypeError, match="not list"):
            writer.write([b"a"])
        writer.write(memoryview(b"abc"))
    with pytest.raises(tf.errors.FailedPreconditionError, match="Writer is closed"):
        writer.write(b"late")
    assert read(tmp_path / "r") == [b"abc"]


def test_newer_names() -> None:
    assert tf.io.TFRecordWriter is tf.python_io.TFRecordWriter
    assert tf.io.tf_record_iterator is tf.python_io.tf_record_iterator
    assert tf.io.FixedLenFeature is tf.FixedLenFeature
    assert tf.io.parse_example is tf.parse_example
    assert tf.io.decode_raw is tf.decode_raw
    assert callable(tf.io.parse_sequence_example)
    with pytest.raises(AttributeError, match=r"'tfbench\.io' has no attribute 'nothing'"):
        tf.io.nothing
    assert not hasattr(tf, "parse_sequence_example")


def test_parsing_loads_no_protobuf() -> None:
    text = """
import sys, tfbench as tf
from tfbench.formats.records import frame
feature = {"x": tf.VarLenFeature(tf.int64), "y": tf.FixedLenFeature([], tf.float32, 3.0)}
with tf.Session() as session:
    session.run(tf.parse_example([b""], feature))
print([name for name in sys.modules if name.startswith("google")])
"""
    said = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert said.stdout == "[]\n", said.stderr
