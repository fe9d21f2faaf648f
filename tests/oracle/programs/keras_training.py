"""tf.keras models trained: losses of each epoch from the same weights, metrics, callbacks, data (TensorFlow 1.15)."""

import os
import tempfile

import numpy as np

from tests.oracle import attempt, program

X = np.sin(np.arange(80.0)).reshape(20, 4).astype(np.float32)
Y = (X.sum(1) > 0).astype(np.float32)
TWO = np.stack([Y, 1 - Y], 1)
REAL = X.sum(1)


def fresh(model):
    """The model with weights that are the same everywhere."""
    model.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) * 0.5 for w in model.get_weights()])
    return model


def binary(k):
    layers = [k.layers.Dense(5, activation="relu", input_shape=(4,)), k.layers.Dense(1, activation="sigmoid")]
    return fresh(k.Sequential(layers))


def softmax(k):
    layers = [k.layers.Dense(5, activation="tanh", input_dim=4), k.layers.Dense(2, activation="softmax")]
    return fresh(k.Sequential(layers))


def two_outputs(k):
    a = k.Input((4,))
    b = k.layers.Dense(3, activation="tanh", kernel_regularizer="l2")(a)
    b = k.layers.BatchNormalization()(b)
    outputs = [k.layers.Dense(2, activation="softmax", name="cls")(b), k.layers.Dense(1, name="reg")(b)]
    return fresh(k.Model(a, outputs))


def history(found):
    return sorted((name, [float(one) for one in values]) for name, values in found.history.items())


@program(oracle="1.15", graph=False, tol=1e-4)
def a_classifier(tf):
    k = tf.keras
    model = binary(k)
    model.compile("sgd", "binary_crossentropy", metrics=["accuracy"])
    found = [model.metrics_names, history(model.fit(X, Y, batch_size=8, epochs=3, verbose=0, shuffle=False))]
    found += [model.evaluate(X, Y, verbose=0), model.predict(X[:3]), model.predict_classes(X[:3])]
    found += [model.train_on_batch(X[:4], Y[:4]), model.test_on_batch(X[:4], Y[:4]), model.predict_on_batch(X[:2])]
    return found + [model.get_weights()]


@program(oracle="1.15", graph=False, tol=1e-4)
def nodes_of_training(tf):
    k = tf.keras
    model = binary(k)
    before = len(tf.get_default_graph().get_operations())
    model.compile(k.optimizers.Adam(0.01), "binary_crossentropy", metrics=["acc", "mae"])
    model.fit(X, Y, epochs=1, verbose=0)
    model.predict(X)
    left_out = ("/gradients/", "loss/", "IsInit")
    operations = tf.get_default_graph().get_operations()[before:]
    return [(op.type, op.name) for op in operations if not any(part in op.name + op.type for part in left_out)]


@program(oracle="1.15", graph=False, tol=1e-4)
def two_losses(tf):
    k = tf.keras
    model = two_outputs(k)
    losses = {"cls": "categorical_crossentropy", "reg": "mse"}
    metrics = {"cls": ["acc", "mae"], "reg": k.metrics.MeanAbsoluteError()}
    model.compile(k.optimizers.Adam(0.05), losses, metrics=metrics, loss_weights=[1.0, 0.5])
    found = [model.metrics_names, history(model.fit(X, [TWO, REAL], batch_size=5, epochs=3, verbose=0, shuffle=False))]
    found += [model.evaluate(X, {"cls": TWO, "reg": REAL}, verbose=0), model.predict(X[:2]), model.get_weights()]
    model.compile("rmsprop", ["mse", None], metrics=[["acc"], []])
    found += [model.metrics_names, history(model.fit(X, TWO, epochs=2, verbose=0, shuffle=False))]
    return found


@program(oracle="1.15", graph=False, tol=1e-4)
def shuffled(tf):
    k = tf.keras
    np.random.seed(4)
    model = softmax(k)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    found = [history(model.fit(X, Y, batch_size=6, epochs=2, verbose=0))]
    found += [history(model.fit(X, Y, batch_size=6, epochs=2, verbose=0, shuffle="batch"))]
    return found + [history(model.fit(X, Y, epochs=2, verbose=0, validation_split=0.25)), np.random.randint(1000)]


@program(oracle="1.15", graph=False, tol=1e-4)
def weighted(tf):
    k = tf.keras
    model = binary(k)
    model.compile("sgd", "mse", metrics=["acc"], weighted_metrics=["acc", "mae"])
    weights = np.linspace(0.0, 1.0, 20)
    found = [model.metrics_names, history(model.fit(X, Y, epochs=2, verbose=0, shuffle=False, sample_weight=weights))]
    found += [model.evaluate(X, Y, verbose=0, sample_weight=weights), model.evaluate(X, Y, verbose=0)]
    model.compile("sgd", "mse", metrics=["acc"])
    found += [history(model.fit(X, Y, epochs=2, verbose=0, shuffle=False, class_weight={0: 1.0, 1: 3.0}))]
    found += [model.train_on_batch(X, Y, class_weight={0: 2.0, 1: 0.5}), model.test_on_batch(X, Y, weights)]
    return found


@program(oracle="1.15", graph=False, tol=1e-4)
def validated(tf):
    k = tf.keras
    model = softmax(k)
    model.compile(k.optimizers.SGD(0.1, momentum=0.9), k.losses.CategoricalCrossentropy(), ["categorical_accuracy"])
    found = [history(model.fit(X, TWO, epochs=2, verbose=0, shuffle=False, validation_data=(X[:7], TWO[:7])))]
    found += [history(model.fit(X, TWO, epochs=3, verbose=0, shuffle=False, validation_split=0.2, validation_freq=2))]
    more = (X[:5], TWO[:5], np.arange(5.0))
    return found + [history(model.fit(X, TWO, epochs=1, verbose=0, shuffle=False, validation_data=more))]


@program(oracle="1.15", graph=False, tol=1e-4)
def regularized_and_masked(tf):
    k = tf.keras
    words = np.arange(20).reshape(5, 4) % 3
    layers = [
        k.layers.Embedding(3, 2, mask_zero=True, input_length=4),
        k.layers.Dense(2, activity_regularizer="l1", kernel_constraint="max_norm", bias_regularizer="l1"),
    ]
    model = fresh(k.Sequential(layers))
    model.compile("adagrad", "mse", metrics=["mae"], sample_weight_mode="temporal")
    targets = np.ones((5, 4, 2))
    found = [history(model.fit(words, targets, epochs=2, verbose=0, shuffle=False))]
    steps = np.arange(20.0).reshape(5, 4)
    found += [history(model.fit(words, targets, epochs=1, verbose=0, shuffle=False, sample_weight=steps))]
    return found + [model.get_weights()]


OPTIMIZERS = {
    "sgd": lambda o: o.SGD(0.1),
    "momentum": lambda o: o.SGD(0.1, momentum=0.9),
    "nesterov": lambda o: o.SGD(0.1, momentum=0.9, nesterov=True, decay=0.1),
    "clipped": lambda o: o.SGD(0.1, clipnorm=0.1),
    "clipped_value": lambda o: o.SGD(0.1, clipvalue=0.01),
    "rmsprop": lambda o: o.RMSprop(0.01),
    "rmsprop_momentum": lambda o: o.RMSprop(0.01, momentum=0.5),
    "rmsprop_centered": lambda o: o.RMSprop(0.01, centered=True),
    "rmsprop_both": lambda o: o.RMSprop(0.01, momentum=0.5, centered=True),
    "adagrad": lambda o: o.Adagrad(0.1),
    "adadelta": lambda o: o.Adadelta(0.5),
    "adam": lambda o: o.Adam(0.01),
    "amsgrad": lambda o: o.Adam(0.01, amsgrad=True, decay=0.1),
    "adamax": lambda o: o.Adamax(0.01),
    "nadam": lambda o: o.Nadam(0.01),
    "ftrl": lambda o: o.Ftrl(0.1, l1_regularization_strength=0.01),
    "exponential": lambda o: o.SGD(o.schedules.ExponentialDecay(0.1, 2, 0.5, staircase=True)),
    "inverse": lambda o: o.SGD(o.schedules.InverseTimeDecay(0.1, 2, 0.5)),
    "polynomial": lambda o: o.SGD(o.schedules.PolynomialDecay(0.1, 4, 0.01, 2.0)),
    "cycle": lambda o: o.SGD(o.schedules.PolynomialDecay(0.1, 2, 0.01, cycle=True)),
    "piecewise": lambda o: o.SGD(o.schedules.PiecewiseConstantDecay([1.0, 3.0], [0.1, 0.05, 0.2])),
}


@program(cases=sorted(OPTIMIZERS), oracle="1.15", graph=False, tol=1e-4)
def optimizer(tf, case):
    """Dense and sparse steps; the slots."""
    k = tf.keras
    words = np.array([[0, 1], [2, 1], [0, 0], [3, 1]])
    layers = [k.layers.Embedding(4, 2, input_length=2), k.layers.Flatten(), k.layers.Dense(1)]
    model = fresh(k.Sequential(layers))
    made = OPTIMIZERS[case](k.optimizers)
    model.compile(made, "mse")
    losses = [float(model.train_on_batch(words, np.array([0.5, -1.0, 2.0, 0.0]))) for _ in range(5)]
    again = type(made).from_config(made.get_config())
    same = [str(one) for one in again.get_config().values()] == [str(one) for one in made.get_config().values()]
    slots = [v.name for v in made.weights]
    return losses, model.get_weights(), slots, made.get_weights(), sorted(made.get_config()), same


@program(oracle="1.15", graph=False, tol=1e-4)
def hyperparameters(tf):
    k = tf.keras
    model = binary(k)
    made = k.optimizers.Adam(lr=0.05)
    model.compile(made, "mse")
    found = [made.get_config()["learning_rate"], made.get_config()["epsilon"]]
    model.train_on_batch(X, Y)
    found += [float(k.backend.get_value(made.lr)), int(k.backend.get_value(made.iterations))]
    made.lr = 0.5
    k.backend.set_value(made.learning_rate, 0.25)
    found += [float(k.backend.get_value(made.lr)), made.get_slot_names(), made.get_slot(model.weights[0], "m").shape]
    found += [k.optimizers.get("RMSProp").get_config()["rho"], k.optimizers.serialize(k.optimizers.SGD(0.5))]
    weights = made.get_weights()
    made.set_weights([w + 1 for w in weights])
    return found + [int(made.get_weights()[0]), attempt(made.set_weights, [np.ones(2)])]


@program(oracle="1.15", graph=False, tol=1e-4)
def optimizers_of_tf(tf):
    k = tf.keras
    found = []
    for made in (
        tf.train.AdamOptimizer(0.01),
        tf.train.GradientDescentOptimizer(0.1),
        tf.train.MomentumOptimizer(0.1, 0.9),
    ):
        model = binary(k)
        model.compile(made, "mse", metrics=["acc"])
        found.append(history(model.fit(X, Y, epochs=2, verbose=0, shuffle=False)))
    return found


@program(oracle="1.15", graph=False, tol=1e-4)
def classes_and_late_inputs(tf):
    k = tf.keras

    class Own(k.Model):
        def __init__(self):
            super().__init__()
            self.first = k.layers.Dense(3, kernel_initializer="ones")
            self.second = k.layers.Dense(1, kernel_initializer="ones")

        def call(self, inputs, training=None):
            return self.second(self.first(inputs))

    model = Own()
    model.compile("adam", "mse", metrics=["mae"])
    found = [history(model.fit(X, Y, epochs=2, verbose=0, shuffle=False)), model.predict(X[:2]), model.output_names]
    late = k.Sequential([k.layers.Dense(3, kernel_initializer="ones"), k.layers.Dense(1, kernel_initializer="ones")])
    late.compile("sgd", "mse")
    found += [history(late.fit(X, Y, epochs=2, verbose=0, shuffle=False)), late.input_names, late.output_names]
    return found + [[v.name for v in late.weights], [v.name for v in model.weights]]


@program(oracle="1.15", graph=False, tol=1e-4)
def own_losses_and_metrics(tf):
    k = tf.keras

    def distance(y_true, y_pred):
        return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)

    class Largest(k.metrics.Metric):
        def __init__(self, name="largest", **kwargs):
            super().__init__(name=name, **kwargs)
            self.most = self.add_weight("most", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            return self.most.assign(tf.maximum(self.most, tf.reduce_max(y_pred)))

        def result(self):
            return self.most

    a = k.Input((4,))
    b = k.layers.Dense(3, activation="tanh")(a)
    model = k.Model(a, k.layers.Dense(1)(b))
    model.add_loss(tf.reduce_mean(b) * 0.1)
    model.add_metric(tf.reduce_mean(b), name="middle", aggregation="mean")
    fresh(model)
    model.compile("sgd", distance, metrics=[distance, "cosine_proximity"])
    found = [model.metrics_names, history(model.fit(X, REAL, epochs=2, verbose=0, shuffle=False))]
    other = binary(k)
    other.compile("sgd", k.losses.Huber(), metrics=[k.metrics.AUC(num_thresholds=5), k.metrics.Precision()])
    found += [other.metrics_names, history(other.fit(X, Y.reshape(-1, 1), epochs=2, verbose=0, shuffle=False))]
    return found


@program(oracle="1.15", graph=False, tol=1e-4)
def data_sets(tf):
    k = tf.keras
    model = binary(k)
    model.compile("sgd", "mse", metrics=["acc"])
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)
    found = [
        history(model.fit(data, epochs=2, verbose=0, steps_per_epoch=2)),
        history(model.fit(data, epochs=2, verbose=0)),
    ]
    found += [model.evaluate(data, steps=4, verbose=0), model.predict(data.map(lambda x, y: x), steps=2)[:3]]
    found += [
        history(
            model.fit(data.repeat(), epochs=1, verbose=0, steps_per_epoch=3, validation_data=data, validation_steps=2)
        )
    ]

    def pairs():
        while True:
            for at in range(0, 20, 6):
                yield X[at : at + 6], Y[at : at + 6]

    found += [history(model.fit_generator(pairs(), steps_per_epoch=4, epochs=2, verbose=0))]
    found += [model.evaluate_generator(pairs(), steps=2), model.predict_generator(pairs(), steps=1).shape]

    class Batches(k.utils.Sequence):
        def __len__(self):
            return 4

        def __getitem__(self, at):
            return X[at * 5 : at * 5 + 5], Y[at * 5 : at * 5 + 5]

    found += [history(model.fit_generator(Batches(), epochs=2, verbose=0, shuffle=False, workers=0))]
    return found


@program(oracle="1.15", graph=False, tol=1e-4)
def callbacks(tf):
    k = tf.keras
    folder = tempfile.mkdtemp()
    seen = []

    class Notes(k.callbacks.Callback):
        def __getattribute__(self, name):
            if name.startswith("on_"):
                return lambda *args, **kwargs: seen.append((name, args[0] if args and args[0] is not None else -1))
            return object.__getattribute__(self, name)

    model = binary(k)
    model.compile(k.optimizers.SGD(0.1), "mse", metrics=["acc"])
    model.fit(X, Y, batch_size=10, epochs=1, verbose=0, callbacks=[Notes()], validation_data=(X[:5], Y[:5]))
    model.evaluate(X, Y, verbose=0, callbacks=[Notes()])
    model.predict(X, callbacks=[Notes()])
    lists = [
        k.callbacks.EarlyStopping("loss", min_delta=1.0, patience=2),
        k.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=1.0),
        k.callbacks.CSVLogger(os.path.join(folder, "log.csv")),
        k.callbacks.ModelCheckpoint(os.path.join(folder, "w{epoch}"), monitor="loss", save_weights_only=True),
        k.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(("epoch", epoch))),
    ]
    found = [history(model.fit(X, Y, epochs=6, verbose=0, shuffle=False, callbacks=lists)), lists[0].stopped_epoch]
    with open(os.path.join(folder, "log.csv")) as file:
        found.append(file.readline().strip())
    found.append(sorted({name.split(".")[0] for name in os.listdir(folder)}))
    rate = k.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1))
    found += [history(model.fit(X, Y, epochs=3, verbose=0, shuffle=False, callbacks=[rate]))]
    best = k.callbacks.EarlyStopping("acc", patience=1, restore_best_weights=True)
    found += [history(model.fit(X, Y, epochs=3, verbose=0, shuffle=False, callbacks=[best])), model.get_weights()[1]]
    stop = k.callbacks.TerminateOnNaN()
    model.set_weights([w * np.nan for w in model.get_weights()])
    return found + [seen, len(model.fit(X, Y, epochs=5, verbose=0, callbacks=[stop]).epoch)]


@program(oracle="1.15", graph=False, tol=1e-4)
def tensor_board(tf):
    k = tf.keras
    folder = tempfile.mkdtemp()
    model = binary(k)
    model.compile("sgd", "mse", metrics=["acc"])
    board = k.callbacks.TensorBoard(folder, histogram_freq=1, write_graph=False, update_freq="batch", profile_batch=0)
    model.fit(X, Y, batch_size=10, epochs=2, verbose=0, shuffle=False, validation_data=(X, Y), callbacks=[board])
    found = []
    for event in tf.train.summary_iterator(os.path.join(folder, os.listdir(folder)[0])):
        for value in event.summary.value:
            found.append((event.step, value.tag, value.simple_value if "loss" in value.tag else 0.0))
    return sorted(found)


@program(oracle="1.15", graph=False, messages=[])
def failures(tf):
    k = tf.keras
    model = binary(k)
    found = [attempt(model.fit, X, Y), attempt(model.evaluate, X, Y), attempt(model.train_on_batch, X, Y)]
    found += [
        attempt(model.compile, "sgdd", "mse"),
        attempt(model.compile, "sgd", "msee"),
        attempt(model.compile, "sgd"),
    ]
    found += [attempt(model.compile, "sgd", ["mse", "mse"]), attempt(model.compile, "sgd", {"no": "mse"})]
    found += [attempt(model.compile, "sgd", "mse", ["no"]), attempt(model.compile, "sgd", "mse", "acc")]
    found += [attempt(model.compile, "sgd", "mse", loss_weights=[1.0, 2.0])]
    model.compile("sgd", "mse")
    quiet = {"verbose": 0}
    found += [
        attempt(model.fit, X[:, :3], Y, **quiet), attempt(model.fit, X, Y[:5], **quiet),
        attempt(model.fit, [X, X], Y, **quiet), attempt(model.fit, {"a": X}, Y, **quiet),
        attempt(model.fit, X, TWO, **quiet), attempt(model.fit, X, Y, foo=1),
        attempt(model.fit, X, Y, validation_steps=3, **quiet),
        attempt(model.fit, X, Y, sample_weight=np.ones(3), **quiet),
        attempt(model.fit, X, Y, sample_weight=np.ones((20, 2)), **quiet),
        attempt(model.fit, X, Y, class_weight={0: 1.0}, **quiet),
        attempt(model.fit, X, Y, validation_data=(X,), **quiet),
        attempt(k.optimizers.SGD, 0.1, 2.0), attempt(k.optimizers.SGD, 0.1, foo=1), attempt(k.optimizers.SGD, lr=-1.0),
        attempt(k.optimizers.Adagrad, 0.1, -1.0), attempt(k.optimizers.get, 3), attempt(k.losses.get, 3),
        attempt(k.metrics.get, 3), attempt(k.losses.MeanSquaredError, "no"), attempt(k.metrics.Precision, 2.0),
        attempt(k.metrics.AUC, 1), attempt(k.metrics.AUC, curve="X"),
        attempt(k.callbacks.ReduceLROnPlateau, factor=2.0),
        attempt(k.callbacks.ModelCheckpoint, "a", save_freq="b"),
        attempt(k.optimizers.schedules.PiecewiseConstantDecay, [1], [1.0]), attempt(k.Sequential().fit, X, Y),
    ]  # fmt: skip
    sparse = softmax(k)
    sparse.compile("sgd", "categorical_crossentropy")
    return found + [attempt(sparse.fit, X, Y, verbose=0)]
