"""tf.keras.layers called on tensors: nodes, names, weights, losses, updates, masks, errors (TensorFlow 1.15)."""

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


def pair(tf, one=4, other=4):
    return [tf.placeholder(tf.float32, [None, one], name="a"), tf.placeholder(tf.float32, [None, other], name="b")]


LAYERS = {
    "dense": lambda k, tf: k.layers.Dense(4, activation="relu")(rows(tf)),
    "dense_named": lambda k, tf: k.layers.Dense(4, name="fc", use_bias=False)(rows(tf)),
    "dense_options": lambda k, tf: k.layers.Dense(
        4, "softmax", True, "he_normal", "ones", "l2", k.regularizers.l1(0.1), k.regularizers.l1_l2(0.1, 0.2)
    )(rows(tf)),
    "dense_activity": lambda k, tf: k.layers.Dense(4, activity_regularizer="l1")(rows(tf)),
    "dense_double": lambda k, tf: k.layers.Dense(2)(tf.placeholder(tf.float64, [None, 3])),
    "dense_frozen": lambda k, tf: k.layers.Dense(2, trainable=False)(rows(tf)),
    "activation": lambda k, tf: k.layers.Activation("tanh")(rows(tf)),
    "activation_function": lambda k, tf: k.layers.Activation(tf.nn.relu6)(rows(tf)),
    "dropout_off": lambda k, tf: k.layers.Dropout(0.5)(rows(tf), training=False),
    "flatten": lambda k, tf: k.layers.Flatten()(images(tf)),
    "flatten_first": lambda k, tf: k.layers.Flatten("channels_first")(images(tf)),
    "reshape": lambda k, tf: k.layers.Reshape((4, -1))(rows(tf)),
    "permute": lambda k, tf: k.layers.Permute((2, 1))(steps(tf)),
    "repeat_vector": lambda k, tf: k.layers.RepeatVector(3)(rows(tf)),
    "masking": lambda k, tf: k.layers.Masking(1.0)(steps(tf)),
    "activity_regularization": lambda k, tf: k.layers.ActivityRegularization(l1=0.1, l2=0.2)(rows(tf)),
    "conv2d": lambda k, tf: k.layers.Conv2D(4, 3, padding="same", activation="relu")(images(tf)),
    "conv2d_strides": lambda k, tf: k.layers.Conv2D(4, [3, 2], (2, 1), name="c")(images(tf)),
    "conv2d_first": lambda k, tf: k.layers.Conv2D(4, 3, data_format="channels_first", use_bias=False)(images(tf)),
    "conv2d_holes": lambda k, tf: k.layers.Conv2D(4, 3, dilation_rate=2, kernel_regularizer="l1")(images(tf)),
    "conv3d": lambda k, tf: k.layers.Conv3D(3, 2, strides=2)(volumes(tf)),
    "conv3d_transpose": lambda k, tf: k.layers.Conv3DTranspose(3, 2, strides=2)(volumes(tf)),
    "separable_conv2d": lambda k, tf: k.layers.SeparableConv2D(4, 3, depth_multiplier=2)(images(tf)),
    "separable_conv1d": lambda k, tf: k.layers.SeparableConv1D(4, 3, data_format="channels_last")(steps(tf)),
    "depthwise_conv2d": lambda k, tf: k.layers.DepthwiseConv2D(3, depth_multiplier=2, padding="same")(images(tf)),
    "max_pooling2d": lambda k, tf: k.layers.MaxPooling2D()(images(tf)),
    "max_pool2d_same": lambda k, tf: k.layers.MaxPool2D([3, 2], [2, 1], padding="same", name="pool")(images(tf)),
    "average_pooling2d": lambda k, tf: k.layers.AveragePooling2D(2, 1)(images(tf)),
    "max_pooling1d": lambda k, tf: k.layers.MaxPooling1D(2)(steps(tf)),
    "average_pooling1d": lambda k, tf: k.layers.AveragePooling1D(3, 1, "same")(steps(tf)),
    "max_pooling3d": lambda k, tf: k.layers.MaxPooling3D()(volumes(tf)),
    "average_pooling3d": lambda k, tf: k.layers.AveragePooling3D(2)(volumes(tf)),
    "global_average_pooling1d": lambda k, tf: k.layers.GlobalAveragePooling1D()(steps(tf)),
    "global_max_pooling1d": lambda k, tf: k.layers.GlobalMaxPooling1D()(steps(tf)),
    "global_average_pooling2d": lambda k, tf: k.layers.GlobalAveragePooling2D()(images(tf)),
    "global_max_pooling2d": lambda k, tf: k.layers.GlobalMaxPooling2D("channels_first")(images(tf)),
    "global_average_pooling3d": lambda k, tf: k.layers.GlobalAveragePooling3D()(volumes(tf)),
    "global_max_pooling3d": lambda k, tf: k.layers.GlobalMaxPooling3D()(volumes(tf)),
    "batch_norm": lambda k, tf: k.layers.BatchNormalization()(images(tf)),
    "batch_norm_rows": lambda k, tf: k.layers.BatchNormalization()(rows(tf)),
    "batch_norm_training": lambda k, tf: k.layers.BatchNormalization()(images(tf), training=True),
    "batch_norm_off": lambda k, tf: k.layers.BatchNormalization(momentum=0.9, scale=False)(rows(tf), training=False),
    "batch_norm_axis": lambda k, tf: k.layers.BatchNormalization(axis=1, center=False)(steps(tf), training=True),
    "batch_norm_unfused": lambda k, tf: k.layers.BatchNormalization(fused=False, gamma_regularizer="l2")(images(tf)),
    "layer_norm": lambda k, tf: k.layers.LayerNormalization()(rows(tf)),
    "layer_norm_axes": lambda k, tf: k.layers.LayerNormalization(axis=[1, 2], scale=False)(images(tf)),
    "add": lambda k, tf: k.layers.Add()(pair(tf)),
    "add_function": lambda k, tf: k.layers.add(pair(tf), name="total"),
    "add_ranks": lambda k, tf: k.layers.Add()([rows(tf, 3), steps(tf)]),
    "subtract": lambda k, tf: k.layers.Subtract()(pair(tf)),
    "multiply": lambda k, tf: k.layers.Multiply()(pair(tf) + [rows(tf, 4)]),
    "average": lambda k, tf: k.layers.Average()(pair(tf)),
    "maximum": lambda k, tf: k.layers.Maximum()(pair(tf)),
    "minimum": lambda k, tf: k.layers.Minimum()(pair(tf)),
    "concatenate": lambda k, tf: k.layers.Concatenate()(pair(tf, 4, 2)),
    "concatenate_axis": lambda k, tf: k.layers.concatenate([steps(tf), steps(tf)], axis=1),
    "dot": lambda k, tf: k.layers.Dot(axes=1)(pair(tf)),
    "dot_normalized": lambda k, tf: k.layers.Dot(axes=(2, 1), normalize=True)([steps(tf), rows(tf, 3)]),
    "lambda": lambda k, tf: k.layers.Lambda(lambda x: x * 2.0, name="twice")(rows(tf)),
    "lambda_arguments": lambda k, tf: k.layers.Lambda(lambda x, by: x + by, arguments={"by": 3.0})(rows(tf)),
    "leaky_relu": lambda k, tf: k.layers.LeakyReLU(alpha=0.1)(rows(tf)),
    "prelu": lambda k, tf: k.layers.PReLU(shared_axes=[1, 2])(images(tf)),
    "elu": lambda k, tf: k.layers.ELU(0.5)(rows(tf)),
    "thresholded_relu": lambda k, tf: k.layers.ThresholdedReLU(0.5)(rows(tf)),
    "softmax": lambda k, tf: k.layers.Softmax()(rows(tf)),
    "relu": lambda k, tf: k.layers.ReLU()(rows(tf)),
    "relu_six": lambda k, tf: k.layers.ReLU(6.0)(rows(tf)),
    "relu_options": lambda k, tf: k.layers.ReLU(max_value=2.0, negative_slope=0.1, threshold=0.5)(rows(tf)),
    "up_sampling2d": lambda k, tf: k.layers.UpSampling2D((2, 3))(images(tf)),
    "up_sampling2d_bilinear": lambda k, tf: k.layers.UpSampling2D(2, "channels_first", "bilinear")(images(tf)),
    "zero_padding1d": lambda k, tf: k.layers.ZeroPadding1D((1, 2))(steps(tf)),
    "zero_padding2d": lambda k, tf: k.layers.ZeroPadding2D(2)(images(tf)),
    "zero_padding2d_sides": lambda k, tf: k.layers.ZeroPadding2D(((1, 0), (2, 3)))(images(tf)),
    "zero_padding3d": lambda k, tf: k.layers.ZeroPadding3D((1, 2, 3))(volumes(tf)),
    "cropping1d": lambda k, tf: k.layers.Cropping1D((1, 0))(steps(tf)),
    "cropping2d": lambda k, tf: k.layers.Cropping2D(((1, 2), (1, 1)))(images(tf)),
    "cropping3d": lambda k, tf: k.layers.Cropping3D()(volumes(tf)),
    "gaussian_noise_off": lambda k, tf: k.layers.GaussianNoise(0.5)(rows(tf), training=False),
}

#: made of ops whose own nodes have changed since 1.15
CHANGED = {
    "up_sampling3d": lambda k, tf: k.layers.UpSampling3D(2)(volumes(tf)),
    "up_sampling1d": lambda k, tf: k.layers.UpSampling1D(2)(steps(tf)),
    "embedding_cast": lambda k, tf: k.layers.Embedding(5, 3, mask_zero=True, input_length=4)(
        tf.placeholder(tf.float32, [None, 4])
    ),
    "embedding": lambda k, tf: k.layers.Embedding(5, 3)(tf.placeholder(tf.int32, [None, 4])),
    "dense_three_axes": lambda k, tf: k.layers.Dense(4)(steps(tf)),
    "dropout": lambda k, tf: k.layers.Dropout(0.5)(rows(tf)),
    "dropout_noise_shape": lambda k, tf: k.layers.Dropout(0.5, noise_shape=[None, 1], seed=3)(rows(tf), training=True),
    "spatial_dropout2d": lambda k, tf: k.layers.SpatialDropout2D(0.5)(images(tf)),
    "conv1d": lambda k, tf: k.layers.Conv1D(4, 3, padding="same")(steps(tf)),
    "conv1d_causal": lambda k, tf: k.layers.Conv1D(4, 3, padding="causal", dilation_rate=2)(steps(tf)),
    "conv2d_transpose": lambda k, tf: k.layers.Conv2DTranspose(4, 3, 2)(images(tf)),
    "conv2d_transpose_padding": lambda k, tf: k.layers.Conv2DTranspose(4, 3, 2, "same", output_padding=1)(images(tf)),
    "gaussian_dropout": lambda k, tf: k.layers.GaussianDropout(0.5)(rows(tf)),
    "alpha_dropout": lambda k, tf: k.layers.AlphaDropout(0.5)(rows(tf)),
}


def apply(tf, made):
    k = tf.keras
    made = made(k, tf)
    names = ("variables", "trainable_variables", "regularization_losses", "update_ops")
    return made, [[item.name for item in tf.get_collection(name)] for name in names]


@program(cases=sorted(LAYERS), oracle="1.15")
def layer(tf, case):
    return apply(tf, LAYERS[case])


@program(cases=sorted(CHANGED), oracle="1.15", graph=False)
def layer_of_changed_nodes(tf, case):
    made, collections = apply(tf, CHANGED[case])
    return (
        made.shape,
        made.dtype,
        collections,
        [op.name for op in tf.get_default_graph().get_operations() if "/" not in op.name],
    )


@program(oracle="1.15", graph=False)
def names_and_sharing(tf):
    k = tf.keras
    x = rows(tf)
    dense = k.layers.Dense(4)
    found = [dense.name, dense.built, dense.dtype, attempt(dense.count_params)]
    a, b = dense(x), dense(x)
    found += [a.name, b.name, dense.name, dense.dtype, dense.built, dense.count_params()]
    found += [[v.name for v in dense.weights], dense.weights == dense.variables]
    found += [k.layers.Dense(4).name, k.layers.Dense(4, name="dense").name, k.layers.MaxPooling2D().name]
    found += [k.layers.Conv2D(3, 3).name, k.layers.Conv2D(3, 3).name, k.layers.LeakyReLU().name, k.layers.ReLU().name]
    with tf.name_scope("ns"):
        found += [k.layers.Dense(3)(x).name]
    with tf.variable_scope("vs"):
        inner = k.layers.Dense(3)
        found += [inner(x).name, [v.name for v in inner.weights]]
    tf.layers.dense(x, 3)
    found += [k.layers.Dense(3)(x).name, k.backend.get_uid("a"), k.backend.get_uid("a")]
    with tf.Graph().as_default():
        found += [k.layers.Dense(3).name, k.layers.Dense(3)(rows(tf)).name]
    found.append([v.name for v in tf.global_variables()])
    k.backend.clear_session()
    found += [k.layers.Dense(3).name, len(tf.global_variables())]
    found += [op.name for op in tf.get_default_graph().get_operations()]
    return found


@program(oracle="1.15", graph=False)
def weights(tf):
    k = tf.keras
    x = rows(tf, 3)
    layer = k.layers.Dense(2, kernel_initializer="ones")
    norm = k.layers.BatchNormalization()
    y = norm(layer(x))
    found = [layer.get_weights(), norm.get_weights(), [v.name for v in norm.trainable_weights]]
    found.append([v.name for v in norm.non_trainable_weights])
    layer.set_weights([np.arange(6).reshape(3, 2), [1.0, 2.0] * np.ones(2)])
    found += [layer.get_weights(), k.backend.get_session().run(y, {x: [[1.0, 2.0, 3.0]]})]
    found += [attempt(layer.set_weights, [np.ones((3, 2))]), attempt(layer.set_weights, [np.ones((2, 2)), np.ones(2)])]
    norm.trainable = False
    found += [[v.name for v in norm.trainable_weights], [v.name for v in norm.non_trainable_weights], norm.updates]
    found += [layer.count_params(), layer.trainable, norm.trainable]
    given = k.layers.Dense(2, weights=[np.ones((3, 2)), np.zeros(2)])
    given(x)
    return found + [given.get_weights()]


@program(oracle="1.15", graph=False)
def losses_and_updates(tf):
    k = tf.keras
    x = rows(tf, 3)
    layer = k.layers.Dense(
        2, kernel_initializer="ones", kernel_regularizer="l2", bias_regularizer="l1", activity_regularizer="l2"
    )
    y = layer(x)
    norm = k.layers.BatchNormalization()
    norm(y)
    found = [[one.name for one in layer.losses], [one.name for one in layer.losses]]
    found += [len(layer.get_losses_for(None)), len(layer.get_losses_for(x)), len(layer.get_losses_for(y))]
    found += [[one.name for one in norm.updates], len(norm.get_updates_for(None)), len(norm.get_updates_for(x))]
    session = k.backend.get_session()
    return found + [session.run(layer.losses, {x: np.ones((2, 3))})]


@program(oracle="1.15", graph=False)
def own_layer(tf):
    k = tf.keras

    class Scale(k.layers.Layer):
        def __init__(self, times, **kwargs):
            super().__init__(**kwargs)
            self.times = times
            self.inner = k.layers.Dense(2, kernel_initializer="ones")
            self.more = [k.layers.Dense(2, kernel_initializer="ones", kernel_regularizer="l2")]

        def build(self, input_shape):
            size = int(input_shape[-1])
            self.scale = self.add_weight("scale", [size], initializer="ones")
            self.seen = self.add_weight("seen", [], initializer="zeros", trainable=False)
            self.free = tf.Variable(3.0, name="free")
            super().build(input_shape)

        def call(self, inputs, training=None):
            self.add_update(self.seen.assign_add(1.0))
            self.add_loss(tf.reduce_sum(self.scale), inputs=inputs)
            inputs = inputs * self.scale * self.times
            if training:
                inputs = inputs + 100.0
            return self.more[0](self.inner(inputs))

        def get_config(self):
            return dict(super().get_config(), times=self.times)

        def compute_output_shape(self, input_shape):
            return input_shape

    x = rows(tf, 3)
    layer = Scale(2.0)
    y = layer(x)
    z = layer(x, training=True)
    again = Scale.from_config(layer.get_config())
    session = k.backend.get_session()
    session.run(tf.global_variables_initializer())
    numbers = session.run([y, z], {x: np.ones((1, 3))})
    return [
        y.name, z.name, layer.name, [v.name for v in layer.trainable_variables], numbers,
        [v.name for v in layer.non_trainable_variables], len(layer.losses), len(layer.updates), layer.count_params(),
        layer.get_config(), again.name, again.times, layer.inner.name, layer.more[0].name,
    ]  # fmt: skip


@program(oracle="1.15", graph=False)
def masks(tf):
    k = tf.keras
    ids = tf.placeholder(tf.int32, [None, 3])
    embedded = k.layers.Embedding(4, 2, mask_zero=True, embeddings_initializer="ones")(ids)
    dropped = k.layers.Dropout(0.5)(embedded, training=False)
    dense = k.layers.Dense(2, kernel_initializer="ones")(dropped)
    conv = k.layers.Conv1D(2, 1)(dense)
    joined = k.layers.Concatenate()([dense, dropped])
    added = k.layers.Add()([dense, dropped])
    pooled = k.layers.GlobalAveragePooling1D()(added)
    masked = k.layers.Masking()(tf.placeholder(tf.float32, [None, 3, 2], name="m"))
    session = k.backend.get_session()
    fed = {ids: [[1, 0, 2], [0, 0, 3]]}
    values = session.run([embedded._keras_mask, joined._keras_mask, added._keras_mask, pooled], fed)
    at = tf.get_default_graph().get_tensor_by_name("m:0")
    fed = {at: [[[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]]]}
    return values, conv._keras_mask is None, pooled._keras_mask is None, session.run([masked, masked._keras_mask], fed)


CONFIGS = (
    "Dense(3, activation='relu', kernel_regularizer='l2')", "Conv2D(3, 2, kernel_constraint='max_norm')",
    "Conv2DTranspose(3, 2)", "Conv3DTranspose(3, 2)", "DepthwiseConv2D(2)", "SeparableConv2D(3, 2)", "Dropout(0.3)",
    "Flatten()", "Reshape((2, 3))", "Embedding(4, 3)", "BatchNormalization()", "LayerNormalization()",
    "MaxPooling2D()", "AveragePooling1D()", "GlobalMaxPooling2D()", "Add()", "Concatenate(axis=1)", "Dot(1)",
    "LeakyReLU()", "ReLU(6.0)", "PReLU()", "Softmax()", "ELU()", "UpSampling2D()", "ZeroPadding2D(1)",
    "Cropping2D()", "Permute((2, 1))", "RepeatVector(2)", "Masking()", "GaussianNoise(0.1)", "Activation('tanh')",
    "ActivityRegularization(0.1)", "SpatialDropout1D(0.5)", "AlphaDropout(0.5)", "ThresholdedReLU()",
    "InputLayer((3,))", "Dense(3, input_shape=(4,), dtype='float64')", "Conv1D(3, 2, trainable=False)",
)  # fmt: skip


@program(cases={one.partition("(")[0] + str(at): one for at, one in enumerate(CONFIGS)}, oracle="1.15", graph=False)
def config(tf, case):
    k = tf.keras
    layer = eval("k.layers." + case, {"k": k})
    config = layer.get_config()
    again = k.layers.deserialize(k.layers.serialize(layer))
    return config, again.get_config() == config, again.name, type(again).__name__


@program(oracle="1.15", graph=False)
def shapes(tf):
    layers = tf.keras.layers
    spec = (None, 8, 8, 3)
    return [
        layers.Dense(4).compute_output_shape((None, 3)),
        layers.Conv2D(4, 3).compute_output_shape(spec),
        layers.Conv2D(4, 3, 2, "same").compute_output_shape(spec),
        layers.Conv2DTranspose(4, 3, 2).compute_output_shape(spec),
        layers.MaxPooling2D(2, 2).compute_output_shape(spec),
        layers.GlobalAveragePooling2D().compute_output_shape(spec),
        layers.Flatten().compute_output_shape(spec),
        layers.Conv1D(4, 3, dilation_rate=2).compute_output_shape((None, 9, 3)),
        layers.Reshape((4, -1)).compute_output_shape((None, 8)),
        layers.Permute((2, 1)).compute_output_shape((None, 3, 4)),
        layers.RepeatVector(3).compute_output_shape((None, 4)),
        layers.UpSampling2D(2).compute_output_shape(spec),
        layers.ZeroPadding2D(2).compute_output_shape(spec),
        layers.Cropping2D(1).compute_output_shape(spec),
    ]


@program(oracle="1.15", graph=False)
def phases(tf):
    """The learning phase: fed, set, given, passed on to inner layers."""
    k = tf.keras
    x = rows(tf, 2)
    y = k.layers.GaussianDropout(0.5)(x)
    phase = k.backend.learning_phase()
    with tf.Session() as sess:
        found = [sess.run(y, {x: [[1.0, 2.0]]}), np.any(sess.run(y, {x: [[1.0, 2.0]], phase: True}) != [[1.0, 2.0]])]
    found += [phase.name, phase.dtype, phase.op.type]
    k.backend.set_learning_phase(1)
    found += [k.backend.learning_phase(), attempt(k.backend.set_learning_phase, 3)]
    norm = k.layers.BatchNormalization()
    norm(x)
    found += [len(norm.updates), [op.type for op in tf.get_default_graph().get_operations()][-3:]]
    return found


@program(oracle="1.15", graph=False, messages=[])
def failures(tf):
    layers = tf.keras.layers
    x = rows(tf)
    return [
        attempt(layers.Dense(4), tf.placeholder(tf.float32, [3])),
        attempt(layers.Dense(4), tf.placeholder(tf.float32, [None, None])),
        attempt(layers.Dense(4), tf.placeholder(tf.float32)),
        attempt(layers.Dense(4), tf.placeholder(tf.int32, [None, 2])),
        attempt(layers.Dense, 4, foo=1),
        attempt(layers.Dense),
        attempt(layers.Dense, 3, "relu7"),
        attempt(layers.Dense, 3, kernel_initializer="zeroes"),
        attempt(layers.Dense, 3, kernel_regularizer="l3"),
        attempt(layers.Dense, 3, kernel_constraint="no"),
        attempt(layers.Dense, 3, 3),
        attempt(layers.Conv2D(4, 3), x),
        attempt(layers.Conv2D, 4, 3, padding="full"),
        attempt(layers.Conv2D, 4, 3, padding="causal"),
        attempt(layers.Conv2D, 4, [3, 3, 3]),
        attempt(layers.Conv2D, 4, 3, data_format="NHWC"),
        attempt(layers.Conv2D(4, 3), tf.placeholder(tf.float32, [None, 8, 8, None])),
        attempt(layers.Conv2DTranspose, 4, 3, 1, output_padding=1),
        attempt(layers.MaxPooling2D(), x),
        attempt(layers.BatchNormalization(), tf.placeholder(tf.float32, [None, None])),
        attempt(layers.BatchNormalization(axis=5), x),
        attempt(layers.Add(), x),
        attempt(layers.Add(), [x]),
        attempt(layers.Add(), [rows(tf, 3), rows(tf, 4)]),
        attempt(layers.Subtract(), [x, x, x]),
        attempt(layers.Concatenate(axis=1), [steps(tf), tf.zeros([2, 3, 4])]),
        attempt(layers.Dot, "a"),
        attempt(layers.Dot, (1, 2, 3)),
        attempt(layers.Dot(1), [rows(tf, 3), rows(tf, 4)]),
        attempt(layers.Permute, (1, 3)),
        attempt(layers.ReLU, -1.0),
        attempt(layers.ReLU, negative_slope=-1.0),
        attempt(layers.UpSampling2D, 2, None, "cubic"),
        attempt(layers.ZeroPadding2D, (1, 2, 3)),
        attempt(layers.RepeatVector(2), steps(tf)),
        attempt(layers.Lambda(lambda x: None), x),
        attempt(layers.Layer(foo=1).get_config),
    ]
