"""tf.nn as users write it: top_k, dropout, embeddings, moments and batch normalisation, sampled losses, transposes."""

import numpy as np

from tests.oracle import attempt, program

_X = np.random.RandomState(0).randn(4, 6).astype(np.float32)
_IMAGE = np.random.RandomState(1).randn(2, 4, 4, 3).astype(np.float32)


def _run(tf, *fetches, **options):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [attempt(sess.run, fetch, options.get("feed")) for fetch in fetches]


@program()
def top_k_as_used(tf):
    x = tf.constant(_X)
    ties = tf.constant([[1.0, 3.0, 3.0, np.nan, 3.0, np.inf], [0.0, -0.0, 0.0, -0.0, 1.0, 1.0]])
    k = tf.placeholder(tf.int32, [], name="k")
    fed = tf.placeholder(tf.float32, name="fed")
    values, indices = tf.nn.top_k(fed, k)
    with tf.Session() as sess:
        return (
            sess.run(tf.nn.top_k(x, 3)),
            sess.run(tf.nn.top_k(x)),
            sess.run(tf.nn.top_k(x, k=6, sorted=False, name="all"))[0].sum(),
            sess.run(tf.nn.top_k(ties[1:], 6)),
            sess.run(tf.nn.top_k(tf.constant([3, 1, 3, 2]), 4).indices),
            sess.run([values, indices], {fed: _X, k: 2}),
            attempt(sess.run, values, {fed: _X, k: 7}),
            attempt(sess.run, values, {fed: _X, k: -1}),
            attempt(sess.run, values, {fed: 1.0, k: 1}),
            attempt(tf.nn.top_k, x, 7),
            attempt(tf.nn.top_k, 1.0, 1),
            attempt(tf.nn.top_k, x, -1),
            attempt(tf.nn.top_k, x, 2.0),
            attempt(tf.nn.top_k, x, [2]),
            attempt(tf.nn.top_k, x, 2, True, tf.int64),
            attempt(tf.math.top_k, x, 0),
        )


@program()
def accuracy_by_in_top_k(tf):
    logits = tf.placeholder(tf.float32, [None, 5], name="logits")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    hits = tf.nn.in_top_k(logits, labels, 2)
    accuracy = tf.reduce_mean(tf.cast(hits, tf.float32))
    feed = {
        logits: [[1, 2, 3, 4, 5], [1, 1, 1, 1, 1], [np.nan, 0, 0, 0, 0], [np.inf, 1, 0, 0, 0]],
        labels: [3, 0, 1, 1],
    }
    with tf.Session() as sess:
        return (
            sess.run([hits, accuracy], feed),
            sess.run(tf.nn.in_top_k(predictions=[[0.1, 0.9]], targets=[7], k=1)),
            attempt(tf.nn.in_top_k, [[1.0, 2.0]], [0, 1], 1),
            attempt(tf.nn.in_top_k, [1.0, 2.0], [0], 1),
            attempt(tf.nn.in_top_k, [[1.0, 2.0]], [0.0], 1),
            attempt(tf.nn.in_top_k, [[1.0, 2.0]], [0], 1, name="named"),
            attempt(sess.run, tf.nn.in_top_k([[1.0, 2.0]], [0], 0)),
            attempt(tf.math.in_top_k, [0], [[1.0, 2.0]], 1),
        )


@program(tol=0)
def dropout_spellings(tf):
    tf.set_random_seed(7)
    x = tf.constant(np.ones([3, 8]), tf.float32)
    keep = tf.placeholder_with_default(0.5, [], name="keep")
    results = [
        tf.nn.dropout(x, 0.5),
        tf.nn.dropout(x, keep_prob=0.9, seed=3),
        tf.nn.dropout(x, rate=0.3, seed=3, name="by_rate"),
        tf.nn.dropout(x, keep),
        tf.nn.dropout(x, rate=1 - keep, seed=1),
        tf.nn.dropout(x, 0.5, noise_shape=[3, 1], seed=2),
        tf.nn.dropout(x, 0.5, [1, 8], 5),
        tf.nn.dropout(x, 0.5, noise_shape=[None, 1], seed=2),
        tf.nn.dropout(tf.cast(x, tf.float64), 0.25, seed=9),
        tf.nn.dropout(tf.cast(x, tf.float16), 0.25, seed=9),
        tf.nn.dropout([1.0, 2.0, 3.0, 4.0], 0.5, seed=4),
    ]
    return _run(tf, *results)


@program()
def dropout_refuses(tf):
    x = tf.constant(_X)
    return [
        attempt(tf.nn.dropout, x),
        attempt(tf.nn.dropout, x, 0.0),
        attempt(tf.nn.dropout, x, 1.0),
        attempt(tf.nn.dropout, x, 1.5),
        attempt(tf.nn.dropout, x, rate=1.0),
        attempt(tf.nn.dropout, x, rate=-0.1),
        attempt(tf.nn.dropout, x, 0.5, rate=0.5),
        attempt(tf.nn.dropout, x, 0.5, rate=0.2),
        attempt(tf.nn.dropout, tf.constant([1, 2]), 0.5),
        attempt(tf.nn.dropout, x, rate=tf.constant(0.5, tf.float64)),
        attempt(tf.nn.dropout, x, rate=0, name="none"),
        attempt(tf.nn.dropout, x, 1),
        attempt(tf.nn.dropout, x, 0.5, noise_shape=[3, 5]),
        attempt(tf.nn.dropout, tf.placeholder(tf.float32, name="any"), 0.5, seed=1),
        attempt(tf.nn.dropout, tf.placeholder(tf.float32, [None, 3], name="some"), 0.5, [None, 1], 1),
    ]


@program(cases=["mod", "div"])
def embeddings_of_many_params(tf, case):
    ids = tf.constant([[0, 6, 3], [2, 5, 0]])
    params = [tf.Variable(_X[i::3], name="p") for i in range(3)] if case == "mod" else [
        tf.Variable(_X[:2]), tf.Variable(_X[2:4])
    ]  # fmt: skip
    fed = tf.placeholder(tf.int64, [None], name="ids")
    small = ids % 4
    return _run(
        tf,
        tf.nn.embedding_lookup(params, small, partition_strategy=case),
        tf.nn.embedding_lookup(params, small, partition_strategy=case, max_norm=1.0),
        tf.nn.embedding_lookup(params, fed, case, name="named"),
        tf.nn.embedding_lookup(params, 3, case),
        tf.nn.embedding_lookup([_X, _X], ids[0], case),
        feed={fed: [3, 0, 1]},
    )


@program(cases=["mod", "div"])
def embeddings_of_a_partitioned_variable(tf, case):
    table = tf.get_variable(
        "table", initializer=tf.constant(np.arange(20.0).reshape(10, 2), tf.float32),
        partitioner=tf.fixed_size_partitioner(3),
    )  # fmt: skip
    ids = tf.placeholder(tf.int32, [None, None], name="ids")
    return _run(
        tf,
        tf.nn.embedding_lookup(table, ids, partition_strategy=case),
        tf.nn.embedding_lookup(table, [0, 9, 4], partition_strategy=case, max_norm=5.0),
        feed={ids: [[0, 9], [4, 4]]},
    )


@program()
def embedding_of_one_variable(tf):
    table = tf.Variable(_X, name="embeddings")
    resource = tf.Variable(_X, name="resource", use_resource=True)
    ids = tf.placeholder(tf.int32, [None], name="ids")
    weights = tf.constant(_X)
    return _run(
        tf,
        tf.nn.embedding_lookup(table, ids),
        tf.nn.embedding_lookup(table, [[0, 1], [3, 2]], name="lookup"),
        tf.nn.embedding_lookup([table], 2),
        tf.nn.embedding_lookup(table, ids, max_norm=1.5),
        tf.nn.embedding_lookup(table, 1, max_norm=tf.constant(0.5)),
        tf.nn.embedding_lookup(resource, ids),
        tf.nn.embedding_lookup(weights, ids),
        tf.nn.embedding_lookup(_X, [1]),
        tf.nn.embedding_lookup(table, [7]),
        feed={ids: [3, 0]},
    ), [
        attempt(tf.nn.embedding_lookup, [], ids),
        attempt(tf.nn.embedding_lookup, None, ids),
        attempt(tf.nn.embedding_lookup, [table, table], ids, "other"),
        attempt(tf.nn.embedding_lookup, table, [0.5]),
    ]


@program(cases=["sum", "mean", "sqrtn", None, "other"])
def sparse_embeddings(tf, case):
    table = tf.Variable(_X, name="table")
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 0], tf.int64), [3, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [2.0, 0.5, 1.0], [3, 2])

    def both():
        return (
            tf.nn.embedding_lookup_sparse(table, ids, None, combiner=case),
            tf.nn.embedding_lookup_sparse(table, ids, weights, combiner=case, name="weighted"),
            tf.nn.embedding_lookup_sparse([table, table], ids, weights, "div", combiner=case, max_norm=1.0),
        )

    found = attempt(both)
    return _run(tf, *found) if isinstance(found, tuple) else found


@program(cases={"axis0": [0], "all": [0, 1, 2], "int": 2, "none": [], "negative": [-1]})
def moments_over(tf, case):
    x = tf.constant(_IMAGE)
    fed = tf.placeholder(tf.float32, [None, 4, 4, 3], name="fed")
    half = tf.cast(x, tf.float16)
    return _run(
        tf,
        tf.nn.moments(x, case),
        attempt(tf.nn.moments, fed, case, keep_dims=True, name="kept"),
        tf.nn.moments(fed, case, keepdims=True),
        tf.nn.moments(half, case),
        tf.nn.moments(x, case, shift=tf.constant(0.5)),
        feed={fed: _IMAGE},
    )


@program()
def batch_norm_by_hand(tf):
    """What every tutorial did before tf.layers."""
    x = tf.placeholder(tf.float32, [None, 6], name="x")
    training = tf.placeholder_with_default(True, [], name="training")
    beta = tf.Variable(tf.zeros([6]), name="beta")
    gamma = tf.Variable(tf.ones([6]), name="gamma")
    pop_mean = tf.Variable(tf.zeros([6]), trainable=False, name="pop_mean")
    pop_var = tf.Variable(tf.ones([6]), trainable=False, name="pop_var")
    mean, var = tf.nn.moments(x, [0])
    update_mean = tf.assign(pop_mean, pop_mean * 0.9 + mean * 0.1)
    update_var = tf.assign(pop_var, pop_var * 0.9 + var * 0.1)
    with tf.control_dependencies([update_mean, update_var]):
        trained = tf.nn.batch_normalization(x, mean, var, beta, gamma, 1e-3)
    tested = tf.nn.batch_normalization(x, pop_mean, pop_var, beta, gamma, 1e-3, name="tested")
    picked = tf.where(training, trained, tested)
    plain = tf.nn.batch_normalization(x, mean, var, None, None, 1e-3)
    scaled = tf.nn.batch_normalization(x, mean, var, None, gamma, 1e-3)
    shifted = tf.nn.batch_normalization(x, mean, var, beta, None, 0.001)
    old = tf.nn.batch_norm_with_global_normalization(
        tf.reshape(x, [-1, 1, 1, 6]), mean, var, beta, gamma, 1e-3, scale_after_normalization=True
    )
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feed = {x: _X}
        return (
            sess.run([trained, plain, scaled, shifted, old], feed),
            sess.run([pop_mean, pop_var]),
            sess.run(picked, feed),
            sess.run(tested, {x: _X, training: False}),
        )


@program()
def moments_that_are_put_together(tf):
    x = tf.constant(_X)
    counts, sums, squares, shift = tf.nn.sufficient_statistics(x, [0], shift=tf.constant(0.5), keep_dims=True)
    mean, var = tf.nn.normalize_moments(counts, sums, squares, shift)
    weighted = tf.nn.weighted_moments(x, [0], tf.constant([[1.0], [2.0], [0.0], [1.0]]))
    kept = tf.nn.weighted_moments(x, [0, 1], 2.0, keep_dims=True, name="kept")
    return _run(tf, [counts, sums, squares, shift], [mean, var], weighted, kept)


@program(cases=["mod", "div"])
def sampled_losses(tf, case):
    weights = tf.Variable(_X[:, :3].repeat(2, 0)[:8], name="weights")
    biases = tf.Variable(tf.zeros([8]), name="biases")
    inputs = tf.placeholder(tf.float32, [None, 3], name="inputs")
    labels = tf.placeholder(tf.int64, [None, 1], name="labels")
    tf.set_random_seed(3)
    drawn = tf.nn.log_uniform_candidate_sampler(labels, 1, 4, True, 8, seed=5)
    losses = [
        tf.nn.nce_loss(weights, biases, labels, inputs, 4, 8, sampled_values=drawn, partition_strategy=case),
        tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, 4, 8, partition_strategy=case, seed=2),
        tf.nn.sampled_softmax_loss(
            weights=weights, biases=biases, labels=labels, inputs=inputs, num_sampled=3, num_classes=8,
            remove_accidental_hits=False, partition_strategy=case, name="kept_hits", seed=4,
        ),
        tf.reduce_mean(tf.nn.nce_loss(weights, biases, labels, inputs, 4, 8, 1, drawn, True, case, "named")),
        tf.nn.sampled_softmax_loss([weights], biases, tf.tile(labels, [1, 2]), inputs, 4, 8, num_true=2, seed=1),
    ]  # fmt: skip
    return _run(tf, *losses, feed={inputs: _X[:, :3], labels: [[0], [3], [7], [3]]})


@program()
def transposed_convolution_of_a_fed_batch(tf):
    """The decoder of every autoencoder: the batch size is known in the run only."""
    x = tf.placeholder(tf.float32, [None, 4, 4, 3], name="x")
    filters = tf.Variable(np.random.RandomState(2).randn(3, 3, 2, 3).astype(np.float32), name="filters")
    batch = tf.shape(x)[0]
    same = tf.nn.conv2d_transpose(x, filters, tf.stack([batch, 8, 8, 2]), [1, 2, 2, 1])
    listed = tf.nn.conv2d_transpose(x, filters, [batch, 8, 8, 2], strides=[1, 2, 2, 1], padding="SAME", name="listed")
    valid = tf.nn.conv2d_transpose(x, filters, [2, 9, 9, 2], [1, 2, 2, 1], "VALID")
    shaped = tf.nn.conv2d_transpose(x, filters, tf.shape(tf.zeros([2, 8, 8, 2])), 2)
    named = tf.nn.conv2d_transpose(value=x, filter=filters, output_shape=[2, 8, 8, 2], strides=(2, 2))
    return _run(tf, same, listed, valid, shaped, named, feed={x: _IMAGE}), [
        attempt(tf.nn.conv2d_transpose, x, filters, [2, 8, 8, 3], [1, 2, 2, 1]),
        attempt(tf.nn.conv2d_transpose, x, filters, [8, 8, 2], [1, 2, 2, 1]),
        attempt(tf.nn.conv2d_transpose, x, filters, [2, 8, 8, 2], [1, 2, 2, 1], "HALF"),
        attempt(tf.nn.conv2d_transpose, x, tf.zeros([3, 3, 2, 5]), [2, 8, 8, 2], [1, 2, 2, 1]),
        attempt(tf.nn.conv2d_transpose, x, filters, [2, 9, 9, 2], [1, 2, 2, 1]),
        attempt(tf.nn.conv2d_transpose, x, None, [2, 8, 8, 2], [1, 2, 2, 1]),
    ]


@program()
def word2vec_step(tf):
    """Skip-gram with noise-contrastive loss, as the tutorial has it."""
    tf.set_random_seed(1)
    with tf.name_scope("inputs"):
        train_inputs = tf.placeholder(tf.int32, shape=[4])
        train_labels = tf.placeholder(tf.int32, shape=[4, 1])
    with tf.name_scope("embeddings"):
        table = tf.Variable(tf.random_uniform([20, 6], -1.0, 1.0))
        embed = tf.nn.embedding_lookup(table, train_inputs)
    with tf.name_scope("weights"):
        nce_weights = tf.Variable(tf.truncated_normal([20, 6], stddev=0.4))
    with tf.name_scope("biases"):
        nce_biases = tf.Variable(tf.zeros([20]))
    with tf.name_scope("loss"):
        loss = tf.reduce_mean(
            tf.nn.nce_loss(
                weights=nce_weights, biases=nce_biases, labels=train_labels, inputs=embed, num_sampled=5, num_classes=20
            )
        )
    norm = tf.sqrt(tf.reduce_sum(tf.square(table), 1, keep_dims=True))
    normalized = table / norm
    valid = tf.nn.embedding_lookup(normalized, tf.constant([1, 2], dtype=tf.int32))
    similarity = tf.matmul(valid, normalized, transpose_b=True)
    nearest = tf.nn.top_k(similarity, 3).indices
    return _run(tf, loss, embed, nearest, feed={train_inputs: [0, 3, 3, 19], train_labels: [[1], [2], [0], [5]]})


@program(cases=["NHWC", "NCHW"])
def fused_batch_norms(tf, case):
    image = _IMAGE if case == "NHWC" else _IMAGE.transpose(0, 3, 1, 2)
    x = tf.placeholder(tf.float32, image.shape, name="x")
    scale, offset = tf.constant([1.0, 2.0, 0.5]), tf.constant([0.0, 1.0, -1.0])
    mean, var = tf.constant([0.1, 0.2, 0.3]), tf.constant([1.0, 0.5, 2.0])
    built = [
        attempt(tf.nn.fused_batch_norm, x, scale, offset, data_format=case),
        tf.nn.fused_batch_norm(x, scale, offset, mean, var, 1e-5, case, False, "tested")[0],
        attempt(tf.nn.fused_batch_norm, x, scale, offset, is_training=False, data_format=case),
        attempt(tf.nn.fused_batch_norm, x, scale, offset, mean, var, data_format=case, exponential_avg_factor=0.9),
    ]
    return _run(tf, *built, feed={x: image}) if case == "NHWC" else None


@program()
def a_tied_autoencoder(tf):
    """Convolution down, its transpose with the same filters up, to the size that the input has in the run."""
    x = tf.placeholder(tf.float32, [None, None, None, 1], name="x")
    filters = tf.Variable(np.random.RandomState(3).randn(3, 3, 1, 4).astype(np.float32), name="filters")
    hidden = tf.nn.relu(tf.nn.conv2d(x, filters, [1, 2, 2, 1], "SAME"))
    back = tf.nn.conv2d_transpose(hidden, filters, tf.shape(x), [1, 2, 2, 1], name="back")
    sized = tf.nn.conv2d_transpose(hidden, filters, [tf.shape(x)[0], 5, 5, 1], [1, 2, 2, 1])
    error = tf.reduce_mean(tf.squared_difference(back, x))
    image = np.arange(50, dtype=np.float32).reshape(2, 5, 5, 1) / 50
    return _run(tf, hidden, back, sized, error, feed={x: image})


@program()
def transposed_convolutions_of_other_ranks(tf):
    line = tf.constant(_IMAGE[:, 0])
    volume = tf.constant(_IMAGE[:, :, :, :, None])
    bias = tf.constant([0.5, -0.5])
    wide = tf.placeholder(tf.float32, name="wide")
    return _run(
        tf,
        tf.nn.conv1d_transpose(line, tf.ones([3, 2, 3]), [2, 8, 2], 2),
        tf.nn.conv3d_transpose(volume, tf.ones([2, 2, 2, 1, 1]), [2, 8, 8, 6, 1], [1, 2, 2, 2, 1]),
        tf.nn.bias_add(tf.nn.conv2d_transpose(_IMAGE, tf.ones([2, 2, 2, 3]), [2, 8, 8, 2], [1, 2, 2, 1]), bias),
        tf.nn.atrous_conv2d_transpose(_IMAGE, tf.ones([2, 2, 2, 3]), [2, 4, 4, 2], rate=2, padding="SAME"),
        tf.nn.conv2d_backprop_input([2, 4, 4, 2], tf.ones([2, 2, 2, 3]), _IMAGE, [1, 1, 1, 1], "SAME"),
        attempt(tf.nn.conv2d_transpose, wide, tf.ones([2, 2, 2, 3]), [2, 8, 8, 2], [1, 2, 2, 1]),
        feed={wide: _IMAGE},
    )


@program()
def an_embedding_bag_with_a_mask(tf):
    table = tf.get_variable("table", [7, 3], initializer=tf.random_uniform_initializer(-1, 1, seed=2))
    words = tf.placeholder(tf.int32, [None, None], name="words")
    lengths = tf.reduce_sum(tf.sign(words), 1)
    mask = tf.sequence_mask(lengths, tf.shape(words)[1], tf.float32)
    vectors = tf.nn.embedding_lookup(table, words) * tf.expand_dims(mask, -1)
    mean = tf.reduce_sum(vectors, 1) / tf.maximum(tf.cast(lengths, tf.float32), 1)[:, None]
    dropped = tf.nn.dropout(mean, 0.8, noise_shape=[tf.shape(words)[0], 1], seed=6)
    scores, best = tf.nn.top_k(tf.nn.softmax(tf.matmul(dropped, table, transpose_b=True)), k=2)
    return _run(tf, vectors, mean, dropped, [scores, best], feed={words: [[1, 2, 0], [6, 0, 0], [0, 0, 0]]})


@program()
def candidates_of_every_sampler(tf):
    return _run(
        tf,
        tf.nn.uniform_candidate_sampler([[0], [1]], 1, 3, True, 9, seed=4),
        tf.nn.learned_unigram_candidate_sampler([[0], [1]], 1, 3, True, 9, seed=4),
        tf.nn.fixed_unigram_candidate_sampler([[0], [1]], 1, 3, True, 4, unigrams=[1, 2, 3, 4], seed=4),
        tf.nn.compute_accidental_hits([[0], [1]], tf.constant([1, 5, 0], tf.int64), 1),
    )
