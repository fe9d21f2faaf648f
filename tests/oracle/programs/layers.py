"""tf.layers: nodes, names, sharing, updates, losses, errors. TensorFlow 1.15 is asked: later versions have none."""

import numpy as np

from tests.oracle import attempt, program


def images(tf, size=8, channels=3):
    return tf.placeholder(tf.float32, [None, size, size, channels], name="x")


def rows(tf, size=8):
    return tf.placeholder(tf.float32, [None, size], name="x")


def steps(tf):
    return tf.placeholder(tf.float32, [None, 8, 3], name="x")


def volumes(tf):
    return tf.placeholder(tf.float32, [None, 4, 4, 4, 2], name="x")


def flag(tf):
    return tf.placeholder(tf.bool, [], name="flag")


def norm(tf, x, renorm=True, **options):
    return tf.layers.batch_normalization(x, renorm=renorm, **options)


def adjustment(tf):
    return lambda shape: (
        tf.random_uniform([shape[0]] + [1] * (shape.shape[0].value - 1), 0.5, 1.5, seed=1),
        tf.fill([shape[0]] + [1] * (shape.shape[0].value - 1), 0.25),
    )


def square(tf):
    return lambda weights: tf.reduce_sum(tf.square(weights))


LAYERS = {
    "dense": lambda tf: tf.layers.dense(rows(tf), 4, activation=tf.nn.relu),
    "dense_named": lambda tf: tf.layers.dense(rows(tf), 4, name="fc", use_bias=False),
    "dense_regularized": lambda tf: tf.layers.dense(
        rows(tf), 4, kernel_regularizer=square(tf), bias_regularizer=square(tf)
    ),
    "dense_activity": lambda tf: tf.layers.dense(rows(tf), 4, activity_regularizer=square(tf)),
    "dense_three_axes": lambda tf: tf.layers.dense(tf.placeholder(tf.float32, [None, 5, 8]), 4, activation=tf.nn.tanh),
    "dense_frozen": lambda tf: tf.layers.dense(rows(tf), 4, trainable=False),
    "dense_initializers": lambda tf: tf.layers.dense(
        rows(tf), 4, tf.nn.sigmoid, True, tf.zeros_initializer(), tf.ones_initializer()
    ),
    "dense_double": lambda tf: tf.layers.dense(tf.placeholder(tf.float64, [None, 3]), 2),
    "conv2d": lambda tf: tf.layers.conv2d(images(tf), 4, 3, padding="same", activation=tf.nn.relu),
    "conv2d_strides": lambda tf: tf.layers.conv2d(images(tf), 4, [3, 2], (2, 1), name="c"),
    "conv2d_holes": lambda tf: tf.layers.conv2d(images(tf), 4, 3, dilation_rate=2),
    "conv2d_regularized": lambda tf: tf.layers.conv2d(images(tf), 4, 3, kernel_regularizer=square(tf), use_bias=False),
    "conv1d": lambda tf: tf.layers.conv1d(steps(tf), 4, 3, padding="same"),
    "conv1d_causal": lambda tf: tf.layers.conv1d(steps(tf), 4, 3, padding="causal", dilation_rate=2),
    "conv1d_holes": lambda tf: tf.layers.conv1d(steps(tf), 4, 3, dilation_rate=2, use_bias=False, padding="same"),
    "conv3d": lambda tf: tf.layers.conv3d(volumes(tf), 3, 2, strides=2),
    "conv2d_transpose": lambda tf: tf.layers.conv2d_transpose(images(tf), 4, 3, 2),
    "conv2d_transpose_same": lambda tf: tf.layers.conv2d_transpose(
        images(tf), 4, 3, padding="same", activation=tf.nn.relu
    ),
    "conv3d_transpose": lambda tf: tf.layers.conv3d_transpose(volumes(tf), 3, 2, strides=2),
    "separable_conv2d": lambda tf: tf.layers.separable_conv2d(images(tf), 4, 3),
    "separable_conv2d_holes": lambda tf: tf.layers.separable_conv2d(
        images(tf), 4, 3, dilation_rate=2, depth_multiplier=2
    ),
    "separable_conv1d": lambda tf: tf.layers.separable_conv1d(steps(tf), 4, 3, activation=tf.nn.relu),
    "max_pooling2d": lambda tf: tf.layers.max_pooling2d(images(tf), 2, 2),
    "max_pooling2d_same": lambda tf: tf.layers.max_pooling2d(images(tf), [3, 2], [2, 1], padding="same", name="pool"),
    "average_pooling2d": lambda tf: tf.layers.average_pooling2d(images(tf), 2, 2),
    "max_pooling1d": lambda tf: tf.layers.max_pooling1d(steps(tf), 2, 2),
    "average_pooling1d": lambda tf: tf.layers.average_pooling1d(steps(tf), 3, 1, "same"),
    "max_pooling3d": lambda tf: tf.layers.max_pooling3d(volumes(tf), 2, 2),
    "average_pooling3d": lambda tf: tf.layers.average_pooling3d(volumes(tf), 2, 2),
    "flatten": lambda tf: tf.layers.flatten(images(tf)),
    "flatten_known": lambda tf: tf.layers.flatten(tf.placeholder(tf.float32, [2, None, 3])),
    "dropout_off": lambda tf: tf.layers.dropout(rows(tf), 0.3),
    "batch_norm": lambda tf: tf.layers.batch_normalization(images(tf)),
    "batch_norm_training": lambda tf: tf.layers.batch_normalization(images(tf), training=True),
    "batch_norm_fed": lambda tf: tf.layers.batch_normalization(images(tf), training=tf.placeholder(tf.bool, [])),
    "batch_norm_rows": lambda tf: tf.layers.batch_normalization(rows(tf)),
    "batch_norm_rows_training": lambda tf: tf.layers.batch_normalization(rows(tf), training=True, momentum=0.9),
    "batch_norm_rows_fed": lambda tf: tf.layers.batch_normalization(rows(tf), training=tf.placeholder(tf.bool, [])),
    "batch_norm_unfused": lambda tf: tf.layers.batch_normalization(images(tf), training=True, fused=False),
    "batch_norm_first_axis": lambda tf: tf.layers.batch_normalization(
        tf.placeholder(tf.float32, [None, 3, 5]), axis=1, training=True, center=False
    ),
    "batch_norm_plain": lambda tf: tf.layers.batch_normalization(images(tf), training=True, center=False, scale=False),
    "batch_norm_two_axes": lambda tf: tf.layers.batch_normalization(
        tf.placeholder(tf.float32, [None, 3, 5]), axis=[1, 2], training=True
    ),
    "batch_norm_fused_elsewhere": lambda tf: tf.layers.batch_normalization(
        images(tf), axis=2, fused=True, training=True
    ),
    **{"renorm_" + name: made for name, made in {
        "training": lambda tf: norm(tf, rows(tf), training=True, renorm_momentum=0.9),
        "off": lambda tf: norm(tf, rows(tf), renorm_clipping={"rmax": 2.0}),
        "fed": lambda tf: norm(tf, images(tf), training=flag(tf), fused=True),
        "clipped": lambda tf: norm(
            tf, rows(tf), training=True, renorm_clipping={"rmin": 0.5, "rmax": 2.0, "dmax": 1.0}
        ),
        "first_axis": lambda tf: norm(tf, images(tf), axis=1, training=True, scale=False, center=False),
        "two_axes": lambda tf: norm(tf, steps(tf), axis=[1, 2], training=flag(tf), scale=False),
        "frozen": lambda tf: norm(tf, rows(tf), training=True, trainable=False),
    }.items()},
    **{"parts_" + name: made for name, made in {
        "training": lambda tf: norm(tf, images(tf), False, training=True, virtual_batch_size=2, axis=1),
        "off": lambda tf: norm(tf, rows(tf), False, virtual_batch_size=2),
        "fed": lambda tf: norm(tf, steps(tf), False, training=flag(tf), virtual_batch_size=3, center=False),
        "renorm": lambda tf: norm(tf, rows(tf), training=flag(tf), virtual_batch_size=2),
        "two_axes": lambda tf: norm(tf, images(tf), False, training=True, virtual_batch_size=2, axis=[1, 3]),
    }.items()},
    **{"adjusted_" + name: made for name, made in {
        "training": lambda tf: norm(tf, rows(tf), False, training=True, adjustment=adjustment(tf)),
        "off": lambda tf: norm(tf, rows(tf), False, adjustment=adjustment(tf)),
        "fed": lambda tf: norm(tf, images(tf), training=flag(tf), adjustment=adjustment(tf), axis=1, scale=False),
        "alone": lambda tf: norm(
            tf, rows(tf), False, training=True, adjustment=adjustment(tf), scale=False, center=False
        ),
    }.items()},
}  # fmt: skip


#: made of ops whose own nodes have changed since 1.15 (the axis of conv1d, tensordot, slices of a known shape, ones)
CHANGED = [
    "adjusted_fed",
    "parts_renorm",
    "renorm_fed",
    "renorm_two_axes",
    "dense_three_axes",
    "conv1d",
    "conv1d_causal",
    "conv1d_holes",
    "conv2d_transpose",
    "conv2d_transpose_same",
]


def apply(tf, case):
    made = LAYERS[case](tf)
    names = ("variables", "trainable_variables", "regularization_losses", "update_ops")
    return made, [[item.name for item in tf.get_collection(name)] for name in names]


@program(cases=sorted(set(LAYERS) - set(CHANGED)), oracle="1.15")
def layer(tf, case):
    return apply(tf, case)


@program(cases=CHANGED, oracle="1.15", graph=False)
def layer_of_changed_nodes(tf, case):
    return apply(tf, case), [op.name for op in tf.get_default_graph().get_operations() if "Tensordot" not in op.name][
        :12
    ]


@program(oracle="1.15", tol=1e-5)
def values(tf):
    """A small network: what it computes, and what a training step makes of its moving averages."""
    x = tf.placeholder(tf.float32, [None, 6, 6, 2])
    training = tf.placeholder(tf.bool, [])
    init = tf.constant_initializer(np.linspace(-0.5, 0.5, 3 * 3 * 2 * 4).reshape(3, 3, 2, 4))
    y = tf.layers.conv2d(x, 4, 3, padding="same", kernel_initializer=init, activation=tf.nn.relu)
    y = tf.layers.batch_normalization(y, training=training)
    y = tf.layers.max_pooling2d(y, 2, 2)
    y = tf.layers.flatten(y)
    y = tf.layers.dropout(y, 0.5, training=False)
    y = tf.layers.dense(y, 3, kernel_initializer=tf.constant_initializer(0.1))
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    data = np.linspace(-1, 1, 2 * 6 * 6 * 2).reshape(2, 6, 6, 2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(y, {x: data, training: False})
        trained = sess.run([y] + updates, {x: data, training: True})[0]
        after = sess.run(y, {x: data, training: False})
        return before, trained, after, sess.run([v for v in tf.global_variables() if "moving" in v.name])


@program(oracle="1.15", tol=1e-5, graph=False)
def renormalized(tf):
    """Three steps with renormalization, in parts and not, and what they leave behind."""
    x = tf.placeholder(tf.float32, [None, 3])
    training = tf.placeholder(tf.bool, [])
    clipping = {"rmin": 0.7, "rmax": 1.5, "dmax": 0.6}
    found = []
    options = {"renorm_clipping": clipping, "renorm_momentum": 0.8, "momentum": 0.7, "training": training}
    whole = tf.layers.batch_normalization(x, renorm=True, name="a", **options)
    parts = tf.layers.batch_normalization(x, renorm=True, name="b", virtual_batch_size=2, **options)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    data = np.sin(np.arange(36).reshape(3, 4, 3)) * 3 + [0, 1, -2]
    slope = tf.gradients(tf.reduce_sum(tf.square(whole + parts)), x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for rows_ in data:
            # The updates read what they change: the outputs come from a run of their own.
            sess.run(updates, {x: rows_, training: True})
            found.append(sess.run([v for v in tf.global_variables() if "mov" in v.name or "ren" in v.name]))
            found.append(sess.run([whole, parts, slope[0]], {x: rows_, training: False}))
    return found


@program(oracle="1.15", graph=False)
def special_batch_norms_refused(tf):
    x, layers = images(tf), tf.layers
    return [
        attempt(lambda: layers.batch_normalization(x, renorm=True, renorm_clipping={"rmax": 1, "a": 1})),
        attempt(lambda: layers.batch_normalization(x, virtual_batch_size=0)),
        attempt(lambda: layers.batch_normalization(x, virtual_batch_size=-2)),
        attempt(lambda: layers.batch_normalization(x, virtual_batch_size=2, axis=0)),
        attempt(lambda: layers.batch_normalization(x, virtual_batch_size=2, adjustment=adjustment(tf))),
        attempt(lambda: layers.batch_normalization(tf.zeros([4, 3]), virtual_batch_size=3, training=True)),
    ]


@program(oracle="1.15", graph=False)
def moving_statistics_are_never_in_parts(tf):
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
        tf.layers.batch_normalization(rows(tf), renorm=True, training=True)
    return [(v.name, v.shape) for v in tf.global_variables()]


@program(oracle="1.15", graph=False)
def names_and_sharing(tf):
    layers = tf.layers
    x = rows(tf)
    dense = layers.Dense(4, name="d")
    found = [dense.built, attempt(lambda: dense.scope_name), attempt(lambda: dense.count_params())]
    a, b = dense(x), dense.apply(x)
    found += [a.name, b.name, dense.name, dense.scope_name, dense.dtype, dense.built, dense.count_params()]
    found += [[v.name for v in dense.weights], dense.weights == dense.variables]
    with tf.variable_scope("s"):
        inner = layers.Dense(4)
        found += [inner(x).name, inner.name, [v.name for v in inner.variables], inner(x).name]
        found += [layers.dense(x, 3, name="q").name, layers.dense(x, 3, name="q", reuse=True).name]
    with tf.variable_scope("s", reuse=True):
        found.append(layers.dense(x, 3, name="q").name)
    with tf.variable_scope("t", reuse=tf.AUTO_REUSE):
        found += [layers.dense(x, 3, name="q").name, layers.dense(x, 3, name="q").name]
    with tf.name_scope("ns"):
        found += [layers.dense(x, 2).name, layers.dense(x, 2).name]
    return found, [v.name for v in tf.global_variables()]


@program(oracle="1.15", graph=False)
def shapes(tf):
    layers = tf.layers
    spec = [None, 8, 8, 3]
    return [
        layers.Dense(4).compute_output_shape([None, 3]),
        layers.Conv2D(4, 3).compute_output_shape(spec),
        layers.Conv2D(4, 3, 2, "same").compute_output_shape(spec),
        layers.Conv2DTranspose(4, 3, 2).compute_output_shape(spec),
        layers.MaxPooling2D(2, 2).compute_output_shape(spec),
        layers.Flatten().compute_output_shape(spec),
        layers.Conv1D(4, 3, dilation_rate=2).compute_output_shape([None, 9, 3]),
    ]


@program(oracle="1.15", graph=False)
def own_layer(tf):
    class Scale(tf.layers.Layer):
        def build(self, input_shape):
            size = int(input_shape[-1])
            self.scale = self.add_weight("scale", [size], initializer=tf.ones_initializer())
            self.seen = self.add_variable("seen", [], initializer=tf.zeros_initializer(), trainable=False)
            super().build(input_shape)

        def call(self, inputs, times=1.0):
            self.add_update(self.seen.assign_add(1.0), inputs=True)
            self.add_loss(tf.reduce_sum(self.scale), inputs=inputs)
            return inputs * self.scale * times

    x = rows(tf, 3)
    layer = Scale()
    y = layer(x, times=2.0)
    frozen = Scale(trainable=False, name="frozen")
    z = frozen(x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        numbers = sess.run([y, z], {x: [[1.0, 2.0, 3.0]]})
    return [
        y.name, z.name, layer.name, [v.name for v in layer.trainable_variables], numbers,
        [v.name for v in layer.non_trainable_variables], [v.name for v in frozen.trainable_weights],
        [v.name for v in frozen.non_trainable_weights], len(layer.losses), len(layer.updates), len(frozen.updates),
        [v.name for v in tf.trainable_variables()], layer.count_params(),
    ]  # fmt: skip


@program(oracle="1.15", graph=False, messages=[])
def failures(tf):
    layers = tf.layers
    x = rows(tf)
    layers.dense(x, 4, name="d")
    return [
        attempt(layers.dense, x, 3, name="q", reuse=True),
        attempt(layers.dense, x, 4, name="d"),
        attempt(layers.dense, x, 5, name="d", reuse=True),
        attempt(layers.dense, tf.placeholder(tf.float32, [3]), 4),
        attempt(layers.dense, tf.placeholder(tf.float32, [None, None]), 4),
        attempt(layers.dense, tf.placeholder(tf.float32), 4),
        attempt(layers.dense, tf.placeholder(tf.int32, [None, 2]), 4),
        attempt(layers.dense, x, 4, foo=1),
        attempt(layers.dense, x),
        attempt(layers.conv2d, x, 4, 3),
        attempt(layers.conv2d, images(tf), 4, 3, padding="full"),
        attempt(layers.conv2d, images(tf), 4, [3, 3, 3]),
        attempt(layers.conv2d, images(tf), 4, "a"),
        attempt(layers.conv2d, images(tf), 4, 3, data_format="NHWC"),
        attempt(layers.conv2d, tf.placeholder(tf.float32, [None, 8, 8, None]), 4, 3),
        attempt(layers.conv2d, images(tf), 4, 3, strides=2, dilation_rate=2),
        attempt(layers.max_pooling2d, x, 2, 2),
        attempt(layers.batch_normalization, tf.placeholder(tf.float32, [None, None])),
        attempt(layers.batch_normalization, x, axis=5),
        attempt(layers.batch_normalization, x, fused=True),
        attempt(layers.dropout, x, 1.5, training=True),
        attempt(layers.Dense(3), np.zeros((2, 3), np.int32)),
    ]


ACTIVATIONS = (
    "elu", "exponential", "hard_sigmoid", "linear", "relu", "selu", "sigmoid", "softmax", "softplus", "softsign",
    "tanh",
)  # fmt: skip
INITIALIZERS = (
    "zeros", "ones", "constant", "uniform", "random_uniform", "normal", "random_normal", "truncated_normal",
    "glorot_uniform", "glorot_normal", "he_normal", "he_uniform", "lecun_normal", "lecun_uniform", "orthogonal",
    "Zeros", "GlorotUniform", "TruncatedNormal", "RandomNormal", "VarianceScaling",
)  # fmt: skip


@program(oracle="1.15")
def activations_by_name(tf):
    x, y = rows(tf, 3), images(tf)
    values = {x: [[-3.0, 0.5, 2.0]], y: np.linspace(-1, 1, 2 * 8 * 8 * 3).reshape(2, 8, 8, 3)}
    made = [tf.layers.dense(x, 3, activation=name, kernel_initializer="ones") for name in ACTIVATIONS]
    made += [
        tf.layers.conv2d(y, 2, 2, activation=name, kernel_initializer="ones", bias_initializer="ones")
        for name in ("relu", "softmax", "selu")
    ]
    made.append(tf.layers.separable_conv2d(y, 2, 2, activation="relu", depthwise_initializer="ones"))
    made.append(tf.layers.batch_normalization(x, gamma_initializer="zeros", beta_initializer="ones"))
    with tf.Session() as sess:
        sess.run([v.initializer for v in tf.global_variables()])
        exact = [*made[: len(ACTIVATIONS)], *made[len(ACTIVATIONS) : len(ACTIVATIONS) + 3]]
        return sess.run(exact, values), [one.name for one in made]


@program(oracle="1.15")
def initializers_by_name(tf):
    x = rows(tf, 3)
    return [tf.layers.dense(x, 3, kernel_initializer=name).name for name in INITIALIZERS]


@program(oracle="1.15", graph=False, messages=[])
def unknown_names(tf):
    x = rows(tf)
    return [
        attempt(tf.layers.dense, x, 3, activation="relu6"),
        attempt(tf.layers.dense, x, 3, activation=3),
        attempt(tf.layers.dense, x, 3, kernel_initializer="zeroes"),
        attempt(tf.layers.dense, tf.placeholder(tf.float32, [None, 3]), 3, activation="Relu"),
        attempt(tf.nn.rnn_cell.LSTMCell, 3, activation="relu9"),
    ]
