"""Partial runs: beside other runs, after errors, and what they leave behind."""

from __future__ import annotations

import numpy as np
import pytest

import tfbench as tf


@pytest.fixture(autouse=True)
def graph() -> object:
    with tf.Graph().as_default() as graph:
        yield graph


def test_a_failed_partial_run_is_over_and_others_go_on() -> None:
    a = tf.placeholder(tf.float32, [])
    checked = tf.check_numerics(a, "not a number")
    with tf.Session() as session:
        bad, good = session.partial_run_setup([checked], [a]), session.partial_run_setup([checked], [a])
        with pytest.raises(tf.errors.InvalidArgumentError, match="not a number"):
            session.partial_run(bad, checked, {a: np.nan})
        with pytest.raises(tf.errors.InvalidArgumentError, match="setup"):
            session.partial_run(bad, checked)
        assert session.partial_run(good, checked, {a: 2.0}) == 2.0
        assert session.run(checked, {a: 3.0}) == 3.0


def test_a_refused_call_changes_nothing() -> None:
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    total = a + b
    with tf.Session() as session:
        handle = session.partial_run_setup([total], [a, b])
        with pytest.raises(ValueError, match="shape"):
            session.partial_run(handle, total, {a: [1.0, 2.0]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Placeholder_1:0"):
            session.partial_run(handle, total, {a: 1.0})
        assert session.partial_run(handle, total, {b: 2.0}) == 3.0


def test_fetched_arrays_are_the_callers() -> None:
    x = tf.placeholder(tf.float32, [2])
    y, z = x * 2.0, tf.placeholder(tf.float32, [])
    with tf.Session() as session:
        handle = session.partial_run_setup([y, y * z], [x, z])
        value = session.partial_run(handle, y, {x: [1.0, 2.0]})
        value[:] = 0
        again = session.partial_run(handle, "mul_1:0", {z: 10.0})
    np.testing.assert_array_equal(again, [20.0, 40.0])


def test_a_constant_waits_for_what_its_block_waits_for() -> None:
    gate = tf.placeholder(tf.float32, [])
    v = tf.Variable(0.0)
    with tf.control_dependencies([gate]):
        one = tf.constant(1.0)
    added = tf.assign_add(v, one)
    with tf.Session() as session:
        session.run(v.initializer)
        handle = session.partial_run_setup([added], [gate])
        assert session.run(v) == 0.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="fed so far"):
            session.partial_run(handle, added)
        assert session.partial_run(handle, added, {gate: 5.0}) == 1.0
        assert session.run(v) == 1.0


def test_a_fetch_may_be_a_feed() -> None:
    a = tf.placeholder(tf.float32, [2])
    fed = np.array([1.0, 2.0], np.float32)
    with tf.Session() as session:
        handle = session.partial_run_setup([a, a + 1.0], [a])
        assert session.partial_run(handle, a, {a: fed}) is fed
