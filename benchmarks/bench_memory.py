"""How much memory a backward pass takes: its peak against the least that its plan can do with.

`python -m benchmarks memory`. The bound is the plan's own: for each step, the bytes of all values that it or a later
step needs, and of what it makes; the largest sum is the least that a run in this order takes. What the compiled run
really allocates is counted by `tracemalloc`, which NumPy tells about its arrays. Constants, variables and feeds were
there before, and count for neither. A kernel's working memory counts for the peak alone.
"""

from __future__ import annotations

import itertools
import json
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import harness

#: the largest ratio that is good
TARGET = 1.2


class MemoryCase:
    """One line: `make(tf)` returns what is fetched, and the feeds."""

    def __init__(self, name: str, make: Callable[[Any], tuple[Any, dict[Any, Any]]]) -> None:
        self.name = name
        self.make = make


def _array(*shape: int) -> Any:
    import numpy as np

    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32) * np.float32(0.1)


def _train(tf: Any, loss: Any, variables: Sequence[Any]) -> Any:
    """A step of gradient descent, as one op."""
    gradients = tf.gradients(loss, list(variables))
    return tf.group(*(tf.assign_sub(v, 0.01 * g) for v, g in zip(variables, gradients, strict=True)))


def _elementwise(tf: Any) -> tuple[Any, dict[Any, Any]]:
    x = tf.placeholder(tf.float32, [None])
    y = x
    for number in range(40):
        y = tf.tanh(y) if number % 2 else y * 1.01 + 0.1
    return tf.gradients(tf.reduce_sum(y), x)[0], {x: _array(200_000)}


def _network(tf: Any) -> tuple[Any, dict[Any, Any]]:
    x, labels = tf.placeholder(tf.float32, [None, 256]), tf.placeholder(tf.int32, [None])
    sizes = [256, 256, 256, 256, 256, 256, 10]
    weights = [tf.Variable(_array(a, b)) for a, b in itertools.pairwise(sizes)]
    y = x
    for w in weights[:-1]:
        y = tf.nn.relu(tf.matmul(y, w))
    logits = tf.matmul(y, weights[-1])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    import numpy as np

    return _train(tf, loss, weights), {x: _array(2_000, 256), labels: np.arange(2_000, dtype=np.int32) % 10}


def _convolutions(tf: Any) -> tuple[Any, dict[Any, Any]]:
    x = tf.placeholder(tf.float32, [None, 32, 32, 8])
    filters = [tf.Variable(_array(3, 3, 8, 8)) for _ in range(6)]
    y = x
    for f in filters:
        y = tf.nn.relu(tf.nn.conv2d(y, f, [1, 1, 1, 1], "SAME"))
    loss = tf.reduce_sum(tf.square(y))
    return _train(tf, loss, filters), {x: _array(32, 32, 32, 8)}


def _recurrent(tf: Any) -> tuple[Any, dict[Any, Any]]:
    x = tf.placeholder(tf.float32, [None, 128])
    w = tf.Variable(_array(128, 128))
    h = tf.zeros_like(x)
    for _ in range(30):
        h = tf.tanh(tf.matmul(h, w) + x)
    return _train(tf, tf.reduce_sum(h * h), [w]), {x: _array(1_000, 128)}


def _loop(tf: Any) -> tuple[Any, dict[Any, Any]]:
    """No backward pass, but many iterations that must not add up."""
    x = tf.placeholder(tf.float32, [None])

    def body(i: Any, y: Any) -> Any:
        z = tf.exp(-y * y)
        return i + 1, tf.sqrt(z + 1.0) * y - z

    return tf.while_loop(lambda i, _: i < 100, body, [0, x])[1], {x: _array(200_000)}


CASES = [
    MemoryCase("40 elementwise ops and back", _elementwise),
    MemoryCase("6 dense layers, training", _network),
    MemoryCase("6 convolutions, training", _convolutions),
    MemoryCase("30 recurrent steps, training", _recurrent),
    MemoryCase("a loop of 100 iterations", _loop),
]


def measure(case: MemoryCase) -> dict[str, int]:
    """Bytes: `bound`, the least that the plan can do with, and `peak`, what a compiled run takes."""
    import tfbench as tf

    with tf.Graph().as_default(), tf.Session() as running:
        fetches, feeds = case.make(tf)
        running.run(tf.global_variables_initializer())
        call = running.make_callable(fetches, list(feeds))
        values = list(feeds.values())
        for _ in range(2):  # from the second run on it is a compiled function
            call(*values)
        tracemalloc.start()
        try:
            begun, _ = tracemalloc.get_traced_memory()
            call(*values)
            peak = tracemalloc.get_traced_memory()[1] - begun
        finally:
            tracemalloc.stop()
        return {"bound": lower_bound(running.plan(fetches, list(feeds)), values), "peak": peak}


def lower_bound(plan: Any, feeds: Sequence[Any]) -> int:
    """The largest sum, over the steps of a run, of the bytes that are needed then."""
    import numpy as np

    from tfbench.engine.hooks import StepObserver
    from tfbench.engine.interpret import Interpreter

    def owner(value: Any) -> Any:
        """Whose memory a value is: views of an array are the array."""
        while isinstance(getattr(value, "base", None), np.ndarray):
            value = value.base
        return value

    values = plan.program.begin()
    for tensor, value in zip(plan.feeds, feeds, strict=True):
        values[plan.program.slots[tensor]] = value
    there = {id(owner(value)) for value in values}
    there.update(id(buffer.array) for buffer in values if hasattr(buffer, "array"))
    most = 0

    class Look(StepObserver):
        def __call__(self, *_: Any) -> None:
            nonlocal most
            owners = map(owner, values)
            now = {id(own): own.nbytes for own in owners if isinstance(own, np.ndarray) and id(own) not in there}
            most = max(most, sum(now.values()))

    Interpreter(plan.program, values, Look()).run(plan.program.steps)
    return most


def table(results: dict[str, dict[str, int]]) -> str:
    """The results as a Markdown table."""
    lines = ["|  | bound | peak | ratio | target |  |", "|---|---|---|---|---|---|"]
    for name, found in results.items():
        ratio = found["peak"] / found["bound"]
        verdict = "yes" if ratio <= TARGET else "**no**"
        row = [name, f"{found['bound'] / 1e6:.2f} MB", f"{found['peak'] / 1e6:.2f} MB", harness.number(ratio)]
        lines.append("| " + " | ".join([*row, f"≤ {TARGET:g}", verdict]) + " |")
    return "\n".join(lines)


def main(save: bool = True) -> None:
    results = {case.name: measure(case) for case in CASES}
    print(f"\n### Memory of a run: the peak against the plan's lower bound\n\n{table(results)}")
    if save:
        path = harness.RESULTS / "memory-1.json"
        text = json.dumps({"machine": harness.machine(), "target": TARGET, "cases": results}, indent=1)
        path.write_text(text + "\n")
        print(f"\nsamples: {path.relative_to(harness.ROOT)}")


if __name__ == "__main__":
    main(save="--no-save" not in sys.argv)
