"""Programs as people write them, from variables to a session: what a first value has to fit, what may be fetched."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program


@program()
def a_first_value_has_to_fit_the_declared_shape(tf):
    fed = tf.placeholder(tf.float32, name="fed")
    scalar, vector = tf.Variable(0.0, name="scalar"), tf.get_variable("vector", [2])
    unknown = tf.Variable(fed, validate_shape=False, name="unknown")
    with tf.Session() as sess:
        return (
            attempt(sess.run, scalar.assign(fed), {fed: [1.0, 2.0, 3.0]}),
            attempt(sess.run, scalar + 0.0),
            attempt(sess.run, vector.assign(fed), {fed: [1.0, 2.0, 3.0]}),
            sess.run([tf.is_variable_initialized(scalar), tf.is_variable_initialized(vector)]),
            attempt(sess.run, unknown.assign(fed), {fed: [1.0, 2.0]}),
            sess.run(unknown.assign(fed), {fed: 4.0}),
            sess.run(tf.assign(scalar, fed, validate_shape=False), {fed: [1.0, 2.0, 3.0]}),
            attempt(sess.run, scalar.initializer),
            sess.run(scalar),
        )


@program()
def control_inputs_as_given_in_a_node_and_by_name_in_a_graph(tf):
    z, a = tf.no_op(name="z"), tf.no_op(name="a")
    with tf.control_dependencies([z, a]):
        together = tf.constant(1.0, name="together")
    with tf.control_dependencies([z]), tf.control_dependencies([a]):
        nested = tf.add(together, 1.0, name="nested")
    message = tf.get_default_graph().as_graph_def()
    return (
        list(together.op.node_def.input),
        list(nested.op.node_def.input),
        {node.name: list(node.input) for node in message.node},
    )


@program()
def a_ban_on_fetching_holds_after_a_run_too(tf):
    c = tf.constant([1.0, 2.0], name="c")
    with tf.Session() as sess:
        before = sess.run(c)
        tf.get_default_graph().prevent_fetching(c.op)
        return before, attempt(sess.run, c), attempt(sess.run, [c]), sess.run(c + 1.0)


@program()
def a_refused_cond_uses_up_its_name(tf):
    refused = attempt(tf.cond, True, lambda: 1, lambda: 2)
    return refused, tf.cond(tf.constant(True), lambda: 1, lambda: 2).name, attempt(tf.name_scope)


@program()
def nested_keys_and_values_are_flattened(tf):
    a, b = tf.placeholder(tf.float32, name="a"), tf.placeholder(tf.float32, name="b")
    both = tf.add(a, b, name="both")
    with tf.Session() as sess:
        return (
            sess.run(both, {(a, b): (1.0, 2.0)}),
            sess.run(both, {(a, (b,)): [1.0, [2.0]]}),
            sess.run(both, {(a, (b,)): (1.0, 2.0)}),
            sess.run([a, b], {(a, b): ([1.0, 2.0],)}),
            sess.run([a, b], {(a, b): (np.float32([1.0, 2.0]), 3.0)}),
            attempt(sess.run, both, {(a, b): (1.0, [2.0, 2.0])}),
            attempt(sess.run, both, {(a, b): 1.0}),
            attempt(sess.run, both, {(a, b): (1.0,)}),
            attempt(sess.run, both, {(a, "b:0"): (1.0, 2.0)}),
        )
