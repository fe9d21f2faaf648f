"""Where TensorFlow's placer puts each operation of a graph, on several CPU devices; and what it refuses."""

import contextlib
import ctypes
import io
import os
import sys
import tempfile

from tests.oracle import attempt, program


@contextlib.contextmanager
def printed():
    """What is printed meanwhile, by Python or by a library: a list of lines, filled in at the end."""
    lines = []
    text = io.StringIO()
    sys.stdout.flush()
    keep = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            with contextlib.redirect_stdout(text):
                yield lines
        finally:
            ctypes.CDLL(None).fflush(None)
            os.dup2(keep, 1)
            os.close(keep)
            file.seek(0)
            lines.extend((file.read().decode() + text.getvalue()).splitlines())


def placements(tf, fetch=None, cpus=3, **options):
    """`name: (type): device` for the whole graph, in the order in which the placer decides."""
    config = tf.ConfigProto(device_count={"CPU": cpus}, log_device_placement=True, **options)
    with printed() as lines:
        with tf.Session(config=config) as sess:
            sess.run(tf.no_op() if fetch is None else fetch)
    return [line.replace("/job:localhost/replica:0/task:0", "") for line in lines]


@program()
def by_default(tf):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = x * 2.0 + tf.random_uniform([2], name="noise")
    return placements(tf)


@program()
def a_device_that_was_asked_for(tf):
    with tf.device("/cpu:1"):
        a = tf.negative(tf.ones([2]), name="a")
        with tf.device("/cpu:2"):
            b = tf.negative(a, name="b")
        with tf.device(None):
            c = tf.negative(b, name="c")
    return placements(tf)


@program(
    cases=[
        "/CPU:1", "/cpu:*", "/job:localhost/cpu:1", "/replica:0/CPU:1", "/task:0/device:CPU:2", "/device:CPU",
        "/device:CPU:1/task:0", "/job:localhost/replica:*/task:*/cpu:1", "/job:*/cpu:1", "/device:*:1",
    ]
)  # fmt: skip
def a_string_as_a_device_function_gives_it(tf, case):
    with tf.device(lambda op: case):
        tf.negative(1.0, name="a")
    return placements(tf)


@program(
    cases=["/cpu", "//cpu:1", "cpu:1", "/cpu:1/", "/nonsense", "/device:cpu:1", "/job:LOCALHOST/cpu:1", "/gpu:0",
           "/device:FOO:0", "/cpu:7", "/task:3"],
    messages=[],
)  # fmt: skip
def a_string_that_cannot_be_met(tf, case):
    with tf.device(lambda op: case):
        tf.negative(tf.zeros([2]), name="a")
    return placements(tf)


@program(cases=["/gpu:0", "/device:FOO:0", "/cpu:7", "/gpu:*"])
def soft_placement_takes_another_device(tf, case):
    with tf.device(case):
        tf.negative(tf.zeros([2]), name="a")
    return placements(tf, allow_soft_placement=True)


@program(cases=["/job:ps/cpu:0", "/task:1", "/replica:2/gpu:0"], messages=["Cannot assign a device for operation a"])
def soft_placement_keeps_the_job(tf, case):
    with tf.device(case):
        tf.negative(tf.zeros([2]), name="a")
    return placements(tf, allow_soft_placement=True)


@program()
def constants_go_with_their_consumers(tf):
    one, two, three, four = [tf.constant(1.0, name=name) for name in ("one", "two", "three", "four")]
    with tf.device("/cpu:1"):
        tf.negative(one, name="a")
        tf.add(two, three, name="b")
    with tf.device("/cpu:2"):
        tf.negative(two, name="c")
        with tf.control_dependencies([three]):
            tf.no_op(name="d")
        with tf.control_dependencies([four]):
            tf.constant(2.0, name="five")
    return placements(tf)


@program()
def what_looks_at_a_shape_goes_with_its_input(tf):
    p = tf.placeholder_with_default([1.0, 2.0], [None], name="p")
    with tf.device("/cpu:1"):
        b = tf.identity(p, name="b")
    shape, size, shapes = tf.shape(b), tf.size(b), tf.shape_n([b, b])
    q = tf.placeholder_with_default(b, None, name="q")
    with tf.device("/cpu:2"):
        r = tf.identity(q, name="r")
        elsewhere = tf.shape(b, name="elsewhere")
    with tf.control_dependencies([q]):
        rank = tf.rank(r)
    tf.shape(tf.placeholder(tf.float32, name="fed"))
    return placements(tf)


def on_another_device(tf):
    """A tensor that is on CPU:1 and did not ask for that: an operation colocated with it did."""
    x = tf.negative(tf.ones([2]), name="x")
    with tf.colocate_with(x):
        other = tf.negative(1.0, name="other")
    other.op._set_device("/cpu:1")
    return x


@program()
def an_identity_between_two_that_ask_for_the_same(tf):
    x = on_another_device(tf)
    tf.identity(tf.identity(x, name="first"), name="second")
    with tf.device("/cpu:2"):
        y = tf.negative(x, name="y")
    z = tf.identity(y, name="between")
    with tf.device("/cpu:2"):
        tf.negative(z, name="after")
    return placements(tf)


@program(cases=["two consumers", "a control input", "a request", "another consumer", "no identity"])
def an_identity_that_goes_its_own_way(tf, case):
    x = on_another_device(tf)
    if case == "no identity":
        tf.stop_gradient(x, name="i")
        return placements(tf)
    with tf.control_dependencies([tf.no_op(name="first")] if case == "a control input" else []):
        with tf.device("/job:localhost" if case == "a request" else None):
            i = tf.identity(x, name="i")
    if case == "two consumers":
        tf.add(i, i, name="sum")
    if case == "another consumer":
        with tf.device("/cpu:2"):
            tf.negative(i, name="negative")
    return placements(tf)


@program()
def writes_follow_their_variable(tf):
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v")
    w = tf.Variable(1.0, name="w")
    with tf.device("/cpu:2"):
        v.assign_add(2.0)
        tf.assign(w, v * 2.0, name="w_from_v")
        tf.scatter_update(tf.Variable([1.0, 2.0], name="u"), [0], [3.0])
        tf.is_variable_initialized(v)
    return placements(tf)


@program()
def resource_handles(tf):
    with tf.device("/cpu:1"):
        v = tf.get_variable("v", [2], use_resource=True)
    with tf.device("/cpu:2"):
        written = v.assign_add([1.0, 1.0])
        v + 1.0
        written + 1.0
    with tf.device("/cpu:0"):
        read = tf.identity(written, name="read")
    return placements(tf)


@program()
def caching_device(tf):
    with tf.device("/cpu:1"):
        v = tf.get_variable("v", [2], caching_device="/cpu:2")
        with tf.variable_scope("s", caching_device=lambda op: "/cpu:0"):
            w = tf.get_variable("w", [2])
    return v + w, placements(tf)


@program()
def colocated_blocks(tf):
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v")
        a = tf.negative(2.0, name="a")
    with tf.device("/cpu:2"):
        with tf.colocate_with(v):
            tf.negative(3.0, name="b")
        with tf.colocate_with(a.op):
            with tf.device("/cpu:0"):
                tf.negative(4.0, name="c")
    free = tf.negative(5.0, name="free")
    with tf.colocate_with(free.op):
        tf.negative(6.0, name="with_free")
    return placements(tf)


@program()
def a_mate_decides_for_the_group(tf):
    a = tf.negative(1.0, name="a")
    with tf.colocate_with(a.op):
        b = tf.negative(2.0, name="b")
    b.op._set_device("/cpu:2")
    return placements(tf)


def two_classes(tf):
    with tf.device("/cpu:1"):
        a = tf.negative(1.0, name="a")
    with tf.device("/cpu:2"):
        b = tf.negative(1.0, name="b")
    with tf.colocate_with(a.op), tf.colocate_with(b.op):
        c = tf.add(a, b, name="c")


@program(messages=["Cannot colocate nodes", "c", "a", "Cannot merge devices with incompatible ids",
                   "/device:CPU:2", "/device:CPU:1"])  # fmt: skip
def classes_that_contradict_each_other(tf):
    two_classes(tf)
    return placements(tf)


@program()
def classes_that_contradict_each_other_softly(tf):
    two_classes(tf)
    return placements(tf, allow_soft_placement=True)


@program(messages=["Cannot place the graph because a reference or resource edge connects colocation groups with "
                   "incompatible resource devices: /device:CPU:1 vs /device:CPU:2"])  # fmt: skip
def one_reference_of_two_variables(tf):
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v")
    with tf.device("/cpu:2"):
        w = tf.Variable(1.0, name="w")
    tf.cond(tf.constant(True), lambda: v._ref(), lambda: w._ref())
    return placements(tf)


@program(messages=["Cannot assign a device for operation ones", "/device:CPU:7"])
def what_is_written_is_placed_for_itself(tf):
    v = tf.Variable(1.0, name="v")
    with tf.device("/cpu:7"):
        tf.assign(v, tf.ones([]))
    return placements(tf)


@program(messages=["Cannot assign a device for operation v", "/device:CPU:7"])
def a_variable_that_has_no_device(tf):
    with tf.device("/cpu:7"):
        v = tf.Variable(1.0, name="v")
    return placements(tf)


@program()
def a_graph_that_grows_is_placed_again(tf):
    steps = []
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}, log_device_placement=True)) as sess:
        a = tf.constant(1.0, name="a")
        v = tf.Variable(1.0, name="v")
        for make in (lambda: tf.negative(a), lambda: tf.device("/cpu:1"), lambda: tf.assign(v, 2.0)):
            made = make()
            with printed() as lines:
                if hasattr(made, "__enter__"):
                    with made:
                        made = tf.identity(a, name="b")
                        tf.assign(v, 3.0, name="c")
                sess.run(made)
            steps.append([line.replace("/job:localhost/replica:0/task:0", "") for line in lines])
    return steps


@program()
def branches(tf):
    with tf.device("/cpu:1"):
        x = tf.constant(3.0, name="x")
        flag = tf.placeholder_with_default(True, [], name="flag")
    with tf.device("/cpu:2"):
        y = tf.cond(flag, lambda: x * 2.0, lambda: x + 1.0)
    return y, placements(tf, y)


@program()
def groups_of_two_devices(tf):
    with tf.device("/cpu:1"):
        a = tf.no_op(name="a")
    with tf.device("/cpu:2"):
        b = tf.no_op(name="b")
    tf.group(a, b, name="both")
    return placements(tf)


@program()
def a_placed_pruned_graph(tf):
    one = tf.constant(1.0, name="one")
    with tf.device("/cpu:1"):
        a = tf.negative(one, name="a")
    with tf.device("/cpu:2"):
        b = tf.negative(one, name="b")
    with tf.device("/cpu:9"):
        c = tf.negative(2.0, name="c")
    options = tf.GraphOptions(place_pruned_graph=True)
    lines = placements(tf, a, graph_options=options)
    # TensorFlow also places the node that takes the fetch out.
    return [line for line in lines if "_retval" not in line]


@program(cases=[{"CPU": 2}, {"GPU": 2}, {"CPU": 1, "FOO": 3}])
def the_devices_of_a_session(tf, case):
    with tf.Session(config=tf.ConfigProto(device_count=case)) as sess:
        return [
            (d.name, d.device_type, d.memory_limit_bytes, type(d.incarnation).__name__) for d in sess.list_devices()
        ]


@program()
def no_cpu(tf):
    return attempt(lambda: tf.Session(config=tf.ConfigProto(device_count={"CPU": 0})))


# -- what variables ask for ------------------------------------------------------------------------------------


def asked(tf):
    return [(op.name, op.device) for op in tf.get_default_graph().get_operations()]


@program(cases=[None, "/gpu:3", "/job:c"])
def a_resource_variable_with_a_caching_device(tf, case):
    with tf.device("/cpu:1"):
        v = tf.get_variable("v", [2], use_resource=True, caching_device=case)
    with tf.device("/cpu:2"):
        v.read_value(), v.value(), v + 1.0
        written = v.assign_add([1.0, 1.0])
        written.read_value(), written.value(), written + 1.0
        tf.convert_to_tensor(written.assign([2.0, 2.0]))
        tf.gather(v, [0]), v.sparse_read([0])
        tf.convert_to_tensor(tf.scatter_sub(v, [0], [1.0]))
    return asked(tf)


@program(cases=["colocated", "inside", "open again", "twice"])
def variables_made_beside_another(tf, case):
    """What colocation hides of the devices around it comes back for what is lifted: variables, `init_scope`."""
    v = tf.Variable(1.0, name="v")

    def make(name):
        tf.Variable(1.0, name=name)
        tf.get_variable(name + "_got", [1])
        tf.get_variable(name + "_handle", [1], use_resource=True)
        with tf.init_scope():
            tf.constant(1.0, name=name + "_lifted")

    with tf.device("/cpu:3"):
        make("before")
        with tf.colocate_with(v):
            if case == "colocated":
                make("x")
            with tf.device("/cpu:4"):
                if case == "inside":
                    make("x")
                with tf.colocate_with(v):
                    if case == "twice":
                        make("x")
            with tf.get_default_graph().as_default(), tf.colocate_with(v):
                if case == "open again":
                    make("x")
    return asked(tf)


@program(cases=[None, "/cpu:0", "/job:ps"])
def slots_of_an_optimizer_under_a_device(tf, case):
    with tf.device(case):
        v = tf.get_variable("v", [2])
        w = tf.get_variable("w", [2], use_resource=True)
    with tf.device("/gpu:1"):
        loss = tf.reduce_sum(v * w)
    with tf.device("/cpu:3"):
        tf.train.AdamOptimizer().minimize(loss)
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=tf.train.get_or_create_global_step())
    return asked(tf)


@program()
def a_training_step_is_placed(tf):
    with tf.device("/cpu:1"):
        v = tf.get_variable("v", [3, 2])
        w = tf.get_variable("w", [2], use_resource=True)
    with tf.device("/cpu:2"):
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(a) + w), [0, tf.matmul(x, v)])[1]
        loss = tf.reduce_mean(tf.square(y))
    with tf.device("/cpu:0"):
        optimizer = tf.train.AdamOptimizer()
        pairs = optimizer.compute_gradients(loss, colocate_gradients_with_ops=True)
        optimizer.apply_gradients(pairs)
    return placements(tf)
