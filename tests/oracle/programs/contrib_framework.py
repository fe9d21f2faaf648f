"""The smaller tools of tf.contrib.framework, as TensorFlow 1.15 has them."""

from tests.oracle import attempt, program


@program(oracle="1.15", graph=False)
def decided_now(tf):
    f = tf.contrib.framework
    x, b = tf.constant([1.0, 2.0]), tf.placeholder(tf.bool, [])
    found = [f.smart_constant_value(value) for value in (True, 0, b)] + [
        bool(f.smart_constant_value(tf.constant(False)))
    ]
    found += [attempt(lambda: f.smart_constant_value(3)), f.smart_cond(True, lambda: 1, lambda: 2)]
    found += [attempt(lambda: f.smart_cond(True)), attempt(lambda: f.smart_cond(True, 1, 2))]
    found += [
        f.smart_case([(True, lambda: 1), (b, lambda: 2)]),
        f.smart_case([(False, lambda: 1), (True, lambda: 2)], default=lambda: 3),
        f.smart_case([(False, lambda: 1)], default=lambda: 3),
    ]
    run = [
        f.smart_cond(b, lambda: x, lambda: x + 1.0),
        f.smart_case([(b, lambda: tf.constant(1))], default=lambda: tf.constant(3)),
        f.smart_case({b: lambda: tf.constant(1)}, default=lambda: tf.constant(3), exclusive=True, name="mine"),
    ]
    with tf.Session() as sess:
        return found, [sess.run(run, {b: value}) for value in (True, False)], [one.name for one in run]


@program(oracle="1.15", graph=False)
def names(tf):
    f = tf.contrib.framework
    x = tf.placeholder(tf.float32, [None], name="x")
    with tf.name_scope("a"), tf.name_scope("b"):
        scope = f.get_name_scope()
    chooser = f.VariableDeviceChooser(num_tasks=2)
    v = tf.get_variable("v", [2])
    other = f.VariableDeviceChooser(device_type="GPU", device_index=1, job_name="w", replica=3)
    with tf.Graph().as_default():
        stranger = tf.constant(1)
    return [
        scope, f.get_name_scope(), f.strip_name_scope("a/b/c", "a"), f.strip_name_scope("a/b", "x"),
        f.strip_name_scope("loc:@a/b", "a"), f.prepend_name_scope("b/c", "a"), f.prepend_name_scope("^b", "a"),
        f.prepend_name_scope("loc:@b", "a"), f.prepend_name_scope("b", None), f.strip_name_scope("a/b", None),
        f.get_placeholders(tf.get_default_graph()), f.get_graph_from_inputs([x, 3]) is x.graph,
        f.get_graph_from_inputs([]) is tf.get_default_graph(), attempt(lambda: f.get_graph_from_inputs([x, stranger])),
        [chooser(v.op) for _ in range(3)], f.VariableDeviceChooser()(v.op), other(v.op),
    ]  # fmt: skip


@program(oracle="1.15", graph=False)
def values(tf):
    f = tf.contrib.framework
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    step = tf.train.get_or_create_global_step()
    found = [
        attempt(lambda: f.reduce_sum_n([])),
        attempt(lambda: f.assert_scalar_int(3.0)),
        attempt(lambda: f.assert_scalar_int(tf.constant([3]))),
        attempt(lambda: f.with_shape([3, 2], tf.zeros([3, 3]))),
        f.with_shape([3, 2], x).shape,
        f.with_same_shape(tf.zeros([4, 2]), x).shape,
        f.assert_or_get_global_step() is step,
        f.assert_or_get_global_step(global_step_tensor=step) is step,
        attempt(lambda: f.assert_or_get_global_step(global_step_tensor=tf.constant(1.0))),
        [one.shape for one in f.remove_squeezable_dimensions(tf.zeros([2, 1]), tf.zeros([2]))],
        isinstance(f.convert_to_tensor_or_sparse_tensor(tf.SparseTensor([[0]], [1], [2])), tf.SparseTensor),
    ]
    run = [
        f.reduce_sum_n([x, tf.constant(1.0)]), f.sort([3, 1, 2]), f.argsort([3, 1, 2]), f.assert_scalar_int(3),
        f.py_func(lambda a, c: a + c, (x,), {"c": tf.constant(1.0)}, output_types=tf.float32, output_shapes=[None, 2]),
        f.py_func(
            lambda a: {"s": a.sum(), "t": (a, a)}, [x], output_types={"s": tf.float32, "t": (tf.float32, tf.float32)},
            output_shapes={"s": [], "t": ([None, 2], [None, None])},
        ),
    ]  # fmt: skip
    checked = f.with_shape([3, 2], x)
    with tf.Session() as sess:
        found.append(sess.run(run, {x: [[1.0, 2.0]]}))
        found.append(sess.run(checked, {x: [[1.0, 2.0]] * 3}))
        found.append(attempt(lambda: sess.run(checked, {x: [[1.0, 2.0]]})).__class__.__name__)
    return found, run[4].shape, [run[5]["s"].shape, run[5]["t"][0].shape]


@program(oracle="1.15", graph=False)
def deprecation(tf):
    f = tf.contrib.framework

    @f.deprecated("2017-01-01", "Use g.")
    def g():
        """Does g.

        And more.
        """
        return 1

    @f.deprecated_args(None, "Leave it out.", "a", ("b", None))
    def h(a=1, b=None, c=2):
        return a, b, c

    @f.deprecated_arg_values("2017-01-01", "Give another.", a=1)
    def k(a=1):
        return a

    return [
        g(), g.__name__, g.__doc__.split("\n"), h(c=1), h(2), h(b=1), h(b=None), k(a=1), k(2),
        attempt(lambda: f.deprecated("2017", "x")), attempt(lambda: f.deprecated(None, "")),
        attempt(lambda: f.deprecated_args(None, "x", "nope")(len)),
    ]  # fmt: skip
