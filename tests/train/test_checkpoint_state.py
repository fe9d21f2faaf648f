"""The state file, waiting for checkpoints, and removing them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tfbench as tf
from tests.data.make_checkpoints import FOLDER
from tfbench.train.checkpoint_state import meta_graph_filename, wait_for_new_checkpoint


def write(folder: Path, name: str) -> None:
    """A checkpoint of one variable, with the state file that names it."""
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(1.0, name="v")
        sess.run(v.initializer)
        tf.train.Saver().save(sess, str(folder / name), write_meta_graph=False)


def test_each_new_checkpoint_comes_once(tmp_path: Path) -> None:
    write(tmp_path, "a")
    asked: list[int] = []

    def give_up() -> bool:
        asked.append(len(asked))
        if len(asked) == 1:
            write(tmp_path, "b")
        return len(asked) > 1

    found = list(tf.train.checkpoints_iterator(str(tmp_path), timeout=0, timeout_fn=give_up))
    assert [os.path.basename(path) for path in found] == ["a", "b"]
    assert asked == [0, 1]


def test_waiting(tmp_path: Path) -> None:
    assert wait_for_new_checkpoint(str(tmp_path), timeout=0.05, seconds_to_sleep=0.01) is None
    write(tmp_path, "a")
    path = wait_for_new_checkpoint(str(tmp_path))
    assert path == str(tmp_path / "a")
    assert wait_for_new_checkpoint(str(tmp_path), path, timeout=0.02, seconds_to_sleep=0.01) is None


def test_a_folder_that_was_moved(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(1.0, name="v")
        sess.run(v.initializer)
        os.mkdir(tmp_path / "before")
        saver = tf.train.Saver(save_relative_paths=True)
        for step in range(2):
            saver.save(sess, str(tmp_path / "before" / "m"), step)
    os.rename(tmp_path / "before", tmp_path / "after")
    assert tf.train.latest_checkpoint(str(tmp_path / "after")) == str(tmp_path / "after" / "m-1")
    state = tf.train.get_checkpoint_state(tmp_path / "after")
    assert list(state.all_model_checkpoint_paths) == [str(tmp_path / "after" / f"m-{step}") for step in range(2)]


def test_a_state_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_bytes(b"\xff\xfe\x00")
    assert tf.train.get_checkpoint_state(str(tmp_path)) is None
    assert tf.train.latest_checkpoint(str(tmp_path)) is None


def test_names_with_wildcards_are_names(tmp_path: Path) -> None:
    write(tmp_path, "m[1]")
    write(tmp_path, "m1")
    assert tf.train.checkpoint_exists(str(tmp_path / "m[1]"))
    assert len(tf.train.get_checkpoint_mtimes([str(tmp_path / "m[1]")])) == 1
    tf.train.remove_checkpoint(str(tmp_path / "m[1]"))
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "m1.data-00000-of-00001", "m1.index"]


def test_removing_what_is_not_there(tmp_path: Path) -> None:
    tf.train.remove_checkpoint(str(tmp_path / "none"))
    tf.train.remove_checkpoint(str(tmp_path / "none"), tf.train.SaverDef.V1)


@pytest.mark.parametrize(
    ("checkpoint", "expected"),
    [("m-3", "m-3.meta"), ("a/m-?????-of-00002", "a/m.meta"), ("m-of-2", "m-of-2.meta")],
)
def test_where_the_meta_graph_is(checkpoint: str, expected: str) -> None:
    assert meta_graph_filename(checkpoint) == expected


def test_a_folder_stands_for_its_last_checkpoint() -> None:
    assert tf.train.load_variable(FOLDER, "scalar") == 2.5
    assert len(tf.train.list_variables(FOLDER)) == 19
