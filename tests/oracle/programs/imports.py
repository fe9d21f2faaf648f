"""GraphDefs imported: names, mapped inputs, returned elements, scopes around the import, and what is refused."""

import numpy as np

from tests.oracle import attempt, program


def exported(tf):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        v = tf.Variable([[1.0], [2.0]], name="v")
        with tf.control_dependencies([tf.constant(1, name="before")]):
            y = tf.matmul(x, v, name="y")
        tf.split(y, 1, name="z")
        tf.constant(["a", "b"], name="words")
        tf.strided_slice(y, [0, 0], [1, 1], name="part")
    return graph.as_graph_def()


@program()
def names_are_prefixed_and_made_unique(tf):
    message = exported(tf)
    return (
        tf.import_graph_def(message),
        tf.import_graph_def(message, return_elements=["y", "y:0", "z:0"]),
        tf.import_graph_def(message, name="mine", return_elements=["v"]),
        tf.import_graph_def(message, name="", return_elements=["words:0"]),
        tf.import_graph_def(message, name="", return_elements=["words:0"]),
    )


@program()
def inputs_can_be_mapped(tf):
    message = exported(tf)
    a = tf.placeholder(tf.float32, [3, 2], name="a")
    (y,) = tf.import_graph_def(message, {"x:0": a}, ["y:0"], name="m")
    (again,) = tf.import_graph_def(message, {"x": a + 1.0}, ["y:0"], name="m")
    return y, again


@program()
def scopes_around_an_import(tf):
    message = exported(tf)
    with tf.name_scope("s"), tf.device("/cpu:0"), tf.control_dependencies([tf.constant(1)]):
        return tf.import_graph_def(message, name="q", return_elements=["y:0"])


@program()
def an_imported_graph_runs(tf):
    (y, init) = tf.import_graph_def(exported(tf), return_elements=["y:0", "v/Assign"], name="")
    with tf.Session() as sess:
        sess.run(init)
        return sess.run([y, "words:0"], {"x:0": np.ones([2, 2])}), tf.global_variables()


@program(graph=False, messages=[])
def what_is_refused(tf):
    message = exported(tf)
    unknown_input = tf.GraphDef()
    node = unknown_input.node.add()
    node.name, node.op = "a", "Identity"
    node.input.append("b")
    node.attr["T"].type = 1
    unknown_op = tf.GraphDef()
    node = unknown_op.node.add()
    node.name, node.op = "a", "NoSuchOp"
    cycle = tf.GraphDef()
    node = cycle.node.add()
    node.name, node.op = "a", "Identity"
    node.input.append("a")
    node.attr["T"].type = 1
    return (
        attempt(tf.import_graph_def, message, {"nope:0": tf.constant(1.0)}),
        attempt(tf.import_graph_def, message, return_elements=["nope"]),
        attempt(tf.import_graph_def, 3),
        attempt(tf.import_graph_def, message, [1]),
        attempt(tf.import_graph_def, unknown_input),
        attempt(tf.import_graph_def, unknown_op),
        attempt(tf.import_graph_def, cycle),
    )
