"""`init_from_checkpoint`: what the initialisers then give. The nodes are in tests/oracle/programs/saver.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.data.make_checkpoints import FOLDER, PARTS

PATH = str(Path(FOLDER) / "sharded")


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as graph:
        yield graph


def initialized() -> list[Any]:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(tf.global_variables())


@pytest.mark.parametrize("use_resource", [False, True])
def test_values_come_from_the_checkpoint(use_resource: bool) -> None:
    with tf.variable_scope("new", use_resource=use_resource):
        second = tf.get_variable("second", [4])
        tf.get_variable("scalar", [])
    tf.train.init_from_checkpoint(PATH, {"/": "new/"})
    values = initialized()
    assert values[0].tolist() == [4.0, 3.0, 2.0, 1.0]
    assert values[1] == 2.5
    with tf.Session() as sess:
        sess.run(second.initializer)
        assert sess.run(second).tolist() == [4.0, 3.0, 2.0, 1.0]
        assert sess.run(second.initialized_value()).tolist() == [4.0, 3.0, 2.0, 1.0]


@pytest.mark.parametrize("slices", [1, 2, 3])
def test_slices_need_not_be_the_same(slices: int) -> None:
    partitioner = tf.fixed_size_partitioner(slices) if slices > 1 else None
    tf.get_variable("p", [6, 4], partitioner=partitioner)
    tf.train.init_from_checkpoint(PATH, {"parts": "p"})
    values = initialized()
    assert len(values) == slices
    np.testing.assert_array_equal(np.concatenate(values), PARTS)


def test_pairs_and_variables() -> None:
    a, b = tf.get_variable("a", [4]), tf.get_variable("b", [4])
    tf.train.init_from_checkpoint(PATH, [("second", a), ("second", b)])
    assert [value.tolist() for value in initialized()] == [[4.0, 3.0, 2.0, 1.0]] * 2


def test_what_is_wrong_changes_nothing() -> None:
    a = tf.get_variable("a", [4], initializer=tf.zeros_initializer())
    for wrong in ({"second": "none"}, {"none": "a"}, {"parts": a}, {"none/": "/"}):
        with pytest.raises(ValueError):
            tf.train.init_from_checkpoint(PATH, wrong)
    assert initialized()[0].tolist() == [0.0] * 4


def test_a_checkpoint_that_is_gone_when_it_is_needed(tmp_path: Path) -> None:
    a = tf.get_variable("a", [2], initializer=tf.ones_initializer())
    with tf.Session() as sess:
        sess.run(a.initializer)
        path = tf.train.Saver().save(sess, str(tmp_path / "m"))
    tf.train.init_from_checkpoint(path, {"a": a})
    tf.train.remove_checkpoint(path)
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files for"):
        initialized()
