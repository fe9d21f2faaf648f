"""Connectionist temporal classification: losses, slopes, decoders."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


def scores(*shape, seed=0):
    return (np.random.RandomState(seed).randn(*shape) * 2).astype(np.float32)


def labels(tf, rows):
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = [label for row in rows for label in row]
    width = max(len(row) for row in rows)
    indices = np.array(indices, np.int64).reshape(-1, 2)
    return tf.SparseTensor(indices, np.array(values, np.int32), [len(rows), width])


LOSSES = {
    "plain": ([[0, 1], [2]], {}),
    "repeated": ([[0, 0, 1], [1, 1]], {}),
    "repeated and not merged": ([[0, 0, 1], [1, 1]], {"ctc_merge_repeated": False}),
    "collapsed": ([[0, 0, 1, 1], [1, 1, 2]], {"preprocess_collapse_repeated": True}),
    "no class ends the labels": ([[0, 3], [2, 3]], {}),
    "too many labels, ignored": ([[0, 1, 2, 0, 1, 2], [2, 1, 0, 1, 2]], {"ignore_longer_outputs_than_inputs": True}),
    "no path": ([[0, 0, 0, 0], [1]], {}),
}


@program(cases=LOSSES)
def loss(tf, case):
    rows, options = case
    x = tf.constant(scores(5, 2, 4))
    found = tf.nn.ctc_loss(labels(tf, rows), x, tf.constant([5, 4]), **options)
    (slopes,) = tf.gradients(found, x)
    with tf.Session() as sess:
        return sess.run([found, slopes])


@program(tol=1e-5)
def loss_of_other_kinds(tf):
    rows = labels(tf, [[0, 1], [2]])
    double = tf.nn.ctc_loss(rows, tf.constant(scores(5, 2, 4).astype(np.float64)), [5, 4])
    batch_first = tf.nn.ctc_loss(rows, logits=tf.constant(scores(2, 5, 4)), sequence_length=[5, 4], time_major=False)
    half = tf.nn.ctc_loss(rows, tf.constant(scores(5, 2, 4).astype(np.float16)), [5, 4])
    unknown = tf.nn.ctc_loss(rows, tf.placeholder(tf.float32), tf.placeholder(tf.int32, [None]))
    with tf.Session() as sess:
        return sess.run([double, batch_first, half]), unknown.shape


@program()
def losses_are_weighted(tf):
    x = tf.constant(scores(5, 2, 4))
    found = tf.nn.ctc_loss(labels(tf, [[0, 1], [2]]), x, [5, 4])
    slopes = tf.gradients(found * tf.constant([2.0, 3.0]), x)
    with tf.Session() as sess:
        return sess.run(slopes), attempt(tf.gradients, slopes, x)


WRONG = {
    "negative": ([[0], [-1]], [5, 4]), "too many": ([[0, 1, 2, 0, 1, 2], [1]], [5, 4]), "none": ([[0], []], [5, 4]),
    "a class behind the end": ([[3, 0], [1]], [5, 4]), "too long": ([[0], [1]], [6, 4]),
    "no time": ([[0], [1]], [0, 4]),
    "other batch": ([[0], [1]], [4]),
}  # fmt: skip


@program(cases=WRONG, graph=False)
def wrong_labels(tf, case):
    rows, lengths = case
    found = tf.nn.ctc_loss(labels(tf, rows), tf.constant(scores(5, 2, 4)), tf.constant(lengths))
    with tf.Session() as sess:
        return sess.run(found)


@program(graph=False)
def what_is_no_sparse_tensor(tf):
    return attempt(tf.nn.ctc_loss, tf.constant([[1]]), tf.constant(scores(5, 2, 4)), [5, 4])


@program(cases=[True, False])
def greedy(tf, merge):
    x = tf.constant(scores(12, 3, 4, seed=3))
    (found,), sums = tf.nn.ctc_greedy_decoder(x, tf.constant([12, 7, 1]), merge_repeated=merge)
    other = tf.nn.ctc_greedy_decoder(x, tf.constant([12, 7, 1]), blank_index=0)
    wrong = tf.nn.ctc_greedy_decoder(x, tf.constant([12, 7, 1]), blank_index=4)
    with tf.Session() as sess:
        return sess.run([found, sums, other]), attempt(sess.run, wrong), sums.shape, found.values.shape


BEAMS = {
    "wide": (100, 1, False), "three paths": (10, 3, False), "merged": (10, 2, True), "narrow": (2, 2, False),
    "one": (1, 1, True),
}  # fmt: skip


@program(cases=BEAMS)
def beams(tf, case):
    width, paths, merge = case
    x = tf.constant(scores(10, 3, 5, seed=2))
    found, probs = tf.nn.ctc_beam_search_decoder(x, [10, 6, 2], beam_width=width, top_paths=paths, merge_repeated=merge)
    with tf.Session() as sess:
        return sess.run([found, probs]), probs.shape, [one.dense_shape.shape for one in found]


@program()
def beams_of_the_second_version(tf):
    x = tf.constant(scores(6, 2, 3, seed=4))
    found = tf.nn.ctc_beam_search_decoder_v2(x, [6, 6], beam_width=20, top_paths=4)
    none = tf.nn.ctc_beam_search_decoder(tf.constant(scores(1, 1, 2)), [1], beam_width=8, top_paths=5)
    with tf.Session() as sess:
        return sess.run(found), attempt(sess.run, none)
