"""Partitioned variables: slices of one variable, made and found under one name."""

from __future__ import annotations

from tests.oracle import attempt, program


def halves(shape, dtype, axis=0):
    return [2] + [1] * (shape.ndims - 1)


PARTITIONERS = {
    "fixed": lambda tf: tf.fixed_size_partitioner(3),
    "fixed axis": lambda tf: tf.fixed_size_partitioner(2, axis=1),
    "max size": lambda tf: tf.variable_axis_size_partitioner(16),
    "max size and shards": lambda tf: tf.variable_axis_size_partitioner(8, max_shards=2),
    "min max": lambda tf: tf.min_max_variable_partitioner(max_partitions=4, min_slice_size=16),
    "min max small": lambda tf: tf.min_max_variable_partitioner(max_partitions=4),
    "own function": lambda tf: lambda shape, dtype: [2, 1],
    "one part": lambda tf: lambda shape, dtype: [1, 1],
    "two axes": lambda tf: lambda shape, dtype: [2, 2],
    "wrong length": lambda tf: lambda shape, dtype: [2],
    "not a list": lambda tf: lambda shape, dtype: 2,
    "zero parts": lambda tf: lambda shape, dtype: [0, 1],
    "too many": lambda tf: tf.fixed_size_partitioner(9),
    "not callable": lambda tf: 3,
}


@program(cases=PARTITIONERS)
def made(tf, case):
    v = attempt(tf.get_variable, "v", [5, 4], initializer=tf.zeros_initializer(), partitioner=case(tf))
    if hasattr(v, "error"):
        return v
    parts = list(v) if hasattr(v, "_get_variable_list") or hasattr(v, "as_tensor") else [v]
    infos = [
        p._get_save_slice_info() if hasattr(p, "_get_save_slice_info") else getattr(p, "_save_slice_info", None)
        for p in parts
    ]
    return (
        v,
        parts,
        [
            (i.full_name, list(i.full_shape), list(i.var_offset), list(i.var_shape), i.spec) if i else None
            for i in infos
        ],
        [x.name for x in tf.global_variables()],
    )


@program()
def as_a_tensor(tf):
    v = tf.get_variable("v", [4, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))
    whole = tf.convert_to_tensor(v)
    looked = tf.nn.embedding_lookup(v, [0, 3])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return whole, sess.run([whole, looked, v.as_tensor()]), v.get_shape(), v.dtype, len(v)


@program()
def inherited_from_the_scope(tf):
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
        v = tf.get_variable("v", [4], initializer=tf.zeros_initializer())
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        with tf.variable_scope("t"):
            x = tf.get_variable("x", [2], initializer=tf.zeros_initializer())
        with tf.variable_scope("u", partitioner=tf.fixed_size_partitioner(1)):
            y = tf.get_variable("y", [2], initializer=tf.zeros_initializer())
        z = tf.Variable([1.0, 2.0], name="z")
    return v, w, x, y, z


@program()
def reusing_needs_the_shape_but_not_the_partitioner(tf):
    with tf.variable_scope("s"):
        v = tf.get_variable("v", [4], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2))
    with tf.variable_scope("s", reuse=True):
        with_it = attempt(tf.get_variable, "v", [4], partitioner=tf.fixed_size_partitioner(2))
        without = attempt(tf.get_variable, "v", [4])
        no_shape = attempt(tf.get_variable, "v")
        other = attempt(tf.get_variable, "v", [4], partitioner=tf.fixed_size_partitioner(4))
        other_shape = attempt(tf.get_variable, "v", [6], partitioner=tf.fixed_size_partitioner(2))
    return v, with_it is v, without is v, no_shape, other, other_shape


@program()
def the_same_name_again(tf):
    tf.get_variable("v", [4], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2))
    return attempt(tf.get_variable, "v", [4], partitioner=tf.fixed_size_partitioner(2)), attempt(
        tf.get_variable, "v", [4]
    )


@program()
def a_whole_variable_asked_for_in_parts(tf):
    tf.get_variable("v", [4], initializer=tf.zeros_initializer())
    tf.get_variable_scope().reuse_variables()
    return attempt(tf.get_variable, "v", [4], partitioner=tf.fixed_size_partitioner(2))


@program()
def initial_values_are_cut(tf):
    v = tf.get_variable(
        "v", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), partitioner=tf.fixed_size_partitioner(2)
    )
    w = tf.get_variable(
        "w",
        [4],
        initializer=lambda shape, dtype=None, partition_info=None: tf.fill(shape, float(partition_info.var_offset[0])),
        partitioner=tf.fixed_size_partitioner(2),
    )
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(list(v)), sess.run(list(w)), sess.run(v.as_tensor())


@program()
def regularizers_see_the_parts(tf):
    tf.get_variable(
        "v",
        [4],
        initializer=tf.zeros_initializer(),
        partitioner=tf.fixed_size_partitioner(2),
        regularizer=lambda v: tf.reduce_sum(v),
    )
    return tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)


@program()
def assigning_part_by_part(tf):
    v = tf.get_variable("v", [4], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2))
    put = v.assign(tf.constant([1.0, 2.0, 3.0, 4.0]))
    add = v.assign_add([tf.ones([2]), tf.ones([2])])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(put)
        sess.run(add)
        return put, sess.run(v.as_tensor())


@program()
def resource_parts(tf):
    v = tf.get_variable(
        "v", [4], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2), use_resource=True
    )
    return v


@program()
def create_partitioned_variables(tf):
    return tf.create_partitioned_variables([4, 2], [2, 1], tf.zeros_initializer(), name="p")
