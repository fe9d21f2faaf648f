"""Candidate samplers, bit for bit, and the losses that use them."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

TRUE = np.array([[0, 1], [5, 3], [9, 9]], dtype=np.int64)

RANGE = ["uniform_candidate_sampler", "log_uniform_candidate_sampler", "learned_unigram_candidate_sampler"]


@program(cases=RANGE, tol=1e-5)
def samplers(tf, case):
    f = getattr(tf.nn, case)
    ys = [
        f(TRUE, 2, 4, True, 10, seed=1),
        f(TRUE, 2, 6, False, 10, seed=2, name="mine"),
        f(true_classes=TRUE[:, :1], num_true=1, num_sampled=3, unique=True, range_max=1000, seed=3),
        f(TRUE, 2, 10, True, 10, 4),
        f(TRUE, 2, 8, True, 16, seed=5),
    ]
    with tf.Session() as sess:
        return ys, [sess.run(list(y)) for y in ys], [sess.run(list(y)) for y in ys]


@program(tol=1e-5)
def samplers_with_a_graph_seed(tf):
    tf.set_random_seed(7)
    ys = [getattr(tf.nn, name)(TRUE, 2, 5, True, 50).sampled_candidates for name in RANGE]
    with tf.Session() as sess:
        first = sess.run(ys), sess.run(ys)
    with tf.Session() as sess:
        return first, sess.run(ys)


@program(cases=RANGE, random=True)
def samplers_without_seeds(tf, case):
    y = getattr(tf.nn, case)(TRUE, 2, 4, False, 10)
    with tf.Session() as sess:
        return y, sess.run(list(y))


@program(tol=1e-5)
def many_samples(tf):
    y = tf.nn.log_uniform_candidate_sampler(TRUE, 2, 100, True, 1000, seed=11)
    z = tf.nn.uniform_candidate_sampler(TRUE, 2, 300, True, 400, seed=12)
    with tf.Session() as sess:
        return sess.run(list(y)), sess.run(list(z))


FIXED = {
    "unigrams": dict(unigrams=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]),
    "distorted": dict(unigrams=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], distortion=0.75),
    "reserved": dict(unigrams=[3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], num_reserved_ids=2),
    "sharded": dict(unigrams=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], num_shards=2, shard=1),
    "flat": dict(unigrams=[1.0] * 10, distortion=0.0, name="mine"),
}


@program(cases=sorted(FIXED), tol=1e-5)
def fixed_unigram(tf, case):
    count = 5 if case == "sharded" else 10
    classes = TRUE % count
    ys = [
        tf.nn.fixed_unigram_candidate_sampler(classes, 2, 4, True, count, seed=1, **FIXED[case]),
        tf.nn.fixed_unigram_candidate_sampler(classes, 2, 7, False, count, seed=2, **FIXED[case]),
    ]
    with tf.Session() as sess:
        return ys, [sess.run(list(y)) for y in ys], [sess.run(list(y)) for y in ys]


@program()
def all_candidates(tf):
    y = tf.nn.all_candidate_sampler(TRUE, 2, 12, True, seed=1)
    z = tf.nn.all_candidate_sampler(TRUE, num_true=2, num_sampled=12, unique=False, name="mine")
    with tf.Session() as sess:
        return y, z, sess.run(list(y)), sess.run(list(z))


@program()
def accidental_hits(tf):
    ys = [
        tf.nn.compute_accidental_hits(TRUE, tf.constant([9, 4, 1], tf.int64), 2),
        tf.nn.compute_accidental_hits(TRUE, tf.constant([7, 8], tf.int64), num_true=2, name="mine"),
        tf.nn.compute_accidental_hits(TRUE, tf.constant([5, 9, 5], tf.int64), 2, seed=3),
    ]
    with tf.Session() as sess:
        return ys, [sess.run(list(y)) for y in ys]


@program(graph=False)
def sampler_shapes_and_mistakes(tf):
    f, hits = tf.nn.uniform_candidate_sampler, tf.nn.compute_accidental_hits
    unknown = tf.placeholder(tf.int64)
    return [
        f(unknown, 2, 4, True, 10),
        f(tf.placeholder(tf.int64, [None, 2]), 2, 4, True, 10),
        attempt(f, tf.placeholder(tf.int64, [3]), 1, 4, True, 10),
        attempt(f, TRUE, 3, 4, True, 10),
        attempt(f, TRUE, 0, 4, True, 10),
        attempt(f, TRUE, 2, 0, True, 10),
        attempt(f, TRUE, 2, 4, True, 0),
        attempt(f, TRUE.astype(np.int32), 2, 4, True, 10),
        attempt(f, tf.constant(TRUE, tf.int32), 2, 4, True, 10),
        attempt(f, TRUE, 2, 4, True, 10, seed="a"),
        hits(unknown, unknown, 2),
        attempt(hits, tf.placeholder(tf.int64, [3]), unknown, 2),
        attempt(hits, TRUE, tf.placeholder(tf.int64, [3, 2]), 2),
        attempt(hits, TRUE, tf.constant([1]), 2),
        tf.nn.all_candidate_sampler(unknown, 2, 5, True),
        tf.nn.fixed_unigram_candidate_sampler(unknown, 2, 5, True, 3, unigrams=[1.0, 2.0, 3.0]),
    ]


@program(cases=["columns", "range", "vector", "class"], messages=[])
def samplers_refused_at_run_time(tf, case):
    classes = tf.placeholder(tf.int64)
    y = tf.nn.uniform_candidate_sampler(classes, 2, 20 if case == "range" else 4, True, 10)
    value = {"columns": [[1, 2, 3]], "range": [[1, 2]], "vector": [1, 2], "class": [[1, 10]]}[case]
    with tf.Session() as sess:
        return sess.run(list(y), {classes: value})


@program(cases=["no unigrams", "both", "shard", "too many", "too few"], messages=[])
def fixed_unigram_refused_at_run_time(tf, case):
    options = {
        "no unigrams": dict(),
        "both": dict(unigrams=[1.0] * 10, vocab_file="/nowhere/vocabulary"),
        "shard": dict(unigrams=[1.0] * 10, num_shards=2, shard=2),
        "too many": dict(unigrams=[1.0] * 12),
        "too few": dict(unigrams=[1.0] * 4),
    }[case]
    y = tf.nn.fixed_unigram_candidate_sampler(TRUE, 2, 4, True, 10, **options)
    with tf.Session() as sess:
        return sess.run(list(y))


# ---- the losses

WEIGHTS = (np.sin(np.arange(1, 31) * 0.7) * 0.5).astype(np.float32).reshape(10, 3)
BIASES = (np.cos(np.arange(10)) * 0.2).astype(np.float32)
INPUTS = (np.sin(np.arange(1, 10) * 1.3)).astype(np.float32).reshape(3, 3)
LABELS = np.array([[1], [5], [9]], dtype=np.int64)


def sampled(tf, num_true=1):
    return tf.nn.log_uniform_candidate_sampler(LABELS if num_true == 1 else TRUE, num_true, 4, True, 10, seed=3)


@program(tol=1e-5)
def sampled_softmax_loss(tf):
    w, b, x = tf.constant(WEIGHTS, name="w"), tf.constant(BIASES, name="b"), tf.constant(INPUTS, name="x")
    f = tf.nn.sampled_softmax_loss
    ys = [
        f(w, b, LABELS, x, 4, 10, seed=3),
        f(
            weights=w,
            biases=b,
            labels=tf.constant(LABELS),
            inputs=x,
            num_sampled=4,
            num_classes=10,
            seed=4,
            name="mine",
        ),
        f(w, b, TRUE, x, 4, 10, num_true=2, seed=5),
        f(w, b, LABELS, x, 4, 10, sampled_values=sampled(tf)),
        f(w, b, LABELS, x, 4, 10, remove_accidental_hits=False, seed=6),
        f([w[0::2], w[1::2]], b, LABELS, x, 4, 10, seed=7),
        f([w[:5], w[5:]], b, LABELS, x, 4, 10, partition_strategy="div", seed=7),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(tol=1e-5)
def nce_loss(tf):
    w, b, x = tf.constant(WEIGHTS, name="w"), tf.constant(BIASES, name="b"), tf.constant(INPUTS, name="x")
    f = tf.nn.nce_loss
    ys = [
        f(w, b, LABELS, x, 4, 10, sampled_values=sampled(tf)),
        f(w, b, TRUE, x, 4, 10, num_true=2, sampled_values=sampled(tf, 2), name="mine"),
        f(w, b, LABELS, x, 4, 10, sampled_values=sampled(tf), remove_accidental_hits=True),
        f([w[0::2], w[1::2]], b, LABELS, x, 4, 10, sampled_values=sampled(tf)),
        f(w, b, tf.constant(LABELS, tf.int32), x, 4, 10, sampled_values=sampled(tf)),
    ]
    with tf.Session() as sess:
        return ys, sess.run(ys)


@program(tol=1e-5)
def nce_loss_with_a_graph_seed(tf):
    tf.set_random_seed(5)
    w = tf.get_variable("w", initializer=WEIGHTS)
    b = tf.get_variable("b", initializer=BIASES)
    y = tf.nn.nce_loss(weights=w, biases=b, labels=LABELS, inputs=INPUTS, num_sampled=4, num_classes=10)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return y, sess.run(y), sess.run(y)


@program()
def losses_of_unknown_batches(tf):
    w, b = tf.placeholder(tf.float32, [10, 3]), tf.placeholder(tf.float32, [10])
    x, labels = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int64, [None, 1])
    loose = tf.placeholder(tf.float32)
    return [
        tf.nn.nce_loss(w, b, labels, x, 4, 10),
        tf.nn.sampled_softmax_loss(w, b, labels, x, 4, 10),
        tf.nn.sampled_softmax_loss(loose, loose, tf.placeholder(tf.int64), loose, 4, 10, num_true=2),
    ]


@program(graph=False)
def loss_mistakes(tf):
    w, b, x = tf.constant(WEIGHTS), tf.constant(BIASES), tf.constant(INPUTS)
    f, g = tf.nn.nce_loss, tf.nn.sampled_softmax_loss
    return [
        attempt(f, w, b, LABELS, x, 20, 10, sampled_values=(1, 2)),
        attempt(g, w, b, [1, 5, 9], x, 4, 10),
        attempt(g, w, b, LABELS, x, 4, 10, num_true=2),
        attempt(g, w, b, LABELS, tf.zeros([3, 4]), 4, 10),
        attempt(g, [], b, LABELS, x, 4, 10),
        attempt(g, w, b, [[1.5]], x, 4, 10),
        attempt(f, w, b, LABELS, x, 4, 10, partition_strategy="rows"),
        attempt(f, [w, w], b, LABELS, x, 4, 10, partition_strategy="rows"),
    ]
