"""`explain.checkpoint`: a checkpoint against a graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tfbench as tf
from tests.data.make_checkpoints import FOLDER
from tfbench.explain.checkpoints import tensors

RECORDED = str(Path(FOLDER) / "sharded")  # 'parts' (6, 4), 'scalar' (), 'second' (4,), all float32


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


def test_all_that_can_be(graph: Any) -> None:
    tf.get_variable("parts", [6, 4], partitioner=tf.fixed_size_partitioner(2))
    tf.get_variable("scalar", [2])
    tf.get_variable("tower/second", [4])
    tf.get_variable("unlike", [9])
    tf.get_variable("mine", [4], collections=[tf.GraphKeys.LOCAL_VARIABLES])
    report = tf.explain.checkpoint(RECORDED)
    assert [(row.name, row.state) for row in report] == [
        ("parts", "matching"),
        ("scalar", "mismatched"),
        ("second", "only in checkpoint"),
        ("tower/second", "only in graph"),
        ("unlike", "only in graph"),
    ]
    scalar = report.mismatched["scalar"]
    assert (scalar.checkpoint_shape, scalar.graph_shape, scalar.checkpoint_dtype) == ((), (2,), "float32")
    assert report.only_in_graph["tower/second"].near == ("second",)
    assert report.only_in_checkpoint["second"].near == ("tower/second",)
    assert report.only_in_graph["unlike"].near == ()
    assert report.matching[0].graph_shape == (6, 4)
    assert not report.restorable
    assert report.moved == {}


def test_the_text_is_stable(graph: Any) -> None:
    tf.get_variable("net/second", [4])
    tf.get_variable("net/scalar", [])
    tf.get_variable("parts", [6, 4], tf.int32)
    report = tf.explain.checkpoint(RECORDED, graph)
    assert str(report) == (
        "name                            in the checkpoint  in the graph  near\n"
        "net/scalar  only in graph       -                  float32 ()    scalar\n"
        "net/second  only in graph       -                  float32 (4,)  second\n"
        "parts       mismatched          float32 (6, 4)     int32 (6, 4)  -\n"
        "scalar      only in checkpoint  float32 ()         -             net/scalar\n"
        "second      only in checkpoint  float32 (4,)       -             net/second\n"
        "5 names: 1 mismatched, 2 only in checkpoint, 2 only in graph\n"
        "the same tensors in another scope: tf.train.init_from_checkpoint(path, {'/': 'net/'})"
    )
    assert "net/second" in report._repr_html_()
    json.dumps(report.to_dict())
    assert report.to_dict()["moved"] == {"/": "net/"}


def test_what_fits_can_be_restored(graph: Any) -> None:
    tf.get_variable("second", [4], use_resource=True)
    tf.Variable(tf.placeholder(tf.float32), validate_shape=False, name="scalar")
    report = tf.explain.checkpoint(RECORDED)
    assert report.restorable
    assert [row.name for row in report.matching] == ["scalar", "second"]
    assert report.matching["scalar"].graph_shape is None


def test_a_graph_without_variables(graph: Any) -> None:
    report = tf.explain.checkpoint(FOLDER)
    assert len(report.only_in_checkpoint) == len(report) == 19
    assert report.restorable


def test_many_names_are_compared_in_little_time(graph: Any, tmp_path: Path) -> None:
    with tf.Session() as sess:
        for number in range(400):
            tf.Variable(1.0, name=f"old/layer{number}/weights")
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, str(tmp_path / "m"), write_meta_graph=False)
    with tf.Graph().as_default():
        for number in range(400):
            tf.Variable(1.0, name=f"new/layer{number}/weights")
        report = tf.explain.checkpoint(path)
        assert report.moved == {"old/": "new/"}
        assert report.only_in_graph["new/layer399/weights"].near[0] == "old/layer399/weights"


def test_tensors() -> None:
    rows = tensors(str(Path(FOLDER) / "mixed"))
    assert rows["words"].bytes is None
    assert rows["kinds/complex128"]._asdict() == {
        "name": "kinds/complex128",
        "shape": (2, 3),
        "dtype": "complex128",
        "bytes": 96,
    }


def test_what_is_not_there(graph: Any, tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        tf.explain.checkpoint(str(tmp_path / "none"))
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.explain.checkpoint(str(tmp_path))
