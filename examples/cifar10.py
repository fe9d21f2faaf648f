"""The CIFAR-10 model of TensorFlow's tutorial, written against the TensorFlow 1.x API.

Two convolutions with pooling and local response normalisation, two dense layers, a softmax. Weight decay goes through
the collection "losses"; `total_loss` of a tower is an `identity` that waits for the averages of the losses; towers
share their variables and their gradients are averaged; the variables have moving averages.

Everything takes the API's module as its first argument, so that the same source builds the graph on tfbench and on
TensorFlow.
"""

from __future__ import annotations

from typing import Any

IMAGE_SIZE = 24
NUM_CLASSES = 10
MOVING_AVERAGE_DECAY = 0.9999
NUM_EPOCHS_PER_DECAY = 350.0
LEARNING_RATE_DECAY_FACTOR = 0.1
INITIAL_LEARNING_RATE = 0.1


def _variable_with_decay(tf: Any, name: str, shape: list[int], stddev: float, decay: float | None) -> Any:
    """A variable on the CPU; its L2 penalty goes into "losses"."""
    with tf.device("/cpu:0"):
        variable = tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=stddev))
    if decay is not None:
        tf.add_to_collection("losses", tf.multiply(tf.nn.l2_loss(variable), decay, name="weight_loss"))
    return variable


def _biases(tf: Any, size: int, value: float) -> Any:
    with tf.device("/cpu:0"):
        return tf.get_variable("biases", [size], initializer=tf.constant_initializer(value))


def inference(tf: Any, images: Any, width: int = 1) -> Any:
    """The logits (batch, 10) of `images` (batch, size, size, 3). `width` divides the layers' sizes."""
    filters, dense3, dense4 = 64 // width, 384 // width, 192 // width
    with tf.variable_scope("conv1") as scope:
        kernel = _variable_with_decay(tf, "weights", [5, 5, 3, filters], 5e-2, None)
        conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding="SAME")
        conv1 = tf.nn.relu(tf.nn.bias_add(conv, _biases(tf, filters, 0.0)), name=scope.name)
    pool1 = tf.nn.max_pool(conv1, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool1")
    norm1 = tf.nn.lrn(pool1, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm1")

    with tf.variable_scope("conv2") as scope:
        kernel = _variable_with_decay(tf, "weights", [5, 5, filters, filters], 5e-2, None)
        conv = tf.nn.conv2d(norm1, kernel, [1, 1, 1, 1], padding="SAME")
        conv2 = tf.nn.relu(tf.nn.bias_add(conv, _biases(tf, filters, 0.1)), name=scope.name)
    norm2 = tf.nn.lrn(conv2, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm2")
    pool2 = tf.nn.max_pool(norm2, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool2")

    size = int(pool2.shape[1]) * int(pool2.shape[2]) * filters
    with tf.variable_scope("local3") as scope:
        weights = _variable_with_decay(tf, "weights", [size, dense3], 0.04, 0.004)
        local3 = tf.nn.relu(tf.matmul(tf.reshape(pool2, [-1, size]), weights) + _biases(tf, dense3, 0.1), scope.name)
    with tf.variable_scope("local4") as scope:
        weights = _variable_with_decay(tf, "weights", [dense3, dense4], 0.04, 0.004)
        local4 = tf.nn.relu(tf.matmul(local3, weights) + _biases(tf, dense4, 0.1), name=scope.name)
    with tf.variable_scope("softmax_linear") as scope:
        weights = _variable_with_decay(tf, "weights", [dense4, NUM_CLASSES], 1.0 / dense4, None)
        return tf.add(tf.matmul(local4, weights), _biases(tf, NUM_CLASSES, 0.0), name=scope.name)


def loss(tf: Any, logits: Any, labels: Any) -> Any:
    """The mean cross entropy, into "losses"; the sum of all of them."""
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.cast(labels, tf.int64), logits=logits, name="cross_entropy_per_example"
    )
    tf.add_to_collection("losses", tf.reduce_mean(entropy, name="cross_entropy"))
    return tf.add_n(tf.get_collection("losses"), name="total_loss")


def tower_loss(tf: Any, scope: str, images: Any, labels: Any, width: int = 1) -> Any:
    """The total loss of one tower. Fetching it updates the averages of the tower's losses."""
    loss(tf, inference(tf, images, width), labels)
    losses = tf.get_collection("losses", scope)
    total_loss = tf.add_n(losses, name="total_loss")
    loss_averages = tf.train.ExponentialMovingAverage(0.9, name="avg")
    loss_averages_op = loss_averages.apply([*losses, total_loss])
    with tf.control_dependencies([loss_averages_op]):
        return tf.identity(total_loss)


def average_gradients(tf: Any, tower_grads: list[Any]) -> list[Any]:
    """The (gradient, variable) pairs of the towers, averaged; the variables are shared: the first tower's do."""
    averaged = []
    for pairs in zip(*tower_grads, strict=True):
        grads = tf.stack([grad for grad, _ in pairs], axis=0)
        averaged.append((tf.reduce_mean(grads, 0), pairs[0][1]))
    return averaged


def train(
    tf: Any, images: Any, labels: Any, devices: list[str], steps_per_epoch: int = 390, width: int = 1
) -> tuple[Any, Any, Any]:
    """The training operation, the loss of the last tower and the global step.

    `images` and `labels` are one batch; each of `devices` gets an equal part of it.
    """
    global_step = tf.get_variable("global_step", [], initializer=tf.constant_initializer(0), trainable=False)
    rate = tf.train.exponential_decay(
        INITIAL_LEARNING_RATE,
        global_step,
        int(steps_per_epoch * NUM_EPOCHS_PER_DECAY),
        LEARNING_RATE_DECAY_FACTOR,
        staircase=True,
    )
    optimizer = tf.train.GradientDescentOptimizer(rate)
    image_parts, label_parts = tf.split(images, len(devices)), tf.split(labels, len(devices))
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i, device in enumerate(devices):
            with tf.device(device), tf.name_scope(f"tower_{i}") as scope:
                total_loss = tower_loss(tf, scope, image_parts[i], label_parts[i], width)
                tf.get_variable_scope().reuse_variables()
                tower_grads.append(optimizer.compute_gradients(total_loss))
    applied = optimizer.apply_gradients(average_gradients(tf, tower_grads), global_step=global_step)
    averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
    averages_op = averages.apply(tf.trainable_variables())
    return tf.group(applied, averages_op), total_loss, global_step
