"""Learning rates that fall, the global step, moving averages."""

import numpy as np

from tests.oracle import attempt, program

DECAYS = {
    "exponential": ("exponential_decay", (10, 0.9), {}),
    "exponential_staircase": ("exponential_decay", (10, 0.9, True), {}),
    "natural_exp": ("natural_exp_decay", (10, 0.5), {}),
    "natural_exp_staircase": ("natural_exp_decay", (10, 0.5), {"staircase": True}),
    "inverse_time": ("inverse_time_decay", (10, 0.5), {}),
    "inverse_time_staircase": ("inverse_time_decay", (10, 0.5), {"staircase": True, "name": "fall"}),
    "polynomial": ("polynomial_decay", (10, 0.01), {"power": 0.5}),
    "polynomial_cycle": ("polynomial_decay", (10,), {"cycle": True}),
    "cosine": ("cosine_decay", (10,), {"alpha": 0.1}),
    "cosine_restarts": ("cosine_decay_restarts", (10,), {"t_mul": 2.0, "m_mul": 0.5, "alpha": 0.1}),
    "cosine_restarts_equal": ("cosine_decay_restarts", (10,), {"t_mul": 1.0}),
    "linear_cosine": ("linear_cosine_decay", (10,), {}),
}


@program(cases=DECAYS, tol=1e-5)
def decay(tf, case):
    function, arguments, options = case
    step = tf.Variable(0, name="step", trainable=False, dtype=tf.int64)
    rate = getattr(tf.train, function)(0.1, step, *arguments, **options)
    with tf.Session() as sess:
        found = []
        for value in (0, 1, 5, 9, 10, 11, 25, 100):
            step.load(value, sess)
            found.append(sess.run(rate))
        return found


@program(random=True)
def noisy_decay(tf):
    rate = tf.train.noisy_linear_cosine_decay(0.1, tf.constant(3), 10)
    with tf.Session() as sess:
        return sess.run(rate)


@program(cases=["int32", "int64", "float32"])
def piecewise(tf, case):
    step = tf.placeholder(case, [])
    limits = [10.0, 20.0] if case == "float32" else [10, 20]
    rate = tf.train.piecewise_constant(step, limits, [1.0, 0.5, 0.1])
    with tf.Session() as sess:
        return [sess.run(rate, {step: value}) for value in (0, 10, 11, 20, 21)]


@program(graph=False)
def decay_failures(tf):
    step = tf.constant(3, tf.int64)
    t = tf.train
    return [
        attempt(t.exponential_decay, 0.1, None, 10, 0.9),
        attempt(t.polynomial_decay, 0.1, None, 10),
        attempt(t.inverse_time_decay, 0.1, None, 10, 0.9),
        attempt(t.cosine_decay, 0.1, None, 10),
        attempt(t.piecewise_constant, step, [1, 2], [1.0, 2.0]),
        attempt(t.piecewise_constant, step, [1.0], [1.0, 2.0]),
        attempt(t.piecewise_constant, step, [1], [1.0, 2]),
        t.piecewise_constant_decay is not None,
    ]


@program(tol=1e-5)
def decay_in_training(tf):
    """What people write: a rate that falls with the step that the training op counts."""
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.5, step, 2, 0.5, staircase=True)
    v = tf.Variable([1.0, 2.0], name="v")
    done = tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(v), global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = []
        for _ in range(4):
            found.append(sess.run([rate, v]))
            sess.run(done)
        return found, tf.train.global_step(sess, step)


@program()
def steps(tf):
    none = tf.train.get_global_step()
    step = tf.train.create_global_step()
    with tf.variable_scope("inside"):
        same = tf.train.get_or_create_global_step()
    other = tf.Graph()
    there = tf.train.get_or_create_global_step(other)
    return [
        none, step.name, step.dtype, step.shape, same is step, there.graph is other,
        tf.get_collection("global_step") == [step],
        attempt(tf.train.create_global_step), attempt(tf.train.assert_global_step, tf.constant(1.0)),
        attempt(tf.train.assert_global_step, tf.constant([1, 2])), attempt(tf.train.assert_global_step, 3),
        tf.train.assert_global_step(step),
    ]  # fmt: skip


@program()
def step_by_name(tf):
    step = tf.Variable(7, name="global_step", trainable=False)
    with tf.Session() as sess:
        sess.run(step.initializer)
        return tf.train.get_global_step().name, tf.train.global_step(sess, step)


@program(cases=[False, True], tol=1e-6)
def averages(tf, case):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=case)
    w = tf.Variable(3.0, name="w", use_resource=case, trainable=False)
    average = tf.train.ExponentialMovingAverage(0.9)
    update = average.apply([v, w])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(v.assign([5.0, 6.0]))
        sess.run(update)
        sess.run(update)
        return [
            average.name, average.average(v).name, average.average_name(w),
            sess.run([average.average(v), average.average(w)]),
            [x.name for x in tf.moving_average_variables()], [x.name for x in tf.global_variables()],
            sorted(average.variables_to_restore()),
        ]  # fmt: skip


@program(tol=1e-6)
def average_of_trainable(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    tf.Variable(3.0, name="u", trainable=False)
    average = tf.train.ExponentialMovingAverage(0.9, name="avg")
    average.apply()
    return [x.name for x in tf.global_variables()], sorted(average.variables_to_restore()), average.average(v).name


@program(cases=[False, True], tol=1e-6)
def average_of_tensors(tf, case):
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.square(x, name="y")
    count = tf.Variable(0, name="count", trainable=False)
    average = tf.train.ExponentialMovingAverage(0.5, count, zero_debias=case)
    update = average.apply([x, y])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found = []
        for i in range(3):
            sess.run(update, {x: [1.0 + i, 2.0]})
            sess.run(count.assign_add(1))
            found.append(sess.run([average.average(x), average.average(y)]))
        return found, sorted(average.variables_to_restore()), [z.name for z in tf.moving_average_variables()]


@program(tol=1e-6)
def average_in_scopes(tf):
    """The names of averages made inside scopes, and of those that are not made."""
    with tf.variable_scope("layer"):
        v = tf.get_variable("v", initializer=[1.0])
        average = tf.train.ExponentialMovingAverage(0.9)
        before = average.average_name(v)
        average.apply([v])
    with tf.name_scope("tower"):
        t = tf.multiply(v, 2.0, name="t")
        average.apply([t])
    fresh = tf.train.ExponentialMovingAverage(0.9)
    return before, average.average(v).name, average.average(t).name, fresh.average_name(t), fresh.average(t)


@program(tol=1e-6)
def average_after_training(tf):
    """The CIFAR-10 tutorial's step: gradients, then averages of all trainable variables."""
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=[[1.0, 2.0]])
    loss = tf.reduce_sum(tf.square(w))
    losses = tf.train.ExponentialMovingAverage(0.9, name="avg")
    update_losses = losses.apply([loss])
    with tf.control_dependencies([update_losses]):
        opt = tf.train.GradientDescentOptimizer(0.1)
        grads = opt.compute_gradients(loss)
    applied = opt.apply_gradients(grads, global_step=step)
    averages = tf.train.ExponentialMovingAverage(0.99, step)
    with tf.control_dependencies([applied]):
        train = averages.apply(tf.trainable_variables())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
        return sess.run([w, averages.average(w), losses.average(loss), step])


@program()
def average_failures(tf):
    average = tf.train.ExponentialMovingAverage(0.9)
    i = tf.Variable([1, 2], name="i")
    v = tf.Variable([1.0], name="v")
    average.apply([v])
    return [attempt(average.apply, [i]), attempt(average.apply, [v]), average.average(i)]


@program(cases=[False, True], tol=1e-6)
def moving_average(tf, case):
    from_contrib = tf.Variable([0.0, 0.0], name="m", use_resource=case)
    x = tf.placeholder(tf.float32, [2])
    # batch normalisation's way: no public name for it in 2.x, so by hand
    update = tf.assign_sub(from_contrib, (from_contrib - x) * (1.0 - 0.9))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update, {x: [1.0, 2.0]})
        return sess.run(from_contrib), np.float32(1)
