"""tf.Variable: how it is made, and the graph it makes."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

FORMS = {
    "a number": lambda tf: tf.Variable(1.0),
    "an int": lambda tf: tf.Variable(0, name="a1"),
    "a list": lambda tf: tf.Variable([1.0, 2.0], name="v"),
    "an array": lambda tf: tf.Variable(np.arange(4.0).reshape(2, 2), name="v"),
    "a string": lambda tf: tf.Variable("abc", name="v"),
    "a bool": lambda tf: tf.Variable(False, name="v"),
    "a tensor": lambda tf: tf.Variable(tf.zeros([2, 3]), name="v"),
    "a function": lambda tf: tf.Variable(lambda: tf.ones([2]), name="v"),
    "a function of numbers": lambda tf: tf.Variable(lambda: [1.0, 2.0], name="v"),
    "a function with dtype": lambda tf: tf.Variable(lambda: [1, 2], dtype=tf.float32, name="v"),
    "an initializer": lambda tf: tf.Variable(tf.zeros_initializer(), name="v"),
    "a numpy function": lambda tf: tf.Variable(lambda: np.ones(3, np.float32), name="v"),
    "dtype": lambda tf: tf.Variable(1, dtype=tf.float32, name="v"),
    "dtype by name": lambda tf: tf.Variable([1.5], dtype="float64", name="v"),
    "dtype clash": lambda tf: tf.Variable(tf.zeros([2]), dtype=tf.int32, name="v"),
    "dtype of python mismatch": lambda tf: tf.Variable(1.5, dtype=tf.int32, name="v"),
    "not trainable": lambda tf: tf.Variable(1.0, trainable=False, name="v"),
    "positional trainable": lambda tf: tf.Variable(1.0, False, name="v"),
    "collections": lambda tf: tf.Variable(1.0, collections=["mine"], name="v"),
    "collections string": lambda tf: tf.Variable(1.0, collections="mine", name="v"),
    "collections tuple": lambda tf: tf.Variable(1.0, collections=("mine",), name="v"),
    "unknown shape": lambda tf: tf.Variable(tf.placeholder(tf.float32), name="v"),
    "unknown shape allowed": lambda tf: tf.Variable(tf.placeholder(tf.float32), validate_shape=False, name="v"),
    "validate_shape False": lambda tf: tf.Variable([1.0, 2.0], validate_shape=False, name="v"),
    "partly known shape": lambda tf: tf.Variable(tf.placeholder(tf.float32, [None, 2]), name="v"),
    "expected_shape": lambda tf: tf.Variable([1.0, 2.0], expected_shape=[2], name="v"),
    "shape": lambda tf: tf.Variable([1.0, 2.0], shape=[2], name="v"),
    "shape clash": lambda tf: tf.Variable([1.0, 2.0], shape=[3], name="v"),
    "caching_device": lambda tf: tf.Variable(1.0, caching_device="/cpu:0", name="v"),
    "use_resource": lambda tf: tf.Variable([1.0], use_resource=True, name="v"),
    "use_resource False": lambda tf: tf.Variable([1.0], use_resource=False, name="v"),
    "use_resource function": lambda tf: tf.Variable(lambda: tf.ones([2]), use_resource=True, name="v"),
    "constraint": lambda tf: tf.Variable(1.0, constraint=lambda x: x, name="v"),
    "constraint not callable": lambda tf: tf.Variable(1.0, constraint=3, name="v"),
    "no value": lambda tf: tf.Variable(),
    "none": lambda tf: tf.Variable(None),
    "name with slash": lambda tf: tf.Variable(1.0, name="a/b"),
    "bad name": lambda tf: tf.Variable(1.0, name="a b"),
    "a variable": lambda tf: tf.Variable(tf.Variable(1.0, name="v"), name="w"),
    "initialized value": lambda tf: tf.Variable(tf.Variable(1.0, name="v").initialized_value() * 2.0, name="w"),
    "an expression of a variable": lambda tf: tf.Variable(tf.Variable(1.0, name="v") * 2.0, name="w"),
    "int64": lambda tf: tf.Variable(np.int64(3), name="v"),
    "complex": lambda tf: tf.Variable(1j, name="v"),
    "empty": lambda tf: tf.Variable(np.zeros([0, 2], np.float32), name="v"),
    "an object": lambda tf: tf.Variable(object(), name="v"),
    "aggregation": lambda tf: tf.Variable(1.0, synchronization=tf.VariableSynchronization.AUTO,
    aggregation=tf.VariableAggregation.NONE, name="v"),
    "resource clash of shape": lambda tf: tf.Variable([1.0, 2.0], use_resource=True, shape=[3], name="v"),
    "resource none": lambda tf: tf.Variable(None, use_resource=True),
    "resource dtype": lambda tf: tf.Variable([1, 2], use_resource=True, dtype=tf.float32, name="v"),
    "resource string": lambda tf: tf.Variable("s", use_resource=True, name="v"),
    "resource unknown shape": lambda tf: tf.Variable(tf.placeholder_with_default([1.0], [None]), use_resource=True,
    validate_shape=False, name="v"),
}  # fmt: skip


RANDOM = {
    "normal": lambda tf: tf.Variable(tf.random_normal([2, 2]), name="w"),
    "truncated normal": lambda tf: tf.Variable(tf.truncated_normal([2, 2], stddev=0.1), name="w"),
    "resource": lambda tf: tf.Variable(tf.random_uniform([2, 2]), name="w", use_resource=True),
    "function": lambda tf: tf.Variable(lambda: tf.random_normal([2, 2], seed=3), name="w"),
}


@program(cases=RANDOM, random=True)
def made_from_random_numbers(tf, case):
    v = case(tf)
    with tf.Session() as sess:
        sess.run(v.initializer)
        return v, sess.run(v)


@program(cases=FORMS)
def made_from(tf, case):
    v = attempt(case, tf)
    if not hasattr(v, "initializer"):
        return v
    with tf.Session() as sess:
        feeds = {
            op.outputs[0]: np.ones([1, 2]) for op in tf.get_default_graph().get_operations() if op.type == "Placeholder"
        }
        caught = attempt(sess.run, tf.global_variables_initializer(), feeds)
        lists = [tf.trainable_variables(), tf.global_variables(), tf.get_collection("mine")]
        return (
            v,
            v.trainable,
            [[x.name for x in each] for each in lists],
            attempt(sess.run, v) if caught is None else caught,
        )


@program()
def names_are_made_unique(tf):
    a1 = tf.Variable(0, name="a1")
    a2 = tf.Variable(1, name="a1")
    with tf.name_scope("s"):
        a3 = tf.Variable(2, name="a1")
    with tf.variable_scope("vs"):
        a4 = tf.Variable(3, name="a1")
        a5 = tf.Variable(4, name="A1")
    return [v.name for v in (a1, a2, a3, a4, a5)], tf.Variable(0).name, tf.Variable(0).name


@program()
def name_scopes_rename_variables_but_not_get_variables(tf):
    with tf.name_scope("n"):
        v = tf.Variable(1.0, name="v")
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    with tf.variable_scope("s"), tf.name_scope("n"):
        x = tf.Variable(1.0, name="x")
        y = tf.get_variable("y", [], initializer=tf.zeros_initializer())
    return [t.name for t in (v, w, x, y)]


@program()
def a_failed_initialiser_uses_up_the_name(tf):
    caught = [attempt(tf.Variable, lambda: "a" + 1, name="b"), attempt(tf.Variable, object(), name="c")]
    return caught, tf.Variable(1.0, name="b").name, tf.Variable(1.0, name="c").name


@program()
def fields(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    r = tf.Variable([1.0, 2.0], name="r", use_resource=True)
    return [
        {
            "name": x.name, "op": x.op, "dtype": x.dtype, "shape": x.shape, "get_shape": x.get_shape(),
            "initializer": x.initializer, "initial_value": x.initial_value, "device": x.device,
            "graph": x.graph is tf.get_default_graph(),
            "trainable": x.trainable, "constraint": x.constraint, "str": str(x), "repr": repr(x), "value": x.value(),
            "read_value": x.read_value(), "is tensor": isinstance(x, tf.Tensor),
            "save_slice_info": getattr(x, "_save_slice_info", None),
        }
        for x in (v, r)
    ]  # fmt: skip


@program()
def set_shape_of_a_variable(tf):
    v = tf.Variable(tf.placeholder_with_default([1.0, 2.0], [None]), validate_shape=False, name="v")
    before = v.shape
    caught = attempt(v.set_shape, [2])
    return before, caught, v.shape, v.value().shape, attempt(v.set_shape, [3])


@program(oracle="1.15")
def positional_signature(tf):
    """The third argument is `collections`, as in the seed."""
    v = tf.Variable(1.0, True, None, True, None, "named")
    return v.name, v.trainable


@program()
def signature_of_the_seed_by_keyword(tf):
    v = tf.Variable(
        initial_value=1.0,
        trainable=True,
        collections=None,
        validate_shape=True,
        caching_device=None,
        name="v",
        variable_def=None,
        dtype=None,
        expected_shape=None,
        import_scope=None,
    )
    return v


@program()
def a_guarded_initial_value_reads_other_variables_in_any_order(tf):
    a = tf.Variable(3.0, name="a")
    b = tf.Variable(a.initialized_value() + 1.0, name="b")
    c = tf.Variable(b.initialized_value() * 2.0, name="c")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run([a, b, c])


@program(graph=False)
def an_initial_value_that_reads_a_variable_is_lifted(tf):
    a = tf.Variable(3.0, name="a")
    b = tf.Variable(a + 1.0, name="b")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run([a, b]), [
            op.name for op in b.op.graph.get_operations() if op.type in ("If", "Switch", "Merge", "RefSwitch")
        ]


@program()
def equality_and_hashing(tf):
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    r = tf.Variable(1.0, use_resource=True)
    return v == v, v == w, v != w, v == 1.0, r == r, r == v, len({v, w, r, v}), [v].index(v), v in [w, v]


@program()
def iterating_and_truth(tf):
    v = tf.Variable([1.0, 2.0], name="v")

    def truth():
        return 1 if v else 2

    return attempt(truth), attempt(list, v), attempt(len, v), attempt(iter, v), attempt(float, v), attempt(np.array, v)


@program()
def variables_in_ops(tf):
    v = tf.Variable([[1.0, 2.0]], name="v")
    r = tf.Variable([[1.0], [2.0]], name="r", use_resource=True)
    tf.matmul(v, r)
    tf.identity(v)
    tf.identity(r)
    tf.shape(v)
    tf.reduce_sum(v)
    tf.concat([v, v], 0)
    tf.stack([v, [[3.0, 4.0]]])
    tf.cast(v, tf.int32)
    tf.nn.relu(r)
    tf.reshape(v, [2])
    tf.gather(v, [0])
    tf.zeros_like(v)
    tf.expand_dims(v, 0)
    tf.transpose(v)
    tf.stop_gradient(v)
    return tf.nn.embedding_lookup(v, [0])


@program()
def trainable_and_collection_counts(tf):
    tf.Variable(1.0)
    tf.Variable(1.0, trainable=False)
    tf.get_variable("a", [], initializer=tf.zeros_initializer())
    return len(tf.trainable_variables()), len(tf.global_variables()), len(tf.all_variables()), len(tf.local_variables())


@program()
def device_of_a_variable(tf):
    with tf.device("/cpu:0"):
        v = tf.Variable([1.0], name="v")
        r = tf.Variable([1.0], name="r", use_resource=True)
    return v.device, r.device, v.initializer.device, r.initializer.device


@program()
def variable_creator_scope(tf):
    seen = []

    def creator(next_creator, **kwargs):
        seen.append(
            (
                kwargs["name"],
                kwargs["trainable"],
                sorted(k for k in kwargs if k in ("initial_value", "dtype", "collections", "validate_shape")),
            )
        )
        kwargs["name"] = "renamed"
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        v = tf.Variable(1.0, name="v")
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    return seen, v.name, w.name, tf.Variable(1.0, name="after").name


@program()
def default_use_resource_switches(tf):
    before = tf.resource_variables_enabled()
    with tf.variable_scope("s", use_resource=True):
        a = tf.get_variable("a", [], initializer=tf.zeros_initializer())
        b = tf.Variable(1.0, name="b")
    with tf.variable_scope("t", use_resource=False):
        c = tf.get_variable("c", [], initializer=tf.zeros_initializer())
        d = tf.get_variable("d", [], initializer=tf.zeros_initializer(), use_resource=True)
    return before, [v.op.type for v in (a, b, c, d)]


@program()
def to_proto_and_back(tf):
    v = tf.Variable(1.0, name="v")
    r = tf.Variable(1.0, name="r", use_resource=True)
    p, q = v.to_proto(), r.to_proto()
    return [p.variable_name, p.initializer_name, p.snapshot_name, p.initial_value_name, p.trainable, p.is_resource], [
        q.variable_name,
        q.initializer_name,
        q.snapshot_name,
        q.initial_value_name,
        q.trainable,
        q.is_resource,
    ]
