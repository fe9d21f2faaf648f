"""Sessions: opening, closing, defaults, callables, what goes wrong when, and the objects around them."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


@program()
def a_closed_session(tf):
    x = tf.constant(1.0)
    sess = tf.Session()
    sess.run(x)
    sess.close()
    return attempt(sess.run, x), attempt(sess.close), attempt(x.eval, session=sess)


@program()
def a_session_closed_by_its_block(tf):
    x = tf.constant(1.0)
    with tf.Session() as sess:
        sess.run(x)
    return attempt(sess.run, x)


@program()
def as_default_does_not_close(tf):
    x = tf.constant(1.0)
    sess = tf.Session()
    with sess.as_default():
        first = x.eval()
    second = sess.run(x)
    sess.close()
    return first, second, tf.get_default_session()


@program()
def a_session_enters_its_graph(tf):
    g = tf.Graph()
    with tf.Session(graph=g) as sess:
        inside = tf.get_default_graph() is g
        x = tf.constant(1.0, name="x")
        got = sess.run(x)
    return inside, got, sess.graph is g, tf.get_default_graph() is g, x.graph is g


@program()
def an_empty_graph(tf):
    sess = tf.Session()
    return (
        attempt(sess.run, "x:0"),
        attempt(sess.run, []),
        attempt(sess.run, None),
        sess.graph is tf.get_default_graph(),
    )


@program()
def a_session_sees_ops_added_later(tf):
    with tf.Session() as sess:
        x = tf.constant(1.0)
        one = sess.run(x)
        y = x + 1.0
        return one, sess.run(y)


@program()
def arguments_of_session(tf):
    return attempt(tf.Session, "", graph=3), attempt(tf.Session, config=3), attempt(tf.Session, 3)


@program()
def interactive_sessions(tf):
    x = tf.constant(2.0)
    sess = tf.InteractiveSession()
    got = (x.eval(), tf.get_default_session() is sess, tf.get_default_graph() is x.graph)
    sess.close()
    return got, tf.get_default_session(), attempt(x.eval)


@program()
def interactive_session_with_a_graph(tf):
    g = tf.Graph()
    sess = tf.InteractiveSession(graph=g)
    x = tf.constant(2.0)
    got = x.eval()
    sess.close()
    return got, x.graph is g, tf.get_default_graph() is g


@program()
def make_callable(tf):
    p, q = tf.placeholder(tf.float32, name="p"), tf.placeholder(tf.float32, name="q")
    y = p * 2.0 + q
    with tf.Session() as sess:
        f = sess.make_callable(y, [p, q])
        g = sess.make_callable([y, {"p": p}], feed_list=[q, p])
        h = sess.make_callable(y.op, [p, q])
        n = sess.make_callable(tf.constant(3.0))
        return (
            f(1.0, 2.0),
            g(1.0, 2.0),
            h(1.0, 2.0),
            n(),
            f(np.ones([2]), 1),
            attempt(f, 1.0),
            attempt(sess.make_callable, y, 3),
            attempt(sess.make_callable, "nope:0"),
        )


@program()
def make_callable_runs_updates(tf):
    v = tf.Variable(0.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        up = sess.make_callable(v.assign_add(1.0))
        return up(), up(), sess.run(v)


@program()
def callables_of_a_closed_session(tf):
    with tf.Session() as sess:
        f = sess.make_callable(tf.constant(1.0))
    return attempt(f)


@program()
def two_sessions_have_their_own_values(tf):
    v = tf.Variable(1.0)
    r = tf.Variable(1.0, use_resource=True)
    up = tf.group(v.assign_add(1.0), r.assign_add(5.0))
    one, two = tf.Session(), tf.Session()
    for sess in (one, two):
        sess.run(tf.global_variables_initializer())
    one.run(up)
    got = one.run([v, r]), two.run([v, r])
    one.close()
    still = two.run(v)
    two.close()
    return got, still


@program()
def nested_default_sessions(tf):
    with tf.Session() as one:
        with tf.Session() as two:
            inner = tf.get_default_session() is two
        outer = tf.get_default_session() is one
    return inner, outer


@program()
def blocks_left_in_the_wrong_order(tf):
    one, two = tf.Session(), tf.Session()
    a, b = one.as_default(), two.as_default()
    a.__enter__()
    b.__enter__()
    caught = attempt(a.__exit__, None, None, None)
    return caught


@program(messages=["uninitialized", "conv1/weights"])
def uninitialised_variables_are_named(tf):
    with tf.variable_scope("conv1"):
        w = tf.get_variable("weights", [2, 2], initializer=tf.zeros_initializer())
    with tf.Session() as sess:
        return sess.run(w * 2.0)


@program()
def a_failed_run_changes_nothing_that_waited_for_it(tf):
    v = tf.Variable(0.0, name="v")
    bad = tf.check_numerics(tf.placeholder_with_default(float("nan"), []), "bad")
    with tf.control_dependencies([bad]):
        up = v.assign_add(1.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        return attempt(sess.run, up), sess.run(v)


@program()
def errors_name_their_op(tf):
    x = tf.placeholder(tf.int32, [], name="x")
    y = tf.floordiv(1, x, name="division")
    with tf.Session() as sess:
        caught = None
        try:
            sess.run(y, {x: 0})
        except tf.errors.InvalidArgumentError as error:
            caught = error
    return (
        caught.op is y.op,
        caught.op.name,
        caught.node_def.name,
        caught.error_code,
        isinstance(caught, tf.errors.OpError),
        "division" in str(caught),
    )


@program()
def error_classes(tf):
    names = sorted(n for n in dir(tf.errors) if n.endswith("Error"))
    made = tf.errors.NotFoundError(None, None, "gone")
    known = [
        "AbortedError",
        "AlreadyExistsError",
        "CancelledError",
        "DataLossError",
        "DeadlineExceededError",
        "FailedPreconditionError",
        "InternalError",
        "InvalidArgumentError",
        "NotFoundError",
        "OutOfRangeError",
        "PermissionDeniedError",
        "ResourceExhaustedError",
        "UnauthenticatedError",
        "UnavailableError",
        "UnimplementedError",
        "UnknownError",
        "OpError",
    ]
    return (
        [n for n in known if n in names],
        made.message,
        made.error_code,
        made.op,
        made.node_def,
        str(made),
        tf.OpError is tf.errors.OpError,
        tf.errors.NOT_FOUND,
        tf.errors.OK,
        tf.errors.INVALID_ARGUMENT,
    )


@program()
def run_options_and_metadata(tf):
    x = tf.constant(1.0)
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as sess:
        got = sess.run(x, options=options, run_metadata=metadata)
        return (
            got,
            sess.run(x, None, options, metadata),
            attempt(sess.run, x, options=3),
            attempt(sess.run, x, run_metadata=3),
            sess.run(x, run_metadata=tf.RunMetadata()),
            options.trace_level,
        )


@program()
def config_objects(tf):
    config = tf.ConfigProto(
        allow_soft_placement=True,
        log_device_placement=False,
        device_count={"CPU": 1},
        inter_op_parallelism_threads=2,
        intra_op_parallelism_threads=3,
        gpu_options=tf.GPUOptions(allow_growth=True),
    )
    config.gpu_options.per_process_gpu_memory_fraction = 0.5
    fields = (
        config.allow_soft_placement,
        config.log_device_placement,
        dict(config.device_count),
        config.inter_op_parallelism_threads,
        config.intra_op_parallelism_threads,
        config.gpu_options.allow_growth,
        config.gpu_options.per_process_gpu_memory_fraction,
    )
    with tf.Session(config=config) as sess:
        got = sess.run(tf.constant(1.0))
    plain = tf.ConfigProto()
    return (
        fields,
        got,
        plain.allow_soft_placement,
        plain.gpu_options.allow_growth,
        attempt(lambda: tf.ConfigProto(nonsense=1)),
    )


@program()
def list_devices(tf):
    with tf.Session() as sess:
        devices = sess.list_devices()
    return [(d.name, d.device_type) for d in devices if d.device_type == "CPU"]


@program()
def a_session_per_thread(tf):
    import threading

    x = tf.constant(3.0)
    seen = []
    with tf.Session() as sess:

        def work():
            seen.append(tf.get_default_session())
            seen.append(sess.run(x))
            seen.append(attempt(x.eval))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return seen


@program()
def results_do_not_alias_each_other_or_the_variable(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.Session() as sess:
        sess.run(v.initializer)
        a, b = sess.run([v, tf.identity(v)])
        a[0] = 50.0
        return b, sess.run(v), a is b, np.shares_memory(a, b)


@program()
def a_run_is_one_step_for_all_fetches(tf):
    v = tf.Variable(0, name="v")
    up = v.assign_add(1)
    twice = up * 2
    with tf.Session() as sess:
        sess.run(v.initializer)
        return [sess.run([up, twice]) for _ in range(3)]


@program()
def random_ops_give_new_numbers_every_run(tf):
    x = tf.random_uniform([3])
    y = x + 0.0
    with tf.Session() as sess:
        a, b = sess.run([x, y])
        c = sess.run(x)
    return bool((a == b).all()), bool((a == c).any())


@program(tol=1e-6)
def seeds_repeat_from_session_to_session(tf):
    tf.set_random_seed(3)
    x = tf.random_uniform([2])
    z = tf.random_uniform([2], seed=4)
    got = []
    for _ in range(2):
        with tf.Session() as sess:
            got.append([sess.run([x, z]), sess.run(x)])
    return got


@program()
def py_func_and_print_run_in_order(tf):
    seen = []

    def note(x):
        seen.append(float(x))
        return x * np.float32(2.0)

    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.py_func(note, [x], tf.float32)
    with tf.Session() as sess:
        got = [sess.run(y, {x: v}) for v in (1.0, 2.0)]
    return got, seen, y.shape, y.dtype


@program()
def an_error_in_a_py_func(tf):
    def fails(x):
        raise ValueError("mine")

    y = tf.py_func(fails, [1.0], tf.float32)
    with tf.Session() as sess:
        return attempt(sess.run, y)


@program()
def assert_and_check(tf):
    x = tf.placeholder(tf.float32, [2], name="x")
    check = tf.Assert(tf.reduce_all(x > 0), [x, "not positive"], name="positive")
    with tf.control_dependencies([check]):
        y = tf.identity(x)
    with tf.Session() as sess:
        return (
            sess.run(y, {x: [1.0, 2.0]}),
            attempt(sess.run, y, {x: [1.0, -2.0]}),
            attempt(sess.run, tf.check_numerics(x, "numbers"), {x: [float("inf"), 0.0]}),
        )


@program()
def a_graph_session_mismatch_in_make_callable(tf):
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="x")
    tf.constant(1.0, name="y")
    with tf.Session() as sess:
        return attempt(sess.make_callable, x), callable(sess.make_callable("y:0"))
