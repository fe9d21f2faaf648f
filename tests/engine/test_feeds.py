"""What is fed again and again: plans and checks that are remembered, and what must be seen all the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.kernels import quiet


@pytest.fixture(params=["run", "callable"])
def double(request: pytest.FixtureRequest) -> Any:
    """(placeholder, a function that feeds it and doubles it), after two runs."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        doubled = x * 2
        function = session.make_callable(doubled, [x])

        def feed(value: Any) -> Any:
            return session.run(doubled, {x: value}) if request.param == "run" else function(value)

        for _ in range(2):
            np.testing.assert_array_equal(feed(np.ones((2, 3), np.float32)), np.full((2, 3), 2))
        yield x, feed


@pytest.mark.parametrize("value", [[[1, 2, 3]], np.ones((4, 3)), np.ones((1, 3), np.float16), np.ones((2, 3), ">f4")])
def test_other_values(double: Any, value: Any) -> None:
    made = double[1](value)
    assert made.dtype == np.float32
    np.testing.assert_array_equal(made, 2 * np.asarray(value, np.float32))


@pytest.mark.parametrize("value", [np.ones((2, 4), np.float32), np.ones(3, np.float32), np.float32(1)])
def test_a_shape_that_does_not_fit(double: Any, value: Any) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            double[1](value)


def test_a_shape_that_is_set_later(double: Any) -> None:
    x, feed = double
    x.set_shape([5, 3])
    with pytest.raises(ValueError, match="Cannot feed value of shape"):
        feed(np.ones((2, 3), np.float32))
    assert feed(np.ones((5, 3), np.float32)).shape == (5, 3)


def test_a_tensor_that_may_not_be_fed_any_more(double: Any) -> None:
    x, feed = double
    x.graph.prevent_feeding(x)
    with pytest.raises(ValueError, match="may not be fed"):
        feed(np.ones((2, 3), np.float32))


def test_strings_are_looked_at_each_time() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.string, [2])
        y = tf.identity(x)
        value = np.array([b"a", "b"], object)
        for _ in range(3):
            assert session.run(y, {x: value}).tolist() == [b"a", b"b"]
        value[1] = 3
        with pytest.raises((TypeError, ValueError)):
            session.run(y, {x: value})


def test_what_is_kept_under_one_key_is_one_plan() -> None:
    """Forms of one nest, and keys of one feed, next to each other."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32, [], name="x"), tf.placeholder(tf.float32, [], name="y")
        a, b = tf.add(x, y, name="a"), tf.subtract(x, y, name="b")
        for _ in range(3):
            for feed in ({x: 3, y: 1}, {y: 1, x: 3}, {"x:0": 3, y: 1}, {(x, y): (3, 1)}):
                assert session.run(a, feed) == 4
                assert session.run("a:0", feed) == 4
                assert session.run([a, b], feed) == [4, 2]
                assert session.run((a, b), feed) == (4, 2)
                assert session.run([b, a, b, a.op, "a:0"], feed) == [2, 4, 2, None, 4]
                assert session.run({"s": [a], "d": (b, a)}, feed) == {"s": [4], "d": (2, 4)}
                assert session.run([[a], b], feed) == [[4], 2]
                assert list(session.run({"s": a, "d": b}, feed).items()) == [("s", 4), ("d", 2)]
                assert list(session.run({"d": a, "s": b}, feed).items()) == [("d", 4), ("s", 2)]
                assert list(session.run({"d": b, "op": a.op, "x": "x:0"}, feed).values()) == [2, None, 3]
                assert session.run({1: a, None: b}, feed) == {1: 4, None: 2}
            assert session.run([], {x: 3}) == []
            assert session.run({}, {x: 3}) == {}
            assert session.run([x, b], {x: 3, y: 1}) == [3, 2]
            assert session.run(b, {x: 3, a: 9, y: 1}) == 2
            with pytest.raises(TypeError, match="feed_dict must be a dictionary"):
                session.run(a, [x])
            with pytest.raises(TypeError, match="None"):
                session.run([a, None], {x: 3, y: 1})
            with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder"):
                session.run([a, b], {x: 3})
            with pytest.raises(TypeError, match=r"cannot be a tf\.Tensor object"):
                session.run(a, {x: x, y: 1})


def test_nests_with_variables() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [], name="x")
        plain, resource = tf.Variable(1.0, name="v"), tf.Variable(2.0, use_resource=True)
        sparse = tf.SparseTensor([[0]], [x], [1])
        session.run(tf.global_variables_initializer())
        for number in range(3):
            feed = {x: number}
            assert session.run(plain) == session.run(plain._ref()) == 1
            assert session.run(resource) == 2
            assert session.run([plain, [x, (resource, "v:0")], plain], feed) == [1, [number, (2, 1)], 1]
            assert session.run({"a": [x, resource], "b": {"c": plain}}, feed) == {"a": [number, 2], "b": {"c": 1}}
            assert session.run([x, sparse], feed)[1].values.tolist() == [number]
            assert session.run(([], {}, ()), feed) == ([], {}, ())
            with pytest.raises(TypeError, match="None"):
                session.run([x, [None]], feed)
            session.run(plain.assign(7))
            assert session.run([plain, [x]], feed) == [7, [number]]
            session.run(plain.assign(1))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.constant(1)
        with pytest.raises(ValueError, match="interpreted as a Tensor"):
            session.run([plain])


def test_values_of_a_plan_are_not_those_of_another_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        kept = [session.run([x, x + 1], {x: np.full(2, number, np.float32)}) for number in range(4)]
        for number, (fed, more) in enumerate(kept):
            np.testing.assert_array_equal(fed, [number] * 2)
            np.testing.assert_array_equal(more, [number + 1] * 2)


@pytest.mark.parametrize("plain", [False, True])
def test_quiet_is_as_errstate(plain: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if plain:
        monkeypatch.setattr(quiet, "begin", quiet._enter_errstate)
        monkeypatch.setattr(quiet, "end", quiet._leave_errstate)
    one, nothing = np.ones(2, np.float32), np.zeros(2, np.float32)
    before = np.geterr()
    with np.errstate(all="raise"):
        with quiet.quiet():
            assert np.geterr() == dict.fromkeys(before, "ignore")
            assert np.isinf(one / nothing).all()
            with quiet.quiet():
                np.log(nothing - 1)
        with pytest.raises(FloatingPointError):
            _ = one / nothing
    assert np.geterr() == before
    with pytest.raises(KeyError), quiet.quiet():
        raise KeyError
    assert np.geterr() == before


def test_numbers_and_arrays_fed_together() -> None:
    """Numbers become scalars of NumPy's for the generated function; what was fed is what is fetched."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, rate = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [])
        y = x * (rate + rate)
        for number in range(4):
            for fed in (float(number), np.float32(number), np.array(number, np.float32)):
                made, kept = session.run([y, rate], {x: np.ones(3, np.float32), rate: fed})
                np.testing.assert_array_equal(made, [2 * number] * 3)
                assert kept == number
                assert kept.shape == ()
