"""tf.get_variable: create or find, with the full signature, and what it says when it can do neither."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

FORMS = {
    "shape": lambda tf: tf.get_variable("v", [2, 3]),
    "shape tuple": lambda tf: tf.get_variable("v", (2,), initializer=tf.zeros_initializer()),
    "shape int": lambda tf: tf.get_variable("v", 3, initializer=tf.zeros_initializer()),
    "shape zero": lambda tf: tf.get_variable("a1", 0),
    "shape TensorShape": lambda tf: tf.get_variable("v", tf.TensorShape([2]), initializer=tf.zeros_initializer()),
    "shape of dimensions": lambda tf: tf.get_variable("v", [tf.Dimension(2), 3], initializer=tf.zeros_initializer()),
    "scalar": lambda tf: tf.get_variable("v", [], initializer=tf.zeros_initializer()),
    "no shape": lambda tf: tf.get_variable("v"),
    "unknown shape": lambda tf: tf.get_variable("v", [None, 2]),
    "unknown rank": lambda tf: tf.get_variable("v", tf.TensorShape(None)),
    "negative shape": lambda tf: tf.get_variable("v", [-1]),
    "float shape": lambda tf: tf.get_variable("v", [2.5]),
    "string shape": lambda tf: tf.get_variable("v", "ab"),
    "dtype": lambda tf: tf.get_variable("v", [2], tf.float64, initializer=tf.zeros_initializer()),
    "dtype by name": lambda tf: tf.get_variable("v", [2], "int32", initializer=tf.zeros_initializer()),
    "int default initializer": lambda tf: tf.get_variable("v", [2], tf.int32),
    "bool default initializer": lambda tf: tf.get_variable("v", [2], tf.bool),
    "string default initializer": lambda tf: tf.get_variable("v", [2], tf.string),
    "float16 default initializer": lambda tf: tf.get_variable("v", [2, 2], tf.float16),
    "complex default initializer": lambda tf: tf.get_variable("v", [2, 2], tf.complex64),
    "constant initializer": lambda tf: tf.get_variable("v", [2, 2], initializer=tf.constant_initializer(0.4)),
    "initializer class": lambda tf: tf.get_variable("v", [2], initializer=tf.zeros_initializer),
    "initializer tensor": lambda tf: tf.get_variable("v", initializer=tf.constant([1.0, 2.0])),
    "initializer value": lambda tf: tf.get_variable("v", initializer=[1.0, 2.0]),
    "initializer number": lambda tf: tf.get_variable("v", initializer=3),
    "initializer array": lambda tf: tf.get_variable("v", initializer=np.array([1.0, 2.0])),
    "initializer value and shape": lambda tf: tf.get_variable("v", [2], initializer=tf.constant([1.0, 2.0])),
    "initializer value and dtype": lambda tf: tf.get_variable("v", dtype=tf.float64, initializer=[1.0, 2.0]),
    "initializer tensor and dtype clash": lambda tf: tf.get_variable("v", dtype=tf.int32,
    initializer=tf.constant([1.0])),
    "initializer unknown shape": lambda tf: tf.get_variable("v",
    initializer=tf.placeholder_with_default([1.0], [None])),
    "initializer unknown shape allowed": lambda tf: tf.get_variable("v",
    initializer=tf.placeholder_with_default([1.0], [None]), validate_shape=False),
    "initializer function": lambda tf: tf.get_variable("v", [2], initializer=lambda shape, dtype,
    partition_info: tf.ones(shape, dtype)),
    "initializer function of shape": lambda tf: tf.get_variable("v", [2], initializer=lambda shape,
    dtype=None: tf.ones(shape, dtype)),
    "initializer function without arguments": lambda tf: tf.get_variable("v", [2], initializer=lambda: tf.ones([2])),
    "initializer keyword function": lambda tf: tf.get_variable("v", [2], initializer=lambda *args,
    **kwargs: tf.fill(args[0], float(len(args) + len(kwargs)))),
    "initializer of another shape": lambda tf: tf.get_variable("v", [2], initializer=lambda shape, dtype=None,
    partition_info=None: tf.ones([3])),
    "initializer string": lambda tf: tf.get_variable("v", [2], initializer="zeros"),
    "not trainable": lambda tf: tf.get_variable("v", [2], initializer=tf.zeros_initializer(), trainable=False),
    "collections": lambda tf: tf.get_variable("v", [2], initializer=tf.zeros_initializer(), collections=["mine"]),
    "regularizer": lambda tf: tf.get_variable("v", [2], initializer=tf.ones_initializer(),
    regularizer=lambda v: tf.reduce_sum(v) * 0.5),
    "regularizer none": lambda tf: tf.get_variable("v", [2], initializer=tf.ones_initializer(),
    regularizer=lambda v: None),
    "caching_device": lambda tf: tf.get_variable("v", [2], initializer=tf.zeros_initializer(), caching_device="/cpu:0"),
    "validate_shape": lambda tf: tf.get_variable("v", [2], initializer=tf.zeros_initializer(), validate_shape=False),
    "use_resource": lambda tf: tf.get_variable("v", [2], initializer=tf.zeros_initializer(), use_resource=True),
    "use_resource value": lambda tf: tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True),
    "constraint": lambda tf: tf.get_variable("v", [2], initializer=tf.zeros_initializer(), constraint=tf.nn.relu),
    "name with slash": lambda tf: tf.get_variable("a/b", [2], initializer=tf.zeros_initializer()),
    "bad name": lambda tf: tf.get_variable("a b", [2], initializer=tf.zeros_initializer()),
    "name with dot": lambda tf: tf.get_variable("a.b-c_1", [2], initializer=tf.zeros_initializer()),
    "positional": lambda tf: tf.get_variable("v", [2], tf.float32, tf.zeros_initializer(), None, False, ["mine"],
    "/cpu:0", None, True, False, None),
    "unknown keyword": lambda tf: tf.get_variable("v", [2], nonsense=1),
    "no name": lambda tf: tf.get_variable(),
    "synchronization": lambda tf: tf.get_variable("v", [2], initializer=tf.zeros_initializer(),
    synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN),
    "local": lambda tf: tf.get_local_variable("v", [2], initializer=tf.zeros_initializer()),
    "local with collections": lambda tf: tf.get_local_variable("v", [2], initializer=tf.zeros_initializer(),
    collections=["mine"]),
}  # fmt: skip


@program(cases=FORMS)
def call(tf, case):
    tf.set_random_seed(1)
    v = attempt(case, tf)
    if not hasattr(v, "initializer"):
        return v
    g = tf.get_default_graph()
    lists = {
        str(k): [getattr(x, "name", None) for x in g.get_collection(k)] for k in sorted(g.get_all_collection_keys())
    }
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer(), v.initializer])
        return v, v.trainable, lists, sess.run(v)


@program()
def the_same_name_again(tf):
    tf.get_variable("a1", [1], initializer=tf.zeros_initializer())
    return attempt(tf.get_variable, "a1", [1])


@program(messages=["a1", "already exists", "disallowed", "reuse=True", "reuse=tf.AUTO_REUSE"])
def the_words_of_already_exists(tf):
    tf.get_variable("a1", 0)
    tf.get_variable("a1", 0)


@program(messages=["zz/nope", "does not exist", "tf.get_variable()"])
def the_words_of_does_not_exist(tf):
    with tf.variable_scope("zz", reuse=True):
        tf.get_variable("nope", [1])


@program(messages=["Trying to share variable foo/v", "shape (2,)", "shape (1,)"])
def the_words_of_another_shape(tf):
    with tf.variable_scope("foo"):
        tf.get_variable("v", [1])
    with tf.variable_scope("foo", reuse=True):
        tf.get_variable("v", [2])


@program(messages=["Trying to share variable foo/v", "int32", "float32"])
def the_words_of_another_dtype(tf):
    with tf.variable_scope("foo"):
        tf.get_variable("v", [1])
    with tf.variable_scope("foo", reuse=True):
        tf.get_variable("v", [1], tf.int32)


def scope(tf, reuse=None):
    return tf.variable_scope("foo", reuse=reuse)


REUSES = {
    "same": lambda tf: tf.get_variable("v", [2]),
    "no shape": lambda tf: tf.get_variable("v"),
    "compatible shape": lambda tf: tf.get_variable("v", [None]),
    "unknown shape": lambda tf: tf.get_variable("v", tf.TensorShape(None)),
    "other shape": lambda tf: tf.get_variable("v", [3]),
    "other rank": lambda tf: tf.get_variable("v", [2, 1]),
    "other dtype": lambda tf: tf.get_variable("v", [2], tf.float64),
    "other initializer": lambda tf: tf.get_variable("v", [2], initializer=tf.ones_initializer()),
    "initializer tensor of another shape": lambda tf: tf.get_variable("v", initializer=tf.constant([1.0, 2.0, 3.0])),
    "initializer tensor of another dtype": lambda tf: tf.get_variable("v", initializer=tf.constant([1, 2])),
    "trainable": lambda tf: tf.get_variable("v", [2], trainable=False),
    "resource": lambda tf: tf.get_variable("v", [2], use_resource=True),
    "collections": lambda tf: tf.get_variable("v", [2], collections=["late"]),
    "regularizer": lambda tf: tf.get_variable("v", [2], regularizer=lambda v: tf.reduce_sum(v)),
    "missing": lambda tf: tf.get_variable("w", [2]),
    "made by tf.Variable": lambda tf: tf.get_variable("plain", []),
}  # fmt: skip


@program(cases=REUSES)
def when_reusing(tf, case):
    with scope(tf):
        v = tf.get_variable("v", [2], initializer=tf.zeros_initializer())
        tf.Variable(1.0, name="plain")
    with scope(tf, True):
        w = attempt(case, tf)
    return (
        w,
        w is v,
        [x.name for x in tf.get_collection("late")],
        [x.name for x in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)],
        v.trainable,
    )


@program(
    cases={k: REUSES[k] for k in ("same", "no shape", "other shape", "other dtype", "missing", "made by tf.Variable")}
)
def with_auto_reuse(tf, case):
    with scope(tf):
        v = tf.get_variable("v", [2], initializer=tf.zeros_initializer())
        tf.Variable(1.0, name="plain")
    with tf.variable_scope("foo", reuse=tf.AUTO_REUSE, initializer=tf.zeros_initializer()):
        w = attempt(case, tf)
        again = attempt(case, tf)
    return w, w is v, again is w


@program()
def a_variable_of_tf_variable_blocks_only_the_name_of_the_op(tf):
    a = tf.Variable(1.0, name="a")
    b = tf.get_variable("a", [], initializer=tf.zeros_initializer())
    return a.name, b.name, attempt(tf.get_variable, "a", [])


@program()
def an_op_of_that_name_is_there_already(tf):
    tf.constant(1, name="v")
    v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
    return v.name, v.op.name


@program()
def a_failed_get_variable_leaves_the_name_free_or_not(tf):
    caught = [
        attempt(tf.get_variable, "v", [2], initializer=lambda shape, dtype=None, partition_info=None: 1 / 0),
        attempt(tf.get_variable, "w", [None]),
    ]
    v = tf.get_variable("v", [2], initializer=tf.zeros_initializer())
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    return caught, v.name, w.name, v.op.name


@program()
def variables_belong_to_their_graph(tf):
    tf.get_variable("v", [1], initializer=tf.zeros_initializer())
    with tf.Graph().as_default():
        v = tf.get_variable("v", [1], initializer=tf.zeros_initializer())
        return v.name


@program()
def scope1_of_the_seed(tf):
    with tf.variable_scope("scope1"):
        w1 = tf.get_variable("w1", shape=[])
        w2 = tf.Variable(0.0, name="w2")
    with tf.variable_scope("scope1", reuse=True):
        w1_p = tf.get_variable("w1", shape=[])
        w2_p = tf.Variable(1.0, name="w2")
    return w1 is w1_p, w2 is w2_p, w2_p.name


# ---- custom getters


@program()
def a_custom_getter_receives_everything_by_name(tf):
    seen = []

    def mine(getter, **kwargs):
        reuse = "auto" if kwargs["reuse"] is tf.AUTO_REUSE else kwargs["reuse"]
        seen.append((sorted(kwargs), kwargs["name"], kwargs["shape"], kwargs["dtype"], reuse, kwargs["trainable"]))
        return getter(**kwargs)

    with tf.variable_scope("s", custom_getter=mine):
        v = tf.get_variable("v", [2], initializer=tf.zeros_initializer())
        with tf.variable_scope("inner", reuse=tf.AUTO_REUSE):
            w = tf.get_variable("w", [2], initializer=tf.zeros_initializer(), trainable=False)
    return v.name, w.name, seen


@program()
def getters_nest_from_outside_in(tf):
    order = []

    def make(label):
        def getter(getter, name, *args, **kwargs):
            order.append((label, "before", name))
            v = getter(name, *args, **kwargs)
            order.append((label, "after", name))
            return v

        return getter

    with tf.variable_scope("a", custom_getter=make("outer")):
        with tf.variable_scope("b", custom_getter=make("inner")):
            v = tf.get_variable("v", [], initializer=tf.zeros_initializer(), custom_getter=make("call"))
    return v.name, order


@program()
def a_getter_can_change_what_is_returned(tf):
    def doubled(getter, name, *args, **kwargs):
        return tf.identity(getter(name + "_raw", *args, **kwargs), name=name.split("/")[-1] + "_doubled")

    with tf.variable_scope("s", custom_getter=doubled):
        v = tf.get_variable("v", [2], initializer=tf.zeros_initializer())
    return v, [x.name for x in tf.global_variables()]


@program()
def a_getter_that_makes_two_variables(tf):
    def summed(getter, name, *args, **kwargs):
        return getter(name + "/0", *args, **kwargs) + getter(name + "/1", *args, **kwargs)

    return tf.get_variable("v", [2], initializer=tf.ones_initializer(), custom_getter=summed), [
        x.name for x in tf.global_variables()
    ]


@program()
def a_getter_that_is_no_function(tf):
    def enter():
        with tf.variable_scope("s", custom_getter=3):
            return tf.get_variable("v", [])

    return attempt(enter), attempt(tf.get_variable, "v", [], custom_getter=3)


@program()
def getter_kwargs_can_be_replaced(tf):
    def frozen(getter, name, *args, **kwargs):
        kwargs["trainable"] = False
        kwargs["initializer"] = tf.ones_initializer()
        return getter(name, *args, **kwargs)

    with tf.variable_scope("s", custom_getter=frozen):
        v = tf.get_variable("v", [2])
    return v.trainable, tf.trainable_variables(), v
