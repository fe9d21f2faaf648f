"""Cells of recurrent networks beyond the recorded facts: graphs that are rolled back, dropout, what is dropped when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfbench as tf

X = np.ones((2, 3, 4), np.float32)


@pytest.fixture(autouse=True)
def fresh_graph() -> Any:
    tf.reset_default_graph()


def run_once(cell: Any) -> Any:
    outputs, _ = tf.nn.dynamic_rnn(cell, X, dtype=tf.float32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(outputs)


@pytest.mark.parametrize("kind", ["LSTMCell", "GRUCell"])
def test_a_cell_made_before_what_is_rolled_back_can_be_used_again(kind: str) -> None:
    """In a notebook: the cell is made in one notebook cell, the network in the next, which is run again."""
    graph = tf.get_default_graph()
    cell = tf.nn.rnn_cell.MultiRNNCell([getattr(tf.nn.rnn_cell, kind)(3), tf.nn.rnn_cell.BasicRNNCell(2)])
    mark = graph.mark()
    for _ in range(3):
        assert run_once(cell).shape == (2, 3, 2)
        assert len(tf.global_variables()) == len(cell.trainable_variables)
        assert all(graph.owns(variable.op) for variable in cell.trainable_variables)
        graph.roll_back(mark)
    assert not cell.trainable_variables


def test_what_is_cut_out_and_put_back_is_as_it_was() -> None:
    graph = tf.get_default_graph()
    cell = tf.nn.rnn_cell.BasicRNNCell(3)
    mark = graph.mark()
    run_once(cell)
    before = cell.trainable_variables
    cut = graph.cut(mark)
    run_once(cell)
    assert cell.trainable_variables != before
    graph.put_back(cut)
    assert all(a is b for a, b in zip(cell.trainable_variables, before, strict=True))
    assert run_once(cell).shape == (2, 3, 3)
    graph.roll_back(mark)
    assert not cell.built
    assert run_once(cell).shape == (2, 3, 3)


class Same(tf.nn.rnn_cell.RNNCell):
    """Gives back what it gets: what a wrapper drops is to be seen."""

    state_size = output_size = 4

    def call(self, inputs: Any, state: Any) -> Any:
        return inputs, state + 1.0


def test_variational_dropout_drops_the_same_in_every_step() -> None:
    cell = tf.nn.rnn_cell.DropoutWrapper(
        Same(), output_keep_prob=0.5, variational_recurrent=True, dtype=tf.float32, seed=5
    )
    x = np.ones((1, 20, 4), np.float32)
    outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    with tf.Session() as sess:
        for _ in range(5):
            found = sess.run(outputs)[0]
            assert {0.0, 2.0}.issuperset(found.ravel().tolist())
            assert (found == found[0]).all()


def test_ordinary_dropout_drops_others_in_every_step() -> None:
    cell = tf.nn.rnn_cell.DropoutWrapper(Same(), output_keep_prob=0.5, seed=5)
    outputs, state = tf.nn.dynamic_rnn(cell, np.ones((1, 50, 4), np.float32), dtype=tf.float32)
    with tf.Session() as sess:
        found, last = sess.run([outputs, state])
    assert not (found[0] == found[0, 0]).all()
    assert 0.2 < (found == 0).mean() < 0.8
    np.testing.assert_array_equal(last, np.full((1, 4), 50))


def test_a_probability_that_is_fed_decides() -> None:
    keep = tf.placeholder_with_default(1.0, [])
    cell = tf.nn.rnn_cell.DropoutWrapper(Same(), input_keep_prob=keep)
    output, _ = cell(tf.ones([3, 4]), tf.zeros([3, 4]))
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(output), np.ones((3, 4)))
        assert set(sess.run(output, {keep: 0.25}).ravel().tolist()) <= {0.0, 4.0}


def test_a_device_wrapper_names_its_device() -> None:
    cell = tf.nn.rnn_cell.DeviceWrapper(Same(), "/device:CPU:0")
    output, _ = cell(tf.ones([3, 4]), cell.zero_state(3, tf.float32))
    assert cell.zero_state(3, tf.float32).device == "/device:CPU:0"
    assert output is not None
    added = [op for op in tf.get_default_graph().get_operations() if op.type in ("Add", "AddV2")]
    assert [op.device for op in added] == ["/device:CPU:0"]


@pytest.mark.parametrize("kind", [tf.nn.rnn_cell.BasicLSTMCell, tf.nn.rnn_cell.LSTMCell])
def test_an_lstm_cell_says_that_its_state_is_a_pair(kind: Any) -> None:
    with pytest.raises(TypeError, match=r"LSTMCell '.*' is a pair, LSTMStateTuple\(c, h\), but got one tensor"):
        kind(2)(tf.zeros([2, 4]), tf.zeros([2, 2]))
    with tf.variable_scope("whole"):
        assert kind(2, state_is_tuple=False)(tf.zeros([2, 4]), tf.zeros([2, 4]))[1].shape == (2, 4)


@pytest.mark.parametrize("kind", ["BasicRNNCell", "GRUCell", "BasicLSTMCell", "LSTMCell"])
def test_an_activation_can_be_named(kind: str) -> None:
    inputs, results = np.full((1, 3), 0.5, np.float32), []
    for activation in ("softsign", tf.nn.softsign):
        with tf.Graph().as_default(), tf.Session() as session:
            cell = getattr(tf.nn.rnn_cell, kind)(2, activation=activation)
            with tf.variable_scope("", initializer=tf.ones_initializer()):
                output, _ = cell(inputs, cell.zero_state(1, tf.float32))
            session.run(tf.global_variables_initializer())
            results.append(session.run(output))
    np.testing.assert_array_equal(*results)
    with pytest.raises(ValueError, match="Unknown activation function:softsing"):
        getattr(tf.nn.rnn_cell, kind)(2, activation="softsing")
