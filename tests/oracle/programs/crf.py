"""tf.contrib.crf, as TensorFlow 1.15 has it."""

import numpy as np

from tests.oracle import program

UNARY = np.array(
    [[[4, 5, -3], [3, -1, 3], [-1, 2, 1], [0, 0, 0]], [[1, 0.5, 2], [-2, 1, 0], [3, 3, 3], [1, 2, 3]]], np.float32
)
BINARY = np.array([[-3, 5, -2], [3, 4, 1], [1, 2, 1]], np.float32)
TAGS = np.array([[1, 2, 1, 0], [0, 1, 2, 2]], np.int32)


def nodes(tf):
    """Constants, slices, gradients and sums of exponentials have other nodes since 1.15."""
    types, names = ("Const", "StridedSlice", "Pack"), ("LogSumExp", "rnn", "gradients")
    found = tf.get_default_graph().get_operations()
    return [op.name for op in found if op.type not in types and not any(part in op.name for part in names)]


@program(oracle="1.15", graph=False, tol=1e-5)
def likelihood(tf):
    crf = tf.contrib.crf
    x = tf.placeholder_with_default(UNARY, [2, 4, 3])
    lengths, tags = tf.constant([3, 4]), tf.constant(TAGS)
    with tf.variable_scope("s", initializer=tf.constant_initializer(BINARY)):
        found, transitions = crf.crf_log_likelihood(x, tags, lengths)
    slopes = tf.gradients(tf.reduce_sum(found), [x, transitions])
    empty = crf.crf_log_likelihood(x, tf.cast(tags, tf.int64), tf.constant([0, 1]), transitions)[0]
    parts = [
        crf.crf_sequence_score(x, tags, lengths, transitions),
        crf.crf_unary_score(tags, lengths, x),
        crf.crf_binary_score(tags, lengths, transitions),
        crf.crf_log_norm(x, lengths, transitions),
        crf.crf_multitag_sequence_score(x, UNARY > 0.5, lengths, transitions),
    ]
    made = nodes(tf)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run([found, slopes, empty, parts]), transitions.name, made


@program(oracle="1.15", graph=False, tol=1e-5)
def of_one_step(tf):
    crf = tf.contrib.crf
    x, tags, transitions = tf.constant(UNARY[:, :1]), tf.constant(TAGS[:, :1]), tf.constant(BINARY)
    lengths = tf.constant([1, 0])
    known = [
        crf.crf_log_likelihood(x, tags, lengths, transitions)[0],
        crf.crf_multitag_sequence_score(x, UNARY[:, :1] > 0, lengths, transitions),
        crf.crf_decode(x, transitions, lengths),
    ]
    fed = tf.placeholder(tf.float32, [None, None, 3])
    unknown = [crf.crf_log_likelihood(fed, tags, lengths, transitions)[0]]
    unknown.append(crf.crf_decode(fed, transitions, tf.constant([1, 1])))
    with tf.Session() as sess:
        return sess.run(known), sess.run(unknown, {fed: UNARY[:, :1]})


@program(oracle="1.15", graph=False, tol=1e-5)
def decoding(tf):
    crf = tf.contrib.crf
    x = tf.constant(UNARY)
    best = crf.crf_decode(x, tf.constant(BINARY), tf.constant([3, 4], tf.int64))
    made = nodes(tf)
    by_hand = [crf.viterbi_decode(one, BINARY) for one in (UNARY[0, :3], UNARY[1])]
    with tf.Session() as sess:
        return sess.run(best), best, [(list(map(int, tags)), score) for tags, score in by_hand], made


@program(oracle="1.15", graph=False, tol=1e-5)
def cells(tf):
    crf = tf.contrib.crf
    transitions = tf.constant(BINARY)
    forward, search = crf.CrfForwardRnnCell(transitions), crf.CrfDecodeForwardRnnCell(transitions)
    back = crf.CrfDecodeBackwardRnnCell(3)
    state = tf.constant(UNARY[:, 0])
    found = [forward(tf.constant(UNARY[:, 1]), state), search(tf.constant(UNARY[:, 1]), state)]
    found.append(back(tf.constant([[0, 1, 2], [2, 1, 0]]), tf.constant([[1], [2]])))
    sizes = [(cell.state_size, cell.output_size) for cell in (forward, search, back)]
    with tf.Session() as sess:
        return sess.run(found), sizes
