"""Accumulators, SyncReplicasOptimizer, Supervisor and Server: several replicas, as far as one process has them."""

import os
import shutil
import tempfile
import threading

from tests.oracle import attempt, program


@program()
def nodes_of_accumulators(tf):
    dense = tf.ConditionalAccumulator(tf.float32, shape=[2], shared_name="d", reduction_type="SUM")
    sparse = tf.SparseConditionalAccumulator(tf.float64, shape=[3, 2], name="s")
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]], tf.float64), tf.constant([1]), tf.constant([3, 2]))
    return [
        dense.apply_grad([1.0, 2.0], local_step=3).name,
        dense.take_grad(2),
        dense.num_accumulated(),
        dense.set_global_step(tf.constant(4), name="step").name,
        sparse.apply_indexed_slices_grad(slices).name,
        sparse.apply_grad([0, 2], [[1.0, 1.0], [2.0, 2.0]], local_step=tf.constant(1, tf.int64), name="put").name,
        sparse.take_grad(1),
        sparse.take_indexed_slices_grad(1).values,
        dense.name,
        sparse.dtype,
        dense.accumulator_ref,
    ]


@program(cases=["MEAN", "SUM"])
def means_and_sums(tf, case):
    acc = tf.ConditionalAccumulator(tf.float32, [2], reduction_type=case)
    x = tf.placeholder(tf.float32, [2])
    step = tf.placeholder(tf.int64, [])
    put, take, count = acc.apply_grad(x, step), acc.take_grad(2), acc.num_accumulated()
    sess = tf.Session()
    found = []
    for i in range(3):
        sess.run(put, {x: [i, 2.0 * i], step: 0})
    found += [sess.run(count), sess.run(take), sess.run(count)]
    sess.run(put, {x: [9.0, 9.0], step: 0})  # stale now
    found.append(sess.run(count))
    sess.run(put, {x: [1.0, 1.0], step: 1})
    sess.run(put, {x: [2.0, 5.0], step: 7})
    found += [sess.run(count), sess.run(take)]
    sess.run(acc.set_global_step(5))
    sess.run(put, {x: [1.0, 1.0], step: 4})
    return found + [sess.run(count)]


@program(cases=["MEAN", "SUM"])
def sparse_means_and_sums(tf, case):
    acc = tf.SparseConditionalAccumulator(tf.float32, reduction_type=case)
    i, x = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.float32, [None, 2])
    put, take = acc.apply_grad(i, x, [4, 2]), acc.take_grad(2)
    sess = tf.Session()
    sess.run(put, {i: [0, 2], x: [[1.0, 2.0], [3.0, 4.0]]})
    sess.run(put, {i: [2, 3], x: [[5.0, 6.0], [7.0, 8.0]]})
    return list(sess.run(take))


@program(cases=["shape", "number"], messages=[])
def accumulators_refuse(tf, case):
    acc = tf.ConditionalAccumulator(tf.float32, [2])
    sess = tf.Session()
    if case == "number":
        sess.run(acc.take_grad(0))
    x = tf.placeholder(tf.float32)
    sess.run(acc.apply_grad(x), {x: [1.0, 2.0, 3.0]})


@program(messages=[])
def not_enough_gradients(tf):
    acc = tf.ConditionalAccumulator(tf.float32, [2])
    tf.Session().run(acc.take_grad(1), options=tf.RunOptions(timeout_in_ms=30))


def optimizer(tf, averages=False, replicas=3):
    x = tf.Variable([1.0, 2.0], name="x")
    table = tf.Variable([[1.0], [2.0], [3.0]], name="table")
    step = tf.train.get_or_create_global_step()
    scale = tf.placeholder_with_default(1.0, [])
    loss = scale * (tf.reduce_sum(x * x) + tf.reduce_sum(tf.gather(table, [0, 2])))
    opt = tf.train.SyncReplicasOptimizer(
        tf.train.GradientDescentOptimizer(0.1),
        2,
        total_num_replicas=replicas,
        variable_averages=tf.train.ExponentialMovingAverage(0.5) if averages else None,
        variables_to_average=[x] if averages else None,
    )
    return x, table, step, scale, opt, opt.minimize(loss, step)


@program(cases=[False, True])
def nodes_of_synchronized_replicas(tf, case):
    x, table, step, scale, opt, train = optimizer(tf, case)
    tokens = opt.get_init_tokens_op()
    runner = opt.get_chief_queue_runner()
    return [
        train,
        tokens.name,
        runner.name,
        [op.name for op in runner.enqueue_ops],
        opt.chief_init_op.name,
        opt.get_slot_names(),
    ]


@program(graph=False)
def replicas_in_threads(tf):
    """Two replicas with gradients of different size: each step applies their mean."""
    x, table, step, scale, opt, train = optimizer(tf, replicas=2)
    hook = opt.make_session_run_hook(is_chief=True, num_tokens=0)
    found = []
    with tf.train.SingularMonitoredSession(hooks=[hook], stop_grace_period_secs=0.1) as sess:
        raw = sess.raw_session()
        for _ in range(3):
            threads = [threading.Thread(target=raw.run, args=(train, {scale: s})) for s in (1.0, 3.0)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(20)
            found.append(raw.run([x, table, step]))
    return found


@program(graph=False)
def what_synchronized_replicas_refuse(tf):
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 4, total_num_replicas=2)
    x = tf.Variable(1.0)
    hook = opt.make_session_run_hook(True)
    found = [
        attempt(opt.get_init_tokens_op),
        attempt(opt.get_chief_queue_runner),
        attempt(hook.begin),
        attempt(opt.apply_gradients, []),
        attempt(opt.apply_gradients, [(tf.constant(1.0), x)]),
    ]
    opt.apply_gradients([(tf.constant(1.0), x)], tf.train.get_or_create_global_step())
    return found + [attempt(opt.get_init_tokens_op, 1)]


@program(cases=["all", "none", "queue"])
def nodes_of_a_supervisor(tf, case):
    x = tf.get_variable("x", initializer=1.0)
    step = tf.train.create_global_step()
    if case == "queue":
        tf.train.string_input_producer(["a"])
    kwargs = (
        dict(init_op=None, ready_op=None, local_init_op=None, saver=None, summary_op=None, global_step=None)
        if case == "none"
        else {}
    )
    sv = tf.train.Supervisor(**kwargs)
    return [
        getattr(sv.init_op, "name", None),
        sv.ready_op,
        sv.summary_op,
        sv.global_step is step,
        sv.saver is None,
        sv.save_path,
        sv.save_model_secs,
        sv.is_chief,
        tf.get_default_graph().finalized,
        sorted(tf.get_default_graph().get_all_collection_keys()),
    ]


@program(graph=False)
def a_supervised_training(tf):
    x = tf.get_variable("x", initializer=1.0)
    step = tf.train.create_global_step()
    with tf.control_dependencies([x.assign(x * 2.0)]):
        train = tf.assign_add(step, 1)
    folder = tempfile.mkdtemp()
    try:
        sv = tf.train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0)
        found = []
        with sv.managed_session() as sess:
            while not sv.should_stop():
                found.append(sess.run([train, x]))
                if len(found) == 3:
                    sv.saver.save(sess, sv.save_path, global_step=step)
                    sv.request_stop()
        with sv.managed_session() as sess:
            found.append(sess.run([step, x]))
            try:
                sv.start_standard_services(sess)
                sv.summary_computed(sess, b"", global_step=1)
            except tf.errors.OpError as error:
                found.append(error)
        names = sorted(name for name in os.listdir(folder) if not name.startswith("events"))
        return [found, names, os.path.basename(sv.save_path)]
    finally:
        shutil.rmtree(folder)


@program(graph=False)
def errors_of_a_supervised_training(tf):
    n = tf.train.limit_epochs(tf.constant(1), 2)
    bad = tf.check_numerics(tf.log(-1.0 * tf.cast(n, tf.float32)), "bad")
    sv = tf.train.Supervisor()

    def loud():
        with sv.managed_session() as sess:
            sess.run(bad)

    def quiet():
        with sv.managed_session() as sess:
            while True:
                sess.run(n)

    calls = []

    def step(sess, by, most=3):
        calls.append(by)
        if len(calls) == 2:
            raise tf.errors.AbortedError(None, None, "again")
        if len(calls) == most:
            sv.request_stop()

    tf.train.basic_train_loop(sv, step, args=(5,), kwargs={"most": 4})
    return [attempt(loud), quiet(), calls, attempt(sv.summary_computed, None, b"")]


@program(graph=False)
def a_server_alone(tf):
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as sess:
        found = [sess.run(tf.constant(2.0) * 3.0)]
    server = server.server_def
    return found + [server.job_name, server.task_index, server.protocol, [job.name for job in server.cluster.job]]
