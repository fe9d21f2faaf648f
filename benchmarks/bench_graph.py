"""Building graphs: ops in a chain, variables in nested scopes, and whether the time stays linear."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Case, Suite


def _chain(count: int) -> Callable[[Any, int], Callable[[], object]]:
    """`count` binary operations, each on the result before it."""

    def make(tf: Any, threads: int) -> Callable[[], object]:
        def build() -> object:
            with tf.Graph().as_default() as graph:
                x = tf.placeholder(tf.float32, [32, 32], name="x")
                y = x
                for _ in range(count // 2):
                    y = tf.multiply(tf.add(y, x), x)
                return graph

        return build

    return make


def _variables(count: int) -> Callable[[Any, int], Callable[[], object]]:
    """`get_variable` in scopes that are nested two deep, ten in each."""

    def make(tf: Any, threads: int) -> Callable[[], object]:
        def build() -> object:
            with tf.Graph().as_default() as graph:
                zeros = tf.zeros_initializer()
                for outer in range(count // 100):
                    with tf.variable_scope(f"outer{outer}"):
                        for inner in range(10):
                            with tf.variable_scope(f"inner{inner}"):
                                for number in range(10):
                                    tf.get_variable(f"v{number}", [4, 4], initializer=zeros)
                return graph

        return build

    return make


SUITE = Suite(
    "Building graphs",
    [
        Case("1,000 ops", _chain(1_000), target=0.06, work=1_000, unit="ops"),
        Case("10,000 ops", _chain(10_000), target=0.06, work=10_000, unit="ops"),
        Case("2,000 nested get_variable", _variables(2_000), target=0.06, work=2_000, unit="variables"),
    ],
    note="The goal is 0.02. `python -m benchmarks.linear` shows the time an op takes in graphs of up to 100,000.",
)
