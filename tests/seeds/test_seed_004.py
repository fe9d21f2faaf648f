"""Seed 004: get_variable or Variable. Every example and every claim of the document."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import tfbench as tf

VARIABLE = (
    "initial_value", "trainable", "collections", "validate_shape", "caching_device", "name", "variable_def", "dtype",
    "expected_shape", "import_scope",
)  # fmt: skip
GET_VARIABLE = (
    "name", "shape", "dtype", "initializer", "regularizer", "trainable", "collections", "caching_device", "partitioner",
    "validate_shape", "use_resource", "custom_getter",
)  # fmt: skip


def is_subsequence(wanted: tuple[str, ...], found: list[str]) -> bool:
    rest = iter(found)
    return all(name in rest for name in wanted)


# ---- the two signatures


def test_variable_has_the_arguments_of_the_document_in_its_order() -> None:
    parameters = [name for name in inspect.signature(tf.Variable).parameters if name != "self"]
    assert is_subsequence(VARIABLE, parameters), parameters


def test_get_variable_has_the_arguments_of_the_document_in_its_order() -> None:
    parameters = list(inspect.signature(tf.get_variable).parameters)
    assert is_subsequence(GET_VARIABLE, parameters), parameters


def test_variable_takes_every_argument_by_keyword() -> None:
    v = tf.Variable(
        initial_value=[1, 2],
        trainable=False,
        collections=["mine"],
        validate_shape=True,
        caching_device="/cpu:0",
        name="v",
        variable_def=None,
        dtype=tf.float32,
        expected_shape=[2],
        import_scope=None,
    )
    assert v.name == "v:0"
    assert v.dtype.base_dtype == tf.float32
    assert tf.trainable_variables() == []
    assert tf.global_variables() == []
    assert tf.get_collection("mine") == [v]
    assert v.value().device == "/device:CPU:0"


def test_variable_takes_the_arguments_by_position_as_the_document_lists_them() -> None:
    v = tf.Variable([1, 2], True, ["mine"], True, "/cpu:0", "v", None, tf.float32, None, None)
    assert v.name == "v:0"
    assert v.dtype.base_dtype == tf.float32
    assert tf.get_collection("mine") == [v]
    assert tf.trainable_variables() == [v]


def test_get_variable_takes_every_argument_by_keyword() -> None:
    v = tf.get_variable(
        name="v",
        shape=[2],
        dtype=tf.float64,
        initializer=tf.constant_initializer(3.0),
        regularizer=lambda value: tf.reduce_sum(value, name="penalty"),
        trainable=True,
        collections=None,
        caching_device="/cpu:0",
        partitioner=None,
        validate_shape=True,
        use_resource=False,
        custom_getter=lambda getter, name, *args, **kwargs: getter(name, *args, **kwargs),
    )
    assert v.name == "v:0"
    assert v.dtype.base_dtype == tf.float64
    assert [t.name for t in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)] == ["v/Regularizer/penalty:0"]
    with tf.Session() as session:
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(v), [3.0, 3.0])


def test_get_variable_takes_the_arguments_by_position_as_the_document_lists_them() -> None:
    v = tf.get_variable(
        "v", [2], tf.float64, tf.zeros_initializer(), None, False, ["mine"], None, None, True, None, None
    )
    assert v.dtype.base_dtype == tf.float64
    assert tf.trainable_variables() == []
    assert tf.get_collection("mine") == [v]


def test_the_defaults_are_those_of_the_document() -> None:
    made, got = inspect.signature(tf.Variable).parameters, inspect.signature(tf.get_variable).parameters
    assert made["validate_shape"].default is True
    assert got["validate_shape"].default is True
    assert all(made[name].default is None for name in VARIABLE if name not in ("trainable", "validate_shape"))
    assert all(got[name].default is None for name in GET_VARIABLE[1:] if name not in ("trainable", "validate_shape"))
    v, w = tf.Variable(1.0), tf.get_variable("w", [])
    assert tf.trainable_variables() == [v, w]  # trainable=True, or None for the same


# ---- what the two do about a name that is taken


def test_variable_resolves_a_name_conflict_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    a1 = tf.Variable(0, name="a1")
    a2 = tf.Variable(1, name="a1")
    print(a1.name)
    print(a2.name)
    assert capsys.readouterr().out.split() == ["a1:0", "a1_1:0"]


def test_get_variable_does_not_resolve_the_conflict_but_raises() -> None:
    tf.get_variable("a1", 0)
    with pytest.raises(
        ValueError, match=re.escape("Variable a1 already exists, disallowed. Did you mean to set reuse=True")
    ) as caught:
        tf.get_variable("a1", 0)
    assert "VarScope" in str(caught.value)


def test_a_conflict_leaves_the_first_variable_as_it_was() -> None:
    a1 = tf.get_variable("a1", 0)
    with pytest.raises(ValueError, match="already exists"):
        tf.get_variable("a1", 0)
    assert tf.global_variables() == [a1]


# ---- sharing


def test_get_variable_returns_the_object_that_is_there_and_variable_makes_a_new_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with tf.variable_scope("scope1"):
        w1 = tf.get_variable("w1", shape=[])
        w2 = tf.Variable(0.0, name="w2")
    with tf.variable_scope("scope1", reuse=True):
        w1_p = tf.get_variable("w1", shape=[])
        w2_p = tf.Variable(1.0, name="w2")

    print((w1 is w1_p, w2 is w2_p))

    assert capsys.readouterr().out.strip() == "(True, False)"


def test_the_new_variable_lives_under_a_new_name() -> None:
    with tf.variable_scope("scope1"):
        tf.get_variable("w1", shape=[])
        w2 = tf.Variable(0.0, name="w2")
    with tf.variable_scope("scope1", reuse=True):
        w2_p = tf.Variable(1.0, name="w2")
    assert (w2.name, w2_p.name) == ("scope1/w2:0", "scope1_1/w2:0")
    assert [v.name for v in tf.global_variables()] == ["scope1/w1:0", "scope1/w2:0", "scope1_1/w2:0"]


def test_where_nothing_is_there_yet_get_variable_creates() -> None:
    with tf.variable_scope("scope1"):
        assert tf.global_variables() == []
        w1 = tf.get_variable("w1", shape=[])
    assert tf.global_variables() == [w1]


def test_variables_of_tf_variable_cannot_be_shared_by_name() -> None:
    with tf.variable_scope("scope1"):
        tf.Variable(0.0, name="w2")
    with tf.variable_scope("scope1", reuse=True), pytest.raises(ValueError, match="scope1/w2 does not exist"):
        tf.get_variable("w2", shape=[])


def test_what_is_done_to_the_shared_variable_shows_in_both() -> None:
    with tf.variable_scope("scope1"):
        w1 = tf.get_variable("w1", shape=[])
    with tf.variable_scope("scope1", reuse=True):
        w1_p = tf.get_variable("w1", shape=[])
    with tf.Session() as session:
        session.run(w1.assign(7.0))
        assert session.run(w1_p) == 7.0


def test_apart_from_that_the_two_are_used_the_same_way() -> None:
    made = tf.Variable([1.0, 2.0], name="made")
    got = tf.get_variable("got", initializer=[1.0, 2.0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for v in (made, got):
            np.testing.assert_array_equal(session.run(v * 2.0), [2.0, 4.0])
            np.testing.assert_array_equal(session.run(v.assign_add([1.0, 1.0])), [2.0, 3.0])
            np.testing.assert_array_equal(v.eval(), [2.0, 3.0])


# ---- name_scope and variable_scope, which the document's title and last heading set side by side


def test_a_variable_scope_renames_both_kinds_of_variables() -> None:
    with tf.variable_scope("s"):
        assert tf.get_variable("got", []).name == "s/got:0"
        assert tf.Variable(0.0, name="made").name == "s/made:0"


def test_a_name_scope_renames_variable_but_not_get_variable() -> None:
    with tf.name_scope("s"):
        assert tf.get_variable("got", []).name == "got:0"
        assert tf.Variable(0.0, name="made").name == "s/made:0"
