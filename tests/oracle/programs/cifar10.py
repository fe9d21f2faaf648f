"""The CIFAR-10 model of `examples/cifar10.py`: the whole training graph, and what three steps make of the variables."""

import numpy as np

from examples import cifar10
from tests.oracle import program


def batch(tf):
    rng = np.random.RandomState(0)
    images = tf.constant(rng.normal(size=(4, 24, 24, 3)).astype(np.float32))
    return images, tf.constant(rng.randint(0, 10, 4).astype(np.int32))


@program(cases=[1, 2], tol=1e-4)
def training(tf, case):
    """One tower and two. The averages are initialised last: TensorFlow runs initialisers in any order."""
    tf.set_random_seed(1)
    images, labels = batch(tf)
    step, loss, count = cifar10.train(tf, images, labels, ["/cpu:0"] * case, width=8)
    with tf.Session() as sess:
        for variable in tf.global_variables():
            if "Average" not in variable.op.name:
                sess.run(variable.initializer)
        sess.run(tf.global_variables_initializer())
        losses = [sess.run([step, loss])[1] for _ in range(3)]
        return losses, sess.run(count), [v.op.name for v in tf.global_variables()]


@program(tol=1e-4)
def inference(tf):
    tf.set_random_seed(1)
    images, labels = batch(tf)
    with tf.variable_scope("model"):
        logits = cifar10.inference(tf, images, width=8)
    total = cifar10.loss(tf, logits, labels)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run([logits, total]), [x.op.name for x in tf.get_collection("losses")]


@program(tol=1e-4)
def without_identity(tf):
    """What the seeds ask: without `tf.identity` the averages of the losses are never updated."""
    tf.set_random_seed(1)
    images, labels = batch(tf)
    cifar10.loss(tf, cifar10.inference(tf, images, width=8), labels)
    total = tf.add_n(tf.get_collection("losses"))
    averages = tf.train.ExponentialMovingAverage(0.9, name="avg")
    with tf.control_dependencies([averages.apply([total])]):
        alias = total
        waits = tf.identity(total)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(alias)
        before = sess.run(averages.average(total))
        sess.run(waits)
        return before, sess.run(averages.average(total))
