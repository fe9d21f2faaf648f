"""Finding things in a graph by name or object, and what is said when they are not there."""

from __future__ import annotations

from tests.oracle import attempt, program


def small(tf):
    x = tf.placeholder(tf.float32, [4], name="x")
    tf.split(x, 2, name="parts")
    with tf.name_scope("s"):
        tf.no_op(name="nothing")
    return tf.get_default_graph()


LOOKUPS = {
    "tensor": "x:0", "operation": "x", "second output": "parts:1", "in a scope": "s/nothing", "no such op": "nope",
    "no such tensor": "nope:0",
    "no such output": "x:1", "output of a no-op": "s/nothing:0", "bad index": "x:a", "negative index": "x:-1",
    "empty": "", "colon": ":", "only index": ":0",
    "two colons": "x:0:0", "caret": "^x", "number": 3, "none": None, "bytes": b"x:0", "list": ["x"],
}  # fmt: skip


@program(cases=LOOKUPS)
def get_tensor_by_name(tf, case):
    return attempt(small(tf).get_tensor_by_name, case)


@program(cases=LOOKUPS)
def get_operation_by_name(tf, case):
    return attempt(small(tf).get_operation_by_name, case)


@program(cases=LOOKUPS)
def as_graph_element(tf, case):
    g = small(tf)
    return (
        attempt(g.as_graph_element, case),
        attempt(g.as_graph_element, case, allow_operation=False),
        attempt(g.as_graph_element, case, allow_tensor=False),
    )


@program()
def as_graph_element_of_objects(tf):
    g = small(tf)
    x = g.get_tensor_by_name("x:0")
    v = tf.Variable(1.0, name="v")
    r = tf.get_variable("r", initializer=1.0, use_resource=True)
    other = tf.Graph()
    with other.as_default():
        y = tf.constant(1.0, name="y")
    return (
        g.as_graph_element(x),
        g.as_graph_element(x.op),
        g.as_graph_element(v),
        g.as_graph_element(r),
        attempt(g.as_graph_element, x, allow_tensor=False),
        attempt(g.as_graph_element, x.op, allow_operation=False),
        attempt(g.as_graph_element, y),
        attempt(g.as_graph_element, y.op),
        attempt(g.as_graph_element, x, False, False),
        attempt(g.as_graph_element, tf.float32),
        attempt(g.as_graph_element, tf.SparseTensor([[0]], [1.0], [2])),
    )


@program()
def get_operations_in_order(tf):
    g = small(tf)
    return g.get_operations(), [op.type for op in g.get_operations()]


@program()
def the_list_of_operations_is_a_copy(tf):
    g = small(tf)
    g.get_operations().clear()
    return len(g.get_operations())


@program()
def finalize_stops_building(tf):
    g = small(tf)
    before = g.finalized
    g.finalize()
    return (
        before,
        g.finalized,
        attempt(tf.constant, 1.0),
        attempt(tf.Variable, 1.0),
        attempt(tf.placeholder, tf.float32),
        attempt(lambda: g.get_tensor_by_name("x:0") + 1),
        g.get_tensor_by_name("x:0"),
    )


@program()
def a_finalized_graph_still_runs(tf):
    y = tf.constant(2.0) * 3.0
    tf.get_default_graph().finalize()
    with tf.Session() as sess:
        return sess.run(y), attempt(sess.run, "nope:0")


@program()
def a_finalized_graph_takes_no_names_but_shows_what_it_has(tf):
    g = small(tf)
    g.finalize()

    def scope():
        with tf.name_scope("fresh") as name:
            return name

    return (
        attempt(scope),
        attempt(g.add_to_collection, "c", 1),
        attempt(g.get_collection, "c"),
        attempt(g.get_collection_ref, "c"),
    )


@program()
def prevent_feeding_and_fetching(tf):
    g = tf.get_default_graph()
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    g.prevent_feeding(a)
    g.prevent_fetching(b.op)
    with tf.Session() as sess:
        return (
            g.is_feedable(a), g.is_feedable(b), g.is_fetchable(a), g.is_fetchable(b), g.is_fetchable(b.op),
            attempt(sess.run, b), attempt(sess.run, b.op), attempt(sess.run, a + b, {a: 5.0}),
            sess.run(a + b, {b: 5.0}),
        )  # fmt: skip


@program()
def import_scope_names_and_tensor_fields(tf):
    x = tf.placeholder(tf.float32, [2, None], name="x")
    y = tf.identity(x, name="y")
    z = tf.add(y, y, name="z")
    return {
        "name": y.name,
        "op": y.op,
        "dtype": y.dtype,
        "shape": y.shape,
        "get_shape": y.get_shape(),
        "value_index": y.value_index,
        "consumers": [op.name for op in y.consumers()],
        "graph": y.graph is tf.get_default_graph(),
        "device": y.device,
        "inputs": [t.name for t in z.op.inputs],
        "outputs": [t.name for t in z.op.outputs],
        "values": [t.name for t in z.op.values()],
        "type": z.op.type,
        "op graph": z.op.graph is x.graph,
        "node_def": [z.op.node_def.name, z.op.node_def.op, list(z.op.node_def.input)],
        "control_inputs": z.op.control_inputs,
        "str": str(y),
        "repr": repr(y),
        "op repr": repr(z.op),
        "ndim": y.shape.ndims,
    }


@program()
def strings_of_tensors(tf):
    made = [
        tf.placeholder(tf.float32, name="a"),
        tf.placeholder(tf.int32, [], name="b"),
        tf.placeholder(tf.string, [3], name="c"),
        tf.placeholder(tf.bool, [None, 2], name="d"),
    ]
    v = tf.Variable([1.0], name="v")
    r = tf.get_variable("r", [2], use_resource=True)
    return (
        [str(x) for x in made]
        + [repr(x) for x in made]
        + [str(v), repr(v), str(r), repr(r), str(v.value()), repr(v.op)]
    )


@program()
def get_attr_of_an_operation(tf):
    v = tf.Variable([1.0], name="v")
    m = tf.matmul([[1.0]], [[2.0]], transpose_b=True, name="m")
    c = tf.constant(["a"], name="c")
    return (
        m.op.get_attr("transpose_b"),
        m.op.get_attr("T"),
        v.op.get_attr("dtype"),
        v.op.get_attr("container"),
        v.initializer.get_attr("_class"),
        c.op.get_attr("dtype"),
        tf.TensorShape(v.op.get_attr("shape")),
        attempt(m.op.get_attr, "nope"),
    )


@program()
def tensors_as_booleans_and_iterables(tf):
    x = tf.constant([1.0, 2.0], name="x")
    s = tf.constant(1.0, name="s")

    def truth():
        if x:
            return 1
        return 2

    def loop():
        return [item for item in x]

    return (
        attempt(truth),
        attempt(loop),
        attempt(bool, s),
        attempt(len, x),
        attempt(int, s),
        attempt(lambda: 1.0 in x),
        attempt(lambda: list(s)),
    )


@program()
def tensors_hash_and_compare_by_identity(tf):
    x = tf.constant(1.0)
    y = tf.constant(1.0)
    v = tf.Variable(1.0)
    w = tf.Variable(1.0)
    return (
        x == x,
        x == y,
        x != y,
        len({x, y, x}),
        {x: 1}[x],
        v == v,
        v == w,
        v != w,
        len({v, w, v}),
        x == 1.0,
        x is None,
        x == None,
    )


@program()
def default_graph_stack(tf):
    g = tf.get_default_graph()
    h = tf.Graph()
    with h.as_default() as entered:
        inside = tf.get_default_graph() is h
        with g.as_default():
            back = tf.get_default_graph() is g
            tf.constant(1, name="in_g")
        tf.constant(1, name="in_h")
    return entered is h, inside, back, tf.get_default_graph() is g, h


@program()
def reset_default_graph(tf):
    old = tf.get_default_graph()
    tf.constant(1, name="x")
    tf.reset_default_graph()
    new = tf.get_default_graph()
    name = tf.constant(1, name="x").name

    def nested():
        with tf.Graph().as_default():
            tf.reset_default_graph()

    return old is new, name, new, attempt(nested)


@program()
def ops_of_two_graphs_do_not_mix(tf):
    x = tf.constant(1.0, name="x")
    with tf.Graph().as_default():
        y = tf.constant(2.0, name="y")
        return [
            attempt(lambda: x + y),
            attempt(tf.add, x, 1.0),
            attempt(tf.identity, x),
            attempt(lambda: tf.concat([[x], [y]], 0).name),
            attempt(tf.Variable, x),
            attempt(tf.group, x),
        ]


@program()
def graph_seed_and_version(tf):
    g = tf.get_default_graph()
    before = (g.seed, g.version)
    tf.set_random_seed(12)
    tf.constant(1)
    return before, g.seed, g.version, g.building_function


@program()
def each_thread_has_its_own_default_graph(tf):
    import threading

    mine = tf.get_default_graph()
    seen = []

    def work():
        seen.append(tf.get_default_graph() is mine)
        with mine.as_default():
            seen.append(tf.constant(1, name="from_thread").name)

    with tf.name_scope("outer"), tf.device("/gpu:0"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    return seen


@program()
def gradient_override_map_marks_ops(tf):
    g = tf.get_default_graph()
    x = tf.constant(1.0, name="x")
    with g.gradient_override_map({"Identity": "Custom", "Square": "Other"}):
        tf.identity(x, name="marked")
        tf.add(x, x, name="plain")
        with g.gradient_override_map({"Identity": "Inner"}):
            tf.identity(x, name="inner")
            tf.square(x, name="outer")
        tf.identity(x, name="again")
    tf.identity(x, name="after")
    return None


@program()
def gradient_override_map_wants_a_dict_of_strings(tf):
    g = tf.get_default_graph()

    def enter(value):
        with g.gradient_override_map(value):
            pass

    return [attempt(enter, value) for value in ([("a", "b")], {1: "a"}, {"a": 1}, None)]


@program()
def attr_scope_through_private_name(tf):
    g = tf.get_default_graph()
    with g._attr_scope({"_mine": tf.AttrValue(s=b"hello")}):
        return tf.constant(1.0, name="x").op.get_attr("_mine")


@program()
def container_names_variables(tf):
    with tf.container("box"):
        v = tf.Variable(1.0, name="v")
        with tf.get_default_graph().container("inner"):
            tf.get_variable("w", [1])
    tf.Variable(1.0, name="u")
    return v


@program()
def operations_run_and_tensors_eval_need_a_session(tf):
    x = tf.constant(1.0, name="x")
    with tf.Session():
        ok = (x.eval(), tf.no_op().run())
    return ok, attempt(x.eval), attempt(x.op.run)


@program()
def convert_an_operation_to_a_tensor_fails(tf):
    return (
        attempt(tf.convert_to_tensor, tf.no_op(name="n")),
        attempt(tf.add, tf.no_op(name="m"), 1.0),
        attempt(tf.identity, tf.Graph()),
    )
