"""Recurrent networks around cells that programs write themselves: dynamic, unrolled, in both directions, raw."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

INPUTS = np.sin(np.arange(24, dtype=np.float32)).reshape(2, 4, 3)
STEPS = [np.ascontiguousarray(INPUTS[:, i]) for i in range(4)]
WEIGHTS = np.cos(np.arange(35, dtype=np.float32)).reshape(7, 5)


class Cell:
    """tanh of a linear map of input and state; one output, one state."""

    def __init__(self, tf, name="cell"):
        self.tf, self.name = tf, name
        self.output_size = self.state_size = 4

    def zero_state(self, batch_size, dtype):
        with self.tf.name_scope("Zero"):
            return self.tf.zeros([batch_size, 4], dtype)

    def __call__(self, x, state):
        tf = self.tf
        with tf.variable_scope(self.name):
            w = tf.get_variable("w", initializer=WEIGHTS[:, :4])
            h = tf.tanh(tf.matmul(tf.concat([x, state], 1), w))
        return h, h


class Pair(Cell):
    """An output of its own size and a state of two parts."""

    output_size = state_size = None

    def __init__(self, tf, name="pair"):
        self.tf, self.name = tf, name
        self.output_size, self.state_size = 2, (4, 1)

    def zero_state(self, batch_size, dtype):
        return self.tf.zeros([batch_size, 4], dtype), self.tf.zeros([batch_size, 1], dtype)

    def __call__(self, x, state):
        h, count = state
        _, h = Cell.__call__(self, x, h)
        return h[:, :2] * 2.0, (h, count + 1.0)


def run(tf, fetches, feed=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feed)


CELLS = {"one": Cell, "pair": Pair}


@program(cases=CELLS)
def dynamic(tf, case):
    outputs, state = tf.nn.dynamic_rnn(case(tf), tf.constant(INPUTS, name="x"), dtype=tf.float32)
    return outputs, state, [v.name for v in tf.global_variables()], run(tf, [outputs, state])


@program(cases=CELLS)
def dynamic_with_lengths(tf, case):
    outputs, state = tf.nn.dynamic_rnn(case(tf), INPUTS, sequence_length=[2, 3], dtype=tf.float32)
    return outputs, state, run(tf, [outputs, state])


@program()
def dynamic_of_unknown_sizes(tf):
    x, n = tf.placeholder(tf.float32, [None, None, 3], name="x"), tf.placeholder(tf.int64, [None], name="n")
    outputs, state = tf.nn.dynamic_rnn(Cell(tf), x, sequence_length=n, dtype=tf.float32)
    feed = {x: INPUTS, n: [4, 1]}
    return [outputs, state, run(tf, [outputs, state], feed), attempt(run, tf, outputs, {x: INPUTS, n: [1, 2, 3]})]


@program()
def dynamic_options(tf):
    x = tf.constant(INPUTS.transpose(1, 0, 2), name="x")
    with tf.variable_scope("net"):
        outputs, state = tf.nn.dynamic_rnn(
            Cell(tf), x, initial_state=tf.ones([2, 4]), time_major=True, parallel_iterations=5, swap_memory=True,
            scope="inner",
        )  # fmt: skip
    with tf.variable_scope("net", reuse=True):
        again, _ = tf.nn.dynamic_rnn(Cell(tf), x, dtype=tf.float32, time_major=True, scope="inner")
    return outputs, state, [v.name for v in tf.global_variables()], run(tf, [outputs, state, again])


@program()
def dynamic_of_a_structure(tf):
    class Sum(Cell):
        def __call__(self, x, state):
            return Cell.__call__(self, x["a"] + x["b"][:, :, 0], state)

    x = {"a": tf.constant(INPUTS), "b": tf.constant(INPUTS[..., None])}
    outputs, state = tf.nn.dynamic_rnn(Sum(tf), x, dtype=tf.float32)
    return outputs, state, run(tf, [outputs, state])


@program(cases=[None, [3, 1]])
def dynamic_in_both_directions(tf, case):
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
        Cell(tf), Pair(tf), tf.constant(INPUTS, name="x"), sequence_length=case, dtype=tf.float32
    )
    return outputs, states, [v.name for v in tf.global_variables()], run(tf, [outputs, states])


@program()
def dynamic_in_both_directions_time_major(tf):
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
        Cell(tf), Cell(tf), INPUTS.transpose(1, 0, 2), initial_state_fw=tf.ones([2, 4]), dtype=tf.float32,
        time_major=True, scope="both",
    )  # fmt: skip
    return outputs, states, run(tf, [outputs, states])


@program(cases=CELLS)
def unrolled(tf, case):
    outputs, state = tf.nn.static_rnn(case(tf), [tf.constant(x) for x in STEPS], dtype=tf.float32)
    return outputs, state, [v.name for v in tf.global_variables()], run(tf, [outputs, state])


@program(cases=CELLS)
def unrolled_with_lengths(tf, case):
    outputs, state = tf.nn.static_rnn(
        case(tf), [tf.constant(x) for x in STEPS], dtype=tf.float32, sequence_length=[1, 3], scope="net"
    )
    return outputs, state, run(tf, [outputs, state])


@program()
def unrolled_of_unknown_batch(tf):
    steps = [tf.placeholder(tf.float32, [None, 3]) for _ in STEPS]
    outputs, state = tf.nn.static_rnn(Cell(tf), steps, dtype=tf.float32)
    return [outputs, state, run(tf, [outputs, state], dict(zip(steps, STEPS)))]


@program(cases=[None, [3, 1]])
def unrolled_in_both_directions(tf, case):
    outputs, fw, bw = tf.nn.static_bidirectional_rnn(
        Cell(tf), Cell(tf), [tf.constant(x) for x in STEPS], dtype=tf.float32, sequence_length=case
    )
    return outputs, fw, bw, run(tf, [outputs, fw, bw])


@program()
def unrolled_with_a_saved_state(tf):
    class Saver:
        def state(self, name):
            return tf.get_variable(name, [2, 4], trainable=False)

        def save_state(self, name, value):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                return tf.assign(tf.get_variable(name, [2, 4]), value)

    outputs, state = tf.nn.static_state_saving_rnn(Cell(tf), [tf.constant(x) for x in STEPS], Saver(), "saved")
    with tf.Session() as sess:
        sess.run([v.initializer for v in tf.global_variables()])
        sess.run(tf.assign(tf.global_variables()[0], np.zeros([2, 4])))
        return sess.run([outputs, state]), sess.run([outputs, state])


@program()
def raw(tf):
    source = tf.TensorArray(tf.float32, size=4, clear_after_read=False).unstack(INPUTS.transpose(1, 0, 2))
    lengths = tf.constant([4, 2])

    def loop_fn(time, output, state, loop_state):
        finished = time >= lengths
        following = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([2, 3]), lambda: source.read(time))
        if output is None:
            return finished, following, tf.zeros([2, 4]), None, None
        return finished, following, state, output, None

    arrays, state, loop_state = tf.nn.raw_rnn(Cell(tf), loop_fn)
    outputs = arrays.stack()
    return outputs, state, loop_state, run(tf, [outputs, state])


@program()
def raw_with_its_own_emissions_and_state(tf):
    def loop_fn(time, output, state, loop_state):
        if output is None:
            return tf.zeros([2], tf.bool), tf.ones([2, 3]), tf.zeros([2, 4]), (tf.zeros([2]), tf.zeros([1])), 0
        done = tf.fill([2], time >= 3)
        emit = (tf.reduce_sum(output, 1), output[:1, 0] if False else tf.reduce_sum(output, 0)[:2])
        return done, output[:, :3], state, (emit[0], tf.reduce_sum(output, 1)), loop_state + 2

    def emitted(time, output, state, loop_state):
        found = loop_fn(time, output, state, loop_state)
        if output is None:
            return found[0], found[1], found[2], (tf.zeros([]), tf.zeros([])), found[4]
        return found

    arrays, state, loop_state = tf.nn.raw_rnn(Cell(tf), emitted, parallel_iterations=1, scope="raw")
    fetches = [arrays[0].stack(), arrays[1].stack(), state, loop_state]
    return fetches, run(tf, fetches)


@program()
def gradient_of_a_dynamic_network(tf):
    x = tf.constant(INPUTS, name="x")
    outputs, state = tf.nn.dynamic_rnn(Cell(tf), x, sequence_length=[2, 4], dtype=tf.float32)
    loss = tf.reduce_sum(outputs * outputs) + tf.reduce_sum(state)
    found = tf.gradients(loss, [x, tf.global_variables()[0]])
    return found, run(tf, found)


@program(graph=False)
def refusals(tf):
    cell, x = Cell(tf), tf.constant(INPUTS)
    return [
        attempt(lambda: tf.nn.dynamic_rnn(3, x, dtype=tf.float32)),
        attempt(lambda: tf.nn.dynamic_rnn(object(), x, dtype=tf.float32)),
        attempt(lambda: tf.nn.dynamic_rnn(cell, x)),
        attempt(lambda: tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, sequence_length=[[1, 2]])),
        attempt(lambda: tf.nn.dynamic_rnn(cell, tf.placeholder(tf.float32, [2, 4, None]), dtype=tf.float32)),
        attempt(lambda: tf.nn.dynamic_rnn(cell, tf.constant([1.0, 2.0]), dtype=tf.float32)),
        attempt(lambda: tf.nn.dynamic_rnn(cell, (x, x[:, :2]), dtype=tf.float32)),
        attempt(lambda: tf.nn.dynamic_rnn(cell, (x, x[:1]), dtype=tf.float32)),
        attempt(lambda: tf.nn.static_rnn(cell, x, dtype=tf.float32)),
        attempt(lambda: tf.nn.static_rnn(cell, [], dtype=tf.float32)),
        attempt(lambda: tf.nn.static_rnn(cell, [x[0], x[0]])),
        attempt(lambda: tf.nn.static_rnn(cell, [tf.placeholder(tf.float32, [2, None])], dtype=tf.float32)),
        attempt(lambda: tf.nn.static_rnn(cell, [x[:, 0], x[:1, 0]], dtype=tf.float32)),
        attempt(lambda: tf.nn.raw_rnn(cell, 3)),
        attempt(lambda: tf.nn.bidirectional_dynamic_rnn(cell, None, x, dtype=tf.float32)),
    ]


@program()
def a_wrong_batch_of_lengths_fails_when_it_runs(tf):
    n = tf.placeholder_with_default([1, 2, 3], [None])
    outputs, _ = tf.nn.dynamic_rnn(Cell(tf), INPUTS, sequence_length=n, dtype=tf.float32)
    return attempt(run, tf, outputs)
