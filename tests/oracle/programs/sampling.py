"""contrib.training's samplers, as TensorFlow 1.15 has them."""

from tests.oracle import attempt, program


def nodes(tf):
    """What is there, without checks, constants, random numbers and slices, whose nodes have changed since 1.15."""
    return [
        (op.name, op.type)
        for op in tf.get_default_graph().get_operations()
        if op.type != "Const" and not any(part in op.name for part in ("ssert", "random_uniform", "strided_slice"))
    ]


def run(tf, fetch, times):
    found = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coordinator)
        for _ in range(times):
            found.append(sess.run(fetch))
        coordinator.request_stop()
        coordinator.join(threads)
    return found


@program(oracle="1.15", graph=False)
def rejection(tf):
    """Only even numbers are accepted."""
    sample = tf.contrib.training.rejection_sample
    number = tf.train.range_input_producer(6, shuffle=False).dequeue()
    even = sample([number, number * 10], lambda parts: tf.to_float(tf.equal(parts[0] % 2, 0)), batch_size=2)
    many = tf.train.range_input_producer(3, shuffle=False).dequeue_many(3)
    one = sample(
        [many, many * 2],
        lambda parts: tf.to_float(parts[0] > 0),
        batch_size=3,
        enqueue_many=True,
        runtime_checks=True,
        name="n",
    )
    return nodes(tf), run(tf, [even, one], 3)


@program(oracle="1.15", graph=False)
def stratified(tf):
    """One class is not wanted at all."""
    sample = tf.contrib.training.stratified_sample
    label = tf.train.range_input_producer(2, shuffle=False).dequeue()
    data, labels = sample([label * 10], label, [0.0, 1.0], batch_size=3, init_probs=[0.5, 0.5])
    many = tf.train.range_input_producer(2, shuffle=False).dequeue_many(2)
    more, _ = sample([many + 5], many, [1.0, 0.0], 2, init_probs=[0.5, 0.5], enqueue_many=True, threads_per_queue=2)
    return nodes(tf), run(tf, [data, labels, more], 2)


@program(oracle="1.15", graph=False)
def stratified_by_what_was_seen(tf):
    label = tf.train.range_input_producer(2, shuffle=False).dequeue()
    data, labels = tf.contrib.training.stratified_sample([label * 10], label, [1.0, 0.0], batch_size=2)
    return nodes(tf), run(tf, [data, labels], 2), [v.name for v in tf.global_variables()]


@program(oracle="1.15", graph=False)
def refused(tf):
    sample = tf.contrib.training.stratified_sample
    x = [tf.constant(1)]
    return [
        attempt(lambda: sample(x, 0, [0.5, 0.5], 2, init_probs=[1.0])),
        attempt(lambda: sample(x, 0, tf.placeholder(tf.float32, [None]), 2)),
        attempt(lambda: sample(x, [0], [0.5, 0.5], 2, init_probs=[0.5, 0.5])),
        attempt(lambda: sample(x, 0, [[0.5, 0.5]], 2, init_probs=[0.5, 0.5])),
    ]


@program(oracle="1.15", graph=False)
def classes_that_never_come(tf):
    label = tf.constant([1])
    batch, _ = tf.contrib.training.stratified_sample(
        [label], label, [0.5, 0.5], 1, init_probs=[0.0, 1.0], enqueue_many=True
    )
    gathered = [op for op in tf.get_default_graph().get_operations() if op.type == "Max"][-1].outputs[0]
    with tf.Session() as sess:
        return attempt(lambda: sess.run(gathered)).__class__.__name__


@program(oracle="1.15", graph=False)
def rates(tf):
    """Rates of 0 leave an example out; a moving mean of weights."""
    training = tf.contrib.training
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant(["a", "b", "c"])
    none = training.resample_at_rate([x, y], tf.zeros([3]))
    some = training.resample_at_rate([x], [0.0, 30.0, 0.0], scope="s", seed=3, back_prop=True)[0]
    weighted, found = training.weighted_resample([x], tf.constant([0.0, 3.0, 0.0]), 20.0, seed=5)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        values = sess.run([none, some, weighted[0], found])
        only = [sorted(set(values[1].tolist())), sorted(set(values[2].tolist())), sorted(set(values[3].tolist()))]
        names = [v.name for v in tf.global_variables() + tf.local_variables()]
        return nodes(tf), values[0], only, names, 5 < len(values[1]) < 90
