"""A sequence model of lists of steps learns to reverse; copies of layers."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

import tfbench as tf


def test_it_learns_to_reverse() -> None:
    steps, symbols, batch = 4, 6, 32
    legacy = tf.nn.seq2seq
    assert legacy is tf.contrib.legacy_seq2seq
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(1)
        inputs = [tf.placeholder(tf.int32, [None]) for _ in range(steps)]
        targets = inputs[::-1]
        decoder = [tf.zeros_like(inputs[0]), *targets[:-1]]
        weights = [tf.ones_like(one, tf.float32) for one in inputs]

        def model(feed_previous: bool) -> Any:
            # A cell of its own: one that has variables would take them along to the encoder's copy.
            cell = tf.nn.rnn_cell.GRUCell(24)
            return legacy.embedding_attention_seq2seq(
                inputs, decoder, cell, symbols, symbols, 8, feed_previous=feed_previous
            )[0]

        with tf.variable_scope("model") as scope:
            outputs = model(False)
            scope.reuse_variables()
            free = model(True)
        loss = legacy.sequence_loss(outputs, targets, weights)
        train = tf.train.AdamOptimizer(0.02).minimize(loss)
        sess.run(tf.global_variables_initializer())
        rng = np.random.default_rng(0)
        for _ in range(150):
            rows = rng.integers(0, symbols, (steps, batch))
            sess.run(train, dict(zip(inputs, rows)))
        rows = rng.integers(0, symbols, (steps, 200))
        found = np.stack([one.argmax(1) for one in sess.run(free, dict(zip(inputs, rows)))])
        assert (found == rows[::-1]).mean() > 0.9


def test_a_copy_of_a_layer_has_its_options_and_shares_its_variables() -> None:
    with tf.Graph().as_default():
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(2) for _ in range(2)])
        copy = deepcopy(cell)
        assert copy.cells[0] is not cell.cells[0]
        assert copy.graph is cell.graph
        dense = tf.layers.Dense(2)
        dense(tf.ones([1, 3]))
        again = deepcopy(dense)
        again(tf.ones([5, 3]))
        assert again.kernel is dense.kernel
        again.add_loss(tf.constant(1.0))
        assert (len(again.losses), len(dense.losses)) == (1, 0)
