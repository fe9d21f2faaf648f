"""Random ops in sessions: whose stream it is, and what puts it back."""

from __future__ import annotations

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.ops.random_samples import parameterized_truncated_normal


@pytest.fixture(autouse=True)
def _own_graph() -> None:
    tf.reset_default_graph()


def test_all_plans_of_a_session_share_an_ops_stream() -> None:
    u = tf.random_uniform([3], seed=1)
    doubled = u + u
    with tf.Session() as sess:
        first = sess.run(u).tolist()
        second = sess.run(doubled).tolist()
        third = sess.run([u, doubled])
    with tf.Session() as sess:
        again = [sess.run(u) for _ in range(3)]
    assert first == again[0].tolist()
    assert second == (again[1] + again[1]).tolist()
    assert third[0].tolist() == again[2].tolist()
    assert third[1].tolist() == (again[2] + again[2]).tolist()


def test_make_callable_moves_the_same_stream() -> None:
    u = tf.random_uniform([2], seed=1)
    with tf.Session() as sess:
        call = sess.make_callable(u)
        made = [sess.run(u), call(), sess.run(u)]
    with tf.Session() as sess:
        assert [value.tolist() for value in made] == [sess.run(u).tolist() for _ in range(3)]


def test_fetched_numbers_are_kept_when_the_next_run_draws_others() -> None:
    u = tf.random_uniform([4], seed=1)
    with tf.Session() as sess:
        first = sess.run(u)
        kept = first.tolist()
        sess.run(u)
        assert first.tolist() == kept


def test_undoing_puts_streams_back() -> None:
    u = tf.random_uniform([3], seed=1)
    with tf.Session() as sess:
        sess.run(u)
        saved = sess.resources.snapshot()
        expected = sess.run(u).tolist()
        sess.run(u)
        sess.resources.restore(saved)
        assert sess.run(u).tolist() == expected


def test_an_op_that_took_another_ones_name_starts_anew() -> None:
    graph = tf.get_default_graph()
    mark = graph.mark()
    old = tf.random_uniform([3], seed=1, name="u")
    with tf.Session() as sess:
        first = sess.run(old).tolist()
        sess.run(old)
        graph.roll_back(mark)
        new = tf.random_uniform([3], seed=1, name="u")
        assert new.op.name == old.op.name
        assert sess.run(new).tolist() == first


def test_numbers_go_on_where_a_run_failed_later() -> None:
    """What was drawn in a run that failed afterwards is not drawn again."""
    u, x = tf.random_uniform([2], seed=1), tf.placeholder(tf.float32)
    bad = tf.reshape(u, tf.cast(tf.shape(x), tf.int32))
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(bad, {x: np.zeros([3])})
        after = sess.run(u).tolist()
    with tf.Session() as sess:
        sess.run(u)
        assert sess.run(u).tolist() == after


def test_bounded_normals_as_nodes() -> None:
    tf.set_random_seed(3)
    made = parameterized_truncated_normal([2, 3], 0.0, minvals=-0.5, seed=1)
    graph = tf.get_default_graph()
    names = [op.name.rpartition("/")[2] for op in graph.get_operations()]
    assert names == ["shape", "means", "stddevs", "minvals", "maxvals", "ParameterizedTruncatedNormal"]
    assert (made.op.get_attr("seed"), made.op.get_attr("seed2")) == (3, 1)
    assert made.shape.as_list() == [2, 3]
    with tf.Session() as sess:
        value = sess.run(made)
    assert value.dtype == np.float32
    assert (value >= -0.5).all()
    with pytest.raises(ValueError, match="Shape must be at most rank 1 but is rank 2"):
        parameterized_truncated_normal([3], [[1.0]])


def test_logits_that_are_integers_have_no_kernel() -> None:
    drawn = tf.multinomial([[0, 1]], 2, seed=1)
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="No OpKernel was registered"):
        sess.run(drawn)


def test_bfloat16() -> None:
    u = tf.random_uniform([2], dtype=tf.bfloat16, seed=1)
    assert u.dtype == tf.bfloat16
    with tf.Session() as sess:
        assert sess.run(tf.cast(u, tf.float32)).tolist() == [0.5546875, 0.3046875]


def test_stateless_algorithms() -> None:
    made = [tf.random.stateless_uniform([3], [1, 2], alg=alg) for alg in ("auto_select", "philox", "PHILOX", 1, None)]
    with tf.Session() as sess:
        values = [value.tolist() for value in sess.run(made)]
    assert all(value == values[0] for value in values)
    with pytest.raises(ValueError, match="threefry"):
        tf.random.stateless_uniform([3], [1, 2], alg="threefry")


def test_stateless_ops_of_the_older_form_draw_the_same() -> None:
    graph = tf.get_default_graph()
    shape, seed = tf.constant([5]), tf.constant([1, 2])
    older = graph.create_op("StatelessRandomUniform", [shape, seed], attrs={"dtype": tf.float32}).outputs[0]
    newer = tf.random.stateless_uniform([5], [1, 2], 0, 1)
    with tf.Session() as sess:
        first, second = sess.run([older, newer])
    assert first.tolist() == second.tolist()
