"""Device strings, stacks and functions: what each node asks for. Where it then runs is another matter."""

from __future__ import annotations

from tests.oracle import attempt, program


def node(tf, name=None):
    return tf.constant(1.0, name=name).op.device


@program(
    cases=[
        "/cpu:0", "/gpu:0", "/GPU:1", "/device:GPU:0", "/device:gpu:2", "cpu:0", "GPU:0", "/job:ps", "/job:ps/task:3",
        "/job:ps/replica:0/task:1/cpu:0",
        "/job:worker/device:GPU:*", "/task:2", "/replica:1", "/device:CPU:*", "/gpu:*", "",
        "/job:localhost/replica:0/task:0/device:CPU:0",
        "/device:XLA_CPU:0", "/device:TPU:3", "/Cpu:1", "/device:cpu:0", "/cpu", "/gpu", "/device:GPU",
        "/job:a_b/task:0",
    ]
)  # fmt: skip
def strings(tf, case):
    def enter():
        with tf.device(case):
            return node(tf)

    return attempt(enter)


@program(
    cases=[
        "nonsense",
        "/job",
        "/gpu:x",
        "/device:GPU:0/device:CPU:0",
        "/job:a/job:b",
        "/task:x",
        "//",
        "/foo:1",
        "/device::0",
        "/job:1",
        ":",
    ]
)
def malformed_strings(tf, case):
    def enter():
        with tf.device(case):
            return node(tf)

    return attempt(enter)


@program(
    cases=[
        ("inner adds", "/job:ps", "/gpu:0"),
        ("inner overrides the type", "/gpu:1", "/cpu:0"),
        ("inner overrides the index", "/gpu:1", "/gpu:2"),
        ("inner overrides the job", "/job:ps/task:1", "/job:worker"),
        ("three", "/job:ps", "/task:2", "/cpu:1"),
        ("inner type without index", "/gpu:1", "/device:CPU"),
        ("inner star", "/gpu:1", "/gpu:*"),
        ("none in between", "/job:ps/gpu:0", None, "/task:1"),
        ("empty in between", "/job:ps/gpu:0", "", "/task:1"),
        ("none at the end", "/job:ps", "/gpu:0", None),
    ]
)
def merging(tf, case):
    seen = []

    def enter(rest):
        if not rest:
            seen.append(node(tf))
            return
        with tf.device(rest[0]):
            seen.append(node(tf))
            enter(rest[1:])
        seen.append(node(tf))

    enter(case[1:])
    return seen


@program()
def device_functions_see_the_operation(tf):
    seen = []

    def chooser(op):
        seen.append((op.type, op.name, [x.name for x in op.inputs], op.device))
        return "/gpu:0" if op.type == "MatMul" else "/cpu:0"

    with tf.device(chooser):
        x = tf.constant([[1.0]], name="x")
        tf.matmul(x, x, name="m")
        v = tf.Variable(1.0, name="v")
    return seen, v.device


@program()
def device_functions_keep_their_string_and_merge(tf):
    with tf.device("/job:ps/cpu:3"):
        with tf.device(lambda op: "/gpu:1"):
            a = node(tf, "a")
            with tf.device("/task:4"):
                b = node(tf, "b")
    with tf.device(lambda op: "/job:x"):
        with tf.device(lambda op: "/task:7"):
            c = node(tf, "c")
    with tf.device(lambda op: op.device + "/task:1" if op.device else "/job:q"):
        d = node(tf, "d")
        with tf.device("/gpu:5"):
            e = node(tf, "e")
    return a, b, c, d, e


@program(cases={"none": lambda op: None, "empty": lambda op: "", "bad": lambda op: "nonsense", "number": lambda op: 3})
def device_functions_with_odd_answers(tf, case):
    def enter():
        with tf.device("/gpu:0"):
            with tf.device(case):
                return node(tf)

    return attempt(enter)


@program()
def device_functions_are_called_for_every_node_of_a_variable(tf):
    kinds = []

    def chooser(op):
        kinds.append(op.type)
        return f"/job:ps/task:{len(kinds)}"

    with tf.device(chooser):
        v = tf.Variable([1.0], name="v")
        w = tf.get_variable("w", [1], use_resource=True, initializer=tf.zeros_initializer())
    return kinds, v.device, w.device, v.initializer.device, w.initializer.device


@program()
def device_spec_objects(tf):
    spec = tf.DeviceSpec(job="ps", task=1, device_type="GPU", device_index=2)
    with tf.device(spec):
        a = node(tf)
        with tf.device(tf.DeviceSpec(device_type="CPU", device_index=0)):
            b = node(tf)
    return a, b, spec.to_string(), str(spec.job), spec.replica, spec.task, spec.device_type, spec.device_index


@program()
def device_spec_from_string_and_merging(tf):
    one = tf.DeviceSpec.from_string("/job:worker/task:1/gpu:3")
    two = tf.DeviceSpec.from_string("/cpu:0")
    merged = [one.make_merged_spec(two).to_string(), two.make_merged_spec(one).to_string()]
    return [
        one.to_string(),
        two.to_string(),
        merged,
        one == tf.DeviceSpec.from_string("/job:worker/task:1/device:GPU:3"),
        one == two,
    ]


@program(cases={"number": 3, "list": ["/gpu:0"], "tensor": "tensor"})
def device_takes_strings_functions_and_specs_only(tf, case):
    item = tf.constant(1.0) if case == "tensor" else case

    def enter():
        with tf.device(item):
            return node(tf)

    return attempt(enter)


@program()
def graph_device_method(tf):
    with tf.get_default_graph().device("/gpu:0"):
        a = node(tf)
        with tf.get_default_graph().device(None):
            b = node(tf)
    return a, b


@program()
def variables_and_caching_device(tf):
    with tf.device("/job:ps/task:1"):
        v = tf.Variable(1.0, name="v", caching_device="/gpu:0")
    with tf.variable_scope("s", caching_device="/cpu:3"):
        w = tf.get_variable("w", [1])
        x = tf.get_variable("x", [1], caching_device="/job:a")
    with tf.variable_scope("f", caching_device=lambda op: f"/device:CPU:{len(op.name)}"):
        y = tf.get_variable("y", [1])
    z = tf.get_variable("z", [1], use_resource=True, caching_device="/cpu:1")
    return [t.device for t in (v, w, x, y, z)]


@program()
def group_makes_one_noop_a_device(tf):
    with tf.device("/gpu:0"):
        a, b = tf.no_op(name="a"), tf.no_op(name="b")
    with tf.device("/cpu:0"):
        c = tf.no_op(name="c")
    d = tf.no_op(name="d")
    return tf.group(a, b, name="same"), tf.group(a, b, c, d, name="mixed"), tf.group(c, d)


@program()
def tensors_and_operations_tell_their_device(tf):
    with tf.device("/gpu:1"):
        x = tf.constant(1.0, name="x")
        y = x + 1.0
    return x.device, y.device, y.op.device, (y + 1.0).device


@program()
def the_stack_is_left_after_an_error(tf):
    def fails():
        with tf.device("/gpu:0"):
            raise KeyError("mine")

    return attempt(fails), node(tf)


@program()
def a_device_scope_around_control_dependencies_and_names(tf):
    with tf.device("/gpu:0"), tf.name_scope("s"), tf.control_dependencies([tf.no_op(name="a")]):
        with tf.control_dependencies(None):
            x = tf.constant(1.0, name="x")
    return x.device


@program(messages=["Cannot assign a device for operation", "device:GPU:7"])
def a_device_that_does_not_exist(tf):
    with tf.device("/gpu:7"):
        x = tf.constant(1.0, name="x") + 1.0
    with tf.Session() as sess:
        return sess.run(x)


@program()
def soft_placement_runs_it_anyway(tf):
    with tf.device("/gpu:7"):
        x = tf.constant(1.0, name="x") + 1.0
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        return sess.run(x)
