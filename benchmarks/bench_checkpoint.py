"""Saving and restoring: one large variable, some of a usual size, many small ones."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks.case import Case, Suite, session

Make = Callable[[Any, int], Callable[[], object]]


def _prepared(tf: Any, threads: int, count: int, size: int) -> tuple[Any, Any, str]:
    """A saver, a session with `count` variables of `size` elements, and a checkpoint of them."""
    for number in range(count):
        tf.get_variable(f"v{number}", [size], initializer=tf.random_normal_initializer(seed=1))
    saver, running = tf.train.Saver(max_to_keep=1), session(tf, threads)
    running.run(tf.global_variables_initializer())
    prefix = f"{tempfile.mkdtemp()}/m"
    saver.save(running, prefix, write_meta_graph=False)
    return saver, running, prefix


def _save(count: int, size: int) -> Make:
    def make(tf: Any, threads: int) -> Callable[[], object]:
        saver, running, prefix = _prepared(tf, threads, count, size)
        return lambda: saver.save(running, prefix, write_meta_graph=False)

    return make


def _save_steps(count: int, size: int) -> Make:
    """As programs save: step after step, with the meta graph, the last one kept."""

    def make(tf: Any, threads: int) -> Callable[[], object]:
        saver, running, prefix = _prepared(tf, threads, count, size)
        steps = itertools.count()
        return lambda: saver.save(running, prefix, global_step=next(steps))

    return make


def _restore(count: int, size: int) -> Make:
    def make(tf: Any, threads: int) -> Callable[[], object]:
        saver, running, prefix = _prepared(tf, threads, count, size)
        return lambda: saver.restore(running, prefix)

    return make


_SIZES = {"1 × 100 MB": (1, 25_000_000), "20 × 40 kB": (20, 10_000), "500 × 40 B": (500, 10)}

SUITE = Suite(
    "Checkpoints",
    [
        Case(f"{what} {name}", make(*sizes), work=sizes[0] * sizes[1] * 4, unit="B")
        for name, sizes in _SIZES.items()
        for what, make in (("save", _save), ("save with meta graph", _save_steps), ("restore", _restore))
    ],
    note="tfbench waits until the files are on the disk (fsync) and compares all shapes before it restores; "
    "TensorFlow does neither.",
)
