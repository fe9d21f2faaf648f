"""tf.graph_util: what is left of a graph, and what its variables become."""

from tests.oracle import attempt, program


def nodes(graph_def):
    """Each node with what matters of it; values are compared where the graph is run."""
    return [
        (
            node.name, node.op, list(node.input), node.device,
            sorted((key, str(value)) for key, value in node.attr.items() if key != "value" and key[0] != "_")
        )
        for node in graph_def.node
    ]  # fmt: skip


def network(tf):
    with tf.device("/cpu:0"):
        v = tf.get_variable("v", [2], initializer=tf.constant_initializer([1.0, 2.0]))
    w = tf.get_variable("w", [2], initializer=tf.constant_initializer([0.5, 0.25]), use_resource=True)
    table = tf.get_variable("table", [3, 2], initializer=tf.constant_initializer([[1, 2], [3, 4], [5, 6]]),
                            use_resource=True)  # fmt: skip
    unused = tf.get_variable("unused", [], initializer=tf.zeros_initializer())
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.identity(v * x + w + tf.nn.embedding_lookup(table, [2])[0], name="y")
    z = tf.add(y, 1.0, name="z")
    late = tf.identity(unused, name="late")
    return v, w, table, z, late


def run(tf, graph_def, fetch, feeds):
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name="")
        with tf.Session() as sess:
            return sess.run(fetch, feeds)


@program()
def convert(tf):
    v, w, table, _, _ = network(tf)
    convert = tf.graph_util.convert_variables_to_constants
    graph_def = tf.get_default_graph().as_graph_def()
    with tf.Session() as sess:
        sess.run([v.initializer, w.initializer, table.initializer])
        whole = convert(sess, graph_def, ["z"])
        found = [nodes(whole), run(tf, whole, "z:0", {"x:0": [10.0, 20.0]}), len(graph_def.node)]
        found.append(nodes(convert(sess, graph_def, ["z", "y"], variable_names_whitelist=["v"])))
        found.append(nodes(convert(sess, graph_def, ["z"], variable_names_blacklist=["v", "table"])))
        found.append(nodes(convert(sess, graph_def, [])))
        found.append(attempt(lambda: convert(sess, graph_def, ["nope"])))
        found.append(attempt(lambda: convert(sess, graph_def, ["late"])))
    return found


@program(graph=False)
def convert_in_branches_and_loops(tf):
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer(), use_resource=True)
    v = tf.get_variable("v", [2], initializer=tf.constant_initializer([2.0, 3.0]))
    p = tf.placeholder(tf.bool, [], name="p")
    c = tf.cond(p, lambda: w + 1.0, lambda: v * 2.0)
    last = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + w + v), [0, c])[1]
    tf.identity(last, name="last")
    with tf.Session() as sess:
        sess.run([v.initializer, w.initializer])
        frozen = tf.graph_util.convert_variables_to_constants(sess, tf.get_default_graph().as_graph_def(), ["last"])
    return nodes(frozen), [run(tf, frozen, "last:0", {"p:0": fed}) for fed in (True, False)]


@program(graph=False)
def extract(tf):
    network(tf)
    extract = tf.graph_util.extract_sub_graph
    graph_def = tf.get_default_graph().as_graph_def()
    return [
        nodes(extract(graph_def, ["z"])),
        nodes(extract(graph_def, ["w", "x"])),
        nodes(extract(graph_def, [])),
        extract(graph_def, ["z"]).versions.producer == graph_def.versions.producer,
        attempt(lambda: extract(graph_def, ["nope"])),
        attempt(lambda: extract(graph_def, "z")),
        attempt(lambda: extract(3, ["z"])),
    ]


@program(graph=False)
def remove(tf):
    a = tf.placeholder(tf.float32, [2], name="a")
    b = tf.identity(a, name="b")
    e = tf.identity(tf.identity(b, name="c"), name="e")
    with tf.control_dependencies([b]):
        d = tf.identity(e, name="d")
    checked = tf.check_numerics(tf.identity(d, name="i"), "m", name="checked")
    h = tf.add(checked, 1.0, name="h")
    k = tf.exp(tf.stop_gradient(tf.identity(h, name="last"), name="stop"), name="k")
    parts = tf.split(k, 2, name="parts")
    tf.identity(parts[1], name="part")
    tf.negative(tf.identity(parts[1]), name="end")
    graph_def = tf.get_default_graph().as_graph_def()
    remove = tf.graph_util.remove_training_nodes
    return nodes(remove(graph_def)), nodes(remove(graph_def, protected_nodes=["e", "checked", "part", "stop"]))


@program(graph=False)
def shapes_and_devices(tf):
    network(tf)
    graph, tools = tf.get_default_graph(), tf.graph_util
    found = [
        tools.tensor_shape_from_node_def_name(graph, "x:0"),
        tools.tensor_shape_from_node_def_name(graph, "table/Read/ReadVariableOp"),
        attempt(lambda: tools.tensor_shape_from_node_def_name(graph, "nope")),
    ]
    for value in (1, 1.0, "a", True, [2, 3]):
        op = tf.constant(value).op
        found.append([tools.must_run_on_cpu(op), tools.must_run_on_cpu(op.node_def, True)])
    stitched = [tf.dynamic_stitch([[0]], [tf.constant([value])]).op for value in (1, 1.0)]
    cast = [tf.cast(tf.constant(value), tf.float64).op for value in (1, 1.0)]
    found.append([tools.must_run_on_cpu(op) for op in stitched + cast])
    found.append([tools.must_run_on_cpu(graph.get_operation_by_name("v"), pin) for pin in (False, True)])
    found.append([tools.must_run_on_cpu(graph.get_operation_by_name("w"), pin) for pin in (False, True)])
    return found, attempt(lambda: tools.must_run_on_cpu(3))
