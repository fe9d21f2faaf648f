"""The loops of slim and contrib.training: their nodes, what they write, when they stop, what they refuse."""

import os
import tempfile

from tests.oracle import attempt, program


def model(tf, use_resource=True):
    """A loss whose step moves w by exact halves. (A reference variable may be read after its update in TensorFlow.)"""
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(8.0), use_resource=use_resource)
    loss = tf.square(w, name="loss")
    return w, tf.contrib.slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.25))


def files(folder):
    """What is there: kinds of files, and the step of the last checkpoint. (What a thread writes meanwhile is "
    "chance.)"""
    kinds = {name.split(".out.tfevents")[0].split("ckpt-")[0] for name in os.listdir(folder)}
    with open(os.path.join(folder, "checkpoint")) if "checkpoint" in kinds else open(os.devnull) as state:
        return sorted(kinds), state.readline()[-3:]


def quiet(tf):
    tf.logging.set_verbosity(tf.logging.ERROR)
    return tf.contrib.slim


@program(oracle="1.15")
def slim_train(tf):
    slim = quiet(tf)
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(8.0))
    tf.summary.scalar("w", w)
    with tf.control_dependencies([tf.assign_add(tf.train.get_or_create_global_step(), 1)]):
        step = tf.identity(tf.assign_add(w, 0.5))
    with tempfile.TemporaryDirectory() as folder:
        loss = slim.learning.train(step, folder, number_of_steps=3)
        found = [loss, files(folder), tf.train.latest_checkpoint(folder)[len(folder) :]]
        found.append([name for name, _ in tf.train.list_variables(folder)])
        found.append(tf.train.load_variable(folder, "w"))
    return found


@program(oracle="1.15", graph=False)
def slim_train_goes_on(tf):
    """From the last checkpoint; and without a folder nothing is kept."""
    slim = quiet(tf)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for steps in (2, 4, 4):
            with tf.Graph().as_default():
                found.append(slim.learning.train(model(tf)[1], folder, number_of_steps=steps, log_every_n_steps=0))
                found.append(files(folder))
    with tf.Graph().as_default():
        found.append(slim.learning.train(model(tf)[1], None, number_of_steps=2))
    return found


@program(oracle="1.15", graph=False)
def slim_train_told_how(tf):
    slim = quiet(tf)
    w, step = model(tf, use_resource=False)
    seen = []
    halved = w.assign(2.0)

    def own_step(sess, train_op, global_step, kwargs):
        seen.append(sorted(kwargs))
        loss, stop = slim.learning.train_step(sess, train_op, global_step, kwargs)
        return loss, stop or loss < 5

    with tempfile.TemporaryDirectory() as folder:
        loss = slim.learning.train(
            step,
            folder,
            train_step_fn=own_step,
            number_of_steps=100,
            log_every_n_steps=10,
            init_op=tf.no_op(),
            init_fn=lambda sess: sess.run(halved),
            ready_op=None,
            local_init_op=None,
            summary_op=None,
            save_summaries_secs=0,
            saver=tf.train.Saver([w]),
            session_wrapper=lambda sess: seen.append(isinstance(sess, tf.Session)) or sess,
            trace_every_n_steps=1000,
        )
        return loss < 5, seen[:3], files(folder)


@program(oracle="1.15", graph=False)
def slim_train_at_the_end_of_the_input(tf):
    slim = quiet(tf)
    w, step = model(tf)
    queue = tf.train.range_input_producer(3, num_epochs=1, shuffle=False)
    with tf.control_dependencies([queue.dequeue()]):
        limited = tf.identity(step)
    with tempfile.TemporaryDirectory() as folder:
        loss = slim.learning.train(limited, folder)
        return loss, files(folder), tf.train.load_variable(folder, "w")


@program(oracle="1.15", graph=False)
def slim_train_refuses(tf):
    slim = quiet(tf)
    _, step = model(tf)
    train = slim.learning.train
    return [
        attempt(lambda: train(None, "x")),
        attempt(lambda: train(step, None, summary_op=tf.constant("s"))),
        attempt(lambda: train(step, None, saver=tf.train.Saver())),
        attempt(lambda: train(step, None, trace_every_n_steps=1)),
        attempt(lambda: train(step, "x", number_of_steps=0)),
        attempt(lambda: train(step, "x", number_of_steps=-3)),
        attempt(lambda: train(step, None, train_step_kwargs={"should_trace": tf.constant(True)}, number_of_steps=1)),
    ]


def trained(tf, folder, steps=(1,)):
    for number in steps:
        with tf.Graph().as_default():
            quiet(tf).learning.train(model(tf)[1], folder, number_of_steps=number)


@program(oracle="1.15", graph=False)
def slim_evaluate_once(tf):
    slim = quiet(tf)
    with tempfile.TemporaryDirectory() as folder:
        trained(tf, folder, (2,))
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        mean, update = tf.metrics.mean(w * [1.0, 3.0])
        tf.summary.scalar("mean", mean)
        logdir = os.path.join(folder, "eval")
        path = tf.train.latest_checkpoint(folder)
        value = slim.evaluation.evaluate_once("", path, logdir, num_evals=3, eval_op=update, final_op=[mean, w])
        return value, files(logdir)


@program(oracle="1.15", graph=False)
def slim_evaluate_once_told_how(tf):
    slim = quiet(tf)
    with tempfile.TemporaryDirectory() as folder:
        trained(tf, folder)
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        u = tf.get_variable("u", [], initializer=tf.constant_initializer(7.0), collections=["local_variables"])
        x = tf.placeholder(tf.float32, [])
        total = tf.get_variable("total", [], initializer=tf.zeros_initializer(), collections=["local_variables"])
        path = tf.train.latest_checkpoint(folder)
        value = slim.evaluation.evaluate_once(
            "", path, folder, num_evals=4, initial_op=tf.assign(u, x), initial_op_feed_dict={x: 5.0},
            eval_op=tf.assign_add(total, x), eval_op_feed_dict={x: 2.0}, final_op={"w": w, "u": u, "t": total + x},
            final_op_feed_dict={x: 100.0}, summary_op=None, variables_to_restore=[w],
        )  # fmt: skip
        nothing = slim.evaluation.evaluate_once("", path, folder, final_op=w, variables_to_restore=[w], summary_op=None)
        return value, nothing


@program(oracle="1.15", graph=False)
def slim_evaluation_loop(tf):
    slim = quiet(tf)
    with tempfile.TemporaryDirectory() as folder:
        trained(tf, folder, (1, 2))
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        calls = []
        value = slim.evaluation.evaluation_loop(
            "", folder, os.path.join(folder, "e"), num_evals=2, eval_op=tf.no_op(), final_op=w, eval_interval_secs=0,
            max_number_of_evaluations=1,
        )  # fmt: skip
        with tf.Graph().as_default():
            w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
            last = slim.evaluation.evaluation_loop(
                "", folder, os.path.join(folder, "e"), eval_op=tf.no_op(), final_op=w, eval_interval_secs=0,
                timeout=0.1, timeout_fn=lambda: calls.append(1) or len(calls) == 2,
            )  # fmt: skip
        return value, last, calls


@program(oracle="1.15", graph=False)
def training_evaluate_once(tf):
    """Without a checkpoint, until the input ends; the eval step counts."""
    training = quiet(tf) and tf.contrib.training
    step = training.get_or_create_eval_step()
    again = training.get_or_create_eval_step()
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(8.0))
    value = training.evaluate_once(
        None, eval_ops={"a": w + 1.0}, final_ops=[w, step], hooks=[training.StopAfterNEvalsHook(5)]
    )
    keys = ["local_variables", "eval_step", "variables"]
    return value, again is step, [[v.name for v in tf.get_collection(key)] for key in keys]


@program(oracle="1.15", graph=False)
def training_train(tf):
    training = quiet(tf) and tf.contrib.training
    w, step = model(tf)
    tf.summary.scalar("w", w)
    with tempfile.TemporaryDirectory() as folder:
        loss = training.train(step, folder, hooks=[tf.train.StopAtStepHook(num_steps=3)], save_summaries_steps=2)
        found = [loss, files(folder), tf.train.load_variable(folder, "w")]
    with tf.Graph().as_default():
        _, step = model(tf)
        found += [
            attempt(lambda: training.train(step, None)),
            attempt(lambda: training.train(step, None, save_summaries_steps=None)),
            training.train(
                step, None, save_summaries_steps=None, save_checkpoint_secs=None,
                chief_only_hooks=[tf.train.StopAtStepHook(last_step=2)],
            ),
        ]  # fmt: skip
    return found


@program(oracle="1.15", graph=False)
def training_hooks(tf):
    training = quiet(tf) and tf.contrib.training
    found = []
    with tempfile.TemporaryDirectory() as folder:
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(8.0))
        tf.summary.scalar("w", w)
        hooks = [training.SummaryAtEndHook(log_dir=folder), training.StopAfterNEvalsHook(1, log_progress=False)]
        training.evaluate_once(None, eval_ops=tf.no_op(), hooks=hooks)
        path = os.path.join(folder, os.listdir(folder)[0])
        events = [event for event in tf.train.summary_iterator(path) if event.summary.value]
        found.append(
            [(event.step, event.summary.value[0].tag, event.summary.value[0].simple_value) for event in events]
        )
    tf.add_to_collection("eval_step", w)
    found.append(attempt(training.get_or_create_eval_step))
    return found
