"""tf.contrib.legacy_seq2seq, as TensorFlow 1.15 has it: values and, where no op has changed since, nodes."""

import numpy as np

from tests.oracle import attempt, program


def symbols(tf, *rows):
    return [tf.constant(row) for row in rows]


def both(tf):
    return symbols(tf, [0, 1], [2, 1], [1, 0]), symbols(tf, [0, 0], [1, 2], [2, 1])


def vectors(tf, steps, size=2):
    return [tf.constant(np.sin(np.arange(3.0 * size) + 7 * step).reshape(3, size), tf.float32) for step in range(steps)]


def cell(tf):
    return tf.nn.rnn_cell.GRUCell(2)


def lstm(tf):
    return tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(2) for _ in range(2)])


MODELS = {
    "basic": lambda tf, s: s.basic_rnn_seq2seq(vectors(tf, 2), vectors(tf, 3), cell(tf)),
    "basic_lstm": lambda tf, s: s.basic_rnn_seq2seq(vectors(tf, 2), vectors(tf, 2), lstm(tf), scope="mine"),
    "tied": lambda tf, s: s.tied_rnn_seq2seq(vectors(tf, 2), vectors(tf, 3), cell(tf)),
    "tied_loop": lambda tf, s: s.tied_rnn_seq2seq(
        vectors(tf, 2), vectors(tf, 3), cell(tf), loop_function=lambda prev, i: prev * float(i)
    ),
    "decoder": lambda tf, s: s.rnn_decoder(vectors(tf, 3), tf.ones([3, 2]), cell(tf)),
    "embedding": lambda tf, s: s.embedding_rnn_seq2seq(*both(tf), cell(tf), 3, 4, 2),
    "embedding_back": lambda tf, s: s.embedding_rnn_seq2seq(*both(tf), lstm(tf), 3, 4, 2, feed_previous=True),
    "embedding_projected": lambda tf, s: s.embedding_rnn_seq2seq(
        *both(tf), cell(tf), 3, 4, 2, feed_previous=True, output_projection=(tf.ones([2, 4]), tf.zeros([4]))
    ),
    "embedding_either": lambda tf, s: s.embedding_rnn_seq2seq(
        *both(tf), lstm(tf), 3, 4, 2, feed_previous=tf.constant(True)
    ),
    "embedding_tied": lambda tf, s: s.embedding_tied_rnn_seq2seq(*both(tf), cell(tf), 3, 2),
    "embedding_tied_back": lambda tf, s: s.embedding_tied_rnn_seq2seq(
        *both(tf), cell(tf), 5, 2, num_decoder_symbols=4, feed_previous=True
    ),
    "embedding_tied_either": lambda tf, s: s.embedding_tied_rnn_seq2seq(
        *both(tf), cell(tf), 3, 2, feed_previous=tf.constant(False)
    ),
    "embedding_tied_either_lstm": lambda tf, s: s.embedding_tied_rnn_seq2seq(
        *both(tf), lstm(tf), 3, 2, feed_previous=tf.constant(True)
    ),
    "attention": lambda tf, s: s.attention_decoder(
        vectors(tf, 2), tf.ones([3, 2]), tf.constant(np.cos(np.arange(24.0)).reshape(3, 4, 2), tf.float32), cell(tf)
    ),
    "attention_heads": lambda tf, s: s.attention_decoder(
        vectors(tf, 2), tf.ones([3, 2]), tf.ones([3, 4, 2]), cell(tf), output_size=4, num_heads=2,
        initial_state_attention=True,
    ),
    "embedding_attention": lambda tf, s: s.embedding_attention_seq2seq(*both(tf), cell(tf), 3, 4, 2),
    "embedding_attention_lstm": lambda tf, s: s.embedding_attention_seq2seq(
        *both(tf), lstm(tf), 3, 4, 2, num_heads=2, feed_previous=True
    ),
    "embedding_attention_projected": lambda tf, s: s.embedding_attention_seq2seq(
        *both(tf), cell(tf), 3, 4, 2, feed_previous=True, output_projection=(tf.ones([2, 4]), tf.zeros([4]))
    ),
    "embedding_attention_either": lambda tf, s: s.embedding_attention_seq2seq(
        *both(tf), cell(tf), 3, 4, 2, feed_previous=tf.constant(False), initial_state_attention=True
    ),
    "one_to_many": lambda tf, s: s.one2many_rnn_seq2seq(
        both(tf)[0], {"a": both(tf)[1], "b": both(tf)[1][:2]}, cell(tf), {"a": cell(tf), "b": cell(tf)}, 3,
        {"a": 4, "b": 3}, 2, feed_previous=True,
    ),
    "one_to_many_either": lambda tf, s: s.one2many_rnn_seq2seq(
        both(tf)[0], {"a": both(tf)[1]}, cell(tf), {"a": cell(tf)}, 3, {"a": 4}, 2, feed_previous=tf.constant(True),
    ),
}  # fmt: skip


def spread(shape, dtype=None, partition_info=None, **_):
    """Numbers that are the same in every version."""
    size = int(np.prod(shape))
    return np.sin(np.arange(size) * 1.7 + size).reshape([int(one) for one in shape]).astype(np.float32)


@program(cases=sorted(MODELS), oracle="1.15", graph=False, tol=1e-5)
def model(tf, case):
    with tf.variable_scope("root", initializer=lambda *given, **named: tf.constant(spread(*given, **named))):
        made = MODELS[case](tf, tf.contrib.legacy_seq2seq)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        variables = [(variable.name, variable.shape) for variable in tf.global_variables()]
        types = [op.type for op in tf.get_default_graph().get_operations()]
        counted = sorted((name, types.count(name)) for name in ("MatMul", "BiasAdd", "Conv2D", "ArgMax", "Softmax"))
        return sess.run(made), variables, counted


@program(oracle="1.15", graph=False, tol=1e-5)
def losses(tf):
    s = tf.contrib.legacy_seq2seq
    logits = [tf.constant([[1.0, 2.0, 0.5], [0.5, 1.0, 3.0]]), tf.constant([[0.0, 1.0, 0.5], [2.5, 1.0, 3.0]])]
    targets, weights = symbols(tf, [0, 2], [1, 1]), [tf.constant([1.0, 0.5]), tf.constant([0.0, 2.0])]
    own = {"softmax_loss_function": lambda labels, logits: tf.reduce_sum(logits, 1) * tf.to_float(labels)}
    found = [
        s.sequence_loss_by_example(logits, targets, weights),
        s.sequence_loss_by_example(logits, targets, weights, average_across_timesteps=False, **own),
        s.sequence_loss(logits, targets, weights),
        s.sequence_loss(logits, targets, weights, average_across_batch=False, name="mine"),
        s.sequence_loss(logits, targets, weights, average_across_timesteps=False, **own),
    ]
    with tf.Session() as sess:
        return sess.run(found), found[3].name, attempt(lambda: s.sequence_loss(logits, targets[:1], weights))


@program(oracle="1.15", graph=False, tol=1e-5)
def buckets(tf):
    s = tf.contrib.legacy_seq2seq
    ins, outs = both(tf)
    weights = [tf.ones([2]) for _ in outs]

    def seq2seq(encoder, decoder):
        return s.embedding_rnn_seq2seq(encoder, decoder, cell(tf), 3, 3, 2)

    with tf.variable_scope("root", initializer=lambda *given, **named: tf.constant(spread(*given, **named))):
        outputs, losses = s.model_with_buckets(ins, outs, outs, weights, [(1, 2), (3, 3)], seq2seq)
        _, each = s.model_with_buckets(
            ins, outs, outs, weights, [(2, 1)], lambda a, b: (vectors_of(tf, b), None), per_example_loss=True
        )
    refused = [
        attempt(lambda: s.model_with_buckets(ins[:1], outs, outs, weights, [(1, 2), (3, 3)], seq2seq)),
        attempt(lambda: s.model_with_buckets(ins, outs, outs[:1], weights, [(1, 2), (3, 3)], seq2seq)),
        attempt(lambda: s.model_with_buckets(ins, outs, outs, weights[:1], [(1, 2), (3, 3)], seq2seq)),
    ]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        names = [variable.name for variable in tf.global_variables()]
        return sess.run([outputs, losses, each]), names, refused


def vectors_of(tf, steps):
    return [tf.one_hot(step, 3) for step in steps]


@program(oracle="1.15", graph=False)
def refused(tf):
    s = tf.contrib.legacy_seq2seq
    state = tf.ones([3, 2])
    return [
        attempt(lambda: s.attention_decoder([], state, tf.ones([3, 4, 2]), cell(tf))),
        attempt(lambda: s.attention_decoder(vectors(tf, 1), state, tf.ones([3, 4, 2]), cell(tf), num_heads=0)),
        attempt(lambda: s.attention_decoder(vectors(tf, 1), state, tf.placeholder(tf.float32, [3, 4, None]), cell(tf))),
    ]
