"""What recorded facts cannot say of `tf.nn`: layouts agree, numbers agree with NumPy for any input, state, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfbench as tf
from tfbench import errors

SIZES = st.integers(1, 6)
FEW = settings(max_examples=25, deadline=None)


def numbers(*shape: int) -> Any:
    return np.random.default_rng(int(np.prod(shape))).standard_normal(shape).astype(np.float32)


def run(fetches: Any, feeds: Any = None) -> Any:
    with tf.Session() as session:
        return session.run(fetches, feeds)


@pytest.fixture(autouse=True)
def _fresh_graph() -> Any:
    with tf.Graph().as_default():
        yield


# -- layouts ----------------------------------------------------------------------------------------------------------


def first(x: Any) -> Any:
    return np.moveaxis(x, -1, 1)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        ("conv2d", {"strides": 1, "padding": "SAME"}),
        ("conv2d", {"strides": 2, "padding": "VALID", "dilations": 1}),
        ("conv2d", {"strides": 1, "padding": "VALID", "dilations": [1, 2]}),
        ("depthwise_conv2d_native", {"strides": [1, 1, 1, 1], "padding": "SAME"}),
    ],
)
def test_channels_first_convolutions_compute_the_same(function: str, options: dict[str, Any]) -> None:
    x, w = numbers(2, 6, 7, 3), numbers(3, 2, 3, 4)
    make = getattr(tf.nn, function)
    last, turned = run([make(x, w, **options), make(first(x), w, data_format="NCHW", **options)])
    np.testing.assert_allclose(turned, first(last), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("function", ["max_pool", "avg_pool"])
def test_channels_first_pools_compute_the_same(function: str) -> None:
    x, make = numbers(2, 6, 7, 3), getattr(tf.nn, function)
    last, turned = run([make(x, [3, 2], 2, "SAME"), make(first(x), [3, 2], 2, "SAME", data_format="NCHW")])
    np.testing.assert_allclose(turned, first(last), rtol=1e-6)


def test_channels_first_batch_norm_and_bias_compute_the_same() -> None:
    x, scale, offset = numbers(2, 6, 7, 3), numbers(3), numbers(3) + 1
    last, turned = run(
        [
            tf.nn.fused_batch_norm(x, scale, offset),
            tf.nn.fused_batch_norm(first(x), scale, offset, data_format="NCHW"),
        ]
    )
    np.testing.assert_allclose(turned[0], first(last[0]), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(turned[1:], last[1:], rtol=1e-5)
    last, turned = run([tf.nn.bias_add(x, offset), tf.nn.bias_add(first(x), offset, "NCHW")])
    np.testing.assert_array_equal(turned, first(last))


def test_channels_first_pool_with_holes_computes_the_same() -> None:
    x = numbers(2, 6, 7, 3)
    last, turned = run(
        [
            tf.nn.pool(x, [2, 2], "MAX", "VALID", dilation_rate=[2, 1]),
            tf.nn.pool(first(x), [2, 2], "MAX", "VALID", dilation_rate=[2, 1], data_format="NCHW"),
        ]
    )
    np.testing.assert_array_equal(turned, first(last))


# -- against NumPy ----------------------------------------------------------------------------------------------------


@FEW
@given(rows=SIZES, columns=SIZES, data=st.data())
def test_top_k_is_a_stable_sort(rows: int, columns: int, data: Any) -> None:
    k = data.draw(st.integers(0, columns))
    x = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=rows * columns, max_size=rows * columns)), np.float32)
    x = x.reshape(rows, columns)
    order = np.argsort(-x, axis=1, kind="stable")[:, :k]
    values, indices = run(tf.nn.top_k(x, k))
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1))


@FEW
@given(rows=SIZES, columns=SIZES, axis=st.integers(-2, 1))
def test_softmax_is_a_distribution_along_any_axis(rows: int, columns: int, axis: int) -> None:
    x = numbers(rows, columns) * 20
    made, log = run([tf.nn.softmax(x, axis=axis), tf.nn.log_softmax(x, axis=axis)])
    np.testing.assert_allclose(made.sum(axis=axis), 1, rtol=1e-5)
    np.testing.assert_allclose(np.exp(log), made, rtol=1e-4, atol=1e-7)


@FEW
@given(rows=SIZES, columns=SIZES)
def test_sparse_and_dense_cross_entropy_agree(rows: int, columns: int) -> None:
    logits = numbers(rows, columns) * 5
    labels = np.arange(rows) % columns
    sparse, dense = run(
        [
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits),
            tf.nn.softmax_cross_entropy_with_logits_v2(labels=np.eye(columns)[labels], logits=logits),
        ]
    )
    np.testing.assert_allclose(sparse, dense, rtol=1e-5, atol=1e-6)


@FEW
@given(tables=st.integers(1, 4), rows=st.integers(1, 12), strategy=st.sampled_from(["mod", "div"]))
def test_tables_in_parts_hold_the_rows_of_the_whole(tables: int, rows: int, strategy: str) -> None:
    tables = min(tables, rows)
    whole = numbers(rows, 3)
    if strategy == "mod":
        parts = [whole[i::tables] for i in range(tables)]
    else:
        parts = np.array_split(whole, tables)
    ids = np.arange(rows)[::-1].copy()
    found = run(tf.nn.embedding_lookup([tf.constant(part) for part in parts], ids, partition_strategy=strategy))
    np.testing.assert_array_equal(found, whole[ids])


@pytest.mark.parametrize("rate", [2, 3])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_holes_by_batches_and_by_dilation_agree(rate: int, padding: str) -> None:
    x, w = numbers(2, 9, 8, 3), numbers(3, 2, 3, 4)
    by_batches, by_dilation = run(
        [tf.nn.atrous_conv2d(x, w, rate, padding), tf.nn.conv2d(x, w, 1, padding, dilations=rate)]
    )
    np.testing.assert_allclose(by_batches, by_dilation, rtol=1e-4, atol=1e-5)


def test_transposed_convolution_is_the_transpose() -> None:
    x, w, dy = numbers(1, 5, 6, 2), numbers(3, 2, 2, 4), numbers(1, 3, 3, 4)
    forward, back = run([tf.nn.conv2d(x, w, 2, "SAME"), tf.nn.conv2d_transpose(dy, w, [1, 5, 6, 2], 2, "SAME")])
    np.testing.assert_allclose((forward * dy).sum(), (x * back).sum(), rtol=1e-4)


def test_dropout_keeps_the_mean_and_scales_what_it_keeps() -> None:
    kept = run(tf.nn.dropout(tf.ones([100, 100]), rate=0.2, seed=1))
    assert set(np.unique(kept)) == {np.float32(0), np.float32(1.25)}
    assert abs(kept.mean() - 1) < 0.02


# -- state ------------------------------------------------------------------------------------------------------------


def test_a_learning_sampler_learns_within_its_session_only() -> None:
    classes = tf.placeholder(tf.int64, [None, 1])
    sampled = tf.nn.learned_unigram_candidate_sampler(classes, 1, 200, False, 10, seed=1)
    feeds = {classes: [[7]] * 5000}
    with tf.Session() as session:
        before = session.run(sampled.sampled_candidates, feeds)
        after = session.run(sampled.sampled_candidates, feeds)
        expected = session.run(sampled.true_expected_count, {classes: [[7]]})
    assert (before == 7).mean() < 0.3
    assert (after == 7).mean() > 0.95
    assert expected[0, 0] > 190
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(sampled.sampled_candidates, feeds), before)


def test_what_a_sampler_learned_goes_back_with_the_session() -> None:
    classes = tf.placeholder(tf.int64, [None, 1])
    sampled = tf.nn.learned_unigram_candidate_sampler(classes, 1, 20, False, 10, seed=1)
    with tf.Session() as session:
        session.run(sampled.sampled_candidates, {classes: [[3]]})
        saved = session.resources.snapshot()
        first_time = session.run(list(sampled), {classes: [[3]] * 100})
        session.resources.restore(saved)
        second_time = session.run(list(sampled), {classes: [[3]] * 100})
    for one, two in zip(first_time, second_time, strict=True):
        np.testing.assert_array_equal(one, two)


def test_unique_samples_are_unique() -> None:
    for function in (tf.nn.uniform_candidate_sampler, tf.nn.log_uniform_candidate_sampler):
        drawn = run(function(np.zeros([1, 1], np.int64), 1, 50, True, 50, seed=2).sampled_candidates)
        assert sorted(drawn) == list(range(50))


def test_weights_of_a_fixed_sampler_come_from_a_file(tmp_path: Any) -> None:
    words = tmp_path / "vocabulary.txt"
    words.write_text("the,5\nof,3\nand,2\n")
    classes = np.zeros([1, 1], np.int64)
    options: dict[str, Any] = {"num_true": 1, "num_sampled": 400, "unique": False, "range_max": 3, "seed": 3}
    told = tf.nn.fixed_unigram_candidate_sampler(classes, unigrams=[5.0, 3.0, 2.0], **options)
    read = tf.nn.fixed_unigram_candidate_sampler(classes, vocab_file=str(words), **options)
    one, two = run([told.sampled_candidates, read.sampled_candidates])
    np.testing.assert_array_equal(one, two)
    assert abs((one == 0).mean() - 0.5) < 0.1


def test_fractional_pools_without_seeds_differ_from_run_to_run_unless_told_not_to() -> None:
    x = numbers(1, 40, 40, 1)
    free = tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0]).row_pooling_sequence
    fixed = tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0], deterministic=True).row_pooling_sequence
    with tf.Session() as session:
        assert len({tuple(session.run(free)) for _ in range(5)}) > 1
        assert len({tuple(session.run(fixed)) for _ in range(5)}) == 1


# -- mistakes ---------------------------------------------------------------------------------------------------------


def test_errors_of_a_run_name_the_node_and_the_line() -> None:
    x, w = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.conv2d(x, w, 1, "SAME", name="layer1/conv")
    with pytest.raises(errors.InvalidArgumentError, match="input depth must be evenly divisible") as caught:
        run(y, {x: numbers(1, 4, 4, 3), w: numbers(3, 3, 2, 4)})
    assert caught.value.op is y.op
    assert "test_nn.py" in str(caught.value.source)


def test_a_refused_convolution_leaves_the_graph_as_it_was() -> None:
    x = tf.placeholder(tf.float32, [1, 2, 2, 3])
    before = len(tf.get_default_graph().get_operations())
    with pytest.raises(ValueError, match="Negative dimension size"):
        tf.nn.conv2d(x, tf.placeholder(tf.float32, [3, 3, 3, 4]), 1, "VALID")
    assert len(tf.get_default_graph().get_operations()) == before + 1


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: tf.nn.softmax(tf.placeholder(tf.float32), axis=1), TypeError, "rank .* must be known"),
        (lambda: tf.nn.embedding_lookup([], [1]), ValueError, "at least one param"),
        (lambda: tf.nn.dropout([1.0], rate=2.0), ValueError, r"range \[0, 1\)"),
        (lambda: tf.nn.pool(tf.zeros([1, 3, 1]), [1], "MEDIAN", "SAME"), ValueError, "MEDIAN pooling is not supported"),
        (lambda: tf.raw_ops.Relu(), TypeError, "features"),
        (lambda: tf.raw_ops.Relu(features=1.0, slope=2), TypeError, "slope"),
        (lambda: tf.raw_ops.Relu(1.0), TypeError, "positional"),
    ],
)
def test_mistakes_say_what_is_wrong(make: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        make()


def test_raw_ops_has_every_op_and_no_other() -> None:
    assert "Conv2D" in dir(tf.raw_ops)
    assert tf.raw_ops.Conv2D is tf.raw_ops.Conv2D
    with pytest.raises(AttributeError, match="no such op"):
        _ = tf.raw_ops.Conv2d


def test_the_name_from_before_0_7_makes_the_same_node() -> None:
    x, w = tf.constant(numbers(1, 3, 3, 4)), tf.constant(numbers(3, 3, 2, 4))
    old = tf.nn.deconv2d(x, w, [1, 6, 6, 2], [1, 2, 2, 1])
    new = tf.nn.conv2d_transpose(x, w, [1, 6, 6, 2], [1, 2, 2, 1])
    assert (old.op.name, old.op.type) == ("DeConv2D", new.op.type)
    np.testing.assert_array_equal(*run([old, new]))
