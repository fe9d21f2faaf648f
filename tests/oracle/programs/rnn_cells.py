"""Cells of recurrent networks, against TensorFlow 1.15; ops that were renamed since count as the same."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

X = np.sin(np.arange(8, dtype=np.float32)).reshape(2, 4)
SEQUENCE = np.cos(np.arange(24, dtype=np.float32)).reshape(2, 3, 4)


def weights(shape, dtype=None, partition_info=None):
    """An initializer that says nothing about the graph and the same everywhere."""
    sizes = [int(size) for size in shape]
    return np.sin(np.arange(int(np.prod(sizes)), dtype=np.float32)).reshape(sizes)


def nodes(tf):
    """The graph but for initializers and constants (1.15 makes some that nobody uses), with the newer names of ops."""
    found = []
    for op in tf.get_default_graph().get_operations():
        if op.type in ("Const", "TensorArraySizeV3") or "Initializer" in op.name or op.name.startswith(("init", "Ass")):
            continue
        kind = {"Add": "AddV2"}.get(op.type, op.type)
        inputs = ["constant" if tensor.op.type == "Const" else tensor.name for tensor in op.inputs]
        waits = sorted("^" + other.name for other in op.control_inputs)
        found.append(" ".join([kind, op.name, op.device] + inputs + waits))
    return found


def run(tf, fetches):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches)


def twice(tf, cell):
    """Two steps of a cell, everything that can be asked of it, and the values."""
    x = tf.constant(X, name="x")
    with tf.variable_scope("net", initializer=weights):
        state = cell.zero_state(2, tf.float32)
        _, state = cell(x, state)
        output, state = cell(x, state)
    names = [[v.name for v in group] for group in (tf.global_variables(), cell.trainable_variables, cell.weights)]
    if isinstance(cell, tf.nn.rnn_cell.LSTMCell):
        names = names[:1]  # of variables in parts TensorFlow loses sight here
    return [cell.state_size, cell.output_size, names, output, state, nodes(tf), run(tf, [output, state])]


CELLS = {
    "basic": lambda tf, c: c.BasicRNNCell(3),
    "basic, relu": lambda tf, c: c.BasicRNNCell(3, activation=tf.nn.relu, name="mine"),
    "gru": lambda tf, c: c.GRUCell(3),
    "gru, initializers": lambda tf, c: c.GRUCell(
        3, kernel_initializer=tf.ones_initializer(), bias_initializer=tf.zeros_initializer()
    ),
    "basic lstm": lambda tf, c: c.BasicLSTMCell(3),
    "basic lstm, one tensor": lambda tf, c: c.BasicLSTMCell(3, forget_bias=0.5, state_is_tuple=False),
    "lstm": lambda tf, c: c.LSTMCell(3),
    "lstm, all": lambda tf, c: c.LSTMCell(3, True, 0.5, tf.ones_initializer(), 2, 0.3, forget_bias=2.0),
    "lstm, one tensor": lambda tf, c: c.LSTMCell(3, num_proj=2, state_is_tuple=False),
    "lstm, shards": lambda tf, c: c.LSTMCell(3, num_proj=2, num_unit_shards=2, num_proj_shards=2),
    "multi": lambda tf, c: c.MultiRNNCell([c.BasicRNNCell(3), c.LSTMCell(2)]),
    "multi, one tensor": lambda tf, c: c.MultiRNNCell([c.BasicRNNCell(3), c.GRUCell(2)], state_is_tuple=False),
    "residual": lambda tf, c: c.ResidualWrapper(c.BasicRNNCell(4)),
    "residual, own": lambda tf, c: c.ResidualWrapper(c.BasicRNNCell(4), residual_fn=lambda i, o: i * o),
    "device": lambda tf, c: c.DeviceWrapper(c.LSTMCell(3), "/cpu:0"),
    "dropout of nothing": lambda tf, c: c.DropoutWrapper(c.LSTMCell(3)),
}


@program(cases=CELLS, oracle="1.15", graph=False, tol=1e-5)
def steps(tf, case):
    return twice(tf, case(tf, tf.nn.rnn_cell))


@program(cases=["basic", "lstm", "multi", "residual", "device"], oracle="1.15", graph=False, tol=1e-5)
def in_a_loop(tf, case):
    cell = CELLS[case](tf, tf.contrib.rnn)
    with tf.variable_scope("net", initializer=weights):
        outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(SEQUENCE), sequence_length=[3, 2], dtype=tf.float32)
    loss = tf.reduce_sum(outputs * outputs)
    grads = tf.gradients(loss, tf.trainable_variables())
    inner = [line for line in nodes(tf) if "rnn/while/" in line and "gradients" not in line and "Stack" not in line]
    return [[v.name for v in tf.global_variables()], inner, run(tf, [outputs, state, grads])]


@program(cases=["basic", "gru", "multi"], oracle="1.15", graph=False, tol=1e-5)
def unrolled(tf, case):
    cell = CELLS[case](tf, tf.contrib.rnn)
    with tf.variable_scope("net", initializer=weights):
        inputs = [tf.constant(SEQUENCE[:, i]) for i in range(3)]
        outputs, state = tf.contrib.rnn.static_rnn(cell, inputs, dtype=tf.float32)
    return [[v.name for v in tf.global_variables()], nodes(tf), run(tf, [outputs, state])]


WRAPPED = {
    "output": lambda c: c.OutputProjectionWrapper(c.GRUCell(3), 2),
    "output, activation": lambda c: c.OutputProjectionWrapper(c.BasicRNNCell(3), 2, activation=abs),
    "input": lambda c: c.InputProjectionWrapper(c.LSTMCell(3), 5),
    "layer norm": lambda c: c.LayerNormBasicLSTMCell(3, forget_bias=2.0, norm_gain=1.5, norm_shift=0.5),
    "no layer norm": lambda c: c.LayerNormBasicLSTMCell(3, layer_norm=False, activation=abs),
    "block": lambda c: c.LSTMBlockCell(3, forget_bias=0.5),
    "block, all": lambda c: c.LSTMBlockCell(3, cell_clip=0.3, use_peephole=True, name="mine"),
    "searched": lambda c: c.NASCell(3),
    "searched, all": lambda c: c.NASCell(3, num_proj=2, use_bias=True),
}


@program(cases=WRAPPED, oracle="1.15", graph=False, tol=1e-5)
def contrib_cells(tf, case):
    return twice(tf, case(tf.contrib.rnn))


@program(cases=[False, True], oracle="1.15", graph=False, tol=1e-5)
def gradients_of_steps_in_one_op(tf, peephole):
    cell = tf.contrib.rnn.LSTMBlockCell(3, use_peephole=peephole)
    x = tf.constant(X)
    with tf.variable_scope("net", initializer=weights):
        _, state = cell(x, cell.zero_state(2, tf.float32))
        output, state = cell(x * x, state)
    loss = tf.reduce_sum(output * output) + tf.reduce_sum(state.c)
    grads = tf.gradients(loss, [x] + tf.trainable_variables())
    return [line for line in nodes(tf) if "LSTM" in line], run(tf, grads)


@program(oracle="1.15", graph=False)
def steps_in_one_op_refuse(tf):
    cell = tf.contrib.rnn.LSTMBlockCell(3)
    pair = cell.zero_state(2, tf.float32)
    return [
        attempt(cell, tf.placeholder(tf.float32, [2, None]), pair),
        attempt(cell, tf.ones([2, 4]), pair + pair),
        attempt(cell, tf.ones([2, 4, 1]), pair),
    ]


@program(oracle="1.15", graph=False, tol=1e-5)
def embedded_integers(tf):
    cell = tf.contrib.rnn.EmbeddingWrapper(tf.contrib.rnn.GRUCell(3), embedding_classes=7, embedding_size=4)
    with tf.variable_scope("net", initializer=weights):
        output, state = cell(tf.constant([[1], [6]]), cell.zero_state(2, tf.float32))
    return [[v.name for v in tf.global_variables()], cell.state_size, cell.output_size, nodes(tf), run(tf, output)]


@program(oracle="1.15", graph=False, tol=1e-5)
def layers_in_both_directions(tf):
    c = tf.contrib.rnn
    with tf.variable_scope("net", initializer=weights):
        dynamic = c.stack_bidirectional_dynamic_rnn(
            [c.BasicRNNCell(2), c.GRUCell(3)], [c.LSTMCell(2), c.BasicRNNCell(2)], tf.constant(SEQUENCE),
            sequence_length=[3, 2], dtype=tf.float32,
        )  # fmt: skip
        steps = [tf.constant(SEQUENCE[:, i]) for i in range(3)]
        static = c.stack_bidirectional_rnn(
            [c.BasicRNNCell(2), c.GRUCell(3)], [c.LSTMCell(2), c.BasicRNNCell(2)], steps, dtype=tf.float32, scope="st"
        )
    refused = [
        attempt(lambda: c.stack_bidirectional_dynamic_rnn([], [c.GRUCell(2)], tf.constant(SEQUENCE), dtype=tf.float32)),
        attempt(lambda: c.stack_bidirectional_rnn([c.GRUCell(2)], [], steps, dtype=tf.float32)),
        attempt(lambda: c.stack_bidirectional_rnn([c.GRUCell(2)], [c.GRUCell(2)] * 2, steps, dtype=tf.float32)),
        attempt(lambda: c.stack_bidirectional_rnn(c.GRUCell(2), [c.GRUCell(2)], steps, dtype=tf.float32)),
    ]
    return [[v.name for v in tf.global_variables()], refused, run(tf, [dynamic, static])]


@program(oracle="1.15", graph=False, tol=1e-5)
def one_cell_in_two_places(tf):
    cell = tf.nn.rnn_cell.BasicRNNCell(3)
    other = tf.nn.rnn_cell.BasicRNNCell(3)
    x = tf.constant(SEQUENCE, name="x")
    with tf.variable_scope("a", initializer=weights):
        first, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    with tf.variable_scope("b", initializer=weights):
        second, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        third, _ = tf.nn.dynamic_rnn(other, x, dtype=tf.float32)
    with tf.variable_scope("b", reuse=True):
        fourth, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(3), x, dtype=tf.float32)
    return [[v.name for v in tf.global_variables()], run(tf, [first, second, third, fourth])]


@program(oracle="1.15", graph=False, tol=1e-5)
def a_cell_of_ones_own(tf):
    class Own(tf.nn.rnn_cell.RNNCell):
        @property
        def state_size(self):
            return 3

        @property
        def output_size(self):
            return 3

        def call(self, inputs, state):
            w = tf.get_variable("w", [4, 3])
            k = tf.get_variable("k", [], trainable=False)
            state = tf.tanh(tf.matmul(inputs, w) + state * k)
            return state, state

    cell = Own()
    with tf.variable_scope("net", initializer=weights):
        outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(SEQUENCE), dtype=tf.float32)
    inner = [line for line in nodes(tf) if "rnn/while/" in line]
    names = [[v.name for v in group] for group in (cell.trainable_weights, cell.non_trainable_weights)]
    return [names, inner, run(tf, [outputs, state])]


@program(oracle="1.15", graph=False, tol=1e-5)
def a_cell_that_is_called_itself(tf):
    class Own(tf.contrib.rnn.RNNCell):
        state_size = output_size = 3

        def __init__(self):
            super().__init__(name="named")

        def __call__(self, inputs, state, scope=None):
            with tf.variable_scope(scope or type(self).__name__):
                w = tf.get_variable("w", [4, 3])
                state = tf.tanh(tf.matmul(inputs, w) + state)
            return state, state

    with tf.variable_scope("net", initializer=weights):
        outputs, state = tf.nn.dynamic_rnn(Own(), tf.constant(SEQUENCE), dtype=tf.float32)
    return [[v.name for v in tf.global_variables()], run(tf, [outputs, state])]


@program(oracle="1.15", graph=False)
def first_states(tf):
    cell = tf.nn.rnn_cell.LSTMCell(3)
    x = tf.placeholder(tf.float64, [2, 4])
    unknown = tf.placeholder(tf.float32, [None, 4], name="unknown")
    found = [cell.zero_state(2, tf.float64), cell.zero_state(tf.shape(unknown)[0], tf.float32)]
    found += [cell.get_initial_state(x), cell.get_initial_state(unknown)]
    found += [cell.get_initial_state(batch_size=5, dtype=tf.float32)]
    return found + [
        attempt(lambda: cell.get_initial_state()),
        attempt(lambda: cell.get_initial_state(x, batch_size=3)),
        attempt(lambda: cell.get_initial_state(x, dtype=tf.float32)),
    ]


@program(oracle="1.15", graph=False)
def refusals(tf):
    c = tf.nn.rnn_cell
    x, s = tf.constant(X), tf.zeros([2, 3])
    return [
        attempt(lambda: c.BasicRNNCell(3)(tf.zeros([2, 3, 4]), s)),
        attempt(lambda: c.BasicRNNCell(3)(tf.placeholder(tf.float32, [2, None]), s)),
        attempt(lambda: c.MultiRNNCell([])),
        attempt(lambda: c.MultiRNNCell(c.BasicRNNCell(3))),
        attempt(lambda: c.MultiRNNCell([c.LSTMCell(3)], state_is_tuple=False)),
        attempt(lambda: c.MultiRNNCell([c.BasicRNNCell(3)])(x, s)),
        attempt(lambda: c.DropoutWrapper(3)),
        attempt(lambda: c.DropoutWrapper(c.BasicRNNCell(3), input_keep_prob=1.5)),
        attempt(lambda: c.DropoutWrapper(c.BasicRNNCell(3), dropout_state_filter_visitor=3)),
        attempt(lambda: c.DropoutWrapper(c.BasicRNNCell(3), variational_recurrent=True)),
        attempt(lambda: c.DropoutWrapper(c.BasicRNNCell(3), 0.5, variational_recurrent=True, dtype=tf.float32)),
        attempt(lambda: c.ResidualWrapper(c.BasicRNNCell(3))(x, s)),
        attempt(lambda: c.BasicRNNCell(3, wrong=1)),
        attempt(lambda: c.LSTMStateTuple(tf.zeros([1]), tf.zeros([1], tf.float64)).dtype),
    ]


DROPOUTS = {
    "input": {"input_keep_prob": 0.5},
    "output": {"output_keep_prob": 0.5, "seed": 7},
    "state": {"state_keep_prob": 0.5, "seed": 7},
    "state, filter": {"state_keep_prob": 0.5, "dropout_state_filter_visitor": lambda s: True},
    "all, the same": {
        "input_keep_prob": 0.5, "output_keep_prob": 0.25, "state_keep_prob": 0.75, "variational_recurrent": True,
        "input_size": 4, "dtype": "float32", "seed": 3,
    },
}  # fmt: skip


@program(cases=DROPOUTS, oracle="1.15", graph=False)
def dropouts(tf, case):
    cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.LSTMCell(3), **dict(case, dtype=tf.float32))
    with tf.variable_scope("net", initializer=weights):
        output, state = cell(tf.constant(X), cell.zero_state(2, tf.float32))
    seeds = [(op.get_attr("seed"), op.get_attr("seed2")) for op in tf.get_default_graph().get_operations()
             if op.type == "RandomUniform"]  # fmt: skip
    return [output.shape, [part.shape for part in state], seeds]
