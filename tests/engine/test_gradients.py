"""Gradients against finite differences, to second order, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfbench as tf

Function = Callable[..., Any]

#: away from every kink, from zero and from each other
A = np.array([[0.7, -1.3, 2.1], [1.6, 0.35, -0.6]])
P = np.abs(A) + 0.2
ROW = np.array([0.45, 1.2, -0.8])
MAPS = np.sin(np.arange(2 * 4 * 4 * 2) * 1.7).reshape(2, 4, 4, 2)
FILTER = np.cos(np.arange(3 * 3 * 2 * 2) * 0.9).reshape(3, 3, 2, 2)
DISTRIBUTION = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])

#: a function of tensors and the values at which it is differentiated
CASES: dict[str, tuple[Function, list[Any]]] = {
    "add": (lambda x, y: x + y, [A, ROW]),
    "sub": (lambda x, y: x - y, [ROW, A]),
    "mul": (lambda x, y: x * y, [A, ROW]),
    "div": (lambda x, y: x / y, [A, ROW]),
    "div_no_nan": (lambda x, y: tf.div_no_nan(x, y), [A, ROW]),
    "pow": (lambda x, y: x**y, [P, ROW]),
    "mod": (lambda x, y: tf.mod(x, y), [A, np.abs(ROW)]),
    "maximum": (lambda x, y: tf.maximum(x, y), [A, ROW]),
    "minimum": (lambda x, y: tf.minimum(x, y), [ROW, A]),
    "squared_difference": (lambda x, y: tf.squared_difference(x, y), [A, ROW]),
    "neg": (lambda x: -x, [A]),
    "abs": (lambda x: tf.abs(x), [A]),
    "square": (lambda x: tf.square(x), [A]),
    "sqrt": (lambda x: tf.sqrt(x), [P]),
    "rsqrt": (lambda x: tf.rsqrt(x), [P]),
    "reciprocal": (lambda x: tf.reciprocal(x), [A]),
    "exp": (lambda x: tf.exp(x), [A]),
    "expm1": (lambda x: tf.expm1(x), [A]),
    "log": (lambda x: tf.log(x), [P]),
    "log1p": (lambda x: tf.log1p(x), [P]),
    "tanh": (lambda x: tf.tanh(x), [A]),
    "sigmoid": (lambda x: tf.sigmoid(x), [A]),
    "sin": (lambda x: tf.sin(x), [A]),
    "cos": (lambda x: tf.cos(x), [A]),
    "tan": (lambda x: tf.tan(x), [A]),
    "sinh": (lambda x: tf.sinh(x), [A]),
    "cosh": (lambda x: tf.cosh(x), [A]),
    "asin": (lambda x: tf.asin(x), [A / 4]),
    "acos": (lambda x: tf.acos(x), [A / 4]),
    "atan": (lambda x: tf.atan(x), [A]),
    "asinh": (lambda x: tf.asinh(x), [A]),
    "acosh": (lambda x: tf.acosh(x), [P + 1.5]),
    "atanh": (lambda x: tf.atanh(x), [A / 4]),
    "erf": (lambda x: tf.erf(x), [A]),
    "erfc": (lambda x: tf.erfc(x), [A]),
    "unsorted_segment_sum": (lambda x: tf.unsorted_segment_sum(x, [1, -1], 3), [A]),
    "cumprod": (lambda x: tf.cumprod(x, 1, exclusive=True), [A]),
    "relu": (lambda x: tf.nn.relu(x), [A]),
    "relu6": (lambda x: tf.nn.relu6(x), [A]),
    "leaky_relu": (lambda x: tf.nn.leaky_relu(x), [A]),
    "elu": (lambda x: tf.nn.elu(x), [A]),
    "selu": (lambda x: tf.nn.selu(x), [A]),
    "softplus": (lambda x: tf.nn.softplus(x), [A]),
    "softsign": (lambda x: tf.nn.softsign(x), [A]),
    "softmax": (lambda x: tf.nn.softmax(x), [A]),
    "log_softmax": (lambda x: tf.nn.log_softmax(x), [A]),
    "cross_entropy": (
        lambda x, p: tf.nn.softmax_cross_entropy_with_logits_v2(labels=p, logits=x),
        [A, DISTRIBUTION],
    ),
    "sparse_cross_entropy": (
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0], logits=x),
        [A],
    ),
    "sigmoid_cross_entropy": (
        lambda x, p: tf.nn.sigmoid_cross_entropy_with_logits(labels=p, logits=x),
        [A, DISTRIBUTION],
    ),
    "l2_loss": (lambda x: tf.nn.l2_loss(x), [A]),
    "bias_add": (lambda x, b: tf.nn.bias_add(x, b), [A, ROW]),
    "matmul": (lambda x, y: tf.matmul(x, y), [A, A.T + 0.1]),
    "matmul_transposed": (lambda x, y: tf.matmul(x, y, transpose_a=True, transpose_b=True), [A.T, A + 0.1]),
    "batch_matmul": (lambda x, y: tf.matmul(x, y), [np.stack([A, P]), A.T + 0.1]),
    "batch_matmul_adjoint": (lambda x, y: tf.matmul(x, y, adjoint_b=True), [np.stack([A, P]), np.stack([P, A])]),
    "sum": (lambda x: tf.reduce_sum(x, 1), [A]),
    "mean": (lambda x: tf.reduce_mean(x, 0, keepdims=True), [A]),
    "max": (lambda x: tf.reduce_max(x, 1), [A]),
    "min": (lambda x: tf.reduce_min(x), [A]),
    "prod": (lambda x: tf.reduce_prod(x, 1), [A]),
    "prod_with_zero": (lambda x: tf.reduce_prod(x), [np.array([2.0, 0.0, 3.0])]),
    "cumsum": (lambda x: tf.cumsum(x, 1, exclusive=True), [A]),
    "segment_sum": (lambda x: tf.reshape(tf.segment_sum(x, [0, 0]), [1, 3]), [A]),
    "reshape": (lambda x: tf.reshape(x, [3, 2]), [A]),
    "squeeze": (lambda x: tf.squeeze(tf.expand_dims(x, 0)), [A]),
    "transpose": (lambda x: tf.transpose(x), [A]),
    "concat": (lambda x, y: tf.concat([x, y, x], 1), [A, P]),
    "concat_many": (lambda x: tf.concat([x] * 17, 1), [A]),
    "split": (lambda x: tf.split(x, [1, 2], 1)[1], [A]),
    "stack": (lambda x, y: tf.stack([x, y], 1), [A, P]),
    "unstack": (lambda x: tf.unstack(x, 3, axis=1)[0], [A]),
    "slice": (lambda x: tf.slice(x, [0, 1], [2, 2]), [A]),
    "strided_slice": (lambda x: x[::-1, tf.newaxis, ::2], [A]),
    "pad": (lambda x: tf.pad(x, [[1, 0], [0, 2]]), [A]),
    "mirror_pad": (lambda x: tf.pad(x, [[1, 0], [2, 1]], "SYMMETRIC"), [A]),
    "tile": (lambda x: tf.tile(x, [2, 3]), [A]),
    "gather": (lambda x: tf.gather(x, [1, 0, 1]), [A]),
    "gather_axis": (lambda x: tf.gather(x, [[2, 2], [0, 1]], axis=1), [A]),
    "gather_batch": (lambda x: tf.gather(x, [[2, 2], [0, 1]], batch_dims=1), [A]),
    "gather_batch_axis": (
        lambda x: tf.gather(x, [[1, 1], [0, 1]], axis=2, batch_dims=1),
        [np.arange(2 * 3 * 2 * 2).reshape(2, 3, 2, 2) / 7.0],
    ),
    "gather_nd": (lambda x: tf.gather_nd(x, [[1, 2], [0, 0], [1, 2]]), [A]),
    "where": (lambda x, y: tf.where(x > 0, x, y), [A, P]),
    "where_v2": (lambda x, y: tf.where_v2(x > 0, x, y), [A, ROW]),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [2, 3]), [ROW]),
    "fill": (lambda x: tf.fill([2, 2], x), [np.array(0.7)]),
    "reverse": (lambda x: tf.reverse(x, [1]), [A]),
    "conv2d": (lambda x, w: tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME"), [MAPS, FILTER]),
    "multiply_no_nan": (lambda x, y: tf.math.multiply_no_nan(x, y), [A, ROW]),
    "max_pool": (lambda x: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"), [MAPS]),
    "avg_pool": (lambda x: tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 1, 1, 1], "SAME"), [MAPS]),
}

#: whose gradient TensorFlow does not differentiate (softsign), or not rightly (products with zeros, labels that do not
#: add up to 1)
ONCE_ONLY = {"prod_with_zero", "softsign", "cross_entropy"}


def weighted(y: Any) -> Any:
    """A number that depends on every element of `y` in another way."""
    size = int(np.prod(y.shape.as_list()))
    weights = np.cos(np.arange(size) * 1.3).reshape(y.shape.as_list()) + 1.5
    return tf.reduce_sum(y * tf.constant(weights, tf.float64))


def differences(f: Callable[[list[Any]], float], values: list[Any], step: float = 1e-5) -> list[Any]:
    found = []
    for i, value in enumerate(values):
        slope = np.zeros_like(value)
        for index in np.ndindex(value.shape):
            sides = []
            for sign in (1, -1):
                moved = [np.array(v) for v in values]
                moved[i][index] += sign * step
                sides.append(f(moved))
            slope[index] = (sides[0] - sides[1]) / (2 * step)
        found.append(slope)
    return found


@pytest.mark.filterwarnings("ignore:Converting sparse")
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize("case", CASES)
def test_first_order(case: str, known: bool) -> None:
    function, values = CASES[case]
    with tf.Graph().as_default(), tf.Session() as sess:
        exact = [tf.placeholder(tf.float64, value.shape) for value in values]
        xs = [tf.placeholder_with_default(x, x.shape if known else [None] * len(x.shape)) for x in exact]
        y = function(*xs)
        y.set_shape(function(*exact).shape)
        y = weighted(y)
        grads = [tf.convert_to_tensor(g) for g in tf.gradients(y, xs)]
        found = sess.run(grads, dict(zip(exact, values)))
        expected = differences(lambda moved: sess.run(y, dict(zip(exact, moved))), values)
    for x, g, e in zip(values, found, expected):
        assert g.shape == x.shape
        assert g.dtype == np.float64
        np.testing.assert_allclose(g, e, rtol=1e-6, atol=1e-7)


@pytest.mark.filterwarnings("ignore:Converting sparse")
@pytest.mark.parametrize("case", sorted(set(CASES) - ONCE_ONLY))
def test_second_order(case: str) -> None:
    function, values = CASES[case]
    with tf.Graph().as_default(), tf.Session() as sess:
        xs = [tf.placeholder(tf.float64, value.shape) for value in values]
        y = weighted(tf.square(function(*xs)))
        first = sum(weighted(tf.convert_to_tensor(g)) for g in tf.gradients(y, xs))
        grads = tf.gradients(first, xs, unconnected_gradients="zero")
        found = sess.run([tf.convert_to_tensor(g) for g in grads], dict(zip(xs, values)))
        expected = differences(lambda moved: sess.run(first, dict(zip(xs, moved))), values)
    for g, e in zip(found, expected):
        np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6)


def test_a_long_chain_does_not_recurse() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = y = tf.constant(1.0)
        for _ in range(3000):
            y = -y
        (grad,) = tf.gradients(y, x)
        assert sess.run(grad) == 1.0


@pytest.mark.parametrize(
    ("build", "positive", "negative"),
    [
        (lambda x: tf.cond(x > 0.0, lambda: x * 2.0, lambda: -x), 2.0, -1.0),
        (lambda x: tf.case([(x > 0.0, lambda: x)], default=lambda: x * x), 1.0, -6.0),
    ],
)
def test_gradients_go_through_the_branch_that_is_taken(build: Any, positive: float, negative: float) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        (grad,) = tf.gradients(build(x), x)
        assert session.run(grad, {x: 3.0}) == positive
        assert session.run(grad, {x: -3.0}) == negative


def test_an_op_without_gradient_is_named() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        y = tf.truncatemod(x, 2.0, name="mine")
        message = re.escape("No gradient defined for operation 'mine' (op type: TruncateMod): TensorFlow has none")
        with pytest.raises(LookupError, match=message):
            tf.gradients(y, x)


def test_a_foreign_graph_is_refused() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
    with tf.Graph().as_default():
        y = tf.constant(1.0)
        with pytest.raises(ValueError, match="must be from the same graph"):
            tf.gradients(y, x)


def test_no_gradient_is_none_and_zeros_on_request() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
        assert tf.gradients(y * 2.0, x) == [None]
        (zeros,) = tf.gradients(y * 2.0, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        assert sess.run(zeros).tolist() == [0.0, 0.0]
        with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'maybe'"):
            tf.gradients(y, x, unconnected_gradients="maybe")


def test_a_registered_gradient_has_a_name_once() -> None:
    @tf.RegisterGradient("TestGradientsOnce")
    def double(op: Any, dy: Any) -> Any:
        return [2.0 * dy]

    with pytest.raises(KeyError, match=r"TestGradientsOnce.*Previous registration was in .*test_gradients.py"):
        tf.RegisterGradient("TestGradientsOnce")(double)
    with pytest.raises(KeyError, match="Registering two gradient with name 'Mul'"):
        tf.NoGradient("Mul")
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.RegisterGradient(7)  # type: ignore[arg-type]


def test_rolled_back_graphs_forget_what_was_worked_out() -> None:
    """TensorFlow works out a reduction's sizes once a graph, with nodes: rolled back, they are made again."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 3])
        y = tf.reduce_sum(x, 1)
        mark = graph.mark()
        tf.gradients(y, x)
        names = [op.name for op in graph.get_operations()]
        graph.roll_back(mark)
        tf.gradients(y, x)
        assert [op.name for op in graph.get_operations()] == names
