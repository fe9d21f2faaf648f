"""tf.contrib.layers: nodes, names, collections, sharing, values, errors, as TensorFlow 1.15 has them."""

import numpy as np

from tests.oracle import attempt, program


def images(tf, size=8, channels=3):
    return tf.placeholder(tf.float32, [None, size, size, channels], name="x")


def rows(tf, size=8):
    return tf.placeholder(tf.float32, [None, size], name="x")


def flag(tf):
    return tf.placeholder(tf.bool, [], name="is_training")


def lib(tf):
    return tf.contrib.layers


LAYERS = {
    "fully_connected": lambda tf, c: c.fully_connected(rows(tf), 4),
    "fully_connected_plain": lambda tf, c: c.fully_connected(rows(tf), 4, None, scope="fc"),
    "fully_connected_regularized": lambda tf, c: c.fully_connected(
        rows(tf),
        4,
        tf.nn.tanh,
        weights_regularizer=c.l2_regularizer(0.1),
        biases_regularizer=c.l1_regularizer(0.2),
        weights_initializer=tf.zeros_initializer(),
    ),
    "fully_connected_no_biases": lambda tf, c: c.fully_connected(rows(tf), 4, biases_initializer=None),
    "fully_connected_collections": lambda tf, c: c.fully_connected(
        rows(tf), 4, variables_collections={"weights": ["w"], "biases": ["b"]}, outputs_collections="outputs"
    ),
    "fully_connected_collections_of_all": lambda tf, c: c.fully_connected(
        rows(tf), 4, variables_collections=["all"], trainable=False
    ),
    "fully_connected_normalized": lambda tf, c: c.fully_connected(rows(tf), 4, normalizer_fn=c.batch_norm),
    "fully_connected_layer_norm": lambda tf, c: c.fully_connected(rows(tf), 4, normalizer_fn=c.layer_norm),
    "linear": lambda tf, c: c.linear(rows(tf), 2),
    "relu": lambda tf, c: c.relu(rows(tf), 2, scope="r"),
    "relu6": lambda tf, c: c.relu6(rows(tf), 2),
    "conv2d": lambda tf, c: c.conv2d(images(tf), 4, 3),
    "conv2d_options": lambda tf, c: c.conv2d(
        images(tf), 4, [3, 2], stride=[2, 1], padding="VALID", activation_fn=None, scope="c"
    ),
    "conv2d_rate": lambda tf, c: c.convolution2d(images(tf), 4, 3, rate=2, weights_regularizer=c.l2_regularizer(0.1)),
    "conv2d_normalized": lambda tf, c: c.conv2d(
        images(tf), 4, 3, normalizer_fn=c.batch_norm, normalizer_params={"is_training": flag(tf), "scale": True}
    ),
    "convolution": lambda tf, c: c.convolution(images(tf), 2, 3, biases_initializer=None),
    "convolution3d": lambda tf, c: c.convolution3d(tf.placeholder(tf.float32, [None, 4, 4, 4, 2]), 3, 2, stride=2),
    "separable_conv2d": lambda tf, c: c.separable_conv2d(
        images(tf), 4, 3, weights_regularizer=c.l2_regularizer(0.1), variables_collections={"weights": ["w"]}
    ),
    "separable_conv2d_unmixed": lambda tf, c: c.separable_conv2d(
        images(tf), None, 3, depth_multiplier=2, stride=2, normalizer_fn=c.batch_norm, variables_collections=["v"]
    ),
    "separable_conv2d_rate": lambda tf, c: c.separable_convolution2d(images(tf), None, [3, 2], rate=2),
    "conv2d_in_plane": lambda tf, c: c.conv2d_in_plane(images(tf), [3, 1], scope="p"),
    "max_pool2d": lambda tf, c: c.max_pool2d(images(tf), 2, outputs_collections="outputs"),
    "max_pool2d_same": lambda tf, c: c.max_pool2d(images(tf), [3, 2], [2, 1], padding="SAME", scope="pool"),
    "avg_pool2d": lambda tf, c: c.avg_pool2d(images(tf), 2),
    "flatten": lambda tf, c: c.flatten(images(tf), "outputs"),
    "dropout_off": lambda tf, c: c.dropout(rows(tf), 0.7, is_training=False),
    "layer_norm": lambda tf, c: c.layer_norm(images(tf)),
    "layer_norm_options": lambda tf, c: c.layer_norm(
        rows(tf), center=False, activation_fn=tf.nn.relu, variables_collections=["v"], outputs_collections="o"
    ),
    "layer_norm_axes": lambda tf, c: c.layer_norm(images(tf), begin_norm_axis=-2, begin_params_axis=2, scale=False),
    "embed_sequence": lambda tf, c: c.embed_sequence(tf.placeholder(tf.int32, [None, 4]), 5, 3),
    "batch_norm": lambda tf, c: c.batch_norm(images(tf)),
    "batch_norm_scaled": lambda tf, c: c.batch_norm(images(tf), scale=True, center=False, activation_fn=tf.nn.relu),
    "batch_norm_off": lambda tf, c: c.batch_norm(images(tf), is_training=False),
    "batch_norm_fed": lambda tf, c: c.batch_norm(images(tf), is_training=flag(tf), decay=0.9),
    "batch_norm_unfused": lambda tf, c: c.batch_norm(images(tf), fused=False),
    "batch_norm_unfused_fed": lambda tf, c: c.batch_norm(images(tf), fused=False, is_training=flag(tf)),
    "batch_norm_at_once": lambda tf, c: c.batch_norm(images(tf), updates_collections=None),
    "batch_norm_at_once_fed": lambda tf, c: c.batch_norm(images(tf), updates_collections=None, is_training=flag(tf)),
    "batch_norm_unfused_at_once": lambda tf, c: c.batch_norm(images(tf), updates_collections=None, fused=False),
    "batch_norm_unfused_at_once_fed": lambda tf, c: c.batch_norm(
        images(tf), updates_collections=None, fused=False, is_training=flag(tf)
    ),
    "batch_norm_other_updates": lambda tf, c: c.batch_norm(
        tf.placeholder(tf.float32, [None, 5, 4]), updates_collections="mine", is_training=flag(tf)
    ),
    "batch_norm_rows": lambda tf, c: c.batch_norm(rows(tf), scale=True),
    "batch_norm_rows_off": lambda tf, c: c.batch_norm(rows(tf), is_training=False, variables_collections=["v"]),
    "batch_norm_rows_unfused": lambda tf, c: c.batch_norm(rows(tf), fused=False, outputs_collections="outputs"),
    "batch_norm_channels_first": lambda tf, c: c.batch_norm(
        tf.placeholder(tf.float32, [None, 4, 3, 3]),
        data_format="NCHW",
        fused=False,
        updates_collections=None,
        scale=True,
    ),
    "batch_norm_renorm": lambda tf, c: c.batch_norm(
        images(tf), renorm=True, renorm_decay=0.9, renorm_clipping={"rmax": 3.0}, variables_collections=["v"]
    ),
    "batch_norm_renorm_fused": lambda tf, c: c.batch_norm(rows(tf), renorm=True, fused=True, scale=True),
    "batch_norm_adjusted": lambda tf, c: c.batch_norm(
        images(tf), adjustment=lambda shape: (tf.ones([1, 1, 1, 3]), tf.zeros([1, 1, 1, 3])), data_format="NHWC"
    ),
    "batch_norm_parameters": lambda tf, c: c.batch_norm(
        images(tf),
        scale=True,
        param_initializers={"beta": tf.ones_initializer(), "moving_mean": tf.constant_initializer(0.5)},
        param_regularizers={"beta": c.l2_regularizer(0.1), "gamma": c.l2_regularizer(0.2)},
        variables_collections={"gamma": ["g"], "moving_variance": ["m"]},
        scope="bn",
    ),
    "group_norm": lambda tf, c: c.group_norm(images(tf, 4, 8), groups=2),
    "group_norm_channels_first": lambda tf, c: c.group_norm(
        tf.placeholder(tf.float32, [2, 8, 4, 4]), 4, -3, (-2, -1), center=False, activation_fn=tf.nn.relu
    ),
    "instance_norm": lambda tf, c: c.instance_norm(images(tf), variables_collections=["v"], scope="in"),
    "instance_norm_channels_first": lambda tf, c: c.instance_norm(
        tf.placeholder(tf.float32, [None, 8, 4, 4]), data_format="NCHW", scale=False
    ),
    "maxout": lambda tf, c: c.maxout(rows(tf), 2),
    "pool": lambda tf, c: tf.contrib.slim.pool(images(tf), [2, 2], "MAX", stride=2, scope="p"),
    "repeat": lambda tf, c: c.repeat(images(tf), 2, c.conv2d, 3, [3, 3], scope="conv"),
    "repeat_unnamed": lambda tf, c: c.repeat(rows(tf), 2, c.fully_connected, 3),
    "stack": lambda tf, c: c.stack(rows(tf), c.fully_connected, [4, 3, 2], scope="fc"),
    "stack_unnamed": lambda tf, c: c.stack(images(tf), c.conv2d, [(4, 3), (2, [1, 1])], padding="VALID"),
    "relu_stack": lambda tf, c: c.stack(rows(tf), c.relu, [3, 2]),
    "softmax": lambda tf, c: c.softmax(rows(tf)),
    "l1_l2_regularizer": lambda tf, c: c.l1_l2_regularizer(0.1, 0.2)(tf.constant([1.0, -2.0])),
    "sum_regularizer": lambda tf, c: c.sum_regularizer(
        [None, c.l1_regularizer(0.5), c.l2_regularizer(0.25, scope="two"), c.l2_regularizer(0.0)]
    )(tf.constant([3.0])),
}

#: made of ops whose own nodes have changed since 1.15
CHANGED = {
    "one_hot_encoding_values": lambda tf, c: c.one_hot_encoding(tf.constant([1, 0]), 3, 5.0, -1.0, scope="hot"),
    "one_hot_encoding": lambda tf, c: c.one_hot_encoding(tf.placeholder(tf.int64, [None]), 4, outputs_collections="o"),
    "bias_add": lambda tf, c: c.bias_add(images(tf), activation_fn=tf.nn.relu, regularizer=c.l2_regularizer(0.5)),
    "batch_norm_weights": lambda tf, c: c.batch_norm(
        tf.placeholder(tf.float32, [2, 4, 4, 2]), batch_weights=tf.constant([1.0, 2.0])
    ),
    "group_norm_of_sums": lambda tf, c: c.group_norm(images(tf, 4, 8), groups=4, mean_close_to_zero=True),
    "unit_norm": lambda tf, c: c.unit_norm(tf.placeholder(tf.float32, [None, 4, 8]), 1),
    "unit_norm_last": lambda tf, c: c.unit_norm(tf.placeholder(tf.float32, [2, 4]), 1, scope="u"),
    "dropout": lambda tf, c: c.dropout(rows(tf), 0.7).name.rpartition("/")[0],
    "dropout_fed": lambda tf, c: c.dropout(rows(tf), 0.7, is_training=flag(tf)),
    "convolution1d": lambda tf, c: c.convolution1d(tf.placeholder(tf.float32, [None, 8, 2]), 3, 3),
    "conv2d_transpose": lambda tf, c: c.conv2d_transpose(images(tf), 4, 3, 2),
    "embed_sequence_unique": lambda tf, c: c.embed_sequence(tf.placeholder(tf.int32, [None, 4]), 5, 3, unique=True),
    "batch_norm_debiased": lambda tf, c: c.batch_norm(rows(tf), zero_debias_moving_mean=True),
}

KEYS = ["variables", "trainable_variables", "model_variables", "regularization_losses", "update_ops"]


def apply(tf, build):
    made = build(tf, lib(tf))
    own = ["outputs", "o", "w", "b", "v", "g", "m", "all", "mine"]
    return made, [[item.name for item in tf.get_collection(key)] for key in KEYS + own]


@program(cases=sorted(LAYERS), oracle="1.15")
def layer(tf, case):
    return apply(tf, LAYERS[case])


@program(cases=sorted(CHANGED), oracle="1.15", graph=False)
def layer_of_changed_nodes(tf, case):
    return apply(tf, CHANGED[case])


@program(oracle="1.15", graph=False)
def sharing(tf):
    """Penalties and updates are made once for variables, and once for each use."""
    c = lib(tf)
    x = images(tf)
    found = []
    for reuse in (None, True):
        with tf.variable_scope("net", reuse=reuse):
            y = c.conv2d(x, 3, 3, weights_regularizer=c.l2_regularizer(0.1), normalizer_fn=c.batch_norm, scope="c")
            found.append(c.fully_connected(c.flatten(y), 2, scope="fc").name)
    c.fully_connected(rows(tf), 2, scope="again", reuse=tf.AUTO_REUSE)
    c.fully_connected(rows(tf), 2, scope="again", reuse=tf.AUTO_REUSE)
    with tf.variable_scope("first", regularizer=c.l2_regularizer(0.5), initializer=tf.ones_initializer()):
        c.linear(rows(tf), 2)
        c.conv2d(x, 2, 3, weights_initializer=None)
    return found, [[item.name for item in tf.get_collection(key)] for key in KEYS]


@program(oracle="1.15", graph=False)
def names(tf):
    c = lib(tf)
    x = rows(tf, 4)
    made = [c.fully_connected(x, 4), c.fully_connected(x, 4), c.linear(x, 4), c.batch_norm(x), c.batch_norm(x)]
    with tf.variable_scope("a"):
        made += [c.fully_connected(x, 4), c.layer_norm(x), c.flatten(x)]
        with tf.variable_scope("b"):
            made += [c.fully_connected(x, 4, scope="c"), c.stack(x, c.linear, [2, 2])]
    with tf.name_scope("n"):
        made += [c.linear(x, 3), c.conv2d(images(tf), 2, 1)]
    return [y.name for y in made], [v.name for v in tf.global_variables()]


@program(oracle="1.15", graph=False, tol=1e-4)
def values(tf):
    """A small network: what it computes, its penalty, and what training steps make of its moving averages."""
    c = lib(tf)
    x = tf.placeholder(tf.float32, [None, 6, 6, 2])
    training = tf.placeholder(tf.bool, [])
    init = tf.constant_initializer(np.linspace(-0.5, 0.5, 3 * 3 * 2 * 4).reshape(3, 3, 2, 4))
    y = c.conv2d(
        x, 4, 3, weights_initializer=init, weights_regularizer=c.l2_regularizer(0.1), normalizer_fn=c.batch_norm,
        normalizer_params={"is_training": training, "decay": 0.5, "updates_collections": None},
    )  # fmt: skip
    y = c.flatten(c.max_pool2d(y, 2))
    y = c.layer_norm(y)
    y = c.fully_connected(y, 3, weights_initializer=tf.constant_initializer(0.1), activation_fn=None)
    y = c.batch_norm(y, is_training=training, updates_collections=None, decay=0.5, fused=False)
    data = np.sin(np.arange(2 * 6 * 6 * 2)).reshape(2, 6, 6, 2)
    penalty = tf.losses.get_regularization_loss()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        seen = [sess.run(y, {x: data, training: False})]
        for _ in range(2):
            seen.append(sess.run(y, {x: data, training: True}))
        seen.append(sess.run(y, {x: data, training: False}))
        return seen, sess.run(penalty), sess.run([v for v in tf.global_variables() if "moving" in v.name])


@program(oracle="1.15", graph=False, tol=1e-4)
def normalized_values(tf):
    c = lib(tf)
    x = tf.constant(np.sin(np.arange(2 * 3 * 3 * 4)).reshape(2, 3, 3, 4), tf.float32)
    made = [
        c.group_norm(x, 2), c.group_norm(x, 2, mean_close_to_zero=True), c.instance_norm(x), c.layer_norm(x),
        c.unit_norm(x, 2), c.maxout(x, 2), c.softmax(x),
    ]  # fmt: skip
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(made)


@program(oracle="1.15", graph=False, tol=1e-5)
def debiased_averages(tf):
    x = tf.placeholder(tf.float32, [4, 2])
    y = lib(tf).batch_norm(x, zero_debias_moving_mean=True, updates_collections=None, decay=0.9)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        out = [sess.run(y, {x: np.arange(8).reshape(4, 2) * k}) for k in (1, 3)]
        return out, sess.run(tf.global_variables())


INITIALIZERS = {
    "xavier": lambda c: c.xavier_initializer(),
    "xavier_normal": lambda c: c.xavier_initializer(uniform=False, seed=3),
    "xavier_conv2d": lambda c: c.xavier_initializer_conv2d(seed=1),
    "variance_scaling": lambda c: c.variance_scaling_initializer(),
    "fan_out": lambda c: c.variance_scaling_initializer(3.0, "FAN_OUT", True),
}


@program(cases=sorted(INITIALIZERS), oracle="1.15", random=True)
def initializers(tf, case):
    make = INITIALIZERS[case](lib(tf))
    made = [make([3, 3, 4, 8]), make([5, 7]), make([6], tf.float64)]
    v = tf.get_variable("v", [4, 2], initializer=make)
    return made, v


@program(oracle="1.15", graph=False)
def regularization(tf):
    c = lib(tf)
    w = tf.constant([[1.0, -2.0], [3.0, 0.5]], name="w")
    tf.add_to_collection(tf.GraphKeys.WEIGHTS, w)
    penalties = [
        c.apply_regularization(c.l2_regularizer(0.5)),
        c.apply_regularization(c.l1_regularizer(0.5), [w, tf.constant([4.0])]),
        c.apply_regularization(c.l2_regularizer(0.0)),
        c.l1_l2_regularizer(0.0, 0.5)(w),
        c.l1_l2_regularizer(0.5, 0.0)(w),
    ]
    nothing = [c.l1_regularizer(0.0)(w), c.sum_regularizer([]), c.sum_regularizer([None])]
    with tf.Session() as sess:
        return sess.run(penalties), nothing, [t.name for t in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)]


def optimized(tf, **options):
    v, w = tf.get_variable("v", [2], initializer=tf.ones_initializer()), tf.get_variable("w", initializer=[1.0, 2.0])
    step = tf.train.get_or_create_global_step()
    arguments = {"learning_rate": 0.1, "optimizer": "SGD"}
    arguments.update(options)
    # All gradients need the error, so no variable is updated before the loss has been computed.
    loss = lib(tf).optimize_loss(tf.reduce_sum(tf.square(v * w - 0.5), name="loss"), step, **arguments)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values = [sess.run(loss) for _ in range(3)] + sess.run([v, w, step])
    nodes = [(op.name, op.type) for op in tf.get_default_graph().get_operations() if op.name.startswith("OptimizeLoss")]
    nodes = [node for node in nodes if "gradients" not in node[0] and "clip_by" not in node[0]]
    return loss, values, nodes, [v.name for v in tf.global_variables()], tf.get_collection(tf.GraphKeys.SUMMARIES)


@program(cases=["Adagrad", "Adam", "Ftrl", "Momentum", "RMSProp", "SGD"], oracle="1.15", graph=False, tol=1e-5)
def optimize_loss(tf, case):
    return optimized(tf, optimizer=case)[1:2] if case in ("Ftrl", "RMSProp") else optimized(tf, optimizer=case)[:2]


OPTIONS = {
    "plain": lambda tf: {},
    "clipped": lambda tf: {"clip_gradients": 0.5, "summaries": ["loss", "gradient_norm"]},
    "clipped_by_function": lambda tf: {"clip_gradients": lambda pairs: [(g * 0.5, v) for g, v in pairs]},
    "multiplied": lambda tf: {"gradient_multipliers": {"v:0": 2.0}, "summaries": []},
    "optimizer": lambda tf: {"optimizer": tf.train.MomentumOptimizer(0.2, 0.9), "learning_rate": None},
    "class": lambda tf: {"optimizer": tf.train.AdagradOptimizer, "increment_global_step": False},
    "function": lambda tf: {"optimizer": lambda rate: tf.train.GradientDescentOptimizer(rate * 2.0)},
    "decay": lambda tf: {"learning_rate_decay_fn": lambda rate, step: rate / (tf.cast(step, tf.float32) + 1.0)},
    "updates": lambda tf: {"update_ops": [tf.no_op("an_update")], "learning_rate": tf.constant(0.2)},
    "all_summaries": lambda tf: {"summaries": lib(tf).OPTIMIZER_SUMMARIES},
}


@program(cases=sorted(OPTIONS), oracle="1.15", graph=False, tol=1e-5)
def optimize_loss_options(tf, case):
    return optimized(tf, **OPTIONS[case](tf))


@program(oracle="1.15", graph=False, messages=[])
def optimize_loss_failures(tf):
    def attempted(**options):
        with tf.Graph().as_default():
            return attempt(lambda: optimized(tf, **options))

    return [
        attempted(optimizer="Nope"),
        attempted(learning_rate=-0.1),
        attempted(learning_rate="fast"),
        attempted(optimizer=3),
        attempted(optimizer=lambda rate: rate),
        attempted(clip_gradients="much"),
        attempted(summaries=["everything"]),
    ]


@program(oracle="1.15", graph=False, messages=[])
def failures(tf):
    c = lib(tf)
    x = rows(tf)
    return [
        attempt(c.fully_connected, x, 2.5),
        attempt(c.fully_connected, tf.placeholder(tf.float32, [None, None]), 2),
        attempt(c.conv2d, x, 4, 3),
        attempt(c.conv2d, images(tf), 4, 3, data_format="channels_last"),
        attempt(c.convolution, x, 4, 3),
        attempt(c.max_pool2d, images(tf), 2, data_format="NWC"),
        attempt(c.batch_norm, images(tf), data_format="NWC"),
        attempt(c.batch_norm, tf.placeholder(tf.float32, [None, None])),
        attempt(c.batch_norm, tf.placeholder(tf.float32), updates_collections=None),
        attempt(c.batch_norm, x, renorm=True, updates_collections=None),
        attempt(c.batch_norm, x, renorm=True, zero_debias_moving_mean=True),
        attempt(c.batch_norm, x, renorm=True, renorm_clipping={"low": 1.0}),
        attempt(c.layer_norm, tf.placeholder(tf.float32)),
        attempt(c.layer_norm, x, begin_norm_axis=2),
        attempt(c.layer_norm, tf.placeholder(tf.float32, [None, None])),
        attempt(c.embed_sequence, tf.constant([1])),
        attempt(c.group_norm, images(tf), groups=2),
        attempt(c.group_norm, images(tf), groups=6),
        attempt(c.group_norm, tf.placeholder(tf.float32)),
        attempt(c.group_norm, images(tf), groups=3, reduction_axes=(1, 3)),
        attempt(c.group_norm, images(tf), groups=3, reduction_axes=(0, 1)),
        attempt(c.group_norm, images(tf), groups=3, channels_axis=5),
        attempt(c.instance_norm, tf.placeholder(tf.float32)),
        attempt(c.instance_norm, images(tf), data_format="X"),
        attempt(c.unit_norm, tf.placeholder(tf.float32), 1),
        attempt(c.unit_norm, x, 2),
        attempt(c.maxout, x, 3),
        attempt(c.stack, x, c.linear, 3),
        attempt(c.l1_regularizer, -1.0),
        attempt(c.l2_regularizer, 1),
        attempt(c.l1_l2_regularizer, 1, 0.5),
        attempt(c.apply_regularization, c.l2_regularizer(0.5)),
        attempt(c.apply_regularization, lambda w: w, [tf.constant([1.0])]),
        attempt(c.xavier_initializer, dtype=tf.int32),
        attempt(c.variance_scaling_initializer, mode="FAN"),
    ]
