"""Functions with gradients of their own: what lives how long, where nodes come from, graphs that change."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.gradients import registry


@tf.custom_gradient
def clipped(x: Any) -> Any:
    """The value as it is; its gradient within 0.5."""

    def grad(dy: Any) -> Any:
        return tf.clip_by_value(dy, -0.5, 0.5, name="inner")

    return tf.identity(x), grad


def test_the_function_keeps_its_name() -> None:
    assert clipped.__name__ == "clipped"
    assert clipped.__doc__ == "The value as it is; its gradient within 0.5."


def test_graphs_go_and_their_gradients_with_them() -> None:
    before = len(registry.brought_along)
    with tf.Graph().as_default() as graph:
        x = tf.constant(2.0)
        y = clipped(x)
        tf.gradients(y, x)
        assert len(registry.brought_along) == before + 1
    gone = weakref.ref(graph)
    del graph, x, y
    gc.collect()
    assert gone() is None
    assert len(registry.brought_along) == before


def test_rolled_back() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.constant([2.0, 3.0])
        mark = graph.mark()
        clipped(x)
        cut = graph.cut(mark)
        y = clipped(x)
        assert session.run(tf.gradients(y * 3.0, x)[0]).tolist() == [0.5, 0.5]
        graph.put_back(cut)
        y = graph.get_tensor_by_name("IdentityN:0")
        assert session.run(tf.gradients(y * 3.0, x)[0]).tolist() == [0.5, 0.5]


def test_through_a_graph_def() -> None:
    with tf.Graph().as_default() as first:
        clipped(tf.placeholder(tf.float32, [], name="x"))
        message = first.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(2.0)
        (y,) = tf.import_graph_def(message, {"x": x}, ["IdentityN:0"])
        assert session.run(tf.gradients(y * 3.0, x)[0]) == 0.5
        assert first is not None


def test_nodes_of_gradients_come_from_the_call_and_those_of_ones_own_from_ones_own_lines() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(2.0)
        y = clipped(tf.tanh(x))
        tf.gradients(y, x)
        of_library = graph.get_operation_by_name("gradients/Tanh_grad/TanhGrad")
        start = graph.get_operation_by_name("gradients/grad_ys_0")
        own = graph.get_operation_by_name("gradients/IdentityN_grad/inner")
    assert of_library.source == start.source
    assert of_library.source is not None
    assert of_library.source.text == "tf.gradients(y, x)"
    assert of_library.source.file == __file__
    assert own.source is not None
    assert own.source.text.startswith('return tf.clip_by_value(dy, -0.5, 0.5, name="inner")')
    assert [place.function for place in own.traceback][-1] == "grad"
    assert own.traceback[-2].text == "tf.gradients(y, x)"


def test_an_error_in_ones_own_gradient_leaves_scopes_as_they_were() -> None:
    @tf.custom_gradient
    def fails(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            raise RuntimeError("mine")

        return x * 2.0, grad

    with tf.Graph().as_default() as graph:
        x = tf.constant(2.0)
        y = fails(x)
        with pytest.raises(RuntimeError, match="mine"):
            tf.gradients(y, x)
        assert graph.get_name_scope() == ""
        assert graph.scope_state.trace is None
        assert tf.add(x, x, name="after").name == "after:0"


def test_training_with_a_straight_through_estimator() -> None:
    """Rounding has no gradient; passed through, it trains."""
    quantize = tf.grad_pass_through(tf.round)
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable([0.2, 5.1])
        loss = tf.reduce_sum(tf.square(quantize(w) - [3.0, 2.0]))
        step = tf.assign_sub(w, 0.1 * tf.gradients(loss, w)[0])
        session.run(w.initializer)
        for _ in range(50):
            session.run(step)
        assert session.run(loss) == 0.0


def test_hessians_of_a_quadratic_form() -> None:
    matrix = np.array([[2.0, 1.0], [0.0, 3.0]])
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[1.0], [2.0]], tf.float64)
        y = tf.matmul(x, tf.matmul(tf.constant(matrix), x), transpose_a=True)
        found = session.run(tf.hessians(y, x)[0])
    np.testing.assert_allclose(found.reshape(2, 2), matrix + matrix.T)


def test_gradient_checks_need_a_session() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1.0])
        with pytest.raises(ValueError, match="default session"):
            tf.test.compute_gradient(x, [1], x * 2.0, [1])
        with tf.Session(), pytest.raises(AssertionError, match="does not depend on x"):
            tf.test.compute_gradient(x, [1], tf.constant([2.0]), [1])


def test_gradient_checks_at_random_places_and_of_nothing() -> None:
    with tf.Graph().as_default(), tf.Session():
        x = tf.placeholder(tf.float64, [3])
        y = tf.tanh(x) * x
        assert tf.test.compute_gradient_error(x, [3], y, [3]) < 1e-5
        none = tf.placeholder(tf.float64, [0])
        assert tf.test.compute_gradient_error(none, [0], none * 2.0, [0]) == 0
        z = tf.placeholder(tf.complex128, [2])
        assert tf.test.compute_gradient_error(z, [2], tf.exp(z), [2]) < 1e-5


def test_what_was_registered_goes_with_what_is_rolled_back() -> None:
    """A cell that registers a gradient can be run again."""

    def register(factor: float) -> None:
        tf.RegisterGradient("OfARolledBackCell")(lambda op, dy: dy * factor)

    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.constant(1.0)
        with graph.gradient_override_map({"Square": "OfARolledBackCell"}):
            y = tf.square(x)
        mark = graph.mark()
        register(5.0)
        with pytest.raises(KeyError, match="OfARolledBackCell"):
            register(6.0)
        cut = graph.cut(mark)
        register(7.0)
        assert session.run(tf.gradients(y, x)[0]) == 7.0
        graph.put_back(cut)
        assert session.run(tf.gradients(y, x)[0]) == 5.0
        with pytest.raises(KeyError, match="OfARolledBackCell"):
            register(6.0)
        graph.roll_back(mark)
        with pytest.raises(LookupError):
            tf.gradients(y, x)
