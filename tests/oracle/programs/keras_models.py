"""tf.keras models: graphs of layers, sequences, classes; nodes, weights, tables, data, files (TensorFlow 1.15)."""

import os
import tempfile

import numpy as np

from tests.oracle import attempt, program


def lines(model, **options):
    found = []
    model.summary(print_fn=found.append, **options)
    return found


def two_inputs(k):
    a, b = k.Input((4,)), k.Input((4,), name="bee")
    shared = k.layers.Dense(3, activation="relu")
    joined = k.layers.concatenate([shared(a), shared(b)])
    return k.Model([a, b], [k.layers.Dense(1)(joined), joined], name="two")


def describe(model):
    return [
        model.name, model.input_names, model.output_names, model.input_shape, model.output_shape,
        [layer.name for layer in model.layers], [v.name for v in model.weights],
        [v.name for v in model.trainable_weights], [v.name for v in model.non_trainable_weights],
        model.count_params(), model.built, [t.name for t in model.inputs], [t.name for t in model.outputs],
    ]  # fmt: skip


@program(oracle="1.15")
def sequential(tf):
    k = tf.keras
    model = k.Sequential([k.layers.Dense(4, input_shape=(3,), activation="relu"), k.layers.BatchNormalization()])
    model.add(k.layers.Dense(2, kernel_regularizer="l2"))
    found = describe(model) + [lines(model)]
    y = model(tf.placeholder(tf.float32, [None, 3], name="other"))
    return found + [y.name, y.shape, len(model.losses), len(model.updates), model.get_config()]


@program(oracle="1.15")
def convolutional(tf):
    k = tf.keras
    model = k.models.Sequential(name="net")
    model.add(k.layers.Conv2D(4, (3, 3), padding="same", input_shape=(8, 8, 3)))
    model.add(k.layers.Activation("relu"))
    model.add(k.layers.MaxPooling2D(pool_size=(2, 2)))
    model.add(k.layers.Flatten())
    model.add(k.layers.Dense(5))
    model.add(k.layers.Activation("softmax"))
    return describe(model) + [lines(model), lines(model, line_length=40), model.to_json()]


@program(oracle="1.15")
def functional(tf):
    k = tf.keras
    model = two_inputs(k)
    found = describe(model) + [lines(model), model.get_config(), model.to_json()]
    a = tf.placeholder(tf.float32, [None, 4], name="r")
    made = model([a, a])
    shared = model.layers[2]
    found += [[t.name for t in made], len(shared.inbound_nodes), shared.get_output_at(1).name, shared.input_shape]
    found += [attempt(model.get_layer, "nope"), model.get_layer("bee").name, model.get_layer(index=2).name]
    return found + [shared.get_input_shape_at(0), attempt(shared.get_input_at, 7), model.get_output_shape_at(0)]


@program(oracle="1.15")
def ops_between_layers(tf):
    k = tf.keras
    a = k.Input((3,))
    twice = tf.multiply(a, a, name="m")
    model = k.Model(a, k.layers.Activation("relu")(twice))
    y = model(tf.placeholder(tf.float32, [None, 3], name="z"))
    return y.name, [layer.name for layer in model.layers], lines(model)


@program(oracle="1.15", graph=False)
def ops_with_constants(tf):
    k = tf.keras
    a = k.Input((3,))
    total = tf.reduce_sum(a * 2.0 + tf.ones([3]), 1, keepdims=True)
    model = k.Model(a, k.layers.Dense(1, kernel_initializer="ones")(total))
    z = tf.placeholder(tf.float32, [None, 3], name="z")
    y = model(z)
    session = k.backend.get_session()
    return y.name, [layer.name for layer in model.layers], session.run(y, {z: [[1.0, 2.0, 3.0]]})


@program(oracle="1.15")
def nested(tf):
    k = tf.keras
    inner = k.Sequential([k.layers.Dense(3, input_shape=(4,)), k.layers.Dense(2)])
    a = k.Input((4,))
    model = k.Model(a, k.layers.Dense(1)(inner(a)))
    return describe(model) + [lines(model), model.get_config()]


class Makes:
    """Classes of models, made when there is a tf."""

    @staticmethod
    def two_layers(k):
        class TwoLayers(k.Model):
            def __init__(self, size):
                super(TwoLayers, self).__init__(name="own")
                self.first = k.layers.Dense(size, activation="relu")
                self.others = [k.layers.Dense(2), k.layers.BatchNormalization()]

            def call(self, inputs, training=None):
                x = self.first(inputs)
                for layer in self.others:
                    x = layer(x)
                return x

        return TwoLayers


@program(oracle="1.15")
def subclassed(tf):
    k = tf.keras
    model = Makes.two_layers(k)(3)
    found = [model.built, model.inputs, [layer.name for layer in model.layers], attempt(model.summary)]
    y = model(tf.placeholder(tf.float32, [None, 4], name="x"))
    found += [y.name, model.name, [v.name for v in model.weights], len(model.updates), model.built, lines(model)]
    return found + [[v.name for v in model.trainable_weights], attempt(model.get_config), model.output_names]


@program(oracle="1.15", graph=False)
def subclass_built(tf):
    k = tf.keras
    model = Makes.two_layers(k)(3)
    model.build((None, 5))
    later = k.Sequential([k.layers.Dense(2), k.layers.Dense(3)])
    found = [later.built, later.inputs, attempt(lambda: later.count_params())]
    later.build((None, 5))
    return found + [[v.name for v in model.weights], [v.shape for v in later.weights], later.built, lines(later)]


@program(oracle="1.15", graph=False)
def later_sequence(tf):
    k = tf.keras
    model = k.Sequential([k.layers.Dense(2, kernel_initializer="ones"), k.layers.Dropout(0.5)])
    y = model(tf.placeholder(tf.float32, [None, 3], name="x"))
    return y.name, [v.name for v in model.weights], [layer.name for layer in model.layers], lines(model)


@program(oracle="1.15", graph=False)
def weights_set_and_copied(tf):
    k = tf.keras
    model = two_inputs(k)
    model.set_weights([np.full(w.shape, 0.5) for w in model.get_weights()])
    copy = k.models.clone_model(model)
    again = k.Model.from_config(model.get_config())
    read = k.models.model_from_json(model.to_json())
    copy.set_weights(model.get_weights())
    found = [[v.name for v in copy.weights], copy.get_weights(), again.get_config() == model.get_config()]
    found += [[layer.name for layer in read.layers], [v.name for v in read.weights]]
    sequence = k.Sequential([k.layers.Dense(3, input_dim=2), k.layers.LeakyReLU(0.2)])
    same = k.models.clone_model(sequence)
    found += [[layer.name for layer in same.layers], same.get_config() == sequence.get_config()]
    found += [attempt(model.set_weights, [np.ones(2)])]
    return found


@program(oracle="1.15", graph=False)
def frozen(tf):
    k = tf.keras
    model = k.Sequential([k.layers.Dense(3, input_dim=2), k.layers.BatchNormalization(), k.layers.Dense(1)])
    model.layers[0].trainable = False
    found = [
        [v.name for v in model.trainable_weights],
        [v.name for v in model.non_trainable_weights],
        lines(model)[-5:],
    ]
    model.trainable = False
    found += [model.trainable_weights, len(model.non_trainable_weights), model.layers[2].trainable, model.updates]
    model.trainable = True
    return found + [len(model.trainable_weights)]


@program(oracle="1.15", graph=False)
def weights_in_files(tf):
    k = tf.keras
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "w", "ck")
    model = k.Sequential([k.layers.Dense(2, input_dim=3, kernel_initializer="ones"), k.layers.BatchNormalization()])
    model.save_weights(path)
    names = sorted(name for name, _ in tf.train.list_variables(path))
    saved = model.get_weights()
    model.set_weights([w + 1.0 for w in saved])
    changed = model.get_weights()
    model.load_weights(path)
    own = Makes.two_layers(k)(2)
    own(tf.placeholder(tf.float32, [None, 3]))
    own.save_weights(os.path.join(folder, "own"))
    more = sorted(name for name, _ in tf.train.list_variables(os.path.join(folder, "own")))
    latest = os.path.basename(tf.train.latest_checkpoint(os.path.join(folder, "w")))
    return names, changed[0], model.get_weights()[0], more, latest


@program(oracle="1.15", graph=False)
def values(tf):
    k = tf.keras
    a = k.Input((2,))
    x = k.layers.Dense(3, kernel_initializer="ones", bias_initializer="ones")(a)
    x = k.layers.Lambda(lambda t: t * 2.0)(x)
    b = k.layers.Dense(3, kernel_initializer=k.initializers.Constant(0.5))(a)
    model = k.Model(a, [k.layers.add([x, b]), k.layers.multiply([x, b])])
    z = tf.constant([[1.0, 2.0]])
    session = k.backend.get_session()
    again = k.backend.function([a], model.outputs)
    return session.run(model(z)), again([np.array([[1.0, 2.0]])]), session.run(model.outputs, {a: [[3.0, 4.0]]})


@program(oracle="1.15", graph=False)
def shapes_and_masks(tf):
    k = tf.keras
    model = two_inputs(k)
    words = k.Sequential([k.layers.Embedding(5, 2, mask_zero=True, input_length=3), k.layers.Dense(2)])
    found = [model.compute_output_shape([(7, 4), (7, 4)]), words.output_shape, words.compute_output_shape((2, 3))]
    return found + [words.outputs[0]._keras_mask.name, words.input.dtype, words.input_shape]


@program(oracle="1.15", graph=False)
def inputs(tf):
    k = tf.keras
    a, b = k.Input((3,)), k.Input(batch_shape=(2, 4), name="b", dtype="int32")
    c, d = k.Input(tensor=tf.ones([2, 3])), k.layers.Input(shape=(), batch_size=3)
    layer = k.layers.InputLayer((5,), name="five")
    found = [(t.name, t.shape, t.dtype, t.op.type) for t in (a, b, c, d, layer.output)]
    found += [k.backend.int_shape(b)]
    return found + [
        attempt(k.Input), attempt(k.Input, (3,), batch_shape=(2, 3)), attempt(k.Input, (3,), foo=1),
        attempt(k.layers.InputLayer, (3,), foo=1),
    ]  # fmt: skip


@program(oracle="1.15", graph=False, messages=[])
def failures(tf):
    k = tf.keras
    a, b = k.Input((3,)), k.Input((3,))
    x = k.layers.Dense(2)(a)
    plain = tf.placeholder(tf.float32, [None, 3])

    class Forgets(k.Model):
        def __init__(self):
            self.first = k.layers.Dense(2)

    same = [k.layers.Dense(2, name="d"), k.layers.Dense(2, name="d")]
    return [
        attempt(lambda: k.Model(b, x)), attempt(lambda: k.Model(plain, x)), attempt(lambda: k.Model([a, a], x)),
        attempt(lambda: k.Model(a, tf.ones([2]))), attempt(lambda: k.Model(a, x, foo=1)),
        attempt(Forgets), attempt(lambda: k.Model(a, same[1](same[0](a)))),
        attempt(lambda: k.Model(a, x).get_layer()), attempt(lambda: k.Model(a, x).get_layer(index=9)),
        attempt(k.Sequential, ["a"]), attempt(lambda: k.Sequential().pop()), attempt(lambda: k.Sequential().build()),
        attempt(k.Model().build, 3), attempt(lambda: k.Model()(plain)),
        attempt(k.models.model_from_config, []), attempt(lambda: k.Sequential([k.layers.Dense(2)]).summary()),
        attempt(lambda: k.models.clone_model(Makes.two_layers(k)(2))),
        attempt(lambda: k.Model(a, x).save_weights("w.h5", save_format="tf")),
        attempt(lambda: k.Model(a, x).save_weights("w", save_format="no")),
    ]  # fmt: skip
