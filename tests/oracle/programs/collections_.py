"""Collections: named lists in a graph, filtered by scope."""

from __future__ import annotations

from tests.oracle import attempt, program


@program()
def add_get_and_names(tf):
    g = tf.get_default_graph()
    tf.add_to_collection("a", 1)
    tf.add_to_collection("a", 1)
    g.add_to_collection("b", "two")
    tf.add_to_collections(["a", "c"], 3)
    g.add_to_collections("d", 4)
    g.add_to_collections(("e", "e"), 5)
    return {
        "lists": {name: tf.get_collection(name) for name in "abcdef"},
        "keys": sorted(g.get_all_collection_keys()),
        "names": sorted(str(c) for c in g.collections),
    }


@program()
def a_collection_is_copied_but_its_ref_is_not(tf):
    tf.add_to_collection("a", 1)
    tf.get_collection("a").append(2)
    first = tf.get_collection("a")
    tf.get_collection_ref("a").append(3)
    tf.get_collection_ref("fresh").append(4)
    return (
        first,
        tf.get_collection("a"),
        tf.get_collection("fresh"),
        tf.get_collection("nothing"),
        sorted(tf.get_default_graph().get_all_collection_keys()),
    )


@program()
def clear_collection(tf):
    g = tf.get_default_graph()
    tf.add_to_collection("a", 1)
    ref = tf.get_collection_ref("a")
    g.clear_collection("a")
    return ref, tf.get_collection("a"), sorted(g.get_all_collection_keys()), g.clear_collection("nothing")


@program(cases=["a", "a/", "b", "", ".*b", "x", "c|a", "(", None])
def scope_is_a_regular_expression_from_the_start(tf, case):
    with tf.name_scope("a"):
        tf.add_to_collection("k", tf.constant(1, name="x"))
        with tf.name_scope("b"):
            tf.add_to_collection("k", tf.constant(1, name="x"))
    with tf.name_scope("ab"):
        tf.add_to_collection("k", tf.no_op(name="x"))
    tf.add_to_collection("k", tf.constant(1, name="x"))
    tf.add_to_collection("k", 5)
    return attempt(tf.get_collection, "k", case)


@program(cases=["d", "d/", "e", "d/v", "encoder", None], graph=False)
def trainable_variables_by_scope(tf, case):
    for scope in ("d", "decoder", "encoder"):
        with tf.variable_scope(scope):
            tf.get_variable("v", [1])
            tf.get_variable("w", [1], trainable=False)
    return [v.name for v in tf.trainable_variables(case)], [v.name for v in tf.global_variables(case)]


@program()
def which_collections_a_variable_joins(tf):
    tf.Variable(1.0, name="a")
    tf.Variable(1.0, name="b", trainable=False)
    tf.Variable(1.0, name="c", collections=["mine"])
    tf.Variable(1.0, name="d", collections=["mine"], trainable=False)
    tf.Variable(1.0, name="e", collections=[])
    tf.get_variable("f", [1], collections=["mine", tf.GraphKeys.LOCAL_VARIABLES])
    tf.get_variable("g", [1], trainable=False)
    tf.get_variable("h", [1], regularizer=lambda t: tf.reduce_sum(t, name="penalty"))
    g = tf.get_default_graph()
    return {str(key): [v.name for v in g.get_collection(key)] for key in sorted(g.get_all_collection_keys())}


@program()
def graph_keys(tf):
    names = (
        "GLOBAL_VARIABLES LOCAL_VARIABLES METRIC_VARIABLES MODEL_VARIABLES TRAINABLE_VARIABLES SUMMARIES "
        "QUEUE_RUNNERS TABLE_INITIALIZERS ASSET_FILEPATHS MOVING_AVERAGE_VARIABLES REGULARIZATION_LOSSES "
        "CONCATENATED_VARIABLES SAVERS WEIGHTS BIASES ACTIVATIONS UPDATE_OPS LOSSES SAVEABLE_OBJECTS "
        "RESOURCES LOCAL_RESOURCES INIT_OP LOCAL_INIT_OP READY_OP READY_FOR_LOCAL_INIT_OP SUMMARY_OP "
        "GLOBAL_STEP EVAL_STEP TRAIN_OP COND_CONTEXT WHILE_CONTEXT "
    )
    return {name: getattr(tf.GraphKeys, name) for name in names.split()}


@program()
def lists_of_variables(tf):
    tf.Variable(1.0, name="a")
    tf.Variable(1.0, name="b", trainable=False)
    tf.Variable(1.0, name="c", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.Variable(1.0, name="m", collections=[tf.GraphKeys.MODEL_VARIABLES, tf.GraphKeys.GLOBAL_VARIABLES])
    tf.add_to_collection(tf.GraphKeys.MOVING_AVERAGE_VARIABLES, tf.trainable_variables()[0])
    functions = (
        "global_variables all_variables trainable_variables local_variables model_variables moving_average_variables"
    )
    return {name: [v.name for v in getattr(tf, name)()] for name in functions.split()}


@program()
def initializers_of_lists(tf):
    a = tf.Variable(1.0, name="a")
    tf.Variable(2.0, name="b", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    return (
        tf.global_variables_initializer(),
        tf.local_variables_initializer(),
        tf.initialize_all_variables(),
        tf.initialize_local_variables(),
        tf.variables_initializer([a], name="some"),
        tf.initialize_variables([a]),
        tf.variables_initializer([]),
        tf.tables_initializer(),
    )


@program()
def collections_live_in_their_graph(tf):
    tf.add_to_collection("a", 1)
    with tf.Graph().as_default():
        inside = tf.get_collection("a")
        tf.add_to_collection("a", 2)
    return inside, tf.get_collection("a")


@program()
def any_value_and_any_key(tf):
    tf.add_to_collection(("t", 1), [1, 2])
    tf.add_to_collection(3, None)
    return tf.get_collection(("t", 1)), tf.get_collection(3), attempt(tf.add_to_collection, ["list"], 1)
