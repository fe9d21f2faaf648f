"""Seed 000: what tf.identity is used for. Every example and every claim of the question and the two answers."""

from __future__ import annotations

import numpy as np
import pytest

import tfbench as tf


def names(ops: list) -> list[str]:
    return [op.name for op in ops]


# ---- answer 1: run an operator every time a variable is evaluated


def test_y_is_x_inside_the_block_prints_0_0_0_0_0(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.Variable(0.0)
    x_plus_1 = tf.assign_add(x, 1)

    with tf.control_dependencies([x_plus_1]):
        y = x
    init = tf.initialize_all_variables()

    with tf.Session():
        init.run()
        for _ in range(5):
            print(y.eval())

    assert capsys.readouterr().out.split() == ["0.0"] * 5


def test_identity_inside_the_block_prints_1_2_3_4_5(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.Variable(0.0)
    x_plus_1 = tf.assign_add(x, 1)

    with tf.control_dependencies([x_plus_1]):
        y = tf.identity(x)
    init = tf.initialize_all_variables()

    with tf.Session():
        init.run()
        for _ in range(5):
            print(y.eval())

    assert capsys.readouterr().out.split() == ["1.0", "2.0", "3.0", "4.0", "5.0"]


def test_a_block_that_makes_no_node_orders_nothing() -> None:
    x = tf.Variable(0.0)
    before = len(tf.get_default_graph().get_operations())
    with tf.control_dependencies([tf.assign_add(x, 1, name="plus")]):
        y = x
    added = names(tf.get_default_graph().get_operations()[before:])
    assert y is x
    assert added == ["plus/value", "plus"]
    assert y.op.control_inputs == []


def test_the_new_node_in_the_block_is_what_waits() -> None:
    x = tf.Variable(0.0)
    x_plus_1 = tf.assign_add(x, 1)
    with tf.control_dependencies([x_plus_1]):
        y = tf.identity(x)
    assert y.op.type == "Identity"
    assert y.op.control_inputs == [x_plus_1.op]


def test_the_operator_runs_once_for_every_evaluation_of_y() -> None:
    x = tf.Variable(0.0)
    with tf.control_dependencies([tf.assign_add(x, 1)]):
        y = tf.identity(x)
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        session.run([y, y, y.op])
        assert session.run(x) == 1.0
        session.run(y)
        assert session.run(x) == 2.0


def test_evaluating_the_variable_alone_does_not_run_the_operator() -> None:
    x = tf.Variable(0.0)
    with tf.control_dependencies([tf.assign_add(x, 1)]):
        tf.identity(x)
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        assert [session.run(x) for _ in range(3)] == [0.0, 0.0, 0.0]


def loss_and_its_average() -> tuple:
    """The tutorial's pair: a loss, and an op that updates a running value of it."""
    total_loss = tf.constant(8.0, name="total_loss")
    average = tf.Variable(0.0, name="average", trainable=False)
    loss_averages_op = average.assign_add((total_loss - average) * 0.5)
    return total_loss, average, loss_averages_op


def test_without_identity_the_averages_of_the_tutorial_never_run() -> None:
    total_loss, average, loss_averages_op = loss_and_its_average()
    with tf.control_dependencies([loss_averages_op]):
        total_loss = total_loss
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        assert [session.run(total_loss) for _ in range(3)] == [8.0, 8.0, 8.0]
        assert session.run(average) == 0.0


def test_with_identity_the_averages_are_updated_before_the_loss_is_retrieved() -> None:
    total_loss, average, loss_averages_op = loss_and_its_average()
    with tf.control_dependencies([loss_averages_op]):
        total_loss = tf.identity(total_loss)
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        assert session.run(total_loss) == 8.0
        assert session.run(average) == 4.0
        assert session.run(total_loss) == 8.0
        assert session.run(average) == 6.0


# ---- the question: the tower's identity under the GPU block


def test_everything_made_under_a_device_block_asks_for_that_device() -> None:
    with tf.device("/gpu:0"):
        logits = tf.constant([1.0, 2.0]) * 3.0
        loss = tf.identity(tf.reduce_sum(logits))
    assert {op.device for op in tf.get_default_graph().get_operations()} == {"/device:GPU:0"}
    assert loss.op.inputs[0].op.type == "Sum"


# ---- answer 2: transport between devices, and when a value is read


def test_identity_says_on_which_device_the_value_is_wanted() -> None:
    with tf.device("/gpu:0"):
        x = tf.constant([1.0, 2.0])
    with tf.device("/cpu:0"):
        y = tf.identity(x)
    assert (x.device, y.device) == ("/device:GPU:0", "/device:CPU:0")


def test_a_value_that_crosses_devices_arrives_unchanged() -> None:
    with tf.device("/cpu:0"):
        x = tf.constant([1.0, 2.0])
    with tf.device("/gpu:0"):
        y = tf.identity(x) * 2.0
    with tf.device("/cpu:0"):
        z = tf.identity(y)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        np.testing.assert_array_equal(session.run(z), [2.0, 4.0])


def test_a_crossing_without_identity_is_implicit_and_adds_no_op_to_the_graph() -> None:
    with tf.device("/cpu:0"):
        x = tf.constant([1.0, 2.0], name="x")
    with tf.device("/gpu:0"):
        y = tf.negative(x, name="y")
    assert names(tf.get_default_graph().get_operations()) == ["x", "y"]
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        np.testing.assert_array_equal(session.run(y), [-1.0, -2.0])


def test_a_variable_can_be_read_more_than_once_within_one_run() -> None:
    v = tf.Variable(1.0, name="v")
    first = tf.identity(v + 0.0)
    with tf.control_dependencies([first]):
        changed = v.assign(5.0)
    with tf.control_dependencies([changed]):
        second = tf.identity(v)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([first, second]) == [1.0, 5.0]


def test_the_constructor_of_a_variable_adds_the_identity_that_reads_it() -> None:
    tf.Variable(1.0, name="v")
    read = tf.get_default_graph().get_operation_by_name("v/read")
    assert read.type == "Identity"
    assert names([t.op for t in read.inputs]) == ["v"]


def test_all_accesses_of_the_variable_share_that_one_read() -> None:
    v = tf.Variable(1.0, name="v")
    a, b, c = v + 1.0, v * 2.0, tf.sqrt(v)
    assert [t.op.inputs[0].name for t in (a, b, c)] == ["v/read:0"] * 3
    reads = [op for op in tf.get_default_graph().get_operations() if op.type == "Identity"]
    assert names(reads) == ["v/read"]


def test_several_calls_of_identity_make_several_reads() -> None:
    v = tf.Variable(1.0, name="v")
    first, second = tf.identity(v), tf.identity(v)
    assert first.op is not second.op
    assert (first.name, second.name) == ("Identity:0", "Identity_1:0")


def test_identity_updates_the_python_reference_to_a_tensor() -> None:
    total_loss, _, loss_averages_op = loss_and_its_average()
    earlier = total_loss
    with tf.control_dependencies([loss_averages_op]):
        total_loss = tf.identity(total_loss)
    assert total_loss is not earlier
    assert total_loss.op.inputs[0] is earlier
    assert loss_averages_op.op in total_loss.op.control_inputs


def test_identity_does_nothing_to_the_value() -> None:
    value = np.array([[1.5, -2.0], [np.inf, 0.0]], np.float32)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(tf.identity(value)), value)
        assert session.run(tf.identity("text")) == b"text"
        assert session.run(tf.identity(True))
