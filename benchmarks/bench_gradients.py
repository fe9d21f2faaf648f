"""Building gradients: of chains of one op, and of a mixture, short and long. Only `tf.gradients` is timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Case, Suite


def _tanh(tf: Any, y: Any, x: Any, w: Any) -> Any:
    return tf.tanh(y)


def _multiply(tf: Any, y: Any, x: Any, w: Any) -> Any:
    return tf.multiply(y, x)


def _add(tf: Any, y: Any, x: Any, w: Any) -> Any:
    return tf.add(y, x)


def _matmul(tf: Any, y: Any, x: Any, w: Any) -> Any:
    return tf.matmul(y, w)


def _mixture(tf: Any, y: Any, x: Any, w: Any) -> Any:
    return tf.multiply(tf.tanh(tf.matmul(tf.add(y, x), w)), x)


def _chain(link: Callable[[Any, Any, Any, Any], Any], links: int) -> Callable[[Any, int], Callable[[], Any]]:
    """A chain in a new graph, whose gradient is then built."""

    def make(tf: Any, threads: int) -> Callable[[], Any]:
        def stage() -> Callable[[], object]:
            graph = tf.Graph()
            with graph.as_default():
                x, w = tf.placeholder(tf.float32, [32, 32]), tf.placeholder(tf.float32, [32, 32])
                y = x
                for _ in range(links):
                    y = link(tf, y, x, w)

            def build() -> object:
                with graph.as_default():
                    return tf.gradients(y, [x])

            return build

        return stage

    return make


def _case(name: str, link: Callable[[Any, Any, Any, Any], Any], ops: int, links: int) -> Case:
    return Case(name, _chain(link, links), target=0.05, work=ops, unit="ops", staged=True)


SUITE = Suite(
    "Building gradients",
    [
        _case("tanh, 1,000 ops", _tanh, 1_000, 1_000),
        _case("multiply, 1,000 ops", _multiply, 1_000, 1_000),
        _case("add, 1,000 ops", _add, 1_000, 1_000),
        _case("matmul, 1,000 ops", _matmul, 1_000, 1_000),
        _case("mixture, 200 ops", _mixture, 200, 50),
        _case("mixture, 1,000 ops", _mixture, 1_000, 250),
        _case("mixture, 10,000 ops", _mixture, 10_000, 2_500),
    ],
    note="The ops are those of the chain; its gradient has up to twice as many nodes.",
)
