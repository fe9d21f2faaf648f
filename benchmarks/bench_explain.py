"""How long questions about a large graph take: `why`, `races` and `lint` on 10,000 operations.

`python -m benchmarks explain`. TensorFlow has no answers to compare with, so the targets are seconds: what a person
waits for without noticing much. The graph is a deep network with its training; one of the runs asked about has a race
on each of its variables, and one sets each variable several times.

And what it costs a loop of steps of about a millisecond to be looked at: bursts with and without, in turns, the CPU
time of the whole process (the threads that look count), the median of each.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

_LAYERS = 180
_ROUNDS = 5


def _graph(tf: Any) -> dict[str, Any]:
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    hidden = x
    for number in range(_LAYERS):
        weights = tf.get_variable(f"weights{number}", [8, 8])
        biases = tf.get_variable(f"biases{number}", [8])
        hidden = tf.nn.relu(tf.matmul(hidden, weights) + biases)
    loss = tf.reduce_mean(tf.square(hidden), name="loss")
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer().minimize(loss, global_step=step)
    with tf.control_dependencies([train]):
        after = [tf.reduce_sum(v) for v in tf.trainable_variables()[:1]]
    decayed = [tf.assign(v, v * 0.5) for v in tf.trainable_variables()]
    set_over = [tf.assign(v, tf.zeros_like(v)) for v in tf.trainable_variables()]
    with tf.control_dependencies([*decayed, *set_over]):
        last = [tf.assign(v, tf.ones_like(v)) for v in tf.trainable_variables()]
    return {
        "loss": loss, "train": [train, loss, *after], "racing": [train, *decayed], "set over": last,
        "init": tf.global_variables_initializer(),
    }  # fmt: skip


def _questions(tf: Any, found: dict[str, Any], session: Any) -> list[tuple[str, float, Callable[[], Any]]]:
    from tfbench.snapshot import take

    explain = tf.explain
    return [
        ("why", 1.0, lambda: explain.why("weights0/read", found["train"])),
        ("races, an inference", 1.0, lambda: explain.races(found["loss"])),
        ("races, a training step", 1.0, lambda: explain.races(found["train"])),
        ("races, one on each variable", 1.0, lambda: explain.races(found["racing"])),
        ("races, variables set over", 1.0, lambda: explain.races(found["set over"])),
        ("races, all initializers and a read", 1.0, lambda: explain.races([found["init"], found["loss"]])),
        ("snapshot, all that a view sees", 0.2, lambda: take(tf.get_default_graph(), session, stats=False)),
        ("lint, the graph alone", 2.0, lambda: explain.lint(tf.get_default_graph())),
        ("lint, after a run", 2.0, lambda: explain.lint(session=session)),
    ]


def _loop(tf: Any) -> tuple[Any, Callable[[], Any], Any]:
    """A session and a training step of about a millisecond, with its loss."""
    x = tf.ones([300, 256])
    hidden = x
    for number in range(3):
        hidden = tf.layers.dense(hidden, 128, tf.nn.relu, name=f"dense{number}")
    loss = tf.reduce_mean(tf.square(hidden), name="loss")
    train = tf.train.AdamOptimizer().minimize(loss)
    session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1))
    session.run(tf.global_variables_initializer())
    return session, lambda: session.run(train), loss


def _onlookers(tf: Any, session: Any, loss: Any) -> list[tuple[str, float, Callable[[], Callable[[], None]]]]:
    """What may look at the loop, how much slower it may get, and a function that begins and returns what ends it."""

    def watching(*what: Any) -> Callable[[], Callable[[], None]]:
        return lambda: tf.watch(*what, session=session).stop

    def panel() -> Callable[[], None]:
        from tfbench.widgets.publisher import Publisher

        publisher = Publisher(session.graph, session, lambda content, buffers: None)
        publisher.receive({"v": 1, "kind": "hello"})
        return publisher.close

    def breakpoint() -> Callable[[], None]:
        control = tf.explain.control(session)
        control.breakpoints.add("nan")
        return control.leave

    return [
        ("%watch of a loss that is not fetched", _MOST, watching(loss)),
        ("%watch of an activation and two variables", _MOST, watching("dense1/Relu", "dense0/kernel", "dense1/kernel")),
        ("a panel that shows it, with its buttons", _MOST, panel),
        ("a breakpoint on the first NaN: every run step by step", _MOST_STEPPED, breakpoint),
    ]


def _looking(tf: Any) -> bool:
    print("\n### What a loop pays for being looked at\n")
    print("| looked at by | step | costs | target | |")
    print("|---|---|---|---|---|")
    late = False
    with tf.Graph().as_default():
        session, step, loss = _loop(tf)
        for name, most, begin in _onlookers(tf, session, loss):
            plain, watched = [], []
            for number in range(2 * _PAIRS):
                # Now the one is first, now the other: what a burst leaves behind is no difference then.
                if number % 4 in (0, 3):
                    plain.append(_burst(step))
                else:
                    end = begin()
                    watched.append(_burst(step))
                    end()
            cost = statistics.median(watched) / statistics.median(plain) - 1
            late |= cost > most
            said = "met" if cost <= most else "MISSED"
            print(f"| {name} | {statistics.median(plain) / _STEPS * 1e3:.2f} ms | {cost:+.1%} | {most:.0%} | {said} |")
    return late


#: bursts in turns, and the steps of one: long enough for looks and the rests between them
_PAIRS, _STEPS = 10, 600
#: a loop may become this much slower
_MOST = 0.05
#: ... where every step is asked about, and every value looked through
_MOST_STEPPED = 1.0


def _burst(step: Callable[[], Any]) -> float:
    start = time.process_time()
    for _ in range(_STEPS):
        step()
    return time.process_time() - start


def main() -> None:
    import tfbench as tf

    with tf.Graph().as_default() as graph:
        found = _graph(tf)
        session = tf.Session()
        session.run(found["init"])
        print(f"\n### Questions about a graph of {len(graph.get_operations()):,} operations\n")
        print("| question | answer | seconds (CPU) | target | |")
        print("|---|---|---|---|---|")
        late = False
        for name, target, ask in _questions(tf, found, session):
            answer = ask()
            times = []
            for _ in range(_ROUNDS):
                start = time.process_time()
                ask()
                times.append(time.process_time() - start)
            median = statistics.median(times)
            late |= median > target
            said = f"{len(answer)} found" if hasattr(answer, "footer") else getattr(answer, "reason", "taken")
            print(f"| {name} | {said} | {median:.3f} | {target} | {'met' if median <= target else 'MISSED'} |")
    late |= _looking(tf)
    sys.exit(1 if late else 0)


if __name__ == "__main__":
    main()
