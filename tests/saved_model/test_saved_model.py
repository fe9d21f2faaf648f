"""SavedModels that are damaged or incomplete; what `tests/oracle/programs/saved_model.py` does not show."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import tfbench as tf


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """y = 2 x + 1, written by simple_save."""
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None], name="x")
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(2.0))
        sess.run(w.initializer)
        tf.saved_model.simple_save(sess, tmp_path / "m", {"x": x}, {"y": tf.add(w * x, 1.0, name="y")})
    return tmp_path / "m"


def value(folder: Path, **options: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as sess:
        loaded = tf.saved_model.load(sess, ["serve"], folder, **options)
        signature = loaded.signature_def["serving_default"]
        scope = options.get("import_scope")
        x, y = (
            tf.saved_model.get_tensor_from_tensor_info(info, import_scope=scope)
            for info in (signature.inputs["x"], signature.outputs["y"])
        )
        return sess.run(y, {x: [3.0]}).tolist()


def test_it_computes_what_was_saved(model: Path) -> None:
    assert value(model) == value(model, import_scope="inside") == value(model, clear_devices=True) == [7.0]
    assert tf.saved_model.contains_saved_model(model)


def test_a_damaged_message(model: Path) -> None:
    path = model / "saved_model.pb"
    path.write_bytes(b"\xff" + path.read_bytes())
    with pytest.raises(OSError, match=r"saved_model\.pb"):
        value(model)


def test_values_that_are_gone_or_damaged(model: Path) -> None:
    data = model / "variables" / "variables.data-00000-of-00001"
    data.write_bytes(b"\0" * data.stat().st_size)
    with pytest.raises(tf.errors.DataLossError, match="w"):
        value(model)
    shutil.rmtree(model / "variables")
    with pytest.raises(ValueError, match="not a valid checkpoint"):
        value(model)


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(AssertionError, match="already exists, and isn't empty"):
        tf.saved_model.Builder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        value(tmp_path)


def test_an_export_that_fails_is_no_saved_model(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        with pytest.raises(tf.errors.FailedPreconditionError, match="w"):
            tf.saved_model.simple_save(sess, tmp_path / "m", {"w": w}, {"w": w})
    assert not tf.saved_model.contains_saved_model(tmp_path / "m")


def test_an_asset_that_is_not_there(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        missing = tf.constant(str(tmp_path / "none.txt"))
        builder = tf.saved_model.Builder(tmp_path / "m")
        with pytest.raises(tf.errors.NotFoundError, match=r"none\.txt"):
            builder.add_meta_graph_and_variables(sess, ["serve"], assets_collection=[missing])
