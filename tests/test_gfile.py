"""`tf.gfile`, `tf.io.gfile`, `tf.resource_loader`, `tf.sysconfig`: files of this machine with TensorFlow's errors."""

from __future__ import annotations

import errno
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.gfile import file as gfile_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """two/, two/inner/, two/data (3 bytes), text (two lines)."""
    (tmp_path / "two" / "inner").mkdir(parents=True)
    (tmp_path / "two" / "data").write_bytes(b"\x00\xff\x01")
    (tmp_path / "text").write_text("héllo\nworld\n", encoding="utf-8")
    return tmp_path


def put(path: Path, content: Any, mode: str = "w") -> None:
    with tf.gfile.GFile(str(path), mode) as file:
        file.write(content)


def test_reading(folder: Path) -> None:
    path = str(folder / "text")
    assert tf.gfile.GFile(path).read() == "héllo\nworld\n"
    assert tf.gfile.FastGFile(path, "rb").read() == b"h\xc3\xa9llo\nworld\n"
    assert tf.gfile.Open(path).read(3) == "hé"
    assert tf.gfile.GFile(path).read(2) == "hé"  # a character is not cut in two
    assert tf.gfile.GFile(path, "rb").read(2) == b"h\xc3"
    assert tf.gfile.GFile(path).readlines() == list(tf.gfile.GFile(path)) == ["héllo\n", "world\n"]
    assert list(tf.gfile.GFile(path, "rb")) == [b"h\xc3\xa9llo\n", b"world\n"]
    file = tf.gfile.GFile(path)
    assert (file.readline(), file.next(), file.readline(), file.read()) == ("héllo\n", "world\n", "", "")
    file.close()
    file.close()
    assert file.read(1) == "h"  # begins anew
    with pytest.raises(UnicodeDecodeError):
        tf.gfile.GFile(str(folder / "two" / "data")).read()


def test_positions(folder: Path) -> None:
    with tf.gfile.GFile(folder / "text") as file:
        assert (file.size(), file.tell(), file.seekable(), file.mode) == (13, 0, True, "r")
        file.seek(7)
        assert file.read(2) == "wo"
        file.seek(offset=-3, whence=2)
        assert file.read() == "ld\n"
        file.seek(position=7)
        file.seek(1, 1)
        assert file.tell() == 8
        with pytest.raises(tf.errors.InvalidArgumentError, match="negative position: -3"):
            file.seek(-3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid whence argument: 5"):
            file.seek(0, 5)
        with pytest.raises(TypeError, match="offset argument required"):
            file.seek()


def test_writing(folder: Path) -> None:
    path = folder / "new"
    put(path, "ü")
    put(path, b"\xff", "ab")
    put(path, "plain", "a")
    assert path.read_bytes() == b"\xc3\xbc\xffplain"
    file = tf.gfile.GFile(str(path), "w+")
    file.write("abc")
    file.flush()
    assert (file.size(), file.tell(), path.read_text()) == (3, 3, "abc")
    file.seek(1)
    assert file.read() == "bc"
    file.close()
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        put(path, 3)
    with tf.gfile.GFile(str(path), "wb") as out:
        np.save(out, np.arange(3))
        pickle.dump({"a": 1}, out)
    with tf.gfile.GFile(str(path), "rb") as again:
        np.testing.assert_array_equal(np.load(again), [0, 1, 2])
        assert pickle.load(again) == {"a": 1}


def test_files_that_cannot_be_opened(folder: Path) -> None:
    missing = tf.gfile.GFile(str(folder / "missing"))  # opened when it is used
    with pytest.raises(tf.errors.NotFoundError, match=r"missing; No such file or directory"):
        missing.read()
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        tf.gfile.GFile(str(folder)).read()
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        put(folder / "no" / "file", "x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is not 'r' or 'w'"):
        tf.gfile.GFile("x", "q")
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for writing"):
        tf.gfile.GFile(str(folder / "text")).write("x")
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for reading"):
        tf.gfile.GFile(str(folder / "text"), "a").read()


def test_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, data: bytes) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(gfile_file, "open", lambda path, mode: Full(), raising=False)
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"full; No space left"):
        tf.gfile.GFile(str(folder / "full"), "w").write("x")


def test_looking(folder: Path) -> None:
    gfile = tf.gfile
    inside = str(folder / "two")
    assert (gfile.Exists(inside), gfile.Exists(filename=folder / "text"), gfile.Exists("")) == (True, True, False)
    assert (gfile.IsDirectory(inside), gfile.IsDirectory(dirname=str(folder / "text"))) == (True, False)
    assert gfile.ListDirectory(str(folder)) == ["text", "two"]
    assert gfile.Glob(f"{folder}/t*") == [f"{folder}/text", f"{folder}/two"]
    assert gfile.Glob([f"{folder}/*/d*", f"{folder}/te[xy]t"]) == [f"{folder}/two/data", f"{folder}/text"]
    assert gfile.Glob("/nowhere/*") == []
    found = gfile.Stat(f"{folder}/two/data")
    assert (found.length, found.is_directory, gfile.Stat(inside).is_directory) == (3, False, True)
    assert found.mtime_nsec > 1e18
    walked = [(str(folder), ["two"], ["text"]), (inside, ["inner"], ["data"]), (f"{inside}/inner", [], [])]
    assert list(gfile.Walk(str(folder))) == walked
    assert list(gfile.Walk(str(folder), in_order=False)) == walked[::-1]
    assert list(gfile.Walk("/nowhere")) == []
    for call in (gfile.ListDirectory, gfile.Stat):
        with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
            call(f"{folder}/nowhere")


def test_making_and_removing(folder: Path) -> None:
    gfile = tf.gfile
    for _ in range(2):
        gfile.MkDir(f"{folder}/m")
        gfile.MakeDirs(f"{folder}/a/b/c")
    with pytest.raises(tf.errors.NotFoundError):
        gfile.MkDir(f"{folder}/x/y")
    for path in ("text", "text/below", "text/far/below"):
        with pytest.raises(tf.errors.FailedPreconditionError, match="text is not a directory"):
            gfile.MakeDirs(f"{folder}/{path}")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        gfile.Remove(f"{folder}/a")
    gfile.DeleteRecursively(f"{folder}/a")
    gfile.DeleteRecursively(f"{folder}/text")
    gfile.Remove(f"{folder}/two/data")
    assert gfile.ListDirectory(str(folder)) == ["m", "two"]
    for call in (gfile.Remove, gfile.DeleteRecursively):
        with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
            call(f"{folder}/nowhere")


def test_removing_a_link_leaves_what_it_shows(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "two")
    tf.gfile.DeleteRecursively(str(folder / "link"))
    assert (folder / "two" / "data").exists()


def test_copying_and_renaming(folder: Path) -> None:
    gfile, text = tf.gfile, f"{folder}/text"
    gfile.Copy(text, f"{folder}/copy")
    for call in (gfile.Copy, gfile.Rename):
        with pytest.raises(tf.errors.AlreadyExistsError, match="file already exists"):
            call(text, f"{folder}/copy")
        with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
            call(f"{folder}/nowhere", f"{folder}/other")
    put(folder / "copy", "changed")
    gfile.Copy(f"{folder}/copy", text, overwrite=True)
    gfile.Copy(text, text, overwrite=True)
    assert (folder / "text").read_text() == "changed"
    gfile.Rename(f"{folder}/copy", text, overwrite=True)
    gfile.Rename(f"{folder}/two", f"{folder}/three")
    assert gfile.ListDirectory(str(folder)) == ["text", "three"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="three is a directory"):
        gfile.Copy(f"{folder}/three", f"{folder}/four")


def test_newer_names(folder: Path) -> None:
    new = tf.io.gfile
    assert new.GFile is tf.gfile.GFile
    assert new.exists(new.join(str(folder), "two", "data"))
    assert [name for name in dir(new) if name in ("copy", "rmtree", "walk", "makedirs")] == [
        "copy", "makedirs", "rmtree", "walk",
    ]  # fmt: skip
    from tfbench.python.platform import flags, gfile, tf_logging

    assert (gfile, flags, tf_logging) == (tf.gfile, tf.flags, tf.logging)


def test_files_beside_the_program() -> None:
    here = Path(__file__).resolve()
    assert tf.resource_loader.get_data_files_path() == str(here.parent)
    assert tf.resource_loader.get_path_to_datafile("a/b") == str(here.parent / "a/b")
    assert tf.resource_loader.load_resource(here.name) == here.read_bytes()
    assert tf.resource_loader.get_root_dir_with_all_resources() == str(here.parent)
    assert tf.resource_loader.readahead_file_path("x") == "x"
    with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
        tf.resource_loader.load_resource("nowhere")


def test_what_is_built() -> None:
    assert Path(tf.sysconfig.get_lib()) == Path(tf.__file__).parent
    assert not Path(tf.sysconfig.get_include()).exists()
    assert tf.sysconfig.get_compile_flags() == tf.sysconfig.get_link_flags() == []
    assert not tf.sysconfig.get_build_info()["is_cuda_build"]
