"""Random ops: their nodes, seeds and values. Values are compared to the last bit."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

UNIFORM = {
    "plain": dict(shape=[2, 3]),
    "to one": dict(shape=[2, 3], maxval=1),
    "to two": dict(shape=[2, 3], maxval=2),
    "to a float": dict(shape=[2, 3], minval=0, maxval=2.5, name="u"),
    "between": dict(shape=[2, 3], minval=-1, maxval=3, name="u"),
    "floats that are the default": dict(shape=[2, 3], minval=0.0, maxval=1.0),
    "True": dict(shape=[2], minval=False, maxval=True),
    "name with a slash": dict(shape=[2, 3], minval=-1, maxval=1, name="a/b/"),
    "bounds that broadcast": dict(
        shape=[2, 3], minval=[0.0, 10.0, 20.0], maxval=[[1.0, 11.0, 21.0], [2.0, 12.0, 22.0]]
    ),
    "int32": dict(shape=[2, 3], maxval=10, dtype="int32"),
    "int32 negative": dict(shape=[7], minval=-5, maxval=-2, dtype="int32", name="i"),
    "int32 widest": dict(shape=[7], minval=-(2**31), maxval=2**31 - 1, dtype="int32"),
    "int64": dict(shape=[7], maxval=1, dtype="int64"),
    "int64 wide": dict(shape=[7], minval=-(2**62), maxval=2**62, dtype="int64"),
    "float64": dict(shape=[7], dtype="float64"),
    "float16": dict(shape=[7], minval=1, maxval=2, dtype="float16"),
    "scalar": dict(shape=[]),
    "scalar of a tuple": dict(shape=()),
    "empty": dict(shape=[0, 3]),
    "empty range of nothing": dict(shape=[0], minval=5, maxval=5, dtype="int32"),
    "int64 shape": dict(shape=np.array([2, 3], np.int64)),
    "array shape": dict(shape=np.array([2, 3], np.int32)),
}


def _run(tf, *fetches):
    """Two runs in one session, and one in another."""
    with tf.Session() as sess:
        first, second = sess.run(fetches), sess.run(fetches)
    with tf.Session() as sess:
        again = sess.run(fetches)
    return fetches, first, second, again


@program(cases=UNIFORM, tol=0)
def uniform(tf, case):
    return _run(tf, tf.random_uniform(seed=5, **case))


@program(cases=["random_normal", "truncated_normal"], tol=0)
def normal(tf, case):
    make = getattr(tf, case)
    return _run(
        tf,
        make([2, 3], seed=1),
        make([5], 3, 0.1, seed=2, name="n"),
        make([3], mean=[1.0, 2.0, 3.0], stddev=tf.constant(0.5), seed=3),
        make([5], dtype=tf.float16, seed=4),
        make([], seed=5),
        make([0, 2], seed=6),
        make([2, 2], tf.constant([[1.0], [2.0]]), seed=7),
    )


@program(cases=["random_normal", "truncated_normal"], tol=1e-15)
def normal_of_doubles(tf, case):
    return _run(tf, getattr(tf, case)([40], 1, 2, tf.float64, 5, "n"))


@program(tol=0)
def large_draws(tf):
    """As many as TensorFlow divides among threads."""
    made = [
        tf.random_uniform([1000, 101], seed=1),
        tf.random_normal([300, 201], seed=2),
        tf.truncated_normal([50001], seed=3),
    ]
    return _run(tf, *made)


@program(tol=0)
def shapes_known_in_part(tf):
    x = tf.placeholder(tf.float32, [None, 3])
    two = tf.placeholder(tf.int32, [2])
    some = tf.placeholder(tf.int64, [None])
    made = [
        tf.random_uniform(tf.shape(x), seed=1),
        tf.random_normal([tf.shape(x)[0], 2], seed=2),
        tf.truncated_normal((4, tf.shape(x)[1]), seed=3),
        tf.random_uniform(two, seed=4),
        tf.random_uniform(some, maxval=9, dtype=tf.int32, seed=5),
        tf.random_uniform(tf.TensorShape([2, 1]), seed=6),
        tf.random_uniform([tf.Dimension(2), 1], seed=7),
        tf.random_shuffle(x, seed=8),
    ]
    feed = {x: np.arange(6.0).reshape(2, 3), two: [1, 2], some: [3]}
    with tf.Session() as sess:
        return made, sess.run(made, feed), sess.run(made, feed)


@program(tol=0)
def shuffle(tf):
    return _run(
        tf,
        tf.random_shuffle([1, 2, 3, 4, 5], seed=1),
        tf.random_shuffle(tf.reshape(tf.range(30), [10, 3]), seed=2, name="rows"),
        tf.random_shuffle(["a", "b", "c"], seed=3),
        tf.random_shuffle([[1.0, 2.0]], seed=4),
        tf.random_shuffle(7, seed=5),
        tf.random_shuffle(tf.zeros([0, 2]), seed=6),
        tf.random_shuffle([True, False, True], seed=7),
    )


@program(tol=0)
def shuffle_does_not_change_its_input(tf):
    v = tf.Variable(np.arange(6.0), name="v")
    shuffled = tf.random_shuffle(v, seed=2)
    with tf.Session() as sess:
        sess.run(v.initializer)
        return sess.run(shuffled), sess.run(v)


@program(tol=0)
def categories(tf):
    logits = [[0.0, 1.0, 2.0], [5.0, 0.0, float("-inf")]]
    return _run(
        tf,
        tf.multinomial(logits, 5, seed=1),
        tf.multinomial(np.array(logits), 4, seed=2, name="m", output_dtype=tf.int32),
        tf.multinomial(tf.log([[0.1, 0.2, 0.7]]), tf.constant(9), seed=3),
        tf.random.categorical(logits, 3, seed=4),
        tf.multinomial(np.array(logits, np.float16), 2, seed=5),
        tf.multinomial(logits, 0, seed=6),
    )


@program(tol=0)
def categories_of_unknown_shapes(tf):
    made = [
        tf.multinomial(tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32)),
        tf.multinomial(tf.placeholder(tf.float32), 3),
        tf.multinomial(tf.placeholder(tf.float32, [2, None]), tf.placeholder(tf.int32, [])),
    ]
    return made


@program(tol=0)
def poisson(tf):
    return _run(
        tf,
        tf.random_poisson([0.5, 5.0, 50.0], [4], seed=1),
        tf.random_poisson(3.0, [2, 2], dtype=tf.int32, seed=2, name="p"),
        tf.random_poisson(np.array([[1.0], [20.0]]), [], dtype=tf.float64, seed=3),
        tf.random_poisson([7], [3], dtype=tf.int64, seed=4),
        tf.random_poisson([-1.0, 0.0], [2], seed=5),
    )


@program(tol=1e-6)
def gamma(tf):
    return _run(
        tf,
        tf.random_gamma([4], [0.3, 1.0, 7.5], seed=1),
        tf.random_gamma([2, 2], 2.0, beta=[1.0, 4.0], dtype=tf.float64, seed=2, name="g"),
        tf.random_gamma([], [[3.0], [0.01]], seed=3),
        tf.random_gamma([0], [1.0, 2.0], seed=4),
    )


@program(tol=1e-6)
def gamma_of_unknown_shapes(tf):
    shape, alpha = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
    made = tf.random_gamma(shape, alpha, seed=3)
    with tf.Session() as sess:
        return made, sess.run(made, {shape: [2], alpha: [1.5, 2.5]})


@program(tol=0)
def crop(tf):
    image = tf.reshape(tf.range(75.0), [5, 5, 3])
    unknown = tf.placeholder(tf.float32)
    made = [
        tf.random_crop(image, [2, 2, 3], seed=1),
        tf.random_crop(image, [5, 5, 3], seed=2, name="all"),
        tf.random_crop(tf.range(10), [tf.constant(4)], seed=3),
        tf.random_crop(unknown, [1, 2], seed=4, name="cr"),
    ]
    feed = {unknown: np.arange(12.0).reshape(3, 4)}
    with tf.Session() as sess:
        return made, sess.run(made, feed), sess.run(made, feed), attempt(sess.run, made[3], {unknown: np.zeros([3, 1])})


# -- seeds -----------------------------------------------------------------------------------------------------------


@program(tol=0)
def a_graph_seed_numbers_the_ops(tf):
    """What takes a number, and what does not."""
    tf.set_random_seed(42)
    made = [
        tf.random_uniform([2]),
        tf.constant(1.0),
        tf.random_normal([2]),
        tf.random_uniform([2], seed=7),
        tf.random_shuffle([1, 2, 3]),
        tf.get_variable("v", [2], initializer=tf.random_normal_initializer()),
        tf.truncated_normal([2], name="t"),
        tf.get_variable("w", [2, 2]),
        tf.multinomial([[1.0, 2.0]], 3),
        tf.random.stateless_uniform([2], [1, 2]),
        tf.random_poisson([1.0], [2]),
    ]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(made), sess.run(made), tf.get_seed(None), tf.get_seed(9)


@program(tol=0)
def the_graph_seed_may_change(tf):
    made = [tf.random_uniform([2], seed=1)]
    for seed in (1, 1, 2, None, -3, 2**40):
        tf.set_random_seed(seed)
        made += [tf.random_uniform([2], name=f"u_{seed}"), tf.random_uniform([2], seed=3)]
    seeded = [tensor for tensor in made if tensor.op.get_attr("seed2") or tensor.op.get_attr("seed")]
    with tf.Session() as sess:
        return tf.get_default_graph().seed, sess.run(seeded), sess.run(seeded)


@program(tol=0)
def graphs_count_apart(tf):
    values = []
    for _ in range(2):
        with tf.Graph().as_default():
            tf.set_random_seed(3)
            made = [tf.random_uniform([2]), tf.random_uniform([2])]
            with tf.Session() as sess:
                values.append(sess.run(made))
    return values


@program(tol=0)
def an_op_that_is_not_run_does_not_move(tf):
    a, b = tf.random_uniform([2], seed=1), tf.random_uniform([2], seed=1)
    with tf.Session() as sess:
        return sess.run(a), sess.run(a), sess.run(b), sess.run([a, b]), sess.run(a + b)


@program(tol=0)
def sizes_that_change_from_run_to_run(tf):
    n = tf.placeholder(tf.int32, [1])
    made = [
        tf.random_uniform(n, seed=1),
        tf.truncated_normal(n, seed=2),
        tf.random_uniform(n, maxval=99, dtype=tf.int32, seed=3),
    ]
    values = []
    with tf.Session() as sess:
        for size in (3, 0, 5, 1):
            values.append(sess.run(made, {n: [size]}))
    return values


@program(random=True)
def without_seeds(tf):
    made = [tf.random_uniform([2, 3]), tf.random_normal([4]), tf.truncated_normal([3]), tf.random_shuffle([1, 2])]
    with tf.Session() as sess:
        return made, sess.run(made)


@program()
def without_seeds_each_session_draws_others(tf):
    made = tf.random_uniform([4])
    with tf.Session() as sess:
        first = sess.run(made)
    with tf.Session() as sess:
        second = sess.run(made)
    return bool((first != second).any())


@program(tol=0)
def seeds_of_other_types(tf):
    made = [
        tf.random_uniform([2], seed=np.int64(5)),
        tf.random_uniform([2], seed=2.7),
        tf.random_uniform([2], seed=True),
        tf.random_uniform([2], seed=-4),
    ]
    with tf.Session() as sess:
        return sess.run(made)


# -- errors ----------------------------------------------------------------------------------------------------------

BUILDING = {
    "uint8": lambda tf: tf.random_uniform([2], dtype=tf.uint8),
    "int without a bound": lambda tf: tf.random_uniform([2], dtype=tf.int32),
    "normal ints": lambda tf: tf.random_normal([2], dtype=tf.int32),
    "normal strings": lambda tf: tf.truncated_normal([2], dtype=tf.string),
    "float shape": lambda tf: tf.random_uniform([2.0]),
    "None in the shape": lambda tf: tf.random_uniform([2, None]),
    "negative size": lambda tf: tf.random_uniform([-2]),
    "matrix as a shape": lambda tf: tf.random_uniform([[2]]),
    "number as a shape": lambda tf: tf.random_uniform(3),
    "vector of bounds": lambda tf: tf.random_uniform([2], [1, 2], 5, dtype=tf.int32),
    "float bound of ints": lambda tf: tf.random_uniform([2], 1.5, 5, dtype=tf.int32),
    "word as a seed": lambda tf: tf.random_uniform([2], seed="a"),
    "array as a seed": lambda tf: tf.random_uniform([2], seed=np.array([1])),
    "tensor as a seed": lambda tf: tf.random_uniform([2], seed=tf.constant(1)),
    "vector of logits": lambda tf: tf.multinomial(tf.placeholder(tf.float32, [3]), 3),
    "negative samples": lambda tf: tf.multinomial([[1.0, 2.0]], -1),
    "half a sample": lambda tf: tf.multinomial([[1.0, 2.0]], 2.5),
    "float categories": lambda tf: tf.multinomial([[1.0, 2.0]], 2, output_dtype=tf.float32),
    "number as a gamma shape": lambda tf: tf.random_gamma(2, [1.0]),
    "poisson bytes": lambda tf: tf.random_poisson([1.0], [2], dtype=tf.int8),
    "one bound of stateless ints": lambda tf: tf.random.stateless_uniform([2], [1, 2], maxval=None, dtype=tf.int32),
    "bounds of stateless unsigned": lambda tf: tf.random.stateless_uniform([2], [1, 2], maxval=5, dtype=tf.uint32),
    "three seeds": lambda tf: tf.random.stateless_uniform([2], [1, 2, 3]),
    "float seeds": lambda tf: tf.random.stateless_uniform([2], [1.0, 2.0]),
}  # fmt: skip


@program(cases=BUILDING, graph=False)
def wrong_when_built(tf, case):
    return attempt(case, tf)


@program(tol=0)
def wrong_when_run(tf):
    shape = tf.placeholder(tf.int32)
    low, high = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    count, logits, seed = tf.placeholder(tf.int32), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
    uniform = tf.random_uniform(shape, seed=1)
    ints = tf.random_uniform([2], low, high, dtype=tf.int32, seed=2)
    drawn = tf.multinomial(logits, count, seed=3)
    stateless = tf.random.stateless_uniform([2], seed)
    with tf.Session() as sess:
        return [
            attempt(sess.run, fetch, feed)
            for fetch, feed in [
                (uniform, {shape: [-2]}),
                (uniform, {shape: [[2]]}),
                (uniform, {shape: 2}),
                (ints, {low: 5, high: 5}),
                (ints, {low: 6, high: 5}),
                (ints, {low: [1, 2], high: 5}),
                (ints, {low: 1, high: [5]}),
                (drawn, {logits: [[1.0]], count: -1}),
                (drawn, {logits: [[1.0]], count: [1]}),
                (drawn, {logits: [1.0], count: 1}),
                (drawn, {logits: np.zeros([2, 0]), count: 1}),
                (stateless, {seed: [1, 2, 3]}),
                (stateless, {seed: 1}),
                (uniform, {shape: [2]}),  # what went wrong before has not moved the streams
                (ints, {low: 0, high: 9}),
                (drawn, {logits: [[1.0, 2.0]], count: 4}),
            ]
        ]


# -- from a seed tensor ----------------------------------------------------------------------------------------------


@program(tol=0)
def stateless(tf):
    random = tf.random
    return _run(
        tf,
        random.stateless_uniform([2, 3], [1, 2]),
        random.stateless_uniform([5], [1, 2], minval=1, maxval=2.5, name="x"),
        random.stateless_uniform([5], [1, 2], maxval=5, dtype=tf.int32),
        random.stateless_uniform([5], [1, 2], minval=None, maxval=None, dtype=tf.int32),
        random.stateless_uniform([5], [1, 2], minval=None, maxval=None, dtype=tf.uint64),
        random.stateless_uniform([5], [-1, 2**40], -3, 10**12, dtype=tf.int64),
        random.stateless_normal([5], [3, 4], 1.0, 2.0, name="n"),
        random.stateless_truncated_normal([5], tf.constant([5, 6], tf.int64), dtype=tf.float16),
        random.stateless_multinomial([[1.0, 2.0, 3.0]] * 2, 6, [7, 8]),
        random.stateless_categorical([[1.0, 2.0, 3.0]], 6, [7, 8], dtype=tf.int32),
        random.stateless_poisson([3, 2], [9, 10], [2.0, 20.0]),
        random.stateless_normal([0], [3, 4]),
    )


@program(tol=1e-6)
def stateless_gamma(tf):
    return _run(
        tf, tf.random.stateless_gamma([3, 2], [1, 2], [0.5, 3.0]), tf.random.stateless_gamma([2], [1, 2], 2.0, 4.0)
    )


@program(tol=0)
def stateless_with_seeds_that_are_fed(tf):
    seed = tf.placeholder(tf.int32, [2])
    made = tf.random.stateless_uniform([3], seed)
    with tf.Session() as sess:
        return made, [sess.run(made, {seed: pair}) for pair in ([0, 0], [1, 2], [-1, 5], [1, 2])]


@program()
def names_in_tf_random(tf):
    names = [
        "categorical",
        "gamma",
        "get_seed",
        "multinomial",
        "normal",
        "poisson",
        "set_random_seed",
        "shuffle",
        "stateless_categorical",
        "stateless_gamma",
        "stateless_multinomial",
        "stateless_normal",
        "stateless_poisson",
        "stateless_truncated_normal",
        "stateless_uniform",
        "truncated_normal",
        "uniform",
    ]
    return [callable(getattr(tf.random, name, None)) for name in names]


@program(tol=0)
def tf_random(tf):
    random = tf.random
    random.set_random_seed(1)
    return _run(tf, random.uniform([2]), random.normal([2]), random.shuffle([1, 2, 3]), random.poisson([2.0], [3]))
