"""Monitored sessions: what a Scaffold adds to a graph, what hooks see and do, what ends training."""

import os
import shutil
import tempfile

import numpy as np

from tests.oracle import attempt, program


class Folder:
    """A folder that is gone afterwards."""

    def __init__(self, tf):
        self.tf = tf

    def __enter__(self):
        self.path = tempfile.mkdtemp()
        return self.path

    def __exit__(self, *error):
        self.tf.summary.FileWriterCache.clear()
        shutil.rmtree(self.path)


def training(tf, steps=None):
    """A variable that each step doubles, and the global step."""
    x = tf.get_variable("x", initializer=1.0)
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies([x.assign(x * 2.0)]):
        return x, tf.assign_add(step, 1, name="train")


def collections(tf):
    graph = tf.get_default_graph()
    return {
        key: [
            item if isinstance(item, (str, int)) else getattr(item, "name", type(item).__name__)
            for item in graph.get_collection(key)
        ]
        for key in sorted(graph.get_all_collection_keys())
    }


@program(cases=["empty", "variables", "summaries", "queue"])
def nodes_of_a_scaffold(tf, case):
    if case != "empty":
        training(tf)
        tf.Variable(2.0, name="local", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    if case == "summaries":
        tf.summary.scalar("two", 2.0)
        tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.no_op(name="mine"))
    if case == "queue":
        tf.train.string_input_producer(["a"], num_epochs=1)
    scaffold = tf.train.Scaffold().finalize()
    return [
        getattr(scaffold.init_op, "name", None),
        scaffold.ready_op,
        scaffold.ready_for_local_init_op,
        scaffold.local_init_op.name,
        scaffold.summary_op,
        scaffold.init_fn,
        tf.get_default_graph().finalized,
        collections(tf),
    ]


@program(cases=["StopAtStepHook", "CheckpointSaverHook", "StepCounterHook", "SummarySaverHook", "GlobalStepWaiterHook"])
def nodes_of_hooks(tf, case):
    tf.train.create_global_step()
    with Folder(tf) as folder:
        arguments = {
            "StopAtStepHook": dict(num_steps=3),
            "CheckpointSaverHook": dict(checkpoint_dir=folder, save_steps=3),
            "StepCounterHook": {},
            "SummarySaverHook": dict(save_steps=1, output_dir=folder, summary_op=tf.summary.scalar("s", 1.0)),
            "GlobalStepWaiterHook": dict(wait_until_step=0),
        }[case]
        hook = getattr(tf.train, case)(**arguments)
        hook.begin()
        return collections(tf)


@program(graph=False)
def without_a_global_step(tf):
    with Folder(tf) as folder:
        hooks = [
            tf.train.StopAtStepHook(num_steps=1),
            tf.train.CheckpointSaverHook(folder, save_steps=1),
            tf.train.StepCounterHook(),
            tf.train.SummarySaverHook(save_steps=1, summary_op=tf.constant("")),
        ]
        return [attempt(hook.begin) for hook in hooks]


@program(graph=False)
def arguments_that_do_not_go_together(tf):
    t = tf.train
    return [
        attempt(t.StopAtStepHook),
        attempt(t.StopAtStepHook, 1, 2),
        attempt(t.LoggingTensorHook, ["x"]),
        attempt(t.LoggingTensorHook, ["x"], 1, 2.0),
        attempt(t.LoggingTensorHook, ["x"], 0),
        attempt(t.CheckpointSaverHook, "/tmp", 1, 2),
        attempt(t.CheckpointSaverHook, "/tmp"),
        attempt(t.CheckpointSaverHook, "/tmp", 1, saver=1, scaffold=2),
        attempt(t.StepCounterHook, 1, 1),
        attempt(t.StepCounterHook, None, None),
        attempt(t.SummarySaverHook, 1),
        attempt(t.SummarySaverHook, 1, summary_op=1, scaffold=2),
        attempt(t.SecondOrStepTimer),
        attempt(t.SecondOrStepTimer, 1, 1),
        attempt(t.Scaffold, copy_from_scaffold=1),
        attempt(t.SessionManager, ready_for_local_init_op=1),
    ]


@program(graph=False)
def timers(tf):
    timer = tf.train.SecondOrStepTimer(every_steps=3)
    found = [timer.should_trigger_for_step(5), timer.update_last_triggered_step(5), timer.last_triggered_step()]
    found += [timer.should_trigger_for_step(step) for step in (5, 6, 7, 8, 9)]
    found += [timer.update_last_triggered_step(8)[1], timer.last_triggered_step()]
    timer.reset()
    return found + [timer.last_triggered_step(), timer.should_trigger_for_step(8)]


@program(graph=False)
def train_until_a_step(tf):
    x, train = training(tf)
    found = []
    with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=4)]) as sess:
        while not sess.should_stop():
            found.append(sess.run([train, x]))
        found.append(attempt(sess.run, train))
    return [found, tf.get_default_graph().finalized, attempt(sess.close), sess.should_stop()]


@program(graph=False)
def hooks_are_asked_in_order(tf):
    x = tf.placeholder_with_default(1.0, [], name="x")
    y = tf.placeholder_with_default(2.0, [], name="y")
    z = x * 10.0 + y
    calls = []

    class Hook(tf.train.SessionRunHook):
        def __init__(self, name, feeds=None):
            self.name, self.feeds = name, feeds

        def begin(self):
            calls.append((self.name, "begin", tf.get_default_graph().finalized))

        def after_create_session(self, session, coord):
            calls.append((self.name, "created", type(coord).__name__, tf.get_default_graph().finalized))

        def before_run(self, run_context):
            calls.append((self.name, "before", str(run_context.original_args.feed_dict), run_context.stop_requested))
            return tf.train.SessionRunArgs({"z": z}, feed_dict=self.feeds)

        def after_run(self, run_context, run_values):
            calls.append((self.name, "after", float(run_values.results["z"]), type(run_values.run_metadata).__name__))
            if self.name == "b" and run_values.results["z"] > 40.0:
                run_context.request_stop()

        def end(self, session):
            calls.append((self.name, "end", float(session.run(z))))

    with tf.train.MonitoredSession(hooks=[Hook("a"), Hook("b", {y: 5.0})]) as sess:
        found = [
            sess.run(z),
            sess.run({"x": x, "z": [z]}, {x: 3.0}),
            sess.should_stop(),
            sess.run(x, {x: 4.0}),
            sess.should_stop(),
        ]
        found.append(attempt(sess.run, z))
    twice = tf.train.SingularMonitoredSession(hooks=[Hook("c", {y: 1.0}), Hook("d", {y: 2.0})])
    found.append(attempt(twice.run, z))
    twice.close()
    fed = tf.train.SingularMonitoredSession(hooks=[Hook("e", {y: 1.0})])
    found.append(attempt(fed.run, z, {y: 3.0}))
    return [found, calls]


@program(graph=False)
def errors_end_a_session(tf):
    n = tf.train.limit_epochs(tf.constant(1), 2)
    bad = tf.Print(
        tf.check_numerics(tf.log(0.0 * n), "bad")
        if False
        else tf.check_numerics(tf.log(tf.cast(n - 1, tf.float32)), "bad"),
        [],
    )
    ended = []

    class Ends(tf.train.SessionRunHook):
        def end(self, session):
            ended.append(True)

    def quiet():
        with tf.train.MonitoredSession(hooks=[Ends()]) as sess:
            while True:
                sess.run(n)

    def loud():
        with tf.train.MonitoredSession(hooks=[Ends()]) as sess:
            sess.run(bad)

    def stopped():
        with tf.train.MonitoredSession(hooks=[Ends()]) as sess:
            sess.run_step_fn(lambda step_context: step_context.request_stop())

    return [quiet(), list(ended), attempt(loud), list(ended), stopped(), list(ended)]


@program(graph=False)
def step_functions(tf):
    x, train = training(tf)
    seen = []

    class Hook(tf.train.SessionRunHook):
        def before_run(self, run_context):
            seen.append(run_context.original_args.fetches is x)

    def step_fn(step_context):
        step_context.session.run(train)
        return step_context.run_with_hooks(x), step_context.run_with_hooks(fetches=x)

    with tf.train.MonitoredSession(hooks=[Hook()]) as sess:
        found = [sess.run_step_fn(step_fn), list(seen)]
        found += [attempt(sess.run_step_fn, lambda: None), attempt(sess.run_step_fn, lambda a, b: None)]
    return found


@program(graph=False)
def nan_losses(tf):
    loss = tf.placeholder(tf.float32, [])
    found = []
    for fails in (True, False):
        sess = tf.train.SingularMonitoredSession(hooks=[tf.train.NanTensorHook(loss, fail_on_nan_loss=fails)])
        found += [sess.run(loss, {loss: 1.0})]
        try:
            found.append(str(sess.run(loss, {loss: np.nan})))
        except tf.train.NanLossDuringTrainingError as error:
            found.append([str(error), isinstance(error, RuntimeError)])
        found.append(sess.should_stop())
        sess.close()
    return found


@program(graph=False)
def final_and_fed(tf):
    x, train = training(tf)
    fed = tf.placeholder(tf.float32, [])
    final = tf.train.FinalOpsHook([x, x + fed], {fed: 100.0})
    with tf.train.MonitoredSession(hooks=[final, tf.train.FeedFnHook(lambda: {fed: 7.0})]) as sess:
        found = [sess.run([train, fed]) for _ in range(3)]
    return [found, final.final_ops_values]


@program(graph=False)
def checkpoints_are_saved_and_restored(tf):
    x, train = training(tf)
    calls = []

    class Listener(tf.train.CheckpointSaverListener):
        def begin(self):
            calls.append("begin")

        def before_save(self, session, global_step_value):
            calls.append(("before", int(global_step_value)))

        def after_save(self, session, global_step_value):
            calls.append(("after", int(global_step_value)))
            return global_step_value >= 6

        def end(self, session, global_step_value):
            calls.append(("end", int(global_step_value)))

    with Folder(tf) as folder:
        found = []
        for _ in range(2):
            hook = tf.train.CheckpointSaverHook(folder, save_steps=2, listeners=[Listener()])
            scaffold = tf.train.Scaffold()
            tf.get_default_graph().clear_collection(tf.GraphKeys.SAVERS)
            hook._scaffold = scaffold
            creator = tf.train.ChiefSessionCreator(scaffold, checkpoint_dir=folder)
            with tf.train.MonitoredSession(creator, hooks=[hook, tf.train.StopAtStepHook(num_steps=5)]) as sess:
                while not sess.should_stop():
                    found.append(sess.run([train, x]))
        names = sorted(os.listdir(folder))
        names = [name for name in names if not name.startswith("events")]
        state = tf.train.get_checkpoint_state(folder)
        kept = [os.path.basename(path) for path in state.all_model_checkpoint_paths]
        return [found, calls, names, kept]


@program(graph=False)
def a_training_session(tf):
    x, train = training(tf)
    tf.summary.scalar("x", x)
    with Folder(tf) as folder:
        sess = tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder, save_checkpoint_steps=3, save_summaries_steps=2, log_step_count_steps=3,
            hooks=[tf.train.StopAtStepHook(last_step=7)],
        )  # fmt: skip
        with sess:
            while not sess.should_stop():
                sess.run(train)
        events = []
        (name,) = [name for name in os.listdir(folder) if name.startswith("events")]
        for event in tf.train.summary_iterator(os.path.join(folder, name)):
            kind = event.WhichOneof("what")
            tags = [value.tag for value in event.summary.value] if kind == "summary" else []
            log = event.session_log.status if kind == "session_log" else 0
            values = [value.simple_value for value in event.summary.value if value.tag == "x"]
            events.append([kind, event.step, tags, log, values])
        names = sorted(name for name in os.listdir(folder) if not name.startswith("events"))
        return [events, names]


@program(graph=False)
def session_managers(tf):
    x, train = training(tf)
    init = tf.global_variables_initializer()
    ready = tf.report_uninitialized_variables()
    manager = tf.train.SessionManager
    found = [
        attempt(manager().prepare_session, ""),
        attempt(manager(ready_op=ready).prepare_session, "", init_fn=lambda sess: None),
    ]
    with Folder(tf) as folder:
        saver = tf.train.Saver()
        sess = manager(ready_op=ready).prepare_session("", init_op=init, saver=saver, checkpoint_dir=folder)
        found.append(sess.run([train, x]))
        saver.save(sess, os.path.join(folder, "model"), 1)
        again, restored = manager(ready_op=ready).recover_session("", saver=saver, checkpoint_dir=folder)
        found += [again.run(x), restored]
        empty = os.path.join(folder, "none")
        found.append(manager(ready_op=ready).recover_session("", saver=saver, checkpoint_dir=empty)[1])
        other = manager(ready_op=ready).prepare_session(
            "", checkpoint_filename_with_path=os.path.join(folder, "model-1"), saver=saver
        )
        found.append(other.run(x))
    waiting = manager(ready_op=ready, recovery_wait_secs=0.01)
    found.append(attempt(waiting.wait_for_session, "", max_wait_secs=0.02))
    return found


@program(graph=False)
def scaffolds_with_parts_of_ones_own(tf):
    x, _ = training(tf)
    fed = tf.placeholder(tf.float32, [])
    scaffold = tf.train.Scaffold(
        init_op=tf.group(tf.global_variables_initializer(), x.assign(fed)),
        init_feed_dict={fed: 5.0},
        init_fn=lambda scaffold, sess: sess.run(x.op.name + "_twice"),
    )
    x.assign_add(1.0).op
    tf.group(tf.assign(x, 50.0), name="x_twice")
    copy = tf.train.Scaffold(copy_from_scaffold=scaffold)
    found = []
    for one in (scaffold, copy):
        with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(one)) as sess:
            found.append(sess.run(x))
    return found


@program(graph=False)
def what_is_left_uninitialized(tf):
    x, _ = training(tf)
    creator = tf.train.ChiefSessionCreator(tf.train.Scaffold(init_op=x.initializer))
    return attempt(creator.create_session)


@program(graph=False)
def several_candidates(tf):
    for name in ("a", "b"):
        tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.no_op(name=name))
    return attempt(tf.train.Scaffold().finalize)


@program(graph=False)
def queues_run_in_a_monitored_session(tf):
    queue = tf.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False)
    batch = tf.train.batch([queue.dequeue()], 2)
    found = []
    with tf.train.SingularMonitoredSession() as sess:
        threads = tf.train.start_queue_runners(sess)
        while not sess.should_stop():
            found.append(sess.run(batch))
    return [found, threads]
