"""What programs import from `tensorflow.python`, although it was no public API."""

from importlib import import_module

from tests.oracle import attempt, program


def inner(tf, name):
    root = "tfbench" if tf.__name__ == "tfbench" else "tensorflow"
    return import_module(root + ".python." + name)


@program(cases=[True, False])
def assign_moving_average(tf, zero_debias):
    """The share is a constant where the decay is a number, and computed where it is a tensor."""
    averages = inner(tf, "training.moving_averages")
    mean = tf.get_variable("mean", initializer=[1.0, 2.0])
    batch = tf.constant([3.0, 5.0])
    one = averages.assign_moving_average(mean, batch, 0.75, zero_debias=zero_debias)
    with tf.control_dependencies([one]):
        two = averages.assign_moving_average(mean, batch, tf.constant(0.5), zero_debias=False, name="again")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(two)


@program()
def zero_states_of_nested_sizes(tf):
    zeros = inner(tf, "ops.rnn_cell_impl")
    return zeros._zero_state_tensors([3, (4, tf.TensorShape([2, 5]))], 2, tf.float32)


@program()
def weights_are_broadcast(tf):
    weights = inner(tf, "ops.weights_broadcast_ops")
    values = tf.ones([2, 3])
    return weights.broadcast_weights([[1.0], [2.0]], values), attempt(weights.broadcast_weights, [1.0, 2.0], values)
