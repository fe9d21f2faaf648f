"""Differences that were found by attacking what came late: imported graphs, tables, sparse tensors, layers."""

import numpy as np

from tests.oracle import attempt, program


def _identity(tf, **changes):
    """Two nodes, of which one takes the other; `changes` are functions of the nodes."""
    message = tf.GraphDef()
    a, b = message.node.add(), message.node.add()
    a.name, a.op = "a", "Identity"
    a.input.append("b")
    a.attr["T"].type = 1
    b.name, b.op = "b", "Placeholder"
    b.attr["dtype"].type = 1
    return message, a, b


def _without_attr(message, a, b):
    a.ClearField("attr")


def _without_attrs(message, a, b):
    b.op = "Const"
    b.ClearField("attr")


def _two_inputs(message, a, b):
    a.input.append("b")


def _no_inputs(message, a, b):
    del a.input[:]
    a.input.append("^b")


def _inputs_of_none(message, a, b):
    a.op = "NoOp"


def _no_such_output(message, a, b):
    a.input[0] = "b:7"


def _control_first(message, a, b):
    a.input[0] = "^b"
    a.input.append("b")


def _another_type(message, a, b):
    a.attr["T"].type = 3


def _a_list(message, a, b):
    a.op = "AddN"
    a.attr["N"].i = 3


def _one_name(message, a, b):
    b.name = "a"


def _no_name(message, a, b):
    b.name = "b bad"


def _no_device(message, a, b):
    b.device = "/bad:dev"


def _too_new(message, a, b):
    message.versions.min_consumer = 99999


def _another_attr(message, a, b):
    a.attr["foo"].type = 1


KEYS = {
    _without_attr: ["missing attr 'T'", "Identity", "import/a"],
    _without_attrs: ["missing attrs 'dtype', 'value'", "Const", "import/b"],
    _two_inputs: ["expected inputs 'float'", "2 inputs specified"],
    _no_inputs: ["expected inputs 'float'", "0 inputs specified"],
    _inputs_of_none: ["expected inputs ''", "1 inputs specified"],
    _no_such_output: ["Node 'a'", "invalid output 7", "which has 1 outputs"],
    _control_first: ["Node 'a'", "Control dependencies must come after"],
    _another_type: ["Input 0", "import/a", "was passed float from import/b:0", "expected int32"],
    _a_list: ["expected inputs 'float, float, float'", "1 inputs specified"],
    _one_name: ["Node 'a' is not unique"],
    _no_name: ["Node 'b bad'", "invalid characters"],
    _no_device: ["Unknown attribute 'bad'", "/bad:dev"],
    _too_new: ["GraphDef min consumer version 99999 above current version"],
    _another_attr: [],
}


@program(cases=list(KEYS), graph=False, messages=[])
def wrong_nodes_are_refused_when_a_graph_is_imported(tf, case):
    message, a, b = _identity(tf)
    case(message, a, b)
    outcome = attempt(tf.import_graph_def, message)
    text = str(getattr(outcome, "error", outcome))
    return outcome, [key for key in KEYS[case] if key not in text]


@program(messages=["rank 1", "rank 2"])
def keys_of_a_static_table_are_a_vector(tf):
    tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([["a", "b"]], [[1, 2]]), -1)


@program(graph=False, messages=["filename"])
def a_table_from_no_file(tf):
    tf.lookup.TextFileInitializer(None, tf.string, 0, tf.int64, 1)


@program(cases=[(False, False), (False, True), (True, False), (True, True)])
def a_dense_matrix_times_a_sparse_one(tf, case):
    a, b = case
    dense = np.arange(6, dtype=np.float32).reshape((3, 2) if a else (2, 3))
    sparse = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3] if b else [3, 2])
    product = tf.sparse.sparse_dense_matmul(dense, sparse, adjoint_a=a, adjoint_b=b)
    with tf.Session() as sess:
        return sess.run(product), product, tf.gradients(product, [sparse.values])


@program(graph=False, messages=["Dimensions 1 and 2 are not compatible"])
def a_sparse_transpose_with_an_axis_too_few(tf):
    tf.sparse.transpose(tf.SparseTensor([[0, 1]], [1.0], [2, 3]), [0])


@program(oracle="1.15", graph=False)
def updates_of_layers_are_found_from_inputs(tf):
    class Counting(tf.layers.Layer):
        def call(self, inputs):
            self.add_update(tf.no_op(name="alone"))
            self.add_update(tf.add(inputs, 1.0, name="behind"), inputs=True)
            self.add_update(tf.identity(inputs, name="named"), inputs=inputs)
            return inputs

    x, other = tf.ones([2, 3], name="x"), tf.ones([2, 3], name="other")
    found = []
    for layer in (
        tf.layers.BatchNormalization(name="plain"),
        tf.layers.BatchNormalization(name="renormalized", renorm=True),
        Counting(name="own"),
    ):
        y = x * 2.0
        layer.apply(y, **({} if layer.name == "own" else {"training": True}))
        for inputs in (y, x, other, None, [x, other]):
            found.append([update.name for update in layer.get_updates_for(inputs)])
    return found


@program()
def what_a_variable_is_made_of_has_its_names(tf):
    tf.Variable(1.0, name="v")
    tf.get_variable("w", [1], initializer=tf.zeros_initializer())
    made = tf.get_default_graph().get_operations()
    with tf.name_scope("v/"):
        again = tf.assign(tf.global_variables()[0], 2.0)
    return again, [tf.no_op(name=op.name) for op in made]


@program(messages=[])
def a_graph_is_imported_into_itself(tf):
    v = tf.Variable(1.0, name="v")
    tf.train.MomentumOptimizer(0.5, 0.5).minimize(v * v)
    message = tf.get_default_graph().as_graph_def()
    return tf.import_graph_def(message, name="", return_elements=["v", "v/Assign", "Momentum", "v/Momentum/Assign"])


@program(
    cases=[{"n": 4}, {"n": 30, "norm": "ortho"}, {"type": 4}, {"type": 3, "n": 4}, {"type": 1, "n": 4}, {}], tol=1e-4
)
def cosine_transforms_of_unknown_sizes(tf, case):
    x = tf.placeholder(tf.float32, [2, None], name="x")
    y = tf.signal.dct(x, **case)
    unknown = tf.placeholder(tf.float32, None, name="unknown")
    z = attempt(tf.signal.dct, unknown, **case)
    with tf.Session() as sess:
        fed = {x: np.arange(24.0).reshape(2, 12) / 8, unknown: np.arange(12.0) / 4}
        return sess.run(y, fed), y, sess.run(z, fed) if hasattr(z, "op") else z


@program(graph=False)
def strides_and_dilations_of_batches(tf):
    x, f = tf.ones([1, 5, 5, 3]), tf.ones([2, 2, 3, 1])
    with tf.Session() as sess:
        return [
            attempt(sess.run, found)
            for found in (
                tf.nn.conv2d(x, f, [2, 1, 1, 1], "SAME"),
                tf.nn.conv2d(x, f, [1, 1, 1, 1], "SAME", dilations=[1, 1, 1, 2]),
                tf.nn.depthwise_conv2d_native(x, f, [1, 1, 1, 1], "SAME", dilations=[2, 1, 1, 1]),
                tf.nn.dilation2d(x, f[..., 0], strides=[2, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME"),
                tf.nn.dilation2d(x, f[..., 0], strides=[1, 1, 1, 1], rates=[1, 1, 1, 2], padding="SAME"),
            )
        ]


@program()
def sizes_from_outside_of_a_loop(tf):
    """They are looked up where they are packed, out of one loop. (TensorFlow then knows them elsewhere, too.)"""
    x = tf.placeholder(tf.float32, [None, 6], name="x")
    n, m, vector, size = tf.constant(6) * 1, tf.constant(5) * 1, tf.constant([2, 3]), tf.shape(x)[1]
    seen = []

    def body(i, y):
        made = [tf.ones([size]), tf.ones([n, i]), tf.reshape(x, [-1, size]), tf.ones(vector), x[:n]]
        seen.extend(made)
        inner = tf.while_loop(lambda j: j < 1, lambda j: seen.append(tf.ones([m])) or j + 1, [i])
        return i + 1, y + sum(map(tf.reduce_sum, made)) + tf.cast(inner, tf.float32)

    tf.while_loop(lambda i, y: i < 3, body, [0, 0.0])
    return seen


@program(cases=["constant", "never", "always"])
def shapes_in_a_branch_that_is_never_taken(tf, case):
    x = tf.placeholder(tf.float32, [None, 6], name="x")
    n, size = tf.constant(3) * 1, tf.shape(x)[1]
    predicate = {"constant": tf.constant(False), "never": tf.equal(size, 1), "always": tf.equal(n, 3)}[case]
    seen = []

    def branch(make):
        seen.append(make([size]))
        return make([n])

    return tf.cond(predicate, lambda: branch(tf.ones), lambda: branch(tf.zeros)), seen


@program()
def sums_of_sparse_tensors_of_unknown_sizes_backwards(tf):
    x = tf.placeholder(tf.float32, [None, None], name="x")
    sparse = tf.sparse.from_dense(x)
    slope = tf.gradients(tf.sparse.reduce_sum(sparse, 1) ** 2, [sparse.values])
    with tf.Session() as sess:
        return sess.run(slope, {x: [[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]})


@program(cases=["unsorted_segment_max", "unsorted_segment_min"])
def infinities_in_segments(tf, case):
    x = tf.constant([-np.inf, np.inf, -np.inf, np.inf, 1.0], tf.float32)
    y = getattr(tf, case)(x, [0, 1, 2, 2, 2], 4)
    with tf.Session() as sess:
        return sess.run(y), sess.run(tf.gradients(y, [x]))
