"""contrib.training.bucket and bucket_by_sequence_length, as TensorFlow 1.15 has them."""

from tests.oracle import attempt, program


def nodes(tf):
    """Queues have another device since 1.15."""
    return [
        (op.name, op.type, [tensor.name for tensor in op.inputs], [other.name for other in op.control_inputs])
        for op in tf.get_default_graph().get_operations()
    ]


def runners(tf):
    found = tf.get_collection("queue_runners")
    return [(one.name, [op.name for op in one.enqueue_ops], one.close_op.name, one.cancel_op.name) for one in found]


CASES = {
    "plain": lambda tf, t: t.bucket([tf.constant(1), tf.constant([2.0])], tf.constant(1), 2, 2, capacity=5),
    "dict": lambda tf, t: t.bucket(
        {"q": tf.constant(1), "p": tf.constant([2.0])}, 1, [2, 3], 2, bucket_capacities=[7, 8], num_threads=2, name="n"
    ),
    "one_of_a_dict": lambda tf, t: t.bucket({"q": tf.constant(1)}, 0, 2, 1, shared_name="shared"),
    "never": lambda tf, t: t.bucket([tf.constant(1)], 0, 2, 2, keep_input=False),
    "maybe": lambda tf, t: t.bucket([tf.constant(1)], 0, 2, 2, keep_input=tf.placeholder(tf.bool, [])),
    "padded": lambda tf, t: t.bucket([tf.placeholder(tf.int32, [None, 2])], 0, 2, 2, dynamic_pad=True),
    "shapes": lambda tf, t: t.bucket([tf.placeholder(tf.int32)], 0, 2, 2, shapes=[[3]], allow_smaller_final_batch=True),
    "fed_size": lambda tf, t: t.bucket([tf.constant(1)], 0, tf.placeholder(tf.int32, []), 2),
    "by_length": lambda tf, t: t.bucket_by_sequence_length(3, [tf.constant([1, 2, 3])], 2, [2, 5], dynamic_pad=True),
    "by_length_of_a_dict": lambda tf, t: t.bucket_by_sequence_length(
        tf.placeholder(tf.int32, []), {"b": tf.constant([1]), "a": tf.constant(2.0)}, [1, 2], [4], shapes=[[], [1]],
        allow_smaller_final_batch=True, name="n",
    ),
}  # fmt: skip


@program(cases=sorted(CASES), oracle="1.15", graph=False)
def made(tf, case):
    return CASES[case](tf, tf.contrib.training), nodes(tf), runners(tf)


@program(oracle="1.15", graph=False)
def refused(tf):
    t, one = tf.contrib.training, [tf.constant(1)]
    return [
        attempt(lambda: t.bucket(one, 0, [1, 2, 3], 2)),
        attempt(lambda: t.bucket(one, 0, 2, 2, bucket_capacities=[1])),
        attempt(lambda: t.bucket(one, 0.5, 2, 2)),
        attempt(lambda: t.bucket([], 0, 2, 2)),
        attempt(lambda: t.bucket(one, 0, 2, 2, keep_input=[True])),
        attempt(lambda: t.bucket_by_sequence_length(1, one, 2, 3)),
        attempt(lambda: t.bucket_by_sequence_length(1, one, 2, [])),
        attempt(lambda: t.bucket_by_sequence_length(1, one, 2, [2.5, 3])),
        attempt(lambda: t.bucket_by_sequence_length(1, one, 2, [3, 3])),
        attempt(lambda: t.bucket_by_sequence_length(1, one, 2, [3, 2])),
    ]


@program(oracle="1.15", graph=False)
def batches(tf):
    """Sequences of 1 to 9 elements, in buckets below 4, below 7 and above; a bucket's last batch may be smaller."""
    number = tf.train.range_input_producer(9, num_epochs=2, shuffle=False).dequeue() + 1
    sequence = tf.fill([number], number)
    sequence.set_shape([None])
    lengths, batch = tf.contrib.training.bucket_by_sequence_length(
        number, [sequence], 2, [4, 7], dynamic_pad=True, allow_smaller_final_batch=True
    )
    found = []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coordinator)
        try:
            while True:
                found.append([value.tolist() for value in sess.run([lengths, batch[0]])])
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
            coordinator.join(threads)
    # What comes first is chance, what is in a batch is not.
    return sorted(found)
