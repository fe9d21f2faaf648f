"""Paths are text, bytes (as `export_savedmodel` returns one) or objects for paths, wherever files are named."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tfbench as tf


@pytest.fixture
def model() -> Any:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [], name="x")
        v = tf.Variable(2.0, name="v")
        y = tf.add(x, v, name="y")
        sess.run(v.initializer)
        yield sess, x, v, y


@pytest.mark.parametrize("kind", [os.fsencode, str, Path])
def test_a_checkpoint(kind: Callable[[Any], Any], model: Any, tmp_path: Path) -> None:
    sess, _, v, _ = model
    saver = tf.train.Saver()
    assert saver.save(sess, kind(tmp_path / "c"), global_step=3) == str(tmp_path / "c-3")
    path = kind(tmp_path / "c-3")
    sess.run(v.assign(7.0))
    saver.restore(sess, path)
    assert sess.run(v) == 2.0
    assert tf.train.latest_checkpoint(kind(tmp_path)) == str(tmp_path / "c-3")
    assert tf.train.checkpoint_exists(path)
    assert len(tf.train.get_checkpoint_mtimes([path])) == 1
    assert tf.train.load_variable(path, "v") == 2.0
    with tf.Graph().as_default():
        assert tf.train.import_meta_graph(kind(tmp_path / "c-3.meta")) is not None


@pytest.mark.parametrize("kind", [os.fsencode, str, Path])
def test_object_based_checkpoints(kind: Callable[[Any], Any], model: Any, tmp_path: Path) -> None:
    sess, _, v, _ = model
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), kind(tmp_path / "m"), 2)
    with sess.as_default():
        assert manager.save() == str(tmp_path / "m" / "ckpt-1")
    assert manager.latest_checkpoint == str(tmp_path / "m" / "ckpt-1")


@pytest.mark.parametrize("kind", [os.fsencode, str, Path])
def test_a_saved_model_and_a_graph(kind: Callable[[Any], Any], model: Any, tmp_path: Path) -> None:
    sess, x, _, y = model
    folder = kind(tmp_path / "model")
    tf.saved_model.simple_save(sess, folder, {"x": x}, {"y": y})
    assert tf.saved_model.maybe_saved_model_directory(folder)
    with tf.Session(graph=tf.Graph()) as other:
        tf.saved_model.loader.load(other, ["serve"], folder)
        assert other.run("y:0", {"x:0": 1.0}) == 3.0
    assert tf.train.write_graph(sess.graph, kind(tmp_path), "g.pbtxt") == str(tmp_path / "g.pbtxt")
