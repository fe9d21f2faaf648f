"""tf.keras's recurrent layers: values, weights, shapes, states, masks, training (TensorFlow 1.15)."""

import os
import tempfile

import numpy as np

from tests.oracle import attempt, program

X = np.random.RandomState(0).rand(4, 5, 3).astype("float32")
IDS = np.array([[1, 2, 0, 0], [3, 0, 0, 0], [1, 2, 3, 4]])


def fill(layer):
    """Sets the weights to numbers that are the same everywhere."""
    random = np.random.RandomState(3)
    layer.set_weights([random.rand(*weight.shape).astype("float32") - 0.5 for weight in layer.get_weights()])


def shown(k, layer, x=X, train=True):
    model = k.Sequential([layer])
    fill(model)
    found = [[(v.name, v.shape) for v in model.weights], model.output_shape, model.predict(x)]
    if train:
        model.compile("sgd", "mse")
        y = np.ones([len(x), *found[1][1:]])
        found += [model.fit(x, y, epochs=2, verbose=0, shuffle=False).history["loss"]]
    return found


def each(k, kind, options):
    found = []
    for option in options:
        k.backend.clear_session()
        found += shown(k, kind(2, input_shape=(5, 3), **option))
    return found


PLAIN = [
    {}, {"return_sequences": True}, {"go_backwards": True, "return_sequences": True}, {"unroll": True},
    {"use_bias": False, "activation": "relu"},
]  # fmt: skip


@program(oracle="1.15", graph=False, tol=1e-4)
def simple(tf):
    return each(tf.keras, tf.keras.layers.SimpleRNN, PLAIN)


@program(oracle="1.15", graph=False, tol=1e-4)
def gru(tf):
    more = [{"implementation": 2}, {"reset_after": True}, {"reset_after": True, "implementation": 2}]
    return each(tf.keras, tf.keras.layers.GRU, [*PLAIN, *more])


@program(oracle="1.15", graph=False, tol=1e-4)
def lstm(tf):
    more = [{"implementation": 2}, {"recurrent_activation": "sigmoid", "unit_forget_bias": False}]
    return each(tf.keras, tf.keras.layers.LSTM, [*PLAIN, *more])


@program(oracle="1.15", graph=False, tol=1e-4)
def first_weights(tf):
    k = tf.keras
    tf.set_random_seed(1)
    layer = k.layers.LSTM(2)
    layer(k.Input((5, 3)))
    penalties = {"kernel_regularizer": "l2", "bias_regularizer": "l1", "recurrent_regularizer": k.regularizers.l2(0.1)}
    other = k.layers.GRU(2, activity_regularizer="l2", kernel_constraint="non_neg", **penalties)
    other(k.Input((5, 3)))
    found = [layer.get_weights()[2], len(other.losses), other.kernel_constraint is not None]
    return found + [[v.name for v in layer.weights + other.weights], layer.count_params(), other.units, layer.dropout]


@program(oracle="1.15", graph=False, tol=1e-4)
def cells(tf):
    k = tf.keras
    found = shown(k, k.layers.RNN([k.layers.LSTMCell(2), k.layers.GRUCell(3)], input_shape=(5, 3)))
    found += shown(k, k.layers.RNN(k.layers.SimpleRNNCell(2), return_sequences=True, input_shape=(5, 3)))
    stacked = k.layers.StackedRNNCells([k.layers.LSTMCell(2), k.layers.SimpleRNNCell(4)])
    found += [stacked.state_size, stacked.output_size]

    class Sum(k.layers.AbstractRNNCell):
        @property
        def state_size(self):
            return 3

        @property
        def output_size(self):
            return 3

        def call(self, inputs, states):
            return inputs + states[0], [inputs + states[0]]

    found += [k.Sequential([k.layers.RNN(Sum(), input_shape=(5, 3))]).predict(X)]

    class Minimal(k.layers.Layer):
        def __init__(self, units, **kwargs):
            self.units, self.state_size = units, units
            super().__init__(**kwargs)

        def build(self, shape):
            self.kernel = self.add_weight(shape=(shape[-1], self.units), initializer="ones", name="kernel")
            self.built = True

        def call(self, inputs, states):
            h = k.backend.dot(inputs, self.kernel) - states[0]
            return h, [h]

    return found + shown(k, k.layers.RNN([Minimal(2), Minimal(3)], input_shape=(None, 3)))


@program(oracle="1.15", graph=False, tol=1e-4)
def states(tf):
    k = tf.keras
    a, b = k.Input((5, 3)), k.Input((2,))
    c = k.Input((2,), name="c")
    outputs = k.layers.LSTM(2, return_sequences=True, return_state=True)(a, initial_state=[b, c])
    model = k.Model([a, b, c], outputs)
    fill(model)
    found = [[t.shape for t in outputs], model.predict([X, np.ones([4, 2]), np.zeros([4, 2])]), model.output_shape]
    shared = k.layers.GRU(2, return_state=True)
    out, state = shared(a)
    more = k.layers.GRU(2, return_sequences=True)(a, initial_state=state)
    model = k.Model(a, [out, more])
    fill(model)
    found += [model.predict(X), [layer.name for layer in model.layers], model.count_params()]
    given = shared(tf.constant(X), initial_state=tf.ones([4, 2]))
    found += [k.backend.get_session().run(given)]
    return found + [attempt(shared, a, initial_state=tf.ones([4, 2])), attempt(shared, a, initial_state=[b, b])]


@program(oracle="1.15", graph=False, tol=1e-4)
def stateful(tf):
    k = tf.keras
    model = k.Sequential([k.layers.LSTM(2, stateful=True, batch_input_shape=(4, 5, 3)), k.layers.Dense(1)])
    fill(model)
    found = [model.predict(X, batch_size=4), model.predict(X, batch_size=4), len(model.updates), model.stateful]
    model.reset_states()
    found += [model.predict(X, batch_size=4), [v.name for v in model.weights]]
    model.compile("sgd", "mse")
    model.reset_states()
    found += [model.train_on_batch(X, np.ones([4, 1])), model.test_on_batch(X, np.ones([4, 1]))]
    layer = model.layers[0]
    layer.reset_states([np.ones([4, 2]), np.zeros([4, 2])])
    found += [model.predict(X, batch_size=4), [k.backend.get_value(s) for s in layer.states]]
    return found + [
        attempt(layer.reset_states, [np.ones([4, 2])]), attempt(k.layers.LSTM(2).reset_states),
        attempt(k.layers.LSTM(2, stateful=True), k.Input((5, 3))),
    ]  # fmt: skip


@program(oracle="1.15", graph=False, tol=1e-4)
def masks(tf):
    k = tf.keras
    found = []
    for options in (
        {}, {"return_sequences": True}, {"unroll": True}, {"return_sequences": True, "unroll": True},
        {"go_backwards": True}, {"return_sequences": True, "zero_output_for_mask": True},
    ):  # fmt: skip
        k.backend.clear_session()
        embedding = k.layers.Embedding(6, 3, mask_zero=True, input_length=4)
        model = k.Sequential([embedding, k.layers.GRU(2, **options)])
        fill(model)
        found += [model.predict(IDS), model.output_shape]
        model.compile("sgd", "mse")
        found += [model.train_on_batch(IDS, np.ones([3, *model.output_shape[1:]]))]
    model = k.Sequential([k.layers.Masking(0.5, input_shape=(None, 3)), k.layers.LSTM(2, return_sequences=True)])
    model.add(k.layers.SimpleRNN(2))
    fill(model)
    x = X.copy()
    x[0, 2:] = 0.5
    return found + [model.predict(x)]


@program(oracle="1.15", graph=False, tol=1e-4)
def left_out(tf):
    k = tf.keras
    found = []
    for layer in (
        k.layers.LSTM(2, dropout=0.5, recurrent_dropout=0.3, input_shape=(5, 3)),
        k.layers.GRU(2, dropout=0.5, recurrent_dropout=0.3, implementation=2, input_shape=(5, 3)),
        k.layers.SimpleRNN(2, dropout=0.5, recurrent_dropout=0.3, input_shape=(5, 3)),
    ):
        model = k.Sequential([layer])
        fill(model)
        model.compile("sgd", "mse")
        found += [model.predict(X)]
        found += [np.isfinite(model.train_on_batch(X, np.ones([4, 2])))]
    return found


@program(oracle="1.15", graph=False, tol=1e-4)
def both_ways(tf):
    k = tf.keras
    found = []
    for mode in ("concat", "sum", "mul", "ave"):
        k.backend.clear_session()
        found += shown(k, k.layers.Bidirectional(k.layers.LSTM(2), merge_mode=mode, input_shape=(5, 3)))
    inner = k.layers.GRU(2, return_sequences=True)
    layer = k.layers.Bidirectional(inner, input_shape=(5, 3), name="two")
    found += shown(k, layer)
    a = k.Input((5, 3))
    outputs = k.layers.Bidirectional(k.layers.LSTM(2, return_state=True), merge_mode=None)(a)
    found += [[t.shape for t in outputs]]
    back = k.layers.LSTM(3, go_backwards=True)
    found += shown(k, k.layers.Bidirectional(k.layers.LSTM(2), backward_layer=back, input_shape=(5, 3)))
    model = k.Sequential([k.layers.Embedding(6, 3, mask_zero=True), k.layers.Bidirectional(k.layers.LSTM(2))])
    fill(model)
    found += [model.predict(IDS), [v.name for v in model.weights]]
    return found + [
        attempt(k.layers.Bidirectional, 3), attempt(k.layers.Bidirectional, inner, merge_mode="max"),
        attempt(k.layers.Bidirectional, k.layers.LSTM(2), backward_layer=k.layers.LSTM(2)),
        attempt(k.layers.Bidirectional, k.layers.LSTM(2), backward_layer=k.layers.LSTM(2, True, go_backwards=True)),
    ]  # fmt: skip


@program(oracle="1.15", graph=False, tol=1e-4)
def each_moment(tf):
    k = tf.keras
    found = shown(k, k.layers.TimeDistributed(k.layers.Dense(2, activation="relu"), input_shape=(5, 3)))
    found += shown(k, k.layers.TimeDistributed(k.layers.Dense(2), batch_input_shape=(4, 5, 3)))
    images = np.random.RandomState(1).rand(2, 3, 6, 6, 1).astype("float32")
    found += shown(k, k.layers.TimeDistributed(k.layers.Conv2D(2, 3), input_shape=(3, 6, 6, 1)), images)
    found += shown(k, k.layers.TimeDistributed(k.layers.Flatten(), input_shape=(3, 6, 6, 1)), images, train=False)

    class Twice(k.layers.Layer):
        def call(self, x):
            return 2 * x

        def compute_output_shape(self, shape):
            return shape

    found += shown(k, k.layers.TimeDistributed(Twice(), batch_input_shape=(4, 5, 3)), train=False)
    found += shown(k, k.layers.TimeDistributed(k.Sequential([k.layers.Dense(2)]), input_shape=(None, 3)))
    layers = [k.layers.Embedding(6, 3, mask_zero=True, input_length=4), k.layers.LSTM(2, return_sequences=True)]
    model = k.Sequential([*layers, k.layers.TimeDistributed(k.layers.Dense(2))])
    fill(model)
    model.compile("sgd", "mse")
    found += [model.predict(IDS), model.train_on_batch(IDS, np.ones([3, 4, 2])), model.output_shape]
    return found + [
        attempt(k.layers.TimeDistributed, 3),
        attempt(k.layers.TimeDistributed(k.layers.Dense(2)), k.Input((3,))),
    ]


@program(oracle="1.15", graph=False, tol=1e-4)
def as_data(tf):
    k = tf.keras
    found = []
    for layer in (
        k.layers.LSTM(2, input_shape=(5, 3)), k.layers.GRU(2, dropout=0.1), k.layers.SimpleRNN(2, use_bias=False),
        k.layers.RNN(k.layers.LSTMCell(2)), k.layers.TimeDistributed(k.layers.Dense(2)),
        k.layers.RNN([k.layers.GRUCell(2), k.layers.LSTMCell(3)]), k.layers.Bidirectional(k.layers.LSTM(2)),
    ):  # fmt: skip
        config = layer.get_config()
        again = type(layer).from_config(layer.get_config())
        found += [sorted(config), again.get_config() == config]
        if type(layer).__name__ in ("LSTM", "GRU", "SimpleRNN"):
            found += [{name: one for name, one in config.items() if not name.endswith("initializer")}]
    model = k.Sequential([k.layers.LSTM(2, input_shape=(5, 3)), k.layers.Dense(1)])
    lines = []
    model.summary(print_fn=lines.append)
    again = k.models.model_from_json(model.to_json())
    fill(model)
    again.set_weights(model.get_weights())
    return found + [lines, np.allclose(model.predict(X), again.predict(X))]


@program(oracle="1.15", graph=False, tol=1e-4)
def by_hand(tf):
    k = tf.keras
    x = tf.constant(X)

    def step(now, states):
        return now + states[0], [now + states[0]]

    found = [k.backend.rnn(step, x, [tf.zeros([4, 3])])]
    found += [k.backend.rnn(step, x, [tf.zeros([4, 3])], go_backwards=True, unroll=True)]
    mask = tf.constant(X[:, :, 0] > 0.5)
    for unroll in (False, True):
        found += [k.backend.rnn(step, x, [tf.zeros([4, 3])], mask=mask, unroll=unroll)]
        found += [k.backend.rnn(step, x, [tf.zeros([4, 3])], mask=mask, unroll=unroll, zero_output_for_mask=True)]
    turned = tf.transpose(x, [1, 0, 2])
    found += [k.backend.rnn(step, turned, [tf.zeros([4, 3])], time_major=True)]
    values = [[k.backend.eval(last), k.backend.eval(every), k.backend.eval(new[0])] for last, every, new in found]
    return [*values, attempt(k.backend.rnn, step, k.Input((None, 3)), [tf.zeros([4, 3])], unroll=True)]


@program(oracle="1.15", graph=False, tol=1e-4)
def nodes_of_a_loop(tf):
    k = tf.keras
    k.layers.SimpleRNN(2)(k.Input((5, 3)))
    k.layers.SimpleRNN(2, unroll=True, return_sequences=True)(k.Input((2, 3)))
    # What 1.15 adds to `tf.zeros` and to arrays of a known size, 2.21 does without.
    left_out = ("Initializer", "zeros/mul", "zeros/Less", "TensorArraySize")
    operations = tf.get_default_graph().get_operations()
    return [(op.type, op.name) for op in operations if not any(part in op.name for part in left_out)]


@program(oracle="1.15", graph=False, tol=1e-4)
def weights_in_files(tf):
    k = tf.keras

    class Tagger(k.Model):
        def __init__(self):
            super().__init__()
            self.embedding = k.layers.Embedding(6, 4)
            self.memory = k.layers.GRU(4, return_sequences=True, return_state=True)
            self.words = k.layers.Dense(6)

        def call(self, x):
            return self.words(self.memory(self.embedding(x))[0])

    model = Tagger()
    model.compile("adam", lambda y, p: k.losses.sparse_categorical_crossentropy(y, p, from_logits=True))
    model.fit(IDS, IDS[..., None], verbose=0)
    fill(model)
    path = os.path.join(tempfile.mkdtemp(), "weights")
    model.save_weights(path)
    before = model.predict(IDS)
    model.set_weights([0 * weight for weight in model.get_weights()])
    model.load_weights(path)
    found = [before, model.predict(IDS), [v.name for v in model.weights], model.count_params()]
    names = tf.train.list_variables(path)
    normal = k.Sequential([k.layers.BatchNormalization(input_shape=(3,)), k.layers.Dense(1)])
    normal.compile("adam", "mse")
    normal.fit(X[:, 0], X[:, 0, :1], verbose=0)
    normal.save_weights(path)
    data = tf.data.Dataset.from_tensor_slices((X[:, 0], X[:, 0, :1])).batch(2)
    return [*found, names, tf.train.list_variables(path), attempt(normal.evaluate, data.make_one_shot_iterator())]


@program(oracle="1.15", graph=False, tol=1e-4)
def a_text_classifier(tf):
    k = tf.keras
    model = k.Sequential()
    model.add(k.layers.Embedding(6, 4, input_length=4))
    model.add(k.layers.LSTM(3, return_sequences=True))
    model.add(k.layers.GRU(2))
    model.add(k.layers.Dense(1, activation="sigmoid"))
    fill(model)
    model.compile(k.optimizers.RMSprop(0.01), "binary_crossentropy", metrics=["accuracy"])
    y = np.array([0, 1, 1])
    found = model.fit(IDS, y, epochs=4, batch_size=2, verbose=0, shuffle=False).history
    return [sorted(found.items()), model.evaluate(IDS, y, verbose=0), model.predict(IDS)]
