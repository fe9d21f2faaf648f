"""Initializers: the graph each one makes, its arguments, and how its numbers are spread."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

MAKERS = {
    "zeros": lambda tf: tf.zeros_initializer(),
    "ones": lambda tf: tf.ones_initializer(),
    "ones int": lambda tf: tf.ones_initializer(dtype=tf.int32),
    "constant": lambda tf: tf.constant_initializer(0.4),
    "constant default": lambda tf: tf.constant_initializer(),
    "constant list": lambda tf: tf.constant_initializer([1.0, 2.0, 3.0, 4.0]),
    "constant array": lambda tf: tf.constant_initializer(np.arange(4.0)),
    "constant matrix": lambda tf: tf.constant_initializer([[1.0, 2.0], [3.0, 4.0]]),
    "constant too short": lambda tf: tf.constant_initializer([1.0, 2.0]),
    "constant too long": lambda tf: tf.constant_initializer([1.0] * 5),
    "constant verify": lambda tf: tf.constant_initializer([1.0, 2.0], verify_shape=True),
    "constant int": lambda tf: tf.constant_initializer(3, dtype=tf.int32),
    "constant bad": lambda tf: tf.constant_initializer("x"),
    "constant tensor": lambda tf: tf.constant_initializer(tf.constant(1.0)),
    "random_uniform": lambda tf: tf.random_uniform_initializer(-1.0, 2.0, seed=5),
    "random_uniform default": lambda tf: tf.random_uniform_initializer(seed=5),
    "random_uniform one": lambda tf: tf.random_uniform_initializer(0.5, seed=5),
    "random_uniform int": lambda tf: tf.random_uniform_initializer(0, 10, seed=5, dtype=tf.int32),
    "random_normal": lambda tf: tf.random_normal_initializer(1.0, 0.5, seed=5),
    "random_normal default": lambda tf: tf.random_normal_initializer(seed=5),
    "truncated_normal": lambda tf: tf.truncated_normal_initializer(0.0, 0.1, seed=5),
    "truncated_normal default": lambda tf: tf.truncated_normal_initializer(seed=5),
    "uniform_unit_scaling": lambda tf: tf.uniform_unit_scaling_initializer(seed=5),
    "uniform_unit_scaling factor": lambda tf: tf.uniform_unit_scaling_initializer(1.43, seed=5),
    "variance_scaling": lambda tf: tf.variance_scaling_initializer(seed=5),
    "variance_scaling fan_out": lambda tf: tf.variance_scaling_initializer(2.0, "fan_out", "normal", seed=5),
    "variance_scaling fan_avg": lambda tf: tf.variance_scaling_initializer(2.0, "fan_avg", "uniform", seed=5),
    "variance_scaling untruncated": lambda tf: tf.variance_scaling_initializer(1.0, "fan_in", "untruncated_normal",
    seed=5),
    "variance_scaling truncated": lambda tf: tf.variance_scaling_initializer(1.0, "fan_in", "truncated_normal", seed=5),
    "variance_scaling bad scale": lambda tf: tf.variance_scaling_initializer(0.0),
    "variance_scaling bad mode": lambda tf: tf.variance_scaling_initializer(mode="fan"),
    "variance_scaling bad distribution": lambda tf: tf.variance_scaling_initializer(distribution="odd"),
    "glorot_uniform": lambda tf: tf.glorot_uniform_initializer(seed=5),
    "glorot_normal": lambda tf: tf.glorot_normal_initializer(seed=5),
    "he_uniform": lambda tf: tf.initializers.he_uniform(seed=5),
    "he_normal": lambda tf: tf.initializers.he_normal(seed=5),
    "lecun_uniform": lambda tf: tf.initializers.lecun_uniform(seed=5),
    "lecun_normal": lambda tf: tf.initializers.lecun_normal(seed=5),
    "orthogonal": lambda tf: tf.orthogonal_initializer(seed=5),
    "orthogonal gain": lambda tf: tf.orthogonal_initializer(2.0, seed=5),
    "identity": lambda tf: tf.initializers.identity(),
    "identity gain": lambda tf: tf.initializers.identity(3.0),
    "float64": lambda tf: tf.random_normal_initializer(seed=5, dtype=tf.float64),
    "int glorot": lambda tf: tf.glorot_uniform_initializer(seed=5, dtype=tf.int32),
    "bad dtype": lambda tf: tf.random_normal_initializer(dtype="nonsense"),
}  # fmt: skip


@program(cases=MAKERS, tol=1e-5)
def through_get_variable(tf, case):
    init = attempt(case, tf)
    v = init if hasattr(init, "error") else attempt(tf.get_variable, "v", [2, 2], initializer=init)
    if not hasattr(v, "initializer"):
        return v
    with tf.Session() as sess:
        sess.run(v.initializer)
        return v, sess.run(v)


@program(
    cases={
        k: MAKERS[k]
        for k in (
            "zeros",
            "ones",
            "constant",
            "random_uniform",
            "random_normal",
            "truncated_normal",
            "variance_scaling",
            "glorot_uniform",
            "orthogonal",
            "identity",
            "uniform_unit_scaling",
        )
    }
)
def called_by_hand(tf, case):
    init = case(tf)
    made = [
        attempt(init, [2, 3]),
        attempt(init, [3, 3], dtype=tf.float64),
        attempt(init, tf.TensorShape([2, 2])),
        attempt(init, [4]),
        attempt(init, []),
        attempt(init, shape=[2, 2], dtype=tf.float32, partition_info=None),
    ]
    return made


@program(cases=["scalar", "vector", "dense", "conv", "deep conv"])
def fans(tf, case):
    shape = {"scalar": [], "vector": [7], "dense": [4, 6], "conv": [5, 5, 3, 8], "deep conv": [2, 3, 3, 4, 5]}[case]
    return [
        tf.get_variable(f"v{i}", shape, initializer=tf.variance_scaling_initializer(2.0, mode, kind, seed=1))
        for i, (mode, kind) in enumerate(
            [("fan_in", "uniform"), ("fan_out", "truncated_normal"), ("fan_avg", "uniform")]
        )
    ]


@program()
def the_default_initializer_by_shape(tf):
    return [tf.get_variable(f"v{i}", shape) for i, shape in enumerate([[], [3], [3, 4], [5, 5, 2, 4]])]


@program(
    cases=["zeros", "constant", "random_uniform", "truncated_normal", "variance_scaling", "orthogonal", "identity"]
)
def configs(tf, case):
    init = MAKERS[case](tf)
    config = init.get_config()
    again = type(init).from_config(config)
    return (
        sorted(config),
        {k: config[k] for k in sorted(config) if k != "dtype"},
        str(config.get("dtype")),
        again.get_config() == config,
    )


@program()
def initializer_names(tf):
    names = [
        "zeros", "ones", "constant", "random_uniform", "random_normal", "truncated_normal", "uniform_unit_scaling",
        "variance_scaling", "orthogonal", "identity", "glorot_uniform", "glorot_normal", "he_normal", "he_uniform",
        "lecun_normal", "lecun_uniform", "global_variables", "variables", "local_variables", "tables_initializer",
    ]  # fmt: skip
    short = [name for name in names if hasattr(tf.initializers, name)]
    long = [name for name in names if hasattr(tf, name + "_initializer")]
    return (
        short,
        long,
        tf.initializers.zeros is tf.zeros_initializer,
        tf.initializers.constant is tf.constant_initializer,
    )


@program(graph=False)
def orthogonal_is_orthogonal(tf):
    tall = tf.get_variable("tall", [6, 3], initializer=tf.orthogonal_initializer(seed=1))
    wide = tf.get_variable("wide", [3, 6], initializer=tf.orthogonal_initializer(2.0, seed=1))
    conv = tf.get_variable("conv", [2, 2, 2, 3], initializer=tf.orthogonal_initializer(seed=1))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        a, b, c = sess.run([tall, wide, conv])
    c = c.reshape(-1, 3)
    return [np.round(m.astype("float64"), 4) + 0.0 for m in (a.T.dot(a), b.dot(b.T), c.T.dot(c))]


@program(graph=False)
def spread_of_random_initializers(tf):
    """Mean and deviation to one digit, and the bounds, of many numbers."""
    makers = [
        "random_uniform",
        "random_normal",
        "truncated_normal",
        "variance_scaling",
        "glorot_uniform",
        "glorot_normal",
        "he_normal",
        "he_uniform",
        "lecun_normal",
    ]
    variables = [tf.get_variable(k, [100, 200], initializer=MAKERS[k](tf)) for k in makers]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        got = sess.run(variables)
    return [(k, round(float(v.mean()), 1) + 0.0, round(float(v.std()), 2)) for k, v in zip(makers, got)]


@program(graph=False)
def same_seed_same_numbers(tf):
    a = tf.get_variable("a", [4], initializer=tf.random_normal_initializer(seed=3))
    b = tf.get_variable("b", [4], initializer=tf.random_normal_initializer(seed=3))
    c = tf.get_variable("c", [4], initializer=tf.random_normal_initializer(seed=4))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        x, y, z = sess.run([a, b, c])
        sess.run(a.initializer)
        again = sess.run(a)
    return bool((x == y).all()), bool((x == z).any()), bool((x == again).any())


@program(tol=1e-5, graph=False)
def seeded_numbers(tf):
    tf.set_random_seed(7)
    variables = [
        tf.get_variable("a", [3], initializer=tf.random_normal_initializer()),
        tf.get_variable("b", [3], initializer=tf.truncated_normal_initializer(seed=2)),
        tf.get_variable("c", [3], initializer=tf.glorot_uniform_initializer()),
        tf.get_variable("d", [3], initializer=tf.random_uniform_initializer(-1.0, 1.0, seed=9)),
    ]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(variables)
