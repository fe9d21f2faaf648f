"""`tf.contrib.seq2seq`: helpers, decoders, attention, losses, beam search."""

from __future__ import annotations

import re

import numpy as np

from tests.oracle import attempt, program


def ones(tf):
    return tf.constant_initializer(0.3)


def inputs(*shape):
    return np.linspace(-1.0, 1.0, int(np.prod(shape))).reshape(shape).astype(np.float32)


#: what TensorFlow builds otherwise since 1.15: cells, products of tensors, random numbers, gradients, sizes of arrays
OTHERWISE = re.compile(
    "gru_cell|basic_lstm_cell|basic_rnn_cell|Tensordot|dense/|^gradients|random_|TensorArraySizeV3|TensorArrayStack|scan/|Less|ones_like|assert_equal_1|one_hot|zeros_\\d/"
)


def own(tf):
    """The names of the nodes in order, without those parts."""
    return [op.name for op in tf.get_default_graph().get_operations() if not OTHERWISE.search(op.name)]


def started(tf, fetches):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches)


@program(oracle="1.15", graph=False)
def training(tf):
    s2s = tf.contrib.seq2seq
    with tf.variable_scope("model", initializer=ones(tf)):
        helper = s2s.TrainingHelper(tf.constant(inputs(2, 4, 3)), tf.constant([4, 2]))
        cell = tf.nn.rnn_cell.GRUCell(5)
        decoder = s2s.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32), tf.layers.Dense(6))
        outputs, state, lengths = s2s.dynamic_decode(decoder, impute_finished=True)
    return (
        own(tf),
        started(tf, [outputs.rnn_output, outputs.sample_id, state, lengths]),
        outputs.rnn_output.shape,
        decoder.output_size,
    )


@program(oracle="1.15", graph=False)
def training_of_unknown_sizes(tf):
    s2s = tf.contrib.seq2seq
    given, lengths = tf.placeholder(tf.float32, [None, None, 3]), tf.placeholder(tf.int32, [None])
    with tf.variable_scope("model", initializer=ones(tf)):
        helper = s2s.TrainingHelper(given, lengths)
        cell = tf.nn.rnn_cell.BasicLSTMCell(4)
        decoder = s2s.BasicDecoder(cell, helper, cell.zero_state(tf.shape(given)[0], tf.float32))
        outputs, state, found = s2s.dynamic_decode(decoder, output_time_major=True, maximum_iterations=3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        fed = {given: inputs(2, 5, 3), lengths: [5, 1]}
        return own(tf), sess.run([outputs, state, found], fed), outputs.rnn_output.shape, outputs.sample_id.shape


@program(oracle="1.15", graph=False)
def gradients_of_training(tf):
    s2s = tf.contrib.seq2seq
    with tf.variable_scope("model", initializer=ones(tf)):
        helper = s2s.TrainingHelper(tf.constant(inputs(4, 2, 3)), [4, 2], time_major=True)
        cell = tf.nn.rnn_cell.BasicRNNCell(3)
        decoder = s2s.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32), tf.layers.Dense(4))
        outputs, _, lengths = s2s.dynamic_decode(decoder, swap_memory=True)
    targets = tf.constant([[1, 2, 3, 0], [0, 1, 0, 0]])
    weights = tf.sequence_mask(lengths, 4, dtype=tf.float32)
    loss = s2s.sequence_loss(outputs.rnn_output, targets, weights)
    return own(tf), started(tf, [loss, tf.gradients(loss, tf.trainable_variables())])


@program(oracle="1.15", graph=False)
def greedy(tf):
    s2s = tf.contrib.seq2seq
    embedding = tf.constant(inputs(6, 3))
    with tf.variable_scope("model", initializer=ones(tf)):
        helper = s2s.GreedyEmbeddingHelper(embedding, tf.constant([1, 2]), tf.constant(0))
        cell = tf.nn.rnn_cell.BasicRNNCell(4)
        layer = tf.layers.Dense(6, kernel_initializer=tf.constant_initializer(inputs(4, 6)))
        decoder = s2s.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32), layer)
        outputs, state, lengths = s2s.dynamic_decode(decoder, maximum_iterations=tf.constant(5))
    return own(tf), started(tf, [outputs, state, lengths])


@program(oracle="1.15")
def sampled(tf):
    s2s = tf.contrib.seq2seq
    helper = s2s.SampleEmbeddingHelper(lambda ids: tf.one_hot(ids, 3), [1, 2], 0, softmax_temperature=0.5, seed=5)
    ids = helper.sample(tf.constant(0), tf.constant(inputs(2, 7)), None)
    return started(tf, [ids, helper.initialize()])


@program(oracle="1.15")
def sampled_logits_of_unknown_sizes(tf):
    s2s = tf.contrib.seq2seq
    helper = s2s.SampleEmbeddingHelper(tf.constant(inputs(6, 3)), [1, 2], 0, seed=5)
    ids = helper.sample(tf.constant(0), tf.placeholder_with_default(inputs(2, 6), [None, 6]), None)
    return started(tf, [ids])


@program(oracle="1.15", graph=False)
def scheduled(tf):
    s2s = tf.contrib.seq2seq
    embedding = tf.constant(inputs(7, 3))
    helper = s2s.ScheduledEmbeddingTrainingHelper(
        tf.constant(inputs(2, 4, 3)), tf.constant([3, 4]), embedding, 0.5, seed=1, scheduling_seed=2
    )
    logits = tf.constant(inputs(2, 7))
    ids = helper.sample(tf.constant(0), logits, None)
    finished, following, _ = helper.next_inputs(tf.constant(0), logits, tf.constant(1.0), ids)
    return own(tf), started(tf, [ids, finished, following])


@program(oracle="1.15", graph=False)
def scheduled_outputs(tf):
    s2s = tf.contrib.seq2seq
    helper = s2s.ScheduledOutputTrainingHelper(
        tf.constant(inputs(2, 4, 3)), tf.constant([3, 4]), 0.5, seed=1, auxiliary_inputs=tf.constant(inputs(2, 4, 1))
    )
    outputs = tf.constant(inputs(2, 3))
    ids = helper.sample(tf.constant(0), outputs, None)
    finished, following, _ = helper.next_inputs(tf.constant(0), outputs, tf.constant(1.0), ids)
    return own(tf), started(tf, [ids, finished, following])


@program(oracle="1.15")
def custom_helpers(tf):
    s2s = tf.contrib.seq2seq
    custom = s2s.CustomHelper(
        initialize_fn=lambda: (tf.tile([False], [2]), tf.zeros([2, 3])),
        sample_fn=lambda time, outputs, state: tf.argmax(outputs, -1, output_type=tf.int32),
        next_inputs_fn=lambda time, outputs, state, sample_ids: (tf.equal(sample_ids, 2), outputs, state),
    )
    early = attempt(lambda: custom.batch_size)
    first = custom.initialize()
    infer = s2s.InferenceHelper(
        lambda outputs: outputs * 2, [3], tf.float32, tf.zeros([2, 3]), lambda ids: tf.reduce_all(ids > 5, 1)
    )
    logits = tf.constant(inputs(2, 3))
    ids = custom.sample(tf.constant(0), logits, tf.constant(1.0))
    second = infer.next_inputs(0, logits, tf.constant(1.0), infer.sample(0, logits, None))
    return early, started(tf, [first, ids, infer.initialize(), second, custom.batch_size])


MECHANISMS = {
    "luong": ("LuongAttention", {}),
    "luong scaled": ("LuongAttention", {"scale": True, "memory_sequence_length": [3, 1]}),
    "bahdanau": ("BahdanauAttention", {}),
    "bahdanau normalized": ("BahdanauAttention", {"normalize": True, "memory_sequence_length": [3, 1]}),
    "luong monotonic": ("LuongMonotonicAttention", {"scale": True, "memory_sequence_length": [3, 1]}),
    "bahdanau monotonic": ("BahdanauMonotonicAttention", {"mode": "recursive", "normalize": True}),
    "hard": ("LuongMonotonicAttention", {"mode": "hard", "score_bias_init": 0.5}),
    "noise": ("BahdanauMonotonicAttention", {"sigmoid_noise": 0.5, "sigmoid_noise_seed": 3}),
}


@program(cases=MECHANISMS, oracle="1.15", graph=False)
def mechanisms(tf, case):
    kind, options = case
    with tf.variable_scope("model", initializer=ones(tf)):
        mechanism = getattr(tf.contrib.seq2seq, kind)(4, tf.constant(inputs(2, 3, 4)), **options)
        state = mechanism.initial_state(2, tf.float32)
        alignments, following = mechanism(tf.constant(inputs(2, 4)), state)
    return (
        own(tf),
        started(tf, [state, alignments, following, mechanism.values, mechanism.keys]),
        mechanism.alignments_size,
    )


@program(oracle="1.15", graph=False)
def attention_wrapper(tf):
    s2s = tf.contrib.seq2seq
    with tf.variable_scope("model", initializer=ones(tf)):
        mechanism = s2s.LuongAttention(4, tf.constant(inputs(2, 3, 5)), memory_sequence_length=[3, 2])
        cell = s2s.AttentionWrapper(
            tf.nn.rnn_cell.GRUCell(4), mechanism, attention_layer_size=6, alignment_history=True
        )
        helper = s2s.TrainingHelper(tf.constant(inputs(2, 4, 3)), [4, 2])
        decoder = s2s.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
        outputs, state, lengths = s2s.dynamic_decode(decoder)
    return own(tf), (
        started(tf, [outputs, state.attention, state.alignments, state.alignment_history.stack(), state.time, lengths]),
        cell.state_size.attention, cell.output_size, [v.name for v in tf.trainable_variables()],
    )  # fmt: skip


@program(oracle="1.15", graph=False)
def several_mechanisms(tf):
    s2s = tf.contrib.seq2seq
    memory = tf.constant(inputs(2, 3, 5))
    with tf.variable_scope("model", initializer=ones(tf)):
        mechanisms = [s2s.LuongAttention(4, memory), s2s.BahdanauAttention(4, memory)]
        inner = tf.nn.rnn_cell.BasicLSTMCell(4)
        cell = s2s.AttentionWrapper(
            inner, mechanisms, attention_layer_size=[2, 3], output_attention=False,
            initial_cell_state=inner.zero_state(2, tf.float32),
        )  # fmt: skip
        output, state = cell(tf.constant(inputs(2, 3)), cell.zero_state(2, tf.float32))
    return own(tf), started(tf, [output, state.attention, state.alignments, state.cell_state]), cell.output_size


@program(oracle="1.15", graph=False)
def attention_of_unknown_sizes(tf):
    s2s = tf.contrib.seq2seq
    memory = tf.placeholder(tf.float32, [None, None, 5])
    lengths = tf.placeholder(tf.int32, [None])
    with tf.variable_scope("model", initializer=ones(tf)):
        mechanism = s2s.BahdanauAttention(4, memory, memory_sequence_length=lengths)
        cell = s2s.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), mechanism)
        state = cell.zero_state(tf.shape(memory)[0], tf.float32)
        output, state = cell(tf.placeholder_with_default(inputs(2, 3), [None, 3]), state)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        wrong = attempt(sess.run, output, {memory: inputs(3, 4, 5), lengths: [1, 2, 3]})
        return (
            own(tf),
            sess.run([output, state.alignments], {memory: inputs(2, 4, 5), lengths: [4, 2]}),
            type(wrong).__name__,
        )


@program(oracle="1.15", graph=False)
def a_state_with_another_cell_state(tf):
    s2s = tf.contrib.seq2seq
    with tf.variable_scope("model", initializer=ones(tf)):
        cell = s2s.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), s2s.LuongAttention(4, tf.constant(inputs(2, 3, 4))))
        state = cell.zero_state(2, tf.float32).clone(cell_state=tf.constant(inputs(2, 4)))
        output, _ = cell(tf.constant(inputs(2, 3)), state)
    return own(tf), started(tf, output), attempt(state.clone, cell_state=tf.zeros([3, 4]))


LOSSES = {
    "average": {},
    "over steps": {"average_across_batch": False},
    "over the batch": {"average_across_timesteps": False},
    "none": {"average_across_timesteps": False, "average_across_batch": False},
    "sum": {
        "average_across_timesteps": False, "average_across_batch": False, "sum_over_timesteps": True,
        "sum_over_batch": True,
    },
    "sum over steps": {
        "average_across_timesteps": False, "average_across_batch": False, "sum_over_timesteps": True,
    },
    "sum over the batch": {"average_across_timesteps": False, "average_across_batch": False, "sum_over_batch": True},
}  # fmt: skip


@program(cases=LOSSES, oracle="1.15", graph=False)
def sequence_losses(tf, case):
    logits = tf.constant(inputs(2, 3, 4))
    targets, weights = tf.constant([[0, 1, 2], [3, 0, 1]]), tf.constant([[1.0, 0.5, 0.0], [1.0, 1.0, 1.0]])
    loss = tf.contrib.seq2seq.sequence_loss(logits, targets, weights, **case)
    return own(tf), started(tf, [loss, tf.gradients(loss, logits)])


@program(oracle="1.15", graph=False)
def small_functions(tf):
    s2s = tf.contrib.seq2seq
    x = tf.constant(inputs(2, 4))
    p, before = tf.sigmoid(x), tf.constant([[1.0, 0, 0, 0], [0.5, 0.5, 0, 0]])
    return own(tf), started(
        tf,
        [
            s2s.hardmax(x), s2s.safe_cumprod(p, axis=1), s2s.monotonic_attention(p, before, "parallel"),
            s2s.monotonic_attention(p, before, "recursive"), s2s.monotonic_attention(before, before, "hard"),
        ],
    )  # fmt: skip


@program(oracle="1.15", graph=False)
def what_they_do_not_take(tf):
    s2s = tf.contrib.seq2seq
    cell = tf.nn.rnn_cell.GRUCell(4)
    memory = tf.constant(inputs(2, 3, 4))
    helper = s2s.TrainingHelper(tf.constant(inputs(2, 4, 3)), [4, 2])
    state = cell.zero_state(2, tf.float32)
    luong = s2s.LuongAttention(3, memory)
    logits, matrix, vector = tf.constant(inputs(2, 3, 4)), tf.constant([[1, 2, 3]]), tf.constant([1])
    return (
        attempt(s2s.BasicDecoder, 3, helper, state),
        attempt(s2s.BasicDecoder, cell, 3, state),
        attempt(s2s.BasicDecoder, cell, helper, state, output_layer=3),
        attempt(s2s.dynamic_decode, 3),
        attempt(s2s.dynamic_decode, s2s.BasicDecoder(cell, helper, state), maximum_iterations=[1, 2]),
        attempt(s2s.TrainingHelper, tf.constant(inputs(2, 4, 3)), 4),
        attempt(s2s.GreedyEmbeddingHelper, tf.constant(inputs(2, 3)), 1, 0),
        attempt(s2s.GreedyEmbeddingHelper, tf.constant(inputs(2, 3)), [1], [0]),
        attempt(s2s.LuongAttention, 3, tf.placeholder(tf.float32, [2, 3, None])),
        attempt(luong, tf.constant(inputs(2, 4)), None),
        attempt(s2s.AttentionWrapper, cell, 3),
        attempt(s2s.AttentionWrapper, cell, luong, attention_layer_size=[1, 2]),
        attempt(s2s.AttentionWrapper, cell, luong, cell_input_fn=3),
        attempt(s2s.AttentionWrapper, 3, luong),
        attempt(s2s.AttentionWrapper(cell, luong), tf.constant(inputs(2, 3)), state),
        attempt(s2s.sequence_loss, matrix, matrix, matrix),
        attempt(s2s.sequence_loss, logits, vector, matrix),
        attempt(s2s.sequence_loss, logits, matrix, vector),
        attempt(s2s.sequence_loss, logits, matrix, matrix, sum_over_batch=True),
        attempt(s2s.monotonic_attention, tf.constant(inputs(2, 3)), tf.constant(inputs(2, 3)), "soft"),
    )


# -- beam search -----------------------------------------------------------------------------------------------------


def beam_decoder(tf, width=3, **options):
    s2s = tf.contrib.seq2seq
    cell = tf.nn.rnn_cell.BasicRNNCell(4)
    embedding = tf.constant(inputs(7, 3))
    layer = tf.layers.Dense(7, kernel_initializer=tf.constant_initializer(inputs(4, 7)), use_bias=False)
    state = cell.zero_state(2 * width, tf.float32)
    return s2s.BeamSearchDecoder(cell, embedding, tf.constant([1, 2]), tf.constant(0), state, width, layer, **options)


@program(cases=[{}, {"length_penalty_weight": 0.7}], oracle="1.15", graph=False)
def beam_search_steps(tf, case):
    with tf.variable_scope("m", initializer=ones(tf)):
        decoder = beam_decoder(tf, **case)
        finished, first, state = decoder.initialize()
        outputs, state, following, finished = decoder.step(tf.constant(0), first, state)
        again, state, following, finished = decoder.step(tf.constant(1), following, state)
    sizes = decoder.output_size, decoder.output_dtype, decoder.tracks_own_finished, outputs.scores.shape
    found = [outputs, again, state.log_probs, state.lengths, state.cell_state, following, finished]
    return own(tf), sizes, started(tf, found)


@program(cases=[1, 3], oracle="1.15", graph=False)
def beam_search(tf, width):
    with tf.variable_scope("m", initializer=ones(tf)):
        decoder = beam_decoder(tf, width)
        outputs, state, lengths = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=5)
    found = [outputs.predicted_ids, outputs.beam_search_decoder_output.scores, state.log_probs, lengths]
    return own(tf), outputs.predicted_ids.shape, started(tf, found)


@program(cases=[False, True], oracle="1.15", graph=False)
def beam_search_with_attention(tf, coverage):
    s2s = tf.contrib.seq2seq
    with tf.variable_scope("m", initializer=ones(tf)):
        memory = tf.placeholder_with_default(inputs(2, 4, 3), [2, None if coverage else 4, 3])
        memory = s2s.tile_batch(memory, 2)
        cell = s2s.AttentionWrapper(
            tf.nn.rnn_cell.BasicRNNCell(4),
            s2s.LuongAttention(4, memory),
            attention_layer_size=5,
            alignment_history=True,
        )
        decoder = s2s.BeamSearchDecoder(
            cell, tf.constant(inputs(7, 3)), [1, 2], 0, cell.zero_state(4, tf.float32), 2,
            tf.layers.Dense(7, kernel_initializer=tf.constant_initializer(inputs(5, 7)), use_bias=False),
            coverage_penalty_weight=0.3 if coverage else 0.0,
        )  # fmt: skip
        outputs, state, lengths = s2s.dynamic_decode(decoder, maximum_iterations=4, output_time_major=True)
    history = state.cell_state.alignment_history  # sorted only where the sizes of its elements are not known
    found = [outputs.predicted_ids, state.log_probs, lengths, *([history] if coverage else [])]
    return own(tf), type(history).__name__, started(tf, found)


@program(oracle="1.15")
def tiles(tf):
    s2s = tf.contrib.seq2seq
    nest = (tf.constant([[1, 2], [3, 4]]), tf.placeholder_with_default(inputs(2, 3), [None, 3]))
    tiled = s2s.tile_batch(nest, 3)
    return started(tf, tiled), tiled[1].shape, attempt(s2s.tile_batch, tf.constant(1), 2)


TREES = {
    "paths": ([[[1, 2]], [[3, 4]], [[5, 6]]], [[[0, 0]], [[0, 1]], [[1, 0]]], [3], 9),
    "a shorter one": ([[[1, 2]], [[3, 4]], [[5, 6]]], [[[0, 0]], [[0, 1]], [[1, 0]]], [2], 9),
    "the end in the middle": ([[[1, 2]], [[9, 4]], [[5, 6]]], [[[0, 0]], [[0, 1]], [[0, 1]]], [3], 9),
    "a wrong parent": ([[[1, 2]], [[3, 4]]], [[[0, 0]], [[-1, 1]]], [2], 9),
}


@program(cases=TREES, oracle="1.15", graph=False, messages=[])
def trees(tf, case):
    steps, parents, lengths, end = case
    found = tf.contrib.seq2seq.gather_tree(
        tf.constant(steps), tf.constant(parents), tf.constant(lengths), tf.constant(end)
    )
    return started(tf, found), found.shape


@program(oracle="1.15", graph=False)
def sorted_arrays(tf):
    array = tf.constant(np.arange(12).reshape(3, 2, 2, 1))
    parents = tf.constant([[[0, 0], [0, 1]], [[0, 1], [1, 1]], [[1, 0], [0, 1]]])
    lengths = tf.constant([[3, 3], [2, 3]])
    found = tf.contrib.seq2seq.BeamSearchDecoder.__module__
    beam = __import__(found, fromlist=["gather_tree_from_array"])
    return started(tf, beam.gather_tree_from_array(array, parents, lengths))


@program(oracle="1.15", graph=False)
def what_a_beam_search_does_not_take(tf):
    s2s = tf.contrib.seq2seq
    cell = tf.nn.rnn_cell.GRUCell(4)
    embedding, state = tf.constant(inputs(7, 3)), cell.zero_state(6, tf.float32)

    def made(tokens, end, width=3, layer=None, **options):
        return s2s.BeamSearchDecoder(cell, embedding, tokens, end, state, width, layer, **options)

    return (
        attempt(made, 1, 0),
        attempt(made, [1, 2], [0]),
        attempt(made, [1, 2], 0, 4),
        attempt(made, [1, 2], 0, layer=3),
        attempt(lambda: made([1, 2], 0, coverage_penalty_weight=0.5).initialize()),
    )
